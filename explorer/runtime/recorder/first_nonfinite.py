"""Stop a program at the operation or backward node where its first NaN or infinity arises: `record(stop_on=…)`."""

import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._C import TensorBase, _VariableFunctions
from torch.optim.optimizer import register_optimizer_step_post_hook

from explorer.runtime.recorder.calls import BegunCall, tensors_in
from explorer.runtime.recorder.entries import single
from explorer.runtime.recorder.faults import raise_if_own_fault
from explorer.runtime.recorder.hidden_calls import without_modes
from explorer.runtime.recorder.memory import plain_tensor
from explorer.runtime.recorder.own_hooks import registered
from explorer.runtime.recorder.recorder import Recorder
from explorer.runtime.recorder.rows import NODE_NAME, NODE_OPERATION, OP_INPUTS, OP_NAME, OP_SPAN, OP_VERSIONS
from explorer.text import say
from explorer.text.numbers import number

KINDS = {"nan": ("nan",), "inf": ("inf",), "nonfinite": ("nan", "inf")}
_SIGNS = {"nan": "NaN", "inf": "∞"}
_UNFILLED = {"empty_like", "new_empty", "new_empty_strided", "resize_", "resize_as_"}  # nothing was written to it
_MOST_TOLD = 6  # tensors in the message

Kinds = frozenset[str]
_NONE: Kinds = frozenset()


class NonFinite(FloatingPointError):
    """Raised where the first NaN or infinity of a recording with `stop_on` arises. Its text names its line and inputs.

    Attributes:
        inputs: what the operation was given; of a backward node, where the tensors still exist.
        gradients: what arrived at the backward node.
    """

    def __init__(self, text: str, inputs: Sequence[torch.Tensor] = (), gradients: Sequence[torch.Tensor] = ()) -> None:
        super().__init__(text)
        self.inputs, self.gradients = tuple(inputs), tuple(gradients)


class FirstNonFinite:
    """Watches the operations, backward nodes and optimizer steps of a recorder.

    Args:
        kinds: which end the program, "nan" and "inf".
        breaks: whether a debugger is entered before the exception is raised.
        file: the name of the file of a cell, "" for the program's own.
    """

    def __init__(self, recorder: Recorder, kinds: Kinds, breaks: bool, file: Callable[[int], str]) -> None:
        self._recorder: Any = recorder  # None once the recording has ended: the hooks of a graph live longer
        self._kinds, self._breaks, self._file, self._thread = kinds, breaks, file, threading.get_ident()
        self._begun: dict[int, Kinds] = {}  # by operation what its inputs contained, where it may write to them
        recorder.nodes.on_node = self._hooked
        self._unhook = registered(register_optimizer_step_post_hook, self._stepped).remove

    def close(self) -> None:
        """Watch no more."""
        self._unhook()
        self._recorder = None
        self._begun.clear()

    # ---- operations ---------------------------------------------------------------------------------------------

    def begins(self, call: BegunCall) -> None:
        """Examine what an operation may write to before it runs."""
        if not call.of.pure or (call.kwargs and call.kwargs.get("out") is not None):
            self._begun[call.index] = self._in_all(call.inputs)

    def failed(self, call: BegunCall) -> None:
        """The operation raised an error of its own."""
        self._begun.pop(call.index, None)

    def ends(self, call: BegunCall, result: object) -> None:
        """Raise NonFinite if an operation made NaN or infinity of finite numbers."""
        before, inputs = self._begun.pop(call.index, None), call.inputs
        if not inputs or call.opaque or call.of.name in _UNFILLED:
            return
        kinds_there = self._in_all([*tensors_in(result, []), *(inputs if before is not None else ())])
        if not kinds_there & self._kinds:
            return
        new = self._arising(kinds_there, self._in_all(inputs) if before is None else before)
        if new and not _holds_nonfinite((call.args, call.kwargs or {})):  # the program's own, as of a mask
            place = self._place(call.index)
            said = "stop-input" if before is None else "stop-written"
            self._stop(say("en", "stop-forward", kinds=_told(new), call=call.of.name, **place), inputs, said=said)

    def _arising(self, there: Kinds, given: Kinds) -> Kinds:
        """What an operation made: NaN if no input was NaN, infinity if all inputs were finite."""
        return (there & self._kinds) - (given | {"inf"} if given else given)

    # ---- backward -----------------------------------------------------------------------------------------------

    def _hooked(self, node: Any, index: int) -> Any:
        """Watch a node; return the handle of its hook."""

        def ran(leaving: tuple, arriving: tuple) -> None:
            if self._recorder is not None and self._recorder.sink.run is not None:
                with without_modes():
                    self._passed(index, leaving, arriving)

        return node.register_hook(ran)

    def _passed(self, node: int, leaving: tuple, arriving: tuple) -> None:
        came, left = self._in_all(arriving), self._in_all(leaving)
        sent = came & self._kinds
        new = sent or self._arising(left, came)
        if not new:
            return
        rows = self._recorder.rows
        name, operation = (rows.nodes.field(node, field) for field in (NODE_NAME, NODE_OPERATION))
        place = self._place(operation) if operation in rows.operations else {"code": "none", "line": "none"}
        message = "stop-arrives" if sent else "stop-backward"
        inputs = [] if sent or not operation else self._inputs(operation)
        sentence = say("en", message, kinds=_told(new), node=name, **place)
        self._stop(sentence, inputs, [gradient for gradient in arriving if gradient is not None])

    def _inputs(self, operation: int) -> list[torch.Tensor]:
        """The inputs of an operation that live and are unchanged."""
        rows = self._recorder.rows
        if operation not in rows.operations:
            return []
        given = (rows.operations.field(operation, field) for field in (OP_INPUTS, OP_VERSIONS))
        living = ((rows.tensors.living(index), version) for index, version in zip(*given, strict=True))
        return [tensor for tensor, version in living if tensor is not None and tensor._version == version]

    # ---- optimizers ---------------------------------------------------------------------------------------------

    def _stepped(self, optimizer: Any, _args: tuple, _kwargs: dict) -> None:
        """Raise NonFinite if a step has made a parameter NaN or infinite."""
        if threading.get_ident() != self._thread:
            return
        with without_modes():
            parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
            new = self._in_all(parameters) & self._kinds
            if new:
                nonfinite = [parameter for parameter in parameters if self._in(parameter) & self._kinds]
                self._stop(
                    say("en", "stop-step", kinds=_told(new), name=type(optimizer).__name__),
                    nonfinite,
                    said="stop-parameter",
                )

    # ---- what is found ------------------------------------------------------------------------------------------

    def _in_all(self, tensors: Any) -> Kinds:
        return _NONE.union(*(self._in(tensor) for tensor in tensors if isinstance(tensor, torch.Tensor)))

    def _in(self, tensor: torch.Tensor) -> Kinds:
        """What a tensor contains of NaN and infinity; nothing where it cannot be read."""
        try:
            return nonfinite_in(tensor)
        except Exception as problem:  # wrappers of torch.func, fake tensors, layouts and dtypes without a sum
            raise_if_own_fault(problem)
            return _NONE

    def _place(self, operation: int) -> dict[str, str]:
        """The code and the line of an operation."""
        rows, source_map = self._recorder.rows.operations, self._recorder.source_map
        span = rows.field(operation, OP_SPAN)
        if span < 0:
            return {"code": rows.field(operation, OP_NAME), "line": "none"}
        cell, line, start, end_line, end = list(source_map.spans)[span]
        text = source_map.lines[cell][line - 1].decode("utf-8", "replace")
        code = text[start:end] if line == end_line else text[start:] + " …"
        file = self._file(cell)
        return {"code": code, "line": f"{file}:{line}" if file else str(line)}

    def _stop(
        self,
        message: str,
        inputs: Sequence[torch.Tensor],
        gradients: Sequence[torch.Tensor] = (),
        said: str = "stop-input",
    ) -> None:
        """Raise, with the debugger first if that was asked for."""
        tensors = [("stop-gradient", tensor) for tensor in gradients] + [(said, tensor) for tensor in inputs]
        lines = [say("en", kind, text=self._described(tensor)) for kind, tensor in tensors[:_MOST_TOLD]]
        problem = NonFinite("\n  ".join([message, *lines]), inputs, gradients)
        if self._breaks:
            print(problem)
            breakpoint()  # `up` leads to your line; inputs and gradients are variables here
        raise problem

    def _described(self, tensor: torch.Tensor) -> str:
        shape, dtype = tuple(tensor.shape), str(tensor.dtype).removeprefix("torch.")
        signs = "".join(f", {_SIGNS[kind]}" for kind in sorted(self._in(tensor)))
        try:
            entries = _entries(tensor)
            finite = TensorBase.__getitem__(entries, _VariableFunctions.isfinite(entries))
            low, high = map(single, TensorBase.aminmax(TensorBase.double(finite)))
        except (RuntimeError, AttributeError):  # no finite entries, or none that can be read
            return f"{dtype} {shape}{signs}"
        return f"{dtype} {shape}, {number(low)} … {number(high)}{signs}"


class StoppingRecorder(Recorder):
    """A recorder that ends the program at its first NaN or infinity. Attributes: first: what watches for it."""

    first: FirstNonFinite

    def begin(self, call, args, kwargs, caller):
        """As Recorder.begin."""
        begun = super().begin(call, args, kwargs, caller)
        if begun is not None:
            self.first.begins(begun)
        return begun

    def failed(self, begun, problem):
        """As Recorder.failed."""
        if begun is not None:
            self.first.failed(begun)
        super().failed(begun, problem)

    def end(self, begun, result):
        """As Recorder.end. Raises NonFinite."""
        super().end(begun, result)
        self.first.ends(begun, result)

    def close(self):
        """As Recorder.close."""
        self.first.close()
        super().close()


def asked_kinds(stop_on: Any) -> Kinds:
    """The kinds in `stop_on=`. Raises ValueError for unknown ones."""
    given = [] if stop_on is None else [stop_on] if isinstance(stop_on, str) else stop_on
    try:
        return _NONE.union(*(KINDS[kind] for kind in given))
    except (TypeError, KeyError):
        names = ", ".join(f'"{kind}"' for kind in KINDS)
        raise ValueError(say("en", "api-stop-on", known=names, given=repr(stop_on)[:80])) from None


def nonfinite_in(tensor: torch.Tensor) -> Kinds:
    """What a tensor contains of NaN and infinity. Raises RuntimeError where it cannot be read."""
    if (
        not (TensorBase.is_floating_point(tensor) or TensorBase.is_complex(tensor))
        or tensor.is_meta
        or not TensorBase.numel(tensor)
    ):
        return _NONE
    entries = _entries(tensor)
    total = TensorBase.sum(entries, dtype=torch.float32 if TensorBase.element_size(entries) < 4 else None)
    if math.isfinite(single(total)):  # a NaN or an infinity would be in the sum
        return _NONE
    asked = {"nan": _VariableFunctions.isnan, "inf": _VariableFunctions.isinf}
    return frozenset(kind for kind, has in asked.items() if single(TensorBase.any(has(entries))))


def _entries(tensor: torch.Tensor) -> torch.Tensor:
    """The entries as real numbers; of a sparse tensor those that it stores."""
    entries = TensorBase.detach(plain_tensor(tensor))
    if entries.layout is torch.sparse_coo:
        entries = TensorBase._values(entries)
    return (
        _VariableFunctions.view_as_real(TensorBase.resolve_conj(entries)) if TensorBase.is_complex(entries) else entries
    )


def _holds_nonfinite(given: Any, depth: int = 0) -> bool:
    if isinstance(given, float):
        return not math.isfinite(given)
    if depth < 4 and isinstance(given, dict):
        given = tuple(given.values())
    return depth < 4 and isinstance(given, list | tuple) and any(_holds_nonfinite(one, depth + 1) for one in given)


def _told(kinds: Kinds) -> str:
    return " + ".join(_SIGNS[kind] for kind in sorted(kinds, reverse=True))
