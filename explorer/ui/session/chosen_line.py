"""The chosen program line, shared by all lenses."""

from collections.abc import Callable

from explorer.ui.components.script import component, component_state
from explorer.ui.components.session_values import Inbox, SessionValue

KEY = "caret"
ProgramPlace = tuple[int, int]  # cell from 0, line from 1
_line = SessionValue[ProgramPlace | None]("_chosen_line")
_taken = SessionValue[dict[str, ProgramPlace | None]]("_chosen_lines", dict)  # lens → last line it showed
_moves = Inbox("_caret_moves")
_caret = component("explorer_caret", "<i hidden></i>", "session/caret.js")


def choose_line(lens: str, place: ProgramPlace | None) -> None:
    """Make a lens show this line. The others follow when they are drawn."""
    _taken.get()[lens] = _line.put(place)


def forget_line() -> None:
    """Forget the chosen line, because another program has other lines."""
    _line.clear()


def newly_chosen(lens: str) -> ProgramPlace | None:
    """Return the line chosen elsewhere since the last call, or None."""
    place = _line.get()
    if place is None or _taken.get().get(lens) == place:
        return None
    _taken.get()[lens] = place
    return place


def follow_caret(places: Callable[[], set[ProgramPlace]]) -> None:
    """Follow the editor's cursor. `places`: returns the lines with an item of the lens."""
    match component_state(KEY, "place"):
        case {"cell": int(cell), "line": int(line), "at": int(at)} if _moves.accept(at) and (cell, line) in places():
            _line.put((cell, line))


def light_line(place: ProgramPlace | None, places: set[ProgramPlace]) -> None:
    """Highlight the line in the editor, and follow the caret."""
    data = {"place": place, "places": sorted(places)}
    _caret(data=data, key=KEY, default={"place": None})
