"""Whether two runs agree, and the numbers of both where they first differ."""

from dataclasses import dataclass

from explorer.analysis.comparison.comparison_text import named_code, origin_text, stored_values
from explorer.analysis.comparison.differences import Compared, Difference
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import number, shape_text, shorten, visible

_DIGITS = 6  # two numbers that differ get more digits than in a picture
_TOLD = 6  # at most so many names, operations of one run alone, and modules
_NAME = 48  # characters of the program at one place


@dataclass(frozen=True)
class Verdict:
    """The result of comparing two runs.

    Attributes:
        found: what differs.
        rounding: whether they agree as far as their dtypes go, and `found` says what differs of the bits.
        lines: of the first difference of a value and of a gradient the lines in both programs in words, "" for none.
    """

    found: Compared
    rounding: bool
    lines: tuple[tuple[str, str], tuple[str, str]]


def verdict_html(told: Verdict, lang: str) -> str:
    """The verdict, the first different value and the first different gradient."""
    found = told.found
    head, more = _head(told)
    count = {"operations": found.operations, "gradients": found.arrived}
    parts = [f'<h3 role="status">{quoted(say(lang, head))}</h3>']
    parts += [f'<p class="cp-about">{quoted(say(lang, key, **count))}</p>' for key in more]
    if not found.same:
        parts.append(f'<div class="cp-places">{_value(told, lang)}{_gradient(told, lang)}</div>')
    return f'<section class="cp-verdict">{"".join([*parts, *_rest(found, lang)])}</section>'


def _head(told: Verdict) -> tuple[str, list[str]]:
    """The ids of the verdict and of what follows it."""
    found = told.found
    sampled = ["comparing-sampled"] if found.sampled else []
    if found.same:
        if not found.operations:
            return "comparing-nothing", []
        return "comparing-same", ["comparing-same-all", *sampled]
    if told.rounding:
        return "comparing-rounding", ["comparing-rounding-all"]
    if found.values:
        return "comparing-values", []
    if found.gradients:
        return "comparing-gradients", []
    return "comparing-programs", []


def _value(told: Verdict, lang: str) -> str:
    found = told.found
    title = quoted(say(lang, "comparing-value"))
    if not found.values:
        words = say(lang, "compare-values-same", count=found.operations)
        return f'<article class="cp-place is-same"><h4>{title}</h4><p>{quoted(words)}</p></article>'
    first = found.values[0]
    about = say(lang, "comparing-alone") if first.kind == "value" and first.alone else ""
    if first.origin is not None:
        about += origin_text(first, lang)
    given = [value.name for value in found.values if value.kind == "given"]
    if given:
        about = say(lang, "comparing-given", names=_listed(given), count=len(given))
    after = [_made(found, given)] if given else []
    return _place(
        first,
        told.lines[0],
        title,
        [about, *(say(lang, *sentence[:1], **sentence[1]) for sentence in after if sentence)],
        lang,
    )


def _made(found: Compared, given: list[str]) -> tuple[str, dict] | None:
    """How many results differ because given tensors differ."""
    count = sum(value.kind == "value" for value in found.values)
    return ("comparing-made", {"count": count, "all": found.operations}) if given and count else None


def _gradient(told: Verdict, lang: str) -> str:
    found = told.found
    title = quoted(say(lang, "comparing-gradient"))
    if not found.gradients:
        none = "comparing-no-gradients" if not found.arrived else "comparing-gradients-same"
        words = say(lang, none, count=found.arrived)
        return f'<article class="cp-place is-same"><h4>{title}</h4><p>{quoted(words)}</p></article>'
    first = found.gradients[0]
    calls = max(found.calls)
    where = say(lang, "comparing-backward", number=first.backward or 0) if calls > 1 else ""
    return _place(first, told.lines[1], title, [where], lang)


def _place(difference: Difference, lines: tuple[str, str], title: str, about: list[str], lang: str) -> str:
    """A place: what the program says there, in which lines, and the numbers of both runs."""
    of = (
        difference.name
        if difference.operations[0] < 0
        else difference.operation
        if difference.module
        else named_code(difference)
    )
    if (
        difference.kind == "value"
        and not difference.module
        and difference.other_code
        and difference.other_code != difference.code
    ):
        of = (
            f"{difference.name}: " * bool(difference.name)
            + f"{shorten(difference.code, _NAME)} / {shorten(difference.other_code, _NAME)}"
        )
        code = quoted(visible(of))
    else:
        code = quoted(shorten(visible(of) or "?", _NAME))
    words = [" / ".join(dict.fromkeys(filter(None, lines)))]
    if difference.module:
        words.append(say(lang, "comparing-module", module=visible(difference.module)))
    where = quoted(" · ".join(filter(None, words)))
    said = "".join(f'<p class="cp-about">{quoted(words)}</p>' for words in about if words)
    return (
        f'<article class="cp-place"><h4>{title}</h4><p class="cp-where"><code>{code}</code> <span>{where}</span></p>'
        f"{_numbers(difference, lang)}{said}</article>"
    )


def _numbers(difference: Difference, lang: str) -> str:
    """The numbers of both runs at the place, and how far apart they are."""
    gap = difference.gap
    if gap is None:
        where = "AB"[difference.arrived or 0]
        return f'<p class="cp-about">{quoted(say(lang, "comparing-arrived", side=where))}</p>'
    if gap.kind in ("shape", "dtype"):
        pair = [shape_text(shape) or "()" for shape in gap.shapes] if gap.kind == "shape" else list(gap.dtypes)
        rows = [(say(lang, f"comparing-{gap.kind}"), *pair, "")]
    else:
        entry = say(lang, "comparing-norm") if gap.kind == "summary" else say(lang, "comparing-entry")
        entry = entry if gap.index is None else f"[{', '.join(map(str, gap.index))}]" if gap.index else entry
        left, right = (number(value or 0.0, digits=_DIGITS) for value in (gap.left, gap.right))
        apart = number(gap.absolute) + (f" ({_percent(gap.relative)})" if 0 < gap.relative < 1e6 else "")
        rows = [(entry, left, right, apart)]
        if gap.dtypes[0] != gap.dtypes[1]:
            rows.append((say(lang, "comparing-dtype"), *gap.dtypes, ""))
    heads = ("", "A", "B", say(lang, "comparing-apart"))
    head = "".join(f'<th scope="col">{quoted(head)}</th>' for head in heads)
    body = "".join(
        f'<tr><th scope="row">{quoted(row[0])}</th>{"".join(f"<td>{quoted(cell)}</td>" for cell in row[1:])}</tr>'
        for row in rows
    )
    return f'<table class="cp-numbers"><tr>{head}</tr>{body}</table>'


def _percent(relative: float) -> str:
    return f"{number(100 * relative, digits=2)} %"


def _rest(found: Compared, lang: str) -> list[str]:
    """What one run alone does, how often each calls backward, and the modules in which something differs."""
    said = [
        say(lang, f"comparing-only-{side}", count=len(texts), texts=_listed(texts))
        for side, texts in zip(("a", "b"), found.only, strict=True)
        if texts
    ]
    if stored := [parameter for parameter in found.parameters if parameter.only_stored_differs]:
        said.append(say(lang, "compare-stored", **stored_values(stored)))
    if found.calls[0] != found.calls[1]:
        said.append(say(lang, "comparing-calls", left=found.calls[0], right=found.calls[1]))
    lines = [f'<p class="cp-about">{quoted(sentence)}</p>' for sentence in said]
    modules = list(found.modules.items())
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


def _listed(words: list[str] | tuple[str, ...]) -> str:
    more = " …" if len(words) > _TOLD else ""
    return ", ".join(shorten(visible(word), _NAME) for word in words[:_TOLD]) + more
