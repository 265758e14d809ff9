"""Where the numbers of a watched training go beside its index: TensorBoard, wandb, or a function."""

from collections.abc import Callable
from typing import Any

from explorer.api import arguments
from explorer.text import say
from explorer.trace.watched_runs import Number, WatchedStep

Sink = Callable[[WatchedStep], None]
_KINDS = {"gradient": "gradient_norm", "value": "value_norm", "ratio": "update_ratio", "units": "dead_units"}


def sink_for(given: Any) -> Sink:
    """What passes a step on to a SummaryWriter (`add_scalar`), a wandb run (`log`) or a function of step and numbers.

    Raises TypeError for anything else.
    """
    if callable(getattr(given, "add_scalar", None)):
        return lambda row: _tensorboard(given, row)
    if callable(getattr(given, "log", None)):
        return _wandb(given)
    if callable(given):
        return lambda row: given(row.step, numbers(row))
    raise TypeError(say("en", "watch-to", given=arguments.short(given)))


def _wandb(run: Any) -> Sink:
    """Adds to the row that the program logs next: a row of ours would shift the steps of the program's own."""
    if callable(getattr(run, "define_metric", None)):
        run.define_metric("explorer/step")
        run.define_metric("explorer/*", step_metric="explorer/step")
    return lambda row: run.log({"explorer/step": row.step, **numbers(row)}, commit=False)


def numbers(row: WatchedStep) -> dict[str, float]:
    """The numbers of a step by their names; unknown ones are left out, NaN and infinities stay."""
    found: dict[str, Number] = {"explorer/loss": row.loss}
    for name, parameter in row.parameters.items():
        for kind, told in _KINDS.items():
            found[f"explorer/{told}/{name}"] = getattr(parameter, kind)
    for level in ("fault", "note"):
        found[f"explorer/{level}s"] = float(sum(told.level == level for told in row.findings))
    return {name: float(entry) for name, entry in found.items() if entry is not None}


def _tensorboard(writer: Any, row: WatchedStep) -> None:
    for name, entry in numbers(row).items():
        writer.add_scalar(name, entry, row.step)
    told = [f"{found.level}: {found.text}" for found in row.findings]
    if told and callable(getattr(writer, "add_text", None)):
        writer.add_text("explorer/report", "  \n".join(told), row.step)
