"""Show trainings that `explorer.watch` records."""

import os
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import streamlit as st

from explorer.analysis.training.strips import MEASURES
from explorer.analysis.training.view import TrainingView, nearest, run_view
from explorer.drawing.marks import quoted
from explorer.drawing.training.loss import Earlier
from explorer.drawing.training.step import step_html
from explorer.sandbox.hosting import hosted
from explorer.text import say
from explorer.text.numbers import visible
from explorer.trace import MAX_BYTES
from explorer.trace.watched_runs import INDEX, RUNS, WatchIndex, read_index, read_regular, runs_in
from explorer.ui.components.choice import segments
from explorer.ui.pages.training.film import STATE, film, heard
from explorer.ui.session.links import from_address
from explorer.ui.session.memo import memoize
from explorer.ui.session.program_button import AUTOGRAD
from explorer.ui.session.run_wait import draw_anew
from explorer.ui.session.state import open_run, take_program

EVERY = 2  # seconds between checks
Runs = Mapping[str, WatchIndex]


def runs_folder() -> Path | None:
    """Return the runs' folder, None on a hosted site or if there is none."""
    given = os.environ.get(RUNS, "")
    return Path(given) if given and not hosted() else None


def watched_runs(folder: Path) -> Runs:
    """Return the runs in a folder by name, the latest first."""
    runs: dict[str, WatchIndex] = {}
    for run in runs_in(folder):
        if (index := _index(run)) is not None:
            runs[run.name if run == folder else run.relative_to(folder).as_posix()] = index
    return dict(sorted(runs.items(), key=lambda item: (-item[1].begun.began, item[0])))


def _index(run: Path) -> WatchIndex | None:
    try:
        state = (run / INDEX).stat()
    except OSError:
        return None
    return _read(run, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=32)
def _read(run: Path, _changed: int, _size: int) -> WatchIndex | None:
    return read_index(run, WatchIndex)


def recorded(folder: Path, lang: str) -> bool:
    """Draw the choice and the chosen run. Return whether chosen."""
    runs = watched_runs(folder)
    with st.container(key="tr_sources", horizontal=True, vertical_alignment="bottom"):
        run = _choice("run", ["", *runs], lang)
        beside = _choice("beside", ["", *(name for name in runs if name != run)], lang) if run and len(runs) > 1 else ""
    if not run:
        if not runs:
            st.html(f'<p class="quiet" role="status">{quoted(say(lang, "runs-none", path=str(folder)))}</p>')
        return False
    if STATE.read_address() and from_address():  # such as Back: the address may name no run
        take_program(STATE["program"], STATE["name"])
        draw_anew()
    _run(folder, run, beside, lang)
    STATE.write_address(lang)
    return True


def _choice(of: str, names: list[str], lang: str) -> str:
    """Draw the field that names a run. Return the name."""
    at = names.index(STATE[of]) if STATE[of] in names else 0
    key = f"tr_{of}_{at}_{len(names)}"
    return st.selectbox(
        say(lang, f"training-{of}"),
        names,
        index=at,
        key=key,
        format_func=lambda name: visible(name) if name else say(lang, f"training-{of}-none"),
        on_change=lambda: STATE.put(**{of: st.session_state[key], "step": 0}),
        width=300,
    )


@st.fragment(run_every=EVERY)
def _run(folder: Path, name: str, beside: str, lang: str) -> None:
    """Draw a run's state and steps, redrawn while open."""
    runs = watched_runs(folder)
    if name not in runs:
        return
    index, view = runs[name], _view(runs, name)
    event = heard(name)
    if event.graph is not None:
        _open(name, index, view, event.graph)
    if event.step is not None:
        STATE.put(step=event.step)
    with st.container(key="tr_recorded"):
        st.html(_state(index, lang))
        if not len(view.steps):
            return
        at = nearest(view.steps, STATE["step"]) if STATE["step"] else -1
        earlier = Earlier(_view(runs, beside), (), (beside, name)) if beside in runs else None
        film(view, STATE["measure"], at, -1, earlier, name, lang)
        labels = {measure: say(lang, f"training-measure-{measure}.short") for measure in MEASURES}
        segments(say(lang, "training-measure"), STATE.field("measure"), labels, labelled=True)
        if at >= 0:
            title = quoted(say(lang, "training-numbers-of-step", step=int(view.steps[at])))
            st.html(f"<h3>{title}</h3>{step_html(view, at, lang)}")


def _view(runs: Runs, name: str) -> TrainingView:
    return memoize("run", runs[name], lambda: run_view(runs[name]), name)


def _state(index: WatchIndex, lang: str) -> str:
    """Describe the number of recorded steps, the last write, and reports with faults."""
    last = index.steps[-1].step if index.steps else 0
    recorded = say(lang, "runs-recorded", program=index.begun.program, count=len(index.steps), last=last)
    written = say(lang, "runs-written", time=time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(index.written)))
    state = f'<p class="tr-state">{quoted(recorded)} · {quoted(written)}</p>'
    if wrong := [step.step for step in index.steps if step.faults]:
        state += f'<b class="is-fault">{quoted(say(lang, "runs-faults", count=len(wrong), first=wrong[0]))}</b>'
    return state


def _open(name: str, index: WatchIndex, view: TrainingView, step: int) -> None:
    """Open a step's Trace, or the nearest recorded one, on the autograd page."""
    position = view.nearest_kept(nearest(view.steps, step))
    row = None if position is None else index.steps[int(view.backwards[position])]
    path = None if row is None else index.file(row)
    if row is not None and path is not None:
        open_run(f"{name.replace('/', '-')}-step-{row.step}.trace", read_regular(path, MAX_BYTES) or b"")
        st.switch_page(AUTOGRAD)
