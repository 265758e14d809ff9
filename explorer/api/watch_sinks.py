"""Where the numbers of a watched training go beside its index: TensorBoard, wandb, or a function."""

from collections.abc import Sequence
from typing import Any, Protocol

from explorer.api import arguments
from explorer.text import say
from explorer.trace.watched_runs import Number, WatchedStep

_KINDS = {"gradient": "gradient_norm", "value": "value_norm", "ratio": "update_ratio", "units": "dead_units"}


class Sink(Protocol):
    """Where steps go."""

    def step(self, row: WatchedStep) -> None:
        """A step was recorded."""

    def close(self, rows: Sequence[WatchedStep]) -> None:
        """The watch ends; these are all steps that it keeps."""


def sink_for(given: Any) -> Sink:
    """What passes a step on to a SummaryWriter (`add_scalar`), a wandb run (`log`) or a function of step and numbers.

    Raises TypeError for anything else.
    """
    if callable(getattr(given, "add_scalar", None)):
        return _TensorBoard(given)
    if callable(getattr(given, "log", None)):
        return _Wandb(given)
    if callable(given):
        return _Function(given)
    raise TypeError(say("en", "watch-to", given=arguments.short(given)))


class _Function:
    def __init__(self, call: Any) -> None:
        self._call = call

    def step(self, row: WatchedStep) -> None:
        self._call(row.step, numbers(row))

    def close(self, rows: Sequence[WatchedStep]) -> None:
        """Everything has been passed on."""


class _TensorBoard(_Function):
    def step(self, row: WatchedStep) -> None:
        for name, entry in numbers(row).items():
            self._call.add_scalar(name, entry, row.step)
        lines = [f"{finding.level}: {finding.text}" for finding in row.findings]
        if lines and callable(getattr(self._call, "add_text", None)):
            self._call.add_text("explorer/report", "  \n".join(lines), row.step)


class _Wandb:
    """Adds each step to the row that the program logs next: a row of its own would shift the program's own steps.

    A program that has logged nothing when the watch ends has no steps to shift: then each step becomes a row.
    """

    def __init__(self, run: Any) -> None:
        self._run, self._before = run, _step_of(run)
        if callable(getattr(run, "define_metric", None)):
            run.define_metric("explorer/step")
            run.define_metric("explorer/*", step_metric="explorer/step")

    def step(self, row: WatchedStep) -> None:
        self._run.log(_named(row), commit=False)

    def close(self, rows: Sequence[WatchedStep]) -> None:
        if self._before is None or _step_of(self._run) != self._before:
            return
        waiting = dict.fromkeys(_named(rows[-1])) if rows else {}  # the last step is in the open row: overwrite it
        for row in rows:
            self._run.log(waiting | _named(row), commit=True)
            waiting = {}


def _step_of(run: Any) -> int | None:
    """The number of a wandb run's next row; None if its service does not answer."""
    try:
        return run.step
    except Exception:
        return None


def _named(row: WatchedStep) -> dict[str, Any]:
    return {"explorer/step": row.step, **numbers(row)}


def numbers(row: WatchedStep) -> dict[str, float]:
    """The numbers of a step by their names; unknown ones are left out, NaN and infinities stay."""
    scalars: dict[str, Number] = {"explorer/loss": row.loss}
    for name, parameter in row.parameters.items():
        for kind, label in _KINDS.items():
            scalars[f"explorer/{label}/{name}"] = getattr(parameter, kind)
    for level in ("fault", "note"):
        scalars[f"explorer/{level}s"] = float(sum(finding.level == level for finding in row.findings))
    return {name: float(entry) for name, entry in scalars.items() if entry is not None}
