"""The Operations page: which program it follows, and its messages about a failing one."""

import pytest

from tests.ui.pages import component, html, linked, new_page, put_program


@pytest.fixture
def app():
    return new_page("operations").run()


def picture(app) -> str:
    return component(app, "operation")["html"]


def test_common_operations_are_offered_without_a_program(app):
    shelf = linked(app)
    assert shelf.count("op-card") == 12 and "softmax" in shelf
    app.selectbox(key="op_find").select("softmax").run()
    assert "torch.softmax(x, dim=1)" in picture(app)


def test_the_calls_of_a_program_are_listed_and_walked_through(app):
    put_program(app, "a = torch.arange(6.).reshape(2, 3)\nb = a.sum(0)\nfor k in range(3):\n    b = b * 2")
    box = app.selectbox(key="op_choose")
    assert box.options == [
        "line 1 · torch.arange(6.)",
        "line 1 · torch.arange(6.).reshape(2, 3)",
        "line 2 · a.sum(0)",
        "line 4 · b * 2 · last of 3 runs",
    ]
    assert "b * 2" in picture(app) and app.button(key="op_next").disabled
    app.button(key="op_previous").click().run()
    assert "a.sum(0)" in picture(app)
    app.selectbox(key="op_choose").select("2").run()
    assert "torch.arange(6.).reshape(2, 3)" in picture(app)


def test_calls_that_torch_cannot_repeat_are_listed_with_a_sentence(app):
    put_program(app, "x = torch.ones(3)\ny = torch.nn.functional.dropout(x)")
    (option,) = [one for one in app.selectbox(key="op_choose").options if "dropout" in one]
    app.selectbox(key="op_choose").select(option).run()
    assert "Entries are not traced" in picture(app)


def test_a_program_that_stops_shows_its_operations_and_error(app):
    put_program(app, "a = torch.ones(2, 3)\nb = a.sum(1)\na @ a")
    assert "a @ a" in picture(app) and 'data-at="r0' not in picture(app)
    assert "mat1 and mat2 shapes cannot be multiplied" in html(app)


def test_an_old_address_with_typed_text_still_works():
    app = new_page("operations", typed="torch.ones(2, 3).sum(1)").run()
    assert not app.exception


@pytest.mark.thorough
@pytest.mark.parametrize("text", ["a = (", "print(1)", "\x00", "import torch"])
def test_a_program_without_operations_shows_a_note(app, text):
    put_program(app, text)
    assert not app.exception
    assert 'class="notice"' in html(app) or 'class="problem' in html(app)
