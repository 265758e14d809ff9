"""The result of a rule."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from explorer.analysis.faults.levels import Level, level_of
from explorer.analysis.run import Call, Node, Place, Run, Tensor
from explorer.analysis.source import Repair
from explorer.safe_regex import plain
from explorer.text import Message, Part
from explorer.text.numbers import number
from explorer.trace import Span, Trace, Word

_FINE = plain(r"#\s*fine:\s*([a-z_-]+(?:\s*,\s*[a-z_-]+)*)")
_NAMED = 3  # names in a sentence


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

    def messages(self, part: Part) -> Sequence[Message]:
        """What is said of it; a note says how to silence it."""
        told = Message(f"diagnosis-{self.kind.replace('_', '-')}", self.values).part(part)
        silent = part == "repair" and self.level != "fault"
        return (Message("diagnosis-if-meant", {"kind": self.kind}), told) if silent else (told,)


Rule = Callable[[Run], Iterator[Finding]]  # yields what it finds, the first first; only one is told


def tell(
    kind: str,
    at: Call | Place,
    tensor: Tensor | None = None,
    node: Node | None = None,
    /,
    *,
    certain: object = True,
    **values: object,
) -> Finding:
    """A finding at a place, or at a call with its text as `code`. Values are told as they are written."""
    code = {"code": at.text or at.name} if isinstance(at, Call) else {}
    told = {name: value if isinstance(value, int) else str(value) for name, value in values.items()}
    span = at.span if isinstance(at, Place) else at.place.span
    ids = (tensor.id if tensor is not None else -1), (node.id if node is not None else -1)
    return Finding(kind, span, code | told, *ids, certain=bool(certain))


def named(tensors: list[Tensor]) -> str:
    """The names of some tensors, the first of many."""
    return first_of(tensor.path for tensor in tensors)


def first_of(names: Iterable[str]) -> str:
    """Some names, the first of many."""
    some = list(dict.fromkeys(names))
    return ", ".join([*some[:_NAMED], "…"] if len(some) > _NAMED else some)


def numbers(entries: np.ndarray | None, most: int = 4) -> str:
    """The first entries as text."""
    if entries is None:
        return ""
    shown = ", ".join(number(entry) for entry in entries.ravel()[:most].tolist())
    more = ", …" if entries.size > most else ""
    return shown if entries.size == 1 else f"[{shown}{more}]"


def share(part: float) -> str:
    """A number of a sentence."""
    return number(float(part))


def is_fine(trace: Trace, place: Span | None, kind: str) -> bool:
    """Whether a line of a place has `# fine: kind`; hyphens and underscores are alike."""
    lines = trace.cells[place.cell].lines[place.line - 1 : place.end_line] if place is not None else ()
    return any(_names(line, kind) for line in lines)


def is_fine_in_cell(trace: Trace, cell: int, kind: str) -> bool:
    """Whether some line of a cell has `# fine: kind`, for kinds that concern a whole loop."""
    return any(_names(line, kind) for line in trace.cells[cell].lines)


def _names(line: str, kind: str) -> bool:
    said = _FINE.search(line)
    return bool(said) and kind.replace("-", "_") in {word.strip().replace("-", "_") for word in said[1].split(",")}
