"""Presentation mode: program, graph and player in large print, by ?present=1 or the key P; the browser does it."""

from explorer.text import say
from explorer.ui.components.script import component

_present = component(
    "explorer_present", '<button type="button" class="present-leave"></button>', "pages/autograd/present.js"
)


def presenting(lang: str) -> None:
    """Draw the listener for the key, and the button to leave, which is visible only then."""
    _present(data={"words": {"leave": say(lang, "present-leave")}}, key="present")
