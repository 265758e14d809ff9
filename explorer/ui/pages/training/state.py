"""What the Training page is asked, and the program that it shares with the workbench."""

from explorer.ui.session.edits import Edit
from explorer.ui.session.links import from_address
from explorer.ui.session.page_state import PageState
from explorer.ui.session.state import take_edit, take_program

PAGE = "training"
STATE = PageState(PAGE, {"measure": "tr_measure", "more": "tr_more", "of": "tr_of"})


def arrive() -> Edit | None:
    """Take in what an address brought and what the editor said; the editor's last message about this program."""
    if STATE.arrive() and from_address():
        take_program(STATE["program"], STATE["name"])
    return take_edit()


def forget_choices() -> None:
    """Another program was opened: what was chosen in the one before says nothing of it."""
    STATE.put(place=0, step=0, parameter="", x="", y="")
