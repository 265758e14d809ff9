"""The result of a rule."""

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated

from msgspec import Meta, Struct

from explorer.analysis.faults.facts import Facts
from explorer.analysis.faults.levels import Level, level_of
from explorer.trace import Span, Text, Word


class Repair(Struct, frozen=True):
    """A change that may repair. Attributes: cell: whose text it changes, from 0; text: the cell's text with the
    change.
    """

    cell: int
    text: Text


class Finding(Struct, frozen=True):
    """A bug that raised nothing.

    Attributes:
        kind: id of its sentences, diagnosis-<kind>.
        place: its place in the program's text.
        values: the numbers and names of its sentences, its evidence.
        tensor, node: what it concerns, or -1.
        repairs: changes worth running, the best first; none is known to help.
        certain: whether the condition that makes its kind a fault holds (`levels.LEVELS`).
    """

    kind: Word
    place: Span
    values: Mapping[Word, Word | int] = {}
    tensor: int = -1
    node: int = -1
    repairs: Annotated[tuple[Repair, ...], Meta(max_length=4)] = ()
    certain: bool = True

    @property
    def level(self) -> Level:
        """How grave it is."""
        return level_of(self.kind, self.certain)


Rule = Callable[[Facts], Iterator[Finding]]
