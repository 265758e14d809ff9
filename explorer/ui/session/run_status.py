"""The status line of a run, as HTML."""

from html import escape

from explorer.sandbox import SubmittedRun
from explorer.text import say

TELLING = 2  # seconds of a run after which it says how long it takes
# By then what stands there is of the program before; a short run keeps it, so that nothing flickers. No :has() of the
# page, which would look at every element on every change.
_BEFORE = (
    "<style>.st-key-problems > * { visibility: hidden; }"
    " :is(.st-key-right, .st-key-slope) { opacity: .4; transition: opacity .3s; }</style>"
)


def busy(run: SubmittedRun, lang: str) -> str:
    """HTML: how long the program has been running, or how many runs are queued before it."""
    if waiting := run.position:
        return status_html("wait", say(lang, "status-waiting", place=waiting))
    seconds = int(run.seconds)
    if seconds < TELLING:
        return status_html("wait", say(lang, "status-running"))
    words = say(lang, "status-running-for", seconds=seconds, most=f"{run.options.time_limit:g}")
    return status_html("wait", words) + _BEFORE


def status_html(kind: str, words: str) -> str:
    """The status line of a run; kind is wait, good or bad."""
    return f'<span class="status {kind}" role="status">{escape(words)}</span>'
