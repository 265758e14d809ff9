"""A child's reply is untrusted: whatever it sends, the result is a checked Trace or a limit, in time."""

import random
from itertools import count

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.io.export import to_json
from explorer.io.json_values import dumps
from explorer.program import read_text
from explorer.sandbox import default_runner
from explorer.sandbox.replies import ReplyReader
from explorer.trace import MAX_BYTES, InvalidTrace, Limit, Options, Trace, decode, encode
from explorer.trace.streaming import MOST_PIECES
from tests.patience import PATIENT

PROGRAM = """w = torch.tensor([1., 2.], requires_grad=True)
for i in range(3):
    y = (w * w).sum() / (i + 1)
    y.backward()
w.detach()[0] = 5
print(w.grad)
w.grad
"""

FORGED = [-1, 0, 1, 2, 7, 10**6, 2**31, 2**63 - 1, 2**64 - 1, -(2**63), float("nan"), "", "\udcff", None, [], {}, True]

many = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def reply() -> bytes:
    """Return a real child's answer."""
    return encode(default_runner().submit(read_text(PROGRAM), Options()).result(PATIENT))


def judged(data: bytes) -> Trace | None:
    """Return the Trace read from a reply, drawn in full; None for an invalid reply."""
    try:
        trace = decode(data)
    except InvalidTrace:
        return None
    assert dumps(to_json(trace, "x.py", "en"))
    return trace


def test_a_valid_reply_is_read(reply):
    assert encode(judged(reply)) == reply


@pytest.mark.thorough
@many
@given(st.integers(0, 2**32), st.integers(1, 8))
def test_flipped_bytes_are_rejected_or_valid(reply, seed, count):
    pick = random.Random(seed)
    data = bytearray(reply)
    for _ in range(count):
        data[pick.randrange(len(data))] = pick.randrange(256)
    judged(bytes(data))


def places(thing, path=()):
    """Yield the path to everything in a nest of lists and dictionaries."""
    yield path
    pairs = thing.items() if isinstance(thing, dict) else enumerate(thing) if isinstance(thing, list) else ()
    for key, inner in pairs:
        yield from places(inner, (*path, key))


def replacements(old, pick: random.Random) -> list:
    """Return possible replacements of a value."""
    others = [pick.choice(FORGED), pick.choice(FORGED), [old], [old] * 2]
    if isinstance(old, int):
        others += [old + 1, old - 1]
    if isinstance(old, list):
        others += [old[:-1], old * 2, old[::-1]] * 2
    return others


def forged(reply: bytes, seed: int, count: int) -> bytes:
    """Return the reply with numbers, lengths and ids replaced, entries dropped, repeated or reordered."""
    pick = random.Random(seed)
    whole = msgspec.msgpack.decode(reply)
    for _ in range(count):
        path = pick.choice(list(places(whole))[1:])
        holder = whole
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = pick.choice(replacements(holder[path[-1]], pick))
    try:
        return msgspec.msgpack.encode(whole)
    except (OverflowError, UnicodeEncodeError):
        return b""


@pytest.mark.thorough
@many
@given(st.integers(0, 2**32), st.integers(1, 3))
def test_forged_lengths_and_ids_are_rejected(reply, seed, count):
    judged(forged(reply, seed, count))


def test_a_cycle_of_edges_is_rejected(reply):
    whole = msgspec.msgpack.decode(reply)
    edges = whole["nodes"]["edges"]
    edges["items"] = [len(edges["starts"]) - 2] * len(edges["items"])
    assert judged(msgspec.msgpack.encode(whole)) is None


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(12))
def test_forged_replies_of_a_real_child_are_handled(outputs, seed):
    """Cut short, flipped or forged: answered within the time, and the next run works."""
    text = "x = 1\n"
    honest = encode(default_runner().submit(read_text(text)).result(PATIENT))
    pick = random.Random(seed)
    mutated = [honest[: pick.randrange(len(honest))], forged(honest, seed, 2), pick.randbytes(300)][seed % 3]
    answered = outputs(f"reply = {mutated!r}")[1]
    assert answered == [Limit("result", 8.0, -1, "invalid")] or decode(mutated).cells[0].outputs == answered
    assert outputs("answer = 'next'")[1][0].text == "next"


EMPTY = b"o" + bytes(4)


def test_empty_messages_count_too():
    reading = ReplyReader(MAX_BYTES)
    reading.feed(EMPTY * MOST_PIECES)
    assert not reading.complete
    reading.feed(EMPTY)
    assert reading.too_much


def test_a_reply_sent_byte_by_byte_is_throttled(monkeypatch):
    reading, slept = ReplyReader(MAX_BYTES), []
    monkeypatch.setattr("time.sleep", slept.append)
    monkeypatch.setattr("time.thread_time", count(0.0, 0.001).__next__)
    reading.receive(lambda: b"r" + (7_000_000).to_bytes(4, "big"))
    calls = 0
    while not reading.complete:
        calls += 1
        reading.receive(lambda: b"x")
    assert reading.too_much and calls < 2_000 and len(slept) > calls / 2


FLOODS = {
    "messages": "while True: tell(b'')",
    "another kind": "import os\nwhile True: os.write(emergency - 1, b's' + bytes(4))",
    "one large": "tell(bytes(5_000_000))",
}


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
def test_a_child_that_floods_is_ended(outputs, flood):
    assert outputs(flood)[1] == [Limit("result", 8.0, -1)]
