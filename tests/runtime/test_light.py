"""Large tensors with detail="light": minimum, maximum and mean of a sample, everything else exact."""

import math

import pytest
import torch

import explorer
from explorer.runtime.recorder.values import ValueStore

SHAPE = 600, 256
COUNT = 600 * 256


def test_a_large_tensors_range_is_sampled_and_its_norm_is_exact():
    torch.manual_seed(0)
    x = torch.randn(SHAPE, requires_grad=True)
    with explorer.record(detail="light") as trace:
        y = x * 3
        y.sum().backward()
    value = trace["y"]
    y = y.detach()
    low, high = float(y.min()), float(y.max())
    assert 0 < value.sampled <= 4_096
    assert low <= value.minimum < low / 2 and high / 2 < value.maximum <= high
    assert value.mean == pytest.approx(float(y.mean()), abs=0.3)
    assert value.norm == pytest.approx(float(y.double().norm()), rel=1e-4)
    gradient = trace.gradients()["x"].gradient
    assert (gradient.minimum, gradient.maximum, gradient.sampled) == (3, 3, 0)  # a constant sample proves nothing


def test_a_small_tensor_and_a_complete_recording_have_no_samples():
    x, small = torch.randn(SHAPE), torch.randn(100, 100)
    with explorer.record(detail="light") as light:
        y = small * 3
    with explorer.record() as complete:
        z = x * 3
    assert light["y"].sampled == complete["z"].sampled == 0
    assert (light["y"].minimum, light["y"].maximum) == (float(y.min()), float(y.max()))
    assert (complete["z"].minimum, complete["z"].maximum) == (float(z.min()), float(z.max()))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("bad, nans", [(torch.nan, 1), (torch.inf, 0), (-torch.inf, 0)])
@pytest.mark.parametrize("place", [0, 17, COUNT // 2, COUNT - 1])
def test_a_single_nonfinite_number_is_found_anywhere(dtype, bad, nans, place):
    tensor = torch.randn(SHAPE).to(dtype)
    tensor.view(-1)[place] = bad
    store = ValueStore(light=True)
    for seen in (tensor, tensor.t(), tensor.unsqueeze(1).expand(600, 2, 256)):
        *_, norm, nonfinite, nan, sampled = store.summaries[store.add(seen)]
        copies = seen.numel() // COUNT
        assert (nonfinite, nan) == (copies, nans * copies) and sampled
        assert norm == pytest.approx(float(seen[seen.isfinite()].double().norm()), rel=1e-3)


def test_a_nonfinite_number_in_a_strided_view_is_found():
    tensor = torch.randn(400, 800)
    tensor[399, 798] = torch.nan
    store = ValueStore(light=True)
    assert store.summaries[store.add(tensor[:, ::2])][4:6] == (1, 1)
    assert store.summaries[store.add(tensor[:, 1::2])][4:6] == (0, 0)


@pytest.mark.parametrize("scale", [1e-30, 1e-20, 1e20, 1e30])
def test_numbers_whose_squares_are_out_of_range_are_summed_up_in_full(scale):
    tensor = torch.randn(SHAPE) * scale
    store = ValueStore(light=True)
    low, high, _, norm, nonfinite, _, sampled = store.summaries[store.add(tensor)]
    assert norm == pytest.approx(float(tensor.double().norm()), rel=1e-4) and not nonfinite
    assert sampled or (low, high) == (float(tensor.min()), float(tensor.max()))


def test_a_tensor_with_one_nonzero_entry_is_not_zero():
    w = torch.zeros(SHAPE, requires_grad=True)
    with explorer.record(detail="light") as trace:
        loss = w.view(-1)[12_345] * 5
        loss.backward()
    row = trace.gradients()["w"]
    assert (row.state, row.gradient.norm, row.gradient.is_zero) == ("flows", 5, False)
    assert trace["w"].is_zero


def test_a_sound_training_of_a_large_model_has_no_diagnosis():
    torch.manual_seed(0)
    words, head = torch.nn.Embedding(5_000, 32), torch.nn.Linear(32, 3)
    model = torch.nn.Sequential(words, head)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    moved = []
    with explorer.record(detail="light") as trace:
        for step in range(12):
            before = words.weight.detach().clone()
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(torch.tensor([step, 4_000])), torch.tensor([0, 1]))
            loss.backward()
            optimizer.step()
            moved.append(float((words.weight.detach() - before).norm()))
    report = trace.report()
    assert report.sound and not report.diagnoses
    leaf = next(leaf for leaf in trace.steps.leaves if leaf.name == "words.weight")
    table = trace.steps.to_pandas()
    assert 0 < leaf.sampled <= 4_096
    assert all(norm > 0 for norm in table["words.weight.gradient_norm"])
    for told, real in zip(table["words.weight.update_norm"], moved, strict=True):
        assert told != told or (told > 0 and real > 0)  # unknown if the sample misses the two rows that moved


@pytest.mark.parametrize("detail", ["light", "complete"])
@pytest.mark.parametrize("shape", [(5, 20), (3, 4_000)])  # within and beyond NumPy's buffer
def test_values_of_one_shape_are_summarised_like_single_ones(detail, shape):
    rows = [torch.randn(shape) for _ in range(4)]
    rows[1][0, 3], rows[2][0, 0] = math.nan, math.inf
    rows[3].mul_(1e-30)  # too small for single precision
    together, store = [], ValueStore(light=detail == "light")
    for row in rows:
        single = ValueStore(light=detail == "light")
        together.append((store.add(row), single, single.add(row)))
        single.settle()
    store.settle()
    for index, single, alone in together:
        assert repr(store.summaries[index]) == repr(single.summaries[alone])
        assert store.rows.column(2)[index - 1] == single.rows.column(2)[alone - 1]


def test_a_gradient_and_its_sum_are_one_value():
    x = torch.randn(100, requires_grad=True)
    with explorer.record(detail="light") as trace:
        (x * 2).sum().backward()
    call = trace.backwards[0]
    assert call.after == [trace.tensors.grad[trace.bound("x")]] and call.after[0] in call.arrived.items
