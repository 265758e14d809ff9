"""The differences between two runs, in the order of execution."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from explorer.analysis.explain.autograd.gradients import called_backwards
from explorer.analysis.explain.autograd.nonfinite_starts import UNFILLED, relevant_rows, rows_read
from explorer.analysis.explain.autograd.zero_gradients import exact_zeros
from explorer.analysis.run.model import one_line, run_of
from explorer.analysis.run.names import name_of, result_of
from explorer.analysis.views.comparison.gaps import EXACT, ValueGap, gap
from explorer.analysis.views.comparison.matching import (
    ChangedAssignment,
    Match,
    bound_pairs,
    changed_assignment,
    paired,
)
from explorer.text.numbers import shorten
from explorer.trace import Number, Trace

CODE = 60  # widest text of an operation
MOST = 1_000  # differences kept, and backward calls compared


@dataclass(frozen=True)
class Difference:
    """A difference between two runs.

    Attributes:
        kind: given (a tensor without an operation, such as an initial weight), value (an operation's result) or
            gradient (of a result or leaf).
        name: name of the tensor in the first run, or "".
        code, line, module: text, line and module of the operation in the first run.
        other_code: text of the operation in the second run.
        other_name: name of the result in the second run, if different.
        origin: assignment of a Python value that explains the difference, or None.
        operations: ids in both runs, -1 for a leaf.
        backward: number of a gradient's backward, from 1, or None.
        other_backward: its number in the second run.
        arrived: the only run (0 or 1) with this gradient, or None.
        single: that gradient, if it is a single number.
        tensors: ids of the leaf or given tensor in both runs, or -1.
        gap: distance, None for a gradient in only one run.
        operation: torch's name of the operation, "" for a leaf.
        alone: for a value, whether both operations read equal tensors, so that the operation itself differs. For
            a gradient, whether it is the first of its backward.
        reads: for a value, whether its operation read tensors.
    """

    kind: Literal["given", "value", "gradient"]
    name: str
    code: str
    line: int
    module: str
    operations: Match
    backward: int | None
    gap: ValueGap | None
    alone: bool = True
    other_backward: int | None = None
    arrived: Literal[0, 1] | None = None
    tensors: Match = (-1, -1)
    operation: str = ""
    other_code: str = ""
    other_name: str | None = None
    origin: ChangedAssignment | None = None
    single: Number | None = None
    reads: bool = True


class Sides:
    """Two Traces and the pairs of their operations."""

    def __init__(self, left: Trace, right: Trace, rtol: float | None, atol: float | None) -> None:
        self.traces = left, right
        self.rtol, self.atol = rtol, atol
        self.pairs = paired(left, right)
        self.named = bound_pairs(left, right, self.pairs)
        self.agree: dict[int, int] = {}  # row of the second run's version → agreeing row of the first
        self.arrived = 0
        self.sampled = False

    def gap(self, left: int, right: int) -> ValueGap | None:
        """Return the difference between two values by id."""
        if min(left, right) >= 0:
            self.sampled |= self.traces[0].values.summary[left] >= 0 or self.traces[1].values.summary[right] >= 0
        return gap(self.traces, (left, right), self.rtol, self.atol)

    def given(self) -> Iterator[Difference]:
        """Yield differences of same-named tensors that existed before any recorded write."""
        left, right = (_given_versions(trace) for trace in self.traces)
        for name, row in left.items():
            if name not in right:
                continue
            apart = self._of_rows(row, right[name])
            if apart is not None:
                tensors = self.traces[0].index.tensor_of(row), self.traces[1].index.tensor_of(right[name])
                yield Difference("given", name, "", 0, "", (-1, -1), None, apart, tensors=tensors)

    def values(self) -> Iterator[Difference]:
        """Yield differences between results of paired operations, or of same-named results."""
        for pair in sorted((*self.pairs, *self.named)):
            first = None
            for mine, other in self._made_alike(pair):
                apart = self._of_rows(mine, other)
                if apart is not None:
                    first = first or (apart, mine)
            if first is not None:
                yield self._at(pair, *first)

    def _made_alike(self, pair: Match) -> list[Match]:
        """Pair the versions that two operations made, in order or by name."""
        left, right = (_made(trace, operation) for trace, operation in zip(self.traces, pair, strict=True))
        if len(left) == len(right):
            return list(zip(left, right, strict=True))
        mine, other = (
            {name_of(run_of(trace), trace.index.tensor_of(row)): row for row in rows}
            for trace, rows in zip(self.traces, (left, right), strict=True)
        )
        return [(row, other[name]) for name, row in mine.items() if name and name in other]

    def _of_rows(self, mine: int, other: int) -> ValueGap | None:
        """Return the difference between two tensor states, caching agreement."""
        values = [trace.versions.value[row] for trace, row in zip(self.traces, (mine, other), strict=True)]
        apart = self.gap(values[0], values[1])
        if apart is None and min(values) >= 0:
            self.agree[mine] = other
        return apart

    def _alone(self, pair: Match) -> bool:
        """Return whether two operations read equal tensors with agreeing gradients."""
        left, right = (rows_read(trace, operation) for trace, operation in zip(self.traces, pair, strict=True))
        if {self.agree.get(row, -1) for row in left} != set(right):
            return False
        if any(self._rounded(row, self.agree[row]) for row in left):
            return False
        mine, other = (_gradients_read(trace, operation) for trace, operation in zip(self.traces, pair, strict=True))
        return mine.keys() == other.keys() and all(self.gap(mine[name], other[name]) is None for name in mine)

    def _rounded(self, mine: int, other: int) -> bool:
        """Return whether agreeing states of one dtype differ in bits."""
        left, right = (trace.versions.value[row] for trace, row in zip(self.traces, (mine, other), strict=True))
        apart = gap(self.traces, (left, right), *EXACT)
        return apart is not None and apart.dtypes[0] == apart.dtypes[1]

    def _at(self, pair: Match, apart: ValueGap, row: int) -> Difference:
        """Return the difference between a pair of operations' results."""
        trace = self.traces[0]
        name = name_of(run_of(trace), trace.index.tensor_of(row))
        place, other_code = _place(trace, pair[0]), _place(self.traces[1], pair[1])[0]
        called, other_name = (result_of(run_of(run), at) for run, at in zip(self.traces, pair, strict=True))
        alone = self._alone(pair)
        origin = changed_assignment(self.traces, pair) if alone and place[0] == other_code else None
        return Difference(
            *("value", name, *place, pair, None, apart, alone),
            operation=_name(trace, pair[0]),
            other_code=other_code,
            other_name=other_name if name and name == called != other_name else None,
            origin=origin,
            reads=bool(rows_read(trace, pair[0])),
        )

    def gradients(self) -> Iterator[Difference]:
        """Yield gradient differences of backward calls that both runs made, paired in order."""
        nodes = self._nodes()
        calls = [called_backwards(trace) for trace in self.traces]
        for mine, other in list(zip(*calls, strict=False))[:MOST]:
            yield from self._of_call((mine, other), nodes)

    def _of_call(self, numbers: Match, nodes: dict[int, int]) -> Iterator[Difference]:
        mine, other = (run.backwards[number] for run, number in zip(self.traces, numbers, strict=True))
        arrived = {node: other.arrived[step] for step, node in enumerate(other.order)}
        trace, wrong = self.traces[0], False
        noise = [exact_zeros(run, number) for run, number in zip(self.traces, numbers, strict=True)]
        noise = [] if (self.rtol, self.atol) == EXACT else noise
        for step, node in enumerate(mine.order):
            if node not in nodes:
                continue
            leaves = [run.nodes.variable[at] for run, at in zip(self.traces, (node, nodes[node]), strict=True)]
            if noise and all(leaf in zeros for leaf, zeros in zip(leaves, noise, strict=True)):
                continue  # exactly 0 in theory; both runs have only rounding
            left, right = mine.arrived[step], arrived.get(nodes[node], [])
            for at in range(max(len(left), len(right))):
                pair = [contributions[at] if at < len(contributions) else -1 for contributions in (left, right)]
                self.arrived += max(pair) >= 0
                lost = (pair[0] < 0) != (pair[1] < 0)
                apart = self.gap(pair[0], pair[1])
                if not lost and apart is None:
                    continue
                operations = trace.nodes.operation[node], self.traces[1].nodes.operation[nodes[node]]
                operation, leaf = operations[0], leaves[0]
                name = name_of(run_of(trace), leaf) if leaf >= 0 else result_of(run_of(trace), operation)
                place = *_place(trace, operation), operations, numbers[0] + 1
                yield Difference(
                    *("gradient", name, *place, apart),
                    alone=not wrong,
                    other_backward=numbers[1] + 1,
                    arrived=(0 if pair[0] >= 0 else 1) if lost else None,
                    single=self._single(pair) if lost else None,
                    tensors=(leaf, leaves[1]),
                    operation=_name(trace, operation),
                )
                wrong = True

    def _single(self, pair: list[int]) -> Number | None:
        """Return a single-entry gradient that only one run has, as a number."""
        side = 0 if pair[0] >= 0 else 1
        value = self.traces[side].value(pair[side])
        return value.data[0] if value is not None and value.data is not None and len(value.data) == 1 else None

    def _nodes(self) -> dict[int, int]:
        """Map nodes of the first run to the second's, by operation or leaf name.

        Results that one run computes twice are omitted, because their gradients are split.
        """
        left, right = self.traces
        nodes: dict[int, int] = {}
        repeated = [_repeated(trace, lone) for trace, lone in zip(self.traces, self.unpaired(), strict=True)]
        for mine, other in self.pairs:
            if mine in repeated[0] or other in repeated[1]:
                continue
            nodes.update(zip(_results(left, mine), _results(right, other), strict=False))
        leaves = [_leaves(trace) for trace in self.traces]
        nodes.update((node, leaves[1][name]) for name, node in leaves[0].items() if name in leaves[1])
        return nodes

    def unpaired(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the operations without a partner, for each run."""
        paired = [{pair[at] for pair in self.pairs} for at in range(2)]
        left, right = (
            tuple(i for i in range(len(trace.operations)) if i not in paired_there)
            for trace, paired_there in zip(self.traces, paired, strict=True)
        )
        return left, right

    def only(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the texts of the first of them."""
        left, right = (
            tuple(_called(trace, i) for i in alone[:MOST])
            for trace, alone in zip(self.traces, self.unpaired(), strict=True)
        )
        return left, right


def _given_versions(trace: Trace) -> dict[str, int]:
    """Map names to the first version of tensors without a recorded creation."""
    first: dict[str, int] = {}
    rows = relevant_rows(trace)
    for binding in trace.bindings:
        row = trace.versions_of(binding.tensor)[0]
        if trace.versions.operation[row] < 0 and row in rows:
            first.setdefault(binding.name, row)
    return first


def _made(trace: Trace, operation: int) -> list[int]:
    """Return the versions that an operation made or wrote, in result order."""
    operations, times = trace.operations, trace.versions.operation
    if trace.strings[operations.name[operation]] in UNFILLED:
        return []
    tensors = dict.fromkeys((*operations.outputs[operation], *operations.inputs[operation]))
    rows = (trace.index.written(tensor, operation) for tensor in tensors)
    return [row for row in rows if row is not None and times[row] == operation]


def _gradients_read(trace: Trace, operation: int) -> dict[str, int]:
    """Map names to the `.grad` values that an operation or optimizer step reads."""
    if _name(trace, operation) != "grad" and not _name(trace, operation).endswith(".step"):
        return {}
    run, updated = run_of(trace), set(trace.operations.inputs[operation])
    earlier = (call for call in trace.backwards if call.operations <= operation)
    pairs = (pair for call in earlier for pair in zip(call.accumulated, call.after, strict=True))
    return {name_of(run, leaf): value for leaf, value in pairs if leaf in updated}


def _leaves(trace: Trace) -> dict[str, int]:
    """Map names to leaves' AccumulateGrad nodes, the last if there are several."""
    run = run_of(trace)
    named = ((name_of(run, leaf), node) for node, leaf in enumerate(trace.nodes.variable) if leaf >= 0)
    return {name: node for name, node in named if name}


def _results(trace: Trace, operation: int) -> list[int]:
    """Return the nodes of an operation's results. Internal nodes have unnamed tensors."""
    seen = {node for at in _made(trace, operation) if (node := trace.versions.node[at]) >= 0}
    return [node for node in trace.index.made.get(operation, ()) if node in seen]


def _repeated(trace: Trace, unpaired: tuple[int, ...]) -> frozenset[int]:
    """Return the operations that an unpaired one repeats: equal name, module, arguments and inputs."""
    if not unpaired:
        return frozenset()

    def key(operation: int) -> tuple:
        columns = (trace.operations.name, trace.operations.module, trace.operations.arguments)
        return *(column[operation] for column in columns), *rows_read(trace, operation)

    lone = {key(operation) for operation in unpaired}
    return frozenset(operation for operation in range(len(trace.operations)) if key(operation) in lone)


def _name(trace: Trace, operation: int) -> str:
    """Return an operation's torch name, "" for -1."""
    return trace.strings[trace.operations.name[operation]] if operation >= 0 else ""


def _called(trace: Trace, operation: int) -> str:
    """Label an operation by its text, or by name and path inside a module."""
    code, _, module = _place(trace, operation)
    return f"{_name(trace, operation)} ({module})" if module else code


def _place(trace: Trace, operation: int) -> tuple[str, int, str]:
    """Return an operation's text (or name), line and module."""
    if operation < 0:
        return "", 0, ""
    span = trace.operations.span[operation]
    code = shorten(one_line(trace.text(span)), CODE) if span >= 0 else ""
    name = trace.string(trace.operations.name[operation]) or ""
    return code or name, trace.line(span), trace.string(trace.operations.module[operation]) or ""


def bounded(differences: Iterator[Difference]) -> list[Difference]:
    """Return the first items, within a limit."""
    return list(islice(differences, MOST))
