"""An optimizer's step: what it did is one operation, and what a closure does in it is the program's."""

import pytest
import torch

import explorer
from explorer.runtime.recorder.values import ValueStore


def named(trace, part: str) -> list[int]:
    """The operations with a name that has this in it."""
    return [i for i, name in enumerate(trace.operations.name) if part in trace.strings[name]]


@pytest.mark.parametrize("kind, options", [("SGD", {"momentum": 0.9}), ("AdamW", {}), ("Adam", {"foreach": True})])
def test_a_step_is_one_operation_over_parameters_and_gradients(kind, options):
    w, v = (torch.nn.Parameter(torch.ones(2) * size) for size in (1, 3))
    alone = torch.nn.Parameter(torch.ones(2))
    optimizer = getattr(torch.optim, kind)([w, v, alone], 0.1, **options)
    with explorer.record() as recorded:
        (w * v).sum().backward()
        optimizer.step()
    trace = recorded.trace
    [step] = named(trace, f"{kind}.step")
    changed = {
        i for i in range(len(trace.tensors)) if step in [trace.versions.operation[r] for r in trace.versions_of(i)]
    }
    assert (
        changed == {trace.bound("w"), trace.bound("v")} == set(trace.operations.outputs[step])
        and len(trace.operations.inputs[step]) == 4
    )
    assert recorded["w"].data == tuple(w.tolist())
    assert not named(trace, "add") and not named(trace, "mul_") and len(named(trace, "grad")) == 3


def test_a_closure_within_a_step_is_recorded_and_each_write_before_it_too():
    w = torch.nn.Parameter(torch.tensor([3.0, 4.0]))
    optimizer = torch.optim.LBFGS([w], max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss

    with explorer.record() as recorded:
        optimizer.step(closure)
    trace = recorded.trace
    assert len(trace.backwards) == len(named(trace, "sum")) >= 2
    rows = [trace.versions.operation[row] for row in trace.versions_of(trace.bound("w"))][1:]
    assert rows and set(rows) <= set(named(trace, "LBFGS.step"))


def test_memory_written_past_torchs_counter_is_summed_up_anew():
    large = torch.zeros(200, 200)
    with explorer.record() as recorded:
        seen = large.view(-1)
        large.data.add_(1)
        again = large.view(-1)
    trace = recorded.trace
    assert (recorded["again"].minimum, recorded["again"].norm) == (1.0, 200.0)
    assert seen is not again and trace.status == "ok"


def test_memory_that_was_given_back_is_no_memory_that_was_seen():
    store = ValueStore()
    for number in range(20):
        tensor = torch.full((200, 200), float(number))
        assert store.summaries[store.add(tensor)][:2] == (number, number)
        del tensor


def test_arrays_may_write_unseen():
    large = torch.zeros(200, 200)
    array = large.numpy()
    store = ValueStore()
    store.add(large)
    array[0, 0] = 9
    assert store.summaries[store.add(large)][1] == 9
