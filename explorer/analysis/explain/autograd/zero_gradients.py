"""Explain why a gradient is 0.

A norm subtracts the mean, and softmax ignores a constant added to all entries. So a bias before a batch norm, or of an
attention's keys, has no effect, although rounding leaves a tiny gradient. A change of the leaf is followed through the
operations by the axes along which it is constant, until an operation ignores it. An operation without a rule, or
another path, leaves it unexplained.
"""

import heapq
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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
from explorer.analysis.run.objects import Call, Node, Tensor
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
    order, variable, passing = trace.backwards[backward].order, trace.nodes.variable, _passing(trace, backward)
    waiting = [node for node in order if variable[node] >= 0]
    ways: dict[int, list[tuple[ZeroReason | None, int]]] = {}
    while waiting:
        if (node := waiting.pop()) not in ways:
            places = _followed(passing, node)
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


def _followed(passing: EdgeGradients, node: int) -> Iterator[tuple["ZeroPlace | None", int]]:
    """Yield where each zero arose, or the node it came through."""
    is_zero = passing.run.is_zero
    for output, value in enumerate(passing.gradients[node]):
        if not is_zero(value):
            continue
        senders = passing.into.get((node, output), ())
        if not senders or any(not is_zero(sent) for _, _, sent in senders):
            yield ZeroPlace(passing, node, value, output, parts=tuple(sent for _, _, sent in senders)), -1
            continue
        for above, edge, sent in senders:
            zeros = [is_zero(arrived) for arrived in passing.gradients[above] if arrived >= 0]
            yield (None, above) if all(zeros) else (ZeroPlace(passing, above, sent, edge=edge), -1)


class ZeroPlace:
    """A place where a gradient became 0: the sum of `parts` at an output, or what passed over an edge."""

    def __init__(self, passing: EdgeGradients, node: int, value: int, output=-1, edge=-1, parts=()) -> None:
        self.passing, self.run, self.node = passing, passing.run, passing.run.node(node)
        self.output, self.edge, self.parts, self.call = output, edge, parts, self.node.call
        zeros = passing.trace.value(value)
        self.shape, self.dtype = zeros.shape, zeros.dtype
        self.arrived = passing.gradients[node]

    def reason(self, kind: ZeroKind, evidence: dict) -> ZeroReason:
        """Return a reason with the operation's text and place."""
        call, leaf = self.call, self.node.leaf
        code = shorten(one_line(call.text), _CODE) if call is not None else name_of(self.run, leaf.id) if leaf else ""
        module = call.module if call is not None else ""
        return ZeroReason(kind, code, self.node.line, self.dtype, module, self.node.id)._replace(**evidence)

    def hook(self) -> dict | None:
        """Return the hook that zeroed the gradient, and the arriving values."""
        passing, code, parts = self.passing, "", self.parts
        if self.output >= 0:
            if (self.node.id, self.output) not in altered_outputs(passing.trace, passing.backward):
                return None
            code = hook_of(passing.trace, self.node.id, passing.call)
        elif self.node.name.startswith(_MODULE_HOOK):
            parts = self.arrived
        else:
            return None
        return {"code": code, "line": 0, "module": "", "came": self.nonzero(parts)}

    def nonzero(self, parts: Sequence[int]) -> tuple[int, ...]:
        return tuple(part for part in parts if part >= 0 and not self.run.is_zero(part))

    def is_step(self) -> bool:
        """Return whether the result is a step function of the operand."""
        return self.call is not None and self.edge in steps_by(self.call.name, self.call.arguments)

    def is_drawn(self) -> bool:
        """Return whether the result was drawn at random."""
        return self.call is not None and operation_of(self.call.name).draws == "result"

    def got_nothing(self) -> bool:
        """Return whether the arriving gradients are empty, as for a batch without rows."""
        arrived = [self.run.trace.value(value) for value in self.arrived if value >= 0]
        return bool(arrived) and all(value is not None and 0 in value.shape for value in arrived)

    @cached_property
    def terms(self) -> np.ndarray | None:
        """Terms that torch adds up, or known not to cancel, None if unknown."""
        return products_of(self.run.trace, self.node.id, self.edge, self.arrived)

    @cached_property
    def exact(self) -> np.ndarray | None:
        """The gradient before rounding, None if unknown."""
        if self.terms is not None:
            return self.terms.sum(0)
        rules, (_, _, arrays, _) = self.passing.known(self.node.id)  # torch was not asked, so use a formula if known
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


def _zero_by_ranges(passing: EdgeGradients, node: Node, edge: int) -> dict | None:
    """Return why a node's operands make any gradient 0, or None.

    The result has the word for a tensor of zeros and whether that is a single number, or nothing for a slope of 0. The
    rule is computed with random numbers of the same ranges, on axes of at most two entries, so size does not matter.
    """
    rules, (operands, _, arrays, gradient) = passing.known(node.id)
    formula = rules[edge]
    if node.name == "CopySlices" and edge == 0:
        formula, operands = _of_write(node.call, gradient)
    elif (other := _BILINEAR.get(node.name, {}).get(edge)) is not None:
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


def _of_write(call: Call | None, gradient: Value | None) -> tuple[Formula, dict[str, FormulaOperand]]:
    """Return rule and result of an entrywise write into a full view."""
    entrywise = call is not None and operation_of(call.name).entrywise and len(call.outputs) == 1
    made = call.run.trace.value(call.outputs[0].value(call.id + 1)) if call is not None and entrywise else None
    if call is None or made is None or gradient is None or math.prod(made.shape) != math.prod(gradient.shape):
        return Formula("", "own"), {}
    return formulas(f"{camel_case(operation_of(call.name).name)}Backward0", 1)[0], {"result": FormulaOperand("", made)}


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
    run, reached = run_of(trace), {nodes.operation[node] for node in call.order}
    roots = frozenset(call.root_tensors)
    zeros = {leaf: _follow(run.tensor(leaf), reached, roots) for leaf in small}
    return {leaf: ends for leaf, ends in zeros.items() if ends is not None}


def _axes_viewed(call: Call) -> list[list[int]]:
    """Return the operand axes that match each axis of a view."""
    trace, pair = call.run.trace, (call.inputs[0], call.outputs[0])
    strides = [trace.tensors.stride[one.id] for one in pair]
    if min(strides) < 0:
        return []
    before, after = ([*zip(one.shape, trace.shapes[at], strict=False)] for one, at in zip(pair, strides, strict=True))
    return [[k for k, other in enumerate(before) if other == axis] for axis in after]


def _follow(leaf: Tensor, reached: Collection[int], roots: Collection[int]) -> ZeroReason | None:
    """Follow a leaf's change until it vanishes, or return None if some of it may arrive.

    Args: reached: operations whose nodes the backward ran.
    """
    run, moved, masked, end = leaf.run, {leaf: frozenset[int]()}, set[Tensor](), None
    waiting = [*run.users.get(leaf.id, ())]
    done: set[int] = set()
    while waiting:
        operation = heapq.heappop(waiting)
        if operation in done or operation not in reached:
            continue
        done.add(operation)
        call = run.call(operation)
        if not call.outputs or not set(call.inputs).isdisjoint(call.outputs):
            return None  # written in place
        spec = operation_of(call.name)
        step = PassedCall(
            call.name,
            call.arguments,
            tuple(one.shape for one in call.inputs),
            call.outputs[0].shape,
            {
                at: moved[one] | {axis for axis, size in enumerate(one.shape) if size == 1}
                for at, one in enumerate(call.inputs)
                if one in moved
            },
            not masked.isdisjoint(call.inputs),
            spec.names.get(call.name, False),
            _axes_viewed(call) if spec.alike is axes_moved else [],
        )
        result = None if spec.alike is None else spec.alike(step)
        if result is None or (not isinstance(result, str) and any(made.id in roots for made in call.outputs)):
            return None
        if isinstance(result, str):
            end = ZeroReason(result, call.name)
            continue
        for made in call.outputs:
            moved[made] = result
            if step.masked or spec.writes:
                masked.add(made)
            for reader in run.users.get(made.id, ()):
                heapq.heappush(waiting, reader)
    return end
