"""Check a backward written as code by running it: it must reproduce every `.grad`."""

from collections.abc import Callable
from dataclasses import dataclass

from msgspec.structs import replace

from explorer.analysis.explain.autograd.backward_code import MOST, BackwardCode, Unwritten, backward_code
from explorer.analysis.explain.autograd.backward_program import checked_program, passed_check, place_of
from explorer.program import GivenFile, Program
from explorer.trace import Options, Trace
from explorer.workers.second_run import PATIENCE, run_of


@dataclass(frozen=True)
class CheckedCode:
    """Result of checking a backward's code.

    Attributes:
        code: the code, or None if none reproduces the gradients.
        program: the program with the code and the check.
        exact: whether every bit is equal. Otherwise within `backward_program.ROUNDING`.
        why: without code, the end of the message id for the reason.
    """

    code: BackwardCode | None = None
    program: Program | None = None
    exact: bool = False
    why: str = ""


def options_of(trace: Trace) -> Options:
    """Return the options of a checking run."""
    return replace(trace.options, detail="light", full=(), asked=(), whole=(), tables=(), statements=False, of="")


def checked_code(
    trace: Trace,
    backward: int | None,
    lang: str,
    run: Callable[[Program], Trace | None] | None = None,
    files: tuple[GivenFile, ...] = (),
    most: int = MOST,
) -> CheckedCode:
    """Write a backward as code and check it by running the program.

    Args:
        run: runs a program. None: in a confined child, for at most PATIENCE seconds.
        files: files in the program's folder.
        most: limit of its lines.
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
            code = backward_code(trace, backward, named, most)
            for exact in (True, False):
                program = checked_program(trace, code, exact, lang)
                result = run(program)
                if result is not None and passed_check(result, trace, lang):
                    return CheckedCode(code, program, exact)
                why = why or ("time" if result is None else "differs")
        except Unwritten as unwritten:
            why = why or unwritten.why
    return CheckedCode(why=why)
