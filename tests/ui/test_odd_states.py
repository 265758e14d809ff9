"""A component may send any values, and late: pages are drawn anyway."""

import json
from collections.abc import Callable

import pytest
from google.protobuf.message import Message
from streamlit.proto.Block_pb2 import Block
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.testing.v1 import AppTest

from explorer.ui.session.addresses import PAGES
from tests.ui.pages import new_page

KEYS = (  # states of the pages' components
    "edit cell chosen selected view root module asked query name count at key run step kept text place opened told "
    "came act wanted entry parameter moved page fragment framed about s of start path open direction fold film "
    "position number card do after session predict answer opens cells origin ran"
).split()
PARTS = [{}, [], "x", "", -1, 1 << 62, 0.5, float("nan"), True, None, {"key": []}, [[]], {"at": {}, "count": [1]}]


def page(name: str) -> AppTest:
    """Return a page, drawn once, with its menus open."""
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
    """Return the name of the widget with this key."""
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


@pytest.mark.sampled(11)
@pytest.mark.parametrize("name", [one.name for one in PAGES])
def test_a_page_survives_odd_component_states(name):
    app = page(name)
    for part in PARTS:
        tell(app, part)
