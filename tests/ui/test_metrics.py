"""Metrics for a host's monitoring."""

import re
import urllib.request

import pytest

from explorer.hosting.metrics import METRICS, METRICS_PATH, wanted
from tests.patience import PATIENT
from tests.visitor import Visitor, server


def read(port: int) -> dict[str, float]:
    """Return the numbers that are served, by name and label."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{METRICS_PATH}", timeout=PATIENT) as answer:
        return {name: float(value) for name, value in re.findall(r"^([^# ]\S*) (\S+)$", answer.read().decode(), re.M)}


@pytest.mark.thorough
def test_metrics_count_programs_by_outcome_without_their_text():
    with server(EXPLORER_METRICS="1") as (_, port):
        visitor = Visitor(port)
        assert visitor.ready(120)
        assert visitor.type("secret_word = 'a b c'\nprint(secret_word)", "a b c") is not None
        after = read(port)
        visitor.close()
    ran = after['explorer_runs_total{status="ok"}']
    assert ran >= 2 and after["explorer_run_seconds_count"] == after["explorer_run_waiting_seconds_count"] >= ran
    assert after["explorer_run_seconds_sum"] > 0 and after['explorer_layouts_total{outcome="reply"}'] >= 1
    assert after["active_sessions"] == 1 and after["explorer_runs_waiting"] == 0
    assert not any("secret" in name or "cache_memory" in name for name in after)


def test_only_yes_enables_metrics_and_other_words_are_errors():
    assert wanted({METRICS: " Yes "}) and not wanted({METRICS: "0"}) and not wanted({})
    with pytest.raises(ValueError, match=r"EXPLORER_METRICS: “9464” is neither yes nor no"):
        wanted({METRICS: "9464"})
