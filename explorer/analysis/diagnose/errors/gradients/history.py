"""Roots without a history, and where it was lost."""

from explorer.analysis.diagnose.errors.elsewhere import requiring_gradients
from explorer.analysis.diagnose.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.explain.autograd.gradient_cuts import GradientCut, cut_behind, switch_of
from explorer.analysis.explain.autograd.gradients import nodes_below
from explorer.analysis.explain.autograd.python_numbers import uses_of_number
from explorer.analysis.run.model import run_of
from explorer.analysis.run.operations import operation_of, reads_only_shape
from explorer.analysis.run.source.assignments import only_assignment
from explorer.analysis.run.source.code import Code, code_at
from explorer.analysis.run.source.definitions import methods_around
from explorer.analysis.run.source.expressions import parse_call
from explorer.trace import Span, Trace

_SMOOTH = ("float", "bfloat", "complex")  # dtypes of differentiable quantities
CHECKPOINT = "None of the inputs have requires_grad=True"  # torch's own warning

# Distributions of torch without rsample.
DISCRETE = frozenset(
    "Bernoulli Binomial Categorical Geometric Multinomial NegativeBinomial OneHotCategorical Poisson".split()
)

Values = dict[str, str | int]
RULES = Rules()
RULES.rule(r"NotImplementedError: ^$")(
    lambda at: at.explain("rsample-missing") if at.call and at.call.name == "rsample" else None
)
FACTORIES = frozenset(
    "tensor ones zeros rand randn full arange linspace eye empty as_tensor randint normal logspace".split()
)


@RULES.rule(r"RuntimeError: element (?P<index>\d+) of tensors does not require grad and does not have a grad_fn")
def no_history(at: FailureContext) -> Explanation | None:
    """Explain a root without a history by the place where it was lost."""
    now, index = at.backward, int(at["index"])
    root = now.root_tensors[index] if now is not None and index < len(now.root_tensors) else -1
    if now is not None and now.inside >= 0 and _in_backward_of_a_function(at):
        return at.explain("function-backward-unrecorded")
    return None if root < 0 else _lost(at, root, now.operations)


def _in_backward_of_a_function(at: FailureContext) -> bool:
    """Return whether the failing line is in a Function's backward, which records no gradients."""
    return any(methods_around(at.trace, at.line, "backward"))


@RULES.rule(r"RuntimeError: It is not possible to get the gradient edge for a Tensor that does not require gradients")
def edge_without_graph(at: FailureContext) -> Explanation | None:
    """Explain get_gradient_edge of a tensor without a history."""
    root = tensor_of(at, at.call.value(0)) if at.call and at.call.arguments else None
    return None if root is None else _lost(at, root, len(at.trace.operations))


def _lost(at: FailureContext, root: int, operation: int) -> Explanation | None:
    """Explain where a tensor lost its history before an operation began."""
    trace, values = at.trace, Values(name=at.name(root) or at.code)
    cut = cut_behind(trace, root, trace.maker(root) + 1) or cut_behind(trace, root, operation)
    code = at.run.call(cut.operation).place if cut is not None else None
    if cut is not None and code is not None:
        explanation = _cut_at(at, cut, code, values | _place(code))
        if explanation is not None or cut.by != "unasked":
            return explanation
    return _nothing_requires(at, root, values)


def _place(code: Code) -> Values:
    return {"made": code.text, "line": code.line}


def _cut_at(at: FailureContext, cut: GradientCut, code: Code, values: Values) -> Explanation | None:
    """Explain how an operation ended the history."""
    trace, name = at.trace, short_name(at.trace, cut.operation)
    if cut.by == "gradient":
        return _first_gradient(at, cut.operation, values)
    if cut.by == "number":
        return _number(at, cut.operation, code, values)
    if cut.by == "made" and name in ("tensor", "as_tensor", "Tensor", "FloatTensor"):
        recorded = (trace.tensors.requires_grad[tensor] for tensor in trace.operations.inputs[cut.operation])
        return at.explain("list-made-into-a-new-leaf" if sum(recorded) > 1 else "history-lost-in-a-new-leaf", **values)
    if cut.by == "switched_off":
        return at.explain("flags-switched-off", **values)
    if cut.by == "no_grad":
        return _unrecorded(at, cut.operation, code, values)
    if cut.by == "detach":
        return at.explain("history-detached", **values)
    if cut.by == "derivative" and operation_of(name).gives == "positions":
        return at.explain("position-has-no-gradient", **values)
    if cut.by != "derivative":
        return None
    smooth = any(output.dtype.startswith(_SMOOTH) for output in at.run.call(cut.operation).outputs)
    return at.explain("function-without-derivative" if smooth else "steps-have-no-gradient", **values)


def _first_gradient(at: FailureContext, operation: int, values: Values) -> Explanation | None:
    """Explain differentiating a gradient again."""
    trace, operations = at.trace, at.trace.operations
    attribute = trace.string(operations.function[operation]) == "torch.Tensor.grad"
    good, span = (each for each in trace.backwards if each.status == "ok"), operations.span[operation]
    filled = [each for each in good if (each.kind == "backward" if attribute else each.span == span)]
    if not filled or filled[-1].span < 0:
        return None
    first, call = filled[-1], code_at(trace, filled[-1].span)
    values = values | {"first": call.text, "line": call.line}
    below = nodes_below(trace, first.roots)
    if any(trace.nodes.user_code[node] for node in below):
        return at.explain("first-gradient-of-a-function", **values)
    if first.create_graph:
        return at.explain("first-gradient-constant", **values)
    return at.explain("first-gradient-not-recorded", **values)


def _number(at: FailureContext, operation: int, code: Code, values: Values) -> Explanation | None:
    """Explain a new tensor made of numbers that had left torch."""
    if short_name(at.trace, operation) in ("numpy", "__array__"):
        return at.explain("history-lost-in-numpy", **values)
    given = (at.run.call(fed).place for fed in uses_of_number(at.trace).get(operation, ()))
    made = next((place for place in given if place is not None), None)
    if made is None:
        return None
    values = values | _place(made)
    if not made.span.contains(code.span):
        return at.explain("history-lost-in-numbers", **values)
    return at.explain("history-lost-in-a-new-leaf", **values)


def _unrecorded(at: FailureContext, operation: int, code: Code, values: Values) -> Explanation:
    """Explain a computation with recording off, by a block, decorator or call."""
    switch = switch_of(at.trace, operation)
    if switch is None and code.call and code.call.name == "sample":
        only = only_assignment(at.trace, code.call.receiver)
        made = parse_call(only.value if only else code.call.receiver)
        return at.explain(
            "sampled-without-gradient", **values, discrete="yes" if made and made.name in DISCRETE else "no"
        )
    if switch is None:
        return _checkpointed(at, values) or at.explain("computed-unrecorded", **values)
    values = values | {"block": switch.text, "block-line": switch.line}
    opened = code_at(at.trace, Span(switch.cell, switch.line, 0, switch.line, 0))
    header = opened.whole_line.strip()
    if header.startswith("@"):
        return at.explain("computed-under-no-grad", **values)
    if not header.startswith("with "):
        return at.explain("recording-switched-off", **values)
    is_around = switch.cell == code.span.cell and switch.line in code.headers
    step = code.operands
    if is_around and step and step.left == code.binds and f"{step.left}.grad" in step.right:
        return at.explain("step-rebound-under-no-grad", **values, leaf=step.left)
    return at.explain("computed-under-no-grad", **values)


def _nothing_requires(at: FailureContext, root: int, values: Values) -> Explanation | None:
    """Explain a result computed from no tensor that requires a gradient."""
    trace, behind = at.trace, sources(at.trace, root)
    if checkpointed := _checkpointed(at, values):
        return checkpointed
    if asking := [tensor for tensor in behind if trace.tensors.requires_grad[tensor]]:
        reads = [user for user in at.run.tensor(asking[0]).users if set(behind) & {one.id for one in user.outputs}]
        if not reads or reads[0].place is None or not all(reads_only_shape(user.name) for user in reads):
            return None
        return at.explain("only-a-shape-was-read", **values | _place(reads[0].place), of=at.name(asking[0]))
    behind = sources(trace, root, shapes=False)
    leaves = [leaf for leaf in behind if len(sources(trace, leaf, shapes=False)) == 1]
    named = [name for leaf in leaves if at.run.tensor(leaf).bindings and (name := at.name(leaf))]
    named = named or [name for leaf in leaves if (name := at.name(leaf))]
    values = values | {"names": ", ".join(dict.fromkeys(named[:4])) or at.name(root) or at.code}
    return at.explain("nothing-requires-gradient", **values).repaired_by(requiring_gradients(at, behind))


def _checkpointed(at: FailureContext, values: Values) -> Explanation | None:
    """Explain a reentrant checkpoint without inputs that require grad, if torch warned about it."""
    if not any(CHECKPOINT in getattr(output, "text", "") for cell in at.trace.cells for output in cell.outputs):
        return None
    return at.explain("checkpoint-of-data", **values)


def sources(trace: Trace, tensor: int, shapes: bool = True) -> list[int]:
    """Return a tensor and those behind it, nearest first."""
    run, seen, visited = run_of(trace), [tensor], {tensor}
    for reached in seen:
        made = run.makers.get(reached)
        reads = made is not None and (shapes or not reads_only_shape(run.names[made]))
        for before in trace.operations.inputs[made] if reads else ():
            if before not in visited:
                visited.add(before)
                seen.append(before)
    return seen


def tensor_of(context: FailureContext, code: str) -> int | None:
    """Return the tensor meant by a name or an operation's text."""
    code = code.strip()
    named, operations = context.trace.bound(code), context.trace.operations
    if named is not None:
        return named
    texts = {code, code[1:-1]} if code.startswith("(") and code.endswith(")") else {code}
    for i in range(len(operations) - 1, -1, -1):
        if operations.outputs[i] and context.written(i) in texts:
            return operations.outputs[i][0]
    return None


def short_name(trace: Trace, operation: int) -> str:
    """Return an operation's function name without its module."""
    return (trace.string(trace.operations.function[operation]) or "").rpartition(".")[2]


def factory_call(trace: Trace, tensor: int) -> Code | None:
    """Return the torch.ones(...) or similar that made a tensor without requires_grad."""
    made = run_of(trace).makers.get(tensor)
    code = None if made is None else code_at(trace, trace.operations.span[made])
    fits = code and code.call and run_of(trace).names[made] in FACTORIES and "requires_grad" not in code.text
    return code if fits else None
