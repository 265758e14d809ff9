"""Record single steps of a training that goes on: begun and ended by hooks of its optimizer."""

import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from explorer.runtime.record import Recording
from explorer.runtime.recorder.own_files import is_library
from explorer.runtime.recorder.own_hooks import registered
from explorer.trace import Trace
from explorer.trace.bounds import beyond


class StepRecording(Recording):
    """A recording from the end of one step of an optimizer to the end of the next.

    Args:
        names: names for tensors and modules that the program's own variables do not name.
    """

    _samples = False  # a step is short; its size is measured at its end

    def __init__(self, detail: str, max_bytes: int, names: dict[str, Any]) -> None:
        super().__init__(detail, max_bytes)
        self._known, self._thread = names, threading.get_ident()

    def begin_here(self) -> None:
        """Record from now on; the program is the file of the user's innermost frame."""
        frame = user_frame(sys._getframe(1))
        self.begin(frame)
        self._recorder.training.few = 0

    def end(self, optimizer: object | None = None) -> Trace | None:
        """End the recording; None in another thread than it began in, or without a backward.

        Args:
            optimizer: whose step has just ended and whose hooks have not all run.
        """
        if self._thread != threading.get_ident():
            self.abandon()
            return None
        if optimizer is not None:
            self._patch.stepped(optimizer)
        with self._undo:
            self._listening.close()
            if not self._recorder.rows.backwards:  # nothing to explain, and a backward of our own would cost time
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
    """The innermost frame from this one outwards that runs the user's own code; the outermost if none does."""
    while frame.f_back is not None and is_library(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def after_steps(optimizer: Any, call: Callable[[], None]) -> Callable[[], None]:
    """Call a function after every step of an optimizer; return what ends that."""
    return registered(optimizer.register_step_post_hook, lambda *_: call()).remove


def rank() -> tuple[int, int]:
    """The rank of this process and how many there are, (0, 1) without torch.distributed."""
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return 0, 1
    return distributed.get_rank(), distributed.get_world_size()
