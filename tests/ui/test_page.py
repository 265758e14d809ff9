"""The page without a browser: what stands where, and what a program leaves there."""

import time
from html.parser import HTMLParser
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from explorer.sandbox import default_runner

ROOT = Path(__file__).parents[2]


@pytest.fixture
def app():
    """The app, run once its programs can run."""
    default_runner().start()
    end = time.monotonic() + 60
    while not default_runner().ready(1.0):
        assert time.monotonic() < end
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=30).run()


def html(app) -> str:
    assert not app.exception
    return "\n".join(element.proto.body for element in app.get("html"))


def words(app) -> str:
    """What a person reads in the page's HTML."""
    found = []
    parser = HTMLParser()
    parser.handle_data = found.append
    parser.feed("".join(part for part in html(app).split("\n") if not part.startswith("<style>")))
    return " ".join(found)


def test_first_sight(app):
    assert app.text_area(key="program").value.endswith("y.backward()\n")
    assert "ran, up to date" in words(app)


def test_output_and_problem(app):
    app.text_area(key="program").set_value("print('hello')\n1 / 0\n").run()
    assert "hello" in words(app)
    assert "The program stopped at line 2." in words(app) and "ZeroDivisionError" in words(app)


def test_what_the_program_wrote_is_never_markup(app):
    app.text_area(key="program").set_value("print('<script>alert(1)</script>')\nraise ValueError('<b>')\n").run()
    assert "<script>" not in html(app) and "<b>'" not in html(app)
    assert "&lt;script&gt;" in html(app)


def test_a_program_that_is_too_large(app):
    app.text_area(key="program").set_value("#" * 200_001).run()
    assert "200" in words(app) and "stopped" in words(app)


def test_the_language_follows_the_address():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    app.query_params["lang"] = "zh"
    app.run()
    assert app.segmented_control(key="language").value == "zh"


def test_a_page_opened_alone_brings_its_frame():
    app = AppTest.from_file(str(ROOT / "pages" / "autograd.py"), default_timeout=30).run()
    assert not app.exception
    assert app.text_area(key="program").value
