"""Traces of small programs for tests: run for real, in this process, as a child would run them."""

from textwrap import dedent

from explorer.program import read_program
from explorer.runtime.execute import execute
from explorer.trace import Options, Trace


def trace_of(source: str, **options) -> Trace:
    """The Trace of a program; options are those of `trace.Options`; without the ring all of Python runs."""
    return execute(read_program("-", dedent(source).encode()), Options(**options))
