"""Record an optimizer's step as one operation, and `zero_grad` too.

The mode is off torch's stack while code of torch.optim runs. The tensors of the optimizer are the inputs of the
operation, and those with a new version its outputs. A closure is recorded as usual: what precedes it is one operation,
and what follows it another.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import Any

import torch
from torch.overrides import _get_current_function_mode_stack as modes

from explorer.runtime.recorder.calls import CALLS, BegunCall, TorchCall
from explorer.runtime.recorder.hidden_calls import put_mode, take_mode, traced

_CODE = torch.optim.__file__.removesuffix("__init__.py")
_HOOKED = torch.optim.Optimizer.profile_hook_step(int).__code__  # code of torch's wrapper around a class's `step`
_READ = CALLS[torch.Tensor.grad.__get__]  # type: ignore[attr-defined]
_REMOVE = {
    owner: TorchCall("zero_grad", f"{name}.zero_grad", True, pure=True)
    for owner, name in ((torch.optim.Optimizer, "torch.optim.Optimizer"), (torch.nn.Module, "torch.nn.Module"))
}


def steps_of(optimizer: object) -> Iterator[Any]:
    """Yield the cells in which torch keeps `step` of an optimizer's classes, if they are of torch.optim.

    Torch's function around it calls the hooks of the program before and after it.
    """
    for kind in type(optimizer).__mro__:
        step = inspect.unwrap(vars(kind).get("step"), stop=_is_hooked)  # compilers wrap some optimizers' steps
        if _is_hooked(step):
            cell = step.__closure__[0]
            code = getattr(inspect.unwrap(cell.cell_contents), "__code__", None)
            if code is not None and code.co_filename.startswith(_CODE):
                yield cell


def _is_hooked(step: Any) -> bool:
    return getattr(step, "__code__", None) is _HOOKED


def is_recorded(recorder: Any) -> bool:
    """Return whether the calls here would become operations."""
    return not recorder.pauses and recorder.gaps.open is None and not traced() and recorder in modes()


class OptimizerStep:
    """A running step."""

    def __init__(self, recorder: Any, optimizer: Any, caller: FrameType) -> None:
        self._recorder, self._optimizer, self._caller = recorder, optimizer, caller
        name = f"{type(optimizer).__name__}.step"
        function = f"torch.optim.{name}" if hasattr(torch.optim, type(optimizer).__name__) else name
        self._call = TorchCall(name, function, True, writes=True)
        self._read: set[int] = set()  # leaves (by id) whose `.grad` it has read
        self._begun: BegunCall | None = None
        self._depth = -1  # the mode's place on torch's stack

    def run(self, step: Callable, args: tuple, kwargs: dict) -> Any:
        """Make the step."""
        closures = any(map(callable, (*args, *kwargs.values())))
        if closures:
            args, kwargs = tuple(map(self._seen, args)), {name: self._seen(given) for name, given in kwargs.items()}
        self._depth = take_mode(self._recorder)
        try:
            if not closures:
                self._begin()
            result = step(self._optimizer, *args, **kwargs)
        except BaseException as problem:
            if (begun := self._end()) is not None:
                self._recorder.failed(begun, problem)
            raise
        finally:
            put_mode(self._recorder, self._depth)
        self._close()
        return result

    def _seen(self, closure: Any) -> Any:
        """Return a closure that is recorded."""
        if not callable(closure):
            return closure

        def recorded(*args, **kwargs):
            self._close()
            put_mode(self._recorder, self._depth)
            try:
                result = closure(*args, **kwargs)
            finally:
                take_mode(self._recorder)
            self._begin()
            return result

        return recorded

    def _begin(self) -> None:
        recorder = self._recorder
        with recorder.paused(), torch.no_grad():
            used: dict[int, torch.Tensor] = {}
            rows = []
            groups = self._optimizer.param_groups
            for group in groups:
                held = [(leaf, leaf.grad) for leaf in group["params"]]
                rows += [(leaf, gradient) for leaf, gradient in held if id(leaf) not in self._read]
                held = [(leaf, gradient) for leaf, gradient in held if gradient is not None]
                used |= {id(leaf): leaf for leaf, _ in held}
                used |= {id(gradient): gradient for _, gradient in held}
            options = (given for holder in (*groups, *self._optimizer.state.values()) for given in holder.values())
            known = (one for one in options if isinstance(one, torch.Tensor) and recorder.tensors.find(one))
            used |= {id(one): one for one in known if used}
            self._read.update(id(leaf) for leaf, _ in rows)
            recorder.read_gradients(_READ, rows, self._caller)
            self._begun = recorder.begin(self._call, tuple(used.values()), None, self._caller) if used else None

    def _close(self) -> None:
        if self._end() is not None:
            self._recorder.nodes.operation_ends()

    def _end(self) -> BegunCall | None:
        begun, self._begun = self._begun, None
        if begun is not None:
            with self._recorder.paused():
                fused = any(group.get("fused") for group in self._optimizer.param_groups)
                self._recorder.states.stepped(begun, fused)
        return begun


def remove_gradients(recorder: Any, owner: Any, leaves: Iterable[torch.Tensor], caller: FrameType) -> None:
    """Record that `zero_grad` of a class is about to remove the gradients of leaves."""
    with recorder.paused():
        held = tuple([leaf for leaf in leaves if leaf.grad is not None])
        if recorder.begin(_REMOVE[owner], held, None, caller) is not None:
            recorder.nodes.operation_ends()
