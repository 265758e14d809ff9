"""A browser's widget states may have any type and value, and be late: pages are drawn anyway."""

import json
from collections.abc import Callable

import pytest
from google.protobuf.message import Message
from streamlit.proto.Block_pb2 import Block
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.testing.v1 import AppTest

from explorer.ui.session.addresses import PAGES
from explorer.ui.streamlit_patches.component_states import patch_widget_states
from tests.ui.pages import new_page

KEYS = (  # states of the pages' components
    "edit cell chosen selected view root module asked query name count at key run step kept text place opened told "
    "came act wanted entry parameter moved page fragment framed about s of start path open direction fold film "
    "position number card do after session predict answer opens cells origin ran"
).split()
PARTS = [{}, [], "x", "", -1, 1 << 62, 0.5, float("nan"), True, None, {"key": []}, [[]], {"at": {}, "count": [1]}]


@pytest.fixture(autouse=True)
def _fixed():
    patch_widget_states()


def page(name: str) -> AppTest:
    """A page, drawn once, with its menus open."""
    app = new_page("" if name == PAGES[0].name else name).run()
    return send(app, lambda widget: setattr(widget, "bool_value", True), *menus(app))


def menus(app: AppTest) -> list[str]:
    return [name for name, kind in widgets(app) if kind in ("Popover", "Expandable")]


def widgets(app: AppTest) -> list[tuple[str, str]]:
    """Name and kind of the widgets that a page shows."""
    shown = [part.proto for part in app._tree if isinstance(getattr(part, "proto", None), Message)]
    shown = [getattr(proto, proto.WhichOneof("type"), proto) if isinstance(proto, Block) else proto for proto in shown]
    return [(name, type(proto).__name__) for proto in shown if (name := getattr(proto, "id", ""))]


def named(app: AppTest, key: str) -> str:
    """The name of the widget with this key."""
    return next(name for name, _ in widgets(app) if name.endswith(f"-{key}"))


def send(app: AppTest, change: Callable[[WidgetState], object], *names: str) -> AppTest:
    """Send a state for some widgets, like a browser."""
    states = WidgetStates()
    for name in names:
        change(states.widgets.add(id=name))
    app._run(states)
    assert not app.exception
    return app


def tell(app: AppTest, part: object) -> AppTest:
    """Send one value for all component states of a page."""
    told = json.dumps(dict.fromkeys(KEYS, part))
    components = [name for name, kind in widgets(app) if kind == "BidiComponent"]
    return send(app, lambda widget: setattr(widget, "json_value", told), *components)


ODD: dict[str, Callable[[WidgetState], object]] = {
    "nothing": lambda widget: None,
    "text": lambda widget: setattr(widget, "string_value", "no choice"),
    "texts": lambda widget: widget.string_array_value.data.extend(["no choice"] * 3),
    "no texts": lambda widget: widget.string_array_value.SetInParent(),
    "pressed": lambda widget: setattr(widget, "trigger_value", True),
    "number": lambda widget: setattr(widget, "double_value", float("nan")),
    "large number": lambda widget: setattr(widget, "double_value", 1e300),
    "whole number": lambda widget: setattr(widget, "int_value", -1),
    "numbers": lambda widget: widget.double_array_value.data.extend([float("inf"), -1.0]),
    "file": lambda widget: widget.file_uploader_state_value.uploaded_file_info.add(file_id="f", name="a.csv"),
    "JSON of no dictionary": lambda widget: setattr(widget, "json_value", '"x"'),
}


@pytest.mark.sampled(11)
@pytest.mark.parametrize("name", [one.name for one in PAGES])
def test_a_page_survives_odd_widget_states(name):
    app = page(name)
    for change in ODD.values():
        send(app, change, *(name for name, _ in widgets(app)))
        send(app, lambda widget: setattr(widget, "bool_value", True), *menus(app))
    for part in PARTS:
        tell(app, part)


def test_an_unoffered_choice_is_dropped():
    app = page("derivatives")
    send(app, ODD["text"], named(app, "derivatives_try"))
    assert app.selectbox(key="derivatives_try").value is None


@pytest.mark.parametrize("name", ["w", "", "_handled", "$$\x03D-0f81bef9b5f62267085d39d6a8e8fbf5-code"])
def test_a_state_without_a_widget_is_dropped(name):
    send(page("autograd"), ODD["text"], name)
