"""A report and tables of gradients as dictionaries, lists, texts and numbers."""

import math
from typing import Any

from explorer.diagnose import Finding, level
from explorer.health.origins import Origin
from explorer.health.reported import Reported
from explorer.health.rows import GradientRow
from explorer.reports import diagnosis_text
from explorer.trace import Value

Plain = dict[str, Any]


def report_plain(found: Reported) -> Plain:
    """All of a report."""
    diagnoses = None if found.diagnoses is None else [_finding(one, found.lang) for one in found.diagnoses]
    return {
        "status": found.status,
        "sound": found.sound,
        "implicit": found.implicit,
        "errors": [vars(one) for one in found.stops],
        "losses": [
            {"name": one.name, "value": _entry(one.value), "line": one.line, "backward": one.backward}
            for one in found.losses
        ],
        "parameters": [row_plain(row, found.lang) for row in found.rows],
        "nonfinite": [_origin(one) for one in found.nonfinite],
        "diagnoses": diagnoses,
        "training": [vars(one) for one in found.training],
        "limits": [{"kind": one.kind, "count": one.count} for one in found.limits],
    }


def row_plain(row: GradientRow, lang: str) -> Plain:
    """One row of a table."""
    cut = None if row.cut is None else {"by": row.cut.by, "text": row.cut.code, "line": row.cut.line}
    return {
        "name": row.name,
        "shape": list(row.shape),
        "state": row.state,
        "gradient": _statistics(row.gradient),
        "backward": row.backward,
        "held": _statistics(row.held),
        "reason": row.reason or None,
        "why": row.why(lang) or None,
        "cut": cut,
    }


def _origin(one: Origin) -> Plain:
    index = None if one.index is None else list(one.index)
    return {name: value for name, value in vars(one).items() if name != "span"} | {"index": index}


def _finding(one: Finding, lang: str) -> Plain:
    place = one.place
    return {
        "kind": one.kind,
        "level": level(one.kind),
        "cell": place.cell,
        "span": [place.line, place.column, place.end_line, place.end_column],
        "title": diagnosis_text(lang, one, "title"),
        "text": diagnosis_text(lang, one, "cause"),
        "repair": diagnosis_text(lang, one, "repair"),
        "evidence": dict(one.values),
    }


def _statistics(value: Value | None) -> Plain | None:
    if value is None:
        return None
    names = {"min": value.minimum, "max": value.maximum, "mean": value.mean, "norm": value.norm}
    return {name: finite(number) for name, number in names.items()} | {"nonfinite": value.nonfinite, "nans": value.nans}


def _entry(value: Value | None) -> Any:
    """The number of a scalar, otherwise its statistics."""
    if value is None or value.data is None or len(value.data) != 1:
        return _statistics(value)
    return finite(value.data[0])


def finite(number: Any) -> Any:
    """A number as JSON knows it: others as texts.

    >>> finite(float("nan")), finite(0.5)
    ('nan', 0.5)
    """
    if isinstance(number, complex):
        return str(number).strip("()")
    return str(number) if isinstance(number, float) and not math.isfinite(number) else number
