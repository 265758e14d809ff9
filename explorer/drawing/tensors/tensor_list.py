"""A program's tensors as a list of buttons, and facts about one, in HTML."""

from itertools import groupby

from explorer.analysis.views.tensors.program_lines import Branch, ProgramLine, value_of
from explorer.analysis.views.tensors.tensor_list import NOWHERE, ListedTensor
from explorer.analysis.views.tensors.views import TensorView
from explorer.drawing.marks import quoted
from explorer.drawing.tensors.arrays import thumbnail
from explorer.text import say
from explorer.text.numbers import shape_text, shorten, sizes, visible
from explorer.trace import Trace

LABEL = 30  # cells of a name or expression in the list
MOST = 400  # rows of the list
HEADS = "memory-column.version", "memory-column.line", "tensors-by"  # headings of the table of versions
FIRST = ("shape", "count", "requires-grad", "leaf")  # facts shown without expanding


def list_html(
    trace: Trace, tensors: tuple[ListedTensor, ...], chosen: str, branches: tuple[Branch, ...], lang: str
) -> str:
    """Render a button for each tensor: line, name, shape, dtype, thumbnail."""
    shown = tensors[:MOST]
    rows = [(tensor.place or NOWHERE, _row(trace, k, tensor, chosen, lang)) for k, tensor in enumerate(shown)]
    rows += [(branch.place, _branch(branch, lang)) for branch in branches]
    rows.sort(key=lambda row: row[0])
    many = len(trace.cells) > 1
    parts = []
    for cell, group in groupby(rows, key=lambda row: row[0].cell):
        if many and cell < len(trace.cells):
            name = trace.cells[cell].name or say(lang, "tensors-cell", cell=cell + 1)
            parts.append(f"<h3>{quoted(name)}</h3>")
        parts += [html for _, html in group]
    if len(tensors) > len(shown):
        parts.append(f'<p class="quiet">{quoted(say(lang, "tensors-more", count=len(tensors) - len(shown)))}</p>')
    label = quoted(say(lang, "tensors-list"))
    return f'<div class="tensor-list" role="group" aria-label="{label}">{"".join(parts)}</div>'


def line_word(cell: int, line: int) -> str:
    """Return the highlight name of a program line, also used in the editor."""
    return f"line{cell}.{line}"


def tensor_word(number: int) -> str:
    """Return the highlight name of a listed tensor."""
    return f"t{number}"


def title_html(tensor: ListedTensor, view: TensorView, lang: str) -> str:
    """Render the selected tensor's head: name, shape, dtype and place."""
    words = [sizes(view.shape), view.dtype]
    if tensor.place:
        words.append(
            where(tensor.place, True, lang) if tensor.place.cell else say(lang, "line", line=tensor.place.line)
        )
    elif tensor.version == view.states[-1].row:
        words.append(say(lang, "tensors-at-end"))
    name = quoted(shorten(visible(tensor.name), 60))
    return f'<header class="tensor-title"><h3>{name}</h3><p>{quoted(" · ".join(words))}</p></header>'


def facts_html(view: TensorView, mates: tuple[str, ...], lang: str) -> str:
    """Render shape, count and autograd facts, with dtype and memory behind a click.

    Args:
        mates: other names in the same storage. If any, sharing is shown without a click.
    """
    shape = sizes(view.shape)
    product = f" = {' · '.join(map(str, view.shape))}" if len(view.shape) > 1 else ""
    size = "" if view.size is None or not view.strided else say(lang, "tensors-bytes", bytes=_grouped(view.size))
    rows = [
        ("shape", "size()", shape, say(lang, "tensors-size-hint", rank=len(view.shape))),
        ("count", "numel()", f"{_grouped(view.entries)}{product}", size),
        ("dtype", "dtype", view.dtype, say(lang, f"tensors-kind.{kind_of(view.dtype)}")),
        ("device", "device", view.device, ""),
    ]
    if view.strided:
        rows.append(("stride", "stride()", sizes(view.stride), _steps(view, lang)))
        rows.append(("offset", "storage_offset()", str(view.offset), ""))
        yes = "yes" if view.contiguous else "no"
        rows.append(("contiguous", "is_contiguous()", say(lang, yes), say(lang, "tensors-laid", yes=yes)))
        shared = say(lang, "tensors-shared-with", names=", ".join(mates)) if mates else say(lang, "tensors-alone")
        rows.append(("storage", "", shared if view.storage >= 0 else "–", ""))
    else:
        rows.append(("stride", "stride()", "–", say(lang, "tensors-no-strides")))
    asks = say(lang, "yes" if view.requires_grad else "no")
    rows.append(("requires-grad", "requires_grad", asks, ""))
    leaf = "parameter" if view.is_parameter else "leaf" if view.is_leaf else "result"
    kind = say(lang, "tensors-leaf", kind=leaf) if view.requires_grad else ""
    rows.append(("leaf", "is_leaf", say(lang, "yes" if view.is_leaf else "no"), kind))
    first = {*FIRST, *(["storage"] if mates else [])}
    shown = _facts([row for row in rows if row[0] in first], lang)
    more = _facts([row for row in rows if row[0] not in first], lang)
    folded = folded_html("memory", say(lang, "tensors-facts-more"), more)
    return f"{shown}{folded}{_names(view, lang)}{_states(view, lang)}"


def _facts(rows: list[tuple[str, str, str, str]], lang: str) -> str:
    """Render rows of facts as a definition list."""
    cells = "".join(
        f"<div><dt>{quoted(say(lang, f'tensors-fact.{key}'))}{f'<code>{code}</code>' if code else ''}</dt>"
        f"<dd><b>{quoted(words)}</b>{f' <span>{quoted(hint)}</span>' if hint else ''}</dd></div>"
        for key, code, words, hint in rows
    )
    return f'<dl class="tensor-facts">{cells}</dl>'


def folded_html(name: str, title: str, html: str) -> str:
    """Render HTML that a click unfolds. `name`: it stays open when another tensor is chosen."""
    return f'<details class="folded" data-fold="{name}"><summary>{quoted(title)}</summary>{html}</details>'


def where(place: ProgramLine, many: bool, lang: str) -> str:
    """Describe a place: its line, and its cell if there are several."""
    return say(lang, "place", cell=place.cell + 1, line=place.line) if many else say(lang, "line", line=place.line)


def kind_of(dtype: str) -> str:
    """Return a dtype's kind: float, half, whole, bool, complex or other."""
    if dtype.startswith("complex"):
        return "complex"
    if dtype in ("float16", "bfloat16") or dtype.startswith("float8"):
        return "half"
    if dtype.startswith("float"):
        return "float"
    if dtype == "bool":
        return "bool"
    return "whole" if dtype.startswith(("int", "uint")) else "other"


def _row(trace: Trace, number: int, tensor: ListedTensor, chosen: str, lang: str) -> str:
    line = f"{tensor.place.line}" if tensor.place else ""
    name = quoted(shorten(tensor.name, LABEL)).replace(".", ".<wbr>")
    about = f"{shape_text(tensor.shape) or '()'} {tensor.dtype}"
    spoken = quoted(
        ", ".join(
            filter(None, (tensor.name[:120], about, say(lang, "line", line=tensor.place.line) if tensor.place else ""))
        )
    )
    picture = thumbnail(value_of(trace, tensor.version), lang)
    pressed = str(tensor.key == chosen).lower()
    kind = "" if tensor.named else " unnamed"
    lit = " ".join([tensor_word(number), *([line_word(tensor.place.cell, tensor.place.line)] if tensor.place else [])])
    return (
        f'<button type="button" class="trow{kind}" data-choose="{quoted(tensor.key)}" aria-pressed="{pressed}" '
        f'aria-label="{spoken}" data-lit="{lit}"><span class="no">{line}</span><span class="what"><b>{name}</b>'
        f'<small>{quoted(about)}</small></span><span class="thumb" aria-hidden="true">{picture}</span></button>'
    )


def _branch(branch: Branch, lang: str) -> str:
    first = branch.place.line + 1
    lines = {"first": first, "last": branch.last, "count": branch.last - first + 1}
    words = say(lang, "tensors-branch", condition=branch.condition, **lines)
    return f'<p class="branch"><span class="no">{branch.place.line}</span><span>{quoted(words)}</span></p>'


def _steps(view: TensorView, lang: str) -> str:
    """Describe a step along each axis in memory."""
    if not view.shape:
        return ""
    steps = [
        say(lang, "tensors-step", axis=axis, step=step)
        for axis, (size, step) in enumerate(zip(view.shape, view.stride, strict=True))
        if size > 1
    ]
    repeated = [axis for axis, (size, step) in enumerate(zip(view.shape, view.stride, strict=True)) if size > 1 > step]
    if repeated:
        steps.append(say(lang, "tensors-repeated", axis=repeated[0]))
    return say(lang, "between-clauses").join(steps)


def _names(view: TensorView, lang: str) -> str:
    if len(view.names) < 2:
        return ""
    words = [
        f"<li><code>{quoted(name.name)}</code>"
        + (f" {quoted(say(lang, 'line', line=name.place.line))}" if name.place else "")
        + (f" <small>{quoted(say(lang, 'tensors-name-ended'))}</small>" if name.ended else "")
        + "</li>"
        for name in view.names[-8:]
    ]
    return f'<h4>{quoted(say(lang, "tensors-names"))}</h4><ul class="tensor-names">{"".join(words)}</ul>'


def _states(view: TensorView, lang: str) -> str:
    if len(view.states) < 2:
        return ""
    many = any(state.place and state.place.cell for state in view.states)
    rows = []
    for number, state in list(enumerate(view.states))[-12:]:
        counter = str(state.counter) if state.counter >= 0 else "–"
        by = f"tensors-{state.by}" if number else "tensors-first"
        words = say(lang, by) if state.by in ("counted", "unseen") else shorten(state.text, 44)
        place = where(state.place, many, lang) if state.place else ""
        now = ' class="now" aria-current="true"' if number == view.state else ""
        rows.append(f"<tr{now}><td>{counter}</td><td>{quoted(place)}</td><td>{quoted(words)}</td></tr>")
    head = "".join(f"<th scope='col'>{quoted(say(lang, key))}</th>" for key in HEADS)
    title = quoted(say(lang, "versions"))
    return f'<h4>{title}</h4><div class="rows"><table><tr>{head}</tr>{"".join(rows)}</table></div>'


def _grouped(count: int) -> str:
    r"""Insert thin spaces between thousands.

    >>> _grouped(1234567).replace("\u2009", " ")
    '1 234 567'
    """
    return f"{count:,}".replace(",", "\u2009")
