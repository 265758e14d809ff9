"""The Training page on a server that shows a watched training: `app --watch FILE`."""

import pytest
import torch
from torch import nn

import explorer
from explorer.trace.step_statistics import STEPS, WATCHED
from explorer.ui.session import watched_file
from tests.ui.pages import html, new_page, words


@pytest.fixture
def watched(tmp_path, monkeypatch):
    """Return a folder of a watched training with an event, which the server shows."""
    out = tmp_path / "nets" / "<i>run</i>"
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    with explorer.watch(model, optimizer, on="nonfinite", out=out) as watch:

        @watch.repeats
        def step(x):
            optimizer.zero_grad()
            model(x).square().mean().backward()
            optimizer.step()

        for number in range(6):
            step(torch.full((2, 3), float("nan") if number == 4 else 1.0))
    monkeypatch.setenv(WATCHED, str(out / STEPS))
    watched_file._reader.cache_clear()
    return out


def _page():
    return new_page("training").run()


def test_a_watched_training_is_shown_with_its_events(watched):
    app = _page()
    assert "6 steps of 2 layers, 1 event." in words(app)
    assert "Step 5: loss NaN" in words(app)
    assert "<i>run" not in html(app), "names are escaped"


def test_one_click_opens_the_trace_of_an_event(watched):
    app = _page()
    app.button(key="watched_open_5").click().run()
    trace = app.session_state["_given_run"]
    assert trace.end == "ok" and trace.latest(trace.bound("x")).nans == 6


def test_a_file_that_is_none_is_explained_and_appears_later(watched):
    whole = (watched / STEPS).read_bytes()
    (watched / STEPS).write_bytes(b"")
    app = _page()
    assert "has no step yet" in words(app)
    (watched / STEPS).write_bytes(b"something else")
    assert "was not written by explorer.watch" in words(app.run())
    (watched / STEPS).write_bytes(whole)
    assert "6 steps" in words(app.run())
    (watched / STEPS).unlink()
    assert "does not exist any more" in words(app.run())


def test_an_event_without_a_trace_has_no_button(watched):
    for file in watched.glob("*.trace"):
        file.unlink()
    app = _page()
    assert "not recorded" in words(app) and not [one for one in app.button if "watched_open" in str(one.key)]


def test_a_hosted_site_shows_no_file(watched, monkeypatch):
    monkeypatch.setattr(watched_file, "hosted", lambda: True)
    assert watched_file.watched_path() is None
