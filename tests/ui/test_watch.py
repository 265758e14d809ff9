"""Failing and slow drawings: the session continues, and the log has no text of the program."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from explorer.sandbox import hosting
from explorer.ui.components import watch
from tests.patience import PATIENT

_FAILED = hosting.log_undrawn


@pytest.fixture(autouse=True)
def quiet(monkeypatch, loud):
    monkeypatch.setattr(hosting, "log_undrawn", _FAILED)


def fails() -> None:
    import streamlit as st

    from explorer.ui.components.watch import drawing, render_or_default

    with drawing("graph", "en"):
        raise ValueError("a secret of the program")
    st.write(render_or_default("table", lambda: [][0], "nothing", "zh"))


def takes_long() -> None:
    from explorer.ui.components.watch import drawing

    with drawing("tensors", "en"):
        sum(range(1_000_000))


def test_a_failing_part_leaves_the_rest_of_the_page(capsys):
    app = AppTest.from_function(fails).run(timeout=PATIENT)
    assert not app.exception
    shown = [element.proto.body for element in app.main if element.type == "html"]
    assert "could not be drawn" in shown[0] and "没能画出来" in shown[1]
    assert app.markdown[-1].value == "nothing"
    written = capsys.readouterr().err
    lines = [json.loads(line) for line in written.splitlines() if line.startswith("{")]
    assert [(line["event"], line["page"], line["error"]) for line in lines] == [
        ("undrawn", "graph", "ValueError"),
        ("undrawn", "table", "IndexError"),
    ]
    assert "secret" not in written


def test_slow_drawings_are_logged(monkeypatch, capsys):
    monkeypatch.setattr(watch, "SLOW", 0.0)
    AppTest.from_function(takes_long).run(timeout=PATIENT)
    [line] = [json.loads(line) for line in capsys.readouterr().err.splitlines() if line.startswith("{")]
    assert set(line) == {"event", "at", "page", "seconds"}
    assert (line["event"], line["page"]) == ("slow", "tensors")
    assert line["seconds"] > 0
