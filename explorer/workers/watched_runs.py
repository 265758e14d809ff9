"""Repeat a run with every statement recorded, for the player."""

from msgspec.structs import replace

from explorer.program import GivenFile
from explorer.sandbox import Runner
from explorer.trace import Span, Trace
from explorer.workers.second_run import program_of, run_of


def watched(trace: Trace, files: tuple[GivenFile, ...] = (), runner: Runner | None = None, visitor: str = "") -> Trace:
    """The same run with its statements; the run itself where a second one does something else.

    Args:
        files: the files in the program's folder.
        visitor: whose share of the turns the run uses.
    """
    if trace.options.statements:
        return trace
    options = replace(trace.options, statements=True)
    again = run_of(program_of(trace, files), options, None, runner, visitor, trace)
    return trace if again is None or not is_same(again, trace) else again


def is_same(run: Trace, other: Trace) -> bool:
    """Whether two runs had the same operations and values; a program that reads a clock differs."""
    columns = ("name", "function")
    same = all(getattr(run.operations, name) == getattr(other.operations, name) for name in columns)
    return same and _places(run) == _places(other) and run.values.data == other.values.data


def _places(trace: Trace) -> list[Span | None]:
    """The source ranges of a run's operations."""
    return [trace.spans[span] if span >= 0 else None for span in trace.operations.span]
