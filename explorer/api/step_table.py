"""Statistics of every step of a watched training, as `explorer.load("runs/train-1/steps.stats")` returns them."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from explorer.analysis.run.data_frames import pandas
from explorer.text import say
from explorer.text.numbers import number
from explorer.trace.step_statistics import FULL, GIVEN, Header, StepRow, numbers, read

_MOST_EVENTS = 20  # in a text


@dataclass(frozen=True, repr=False)
class StepTable:
    """All steps of a watched training.

    Attributes:
        header: names and sizes of the parameters, and torch's version.
        rows: the steps in order.
    """

    header: Header
    rows: list[StepRow]

    @property
    def names(self) -> list[str]:
        """Names of the parameters as in `state_dict()`, or of modules in a model of more than 512 parameters."""
        return self.header.names

    @cached_property
    def loss(self) -> np.ndarray:
        """Loss of each step, NaN without one."""
        return np.array([np.nan if row.loss is None else row.loss for row in self.rows])

    @property
    def events(self) -> dict[int, str]:
        """Events by step."""
        return {row.step: row.event for row in self.rows if row.event}

    def column(self, name: str) -> np.ndarray:
        """Return a statistic as (steps, names), NaN where it was not measured or no gradient exists.

        Args:
            name: "gradient_norm", "gradient_largest", "gradient_zeros", "gradient_nonfinite", "value_norm",
                "value_largest", "value_nonfinite" or "update_norm".

        Raises KeyError.
        """
        if name not in (*GIVEN, *FULL):
            raise KeyError(name)
        empty = np.full(len(self.names), np.nan, np.float32)
        found = [numbers(row, len(self.names)).get(name, empty) for row in self.rows]
        table = np.array(found, np.float32).reshape(len(self.rows), len(self.names))
        return np.where(table == -1, np.nan, table)

    def to_pandas(self) -> Any:
        """Return a table with a row for each step and name. Raises ImportError without pandas."""
        steps, names = len(self.rows), len(self.names)
        by_step = {
            "step": [row.step for row in self.rows],
            "seconds": [row.seconds for row in self.rows],
            "loss": self.loss,
            "rate": [row.rates[0] if row.rates else np.nan for row in self.rows],
            "factor": [np.nan if row.factor is None else row.factor for row in self.rows],
            "event": [row.event for row in self.rows],
        }
        columns = {name: np.repeat(np.asarray(values), names) for name, values in by_step.items()}
        columns["name"] = np.tile(np.asarray(self.names, dtype=object), steps)
        return pandas().DataFrame(columns | {name: self.column(name).ravel() for name in (*GIVEN, *FULL)})

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<{len(self.rows)} steps of {len(self.names)} {'modules' if self.header.modules else 'parameters'}>"

    def __str__(self) -> str:
        """Describe the loss and the events."""
        known = self.loss[~np.isnan(self.loss)]
        ends = [number(float(known[place])) for place in (0, -1)] if known.size else ["", ""]
        has_loss = str(bool(known.size))
        lines = [say("en", "statistics", steps=len(self.rows), known=has_loss, first=ends[0], last=ends[1])]
        lines += [say("en", "statistics-event", step=step, event=event) for step, event in self.events.items()]
        return "\n".join(lines[: _MOST_EVENTS + 1])


def load_steps(path: Path) -> StepTable:
    """Read a file of statistics. Raises ValueError."""
    return StepTable(*read(path))
