"""What all tests of pages share: a drawing that fails is no quiet line in a log, but fails the test."""

import pytest

from explorer.ui.components import watch


@pytest.fixture(autouse=True)
def loud(monkeypatch):
    """Raise what a page would only have written down."""

    def failed(what: str, problem: Exception) -> None:
        raise problem

    monkeypatch.setattr(watch, "failed", failed)
