"""Possible answers, and when they are right."""

import pytest

from explorer.analysis.explain.autograd.guesses import LONGEST, is_number, read_numbers, read_shape


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("4", 4), ("+4", 4), (" 4. ", 4), (".5", 0.5), ("-2e-3", -0.002), ("−2", -2), ("–2", -2), ("1/3", 1 / 3),
        ("0,33", 0.33), ("−0,5", -0.5), ("2*3", 6), ("2 · 3 + 1", 7), ("2 × (3 − 1)", 4), ("1 ÷ 4", 0.25), ("--3", 3),
        ("½", 0.5), ("2*⅓", 2 / 3), ("１．５", 1.5), ("1。5", 1.5), ("5·10⁻¹", 0.5), ("2**3", 8), ("2^-1", 0.5),
        ("-2²", -4), ("50%", 0.5), ("x.grad = -2", -2), ("[3]", 3), ("12 000", 12_000),
        ("（1＋2）／4", 0.75), ("1 - 2 - 3", -4), ("8/2/2", 2),
    ],
)  # fmt: skip
def test_numbers_are_read_in_common_notations(text, number):
    assert read_numbers(text) == (pytest.approx(number),)


NO_NUMBERS = (
    "", " ", "abc", "x", "1,2,3", "1 2", "1(2)", "(1", "1)", "()", "1/0", "1/(2-2)", "nan", "inf", "1e999",
    "9**9**9", "(-1)**.5", "1+", "*2", "1__000", "0x10", "e5", "1e", "__import__('os')", "9" * (LONGEST + 1),
    "(" * 5_000 + "1" + ")" * 5_000, "1\x00",
)  # fmt: skip


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_non_numeric_text_is_not_an_answer(text):
    assert read_numbers(text) == ()


def test_a_comma_is_a_decimal_or_a_thousands_separator():
    assert read_numbers("1,000") == (1, 1000)


@pytest.mark.parametrize(
    ("guess", "answer"),
    [
        (4, 4), (0.33, 1 / 3), (0.333, 1 / 3), (0.66, 2 / 3), (0.67, 2 / 3), (-0.33, -1 / 3), (0.14, 0.1353353),
        (1.4e-3, 0.001353), (0, 1e-8), (120, 123.456), (3e4, 30_000.0),
    ],
)  # fmt: skip
def test_two_digits_suffice_for_a_right_answer(guess, answer):
    assert is_number(guess, answer)


@pytest.mark.parametrize(
    ("guess", "answer"), [(2, 4), (-4, 4), (0.3, 1 / 3), (0.4, 1 / 3), (0, 0.01), (1, 0), (14, 15), (1.2, 1.35)]
)
def test_another_number_is_wrong(guess, answer):
    assert not is_number(guess, answer)


def test_shapes_are_read_in_common_notations():
    for text in ("(2, 3)", "2,3", "2 3", "[2,3]", "2×3", "2 x 3", "2*3", "torch.Size([2, 3])", "（2，3）"):
        assert read_shape(text) == (2, 3), text
    assert read_shape("()") == read_shape("torch.Size([])") == ()
    assert read_shape("two") is read_shape("") is read_shape("2.5") is None
