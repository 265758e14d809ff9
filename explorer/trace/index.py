"""Look-ups for views, fast for a Trace of any length.

A table is built on first use and kept with the Trace (`Trace.index`).
"""

import math
import time
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator
from functools import cached_property, lru_cache, wraps
from itertools import accumulate
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from explorer.safe_regex import plain
from explorer.trace.records import Array, Binding, Records
from explorer.trace.values import Value

FEW = 8  # up to this many versions, search linearly
NEAR = 32  # most bindings considered per tensor: the first, and the latest before the given time
VALUES = 256  # most cached values
LONGEST = 2_000  # most characters of an expression searched for names
AGAIN_S = 30.0  # seconds after which an unanswered question is asked again
_DEEPEST = 16  # most parts of a dotted name
_WORD = plain(r"\w++")
_PATH = plain(r"(?<![\w.])\w++(?:\.\w++)*+")

Asked = ParamSpec("Asked")
Made = TypeVar("Made")
Of = TypeVar("Of", bound="_Indexed")


class Index:
    """Look-ups of one Trace.

    Attributes: trace: the Trace. ask: what answers about its calls with torch (explorer.trace.entry_maps), or None.
    """

    ask: Callable[[Any, int, Any], Any] | None = None

    def __init__(self, trace: Records) -> None:
        self.trace = trace
        self._kept: dict[tuple, Any] = {}
        self._values: dict[int, Value] = {}
        self._counters: dict[int, dict[int, list[int]]] = {}
        self._latest: dict[tuple, tuple[list[int], list[int]]] = {}

    @cached_property
    def bindings(self) -> dict[int, list[Binding]]:
        """Bindings of each tensor, in the order of the Trace."""
        return _grouped((binding.tensor, binding) for binding in self.trace.bindings)

    @cached_property
    def lines_with(self) -> dict[str, list[tuple[int, int]]]:
        """Lines (cell, line from 1) that contain each word of the program."""
        return _grouped(
            (word, (cell, number))
            for cell, cell_run in enumerate(self.trace.cells)
            for number, line in enumerate(cell_run.lines, 1)
            for word in set(_WORD.findall(line))
        )

    @cached_property
    def asked(self) -> dict[int, tuple[tuple[int, float], ...]]:
        """Requested entries by value, each with its position."""
        asked = self.trace.asked
        rows = zip(asked.value, zip(asked.place, asked.entry, strict=True), strict=True)
        return {value: tuple(entries) for value, entries in _grouped(rows).items()}

    @cached_property
    def asked_whole(self) -> dict[int, bytes]:
        """All entries of the values that were requested whole, by id."""
        return dict(zip(self.trace.asked.whole, self.trace.asked.data, strict=True))

    def memoize(self, what: tuple, make: Callable[[], Made]) -> Made:
        """Return the result of `make`, computed on first use. `what` is its key."""
        if what not in self._kept:
            self._kept[what] = make()
        return self._kept[what]

    def answered(self, what: tuple, ask: Callable[[], Made | None]) -> Made | None:
        """Return an answer, requested once. An unanswered question is repeated after AGAIN_S at the earliest."""
        late = self.memoize(("unanswered",), dict[tuple, float])
        if what not in self._kept and time.monotonic() >= late.get(what, -math.inf):
            found = ask()
            if found is None:
                late[what] = time.monotonic() + AGAIN_S
            else:
                self._kept[what] = found
        return self._kept.get(what)

    def known(self, what: tuple) -> Any:
        """Return the cached result for a key, or None."""
        return self._kept.get(what)

    def value(self, i: int, read: Callable[[int], Value]) -> Value:
        """Return the value with this id, cached because views reuse the same few."""
        cached = self._values.get(i)
        if cached is None:
            if len(self._values) >= VALUES:
                self._values.clear()
            cached = self._values[i] = read(i)
        return cached

    @cached_property
    def bound(self) -> dict[str, int]:
        """Tensor that each name was bound to last."""
        return {binding.name: binding.tensor for binding in self.trace.bindings}

    @cached_property
    def draws(self) -> dict[int, bytes]:
        """States of the random generator before the calls that drew from it."""
        return {one.operation: one.state for one in self.trace.draws}

    @cached_property
    def in_models(self) -> dict[str, dict[int, str]]:
        """Tensors by their names in `state_dict()`, each with its name in the program."""
        found: dict[str, dict[int, str]] = {}
        models = set(self.trace.models)
        for name, tensor in self.bound.items() if models else ():
            for path in inside_models(name, models):
                found.setdefault(path, {}).setdefault(tensor, name)
        return found

    @cached_property
    def paths_in_models(self) -> dict[int, list[str]]:
        """Names in `state_dict()` of each tensor, those in the outermost models first."""
        outermost = sorted(self.in_models.items(), key=lambda item: -item[0].count("."))
        return _grouped((tensor, path) for path, tensors in outermost for tensor in tensors)

    @cached_property
    def arrays(self) -> dict[int, list[Array]]:
        """NumPy arrays in each storage, in Trace order."""
        return _grouped((array.storage, array) for array in self.trace.arrays)

    @cached_property
    def in_storage(self) -> dict[int, list[int]]:
        """Tensors in each storage."""
        return _grouped((storage, tensor) for tensor, storage in enumerate(self.trace.tensors.storage))

    @cached_property
    def made(self) -> dict[int, list[int]]:
        """Nodes that each operation made."""
        return _grouped((operation, node) for node, operation in enumerate(self.trace.nodes.operation))

    @cached_property
    def saved(self) -> dict[int, list[int]]:
        """Rows of `saved` that belong to each node."""
        return _grouped((node, row) for row, node in enumerate(self.trace.saved.node))

    def near(self, tensor: int, operation: int) -> list[Binding]:
        """Return first and latest bindings near an operation."""
        bindings = self.bindings.get(tensor, [])
        if len(bindings) <= 2 * NEAR:
            return bindings
        if ("bindings", tensor) not in self._latest:
            starts = sorted((binding.start, i) for i, binding in enumerate(bindings))
            self._latest["bindings", tensor] = [start for start, _ in starts], [i for _, i in starts]
        times, order = self._latest["bindings", tensor]
        behind = bisect_right(times, operation + 1)
        picked = {*order[:NEAR], *order[max(0, behind - NEAR) : behind]}
        return [bindings[i] for i in sorted(picked)]

    @cached_property
    def times(self) -> list[int]:
        """For each row of `versions`, the operation that wrote it or preceded its discovery."""
        versions = self.trace.versions
        return [
            seen - 1 if operation < 0 <= seen else operation
            for operation, seen in zip(versions.operation, versions.seen, strict=True)
        ]

    def written(self, tensor: int, operation: int) -> int | None:
        """Return the last row of `versions` written up to this operation, or None."""
        times = self.trace.versions.operation
        rows = self.trace.versions_of(tensor)
        if len(rows) <= FEW:
            return max((row for row in rows if 0 <= times[row] <= operation), default=None)
        return self._last(("written", tensor), (row for row in rows if times[row] >= 0), operation)

    def writes_to(self, tensor: int, operation: int) -> bool:
        """Return whether an operation wrote to a tensor."""
        row = self.written(tensor, operation)
        return row is not None and self.trace.versions.operation[row] == operation

    def before(self, tensor: int, operation: int, version: int = -1) -> int | None:
        """Return the last row of `versions` before an operation, or None.

        `version` is torch's counter, -1 for any. A state found by comparison counts as written just before that, a
        tensor's first state as written before everything.
        """
        rows = self.counted(tensor, version) if version >= 0 else self.trace.versions_of(tensor)
        if len(rows) <= FEW:
            times = self.times
            return next((row for row in reversed(rows) if times[row] < operation), None)
        return self._last(("before", tensor, version), rows, operation - 1)

    def read(self, tensor: int, operation: int, version: int = -1) -> int:
        """Return the row of `versions` that an operation read."""
        rows = self.trace.versions_of(tensor)
        if len(rows) == 1:  # the usual case
            return rows[0]
        row = self.before(tensor, operation, version) if version >= 0 else None
        row = self.before(tensor, operation) if row is None else row
        return rows.start if row is None else row

    def rows_read(self, operation: int) -> list[int]:
        """Return the rows of `versions` that an operation read, by input."""
        operations = self.trace.operations
        inputs, counters = operations.inputs[operation], operations.input_versions[operation]
        counters = counters if len(counters) == len(inputs) else [-1] * len(inputs)
        return [self.read(tensor, operation, at) for tensor, at in zip(inputs, counters, strict=True)]

    def overwritten(self, tensor: int, operation: int, until: int) -> tuple[int, int] | None:
        """Return rows before and after a write that torch missed."""
        was, now, counters = self.before(tensor, operation + 1), self.before(tensor, until), self.trace.versions.version
        if was is None or now is None or was == now or counters[was] != counters[now]:
            return None
        return was, now

    def tensor_of(self, row: int) -> int:
        """Return the tensor that a row of `versions` belongs to."""
        return bisect_right(self.trace.tensors.version_start, row) - 1

    def counted(self, tensor: int, version: int) -> list[int]:
        """Return a tensor's `versions` rows with this version counter, in order."""
        rows, counters = self.trace.versions_of(tensor), self.trace.versions.version
        if len(rows) <= FEW:
            return [row for row in rows if counters[row] == version]
        if tensor not in self._counters:
            self._counters[tensor] = _grouped((counters[row], row) for row in rows)
        return self._counters[tensor].get(version, [])

    def _last(self, key: tuple, rows: Iterable[int], time: int) -> int | None:
        """Return the last of these rows written up to a time."""
        if key not in self._latest:
            times = self.times
            ordered = sorted(rows, key=times.__getitem__)
            self._latest[key] = [times[row] for row in ordered], list(accumulate(ordered, max))
        times, latest = self._latest[key]
        behind = bisect_right(times, time)
        return latest[behind - 1] if behind else None


class _Indexed(Protocol):
    @property
    def index(self) -> Index: ...


def memoized(make: Callable[Concatenate[Of, Asked], Made]) -> Callable[Concatenate[Of, Asked], Made]:
    """Cache a function's results with the Trace that it takes."""

    @wraps(make)
    def call(trace: Of, *asked: Asked.args, **named: Asked.kwargs) -> Made:
        return trace.index.memoize((make, *asked, *named.items()), lambda: make(trace, *asked, **named))

    return call


@lru_cache(256)
def names_in(text: str) -> frozenset[str]:
    """Return the names in a program text, with all prefixes of dotted names.

    >>> sorted(names_in("net.weight @ x"))
    ['net', 'net.weight', 'x']
    """
    paths = set(_PATH.findall(text[:LONGEST]))
    return frozenset(begin for path in paths for begin in accumulate(path.split(".", _DEEPEST), "{}.{}".format))


def inside_models(name: str, models: Container[str]) -> Iterator[str]:
    """Yield the rests of a dotted name after the name of a model, the longest first."""
    at = -1
    for _ in range(_DEEPEST):
        at = name.find(".", at + 1)
        if at < 0:
            return
        if name[:at] in models:
            yield name[at + 1 :]


def _grouped(pairs: Iterable[tuple]) -> dict:
    """Group things by their owner."""
    groups: dict = {}
    for key, thing in pairs:
        groups.setdefault(key, []).append(thing)
    return groups
