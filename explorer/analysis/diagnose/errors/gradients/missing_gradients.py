"""A `.grad` of None, and other values in place of tensors."""

import re

from explorer.analysis.diagnose.errors.elsewhere import requiring_gradients
from explorer.analysis.diagnose.errors.gradients.history import factory_call, sources
from explorer.analysis.diagnose.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.explain.autograd.gradients import nodes_below
from explorer.analysis.explain.autograd.reasons import tensor_cut
from explorer.analysis.run.model import GRAD_CALL
from explorer.analysis.run.source.assignments import expressions
from explorer.analysis.run.source.code import code_at
from explorer.analysis.run.source.expressions import parse_call
from explorer.trace import Backward

Values = dict[str, str | int]
RULES = Rules()


@RULES.rule(r"TypeError|AttributeError: NoneType")
def gradient_is_none(at: FailureContext) -> Explanation | None:
    """Explain from the Trace why a `.grad` in use is None."""
    operation = _none_gradient(at)
    if operation is None:
        return _backward_returns_nothing(at)
    trace, flags = at.trace, at.trace.tensors
    tensor, code = trace.operations.inputs[operation][0], at.written(operation)
    values: Values = {"name": code.removesuffix(".grad"), "gradient": code}
    began = [
        each for each in trace.backwards if each.status == "ok" and each.span >= 0 and each.operations <= operation
    ]
    backwards = [backward for backward in began if backward.kind == "backward"]
    if not flags.requires_grad[tensor]:
        return _requires_none(at, tensor, backwards, values)
    if not flags.is_leaf[tensor]:
        return _result(at, tensor, values)
    filled = (pair for backward in backwards for pair in zip(backward.accumulated, backward.after, strict=True))
    if any(leaf == tensor and after >= 0 for leaf, after in filled):
        return at.explain("gradient-cleared", **values)
    if not began:
        return _before_backward(at, values)
    last = (backwards or began)[-1]
    call = code_at(trace, last.span)
    values |= {"call": call.text, "line": call.line}
    if not backwards:
        return at.explain("gradient-returned-by-grad", **values)
    if last.inputs and tensor not in last.inputs:
        return at.explain("gradient-not-asked-for", **values)
    below = nodes_below(trace, last.roots)
    if any(trace.nodes.variable[node] == tensor for node in below):
        through = any(trace.nodes.user_code[node] for node in below)
        return at.explain("gradient-none-from-a-function", **values) if through else None
    cut = tensor_cut(trace, tensor, trace.backwards.index(last))
    cutting = code_at(trace, trace.operations.span[cut.operation]) if cut is not None and cut.operation >= 0 else None
    values |= {"cut": cutting.text, "at": cutting.line} if cutting else {"cut": "", "at": 0}
    return at.explain("gradient-never-reached", **values)


@RULES.rule(
    r"AttributeError: ^'(?P<type>float|int|numpy\.\w+|bool|list|NoneType)' object has no attribute "
    r"'(?P<method>backward|requires_grad_|retain_grad|detach)'"
)
def number_not_tensor(at: FailureContext) -> Explanation | None:
    """Explain backward() of a number from item(), a list of losses, or None."""
    kind, method, trace = at["type"], at["method"], at.trace
    receiver = at.before_attribute(method)
    if kind == "NoneType" and (first := at.set_to_none(receiver)):
        return at.explain("none-since", piece=receiver, where=first.line)
    if kind in ("NoneType", "list"):
        has_none = "nothing-has-no-backward" if kind == "NoneType" else "list-has-no-backward"
        return at.explain(has_none, name=receiver) if method == "backward" else None
    if receiver.endswith(".item()"):
        new = f"{receiver.removesuffix('.item()')}.{method}"
        return at.explain("item-before-backward", new, name=receiver, made=receiver)
    for i in range(len(trace.operations) - 1, -1, -1):
        code = at.run.call(i).place if at.run.names[i] in ("item", "tolist", "__float__") else None
        if code is None or not re.match(rf"\s*{re.escape(receiver)}\s*[-+*/]?=(?!=)", code.whole_line):
            continue
        if not any(trace.tensors.requires_grad[given] for given in trace.operations.inputs[i]):
            break
        return at.explain("item-before-backward", name=receiver, made=code.text, line=code.line)
    return at.explain("number-has-no-backward", name=receiver)


@RULES.rule(r"AttributeError|TypeError: \btuple\b|multiply sequence")
def returns_a_tuple(at: FailureContext) -> Explanation | None:
    """Explain using the tuple that autograd.grad() returns as a tensor."""
    gradients = {call.text for call in at.run.calls((GRAD_CALL,))}
    part = next((one for one in at.parts if one.thing.type == "tuple" and one.made in gradients), None)
    if part is None:
        return None
    return at.explain("grad-returns-a-tuple", name=part.text, made=part.made, line=part.where, count=part.thing.count)


def _none_gradient(at: FailureContext) -> int | None:
    """Return the read of a `.grad` that returned None to the failing code."""
    operations, used = at.trace.operations, {text for part in at.parts for text in (part.made, part.text)}
    for i in reversed(range(len(operations))):
        read = at.trace.string(operations.function[i]) == "torch.Tensor.grad" and operations.inputs[i]
        if read and at.written(i) in used and at.written(i).endswith(".grad"):
            return None if operations.outputs[i] else i
    return None


def _backward_returns_nothing(at: FailureContext) -> Explanation | None:
    """Explain using the result of backward(), which is None."""
    places = (code_at(at.trace, one.span) for one in at.trace.backwards if (one.kind, one.status) == ("backward", "ok"))
    lines = {place.text: place.line for place in places if place is not None}
    part = next((one for one in at.parts if (one.made or one.text) in lines), None)
    if part is None:
        return None
    call = part.made or part.text
    return at.explain("backward-returns-nothing", name=part.text, call=call, line=lines[call])


def _requires_none(at: FailureContext, tensor: int, backwards: list[Backward], values: Values) -> Explanation:
    """Explain the .grad of a tensor that requires no gradient."""
    trace, name = at.trace, str(values["name"])
    operation = at.run.makers.get(tensor)
    code = None if operation is None else at.run.call(operation).place
    if code is None:
        return at.explain("gradient-not-required", **values)
    values = values | {"made": code.text, "line": code.line}
    inputs = trace.operations.inputs[operation]
    before = {binding.tensor for binding in trace.bindings if binding.name == name} & set(inputs)
    recorded = any(trace.tensors.requires_grad[given] for given in inputs)
    if before and recorded and not trace.operations.grad_enabled[operation]:
        return at.explain("step-made-a-new-tensor", **values)
    if factory_call(trace, tensor) and "float" in at.run.dtype(tensor) and _reaching(at, tensor, backwards):
        return at.explain("gradient-never-required", **values).repaired_by(requiring_gradients(at, [tensor]))
    return at.explain("gradient-not-required", **values)


def _reaching(at: FailureContext, tensor: int, backwards: list[Backward]) -> list[Backward]:
    """Return the latest backward calls with roots computed from a tensor."""

    def reads(backward: Backward) -> bool:
        return any(tensor in sources(at.trace, root) for root in backward.root_tensors if root >= 0)

    return list(filter(reads, backwards[-3:]))


def _result(at: FailureContext, tensor: int, values: Values) -> Explanation:
    """Explain the .grad of a tensor that is not a leaf."""
    trace, made, name = at.trace, at.run.makers, str(values["name"])
    code = at.run.call(made[tensor]).place if tensor in made else None
    if code is None:
        return at.explain("gradient-of-a-result", **values, made=name)
    values = values | {"made": code.text, "line": code.line}
    before = {binding.tensor for binding in trace.bindings if binding.name == name} - {tensor}
    if before & set(trace.operations.inputs[made[tensor]]) and "grad" in code.whole_line:
        return at.explain("step-made-a-new-tensor", **values)
    given = (source.maker for source in at.run.tensor(tensor).maker.inputs if source.is_leaf and source.requires_grad)
    if any(maker is not None and code.holds(maker.place) for maker in given):
        return at.explain("leaf-lost-in-its-own-line", **values)
    return at.explain("gradient-of-a-result", **values)


def _before_backward(at: FailureContext, values: Values) -> Explanation:
    """Explain a leaf's .grad that is read before any backward."""
    zeroed = parse_call(at.here.whole_line)
    own = zeroed is not None and zeroed.receiver.removesuffix(".data") == values["gradient"]
    if own and zeroed.name in ("zero_", "detach_", "fill_"):
        return at.explain("gradient-zeroed-before-backward", **values)
    for code in (code_at(at.trace, span) for span in expressions(at.trace)):
        if code.text.endswith(".backward"):
            return at.explain("backward-not-called", **values | {"call": code.text, "line": code.line})
    return at.explain("gradient-before-backward", **values)
