"""Saved runs: that of `python -m explorer open`, with which every session begins, and one that was opened by file.

Neither is run again: as long as the program is that of the run, the run is what is shown. The file may be a stranger's:
it is read within bounds, and checked.
"""

import os
from functools import cache
from pathlib import Path

import streamlit as st

from explorer.program.saved_run import OPENED
from explorer.trace import MAX_OPENED, InvalidTrace, Options, Trace, decode
from explorer.ui.session.document import Document

GIVEN = "_given_run"  # session state: the run that was opened here last


@cache
def saved_run() -> Trace | None:
    """The opened run; None if there is none, or if its file is gone or invalid."""
    path = os.environ.get(OPENED)
    if not path:
        return None
    try:
        with open(path, "rb") as file:
            return decode(file.read(MAX_OPENED + 1), MAX_OPENED)
    except (OSError, InvalidTrace):
        return None


def saved_document() -> Document | None:
    """Its program, None where no run was opened."""
    trace = saved_run()
    return None if trace is None else document_of(trace, Path(os.environ[OPENED]).stem + ".py")


def document_of(trace: Trace, name: str, before: Document | None = None) -> Document:
    """The program of a run, in the place of the document before it, none of whose cells it has."""
    texts = tuple(cell.source for cell in trace.own_cells) or ("",)
    first = 0 if before is None else max(before.ids) + 1
    ids = tuple(range(first, first + len(texts)))
    notes = tuple(((*ids, -1)[min(note.before, len(ids))], note.markdown) for note in trace.notes)
    return Document(texts, ids, notes, name, 0 if before is None else before.revision + 1, foreign=True)


def give_run(trace: Trace) -> None:
    """Keep the run that this session opened; it is shown instead of running its program."""
    st.session_state[GIVEN] = trace


def is_saved(result: object) -> bool:
    """Whether a result is a saved run: then nothing of its program has run here, and nothing is to run unasked."""
    return result is not None and any(result is trace for trace in _at_hand())


def _at_hand() -> list[Trace]:
    return [trace for trace in (st.session_state.get(GIVEN), saved_run()) if trace is not None]


def saved_result(texts: tuple[str, ...], options: Options) -> Trace | None:
    """The saved run, where its very cells are asked for; None for any other text, and where it is to be run otherwise.

    A page that would have more entries kept, or another seed, is shown what was saved: the program belongs elsewhere.
    """
    if options.of or options.probes:
        return None
    return next((trace for trace in _at_hand() if texts == tuple(cell.source for cell in trace.own_cells)), None)
