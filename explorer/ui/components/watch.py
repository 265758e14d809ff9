"""Log slow draws, end overdue ones, and isolate failures.

A view never raises on a Trace that passes `Trace.check`. If one does anyway, only its own place stays empty.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import TypeVar

import streamlit as st

from explorer.hosting import processor_budget
from explorer.sandbox import hosting
from explorer.text import say

SLOW = 2.0  # seconds of the server's own time above which a drawing is logged

Made = TypeVar("Made")


@contextmanager
def drawing(what: str, lang: str) -> Iterator[None]:
    """Replace a part by a sentence if drawing it fails or takes too long."""
    began = time.thread_time()
    try:
        with processor_budget.limited():
            yield
    except Exception as problem:
        hosting.log_undrawn(what, problem)
        sentence = "page-takes-too-long" if isinstance(problem, processor_budget.TookTooLong) else "page-undrawn"
        words = escape(say(lang, sentence, seconds=round(processor_budget.BUDGET)))
        st.html(f'<p class="notice undrawn" role="alert">{words}</p>')
    finally:
        if (seconds := time.thread_time() - began) > SLOW:
            hosting.log_event("slow", hosting.Drawing(round(time.time(), 3), what, round(seconds, 3)))


def render_or_default(what: str, make: Callable[[], Made], instead: Made, lang: str) -> Made:
    """Return the result of `make`, or if it fails `instead`, with a sentence here."""
    made = instead
    with drawing(what, lang):
        made = make()
    return made
