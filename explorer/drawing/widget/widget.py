"""The widget: anywidget connects it in Jupyter, Colab, VS Code and marimo."""

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
    """A kind of widget.

    Attributes:
        script: JavaScript module. sheets: style besides the tokens.
        shown: returns the drawing data.
        answer: returns the drawing after a script message, and the requested HTML.
    """

    script: str
    sheets: Callable[[], str]
    shown: Callable[[Any], dict[str, Any]]
    answer: Callable[[Any, object], tuple[Any, dict[str, str]]]


PICTURE = WidgetKind("picture.js", lambda: page_sheet() + _own("picture.css"), answers.shown, answers.answer)
TRAINING = WidgetKind("training.js", lambda: sheet("training") + _own("training.css"), training.shown, training.answer)


def can_ask() -> bool:
    """Return whether this process is a notebook kernel that can show widgets."""
    return "ipykernel" in sys.modules and not missing("notebook")


def widget(kind: WidgetKind, drawn: Any, lang: str) -> Any:
    """Create a drawing's widget. Raises MissingExtra if [notebook] is not installed."""
    need("notebook", lang)
    return _widget_class(kind)(drawn)


def _own(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


@cache
def _widget_class(kind: WidgetKind) -> type:
    import anywidget
    import traitlets

    class DrawingWidget(anywidget.AnyWidget):
        """A drawing whose clicks ask the kernel. Attributes: shown: drawing data. sheet: its style."""

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
