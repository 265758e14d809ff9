"""torch traces the sources of a call's entries; calls without such a map."""

import tracemalloc

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from explorer.analysis.explain.entries.entry_sentences import sentences
from explorer.analysis.explain.entries.operation_view import operation_view
from explorer.trace import Trace, decode, encode, entry_maps
from explorer.trace.entry_maps import EntrySources, entry_sources, read_answer
from tests.traces import trace_of

HEAD = "import torch\na = torch.tensor([[3., -1.], [0.5, 4.]])\ni = torch.tensor([1, 1, 0])\n"


def read(line: str) -> list[list[int]]:
    """Return, for each operand of the last call, the source of each result entry."""
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
        "b = a.abs()",  # abs returns some entries unchanged
        "b = torch.nn.functional.one_hot(i)",  # an index would count as a class
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
        ("b = a[0].bfloat16().diff()", [[0, 1]]),
        ("b = torch.isin(a[0], i[:1])", [[0, 2], [1, 2]]),
        ("b = torch.nn.functional.dropout(a)", None),  # repeating it draws other numbers
    ],
)
def test_entries_that_any_other_call_depends_on_are_found(line, places):
    trace = trace_of(HEAD + line)
    found = entry_sources(trace.index, len(trace.operations) - 1, "depends")
    assert ([one.reads([100])[0].tolist() for one in found] or [None]) == [places]


def forged(trace: Trace, *answers: EntrySources) -> bool:
    """Return whether an answer about the last call is refused."""
    try:
        read_answer(msgspec.msgpack.encode(answers), trace.index, len(trace.operations) - 1)
    except ValueError:
        return True
    return False


PLACE, BEYOND = b"\1\0\0\0", b"\6\0\0\0"  # within the six entries of `a` and `i`, and past them


@pytest.mark.parametrize(
    "wrong",
    [
        {"places": b"123"},
        {"places": b"\xfe\xff\xff\xff" * 2},  # -2
        {"places": PLACE * 3},  # the result has two entries
        {"places": PLACE * 100_000},
        {"places": PLACE + BEYOND},
        {"terms": 3},
        {"places": PLACE * 4, "terms": 2, "selectors": {}},  # a copy has one source
        {"places": PLACE * 2 * 125_000, "terms": 125_000, "rule": "sum", "selectors": {}},  # the operands have six
        {"selectors": {1: b"\0" * 4}},
        {"selectors": {1: PLACE + BEYOND}},  # `i` has two entries
        {"selectors": {2: PLACE * 2}},  # there are two operands
        {"selectors": {-1: PLACE * 2}},
        {"selectors": {k: b"" for k in range(900)}},
    ],
)
def test_answers_that_do_not_fit_the_call_are_refused(wrong):
    trace = trace_of("import torch\na, i = torch.ones(4), torch.tensor([0, 1])\nb = a[i]")
    answer = EntrySources.of(np.array([[0], [-1]]), "copy", 0.0, {1: np.array([0, 1])})
    assert not forged(trace, answer) and not forged(trace)
    assert forged(trace, replace(answer, **wrong)) and forged(trace, answer, answer)


def test_an_answer_is_refused_before_it_takes_memory():
    trace = trace_of("import torch\nb = torch.stack([torch.ones(2) for _ in range(1_000)])")
    places = EntrySources(PLACE * 100_000, 1, "copy", 0.0, {})
    tracemalloc.start()
    try:
        assert forged(trace, places) and forged(trace, *[replace(places, places=b"")] * 3_000)
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()


def test_answers_about_many_calls_are_not_all_kept():
    trace = trace_of("import torch\na = torch.arange(100_000.)\n" + "b = a.flip(0)\n" * 30)
    calls = [k for k, name in enumerate(trace.operations.name) if trace.strings[name] == "flip"]
    assert all(entry_sources(trace.index, call, "moves") for call in calls)
    kept = trace.index.known(("entry sources", "moves"))
    assert sum(one.size for found in kept.values() for one in found) < 10_000_000
    assert entry_sources(trace.index, calls[0], "moves")
