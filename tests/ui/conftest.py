"""What all tests of pages share: a drawing that fails is no quiet line in a log, but fails the test."""

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
    """Each AppTest would look through all installed packages for components, which takes longer than most pages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture
def app():
    """The first page, run once its programs can run; a file about another page has its own."""
    return new_page().run()


@pytest.fixture(autouse=True)
def loud(monkeypatch):
    """Raise what a page would only have written down."""

    def failed(what: str, problem: Exception) -> None:
        raise problem

    monkeypatch.setattr(hosting, "log_undrawn", failed)
    monkeypatch.setattr(problems, "PATIENCE", PATIENT)  # a slow machine leaves out no change
    monkeypatch.setattr(views, "PATIENCE", PATIENT)  # and no note beside its line
