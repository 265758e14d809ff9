"""The Derivatives page without a browser: its parts, and messages about invalid input."""

import json
import re

import pytest

from tests.ui.pages import component, new_page
from tests.ui.pages import words as read


@pytest.fixture
def app():
    """Return the page, run once its programs can run."""
    return new_page("derivatives").run()


def words(app) -> str:
    """Return the visible text of the page's HTML."""
    return " ".join(read(app).split())


def told(app) -> tuple[float, list[str]]:
    """Return the point in the picture, and the slopes of tangent and secant."""
    figure = json.loads(component(app, "plot")["figure"])
    *_, points, words = figure["data"]
    return points["x"][0], [re.sub("<[^>]+>", "", one) for one in words["text"]]


def write(app, **fields: str):
    """Type into fields."""
    for name, text in fields.items():
        app.text_input(key=f"derivatives_{name}").set_value(text)
    return app.run()


def press(app, key: str):
    return next(one for one in app.button if one.key == key).click().run()


def test_the_default_page_is_complete(app):
    said = words(app)
    assert "f′(1) = +2 by autograd" in said and "y = 2x − 3" in said
    assert told(app) == (1.0, ["tangent +2", "secant 3.5"]) and "quotient" in said


@pytest.mark.thorough
def test_a_tangent_is_not_flat_because_it_is_small(app):
    assert "tangent y = 2e−20x − 1e−20" in words(write(app, f="1e-20*x**2"))
    write(app, at="1.5707963267948966")
    assert "tangent y = 1" in words(write(app, f="sin(x)"))  # the slope there is only rounding


@pytest.mark.thorough
def test_a_point_outside_moves_the_window(app):
    write(app, at="10")
    assert [app.text_input(key=f"derivatives_{name}").value for name in ("low", "high")] == ["8.5", "11.5"]
    assert told(app)[0] == 10


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"f": "(x"}, "Invalid Python syntax. In f(x), column 1"),
        ({"f": "1 + foo*x"}, "In f(x), column 5"),
        ({"f": "None"}, "it returned something else"),
        ({"f": "x.detach()"}, "autograd has no path back to it"),
        ({"at": "one"}, "“one” is not a number."),
        ({"low": "3"}, "The window ends before it begins: 3 to 2.5. Swap them. In x from … to"),
        ({"low": "2.5"}, "The window has no width"),
    ],
)
def test_invalid_input_is_reported_and_the_last_picture_stays(app, fields, said):
    write(app, **fields)
    assert said in words(app) and "Last successful picture." in words(app)
    assert told(app)[1][0] == "tangent +2"


@pytest.mark.thorough
def test_a_def_typed_into_the_line_gets_a_larger_field(app):
    write(app, f="def f(x): return x**3")
    assert app.text_area(key="derivatives_f").value == "def f(x): return x**3"
    assert told(app)[1][0] == "tangent +3"
    app.text_area(key="derivatives_f").set_value("x**2")
    app.run()
    assert app.text_input(key="derivatives_f").value == "x**2" and told(app)[1][0] == "tangent +2"


@pytest.mark.thorough
def test_a_def_can_be_turned_back_into_an_expression(app):
    app = press(app, "derivatives_def_f")
    area = app.text_area(key="derivatives_f")
    assert area.value == "def f(x):\n    return 3*x**2 - 4*x"
    area.set_value("def f(x):\n    while x * x < 4:\n        x = x + 1\n    return x")
    app.run()
    assert told(app)[1][0] == "tangent — ∣ +1" and "called for each of" in words(app)
    app = press(app, "derivatives_def_f")
    assert app.text_input(key="derivatives_f").value == "x"


@pytest.mark.thorough
def test_two_variables_open_on_request(app):
    descent = "Gradient descent: 30 steps at rate 0.05 take f from 5.25 to 0.004043."
    write(app, f="x**3")
    assert descent not in words(app)
    app.session_state["derivatives_more"] = "two"
    app.run()
    assert descent in words(app) and "tangent" not in words(app).replace("tangent plane", "")
    app.session_state["derivatives_more"] = "one"
    app.run()
    assert app.text_input(key="derivatives_f").value == "x**3" and descent not in words(app)


@pytest.mark.thorough
def test_invalid_input_in_other_sections_is_reported(app):
    app.session_state["derivatives_more"] = "two"
    app.run()
    write(app, g_at="1")
    assert "at (x, y) needs two numbers, not 1." in words(app)
    write(app, g_at="1, 1", steps="1000")
    assert "Gradient descent takes 0 to 200 steps here, not 1000." in words(app)


@pytest.mark.thorough
def test_the_page_opens_as_a_program(app):
    press(app, "derivatives_open")
    (text,) = app.session_state["_document"].texts
    assert "return 3*x**2 - 4*x" in text and "y.backward()" in text and "h = 0.5" in text
