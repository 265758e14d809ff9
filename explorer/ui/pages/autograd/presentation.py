"""Other ways to look at the page, which the browser takes alone.

Presenting, by ?present=1 or the key P: program, graph and player in large print. Full screen, by the key F: the graph
over the whole window. The bar between program and graph gives one of them more room.
"""

from explorer.text import say
from explorer.ui.components.script import component

_layout = component(
    "explorer_layout",
    '<div class="splitter"></div><button type="button" class="present-leave"></button>',
    "pages/autograd/layout.js",
)


def presenting(lang: str) -> None:
    """Draw the listeners for the keys, the bar between both panes, and the button to leave the presentation."""
    said = {"split": "pane-split", "leave": "present-leave", "run": "run-hint"}
    _layout(data={"words": {word: say(lang, name) for word, name in said.items()}}, key="present")
