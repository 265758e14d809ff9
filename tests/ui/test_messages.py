"""A browser's messages: excess size and rate are dropped before decoding."""

import asyncio
import json
import time
import tracemalloc

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.testing.v1 import AppTest

from explorer.hosting import inbound_messages
from explorer.hosting.inbound_messages import (
    CONTAINERS,
    DEEP,
    FIELDS,
    MOST,
    MOST_HOSTED,
    OF_A_PAGE,
    OF_A_VISITOR,
    Bucket,
    InboundFilter,
    Paces,
    Refused,
    read,
)
from explorer.hosting.send_queue import Outbound
from explorer.text import say
from tests.patience import PATIENT
from tests.visitor import alone


def asking(change) -> bytes:
    asked = BackMsg()
    change(asked)
    return asked.SerializeToString()


def message(value: str, count: int = 1, name: str = "w") -> bytes:
    """Return a message with so many states of components."""
    names = [name] if count == 1 else [f"{name}{i}" for i in range(count)]
    return asking(lambda asked: [asked.rerun_script.widget_states.widgets.add(id=w, json_value=value) for w in names])


def query(text: str) -> bytes:
    return asking(lambda asked: setattr(asked.rerun_script, "query_string", text))


TOO_MUCH = {
    "six million lists": (message("[" + "[]," * 6_000_000 + "[]]"), MOST, "value"),
    "a megabyte of lists": (message("[" + "[]," * 300_000 + "[]]"), MOST_HOSTED, "value"),
    "lists in lists": (message("[" * 400_000 + "]" * 400_000), MOST_HOSTED, "value"),
    "a little too deep": (message("[" * (DEEP + 1) + "]" * (DEEP + 1)), MOST_HOSTED, "value"),
    "lists that only end": (message("]" * 900_000), MOST_HOSTED, "value"),
    "many numbers": (message("[" + "1," * 450_000 + "1]"), MOST_HOSTED, "value"),
    "lists of several components": (message("[" + "[]," * 6_000 + "1]", 2), MOST_HOSTED, "value"),
    "150 000 states": (message("1", 150_000), MOST, "fields"),
    "names of files": (
        asking(lambda asked: asked.file_urls_request.file_names.extend(["a"] * 60)), MOST_HOSTED, "fields"
    ),
    "more than a message may have": (message('"' + "x" * MOST_HOSTED + '"'), MOST_HOSTED, "size"),
    "a number in a row": (
        asking(lambda asked: asked.rerun_script.widget_states.widgets.add().int_array_value.data.extend([1] * 20_000)),
        MOST_HOSTED, "fields",
    ),
    "parameters": (query("a&" * 1_000), MOST_HOSTED, "text"),
    "a long query": (query("a" * 200_000), MOST_HOSTED, "text"),
    "no JSON": (message("[1"), MOST_HOSTED, "unreadable"),
    "a number that Python does not read": (message("9" * 5_000), MOST_HOSTED, "unreadable"),
    "quotes": (message('"' + '\\"' * 400_000), MOST_HOSTED, "unreadable"),
    "cut": (message("[1]")[:-1], MOST_HOSTED, "unreadable"),
    "a length beyond it": (b"\x5a\xff\xff\xff\xff\x0f", MOST_HOSTED, "unreadable"),
    "no Unicode": (message("'x'").replace(b"'x'", b"'\xff'"), MOST_HOSTED, "unreadable"),
    "nothing": (b"", MOST_HOSTED, "type"),
    "caches": (asking(lambda asked: setattr(asked, "clear_cache", True)), MOST_HOSTED, "type"),
    "Git": (asking(lambda asked: setattr(asked, "load_git_info", True)), MOST_HOSTED, "type"),
    "the server's end": (asking(lambda asked: setattr(asked, "debug_shutdown_runtime", True)), MOST_HOSTED, "type"),
    "files for the server": (
        asking(lambda asked: asked.backend_operation_request.install_skills.SetInParent()), MOST_HOSTED, "type"
    ),
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("name", TOO_MUCH)
def test_oversized_or_invalid_messages_are_refused_with_little_memory(name):
    data, most, why = TOO_MUCH[name]
    tracemalloc.start()
    try:
        with pytest.raises(Refused, match=why):
            read(data, most)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000 + 2 * len(data)
    finally:
        tracemalloc.stop()


def test_valid_messages_of_pages_are_read():
    edit = {"edit": {"cells": [[i, "[{(" * 60 + '"\\'] for i in range(1_000)], "have": ["x" * 12] * 2_000}, "cell": 0}
    assert read(message(json.dumps(edit)), MOST_HOSTED).rerun_script.widget_states.widgets[0].id == "w"
    assert read(message('{"data": "%s"}' % ("A" * 10_000_000))).rerun_script.widget_states.widgets
    assert read(query("lang=zh&" * 100), MOST_HOSTED)
    for name in ("stop_script", "app_heartbeat"):
        assert read(asking(lambda asked, name=name: setattr(asked, name, True)))
    assert FIELDS < MOST_HOSTED and CONTAINERS < MOST_HOSTED


def test_values_are_counted_before_they_are_decoded(monkeypatch):
    monkeypatch.setattr(inbound_messages.json, "loads", None)
    for name in ("six million lists", "lists in lists"):
        with pytest.raises(Refused):
            read(TOO_MUCH[name][0])


# ---- how often --------------------------------------------------------------------------------------------------


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_holds_so_many_and_fills_at_its_rate():
    clock = Clock()
    bucket = Bucket(10.0, 3.0, clock)
    for _ in range(3):
        assert bucket.wait() == 0.0
        bucket.take()
    assert bucket.wait() == pytest.approx(0.1)
    clock.now = 100.0
    taken = 0
    while not bucket.wait():
        bucket.take()
        taken += 1
    assert taken == 3


def test_a_visitor_has_one_bucket_and_is_forgotten():
    clock = Clock()
    paces = Paces(1.0, 1.0, clock)
    assert paces.of("ann") is paces.of("ann") is not paces.of("bo")
    clock.now = 1_000.0
    paces.of("cy")
    assert set(paces._visitors) == {"cy"}
    assert OF_A_PAGE[0] < OF_A_VISITOR[0]


def heard(said: list[bytes | None]) -> tuple[list[dict], InboundFilter, float]:
    """Return the messages Streamlit receives from simultaneous ones (None: the browser leaves), and the most allowed.

    8, and 20 for each second that the machine takes.
    """

    async def listen() -> tuple[list[dict], InboundFilter, float]:
        began = time.monotonic()
        coming: asyncio.Queue = asyncio.Queue()
        for data in said:
            coming.put_nowait(
                {"type": "websocket.disconnect"} if data is None else {"type": "websocket.receive", "bytes": data}
            )
        inbound = InboundFilter(coming.get, Bucket(1e9, 1e9), MOST_HOSTED, Bucket(20.0, 8.0))
        found: list[dict] = []
        while not coming.empty() or inbound._held:
            found.append(await inbound.receive())
            if found[-1]["type"] == "websocket.disconnect":
                break
        inbound.close()
        return found, inbound, 9 + 20 * (time.monotonic() - began)

    return alone(listen())


def test_a_storm_of_requests_is_limited_to_the_newest():
    storm = [message(str(i)) for i in range(300)]
    found, inbound, most = heard(storm)
    assert found[0]["bytes"] == storm[0] and found[-1]["bytes"] == storm[-1]
    assert 3 <= len(found) <= most and inbound.left_out == 300 - len(found)


def test_other_requests_do_not_replace_a_rerun():
    edit, beat = message("1"), asking(lambda asked: setattr(asked, "app_heartbeat", True))
    found, *_ = heard([*[message("0")] * 30, edit, beat, beat])
    assert [one["bytes"] for one in found[-2:]] == [edit, beat]


def test_an_automatic_rerun_does_not_replace_the_users_edit():
    edit = message("1")
    again = asking(lambda asked: setattr(asked.rerun_script, "is_auto_rerun", True))
    found, *_ = heard([*[message("0")] * 30, edit, again, again])
    assert found[-1]["bytes"] == edit


def test_messages_slow_to_read_are_throttled():
    clock = Clock()

    async def listen() -> None:
        coming: asyncio.Queue = asyncio.Queue()
        for _ in range(5):
            coming.put_nowait({"type": "websocket.receive", "bytes": message("1", 20_000)})
        plenty = Bucket(1e9, 1e9)
        inbound = InboundFilter(coming.get, plenty, MOST_HOSTED, plenty, reading=Bucket(0.1, 0.0, clock))
        await inbound.receive()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(inbound.receive(), 0.2)
        assert coming.qsize() == 4
        clock.now += 60.0
        await asyncio.wait_for(inbound.receive(), PATIENT)
        assert coming.qsize() == 3
        inbound.close()

    alone(listen())


def test_a_disconnect_is_processed_at_once_in_a_storm():
    found, _, most = heard([message(str(i)) for i in range(50)] + [None])
    assert len(found) <= most and found[-1]["type"] == "websocket.disconnect"


@pytest.mark.parametrize("data", [b"\xff\xff", message("[" * 1_000), b""])
def test_a_refused_message_is_skipped_and_reported_on_the_page(data):
    found, inbound, _ = heard([data])
    (asked,) = (BackMsg.FromString(one["bytes"]) for one in found)
    assert asked.WhichOneof("type") == "rerun_script" and not asked.rerun_script.widget_states.widgets
    assert inbound.left_out == 1


def test_the_page_reports_skipped_requests_once(monkeypatch):
    _, inbound, _ = heard([b"no message"])
    monkeypatch.setattr(inbound_messages, "_open", {"": inbound})

    def page() -> None:
        from explorer.hosting.inbound_messages import report_left_out

        report_left_out("en")

    app = AppTest.from_function(page).run()
    (told,) = app.toast
    assert say("en", "left-out", count=1) == told.value
    assert not app.run().toast


# ---- sending ---------------------------------------------------------------------------------------------------


def test_pending_bytes_of_a_silent_browser_are_limited():
    async def sent() -> tuple[list[int], bool]:
        reads, heard = asyncio.Event(), []

        async def send(event: dict) -> None:
            await reads.wait()
            heard.append(event["bytes"])

        outbound, counts = Outbound(send, 1_000), []
        for size in (90, 5_000):  # a single message is always accepted
            for count in range(500):
                try:
                    await outbound.send({"type": "websocket.send", "bytes": b"%d" % count + b"x" * size})
                except OSError:
                    break
            counts.append(count)
            reads.set()
            while outbound._waiting:
                await asyncio.sleep(0)
            reads.clear()
        in_order = [data.split(b"x")[0] for data in heard] == [
            b"%d" % count for most in counts for count in range(most)
        ]
        return counts, in_order

    assert alone(sent()) == ([11, 1], True)
