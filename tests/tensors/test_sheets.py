"""Entries on paper and distributions."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysis.views.tensors.views import deviation, histogram, sheet, tensor_view, written_when
from explorer.trace import thinned
from tests.corpus import facts_beside
from tests.traces import trace_of


def value(source: str):
    trace = trace_of(f"x = {source}", full=("*",))
    return tensor_view(trace, trace.bound("x")).value


@given(st.lists(st.integers(0, 5), max_size=7))
@settings(max_examples=25, deadline=None)
def test_every_square_holds_the_entry_of_its_index(sizes):
    shown = sheet(value(f"torch.arange({torch.Size(sizes).numel()}).reshape({sizes})"))
    tensor = torch.arange(torch.Size(sizes).numel()).reshape(sizes)
    for facet in shown.facets:
        for i, row in enumerate(facet.entries):
            for j, entry in enumerate(row):
                assert entry == tensor[shown.index(facet, i, j)]
    if shown.whole and not shown.chosen:
        assert sum(len(row) for facet in shown.facets for row in facet.entries) == tensor.numel()


@pytest.mark.parametrize("size, most", [(1, 3), (3, 3), (4, 3), (1000, 24)])
def test_thinning_keeps_order_ends_and_limits(size, most):
    kept = thinned(size, most)
    assert len(kept) == min(size, most) and kept[0] == 0 and kept[-1] == size - 1 and sorted(set(kept)) == list(kept)


@pytest.mark.parametrize("source", ["torch.tensor(True)", "torch.ones(5)", "torch.tensor([1j, 2j, 3j])"])
def test_unordered_or_constant_values_have_no_distribution(source):
    assert histogram(value(source)) is None


@pytest.mark.parametrize("source", ["torch.tensor([1., 2, 4])", "torch.arange(8.)", "torch.arange(500.) / 7"])
def test_a_distribution_has_fewer_bins_than_entries_and_a_deviation(source):
    trace, tensor = trace_of(f"x = {source}"), eval(source)  # the longest tensor has a sample and its norm
    found = tensor_view(trace, trace.bound("x")).value
    assert len(histogram(found).counts) <= tensor.numel()
    assert deviation(found) == pytest.approx(tensor.std().item(), rel=1e-3)


test_facts = facts_beside(__file__, globals())


@pytest.mark.parametrize("update", ["w.data -= 0.1 * w.grad", "with torch.no_grad(): w -= 0.1 * w.grad"])
def test_versions_are_placed_before_or_after_a_backward(update):
    trace = trace_of(f"""
        import torch
        w = torch.ones(3, requires_grad=True)
        for step in range(2):
            (w * w).sum().backward()
            {update}
    """)
    first, *_, last = trace.versions_of(trace.index.bound["w"])
    assert [written_when(trace, row, 1) for row in (first, last)] == ["before", "after"]
    assert written_when(trace, first, 0) == "with"
