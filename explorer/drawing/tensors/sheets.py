"""One tensor in full: entries, gradient and facts."""

import math

from explorer.analysis.explain.autograd import selected_backward
from explorer.analysis.explain.autograd.gradients import is_hypothetical
from explorer.analysis.explain.autograd.reasons import cut_of, reason_text
from explorer.analysis.run.model import run_of
from explorer.analysis.run.names import name_of, word_of
from explorer.analysis.run.operations.call import is_uninitialised
from explorer.analysis.views.tensors.tensor_list import ListedTensor
from explorer.analysis.views.tensors.views import FACETS, TensorView, gradient_of, histogram, sheet, tensor_view
from explorer.drawing.color import Scale, largest
from explorer.drawing.marks import quoted
from explorer.drawing.tensors.arrays import Entries, histogram_html, numbers_html, origin_html, sheet_html
from explorer.drawing.tensors.tensor_list import facts_html, tensor_word, title_html
from explorer.text import say
from explorer.trace import Trace, Value

TALL = 400  # px of a view's only histogram


def tensor_html(
    trace: Trace,
    tensor: ListedTensor,
    view: TensorView,
    number: int,
    leading: tuple[int, ...] | None,
    dark: bool,
    lang: str,
) -> str:
    """Render a tensor.

    Args:
        leading: place on the axes before the last two, None for all.
    """
    title, entries = title_html(tensor, view, lang), _entries(trace, view, leading, dark, lang)
    facts = facts_html(view, _others_on_storage(trace, view), lang)
    return f'<article class="tensor" data-of="{tensor_word(number)}">{title}{entries}{facts}</article>'


def spread_html(trace: Trace, tensor: ListedTensor, dark: bool, lang: str) -> str:
    """Render the distribution of values and gradients, or few entries in full."""
    view = tensor_view(trace, tensor.tensor, tensor.version)
    backward = selected_backward(trace)
    gradient, _ = gradient_of(trace, view, backward)
    figures = [("seen-values", view.value, view.picked)]
    figures += [("tensors-gradient", gradient, None)] if gradient is not None else []
    parts, height = title_html(tensor, view, lang), TALL if len(figures) == 1 else TALL // 2
    for title, value, picked in figures:
        is_gradient, counts = value is gradient, histogram(value, picked)
        kind: Entries = "values" if not is_gradient else "hypothetical" if is_hypothetical(trace) else "gradient"
        origin = origin_html(trace, backward, lang, tensor.version) if is_gradient else ""
        scale = Scale(largest(value) or 1.0) if is_gradient else None
        bars = (
            histogram_html(counts, value, kind, dark, lang, height)
            if counts
            else sheet_html(sheet(value), scale, lang, say(lang, title))
        )
        words = f"<h4>{quoted(say(lang, title))}</h4>{origin}{bars}{numbers_html(value, lang, counts)}"
        parts += f'<section class="{kind}">{words}</section>'
    return f'<article class="tensor spread">{parts}</article>'


def _entries(trace: Trace, view: TensorView, leading: tuple[int, ...] | None, dark: bool, lang: str) -> str:
    """Render the values, next to the gradient if there is one."""
    row, backward = view.states[view.state].row, selected_backward(trace)
    words, blank = say(lang, "seen-values"), say(lang, "operations-uninitialised")
    note = f'<p class="range">{quoted(blank)}</p>' if is_uninitialised(trace, row) else ""
    parts = [_part(words, view.value, None, leading, dark, lang, view.picked, note)]
    gradient, reason = gradient_of(trace, view, backward)
    scale = Scale(max((largest(value) for value in (gradient, view.grad) if value is not None), default=0) or 1.0)
    if gradient is not None:
        root = _root(trace, backward)
        title = say(lang, "tensors-gradient-of", root=root) if root else say(lang, "tensors-gradient")
        origin = origin_html(trace, backward, lang, row)
        kind: Entries = "hypothetical" if is_hypothetical(trace) else "gradient"
        parts.append(_part(title, gradient, scale, leading, dark, lang, origin=origin, kind=kind))
    if view.grad is not None and gradient is not view.grad:
        parts.append(_part(say(lang, "tensors-gradient-kept"), view.grad, scale, leading, dark, lang, kind="gradient"))
    if len(parts) == 1 and reason and view.requires_grad:
        note = say(lang, "tensors-no-gradient", reason=reason_text(reason, cut_of(trace, view.tensor, backward), lang))
        parts[0] = parts[0].removesuffix("</section>") + f'<p class="quiet">{quoted(note)}</p></section>'
    return f'<div class="tensor-entries">{"".join(parts)}</div>'


def _part(
    title: str,
    value: Value,
    scale: Scale | None,
    leading: tuple[int, ...] | None,
    dark: bool,
    lang: str,
    picked: tuple[int, tuple] | None = None,
    origin: str = "",
    kind: Entries = "values",
) -> str:
    """Render values (no scale) or gradients: grids, range, distribution."""
    counts = histogram(value, picked) if math.prod(value.shape) > FACETS else None
    body = sheet_html(sheet(value, leading), scale, lang, title) + numbers_html(value, lang, counts)
    body += histogram_html(counts, value, kind, dark, lang) if counts else ""
    return f'<section class="{kind}"><h4>{quoted(title)}</h4>{origin}{body}</section>'


def _root(trace: Trace, backward: int | None) -> str:
    """Return the name of the differentiated tensor."""
    roots = [] if backward is None else [tensor for tensor in trace.backwards[backward].root_tensors if tensor >= 0]
    return word_of(run_of(trace), roots[0]) if roots else ""


def _others_on_storage(trace: Trace, view: TensorView) -> tuple[str, ...]:
    """Return other names and NumPy arrays that share a storage."""
    if view.storage < 0:
        return ()
    named, storages = sorted(trace.index.bindings), trace.tensors.storage
    others = (tensor for tensor in named if storages[tensor] == view.storage and tensor != view.tensor)
    names = [name_of(run_of(trace), other) for other in others]
    names += [array.name for array in trace.index.arrays.get(view.storage, ())]
    return tuple(dict.fromkeys(names))
