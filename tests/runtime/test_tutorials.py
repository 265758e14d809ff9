"""Programs as tutorials and notebooks write them run to their end."""

import pytest

from explorer.program import read_program
from explorer.runtime.execute import execute
from explorer.trace import Options
from tests.notebooks import PROGRAMS
from tests.runtime.tutorials import TUTORIALS
from tests.traces import trace_of


@pytest.mark.parametrize("source", TUTORIALS.values(), ids=TUTORIALS)
def test_what_tutorials_write_runs(source):
    assert trace_of(source).status == "ok"


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_notebooks_are_refused_nothing(path):
    assert execute(read_program(path.name, path.read_bytes()), Options()).status in ("ok", "error")
