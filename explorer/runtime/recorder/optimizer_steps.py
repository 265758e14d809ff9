"""Record an optimizer's step as one operation. The computations inside torch.optim are hidden.

torch puts each step between two marks of its profiler. Calls from torch.optim between them are not recorded one by
one. The program's tensors that they read and wrote become one operation. The program's own code within a step (a
closure, a hook, an optimizer of its own) is recorded as usual.
"""

from collections.abc import Callable, Container, Sequence
from types import FrameType

import torch
from msgspec import Struct, field

from explorer.runtime.recorder.calls import BegunCall, TorchCall, tensors_of_call
from explorer.runtime.recorder.memory import layout_of
from explorer.runtime.recorder.rows import MarkedPlace

_ROOM = torch.__file__.removesuffix("__init__.py")
_CODE = (f"{_ROOM}optim/", f"{_ROOM}utils/_foreach_utils.")
_ENTER, _EXIT = "_record_function_enter", "_record_function_exit"
_STEP = "Optimizer.step#"
_grad_enabled = torch._C.is_grad_enabled
_KEPT = "grad="  # writes of `.grad` are recorded one by one
# Computations of a step, in modules of their names; options with which they read other tensors, or in another order.
COMPUTED = ("adam", "adamw", "sgd")
_OTHERWISE = ("foreach", "fused", "capturable", "differentiable", "has_complex", "has_sparse_grad")
_NESTED = frozenset(map(id, (list, tuple, dict)))
_NUMBERS = frozenset(map(id, (int, float, bool, type(None))))


class _Files(dict[str, bool]):
    def __missing__(self, filename: str) -> bool:
        self[filename] = own = filename.startswith(_CODE)
        return own


_OWN = _Files()  # whether a file is torch.optim's


def is_own(frame: FrameType) -> bool:
    """Return whether a frame runs code of torch.optim."""
    return _OWN[frame.f_code.co_filename]


class OptimizerStep(Struct, gc=False):
    """A running step.

    Attributes: name: of the optimizer's class and method, such as "AdamW.step". mark: the place of the operation that
    opened it. read: known tensors that it used and that are not part of an operation yet, by id() with their ids.
    leaves: ids of those whose `.grad` it has read. fused: ids of tensors in a fused kernel, which writes without a new
    version.
    """

    name: str
    mark: MarkedPlace
    read: dict[int, tuple[int, torch.Tensor]] = field(default_factory=dict)
    leaves: set[int] = field(default_factory=set)
    fused: set[int] = field(default_factory=set)


class OptimizerSteps:
    """The profiler's open marks, innermost last.

    Args:
        find: the id of a tensor that the program knows, otherwise 0.
        known: by id() the objects that may be such tensors.
    """

    def __init__(self, find: Callable[[torch.Tensor], int], known: Container[int]) -> None:
        self.marks: list[OptimizerStep | None] = []
        self._find, self._known = find, known

    def pending(self) -> OptimizerStep | None:
        """Return the innermost step that has used something not yet recorded."""
        return next((step for step in reversed(self.marks) if step is not None and step.read), None)

    def marked(self, call: BegunCall, mark: MarkedPlace) -> None:
        """Handle an operation that may be a mark."""
        name, args = call.of.name, call.args
        if name.startswith(_ENTER):
            label = args[0] if args and isinstance(args[0], str) else ""
            self.marks.append(OptimizerStep(label.removeprefix(_STEP), mark) if label.startswith(_STEP) else None)
        elif name.startswith(_EXIT) and self.marks:
            self.marks.pop()

    def hidden(
        self, call: TorchCall, args: tuple, kwargs: dict | None, caller: FrameType
    ) -> Sequence[torch.Tensor] | None:
        """Return known tensors in an optimizer's call that are new to the step.

        None for a call that is an operation of its own.
        """
        step, name = self.marks[-1], call.name
        if step is None or call.marks or name == _KEPT:
            return None
        if not _OWN[caller.f_code.co_filename] or _grad_enabled():
            return None
        if name == "grad" and args and id(args[0]) not in step.leaves:
            step.leaves.add(id(args[0]))  # the first read identifies the leaves that the optimizer updates
            return None
        read, given = step.read, (*args, *kwargs.values()) if kwargs else args
        new = [key for key in map(id, given) if key not in read]  # a set difference would visit everything read so far
        if not any(map(self._known.__contains__, new)) and _NESTED.isdisjoint(map(id, map(type, given))):
            return ()
        fresh = []
        for tensor in tensors_of_call(args, kwargs):
            if id(tensor) not in read and (identity := self._find(tensor)):
                read[id(tensor)] = identity, tensor
                fresh.append(tensor)
        if name.startswith("_fused"):
            step.fused.update(read[id(tensor)][0] for tensor in tensors_of_call(args, kwargs) if id(tensor) in read)
        return fresh

    def at_once(self, lists: Sequence, options: dict) -> list[torch.Tensor] | None:
        """Record a computation on lists at once, None if not possible.

        It reads the gradients in their order. None of its calls fails, since all tensors of a place are alike.
        """
        step = self.marks[-1] if self.marks else None
        if step is None or _grad_enabled() or not _NUMBERS.issuperset(map(id, map(type, options.values()))):
            return None
        if any(map(options.get, _OTHERWISE)) or any(type(one) is not list for one in lists):
            return None
        params, grads, *states = [one for one in lists if one] or ([], [])
        if any(len(one) != len(params) for one in lists if one) or not step.read.keys() >= set(map(id, params)):
            return None
        if any(id(one) in self._known for state in states for one in state):
            return None
        for param, grad, *state in zip(params, grads, *states, strict=True):
            own, of = layout_of(param), layout_of(grad)
            alike = own and of and own.dense and (own.dtype, own.shape, own.device) == (of.dtype, of.shape, of.device)
            others = [layout_of(one) for one in state if one is not None and not (of and of.same(one))]
            if not alike or any(one is None or one.shape for one in others):  # a count of steps has no axis
                return None
        fresh = [grad for grad in grads if id(grad) not in step.read and self._find(grad)]
        step.read.update((id(grad), (self._find(grad), grad)) for grad in fresh)
        return fresh

    def forget(self) -> None:
        """Release every tensor."""
        self.marks.clear()
