"""An optimizer's step as one operation: what torch.optim computes in it is its own business.

torch puts each step between two marks of its profiler. What the code of torch.optim calls between them is not written
down; what it read and wrote of the tensors that the program knows becomes one operation. What runs in a step but is the
program's (a closure, a hook, an optimizer of its own) is written down as everywhere.
"""

from collections.abc import Callable
from types import FrameType

import torch
from msgspec import Struct, field

from explorer.runtime.recording.calls import tensors_in
from explorer.runtime.recording.rows import MarkedPlace

_ROOM = torch.__file__.removesuffix("__init__.py")
_CODE = (f"{_ROOM}optim/", f"{_ROOM}utils/_foreach_utils.")
_ENTER, _EXIT = "_record_function_enter", "_record_function_exit"
_STEP = "Optimizer.step#"
_KEPT = ("grad=",)  # writes of `.grad` are told one by one


def is_own(frame: FrameType) -> bool:
    """Whether a frame runs code of torch.optim."""
    return frame.f_code.co_filename.startswith(_CODE)


class OptimizerStep(Struct, gc=False):
    """A step that goes on.

    Attributes:
        name: of the optimizer's class and method, such as "AdamW.step".
        mark: where the operation stood that opened it.
        read: known tensors that it was seen to use and that no operation has told of yet, by id.
        asked: leaves whose `.grad` it has read.
    """

    name: str
    mark: MarkedPlace
    read: dict[int, torch.Tensor] = field(default_factory=dict)
    asked: set[int] = field(default_factory=set)


class OptimizerSteps:
    """The profiler's marks that are open: `marks`, innermost last: a step, or None for those of anything else."""

    def __init__(self, find: Callable[[torch.Tensor], int]) -> None:
        self.marks: list[OptimizerStep | None] = []
        self._find = find  # the id of a tensor that the program knows, otherwise 0

    def current(self) -> OptimizerStep | None:
        """The step that goes on, unless another mark was opened within it."""
        return self.marks[-1] if self.marks else None

    def pending(self) -> OptimizerStep | None:
        """The innermost step that has used something of which no operation tells yet."""
        return next((step for step in reversed(self.marks) if step is not None and step.read), None)

    def marked(self, name: str, args: tuple, mark: MarkedPlace) -> None:
        """An operation ended that may be a mark."""
        if name.startswith(_ENTER):
            label = args[0] if args and isinstance(args[0], str) else ""
            self.marks.append(OptimizerStep(label.removeprefix(_STEP), mark) if label.startswith(_STEP) else None)
        elif name.startswith(_EXIT) and self.marks:
            self.marks.pop()

    def hides(self, name: str, args: tuple, caller: FrameType) -> bool:
        """Whether a call of `caller` is the optimizer's own and needs no operation of its own."""
        step = self.current()
        if step is None or name in _KEPT or name.startswith((_ENTER, _EXIT)) or torch.is_grad_enabled():
            return False
        if not is_own(caller):
            return False
        if name == "grad" and args:  # the first tells which leaves the optimizer looks after
            if id(args[0]) in step.asked:
                return True
            step.asked.add(id(args[0]))
            return False
        return True

    def using(self, args: tuple, kwargs: dict | None) -> list[torch.Tensor]:
        """Of the known tensors that the optimizer's own call is about to run over, those that are new to the step."""
        step, fresh = self.current(), []
        if step is not None:
            for tensor in tensors_in([args, kwargs], []):
                known = self._find(tensor)
                if known and known not in step.read:
                    step.read[known] = tensor
                    fresh.append(tensor)
        return fresh

    def forget(self) -> None:
        """Let go of every tensor."""
        self.marks.clear()
