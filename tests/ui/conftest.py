"""Shared setup of page tests: a failing drawing fails the test instead of being logged."""

from collections.abc import Iterator
from functools import cache

import pytest
from streamlit.components.v2 import manifest_scanner

from explorer.sandbox import hosting
from explorer.ui.editor import views
from explorer.ui.panels import problems
from tests.patience import PATIENT
from tests.ui.pages import new_page


@pytest.fixture(autouse=True, scope="session")
def _scanned_once() -> Iterator[None]:
    """Cache Streamlit's search for components, which takes longer than most pages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture
def app():
    """Return the first page, once its programs can run; files about other pages have their own."""
    return new_page().run()


@pytest.fixture(autouse=True)
def loud(monkeypatch):
    """Raise errors that a page would only log."""

    def failed(what: str, problem: Exception) -> None:
        raise problem

    monkeypatch.setattr(hosting, "log_undrawn", failed)
    monkeypatch.setattr(problems, "PATIENCE", PATIENT)  # so that a slow machine skips no change
    monkeypatch.setattr(views, "PATIENCE", PATIENT)  # so that no note is missing at its line
