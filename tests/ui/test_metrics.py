"""What a host's monitoring reads."""

import urllib.request

import pytest
from prometheus_client.parser import text_string_to_metric_families

from explorer.program import read_text
from explorer.sandbox import Runner, layout
from explorer.sandbox.hosting import RunRecord
from explorer.ui.frame.metrics import METRICS, measured, wanted
from tests.deploy.proxy import free_port
from tests.patience import PATIENT


def read(port: int) -> dict[tuple[str, str], float]:
    """The numbers that are served, by name and label."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENT) as answer:
        families = text_string_to_metric_families(answer.read().decode())
    return {(s.name, "".join(s.labels.values())): s.value for family in families for s in family.samples}


@pytest.mark.thorough
def test_runs_and_layouts_are_counted_by_how_they_ended_and_no_text_is_told(monkeypatch):
    port = free_port()
    monkeypatch.setenv(METRICS, str(port))
    runner = Runner("tests.sandbox.plain_child", at_once=1)
    try:
        with measured(lambda: runner, lambda: 3, lambda: 0.25):
            before = read(port)
            assert before["explorer_ready", ""] == 0 and before["explorer_parent_memory_bytes", "programs"] == 0
            runner.submit(read_text("secret_word = 'a b c'")).result(PATIENT)
            assert layout(f"digraph {{ a -> b{port} }}", runner) is not None
            runner.on_run(RunRecord(0.0, "limited", ["time", "output", "output"], 10.2, 0.3))
            runner.on_layout("time")
            after = read(port)
    finally:
        runner.close()
    assert after["explorer_runs_total", "limited"] == 1 and sum_of(after, "explorer_runs_total") == 2
    assert (after["explorer_run_limits_total", "time"], after["explorer_run_limits_total", "output"]) == (1, 1)
    assert (after["explorer_layouts_total", "reply"], after["explorer_layouts_total", "time"]) == (1, 1)
    assert after["explorer_run_seconds_count", ""] == 2 and after["explorer_run_seconds_sum", ""] >= 10.2
    assert after["explorer_sessions", ""] == 3 and after["explorer_runs_waiting", ""] == 0
    assert after["explorer_ready", ""] == 1 and after["explorer_drawing_seconds", ""] == 0.25
    assert after["explorer_parent_memory_bytes", "layouts"] > 10_000_000
    assert not any("secret" in name + label for name, label in after)
    with pytest.raises(OSError):
        read(port)


def sum_of(numbers: dict[tuple[str, str], float], name: str) -> float:
    return sum(value for (own, _), value in numbers.items() if own == name)


@pytest.mark.parametrize(
    "said, place",
    [
        ("", None),
        ("9464", ("127.0.0.1", 9464)),
        (" 0.0.0.0:9464 ", ("0.0.0.0", 9464)),
        ("[::1]:9464", ("::1", 9464)),
        ("localhost:1", ("localhost", 1)),
    ],
)
def test_nothing_is_served_unless_a_port_is_named(said, place):
    assert wanted({METRICS: said}) == place


@pytest.mark.parametrize("said", ["yes", "0", "70000", "host:", ":9464", "9464/metrics", "1.2.3.4:x", "١٢٣"])
def test_what_is_no_port_is_said_so(said):
    with pytest.raises(ValueError, match=r"EXPLORER_METRICS: “.*” is no port. It has to be like 9464"):
        wanted({METRICS: said})
