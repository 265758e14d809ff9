"""Entries of gradients that a run is asked to explain: torch itself says which products they are the sums of.

What a node passes on is linear in the gradient that arrives at it. The derivative of one passed entry with respect to
the arriving gradient is therefore the factor of each of its entries, for every operation that torch can differentiate
twice. It is computed when the asked backward has ended, while its graph is alive.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from explorer.runtime.recorder.end_states import name_all
from explorer.runtime.recorder.faults import tolerate
from explorer.runtime.recorder.kept_tensors import GRAD
from explorer.runtime.recorder.memory import plain_tensor
from explorer.runtime.recorder.names import NameBook
from explorer.runtime.recorder.positions import Positions, several
from explorer.runtime.recorder.rows import (
    NODE_EDGE_INPUTS,
    NODE_EDGES,
    NODE_NAME,
    NODE_OPERATION,
    STATE_NODE,
    STATE_OUTPUT,
    BackwardRow,
    Rows,
)
from explorer.runtime.recorder.values import ValueStore, plain
from explorer.trace import FULL, LISTED, WHOLE, WHOLE_BYTES, AskedEntries, EntryAsked, index_at

_MOST = 64  # steps of one request that are worked out; an answer has fewer
_INNER = 3_000  # nodes within one call that are passed for one gradient
_BYTES = 300_000_000  # of gradients that are kept until the backward has ended
_LAST = 7  # backward calls whose named entries are kept while the next one is explained
# Relative distance up to which products add up to what was passed on, and that for half the precision.
_CLOSE, _COARSE = 1e-3, 5e-2

_engine = torch.autograd.Variable._execution_engine
_HALF = (torch.bfloat16, torch.float16)
Place = tuple[int, int, int]  # node, output, entry
Factors = list[torch.Tensor | None]  # of each output of a node


class AskedValues(ValueStore):
    """A store that also keeps an entry of every large value of an asked shape: `.grad` before and after each change.

    Attributes:
        entries: by value the entries, by their places.
        whole: by value all entries, of those that were asked for.

    Args:
        whole: positions of the values that are kept whole.
    """

    def __init__(self, light: bool = False, whole: Iterable[int] = ()) -> None:
        super().__init__(light)
        self.entries: dict[int, dict[int, float]] = {}
        self.whole: dict[int, bytes] = {}
        self._wanted = frozenset(position + 1 for position in whole)
        self._watched: dict[tuple[int, ...], set[int]] = defaultdict(set)

    def watch(self, shape: tuple[int, ...], place: int) -> None:
        """Keep this entry of every value of this shape from now on."""
        self._watched[shape].add(place)

    def add(self, tensor, fresh=False, looks=None) -> int:
        """Copy the entries of a tensor; return an id."""
        index = super().add(tensor, fresh, looks)
        try:
            for place in self._watched.get(tuple(tensor.shape), ()):
                self.keep(index, tensor, place)
            if index in self._wanted and FULL < tensor.numel() <= WHOLE:
                self.whole[index] = plain(plain_tensor(tensor)).numpy().tobytes()
        except Exception as problem:  # nested and opaque tensors have no plain entries
            tolerate(problem)
        return index

    def again(self, index: int) -> int:
        """The same value once more under a new id."""
        again = super().again(index)
        if index in self.entries:
            self.entries[again] = dict(self.entries[index])
        if index in self.whole and again in self._wanted:
            self.whole[again] = self.whole[index]
        return again

    def take_back(self, index: int) -> None:
        """Drop the value that was added last."""
        super().take_back(index)
        self.entries.pop(index, None)  # its id is used again
        self.whole.pop(index, None)

    def keep(self, index: int, tensor: torch.Tensor, place: int) -> None:
        """Keep one entry of a value."""
        if index and FULL < tensor.numel() > place and tensor.layout is torch.strided and not tensor.is_complex():
            held = plain_tensor(tensor).detach()
            entries = self.entries.setdefault(index, {})
            entries[place] = float(held[index_at(place, held.shape)])


class EntryExplorer:
    """Works out the asked gradients of one run, each when its backward has ended.

    Attributes:
        passed: by backward, node, edge and entry the products, the number of further ones and their sum.
    """

    def __init__(self, recorder: Any, values: AskedValues, asked: Iterable[EntryAsked]) -> None:
        self._recorder, self._values = recorder, values
        self._asked: dict[int, list[EntryAsked]] = defaultdict(list)
        for entry in asked:
            self._asked[entry.call].append(entry)
            values.watch(entry.shape, entry.place)
        self.passed: dict[tuple[int, int, int, int], tuple[list[tuple], int, float]] = {}
        self._nodes: dict[int, Any] = {}
        self._gradients: dict[int, list[torch.Tensor | None]] = {}
        self._left: dict[int, tuple[torch.Tensor | None, ...]] = {}
        self._bytes, self._call = 0, 0

    def begins(self, call: int, outputs: Iterable) -> bool:
        """A backward begins; return whether its graph must stay until it has ended."""
        self._release()
        if not self._wants(call) or self._recorder.nodes.unpacks:  # the program's hooks would run once more
            return False
        self._call = call
        stack = [output.grad_fn if isinstance(output, torch.Tensor) else output.node for output in outputs]
        seen = set()
        while stack:
            node = stack.pop()
            if node is None or node in seen:
                continue
            seen.add(node)
            if (index := self._recorder.nodes.find(node)) > 0:
                self._nodes[index] = node
            stack += [below for below, _ in node.next_functions]
        return True

    def arrived(self, node: int, gradients: tuple) -> None:
        """Gradients arrived at a node. They are held, so that torch adds to none of them in place."""
        if self._call and self._recorder.running[-1][0] == self._call and self._bytes < _BYTES:
            own = self._recorder.nodes.user_code  # the program's code may write to them
            held = [None if gradient is None else _held(gradient, own) for gradient in gradients]
            self._bytes += sum(one.numel() * one.element_size() for one in held if one is not None)
            self._gradients[node] = held

    def left(self, node: int, leaving: tuple) -> None:
        """A backward written in Python has passed gradients on: it is not called again to see them."""
        if self._call and self._recorder.running[-1][0] == self._call and node in self._recorder.rows.nodes.user_code:
            self._left[node] = tuple(None if gradient is None else _held(gradient, True) for gradient in leaving)

    def ended(self, call: int, row: BackwardRow) -> None:
        """A backward has ended: work out what was asked of it, and release its graph."""
        if call != self._call:
            return
        try:
            with torch.enable_grad():
                found = _Explored(self._recorder, row, self._nodes, self._gradients, self._left, self._values)
                found.explore(self._places(call, row))
            self.passed.update({(call, *key): products for key, products in found.passed.items()})
        finally:
            self._release()

    def _wants(self, call: int) -> bool:
        """Whether something is asked of a backward that begins."""
        return call in self._asked

    def _places(self, call: int, row: BackwardRow) -> list[tuple[Place, int]]:
        """What is asked of a backward that has ended: a gradient, or or what its node passed on."""
        return [
            ((row.order[entry.step], entry.output, entry.place), entry.edge)
            for entry in self._asked[call]
            if entry.step < len(row.order)
        ]

    def _release(self) -> None:
        self._nodes, self._gradients, self._left = {}, {}, {}
        self._bytes, self._call = 0, 0

    def columns(self, value: Positions, node: Positions, backward: Positions) -> AskedEntries:
        """What was found, by positions in the Trace."""
        made = AskedEntries()
        room = WHOLE_BYTES
        for index, data in self._values.whole.items():
            room -= len(data)
            if (at := value(index)) >= 0 and room >= 0:
                made.whole.append(at)
                made.data.append(data)
        for index, entries in self._values.entries.items():
            if (at := value(index)) >= 0:
                made.value.extend([at] * len(entries))
                made.place.extend(entries)
                made.entry.extend(entries.values())
        for (call, passer, edge, place), (products, left, rest) in self.passed.items():
            if min(backward(call), node(passer), *(node(above) for above, *_ in products)) < 0:
                continue  # dropped since
            made.backward.append(backward(call))
            made.passer.append(node(passer))
            made.edge.append(edge)
            made.at.append(place)
            made.listed.append(len(products))
            made.left.append(left)
            made.rest.append(rest)
            for above, output, index, gradient, factor in products:
                made.node.append(node(above))
                made.output.append(output)
                made.index.append(index)
                made.gradient.append(gradient)
                made.factor.append(factor)
        return made


class NamedEntries(EntryExplorer):
    """Works out entries that `record(full=…)` names, such as "w.grad[0, 1]", in the last backward calls.

    Args:
        names: name and index of each.
        namespaces: returns the program's variables, the most local first.
    """

    def __init__(
        self,
        recorder: Any,
        values: AskedValues,
        names: Sequence[tuple[str, tuple[int, ...]]],
        namespaces: Callable[[], list[dict]],
    ) -> None:
        super().__init__(recorder, values, ())
        self._names, self._namespaces = names, namespaces
        self._found: list[Place] = []

    def _wants(self, call: int) -> bool:
        recorder, scratch = self._recorder, NameBook(Rows(), self._recorder.places)
        name_all(recorder.tensors, scratch, recorder.roots.found, self._namespaces())
        self._found = [
            found
            for binding in [*scratch.rows.bindings, *recorder.rows.bindings]
            for name, index in self._names
            if (binding.name == name or binding.name.endswith(f".{name}"))
            and (found := self._place(binding.tensor, index)) is not None
        ]
        return bool(self._found)

    def _place(self, tensor: int, index: tuple[int, ...]) -> Place | None:
        """Node, output and entry of a gradient, if the tensor has one and it has that entry."""
        rows, living = self._recorder.rows.tensors, self._recorder.rows.tensors.living(tensor)
        if living is None or not living.requires_grad or len(index) != living.dim():
            return None
        if not all(0 <= at < size for at, size in zip(index, living.shape, strict=True)):
            return None
        node, output = self._recorder.nodes.accumulator(tensor), 0
        if not node:
            node, output = rows.last(tensor, STATE_NODE), rows.last(tensor, STATE_OUTPUT)
        place = 0
        for at, size in zip(index, living.shape, strict=True):
            place = place * size + at
        self._values.watch(tuple(living.shape), place)
        return (node, output, place) if node else None

    def _places(self, call: int, row: BackwardRow) -> list[tuple[Place, int]]:
        last = sorted({key[0] for key in self.passed})[-_LAST:]
        self.passed = {key: found for key, found in self.passed.items() if key[0] in last}
        return [(place, -1) for place in dict.fromkeys(self._found)]


def named_entries(patterns: Iterable[str]) -> list[tuple[str, tuple[int, ...]]]:
    """The entries of gradients among the patterns of `record(full=…)`: name and index of each.

    >>> named_entries(["h.*", "fc.weight.grad[3, 5]"])
    [('fc.weight', (3, 5))]
    """
    found = []
    for pattern in patterns:
        name, _, index = pattern.removesuffix("]").rpartition("[")
        words = index.replace(" ", "").split(",")
        if pattern.endswith("]") and name.endswith(GRAD) and all(word.isdecimal() for word in words):
            found.append((name.removesuffix(GRAD), tuple(map(int, words))))
    return found


class _Explored:
    """One backward that has ended, with its nodes and the gradients that arrived at them."""

    def __init__(
        self, recorder: Any, row: BackwardRow, nodes: dict, gradients: dict, left: dict, values: AskedValues
    ) -> None:
        self.row, self.nodes, self.gradients, self.left, self.values = row, nodes, gradients, left, values
        self.passed: dict[tuple[int, int, int], tuple[list[tuple], int, float]] = {}
        self._rows = recorder.rows.nodes
        self._ran = {node: step for step, node in enumerate(row.order) if node not in row.captured}
        self._arrived = {node: several(ids) for node, ids in zip(row.order, row.arrived, strict=True)}
        self._contributed = {(node, edge): value for node, edge, value in row.contributions}
        self._results = set(recorder.rows.tensors.states.column(STATE_NODE))
        self._readers: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        self._sent: dict[int, tuple[list, Any]] = {}
        for node in self._ran:
            targets = self._rows.field(node, NODE_EDGES), self._rows.field(node, NODE_EDGE_INPUTS)
            for edge, target in enumerate(zip(*map(several, targets), strict=True)):
                self._readers[target].append((node, edge))

    def explore(self, asked: Iterable[tuple[Place, int]]) -> None:
        """Follow the asked entries, and the largest parts of each, level by level, as a derivation unfolds them."""
        waiting = deque(asked)
        known = set(waiting)
        for _ in range(_MOST):
            if not waiting:
                break
            (node, output, place), edge = waiting.popleft()
            found = self._gradients_of(node, edge, place) if edge >= 0 else self._parts(node, output, place)
            below = [part for part in found if part not in known]
            known.update(below)
            waiting += below

    def _parts(self, node: int, output: int, place: int) -> list[tuple[Place, int]]:
        """Write down an entry of a gradient and what each reader passed on to it; return what it unfolds to."""
        gradient = self._gradient(node, output)
        if gradient is None or place >= gradient.numel():
            return []
        self._keep(self._arrived[node][output], gradient, place)
        for root, seed in zip(self.row.roots, self.row.seeds, strict=False):
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
        found: list[tuple[Place, int]] = []
        for reader, edge in parts:
            products = self._gradients_of(reader, edge, place)
            told = len(parts) == 1 or len(products) == 1  # no step of its own between
            found += products if told else [((reader, 0, place), edge)]
        return found

    def _gradients_of(self, node: int, edge: int, place: int) -> list[tuple[Place, int]]:
        """Write down the products of one passed entry; return the gradients that were multiplied."""
        key = node, edge, place
        if key not in self.passed:
            try:
                found = self._products(node, edge, place)
            except (RuntimeError, NotImplementedError, TypeError, ValueError) as problem:  # no second derivative
                tolerate(problem)
                found = None
            if found is None:
                return []
            self.passed[key] = found
        products = self.passed[key][0]
        return [
            ((above, output, index), -1) for above, output, index, gradient, factor in products if gradient * factor
        ]

    def _products(self, node: int, edge: int, place: int) -> tuple[list[tuple], int, float] | None:
        target = (
            several(self._rows.field(node, NODE_EDGES))[edge],
            several(self._rows.field(node, NODE_EDGE_INPUTS))[edge],
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
            found = self._told([(above, output, each) for above, given in ends for output, each in enumerate(given)])
            amount = _entry(sent, place)
            if found is not None and _agrees(found, amount, self._close(sent, ends)):
                return found
        return None

    def _close(self, sent: torch.Tensor, ends: list[tuple[int, Factors]]) -> float:
        """How near the products come to what was passed on, by the coarsest dtype between."""
        held = [each for node, given in ends for each in (*given, *self.gradients.get(node, ())) if each is not None]
        return _COARSE if any(each.dtype in _HALF for each in (sent, *held)) else _CLOSE

    def _to_results(self, node: int, own: Factors) -> list[tuple[int, Factors]]:
        """The factors with respect to the gradients of the call's results, through the nodes between."""
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
        """Whether a node made no result of its call, so that only nodes of the same call read it."""
        operation = self._rows.field(node, NODE_OPERATION)
        if not operation or node in self._results or node in self.row.roots:
            return False
        readers = [reader for output, each in enumerate(given) if each is not None
                   for reader, _ in self._readers[node, output]]  # fmt: skip
        return bool(readers) and all(
            self._rows.field(reader, NODE_OPERATION) == operation and not self._is_own(reader) for reader in readers
        )

    def _told(self, ends: list[tuple[int, int, torch.Tensor | None]]) -> tuple[list[tuple], int, float] | None:
        """The largest products, how many others there are, and their sum."""
        known: list[tuple[int, int, torch.Tensor, torch.Tensor]] = []
        terms = []
        for node, output, factors in ends:
            gradient = self._gradient(node, output)
            if factors is None or gradient is None:
                continue
            number, g, f = len(known), gradient.reshape(-1), factors.detach().reshape(-1)
            known.append((node, output, g, f))
            there = torch.nonzero(f).reshape(-1)
            terms.append((there[torch.nonzero(g[there].double() * f[there].double()).reshape(-1)], number))
        places = torch.cat([at for at, _ in terms]) if terms else torch.zeros(0, dtype=torch.long)
        if not known:
            return None
        if not len(places):  # nothing but zeros: the one to show is the largest factor's
            node, output, g, f = known[0]
            at = int((f if f.any() else g).abs().argmax())
            return [(node, output, at, float(g[at]), float(f[at]))], 0, 0.0
        owners = torch.cat([torch.full_like(at, number) for at, number in terms])
        amounts = torch.cat([known[number][2][at].double() * known[number][3][at].double() for at, number in terms])
        order = torch.nan_to_num(amounts.abs(), nan=torch.inf).argsort(descending=True, stable=True)
        told = []
        for term in order[:LISTED].tolist():
            node, output, g, f = known[int(owners[term])]
            at = int(places[term])
            told.append((node, output, at, float(g[at]), float(f[at])))
        others = amounts[order[LISTED:]]
        return told, len(others), float(others.sum())

    # ---- torch ------------------------------------------------------------------------------------------------------

    def _evaluated(self, node: int) -> tuple[list, Any]:
        """The gradients that arrived at a node, and what it makes of them, as a graph of its own."""
        if node not in self._sent:
            given = [None if g is None else g.detach().requires_grad_() for g in self.gradients[node]]
            own = _OWN.get(self._rows.field(node, NODE_NAME))
            try:
                made = self.nodes[node](*given) if own is None else own(self.nodes[node], given)
            except Exception as problem:  # a saved tensor was overwritten since, say
                tolerate(problem)
                made = ()
            self._sent[node] = given, made if isinstance(made, tuple) else (made,)
        return self._sent[node]

    def _passed_on(self, node: int, edge: int, like: torch.Tensor) -> torch.Tensor | None:
        """What a node passed on over an edge, in the shape of the receiver."""
        if node not in self.nodes or node not in self.gradients:
            return None
        made = self.left.get(node, ()) if self._is_own(node) else self._evaluated(node)[1]
        sent = made[edge] if edge < len(made) else None
        if sent is None or sent.layout is not torch.strided or sent.is_complex():
            return None
        return sent if sent.shape == like.shape else sent.sum_to_size(like.shape)

    def _factors(self, node: int, edge: int, of: torch.Tensor) -> Factors:
        """For a weighting of what a node passed on over an edge, the factor of each entry that arrived."""
        sent, given = self._passed_on(node, edge, of), self._evaluated(node)[0]
        there = [g for g in given if g is not None]
        if sent is None or not sent.requires_grad or not there:
            return [None] * len(given)
        if self._rows.field(node, NODE_NAME) == _CONVOLUTION and edge == 0:
            return [_convolved(self.nodes[node], of, there[0])]
        # The engine itself: torch.autograd.grad is recorded.
        found = iter(_engine.run_backward((sent,), (of,), True, False, tuple(there), True, False))
        return [None if g is None else next(found) for g in given]

    def _is_own(self, node: int) -> bool:
        """Whether calling a node would run code of the program."""
        return node in self._rows.user_code and self._rows.field(node, NODE_NAME) not in _OWN

    def _gradient(self, node: int, output: int) -> torch.Tensor | None:
        held = self.gradients.get(node, ())
        return held[output] if output < len(held) else None

    def _keep(self, value: int, tensor: torch.Tensor, place: int) -> None:
        self.values.keep(value, tensor, place)


def _convolved(node: Any, of: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
    """The factors of a convolution: the weighting convolved, in the samples of the batch that it has."""
    samples = torch.nonzero(of.flatten(1).any(1)).reshape(-1)
    sizes = node._saved_stride, node._saved_padding, node._saved_dilation, node._saved_transposed
    with torch.no_grad():
        made = torch.zeros_like(gradient)
        made[samples] = torch.ops.aten.convolution(
            of[samples], node._saved_weight, None, *sizes, node._saved_output_padding, node._saved_groups
        )
    return made


def _attended(node: Any, given: list) -> tuple:
    """What attention that torch has fused passes on, by its formula: the fused backward has no derivative."""
    read = [getattr(node, f"_saved_{name}").detach().requires_grad_() for name in ("query", "key", "value")]
    mask, causal, scale = node._saved_attn_mask, node._saved_is_causal, node._saved_scale
    made, _ = torch.ops.aten._scaled_dot_product_attention_math(*read, mask, 0.0, causal, scale=scale)
    return _engine.run_backward((made,), (given[0],), True, True, tuple(read), False, False)


_CONVOLUTION = "ConvolutionBackward0"
# Nodes that are not called: a fused one, and torch's own Function around a module with a hook, which passes on what
# arrives.
_OWN = {
    "ScaledDotProductFlashAttentionForCpuBackward0": _attended,
    "BackwardHookFunctionBackward": lambda _node, given: tuple(given),
}


def _held(gradient: torch.Tensor, copied: bool) -> torch.Tensor | None:
    """A dense gradient, or a copy of it; None of another."""
    held = plain_tensor(gradient)
    if held.layout is not torch.strided or held.is_complex():
        return None
    return held.detach().clone() if copied else held


def _entry(tensor: torch.Tensor, place: int) -> float:
    return float(tensor.detach().reshape(-1)[place])


def _added(before: Factors, more: Factors) -> Factors:
    """Factors of the same outputs, added where both are known."""
    pairs = zip(before or [None] * len(more), more, strict=True)
    return [b if m is None else m if b is None else b + m for b, m in pairs]


def _agrees(products: tuple[list[tuple], int, float], amount: float, close: float) -> bool:
    """Whether products add up to a passed entry, up to rounding."""
    found = sum(g * f for *_, g, f in products[0]) + products[2]
    if found == amount or found != found:
        return found == amount or amount != amount
    sizes = sum(abs(g * f) for *_, g, f in products[0]) + abs(products[2])
    return abs(found - amount) <= 1e-12 + close * max(sizes, abs(amount))
