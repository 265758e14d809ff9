"""Typed values of a session, and the messages of a component."""

import pytest
import streamlit as st

from explorer.ui.components.session_values import Inbox, SessionValue


@pytest.fixture(autouse=True)
def state(monkeypatch) -> dict:
    """Streamlit's session state, as a plain dictionary."""
    state: dict = {}
    monkeypatch.setattr(st, "session_state", state)
    return state


def test_a_value_begins_as_declared_and_is_kept_with_its_changes(state):
    names = SessionValue[list[str]]("_names", list)
    names.get().append("a")
    assert names.get() == ["a"] == state["_names"]
    assert names.put(["b"]) == ["b"] and names.take() == ["b"] and names.get() == []
    assert SessionValue[str | None]("_nothing").get() is None


def test_each_message_is_handled_once():
    inbox = Inbox("_inbox")
    assert [inbox.accept(count) for count in (1, 1, 2, 2, 1)] == [True, False, True, False, True]
    assert inbox.handled == 1 and inbox.is_new(2) and not inbox.is_new(1)
