"""The picture of a Trace: its graph's view, laid out by the sandbox, drawn by `drawing`.

The one place where view, layout and drawing meet; the page, the command line and `explorer.draw` all come here.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from explorer.autograd import NOTHING_OPENED, GraphView, Opened, graph_view, sentence
from explorer.autograd.gradients import numbered_backward
from explorer.autograd.inspection import inspection
from explorer.autograd.reached import ran_until, trace_so_far, view_so_far
from explorer.autograd.steps import BackwardSteps
from explorer.drawing import html_page, labelled_dot, legend, to_dot, to_svg
from explorer.drawing.graph.inspector import inspector_html
from explorer.sandbox import layout
from explorer.trace import Trace


@dataclass(frozen=True)
class Picture:
    """A graph that knows where its cards lie. In Jupyter it shows itself.

    Attributes:
        trace: the run it is of.
        view: the cards and wires.
        positions: Graphviz's JSON, None when there was no layout in time: cards are then placed by rank.
        lang: language of its words.
        direction: TB (top down) or LR (left to right), in forward order.
        fold, opened: as in `picture`.
        whole: of a picture that leaves out gradients the view with all of them, for the sizes of its cards.
    """

    trace: Trace = field(repr=False)
    view: GraphView
    positions: str | None
    lang: str
    direction: Literal["TB", "LR"] = "TB"
    fold: bool = True
    opened: Opened = NOTHING_OPENED
    whole: GraphView | None = None

    def so_far(self, found: BackwardSteps, count: int) -> "Picture":
        """The picture after so many steps of its backward: no gradient in it, nor in its Trace, is of a later one."""
        backward = self.view.backward
        if count >= len(found.steps) or backward is None:
            return self
        trace = trace_so_far(self.trace, backward, ran_until(self.trace, backward, found, count))
        known = graph_view(trace, backward, self.fold, self.opened)
        return replace(self, trace=trace, view=view_so_far(self.view, known), whole=self.view)

    def svg(self, standalone: bool = False) -> str:
        """The drawing; standalone: with its own style, for a file."""
        return to_svg(self.view, self.positions, self.lang, self.direction, standalone, self.whole)

    def dot(self) -> str:
        """The graph for a person's own Graphviz, with titles, values and gradients."""
        return labelled_dot(self.view, self.lang, self.direction)

    def html(self) -> str:
        """The drawing in a page of its own, which answers clicks and keys with a card's numbers."""
        roots = self.view.roots or ((self.view.cards[-1].id,) if self.view.cards else ("",))
        cards = {card.id: self._in_full(card.id, roots[0]) for card in self.view.cards}
        title = self.view.of or "Autograd Explorer"
        return html_page(self.svg(), self.lang, title, self.legend(), self.sentence(), cards, roots[0])

    def _in_full(self, card: str, root: str) -> str:
        span = -1 if self.view.backward is None else self.trace.backwards[self.view.backward].span
        line = self.trace.line(span)
        found = inspection(self.trace, self.view, card, self.lang)
        return inspector_html(found, self.view, self.lang, card != root, line)

    def legend(self) -> str:
        """What its marks mean, as HTML."""
        return legend(self.view, self.lang)

    def sentence(self) -> str:
        """Why its most instructive gradient is what it is, as plain text."""
        return sentence(self.view, self.lang)

    def _repr_html_(self) -> str:
        return self.svg(standalone=True)


@dataclass(frozen=True)
class PictureFormat:
    """A kind of file that a picture can be written to.

    Attributes:
        mime: its type, as the web names it.
        written: the text of the file.
    """

    mime: str
    written: Callable[[Picture], str]


# By their suffix, for the command line and the menu. A new format is a method above and a line here.
FORMATS = {
    ".svg": PictureFormat("image/svg+xml", lambda picture: picture.svg(standalone=True)),
    ".html": PictureFormat("text/html", Picture.html),
    ".dot": PictureFormat("text/vnd.graphviz", Picture.dot),
}


def picture(
    trace: Trace,
    lang: str = "en",
    backward: int | None = None,
    fold: bool = True,
    direction: Literal["TB", "LR"] = "TB",
    opened: Opened = NOTHING_OPENED,
    stopped: int = -1,
) -> Picture:
    """The picture of a run.

    Args:
        backward: whose gradients it shows; None: those of the last that succeeded.
        fold: whether loops and repeated modules become one card.
        direction: TB (top down) or LR (left to right).
        opened: what stays unfolded all the same.
        stopped: an operation that raised, drawn with what it was given.

    Raises:
        IndexError: the program has no such backward.
    """
    view = graph_view(trace, backward, fold, opened, stopped)
    return Picture(trace, view, layout(to_dot(view, direction)), lang, direction, fold, opened)


def numbered_picture(trace: Trace, lang: str, number: int | None, fold: bool) -> Picture:
    """The picture of the `number`th backward, counted from 1 as people do; None: of the last that succeeded.

    Raises IndexError when the program has no such backward.
    """
    return picture(trace, lang, numbered_backward(trace, number), fold)
