"""Messages of drawings: in batches, completely, in order, and none after the next was requested."""

import asyncio

import pytest
from streamlit.runtime.scriptrunner import ScriptRunnerEvent

from explorer.ui.streamlit_patches import batches, late_requests
from tests.patience import PATIENT
from tests.visitor import alone

MESSAGE, ENDED = ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, ScriptRunnerEvent.FRAGMENT_STOPPED_WITH_SUCCESS


class Heard:
    """A session that logs its sending thread's messages and wake-ups, and those of the sender to the browser."""

    def __init__(self) -> None:
        self.heard: list[object] = []
        self.woken = self.sends = 0
        self._event_loop = asyncio.get_running_loop()
        self._message_enqueued_callback = self._send

    def _send(self) -> None:
        self.sends += 1

    def _handle_scriptrunner_event_on_event_loop(self, sender, event, **told) -> None:
        self.heard.append(told.get("forward_msg", event))
        if self._message_enqueued_callback is not None:
            self._message_enqueued_callback()

    def _call_soon_on_event_loop(self, callback) -> None:
        self.woken += 1
        self._event_loop.call_soon_threadsafe(callback)

    async def says(self, *messages: object) -> None:
        """Send messages from another thread, like a drawing."""

        def say() -> None:
            for one in messages:
                batches.take_event(self, None, MESSAGE, forward_msg=one)

        await asyncio.to_thread(say)

    async def hears_something_after(self, count: int) -> None:
        async with asyncio.timeout(PATIENT):
            while len(self.heard) == count:
                await asyncio.sleep(0.01)


@pytest.fixture(autouse=True)
def unhurried(monkeypatch):
    """Make the pause longer than any stall of the machine."""
    monkeypatch.setattr(batches, "PAUSE", 3.0)


@pytest.mark.thorough
def test_messages_are_batched_and_delivered_in_order():
    async def drawn() -> None:
        session = Heard()
        await session.says(*range(60))
        assert session.heard == []
        await session.hears_something_after(0)
        assert session.heard == list(range(60))
        assert session.woken == session.sends == 1
        await session.says("later")
        await session.hears_something_after(60)
        assert session.heard[60:] == ["later"]

    alone(drawn())


def test_the_end_of_a_rerun_is_delivered_after_its_messages():
    async def drawn() -> None:
        session = Heard()
        await session.says(1, 2)
        batches.take_event(session, None, ENDED)
        await asyncio.sleep(0)
        assert session.heard == [1, 2, ENDED]

    alone(drawn())


def test_messages_are_delivered_before_the_next_rerun_is_requested(monkeypatch):
    async def drawn() -> None:
        session = Heard()
        monkeypatch.setattr(late_requests, "_request", lambda session, asked: session.heard.append("asked"))
        await session.says(1, 2)
        late_requests.request_rerun(session, None)
        assert session.heard == [1, 2, "asked"]

    alone(drawn())


def test_a_picture_is_handed_over_before_more_is_drawn():
    async def drawn() -> None:
        session = Heard()

        def draw() -> None:
            for one in (1, 2):
                batches.take_event(session, None, MESSAGE, forward_msg=one)
            batches.deliver()

        drawing = asyncio.create_task(asyncio.to_thread(draw))
        await session.hears_something_after(0)
        assert session.heard == [1, 2] and not drawing.done()
        await drawing

    alone(drawn())
