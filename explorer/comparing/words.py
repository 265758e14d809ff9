"""A comparison in words, as HTML and as plain data."""

import math
from html import escape
from typing import Any

from explorer.comparing.differences import Compared, Difference
from explorer.comparing.gaps import ValueGap
from explorer.comparing.gradients import GradientPair
from explorer.text import say
from explorer.text.numbers import number, shape_text, visible

_DIGITS = 6  # two numbers that differ are told with more than a picture's three
_TOLD = 5  # operations of one run alone, and modules, that are named


def lines(found: Compared) -> list[str]:
    """What differs, the first of its kind each."""
    lang = found.lang
    if found.same:
        return [say(lang, "compare-same", operations=found.operations, gradients=found.arrived)]
    said = []
    begun = [one for one in found.values if one.kind == "given"]
    made = [one for one in found.values if one.kind == "value"]
    alone = next((one for one in made if one.alone), None)
    if begun:
        names = ", ".join(visible(one.name) for one in begun[:_TOLD]) + (" …" if len(begun) > _TOLD else "")
        said.append(say(lang, "compare-given", names=names, count=len(begun)) + _apart(lang, begun[0]))
    if made:
        said.append(_difference(lang, "compare-value", made[0]))
        if alone is not None and alone is not made[0]:
            said.append(_difference(lang, "compare-alone", alone))
    if found.gradients:
        said.append(_difference(lang, "compare-gradient", found.gradients[0]))
    if not made and not begun:
        said.append(say(lang, "compare-values-same", count=found.operations))
    for at, texts in enumerate(found.only):
        if texts:
            told = ", ".join(map(visible, texts[:_TOLD])) + (" …" if len(texts) > _TOLD else "")
            said.append(say(lang, f"compare-only-{at + 1}", count=len(texts), texts=told))
    if found.calls[0] != found.calls[1]:
        said.append(say(lang, "compare-calls", left=found.calls[0], right=found.calls[1]))
    for module, (values, gradients) in list(found.modules.items())[: 2 * _TOLD]:
        said.append(say(lang, "compare-module", module=visible(module), values=values, gradients=gradients))
    return said


def comparison_text(found: Compared) -> str:
    """The whole as plain text."""
    return "\n".join(lines(found))


def comparison_html(found: Compared) -> str:
    """The whole as paragraphs."""
    return "".join(f"<p>{escape(line)}</p>" for line in lines(found))


def _difference(lang: str, message: str, one: Difference) -> str:
    where = visible(one.code or one.name) or "?"
    said = say(lang, message, where=where, backward=one.backward or 0)
    said += say(lang, "report-at-line", line=one.line) if one.line else ""
    said += say(lang, "report-in-module", module=visible(one.module)) if one.module else ""
    if one.kind == "value" and one.alone:
        said += say(lang, "compare-by-itself")
    return said + _apart(lang, one)


def _apart(lang: str, one: Difference) -> str:
    gap = one.gap
    if gap is None:
        return say(lang, "compare-arrived")
    if gap.kind == "shape":
        left, right = (shape_text(shape) or "()" for shape in gap.shapes)
        return say(lang, "compare-shapes", left=left, right=right)
    if gap.kind == "dtype":
        return say(lang, "compare-dtypes", left=gap.dtypes[0], right=gap.dtypes[1])
    left, right = (number(entry, digits=_DIGITS) for entry in (gap.left or 0.0, gap.right or 0.0))
    values: dict[str, str | int] = {"left": left, "right": right, "index": _index(gap)}
    if gap.kind == "summary":
        return say(lang, "compare-summaries", **values)
    return say(lang, "compare-entries" if gap.index else "compare-numbers", **values)


def _index(gap: ValueGap) -> str:
    return "" if not gap.index else f"[{', '.join(map(str, gap.index))}]"


def comparison_plain(found: Compared) -> dict[str, Any]:
    """The whole as dictionaries, lists, texts and numbers."""
    return {
        "same": found.same,
        "operations": found.operations,
        "gradients_compared": found.arrived,
        "backwards": list(found.calls),
        "values": [_plain(one) for one in found.values],
        "gradients": [_plain(one) for one in found.gradients],
        "parameters": [_parameter(one) for one in found.parameters],
        "only": [list(texts) for texts in found.only],
        "modules": {module: list(counts) for module, counts in found.modules.items()},
        "text": comparison_text(found),
    }


def _plain(one: Difference) -> dict[str, Any]:
    gap = one.gap
    apart = gap and {
        "kind": gap.kind,
        "left": _number(gap.left),
        "right": _number(gap.right),
        "index": None if gap.index is None else list(gap.index),
        "absolute": _number(gap.absolute),
        "relative": _number(gap.relative),
        "shapes": [list(shape) for shape in gap.shapes],
        "dtypes": list(gap.dtypes),
    }
    names = ("kind", "name", "code", "line", "module", "backward", "alone")
    return {name: getattr(one, name) for name in names} | {"operations": list(one.operations), "gap": apart}


def _parameter(one: GradientPair) -> dict[str, Any]:
    norms = [_number(norm) for norm in one.norms]
    numbers = {"norms": norms, "cosine": one.cosine, "largest_difference": _number(one.apart)}
    return {"name": one.name, **numbers, "sampled": one.sampled}


def _number(found: Any) -> Any:
    if isinstance(found, complex):
        return str(found).strip("()")
    return str(found) if isinstance(found, float) and not math.isfinite(found) else found
