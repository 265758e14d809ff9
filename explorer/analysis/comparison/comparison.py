"""A comparison of two runs that displays itself: as text, as HTML and as plain data."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from explorer.analysis.autograd.entry_texts import index_text
from explorer.analysis.comparison.differences import Difference, Match, Sides, bounded
from explorer.analysis.comparison.gaps import ValueGap
from explorer.analysis.comparison.gradients import GradientPair, gradient_pairs
from explorer.text import say
from explorer.text.numbers import approx, digits_of, json_number, number, preformatted, shorten, sizes, visible
from explorer.trace import Trace

_FINER = (6, 9, 17)  # digits of two numbers that differ by little
_TOLD = 5  # operations of only one run, and modules, that are named
_NAME = 48  # characters of a code


@dataclass(frozen=True, repr=False)
class Comparison:
    """The result of `explorer.compare`: `str()` is text, it displays itself in Jupyter, `.to_json()` is plain data.

    Attributes:
        values, gradients: the differences, in the order of the first run: given tensors, then operations; gradients in
            the engine's order.
        unpaired: ids of the operations without a partner, for each run.
        only: their texts; within a module its name and path.
        operations, arrived: how many operations, and gradients, were compared.
        calls: how many backward calls each run has.
        rtol, atol: as requested; None: by dtype.
        sampled: whether some tensors only have a sample, least, largest and norm.
        parameters: the gradients of the parameters of both runs.
        lang: language of its text.
    """

    values: tuple[Difference, ...]
    gradients: tuple[Difference, ...]
    unpaired: tuple[tuple[int, ...], tuple[int, ...]]
    only: tuple[tuple[str, ...], tuple[str, ...]]
    operations: int
    arrived: int
    calls: Match
    rtol: float | None
    atol: float | None
    sampled: bool = False
    parameters: tuple[GradientPair, ...] = field(default=(), repr=False)
    lang: str = field(default="en", repr=False)

    @property
    def same(self) -> bool:
        """Whether the runs have the same operations, and agree in all recorded values and gradients, including `.grad`
        at the end.
        """
        return not (
            self.values
            or self.gradients
            or any(self.only)
            or self.calls[0] != self.calls[1]
            or any(parameter.stored_differs for parameter in self.parameters)
        )

    @property
    def first(self) -> Difference | None:
        """The first differing value, otherwise the first differing gradient; None if they agree."""
        return next(iter((*self.values, *self.gradients)), None)

    @property
    def modules(self) -> dict[str, tuple[int, int]]:
        """By module path how many values and gradients differ, in the order of the first difference."""
        counts: dict[str, list[int]] = {}
        for at, several in enumerate((self.values, self.gradients)):
            for difference in several:
                if difference.module:
                    counts.setdefault(difference.module, [0, 0])[at] += 1
        for pair in self.parameters:
            if pair.arrives_once and (owner := pair.name.rpartition(".")[0]) in counts:
                counts[owner][1] += 1
        return {module: (values, gradients) for module, (values, gradients) in counts.items()}

    def __repr__(self) -> str:
        differing = f"{len(self.values)} values and {len(self.gradients)} gradients differ"
        return f"<Comparison: {'the runs agree' if self.same else differing}>"

    def __str__(self) -> str:
        return "\n".join(lines(self))

    def _repr_html_(self) -> str:
        return preformatted(str(self))

    def to_json(self) -> dict:
        """The same as dictionaries, lists, texts and numbers; NaN and infinities as texts."""
        return comparison_plain(self)


def compare(
    left: Trace, right: Trace, rtol: float | None = None, atol: float | None = None, lang: str = "en"
) -> Comparison:
    """Compare two runs: where they first differ, in values and in gradients.

    Operations are paired by name and module in their order, leaves by name. For tensors with only a sample, the
    sample, least, largest and norm are compared.

    Args:
        rtol, atol: entries agree within atol + rtol · |right|; None: the default of torch.testing.assert_close for the
            coarser dtype. 0 and 0 ask for equal bits.
        lang: language of its text.
    """
    sides = Sides(left, right, rtol, atol)
    values = bounded(sides.given()) + bounded(sides.values())
    gradients = bounded(sides.gradients())
    calls = tuple(sum(call.inside < 0 for call in trace.backwards) for trace in (left, right))
    return Comparison(
        tuple(values),
        tuple(gradients),
        sides.unpaired(),
        sides.only(),
        len(sides.pairs),
        sides.arrived,
        (calls[0], calls[1]),
        rtol,
        atol,
        sides.sampled,
        gradient_pairs(left, right, rtol, atol),
        lang,
    )


def lines(comparison: Comparison) -> list[str]:
    """The differences, the first of each kind."""
    lang = comparison.lang
    if comparison.same:
        return [say(lang, "compare-same", operations=comparison.operations, gradients=comparison.arrived)]
    said = []
    begun = [value for value in comparison.values if value.kind == "given"]
    made = [value for value in comparison.values if value.kind == "value"]
    alone = next((difference for difference in made if difference.alone), None)
    if begun:
        names = listed([difference.name for difference in begun])
        said.append(say(lang, "compare-given", names=names, count=len(begun)) + _apart(lang, begun[0]))
    if made:
        said.append(_difference(lang, "compare-value", made[0]))
        if alone is not None and alone is not made[0]:
            said.append(_difference(lang, "compare-alone", alone))
    if comparison.gradients:
        said.append(_difference(lang, "compare-gradient", comparison.gradients[0]))
    if not made and not begun:
        said.append(say(lang, "compare-values-same", count=comparison.operations))
    said += in_one_alone(comparison)
    for module, (values, gradients) in list(comparison.modules.items())[: 2 * _TOLD]:
        said.append(say(lang, "compare-module", module=visible(module), values=values, gradients=gradients))
    return said


def in_one_alone(comparison: Comparison) -> list[str]:
    """What one run alone has: gradients, a sum in `.grad`, operations, backward calls."""
    lang, said = comparison.lang, []
    for at in (1, 2):
        if arrives := [pair.name for pair in comparison.parameters if pair.arrives_once == at]:
            said.append(say(lang, f"compare-gradient-only-{at}", names=listed(arrives)))
    if stored := [parameter for parameter in comparison.parameters if parameter.only_stored_differs]:
        said.append(say(lang, "compare-stored", **stored_values(stored)))
    for at, texts in enumerate(comparison.only):
        if texts:
            said.append(say(lang, f"compare-only-{at + 1}", count=len(texts), texts=listed(list(dict.fromkeys(texts)))))
    if comparison.calls[0] != comparison.calls[1]:
        said.append(say(lang, "compare-calls", left=comparison.calls[0], right=comparison.calls[1]))
    return said


def listed(words: Sequence[str]) -> str:
    """The first of several names or codes of the programs."""
    return ", ".join(shorten(visible(word), _NAME) for word in words[:_TOLD]) + (" …" if len(words) > _TOLD else "")


def _difference(lang: str, message: str, difference: Difference) -> str:
    said = say(lang, message, where=where_text(difference, lang), backward=difference.backward or 0)
    said += say(lang, "report-at-line", line=difference.line) if difference.line else ""
    said += say(lang, "report-in-module", module=visible(difference.module)) if difference.module else ""
    if difference.kind == "value" and difference.alone and difference.reads:
        said += say(lang, "compare-by-itself")
    return said + _apart(lang, difference) + origin_text(difference, lang)


def where_text(difference: Difference, lang: str) -> str:
    """What differs, by the programs' names: both texts if two operations assign one name."""
    if difference.kind == "value" and difference.other_code and difference.other_code != difference.code:
        both = say(lang, "compare-codes", left=visible(difference.code), right=visible(difference.other_code))
        return f"{visible(difference.name)}: {both}" if difference.name else both
    return visible(named_code(difference)) or "?"


def named_code(difference: Difference) -> str:
    """The code of a place, after the name of its result: y = w + x."""
    given = difference.kind == "gradient" and difference.name and difference.code and difference.name != difference.code
    return f"{difference.name} = {difference.code}" if given else difference.code or difference.name


def origin_text(difference: Difference, lang: str) -> str:
    """The assignment of a Python value that explains a difference, or ""."""
    if difference.origin is None:
        return ""
    left, right = map(visible, difference.origin.codes)
    line, other = difference.origin.lines
    return say(
        lang, "compare-origin", name=visible(difference.origin.name), left=left, right=right, line=line, other=other
    )


def stored_values(pairs: Sequence[GradientPair]) -> dict[str, str | int]:
    """The values of the sentence on `.grad` at the end: how many differ, and the first with both norms."""
    norms = [
        "None" if value is None else "?" if value.norm is None else number(value.norm) for value in pairs[0].stored
    ]
    found = [value.norm for value in pairs[0].stored if value is not None and value.norm is not None]
    for digits in range(7, 18):
        if len(found) < 2 or norms[0] != norms[1]:
            break
        norms = [f"{norm:.{digits}g}" for norm in found]  # as many as tell them apart
    return {"count": len(pairs), "name": visible(pairs[0].name), "left": norms[0], "right": norms[1]}


def _apart(lang: str, difference: Difference) -> str:
    gap = difference.gap
    if gap is None:
        return say(lang, "compare-arrived")
    if gap.kind == "shape":
        left, right = (sizes(shape) for shape in gap.shapes)
        return say(lang, "compare-shapes", left=left, right=right)
    if gap.kind == "dtype":
        return say(lang, "compare-dtypes", left=gap.dtypes[0], right=gap.dtypes[1])
    left, right, _ = apart_texts(gap)
    values: dict[str, str | int] = {"left": left, "right": right, "index": index_text(gap.index or ())}
    if gap.kind == "summary":
        return say(lang, "compare-summaries", **values)
    return say(lang, "compare-entries" if gap.index else "compare-numbers", **values)


def apart_texts(gap: ValueGap, signed: bool = False) -> tuple[str, str, str]:
    """Two numbers and their difference, with as many digits as tell the two apart and give the difference."""
    pair = gap.left or 0.0, gap.right or 0.0
    digits, sign = digits_of(lambda ends: abs(ends[0] - ends[1]), pair, gap.absolute)
    for finer in (digits, *_FINER):
        left, right = (number(entry, signed, finer) for entry in pair)
        if left != right:
            break
    if left == right and all(isinstance(entry, int) for entry in pair):
        left, right = map(str, pair)
    return left, right, approx(sign) + number(gap.absolute)


def comparison_plain(comparison: Comparison) -> dict[str, Any]:
    """The whole comparison as dictionaries, lists, texts and numbers."""
    return {
        "same": comparison.same,
        "operations": comparison.operations,
        "gradients_compared": comparison.arrived,
        "backwards": list(comparison.calls),
        "values": [_plain(value) for value in comparison.values],
        "gradients": [_plain(gradient) for gradient in comparison.gradients],
        "parameters": [_parameter(parameter) for parameter in comparison.parameters],
        "only": [list(texts) for texts in comparison.only],
        "modules": {module: list(counts) for module, counts in comparison.modules.items()},
        "text": str(comparison),
    }


def _plain(difference: Difference) -> dict[str, Any]:
    gap = difference.gap
    apart = gap and {
        "kind": gap.kind,
        "left": json_number(gap.left),
        "right": json_number(gap.right),
        "index": None if gap.index is None else list(gap.index),
        "absolute": json_number(gap.absolute),
        "relative": json_number(gap.relative),
        "shapes": [list(shape) for shape in gap.shapes],
        "dtypes": list(gap.dtypes),
    }
    names = ("kind", "name", "code", "other_code", "line", "module", "backward", "alone")
    return {name: getattr(difference, name) for name in names} | {
        "operations": list(difference.operations),
        "gap": apart,
    }


def _parameter(pair: GradientPair) -> dict[str, Any]:
    norms = [json_number(norm) for norm in pair.norms]
    numbers = {"norms": norms, "cosine": pair.cosine, "largest_difference": json_number(pair.apart)}
    stored = [None if value is None else json_number(value.norm) for value in pair.stored]
    return {"name": pair.name, **numbers, "sampled": pair.sampled, "stored_norms": stored, "differs": pair.differs}
