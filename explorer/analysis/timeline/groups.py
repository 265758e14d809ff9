"""Operations in groups: those that one expression ran in a row are one moment."""

from collections.abc import Container, Iterator, Sequence

from explorer.trace import Trace


def groups(
    trace: Trace, first: int, end: int, trivial: Sequence[bool], phase: Container[int]
) -> Iterator[tuple[int, int]]:
    """Operations that one expression ran in a row.

    Args:
        trivial: of each operation whether it only reads; phase: what calls of an optimizer some belong to.
    """
    o, begin, reads = trace.operations, first, True
    for at in range(first, end):
        reads = reads and trivial[at] and at not in phase
        if at + 1 == end:
            yield begin, end
            return
        same = o.iteration[at + 1] == o.iteration[at]
        read = trivial[at + 1] and at + 1 not in phase
        beside = _is_around(trace, at + 1, at) if reads != read else reads and _same_line(trace, at, at + 1)
        if same and (o.span[at + 1] == o.span[at] or beside):
            continue  # `w.grad` in `w - w.grad`, and `.item()` after `loss.item()`, are no steps of their own
        yield begin, at + 1
        begin, reads = at + 1, True


def _same_line(trace: Trace, first: int, other: int) -> bool:
    """Whether two operations begin on the same line."""
    spans, found = trace.spans, (trace.operations.span[operation] for operation in (first, other))
    places = [(spans[span].cell, spans[span].line) if span >= 0 else None for span in found]
    return places[0] is not None and places[0] == places[1]


def _is_around(trace: Trace, later: int, earlier: int) -> bool:
    """Whether the source range of an operation contains that of the other."""
    spans, o = trace.spans, trace.operations
    if o.span[later] < 0 or o.span[earlier] < 0:
        return False
    outer, inner = spans[o.span[later]], spans[o.span[earlier]]
    return (
        outer.cell == inner.cell
        and (outer.line, outer.column) <= (inner.line, inner.column)
        and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
    )
