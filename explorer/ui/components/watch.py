"""What the server does when it draws: whoever takes long stands in its log, and what fails takes no session with it.

A view raises on nothing that `Trace.check` lets through. Should one do so all the same, only its own place stays empty.
"""

import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import TypeVar

import streamlit as st

from explorer.sandbox import hosted
from explorer.text import say
from explorer.tracing import stage

SLOW = 2.0  # seconds of the server's own time above which a drawing stands in the log

Made = TypeVar("Made")


@contextmanager
def drawing(what: str, lang: str) -> Iterator[None]:
    """Around what draws a page or a part of one: should it fail, a sentence stands in its place."""
    began = time.thread_time()
    try:
        with stage("draw", what):
            yield
    except Exception as problem:
        failed(what, problem)
        st.html(f'<p class="notice undrawn" role="alert">{escape(say(lang, "page-undrawn"))}</p>')
    finally:
        if (seconds := time.thread_time() - began) > SLOW:
            hosted.tell("slow", hosted.Drawing(round(time.time(), 3), what, round(seconds, 3)))


def made(what: str, make: Callable[[], Made], instead: Made, lang: str) -> Made:
    """What `make` makes; should it fail, `instead`, and a sentence where this is called."""
    found = instead
    with drawing(what, lang):
        found = make()
    return found


def failed(what: str, problem: Exception) -> None:
    """Write down that a drawing failed, and where in our own code: no word of what was drawn."""
    place = traceback.extract_tb(problem.__traceback__)[-1]
    where = f"{place.filename.rpartition('explorer/')[2]}:{place.lineno}"
    hosted.tell("undrawn", hosted.Undrawn(round(time.time(), 3), what, type(problem).__name__, where))
