"""The lens Histogram: how the entries of a tensor, and those of its gradient, are spread."""

import math
from collections.abc import Mapping

import numpy as np
import streamlit as st

from explorer.analysis.autograd import selected_backward
from explorer.analysis.autograd.gradients import is_hypothetical, version_gradient
from explorer.analysis.tensors.program_lines import ProgramLine, place_of_span, shape_of, value_of
from explorer.analysis.tensors.tensor_list import ListedTensor, tensor_list
from explorer.analysis.tensors.views import Histogram, gradient_of, histogram, tensor_view, written_when
from explorer.drawing.marks import quoted
from explorer.drawing.tensors.arrays import dots_html, histogram_html, numbers_html, origin_html
from explorer.program import Unusable
from explorer.text import say
from explorer.text.numbers import shape_text, shorten
from explorer.trace import Trace, Value
from explorer.ui.components.linked_html import linked
from explorer.ui.pages.autograd import page as workbench
from explorer.ui.pages.autograd.lens import Lens
from explorer.ui.session.chosen_line import ProgramPlace
from explorer.ui.session.document import Document
from explorer.ui.session.memo import memoize
from explorer.ui.session.page_state import PageState

STATE = PageState("histogram", {"tensor": "hi_tensor"})
MOST_ROWS = 24  # of tensors of few numbers
MOST_NUMBERS = 3  # of one of them
Spread = Mapping[str, tuple[ListedTensor, ProgramPlace | None]]

RELU = """\
torch.manual_seed(0)
x = torch.randn(100, 8)
w = torch.randn(8, 16, requires_grad=True)
z = x @ w
h = torch.relu(z)
loss = (h ** 2).mean()
loss.backward()
"""
SCALE = """\
torch.manual_seed(0)
x = torch.randn(100, 64)
w = torch.randn(64, 16)
small = torch.tanh(x @ (0.01 * w))
right = torch.tanh(x @ (w / 64 ** 0.5))
large = torch.tanh(x @ w)
"""


class HistogramLens(Lens[ListedTensor]):
    """The tensors with at least three different numbers, or NaN or infinite ones, also in their gradient only."""

    def items(self, trace: Trace) -> Spread:
        """Every tensor of the list that has a distribution."""
        return memoize("spread", trace, lambda: _spread(trace))

    def first(self, trace: Trace, items: Spread) -> str:
        """The first with NaN or ∞, beside bars if possible; otherwise the first with the largest counted gradient,
        with the values that backward used.
        """
        backward = selected_backward(trace)

        def weight(key: str) -> tuple:
            found = _histograms(trace, items[key][0])
            counted = [counts.counted if counts else 0 for *_, counts in found]
            broken = max((1 + bool(counts) for _, value, counts in found if value.nonfinite), default=0)
            used = backward is not None and written_when(trace, items[key][0].version, backward) == "with"
            return broken, sum(counted[1:]), used, counted[0]

        return max(items, key=weight)

    def one(self, trace: Trace, items: Spread, chosen: str, lang: str) -> None:
        """The choice of a tensor, and the distribution of its entries and of its gradient."""
        words = {key: _option(tensor, lang) for key, (tensor, _) in items.items()}
        label, field = say(lang, "histogram-tensor"), STATE.field("tensor")
        st.selectbox(label, list(words), format_func=words.__getitem__, key=field, label_visibility="collapsed")
        linked(memoize("histogram", trace, lambda: _figures(trace, items[chosen][0], lang), chosen, lang), "hi_figures")

    def none(self, now: Document, result: Trace | Unusable, lang: str) -> None:
        """The few numbers of each tensor on one axis, and the examples, as the program has nothing else to draw."""
        super().none(now, result, lang)
        if isinstance(result, Trace) and (rows := memoize("dots", result, lambda: _dots(result))):
            shown, left = rows[:MOST_ROWS], len(rows) - MOST_ROWS
            more = f"<p>{quoted(say(lang, 'tensors-dots-more', count=left))}</p>" if left > 0 else ""
            origin = origin_html(result, selected_backward(result), lang) if any(row[2] for row in shown) else ""
            dots = dots_html(shown, lang, is_hypothetical(result))
            st.html(f'<div class="spread"><section>{dots}{origin}{more}</section></div>')
        with st.container(key="hi_examples", horizontal=True, horizontal_alignment="center"):
            for name in self.programs:
                words = say(lang, f"histogram-example-{name}")
                st.button(words, key=f"hi_open_{name}", on_click=self.open, args=(name,))


LENS = HistogramLens(STATE, "tensor", {"relu": RELU, "scale": SCALE})


def page(lang: str) -> None:
    """Draw the page."""
    workbench.page(lang, LENS)


def _spread(trace: Trace) -> Spread:
    return {
        one.key: (one, (one.place.cell, one.place.line) if one.place else None)
        for one in sorted([*tensor_list(trace), *_used(trace)], key=lambda one: one.place or ProgramLine(1 << 20, 0))
        if math.prod(one.shape) > 2 and any(counts or value.nonfinite for _, value, counts in _histograms(trace, one))
    }


def _used(trace: Trace) -> list[ListedTensor]:
    """The leaves with the values that backward used, where no line of the list shows these."""
    backward, listed = selected_backward(trace), tensor_list(trace)
    if backward is None:
        return []
    call, shown = trace.backwards[backward], {one.version for one in listed}
    place, used = place_of_span(trace, call.span), []
    for tensor, name in {one.tensor: one.name for one in listed if trace.tensors.is_leaf[one.tensor]}.items():
        row = trace.index.before(tensor, call.operations)
        if row is not None and row not in shown and version_gradient(trace, row, backward) >= 0:
            used.append(ListedTensor(name, True, place, tensor, row, *shape_of(trace, row)))
    return used


def _histograms(trace: Trace, tensor: ListedTensor) -> list[tuple[str, Value, Histogram | None]]:
    """The title, the value and the histogram of a tensor, and of its gradient if it has one."""
    view = tensor_view(trace, tensor.tensor, tensor.version)
    gradient, _ = gradient_of(trace, view, selected_backward(trace))
    values = [("tensors-values", view.value, histogram(view.value, view.picked))]
    return values + ([("tensors-gradient", gradient, histogram(gradient))] if gradient is not None else [])


def _dots(trace: Trace) -> list[tuple[str, list[float], list[float]]]:
    """The different numbers of each tensor and of its gradient, of those that have any."""
    backward = selected_backward(trace)
    rows = [
        (
            shorten(one.name, 24),
            _numbers(value_of(trace, one.version)),
            _numbers(gradient_of(trace, tensor_view(trace, one.tensor, one.version), backward)[0]),
        )
        for one in tensor_list(trace)
    ]
    return [row for row in rows if row[1] or row[2]]


def _numbers(value: Value | None) -> list[float]:
    entries = np.asarray(value.entries if value is not None else ())
    if entries.dtype.kind not in "fiu":
        return []
    numbers = entries.astype(np.float64)
    return np.unique(numbers[np.isfinite(numbers)])[:MOST_NUMBERS].tolist()


def _option(tensor: ListedTensor, lang: str) -> str:
    words = f"{shorten(tensor.name, 40)} {shape_text(tensor.shape)}"
    return f"{words} · {say(lang, 'line', line=tensor.place.line)}" if tensor.place else words


def _figures(trace: Trace, tensor: ListedTensor, lang: str) -> str:
    parts = ""
    for title, value, counts in _histograms(trace, tensor):
        is_gradient = title == "tensors-gradient"
        kind = ' class="hypothetical"' if is_gradient and is_hypothetical(trace) else ""
        origin = origin_html(trace, selected_backward(trace), lang, tensor.version) if is_gradient else ""
        bars = histogram_html(counts, value, is_gradient, lang) if counts else ""
        words = f"<h3>{quoted(say(lang, title))}</h3>{origin}{bars}{numbers_html(value, lang, counts)}"
        parts += f"<section{kind}>{words}</section>"
    return f'<div class="spread">{parts}</div>'
