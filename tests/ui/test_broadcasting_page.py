"""The Broadcasting page without a browser: its reaction to typing, clicks, links, and runs elsewhere."""

import pytest

from explorer.program.permalink import to_fragment
from explorer.text import say
from explorer.ui.pages.broadcasting.page import EXAMPLES
from explorer.ui.session.document import Document
from explorer.ui.session.program_run import may_autorun
from tests.ui.pages import component, new_page
from tests.ui.pages import words as read


@pytest.fixture
def app():
    """Return the page, run once its programs can run."""
    return new_page("broadcasting").run()


def write(app, **texts: str):
    """Type operands."""
    for name, text in texts.items():
        app.text_input(key=f"bc_{name}").set_value(text)
    return app.run()


def words(app) -> str:
    """Return the visible text outside the picture."""
    return " ".join(read(app).split())


def picture(app) -> dict:
    """Return the picture's arguments."""
    return component(app, "broadcasting")


def choose(app, at: list[int], source: str | None = None, count: int = 1):
    """Click an entry, as the browser reports it."""
    app.session_state["bc_picture"] = {"asked": {"count": count, "about": picture(app)["about"], "at": at, "s": source}}
    return app.run()


def take(app, name: str) -> None:
    """Open the menu of examples and take one."""
    app.menu_button(key="menu_bc_examples").click(name).run()


def test_an_invisible_character_is_ignored(app):
    assert not picture(write(app, a="torch.ones(2)\0", b="2, 1\0"))["stale"]


def test_the_default_page_is_complete(app):
    assert "a was read 2 times along dim −1." in words(app)
    assert "c[2, 1] = a[2, 0] + b[0, 1] = 2 + 1 = 3" in picture(app)["words"]["2,1"]
    assert not picture(app)["stale"] and picture(app)["r"] == "2,1"


@pytest.mark.thorough
def test_every_example_runs_and_shows_its_lesson(app):
    for example in EXAMPLES:
        take(app, example.name)
        assert say("en", f"bc-example-{example.name}.see") in words(app)
        assert ("Clash at dim" in words(app)) == (example.name in ("centre", "rows")), example.name
        assert ("no error" in words(app).lower()) == (example.name in ("mse", "silent")), example.name


def test_a_mismatch_shows_its_axis_torchs_message_and_the_fixed_run(app):
    write(app, a="2, 3", b="2")
    assert "Clash at dim −1: 3 against 2." in words(app)
    assert "The size of tensor a (3) must match the size of tensor b (2)" in words(app)
    assert "With b.unsqueeze(1) the shapes fit." in " ".join(words(app).split())
    shown = picture(choose(app, [1, 2]))
    assert not shown["stale"] and "c[1, 2] = a[1, 2] + b[1, 0] = 5 + 1 = 6" in shown["words"]["1,2"]


def test_backward_starts_from_a_given_vector(app):
    app.selectbox(key="bc_start").set_value("given").run()
    write(app, given="[[1., 10.], [0., 1.], [0., 0.]]")
    assert "a.grad[0, 0] = 1 + 10 = <b>+11" in picture(app)["words"]["0,0"]
    write(app, given="[1., 2.]")
    assert "shape" in words(app) and "grad_output" in words(app)  # torch's own words
    kinds = {
        cell[2] for heat in picture(app)["figures"][0]["data"] for row in heat["customdata"] for cell in row if cell
    }
    assert "result" in kinds and "gradient" not in kinds  # the forward pass is still drawn


def test_a_choice_is_kept_and_shown_in_the_rules(app):
    app.selectbox(key="bc_operator").set_value("mul").run()
    choose(app, [2, 1])
    assert (picture(app)["r"], picture(app)["s"]) == ("2,1", None)
    choose(app, [1, 0], "0:1,0", count=2)
    assert (picture(app)["r"], picture(app)["s"]) == ("1,0", "0:1,0")
    assert "a.grad[1, 0] = 1 · 0 + 1 · 1 =" in words(app)


def test_an_invalid_choice_changes_nothing(app):
    app.session_state["bc_picture"] = {"asked": {"count": 3, "about": picture(app)["about"], "at": ["<b>"], "s": 7}}
    assert picture(app.run())["r"] == "2,1"
    choose(app, [99, 99], count=4)
    assert picture(app)["r"] == "2,1"


@pytest.mark.thorough
def test_operands_can_be_added(app):
    app.button(key="bc_more").click().run()
    assert picture(app)["shape"] == [2, 3, 2]
    write(app, c="4, 1, 1")
    app.button(key="bc_fewer").click().run()
    assert picture(app)["shape"] == [3, 2]
    app.button(key="bc_more").click().run()
    assert app.text_input(key="bc_c").value == "4, 1, 1" and picture(app)["shape"] == [4, 3, 2]


@pytest.mark.thorough
def test_the_page_follows_the_open_program(app):
    text = "import torch\nx = torch.ones(3, 1, requires_grad=True)\ny = x * torch.arange(2.)\ny.sum().backward()\n"
    app.session_state["_document"] = Document((text,), (0,))
    write(app, a="5, 1")
    options = app.selectbox(key="bc_place").options
    assert options[1] == "From your program: line 3 · x * torch.arange(2.) · (3, 1), (2,) → (3, 2)"
    app.selectbox(key="bc_place").set_value(1).run()
    assert "y[2, 1] = x[2, 0] · torch.arange(2.)[1] = 1 · 1 = 1" in picture(app)["words"]["2,1"]
    assert "x.grad[0, 0] = 1 · 0 + 1 · 1 = <b>+1" in picture(app)["words"]["0,0"]
    app.selectbox(key="bc_place").set_value(0).run()
    assert app.text_input(key="bc_a").value == "5, 1" and picture(app)["shape"] == [5, 2]


CLASH = "import torch\nx = torch.ones(3, 2)\ny = x + torch.ones(2)\nz = x / x.sum(1)\n"


def test_a_mismatch_in_the_program_suggests_a_fix(app):
    app.session_state["_document"] = Document((CLASH,), (0,))
    app.run().selectbox(key="bc_place").set_value(2).run()
    assert "Clash at dim −1: 2 against 3." in words(app) and "must match the size of tensor b (3)" in words(app)
    assert app.get("markdown")[0].value.startswith("`x.sum(1, keepdim=True)` has shape (3, 1)")


@pytest.mark.thorough
def test_a_link_opens_its_program(app):
    fragment = to_fragment({"program": CLASH})
    came = {"count": 5, "page": "broadcasting", "query": {"place": "1"}, "fragment": fragment, "foreign": True}
    app.session_state["link"] = {"came": came}
    app.run()
    # programs from elsewhere run automatically only if they are well confined
    assert ("y[2, 1] = x[2, 1] + torch.ones(2)[1] = 1 + 1 = 2" in str(picture(app)["words"])) == may_autorun()


def test_a_link_restores_the_state(app):
    fresh = new_page()
    fresh.query_params.update({"operator": "maximum", "count": "3", "start": "mean", "place": "99"})
    fresh.switch_page("pages/broadcasting.py").run()
    assert fresh.selectbox(key="bc_operator").value == "maximum" and fresh.text_input(key="bc_c").value == "2, 1, 1"
    assert "d[1, 2, 1] = max(max(a[2, 0], b[0, 1]), c[1, 0, 0])" in picture(choose(fresh, [1, 0, 0]))["words"]["1,2,1"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({"a": "torch.onse(3)"}, "In a, column 1 torch.onse(3) AttributeError"),
        ({"b": "torch.ones(3"}, "In b, column 11 torch.ones(3 SyntaxError: '(' was never closed"),
        ({"a": "2 + foo"}, "In a, column 5 2 + foo NameError: name 'foo' is not defined"),
        ({"b": "'one'"}, "b: not a tensor."),
    ],
)
def test_an_error_names_its_field(app, texts, said):
    write(app, **texts)
    assert said in words(app), words(app)
    assert "line 3" not in words(app).lower() and "line 4" not in words(app).lower() and "The program" not in words(app)
    assert picture(app)["stale"]
    assert all(app.text_input(key=f"bc_{name}").value == text for name, text in texts.items())


@pytest.mark.thorough
def test_an_error_in_the_starting_gradient_names_its_field(app):
    app.selectbox(key="bc_start").select("given")
    app.run()
    write(app, given="torch.ones(2) + foo")
    assert "In starting gradient v, column 17" in words(app) and "line 6" not in words(app).lower()
    write(app, given="torch.ones(7)")
    assert "In starting gradient v" in words(app)


def test_a_fix_inside_an_expression_can_be_opened_as_a_program(app):
    take(app, "rows")
    app.button(key="bc_fix_0").click().run()
    assert "c[1, 1] = a[1, 1] / b[1, 0] = 5 / 15 = 0.333" in picture(app)["words"]["1,1"]
    next(one for one in app.button if one.key and one.key.startswith("bc_open")).click().run()
    assert "keepdim=True" in app.session_state["_document"].texts[0]
