"""The look-ups that all rules share, gathered in one pass over a Trace's columns."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from explorer.analysis.autograd.own_leaves import is_torchs_own
from explorer.text.numbers import number, shape_text
from explorer.trace import Backward, Span, Trace

GRAD_CALL = "autograd.grad"  # the function; torch gives it the name of the attribute, which is "grad" here
READ_ONLY = {
    "grad",
    GRAD_CALL,
    "grad=",
    "requires_grad=",
    "requires_grad_",
}  # operations on a leaf that do not use its entries
_ENTER, _EXIT = "_record_function_enter", "_record_function_exit"


@dataclass(frozen=True)
class Phase:
    """A call of an optimizer. Attributes: kind: step or zero_grad; begin, end: its operations; place: of the call."""

    kind: str
    begin: int
    end: int
    place: Span | None


class Facts:
    """Look-ups of one Trace. Operations, tensors, nodes and values are referred to by their ids in the Trace."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.operations = trace.operations
        self.count = len(trace.operations)
        self.names = [
            GRAD_CALL if trace.strings[function] == "grad" else trace.strings[name]
            for name, function in zip(trace.operations.name, trace.operations.function, strict=True)
        ]

    @cached_property
    def has_arguments(self) -> bool:
        """Whether the calls' arguments beside tensors were recorded: a light recording leaves them out."""
        return self.trace.options.detail == "complete"

    # The program's calls

    @cached_property
    def calls(self) -> list[tuple[int, Backward]]:
        """The program's own successful backward calls, with their numbers."""
        return [
            (number, call)
            for number, call in enumerate(self.trace.backwards)
            if call.kind != "implicit" and call.inside < 0 and call.status == "ok"
        ]

    @cached_property
    def leaves(self) -> list[int]:
        """Tensors that require a gradient and are no results; not those that torch made leaves of by itself."""
        columns = self.trace.tensors
        leaves = (i for i in range(len(columns)) if columns.requires_grad[i] and columns.is_leaf[i])
        return [leaf for leaf in leaves if leaf in self.received or not is_torchs_own(self.trace, leaf)]

    @cached_property
    def roots(self) -> set[int]:
        """The roots of backward calls."""
        return {tensor for _, call in self.calls for tensor in call.root_tensors if tensor >= 0}

    @cached_property
    def received(self) -> set[int]:
        """Leaves that some backward brought a gradient, including nested calls and `autograd.grad`."""
        done = [call for call in self.trace.backwards if call.status == "ok"]
        asked = (tensor for call in done if call.kind == "grad" for tensor in call.inputs)
        return {tensor for call in done for tensor in call.accumulated}.union(asked)

    @cached_property
    def phases(self) -> list[Phase]:
        """The optimizers' calls in order; torch records each between two marks of its profiler."""
        found = []
        for operation in range(self.count):
            label = self._label(operation)
            if label.startswith("Optimizer."):
                end = self._end_of(operation)
                kind = "zero_grad" if label.startswith("Optimizer.zero_grad") else "step"
                found.append(Phase(kind, operation, end, self.place(operation)))
        return found

    def _label(self, operation: int) -> str:
        if not self.names[operation].startswith(_ENTER):
            return ""
        label = self.trace.arguments(operation).get(0, default="")
        return label if isinstance(label, str) else ""

    def _end_of(self, operation: int) -> int:
        depth = 0
        for at in range(operation, self.count):
            depth += self.names[at].startswith(_ENTER) - self.names[at].startswith(_EXIT)
            if depth == 0:
                return at
        return self.count

    @cached_property
    def steps(self) -> list[Phase]:
        """The calls of `step`."""
        return [phase for phase in self.phases if phase.kind == "step"]

    @cached_property
    def inside(self) -> set[int]:
        """Operations that optimizers run themselves within their calls; those of a closure are the program's."""
        return {operation for phase in self.phases for operation in self.own_of(phase)}

    def own_of(self, phase: Phase) -> list[int]:
        """The operations of a call without those of its closure: gradients are recorded only in the closure."""
        whole = range(phase.begin, min(phase.end + 1, self.count))
        if not any(phase.begin < call.operations <= phase.end for call in self.trace.backwards):
            return list(whole)
        return [operation for operation in whole if not self.operations.grad_enabled[operation]]

    @cached_property
    def held(self) -> set[int]:
        """Tensors of the optimizers that stepped."""
        log = self.trace.log
        stepped = {call.subject for call in log.calls if call.kind == "step"}
        return {
            tensor
            for number, row in enumerate(log.optimizers)
            if number in stepped
            for group in row.groups
            for tensor in group.tensors
        }

    # Where entries go

    @cached_property
    def makers(self) -> dict[int, int]:
        """The operation that made each tensor."""
        found: dict[int, int] = {}
        for operation in range(self.count):
            read = self.operations.inputs[operation]
            for tensor in self.operations.outputs[operation]:
                if tensor not in read:
                    found.setdefault(tensor, operation)
        return found

    @cached_property
    def places(self) -> dict[int, Span]:
        """Where the program made each tensor: the first operation with a place that returned or filled it."""
        found: dict[int, Span] = {}
        for operation in range(self.count):
            place = self.place(operation)
            if place is not None:
                for tensor in self.operations.outputs[operation]:
                    found.setdefault(tensor, place)
        return found

    def home(self, tensor: int) -> Span | None:
        """Where the program made a tensor; if it existed before the recording, where the program first read it."""
        read = (place for at in self.users.get(tensor, ()) if at not in self.inside and (place := self.place(at)))
        return self.places.get(tensor) or next(read, None)

    @cached_property
    def users(self) -> dict[int, list[int]]:
        """The operations that read each tensor, in order."""
        found: dict[int, list[int]] = {}
        for operation in range(self.count):
            for tensor in dict.fromkeys(self.operations.inputs[operation]):
                found.setdefault(tensor, []).append(operation)
        return found

    @cached_property
    def leads_to_root(self) -> list[bool]:
        """Per operation whether entries that it made or wrote went into the root of a later backward."""
        begins: dict[int, list[int]] = {}
        for _, call in self.calls:
            begins.setdefault(call.operations, []).extend(tensor for tensor in call.root_tensors if tensor >= 0)
        found, live = [False] * self.count, set(begins.get(self.count, ()))
        for operation in range(self.count - 1, -1, -1):
            found[operation] = any(tensor in live for tensor in self.operations.outputs[operation])
            if found[operation]:
                live.update(self.operations.inputs[operation])
            live.update(begins.get(operation, ()))
        return found

    def roots_behind(self, tensor: int, begin: int, end: int, later: int) -> bool:
        """Whether results that operations `begin` to `end` computed from a tensor went into the root of a backward
        after `later`.
        """
        roots = {root for _, call in self.calls if call.operations > later for root in call.root_tensors}
        todo, seen = [(tensor, begin)], {tensor}
        while todo and roots:
            at, since = todo.pop()
            for user in self.users.get(at, ()):
                if not since <= user < (end if at == tensor else self.count) or self.names[user] in READ_ONLY:
                    continue
                fresh = set(self.operations.outputs[user]) - seen
                if fresh & roots:
                    return True
                seen |= fresh
                todo += [(output, user) for output in fresh]
        return False

    def reads_that_matter(self, tensor: int) -> list[int]:
        """The operations on a path to a root that used a tensor."""
        return [operation for operation in self.users.get(tensor, ()) if self.leads_to_root[operation]]

    def grads_of(self, tensor: int) -> set[int]:
        """The tensors that reading `.grad` of a leaf returned."""
        return {
            grad
            for operation in self.users.get(tensor, ())
            if self.names[operation] == "grad" and self.operations.inputs[operation][0] == tensor
            for grad in self.operations.outputs[operation]
        }

    def below(self, tensors: list[int], most: int = 10_000) -> set[int]:
        """The tensors that entries of these came from, themselves included."""
        todo, seen = list(tensors), set(tensors)
        while todo and len(seen) < most:
            maker = self.makers.get(todo.pop())
            if maker is not None:
                fresh = set(self.operations.inputs[maker]) - seen
                seen |= fresh
                todo += fresh
        return seen

    def writes(self, tensor: int) -> list[int]:
        """The recorded operations that wrote to a tensor after it was made, in order."""
        times = self.trace.versions.operation
        return sorted({times[row] for row in list(self.trace.versions_of(tensor))[1:] if times[row] >= 0})

    # Entries

    def entries(self, value: int) -> np.ndarray | None:
        """The recorded entries of a value, flat; None if there are none."""
        return self.trace.entries(value)

    def is_zero(self, value: int) -> bool:
        """Whether all entries of a value are 0, also those that were not recorded."""
        found = self.trace.value(value)
        return found is not None and found.is_zero

    def is_finite(self, value: int) -> bool:
        """Whether all entries of a value are finite, also those that were not recorded, as far as they are known."""
        found = self.trace.value(value)
        return found is None or not found.nonfinite

    def value_before(self, tensor: int, operation: int) -> int:
        """The value of a tensor when an operation began, -1 if it has none."""
        row = self.trace.index.before(tensor, operation)
        return -1 if row is None else self.trace.versions.value[row]

    def before(self, tensor: int, operation: int) -> np.ndarray | None:
        """The recorded entries of a tensor when an operation began."""
        return self.entries(self.value_before(tensor, operation))

    def made_zero(self, operation: int) -> bool:
        """Whether all entries of an operation's first output were 0 right after it."""
        outputs = self.operations.outputs[operation]
        return bool(outputs) and self.is_zero(self.value_before(outputs[0], operation + 1))

    def made(self, operation: int) -> np.ndarray | None:
        """The entries of an operation's first output right after it."""
        outputs = self.operations.outputs[operation]
        return self.before(outputs[0], operation + 1) if outputs else None

    def shape(self, tensor: int) -> tuple[int, ...]:
        """The sizes of a tensor."""
        return tuple(self.trace.shapes[self.trace.tensors.shape[tensor]])

    def dtype(self, tensor: int) -> str:
        """torch's name of a tensor's dtype, without `torch.`."""
        return (self.trace.string(self.trace.tensors.dtype[tensor]) or "").removeprefix("torch.")

    # Places and words

    def place(self, operation: int) -> Span | None:
        """The span of an operation, None if it has no place in the program."""
        span = self.operations.span[operation]
        return self.trace.spans[span] if span >= 0 else None

    def text(self, operation: int) -> str:
        """The program's text of an operation, "" if it has none."""
        return self.trace.text(self.operations.span[operation])

    def name(self, tensor: int) -> str:
        """The name of a tensor: a parameter's path, its first name, the text that made it, or its shape."""
        names = [binding.name for binding in self.trace.index.bindings.get(tensor, ())]
        if names:
            paths = (name for name in reversed(names) if "." in name and self.trace.tensors.is_parameter[tensor])
            return next(paths, names[0])
        place = self.places.get(tensor)
        if place is not None and place.line == place.end_line:
            return self.trace.cells[place.cell].lines[place.line - 1][place.column : place.end_column]
        return shape_text(tuple(self.shape(tensor))) or "()"

    def line(self, cell: int, number: int) -> Span:
        """A whole line of a cell as a place."""
        text = self.trace.cells[cell].lines[number - 1]
        return Span(cell, number, len(text) - len(text.lstrip()), number, len(text.rstrip()))


def is_zero(entries: np.ndarray | None) -> bool:
    """Whether there are recorded entries and all of them are 0. Of a large tensor only a sample is recorded:
    `Facts.is_zero` also knows the others.
    """
    return entries is not None and entries.size > 0 and not np.any(entries)


def numbers(entries: np.ndarray | None, most: int = 4) -> str:
    """The first entries as text."""
    if entries is None:
        return ""
    shown = ", ".join(number(entry) for entry in entries.ravel()[:most].tolist())
    more = ", …" if entries.size > most else ""
    return shown if entries.size == 1 else f"[{shown}{more}]"
