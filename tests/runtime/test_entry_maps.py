"""Torch traces where a call took its entries from, and what has no such map."""

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from explorer.analysis.tensors.operations.sentences import sentences
from explorer.analysis.tensors.operations.view import operation_view
from explorer.trace import decode, encode, entry_maps
from explorer.trace.entry_maps import EntrySources, entry_sources, read_answers
from tests.traces import trace_of

HEAD = "import torch\na = torch.tensor([[3., -1.], [0.5, 4.]])\ni = torch.tensor([1, 1, 0])\n"


def read(line: str) -> list[list[int]]:
    """By operand of the last call which entry each entry of its result was taken from."""
    trace = trace_of(HEAD + line)
    (reading,) = [one.reading for one in operation_view(trace, len(trace.operations) - 1).outcomes]
    return [reads[:, 0].tolist() for reads in reading.reads]


@pytest.mark.parametrize(
    ("line", "reads"),
    [
        ("b = a.t()", [[0, 2, 1, 3]]),
        ("b = a.as_strided((2, 2), (1, 2)).T", [[0, 2, 1, 3]]),
        ("b = a[:1].expand(2, 2).t()", [[0, 2, 1, 3]]),
        ("b = a[i]", [[2, 3, 2, 3, 0, 1], [0, 0, 1, 1, 2, 2]]),
        ("b = a[a > 0]", [[0, 2, 3], [0, 2, 3]]),
        ("b = a[a > 9]", [[], []]),
        ("b = torch.cat([a, i[None, :2]], 0)", [[0, 1, 2, 3, -1, -1], [-1, -1, -1, -1, 0, 1]]),
        ("b = a.sort(0)[0].tril()", [[0, -1, 2, 3]]),
        ("a[:, 0] = i[:2]", [[-1, 1, -1, 3], [0, -1, 1, -1]]),
    ],
)
def test_entry_maps_record_the_source_of_entries(line, reads):
    assert read(line) == reads


def test_every_call_of_a_long_run_is_answered():
    trace = trace_of(HEAD + "for k in range(320):\n    c = torch.arange(400.)[torch.tensor([k])]")
    picked = [k for k, name in enumerate(trace.operations.name) if trace.strings[name] == "__getitem__"]
    assert not any(operation_view(trace, k).missing for k in (picked[0], picked[-1]))


def test_a_trace_that_nobody_answers_for_shows_operands_and_a_sentence(monkeypatch):
    monkeypatch.setattr(entry_maps, "_elsewhere", [])
    trace = decode(encode(trace_of(HEAD + "b = a[i]")))
    view = operation_view(trace, len(trace.operations) - 1)
    assert view.missing == "asked" and view.operands and view.outcomes[0].reading is None
    assert all("torch" in sentences(view, lang)[-1].lower() for lang in ("en", "zh"))


def test_a_saved_trace_is_answered_by_another_process():
    import explorer.workers  # noqa: F401

    trace = decode(encode(trace_of(HEAD + "b = a[i]")))
    assert [
        reads[:, 0].tolist() for reads in operation_view(trace, len(trace.operations) - 1).outcomes[0].reading.reads
    ]


def test_summed_entries_are_mapped_backwards():
    trace = trace_of(HEAD + "b = a[:, 0].scatter_add(0, i, torch.ones(3))")
    (made,) = operation_view(trace, len(trace.operations) - 1).outcomes
    assert [sorted({*row} - {-1}) for row in made.reading.reads[2].tolist()] == [[2], [0, 1]]


@pytest.mark.parametrize(
    "line",
    [
        "b = a.scatter_reduce(0, i[None, :2], a, 'mean')",
        "b = a.index_add(0, i[:2], a, alpha=3)",
        "b = a.abs()",  # which returned some entries unchanged
        "b = torch.nn.functional.one_hot(i)",  # a number of a place would be a class
        "b = torch.bincount(i)",
    ],
)
def test_a_computation_has_no_entry_map(line):
    trace = trace_of(HEAD + line)
    assert entry_sources(trace.index, len(trace.operations) - 1, "moves" if "index_add" in line else "copies") == []


@pytest.mark.parametrize(
    ("line", "places"),
    [
        ("b = torch.nn.functional.one_hot(i)", [[0], [0], [1], [1], [2], [2]]),
        ("b = a.diff(dim=1)", [[0, 1], [2, 3]]),
        ("b = torch.cdist(a[:1], a)", [[0, 1, 2, 3], [0, 1, 4, 5]]),
        ("b = torch.isin(a[0], i[:1])", [[0, 2], [1, 2]]),
        ("b = torch.nn.functional.dropout(a)", None),  # other numbers are drawn when it is repeated
    ],
)
def test_entries_that_any_other_call_depends_on_are_found(line, places):
    trace = trace_of(HEAD + line)
    found = entry_sources(trace.index, len(trace.operations) - 1, "depends")
    assert ([one.reads([100])[0].tolist() for one in found] or [None]) == [places]


@pytest.mark.parametrize(
    "wrong", [{"places": b"123"}, {"places": b"\xfe\xff\xff\xff" * 2}, {"terms": 3}, {"selectors": {1: b"\0" * 4}}]
)
def test_mismatched_answers_are_refused(wrong):
    answer = EntrySources.of(np.array([[0], [-1]]), "copy", 0.0, {1: np.array([0, 1])})
    assert read_answers(msgspec.msgpack.encode({0: [answer]}))[0] == [answer]
    with pytest.raises(ValueError):
        read_answers(msgspec.msgpack.encode({0: [replace(answer, **wrong)]}))
