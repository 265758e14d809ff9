"""Whether two runs agree, and the numbers of both where they first differ."""

from dataclasses import dataclass

from explorer.analysis.comparison.comparison_text import apart_texts, named_code, origin_text, stored_values
from explorer.analysis.comparison.differences import Compared, Difference
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import number, shape_text, shorten, visible

_TOLD = 6  # at most so many names, operations of one run alone, and modules
_NAME = 48  # characters of the program at one place
NAME = "{name}"  # holds the place of a name in a sentence until it becomes code


@dataclass(frozen=True)
class Verdict:
    """The result of comparing two runs.

    Attributes:
        found: what differs.
        rounding: whether they agree as far as their dtypes go, and `found` says what differs of the bits.
        lines: of the first difference of a value and of a gradient the lines in both programs in words, "" for none.
        copied: whether both programs have the same text.
    """

    found: Compared
    rounding: bool
    lines: tuple[tuple[str, str], tuple[str, str]]
    copied: bool = False


def verdict_html(told: Verdict, lang: str) -> str:
    """The verdict, the first different value and the first different gradient."""
    found = told.found
    head, more = _head(told)
    count = {"operations": found.operations, "gradients": found.arrived}
    title = quoted(say(lang, head)) if head else _first(told, lang)
    parts = [f'<h3 role="status">{title}</h3>']
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
        return "comparing-same", ["comparing-same-all", *sampled, *["comparing-copied"] * told.copied]
    if told.rounding:
        return "comparing-rounding", ["comparing-rounding-all"]
    return ("", []) if found.first else ("comparing-programs", [])


def _first(told: Verdict, lang: str) -> str:
    """The first difference by the name of its variable, with the numbers of both runs and the line."""
    first = told.found.first
    assert first is not None, "something differs"
    lines = say(lang, "between-clauses").join(dict.fromkeys(filter(None, told.lines[first.kind == "gradient"])))
    what, left, right = _both(first)
    some = say(lang, "comparing-some")
    words = say(
        lang,
        "comparing-first",
        kind="gradient" if first.kind == "gradient" else "value",
        name=NAME,
        what=what,
        entry=_entry(first),
        left=left or some,
        right=right or some,
        lines=say(lang, "comparing-first-lines", lines=lines) if lines else "",
    )
    return quoted(words).replace(NAME, f"<code>{quoted(_name(first))}</code>")


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
        left, right = (shape_text(shape) or "()" for shape in gap.shapes)
        return "shape", left, right
    if gap.kind == "dtype":
        return "dtype", *gap.dtypes
    left, right, _ = apart_texts(gap, signed)
    return "norm" if gap.kind == "summary" else "entry" if gap.index else "number", left, right


def ends_html(side: str, lang: str) -> str:
    """The heads of the two columns at the ends of a program's lines: its values and its gradients."""
    words = (say(lang, f"comparing-ends-{name}", side=side) for name in ("value", "gradient"))
    value, gradient = (quoted(word) for word in words)
    return f'<p class="cp-ends"><span>{value}</span><span class="hue">{gradient}</span></p>'


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
    # How many results differ because given tensors differ.
    count = sum(value.kind == "value" for value in found.values) if given else 0
    made = [say(lang, "comparing-made", count=count, all=found.operations)] if count else []
    return _place(first, told.lines[0], title, [about, *made], lang)


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
    kind = " of-gradient" if difference.kind == "gradient" else ""
    return (
        f'<article class="cp-place{kind}"><h4>{title}</h4>'
        f'<p class="cp-where"><code>{code}</code> <span>{where}</span></p>'
        f"{_numbers(difference, lang)}{said}</article>"
    )


def _numbers(difference: Difference, lang: str) -> str:
    """The numbers of both runs at the place, and how far apart they are."""
    what, left, right = _both(difference)
    gap, gradient = difference.gap, difference.kind == "gradient"
    none = say(lang, "comparing-none")
    rows = [(_of(difference, what, lang), left or none, right or none, "")]
    if gap is None:
        only = left or right or say(lang, "comparing-some")
        rows = [(rows[0][0], *((only, none) if what == "only-a" else (none, only)), "")]
    elif what in ("entry", "number", "norm"):
        apart = apart_texts(gap)[2] + (f" ({_percent(gap.relative)})" if 0 < gap.relative < 1e6 else "")
        rows = [(*rows[0][:3], apart)]
        if gap.dtypes[0] != gap.dtypes[1]:
            rows.append((quoted(say(lang, "comparing-dtype")), *gap.dtypes, ""))
    heads = ("", *(say(lang, "comparing-in", side=side) for side in "AB"), say(lang, "comparing-apart"))
    head = "".join(f'<th scope="col">{quoted(head)}</th>' for head in heads)
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(_cell(text, gradient) for text in row[1:3])}'
        f"<td>{quoted(row[3])}</td></tr>"
        for row in rows
    )
    return f'<table class="cp-numbers"><tr>{head}</tr>{body}</table>'


def _of(difference: Difference, what: str, lang: str) -> str:
    """The head of a row as HTML: whose value or gradient it is."""
    name = f"{_name(difference)}{_entry(difference)}"
    key = what if what in ("shape", "dtype", "norm") else "gradient" if difference.kind == "gradient" else "value"
    return quoted(say(lang, f"comparing-of-{key}", name=NAME)).replace(NAME, f"<code>{quoted(name)}</code>")


def _cell(text: str, gradient: bool) -> str:
    """A number of a run; a gradient has the hue of its sign."""
    kind = {"+": "pos", "−": "neg", "N": "bad"}.get(text[:1], "") if gradient else ""
    return f'<td class="{kind}">{quoted(text)}</td>' if kind else f"<td>{quoted(text)}</td>"


def _percent(relative: float) -> str:
    return f"{number(float(f'{100 * relative:.2g}'))} %"


def _rest(found: Compared, lang: str) -> list[str]:
    """What one run alone does, how often each calls backward, and the modules in which something differs."""
    said = [
        say(lang, f"comparing-only-{side}", count=len(texts), texts=_listed(texts))
        for side, only, told in zip("ab", found.only, _codes(found), strict=True)
        if (texts := [text for text in only if text != told])
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


def _codes(found: Compared) -> tuple[str, str]:
    """The texts of the operations in which values first differ: the place of the first value shows them."""
    first = found.values[0] if found.values else None
    return (first.code, first.other_code) if first is not None else ("", "")


def _listed(words: list[str] | tuple[str, ...]) -> str:
    more = " …" if len(words) > _TOLD else ""
    return ", ".join(shorten(visible(word), _NAME) for word in words[:_TOLD]) + more
