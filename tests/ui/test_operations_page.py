"""The Operations page: which program it follows, and what it says of one that fails."""

import json

import pytest

from explorer.ui.session.document import Document
from tests.ui.pages import new_page


@pytest.fixture
def app():
    return new_page("operations").run()


def follow(app, text: str):
    """Put a program in the place of the session's own, and look at it."""
    app.session_state["_document"] = Document((text,), (0,))
    app.session_state["op_source"] = "program"
    return app.run()


def shown(app, name: str) -> str:
    """The HTML that a component was given."""
    assert not app.exception
    told = [one.proto for one in app.get("bidi_component") if one.proto.component_name == name]
    return json.loads(told[0].json or told[0].mixed.json)["html"]


def test_it_begins_with_an_example_where_the_program_has_single_numbers_only(app):
    app.run()
    assert app.segmented_control(key="op_source").value == "typed"
    assert "a.sum(0)" in shown(app, "explorer_operation")


def test_a_program_that_stops_shows_what_it_did_and_why_it_stopped(app):
    follow(app, "a = torch.ones(2, 3)\nb = a.sum(1)\na @ a")
    assert "b[0] = 1 + 1 + 1 = 3" in shown(app, "explorer_operation")
    assert 'class="code-line now" data-lit="line0.2"' in shown(app, "explorer_linked")
    assert "mat1 and mat2 shapes cannot be multiplied" in " ".join(one.proto.body for one in app.get("html"))


@pytest.mark.thorough
@pytest.mark.parametrize("text", ["a = (", "print(1)", "\x00", "import torch"])
def test_a_program_without_operations_leaves_a_page_that_says_so(app, text):
    follow(app, text)
    assert not app.exception
    said = " ".join(one.proto.body for one in app.get("html"))
    assert "No operation with a picture in this program." in said or 'class="problem' in said
