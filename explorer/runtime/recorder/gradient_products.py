"""Compute the products whose sums are gradients.

A node's result is linear in the arriving gradient. The derivative of a passed entry with respect to the arriving
gradient is therefore the factor of each of its entries, for every operation that torch can differentiate twice. Nodes
inside a call are traversed: the multiplied gradient is that of a result of the call.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any

import torch

from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.rows import (
    NODE_EDGE_INPUTS,
    NODE_EDGES,
    NODE_NAME,
    NODE_OPERATION,
    STATE_NODE,
    BackwardRow,
)
from explorer.runtime.recorder.table import as_tuple
from explorer.trace import LISTED

_MOST = 64  # most steps computed per request; an answer shows fewer
_INNER = 3_000  # most nodes within one call crossed for one gradient
# Relative tolerance of the sum of the products, and for half precision.
_CLOSE, _COARSE = 1e-3, 5e-2

_engine = torch.autograd.Variable._execution_engine
_HALF = (torch.bfloat16, torch.float16)
Place = tuple[int, int, int]  # node, output, entry
Factors = list[torch.Tensor | None]  # per output of a node
Product = tuple[int, int, int, float, float]  # node, output and entry of a gradient. The gradient. Its factor
Products = tuple[list[Product], int, float]  # largest products, number of others, their sum


class GradientProducts:
    """An ended backward: entries of its gradients, and the products behind them.

    Attributes: passed: by node, edge and passed entry its products, the number of others, and their sum.

    Args: nodes: the backward's nodes by id. gradients: the arriving gradients of each. left: results of Python
    backwards, which are not called again. keep: called with a value, a gradient and an entry of it.
    """

    def __init__(
        self,
        recorder: Any,
        row: BackwardRow,
        nodes: dict[int, Any],
        gradients: dict[int, Factors],
        left: dict[int, Factors],
        keep: Callable[[int, torch.Tensor, int], None],
    ) -> None:
        self.passed: dict[tuple[int, int, int], Products] = {}
        self._row, self._nodes, self._gradients, self._left, self._keep = row, nodes, gradients, left, keep
        self._rows = recorder.rows.nodes
        self._ran = {node: step for step, node in enumerate(row.order) if node not in row.captured}
        self._arrived = {node: as_tuple(ids) for node, ids in zip(row.order, row.arrived, strict=True)}
        self._contributed = {(node, edge): value for node, edge, value in row.contributions}
        self._results = set(recorder.rows.tensors.states.column(STATE_NODE))
        self._readers: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        self._sent: dict[int, tuple[list, Any]] = {}
        for node in self._ran:
            targets = self._rows.field(node, NODE_EDGES), self._rows.field(node, NODE_EDGE_INPUTS)
            for edge, target in enumerate(zip(*map(as_tuple, targets), strict=True)):
                self._readers[target].append((node, edge))

    def explore(self, asked: Iterable[tuple[Place, int]]) -> None:
        """Follow the requested entries and their largest parts, level by level."""
        waiting = deque(asked)
        seen = set(waiting)
        for _ in range(_MOST):
            if not waiting:
                break
            (node, output, place), edge = waiting.popleft()
            parts = self._gradients_of(node, edge, place) if edge >= 0 else self._parts(node, output, place)
            below = [part for part in parts if part not in seen]
            seen.update(below)
            waiting += below

    def _parts(self, node: int, output: int, place: int) -> list[tuple[Place, int]]:
        """Store an entry of a gradient with its readers' contributions."""
        gradient = self._gradient(node, output)
        if gradient is None or place >= gradient.numel():
            return []
        self._keep(self._arrived[node][output], gradient, place)
        for root, seed in zip(self._row.roots, self._row.seeds, strict=False):
            if root == node:
                self._keep(seed, gradient, place)
        sizes = []
        for reader, edge in self._readers[node, output]:
            sent = self._passed_on(reader, edge, gradient)
            if sent is None:
                continue
            self._keep(self._contributed.get((reader, edge), 0), sent, place)
            sizes.append((-abs(_entry(sent, place)), reader, edge))
        parts = [(reader, edge) for size, reader, edge in sorted(sizes) if size][:LISTED]
        places: list[tuple[Place, int]] = []
        for reader, edge in parts:
            products = self._gradients_of(reader, edge, place)
            merges = len(parts) == 1 or len(products) == 1  # no separate step between
            places += products if merges else [((reader, 0, place), edge)]
        return places

    def _gradients_of(self, node: int, edge: int, place: int) -> list[tuple[Place, int]]:
        """Store the products of a passed entry. Return the multiplied gradients."""
        key = node, edge, place
        if key not in self.passed:
            try:
                made = self._products(node, edge, place)
            except (RuntimeError, NotImplementedError, TypeError, ValueError) as problem:  # no second derivative
                reraise_recorder_error(problem)
                made = None
            if made is None:
                return []
            self.passed[key] = made
        products = self.passed[key][0]
        return [
            ((above, output, index), -1) for above, output, index, gradient, factor in products if gradient * factor
        ]

    def _products(self, node: int, edge: int, place: int) -> Products | None:
        target = (
            as_tuple(self._rows.field(node, NODE_EDGES))[edge],
            as_tuple(self._rows.field(node, NODE_EDGE_INPUTS))[edge],
        )
        gradient = self._gradient(*target)
        if gradient is None or self._is_own(node):
            return None
        sent = self._passed_on(node, edge, gradient)
        if sent is None:
            return None
        unit = torch.zeros(sent.numel(), dtype=sent.dtype)
        unit[place] = 1
        own = self._factors(node, edge, unit.view(sent.shape))
        for ends in (self._to_results(node, own), [(node, own)]):
            products = self._told([(above, output, each) for above, given in ends for output, each in enumerate(given)])
            amount = _entry(sent, place)
            if products is not None and _agrees(products, amount, self._close(sent, ends)):
                return products
        return None

    def _close(self, sent: torch.Tensor, ends: list[tuple[int, Factors]]) -> float:
        """Return the tolerance of the coarsest dtype on the way."""
        held = [each for node, given in ends for each in (*given, *self._gradients.get(node, ())) if each is not None]
        return _COARSE if any(each.dtype in _HALF for each in (sent, *held)) else _CLOSE

    def _to_results(self, node: int, own: Factors) -> list[tuple[int, Factors]]:
        """Return the factors for the gradients of the call's results."""
        waiting, ends = {node: own}, []
        for _ in range(_INNER):
            if not waiting:
                break
            at = max(waiting, key=self._ran.__getitem__)
            given = waiting.pop(at)
            if not self._is_inner(at, given):
                ends.append((at, given))
                continue
            for output, factors in enumerate(given):
                for reader, edge in self._readers[at, output] if factors is not None else ():
                    before = waiting.setdefault(reader, [])
                    waiting[reader] = _added(before, self._factors(reader, edge, factors))
        return [*ends, *waiting.items()]

    def _is_inner(self, node: int, given: Factors) -> bool:
        """Return whether a node made only intermediate results of its call."""
        operation = self._rows.field(node, NODE_OPERATION)
        if not operation or node in self._results or node in self._row.roots:
            return False
        readers = [reader for output, each in enumerate(given) if each is not None
                   for reader, _ in self._readers[node, output]]  # fmt: skip
        return bool(readers) and all(
            self._rows.field(reader, NODE_OPERATION) == operation and not self._is_own(reader) for reader in readers
        )

    def _told(self, ends: list[tuple[int, int, torch.Tensor | None]]) -> Products | None:
        """Return the largest products, how many others there are, and their sum."""
        factored: list[tuple[int, int, torch.Tensor, torch.Tensor]] = []
        terms = []
        for node, output, factors in ends:
            gradient = self._gradient(node, output)
            if factors is None or gradient is None:
                continue
            number, g, f = len(factored), gradient.reshape(-1), factors.detach().reshape(-1)
            factored.append((node, output, g, f))
            there = torch.nonzero(f).reshape(-1)
            terms.append((there[torch.nonzero(g[there].double() * f[there].double()).reshape(-1)], number))
        places = torch.cat([at for at, _ in terms]) if terms else torch.zeros(0, dtype=torch.long)
        if not factored:
            return None
        if not len(places):  # if all are 0, show the product with the largest factor
            node, output, g, f = factored[0]
            at = int((f if f.any() else g).abs().argmax())
            return [(node, output, at, float(g[at]), float(f[at]))], 0, 0.0
        owners = torch.cat([torch.full_like(at, number) for at, number in terms])
        amounts = torch.cat(
            [factored[number][2][at].double() * factored[number][3][at].double() for at, number in terms]
        )
        order = torch.nan_to_num(amounts.abs(), nan=torch.inf).argsort(descending=True, stable=True)
        products = []
        for term in order[:LISTED].tolist():
            node, output, g, f = factored[int(owners[term])]
            at = int(places[term])
            products.append((node, output, at, float(g[at]), float(f[at])))
        others = amounts[order[LISTED:]]
        return products, len(others), float(others.sum())

    # ---- torch ------------------------------------------------------------------------------------------------------

    def _evaluated(self, node: int) -> tuple[list, Any]:
        """Return a node's arriving gradients, and its result as a separate graph."""
        if node not in self._sent:
            given = [None if g is None else g.detach().requires_grad_() for g in self._gradients[node]]
            own = _BY_FORMULA.get(self._rows.field(node, NODE_NAME))
            try:
                made = self._nodes[node](*given) if own is None else own(self._nodes[node], given)
            except Exception as problem:  # for example, a saved tensor was overwritten in the meantime
                reraise_recorder_error(problem)
                made = ()
            self._sent[node] = given, made if isinstance(made, tuple) else (made,)
        return self._sent[node]

    def _passed_on(self, node: int, edge: int, like: torch.Tensor) -> torch.Tensor | None:
        """Return a node's result over an edge, in the receiver's shape."""
        if node not in self._nodes or node not in self._gradients:
            return None
        made = self._left.get(node, ()) if self._is_own(node) else self._evaluated(node)[1]
        sent = made[edge] if edge < len(made) else None
        if sent is None or sent.layout is not torch.strided or sent.is_complex():
            return None
        return sent if sent.shape == like.shape else sent.sum_to_size(like.shape)

    def _factors(self, node: int, edge: int, of: torch.Tensor) -> Factors:
        """Return each arriving entry's factor for a weighting of the result."""
        sent, given = self._passed_on(node, edge, of), self._evaluated(node)[0]
        there = [g for g in given if g is not None]
        if sent is None or not sent.requires_grad or not there:
            return [None] * len(given)
        if self._rows.field(node, NODE_NAME) == _CONVOLUTION and edge == 0:
            return [_convolved(self._nodes[node], of, there[0])]
        # Calls the engine directly, because torch.autograd.grad is recorded.
        factors = iter(_engine.run_backward((sent,), (of,), True, False, tuple(there), True, False))
        return [None if g is None else next(factors) for g in given]

    def _is_own(self, node: int) -> bool:
        """Return whether calling a node would run code of the program."""
        return node in self._rows.user_code and self._rows.field(node, NODE_NAME) not in _BY_FORMULA

    def _gradient(self, node: int, output: int) -> torch.Tensor | None:
        held = self._gradients.get(node, ())
        gradient = held[output] if output < len(held) else None
        return None if gradient is None else gradient.detach()


def _convolved(node: Any, of: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
    """Return a convolution's factors: the weighting convolved in its samples."""
    samples = torch.nonzero(of.flatten(1).any(1)).reshape(-1)
    sizes = node._saved_stride, node._saved_padding, node._saved_dilation, node._saved_transposed
    with torch.no_grad():
        made = torch.zeros_like(gradient)
        made[samples] = torch.ops.aten.convolution(
            of[samples], node._saved_weight, None, *sizes, node._saved_output_padding, node._saved_groups
        )
    return made


def _attended(node: Any, given: list) -> tuple:
    """Return fused attention's result by its formula.

    The fused backward has no derivative.
    """
    read = [getattr(node, f"_saved_{name}").detach().requires_grad_() for name in ("query", "key", "value")]
    mask, causal, scale = node._saved_attn_mask, node._saved_is_causal, node._saved_scale
    made, _ = torch.ops.aten._scaled_dot_product_attention_math(*read, mask, 0.0, causal, scale=scale)
    return _engine.run_backward((made,), (given[0],), True, True, tuple(read), False, False)


_CONVOLUTION = "ConvolutionBackward0"
# Nodes that are not called: a fused node, and torch's own Function around a module with a hook, which passes gradients
# unchanged.
_BY_FORMULA = {
    "ScaledDotProductFlashAttentionForCpuBackward0": _attended,
    "BackwardHookFunctionBackward": lambda _node, given: tuple(given),
}


def _entry(tensor: torch.Tensor, place: int) -> float:
    return float(tensor.detach().reshape(-1)[place])


def _added(before: Factors, more: Factors) -> Factors:
    """Add factors of the same outputs if both are known."""
    pairs = zip(before or [None] * len(more), more, strict=True)
    return [b if m is None else m if b is None else b + m for b, m in pairs]


def _agrees(products: Products, amount: float, close: float) -> bool:
    """Return whether products add up to a passed entry, up to rounding."""
    total = sum(g * f for *_, g, f in products[0]) + products[2]
    if total == amount or total != total:
        return total == amount or amount != amount
    sizes = sum(abs(g * f) for *_, g, f in products[0]) + abs(products[2])
    return abs(total - amount) <= 1e-12 + close * max(sizes, abs(amount))
