"""Show saved runs from the command line or a file.

Neither is rerun: while the program is unchanged, the run is shown. The file may be untrusted, so it is read within
limits and checked.
"""

import os
from functools import cache
from pathlib import Path

import streamlit as st

from explorer.program.saved_run import OPENED
from explorer.trace import MAX_OPENED, InvalidTrace, Options, Trace, decode
from explorer.ui.session.document import Document

GIVEN = "_given_run"  # session state: the last run opened here


@cache
def saved_run() -> Trace | None:
    """Return the opened run, None if missing or invalid."""
    path = os.environ.get(OPENED)
    if not path:
        return None
    try:
        with open(path, "rb") as file:
            return decode(file.read(MAX_OPENED + 1), MAX_OPENED)
    except (OSError, InvalidTrace):
        return None


def saved_document() -> Document | None:
    """Return its program, None without an opened run."""
    trace = saved_run()
    return None if trace is None else document_of(trace, Path(os.environ[OPENED]).stem + ".py")


def document_of(trace: Trace, name: str, before: Document | None = None) -> Document:
    """Return a run's program as a document with all new cells."""
    texts = tuple(cell.source for cell in trace.own_cells) or ("",)
    first = 0 if before is None else max(before.ids) + 1
    ids = tuple(range(first, first + len(texts)))
    notes = tuple(((*ids, -1)[min(note.before, len(ids))], note.markdown) for note in trace.notes)
    return Document(texts, ids, notes, name, 0 if before is None else before.revision + 1, foreign=True)


def give_run(trace: Trace) -> None:
    """Keep the run opened in this session, shown instead of running its program."""
    st.session_state[GIVEN] = trace


def is_saved(result: object) -> bool:
    """Return whether a result is a saved run, whose program must not run unasked."""
    return result is not None and any(result is trace for trace in _opened_runs())


def _opened_runs() -> list[Trace]:
    return [trace for trace in (st.session_state.get(GIVEN), saved_run()) if trace is not None]


def saved_result(texts: tuple[str, ...], options: Options) -> Trace | None:
    """Return the saved run of exactly these cells, or None.

    A page that needs more entries or another seed gets the saved run, because the program belongs elsewhere.
    """
    if options.of or options.probes or options.effects:
        return None
    return next((trace for trace in _opened_runs() if texts == tuple(cell.source for cell in trace.own_cells)), None)
