"""A part of a page that takes too long is ended with a message; other parts are not."""

import json
import threading
import time

import pytest
from streamlit.testing.v1 import AppTest

from explorer.drawing.picture import picture
from explorer.hosting import processor_budget
from explorer.hosting.processor_budget import TookTooLong, limited
from explorer.sandbox import hosting
from explorer.trace import decode, encode
from tests.patience import PATIENT
from tests.trace.adversarial import trace_of_size

pytestmark = pytest.mark.skipif("sys.platform != 'linux'", reason="only there a drawing is ended")
_FAILED = hosting.log_undrawn


@pytest.fixture(autouse=True)
def short(monkeypatch, loud):
    monkeypatch.setattr(hosting, "log_undrawn", _FAILED)
    monkeypatch.setattr(processor_budget, "BUDGET", 0.2)


def draws() -> None:
    import streamlit as st

    from explorer.analysis.explain.autograd import graph_view
    from explorer.ui.components.watch import drawing
    from tests.ui.test_processor_budget import large

    trace = large()
    with drawing("graph", "en"):
        while True:  # an endless view, made of a finite one
            graph_view(trace)
    with drawing("tables", "zh"):
        while True:
            graph_view(trace)
    st.write("drawn")


def large():
    """Return a Trace with much to draw."""
    return a_trace(500)


def a_trace(size: int):
    return decode(encode(trace_of_size(operations=size, nodes=size, tensors=size)))


def test_a_slow_part_ends_with_a_sentence_and_the_page_continues(capsys):
    app = AppTest.from_function(draws).run(timeout=PATIENT)
    assert not app.exception
    shown = [element.proto.body for element in app.main if element.type == "html"]
    assert "too long" in shown[0] and "太费时" in shown[1]
    assert app.markdown[-1].value == "drawn"
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines() if line.startswith("{")]
    assert [(line["page"], line["error"]) for line in lines if line["event"] == "undrawn"] == [
        ("graph", "TookTooLong"),
        ("tables", "TookTooLong"),
    ]


def test_other_sessions_draw_while_a_slow_part_is_ended():
    trace, small = large(), a_trace(20)
    ended = []

    def slow() -> None:
        with pytest.raises(TookTooLong), limited():
            while True:
                picture(trace).svg()
        ended.append(time.thread_time())

    threads = [threading.Thread(target=slow) for _ in range(3)]
    for thread in threads:
        thread.start()
    with limited():
        picture(small)
    for thread in threads:
        thread.join(PATIENT)
    assert len(ended) == 3 and max(ended) < 5


def test_waiting_uses_no_budget():
    with limited():
        time.sleep(0.5)


def test_a_nested_part_has_its_own_budget():
    trace = large()
    with limited():
        with pytest.raises(TookTooLong), limited():
            while True:
                picture(trace).svg()
        time.sleep(0.3)  # time for another check


def test_nothing_is_raised_after_the_part(monkeypatch):
    monkeypatch.setattr(processor_budget, "BUDGET", 0.0)
    monkeypatch.setattr(processor_budget, "EVERY", 0.0)
    trace = a_trace(20)
    for _ in range(200):
        try:
            with limited():
                picture(trace)
        except TookTooLong:
            pass
        sum(range(1000))
