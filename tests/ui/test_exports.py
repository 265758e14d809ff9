"""The files of pressed buttons: one at a time for each visitor, and none for a page that was closed."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from explorer.analysis.explain.autograd import graph_view
from explorer.hosting import exports, processor_budget
from tests.patience import PATIENT
from tests.ui.test_processor_budget import large


class Site:
    """A server with pages of visitors. Attributes: open: the sessions whose page is open."""

    def __init__(self, monkeypatch):
        self.open = {"a1", "a2", "b1"}  # two of visitor a, and one of visitor b
        self._drawn = ""
        monkeypatch.setattr(exports, "is_here", self.open.__contains__)
        monkeypatch.setattr(exports, "own_session", lambda: self._drawn)
        monkeypatch.setattr(exports, "visitor", lambda _: self._drawn[0])

    def button(self, session: str, make):
        """Return the function of a session's download button for the file that `make` creates."""
        self._drawn = session
        return exports.on_demand(make)

    def press(self, *buttons) -> list:
        """Press buttons simultaneously; return their files or exceptions."""
        with ThreadPoolExecutor(len(buttons)) as pool:
            pressed = [pool.submit(button) for button in buttons]
            return [one.exception() or one.result() for one in pressed]


@pytest.fixture
def site(monkeypatch):
    return Site(monkeypatch)


def test_each_visitor_has_one_export_at_a_time_and_another_waiting(site):
    making, most, met = [], [], threading.Barrier(2)

    def made() -> bytes:
        making.append("a")
        most.append(len(making))
        time.sleep(0.05)
        making.remove("a")
        return b"x"

    def meets() -> bytes:
        met.wait(PATIENT)  # computed at the same time as the other visitor's
        return b"x"

    files = site.press(*(site.button(f"a{1 + number % 2}", made) for number in range(6)))
    assert set(most) == {1} and files.count(b"x") == len(most) >= exports.WAITING
    assert all(isinstance(file, exports.NotMade) for file in files if file != b"x")
    assert site.press(*(site.button(who, meets) for who in ("a1", "b1"))) == [b"x", b"x"]


def test_a_page_closed_while_waiting_gets_no_export(site):
    def last() -> bytes:
        site.open.clear()
        return b"x"

    assert site.button("a1", last)() == b"x"
    with pytest.raises(exports.NotMade):
        site.button("a2", lambda: pytest.fail("it was made"))()


@pytest.mark.skipif("sys.platform != 'linux'", reason="only there a thread is ended")
@pytest.mark.parametrize("leaves", [True, False])
def test_an_export_ends_when_its_page_closes_or_it_takes_too_long(site, leaves, monkeypatch):
    monkeypatch.setattr(processor_budget, "BUDGET", PATIENT if leaves else 0.2)
    trace = large()

    def endless() -> bytes:
        if leaves:
            site.open.clear()
        while True:
            graph_view(trace)

    [ended] = site.press(site.button("a1", endless))
    assert isinstance(ended, processor_budget.TookTooLong)
