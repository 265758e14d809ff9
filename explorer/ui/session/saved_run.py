"""The saved run that `python -m explorer open` brought: every session begins with it, and it is not run again.

The file may be a stranger's: it is read within the bounds of what a child sends, and checked.
"""

import os
from functools import cache
from pathlib import Path

from explorer.commands.opening import OPENED
from explorer.trace import MAX_BYTES, InvalidTrace, Options, Trace, decode
from explorer.ui.session.document import Document


@cache
def saved_run() -> Trace | None:
    """What was opened; None where nothing was, or the file is gone or no Trace any more."""
    path = os.environ.get(OPENED)
    if not path:
        return None
    try:
        with open(path, "rb") as file:
            return decode(file.read(MAX_BYTES + 1))
    except (OSError, InvalidTrace):
        return None


def saved_document() -> Document | None:
    """Its program, None where no run was opened."""
    trace = saved_run()
    return None if trace is None else document_of(trace, Path(os.environ[OPENED]).stem + ".py")


def document_of(trace: Trace, name: str) -> Document:
    """The program of a run."""
    texts = tuple(cell.source for cell in trace.own_cells)
    notes = tuple((note.before if note.before < len(texts) else -1, note.markdown) for note in trace.notes)
    return Document(texts or ("",), tuple(range(len(texts) or 1)), notes, name)


def saved_result(texts: tuple[str, ...], options: Options) -> Trace | None:
    """The saved run, where its very cells are asked for; None for any other text, and where it is to be run otherwise.

    A page that would have more entries kept, or another seed, is shown what was saved: the program belongs elsewhere.
    """
    trace = saved_run()
    if trace is None or options.of or options.probes or texts != tuple(cell.source for cell in trace.own_cells):
        return None
    return trace
