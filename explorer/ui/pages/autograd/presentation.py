"""Other ways to look at the page, which the browser takes alone.

Presenting, by ?present=1 or the key P: program, graph and player in large print. Full screen, by the key F: the graph
over the whole window.
"""

from explorer.text import say
from explorer.ui.components.script import component

_present = component(
    "explorer_present", '<button type="button" class="present-leave"></button>', "pages/autograd/present.js"
)

_full = component("explorer_full", "", "pages/autograd/full.js")


def presenting(lang: str) -> None:
    """Draw the listeners for the keys, and the button to leave the presentation, which is visible only then."""
    _full(key="script_full")
    _present(data={"words": {"leave": say(lang, "present-leave")}}, key="present")
