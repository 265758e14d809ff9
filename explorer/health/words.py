"""A report in words."""

from collections.abc import Iterable, Sequence

from explorer.diagnose import Finding, level
from explorer.health.origins import Origin
from explorer.health.reported import Reported, ReportedLoss, ReportedRemark, ReportedStop
from explorer.health.rows import GradientRow, State
from explorer.reports import diagnosis_text
from explorer.text import say
from explorer.text.numbers import cells_of, number, shape_text, visible, without_number
from explorer.trace import Value

MOST_ROWS = 40  # parameters that are told one by one; of more those that are wrong, the largest and the smallest
MOST_WRONG = 60
EXTREME = 3
WIDEST_NAME = 48
_GRAVE: tuple[State, ...] = ("nonfinite", "none", "zero", "unread")


def report_text(found: Reported) -> str:
    """The whole report as plain text, lines of at most a screen's width where names are short."""
    lang = found.lang
    parts = [
        status_text(found),
        losses_text(found),
        parameters_text(found),
        [origin_text(lang, one) for one in found.nonfinite],
        [training_text(found, one) for one in found.training],
        *(fault_text(found, one) for one in found.diagnoses or ()),
        ending(found),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part)


def ending(found: Reported) -> list[str]:
    """What the recording left out, what could not be worked out, and that nothing was found where that is so."""
    lang = found.lang
    said = [say(lang, "report-limit", kind=one.kind, count=one.count) for one in found.limits]
    if found.diagnoses is None:
        return [*said, say(lang, "report-undiagnosed")]
    return [*said, say(lang, "report-sound")] if found.sound and found.rows else said


def status_text(found: Reported) -> list[str]:
    """How the run ended, and the errors that ended it."""
    return [say(found.lang, f"report-status-{found.status}"), *(_stop(found.lang, one) for one in found.stops)]


def _stop(lang: str, one: ReportedStop) -> str:
    words = one.text.strip().split("\n")[0]
    said = visible(f"{one.type}: {words}" if words else one.type)
    if not one.line:
        return said
    return said + say(lang, "report-stop-in" if one.code else "report-stop-at", line=one.line, code=visible(one.code))


def losses_text(found: Reported) -> list[str]:
    """What was differentiated: of several calls of one root how its value went."""
    lang = found.lang
    groups: dict[tuple[str, int], list[ReportedLoss]] = {}
    for one in found.losses:
        groups.setdefault((one.name, one.line), []).append(one)
    said = []
    for (name, line), calls in list(groups.items())[:MOST_ROWS]:
        values: dict[str, str | int] = {
            "name": visible(name) or "?",
            "line": line,
            "value": value_text(calls[-1].value),
        }
        if len(calls) > 1:
            first = value_text(calls[0].value)
            said.append(say(lang, "report-losses", first=first, count=len(calls), **values))
        else:
            said.append(say(lang, "report-loss", **values))
    if found.implicit:
        said.append(say(lang, "report-implicit"))
    return said or [say(lang, "report-no-backward")]


def value_text(value: Value | None) -> str:
    """A number, or the range of several."""
    if value is None or (not value.entries and not value.nonfinite):
        return "?" if value is None else shape_text(value.shape) or "?"
    if value.data is not None and len(value.data) == 1:
        return number(value.data[0])
    if value.minimum is None or value.maximum is None:
        return without_number(value.entries, value.nans)
    return f"{shape_text(value.shape)} {number(value.minimum)} … {number(value.maximum)}"


def parameters_text(found: Reported) -> list[str]:
    """How many there are of each state, and the rows worth reading."""
    lang, rows = found.lang, found.rows
    if not rows:
        return [say(lang, "report-no-parameters")]
    counts = [(state, len(found.having(state))) for state in ("flows", "frozen", *_GRAVE)]
    told = say(lang, "report-between").join(
        say(lang, f"report-count-{state}", count=count) for state, count in counts if count
    )
    shown = telling(rows)
    said = [say(lang, "report-parameters", count=len(rows), told=told), *rows_text(shown, lang)]
    if len(shown) < len(rows):
        said.append(say(lang, "report-more", count=len(rows) - len(shown)))
    return said


def telling(rows: Sequence[GradientRow]) -> list[GradientRow]:
    """The rows that a person looks for first: all of few; of many the wrong ones, the largest and the smallest."""
    if len(rows) <= MOST_ROWS:
        return list(rows)
    wrong = [row for row in rows if row.state in _GRAVE][:MOST_WRONG]
    sized = sorted((row for row in rows if row.state == "flows"), key=lambda row: row.largest or 0.0)
    kept = {row.tensor for row in (*wrong, *sized[:EXTREME], *sized[-EXTREME:])}
    return [row for row in rows if row.tensor in kept]


def table_text(rows: Sequence[GradientRow], lang: str) -> str:
    """A table of gradients as plain text."""
    return "\n".join(line.strip() if len(rows) == 1 else line[2:] for line in rows_text(rows, lang))


def rows_text(rows: Iterable[GradientRow], lang: str) -> list[str]:
    """A line for each tensor: its name, its shape, what arrived or why nothing did."""
    told = [(_named(row), shape_text(row.shape), gradient_text(row, lang)) for row in rows]
    wide = [max((cells_of(one[at]) for one in told), default=0) for at in range(2)]
    return [f"  {_wide(name, wide[0])}  {_wide(shape, wide[1])}  {what}" for name, shape, what in told]


def gradient_text(row: GradientRow, lang: str) -> str:
    """What arrived at a tensor, or why nothing did."""
    found = row.gradient
    if row.state == "frozen":
        return say(lang, "report-frozen")
    if found is None:
        return visible(row.why(lang))
    if row.state == "zero":
        said = say(lang, "report-zero")
    elif row.state == "unread":
        said = say(lang, "report-unread")
    elif row.state == "nonfinite":
        infinite = found.nonfinite - found.nans
        both = "yes" if found.nans and infinite else "no"
        said = say(lang, "report-bad", nans=found.nans, infinite=infinite, both=both)
    else:
        said = say(lang, "report-flows", norm=number(found.norm or 0.0), largest=number(row.largest or 0.0))
    if row.held is None or not row.held.norm:
        return said
    return said + say(lang, "report-held", norm=number(row.held.norm))


def origin_text(lang: str, one: Origin) -> str:
    """Where entries that are not finite start."""
    kind = {"nan": "NaN", "inf": "∞", "-inf": "−∞", "±inf": "±∞"}[one.kind]
    phase: str = one.phase if one.sure else "unsure"
    phase = "unnamed" if phase == "given" and not one.name else phase
    said = say(lang, f"report-origin-{phase}", what=kind, name=visible(one.name), code=_code(one), node=one.node)
    said += say(lang, "report-at-line", line=one.line) if one.line else ""
    said += say(lang, "report-in-module", module=visible(one.module)) if one.module else ""
    said += say(lang, "report-entries", count=one.count, entries=one.entries)
    if one.index:
        said += say(lang, "report-first-at", index=f"[{', '.join(map(str, one.index))}]")
    if one.place:
        said += say(lang, "report-inside", place=visible(one.place))
    return said if one.reaches else said + say(lang, "report-unreached")


def _code(one: Origin) -> str:
    return visible(one.code) or "?"


def fault_text(found: Reported, one: Finding) -> list[str]:
    """What is wrong although nothing failed, as errors are said: title, cause and repair."""
    lang, place = found.lang, one.place
    where = _where(found, place.cell, place.line)
    title = f"{where}: {say(lang, f'diagnosis-{level(one.kind)}')}: {diagnosis_text(lang, one, 'title')}"
    return [visible(title), *(f"  {visible(diagnosis_text(lang, one, part))}" for part in ("cause", "repair"))]


def training_text(found: Reported, one: ReportedRemark) -> str:
    """What the steps of a training show, with its line."""
    return visible(f"{_where(found, one.cell, one.line)}: {one.text}" if one.line else one.text)


def _where(found: Reported, cell: int, line: int) -> str:
    if found.cells == 1:
        return say(found.lang, "line", line=line)
    return say(found.lang, "cell-line", cell=cell + 1, line=line)


def _named(row: GradientRow) -> str:
    name = visible(row.name) or "?"
    return name if len(name) <= WIDEST_NAME else f"…{name[1 - WIDEST_NAME :]}"


def _wide(text: str, cells: int) -> str:
    return text + " " * (cells - cells_of(text))
