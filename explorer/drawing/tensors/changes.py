"""What lines do to objects, storages and version counters, as tables in HTML."""

from explorer.drawing.marks import quoted
from explorer.drawing.notebook.code import line_word
from explorer.drawing.tensors.listing import where
from explorer.tensors.places import ProgramLine
from explorer.tensors.sharing import Sharing
from explorer.tensors.writes import Write
from explorer.text import say
from explorer.text.numbers import shorten

MOST = 80  # rows of a table
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
    for one in changes[:MOST]:
        same = say(lang, "memory-same"), say(lang, "memory-new")
        counter = f"{one.before} → {one.after}" if one.before != one.after else str(one.after)
        cells = (
            where(one.place, many, lang) if one.place else "–",
            shorten(one.text, TEXT),
            write_sentence(one, lang),
            same[0] if one.same_object else same[1],
            same[0] if one.same_storage else same[1],
            counter if one.after >= 0 else "–",
        )
        rows.append(_row(WRITES, cells, one.place, lang))
    return _table("memory-writes", WRITES, rows, len(changes), lang)


def sharing_html(found: tuple[Sharing, ...], many: bool, lang: str) -> str:
    """A row per line that makes one tensor of another: does it share storage, autograd, version counter?"""
    if not found:
        return f'<p class="quiet">{quoted(say(lang, "memory-no-sharing"))}</p>'
    rows = []
    for one in found[:MOST]:
        cells = (
            where(one.place, many, lang),
            shorten(one.text, TEXT),
            sharing_sentence(one, lang),
            say(lang, "tensors-no" if one.outcome in ("copy", "new") else "tensors-yes"),
            _answer(one.tracked, lang),
            _answer(one.counter, lang),
        )
        rows.append(_row(SHARING, cells, one.place, lang))
    return _table("memory-sharing", SHARING, rows, len(found), lang)


def write_sentence(one: Write, lang: str) -> str:
    """What a line did, in words."""
    also = list_of(one.also)
    if one.kind == "rebound":
        return say(lang, "memory-rebound-same" if one.same_storage else "memory-rebound", name=one.name)
    if one.kind == "named":
        return say(lang, "memory-named", name=one.name, other=also)
    if one.kind == "unseen":
        words = say(lang, "memory-unseen", name=one.name, version=one.after)
    else:
        words = say(lang, "memory-written", name=one.name)
    if also:
        words = say(lang, "memory-and", first=words, second=say(lang, "memory-also", names=also))
    if one.arrays:
        key = "memory-through" if one.kind == "unseen" else "memory-arrays"
        words = say(lang, "memory-and", first=words, second=say(lang, key, names=list_of(one.arrays)))
    return words


def sharing_sentence(one: Sharing, lang: str) -> str:
    """What a line's result is, in words."""
    result = shorten(one.result or one.text, 24)
    source = shorten(one.source, 24) or say(lang, "memory-input")
    if one.outcome == "same":
        return say(lang, "memory-is-same", result=result, source=source)
    if one.outcome in ("copy", "new"):
        return say(lang, f"memory-is-{one.outcome}", result=result, source=source)
    key = {"numpy": "numpy", "from_numpy": "from-numpy", "detach": "detach", "data": "data"}.get(one.operation, "view")
    return say(lang, f"memory-is-{key}", result=result, source=source)


def list_of(names: tuple[str, ...], most: int = 5) -> str:
    """Names with commas; more than `most` are counted."""
    words = ", ".join(shorten(name, 24) for name in names[:most])
    return words + (f" +{len(names) - most}" if len(names) > most else "")


def _answer(known: bool | None, lang: str) -> str:
    return say(lang, "memory-numpy") if known is None else say(lang, "tensors-yes" if known else "tensors-no")


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
