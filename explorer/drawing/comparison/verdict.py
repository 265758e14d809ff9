"""Whether two runs agree, and the numbers of both where they first differ."""

from collections.abc import Iterable
from dataclasses import dataclass

from explorer.analysis.comparison.comparison import (
    Comparison,
    apart_texts,
    in_one_alone,
    listed,
    named_code,
    origin_text,
)
from explorer.analysis.comparison.differences import Difference
from explorer.drawing.marks import quoted
from explorer.drawing.notebook.ghosts import Ghost
from explorer.text import say
from explorer.text.numbers import number, shorten, sizes, visible

_NAME = 48  # characters of the program at one place
NAME = "{name}"  # holds the place of a name in a sentence until it becomes code


@dataclass(frozen=True)
class Verdict:
    """The result of comparing two runs.

    Attributes:
        found: what differs.
        rounding: whether they agree as far as their dtypes go, and `found` says what differs of the bits.
        lines: of the first difference the lines in both programs in words, "" for none.
        counted: whether parts of a run were only counted, so that nothing is known of their numbers.
        cards: the two cards of the first difference as SVG, "" where a picture has none.
    """

    found: Comparison
    rounding: bool
    lines: tuple[str, str]
    counted: bool = False
    cards: tuple[str, str] = ("", "")


def verdict_html(verdict: Verdict, lang: str) -> str:
    """The verdict, and the first difference: both cards, and between them the numbers of both runs."""
    comparison = verdict.found
    head, more = _head(verdict)
    count = {"operations": comparison.operations, "gradients": comparison.arrived}
    title = quoted(say(lang, head)) if head else _first(verdict, lang)
    parts = [f'<div role="status"><h3>{title}</h3></div>']
    parts += [_about(say(lang, key, **count)) for key in more]
    if comparison.first is not None:
        parts.append(_cards(comparison.first, verdict, lang))
        parts += [_about(words) for words in _notes(comparison, comparison.first, lang) if words]
    return f'<section class="cp-verdict">{"".join([*parts, *_rest(comparison, lang)])}</section>'


def _head(verdict: Verdict) -> tuple[str, list[str]]:
    """The ids of the verdict and of what follows it."""
    comparison = verdict.found
    sampled = ["comparing-sampled"] if comparison.sampled else []
    if comparison.same:
        if not comparison.operations:
            return "comparing-nothing", []
        whole = not (comparison.sampled or verdict.counted)
        same = "comparing-same" if whole else "comparing-same-recorded"
        return same, ["comparing-same-all", *sampled]
    if verdict.rounding:
        return "comparing-rounding", ["comparing-rounding-all"]
    return ("", []) if comparison.first else ("comparing-programs", [])


def _first(verdict: Verdict, lang: str) -> str:
    """The first difference by the name of its variable, with the numbers of both runs and the line."""
    first = verdict.found.first
    assert first is not None, "something differs"
    lines = say(lang, "between-clauses").join(dict.fromkeys(filter(None, verdict.lines)))
    kind = "gradient" if first.kind == "gradient" else "value"
    lines = say(lang, "comparing-first-lines", lines=lines) if lines else ""
    name = NAME
    if first.other_name is not None:
        other = shorten(visible(first.other_name or first.other_code), _NAME)
        name = say(lang, "comparing-two-names", name=NAME, other=other)
    words = _differs(first, kind, name, lines, lang)
    return quoted(words).replace(NAME, f"<code>{quoted(_name(first))}</code>")


def _differs(difference: Difference, kind: str, name: str, lines: str, lang: str) -> str:
    """In what the two runs differ, with the numbers of both.

    Args:
        kind: value or gradient, of the first difference; later, of the first gradient behind a value that differs.
    """
    what, left, right = _both(difference)
    some, entry = say(lang, "comparing-some"), _entry(difference)
    numbers = {"what": what, "entry": entry, "left": left or some, "right": right or some}
    return say(lang, "comparing-first", kind=kind, name=name, lines=lines, **numbers)


def _name(difference: Difference) -> str:
    """What differs: its name, otherwise the operation of a module, otherwise the expression."""
    called = f"{difference.operation} ({difference.module})" if difference.module else difference.code
    return shorten(visible(difference.name or called) or "?", _NAME)


def _entry(difference: Difference) -> str:
    """The index of the entry that is farthest apart, such as [0, 1]; "" for a tensor without axes."""
    index = difference.gap.index if difference.gap is not None else None
    return f"[{', '.join(map(str, index))}]" if index else ""


def _both(difference: Difference) -> tuple[str, str, str]:
    """In what the two runs differ, and the text for each of them.

    They differ in entry, number, norm, shape or dtype; only-a and only-b: the other run has nothing there.
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
    left, right, _ = apart_texts(gap, signed)
    return "norm" if gap.kind == "summary" else "entry" if gap.index else "number", left, right


def ends_html(side: str, beside: Iterable[Ghost], lang: str) -> str:
    """The heads of the columns at the ends of a program's lines, its values and its gradients; "" where none stands."""
    ends = list(beside)
    value, gradient = (quoted(say(lang, f"comparing-ends-{name}", side=side)) for name in ("value", "gradient"))
    heads = f"<span>{value}</span>" if any(end.value or end.shape for end in ends) else ""
    heads += f'<span class="hue">{gradient}</span>' if any(end.gradient for end in ends) else ""
    return f'<p class="cp-ends">{heads}</p>' if heads else ""


def _cards(first: Difference, verdict: Verdict, lang: str) -> str:
    """Where both runs first differ: the card of each, and between them both numbers and how far apart they are."""
    what, left, right = _both(first)
    none, some = say(lang, "comparing-none"), say(lang, "comparing-some")
    if first.gap is None:
        left, right = (left or some, none) if what == "only-a" else (none, right or some)
    numbers = [_number(text, first.kind == "gradient") for text in (left, right)]
    if first.gap is not None and what in ("entry", "number", "norm"):
        share = _percent(first.gap.relative) if 0 < first.gap.relative < 1e6 else "none"
        apart = say(lang, "comparing-apart", by=apart_texts(first.gap)[2], share=share)
        numbers.insert(1, f"<span>{quoted(apart)}</span>")
    middle = f'<div class="cp-apart"><p>{_of(first, what, lang)}</p><p class="cp-numbers">{"".join(numbers)}</p></div>'
    codes = named_code(first), first.other_code if first.kind == "value" else ""
    left_card, right_card = (
        _side(" · ".join(filter(None, (side, line))), card, code or codes[0])
        for side, line, card, code in zip("AB", verdict.lines, verdict.cards, codes, strict=True)
    )
    return f'<div class="cp-first">{left_card}{middle}{right_card}</div>'


def _side(title: str, card: str, code: str) -> str:
    """A card below its title; its code where a picture has no such card."""
    shown = card or f"<code>{quoted(shorten(visible(code) or '?', _NAME))}</code>"
    return f'<figure class="cp-card"><figcaption>{quoted(title)}</figcaption>{shown}</figure>'


def _notes(comparison: Comparison, first: Difference, lang: str) -> list[str]:
    """What belongs to the first difference: its module, its cause, how many differ after it, and the gradients."""
    notes = [say(lang, "comparing-module", module=visible(first.module)) if first.module else ""]
    if first.gap is not None and first.gap.kind != "dtype" and first.gap.dtypes[0] != first.gap.dtypes[1]:
        notes.append(say(lang, "comparing-dtype", left=first.gap.dtypes[0], right=first.gap.dtypes[1]))
    if first.kind == "gradient":
        several = max(comparison.calls) > 1
        return [*notes, say(lang, "comparing-backward", number=first.backward or 0) if several else ""]
    notes.append(say(lang, "comparing-alone") if first.kind == "value" and first.alone and first.reads else "")
    notes.append(origin_text(first, lang))
    if given := [value.name for value in comparison.values if value.kind == "given"]:
        notes.append(say(lang, "comparing-given", names=listed(given), count=len(given)))
        count = len(comparison.values) - len(given)
        notes.append(say(lang, "comparing-made", count=count, all=comparison.operations) if count else "")
    if not comparison.gradients:
        none = "comparing-no-gradients" if not comparison.arrived else "comparing-gradients-same"
        return [*notes, say(lang, none, count=comparison.arrived)]
    gradient = comparison.gradients[0]
    return [*notes, _differs(gradient, "later", _name(gradient), "", lang)]


def _of(difference: Difference, what: str, lang: str) -> str:
    """What the two numbers are, as HTML: whose value or gradient."""
    name, entry = _name(difference), _entry(difference)
    name = f"({name}){entry}" if entry and " " in name and not difference.name else f"{name}{entry}"
    key = what if what in ("shape", "dtype", "norm") else "gradient" if difference.kind == "gradient" else "value"
    return quoted(say(lang, f"comparing-of-{key}", name=NAME)).replace(NAME, f"<code>{quoted(name)}</code>")


def _number(text: str, gradient: bool) -> str:
    """A number of a run; a gradient has the hue of its sign."""
    kind = {"+": "pos", "−": "neg", "N": "bad"}.get(text[:1], "") if gradient else ""
    return f'<strong class="{kind}">{quoted(text)}</strong>' if kind else f"<strong>{quoted(text)}</strong>"


def _about(words: str) -> str:
    return f'<p class="cp-about">{quoted(words)}</p>'


def _percent(relative: float) -> str:
    return f"{number(float(f'{100 * relative:.2g}'))} %"


def _rest(comparison: Comparison, lang: str) -> list[str]:
    """What one run alone has, and the modules in which something differs."""
    lines = [_about(sentence) for sentence in in_one_alone(comparison)]
    modules = list(comparison.modules.items())
    if modules:
        rows = "".join(
            f'<tr><th scope="row"><code>{quoted(shorten(visible(path), _NAME))}</code></th><td>{values}</td>'
            f"<td>{gradients}</td></tr>"
            for path, (values, gradients) in modules[:200]
        )
        heads = (say(lang, f"comparing-column-{column}") for column in ("module", "values", "gradients"))
        head = "".join(f'<th scope="col">{quoted(head)}</th>' for head in heads)
        title = quoted(say(lang, "comparing-modules", count=len(modules)))
        lines.append(
            f'<details class="cp-modules"><summary>{title}</summary><div class="rows"><table><tr>{head}</tr>{rows}'
            "</table></div></details>"
        )
    return lines
