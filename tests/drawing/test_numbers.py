"""Numbers and the program's text as people read them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.drawing.marks import message_html
from explorer.text import marked, say
from explorer.text.numbers import LARGE, cells_of, fitted, number, read, shape_text, shorten, visible, written_equation
from tests.equations import equations


@pytest.mark.parametrize(
    ("value", "signed", "digits", "text"),
    [
        (6.0, True, 3, "+6"),
        (-4.0, True, 3, "−4"),
        (0.0, True, 3, "0"),
        (-0.1234567, False, 3, "−0.123"),
        (0.1234567, False, 2, "0.12"),
        (0.123456, False, 3, "0.123456"),
        (1.0010000467300415, False, 3, "1.001"),  # 1.001 in single precision
        (0.30000000000000004, False, 3, "0.3"),
        (0.99961234, False, 3, "1.00"),
        (1234.5, False, 3, "1234.5"),
        (12345.678, False, 2, "12345.7"),
        (99999.0, True, 1, "+99999"),
        (0.01129, False, 3, "0.01129"),
        (999.96, False, 3, "999.96"),
        (123456.75, False, 3, "1.23e5"),
        (1234567.0, False, 3, "1.23e6"),
        (1e-7, False, 3, "1e−7"),
        (2.5e30, False, 3, "2.5e30"),
        (float("nan"), True, 3, "NaN"),
        (float("inf"), True, 3, "+∞"),
        (float("-inf"), False, 3, "−∞"),
        (True, False, 3, "T"),
        (7, False, 3, "7"),
        (1 - 2j, False, 3, "1−2j"),
        (complex(0, float("nan")), False, 3, "0+NaNj"),
    ],
)
def test_numbers_are_short_and_signed(value, signed, digits, text):
    assert number(value, signed, digits) == text


@given(st.floats(-1e300, 1e300), st.integers(1, 9), st.booleans())
def test_a_printed_number_is_accurate_to_its_digits(value, digits, signed):
    text = number(value, signed, digits)
    assert math.isclose(read(text), value, rel_tol=0.51 * 10.0 ** (1 - digits) + 3e-7, abs_tol=5e-324)
    assert text.startswith("+") == (signed and value > 0)
    assert not text.lstrip("+−").startswith(".") and not text.endswith(".")
    if 1e-4 <= abs(value) < LARGE - 1 or value == 0:
        assert "e" not in text
        assert "." in text or math.isclose(round(value), value, rel_tol=4e-7)  # integers are written exactly


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_an_equation_holds_for_its_own_numbers(one, other):
    for sign, compute in (("+", sum), ("·", math.prod)):
        found = written_equation(compute, (one, other), compute((one, other)))
        equation = next(
            iter(equations(f"({found.operands[0]}) {sign} ({found.operands[1]}) {found.sign} {found.result}"))
        )
        assert equation.holds, equation.text


@given(st.floats(), st.integers(1, 12), st.booleans())
def test_a_narrow_place_shows_fewer_digits_of_the_same_number(value, cells, signed):
    text = fitted(value, cells, signed)
    assert len(text) <= cells
    if text != "…" and abs(value) < 1.7e308:  # larger numbers may round to a text beyond float's range
        assert math.isclose(read(text), value, rel_tol=0.5, abs_tol=5e-324)


def test_a_rounded_number_never_becomes_infinite():
    assert [fitted(1.5e308, cells) for cells in (5, 7)] == ["…", "1.5e308"]


def test_shapes_are_written_as_tuples():
    assert [shape_text(shape) for shape in ((), (3,), (4, 5))] == ["", "(3,)", "(4, 5)"]


def test_invisible_characters_become_visible():
    assert visible("a\0b\x1b\n") == "a␀b␛␊"
    assert visible("x\u202ey\u2028\ud800\ufffe") == "x⟨202E⟩y⟨2028⟩��"


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("b = w + 1", "b = w + 1"),
        ("loss = criterion(model(images), labels)", "loss = criterion(model(…), labels)"),
        ("loss = F.cross_entropy(model(images), targets)", "loss = cross_entropy(…)"),
        ("torch.where(x > 0, torch.sqrt(x), x)", "torch.where(x > 0, sqrt(x), x)"),
        ("y = w*1 + w*2 + w*3 + w*4 + w*5 + w*6 + w*7", "y = w*1 + w*2 + … + w*6 + w*7"),
        ("model.transformer.h.0.attn.c_attn.lora_A.default.weight", "model.….0.….lora_A.default.weight"),
        ("loss = model.base_model.model: cross_entropy", "loss = mode….model: cross_entropy"),
        ("x = model.transformer.encoder.layers.3.output.dense(hidden)", "x = model.….3.output.dense(…)"),
        ("s = c[:, ::2].sum() + row.exp().clamp(max=5).sum()", "s = c[:, ::2].sum() + row.….sum()"),
        ("total = (a ** 3).mean() + (b ** 2).mean() + (c + 1).mean()", "total = (a ** 3).mean() + …"),
        ("torch.nn.functional.scaled_dot_product_attention", "….scaled_dot_product_attention"),
    ],
)
def test_long_expressions_lose_their_middle(text, short):
    assert shorten(text, 34) == short


@pytest.mark.parametrize("cells", range(14, 40))
def test_a_shortened_path_keeps_its_beginning_and_the_number_of_its_layer(cells):
    for path in ("discriminator.net.{}.weight", "transformer.h.{}.attn.c_attn.weight", "generator.{}.bias"):
        short = [shorten(path.format(layer), cells) for layer in (0, 1, 12)]
        assert all(cells_of(one) <= cells and one[:3] == path[:3] for one in short)
        assert len(set(short)) == 3 or cells < 19


@pytest.mark.parametrize("cells", range(22, 38))
def test_shortened_names_of_two_layers_differ(cells):
    layers = ("feature_extractor_layer", "final_classification_head")
    short = [shorten(f"model.{layer}.weight", cells) for layer in layers]
    assert len(set(short)) == 2 and max(map(cells_of, short)) <= cells


@pytest.mark.parametrize("cells", range(8, 60))
def test_a_shortened_expression_closes_its_brackets_and_has_no_two_ellipses_in_a_row(cells):
    for text in (
        "(a ** 3).sum() + (b ** 2).sum()",
        "row.exp().clamp(max=5).sum()",
        "s = c[:, ::2].sum() + row.exp().clamp(max=5).sum()",
        "torch.where(mask[0, 1, 2, 3], {'a': [x, y]}, z)[3].sum()",
    ):
        short = shorten(text, cells)
        assert cells_of(short) <= cells and "……" not in short
        assert all(short.count(opening) == short.count(closing) for opening, closing in ("()", "[]", "{}")), short


def test_a_text_of_any_length_is_cut_at_once():
    assert cells_of(shorten("f(" * 100_000 + ")" * 100_000, 34)) <= 34


def test_full_width_characters_count_two():
    assert cells_of("梯度 w") == 6
    assert cells_of(shorten("梯" * 50, 20)) <= 20


@pytest.mark.parametrize(
    "message, values, html",
    [
        ("error-shape-called.repair", {"right": "n"}, "Write <code>n</code>."),
        ("error-shape-called.repair", {"right": "<b>&"}, "Write <code>&lt;b&gt;&amp;</code>."),
        (
            "error-leaf-written-through-a-view.repair",
            {"name": "w[0]"},
            "Write under <code>torch.no_grad()</code>, or work on a copy: <code>w[0].clone()</code>.",
        ),
        (
            "error-graph-carried-over.repair",
            {"second": "loss.backward()", "cut": "h = h.detach()"},
            "Cut the history at the end of each round, after <code>loss.backward()</code>: "
            "<code>h = h.detach()</code>.",
        ),
        ("error-mask-brackets.repair", {}, "Put each comparison in parentheses."),
        ("error-matmul-scalar.repair", {}, "Multiply by a scalar with *."),
    ],
)
def test_code_in_a_sentence_is_marked(message, values, html):
    assert message_html("en", message, **values) == html


def test_numbers_are_part_of_the_sentence():
    told = message_html("zh", "error-size-was-divided.cause", line=3, name="nn", code="2", made="n")
    assert "<code>nn</code>" in told and "<code>3</code>" not in told


def test_the_marks_of_values_are_never_shown():
    sizes = {"left": "a", "left_shape": "(2, 3)", "columns": "3", "right": "b", "right_shape": "(4, 5)", "rows": "4"}
    for lang in ("en", "zh"):  # dtype names are next to code
        assert not {"\ufdd0", "\ufdd1"} & set(message_html(lang, "error-matmul-sizes.cause", **sizes))
    lengths = {"columns": "4", "entries": "3", "left_shape": "(3, 4)", "right_shape": "(3,)"}
    told = message_html("en", "error-matmul-vector.cause", left="W", right="v", **lengths)
    assert "has length 4, but" in told and "length 3." in told
    value = "a\ufdd0b\ufdd1c"
    assert message_html("en", "error-shape-called.repair", right=value) == "Write <code>abc</code>."
    assert marked("en", "error-shape-called.repair", right="n").translate({0xFDD0: None, 0xFDD1: None}) == say(
        "en", "error-shape-called.repair", right="n"
    )
