"""A backward as code that was run: the text is told only where it gives every `.grad`."""

from collections.abc import Callable
from dataclasses import dataclass

from msgspec.structs import replace

from explorer.analysis.autograd.backward_code import BackwardCode, Unwritten, backward_code
from explorer.analysis.autograd.backward_program import checked_program, place_of, says_equal
from explorer.program import GivenFile, Program
from explorer.trace import Options, Trace
from explorer.workers.second_run import PATIENCE, run_of


@dataclass(frozen=True)
class CheckedCode:
    """What was found.

    Attributes:
        code: the text, None where none reproduces the gradients.
        program: the program with the text in it and the check.
        exact: whether every bit is equal; otherwise within `backward_program.ROUNDING`.
        why: without a text the last part of the message that says why.
    """

    code: BackwardCode | None = None
    program: Program | None = None
    exact: bool = False
    why: str = ""


def options_of(trace: Trace) -> Options:
    """The options of a run that checks."""
    return replace(trace.options, detail="light", full=(), asked=(), whole=(), tables=(), statements=False, of="")


def checked_code(
    trace: Trace,
    backward: int | None,
    lang: str,
    run: Callable[[Program], Trace | None] | None = None,
    files: tuple[GivenFile, ...] = (),
) -> CheckedCode:
    """A backward of a run as code, checked by running the program with it.

    Args:
        run: runs a program; None: in a confined child, for at most PATIENCE seconds.
        files: then the files in its folder.
    """
    run = run or (lambda program: run_of(replace(program, files=files), options_of(trace), PATIENCE, like=trace))
    why = ""
    if backward is None:
        return CheckedCode(why="none")
    try:
        place_of(trace, backward)
    except Unwritten as unwritten:
        return CheckedCode(why=unwritten.why)
    for named in (True, False):
        try:
            code = backward_code(trace, backward, named)
            for exact in (True, False):
                program = checked_program(trace, code, exact, lang)
                result = run(program)
                if result is not None and says_equal(result, trace, lang):
                    return CheckedCode(code, program, exact)
                why = why or "differs"
        except Unwritten as unwritten:
            why = why or unwritten.why
    return CheckedCode(why=why)
