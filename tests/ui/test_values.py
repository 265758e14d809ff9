"""The view Values without a browser: the list, and of a line its operation, its tensor or a histogram."""

import re

import pytest

from tests.ui.pages import component, linked, new_page, put_program, words


@pytest.fixture
def app():
    """Return the page, run once its programs can run."""
    return new_page(seen="values", values="tensor").run()


def press(app, key: str):
    """Press a row of the list."""
    app.session_state["tn_list"] = {"chosen": {"key": key, "run": component(app, "linked")["run"]}}
    return app.run()


def names(app) -> list[str]:
    return re.findall(r'class="trow" data-choose="(\w+)@', linked(app))


def test_it_lists_the_tensors_of_the_program_and_an_address_names_one_of_the_menu(app):
    assert names(app) == ["w", "x", "a", "b", "y"]
    assert names(put_program(app, "v = torch.ones(2)\n")) == ["v"]
    app = new_page(seen="values", example="first").run()
    assert names(app) == ["x", "X", "Y", "Z", "rows", "loss"]
    assert "What is the shape of Y's gradient" in words(app) and "<h3>Y</h3>" in linked(app)


def test_a_line_has_its_operation_its_tensor_and_a_histogram(app):
    put_program(app, "a = torch.ones(2)\nb = a * 2\nc = b.clone()")
    app.session_state["caret"] = {"place": {"cell": 0, "line": 2, "at": 1}}
    views = app.run().segmented_control(key="tn_view")
    assert (views.options, views.value) == (["Operation", "Tensor", "Histogram"], "tensor")
    views.set_value("operation").run()
    assert "a * 2" in component(app, "operation")["html"] and 'aria-pressed="true"' in linked(app)
    press(app, "a@0.1")
    assert app.segmented_control(key="tn_view").value == "tensor" and "<h3>a</h3>" in linked(app)


def test_a_line_chosen_elsewhere_is_selected(app):
    put_program(app, "a = torch.ones(2)\nM = torch.ones(2, 2)\nb = a * 2")
    app.session_state["caret"] = {"place": {"cell": 0, "line": 2, "at": 1}}
    assert "<h3>M</h3>" in linked(app.run())
    app.session_state["caret"] = {"place": {"cell": 0, "line": 3, "at": 2}}
    assert "<h3>b</h3>" in linked(app.run())
    app.switch_page("pages/operations.py").run()
    assert app.selectbox(key="op_choose").value == "3"


def test_a_row_of_the_list_shows_that_tensor_with_its_gradient(app):
    put_program(app, "x = torch.arange(4.).reshape(2, 2).requires_grad_()\ny = (x * x).sum()\ny.backward()\nx.grad")
    press(app, "x@0.1")
    text = words(app, linked(app))
    assert "shape size() (2, 2)" in " ".join(text.split()) and "+6" in text


def test_shown_first_is_a_leaf_of_several_entries_with_a_gradient(app):
    put_program(app, "w = torch.arange(9., requires_grad=True)\nM = torch.ones(2, 2)\nloss = w.sum()\nloss.backward()")
    assert "<h3>w</h3>" in linked(app)


def test_the_histogram_is_of_values_and_gradient_and_of_few_entries_these_are_shown(app):
    put_program(app, "w = torch.randn(9, requires_grad=True)\n(w * w).sum().backward()\ns = w.sum()")
    app.segmented_control(key="tn_view").set_value("histogram").run()
    assert "<h3>w</h3>" in linked(app) and linked(app).count('class="plot"') == 2
    assert "All 9 entries" in words(app, linked(app))
    press(app, "s@0.3")
    assert 'class="plot"' not in linked(app) and 'class="sheet' in linked(app)


def test_a_large_tensor_is_shown_of_a_run_that_kept_all_entries(app):
    put_program(app, "x = torch.arange(100).reshape(10, 10)")
    assert 'title="[9, 9] = 99"' in linked(app)


@pytest.mark.thorough
def test_many_facets_have_sliders(app):
    put_program(app, "x = torch.arange(2 * 9 * 3 * 2).reshape(2, 9, 3, 2)")
    sliders = app.slider
    assert [one.label for one in sliders] == ["axis 0", "axis 1"]
    sliders[1].set_value(8).run()
    assert 'title="[0, 8, 0, 0] = 48"' in linked(app)


@pytest.mark.parametrize(
    ("page", "view", "shown"),
    [
        ("tensors", "", {"seen": "values"}),
        ("tensors", "memory", {"seen": "memory"}),
        ("tensors", "histogram", {"seen": "values", "values": "histogram"}),
        ("histogram", "", {"seen": "values", "values": "histogram"}),
        ("tensors", "operations", {}),
    ],
)
def test_an_old_address_leads_to_where_its_view_is(page, view, shown):
    app = new_page(page, **({"view": view} if view else {})).run()
    moved = component(app, "moved")
    assert moved == {"page": "operations" if view == "operations" else "", "query": shown}


def test_the_chosen_tensor_is_in_the_address_and_restored_by_a_link(app):
    put_program(app, "v = torch.arange(12.)\nM = torch.ones(2, 2)")
    before = component(app, "link")
    after = component(press(app, "v@0.1"), "link")
    assert (after["query"], after["fragment"]) != (before["query"], before["fragment"])
    app.session_state["link"] = {"came": before | {"count": 7}}
    assert "<h3>M</h3>" in linked(app.run())
