"""Gradient entries that a run must explain, and values that it must keep in full.

A gradient is explained when its backward has ended, while its graph is alive (`gradient_products.py`).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from explorer.runtime.recorder.end_states import present_names
from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.gradient_products import Factors, GradientProducts, Place, Products
from explorer.runtime.recorder.kept_tensors import GRAD
from explorer.runtime.recorder.memory import plain_tensor
from explorer.runtime.recorder.node_kinds import runs_hooks
from explorer.runtime.recorder.rows import STATE_NODE, STATE_OUTPUT, BackwardRow
from explorer.runtime.recorder.table import Positions
from explorer.runtime.recorder.values import ValueStore, plain
from explorer.trace import FULL, WHOLE, WHOLE_BYTES, AskedEntries, EntryAsked, index_at

_BYTES = 300_000_000  # bytes of gradients that `record()` holds until the backward has ended
_LAST = 7  # backward calls whose named entries are kept while the next one is explained


class AskedValues(ValueStore):
    """A store that also keeps requested entries of large values.

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

    def add(self, tensor, fresh=False) -> int:
        """Copy a tensor's entries and return an id."""
        index = super().add(tensor, fresh)
        try:
            for place in self._watched.get(tuple(tensor.shape), ()):
                self.keep(index, tensor, place)
            if index in self._wanted and FULL < tensor.numel() <= WHOLE:
                self.whole[index] = plain(plain_tensor(tensor)).numpy().tobytes()
        except Exception as problem:  # nested and opaque tensors have no plain entries
            reraise_recorder_error(problem)
        return index

    def again(self, index: int) -> int:
        """Enter the same value once more, under a new id."""
        again = super().again(index)
        if index in self.entries:
            self.entries[again] = dict(self.entries[index])
        if index in self.whole and again in self._wanted:
            self.whole[again] = self.whole[index]
        return again

    def take_back(self, index: int) -> None:
        """Drop the value that was added last."""
        super().take_back(index)
        self.entries.pop(index, None)  # its id may be reused
        self.whole.pop(index, None)

    def keep(self, index: int, tensor: torch.Tensor, place: int) -> None:
        """Keep one entry of a value."""
        if index and FULL < tensor.numel() > place and tensor.layout is torch.strided and not tensor.is_complex():
            held = plain_tensor(tensor).detach()
            entries = self.entries.setdefault(index, {})
            entries[place] = float(held[index_at(place, held.shape)])


class EntryExplorer:
    """Computes the requested gradients of one run when each backward has ended.

    Attributes:
        passed: products, number of further ones and their sum, by backward, node, edge and entry.

    Args:
        most: bytes of gradients that may be held until a backward has ended.
    """

    def __init__(self, recorder: Any, values: AskedValues, asked: Iterable[EntryAsked], most: float = _BYTES) -> None:
        self._recorder, self._values, self._most = recorder, values, most
        self._asked: dict[int, list[EntryAsked]] = defaultdict(list)
        for entry in asked:
            self._asked[entry.call].append(entry)
            values.watch(entry.shape, entry.place)
        self.passed: dict[tuple[int, int, int, int], Products] = {}
        self._nodes: dict[int, Any] = {}
        self._gradients: dict[int, Factors] = {}
        self._left: dict[int, Factors] = {}
        self._memory: set[int] = set()  # addresses of the held gradients: several may share one
        self._bytes, self._call = 0, 0

    def begins(self, call: int, outputs: Iterable) -> bool:
        """Note that a backward begins. Return whether to keep its graph.

        A graph with the program's saved-tensor hooks is not explained: they would run once more.
        """
        self._release()
        stack = [output.grad_fn if isinstance(output, torch.Tensor) else output.node for output in outputs]
        if not self._wants(call) or self._recorder.nodes.unpacks or any(map(runs_hooks, stack)):
            return False
        self._call = call
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
        """Hold arrived gradients, so that torch adds to none in place."""
        if self._call and self._recorder.running[-1][0] == self._call and self._bytes < self._most:
            own = self._recorder.nodes.user_code  # the program's code may write to the gradients
            held = [None if gradient is None else _held(gradient, own) for gradient in gradients]
            storages = {
                one.untyped_storage().data_ptr(): one.untyped_storage().nbytes() for one in held if one is not None
            }
            self._bytes += sum(size for address, size in storages.items() if address not in self._memory)
            self._memory.update(storages)
            self._gradients[node] = held

    def left(self, node: int, leaving: tuple) -> None:
        """Keep the gradients that a Python backward passed on."""
        if self._call and self._recorder.running[-1][0] == self._call and node in self._recorder.rows.nodes.user_code:
            self._left[node] = [None if gradient is None else _held(gradient, True) for gradient in leaving]

    def ended(self, call: int, row: BackwardRow) -> None:
        """Compute the requested entries of an ended backward, and release its graph."""
        if call != self._call:
            return
        try:
            with torch.enable_grad():
                gradients = GradientProducts(
                    self._recorder, row, self._nodes, self._gradients, self._left, self._values.keep
                )
                gradients.explore(self._places(call, row))
            self.passed.update({(call, *key): products for key, products in gradients.passed.items()})
        finally:
            self._release()

    def _wants(self, call: int) -> bool:
        """Return whether anything is requested of a backward that begins."""
        return call in self._asked

    def _places(self, call: int, row: BackwardRow) -> list[tuple[Place, int]]:
        """Return the requested entries of an ended backward."""
        return [
            ((row.order[entry.step], entry.output, entry.place), entry.edge)
            for entry in self._asked[call]
            if entry.step < len(row.order)
        ]

    def _release(self) -> None:
        self._nodes, self._gradients, self._left = {}, {}, {}
        self._memory, self._bytes, self._call = set(), 0, 0

    def columns(self, value: Positions, node: Positions, backward: Positions) -> AskedEntries:
        """Return the results by positions in the Trace."""
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
                continue  # dropped in the meantime
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
    """Works out the entries that `record(full=…)` names.

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
        names = present_names(self._recorder, self._namespaces())
        self._found = [
            place
            for binding in [*names, *self._recorder.rows.bindings]
            for name, index in self._names
            if (binding.name == name or binding.name.endswith(f".{name}"))
            and (place := self._place(binding.tensor, index)) is not None
        ]
        return bool(self._found)

    def _place(self, tensor: int, index: tuple[int, ...]) -> Place | None:
        """Return node, output and entry of a gradient, if any."""
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
        self.passed = {key: products for key, products in self.passed.items() if key[0] in last}
        return [(place, -1) for place in dict.fromkeys(self._found)]


def named_entries(patterns: Iterable[str]) -> list[tuple[str, tuple[int, ...]]]:
    """Return name and index of the gradient entries among the patterns of `record(full=…)`.

    >>> named_entries(["h.*", "fc.weight.grad[3, 5]"])
    [('fc.weight', (3, 5))]
    """
    entries = []
    for pattern in patterns:
        name, _, index = pattern.removesuffix("]").rpartition("[")
        words = index.replace(" ", "").split(",")
        if pattern.endswith("]") and name.endswith(GRAD) and all(word.isdecimal() for word in words):
            entries.append((name.removesuffix(GRAD), tuple(map(int, words))))
    return entries


def _held(gradient: torch.Tensor, copied: bool) -> torch.Tensor | None:
    """Return a dense gradient, or a copy of it, None for others."""
    held = plain_tensor(gradient)
    if held.layout is not torch.strided or held.is_complex():
        return None
    return held.detach().clone() if copied else held
