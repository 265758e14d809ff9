"""Results computed from a Trace are computed once, as long as it is the same Trace."""

from dataclasses import replace
from itertools import count

import pytest
import streamlit as st

from explorer.drawing.picture import picture
from explorer.ui.session import memo
from explorer.ui.session.memo import memoize
from tests.traces import trace_of


@pytest.fixture(autouse=True)
def session(monkeypatch):
    monkeypatch.setattr(st, "session_state", {})


def test_a_value_is_computed_once_per_trace():
    made, trace = count(), [1.0]
    assert [memoize("list", trace, lambda: next(made)) for _ in range(3)] == [0, 0, 0]
    assert memoize("table", trace, lambda: "another name") == "another name"
    assert memoize("list", list(trace), lambda: next(made)) == 1, "an equal Trace is another one"


def test_a_value_is_computed_again_for_other_arguments():
    made, trace = count(), [1.0]
    assert [memoize("list", trace, lambda: next(made), lang) for lang in ("en", "en", "zh", "en")] == [0, 0, 1, 2]


def test_a_failed_computation_is_retried():
    def fails():
        raise ZeroDivisionError

    assert memoize("list", None, lambda: "made", 1) == "made"
    with pytest.raises(ZeroDivisionError):
        memoize("list", None, fails, 2)
    assert memoize("list", None, fails, 1) == "made"
    assert memoize("list", None, lambda: "at last", 2) == "at last"


def test_a_copied_picture_is_the_same_drawing():
    made = count()
    drawn = picture(trace_of("x = torch.ones(2, requires_grad=True)\nx.sum().backward()\n"), "en")
    assert [memoize("svg", one, lambda: next(made)) for one in (drawn, replace(drawn), replace(drawn, lang="zh"))] == [
        0,
        0,
        1,
    ]


def test_a_sessions_cache_is_limited(monkeypatch):
    monkeypatch.setattr(memo, "MOST", 3)
    made = count()
    for name in "abcab":
        memoize(name, None, lambda: next(made))
    memoize("d", None, lambda: next(made))
    assert next(made) == 4
    assert memoize("b", None, lambda: "anew") == 1, "asked for lately"
    assert memoize("c", None, lambda: "anew") == "anew", "not asked for lately"
