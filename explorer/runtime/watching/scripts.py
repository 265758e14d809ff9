"""Find the step of an unchanged script in which something happens, and record that step in another run."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any

import torch
from torch.optim import optimizer as optimizers

from explorer.runtime.record import Scope
from explorer.runtime.recorder.own_hooks import hook_into
from explorer.runtime.step_recording import StepRecording
from explorer.runtime.watching.batches import BatchIndices
from explorer.runtime.watching.losses import hear_backwards, hear_skipped
from explorer.runtime.watching.measures import norms, unseen
from explorer.trace import Trace
from explorer.trace.step_statistics import StepRow


class ScriptDone(SystemExit):
    """Raised inside a script when it has done enough. It passes through `except Exception`."""


class StepCounter:
    """Calls a function after each step of the first optimizer that steps.

    Attributes:
        rows: the steps so far: loss and gradient norms.
        batch: indices of the last batch's samples.
    """

    def __init__(self) -> None:
        self.rows: list[StepRow] = []
        self._optimizer: torch.optim.Optimizer | None = None
        self._losses: list[torch.Tensor] = []
        self._ended = ExitStack()
        self._last = time.perf_counter()

    @property
    def batch(self) -> list[int]:
        """Indices of the last batch's samples."""
        return self._batches.last

    def begin(self, scope: Scope) -> None:
        """Begin with a script that is about to run."""
        self._batches = BatchIndices()
        self._ended.callback(self._batches.close)
        hear_backwards(self._ended, self._losses.extend)
        self._ended.callback(hook_into(optimizers._global_optimizer_post_hooks, self._stepped))  # type: ignore[attr-defined]
        hear_skipped(self._ended, partial(self._stepped, skipped=True))

    def __exit__(self, *_: object) -> None:
        self._ended.close()

    def _stepped(self, optimizer: torch.optim.Optimizer, *_: Any, skipped: bool = False) -> None:
        if self._optimizer is None:
            self._optimizer = optimizer
        if optimizer is not self._optimizer:
            return
        now = time.perf_counter()
        with unseen():
            held = [one for group in optimizer.param_groups for one in group["params"]]
            loss = sum(float(one) for one in self._losses) if self._losses else None
            measured = b"" if skipped else norms([one.grad for one in held]).fetch().numpy().astype("<f4").tobytes()
        rates = [float(group.get("lr", 0.0)) for group in optimizer.param_groups]
        row = StepRow(len(self.rows) + 1, now - self._last, loss, len(self._losses), rates, None, measured)
        self._losses.clear()
        self._last = now
        self.rows.append(row)
        self.after(row)

    def after(self, row: StepRow) -> None:
        """React to a finished step."""


class EventSearch(StepCounter):
    """Ends the script after the first step in which something happens.

    Args: happened: returns what happened in a step.
    """

    def __init__(self, happened: Callable[[StepRow], list[list[str]]]) -> None:
        super().__init__()
        self._happened = happened
        self.found: list[list[str]] = []

    def after(self, row: StepRow) -> None:
        """End the script if something happened."""
        self.found = self._happened(row)
        if self.found:
            raise ScriptDone(0)


class StepInScript(StepCounter):
    """Records one step of a script, and then ends the script.

    Args: step: its number, from 1.

    Attributes:
        trace: the step, None if the script did not get there.
    """

    def __init__(self, step: int, detail: str, max_bytes: int) -> None:
        super().__init__()
        self.trace: Trace | None = None
        self._step, self._recording = step, StepRecording(detail, max_bytes, None)
        self._begun = False

    def begin(self, scope: Scope) -> None:
        """Begin with a script that is about to run."""
        super().begin(scope)
        if self._step == 1:
            self._recording.begin(scope)
            self._begun = True

    def __exit__(self, *given: object) -> None:
        if self._begun:
            self._recording.abandon()
        super().__exit__(*given)

    def after(self, row: StepRow) -> None:
        """Begin the recording after the step before, and end it after its own."""
        if row.step == self._step:
            self._begun = False
            self.trace = self._recording.end(self._optimizer if row.norms else None)  # None: no step was made
            raise ScriptDone(0)
        if row.step == self._step - 1:
            self._recording.begin_here()
            self._begun = True


def seen_steps(rows: list[StepRow]) -> list[tuple[bytes, bytes]]:
    """Return the losses and norms by which two runs of a script are compared, as bytes: NaN equals itself."""
    return [(repr(row.loss).encode(), row.norms) for row in rows]
