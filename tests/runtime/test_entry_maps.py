"""Torch traces where a call took its entries from, and what has no such map."""

import numpy as np
import pytest
from msgspec.structs import replace

from explorer.analysis.tensors.operations.sentences import sentences
from explorer.analysis.tensors.operations.view import operation_view
from explorer.trace import InvalidTrace, decode, encode
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


def test_calls_with_the_same_operands_share_an_answer():
    trace = trace_of(HEAD + "for _ in range(50):\n    b = a.gather(0, i[None, :2])\n    a = a + 1")
    assert len(trace.maps.map) == 50 and len(trace.maps.count) == 1


def test_the_last_of_many_unknown_calls_is_mapped_too():
    trace = trace_of(
        HEAD + "a = a.view(1, 4, 1, 1)\nfor _ in range(3):\n    b = torch.pixel_shuffle(a, 2)\n    a = a + 1"
    )
    assert len(trace.maps.map) == 3 and len(trace.maps.count) == 1


@pytest.mark.thorough
def test_the_last_call_of_each_line_is_mapped_first():
    trace = trace_of(HEAD + "b = a[i]\nfor k in range(320):\n    c = torch.arange(400.)[torch.tensor([k])]")
    picked = [k for k, name in enumerate(trace.operations.name) if trace.strings[name] == "__getitem__"]
    told = [operation_view(trace, k) for k in picked]
    assert not told[0].missing and not told[-1].missing and not told[40].missing and told[1].missing == "asked"
    assert sentences(told[1], "en")[-1] and sentences(told[1], "zh")[-1]


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
    assert not trace_of(HEAD + line).maps.count


@pytest.mark.parametrize(
    ("column", "wrong"),
    [("places", b""), ("places", b"no zlib"), ("count", [1 << 19]), ("map", [1]), ("of", [1]), ("fill", b"")],
)
def test_mismatched_maps_in_a_file_are_refused(column, wrong):
    trace = trace_of(HEAD + "b = a[i]")
    assert np.array_equal(decode(encode(trace)).maps.maps()[0].places, [2, 3, 2, 3, 0, 1])
    with pytest.raises(InvalidTrace, match="maps"):
        decode(encode(replace(trace, maps=replace(trace.maps, **{column: wrong}))))
