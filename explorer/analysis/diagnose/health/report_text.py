"""Write a report and a table of gradients as text, HTML and plain data."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from msgspec import json

from explorer.analysis.diagnose.faults.optimizer_audit import Audit, OptimizerAudit
from explorer.analysis.diagnose.health.report_contents import Reported, ReportedLoss
from explorer.analysis.diagnose.messages import finding_plain
from explorer.analysis.explain.autograd.entry_texts import about, range_text
from explorer.analysis.explain.autograd.gradients import call_of_place, calls_of_place, loss_at_end, place_of
from explorer.analysis.explain.autograd.zero_gradients import is_subnormal
from explorer.analysis.explain.gradient_rows import GradientRow, State
from explorer.analysis.explain.origins import Origin
from explorer.analysis.run.curves import curves, loss_name
from explorer.analysis.run.model import run_of
from explorer.analysis.run.names import common_path
from explorer.text import say
from explorer.text.numbers import (
    DIGITS,
    cells_of,
    json_number,
    number,
    numbers,
    padded,
    shape_text,
    visible,
    without_number,
)
from explorer.trace import Trace, Value

MOST_ROWS = 40  # listed parameters; beyond that only the wrong, largest and smallest
MOST_WRONG = 60
MOST_LOSSES = 4  # listed losses; the rest are counted
MOST_MODELS = 6  # models whose losses one line lists
MOST_MODES = 6  # changes between train and eval
EXTREME = 3
ONES_BY_ONE = 3  # most rows of tensors with one name, shape and state; beyond that, the last represents all
WIDEST_NAME = 48
GRAVE: tuple[State, ...] = ("nonfinite", "none", "zero", "unread")


def losses_text(report: Reported) -> list[str]:
    """Describe the roots; repeated calls show how the value changed."""
    lang = report.lang
    groups: dict[tuple[str, int], list[ReportedLoss]] = {}
    for loss in report.losses:
        if report.trace.backwards[loss.backward - 1].status == "ok":
            groups.setdefault((loss.name, loss.line), []).append(loss)
    texts = []
    trace, lines = report.trace, Counter(line for _, line in groups)
    recorded = Counter(loss.line for loss in report.losses)
    for (name, line), calls in list(groups.items())[:MOST_LOSSES]:
        last, alone = calls[-1].backward - 1, lines[line] == 1  # unknown if there are several names
        of_place = calls_of_place(trace, last)
        count = max(len(calls), of_place if alone or of_place > recorded[line] else 0)
        value, ended = value_text(calls[-1].value), count == len(calls) or call_of_place(trace, last)[0] == count
        scalar = alone and calls[-1].value is not None and math.prod(calls[-1].value.shape) == 1
        if not ended and scalar and (counted := loss_at_end(trace, last, last=True)) is not None:
            value, ended = number(counted), True
        name = visible(name) or "?"
        name = say(lang, "report-root-inside", code=name) if calls[0].inside else name
        values: dict[str, str | int] = {"name": name, "line": line, "value": value}
        apart = _losses_of_models(trace, calls) if scalar else []
        if apart:
            shown = [f"{number(first)} → {number(end)}" for first, end in apart[:MOST_MODELS]]
            more = ["…"] * (len(apart) > MOST_MODELS)
            values |= {"parts": ", ".join([*shown, *more]), "ended": "no" if trace.limits else "yes"}
            values["of"] = "models" if _of_parameters(trace, calls) else "leaves"
            texts.append(say(lang, "report-losses-apart", count=count, **values))
        elif count > 1:
            begun = call_of_place(trace, calls[0].backward - 1)[0] > 1 and scalar
            counted = loss_at_end(trace, last, last=False) if begun else None
            first = value_text(calls[0].value) if counted is None else number(counted)
            texts.append(say(lang, "report-losses", first=first, count=count, ended="yes" if ended else "no", **values))
        else:
            texts.append(say(lang, "report-loss", **values))
    if len(groups) > MOST_LOSSES:
        texts.append(say(lang, "report-losses-more", count=len(groups) - MOST_LOSSES))
    texts += _counted_losses(trace, lang)
    if fails(report):
        return [say(lang, "report-implicit-failed", of=visible(report.losses[0].name) or "?")]
    if report.implicit:
        texts.append(say(lang, "term-implicit"))
    unknown = report.limits or (report.status == "limited" and not len(trace.operations))
    return texts or ([] if report.losses else [say(lang, "report-no-backward", limited="yes" if unknown else "no")])


def _counted_losses(trace: Trace, lang: str) -> Iterator[str]:
    """Describe losses at places where every backward was only counted."""
    recorded = {call.span for call in trace.backwards}
    for place in (place for place, row in enumerate(trace.steps.places) if row.span not in recorded):
        loop = curves(trace, place)
        if loop is not None and len(loop) and (trace.text(loop.span) or "").endswith(".backward()"):
            name, ended = visible(loss_name(trace, loop)), loop.number[-1] == loop.calls - 1
            values = {"first": number(loop.loss[0]), "value": number(loop.loss[-1]), "ended": "yes" if ended else "no"}
            yield say(lang, "report-losses", name=name, line=trace.line(loop.span), count=loop.calls, **values)


def _losses_of_models(trace: Trace, calls: Sequence[ReportedLoss]) -> list[tuple[float, float]]:
    """Return first and last loss of each independent model at one place, otherwise [].

    Models that share no leaf have no common curve.
    """
    at = {call.backward - 1: i for i, call in enumerate(calls)}
    reached = [[at[number] for number in found & at.keys()] for found in run_of(trace).bringers.values()]
    read = [one.value.data for one in calls if one.value is not None and one.value.data and one.value.shape == ()]
    losses = [float(data[0]) for data in read if not isinstance(data[0], complex)]
    recorded = _of_parts(losses, reached) if len(losses) == len(calls) else []
    place = place_of(trace, calls[-1].backward - 1)
    steps = None if place is None else curves(trace, place)
    kept = [] if steps is None else _of_parts(steps.loss.tolist(), [leaf.at.tolist() for leaf in steps.leaves])
    return max(kept, recorded, key=len)


def _of_parameters(trace: Trace, calls: Sequence[ReportedLoss]) -> bool:
    """Return whether backward calls reached parameters or other leaves of an optimizer."""
    run, numbers = run_of(trace), {call.backward - 1 for call in calls}
    reached = run.tensors(leaf for leaf, found in run.bringers.items() if not found.isdisjoint(numbers))
    return any(leaf.is_parameter or leaf.id in run.held for leaf in reached)


def _of_parts(losses: Sequence[float], together: Iterable[Sequence[int]]) -> list[tuple[float, float]]:
    """Return first and last loss of each part."""
    part = np.arange(len(losses))
    for positions in together:
        joined = np.unique(part[list(positions)])
        if len(joined) > 1:
            part[np.isin(part, joined)] = joined[0]
    parts = [np.flatnonzero(part == one).tolist() for one in np.unique(part)]
    several = [(losses[one[0]], losses[one[-1]]) for one in parts if len(one) > 1]
    return several if len(several) > 1 else []


def fails(report: Reported) -> bool:
    """Return whether an implicit backward fails."""
    return report.implicit and any(remark.kind == "implicit_failed" for remark in report.trace.diagnoses)


def optimizers_text(audit: Audit, lang: str) -> list[str]:
    """Describe each optimizer's groups, the modes, and parameters in none or two optimizers."""
    texts = []
    made = Counter(map(_maker, audit.optimizers))
    for optimizer in {_maker(one): one for one in audit.optimizers}.values():
        for group in optimizer.groups:
            values: dict[str, str | int] = {
                "times": made[_maker(optimizer)],
                "unknown": len(group.unknown),
                "name": visible(optimizer.name),
                "alone": "yes" if optimizer.name == optimizer.kind else "no",
                "kind": optimizer.kind,
                "line": optimizer.line,
                "rate": _rates(group.rate, group.last_rate),
                "count": group.count,
                "twice": len(group.twice),
                "did": "nothing" if not optimizer.steps else "still" if group.still else "moved",
                "frozen": names_text(group.frozen),
                "idle": names_text(group.idle),
            }
            texts.append(say(lang, "report-optimizer", **values))
    lists = (("none", audit.in_none), ("several", audit.in_several))
    rest = [say(lang, f"report-in-{of}", count=len(some), names=names_text(some)) for of, some in lists if some]
    return texts + modes_text(audit, lang) + rest


def modes_text(audit: Audit, lang: str) -> list[str]:
    """Describe train or eval at each backward, if a module was not in train mode."""
    texts = []
    counts: Counter[tuple[str, int]] = Counter()
    others = any(not module.endswith(" train") for mode in audit.modes for module in mode.modes.split(", "))
    for mode in audit.modes if others else ():
        counts[mode.modes, mode.line] += mode.calls
    for (modes, line), count in list(counts.items())[:MOST_MODES]:
        texts.append(say(lang, "report-mode", modes=visible(modes), line=line, count=count))
    if len(counts) > MOST_MODES:
        texts.append(say(lang, "report-modes-more", count=len(counts) - MOST_MODES))
    return texts


def _maker(optimizer: OptimizerAudit) -> tuple[object, ...]:
    """Return the common key of optimizers that one line creates repeatedly."""
    groups = tuple((group.trains, group.frozen, group.idle, len(group.unknown)) for group in optimizer.groups)
    return optimizer.name, optimizer.kind, optimizer.line or id(optimizer), groups


def _rates(first: float | None, last: float | None) -> str:
    """Write the first learning rate and, if it changed, the last."""
    close = first is not None and last is not None and first != last and math.isclose(first, last, rel_tol=1e-3)
    rates = ["?" if rate is None else number(rate, digits=6 if close else DIGITS) for rate in (first, last)]
    return rates[0] if last is None or rates[0] == rates[1] else f"{rates[0]} → {rates[1]}"


def names_text(names: Sequence[str]) -> str:
    """List the first names; an unnamed layer's parameters share one text."""
    names = list(dict.fromkeys(names))
    return (", ".join(map(visible, names[:EXTREME])) + (", …" if len(names) > EXTREME else "")) or "none"


def value_text(value: Value | None) -> str:
    """Write a number, or the range of several."""
    if value is None or (not value.entries and not value.nonfinite):
        return "?" if value is None else shape_text(value.shape) or "?"
    if value.data is not None and len(value.data) == 1:
        return number(value.data[0])
    if any(isinstance(entry, complex) for entry in value.entries):
        return f"{shape_text(value.shape)} {range_text(value, False)}"
    if value.minimum is None or value.maximum is None:
        return without_number(value.entries, value.nans)
    return f"{shape_text(value.shape)} {about(value)}{number(value.minimum)} … {number(value.maximum)}"


class _Shown(NamedTuple):
    """A row, the number of tensors it represents, and their module ("" for one name)."""

    row: GradientRow
    times: int = 1
    module: str = ""


def important_rows(every: Sequence[GradientRow]) -> list[_Shown]:
    """Select the most important rows with the tensors they represent.

    All if few, otherwise the wrong ones, the largest and the smallest. A name rebound in each loop round has one row,
    the last. Tensors of a module without a gradient, or with zeros, for the same reason share the first one's row.
    """
    groups: dict[tuple[object, ...], list[GradientRow]] = {}
    for row in every:
        groups.setdefault(_row_key(row), []).append(row)
    large = [group for group in groups.values() if len(group) > ONES_BY_ONE]
    shown = {row.tensor: _Shown(row) for row in every}
    for group in large:
        names = [tuple(row.name.split(".")) for row in group]
        module = ".".join(common_path(names)) if names[0] != names[-1] else ""
        row = group[0] if module else group[-1]
        shown |= dict.fromkeys((other.tensor for other in group), _Shown(row, len(group), module))
    return [shown[row.tensor] for row in _important_rows([row for row in every if shown[row.tensor].row is row])]


def _row_key(row: GradientRow) -> tuple[object, ...]:
    """Return a key for tensors that one row may represent."""
    if row.state in ("none", "frozen", "zero") and not row.moved and "." in row.name:
        return row.name.partition(".")[0], row.state, row.reason, row.cut.by if row.cut is not None else row.why()
    return (row.name, row.shape, row.state, row.why()) if row.name else (row.tensor,)


def _important_rows(rows: list[GradientRow]) -> list[GradientRow]:
    """Select the wrong rows, the largest and the smallest; all if few."""
    if len(rows) <= MOST_ROWS:
        return rows
    wrong = [row for row in rows if row.state in GRAVE][:MOST_WRONG]
    sized = sorted(
        (row for row in rows if row.state == "flows" and not row.is_exact_zero), key=lambda row: row.largest or 0.0
    )
    tensors = {row.tensor for row in (*wrong, *sized[:EXTREME], *sized[-EXTREME:])}
    return [row for row in rows if row.tensor in tensors]


def table_text(rows: Sequence[GradientRow], lang: str) -> str:
    """Write a table of gradients as plain text."""
    lines = rows_text((_Shown(replace(row, name=row.path)) for row in rows), lang)
    return "\n".join(line.strip() if len(rows) == 1 else line[2:] for line in lines)


def rows_text(rows: Iterable[_Shown], lang: str) -> list[str]:
    """Write a line for each row: name, shape, gradient or reason, and represented tensors."""
    lines = [
        (_named(one.row), shape_text(one.row.shape), gradient_text(one.row, lang) + _represented(one, lang))
        for one in rows
    ]
    wide = [max((cells_of(cells[at]) for cells in lines), default=0) for at in range(2)]
    return [f"  {padded(name, wide[0])}  {padded(shape, wide[1])}  {what}" for name, shape, what in lines]


def _represented(shown: _Shown, lang: str) -> str:
    """Describe which other tensors a row represents, "" if none."""
    if shown.times == 1:
        return ""
    if shown.module:
        return say(lang, "report-likewise", count=shown.times - 1, module=visible(shown.module))
    return say(lang, "report-last-of", count=shown.times)


def gradient_text(row: GradientRow, lang: str) -> str:
    """Write a tensor's gradient, or why it has none."""
    gradient = row.gradient
    if row.state == "frozen":
        return say(lang, "report-frozen") + (say(lang, "report-moved", count=row.moved) if row.moved else "")
    if gradient is None:
        return visible(row.why(lang))
    if row.zero is not None and row.zero.is_exact:
        text = row.zero.sentence(lang, gradient.norm).rstrip(".。")  # more may follow in the row
    elif row.state == "zero":
        since = say(lang, "report-since", why=visible(why)) if (why := row.why(lang)) else ""
        text = say(lang, "report-zero") + since
    elif row.state == "unread":
        text = say(lang, "report-unread")
    elif row.state == "nonfinite":
        infinite = gradient.nonfinite - gradient.nans
        both = "yes" if gradient.nans and infinite else "no"
        text = say(lang, "report-bad", nans=gradient.nans, infinite=infinite, both=both)
    else:
        norm, largest = numbers((gradient.norm or 0.0, row.largest or 0.0))
        text = say(lang, "report-flows", norm=norm, largest=about(gradient) + largest)
        text += say(lang, "report-subnormal", dtype=gradient.dtype) if is_subnormal(gradient.dtype, row.largest) else ""
    if row.later and row.backward is None:
        text += say(lang, "report-counted")
    if row.held is not None and row.held.norm:
        text += say(lang, "report-held", norm=number(row.held.norm))
    if row.reduced and row.after is not None and row.after.norm is not None:
        text += say(lang, "report-reduced", norm=number(row.after.norm))
    if row.altered and row.grad is not None and row.grad.norm is not None:
        how = "later" if row.later else "again" if row.brought_again else "clipped" if row.clipped else "changed"
        line = row.brought_again or row.clipped
        text += say(lang, "report-altered", how=how, norm=number(row.grad.norm), line=line)
    return text


def _named(row: GradientRow) -> str:
    name = visible(row.name) or "?"
    return name if len(name) <= WIDEST_NAME else f"…{name[1 - WIDEST_NAME :]}"


Plain = dict[str, Any]


def report_plain(report: Reported) -> Plain:
    """Convert the whole report to plain data."""
    diagnoses = None if report.diagnoses is None else [finding_plain(one, report.lang) for one in report.diagnoses]
    return {
        "status": report.status,
        "sound": report.sound,
        "implicit": report.implicit,
        "errors": [vars(stop) for stop in report.stops],
        "losses": [
            {"name": loss.name, "value": _entry(loss.value), "line": loss.line, "backward": loss.backward}
            for loss in report.losses
        ],
        "parameters": [row_plain(row, report.lang) for row in report.rows],
        "nonfinite": [_origin(origin) for origin in report.nonfinite],
        "diagnoses": diagnoses,
        "warnings": [vars(warning) for warning in report.warnings],
        "limits": [{"kind": limit.kind, "count": limit.count} for limit in report.limits],
        **json.decode(json.encode(report.optimizers, enc_hook=int)),  # a line that knows its file is not a plain int
    }


def row_plain(row: GradientRow, lang: str) -> Plain:
    """Convert one row of the gradient table to plain data."""
    cut = None if row.cut is None else {"by": row.cut.by, "text": row.cut.code, "line": row.cut.line}
    return {
        "name": row.name,
        "shape": list(row.shape),
        "state": row.state,
        "level": row.level,
        "gradient": _statistics(row.gradient),
        "backward": row.backward,
        "held": _statistics(row.held),
        "grad": _statistics(row.grad),
        "moved": row.moved,
        "reason": row.reason or None,
        "why": row.why(lang) or None,
        "cut": cut,
    }


def _origin(origin: Origin) -> Plain:
    index = None if origin.index is None else list(origin.index)
    plain = {name: value for name, value in vars(origin).items() if name != "span"}
    return plain | {"index": index, "level": origin.level}


def _statistics(value: Value | None) -> Plain | None:
    if value is None:
        return None
    names = {"min": value.minimum, "max": value.maximum, "mean": value.mean, "norm": value.norm}
    counts = {"nonfinite": value.nonfinite, "nans": value.nans, "sampled": value.sampled}
    return {name: json_number(number) for name, number in names.items()} | counts


def _entry(value: Value | None) -> Any:
    """Return a scalar's number, otherwise statistics."""
    if value is None or value.data is None or len(value.data) != 1:
        return _statistics(value)
    return json_number(value.data[0])
