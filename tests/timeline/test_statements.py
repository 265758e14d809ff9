"""Statements are recorded on request, without changing anything else."""

import msgspec
import pytest
from msgspec.structs import replace

from explorer.analysis.views.timeline import timeline
from explorer.trace import InvalidTrace, Trace
from tests.corpus import facts_beside
from tests.measured import ATTEMPTS, cost, halfway
from tests.timeline.programs import PROGRAMS
from tests.timeline.states import state
from tests.traces import trace_of

OWN = {"options", "statements", "strings", "spans"}


def without_addresses(trace: Trace) -> Trace:
    """Return the Trace without allocator-dependent facts: whose memory a saved result uses."""
    return replace(trace, saved=replace(trace.saved, storage=[]))


@pytest.mark.parametrize("name", ["branch", "loop", "function", "no_grad"])
def test_recording_statements_changes_nothing_else(name):
    without, watched = map(without_addresses, (trace_of(PROGRAMS[name]), trace_of(PROGRAMS[name], statements=True)))
    for field in Trace.__struct_fields__:
        if field not in OWN:
            assert getattr(without, field) == getattr(watched, field), field
    assert watched.strings[: len(without.strings)] == without.strings
    assert watched.spans[: len(without.spans)] == without.spans
    assert not len(without.statements) and len(watched.statements)


def test_an_impossible_result_is_refused():
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


@pytest.mark.thorough
def test_time_is_proportional_for_ten_thousand_operations():
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
    fresh = msgspec.structs.replace(trace)  # a copy without caches
    return cost(lambda: timeline(fresh))


test_facts = facts_beside(__file__, globals(), state=state)
