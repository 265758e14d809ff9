"""Positions of entries: the storage map compared with torch's reading of the same memory."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysis.views.tensors.memory import memory_map, places
from explorer.analysis.views.tensors.views import is_contiguous
from tests.traces import trace_of


def views_of(trace, name: str):
    """Return the storage of a named tensor, and the tensor's row in it."""
    for storage in memory_map(trace):
        for view in storage.views:
            if view.label == name:
                return storage, view
    raise KeyError(name)


@st.composite
def views(draw) -> torch.Tensor:
    """Return a tensor that counts its storage's entries, looked at through random slices, transposes and expansions."""
    sizes = draw(st.lists(st.integers(0, 4), max_size=4))
    tensor = torch.arange(torch.Size(sizes).numel()).reshape(sizes)
    for _ in range(draw(st.integers(0, 4))):
        axis = draw(st.integers(0, max(tensor.dim() - 1, 0)))
        match draw(st.sampled_from(("slice", "transpose", "unsqueeze", "select", "expand"))):
            case "slice" if tensor.dim():
                start, step = draw(st.integers(0, 3)), draw(st.integers(1, 3))
                tensor = tensor[(slice(None),) * axis + (slice(start, None, step),)]
            case "transpose" if tensor.dim() > 1:
                tensor = tensor.transpose(axis, draw(st.integers(0, tensor.dim() - 1)))
            case "unsqueeze" if tensor.dim() < 5:
                tensor = tensor.unsqueeze(axis)
            case "select" if tensor.dim() and tensor.shape[axis]:
                tensor = tensor.select(axis, draw(st.integers(0, tensor.shape[axis] - 1)))
            case "expand":
                tensor = tensor.expand(2, *tensor.shape) if tensor.dim() < 5 else tensor
    return tensor


@given(views())
@settings(max_examples=150, deadline=None)
def test_entries_are_located_like_by_as_strided(tensor):
    told = places(tuple(tensor.shape), tensor.stride(), tensor.storage_offset())
    base = torch.arange(tensor.untyped_storage().nbytes() // 8)
    read = torch.as_strided(base, tensor.shape, tensor.stride(), tensor.storage_offset()) if tensor.numel() else tensor
    assert told.tolist() == read.reshape(-1).tolist() == tensor.reshape(-1).tolist()
    assert is_contiguous(tuple(tensor.shape), tensor.stride()) == tensor.is_contiguous()


@given(st.lists(st.sampled_from(("[1:]", "[::2]", ".T", "[0]", "[..., -1]", ".unsqueeze(0)")), min_size=1, max_size=3))
@settings(max_examples=12, deadline=None)
def test_a_view_of_a_program_reads_the_cells_that_hold_its_entries(parts):
    text = f"x = torch.arange(24.).reshape(4, 6)\nv = x{''.join(parts)}"
    trace = trace_of(text, full=("*",))
    if trace.status == "ok":
        storage, view = views_of(trace, "v")
        assert [storage.values[place] for place in view.places] == list(trace["v"].data)
        assert {row.label for row in storage.views} >= {"x", "v"}


def test_views_share_a_storage_and_copies_have_their_own():
    trace = trace_of(
        """
        x = torch.arange(12.)
        X = x.reshape(3, 4)
        T = X.T
        column = X[:, 2]
        flat = T.reshape(12)
        kept = x.clone()
        """
    )
    storage, column = views_of(trace, "column")
    assert [view.label for view in storage.views] == ["x", "X", "T", "column"]
    assert (column.offset, column.stride, column.places) == (2, (4,), (2, 6, 10))
    assert not views_of(trace, "T")[1].contiguous
    assert {len(views_of(trace, name)[0].views) for name in ("flat", "kept")} == {1}


def test_an_array_of_numpy_is_a_view_of_the_tensors_storage():
    storage, array = views_of(trace_of("x = torch.arange(6.)\nA = x.numpy()\nB = A[1::2]"), "B")
    assert (array.kind, array.offset, array.stride, array.places) == ("array", 1, (2,), (1, 3, 5))
    assert [view.label for view in storage.views] == ["x", "A", "B"]


def test_entries_of_two_sizes_share_cells_of_the_smaller_size():
    storage, wide = views_of(trace_of("x = torch.zeros(2, dtype=torch.float64)\nb = x.view(torch.int16)"), "x")
    assert (storage.unit, storage.cells, wide.places) == (2, 8, (0, 4))


def test_an_expanded_axis_repeats_one_cell():
    storage, view = views_of(trace_of("x = torch.tensor([5.])\ny = x.expand(3)"), "y")
    assert (view.places, storage.cells, storage.values) == ((0, 0, 0), 1, {0: 5.0})


def test_rebound_and_living_names_are_distinguished():
    trace = trace_of("x = torch.zeros(2)\ny = x[:1]\nz = x[1:]\ny = y + 1")
    storage, _ = views_of(trace, "z")
    assert [(view.label, view.living) for view in storage.views] == [("x", True), ("y", False), ("z", True)]


def test_a_tensor_is_labelled_by_a_name_it_has_at_the_end():
    old, new = memory_map(trace_of("y = torch.zeros(2)\nb = y\ny = y + 1"))
    assert (old.views[0].label, new.views[0].label) == ("b", "y") and old.views[0].living


def test_the_map_after_an_operation_shows_that_state():
    trace = trace_of("x = torch.zeros(2)\ny = x.view(2, 1)\ny[0] = 5\nx = x + 1")

    def map_after(operation):
        return [
            ([(view.label, view.living) for view in part.views], part.values) for part in memory_map(trace, operation)
        ]

    assert map_after(0) == [([("x", True)], {0: 0.0, 1: 0.0})]
    assert map_after(1) == [([("x", True), ("y", True)], {0: 0.0, 1: 0.0})]
    assert map_after(2) == [([("x", True), ("y", True)], {0: 5.0, 1: 0.0})]
    assert map_after(3)[0] == ([("x", False), ("y", True)], {0: 5.0, 1: 0.0})
