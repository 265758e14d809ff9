"""The lens Tensors: the tensors of the program by line: one in full, or its histogram."""

import math
from collections import Counter
from collections.abc import Mapping

import streamlit as st

from explorer.analysis.autograd import ending_operation, selected_backward
from explorer.analysis.tensors.program_lines import branches_not_run, value_of
from explorer.analysis.tensors.tensor_list import ListedTensor, tensor_list
from explorer.drawing.tensors.sheets import spread_html
from explorer.drawing.tensors.tensor_list import list_html
from explorer.program import Unusable
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.components.choice import segments
from explorer.ui.components.linked_html import linked, pressed
from explorer.ui.pages.autograd import page as workbench
from explorer.ui.pages.autograd.lens import Lens
from explorer.ui.pages.tensors.examples import EXAMPLES
from explorer.ui.panels.lesson import lesson
from explorer.ui.panels.tensor import tensor_panel
from explorer.ui.session.chosen_line import ProgramPlace
from explorer.ui.session.document import Document
from explorer.ui.session.lessons import begun
from explorer.ui.session.links import send
from explorer.ui.session.memo import memoize
from explorer.ui.session.page_state import PageState
from explorer.ui.session.state import Session

VIEWS = ("tensor", "histogram")
# Views that were on this page, with where they are now.
MOVED: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "operations": ("operations", {}),
    "memory": ("autograd", {"seen": "memory"}),
}
SMALL = 64  # entries up to which a tensor is shown first
LIST = "tn_list"
STATE = PageState("tensors", {"view": "tn_view"})
Tensors = Mapping[str, tuple[ListedTensor, ProgramPlace | None]]


class TensorLens(Lens[ListedTensor]):
    """The tensors of a program, each as a line left it."""

    def items(self, trace: Trace) -> Tensors:
        """Every tensor of the list."""
        listed = memoize("tensors", trace, lambda: tensor_list(trace))
        return {one.key: (one, (one.place.cell, one.place.line) if one.place else None) for one in listed}

    def collect(self) -> Session:
        """The session; an old address of a view that was on this page leads to where it is."""
        now = super().collect()
        if STATE["view"] in MOVED:
            name, shown = MOVED[STATE["view"]]
            STATE["view"] = VIEWS[0]
            send(name, **shown)
            st.switch_page(f"pages/{name}.py")
        return now

    def draw(self, now: Document, result: Trace | Unusable, lang: str) -> None:
        """What to see in an example, until its line is closed or its text changed; the tensors."""
        if (name := begun("tensors")) in EXAMPLES and now.texts == (EXAMPLES[name],):
            lesson("tensors", say(lang, f"tensors-example-{name}.see"), say(lang, f"tensors-example-{name}.ask"), lang)
        super().draw(now, result, lang)

    def first(self, trace: Trace, items: Tensors) -> str:
        """A tensor that was read by what ended the run; else one with a .grad, a backward's root, or shared memory."""
        ended, backward, order = ending_operation(trace), selected_backward(trace), list(items)
        failed = trace.operations.inputs[ended] if ended >= 0 else ()
        call = trace.backwards[backward] if backward is not None else None
        roots = call.root_tensors if call is not None and call.kind != "implicit" else ()
        storages = Counter(trace.tensors.storage[tensor] for tensor in {one.tensor for one, _ in items.values()})

        def weight(key: str) -> tuple:
            tensor = items[key][0]
            entries = value_of(trace, tensor.version).data or ()
            fits = len(entries) if len(entries) <= SMALL else 0
            shared = tensor.named and storages[trace.tensors.storage[tensor.tensor]] > 1
            matrix = len(tensor.shape) > 1 and fits > 1
            learns = trace.tensors.grad[tensor.tensor] >= 0 and math.prod(tensor.shape) > 1
            ranks = (tensor.tensor in failed, learns, tensor.tensor in roots, shared, tensor.named, matrix)
            return *ranks, min(fits, 6), order.index(key)

        return max(items, key=weight)

    def pressed(self, trace: Trace) -> str | None:
        """The row that was pressed."""
        return pressed(LIST, _run(trace))

    def one(self, trace: Trace, items: Tensors, chosen: str, lang: str) -> None:
        """The list, and beside it the tensor or its histogram."""
        tensors = tuple(tensor for tensor, _ in items.values())
        labels = {name: say(lang, f"tensors-view-{name}") for name in VIEWS}
        view = segments(say(lang, "seen"), STATE.field("view"), labels)
        left, right = st.columns([30, 70], gap="small")
        with left:
            rows = list_html(trace, tensors, chosen, branches_not_run(trace), lang)
            linked(f'<div class="tn-source">{rows}</div>', LIST, _run(trace))
        with right:
            if view == "histogram":
                tensor = items[chosen][0]
                dark = st.context.theme.type == "dark"
                html = memoize("histogram", trace, lambda: spread_html(trace, tensor, dark, lang), chosen, dark, lang)
                linked(html, "tn_spread")
            else:
                tensor_panel(trace, items[chosen][0], tensors, lang)


LENS = TensorLens(STATE, "tensor", EXAMPLES)


def page(lang: str) -> None:
    """Draw the page."""
    workbench.page(lang, LENS)


def _run(trace: Trace) -> str:
    return str(hash(tuple(cell.source for cell in trace.cells)))
