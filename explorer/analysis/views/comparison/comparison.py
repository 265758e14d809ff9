"""A comparison of two runs as text, HTML and plain data.

It names the lines of the programs and the cards of their pictures.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from explorer.analysis.explain.autograd import GraphView
from explorer.analysis.explain.autograd.entry_texts import index_text
from explorer.analysis.explain.autograd.gradients import called_backwards
from explorer.analysis.explain.autograd.inspection import card_of_node
from explorer.analysis.views.comparison.differences import Difference, Match, Sides, bounded
from explorer.analysis.views.comparison.gaps import ValueGap
from explorer.analysis.views.comparison.gradient_differences import GradientPair, gradient_pairs
from explorer.analysis.views.comparison.matching import ChangedAssignment
from explorer.text import say
from explorer.text.numbers import digits_of, json_number, number, preformatted, shorten, sizes, visible
from explorer.trace import Trace

_FINER = (6, 9, 17)  # digits for two numbers that are almost equal
_NAMED = 5  # most modules, and operations in only one run, listed by name
_NAME = 48  # longest code snippet


@dataclass(frozen=True, repr=False)
class Comparison:
    """Result of `explorer.compare`, with `str()`, `.to_json()` and a Jupyter display.

    Attributes:
        values, gradients: differences in the order of the first run: given tensors, then operations. Gradients in
            engine order.
        unpaired: ids of the operations without a partner, for each run.
        only: their texts, or name and path within a module.
        operations, arrived: numbers of compared operations and gradients.
        calls: number of backward calls in each run.
        rtol, atol: as requested. None: by dtype.
        sampled: whether some tensors have only a sample, minimum, maximum and norm.
        parameters: gradients of both runs' parameters.
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
        """Return whether the runs have equal operations, values and gradients, final `.grad` included."""
        stored = any(parameter.stored_differs for parameter in self.parameters)
        return not (self.values or self.gradients or any(self.only) or stored) and self.calls[0] == self.calls[1]

    @property
    def first(self) -> Difference | None:
        """First differing value, otherwise first differing gradient, or None."""
        return next(iter((*self.values, *self.gradients)), None)

    @property
    def modules(self) -> dict[str, tuple[int, int]]:
        """Numbers of differences by module, in order of the first."""
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
        """Return plain data, with NaN and infinity as strings."""
        return {
            "same": self.same,
            "operations": self.operations,
            "gradients_compared": self.arrived,
            "backwards": list(self.calls),
            "values": [_plain(value) for value in self.values],
            "gradients": [_plain(gradient) for gradient in self.gradients],
            "parameters": [_parameter(parameter) for parameter in self.parameters],
            "only": [list(texts) for texts in self.only],
            "modules": {module: list(counts) for module, counts in self.modules.items()},
            "text": str(self),
        }


def compare(
    left: Trace, right: Trace, rtol: float | None = None, atol: float | None = None, lang: str = "en"
) -> Comparison:
    """Compare two runs and find the first different values and gradients.

    Operations are paired by name and module, in order. Leaves are paired by name, or by their path inside the model
    if its variable has another name. Sampled tensors are compared by sample, minimum, maximum and norm.

    Args:
        rtol, atol: entries agree within atol + rtol · |right|. None: the default of torch.testing.assert_close
            for the coarser dtype. 0 and 0 require equal bits.
        lang: language of its text.
    """
    sides = Sides(left, right, rtol, atol)
    values = bounded(sides.given()) + bounded(sides.values())
    gradients = bounded(sides.gradients())
    calls = len(called_backwards(left)), len(called_backwards(right))
    pairs, parameters = len(sides.pairs), gradient_pairs(left, right, rtol, atol)
    found = (tuple(values), tuple(gradients), sides.unpaired(), sides.only(), pairs, sides.arrived, calls)
    return Comparison(*found, rtol, atol, sides.sampled, parameters, lang)


def lines(comparison: Comparison) -> list[str]:
    """Describe the differences: the first one and its context, unmatched parts, modules."""
    lang = comparison.lang
    if comparison.same:
        return [say(lang, "compare-same", operations=comparison.operations, gradients=comparison.arrived)]
    texts = [first_text(comparison), *first_notes(comparison), *only_in_one_run(comparison)]
    texts += beyond_the_picture(comparison)
    for module, (values, gradients) in list(comparison.modules.items())[: 2 * _NAMED]:
        texts.append(say(lang, "compare-module", module=visible(module), values=values, gradients=gradients))
    return texts


def first_text(comparison: Comparison, called: str = "") -> str:
    """Describe the first difference with variable, line and both numbers.

    Args:
        called: replacement for the name.
    """
    first = comparison.first
    if first is None:
        return say(comparison.lang, "comparing-programs")
    return _differs(first, "gradient" if first.kind == "gradient" else "value", comparison.lang, called)


def first_notes(comparison: Comparison) -> list[str]:
    """Describe the first difference: module, cause, later differences, gradients."""
    first, lang = comparison.first, comparison.lang
    if first is None:
        return []
    within = {"module": visible(first.module), "code": visible(named_code(first))}
    notes = [say(lang, "comparing-module", **within)] if first.module else []
    if first.gap is not None and first.gap.kind != "dtype" and first.gap.dtypes[0] != first.gap.dtypes[1]:
        notes.append(say(lang, "comparing-dtype", left=first.gap.dtypes[0], right=first.gap.dtypes[1]))
    if first.kind == "gradient":
        several = max(comparison.calls) > 1
        return [*notes, say(lang, "comparing-backward", number=first.backward or 0)] if several else notes
    if first.other_code not in ("", first.code, *comparison.only[1]):
        notes.append(say(lang, "compare-codes", left=visible(first.code), right=visible(first.other_code)))
    if first.kind == "value" and first.alone and first.reads:
        notes.append(say(lang, "comparing-alone"))
    if first.origin is not None:
        notes.append(origin_text(first.origin, lang))
    if given := [value.name for value in comparison.values if value.kind == "given"]:
        notes.append(say(lang, "comparing-given", names=listed(given), count=len(given)))
        if count := len(comparison.values) - len(given):
            notes.append(say(lang, "comparing-made", count=count, all=comparison.operations))
    alone = next((value for value in comparison.values if value.kind == "value" and value.alone), first)
    if alone is not first:
        notes.append(_differs(alone, "alone", lang))
    if comparison.gradients:
        return [*notes, _differs(comparison.gradients[0], "later", lang)]
    none = "comparing-gradients-same" if comparison.arrived else "comparing-no-gradients"
    return [*notes, say(lang, none, count=comparison.arrived)]


def _differs(difference: Difference, kind: str, lang: str, called: str = "") -> str:
    """Describe how two runs differ, with both numbers.

    Args:
        kind: value or gradient for the first difference, alone for the first operation that differs on its own,
            later for the first gradient after a differing value.
    """
    name = called or name_text(difference)
    if difference.other_name is not None:
        other = shorten(visible(difference.other_name or difference.other_code), _NAME)
        name = say(lang, "comparing-two-names", name=name, other=other)
    what, left, right = both_texts(difference)
    some, index = say(lang, "comparing-some"), difference.gap.index if difference.gap is not None else None
    numbers = {"what": what, "entry": index_text(index or ()), "left": left or some, "right": right or some}
    line = say(lang, "report-at-line", line=difference.line) if difference.line else ""
    return say(lang, "comparing-first", kind=kind, name=name, lines=line, **numbers)


def name_text(difference: Difference) -> str:
    """Return the differing thing's name, module operation, or expression."""
    called = f"{difference.operation} ({difference.module})" if difference.module else difference.code
    return shorten(visible(difference.name or called) or "?", _NAME)


def both_texts(difference: Difference) -> tuple[str, str, str]:
    """Return the kind of difference and a text for each run.

    Kinds are entry, number, norm, shape and dtype, or only-a and only-b if the other run has nothing there.
    """
    gap, signed = difference.gap, difference.kind == "gradient"
    if gap is None:
        only = "" if difference.single is None else number(difference.single, True)
        return ("only-a", only, "") if difference.arrived == 0 else ("only-b", "", only)
    if gap.kind == "shape":
        left, right = (sizes(shape) for shape in gap.shapes)
        return "shape", left, right
    if gap.kind == "dtype":
        return "dtype", *gap.dtypes
    left, right = distinct_texts(gap, signed)
    return "norm" if gap.kind == "summary" else "entry" if gap.index else "number", left, right


def only_in_one_run(comparison: Comparison) -> list[str]:
    """Describe gradients and operations of only one run."""
    lang, sentences = comparison.lang, []
    for at, side in enumerate("AB", 1):
        if arrives := [pair.name for pair in comparison.parameters if pair.arrives_once == at]:
            sentences.append(say(lang, "compare-gradient-only", side=side, names=listed(arrives)))
    for side, texts in zip("AB", comparison.only, strict=True):
        if texts:
            listed_texts = listed(list(dict.fromkeys(texts)))
            sentences.append(say(lang, "compare-only", side=side, count=len(texts), texts=listed_texts))
    return sentences


def beyond_the_picture(comparison: Comparison) -> list[str]:
    """Describe what no card shows: final `.grad`, and different numbers of backward calls."""
    lang, sentences = comparison.lang, []
    if stored := [parameter for parameter in comparison.parameters if parameter.only_stored_differs]:
        sentences.append(say(lang, "compare-stored", **stored_values(stored)))
    if comparison.calls[0] != comparison.calls[1]:
        sentences.append(say(lang, "compare-calls", left=comparison.calls[0], right=comparison.calls[1]))
    return sentences


def listed(words: Sequence[str]) -> str:
    """List the first of several names or codes of the programs."""
    return ", ".join(shorten(visible(word), _NAME) for word in words[:_NAMED]) + (" …" if len(words) > _NAMED else "")


def named_code(difference: Difference) -> str:
    """Return the code after its result's name: y = w + x."""
    given = difference.kind == "gradient" and difference.name and difference.code and difference.name != difference.code
    return f"{difference.name} = {difference.code}" if given else difference.code or difference.name


def origin_text(origin: ChangedAssignment, lang: str) -> str:
    """Describe the assignment of a Python value that explains a difference."""
    left, right = map(visible, origin.codes)
    line, other = origin.lines
    return say(lang, "compare-origin", name=visible(origin.name), left=left, right=right, line=line, other=other)


def stored_values(pairs: Sequence[GradientPair]) -> dict[str, str | int]:
    """Return the placeholders of the message about final `.grad`."""
    norms = [
        "None" if value is None else "?" if value.norm is None else number(value.norm) for value in pairs[0].stored
    ]
    found = [value.norm for value in pairs[0].stored if value is not None and value.norm is not None]
    for digits in range(7, 18):
        if len(found) < 2 or norms[0] != norms[1]:
            break
        norms = [f"{norm:.{digits}g}" for norm in found]  # as many digits as distinguish them
    return {"count": len(pairs), "name": visible(pairs[0].name), "left": norms[0], "right": norms[1]}


def distinct_texts(gap: ValueGap, signed: bool) -> tuple[str, str]:
    """Write two numbers with enough digits to distinguish them and show the difference."""
    pair = gap.left or 0.0, gap.right or 0.0
    digits, _ = digits_of(lambda ends: abs(ends[0] - ends[1]), pair, gap.absolute)
    for finer in (digits, *_FINER):
        left, right = (number(entry, signed, finer) for entry in pair)
        if left != right:
            break
    if left == right and all(isinstance(entry, int) for entry in pair):
        left, right = map(str, pair)
    return left, right


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


def line_of(trace: Trace, difference: Difference, side: int) -> tuple[int, int] | None:
    """Return cell and line of a difference in program `side` (0 or 1).

    For a leaf or given tensor, the line that first names it, or None.
    """
    operation, tensor = difference.operations[side], difference.tensors[side]
    span = trace.operations.span[operation] if operation >= 0 else -1
    if span < 0 and tensor >= 0:
        named = trace.index.bindings.get(tensor, [])
        span = next((name.span for name in named if name.span >= 0), -1)
    return (trace.spans[span].cell, trace.spans[span].line) if span >= 0 else None


@dataclass(frozen=True)
class UnequalCards:
    """Cards of one run that differ from the other run.

    Attributes:
        kinds: by card id: different value, different gradient, or missing in the other run.
        first: card of the first difference, if it has one (it may be at an earlier training step).
        differences: of each card, in order.
    """

    kinds: dict[str, Literal["value", "gradient", "alone"]]
    first: str | None
    differences: dict[str, list[Difference]]

    @property
    def begin(self) -> str | None:
        """Card at which the picture opens: the first difference with a card."""
        return self.first or next(iter(self.kinds), None)


def unequal_cards(trace: Trace, view: GraphView, comparison: Comparison, side: int) -> UnequalCards:
    """Find the differing cards in a picture of run 0 or 1."""
    card = card_finder(trace, view)

    def card_of(difference: Difference) -> str | None:
        return card(difference.operations[side], difference.tensors[side])

    differences: dict[str, list[Difference]] = {}
    for difference in (*comparison.values, *comparison.gradients):
        if (at := card_of(difference)) is not None:
            differences.setdefault(at, []).append(difference)
    kinds: dict[str, Literal["value", "gradient", "alone"]] = {
        at: "gradient" if found[0].kind == "gradient" else "value" for at, found in differences.items()
    }
    for operation in comparison.unpaired[side]:
        if (at := card(operation)) is not None:
            kinds.setdefault(at, "alone")
    return UnequalCards(kinds, None if comparison.first is None else card_of(comparison.first), differences)


def card_finder(trace: Trace, view: GraphView) -> Callable[..., str | None]:
    """Return a function that finds the card of an operation, or of a tensor if it is -1."""
    by_node, by_tensor = card_of_node(view), {t: card.id for card in reversed(view.cards) for t in card.tensors}
    modules = [(card.module, card.id) for card in view.cards if card.module is not None]
    closed = {path: id for module, id in modules for path in (*module.members, module.path)}

    def card(operation: int, tensor: int = -1) -> str | None:
        if operation < 0:
            return by_tensor.get(tensor)
        nodes = (by_node[node] for node in trace.index.made.get(operation, ()) if node in by_node)
        outputs = (by_tensor[made] for made in trace.operations.outputs[operation] if made in by_tensor)
        path = (trace.string(trace.operations.module[operation]) or "").split(".")
        ancestors = (".".join(path[:end]) for end in range(len(path), 0, -1))  # innermost first
        around = (closed[ancestor] for ancestor in ancestors if ancestor and ancestor in closed)
        return next(nodes, None) or next(outputs, None) or next(around, None)

    return card
