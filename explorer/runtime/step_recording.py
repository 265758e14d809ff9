"""Single steps of a training that goes on, recorded between hooks of its optimizer; and the loss of every step."""

import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from types import FrameType
from typing import Any

import torch

from explorer.runtime.record import Recording
from explorer.runtime.recorder.own_files import is_library
from explorer.runtime.recorder.own_hooks import registered
from explorer.runtime.replacements import replace
from explorer.trace import Trace
from explorer.trace.bounds import beyond


class StepRecording(Recording):
    """A recording from the end of one step of an optimizer to the end of the next.

    Args:
        model: whose `named_parameters()` name the parameters.

    Attributes:
        names: by row of the Trace's tensors the name of each parameter, once it has ended.
    """

    _samples = False  # a step is short; its size is measured at its end

    def __init__(self, detail: str, max_bytes: int, model: Any) -> None:
        super().__init__(detail, max_bytes)
        self._known, self._thread = {"model": model}, threading.get_ident()
        self.names: dict[int, str] = {}

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
            known = {self._recorder.tensors.find(of): name for name, of in self._known["model"].named_parameters()}
            self._finish(False)
            rows = enumerate(self._recorder.rows.tensors.ids())
            self.names = {row: known[number] for row, number in rows if number in known}
        return self.trace

    def _measured(self, max_bytes: int) -> tuple[Trace, float]:
        trace, size = super()._measured(max_bytes)
        return trace, max(size, 2.0 if beyond(trace) else 0.0)  # the app opens it

    def abandon(self) -> None:
        """End the recording and drop it."""
        with self._undo:
            self._listening.close()


class StepLosses:
    """The root of the last backward of every step, of the thread that made this.

    It is read later: reading a number waits for its device.
    """

    def __init__(self) -> None:
        self._root: Any = None
        self._kept: list[torch.Tensor | None] = []
        self._listens = True
        self._undo = ExitStack()
        engine, thread = torch.autograd._engine_run_backward, threading.get_ident()

        def run(outputs: Any, *args: Any, **kwargs: Any) -> Any:
            if self._listens and kwargs.get("accumulate_grad") and threading.get_ident() == thread and outputs:
                self._root = outputs[0]
            return engine(outputs, *args, **kwargs)

        replace(self._undo, torch.autograd, "_engine_run_backward", run, yields=True)

    def __len__(self) -> int:
        return len(self._kept)

    def stepped(self) -> None:
        """A step has ended."""
        root, self._root = self._root, None
        scalar = isinstance(root, torch.Tensor) and root.numel() == 1 and not root.is_complex()
        self._kept.append(root.detach() if scalar else None)

    def take(self) -> list[float | None]:
        """The losses since the last call, None of a step without a backward of a number."""
        kept, self._kept = self._kept, []
        return [None if root is None else float(root) for root in kept]

    def close(self) -> None:
        """Give torch's own function back. Where another library holds ours, nothing is kept any more."""
        self._listens, self._root = False, None
        self._undo.close()


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
