"""The widget: anywidget carries its messages in Jupyter, Colab, VS Code and marimo."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from explorer.drawing.graph.svg import style
from explorer.drawing.offline.page import page_sheet
from explorer.drawing.scripts import linked
from explorer.drawing.style import sheet
from explorer.drawing.widget import answers, training
from explorer.extras import missing, need

HERE = Path(__file__).parent


@dataclass(frozen=True)
class WidgetKind:
    """What a widget can show.

    Attributes:
        script: its module of JavaScript; sheets: its style, beside the tokens'.
        shown: what the script draws.
        answer: the drawing after a message of the script, and the HTML of what was asked for.
    """

    script: str
    sheets: Callable[[], str]
    shown: Callable[[Any], dict[str, Any]]
    answer: Callable[[Any, object], tuple[Any, dict[str, str]]]


PICTURE = WidgetKind("picture.js", lambda: page_sheet() + _own("picture.css"), answers.shown, answers.answer)
TRAINING = WidgetKind("training.js", lambda: sheet("training") + _own("training.css"), training.shown, training.answer)


def can_ask() -> bool:
    """Whether this process is the kernel of a notebook in which a widget can be shown."""
    return "ipykernel" in sys.modules and not missing("notebook")


def widget(kind: WidgetKind, drawn: Any, lang: str) -> Any:
    """The widget of a drawing. Raises MissingExtra where [notebook] is not installed."""
    need("notebook", lang)
    return _widget_class(kind)(drawn)


def _own(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


@cache
def _widget_class(kind: WidgetKind) -> type:
    import anywidget
    import traitlets

    class DrawingWidget(anywidget.AnyWidget):
        """A drawing whose clicks ask the kernel. Attributes: shown: what the script draws; sheet: its style."""

        _esm = linked(HERE / kind.script) + "export default { render };\n"
        shown = traitlets.Dict().tag(sync=True)
        sheet = traitlets.Unicode().tag(sync=True)

        def __init__(self, drawn: Any) -> None:
            super().__init__(shown=kind.shown(drawn), sheet=style(":host") + kind.sheets())
            self._drawn = drawn
            self.on_msg(self._asked)

        def _asked(self, _widget: object, message: object, _buffers: object) -> None:
            drawn, html = kind.answer(self._drawn, message)
            if drawn is not self._drawn:
                self._drawn = drawn
                self.shown = kind.shown(drawn)
            if html:
                self.send(html)

    return DrawingWidget
