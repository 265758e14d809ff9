"""Programs that a browser kept, opened again: its message is a stranger's, the program its user's."""

import json

import pytest

from explorer.ui.session import state
from tests.ui.pages import component, editor, html, open_file, type_program, words

TWO = [(7, "w = torch.tensor(3., requires_grad=True)\n"), (9, "(w * w).backward()\nprint('ran', w.grad)\n")]
ORIGIN = {"foreign": False, "waits": False, "name": "mine.ipynb", "key": "a-key", "ours": False}


def asks(app, cells, count=1, **origin):
    """Ask for a program as the browser does."""
    kept = {"count": count, "cells": cells, "origin": ORIGIN | origin, "ran": False}
    app.session_state["link"] = {"opens": kept}
    return app.run()


def texts(app):
    return [cell["text"] for cell in editor(app)["cells"]]


def test_a_kept_program_returns_with_cells_notes_and_name(app):
    first = editor(app)["cells"][0]["id"]
    asks(app, TWO, notes=[(9, "*Then* it goes back."), (-1, "The end.")])
    told = editor(app)
    assert texts(app) == [text for _, text in TWO] and "ran tensor(6.)" in words(app, *told["html"].values())
    assert "<em>Then</em>" in told["html"][told["cells"][1]["note"]] and "The end." in told["html"][told["end"]]
    assert "mine.ipynb" in html(app) and told["origin"]["key"] == "a-key"
    assert first not in [cell["id"] for cell in told["cells"]], "no cell inherits the undo of another"


def test_the_key_stays_while_a_program_is_edited_and_changes_with_another_program(app):
    asks(app, TWO)
    type_program(app, "a = 1", "b = 2", count=2)
    assert editor(app)["origin"]["key"] == component(app, "link")["program"] == "a-key"
    open_file(app, "other.py", "c = 3\n", count=3)
    assert editor(app)["origin"]["key"] not in ("", "a-key")


def test_a_program_of_the_app_is_ours_and_a_file_is_not(app):
    assert editor(app)["origin"]["ours"]
    open_file(app, "other.py", "c = 3\n")
    assert not editor(app)["origin"]["ours"]


def test_a_foreign_program_waits_for_run_if_programs_are_not_confined(app, monkeypatch):
    from explorer.ui.pages.autograd import page

    monkeypatch.setattr(page, "may_autorun", lambda: False)
    asks(app, TWO, foreign=True)
    assert texts(app) == [text for _, text in TWO] and not editor(app)["ask"]
    assert "ran tensor" not in words(app, *editor(app)["html"].values()) and document_of(app).foreign


def document_of(app):
    return app.session_state[state._document.key]


@pytest.mark.parametrize(
    "origin",
    [
        {"about": "[1]", "abouts": [(7, '{"id": ["x"], "source": "1 / 0"}')]},
        {"about": "[" * 100_000},
        {"abouts": [(7, "no JSON"), (8, "{}")]},
        {"about": json.dumps({"long": "x" * 3_000_000})},
    ],
)
def test_invalid_notebook_metadata_is_dropped(app, origin):
    asks(app, TWO, **origin)
    assert texts(app) == [text for _, text in TWO]
    assert document_of(app).about == "" and all("source" not in about for _, about in document_of(app).abouts)


def test_notebook_metadata_is_kept(app):
    asks(app, TWO, about='{"author": "me"}', abouts=[(9, '{"id": "second"}')])
    kept = document_of(app)
    assert json.loads(kept.about) == {"author": "me"}
    assert [(kept.ids.index(of), json.loads(about)) for of, about in kept.abouts] == [(1, {"id": "second"})]


@pytest.mark.parametrize(
    "opens", [7, {"count": 1}, {"count": 1, "cells": [["a", 1]], "origin": ORIGIN}, {"cells": TWO}]
)
def test_another_message_opens_nothing(app, opens):
    before = texts(app)
    app.session_state["link"] = {"opens": opens}
    assert texts(app.run()) == before


def test_a_kept_program_that_is_too_large_is_refused(app):
    before = texts(app)
    asks(app, [(0, "#" * 3_000_000)])
    assert texts(app) == before and "message-line bad" in html(app)
    asks(app, [(0, "\ud800 = 1")], count=2)
    assert texts(app) == before
