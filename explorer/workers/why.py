"""*Why?* about large tensors: the program runs once more and keeps what explains the asked entry."""

from explorer.analysis.why import Derivation, Why, answer
from explorer.analysis.why.second_run import answered, asked_again
from explorer.program import CellSource, GivenFile, Program, Unusable
from explorer.sandbox import Cancelled, Runner, default_runner
from explorer.trace import Trace

_MORE = 10.0  # seconds that are waited beyond the program's own limit


def complete_answer(
    trace: Trace, text: str, lang: str = "en", backward: int | None = None, files: tuple[GivenFile, ...] = ()
) -> Why:
    """Explain a number as `answer` does, from a second run where the first one kept too little."""
    found = answer(trace, text, lang, backward)
    more = explained(trace, found.derivation, files)
    return found if more is None else answer(more, text, lang, backward)


def explained(
    trace: Trace,
    found: Derivation,
    files: tuple[GivenFile, ...] = (),
    runner: Runner | None = None,
    visitor: str = "",
) -> Trace | None:
    """A Trace that also holds what an answer lacks; None if it lacks nothing, or it cannot be had.

    The program is deterministic in its process: the second run is the same as the first one, or its answer is dropped.

    Args:
        files: the files in the program's folder.
        visitor: whose share of the turns the run uses.
    """
    options = asked_again(trace, found)
    if options is None:
        return None
    cells = [CellSource(cell.source, cell.first_line) for cell in trace.own_cells]
    program = Program(cells, trace.notes, files=files)
    try:
        run = (runner or default_runner()).submit(program, options, visitor=visitor, like=trace)
    except Unusable:
        return None
    try:
        again = run.result(options.patience + _MORE)
    except (TimeoutError, Cancelled):
        run.cancel()
        return None
    return answered(trace, again)
