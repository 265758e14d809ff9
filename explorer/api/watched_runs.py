"""A run that `explorer.watch` wrote, read from its folder: `explorer.load("runs/first")`."""

import math
from dataclasses import dataclass, field
from pathlib import Path

from explorer.analysis.training.strips import MEASURES, Measure
from explorer.analysis.training.view import run_view
from explorer.api import arguments
from explorer.api.answers import AnsweringTrace, answering
from explorer.api.pictures import TrainingPicture
from explorer.text import say
from explorer.trace import MAX_BYTES, read
from explorer.trace.watched_runs import WatchedStep, WatchIndex, read_index, read_regular


@dataclass(frozen=True)
class WatchedRun:
    """A watched training as far as it is written; it may still run. Attributes: index: what was read."""

    index: WatchIndex = field(repr=False)

    @property
    def steps(self) -> tuple[WatchedStep, ...]:
        """The recorded steps: norms of each parameter, and how many faults the report has."""
        return self.index.steps

    @property
    def losses(self) -> tuple[float, ...]:
        """The loss of every step, from step 1; NaN where a step had none."""
        return tuple(math.nan if loss is None else float(loss) for loss in self.index.losses)

    def trace(self, step: int) -> AnsweringTrace:
        """The Trace of a recorded step, by the number of the optimizer's step.

        Raises LookupError, which names the steps that have one.
        """
        files = {row.step: path for row in self.steps if (path := self.index.file(row)) is not None}
        path = files.get(arguments.whole_number("step", step))
        data = None if path is None else read_regular(path, MAX_BYTES)
        if data is None:
            numbers = ", ".join(map(str, list(files)[:20])) + (", …" if len(files) > 20 else "")
            raise LookupError(say("en", "watch-no-step", step=step, count=len(files), known=numbers))
        return answering(read(data))

    def training(self, measure: Measure = "gradient", lang: str = "en") -> TrainingPicture:
        """The recorded steps as a picture, as `trace.training()` draws those of one program."""
        if measure not in MEASURES:
            raise ValueError(f"there is no measure {measure!r}; there are {', '.join(MEASURES)}")
        return TrainingPicture(run_view(self.index), measure, arguments.language(lang))

    def __repr__(self) -> str:
        last = self.steps[-1].step if self.steps else 0
        return f"<Run {self.index.folder}: {len(self.steps)} recorded steps up to step {last}>"


def load_run(folder: Path) -> WatchedRun:
    """Read a folder. Raises ValueError if `watch` did not write it."""
    index = read_index(folder)
    if index is None:
        raise ValueError(say("en", "watch-no-run", path=str(folder)))
    return WatchedRun(index)
