"""A program's signal handlers interrupt no message to the server, and nothing after the program's end."""

import signal

import pytest

from explorer.program import read_text
from explorer.runtime.kernel.output_streamer import OutputStreamer
from explorer.runtime.limits import HOLDS, TimeLimit, hold_interrupts, stoppable
from explorer.sandbox import default_runner
from explorer.trace import Options, Printed
from explorer.trace.streaming import read

pytestmark = pytest.mark.skipif(not HOLDS, reason="the system can't delay signals")


@pytest.fixture
def ring(monkeypatch):
    """Counts calls of a handler that prints and raises."""
    calls = []

    def handler(*_):
        calls.append("ring")
        print("ring")
        raise TimeoutError

    mask, before = signal.pthread_sigmask(signal.SIG_BLOCK, ()), signal.signal(signal.SIGALRM, handler)
    yield calls
    signal.signal(signal.SIGALRM, signal.SIG_IGN)  # drops a pending signal
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    signal.signal(signal.SIGALRM, before)


def test_a_handler_waits_until_a_piece_is_sent(ring):
    sent = []

    def send(piece: bytes) -> None:
        signal.raise_signal(signal.SIGALRM)
        sent.append(piece)

    with pytest.raises(TimeoutError):
        OutputStreamer(send, []).add(Printed("stdout", "whole"))
    assert read(sent, 1).outputs == [[Printed("stdout", "whole")]] and ring == ["ring"]


def test_output_of_a_finalizer_while_a_piece_is_sent_is_in_the_next_piece():
    sent = []

    def send(piece: bytes) -> None:
        if not sent:
            streamer.add(Printed("stdout", "b"))
        sent.append(piece)

    streamer = OutputStreamer(send, [])
    streamer.add(Printed("stdout", "a"))
    streamer.end()
    assert read(sent, 1).outputs == [[Printed("stdout", "ab")]] and len(sent) == 2


def test_no_handler_runs_after_the_cells(ring):
    hold_interrupts()
    with stoppable(TimeLimit(100.0, 100.0, lambda *_: None)), pytest.raises(TimeoutError):
        signal.raise_signal(signal.SIGALRM)
    signal.raise_signal(signal.SIGALRM)
    assert ring == ["ring"]


RINGS = """
import signal
signal.signal(signal.SIGALRM, lambda *_: print("ring"))
signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
for _ in range(60):
    print("x" * 50)
"""


def test_a_program_with_a_handler_that_prints_has_its_result():
    trace = default_runner().submit(read_text(RINGS), Options()).result()
    text = "".join(output.text for output in trace.cells[0].outputs if isinstance(output, Printed))
    assert trace.end == "ok" and text.count("x" * 50) == 60 and "ring" in text
