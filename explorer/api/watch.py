"""`explorer.watch()`: measure every step of a training, and record selected ones, each into a file.

A recorded step lasts from the end of one optimizer step to the end of the next. The first failure here becomes a
warning, and the training continues.
"""

import atexit
import itertools
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from types import FrameType
from typing import Any, ParamSpec, TypeVar

from msgspec import structs

from explorer.analysis.views.training.samples import sample_lines
from explorer.analysis.views.training.step_events import event_text
from explorer.api import arguments
from explorer.api.saved_files import load_trace
from explorer.api.step_events import events, happened
from explorer.api.step_writers import Writer
from explorer.runtime.step_recording import StepRecording, after_steps, rank, torch_version, user_frame
from explorer.runtime.watching.batches import BatchIndices, indices
from explorer.runtime.watching.losses import hear_skipped
from explorer.runtime.watching.repeats import Repeater, TrainingState
from explorer.runtime.watching.steps import StepMeter, WatchLimits
from explorer.text import say
from explorer.trace import MAX_BYTES, SUFFIX, encode
from explorer.trace.step_statistics import STEPS, Header, StepRow, append, begin

FOLDER = "runs"
_MOST_EVENTS = 10  # that are recorded
_CHARACTERS = 200  # of an event
Given = ParamSpec("Given")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Settings:
    """Settings of a watch, as in `explorer.watch`."""

    every: int | None
    out: str | os.PathLike[str] | None
    detail: str
    max_bytes: int
    steps: int | None
    on: Any
    keep: int
    also: tuple[Any, ...]
    share: float
    samples: Callable[[], Any] | None


class Watch:
    """A watched training. It ends with its `with`, `close()` or the process.

    Attributes:
        out: folder of the run.
        number: steps so far, with those that a gradient scaler left out. recorded: number of recorded ones.
        events: what happened, by step.
    """

    def __init__(self, model: Any, optimizer: Any, settings: Settings, writer: Writer | None) -> None:
        _check(model, settings)
        self._optimizer = _torch_optimizer(optimizer)
        self._model, self._settings = model, settings
        self.out = _folder(settings, user_frame(sys._getframe(1)))
        self.number = self.recorded = 0
        self.events: dict[int, str] = {}
        self._files: dict[Path, int] = {}  # the Traces on disk with their bytes
        self._events = events(settings.on)
        self._recording: StepRecording | None = None
        self._warned, self._pid = False, os.getpid()
        self.out.mkdir(parents=True, exist_ok=True)
        if any(self.out.glob(f"step-*{SUFFIX}")) or (self.out / STEPS).exists():
            raise FileExistsError(say("en", "watch-exists", path=str(self.out)))
        self._batches = BatchIndices() if self._events and settings.samples is None else None
        self._writer = writer
        self._meter = self._measuring()
        self._repeater: Repeater | None = None
        self._calls = 0  # of the repeatable step since the last step of the optimizer
        self._unhook = ExitStack()
        if self._optimizer is not None:
            self._unhook.callback(after_steps(self._optimizer, self._stepped))
            hear_skipped(self._unhook, self._skipped)
        atexit.register(self.close)
        if self._due(1):
            self._begin()

    def _measuring(self) -> StepMeter:
        """Begin the file of statistics and its measurements."""
        self._statistics = (self.out / STEPS).open("wb")
        settings = self._settings
        limits = WatchLimits(0.0 if self._events else settings.share, at_once=bool(self._events))
        meter = StepMeter(self._model, self._optimizer, limits, self._batch, self._measured, self._going_on)
        begin(self._statistics, Header(meter.rows.names, meter.rows.entries, torch_version(), meter.rows.modules))
        return meter

    def _batch(self) -> list[int]:
        if self._settings.samples is not None:
            return indices(self._settings.samples())
        return [] if self._batches is None else self._batches.last

    def _measured(self, rows: list[StepRow]) -> None:
        """Write rows of finished steps, with their events."""
        named = [self._with_event(row) for row in rows] if self._events else rows
        append(self._statistics, named)
        if self._writer is not None:
            self._writer(named, self._meter.rows.names)
        self.events.update({row.step: row.event for row in named if row.event})

    def _with_event(self, row: StepRow) -> StepRow:
        if not (parts := happened(row, self._events)):
            return row
        return structs.replace(row, parts=parts, event=event_text(parts, "en")[:_CHARACTERS])

    def step(self) -> None:
        """Mark the end of a step, if no torch optimizer was given."""
        if self._optimizer is not None:
            raise TypeError(say("en", "watch-step"))
        self._stepped()

    def repeats(self, step: Callable[Given, Result]) -> Callable[Given, Result]:
        """Return a function that runs a step of the training, and again, recorded, if an event happened in it.

        Before the second run the state is restored: parameters, buffers, gradients, optimizer, generators, and objects
        given as `also`. Afterwards the training goes on from where it was, bit by bit. Anything else that the step
        does, such as printing or counting, happens twice.

        Args:
            step: forward, backward and the optimizer's step for one batch, its argument.
        """
        if self._optimizer is None:
            raise TypeError(say("en", "watch-repeats"))
        state = partial(TrainingState, self._model, self._optimizer, tuple(self._settings.also))
        self._repeater = repeater = Repeater(state, self._settings.keep)

        @wraps(step)
        def watched(*args: Given.args, **kwargs: Given.kwargs) -> Result:
            if self._closed or self._meter.paused or not self._events:
                return step(*args, **kwargs)
            with self._going_on():
                repeater.calling(args, kwargs, not self._calls)
            self._calls += 1
            before = self.number
            result = step(*args, **kwargs)
            if self.number > before:
                if self.number in self.events:
                    with self._going_on():
                        self._repeat(step)
                self._calls = 0
            return result

        return watched

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<explorer.watch: {self.out}, {self.recorded} of {self.number} steps recorded>"

    @property
    def _closed(self) -> bool:
        return os.getpid() != self._pid  # a forked process watches nothing

    def close(self) -> None:
        """End the watch."""
        if self._closed:
            return
        atexit.unregister(self.close)
        self._unhook.close()
        recording, self._recording = self._recording, None
        with suppress(Exception):
            if recording is not None:
                recording.abandon()
        with self._going_on():
            self._meter.close()
            self._statistics.close()
        if self._batches is not None:
            self._batches.close()
        self._pid = -1

    def _skipped(self, optimizer: Any) -> None:
        """End a step that a scaler left out, or every later batch would be taken for the one before."""
        if optimizer is self._optimizer:
            self._stepped(skipped=True)

    def _stepped(self, skipped: bool = False) -> None:
        """Measure and save the finished step, and start the next if due."""
        if self._closed or self._meter.paused:
            return
        self.number += 1
        recording, self._recording = self._recording, None
        if recording is not None:
            with self._going_on():
                self._end(recording, None if skipped else self._optimizer)
        with self._going_on():
            self._meter.stepped(recording is not None, skipped)
        if self._due(self.number + 1) or self._follows_event():
            self._begin()

    def _due(self, step: int) -> bool:
        settings = self._settings
        only_events = self._events and settings.every is None and settings.steps is None
        return not only_events and is_due(step, settings.every, settings.steps)

    def _follows_event(self) -> bool:
        """Return whether the next step is recorded because this one cannot run again."""
        if self.number not in self.events or len(self.events) > _MOST_EVENTS:
            return False
        if not self._calls:
            self._tell("watch-event-next")
        return not self._calls

    def _repeat(self, step: Callable[..., Any]) -> None:
        """Run the last step again, and record it."""
        if len(self.events) > _MOST_EVENTS:
            return
        path = self.out / f"step-{self.number:08d}{SUFFIX}"
        if path.exists():  # it was due and is recorded
            return self._tell("watch-event", path)
        self._meter.paused = True
        try:
            assert self._repeater is not None
            equal = self._repeater.again(step, self._calls, self._recorded)
        finally:
            self._meter.paused = False
        if equal is None:
            self._tell("watch-event-batch")
            self._begin()
        else:
            self._tell("watch-event" if equal else "watch-event-differs", path)

    def _recorded(self, step: Callable[[], Any]) -> None:
        """Record a step and save its Trace."""
        recording = StepRecording(self._settings.detail, MAX_BYTES, self._model)
        recording.begin_here()
        try:
            step()
        except BaseException:
            recording.abandon()
            raise
        self._end(recording, None)

    def _tell(self, message: str, path: Path | None = None) -> None:
        """Print the events, and the sample that caused most of the loss."""
        happened = self.events[self.number]
        lines = [say("en", message, step=self.number, event=happened, path=str(path))]
        if path is not None and path.exists() and self._calls <= 1:  # the known batch is the last of several
            lines += sample_lines(load_trace(path), self._batch(), "en")
        print("\n".join(lines), file=sys.stderr)

    def _begin(self) -> None:
        """Record the next step."""
        with self._going_on():
            recording = StepRecording(self._settings.detail, MAX_BYTES, self._model)
            recording.begin_here()
            self._recording = recording

    def _end(self, recording: StepRecording, optimizer: Any) -> None:
        trace = recording.end(optimizer)
        if trace is None or len(data := encode(trace)) > MAX_BYTES:
            return
        path = self.out / f"step-{self.number:08d}{SUFFIX}"
        part = path.with_name(path.name + ".part")  # whole or not at all
        part.write_bytes(data)
        os.replace(part, path)
        self._files[path] = len(data)
        self.recorded += 1
        while len(self._files) > 1 and sum(self._files.values()) > self._settings.max_bytes:
            gone = list(self._files)[1 if len(self._files) > 2 else 0]  # keep the first and the newest
            del self._files[gone]
            gone.unlink(missing_ok=True)

    @contextmanager
    def _going_on(self) -> Iterator[None]:
        """Suppress failures, which must not end the training, and warn about the first."""
        try:
            yield
        except Exception as problem:
            if not self._warned:
                self._warned = True
                text = say("en", "watch-failed", type=type(problem).__name__, text=str(problem)[:300])
                warnings.warn(text, RuntimeWarning, stacklevel=4)


def is_due(step: int, every: int | None, steps: int | None) -> bool:
    """Return whether a step is recorded.

    Args:
        step: step number, from 1.
        every: step 1 and every `every`th step. None: gaps grow, so recording takes an ever smaller share of time.
        steps: length of the training. The last step is recorded and, without `every`, ten between it and the
            first.

    >>> [step for step in range(1, 101) if is_due(step, None, None)]
    [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96]
    >>> [step for step in range(1, 101) if is_due(step, None, 100)]
    [1, 10, 19, 28, 37, 46, 55, 64, 73, 82, 91, 100]
    >>> [step for step in range(1, 31) if is_due(step, 10, 25)]
    [1, 10, 20, 25, 30]
    """
    if every is not None:
        return step == 1 or step % every == 0 or step == steps
    if steps is not None:
        return step in {1 + part * (steps - 1) // 11 for part in range(12)}
    odd = step // (step & -step)  # largest odd divisor
    return odd == 1 or odd == 3


def _folder(settings: Settings, caller: FrameType) -> Path:
    """Return the run's folder for this rank."""
    place, ranks = rank()
    out = settings.out
    folder = _new_folder(caller.f_code.co_filename, ranks) if out is None else Path(arguments.path(out))
    return folder / f"rank-{place}" if place else folder


def _new_folder(program: str, ranks: int) -> Path:
    """Create an unused folder named after the program, such as "runs/train-1". Raises ValueError."""
    if ranks > 1:  # all of them need the same folder
        raise ValueError(say("en", "watch-out"))
    name = "".join(sign if sign.isalnum() or sign in "_.-" else "-" for sign in Path(program).stem).strip("-.") or "run"
    numbered = (Path(FOLDER) / f"{name}-{number}" for number in itertools.count(1))
    return next(folder for folder in numbered if not folder.exists())


def _check(model: Any, settings: Settings) -> None:
    if not callable(getattr(model, "named_parameters", None)):
        raise TypeError(say("en", "api-model", given=arguments.short(model)))
    for name in ("every", "max_bytes", "steps", "keep"):
        given = getattr(settings, name)
        if (given is not None or name in ("max_bytes", "keep")) and arguments.whole_number(name, given) < 1:
            raise ValueError(say("en", "api-value", name=name, must="positive", given=arguments.short(given)))
    if not 0 <= settings.share <= 1:
        given = arguments.short(settings.share)
        raise ValueError(say("en", "api-value", name="share", must="between 0 and 1", given=given))
    if settings.samples is not None and not callable(settings.samples):
        raise TypeError(say("en", "watch-samples", given=arguments.short(settings.samples)))
    for one in settings.also:
        if not callable(getattr(one, "load_state_dict", None)):
            raise TypeError(say("en", "watch-also", given=arguments.short(one)))


def _torch_optimizer(optimizer: Any) -> Any:
    """Return the torch optimizer in a library's, the first of several, or None. Raises TypeError."""
    found = next(iter(optimizer), None) if isinstance(optimizer, Iterable) else optimizer
    for _ in range(5):
        around = vars(found) if hasattr(found, "__dict__") else {}
        inner = around.get("optimizer", around.get("_optimizer"))
        if inner is None:
            break
        found = inner
    if found is not None and not callable(getattr(found, "register_step_post_hook", None)):
        raise TypeError(say("en", "watch-optimizer", given=arguments.short(optimizer)))
    return found
