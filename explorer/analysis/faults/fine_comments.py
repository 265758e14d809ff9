"""`# fine: kind` at the end of a line: the program intends this."""

from explorer.safe_regex import plain
from explorer.trace import Span, Trace

_FINE = plain(r"#\s*fine:\s*([a-z_-]+(?:\s*,\s*[a-z_-]+)*)")


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
