"""Gradient checks as JSON, and the operation that mixes examples."""

from explorer.analysis.gradcheck.examples import Mixed
from explorer.analysis.gradcheck.verdicts import Check
from explorer.analysis.messages import check_text, mixed_text
from explorer.io.json_values import Json, JsonContext
from explorer.text.numbers import json_number, shape_text
from explorer.trace import Trace, index_at


def checks_json(trace: Trace, checks: list[Check], lang: str) -> list[dict[str, Json]]:
    """The checks in the order in which they were made."""
    return [
        {
            "tensor": check.leaf,
            "name": leaf_name(trace, check.leaf),
            "backward": check.backward,
            "verdict": check.verdict,
            "why": check.why,
            "reason": check.reason and {"kind": check.reason.kind, **_place(trace, check.reason.operation)},
            "text": check_text(lang, check),
            "entries": [
                {
                    "entry": list(index_at(each.entry, trace.shapes[trace.tensors.shape[check.leaf]])),
                    **{name: json_number(getattr(each, name)) for name in ("gradient", "left", "right")},
                    "verdict": each.verdict,
                    "why": each.why,
                }
                for each in check.entries
            ],
        }
        for check in checks
    ]


def mixed_json(trace: Trace, mixed: Mixed | None, lang: str) -> dict[str, Json] | None:
    """The operation that mixes examples."""
    if mixed is None:
        return None
    where = {"operation": mixed.operation, **_place(trace, mixed.operation)}
    return {**where, "example": mixed.example, "others": list(mixed.others), "text": mixed_text(lang, mixed)}


def leaf_name(trace: Trace, leaf: int) -> str:
    """The first name of a leaf, otherwise its shape."""
    names = trace.index.bindings.get(leaf, ())
    return names[0].name if names else shape_text(tuple(trace.shapes[trace.tensors.shape[leaf]]))


def _place(trace: Trace, operation: int) -> dict[str, Json]:
    return JsonContext(trace, "en", None).place(-1 if operation < 0 else trace.operations.span[operation])
