"""The status line of a run, as HTML."""

from html import escape

from explorer.sandbox import SubmittedRun
from explorer.text import say

TELLING = 2  # seconds of a run after which it says how long it takes


def busy(run: SubmittedRun, lang: str) -> str:
    """HTML: how long the program has been running, or how many runs are queued before it."""
    if waiting := run.position:
        return status_html("wait", say(lang, "status-waiting", place=waiting))
    seconds = int(run.seconds)
    if seconds < TELLING:
        return status_html("wait", say(lang, "status-running"))
    return status_html("wait", say(lang, "status-running-for", seconds=seconds, most=f"{run.options.time_limit:g}"))


def status_html(kind: str, words: str) -> str:
    """The status line of a run; kind is wait, good or bad."""
    return f'<span class="status {kind}" role="status">{escape(words)}</span>'
