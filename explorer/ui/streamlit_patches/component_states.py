"""Pass data of components as plain data, in both directions.

Streamlit searches all data for tables, and builds a class at every read of a component's state, seventy times for a
page, to separate events from lasting state. Here no data has such tables and no component has such events. A browser
may send a widget's state in another type than the widget reads; Streamlit keeps it and fails at every drawing. Here
such a state is dropped, and the widget starts again.
"""

import json
from typing import Any

from streamlit.components.v2.bidi_component import main
from streamlit.proto.BidiComponent_pb2 import BidiComponent
from streamlit.runtime.state.session_state import Serialized, Value, WStates

_read = WStates.__getitem__


def mend_states() -> None:
    """Patch the components of every session from now on."""
    main.make_bidi_component_presenter = lambda *_: None  # type: ignore[attr-defined,assignment,return-value]
    main.serialize_mixed_data = tell
    WStates.__getitem__ = read  # type: ignore[method-assign]


def tell(data: Any, bidi_component_proto: BidiComponent) -> None:
    """Replaces Streamlit's own function for sending data."""
    bidi_component_proto.json = json.dumps(data)


def read(states: WStates, widget: str) -> Any:
    """Replaces the method that reads a widget's value. Raises KeyError if there is none."""
    state, known = states.states.get(widget), states.widget_metadata.get(widget)
    try:
        if isinstance(state, Serialized) and known is not None:
            kind = state.value.WhichOneof("value")
            if kind not in (None, known.value_type):  # it would be kept, and could not be written as what it is
                raise TypeError(kind)
        return _read(states, widget)
    except KeyError:
        if widget not in states.states or widget not in states.widget_metadata:
            raise
    except Exception:  # whatever the widget's reader raises
        pass
    states.states[widget] = Value(states.widget_metadata[widget].deserializer(None))
    return states[widget]
