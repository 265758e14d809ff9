"""Traces of small programs for tests, run in this process like in a child."""

from textwrap import dedent

from explorer.program import read_program
from explorer.runtime.execute import execute
from explorer.trace import Options, Trace


def trace_of(source: str, **options) -> Trace:
    """Return a program's Trace; options are those of `trace.Options`; all of Python runs, without the ring."""
    return execute(read_program("-", dedent(source).encode()), Options(**options))
