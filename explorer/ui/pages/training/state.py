"""What the Training page is asked."""

from explorer.ui.session.page_state import PageState

PAGE = "training"
STATE = PageState(PAGE, {"measure": "tr_measure", "more": "tr_more", "of": "tr_of"})


def forget_choices() -> None:
    """Another program was opened: what was chosen in the one before says nothing of it."""
    STATE.put(place="", step=0, parameter="")
