"""Pass the statistics of a watched training on to TensorBoard or wandb."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from explorer.api import arguments
from explorer.text import say
from explorer.trace.step_statistics import StepRow, numbers

Writer = Callable[[list[StepRow], list[str]], None]  # gets rows and the names of their columns


def writer(to: Any) -> Writer | None:
    """Return a function that writes rows to a `SummaryWriter` or a wandb run. Raises TypeError."""
    if to is None:
        return None
    if callable(getattr(to, "add_scalar", None)):
        return partial(_to_tensorboard, to)
    if callable(getattr(to, "log", None)):
        return partial(_to_wandb, to)
    raise TypeError(say("en", "watch-to", given=arguments.short(to)))


def _to_tensorboard(to: Any, rows: list[StepRow], names: list[str]) -> None:
    for row in rows:
        for tag, value in _scalars(row, names).items():
            to.add_scalar(tag, value, row.step)


def _to_wandb(to: Any, rows: list[StepRow], names: list[str]) -> None:
    for row in rows:
        to.log(_scalars(row, names), step=row.step)


def _scalars(row: StepRow, names: list[str]) -> dict[str, float]:
    """Return a step's numbers by tag, such as "gradient_norm/0.weight"."""
    found = {f"rate/{group}": rate for group, rate in enumerate(row.rates)}
    if row.loss is not None:
        found["loss"] = row.loss
    columns = numbers(row, len(names))
    if "gradient_norm" in columns:
        there = columns["gradient_norm"][columns["gradient_norm"] >= 0].astype(float)
        found["gradient_norm/all"] = float(np.sqrt((there**2).sum()))
    for column, values in columns.items():
        found |= {f"{column}/{name}": float(value) for name, value in zip(names, values, strict=True) if value != -1}
    return found
