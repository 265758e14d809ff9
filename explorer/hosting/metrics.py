"""Program metrics for a host's monitoring, next to Streamlit's session metrics."""

import math
import os
import threading
from collections import Counter
from collections.abc import Mapping, Sequence

from streamlit.runtime.stats import CounterStat, GaugeStat, HistogramStat, Stat

from explorer.sandbox import Runner
from explorer.sandbox.hosting import NO, YES, RunRecord

METRICS = "EXPLORER_METRICS"  # the environment variable that opens METRICS_PATH
METRICS_PATH = "/_stcore/metrics"
_COUNTED = {
    "explorer_runs": ("status", "Programs that ended, by how."),
    "explorer_run_limits": ("limit", "Limits that stopped or cut a program."),
    "explorer_layouts": ("outcome", "Layouts of pictures that ended, by how."),
}
_TIMED = {
    "explorer_run_seconds": "How long programs ran.",
    "explorer_run_waiting_seconds": "How long programs waited for their turn.",
}
_NOW = {
    "explorer_runs_waiting": "Programs that wait for their turn.",
    "explorer_ready": "Whether programs can run at once.",
}
# Metrics that are served: Streamlit would measure the sessions' memory by walking through all their Traces.
ASKED = "&".join(f"families={name}" for name in (*_COUNTED, *_TIMED, *_NOW, "active_sessions", "session_events"))


def wanted(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether the environment opens METRICS_PATH. Raises ValueError unless yes or no."""
    setting = environment.get(METRICS, "").strip()
    if setting.lower() not in (*YES, *NO):
        raise ValueError(f"{METRICS}: “{setting[:60]}” is neither yes nor no. It has to be 1 or 0")
    return setting.lower() in YES


class RunnerMetrics:
    """Metrics of a runner since creation and now, for Streamlit's endpoint."""

    stats_families = (*_COUNTED, *_TIMED, *_NOW)

    def __init__(self, runner: Runner):
        self._runner, self._lock = runner, threading.Lock()
        self._counts: dict[str, Counter[str]] = {name: Counter() for name in _COUNTED}
        self._sums = dict.fromkeys(_TIMED, 0.0)
        runner.on_run, runner.on_layout = self._ran, self._laid_out

    def _ran(self, record: RunRecord) -> None:
        with self._lock:
            self._counts["explorer_runs"][record.status] += 1
            self._counts["explorer_run_limits"].update(set(record.limits))
            for name, seconds in zip(_TIMED, (record.seconds, record.waited), strict=True):
                self._sums[name] += seconds

    def _laid_out(self, outcome: str) -> None:
        with self._lock:
            self._counts["explorer_layouts"][outcome] += 1

    def get_stats(self, family_names: Sequence[str] | None = None) -> Mapping[str, Sequence[Stat]]:
        """Return the numbers by family."""
        now = dict(zip(_NOW, (self._runner.waiting(), int(self._runner.ready())), strict=True))
        with self._lock:
            ran = self._counts["explorer_runs"].total()
            counted = {
                name: [CounterStat(name, count, {label: key}, help=text) for key, count in self._counts[name].items()]
                for name, (label, text) in _COUNTED.items()
            }
            timed = {
                name: [HistogramStat(name, ((math.inf, ran),), self._sums[name], ran, unit="seconds", help=text)]
                for name, text in _TIMED.items()
            }
        return {**counted, **timed, **{name: [GaugeStat(name, now[name], help=text)] for name, text in _NOW.items()}}
