"""Entries on paper, distributions and prints."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysis.tensors.prints import is_print, read_print, with_print
from explorer.analysis.tensors.views import deviation, histogram, sheet, tensor_view, written_when
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
    trace, tensor = trace_of(f"x = {source}"), eval(source)  # the longest has a sample and its norm
    found = tensor_view(trace, trace.bound("x")).value
    assert len(histogram(found).counts) <= tensor.numel()
    assert deviation(found) == pytest.approx(tensor.std().item(), rel=1e-3)


PRINTED = [
    "torch.randn(2, 3, 2)",
    "torch.tensor([1 + 2j, -3.5j])",
    "torch.tensor([[True], [False]])",
    "torch.tensor([float('nan'), -float('inf'), 1e-20])",
    "torch.arange(6).reshape(1, 2, 3)",
    "torch.tensor(2.5)",
    "torch.tensor([7], dtype=torch.int16)",
]


@pytest.mark.parametrize("source", PRINTED)
def test_a_print_is_read_entry_by_entry(source):
    tensor = eval(source)
    parts = read_print(str(tensor))
    assert "".join(part.text for part in parts) == str(tensor)
    entries = [part for part in parts if part.kind == "number"]
    assert [part.index for part in entries] == list(np.ndindex(tuple(tensor.shape)))
    read = [complex(part.text.replace("True", "1").replace("False", "0")) for part in entries]
    assert np.allclose(read, tensor.reshape(-1).to(torch.complex128), atol=1e-3, equal_nan=True)


@pytest.mark.parametrize(
    "tensor, words",
    [
        (torch.ones(2, requires_grad=True) * 2, ["grad_fn"]),
        (torch.nn.Parameter(torch.ones(2)), ["requires_grad"]),
        (torch.ones(1, dtype=torch.float64), ["dtype"]),
        (torch.empty(0, 3), ["size"]),
        (torch.eye(2).to_sparse(), ["indices", "values", "size", "nnz", "layout"]),
    ],
)
def test_the_words_of_a_print_are_explained(tensor, words):
    assert [part.name for part in read_print(str(tensor)) if part.kind == "property"] == words


def test_brackets_are_tied_to_axes_and_gaps_hide_indices():
    parts = read_print(str(torch.zeros(40, 40)))
    assert {part.axis for part in parts if part.kind == "open"} == {0, 1}
    numbers = [part.index for part in parts if part.kind == "number"]
    assert numbers[:3] == [(0, 0), (0, 1), (0, 2)] and numbers[3] is None
    assert is_print(str(torch.zeros(2))) and not is_print("(tensor(1), 2)")


def test_a_print_is_inserted_after_the_block():
    source = "for i in range(2):\n    x = f(\n        i,\n    )\n\ny = 1"
    assert with_print(source, 2, "x")[1:3] == ("print(x)", "\ny = 1")
    assert with_print("x = 1", 1, "x[0]") is None
    assert with_print("net = f()", 1, "net.0.weight")[1] == "print(net[0].weight)"


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
