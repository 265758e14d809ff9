"""The widget: anywidget carries its messages in Jupyter, Colab, VS Code and marimo."""

import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from explorer.drawing.graph.svg import style
from explorer.drawing.offline.page import page_sheet
from explorer.drawing.scripts import linked
from explorer.drawing.widget.answers import Drawn, answer, shown
from explorer.text import say

HERE = Path(__file__).parent


def can_ask() -> bool:
    """Whether this process is the kernel of a notebook in which a widget can be shown."""
    return "ipykernel" in sys.modules and find_spec("anywidget") is not None


def picture_widget(picture: Drawn) -> Any:
    """The widget of a picture. Raises ImportError where anywidget is not installed."""
    if find_spec("anywidget") is None:
        raise ImportError(say(picture.lang, "widget-missing"), name="anywidget")
    return _widget_class()(picture)


@cache
def _widget_class() -> type:
    import anywidget
    import traitlets

    class PictureWidget(anywidget.AnyWidget):
        """A picture whose clicks ask the kernel. Attributes: shown: what the script draws; sheet: its style."""

        _esm = linked(HERE / "widget.js") + "export default { render };\n"
        shown = traitlets.Dict().tag(sync=True)
        sheet = traitlets.Unicode().tag(sync=True)

        def __init__(self, picture: Drawn) -> None:
            sheets = style(":host") + page_sheet() + (HERE / "widget.css").read_text(encoding="utf-8")
            super().__init__(shown=shown(picture), sheet=sheets)
            self._picture = picture
            self.on_msg(self._asked)

        def _asked(self, _widget: object, message: object, _buffers: object) -> None:
            picture, html = answer(self._picture, message)
            if picture is not self._picture:
                self._picture = picture
                self.shown = shown(picture)
            if html:
                self.send(html)

    return PictureWidget
