"""Metrics for a host's monitoring, in Prometheus' text format, on a port of their own."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    start_http_server,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from explorer.safe_regex import linear
from explorer.sandbox import BadScheduler, Runner
from explorer.sandbox.hosting import RunRecord

METRICS = "EXPLORER_METRICS"  # the environment variable with the port, or address:port
LOCAL = "127.0.0.1"
SECONDS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)  # upper ends of the classes of times

_PLACE = linear(r"(?:([0-9]{1,3}(?:\.[0-9]{1,3}){3}|\[[0-9a-fA-F:]{2,39}\]|localhost):)?([0-9]{1,5})")


def wanted(environment: Mapping[str, str] = os.environ) -> tuple[str, int] | None:
    """Address and port in the environment, None if there are none. Raises ValueError."""
    said = environment.get(METRICS, "").strip()
    if not said:
        return None
    match = _PLACE.fullmatch(said)
    if match is None or not 1 <= int(match.group(2)) <= 65_535:
        raise ValueError(f"{METRICS}: “{said[:60]}” is no port. It has to be like 9464, or 127.0.0.1:9464")
    return (match.group(1) or LOCAL).strip("[]"), int(match.group(2))


@contextmanager
def measured(runner: Callable[[], Runner], sessions: Callable[[], int], drawing: Callable[[], float]) -> Iterator[None]:
    """Serve metrics while the context lasts, if the environment asks for it.

    Args:
        runner: returns the runner.
        sessions: returns how many pages are open.
        drawing: returns how many seconds a small drawing takes.

    Raises ValueError, as `wanted`; OSError when the port is taken.
    """
    place = wanted()
    if place is None:
        yield
        return
    address, port = place
    served, thread = start_http_server(port, address, registry(runner, sessions, drawing))
    try:
        yield
    finally:
        served.shutdown()
        served.server_close()
        thread.join()


def registry(
    runner: Callable[[], Runner], sessions: Callable[[], int], drawing: Callable[[], float]
) -> CollectorRegistry:
    """The served metrics: those of the server's process and of its programs."""
    numbers = CollectorRegistry()
    ProcessCollector(registry=numbers)
    PlatformCollector(registry=numbers)
    numbers.register(_Numbers(runner, sessions, drawing))
    with suppress(BadScheduler):  # the first page says so
        count(runner(), numbers)
    return numbers


def count(runner: Runner, numbers: CollectorRegistry) -> None:
    """Count the runs and layouts of a runner from now on."""
    runs = Counter("explorer_runs", "Programs that ended, by how.", ["status"], registry=numbers)
    limits = Counter("explorer_run_limits", "Limits that stopped or cut a program.", ["limit"], registry=numbers)
    layouts = Counter("explorer_layouts", "Layouts of pictures that ended, by how.", ["outcome"], registry=numbers)
    seconds = Histogram("explorer_run_seconds", "How long programs ran.", buckets=SECONDS, registry=numbers)
    waited = Histogram(
        "explorer_run_waiting_seconds", "How long programs waited for their turn.", buckets=SECONDS, registry=numbers
    )

    def add(record: RunRecord) -> None:
        runs.labels(record.status).inc()
        for limit in set(record.limits):
            limits.labels(limit).inc()
        seconds.observe(record.seconds)
        waited.observe(record.waited)

    runner.on_run, runner.on_layout = add, lambda outcome: layouts.labels(outcome).inc()


class _Numbers(Collector):
    """Reads the state of the runner on each request."""

    def __init__(self, runner: Callable[[], Runner], sessions: Callable[[], int], drawing: Callable[[], float]):
        self._runner, self._sessions, self._drawing = runner, sessions, drawing

    def collect(self) -> Iterator[Metric]:
        """The metric families."""
        runner = self._runner()
        yield GaugeMetricFamily("explorer_runs_waiting", "Programs that wait for their turn.", runner.waiting())
        yield GaugeMetricFamily("explorer_sessions", "Pages that are open.", self._sessions())
        yield GaugeMetricFamily("explorer_ready", "Whether programs can run at once.", runner.ready())
        yield GaugeMetricFamily("explorer_drawing_seconds", "How long a small drawing took.", self._drawing())
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
