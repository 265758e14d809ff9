import sys
from pathlib import Path

import pytest

from explorer.program import CellSource, Program
from explorer.sandbox import Runner
from explorer.trace import Options
from tests.patience import PATIENT

# The others test confinement, which only Linux has.
EVERYWHERE = {"drawing_turns", "turns"}
if sys.platform != "linux":
    named = {path.name: path.stem.removeprefix("test_") for path in Path(__file__).parent.glob("test_*.py")}
    collect_ignore = [file for file, name in named.items() if name not in EVERYWHERE]


@pytest.fixture(scope="session", autouse=True)
def plain_child_is_found():
    """Put the plain child on the parents' path."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        yield


@pytest.fixture(scope="module")
def runner():
    """Runs programs without torch (plain_child.py) and lays out for real."""
    runner = Runner("plain_child")
    runner.programs.start()  # the layout process starts with the first layout
    assert runner.ready(PATIENT)
    yield runner
    runner.close()


@pytest.fixture
def outputs(runner):
    """Return the outputs of a program's cells: `outputs("x = 1", "answer = str(x)")`."""
    return outputs_of(runner)


def outputs_of(runner: Runner):
    def run(*cells: str, time_limit: float = 10.0):
        program = Program([CellSource(cell) for cell in cells])
        trace = runner.submit(program, Options(time_limit=time_limit)).result(PATIENT).check()
        assert [cell.source for cell in trace.cells] == list(cells)
        return trace, [output for cell in trace.cells for output in cell.outputs]

    return run
