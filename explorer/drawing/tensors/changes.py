"""The effects of lines on objects, storages and version counters, as tables in HTML."""

from explorer.analysis.tensors.program_lines import ProgramLine
from explorer.analysis.tensors.sharing import Sharing
from explorer.analysis.tensors.tensor_list import Write
from explorer.drawing.marks import quoted
from explorer.drawing.tensors.tensor_list import line_word, where
from explorer.text import say
from explorer.text.numbers import shorten

MOST = 80  # rows of a table
LISTED = 5  # names
TEXT = 40  # cells of an expression
WRITES = ("line", "expression", "what", "object", "storage-column", "version")  # columns
SHARING = ("line", "expression", "what", "shares", "tracked", "counter")


def writes_html(changes: tuple[Write, ...], many: bool, lang: str) -> str:
    """A row per line that rebinds a name or writes into memory: same object? same storage? which version?

    Args:
        many: whether the program has several cells.
    """
    if not changes:
        return f'<p class="quiet">{quoted(say(lang, "memory-no-writes"))}</p>'
    rows = []
    for change in changes[:MOST]:
        same = say(lang, "memory-same"), say(lang, "memory-new")
        counter = f"{change.before} → {change.after}" if change.before != change.after else str(change.after)
        cells = (
            where(change.place, many, lang) if change.place else "–",
            shorten(change.text, TEXT),
            write_sentence(change, lang),
            same[0] if change.same_object else same[1],
            same[0] if change.same_storage else same[1],
            counter if change.after >= 0 else "–",
        )
        rows.append(_row(WRITES, cells, change.place, lang))
    return _table("memory-writes", WRITES, rows, len(changes), lang)


def sharing_html(sharings: tuple[Sharing, ...], many: bool, lang: str) -> str:
    """A row for each line that makes a tensor from another: whether they share storage, autograd, version counter."""
    if not sharings:
        return f'<p class="quiet">{quoted(say(lang, "memory-no-sharing"))}</p>'
    rows = []
    for sharing in sharings[:MOST]:
        cells = (
            where(sharing.place, many, lang),
            shorten(sharing.text, TEXT),
            sharing_sentence(sharing, lang),
            say(lang, "tensors-no" if sharing.outcome in ("copy", "new") else "tensors-yes"),
            _answer(sharing.tracked, lang),
            _answer(sharing.counter, lang),
        )
        rows.append(_row(SHARING, cells, sharing.place, lang))
    return _table("memory-sharing", SHARING, rows, len(sharings), lang)


def write_sentence(write: Write, lang: str) -> str:
    """The effect of a line, in words."""
    also = list_of(write.also)
    if write.kind == "rebound":
        return say(lang, "memory-rebound-same" if write.same_storage else "memory-rebound", name=write.name)
    if write.kind == "named":
        return say(lang, "memory-named", name=write.name, other=also)
    if write.kind == "unseen":
        words = say(lang, "memory-unseen", name=write.name, version=write.after)
    else:
        words = say(lang, "memory-written", name=write.name)
    if also:
        words = say(lang, "memory-and", first=words, second=say(lang, "memory-also", names=also))
    if write.arrays:
        key = "memory-through" if write.kind == "unseen" else "memory-arrays"
        words = say(lang, "memory-and", first=words, second=say(lang, key, names=list_of(write.arrays)))
    return words


def sharing_sentence(sharing: Sharing, lang: str) -> str:
    """The relation of a line's result to its source, in words."""
    result = shorten(sharing.result or sharing.text, 24)
    source = shorten(sharing.source, 24) or say(lang, "memory-input")
    if sharing.outcome == "same":
        return say(lang, "memory-is-same", result=result, source=source)
    if sharing.outcome in ("copy", "new"):
        return say(lang, f"memory-is-{sharing.outcome}", result=result, source=source)
    key = {"numpy": "numpy", "from_numpy": "from-numpy", "detach": "detach", "data": "data"}.get(
        sharing.operation, "view"
    )
    return say(lang, f"memory-is-{key}", result=result, source=source)


def list_of(names: tuple[str, ...]) -> str:
    """Names with commas; beyond LISTED only their number."""
    words = ", ".join(shorten(name, 24) for name in names[:LISTED])
    return words + (f" +{len(names) - LISTED}" if len(names) > LISTED else "")


def _answer(answer: bool | None, lang: str) -> str:
    return say(lang, "memory-numpy") if answer is None else say(lang, "tensors-yes" if answer else "tensors-no")


def _row(keys: tuple[str, ...], cells: tuple[str, ...], place: ProgramLine | None, lang: str) -> str:
    """A row whose cells know their column's title, for where there is no room for columns."""
    kinds = {"expression": ' class="code"', "what": ' class="words"'}
    lit = f' data-lit="{line_word(place.cell, place.line)}"' if place else ""
    return f"<tr{lit}>" + "".join(
        f'<td{kinds.get(key, "")} data-label="{quoted(say(lang, f"memory-column-{key}"))}">{quoted(cell)}</td>'
        for key, cell in zip(keys, cells, strict=True)
    ) + "</tr>"  # fmt: skip


def _table(title: str, keys: tuple[str, ...], rows: list[str], count: int, lang: str) -> str:
    head = "".join(f'<th scope="col">{quoted(say(lang, f"memory-column-{key}"))}</th>' for key in keys)
    more = count - len(rows)
    rest = f'<p class="range">{quoted(say(lang, "memory-more", count=more))}</p>' if more > 0 else ""
    label = quoted(say(lang, title))
    return f'<div class="rows changes"><table aria-label="{label}"><tr>{head}</tr>{"".join(rows)}</table></div>{rest}'
