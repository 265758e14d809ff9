"""How many sessions a server accepts, and what the next one sees."""

import asyncio
import threading

import pytest

from benchmarks.browserless import Session
from explorer.hosting.seats import USUAL, Seats, most_sessions
from explorer.sandbox import BadLimit
from tests.patience import PATIENT
from tests.visitor import Visitor, alone, server


def test_a_seat_is_kept_and_passed_on_when_its_session_leaves():
    here = {"ann", "bo", "cy"}
    places = Seats(2, here.__contains__)
    assert places.take("ann") and places.take("bo")
    assert not places.take("cy")
    assert places.take("ann")
    here.remove("bo")
    assert places.take("cy")
    assert not places.take("bo")


def test_one_visitor_leaves_places_for_others():
    here = {"a", "b", "c", "d"}
    places = Seats(4, here.__contains__, share=2)
    assert places.take("a", "ann") and places.take("b", "ann")
    assert not places.take("c", "ann") and places.crowded("ann") and not places.crowded("bo")
    assert places.take("d", "bo") and places.has("d") and not places.has("c")
    here.remove("a")
    assert places.take("c", "ann") and not places.has("a")


def test_concurrent_sessions_get_no_more_seats_than_exist():
    places, got = Seats(5, lambda _: True), []
    threads = [threading.Thread(target=lambda i=i: got.append(places.take(str(i)))) for i in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(got) == 5


@pytest.mark.parametrize(
    ("said", "most"), [({}, None), ({"EXPLORER_SESSIONS": " 20 "}, 20), ({"EXPLORER_SESSIONS": ""}, None)]
)
def test_at_home_sessions_are_unlimited_by_default(said, most, monkeypatch):
    monkeypatch.delenv("EXPLORER_HOSTED", raising=False)
    assert most_sessions(said) == most


def test_a_hosted_server_has_a_session_limit(monkeypatch):
    monkeypatch.setenv("EXPLORER_HOSTED", "1")
    assert most_sessions({}) == USUAL


@pytest.mark.parametrize("said", ["0", "-3", "many", "1e3", "999999", "٣", "9" * 5000])
def test_an_invalid_session_limit_reports_its_range(said):
    with pytest.raises(BadLimit) as bad:
        most_sessions({"EXPLORER_SESSIONS": said})
    assert bad.value.values["name"] == "EXPLORER_SESSIONS" and bad.value.values["most"] == "100000"


@pytest.fixture(scope="module")
def port():
    """Yield the port of a server with one place."""
    with server(EXPLORER_SESSIONS="1") as (_, port):
        yield port


@pytest.mark.thorough
def test_a_session_beyond_the_limit_waits_and_enters_when_another_leaves(port):
    async def crowd() -> tuple[str, str]:
        async with Session(port, "198.18.0.2") as second:
            async with Session(port, "198.18.0.1") as first:
                await first.load()
                waiting = asyncio.create_task(second.load())
                async with asyncio.timeout(PATIENT):
                    while not second.shown.status:
                        await asyncio.sleep(0.05)
                said = second.shown.status
                await first.type("w = torch.ones(2, requires_grad=True)\nw.sum().backward()")
                assert first.shown.state == "ok"
                assert not waiting.done()
            await waiting
            return said, second.shown.state

    said, state = alone(crowd())
    assert "The only place on this server is taken. Leave this page open" in said
    assert state == "ok"


@pytest.mark.thorough
def test_a_waiting_page_is_seldom_drawn_and_responds_to_typing_at_once(port):
    """A page that polls every fifth of a second would be drawn about fifteen times in three seconds."""

    async def wait() -> tuple[int, str]:
        async with Session(port, "198.18.0.3") as session:
            await session.load()
            before = session.shown.drawings
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(3):
                    await session.type("while True:\n    pass")
            drawings = session.shown.drawings - before
            assert await session.type("print('now ' * 2)") < 50  # it does not wait for the other to end
            return drawings, session.shown.state

    drawings, state = alone(wait())
    assert drawings <= 4
    assert state == "ok"


@pytest.mark.thorough
@pytest.mark.parametrize(("trusted", "in_"), [("", False), ("127.0.0.2", True)])
def test_only_trusted_proxies_identify_visitors(trusted, in_):
    """With two places on a hosted site, a visitor gets one."""
    named = {"FORWARDED_ALLOW_IPS": trusted} if trusted else {}
    with server(EXPLORER_HOSTED="1", EXPLORER_SESSIONS="2", **named) as (_, port):
        first, second = (Visitor(port, address, source="127.0.0.2") for address in ("198.51.100.1", "198.51.100.2"))
        assert first.editor and bool(second.editor) == in_
        first.close()
        second.close()
