"""Tables of gradients that display themselves."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from explorer.analysis.diagnose.health.report_text import table_text
from explorer.analysis.explain.gradient_rows import GradientRow, State, named_rows, parameter_rows
from explorer.analysis.run.data_frames import pandas
from explorer.analysis.run.names import unknown
from explorer.text import say
from explorer.text.numbers import preformatted
from explorer.trace import Trace


@dataclass(frozen=True, repr=False)
class GradientTable(Sequence[GradientRow]):
    """Rows in program order. `table["0.weight"]` is a row, `.to_pandas()` a DataFrame."""

    rows: tuple[GradientRow, ...]
    lang: str = field(default="en", repr=False)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, asked: Any) -> Any:
        """Return a row or a slice's table. Raises UnknownTensor."""
        if isinstance(asked, slice):
            return GradientTable(self.rows[asked], self.lang)
        if not isinstance(asked, str):
            if not isinstance(asked, int):
                raise TypeError(say(self.lang, "api-name", given=repr(asked)[:80]))
            if not -len(self.rows) <= asked < len(self.rows):
                count = len(self.rows)
                raise IndexError(say(self.lang, "api-no-row", index=asked, count=count, last=count - 1))
            return self.rows[asked]
        rows = [row for row in self.rows if row.name == asked] or [row for row in self.rows if row.path == asked]
        if not rows:
            raise unknown(asked, [row.name for row in self.rows], self.lang)
        return rows[-1]

    def having(self, *states: State) -> "GradientTable":
        """Return the rows in one of these states: `table.having("none", "zero")`."""
        return GradientTable(tuple(row for row in self.rows if row.state in states), self.lang)

    def to_pandas(self) -> Any:
        """Return a DataFrame with a row for each tensor: gradient statistics and reasons.

        The index has the program's names, `path` those in `state_dict()`.

        If `sampled` is not 0, mean, min, max and largest cover that many entries. Raises ImportError if pandas is not
        installed.
        """
        frames = pandas()
        numbers = ("norm", "mean", "min", "max", "largest", "nonfinite", "sampled")
        columns = ("path", "shape", "state", *numbers, "backward", "why")
        rows = [_in_columns(row, self.lang) for row in self.rows]
        index = frames.Index([row.name for row in self.rows], name="name")
        return frames.DataFrame(rows, index=index, columns=list(columns))

    def __str__(self) -> str:
        return table_text(self.rows, self.lang)

    def __repr__(self) -> str:
        states = Counter(row.state for row in self.rows)
        counts = ", ".join(f"{count} {state}" for state, count in states.items())
        return f"<GradientTable of {len(self.rows)} tensors: {counts}>"

    def _repr_html_(self) -> str:
        return preformatted(str(self))


def _in_columns(row: GradientRow, lang: str) -> tuple:
    gradient = row.gradient
    numbers = (None,) * 4 if gradient is None else (gradient.norm, gradient.mean, gradient.minimum, gradient.maximum)
    counts = (None, None) if gradient is None else (gradient.nonfinite, gradient.sampled)
    return (row.path, row.shape, row.state, *numbers, row.largest, *counts, row.backward, row.why(lang))


def parameters(trace: Trace, backward: int | None = None, lang: str = "en") -> GradientTable:
    """Tabulate parameters, also frozen, and other leaves that require grad.

    Args:
        backward: number of the backward, from 1. None: for each the last that reached it.
        lang: language of its text.

    Raises:
        IndexError: no such backward.
    """
    return GradientTable(parameter_rows(trace, backward), lang)


def gradients(trace: Trace, backward: int | None = None, lang: str = "en") -> GradientTable:
    """Tabulate every named tensor that requires grad, results included."""
    return GradientTable(named_rows(trace, backward), lang)
