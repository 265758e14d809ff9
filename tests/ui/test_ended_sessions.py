"""Visitors leave nothing behind after closing the page, and a session for a moment after a lost connection."""

import asyncio
import time
from types import SimpleNamespace

import psutil
import pytest

from benchmarks.browserless import Session
from explorer.hosting.inbound_messages import is_closed_by_browser, open_filter
from explorer.ui.streamlit_patches.ended_sessions import KEPT_S, MOST, EndedSessions
from tests.patience import PATIENT
from tests.visitor import Visitor, alone, server


class Sessions:
    """The storage, with a clock and a browser that the test sets."""

    def __init__(self):
        self.now, self.closed, self.ended = 0.0, False, []
        self.storage = EndedSessions(lambda: self.closed, lambda: self.now)

    def leave(self, name):
        session = SimpleNamespace(id=name, shutdown=lambda: self.ended.append(name))
        self.storage.save(SimpleNamespace(session=session))

    def waiting(self):
        return [info.session.id for info in self.storage.list()]


@pytest.fixture
def sessions():
    return Sessions()


def test_a_session_whose_page_was_closed_ends_at_once(sessions):
    sessions.closed = True
    sessions.leave("a")
    assert sessions.ended == ["a"] and sessions.storage.get("a") is None


def test_a_session_that_lost_its_connection_can_continue_for_a_while(sessions):
    sessions.leave("a")
    sessions.now = KEPT_S / 2
    sessions.leave("b")
    assert sessions.storage.get("a").session.id == "a"
    sessions.storage.delete("a")
    sessions.leave("a")  # its connection is lost again
    sessions.now = KEPT_S * 1.5
    sessions.storage.end_late()
    assert sessions.ended == ["b", "a"] and not sessions.waiting()


def test_the_oldest_of_many_lost_sessions_ends(sessions):
    for number in range(MOST + 2):
        sessions.leave(str(number))
    assert sessions.ended == ["0", "1"] and len(sessions.waiting()) == MOST


@pytest.mark.parametrize(("code", "closed"), [(1000, True), (1001, True), (1006, False), (1012, False)])
def test_a_closed_page_differs_from_a_lost_connection(code, closed):
    async def ends() -> bool:
        async def receive():
            return {"type": "websocket.disconnect", "code": code}

        inbound, over = open_filter({"headers": [], "client": ("198.18.0.1", 1)}, receive)
        await inbound.receive()
        over()
        return is_closed_by_browser()

    assert alone(ends()) == closed


@pytest.mark.thorough
def test_visitors_leave_no_descriptors_behind():
    with server() as (process, port):
        first, machine = Visitor(port), psutil.Process(process.pid)
        assert first.ready()
        before = machine.num_fds()

        async def visit(number: int) -> None:
            async with Session(port, f"198.18.0.{number}") as session:
                await session.load()
                if number == 0:
                    session.drop()  # the connection is dropped without closing

        async def all_visit() -> None:
            await asyncio.gather(*map(visit, range(6)))

        alone(all_visit())
        end = time.monotonic() + PATIENT
        while machine.num_fds() > before and time.monotonic() < end:
            time.sleep(1)
        assert machine.num_fds() <= before
        first.close()
