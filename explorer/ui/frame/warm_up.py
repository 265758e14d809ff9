"""Load what the first page needs before a visitor comes: the sentences, and the drawing code.

Parsing the sentences of all languages takes more than a second, which the first visitor would wait.
"""

import threading
from importlib import import_module

from explorer.text import LANGUAGES, say

DRAWING = "explorer.drawing.picture"


def warm_in_background() -> None:
    """Start loading, and return at once."""
    threading.Thread(target=warm, name="warm", daemon=True).start()


def warm() -> None:
    """Load them."""
    for lang in LANGUAGES:
        say(lang, "run")
    import_module(DRAWING)
