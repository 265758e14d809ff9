"""Explain why a gradient is 0.

A norm subtracts the mean, and softmax ignores a constant added to all entries. So a bias before a batch norm, or of an
attention's keys, has no effect, although rounding leaves a tiny gradient. A change of the leaf is followed through the
operations by the axes along which it is constant, until an operation ignores it. An operation without a rule, or
another path, leaves it unexplained.
"""

import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from explorer.analysis.explain.autograd.altered_gradients import altered_outputs, hook_of
from explorer.analysis.explain.autograd.edge_gradients import EdgeGradients
from explorer.analysis.explain.autograd.formula_values import UNKNOWN, evaluated, local_of
from explorer.analysis.explain.autograd.node_formulas import Formula, formulas
from explorer.analysis.explain.autograd.operands import FormulaOperand
from explorer.analysis.explain.autograd.slopes import products_of
from explorer.analysis.explain.autograd.view_records import ZeroKind, ZeroReason
from explorer.analysis.run.model import one_line, run_of
from explorer.analysis.run.names import name_of
from explorer.analysis.run.operations import camel_case, operation_of, steps_by
from explorer.analysis.run.operations.alike import PassedCall, axes_moved
from explorer.analysis.run.operations.formulas import names_in, parsed
from explorer.text.numbers import shorten
from explorer.trace import Trace, Value, memoized

NORMAL = {"float16": 2.0**-14, "bfloat16": 2.0**-126, "float32": 2.0**-126}  # below this, digits are lost
_MOST = 20_000  # most nodes followed in one backward
_CODE = 60  # widest text of an operation
_BILINEAR = {"ConvolutionBackward0": {0: "weight", 1: "input"}}  # edge → operand that its gradient is linear in
_MODULE_HOOK = "BackwardHookFunctionBackward"
_SMALL = 1e-3  # relative to the leaf's largest gradient; larger ones are not rounding


def is_subnormal(dtype: str, largest: float | None) -> bool:
    """Return whether all entries are subnormal in their dtype."""
    return largest is not None and 0 < largest < NORMAL.get(dtype, 0.0)


@memoized
def _passing(trace: Trace, backward: int) -> EdgeGradients:
    return EdgeGradients(trace, backward, "")


def zero_starts(
    trace: Trace, backward: int, decide: Callable[["ZeroPlace"], ZeroReason | None]
) -> dict[int, dict[str, ZeroReason | None]]:
    """Map leaves to starts of their zeros, one of each kind."""
    order, variable = trace.backwards[backward].order, trace.nodes.variable
    waiting = [node for node in order if variable[node] >= 0]
    ways: dict[int, list[tuple[ZeroReason | None, int]]] = {}
    while waiting:
        if (node := waiting.pop()) not in ways:
            places = _followed(trace, backward, node)
            ways[node] = [(None if place is None else decide(place), above) for place, above in places]
            waiting += [above for _, above in ways[node] if above >= 0]
            if len(ways) > _MOST:
                return {}
    of_node: dict[int, dict[str, ZeroReason | None]] = {}
    of_leaf: dict[int, dict[str, ZeroReason | None]] = {}
    for node in order:  # a node runs after the nodes that send it a gradient
        if node in ways and node not in of_node:
            found: dict[str, ZeroReason | None] = {}
            for start, above in ways[node]:
                found |= of_node.get(above, {"": None}) if above >= 0 else {start.kind if start else "": start}
            of_node[node] = found
            of_leaf.setdefault(variable[node], {}).update(found)
    return of_leaf


def _followed(trace: Trace, backward: int, node: int) -> Iterator[tuple["ZeroPlace | None", int]]:
    """Yield where each zero arose, or the node it came through."""
    passing = _passing(trace, backward)
    for output, value in enumerate(passing.gradients[node]):
        if value < 0 or not _is_zero(trace, value):
            continue
        senders = passing.into.get((node, output), ())
        if not senders or any(not _is_zero(trace, sent) for _, _, sent in senders):
            yield ZeroPlace(trace, backward, node, value, output, parts=tuple(sent for _, _, sent in senders)), -1
            continue
        for above, edge, sent in senders:
            zeros = [_is_zero(trace, arrived) for arrived in passing.gradients[above] if arrived >= 0]
            yield (None, above) if all(zeros) else (ZeroPlace(trace, backward, above, sent, edge=edge), -1)


class ZeroPlace:
    """A place where a gradient became 0: the sum of `parts` at an output, or what passed over an edge."""

    def __init__(self, trace: Trace, backward: int, node: int, value: int, output=-1, edge=-1, parts=()) -> None:
        self.trace, self.backward, self.passing, self.node = trace, backward, _passing(trace, backward), node
        self.output, self.edge, self.parts = output, edge, parts
        self.shape, self.dtype = trace.value(value).shape, trace.value(value).dtype
        self.operation = self.trace.nodes.operation[node]
        self.called = self.trace.strings[self.trace.operations.name[self.operation]] if self.operation >= 0 else ""

    def reason(self, kind: ZeroKind, evidence: dict) -> ZeroReason:
        """Return a reason with the operation's text and place."""
        trace, operation = self.trace, self.operation
        span = trace.operations.span[operation] if operation >= 0 else -1
        leaf = trace.nodes.variable[self.node]
        code = shorten(one_line(trace.text(span)), _CODE) if span >= 0 else name_of(run_of(trace), leaf)
        module = (trace.string(trace.operations.module[operation]) or "") if operation >= 0 else ""
        found = ZeroReason(kind, code, trace.line(span), self.dtype, module, self.node)
        return found._replace(**evidence)

    def hook(self) -> dict | None:
        """Return the hook that zeroed the gradient, and the arriving values."""
        trace, backward, code, parts = self.trace, self.backward, "", self.parts
        if self.output >= 0:
            if (self.node, self.output) not in altered_outputs(trace, backward):
                return None
            code = hook_of(trace, self.node, trace.backwards[backward])
        elif trace.strings[trace.nodes.name[self.node]].startswith(_MODULE_HOOK):
            parts = self.passing.gradients[self.node]
        else:
            return None
        return {"code": code, "line": 0, "module": "", "came": self.nonzero(parts)}

    def nonzero(self, parts: Sequence[int]) -> tuple[int, ...]:
        return tuple(part for part in parts if part >= 0 and not _is_zero(self.trace, part))

    def is_step(self) -> bool:
        """Return whether the result is a step function of the operand."""
        return bool(self.called) and self.edge in steps_by(self.called, self.trace.arguments(self.operation))

    def got_nothing(self) -> bool:
        """Return whether the arriving gradients are empty, as for a batch without rows."""
        arrived = [self.trace.value(value) for value in self.passing.gradients[self.node] if value >= 0]
        return bool(arrived) and all(value is not None and 0 in value.shape for value in arrived)

    @cached_property
    def terms(self) -> np.ndarray | None:
        """Terms that torch adds up, or known not to cancel, None if unknown."""
        return products_of(self.trace, self.node, self.edge, self.passing.gradients[self.node])

    @cached_property
    def exact(self) -> np.ndarray | None:
        """The gradient before rounding, None if unknown."""
        if self.terms is not None:
            return self.terms.sum(0)
        rules, (_, _, arrays, _) = self.passing.known(self.node)  # torch was not asked, so use a formula if known
        exact = evaluated(rules[self.edge], arrays, self.shape)
        self.terms = None if exact is None else _uncancelled(rules[self.edge], arrays, exact.shape)
        return exact

    @cached_property
    def ranges(self) -> dict | None:
        """Find the factor that makes any gradient 0: {} if it is the slope, None if neither."""
        is_zero = self.exact is None or not self.exact.any()
        return _zero_by_ranges(self.passing, self.node, self.edge) if is_zero else None


def _uncancelled(formula: Formula, arrays: dict[str, np.ndarray], shape: tuple[int, ...]) -> np.ndarray | None:
    """Evaluate a formula on a random gradient, so nothing cancels."""
    arriving = np.abs(arrays["G"]) * np.random.default_rng(0).uniform(1.0, 2.0, arrays["G"].shape)
    return evaluated(formula, arrays | {"G": arriving}, shape)


def _zero_by_ranges(passing: EdgeGradients, node: int, edge: int) -> dict | None:
    """Return why a node's operands make any gradient 0, or None.

    The result has the word for a tensor of zeros and whether that is a single number, or nothing for a slope of 0. The
    rule is computed with random numbers of the same ranges, on axes of at most two entries, so size does not matter.
    """
    rules, (operands, _, arrays, gradient) = passing.known(node)
    formula, name = rules[edge], passing.trace.strings[passing.trace.nodes.name[node]]
    if name == "CopySlices" and edge == 0:
        formula, operands = _of_write(passing.trace, node, gradient)
    elif (other := _BILINEAR.get(name, {}).get(edge)) is not None:
        formula = Formula(formula.input, "whole", f"G * {other}")
    if gradient is None or not formula.expression or formula.kind in ("torch", "own"):
        return None
    values = {name: operand.value for name, operand in operands.items() if operand.value is not None}
    read = [name for name in dict.fromkeys(names_in(parsed(formula.expression))) if name != "G" and name in values]
    random = np.random.default_rng(0)
    filled = {
        name: _alike(value, random) for name, value in (("G", gradient), *((name, values[name]) for name in read))
    }
    compares = "==" in formula.expression or "!=" in formula.expression  # random numbers are never equal
    if compares or any(found is None for found in filled.values()):
        return None
    filled = {name: array for name, array in arrays.items() if name not in values and name != "G"} | filled
    sent = _sent(formula, filled)
    if sent is None or sent.any():
        return None
    for name in read:
        if name == "result" or not values[name].is_zero:
            continue
        by_ones, by_twos = (_sent(formula, filled | {name: np.full_like(filled[name], by)}) for by in (1, 2))
        if by_ones is not None and by_ones.any() and not np.array_equal(by_ones, by_twos):  # not 0 by its sign
            return {"factor": operands[name].word, "single": not values[name].shape}
    return {}


def _of_write(trace: Trace, node: int, gradient: Value | None) -> tuple[Formula, dict[str, FormulaOperand]]:
    """Return rule and result of an entrywise write into a full view."""
    operation, unknown = trace.nodes.operation[node], Formula("", "own")
    wrote = operation_of(trace.strings[trace.operations.name[operation]] if operation >= 0 else "")
    made = [
        trace.value(trace.versions.value[row])
        for tensor in (trace.operations.outputs[operation] if wrote.entrywise else ())
        for row in trace.versions_of(tensor)
        if trace.versions.operation[row] == operation
    ]
    if len(made) != 1 or made[0] is None or gradient is None or math.prod(made[0].shape) != math.prod(gradient.shape):
        return unknown, {}
    return formulas(f"{camel_case(wrote.name)}Backward0", 1)[0], {"result": FormulaOperand("", made[0])}


def _alike(value: Value, random: np.random.Generator) -> np.ndarray | None:
    """Return random numbers in a value's range, None if sampled."""
    shape = tuple(min(size, 2) for size in value.shape)
    if value.is_zero:
        return np.zeros(shape)
    if value.minimum is None or value.maximum is None or value.nonfinite or value.sampled:
        return None
    return random.uniform(value.minimum, value.maximum, shape)


def _sent(formula: Formula, arrays: Mapping[str, np.ndarray]) -> np.ndarray | None:
    try:
        local = local_of(formula, arrays)
        sent = np.asarray(local if formula.kind == "whole" else arrays["G"] * local)
    except UNKNOWN:
        return None
    return sent if sent.dtype.kind in "iuf" else None


def _is_zero(trace: Trace, value: int) -> bool:
    known = trace.value(value)
    return known is not None and known.is_zero


@memoized
def exact_zeros(trace: Trace, backward: int | None) -> Mapping[int, ZeroReason]:
    """Map leaves to why their gradient is 0 in exact arithmetic."""
    if backward is None:
        return {}
    call, nodes = trace.backwards[backward], trace.nodes
    norms: dict[int, float] = {}
    for step, node in enumerate(call.order):
        leaf = nodes.variable[node]
        value = trace.value(max(call.arrived[step], default=-1)) if leaf >= 0 else None
        if value is not None and value.norm is not None and not value.nonfinite:
            norms[leaf] = value.norm
    most = max(norms.values(), default=0.0)
    small = [leaf for leaf, norm in norms.items() if norm <= _SMALL * most]
    complete = all(nodes.operation[node] >= 0 or nodes.variable[node] >= 0 for node in call.order)
    if not small or not complete or altered_outputs(trace, backward):
        return {}
    readers: dict[int, list[int]] = defaultdict(list)
    reached = {nodes.operation[node] for node in call.order} - {-1}
    for operation in sorted(reached):
        for tensor in dict.fromkeys(trace.operations.inputs[operation]):
            readers[tensor].append(operation)
    roots = frozenset(call.root_tensors)
    zeros = {leaf: _follow(trace, leaf, readers, roots) for leaf in small}
    return {leaf: ends for leaf, ends in zeros.items() if ends is not None}


def _axes_viewed(trace: Trace, operation: int) -> list[list[int]]:
    """Return the operand axes that match each axis of a view."""
    tensors = trace.tensors
    pair = trace.operations.inputs[operation][0], trace.operations.outputs[operation][0]
    if any(tensors.stride[tensor] < 0 for tensor in pair):
        return []
    before, after = (
        [*zip(trace.shapes[tensors.shape[one]], trace.shapes[tensors.stride[one]], strict=False)] for one in pair
    )
    return [[k for k, other in enumerate(before) if other == axis] for axis in after]


def _follow(trace: Trace, leaf: int, readers: Mapping[int, list[int]], roots: frozenset[int]) -> ZeroReason | None:
    """Follow a leaf's change until it vanishes, or return None if some of it may arrive."""
    operations, moved, masked, end = trace.operations, {leaf: frozenset[int]()}, set[int](), None
    waiting = [*readers.get(leaf, ())]
    heapq.heapify(waiting)
    done: set[int] = set()
    while waiting:
        operation = heapq.heappop(waiting)
        if operation in done:
            continue
        done.add(operation)
        inputs, outputs = operations.inputs[operation], operations.outputs[operation]
        if not outputs or set(inputs) & set(outputs):
            return None  # written in place
        shape, name = run_of(trace).shape(outputs[0]), trace.strings[operations.name[operation]]
        spec = operation_of(name)
        step = PassedCall(
            name,
            trace.arguments(operation),
            tuple(run_of(trace).shape(tensor) for tensor in inputs),
            shape,
            {
                at: moved[tensor] | {axis for axis, size in enumerate(run_of(trace).shape(tensor)) if size == 1}
                for at, tensor in enumerate(inputs)
                if tensor in moved
            },
            any(tensor in masked for tensor in inputs),
            spec.names.get(name, False),
            _axes_viewed(trace, operation) if spec.alike is axes_moved else [],
        )
        result = None if spec.alike is None else spec.alike(step)
        if result is None:
            return None
        if isinstance(result, str):
            end = ZeroReason(result, name)
            continue
        if roots.intersection(outputs):
            return None
        for tensor in outputs:
            moved[tensor] = result
            if step.masked or spec.writes:
                masked.add(tensor)
            for reader in readers.get(tensor, ()):
                heapq.heappush(waiting, reader)
    return end
