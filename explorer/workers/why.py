"""Explain large tensors by rerunning the program."""

from explorer.analysis.explain.why import Derivation, Why, answer
from explorer.analysis.explain.why.second_run import answered, second_run_options
from explorer.program import GivenFile
from explorer.text import say
from explorer.trace import Trace
from explorer.workers.second_run import program_of, run_of

_MORE = 10.0  # seconds to wait beyond the program's limit


def complete_answer(
    trace: Trace, text: str, lang: str = "en", backward: int | None = None, files: tuple[GivenFile, ...] = ()
) -> Why:
    """Explain a number like `answer`, rerunning if needed."""
    first = answer(trace, text, lang, backward)
    if second_run_options(trace, first.derivation) is None:
        return first
    more = explained(trace, first.derivation, files)
    if more is None:
        return first.adding(say(lang, "why-again-other"))
    return answer(more, text, lang, backward)


def explained(
    trace: Trace, derivation: Derivation, files: tuple[GivenFile, ...] = (), visitor: str = ""
) -> Trace | None:
    """Rerun for an answer's missing data, None if nothing can be gained.

    Programs are deterministic in their process. If the second run differs, its answer is dropped.

    Args:
        files: files in the program's folder.
        visitor: visitor whose turns the run uses.
    """
    options = second_run_options(trace, derivation)
    if options is None:
        return None
    again = run_of(program_of(trace, files), options, options.patience + _MORE, visitor, trace)
    return None if again is None else answered(trace, again)
