"""Reports and tables of gradients as dictionaries, lists, texts and numbers."""

import math
from typing import Any

from msgspec import json

from explorer.analysis.health.origins import Origin
from explorer.analysis.health.report_contents import Reported
from explorer.analysis.health.rows import GradientRow
from explorer.analysis.health.training import Remark
from explorer.analysis.messages import finding_plain, told_text
from explorer.trace import Value

Plain = dict[str, Any]


def report_plain(found: Reported) -> Plain:
    """The whole report."""
    diagnoses = None if found.diagnoses is None else [finding_plain(one, found.lang) for one in found.diagnoses]
    return {
        "status": found.status,
        "sound": found.sound,
        "implicit": found.implicit,
        "errors": [vars(stop) for stop in found.stops],
        "losses": [
            {"name": loss.name, "value": _entry(loss.value), "line": loss.line, "backward": loss.backward}
            for loss in found.losses
        ],
        "parameters": [row_plain(row, found.lang) for row in found.rows],
        "nonfinite": [_origin(origin) for origin in found.nonfinite],
        "diagnoses": diagnoses,
        "training": [_remark(remark, found.lang) for remark in found.remarks],
        "warnings": [vars(warning) for warning in found.warnings],
        "limits": [{"kind": limit.kind, "count": limit.count} for limit in found.limits],
        "flops": {
            "forward": found.flops.forward,
            "backward": found.flops.backward,
            "places": [vars(row) for row in found.flops.rows],
            "uncounted": dict(found.flops.uncounted),
        },
        **json.decode(json.encode(found.optimizers)),
    }


def row_plain(row: GradientRow, lang: str) -> Plain:
    """One row of the table of gradients."""
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
    return {name: value for name, value in vars(origin).items() if name != "span"} | {
        "index": index,
        "level": origin.level,
    }


def _remark(remark: Remark, lang: str) -> Plain:
    return {
        "kind": remark.kind,
        "level": remark.level,
        "cell": remark.place.cell,
        "line": remark.place.line,
        "step": remark.step.number,
        "name": remark.values.get("name", ""),
        "text": told_text(lang, remark, "cause"),
    }


def _statistics(value: Value | None) -> Plain | None:
    if value is None:
        return None
    names = {"min": value.minimum, "max": value.maximum, "mean": value.mean, "norm": value.norm}
    counts = {"nonfinite": value.nonfinite, "nans": value.nans, "sampled": value.sampled}
    return {name: finite(number) for name, number in names.items()} | counts


def _entry(value: Value | None) -> Any:
    """The number of a scalar, otherwise its statistics."""
    if value is None or value.data is None or len(value.data) != 1:
        return _statistics(value)
    return finite(value.data[0])


def finite(number: Any) -> Any:
    """A number for JSON: non-finite ones as texts.

    >>> finite(float("nan")), finite(0.5)
    ('nan', 0.5)
    """
    if isinstance(number, complex):
        return str(number).strip("()")
    return str(number) if isinstance(number, float) and not math.isfinite(number) else number
