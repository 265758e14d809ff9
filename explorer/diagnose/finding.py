"""What a rule found."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from explorer.diagnose.facts import Facts
from explorer.trace import Span

Level = Literal["fault", "note"]


@dataclass(frozen=True)
class Finding:
    """Something wrong although nothing failed.

    Attributes:
        kind: id of its sentences, diagnosis-<kind>.
        place: what is to blame, in the program's text.
        values: the numbers and names of its sentences, its evidence.
        tensor, node: what it concerns, or -1.
    """

    kind: str
    place: Span
    values: Mapping[str, str | int] = field(default_factory=dict)
    tensor: int = -1
    node: int = -1


Rule = Callable[[Facts], Iterator[Finding]]
