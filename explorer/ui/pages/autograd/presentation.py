"""Other ways to look at the page, which the browser takes alone.

Presenting, by ?present=1 or the key P: program, graph and player in large print. Full screen, by the key F: the graph
over the whole window. The bar between program and graph gives one of them more room.
"""

from explorer.text import say
from explorer.ui.components.script import component

_present = component(
    "explorer_present", '<button type="button" class="present-leave"></button>', "pages/autograd/present.js"
)

_split = component("explorer_split", '<div class="splitter"></div>', "pages/autograd/split.js")

_full = component("explorer_full", "", "pages/autograd/full.js")


def presenting(lang: str) -> None:
    """Draw the listeners for the keys, the bar between both panes, and the button to leave the presentation."""
    _full(key="script_full")
    _split(data={"words": {"split": say(lang, "pane-split")}}, key="split")
    _present(data={"words": {"leave": say(lang, "present-leave")}}, key="present")
