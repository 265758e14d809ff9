"""The health check draws as visitors' pages do, and seldom enough that nobody can keep the server busy with it."""

import json
import threading

from explorer.sandbox import fair_queue, hosting
from explorer.ui.frame import health as module
from explorer.ui.frame.health import DrawingTimes, draw_small, health
from tests.patience import PATIENT, eventually
from tests.sandbox.test_drawing_turns import Page
from tests.visitor import alone

LOG_UNDRAWN = hosting.log_undrawn  # which conftest.py replaces


def test_it_says_how_long_a_picture_took_and_how_many_programs_wait():
    assert draw_small().count('aria-label="w, leaf') == 1
    answer = alone(health())
    said = json.loads(answer.body)
    assert answer.status_code == 200 and said["status"] == "ok"
    assert said["seconds"] > 0 and said["waiting"] == 0


def test_whoever_asks_too_soon_gets_the_last_answer(monkeypatch):
    drawn: list[int] = []
    times = DrawingTimes(lambda: drawn.append(1))
    first = times.seconds()
    assert {times.seconds() for _ in range(50)} == {first} and times.known() == first and len(drawn) == 1
    monkeypatch.setattr(module, "EVERY", 0.0)
    times.seconds()
    assert len(drawn) == 2


def test_while_it_draws_others_hear_at_once_how_long_it_has_taken(monkeypatch):
    free = threading.Event()
    times = DrawingTimes(lambda: free.wait(PATIENT))
    waits = threading.Thread(target=times.seconds)
    waits.start()
    assert eventually(lambda: (times.known() or 0) > 0.05)
    assert times.seconds() > 0.05 and waits.is_alive()
    monkeypatch.setattr(module, "drawing_times", times)
    monkeypatch.setattr(module, "LATE", 0.01)
    assert alone(health()).status_code == 503
    free.set()
    waits.join()


def test_a_drawing_that_fails_is_no_good_health(monkeypatch, capsys):
    monkeypatch.setattr(hosting, "log_undrawn", LOG_UNDRAWN)
    monkeypatch.setattr(module, "drawing_times", DrawingTimes(lambda: 1 / 0))
    answer = alone(health())
    assert answer.status_code == 503 and json.loads(answer.body)["seconds"] is None
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_it_waits_for_its_turn_as_a_visitor_does(monkeypatch):
    monkeypatch.setattr(fair_queue, "PATIENCE", PATIENT)
    pages = [Page("ann"), Page("bo")]
    assert all(page.began.wait(PATIENT) for page in pages)
    drawing = threading.Thread(target=draw_small)
    drawing.start()
    drawing.join(0.5)
    assert drawing.is_alive()
    for page in pages:
        page.end()
    drawing.join(PATIENT)
    assert not drawing.is_alive()
