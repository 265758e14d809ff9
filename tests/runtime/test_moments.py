"""Mean and norm in single precision, against those in double precision."""

import pytest
import torch

from explorer.runtime.recorder.summaries import in_memory_order
from explorer.runtime.recorder.values import ValueStore

torch.manual_seed(0)
LARGE = torch.randn(300, 500)


def summarized(tensor):
    store = ValueStore()
    index = store.add(tensor)
    store.settle()
    return store.summaries[index]


@pytest.mark.parametrize(
    "tensor",
    [
        LARGE,
        LARGE.t(),
        LARGE + 1000,
        LARGE * 1e-12,
        LARGE * 1e-36,
        LARGE * 1e25,
        LARGE.double(),
        LARGE[:, ::2].repeat(2, 1),
        torch.randn(30, 40, 50)[:, ::2],
        torch.zeros(20_000),
        torch.ones(1, 3).expand(9000, 3),
        LARGE > 0,
        (LARGE * 50).to(torch.int8),
        (LARGE.abs() * 50).to(torch.uint8),
        (LARGE * 1e9).long(),
    ],
    ids=range(15),
)
def test_a_summary_is_accurate_to_double_precision(tensor):
    low, high, mean, norm, nonfinite, nans, _ = summarized(tensor)
    exact = tensor.double()
    assert (low, high, nonfinite, nans) == (float(exact.min()), float(exact.max()), 0, 0)
    assert norm == pytest.approx(float(exact.norm()), rel=1e-6, abs=0)
    spread = float(exact.abs().max())
    assert mean == pytest.approx(float(exact.mean()), rel=1e-6, abs=1e-9 * spread)


@pytest.mark.parametrize("bad, nans", [(torch.nan, 1), (torch.inf, 0), (-torch.inf, 0)])
def test_a_single_nonfinite_number_among_many_is_found(bad, nans):
    tensor = LARGE.t().clone()
    tensor[-1, -1] = bad
    assert summarized(tensor)[4:6] == (1, nans)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("bad", [[-torch.inf], [torch.inf], [torch.nan], [torch.nan, torch.inf, -torch.inf]])
def test_the_finite_rest_of_many_nonfinite_numbers_is_summarised(dtype, bad):
    tensor = LARGE.to(dtype)
    for place, number in enumerate(bad):
        tensor[place::7] = number
    low, high, mean, norm, nonfinite, nans, _ = summarized(tensor)
    rest = tensor[tensor.isfinite()].double()
    assert (low, high) == (float(rest.min()), float(rest.max()))
    assert (nonfinite, nans) == (tensor.numel() - len(rest), int(tensor.isnan().sum()))
    assert mean == pytest.approx(float(rest.mean()), rel=1e-6, abs=1e-8) and norm == pytest.approx(float(rest.norm()))


def test_a_summary_without_finite_numbers_is_nan():
    *told, nonfinite, nans, _ = summarized(torch.full((200, 100), torch.inf))
    assert all(number != number for number in told) and (nonfinite, nans) == (20_000, 0)


def test_memory_order_copies_nothing():
    assert in_memory_order(LARGE.t()).data_ptr() == LARGE.data_ptr()
    gaps = torch.arange(20.0).view(4, 5)[:, ::2]
    assert in_memory_order(gaps).tolist() == gaps.flatten().tolist()
