"""Steps of training in a Trace: what the check refuses, and the even thinning of a long loop."""

import numpy as np
import pytest
from msgspec.structs import replace

from explorer.analysis.run.curves import curves, main_place
from explorer.analysis.views.training import step_table, steps_plain
from explorer.program import read_program
from explorer.runtime.execute import execute
from explorer.trace import InvalidTrace, Options, Trace, decode, encode, read
from tests.traces import trace_of


@pytest.fixture(scope="module")
def trace() -> Trace:
    return trace_of("""
        import torch
        w, big = torch.ones(2, requires_grad=True), torch.ones(10, 20, requires_grad=True)
        for epoch in range(3):
            for step in range(4):
                loss = (w * w).sum() + big.sum()
                loss.backward()
                w.data -= 0.1 * w.grad
                w.grad = None
        """)


@pytest.mark.parametrize(
    ("pairs", "answer"),
    [
        ([(0, 0)] * 11, "columns of different lengths"),
        ([(0, 0)] * 11 + [(11, 0)], "slices that cannot be"),
        ([(0, 0)] * 11 + [(0, 21)], "slices that cannot be"),
        ([(-2, 0)] + [(0, 0)] * 11, "slices that cannot be"),
    ],
)
def test_more_slices_than_it_has_are_refused(trace, pairs, answer):
    w, big = trace.steps.leaves
    assert np.frombuffer(big.slices, "<i4").tolist() == [0] * 24 and w.slices == b""
    wrong = replace(big, slices=np.array(pairs, "<i4").tobytes())
    with pytest.raises(InvalidTrace, match=answer):
        replace(trace, steps=replace(trace.steps, leaves=[w, wrong])).check()


def test_a_leaf_is_recorded_completely_or_by_statistics(trace):
    found = curves(trace)
    w, big = found.leaves
    assert (w.name, w.whole, w.values.shape, w.updates.shape) == ("w", True, (12, 2), (12, 2))
    assert (big.name, big.whole, big.values.shape, big.updates.shape) == ("big", False, (12, 64), (12, 0))
    assert big.indices[:3].tolist() == [0, 3, 6] and big.value_mean[0] == 1
    assert np.allclose(big.gradient_norm, np.arange(1, 13) * 200**0.5)  # nothing resets the gradient
    assert np.allclose(big.before, np.arange(12) * 200**0.5)
    assert not big.update_norm.any() and (w.update_norm > 0).all()
    assert np.allclose(w.gradient_norm, [2 * 2**0.5 * 0.8**k for k in range(12)], rtol=1e-5)
    assert np.allclose(w.ratio, 0.2)
    assert found.rounds[6] == (("epoch", "1"), ("step", "2"))
    assert np.isnan(found.rate).all()


def test_the_table_and_the_json_agree(trace):
    table, (place,) = step_table(trace).to_pandas(), steps_plain(trace, float)
    assert table["epoch"].tolist() == [loops["epoch"] for loops in place["loops"]] == [0] * 4 + [1] * 4 + [2] * 4
    assert table["loss"].tolist() == place["loss"]
    assert table["w.update_norm"].tolist() == place["leaves"][0]["update_norm"]
    assert place["rate"] == [None] * 12
    entries = step_table(trace).entries("big")
    assert entries.columns[[0, 1, 64]].tolist() == ["big[0, 0]", "big[0, 3]", "big.grad[0, 0]"]
    with pytest.raises(KeyError, match="no leaf is called v: w, big"):
        step_table(trace).entries("v")


def test_a_program_without_a_loop_has_no_steps():
    trace = trace_of("w = torch.ones(2, requires_grad=True)\n(w * w).sum().backward()\nw.sum().backward()\n")
    assert not len(trace.steps) and not trace.steps.places
    assert curves(trace) is None and main_place(trace) is None and not len(step_table(trace).to_pandas())


def test_an_older_trace_without_steps_is_read(trace):
    import msgspec

    old = msgspec.msgpack.decode(encode(trace))
    del old["steps"]
    assert not len(read(msgspec.msgpack.encode(old)).steps)


def test_a_place_reached_from_two_lines_loses_no_step():
    program = (
        b"def f(x):\n    return torch.autograd.grad(x * x, x)[0]\nw = torch.ones((), requires_grad=True)\nf(w)\nf(w)"
    )
    trace = execute(read_program("-", program), Options()).check()
    assert [place.calls for place in trace.steps.places] == [2] and not trace.limits


@pytest.mark.thorough
def test_a_long_loop_is_thinned_evenly_and_reported():
    program = b"""
w = torch.ones(2, requires_grad=True)
for i in range(5003):
    (w * w).sum().backward()
    w.data *= 0.999
    w.grad = None
"""
    trace = execute(read_program("-", program), Options(), operation_cap=1_000).check()
    found = curves(decode(encode(trace)))
    assert (found.calls, found.stride) == (5003, 8)
    assert found.number.tolist() == [*range(0, 5003, 8)]
    assert found.rounds[-1] == (("i", "5000"),)
    assert found.loss[:-1] == pytest.approx(2 * 0.999 ** (2.0 * found.number[:-1]), rel=1e-3)
    assert found.leaves[0].ratio == pytest.approx(np.full(len(found), 0.001), rel=1e-2)  # per step, not per eight
    assert [limit.count for limit in trace.limits if limit.kind == "steps"] == [5003 - len(found)]
