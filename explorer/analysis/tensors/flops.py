"""Floating-point operations of a run by line and module, forward and backward, from the recorded shapes.

What counts, and how, is as in torch.utils.flop_counter: matrix products, convolutions and fused attention (on a CPU
torch counts that from 2.15 on), a multiplication and an addition each. Element-wise work, reductions and copies do not
count there, nor here. An operation that multiplies matrices and has no formula is named in `uncounted`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import prod
from typing import Any

from explorer.analysis.operations import OPERATIONS, operation_of, operation_of_node
from explorer.analysis.operations.products import attention_flops
from explorer.analysis.run import one_line
from explorer.analysis.tensors.backward_memory import computed_again, hooked_nodes
from explorer.text import say
from explorer.text.numbers import flops_text, shorten
from explorer.trace import Trace

MOST_NAMES = 8
_CODE = 60  # characters of a line's text
_Sides = Sequence[int]

# Families of nodes and functions that multiply matrices and have no formula here, nor in torch's own counter.
_OPAQUE = (
    *("Linalg", "Fft", "MkldnnRnn", "Cudnn", "Miopen", "SparseMm", "Trilinear", "CompiledFunction"),
    "ConvolutionBackwardBackward",
)
_HEAVY_ROOMS = ("torch.linalg.", "torch.fft.", "torch.sparse.", "torch._C._linalg.", "torch._C._fft.", "torch.ops.")
_LIGHT = ("norm", "vector_norm", "matrix_norm", "diagonal", "cross", "fftshift", "ifftshift", "fftfreq", "rfftfreq")
_OPERANDS = ("query", "key", "value")
_CONVOLUTION = OPERATIONS["convolution"]
_ATTENTION = "ScaledDotProduct"  # how nodes of fused attention begin


@dataclass(frozen=True)
class FlopRow:
    """The floating-point operations of a place. Attributes: line: 0 if unknown; code: its text; module: path, or ""."""

    line: int
    code: str
    module: str
    forward: int
    backward: int

    @property
    def total(self) -> int:
        """Both together."""
        return self.forward + self.backward


@dataclass(frozen=True)
class Flops:
    """The floating-point operations of a run.

    Attributes:
        rows: by line and module, the most first.
        uncounted: operations that multiply matrices and have no formula, by name, and how often each ran.
        hooked: how many nodes hand what they save to hooks, as checkpoint() does; what those compute again is left out.
    """

    rows: tuple[FlopRow, ...] = ()
    uncounted: Mapping[str, int] = field(default_factory=dict)
    hooked: int = 0

    @cached_property
    def forward(self) -> int:
        """In the forward pass."""
        return sum(row.forward for row in self.rows)

    @cached_property
    def backward(self) -> int:
        """In backward, what a checkpoint computes again included."""
        return sum(row.backward for row in self.rows)

    @property
    def total(self) -> int:
        """Both together."""
        return self.forward + self.backward

    @cached_property
    def modules(self) -> Mapping[str, tuple[int, int]]:
        """Forward and backward of each module with all within it; "" is the whole run."""
        counts: dict[str, tuple[int, int]] = {}
        for row in self.rows:
            parts = row.module.split(".") if row.module else []
            for depth in range(len(parts) + 1):
                path = ".".join(parts[:depth])
                forward, backward = counts.get(path, (0, 0))
                counts[path] = forward + row.forward, backward + row.backward
        return counts


def flops(trace: Trace) -> Flops:
    """The floating-point operations of a run."""
    return trace.index.memoize(("flops",), lambda: _Counting(trace).counted())


class _Counting:
    """Counts one run."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._names = [trace.strings[name] for name in trace.nodes.name]
        self._uncounted: dict[str, int] = {}
        self._counted: dict[tuple[int, int], list[int]] = {}  # by span and module: forward, backward
        self._find_saved = _find_saved(trace, self._names)
        self._again = computed_again(trace)
        self._of: dict[int, list[int]] = {}  # the nodes that count, by operation
        for node, operation in enumerate(trace.nodes.operation):
            if self._counts(node) and trace.nodes.made_by[node] < 0 and node not in self._again:
                self._of.setdefault(operation, []).append(node)

    def counted(self) -> Flops:
        """All of them."""
        for operation, error in enumerate(self._trace.operations.error):
            if error < 0:
                late = self._trace.operations.in_backward[operation] >= 0
                self._add(operation, late, self._operation, operation)
        for number in range(len(self._trace.backwards)):
            for node, needed in self._ran(number):
                operation = self._again.get(node, self._trace.nodes.operation[node])
                self._add(operation, True, self._backward, node, needed)
        for node, operation in self._again.items():
            if self._counts(node):
                self._add(operation, True, self._nodes, [node], self._names[node])
        rows = sorted(self._rows(), key=lambda row: -row.total)
        uncounted = sorted(self._uncounted.items(), key=lambda item: -item[1])
        return Flops(tuple(rows), dict(uncounted), hooked_nodes(self._trace))

    def _add(self, operation: int, backward: bool, counting: Callable[..., int], *args: Any) -> None:
        try:
            count = counting(*args)
        except IndexError:  # shapes with other axes than the formula has
            name = self._trace.string(self._trace.operations.name[operation]) if operation >= 0 else None
            count = self._omit(name or "?")
        if count:
            columns = self._trace.operations
            place = (columns.span[operation], columns.module[operation]) if operation >= 0 else (-1, -1)
            self._counted.setdefault(place, [0, 0])[backward] += count

    def _rows(self) -> Iterator[FlopRow]:
        trace = self._trace
        for (span, module), (forward, backward) in self._counted.items():
            code = shorten(one_line(trace.text(span)), _CODE)
            yield FlopRow(int(trace.line(span)), code, trace.string(module) or "", forward, backward)

    def _omit(self, name: str) -> int:
        self._uncounted[name] = self._uncounted.get(name, 0) + 1
        return 0

    # ---- forward ------------------------------------------------------------------------------------------------

    def _operation(self, operation: int) -> int:
        """The count by the function's formula; without a formula, the sum over its nodes."""
        function = self._trace.string(self._trace.operations.function[operation]) or ""
        name = function.rpartition(".")[2]
        nodes = self._of.get(operation, ())
        count = self._function(operation, name)
        if count is not None and not any(self._is_opaque(node) for node in nodes):
            return count
        if nodes:
            return self._nodes(nodes, name)
        heavy = operation_of(name).heavy or (function.startswith(_HEAVY_ROOMS) and name not in _LIGHT)
        return self._omit(name) if heavy else 0

    def _nodes(self, nodes: Sequence[int], name: str) -> int:
        counts = [None if self._is_opaque(node) else self._product(node) for node in nodes]
        if None in counts:
            self._omit(name)
        return sum(filter(None, counts))

    def _function(self, operation: int, name: str) -> int | None:
        """By what a function was given and returned; None for one without a formula."""
        columns, tensors = self._trace.operations, self._trace.tensors
        given = [self._trace.shapes[tensors.shape[tensor]] for tensor in columns.inputs[operation]]
        made = [self._trace.shapes[tensors.shape[tensor]] for tensor in columns.outputs[operation]]
        counted = operation_of(name).flops
        return counted(given, made[0]) if counted is not None and made and len(given) > 1 else None

    def _counts(self, node: int) -> bool:
        return _has_formula(self._names[node]) or self._is_opaque(node)

    def _is_opaque(self, node: int) -> bool:
        return _is_opaque(self._names[node])

    def _product(self, node: int) -> int | None:
        """What the forward of a product took, from what it saved; None if that was not recorded."""
        name, saved = self._names[node], self._find_saved.get(node, {})
        values = self._trace.nodes.values[node]
        made = self._trace.shapes[self._trace.values.shape[values[0]]] if values and values[0] >= 0 else None
        if name.startswith(_ATTENTION):
            return self._attended(node)[0] or None
        operation = operation_of_node(name)
        if operation is _CONVOLUTION:
            x, weight = saved.get("input"), saved.get("weight")
            return None if x is None or weight is None or made is None else self._convolution(node, x, weight, made)
        operands = [(saved[operand], axis) for operand, axis in operation.summed.items() if operand in saved]
        if len(operands) == 2:
            (left, _), (right, _) = operands
            return 2 * prod(left) * right[-1]
        return 2 * prod(made) * operands[0][0][operands[0][1]] if made is not None and operands else None

    def _attended(self, node: int) -> tuple[int, int]:
        saved = self._find_saved.get(node, {})
        return attention_flops(*[saved[operand] for operand in _OPERANDS]) if saved.keys() >= {*_OPERANDS} else (0, 0)

    def _convolution(self, node: int, x: _Sides, weight: _Sides, made: _Sides) -> int:
        kind = OPERATIONS["conv_transpose2d"] if self._transposed(node) else _CONVOLUTION
        assert kind.flops is not None
        return kind.flops([x, weight], made) or 0

    def _transposed(self, node: int) -> bool:
        operation = self._trace.nodes.operation[node]
        function = self._trace.operations.function[operation] if operation >= 0 else -1
        return "transpose" in (self._trace.string(function) or "")

    # ---- backward -----------------------------------------------------------------------------------------------

    def _ran(self, number: int) -> Iterator[tuple[int, tuple[bool, ...]]]:
        """The nodes of a backward that count, and for which of its inputs each computed a gradient."""
        call, nodes = self._trace.backwards[number], self._trace.nodes
        wanted = set(call.inputs)
        reached = {*call.order, *map(self._node_of, wanted)}
        for node in call.order:
            if self._counts(node):
                edges = nodes.edges[node]
                yield node, tuple(edge >= 0 and (edge in reached or nodes.variable[edge] in wanted) for edge in edges)

    def _node_of(self, tensor: int) -> int:
        return self._trace.versions.node[self._trace.versions_of(tensor)[-1]]

    def _backward(self, node: int, needed: tuple[bool, ...]) -> int:
        """A product for each operand that gets a gradient."""
        name = self._names[node]
        if self._is_opaque(node):
            return self._omit(name)
        if operation_of_node(name) is _CONVOLUTION:
            return self._convolution_backward(node, needed)
        if name.startswith(_ATTENTION):
            return self._attended(node)[1] or self._omit(name)
        operands = needed[-2:]  # before them is what is added, a bias
        forward = self._product(node)
        if forward is None:
            forward = self._only(node)
        return self._omit(name) if forward is None and any(operands) else (forward or 0) * sum(operands)

    def _only(self, node: int) -> int | None:
        """What the operation of a node took, if that is its only product."""
        operation = self._trace.nodes.operation[node]
        if operation < 0 or len(self._of.get(operation, ())) != 1:
            return None
        return self._function(operation, (self._trace.string(self._trace.operations.name[operation]) or ""))

    def _convolution_backward(self, node: int, needed: tuple[bool, ...]) -> int:
        shapes = self._convolved(node)
        if shapes is None:
            return self._omit(self._names[node])
        x, weight, made = shapes
        transposed = self._transposed(node)
        count = self._convolution(node, x, weight, made) if needed[0] else 0
        if needed[1]:  # the kernel's gradient takes all channels, also where groups do not mix them
            outer, inner = (x, made) if transposed else (made, x)
            count += 2 * x[0] * prod(weight[2:]) * prod(outer[2:]) * outer[1] * inner[1]
        return count

    def _convolved(self, node: int) -> tuple[_Sides, _Sides, _Sides] | None:
        """Input, kernel and result of a convolution."""
        operation = self._trace.nodes.operation[node]
        if operation < 0:
            return None
        columns, tensors, shapes = self._trace.operations, self._trace.tensors, self._trace.shapes
        given, made = columns.inputs[operation], columns.outputs[operation]
        if len(given) < 2 or not made:
            return None
        x, weight, result = (shapes[tensors.shape[tensor]] for tensor in (given[0], given[1], made[0]))
        return _with_batch(x, weight), weight, _with_batch(result, weight)


@lru_cache(4096)
def _is_opaque(name: str) -> bool:
    return name.startswith(_OPAQUE) or operation_of_node(name).heavy


@lru_cache(4096)
def _has_formula(name: str) -> bool:
    operation = operation_of_node(name)
    return bool(operation.summed) or operation is _CONVOLUTION or name.startswith(_ATTENTION)


def _with_batch(shape: _Sides, weight: _Sides) -> _Sides:
    return shape if len(shape) == len(weight) else [1, *shape]


def _find_saved(trace: Trace, names: Sequence[str]) -> dict[int, dict[str, _Sides]]:
    """The shapes of the operands that products saved, by node and by torch's name for them."""
    saved = trace.saved
    shapes: dict[int, dict[str, _Sides]] = {}
    for row, node in enumerate(saved.node):
        if _has_formula(names[node]):
            tensor, value = saved.tensor[row], saved.value[row]
            shape = trace.tensors.shape[tensor] if tensor >= 0 else trace.values.shape[value] if value >= 0 else -1
            if shape >= 0:
                shapes.setdefault(node, {})[trace.strings[saved.name[row]]] = trace.shapes[shape]
    return shapes


def flops_total(flops: Flops, lang: str) -> str:
    """The totals in one line; no 0 where everything that ran has no formula."""
    if flops.uncounted and not flops.total:
        return say(lang, "flops-none")
    parts = {"total": flops.total, "forward": flops.forward, "backward": flops.backward}
    return say(lang, "flops-total", **{name: flops_text(count) for name, count in parts.items()})


def flops_left_out(flops: Flops, lang: str) -> list[str]:
    """What ran and is not counted: a sentence each."""
    said = []
    if flops.uncounted:
        names = [f"{name} ×{count}" if count > 1 else name for name, count in flops.uncounted.items()]
        names = names[:MOST_NAMES] + (["…"] if len(names) > MOST_NAMES else [])
        said.append(say(lang, "flops-uncounted", names=", ".join(names)))
    if flops.hooked:
        said.append(say(lang, "flops-hooked", count=flops.hooked))
    return said
