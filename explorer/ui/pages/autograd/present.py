"""Presenting: program, graph and player in large print, by ?present=1 or the key P; the browser does it."""

from explorer.text import say
from explorer.ui.components.script import component

_present = component(
    "explorer_present", '<button type="button" class="present-leave"></button>', "pages/autograd/present.js"
)


def presenting(lang: str) -> None:
    """Draw what listens to the key, and the way out, which is seen only then."""
    _present(data={"words": {"leave": say(lang, "present-leave")}}, key="present")
