"""What components are told, and what they told: plain data, as it is.

Streamlit looks in all data for tables, of any library, to send them in a form of their own; and at each look at what a
component told it makes a class anew, seventy times for a page, so that events of a moment stand beside what lasts and
what lasts can be written. Here no data holds such a table, no component tells of such events, and nothing is written.
"""

import json
from typing import Any

from streamlit.components.v2.bidi_component import main
from streamlit.proto.BidiComponent_pb2 import BidiComponent


def mend_states() -> None:
    """Have the components of every session be told and read so, from now on."""
    main.make_bidi_component_presenter = lambda *_: None  # type: ignore[attr-defined,assignment,return-value]
    main.serialize_mixed_data = tell


def tell(data: Any, bidi_component_proto: BidiComponent) -> None:
    """In place of Streamlit's own function."""
    bidi_component_proto.json = json.dumps(data)
