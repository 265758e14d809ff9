"""The status of a run that waits for its turn."""

from types import SimpleNamespace

import pytest

from explorer.text import LANGUAGES, say
from explorer.ui.session.run_wait import busy


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("wait, seconds", [(0.0, 1), (2.1, 3), (9.9, 10), (10.1, 15), (61.0, 65)])
def test_a_waiting_run_shows_about_how_long_it_waits(lang, wait, seconds):
    shown = busy(SimpleNamespace(position=3, expected_wait=wait), lang)
    assert say(lang, "status-waiting", seconds=seconds) in shown


@pytest.mark.parametrize("lang", LANGUAGES)
def test_without_an_estimate_a_waiting_run_shows_its_place(lang):
    assert say(lang, "status-waiting.place", place=3) in busy(SimpleNamespace(position=3, expected_wait=None), lang)
