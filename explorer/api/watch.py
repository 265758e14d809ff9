"""`explorer.watch()`: record selected steps of a training, each into a file.

A recorded step lasts from the end of one optimizer step to the end of the next. The first failure here becomes a
warning, and the training continues.
"""

import atexit
import itertools
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from explorer.api import arguments
from explorer.runtime.step_recording import StepRecording, after_steps, rank, user_frame
from explorer.text import say
from explorer.trace import MAX_BYTES, SUFFIX, encode

FOLDER = "runs"


class Watch:
    """A watched training. It ends with its `with`, `close()` or the process.

    Attributes:
        out: folder of the run.
        number: optimizer steps so far. recorded: number of recorded ones.
    """

    def __init__(
        self,
        model: Any,
        optimizer: Any,
        *,
        every: int | None,
        out: str | os.PathLike[str] | None,
        detail: str,
        max_bytes: int,
        steps: int | None,
    ) -> None:
        _check(model, every, max_bytes, steps)
        self._optimizer = _torch_optimizer(optimizer)
        self._every, self._steps = every, steps
        self._most, self._detail, self._model = max_bytes, detail, model
        place, ranks = rank()
        program = user_frame(sys._getframe(1)).f_code.co_filename
        self.out = _new_folder(program, ranks) if out is None else Path(arguments.path(out))
        self.out = self.out / f"rank-{place}" if place else self.out
        self._files: dict[Path, int] = {}  # the Traces on disk with their bytes
        self.number = self.recorded = 0
        self._recording: StepRecording | None = None
        self._warned, self._pid = False, os.getpid()
        self.out.mkdir(parents=True, exist_ok=True)
        if any(self.out.glob(f"step-*{SUFFIX}")):
            raise FileExistsError(say("en", "watch-exists", path=str(self.out)))
        self._unhook = (lambda: None) if self._optimizer is None else after_steps(self._optimizer, self._stepped)
        atexit.register(self.close)
        self._begin()

    def step(self) -> None:
        """Mark the end of a step, if no torch optimizer was given."""
        if self._optimizer is not None:
            raise TypeError(say("en", "watch-step"))
        self._stepped()

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<explorer.watch: {self.out}, {self.recorded} of {self.number} steps recorded>"

    def close(self) -> None:
        """End the watch."""
        if os.getpid() != self._pid:  # a forked process watches nothing
            return
        atexit.unregister(self.close)
        self._unhook()
        recording, self._recording = self._recording, None
        with suppress(Exception):
            if recording is not None:
                recording.abandon()
        self._pid = -1

    def _stepped(self) -> None:
        """Save the finished step and start the next if due."""
        if os.getpid() != self._pid:
            return
        self.number += 1
        recording, self._recording = self._recording, None
        if recording is not None:
            with self._going_on():
                self._end(recording)
        if is_due(self.number + 1, self._every, self._steps):
            self._begin()

    def _begin(self) -> None:
        """Record the next step."""
        with self._going_on():
            recording = StepRecording(self._detail, MAX_BYTES, self._model)
            recording.begin_here()
            self._recording = recording

    def _end(self, recording: StepRecording) -> None:
        trace = recording.end(self._optimizer)
        if trace is None or len(data := encode(trace)) > MAX_BYTES:
            return
        path = self.out / f"step-{self.number:08d}{SUFFIX}"
        part = path.with_name(path.name + ".part")  # whole or not at all
        part.write_bytes(data)
        os.replace(part, path)
        self._files[path] = len(data)
        self.recorded += 1
        while len(self._files) > 1 and sum(self._files.values()) > self._most:
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


def _new_folder(program: str, ranks: int) -> Path:
    """Create an unused folder named after the program, such as "runs/train-1". Raises ValueError."""
    if ranks > 1:  # all of them need the same folder
        raise ValueError(say("en", "watch-out"))
    name = "".join(sign if sign.isalnum() or sign in "_.-" else "-" for sign in Path(program).stem).strip("-.") or "run"
    numbered = (Path(FOLDER) / f"{name}-{number}" for number in itertools.count(1))
    return next(folder for folder in numbered if not folder.exists())


def _check(model: Any, every: Any, max_bytes: Any, steps: Any) -> None:
    if not callable(getattr(model, "named_parameters", None)):
        raise TypeError(say("en", "api-model", given=arguments.short(model)))
    for name, given in (("every", every), ("max_bytes", max_bytes), ("steps", steps)):
        if (given is not None or name == "max_bytes") and arguments.whole_number(name, given) < 1:
            raise ValueError(say("en", "api-value", name=name, must="positive", given=arguments.short(given)))


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
