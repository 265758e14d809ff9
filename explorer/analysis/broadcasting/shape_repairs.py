"""Repairs of shapes that clash, or that broadcast unintentionally: code, and the resulting shape."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from explorer.analysis.broadcasting.alignment import MAX_RANK, Shape, align
from explorer.safe_regex import plain

MOST = 5

# A reduction at the end of an expression, over one axis and without keepdim.
_REDUCTION = plain(r"\.(?:sum|mean|amax|amin|std|var|prod|logsumexp)\((?:dim=|axis=)?(-?\d{1,2})(?P<end>\))$")

MendKind = Literal["keepdim", "unsqueeze", "squeeze", "transpose", "reshape"]


@dataclass(frozen=True)
class Mend:
    """One repair.

    Attributes:
        operand: the number of the changed operand.
        kind: the call that does it.
        code: with {} where the operand stands.
        shape: of the changed operand; result: of the changed operation.
    """

    operand: int
    kind: MendKind
    code: str
    shape: Shape
    result: Shape


def mends(shapes: Sequence[Shape], texts: Sequence[str] = ()) -> tuple[Mend, ...]:
    """Repairs, likeliest first: make clashing shapes fit, or keep a grown result to an operand's size.

    A reduction without keepdim whose result meets another axis than the reduced one gets keepdim, although it fits.

    Args:
        texts: of operands that are expressions: a reduction at the end gets keepdim.

    >>> [(mend.code, mend.result) for mend in mends([(2, 3), (2,)])][0]
    ('{}.unsqueeze(1)', (2, 3))
    >>> mends([(3, 1), (1, 2)])
    ()
    """
    before = align(shapes)
    counts = [math.prod(shape) for shape in shapes]
    spread = before.grown and len(set(counts)) < len(counts)
    found: dict[tuple[int, Shape], Mend] = {}
    for operand, shape in enumerate(shapes):
        text = texts[operand] if operand < len(texts) else ""
        for kind, code, new in _changes(shape, [*shapes[:operand], *shapes[operand + 1 :]], text):
            after = align([*shapes[:operand], new, *shapes[operand + 1 :]])
            if after.result is None or (before.result is not None and after.grown):
                continue
            if before.result is not None and not spread and (kind != "keepdim" or (1, *shape) == new):
                continue  # it fits already, unless a reduction's axis was lost and it now meets another one
            found.setdefault((operand, new), Mend(operand, kind, code, new, after.result))
    order = ("keepdim", "squeeze", "unsqueeze", "transpose", "reshape")
    # A small result is likelier to be intended than a large table.
    return tuple(
        sorted(found.values(), key=lambda mend: (math.prod(mend.result) > max(counts), order.index(mend.kind)))[:MOST]
    )


def _changes(shape: Shape, others: Sequence[Shape], text: str) -> Iterator[tuple[MendKind, str, Shape]]:
    """The changes of a shape by one call: kind, code, new shape."""
    rank = len(shape)
    if (found := _REDUCTION.search(text)) and rank < MAX_RANK:
        at = int(found[1]) % (rank + 1) if -rank - 1 <= int(found[1]) <= rank else 0
        kept = text[: found.start("end")].replace("{", "{{").replace("}", "}}")
        yield "keepdim", f"{kept}, keepdim=True)", (*shape[:at], 1, *shape[at:])
    for at, size in enumerate(shape):
        if size == 1:
            yield "squeeze", f"{{}}.squeeze({at})", shape[:at] + shape[at + 1 :]
    if rank < MAX_RANK:
        for at in range(rank, -1, -1):
            yield "unsqueeze", f"{{}}.unsqueeze({at})", (*shape[:at], 1, *shape[at:])
    if rank >= 2:
        code = "{}.T" if rank == 2 else "{}.transpose(-2, -1)"
        yield "transpose", code, (*shape[:-2], shape[-1], shape[-2])
    for other in others:
        if other != shape and math.prod(other) == math.prod(shape):
            yield "reshape", f"{{}}.reshape({', '.join(map(str, other)) or '()'})", other
