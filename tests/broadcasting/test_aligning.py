"""Shapes lined up: torch's rule, axis by axis, against torch itself."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysis.views.broadcasting.alignment import align, reads, sources

SHAPES = st.lists(st.lists(st.sampled_from((1, 1, 2, 3, 0)), max_size=4).map(tuple), min_size=1, max_size=4)


def torchs(shapes):
    """Return torch's broadcast shape, or None if it refuses."""
    try:
        return tuple(torch.broadcast_shapes(*shapes))
    except RuntimeError:
        return None


def test_a_column_and_a_row_make_a_table():
    found = align([(3, 1), (1, 2)])
    assert found.result == (3, 2) and found.entries == 6 and found.clashes == ()
    assert [column.dim for column in found.columns] == [-2, -1]
    assert [column.dim for column in found.stretches(0)] == [-1]
    assert (reads(found, 0), reads(found, 1)) == (2, 3)


def test_a_missing_axis_has_size_one():
    found = align([(8, 1, 6, 1), (7, 1, 5)])
    assert found.result == (8, 7, 6, 5)
    assert found.columns[0].sizes == (8, None) and found.columns[0].stretched(1)


def test_every_mismatched_axis_is_named():
    assert align([(2, 3), (4, 5)]).clashes == (-2, -1)
    assert align([(2, 3), (2,)]).clashes == (-1,)
    assert align([(2, 3), (2,)]).result is None


def test_size_one_stretches_to_zero_too():
    found = align([(3, 1), (1, 0)])
    assert found.result == (3, 0) and reads(found, 0) == 0


@pytest.mark.parametrize(
    ("shapes", "grown"), [([(3, 1), (3,)], True), ([(3, 2), (2,)], False), ([(), (3,)], False), ([(2,), (3,)], False)]
)
def test_a_result_larger_than_every_operand(shapes, grown):
    assert align(shapes).grown is grown


@settings(max_examples=300, deadline=None)
@given(SHAPES)
def test_alignment_follows_torchs_rule(shapes):
    assert align(shapes).result == torchs(shapes)


@settings(max_examples=150, deadline=None)
@given(SHAPES)
def test_entries_are_read_like_in_torch(shapes):
    found = align(shapes)
    if found.result is None:
        return
    for shape in shapes:
        own = np.arange(int(np.prod(shape))).reshape(shape)
        stretched = torch.from_numpy(own.copy()).broadcast_to(found.result).numpy()
        for index in np.ndindex(found.result):
            assert own[sources(index, shape)] == stretched[index]
        if own.size:
            assert reads(found, shapes.index(shape)) * own.size == stretched.size
