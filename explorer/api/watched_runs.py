"""A run that `explorer.watch` wrote, read from its folder: `explorer.load("runs/first")`."""

from pathlib import Path

from explorer.analysis.training.strips import MEASURES, Measure
from explorer.analysis.training.view import run_view
from explorer.api import arguments
from explorer.api.answers import AnsweringTrace, answering
from explorer.api.pictures import TrainingPicture
from explorer.text import say
from explorer.trace import MAX_BYTES, read
from explorer.trace.watched_runs import WatchIndex, read_index, read_regular


class WatchedRun(WatchIndex):
    """A watched training as written so far, possibly still running.

    `steps` are the recorded ones, with each parameter's norms and the report's number of faults. `losses` has every
    step from 1, NaN if a step had no loss.
    """

    def trace(self, step: int) -> AnsweringTrace:
        """Return the Trace of a recorded optimizer step.

        Raises LookupError, which names the steps that have a Trace.
        """
        files = {row.step: path for row in self.steps if (path := self.file(row)) is not None}
        path = files.get(arguments.whole_number("step", step))
        data = None if path is None else read_regular(path, MAX_BYTES)
        if data is None:
            numbers = ", ".join(map(str, list(files)[:20])) + (", …" if len(files) > 20 else "")
            raise LookupError(say("en", "watch-no-step", step=step, count=len(files), known=numbers))
        return answering(read(data))

    def training(self, measure: Measure = "gradient", lang: str = "en") -> TrainingPicture:
        """Draw the recorded steps, as `trace.training()` does for one program."""
        if measure not in MEASURES:
            raise ValueError(f"there is no measure {measure!r}; there are {', '.join(MEASURES)}")
        return TrainingPicture(run_view(self), measure, arguments.language(lang))

    def __repr__(self) -> str:
        last = self.steps[-1].step if self.steps else 0
        return f"<Run {self.folder}: {len(self.steps)} recorded steps up to step {last}>"


def load_run(folder: Path) -> WatchedRun:
    """Read a folder. Raises ValueError if `watch` did not write it."""
    index = read_index(folder, WatchedRun)
    if index is None:
        raise ValueError(say("en", "watch-no-run", path=str(folder)))
    return index
