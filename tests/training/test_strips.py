"""Strips: from numbers to colours, and what stands out in a row."""

import math

import numpy as np
import pytest

from explorer.analysis.training.strips import BAD, LEVELS, MISSING, ZERO, Numbers, RowRemark, remark, scale_of

NAN, INF = math.nan, math.inf


def numbers(*of: float | None) -> Numbers:
    """None: no number at that step."""
    filled = np.array([NAN if one is None else one for one in of], dtype=float)
    return Numbers(filled, np.array([one is not None for one in of], dtype=bool))


def found(gradient: Numbers, moved: bool = True) -> RowRemark | None:
    value = numbers(*[1.0] * len(gradient.of))
    return remark({"gradient": gradient, "value": value, "update": value, "ratio": value, "zeros": value}, moved)


def test_one_scale_for_all_rows_a_factor_of_ten_is_an_equal_step_of_colour():
    rows = [numbers(1e-4, 1e-3, 1e-2), numbers(0.1, 1.0, 1.0)]
    scale = scale_of(rows, "gradient")
    assert (scale.low, scale.high) == pytest.approx((1e-4, 1.0))
    first, second, third = scale.levels(rows[0], 3)
    assert first == 0 and second - first == pytest.approx(third - second, abs=1)
    assert scale.levels(rows[1], 3)[-1] == LEVELS - 1


def test_zero_no_number_and_nan_have_marks_of_their_own():
    row = numbers(1.0, 0.0, None, NAN, INF)
    assert scale_of([row], "gradient").levels(row, 5).tolist()[1:] == [ZERO, MISSING, BAD, BAD]


def test_one_outburst_does_not_pale_the_rest():
    row = numbers(*[0.1, 0.3, 1.0] * 20, 1e30)
    scale = scale_of([row], "gradient")
    assert scale.high < 1e4
    assert scale.levels(row, 61)[-1] == LEVELS - 1


def test_a_column_of_several_steps_has_the_colour_of_the_largest_and_nan_wins():
    row = numbers(*[1.0] * 5, 100.0, *[1.0] * 6, NAN, *[1.0] * 7)
    levels = scale_of([row], "gradient").levels(row, 4)
    assert levels.tolist() == [0, LEVELS - 1, BAD, 0]


@pytest.mark.parametrize("of", [(), (None, None), (0.0,), (NAN,), (5.0,)])
def test_nothing_to_measure_is_no_fault(of):
    row = numbers(*of)
    assert len(scale_of([row], "gradient").levels(row, min(3, len(of)))) == len(of)


def test_a_share_of_zeros_runs_from_0_to_1():
    assert scale_of([numbers(0.5, 0.5)], "zeros").levels(numbers(1.0, 0.5), 2).tolist() == [23, 12]


@pytest.mark.parametrize(
    ("gradient", "moved", "said"),
    [
        (numbers(0.1, 0.2, 0.1, 0.3), True, None),
        (numbers(0.1, NAN, NAN, NAN), True, RowRemark("nan", 1)),
        (numbers(0.1, INF, NAN, NAN), True, RowRemark("infinite", 1)),
        (numbers(None, None, None), False, RowRemark("none", 0)),
        (numbers(0.1, 0.0, 0.0, 0.0), True, RowRemark("dead", 1)),
        (numbers(0.1, 0.0, 0.0, 0.1), True, None),
        (numbers(0.1, 0.2, 0.3), False, RowRemark("frozen", 0)),
        (numbers(1e-3, 1e-8, 1e-9, 1e-9), True, RowRemark("vanishing", 1)),
        (numbers(1e-8, 1e-9, 1e-9), False, RowRemark("vanishing", 0)),
        (numbers(1e-8, 1e-9), True, None),
        (numbers(None, 1.0, 10.0, 1e5, 1e6), True, RowRemark("exploding", 3, 1e6)),
    ],
)
def test_what_stands_out_is_told_with_its_step(gradient, moved, said):
    assert found(gradient, moved) == said


def test_a_legend_names_only_sizes_that_were_seen():
    sizes = np.array([2.0, 4.0])
    scale = scale_of([Numbers(sizes, np.full(2, True))], "gradient")
    assert scale.low < 2 and scale.high > 4 and scale.seen(sizes) == (2.0, 4.0)
