"""The *gradients checked* mark: whether the shown run's gradients are its program's slopes.

The browser requests the check when the page has been drawn and nobody types. The check runs the program again, twice if
it agrees. An edit or a click ends it.
"""

from dataclasses import dataclass, field
from html import escape

import streamlit as st

from explorer.analysis.diagnose.findings import bugs
from explorer.analysis.diagnose.gradcheck.verdicts import Check
from explorer.analysis.diagnose.messages import checked_lines, different_leaves, left_out, unverified_leaves
from explorer.drawing.marks import quoted
from explorer.program import GivenFile
from explorer.sandbox import default_runner
from explorer.sandbox.hosting import visitor
from explorer.text import say, separated
from explorer.trace import Options, Trace
from explorer.ui.components.script import component, component_state
from explorer.ui.components.session_values import SessionValue
from explorer.ui.components.watch import drawing
from explorer.ui.session.given_files import given
from explorer.ui.session.run_wait import rerun_requested
from explorer.workers.diagnoses import diagnoses_of
from explorer.workers.gradcheck import AT_ONCE, check_gradients

KEY = "checked"
REST, PAUSE = 300, 1500  # ms without another drawing, normally and while typing
MOST = 8  # most programs whose checks a session keeps
NAMES = 3  # most names in the mark; its sentences have the others

Program = tuple[tuple[str, ...], Options, tuple[GivenFile, ...], int]  # texts, options, files, digest of its numbers

_checked = component("explorer_checked", '<div class="checked-place"></div>', "panels/checked.js")


@dataclass
class _Checks:
    """Checks of a session.

    Attributes:
        known: by program, the latest last.
        trace: run of the last drawing.
        turn: number of that run. drawn: drawings of the mark. Each may request the check.
        settled: whether nobody is typing.
    """

    known: dict[Program, list[Check]] = field(default_factory=dict)
    trace: Trace | None = None
    settled: bool = True
    turn: int = 0
    drawn: int = 0


_checks = SessionValue[_Checks]("_gradients_checked", _Checks)


def gradients_checked(trace: Trace | None, settled: bool, lang: str) -> None:
    """Draw a run's mark, None if not to be checked.

    Args:
        settled: whether nobody is typing. Otherwise the browser waits longer for another key.
    """
    checks = _checks.get()
    checks.settled = settled
    if checks.trace is not trace:
        checks.trace, checks.turn = trace, checks.turn + 1
    _mark(trace, lang)


@st.fragment
def _mark(trace: Trace | None, lang: str) -> None:
    with drawing("checked gradients", lang):
        checks = _checks.get()
        checks.drawn += 1
        found, asks = None, False
        if trace is not None and any(call.status == "ok" for call in trace.backwards):
            found = checks.known.get(program := _program(trace))
            if found is None and component_state(KEY, "asked") == checks.turn:  # everything else is on the page
                found = _check(trace)
                if found is not None:
                    checks.known[program] = found
                    while len(checks.known) > MOST:
                        checks.known.pop(next(iter(checks.known)))
            asks = found is None
        html = faults_html(trace, lang) if trace is not None else ""  # otherwise a ✓ would reassure
        if not html and trace is not None and found is not None:
            ended = trace.status == "ok"  # a ✓ next to an error would suggest that all is well
            html = mark_html(trace, found, lang) if ended or different_leaves(trace, found, lang) else ""
        turn, drawn = (checks.turn, checks.drawn) if asks else (0, 0)
        data = {"html": html, "turn": turn, "drawn": drawn, "rest": REST if checks.settled else PAUSE}
        _checked(data=data, key=KEY, default={"asked": None})


def _program(trace: Trace) -> Program:
    """Return a run's key. It differs if the program reads a clock."""
    return tuple(cell.source for cell in trace.cells), trace.options, given(), hash(trace.values.data)


def _check(trace: Trace) -> list[Check] | None:
    """Check a run, None if interrupted."""
    if default_runner().waiting():
        return None
    ended: list[bool] = []

    def wanted() -> bool:
        if not ended and rerun_requested():
            ended.append(True)
        return not ended

    who = visitor(st.context.ip_address)
    found = check_gradients(trace, None, given(), visitor=who, work=AT_ONCE, wanted=wanted)
    return None if ended else found


def faults_html(trace: Trace, lang: str) -> str:
    """Render how many faults a run has, "" for none."""
    count = sum(any(finding.level == "fault" for finding in bug) for bug in bugs(diagnoses_of(trace)))
    words = escape(say(lang, "verdict-faults.badge", count=count))
    return f'<p class="checked is-off" role="status">✗ {words}</p>' if count else ""


def _left_out_html(checks: list[Check], lang: str) -> str:
    """Render that nothing was checked because of its work or a time limit, "" otherwise."""
    why = left_out(checks)
    title = quoted(say(lang, "checked-left-out", why=why, some="no"))
    words = escape(say(lang, "checked-mark.left-out"))
    return f'<p class="checked" role="status" title="{title}">{words}</p>' if why else ""


def mark_html(trace: Trace, checks: list[Check], lang: str) -> str:
    """Render a gradient check's mark, "" without a result."""
    lines = checked_lines(trace, checks, lang)
    off = different_leaves(trace, checks, lang)
    if not lines:
        return _left_out_html(checks, lang)
    if not off:
        return f'<p class="checked" role="status" title="{quoted(lines[0])}">✓ {escape(say(lang, "checked-mark"))}</p>'
    kind = next((leaves.kind for leaves in off if not leaves.is_intended), "meant")
    different = [name for leaves in off for name in leaves.names]
    names = list(dict.fromkeys([*different, *(unverified_leaves(trace, checks) if kind == "meant" else [])]))
    shown = separated(lang, names[:NAMES]) + (" …" if len(names) > NAMES else "")
    words = say(lang, f"checked-mark.{kind}", place=off[0].place or "none", names=shown)
    rows = "".join(f"<p>{escape(line)}</p>" for line in lines)
    sign = "✓" if kind == "meant" else "≠"
    kind = kind if kind == "meant" else "off"
    return f'<details class="checked is-{kind}"><summary>{sign} {escape(words)}</summary>{rows}</details>'
