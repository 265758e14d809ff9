"""Where torch took results' entries from, found by repeating moves on index numbers.

Places number the entries of all operands of a call consecutively, each row-major.
"""

import zlib
from typing import Annotated, NamedTuple

import numpy as np
from msgspec import Meta, Struct

from explorer.trace.columns import Along, Columns, Ids

MOST_PLACES = 1_000_000
MOST_MAPS = 300  # maps in one recording

# Calls that move entries without being views, by short name without the underscore of in-place calls. Other calls are
# tried too if their few entries look like copies.
PICKS = frozenset("__getitem__ index_select gather take take_along_dim embedding".split())
_MOVES = """masked_select where repeat_interleave repeat tile flip fliplr flipud roll rot90 triu tril diag diag_embed
    cat concat concatenate stack hstack vstack row_stack column_stack dstack tensor_split split chunk unbind
    transpose swapaxes swapdims t T H mT mH adjoint permute movedim moveaxis expand expand_as broadcast_to
    diagonal narrow select unfold __setitem__ index_put masked_fill scatter fill zero copy scatter_add index_add"""
MOVES = PICKS.union(_MOVES.split())

_Column = Annotated[list[int], Meta(max_length=MOST_PLACES)]
_Maps = Annotated[list[int], Meta(max_length=MOST_MAPS), Along("maps")]
_Parts = Annotated[list[int], Meta(max_length=MOST_PLACES), Along("selectors")]


class EntryMap(NamedTuple):
    """How a call moved entries.

    Attributes:
        places: source place of each result entry, or -1. If it sums: for each operand place, the entry it was
            added to.
        sums: whether each entry is a sum.
        fill: value of entries without a source.
        selectors: operands that only select, such as an index, each with its selecting entry for each result
            entry (-1: none), or None if unknown.
    """

    places: np.ndarray
    sums: bool
    fill: float
    selectors: dict[int, np.ndarray | None]


class EntryMaps(Columns, Struct, frozen=True):
    """Columns: calls with their maps, which several calls may share.

    Attributes:
        operation, map: by call.
        count, sums: by map: number of places, and whether it sums. fill: float64 in little-endian bytes.
        of, operand, chosen: by selector: its map, its operand, and how many entries it chose (0: unknown).
        places: places of each map, then of its selectors: delta-coded little-endian int32, packed by zlib.
    """

    operation: Annotated[_Column, Along("calls"), Ids("operations", 0)] = []
    map: Annotated[_Column, Along("calls"), Ids(MOST_MAPS, 0)] = []
    count: Annotated[_Maps, Ids(MOST_PLACES + 1, 0)] = []
    sums: Annotated[list[bool], Meta(max_length=MOST_MAPS), Along("maps")] = []
    fill: Annotated[bytes, Meta(max_length=8 * MOST_MAPS)] = b""
    of: Annotated[_Parts, Ids(MOST_MAPS, 0)] = []
    operand: Annotated[_Parts, Ids(1 << 32)] = []
    chosen: Annotated[_Parts, Ids(MOST_PLACES + 1, 0)] = []
    places: Annotated[bytes, Meta(max_length=5 * MOST_PLACES)] = b""

    @staticmethod
    def of_maps(calls: dict[int, int], maps: list[EntryMap]) -> "EntryMaps":
        """Build the columns. Args: calls: map number by operation."""
        selectors = [(k, operand, own) for k, one in enumerate(maps) for operand, own in one.selectors.items()]
        parts = [part for one in maps for part in (one.places, *one.selectors.values()) if part is not None]
        flat = np.concatenate(parts).astype("<i4") if parts else np.empty(0, "<i4")
        return EntryMaps(
            [*calls],
            [*calls.values()],
            [len(one.places) for one in maps],
            [one.sums for one in maps],
            np.array([one.fill for one in maps], "<f8").tobytes(),
            [k for k, _, _ in selectors],
            [operand for _, operand, _ in selectors],
            [0 if own is None else len(own) for _, _, own in selectors],
            zlib.compress(np.diff(flat, prepend=flat.dtype.type(0)).tobytes(), 1),
        )

    def maps(self) -> list[EntryMap]:
        """Yield all maps."""
        flat, at = self._unpacked(), 0
        found, fills = [], np.frombuffer(self.fill, "<f8").tolist()
        selectors: dict[int, list[tuple[int, int]]] = {}
        for of, operand, chosen in zip(self.of, self.operand, self.chosen, strict=True):
            selectors.setdefault(of, []).append((operand, chosen))
        for k, (count, sums) in enumerate(zip(self.count, self.sums, strict=True)):
            places, at = flat[at : at + count], at + count
            own: dict[int, np.ndarray | None] = {}
            for operand, chosen in selectors.get(k, ()):
                own[operand], at = flat[at : at + chosen] if chosen else None, at + chosen
            found.append(EntryMap(places, sums, fills[k], own))
        return found

    def _unpacked(self) -> np.ndarray:
        """Unpack all places. Raises ValueError if the number differs from the counts."""
        total = 4 * (sum(self.count) + sum(self.chosen))
        reader = zlib.decompressobj()
        try:
            data = reader.decompress(self.places, total + 1) if self.places else b""
        except zlib.error as problem:
            raise ValueError(str(problem)) from None
        if len(data) != total or total > 4 * MOST_PLACES:
            raise ValueError("more or fewer than are counted")
        return np.cumsum(np.frombuffer(data, "<i4"), dtype=np.int32).astype(int)


def faulty_maps(maps: EntryMaps) -> str:
    """Return the first fault of the columns, or ""."""
    if len(maps.fill) != 8 * len(maps.count) or max(maps.map, default=-1) >= len(maps.count):
        return "maps: more or fewer than are counted"
    if maps.of != sorted(maps.of) or max(maps.of, default=-1) >= len(maps.count):
        return "maps: selectors of no map"
    try:
        least = min(
            (
                part.min()
                for one in maps.maps()
                for part in (one.places, *one.selectors.values())
                if part is not None and part.size
            ),
            default=0,
        )
    except ValueError as problem:
        return f"maps: {problem}"
    return "maps: a place that does not exist" if least < -1 else ""
