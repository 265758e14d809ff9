"""What a recording keeps and reports: pickles, threads, `.grad`, frozen parameters that move."""

import copy
import functools
import inspect
import pickle
import runpy
import threading
import warnings

import pytest
import torch
from torch import nn

import explorer
from tests.patience import leave_process_group


def trained():
    """Return a small training."""
    net = nn.Linear(2, 1)
    net(torch.ones(1, 2)).sum().backward()
    return net


# ---- pickles --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("again", [lambda one: pickle.loads(pickle.dumps(one)), copy.deepcopy])
def test_a_copy_draws_and_reports_the_same(again):
    with explorer.record() as trace:
        net = trained()
    other = again(trace)
    assert other.trace == trace.trace and str(other.report()) == str(trace.report())
    assert explorer.draw(other).svg() == explorer.draw(trace).svg()
    assert torch.equal(other.gradient("net.weight").tensor, net.weight.grad)


def test_a_running_recording_cannot_be_pickled():
    with explorer.record() as trace, pytest.raises(RuntimeError, match="still running"):
        pickle.dumps(trace)


# ---- threads --------------------------------------------------------------------------------------------------------


def in_a_thread(work):
    """Run it in a thread, and wait."""
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_training_in_a_thread_is_reported_as_missing():
    with pytest.warns(RuntimeWarning, match="thread") as told, explorer.record() as trace:
        in_a_thread(trained)
    assert told[0].filename == __file__
    assert {limit.kind for limit in trace.limits} == {"threads", "elsewhere"} and trace.report().sound is None
    with pytest.warns(RuntimeWarning, match="thread"), explorer.record() as trace:
        trained()
        in_a_thread(trained)
    assert len(trace.backwards) == 1 and trace.report().sound is None


def test_unrelated_or_recorded_threads_cause_no_warning():
    def recorded():
        with explorer.record():
            trained()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with explorer.record():
            trained()
            in_a_thread(lambda: None)
            in_a_thread(recorded)
    with explorer.record() as trace:
        trained()
        in_a_thread(lambda: None)
    assert trace.report().sound is True


# ---- `.grad` --------------------------------------------------------------------------------------------------------


def test_the_gradient_of_backward_and_grad_after_an_all_reduce():
    """Imitates two processes, where the other has no gradient."""

    def half(_, bucket):
        future = torch.futures.Future()
        future.set_result(bucket.buffer() / 2)
        return future

    group = torch.distributed
    group.init_process_group("gloo", store=group.HashStore(), rank=0, world_size=1)
    try:
        model = nn.parallel.DistributedDataParallel(nn.Linear(2, 1))
        model.register_comm_hook(None, half)
        with explorer.record() as trace:
            model(torch.ones(3, 2)).sum().backward()
    finally:
        leave_process_group()
    name = "model.module.weight"
    assert (trace.gradient(name).data, trace.gradient(name, at_end=True).data) == ((3, 3), (1.5, 1.5))
    rows = trace.parameters()
    assert rows[name].changed and rows[name].grad.data == (1.5, 1.5) and ".grad now has norm 1.5" in str(rows)


def test_an_untouched_grad_is_reported_unchanged():
    with explorer.record() as trace:
        w = torch.ones(2, requires_grad=True)
        (w * 2).sum().backward()
        (w * 3).sum().backward()
    assert (trace.gradient("w").tolist(), trace.gradient("w", at_end=True).data) == ([3, 3], (5, 5))
    assert not trace.parameters()["w"].changed and trace.gradient("w", at_end=True).data == tuple(w.grad.tolist())
    with pytest.raises(KeyError, match="no tensor"):
        trace.gradient("nobody", at_end=True)


def test_a_frozen_parameter_moved_by_momentum_is_reported():
    with explorer.record() as trace:
        net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
        optimizer = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
        for step in range(6):
            if step == 2:
                net[0].requires_grad_(False)
            optimizer.zero_grad(set_to_none=False)
            net(torch.ones(1, 2)).sum().backward()
            optimizer.step()
    row = trace.parameters()["net.0.weight"]
    assert (row.state, row.gradient, row.moved) == ("frozen", None, 4)
    assert trace.gradient("net.0.weight") is None and trace.gradient("net.0.weight", at_end=True).norm == 0
    assert trace.parameters(1)["net.0.weight"].gradient is not None


def rolled():
    s = torch.ones(2)
    for _ in range(3):
        s2 = 0.9 * s
        s = s2
    return s


def swapped(x):
    a, b = x * 2, x * 3
    a, b = b, a
    return a, b


def nested(x):
    def inner(v):
        w = v
        for _ in range(3):
            new = w - 0.2 * w
            w = new
        return w

    y = inner(x)
    z = y * 1
    y = z
    return y


def yielding():
    u = torch.ones(1)
    for _ in range(3):
        new = u * 2
        u = new
        yield u


class Net(torch.nn.Module):
    def forward(self, x):
        h = x * 2
        h2 = h + 1
        h = h2
        return h


@pytest.mark.parametrize(
    ("call", "held"),
    [
        (rolled, {"s": 0.729}),
        (lambda: rolled() + 1, {"s": 0.729}),  # with an operation after it
        (lambda: swapped(torch.ones(2)), {"a": 3.0, "b": 2.0}),
        (lambda: nested(torch.ones(2)), {"w": 0.512, "y": 0.512}),
        (lambda: list(yielding()), {"u": 8.0}),
        (lambda: Net()(torch.ones(2)), {"h": 3.0}),
        (lambda: functools.partial(rolled)(), {"s": 0.729}),
    ],
)
def test_a_name_that_is_rebound_after_the_last_operation_has_its_last_value(call, held):
    with explorer.record() as trace:
        call()
    assert {name: trace[name].entries[0] for name in held} == pytest.approx(held)


def test_a_decorated_function_and_a_run_file_have_their_last_values(tmp_path):
    recorded = explorer.record()(rolled)
    assert recorded()[0].item() == pytest.approx(recorded.trace["s"].entries[0]) == pytest.approx(0.729)
    file = tmp_path / "program.py"
    file.write_text(f"import torch\n{inspect.getsource(rolled)}r = rolled()\nk = r * 2\nr = k\n")
    for run in (lambda: runpy.run_path(str(file)), lambda: exec(compile(file.read_text(), str(file), "exec"), {})):
        with explorer.record() as trace:
            run()
        assert (trace["s"].entries[0], trace["r"].entries[0]) == pytest.approx((0.729, 1.458))
    assert str(trace.why("s[0]")).startswith("s2[0] of round 3 = 0.729")
