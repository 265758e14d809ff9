"""Explanations out of their child: what it says, and what is left when it hangs or lies."""

from pathlib import Path

import pytest
from msgspec.structs import replace

import explorer
from explorer.explain import explain
from explorer.explain.answering import MOST, failures
from explorer.explained import explained
from explorer.program import CellSource, Program
from explorer.sandbox import Runner, limited_trace
from explorer.trace import Cell, Failure, Options


def failed(source: str, times: int = 1):
    trace = limited_trace(Program([CellSource(source)]), Options(), "crash", 0.0, 0, 1)
    outputs = [Failure("NameError", "name 'x' is not defined", 0, []) for _ in range(times)]
    return replace(trace, cells=[Cell(source, outputs)])


@pytest.fixture(scope="module")
def stuck():
    """A runner whose other child hangs or lies."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        runner = Runner(layout_module="stuck_child")
        yield runner
        runner.close()


def test_the_child_says_what_the_rules_say():
    trace = explorer.run("# %%\nimport torch\nx = torch.ones(2)\n# %%\nx + torch.ones(3)\n# %%\nprint(y)\n")
    assert len(failures(trace)) == 2
    for cell, _, failure in failures(trace):
        assert explained(trace).of(trace, cell, failure) == explain(trace, cell, failure) is not None


def test_of_many_errors_the_first_are_explained_and_the_next_says_so():
    trace = failed("x", 2 * MOST)
    told = [explained(trace).of(trace, 0, failure) for failure in trace.cells[0].outputs]
    kinds = [one and one.kind for one in told]
    assert kinds == ["name-unknown"] * MOST + ["beyond"] + [None] * (MOST - 1)


@pytest.mark.parametrize("source", ["hang", "nonsense", "another kind", "a value missing", "no such cell", "too many"])
def test_a_child_that_hangs_or_lies_leaves_the_words_of_torch(stuck, source):
    assert explained(failed(source), stuck).found == {}


def test_a_child_explains_only_what_failed(stuck):
    assert list(explained(failed("true"), stuck).found) == [(0, 0)]
    assert explained(failed("no error there"), stuck).found == {}


def test_a_trace_is_explained_once(stuck):
    trace = failed("true")
    assert explained(trace, stuck) is explained(trace, stuck)
