"""The Runs page where no folder was given: it shows the runs that come with the app."""

import pytest

from tests.ui.pages import new_page, words


@pytest.fixture
def app():
    return new_page("runs", lang="en").run()


def test_two_sample_runs_stand_side_by_side_with_their_losses(app):
    shown = words(app)
    assert "51 steps recorded, the last is step 5,000" in shown
    assert [name in shown for name in ("momentum", "plain")] == [True, True]


def test_the_graph_of_a_sample_s_last_step_opens(app):
    app.session_state["runs_film_0"] = {"step": {"run": "momentum", "step": 5_000}}
    app.run()
    app.button(key="ru_open_0").click().run()
    assert "momentum-step-5000" in words(app)
