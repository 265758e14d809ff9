"""Log slow draws, end those that take too long; isolate failures.

A view raises on nothing that `Trace.check` accepts. If one does anyway, only its own place stays empty.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import TypeVar

import streamlit as st

from explorer.sandbox import hosting
from explorer.text import say
from explorer.ui.components import processor_budget

SLOW = 2.0  # seconds of the server's own time above which a drawing is logged

Made = TypeVar("Made")


@contextmanager
def drawing(what: str, lang: str) -> Iterator[None]:
    """A context around drawing a page or a part of one: if it fails or takes too long, a sentence takes its place."""
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
    """The result of `make`; if it fails, `instead`, and a sentence at the current place."""
    made = instead
    with drawing(what, lang):
        made = make()
    return made
