"""A run that `explorer.watch` wrote, read from its folder: `explorer.load("runs/first")`."""

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from explorer.analysis.data_frames import pandas
from explorer.analysis.training.strips import MEASURES, Measure
from explorer.analysis.training.view import run_view
from explorer.api import arguments
from explorer.api.answers import AnsweringTrace, answering
from explorer.api.pictures import TrainingPicture
from explorer.text import say
from explorer.trace import MAX_BYTES, read
from explorer.trace.watched_runs import WatchedStep, WatchIndex, indexes_in, read_index, read_regular

_COLUMNS = ("gradient", "local", "used", "value", "update", "ratio", "zeros", "units")


@dataclass(frozen=True)
class WatchedRun:
    """A watched training as far as it is written; it may still run.

    Attributes:
        ranks: the index of each rank's process.
    """

    ranks: tuple[WatchIndex, ...] = field(repr=False)

    @property
    def steps(self) -> tuple[WatchedStep, ...]:
        """The recorded steps of the first rank: norms of each parameter, findings."""
        return self.ranks[0].steps

    @property
    def losses(self) -> tuple[float, ...]:
        """The loss of every step of the first rank, from step 1; NaN where a step had none."""
        return tuple(map(_float, self.ranks[0].losses))

    def trace(self, step: int, rank: int = 0) -> AnsweringTrace:
        """The Trace of a recorded step, by the number of the optimizer's step.

        Raises LookupError, which names the steps that have one.
        """
        index = next((index for index in self.ranks if index.rank == rank), None)
        rows = {} if index is None else {row.step: row for row in index.steps if index.file(row)}
        row = rows.get(arguments.whole_number("step", step))
        path = None if index is None or row is None else index.file(row)
        data = None if path is None else read_regular(path, MAX_BYTES)
        if data is None:
            numbers = ", ".join(map(str, list(rows)[:20])) + (", …" if len(rows) > 20 else "")
            raise LookupError(say("en", "watch-no-step", step=step, rank=rank, count=len(rows), known=numbers))
        return answering(read(data))

    def training(self, measure: Measure = "gradient", lang: str = "en", rank: int = 0) -> TrainingPicture:
        """The recorded steps as a picture, as `trace.training()` draws those of one program."""
        if measure not in MEASURES:
            raise ValueError(f"there is no measure {measure!r}; there are {', '.join(MEASURES)}")
        index = next((index for index in self.ranks if index.rank == rank), self.ranks[0])
        return TrainingPicture(run_view(index), measure, arguments.language(lang))

    def to_pandas(self) -> Any:
        """A row for each rank and recorded step: loss, seconds, cost, faults, and of each parameter its norms.

        `w.gradient` is the norm when backward had returned, under DistributedDataParallel the reduced one, `w.local`
        that of the process alone where it differs, `w.used` that the optimizer used.

        Raises ImportError if pandas is not installed.
        """
        frames = pandas()
        rows = [_row(index, step) for index in self.ranks for step in index.steps]
        table = frames.DataFrame(rows)
        return table.set_index(["rank", "step"]) if rows else table

    def __repr__(self) -> str:
        last = self.steps[-1].step if self.steps else 0
        ranks = f", {len(self.ranks)} ranks" if len(self.ranks) > 1 else ""
        return f"<Run {self.ranks[0].folder}: {len(self.steps)} recorded steps up to step {last}{ranks}>"


def load_run(folder: Path) -> WatchedRun:
    """Read a folder. Raises ValueError if `watch` did not write it."""
    indexes = [index for path in indexes_in(folder) if (index := read_index(path)) is not None]
    if not indexes:
        raise ValueError(say("en", "watch-no-run", path=str(folder)))
    return WatchedRun(tuple(sorted(indexes, key=lambda index: index.rank)))


def _row(index: WatchIndex, step: WatchedStep) -> dict[str, Any]:
    loss = _float(index.losses[step.step - 1]) if 0 < step.step <= len(index.losses) else math.nan
    faults = sum(finding.level == "fault" for finding in step.findings)
    found = "; ".join(finding.texts.get("en", "") for finding in step.findings)
    row: dict[str, Any] = {"rank": index.rank, "step": step.step, "loss": loss, "seconds": step.seconds}
    row |= {"cost": step.cost, "faults": faults, "findings": found}
    row |= {f"rate {name}": _float(rate) for name, rate in step.rates.items()}
    for name, parameter in step.parameters.items():
        row |= {f"{name}.{kind}": _float(getattr(parameter, kind)) for kind in _COLUMNS}
    return row


def _float(entry: Any) -> float:
    return math.nan if entry is None else float(entry)
