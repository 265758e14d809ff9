"""Tensors that cannot require gradients or be converted: integers, results and constants."""

import re

from explorer.analysis.diagnose.errors.evidence import Evidence
from explorer.analysis.diagnose.errors.gradients.history import FACTORIES, factory_call, short_name, sources, tensor_of
from explorer.analysis.diagnose.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.explain.autograd.gradient_cuts import cuts
from explorer.analysis.run.model import GRAD_CALL, reachable
from explorer.analysis.run.operations import ENTRYWISE, names_where, operation_of, spellings
from explorer.analysis.run.operations.signatures import names_of
from explorer.analysis.run.source.code import Repair, code_at, find_lines
from explorer.analysis.run.source.definitions import calls
from explorer.analysis.run.source.expressions import bracketed, parse_call, replace_span, with_argument, with_suffix
from explorer.trace import Trace

# Functions of one tensor with the same name and effect in NumPy and torch.
_SAME = ("sum", "mean", "max", "min", "prod")  # reductions that agree; std and var count entries differently
NUMPY_ALIKE = names_of("torch") & (
    ENTRYWISE | spellings("dot", "matmul") | names_where(lambda one: one.sentence == "reduced" and one.kind in _SAME)
)

RULES = Rules()


@RULES.rule(r"RuntimeError: [Oo]nly Tensors of floating point(?: and complex)? dtype can require gradients")
def whole_numbers(at: FailureContext) -> Explanation:
    """Explain a gradient requested for integers or booleans."""
    made = at.run.makers
    code = at.here if at.call and at.call.name in FACTORIES else None
    tensor = at.inputs[0] if at.inputs and not code else None
    if not code and tensor not in made:  # torch.func and Parameter create their own tensors
        tensor = _whole_numbers_in(at, made) or tensor
    if not code and tensor is not None:
        code = factory_call(at.trace, tensor)
    text = code.text if code else at.code.partition(".requires_grad")[0]
    dtype = _written_dtype(at) if tensor is None else at.run.dtype(tensor)
    maker = at.run.call(made[tensor]).place if tensor in made and _gives_positions(at, tensor, made[tensor]) else None
    if maker:
        return at.explain("positions-require-no-gradient", code=text, dtype=dtype, made=maker.text, line=maker.line)
    new = as_floats(text) if code == at.here else None
    return at.explain("whole-numbers-require-no-gradient", new, code=text, dtype=dtype)


def _written_dtype(at: FailureContext) -> str:
    """Return the dtype that a factory is called for, int64 unless it is written."""
    written = at.call.argument(99, "dtype") if at.call else ""
    entries = at.call.argument(0) if at.call else ""
    return written.rpartition(".")[2] or ("bool" if "True" in entries or "False" in entries else "int64")


def _whole_numbers_in(at: FailureContext, made: dict[int, int]) -> int | None:
    """Return the first integer tensor that the failing code makes or names."""
    texts = {part.text for part in at.parts}
    used = [tensor for tensor, maker in made.items() if at.written(maker) in texts]
    used += [binding.tensor for binding in at.trace.bindings if binding.name in texts]
    return next((tensor for tensor in used if "int" in at.run.dtype(tensor)), None)


def _gives_positions(at: FailureContext, tensor: int, maker: int) -> bool:
    """Return whether an operation made positions or class numbers."""
    operation = operation_of(short_name(at.trace, maker))
    second = operation.chooses and list(at.trace.operations.outputs[maker])[1:] == [tensor]
    return second or operation.gives == "positions"


@RULES.rule(r"RuntimeError: you can only change requires_grad flags of leaf variables")
def flag_of_a_result(at: FailureContext) -> Explanation:
    """Explain switching off requires_grad of a computed tensor."""
    code = at.statement
    name, named, _ = code.text.partition(".requires_grad")
    return at.explain("flag-of-a-result", name=name if named else at.code, code=code.text)


@RULES.rule(r"RuntimeError: Can't call numpy\(\) on Tensor that requires grad")
def numpy_of_recorded(at: FailureContext) -> Explanation:
    """Explain passing a recorded tensor to NumPy."""
    code, call = at.code, at.call
    if code.endswith(".numpy()"):
        name = code.removesuffix(".numpy()")
        return at.explain("numpy-of-recorded", f"{name}.detach().numpy()", name=bracketed(name))
    if (explanation := _kept_in_a_list(at)) is not None:
        return explanation
    tensors = call is not None and all(tensor_of(at, argument) is not None for argument in call.arguments)
    if call and tensors and call.name in NUMPY_ALIKE and at.callee and at.callee.package == "numpy":
        torch = f"torch.{call.name}"
        new = f"{torch}({', '.join(call.arguments)})"
        return at.explain("numpy-function-of-recorded", new, function=call.head, torch=torch)
    flags = at.trace.tensors.requires_grad
    used = [part for part in at.parts if part.of.role in ("argument", "operand", "part")]
    recorded = [part for part in used if (tensor := tensor_of(at, part.text)) is not None and flags[tensor]]
    given = [part for part in recorded if at.trace.bound(part.text) is not None] or recorded
    if not given:
        return at.explain("numpy-of-some-recorded")
    return at.explain("numpy-of-recorded", name=bracketed(given[0].text)).repaired_by(_detached(at, given))


def _detached(at: FailureContext, given: list[Evidence]) -> Repair:
    """Add .detach() to parts of the failing code."""
    spans, source = [at.trace.spans[part.of.span] for part in given], at.here.source
    outer = [one for one in spans if not any(other != one and other.contains(one) for other in spans)]
    for span in sorted(outer, key=lambda one: (one.line, one.column), reverse=True):
        source = replace_span(source, span, with_suffix(code_at(at.trace, span).text, ".detach()"))
    return at.here.with_source(source)


def _kept_in_a_list(at: FailureContext) -> Explanation | None:
    """Explain passing on a list of recorded tensors by the line that fills it."""
    names = dict.fromkeys((*(part.text for part in at.parts), *at.names))
    for name in (one for one in names if at.trace.bound(one) is None):
        put = rf"^(\s*{re.escape(name)}(?:\.append\(| = \[))(.{{1,200}}?)((?: for .{{1,200}}\])|\)\s*)$"
        for line, into in find_lines(at.trace, put):
            tensor = tensor_of(at, into[2])
            if tensor is not None and at.trace.tensors.requires_grad[tensor]:
                item = "item" if all(size == 1 for size in at.run.shape(tensor)) else "detach"
                right = f"{into[1]}{with_suffix(into[2], f'.{item}()')}{into[3]}"
                values = {"name": name, "item": into[2], "line": line.line, "right": right.strip()}
                return at.explain("numpy-of-a-list", **values)
    return None


@RULES.rule(r"RuntimeError: Only Tensors created explicitly by the user \(graph leaves\) support the deepcopy protocol")
def deepcopy_of_a_result(at: FailureContext) -> Explanation:
    """Explain deep-copying a computed tensor or a module that keeps it."""
    given = at.given if at.callee is not None and at.callee.name == "deepcopy" else []
    name = given[0].text if given else at.code
    normed = next(calls(at.trace, ("spectral_norm", "weight_norm")), None)
    if given and given[0].thing.type == "Tensor":
        made = given[0].made or name
        return at.explain("deepcopy-of-a-result", f"{name}.detach().clone()", name=name, made=made)
    if normed is not None and "parametrizations" not in at.sources:
        return at.explain("deepcopy-of-a-weight-norm", name=name, made=normed[2].line)
    return at.explain("deepcopy-of-something-with-a-result", name=name)


@RULES.rule(r"RuntimeError: [Oo]ne of the differentiated Tensors does not require grad")
def input_requires_no_gradient(at: FailureContext) -> Explanation | None:
    """Explain grad() with respect to a tensor without requires_grad."""
    flags, now = at.trace.tensors.requires_grad, at.backward
    tensors = [tensor for tensor in at.inputs[1:] if not flags[tensor]]
    tensors = tensors or [tensor for tensor in (now.inputs if now else ()) if tensor >= 0 and not flags[tensor]]
    if not tensors:
        return None
    return at.explain("input-requires-no-gradient", name=at.name(tensors[0]) or at.code)


@RULES.rule(r"RuntimeError: appears to not have been used in the graph")
def input_not_used(at: FailureContext) -> Explanation | None:
    """Explain grad() with respect to a tensor that the result does not depend on."""
    trace, now = at.trace, at.backward
    index = re.search(r"at index (\d+)", at.failure.text)
    if now is None or not now.root_tensors or now.root_tensors[0] < 0:
        return None
    tensor, root = next(iter(now.inputs[int(index[1]) if index else 0 :]), -1), now.root_tensors[0]
    if tensor < 0:
        return None
    used = set(sources(trace, root))
    beside = [each for each in sources(trace, tensor)[1:] if each in used and trace.tensors.requires_grad[each]]
    values = {"name": at.name(tensor) or at.code, "root": at.name(root) or at.code}
    if beside:
        return at.explain("input-made-beside", **values, leaf=at.name(beside[0]))
    if (explanation := _cut_between(at, tensor, root, values)) is not None:
        return explanation
    through = set(reachable(_nodes(trace, root), lambda node: (end for end in trace.nodes.edges[node] if end >= 0)))
    for call in at.run.calls((GRAD_CALL,)):
        made = [node for output in call.outputs for node in _nodes(trace, output.id)]  # with create_graph
        if call.place and tensor in [one.id for one in call.inputs] and not through.isdisjoint(made):
            change = with_argument(at.code, "materialize_grads=True") if "unused" not in at.code else None
            first = call.place
            return at.explain("second-gradient-is-zero", change, **values, made=first.text, line=first.line)
    last = at.here.is_statement and at.here.span.end_line == len(at.here.lines)
    return at.explain("input-not-used", with_argument(at.code, "allow_unused=True") if last else None, **values)


def _nodes(trace: Trace, tensor: int) -> list[int]:
    """Return the nodes that made a tensor's versions."""
    return [node for row in trace.versions_of(tensor) if (node := trace.versions.node[row]) >= 0]


def _cut_between(at: FailureContext, tensor: int, root: int, values: dict[str, str]) -> Explanation | None:
    """Explain where the history between tensor and result ends."""
    trace, operations = at.trace, at.trace.operations
    cut = cuts(trace, [(len(operations), [root])])[0].get(tensor)
    code = at.run.call(cut.operation).place if cut is not None and cut.operation >= 0 else None
    if cut is None or code is None or not (cut.sure or cut.by == "gradient"):
        return None
    return at.explain("input-cut-off", **values, made=code.text, line=code.line)


@RULES.rule(
    r"RuntimeError: Inference tensors cannot be saved for backward|Inplace update to inference tensor outside"
    r"|Setting requires_grad=True on inference tensor outside"
)
def made_in_inference_mode(at: FailureContext) -> Explanation:
    """Explain an inference-mode tensor used where gradients are recorded."""
    made, recorded = at.run.makers, at.trace.operations.grad_enabled
    tensor = next((each for each in at.inputs if each in made and not recorded[made[each]]), None)
    code = None if tensor is None else at.run.call(made[tensor]).place
    return at.explain("made-in-inference-mode", name=(code and at.name(tensor)) or at.code)


def as_floats(call: str) -> str | None:
    """Change a call that makes integers to make floats, None if uncertain.

    >>> as_floats("torch.tensor([1, 2], requires_grad=True)")
    'torch.tensor([1., 2], requires_grad=True)'
    """
    written = parse_call(call)
    if written and (place := written.place(99, "dtype")) is not None:
        return written.with_argument(place, "torch.float32")
    literal = re.match(r"[\w.]*(?:tensor\(\s*[\[(]*\s*-?\d+|arange\(\s*-?\d+)(?=\s*[],)])", call)
    if literal:
        return f"{call[: literal.end()]}.{call[literal.end() :]}"
    return with_argument(call, "dtype=torch.float32")
