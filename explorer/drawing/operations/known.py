"""Which operations have a picture, in HTML."""

from collections.abc import Sequence

from explorer.analysis.operations import ALL
from explorer.analysis.operations.record import SUBJECTS, Subject
from explorer.drawing.marks import quoted
from explorer.text import say


def known_html(lang: str) -> str:
    """All operations that have a picture, by subject; folded."""
    rows = "".join(_row(say(lang, f"operations-group-{subject}"), _pictured(subject)) for subject in SUBJECTS)
    title = quoted(say(lang, "operations-known-title"))
    return f'<details class="op-known"><summary>{title}</summary><dl>{rows}</dl></details>'


def _pictured(subject: Subject) -> list[str]:
    """The names of its operations that a program calls: without those of operators."""
    names = {name for operation in ALL if operation.subject == subject for name in operation.names}
    return sorted(name for name in names if not name.startswith("_"))


def _row(title: str, names: Sequence[str]) -> str:
    codes = " ".join(f"<code>{quoted(name)}</code>" for name in names)
    return f"<div><dt>{quoted(title)}</dt><dd>{codes}</dd></div>"
