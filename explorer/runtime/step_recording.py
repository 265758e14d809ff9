"""Single steps of a running training, recorded between optimizer hooks."""

import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from explorer.runtime.record import Recording
from explorer.runtime.recorder.own_files import is_library
from explorer.runtime.recorder.own_hooks import hook_into
from explorer.trace import Trace
from explorer.trace.bounds import beyond


class StepRecording(Recording):
    """A recording from an optimizer step's end to the next.

    Args: model: names the parameters. None: the variables of the program do.
    """

    _samples = False  # steps are short, so the size is measured only at the end

    def __init__(self, detail: str, max_bytes: int, model: Any) -> None:
        super().__init__(detail, max_bytes)
        self._known, self._thread = {} if model is None else {"model": model}, threading.get_ident()

    def begin_here(self) -> None:
        """Record from now on, with the user's innermost file as the program."""
        frame = user_frame(sys._getframe(1))
        self.begin(frame)
        self._recorder.training.few = 0

    def end(self, optimizer: object | None = None) -> Trace | None:
        """End the recording.

        Return None in another thread than at its start, or without a backward.

        Args: optimizer: its step has just ended and its hooks have not all run.
        """
        if self._thread != threading.get_ident():
            self.abandon()
            return None
        if optimizer is not None:
            self._patch.stepped(optimizer)
        with self._undo:
            self._listening.close()
            if not self._recorder.rows.backwards:  # nothing to explain, and an extra backward takes time
                return None
            self._finish(False)
        return self.trace

    def _measured(self, max_bytes: int) -> tuple[Trace, float]:
        trace, size = super()._measured(max_bytes)
        return trace, max(size, 2.0 if beyond(trace) else 0.0)  # the app opens it

    def abandon(self) -> None:
        """End the recording and drop it."""
        with self._undo:
            self._listening.close()


def user_frame(frame: FrameType) -> FrameType:
    """Return the innermost frame of the user's own code, else the outermost."""
    while frame.f_back is not None and is_library(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def after_steps(optimizer: Any, call: Callable[[], None]) -> Callable[[], None]:
    """Call a function after every optimizer step. Return its end."""
    return hook_into(optimizer._optimizer_step_post_hooks, lambda *_: call())


def torch_version() -> str:
    """Return the version of the torch that trains."""
    return str(sys.modules["torch"].__version__)


def rank() -> tuple[int, int]:
    """Return this process's rank and the number of processes."""
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return 0, 1
    return distributed.get_rank(), distributed.get_world_size()
