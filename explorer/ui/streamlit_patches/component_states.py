"""Pass component data as plain data, in both directions.

Streamlit searches all data for tables, and builds a class at every read of a component's state, seventy times per page,
to separate events from lasting state. Here no data has such tables and no component has such events.

A browser may send a state of the wrong type, a choice that is not offered, no required value, or the state of an
unknown widget. Streamlit keeps all of these and fails at every drawing. Here they are dropped, and the widget starts
again.
"""

import json
from collections.abc import Callable
from typing import Any

from streamlit.components.v2.bidi_component import main
from streamlit.elements.widgets.button_group import ButtonGroupMixin
from streamlit.proto.BidiComponent_pb2 import BidiComponent
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.state.common import WidgetMetadata, is_element_id
from streamlit.runtime.state.session_state import Serialized, Value, WStates

_read, _take = WStates.__getitem__, WStates.set_widget_from_proto
_draw = ButtonGroupMixin._button_group


def patch_widget_states() -> None:
    """Patch the components of every session from now on."""
    main.make_bidi_component_presenter = lambda *_: None  # type: ignore[attr-defined,assignment,return-value]
    main.serialize_mixed_data = send_data
    WStates.__getitem__ = read  # type: ignore[method-assign]
    WStates.set_widget_from_proto = take  # type: ignore[method-assign,assignment]
    ButtonGroupMixin._button_group = draw_choice  # type: ignore[method-assign,assignment]


def send_data(data: Any, bidi_component_proto: BidiComponent) -> None:
    """Send data, in the place of Streamlit's function."""
    bidi_component_proto.json = json.dumps(data)


def draw_choice(
    group: ButtonGroupMixin, options: Any, *, deserializer: Callable, required: bool = False, **more: Any
) -> Any:
    """Replace the method that draws buttons with one or more pressed."""

    def chosen(labels: list[str] | None) -> Any:
        return deserializer(["\0"] if labels == [] else labels)  # no label: keep the previous choice

    reads = chosen if required else deserializer
    return _draw(group, options, deserializer=reads, required=required, **more)


def take(states: WStates, widget_state: WidgetState) -> None:
    """Replace the method that stores a browser's message. Streamlit finds it only under this name."""
    if is_element_id(widget_state.id):
        _take(states, widget_state)


def read(states: WStates, widget: str) -> Any:
    """Read a widget's value, in Streamlit's place. Raises KeyError."""
    state, metadata = states.states.get(widget), states.widget_metadata.get(widget)
    try:
        if isinstance(state, Serialized) and metadata is not None and not _fits(state.value, metadata):
            raise TypeError
        return _read(states, widget)
    except KeyError:
        if widget not in states.states or widget not in states.widget_metadata:
            raise
    except Exception:  # whatever the widget's reader raises
        pass
    states.states[widget] = Value(states.widget_metadata[widget].deserializer(None))
    return states[widget]


def _fits(state: WidgetState, metadata: WidgetMetadata) -> bool:
    """Return whether a widget can be in this state."""
    kind = state.WhichOneof("value")
    if kind == "string_value" and metadata.formatted_options is not None:
        return state.string_value in metadata.formatted_options
    if kind == "json_value" and not state.json_value.lstrip().startswith("{"):
        return False
    return kind in (None, metadata.value_type)
