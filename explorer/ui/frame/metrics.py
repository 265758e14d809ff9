"""Metrics for a host's monitoring, in Prometheus' text format, on a port of their own."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from explorer.safe_regex import linear
from explorer.sandbox import Runner
from explorer.sandbox.counts import SECONDS, Times

METRICS = "EXPLORER_METRICS"  # the environment variable with the port, or address:port
LOCAL = "127.0.0.1"

_PLACE = linear(r"(?:([0-9]{1,3}(?:\.[0-9]{1,3}){3}|\[[0-9a-fA-F:]{2,39}\]|localhost):)?([0-9]{1,5})")


def wanted(environment: Mapping[str, str] = os.environ) -> tuple[str, int] | None:
    """Address and port in the environment, None if there are none. Raises ValueError."""
    said = environment.get(METRICS, "").strip()
    if not said:
        return None
    found = _PLACE.fullmatch(said)
    if found is None or not 1 <= int(found.group(2)) <= 65_535:
        raise ValueError(f"{METRICS}: “{said[:60]}” is no port. It has to be like 9464, or 127.0.0.1:9464")
    return (found.group(1) or LOCAL).strip("[]"), int(found.group(2))


@contextmanager
def measured(runner: Callable[[], Runner], sessions: Callable[[], int]) -> Iterator[None]:
    """Serve metrics while the context lasts, if the environment asks for it.

    Args:
        runner: returns the runner.
        sessions: returns how many pages are open.

    Raises ValueError, as `wanted`; OSError when the port is taken.
    """
    place = wanted()
    if place is None:
        yield
        return
    address, port = place
    served, thread = start_http_server(port, address, registry(runner, sessions))
    try:
        yield
    finally:
        served.shutdown()
        served.server_close()
        thread.join()


def registry(runner: Callable[[], Runner], sessions: Callable[[], int]) -> CollectorRegistry:
    """The served metrics: those of the server's process and of its programs."""
    numbers = CollectorRegistry()
    ProcessCollector(registry=numbers)
    PlatformCollector(registry=numbers)
    numbers.register(_Numbers(runner, sessions))
    return numbers


class _Numbers(Collector):
    """Reads the runner's counters on each request."""

    def __init__(self, runner: Callable[[], Runner], sessions: Callable[[], int]):
        self._runner, self._sessions = runner, sessions

    def collect(self) -> Iterator[Metric]:
        """The metric families."""
        runner = self._runner()
        ended = runner.counts.ended()
        yield _counted("explorer_runs", "Programs that ended, by how.", "status", ended.runs)
        yield _counted("explorer_run_limits", "Limits that stopped or cut a program.", "limit", ended.limits)
        yield _counted("explorer_layouts", "Layouts of pictures that ended, by how.", "outcome", ended.layouts)
        yield _timed("explorer_run_seconds", "How long programs ran.", ended.seconds)
        yield _timed("explorer_run_waiting_seconds", "How long programs waited for their turn.", ended.waited)
        yield GaugeMetricFamily("explorer_runs_waiting", "Programs that wait for their turn.", runner.waiting())
        yield GaugeMetricFamily("explorer_sessions", "Pages that are open.", self._sessions())
        yield GaugeMetricFamily("explorer_ready", "Whether programs can run at once.", runner.ready())
        held = GaugeMetricFamily(
            "explorer_parent_memory_bytes", "Resident memory of a preloaded process.", labels=["parent"]
        )
        for name, parent in (("programs", runner.programs), ("layouts", runner.layouts)):
            held.add_metric([name], resident(parent.pid))
        yield held


def resident(pid: int | None) -> int:
    """Bytes of memory that a process holds; 0 if unknown."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _counted(name: str, said: str, label: str, counts: Mapping[str, int]) -> CounterMetricFamily:
    family = CounterMetricFamily(name, said, labels=[label])
    for value, count in sorted(counts.items()):
        family.add_metric([value], count)
    return family


def _timed(name: str, said: str, times: Times) -> HistogramMetricFamily:
    sums = [sum(times.classes[: i + 1]) for i in range(len(times.classes))]
    ends = [*(f"{end:g}" for end in SECONDS), "+Inf"]
    return HistogramMetricFamily(name, said, buckets=list(zip(ends, sums, strict=True)), sum_value=times.total)
