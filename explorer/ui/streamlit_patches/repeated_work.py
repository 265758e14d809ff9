"""Leave out work that Streamlit repeats at every drawing with the same result.

It looks for changed options five times a second, though ours are fixed while the server runs, and collects the theme
anew for each drawing. For each fragment it copies all cursors with `deepcopy`. It looks up every value of the session
as if it were a widget's.
"""

from copy import deepcopy
from functools import cache
from typing import Any

from streamlit import delta_generator
from streamlit.cursor import Cursor, SparseList
from streamlit.delta_generator import DeltaGenerator
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session, fragment
from streamlit.runtime.state import SafeSessionState
from streamlit.watcher.polling_path_watcher import PollingPathWatcher

_populate = app_session._populate_theme_msg
_read = SafeSessionState.__getitem__


def patch_repetition() -> None:
    """Patch every session from now on."""
    PollingPathWatcher._check_if_path_changed = lambda _: None  # type: ignore[method-assign,assignment]
    app_session._populate_theme_msg = populate_theme
    fragment.deepcopy = delta_generator.deepcopy = copied  # type: ignore[attr-defined,assignment]
    SafeSessionState.__getitem__ = read  # type: ignore[method-assign]


def populate_theme(msg: CustomThemeConfig, section: str = "theme") -> None:
    """Replace the function that writes a section of the theme."""
    msg.MergeFrom(_theme(section))


@cache
def _theme(section: str) -> CustomThemeConfig:
    made = CustomThemeConfig()
    _populate(made, section)
    return made


def copied(what: Any) -> Any:
    """Replace `deepcopy` where Streamlit copies cursors and what draws at them."""
    if what is None:
        return None
    if isinstance(what, Cursor):
        made = object.__new__(type(what))
        elements = what._transient_elements
        vars(made).update(vars(what), _transient_elements=deepcopy(elements) if len(elements) else SparseList())
        return made
    if isinstance(what, DeltaGenerator):
        return what.__deepcopy__({})
    if type(what) is tuple:
        return tuple(map(copied, what))
    return {name: copied(one) for name, one in what.items()} if type(what) is dict else deepcopy(what)


def read(values: SafeSessionState, key: str) -> Any:
    """Replace the method that reads a value of the session. Raises KeyError if there is none.

    Reading is where Streamlit ends a drawing that the user has left.
    """
    state = values._state
    if key[:1] != "_" or key in state._key_id_mapper:  # a widget's
        return _read(values, key)
    values._yield_callback()
    with values._lock:
        new = state._new_session_state
        return new[key] if key in new else state._old_state[key]
