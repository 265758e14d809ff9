"""Numbers and the program's text as people read them."""

import pytest

from explorer.text.numbers import cells_of, number, shape_text, shorten, visible


@pytest.mark.parametrize(
    ("value", "signed", "digits", "text"),
    [
        (6.0, True, 3, "+6"),
        (-4.0, True, 3, "−4"),
        (0.0, True, 3, "0"),
        (-0.123456, False, 3, "−0.123"),
        (0.123456, False, 2, "0.12"),
        (1234.5, False, 3, "1234"),
        (1e-7, False, 3, "1e−7"),
        (2.5e30, False, 3, "2.5e30"),
        (float("nan"), True, 3, "NaN"),
        (float("inf"), True, 3, "+∞"),
        (float("-inf"), False, 3, "−∞"),
        (True, False, 3, "T"),
        (7, False, 3, "7"),
        (1 - 2j, False, 3, "1−2j"),
        (complex(0, float("nan")), False, 3, "0NaNj"),
    ],
)
def test_numbers_are_short_and_signed(value, signed, digits, text):
    assert number(value, signed, digits) == text


def test_shapes():
    assert [shape_text(shape) for shape in ((), (3,), (4, 5))] == ["", "(3,)", "(4, 5)"]


def test_what_nobody_could_see_becomes_visible():
    assert visible("a\0b\x1b\n") == "a␀b␛␊"
    assert visible("x\u202ey\u2028\ud800\ufffe") == "x⟨202E⟩y⟨2028⟩��"


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("b = w + 1", "b = w + 1"),
        ("loss = criterion(model(images), labels)", "loss = criterion(model(…), labels)"),
        ("loss = F.cross_entropy(model(images), targets)", "loss = cross_entropy(…)"),
        ("torch.where(x > 0, torch.sqrt(x), x)", "torch.where(x > 0, sqrt(x), x)"),
        ("y = w*1 + w*2 + w*3 + w*4 + w*5 + w*6 + w*7", "y = w*1 + w*2 + w… w*5 + w*6 + w*7"),
    ],
)
def test_long_expressions_lose_their_middle(text, short):
    assert shorten(text, 34) == short


def test_a_text_of_any_length_is_cut_at_once():
    assert cells_of(shorten("f(" * 100_000 + ")" * 100_000, 34)) <= 34


def test_full_width_characters_count_two():
    assert cells_of("梯度 w") == 6
    assert cells_of(shorten("梯" * 50, 20)) <= 20
