"""The Tensors page without a browser: which program it follows, its content, and invalid input."""

import re
from html import unescape

import pytest

from tests.ui.pages import component, linked, new_page, put_program, words


@pytest.fixture
def app():
    """The page, run once its programs can run."""
    return new_page("tensors").run()


def printed(app) -> str:
    """torch's print as the page shows it."""
    (text,) = re.findall(r'<div class="print"><pre[^>]*>(.*?)</pre>', linked(app), re.DOTALL)
    return unescape(re.sub(r"<[^>]+>", "", text))


def press(app, key: str):
    """Press a row of the list."""
    app.session_state["tn_list"] = {"chosen": {"key": key, "run": component(app, "linked")["run"]}}
    return app.run()


def names(app) -> list[str]:
    return re.findall(r'class="trow" data-choose="(\w+)@', linked(app))


def test_it_shows_the_program_of_the_editor_and_opens_an_example_there(app):
    assert names(app) == ["w", "x", "a", "b", "y"]
    assert names(put_program(app, "v = torch.ones(2)\n")) == ["v"]
    app.session_state["menu_examples"] = True
    app.run()
    app.button(key="tensors_first").click().run()
    assert names(app) == ["x", "X", "Y", "Z", "rows", "loss"] and "What is the shape of Y's gradient" in words(
        app, linked(app)
    )


def test_a_line_that_was_chosen_elsewhere_is_chosen_here(app):
    put_program(app, "a = torch.ones(2)\nM = torch.ones(2, 2)\nb = a * 2")
    assert "<h3>M</h3>" in linked(app)
    app.session_state["caret"] = {"place": {"cell": 0, "line": 3, "at": 1}}
    assert "<h3>b</h3>" in linked(app.run())
    app.switch_page("pages/operations.py").run()
    assert app.selectbox(key="op_choose").value == "3"


def test_a_row_of_the_list_shows_that_tensor_with_its_gradient_and_print(app):
    put_program(app, "x = torch.arange(4.).reshape(2, 2).requires_grad_()\ny = (x * x).sum()\ny.backward()\nx.grad")
    press(app, "x@0.1")
    text = words(app, linked(app))
    assert "shape size() (2, 2)" in " ".join(text.split()) and "+6" in text
    assert "requires_grad=True" in text and "bracket level 2: axis 1, 2 parts" in text
    press(app, "x.grad@0.4")
    assert printed(app).split() == ["tensor([[0.,", "2.],", "[4.,", "6.]])"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "program, first",
    [
        ("v = torch.arange(12.)\nM = torch.ones(2, 2)\nw = v[:3]", "v"),  # shares its memory
        ("v = torch.arange(12.)\nM = torch.ones(2, 2)\nw = torch.arange(9.)", "M"),
        ("M = torch.ones(2, 2)\nw = torch.arange(9., requires_grad=True)\nloss = (w * 2).sum()\nloss.backward()", "w"),
        ("w = torch.ones(3, requires_grad=True)\nw.sum().backward()\na = torch.ones(2, 3)\na @ a", "a"),
    ],
)
def test_the_first_tensor_is_read_by_an_error_or_a_leaf_or_shared(app, program, first):
    put_program(app, program)
    assert f"<h3>{first}</h3>" in linked(app)


def test_the_histogram_is_of_values_and_gradient_and_of_few_entries_these_are_shown(app):
    put_program(app, "w = torch.randn(9, requires_grad=True)\n(w * w).sum().backward()\ns = w.sum()")
    app.segmented_control(key="tn_view").set_value("histogram").run()
    assert "<h3>w</h3>" in linked(app) and linked(app).count('class="plot"') == 2
    assert "All 9 entries" in words(app, linked(app))
    press(app, "s@0.3")
    assert 'class="plot"' not in linked(app) and 'class="sheet' in linked(app)


def test_a_program_that_makes_nothing_keeps_the_last_good_picture(app):
    put_program(app, "w = torch.ones(2)")
    put_program(app, "torch.zeros(-1)")
    text = words(app, linked(app))
    assert "a tensor has 0 or more entries along an axis" in text and "Last successful picture" in text
    assert 'data-choose="w@0.1"' in linked(app)


@pytest.mark.thorough
def test_a_program_without_tensors_shows_a_note(app):
    put_program(app, "n = 1 + 1")
    assert "creates no tensor" in words(app, linked(app)) and "Last successful" not in words(app, linked(app))


@pytest.mark.thorough
def test_many_facets_have_sliders(app):
    put_program(app, "x = torch.arange(2 * 9 * 3 * 2).reshape(2, 9, 3, 2)")
    sliders = app.slider
    assert [one.label for one in sliders] == ["axis 0", "axis 1"]
    sliders[1].set_value(8).run()
    assert 'title="[0, 8, 0, 0] = 48"' in linked(app)


@pytest.mark.thorough
def test_prints_match_torchs_for_rebound_names_too(app):
    put_program(app, "x = torch.ones(2)\nx = x * 3\nx = x.double()")
    press(app, "x@0.2")
    assert printed(app) == "tensor([3., 3.])"
    press(app, "x@0.3")
    assert printed(app) == "tensor([3., 3.], dtype=torch.float64)"


@pytest.mark.thorough
def test_an_old_view_address_redirects():
    app = new_page("tensors", view="memory", example="numpy").run()
    assert app.segmented_control(key="seen_as").value == "memory" and "n[0] = 10" in words(app, linked(app))
    app.switch_page("pages/tensors.py").run()
    assert not app.exception and app.segmented_control(key="tn_view").value == "tensor"
    app = new_page("tensors", view="operations", example="first").run()
    assert len(app.selectbox(key="op_choose").options) > 3


def test_the_chosen_tensor_is_in_the_address_and_restored_by_a_link(app):
    put_program(app, "v = torch.arange(12.)\nM = torch.ones(2, 2)")
    before = component(app, "link")
    after = component(press(app, "v@0.1"), "link")
    assert (after["query"], after["fragment"]) != (before["query"], before["fragment"])
    app.session_state["link"] = {"came": before | {"count": 7}}
    assert "<h3>M</h3>" in linked(app.run())
