"""Statements are recorded where a run is asked to, and leave everything else as it is."""

import msgspec
import pytest
from msgspec.structs import replace

from explorer.analysis.timeline import timeline
from explorer.trace import InvalidTrace, Trace
from tests.measured import ATTEMPTS, cost, halfway
from tests.timeline.programs import PROGRAMS
from tests.timeline.states import state
from tests.traces import trace_of

OWN = {"options", "statements", "strings", "spans"}


def without_addresses(trace: Trace) -> Trace:
    """The Trace without what depends on where the allocator puts a tensor: whose memory a saved result lies in."""
    return replace(trace, saved=replace(trace.saved, storage=[]))


@pytest.mark.parametrize("name", ["branch", "loop", "function", "no_grad"])
def test_all_else_is_equal_with_and_without(name):
    without, watched = map(without_addresses, (trace_of(PROGRAMS[name]), trace_of(PROGRAMS[name], statements=True)))
    for field in Trace.__struct_fields__:
        if field not in OWN:
            assert getattr(without, field) == getattr(watched, field), field
    assert watched.strings[: len(without.strings)] == without.strings
    assert watched.spans[: len(without.spans)] == without.spans
    assert not len(without.statements) and len(watched.statements)


def test_nothing_is_watched_unless_it_is_asked_for():
    program = "import sys\nprint(sys.gettrace() is None)"
    assert trace_of(program).cells[0].outputs[0].text == "True\n"
    assert trace_of(program, statements=True).cells[0].outputs[0].text == "False\n"


def test_what_is_too_much_is_counted_and_nothing_stale_stays():
    trace = trace_of(
        """
        x = torch.ones(1)
        for i in range(30_000):
            k = i
        y = x + k
        """,
        statements=True,
    ).check()
    line = timeline(trace)
    assert line.left_out > 0 and len(line.moments) < 20_100
    held = state(trace, line, len(line.moments)).names[0]
    assert "k" not in held and held["y"].tensor == trace.bound("y")


def test_values_are_told_in_short():
    trace = trace_of(
        """
        text = "x" * 1000
        many = list(range(1000))
        deep = [[[[[1]]]]]
        class Loud:
            def __repr__(self):
                raise SystemExit
        loud = Loud()
        both = [loud, 1]
        """,
        statements=True,
    )
    line = timeline(trace)
    held = {name: change.text for name, change in state(trace, line, len(line.moments)).names[0].items()}
    assert len(held["text"]) == 120 and held["many"] == "[0, 1, 2, 3, 4, 5, 6, 7, … 1000 in all]"
    assert held["deep"] == "[[[[…]]]]" and held["loud"] == "<Loud>" and held["both"] == "[<Loud>, 1]"


def test_a_result_that_no_run_leaves_is_refused():
    trace = trace_of("x = 1", statements=True).check()
    for wrong in (
        {"span": [99]},
        {"held": [99]},
        {"kind": [9]},
        {"operations": [-1]},
        {"starts": [0, 9]},
        {"call": [1]},
    ):
        changed = msgspec.structs.replace(trace, statements=msgspec.structs.replace(trace.statements, **wrong))
        with pytest.raises(InvalidTrace):
            changed.check()


def test_ten_thousand_operations_take_time_in_proportion():
    program = """
        w = torch.ones(1, requires_grad=True)
        for i in range({rounds}):
            z = (w * i + 1) / 2
        """
    small, large = (trace_of(program.format(rounds=rounds), statements=True) for rounds in (425, 3_400))
    assert len(large.operations) > 10_000
    least = most = float("inf")
    for _ in range(ATTEMPTS):
        least, most = min(least, _cost_of_line(small)), min(most, _cost_of_line(large))
        if most <= halfway(8) * least:
            return
    raise AssertionError(f"{least} became {most}")


def _cost_of_line(trace: Trace) -> float:
    fresh = msgspec.structs.replace(trace)  # of which nothing is kept
    return cost(lambda: timeline(fresh))
