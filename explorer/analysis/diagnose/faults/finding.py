"""Making a finding of a rule, and the comments that silence it."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import numpy as np

from explorer.analysis.diagnose.findings import Finding
from explorer.analysis.diagnose.kinds import KINDS, Kind
from explorer.analysis.run.levels import Level
from explorer.analysis.run.objects import Call, Node, Tensor
from explorer.analysis.run.source.code import Code
from explorer.safe_regex import plain
from explorer.text.numbers import number
from explorer.trace import Span, Trace

_FINE = plain(r"#\s*fine:\s*([a-z_-]+(?:\s*,\s*[a-z_-]+)*)")
_NAMED = 3  # most names in a sentence
T = TypeVar("T")
K = TypeVar("K")
R = TypeVar("R", bound=Callable[..., object])


def finds(
    kind: str,
    condition: str = "",
    level: Level = "fault",
    unless: str = "",
    reads_text: bool = False,
    is_logged: bool = False,
) -> Callable[[R], R]:
    """Declare a rule's kind. Args: unless: kinds that explain it."""

    def declare(rule: R) -> R:
        KINDS[kind] = Kind(rule, level, condition, tuple(unless.split()), reads_text, is_logged)
        return rule

    return declare


def level_and_causes(kind: str, certain: object) -> tuple[Level, tuple[str, ...]]:
    """Return the severity of a finding, and the kinds that explain it."""
    declared = KINDS[kind]
    return "note" if declared.level == "fault" and not certain else declared.level, declared.explained_by


def report(
    kind: str,
    at: Call | Code | None,
    tensor: Tensor | None = None,
    node: Node | None = None,
    /,
    *,
    certain: object = True,
    **values: object,
) -> Iterator[Finding]:
    """Yield a finding at a place or call, or nothing without one."""
    place = at.place if isinstance(at, Call) else at
    if place is not None:
        code = {"code": place.text}
        plain = {name: value if isinstance(value, int) else str(value) for name, value in values.items()}
        ids = (tensor.id if tensor is not None else -1), (node.id if node is not None else -1)
        level, causes = level_and_causes(kind, certain)
        yield Finding(kind, place.span, code | plain, *ids, level=level, causes=causes)


def grouped(things: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Group things by key, in order."""
    groups: dict[K, list[T]] = {}
    for thing in things:
        groups.setdefault(key(thing), []).append(thing)
    return groups


def named(tensors: list[Tensor]) -> str:
    """Join the names of tensors, only the first ones if there are many."""
    return first_of(tensor.path for tensor in tensors)


def first_of(names: Iterable[str]) -> str:
    """Join names, only the first ones if there are many."""
    some = list(dict.fromkeys(names))
    return ", ".join([*some[:_NAMED], "…"] if len(some) > _NAMED else some)


def numbers(entries: np.ndarray | None, most: int = 4) -> str:
    """Return the first entries as text."""
    if entries is None:
        return ""
    shown = ", ".join(number(entry) for entry in entries.ravel()[:most].tolist())
    more = ", …" if entries.size > most else ""
    return shown if entries.size == 1 else f"[{shown}{more}]"


def share(part: float) -> str:
    """Write a number for a sentence."""
    return number(float(part))


def is_fine(trace: Trace, place: Span, *kinds: str, in_cell: bool = False) -> bool:
    """Return whether a place or its cell has `# fine: kind`."""
    lines = trace.cells[place.cell].lines
    found = map(_FINE.search, lines if in_cell else lines[place.line - 1 : place.end_line])
    fine = {word.strip().replace("-", "_") for match in found if match for word in match[1].split(",")}
    return any(kind.replace("-", "_") in fine for kind in kinds)
