"""The panel of operations without a browser: a typed text, a program's lines, what goes wrong."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from explorer.ui.pages.operations.examples import EXAMPLES, ORDER
from tests.patience import PATIENT
from tests.ui.pages import start_programs

PROGRAM = """
import torch
a = torch.arange(6.).reshape(2, 3)
b = a.sum(0)
for k in range(3):
    b = b * 2
"""


def panel(program: str, lang: str):
    import streamlit as st

    from explorer.ui.pages.operations.panel import operations_panel
    from explorer.ui.session.program_run import computed

    operations_panel(computed(program, lang) if program else None, lang)
    st.html("<hr>")


def opened(program: str = "", lang: str = "en") -> AppTest:
    start_programs()
    return AppTest.from_function(panel, default_timeout=PATIENT, args=(program, lang)).run()


def pictured(app) -> dict:
    """What the picture's component was told."""
    assert not app.exception
    told = [one.proto for one in app.get("bidi_component") if one.proto.component_name == "explorer_operation"]
    return json.loads(told[0].json or told[0].mixed.json)


def html(app) -> str:
    return "\n".join(element.proto.body for element in app.get("html"))


def test_a_typed_operation_is_drawn():
    app = opened()
    assert "a.sum(0)" in pictured(app)["html"]
    app.text_area(key="op_text").set_value("torch.ones(2, 3).sum(1)").run()
    assert "out[0] = 1 + 1 + 1 = 3" in pictured(app)["html"] and not pictured(app)["stale"]


def test_the_operations_of_a_program():
    app = opened(PROGRAM)
    (box,) = app.selectbox
    assert box.options == [
        "line 3 · torch.arange(6.)",
        "line 3 · torch.arange(6.).reshape(2, 3)",
        "line 4 · a.sum(0)",
        "line 6 · b * 2 · one of 3 runs, the last",
    ]
    box.set_value(2).run()
    assert "b[0] = 0 + 3 = 3" in pictured(app)["html"]


@pytest.mark.thorough
def test_what_fails_keeps_the_last_good_picture():
    app = opened()
    app.text_area(key="op_text").set_value("k = 2\nw @ k").run()
    assert "In the operation, line 2, column 1" in html(app) and "The program" not in html(app)
    assert "name &#x27;w&#x27; is not defined" in html(app) or "name 'w' is not defined" in html(app)
    assert pictured(app)["stale"] and "Last good picture." in html(app)


@pytest.mark.thorough
def test_a_typed_text_that_stops_shows_what_it_did_before():
    app = opened()
    app.text_area(key="op_text").set_value("a = torch.ones(2, 3)\nb = torch.ones(4, 5)\na @ b").run()
    assert "torch.ones(4, 5)" in pictured(app)["html"] and not pictured(app)["stale"]
    assert "mat1 and mat2 shapes cannot be multiplied" in html(app)


@pytest.mark.thorough
def test_not_python_and_too_large_and_nothing_to_draw():
    app = opened(lang="zh")
    for text, told in (("a = ", "第 1 行"), ("torch.zeros(10**11)", "程序申请的内存超过"), ("print(1)", "没有可画的")):
        app.text_area(key="op_text").set_value(text).run()
        assert not app.exception and told in html(app), text


@pytest.mark.thorough
def test_an_example_fills_the_field():
    app = opened()
    app.button(key="op_example_gather").click().run()
    assert "a.gather(1, idx)" in pictured(app)["html"]
    assert 'data-way="back"' in pictured(app)["html"]


@pytest.mark.thorough
def test_a_curve_stands_below():
    app = opened()
    app.text_area(key="op_text").set_value("torch.tensor([1., -1.]).relu()").run()
    assert len(app.get("plotly_chart")) == 1


@pytest.mark.thorough
def test_a_program_without_operations_says_so():
    app = opened("print('hello')")
    app.segmented_control(key="op_source").set_value("program").run()
    assert "No operation with a picture in this program." in html(app)


def test_equal_calls_of_one_line_are_told_apart():
    app = opened("import torch\na = torch.ones(2)\nb = a.sum() + a.sum() + a.sum()")
    (box,) = app.selectbox
    assert box.options.count("line 3 · a.sum()") == 3
    box.set_value(1).run()
    assert "a.sum()" in pictured(app)["html"]


def test_examples_are_gone_through_one_after_the_other():
    app = opened()
    assert app.button(key="op_previous").disabled
    app.button(key="op_next").click().run()
    second = app.text_area(key="op_text").value
    assert app.button(key="op_example_keepdim").proto.type == "secondary" and "2 of" in html(app)
    app.button(key="op_next").click().run()
    app.button(key="op_previous").click().run()
    assert app.text_area(key="op_text").value == second == EXAMPLES["keepdim"]


def test_softmax_is_found_by_its_name_and_every_example_is_in_a_group():
    assert sorted(ORDER) == sorted(EXAMPLES)
    app = opened()
    box = next(box for box in app.selectbox if box.key == "op_find")
    (found,) = [option for option in box.options if "softmax" in option]
    box.set_value(ORDER[box.options.index(found)]).run()
    assert "torch.softmax(x, dim=1)" in pictured(app)["html"] and "2 of" not in html(app)


def test_a_program_is_gone_through_operation_by_operation():
    app = opened(PROGRAM)
    (box,) = app.selectbox
    at = box.value
    app.button(key="op_previous").click().run()
    assert app.selectbox[0].value == at - 1
    told = [one.proto for one in app.get("bidi_component") if one.proto.component_name == "explorer_linked"]
    assert 'class="code-line now" data-lit="line0.4"' in json.loads(told[0].json or told[0].mixed.json)["html"]


def test_a_program_of_single_numbers_begins_with_an_example():
    app = opened("w = torch.tensor(2.)\nw * 3")
    assert app.segmented_control(key="op_source").value == "typed"
