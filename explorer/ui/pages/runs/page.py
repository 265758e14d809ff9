"""The Runs page: trainings that `explorer.watch` records, while they run and afterwards, side by side."""

import time
from collections.abc import Mapping
from functools import partial
from html import escape
from pathlib import Path

import streamlit as st

from explorer.analysis.training.strips import MEASURES
from explorer.analysis.training.view import TrainingView, nearest, run_view
from explorer.drawing.marks import quoted
from explorer.drawing.training.loss import Earlier
from explorer.drawing.training.step import step_html
from explorer.text import say
from explorer.text.numbers import visible
from explorer.trace import MAX_BYTES
from explorer.trace.watched_runs import WatchedStep, WatchIndex, read_regular
from explorer.ui.components.segments import segments
from explorer.ui.pages.training.film import film, heard
from explorer.ui.session.memo import memoize
from explorer.ui.session.page_state import PageState
from explorer.ui.session.program_button import AUTOGRAD
from explorer.ui.session.state import open_run
from explorer.ui.session.watched_runs import runs_folder, sample_runs, watched_runs

STATE = PageState("runs", {"measure": "ru_measure"})
SHOWN = "ru_shown"  # session state: the field with the names of the runs that are shown
MOST_SHOWN = 4
BESIDE = 2  # runs that are shown until some are chosen
EVERY = 2  # seconds between two looks
PROGRAM = """\
with explorer.watch(model, optimizer, every=500, out="runs/first"):
    train()"""


def page(lang: str) -> None:
    """Draw it."""
    STATE.read_address()
    with st.container(key="runs"):
        title, lead = quoted(say(lang, "runs-title")), quoted(say(lang, "runs-lead"))
        st.html(f'<h2 class="page-title">{title}</h2><p class="lede">{lead}</p>')
        folder = runs_folder()
        if folder is not None:
            _runs(folder, lang)
        else:
            st.html(f'<p class="ru-sample">{quoted(say(lang, "runs-sample"))}</p>')
            _shown(sample_runs(), lang)
            _how(lang)
    STATE.write_address(lang)


def _how(lang: str) -> None:
    """How to watch a training of one's own, and how to see it here."""
    commands = escape("python -m explorer app --runs runs")
    st.html(
        f'<section class="ru-how"><h3>{quoted(say(lang, "runs-how"))}</h3>'
        f"<p>{quoted(say(lang, 'runs-how-watch'))}</p><pre>{escape(PROGRAM)}</pre>"
        f"<p>{quoted(say(lang, 'runs-how-app'))}</p><pre>{commands}</pre>"
        f"<p>{quoted(say(lang, 'runs-how-libraries'))}</p></section>"
    )


@st.fragment(run_every=EVERY)
def _runs(folder: Path, lang: str) -> None:
    """The runs of the folder as they are now; it draws itself again while the page is open."""
    _shown(folder, lang)


def _shown(folder: Path, lang: str) -> None:
    """The runs of the folder, those that are chosen side by side."""
    runs = watched_runs(folder)
    if not runs:
        st.html(f'<p class="notice" role="status">{quoted(say(lang, "runs-none", path=str(folder)))}</p>')
        return
    shown = _controls(runs, lang)
    if not shown:
        st.html(f'<p class="notice">{quoted(say(lang, "runs-choose"))}</p>')
        return
    views = {name: memoize(f"run {at}", runs[name], partial(run_view, runs[name])) for at, name in enumerate(shown)}
    columns = st.columns(len(shown), gap="medium")
    for at, (column, name) in enumerate(zip(columns, shown, strict=True)):
        others = [beside for beside in shown if beside != name]
        with column, st.container(key=f"ru_run_{at}"):
            _run(at, name, runs[name], views, others, lang)


def _controls(runs: Mapping[str, WatchIndex], lang: str) -> list[str]:
    """The names of the runs that are shown."""
    with st.container(key="ru_controls", horizontal=True, vertical_alignment="bottom"):
        chosen = [name for name in STATE["shown"].split("\n") if name in runs]
        st.session_state[SHOWN] = chosen[:MOST_SHOWN] or list(runs)[:BESIDE]  # until some are chosen the newest
        shown = st.multiselect(
            say(lang, "runs-shown", count=len(runs)),
            list(runs),
            key=SHOWN,
            max_selections=MOST_SHOWN,
            placeholder=say(lang, "runs-choose"),
            format_func=visible,
            on_change=lambda: STATE.put(shown="\n".join(st.session_state[SHOWN])),
        )
        labels = {measure: say(lang, f"training-pick-{measure}") for measure in MEASURES}
        segments(say(lang, "training-measure"), STATE.field("measure"), labels, labelled=True)
    return shown


def _run(
    at: int, name: str, index: WatchIndex, views: Mapping[str, TrainingView], others: list[str], lang: str
) -> None:
    """One run: its state, its steps, and the step that is chosen. `others`: the loss of the first is drawn behind."""
    view = views[name]
    st.html(f"<h3>{quoted(name)}</h3>{_state(index, lang)}")
    if not index.steps:
        return
    key = f"runs_film_{at}"
    event = heard(name, key)
    if event.step is not None:
        STATE.put(step=event.step, run=name)
    chosen = nearest(view.steps, STATE["step"]) if STATE["step"] and STATE["run"] == name else -1
    first, further = others[:1], tuple(views[other] for other in others[1:])
    earlier = Earlier(views[first[0]], (), (first[0], name), further) if first else None
    film(view, STATE["measure"], chosen, -1, earlier, name, lang, key)
    if chosen >= 0:
        _step(at, name, index, view, chosen, lang)


def _state(index: WatchIndex, lang: str) -> str:
    """Whether it runs, how many steps are recorded, and what recording took."""
    last = index.steps[-1].step if index.steps else 0
    if index.ended is not None:
        state = say(lang, f"runs-ended-{index.ended.how}", last=index.ended.steps)
    else:
        state = say(lang, "runs-open", seconds=max(0, round(time.time() - index.written)))
    wrong = [step.step for step in index.steps if any(finding.level == "fault" for finding in step.findings)]
    faults = say(lang, "runs-faults", count=len(wrong), first=wrong[0]) if wrong else ""
    cost = say(lang, "runs-cost", share=_share(index)) if index.steps else ""
    recorded = say(lang, "runs-recorded", program=index.begun.program, count=len(index.steps), last=last)
    parts = [recorded, state, cost]
    said = f'<b class="is-fault">{quoted(faults)}</b>' if faults else ""
    return f'<p class="ru-state">{" · ".join(quoted(part) for part in parts if part)}</p>{said}'


def _share(index: WatchIndex) -> str:
    seconds = index.ended.seconds if index.ended else index.steps[-1].seconds + index.steps[-1].cost
    cost = index.ended.cost if index.ended else sum(step.cost for step in index.steps)
    return f"{100 * min(1.0, cost / seconds) if seconds > 0 else 0:.1f}"


def _step(at: int, name: str, index: WatchIndex, view: TrainingView, chosen: int, lang: str) -> None:
    """The numbers of a step, what its report found, and its graph."""
    row = index.steps[chosen]
    with st.container(key=f"ru_step_{at}"):
        with st.container(key=f"ru_step_head_{at}", horizontal=True, vertical_alignment="center"):
            st.html(f"<h3>{quoted(say(lang, 'training-numbers-of-step', step=row.step))}</h3>", width="stretch")
            if not index.file(row):
                st.html(f'<p class="quiet">{quoted(say(lang, "runs-no-trace"))}</p>', width="content")
            elif st.button(say(lang, "runs-open-step"), key=f"ru_open_{at}"):
                _open(name, index, row)
            close = say(lang, "training-close-step")
            st.button(close, key=f"ru_close_{at}", on_click=lambda: STATE.put(step=0))
        items = "".join(
            f'<li class="is-{finding.level}">{quoted(say(lang, f"diagnosis-{finding.level}"))}: '
            f"{quoted(finding.text_in(lang))}</li>"
            for finding in row.findings
        )
        st.html((f'<ul class="ru-found">{items}</ul>' if items else "") + step_html(view, chosen, lang))


def _open(name: str, index: WatchIndex, row: WatchedStep) -> None:
    """Show a step's Trace on the autograd page, as a saved run that was opened by file."""
    path = index.file(row)
    data = (read_regular(path, MAX_BYTES) if path else None) or b""
    open_run(f"{name.replace('/', '-')}-step-{row.step}.trace", data)
    st.switch_page(AUTOGRAD)
