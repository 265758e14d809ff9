"""One tensor in full: entries and gradient side by side, its facts, its versions, how its print is read.

One call by its entries, with the plots that belong to it.
"""

import math

import streamlit as st

from explorer.analysis.autograd import contributions, node_gradients, selected_backward
from explorer.analysis.autograd.gradients import is_hypothetical
from explorer.analysis.autograd.reasons import cut_of, reason_text
from explorer.analysis.names import name_of, word_of
from explorer.analysis.operations.call import is_uninitialised
from explorer.analysis.run import run_of
from explorer.analysis.tensors.operations.view import OperationView, operation_view
from explorer.analysis.tensors.prints import is_print, read_print, with_print
from explorer.analysis.tensors.tensor_list import ListedTensor
from explorer.analysis.tensors.views import FACETS, TensorView, gradient_of, histogram, sheet, tensor_view
from explorer.drawing.color import Scale, largest
from explorer.drawing.marks import quoted
from explorer.drawing.operations import charts, operation_html
from explorer.drawing.tensors.arrays import Entries, histogram_html, numbers_html, origin_html, print_html, sheet_html
from explorer.drawing.tensors.tensor_list import facts_html, folded_html, tensor_word, title_html
from explorer.program import CellSource, Program
from explorer.text import say
from explorer.trace import Cell, Echo, Printed, Result, Trace, Value
from explorer.ui.components.linked_html import linked
from explorer.ui.components.script import component
from explorer.ui.panels.plots import figure
from explorer.ui.session.program_run import computed

TALL = 400  # px of a histogram that is alone in its view

_picture = component("explorer_operation", '<div class="operations"></div>', "panels/call.js")


def tensor_panel(trace: Trace, tensor: ListedTensor, tensors: tuple[ListedTensor, ...], lang: str) -> None:
    """Draw the panel of the selected tensor; `tensors` is the whole list it comes from."""
    view = tensor_view(trace, tensor.tensor, tensor.version)
    leading = _leading(view, tensor, lang)
    facts = facts_html(view, _mates(trace, view), lang)
    with st.container(key="tn_printing"):
        printed = _print(trace, tensor, tensors, lang)
    if printed:
        reading = print_html(read_print(printed), view.shape, lang)
    else:
        reading = f'<p class="quiet">{quoted(say(lang, "tensors-print-none"))}</p>'
    reading = folded_html("print", say(lang, "tensors-print"), reading)
    title, entries = (
        title_html(tensor, view, lang),
        _entries(trace, view, leading, st.context.theme.type == "dark", lang),
    )
    word = tensor_word(tensors.index(tensor))
    linked(f'<article class="tensor" data-of="{word}">{title}{entries}{facts}{reading}</article>', "tn_sheet")


def spread_html(trace: Trace, tensor: ListedTensor, dark: bool, lang: str) -> str:
    """The distribution of the entries of a tensor, and of its gradient; of too few for one the entries."""
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


def _leading(view: TensorView, tensor: ListedTensor, lang: str) -> tuple[int, ...] | None:
    """Sliders for the axes before the last two, where there are too many facets to draw."""
    axes = view.shape[:-2]
    if view.value.data is None or math.prod(axes) <= FACETS or not view.entries:
        return None
    with st.container(key="tn_axes", horizontal=True):
        return tuple(
            st.slider(say(lang, "tensors-place-axis", axis=axis), 0, size - 1, key=f"tn_axis_{axis}_{tensor.key}")
            if size > 1
            else 0
            for axis, size in enumerate(axes)
        )


def _entries(trace: Trace, view: TensorView, leading: tuple[int, ...] | None, dark: bool, lang: str) -> str:
    """Values, and beside them the gradient where there is one."""
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
    """Values (without a scale) or gradients: grids, range and distribution."""
    counts = histogram(value, picked) if math.prod(value.shape) > FACETS else None
    body = sheet_html(sheet(value, leading), scale, lang, title) + numbers_html(value, lang, counts)
    body += histogram_html(counts, value, kind, dark, lang) if counts else ""
    return f'<section class="{kind}"><h4>{quoted(title)}</h4>{origin}{body}</section>'


def _root(trace: Trace, backward: int | None) -> str:
    """The name of what was differentiated."""
    roots = [] if backward is None else [tensor for tensor in trace.backwards[backward].root_tensors if tensor >= 0]
    return word_of(run_of(trace), roots[0]) if roots else ""


def _mates(trace: Trace, view: TensorView) -> tuple[str, ...]:
    """Other names, and NumPy arrays, in the storage of a tensor."""
    if view.storage < 0:
        return ()
    named, storages = sorted(trace.index.bindings), trace.tensors.storage
    others = (tensor for tensor in named if storages[tensor] == view.storage and tensor != view.tensor)
    names = [name_of(run_of(trace), other) for other in others]
    names += [array.name for array in trace.index.arrays.get(view.storage, ())]
    return tuple(dict.fromkeys(names))


def _print(trace: Trace, tensor: ListedTensor, tensors: tuple[ListedTensor, ...], lang: str) -> str | None:
    """What torch prints for a tensor: of a result the cell's output, of a name that of a `print` put there."""
    if tensor.place is None:
        return None
    cell = trace.cells[tensor.place.cell]
    if not tensor.named:
        return _shown(trace, tensor, cell)
    split = with_print(cell.source, tensor.place.line, tensor.name)
    if split is None:
        return None
    head, middle, tail, cut = split
    later = (other.place for other in tensors if other.name == tensor.name and other.place is not None)
    if any(place.cell == tensor.place.cell and tensor.place.line < place.line <= cut for place in later):
        return None  # the block goes on to change it
    texts = [cell.source for cell in trace.cells]
    texts[tensor.place.cell : tensor.place.cell + 1] = [head, middle, tail]
    result = computed(Program([CellSource(text) for text in texts]), lang, like=trace)
    if not isinstance(result, Trace):
        return None
    outputs = result.cells[tensor.place.cell + 1].outputs
    texts = [output.text for output in outputs if isinstance(output, Printed) and output.stream == "stdout"]
    return texts[0].rstrip("\n") if texts and is_print(texts[0]) else None


def _shown(trace: Trace, tensor: ListedTensor, cell: Cell) -> str | None:
    """The output of the very expression that made a result."""
    lines = [text for text in cell.source.split("\n") if text.strip() and not text.lstrip().startswith("#")]
    for output in cell.outputs:
        if isinstance(output, Result) and is_print(output.text) and trace.text(output.span) == tensor.name:
            return output.text
        if isinstance(output, Echo) and is_print(output.text) and lines[-1].split("#")[0].strip() == tensor.name:
            return output.text
    return None


def call_view(trace: Trace, operation: int) -> OperationView:
    """An operation of a run, with the gradients of the backward that its page shows."""
    backward = selected_backward(trace)
    return operation_view(trace, operation, node_gradients(trace, backward), contributions(trace, backward))


def call_panel(trace: Trace, operation: int, lang: str) -> None:
    """Draw the picture of a call."""
    view = call_view(trace, operation)
    _picture(key="op_picture", data={"html": operation_html(view, lang), "stale": False})
    for number, drawn in enumerate(charts(view, st.context.theme.type == "dark", lang)):
        figure(drawn, say(lang, "figure-alt", words=view.text or view.call.name), f"op_chart_{number}", lang)
