"""The Autograd page's timeline without a browser: shown step, sent data, address."""

import pytest

from tests.ui.pages import component, html, told, type_program, words

LOOP = """w = torch.tensor(4.0, requires_grad=True)
first = w * w
first.backward()
w.grad = None
for epoch in range(6):
    for part in range(2):
        loss = (w - 1) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
"""


@pytest.fixture
def film(app):
    return type_program(app, LOOP)


def move(app, position: int, at: int = 1):
    """Release the handle on a step, like the browser."""
    told = component(app, "strip")
    app.session_state["strip"] = {
        "chosen": {"film": told["film"], "position": position, "run": told["run"], "cell": told["cell"], "at": at}
    }
    return app.run()


def beside(app, line: int) -> list:
    return next(ghost for ghost in component(app, "editor")["cells"][0]["ghosts"] if ghost[0] == line)


@pytest.mark.thorough
def test_calls_in_a_loop_form_one_timeline(film):
    told = component(film, "strip")
    assert (told["calls"], told["at"], told["thinned"]) == (12, 11, "")
    chips = component(film, "chips")
    assert [chip[:2] for chip in chips["chips"]] == [
        ["backward 1", "line 3"],
        ["backward", "line 8 · 12 training steps"],
    ]
    assert chips["shown"] == 1


@pytest.mark.thorough
def test_frames_are_drawn_on_request_for_the_shown_run(film):
    key = component(film, "strip")["key"]
    assert component(film, "reel") == {"what": "frames", "key": key, "packed": ""}
    assert component(asks(film, "another one"), "reel")["packed"] == ""
    assert component(asks(film, key), "reel")["packed"]
    moved = type_program(film, LOOP.replace("0.1", "0.2"), count=2)
    assert component(moved, "reel")["key"] != key and component(moved, "reel")["packed"] == ""


def asks(app, key: str):
    """Request frames for the timeline, like the browser."""
    app.session_state["reel"] = {"wanted": key}
    return app.run()


def test_the_whole_page_follows_the_step(film):
    last = component(film, "graph")["svg"]
    film = move(film, 2)
    assert component(film, "strip")["at"] == 2
    assert beside(film, 7)[2] == "3.69"  # (1 + 3 · 0.8² − 1)²
    assert component(film, "graph")["svg"] != last
    assert "+3.84" in html(film) and component(film, "player")["rest"].startswith("w.grad = 3.84")
    assert component(film, "link")["query"]["backward"] == "4"


@pytest.mark.thorough
def test_a_chip_chosen_later_overrides_the_timeline(film):
    film = move(film, 2, at=5)
    chips = component(film, "chips")
    picked = {"number": chips["chips"][0][3], "run": chips["run"], "cell": chips["cell"], "at": 9}
    film.session_state["backwards"] = {"chosen": picked}
    film.run()
    assert told(film, "strip") == []
    assert beside(film, 2)[2] == "16"
    assert component(move_back(film, chips), "strip")["at"] == 11


def move_back(app, chips: dict):
    told = {"number": chips["chips"][1][3], "run": chips["run"], "cell": chips["cell"], "at": 12}
    app.session_state["backwards"] = {"chosen": told}
    return app.run()


def test_no_frame_is_sent_while_predicting(film):
    film.session_state["player"] = {"act": {"count": 1, "do": "on"}}
    film.run()
    assert told(film, "reel") == []


@pytest.mark.thorough
@pytest.mark.parametrize(
    "said", [{"film": 9, "position": 0}, {"film": 0, "position": 99}, {"film": "x"}, {"at": "y"}, 7]
)
def test_invalid_timeline_messages_are_ignored(film, said):
    told = component(film, "strip")
    about = {"run": told["run"], "cell": told["cell"]}
    film.session_state["strip"] = {"chosen": said if said == 7 else about | said}
    film.run()
    assert component(film, "strip")["at"] == 11 and "loss" in words(film)


# The root of a number below 0 from the seventh step on.
NAN = """w = torch.tensor(0.55, requires_grad=True)
for step in range(12):
    loss = (w - 0.1 * step).sqrt()
    loss.backward()
    w.grad = None
"""


@pytest.mark.thorough
def test_a_problem_is_shown_below_the_timeline_with_a_link_to_its_step(app):
    type_program(app, NAN)
    told = component(app, "strip")
    assert len(told["faults"]) <= 2
    position, label, sentence = told["faults"][0]
    assert (position, label) == (6, "Training step 7") and "NaN" in sentence
    move(app, position)
    assert component(app, "strip")["at"] == position and "NaN" in component(app, "graph")["svg"]


def test_a_sound_training_has_no_problems_below_the_timeline(film):
    assert component(film, "strip")["faults"] == []


@pytest.mark.thorough
def test_problems_are_hidden_while_gradients_are_predicted(app):
    type_program(app, NAN)
    assert component(app, "strip")["faults"]
    app.session_state["player"] = {"act": {"count": 1, "do": "on"}}
    app.run()
    assert component(app, "strip")["faults"] == []


@pytest.mark.thorough
def test_variable_names_are_escaped(app):
    type_program(app, NAN.replace("0.1 * step", "0.1 * len('<b>&' * step) / 4"))
    said = component(app, "strip")["faults"][0][2]
    assert "<b>" not in said and "NaN" in said
