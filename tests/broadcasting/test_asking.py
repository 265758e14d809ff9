"""Typed questions and the programs that they become."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysis.views.broadcasting.alignment import align, fixes
from explorer.analysis.views.broadcasting.question import (
    MAX_ENTRIES,
    OPERATORS,
    BroadcastQuestion,
    broadcast_program,
    changed,
    operand,
    too_large,
)
from tests.traces import trace_of


@pytest.mark.parametrize(
    "text", ["3, 1", "(3, 1)", "(3,1)", "3x1", "3 × 1", "3*1", "3 1", "torch.Size([3, 1])", "（3，1）", " 3 ,1 "]
)
def test_a_shape_is_read_in_many_notations(text):
    assert operand(text).shape == (3, 1) and operand(text).kind == "shape"


@pytest.mark.parametrize(("text", "shape"), [("()", ()), ("torch.Size([])", ()), ("3", (3,)), ("(3,)", (3,))])
def test_shapes_with_fewer_than_two_axes_are_read(text, shape):
    assert operand(text).shape == shape


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("[[1., 2.]]", (1, 2)),
        ("[1, 2, 3]", (3,)),
        ("2.5", ()),
        ("[]", (0,)),
        ("[[], []]", (2, 0)),
        ("[[1e-3], [-2]]", (2, 1)),
    ],
)
def test_numbers_become_a_tensor(text, shape):
    assert operand(text).kind == "literal" and operand(text).shape == shape
    assert tuple(torch.tensor(eval(text)).shape) == shape


@pytest.mark.parametrize(
    ("text", "trouble"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("-1, 2", "negative"),
        ("1,1,1,1,1,1,1", "rank"),
        ("1000000000", "large"),
        ("99999999999999999999999999", "large"),
        ("[[1, 2], [3]]", "ragged"),
        ("[1, [2]]", "ragged"),
        ("[[1, 2]", "brackets"),
        ("1., 2.]", "brackets"),
    ],
)
def test_an_invalid_operand_has_its_reason(text, trouble):
    assert operand(text).trouble == trouble


def test_anything_else_is_left_to_the_child():
    assert operand("torch.arange(3).reshape(3, 1)").kind == "expression"
    assert operand("__import__('os')").kind == "expression" and operand("héllo").shape is None


def test_programs_with_too_large_results_are_not_built():
    question = BroadcastQuestion((operand("60000, 1"), operand("60000")))
    assert too_large(question) == 3_600_000_000 > MAX_ENTRIES
    assert too_large(BroadcastQuestion((operand("3"), operand("3, 1")))) == 0


def test_the_generated_program_runs():
    question = BroadcastQuestion((operand("3, 1"), operand("[[5., 7.]]"), operand("()")), "mul")
    trace = trace_of(broadcast_program(question))
    assert trace.status == "ok" and trace["d"].shape == (3, 2)
    assert trace["d"].data == (0.0,) * 6


def test_backward_starts_at_the_chosen_gradient():
    operands = (operand("2"), operand("2"))
    mean = trace_of(broadcast_program(BroadcastQuestion(operands, "add", "mean")))
    assert mean["loss"].data == (1.0,)
    given_v = trace_of(broadcast_program(BroadcastQuestion(operands, "add", "given", "[3., 5.]")))
    assert given_v.value(given_v.tensors.grad[given_v.bound("a")]).data == (3.0, 5.0)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from((1, 1, 2, 3, 0)), max_size=3).map(tuple), min_size=2, max_size=4),
    st.sampled_from(sorted(OPERATORS)),
)
def test_every_generated_program_returns_the_aligned_shape(shapes, operator):
    question = BroadcastQuestion(tuple(operand(str(shape)) for shape in shapes), operator)
    names: dict = {}
    text = broadcast_program(question)
    result = align(shapes).result
    try:
        exec(text, names)
    except RuntimeError:
        assert result is None
    else:
        assert tuple(names[question.result].shape) == result


def test_a_fix_reshapes_a_shape_and_adds_a_call_otherwise():
    found = fixes([(2, 3), (2,)])[0]
    assert changed(operand("2"), found.code, found.shape).shape == (2, 1)
    assert changed(operand("[1., 2.]"), found.code, found.shape).text == "torch.tensor([1., 2.]).unsqueeze(1)"
    assert changed(operand("torch.ones(2)"), found.code, found.shape).text == "torch.ones(2).unsqueeze(1)"
    assert changed(operand("x + 1"), found.code, found.shape).text == "(x + 1).unsqueeze(1)"


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(st.integers(0, 4), max_size=3).map(tuple), min_size=2, max_size=3))
def test_every_fix_makes_the_shapes_match(shapes):
    tensors = [torch.zeros(shape) for shape in shapes]
    for fix in fixes(shapes):
        made = eval(fix.code.format("t"), {"t": tensors[fix.operand]})
        assert tuple(made.shape) == fix.shape
        others = [shape for i, shape in enumerate(shapes) if i != fix.operand]
        assert tuple(torch.broadcast_shapes(fix.shape, *others)) == fix.result


def test_a_reduction_that_lost_its_axis_is_offered_keepdim_first():
    assert fixes([(2, 3), (2,)], ["a", "a.sum(1)"])[0].code == "a.sum(1, keepdim=True)"
    assert fixes([(2, 3), (2,)], ["a", "a.mean(dim=1)"])[0].code == "a.mean(dim=1, keepdim=True)"


def test_the_wrong_axis_of_a_square_is_noticed_though_it_fits():
    assert [fix.kind for fix in fixes([(3, 3), (3,)], ["a", "a.mean(1)"])] == ["keepdim"]
    assert fixes([(3, 3), (3,)], ["a", "a.mean(0)"]) == ()


def test_an_unintended_table_of_pairs_is_noticed():
    found = fixes([(3, 1), (3,)])
    assert (found[0].code, found[0].result) == ("{}.squeeze(1)", (3,))
    assert all(math.prod(fix.result) == 3 for fix in found)
    assert fixes([(2, 1), (1, 3)]) == ()


@pytest.mark.parametrize("text", ["1, " * 60_000, "-1 " * 60_000, "[" * 60_000 + "]" * 60_000])
def test_too_many_axes_are_refused(text):
    """Finding a fix would compare every axis with every other."""
    asked = BroadcastQuestion((operand(text), operand("2, 3")))
    assert (asked.operands[0].trouble, asked.shapes) == ("rank", None)


def test_a_reduction_over_a_huge_axis_number_is_ignored():
    found = fixes([(2, 3), (2,)], ["a", f"a.sum({'1' * 5_000})"])
    assert {fix.kind for fix in found} == {fix.kind for fix in fixes([(2, 3), (2,)])}
