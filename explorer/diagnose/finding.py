"""What a rule found."""

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct

from explorer.diagnose.facts import Facts
from explorer.trace import Span, Text, Word

Level = Literal["fault", "note"]


class Repair(Struct, frozen=True):
    """A change that may mend. Attributes: cell: whose text it changes, from 0; text: that cell's with the change."""

    cell: int
    text: Text


class Finding(Struct, frozen=True):
    """Something wrong although nothing failed.

    Attributes:
        kind: id of its sentences, diagnosis-<kind>.
        place: what is to blame, in the program's text.
        values: the numbers and names of its sentences, its evidence.
        tensor, node: what it concerns, or -1.
        repairs: changes worth running, the best first; none is known to mend.
    """

    kind: Word
    place: Span
    values: Mapping[Word, Word | int] = {}
    tensor: int = -1
    node: int = -1
    repairs: Annotated[tuple[Repair, ...], Meta(max_length=4)] = ()


Rule = Callable[[Facts], Iterator[Finding]]
