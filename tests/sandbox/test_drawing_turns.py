"""Whose drawings begin, and when."""

import threading

from explorer.sandbox import fair_queue
from explorer.sandbox.fair_queue import in_turn, others_first
from tests.patience import PATIENT


class Page:
    """A drawing in a thread, until `ends` is set. Attributes: began: set at its turn."""

    def __init__(self, visitor: str, waits: bool = False):
        self.began, self.ends, self.rests = threading.Event(), threading.Event(), threading.Event()
        self._visitor, self._waits = visitor, waits
        self._thread = threading.Thread(target=self._draw)
        self._thread.start()

    def _draw(self) -> None:
        with in_turn(self._visitor):
            self.began.set()
            if self._waits:
                with others_first():
                    self.rests.set()
                    self.ends.wait(PATIENT)
            self.ends.wait(PATIENT)

    def end(self) -> None:
        self.ends.set()
        self._thread.join()


def test_a_visitor_opening_many_pages_does_not_delay_others(monkeypatch):
    monkeypatch.setattr(fair_queue, "PATIENCE", 60)
    many = [Page("a") for _ in range(5)]
    assert many[0].began.wait(PATIENT)
    other = Page("b")
    assert other.began.wait(PATIENT)
    assert sum(page.began.is_set() for page in many) == 1
    other.end()
    for page in many:
        page.ends.set()
    for page in many:
        page.end()
        assert page.began.is_set()


def test_other_drawings_run_while_one_waits(monkeypatch):
    monkeypatch.setattr(fair_queue, "PATIENCE", 60)
    first = Page("", waits=True)
    assert first.rests.wait(PATIENT)
    second = Page("")
    assert second.began.wait(PATIENT)
    second.end(), first.end()


def test_drawings_do_not_delay_each_other_long(monkeypatch):
    monkeypatch.setattr(fair_queue, "PATIENCE", 0.01)
    first = Page("a")
    assert first.began.wait(PATIENT)
    second = Page("a")
    assert second.began.wait(PATIENT)
    first.end(), second.end()
