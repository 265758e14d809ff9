"""Objects of a run, linked through their Run.

The Run creates each on first use and only once (`explorer.analysis.run.model`), so two tensors (calls, …) are the same
exactly if they are one object.
"""

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from explorer.analysis.run.source.code import Code
from explorer.safe_regex import plain
from explorer.text.numbers import sizes
from explorer.trace import EVALUATES, Argument, Arguments, Backward, Binding, OptimizerRow, TrainingCall

if TYPE_CHECKING:
    from explorer.analysis.run.model import Run

_STEPPED = plain(r"([\w.\[\]\"']{1,60})\.step\s*\(\s*([\w.\[\]\"']{0,60})\s*\)?")
_MADE = plain(r"\s*([\w.\[\]\"']{1,60})\s*=\s*")


def assigned_name(bindings: Iterable[Binding]) -> str:
    """Return the first name from an assignment, otherwise the first not ended by another."""
    return min(bindings, key=lambda b: (b.span < 0, b.span < 0 <= b.until, b.start)).name


@dataclass(frozen=True, eq=False)
class Tensor:
    """A tensor. Attributes: id: its row in the Trace."""

    run: "Run" = field(repr=False)
    id: int

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Sizes."""
        return self.run.shape(self.id)

    @property
    def size(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)

    @property
    def dtype(self) -> str:
        """torch's name of its dtype, without `torch.`."""
        return self.run.dtype(self.id)

    @property
    def requires_grad(self) -> bool:
        """Return whether it requires grad."""
        return self.run.trace.tensors.requires_grad[self.id]

    @property
    def is_leaf(self) -> bool:
        """Return whether it has no history."""
        return self.run.trace.tensors.is_leaf[self.id]

    @property
    def is_parameter(self) -> bool:
        """Return whether it is an nn.Parameter."""
        return self.run.trace.tensors.is_parameter[self.id]

    @property
    def gets_grad(self) -> bool:
        """Return whether backward would fill its `.grad`: a leaf that requires grad."""
        return self.is_leaf and self.requires_grad

    @property
    def bindings(self) -> list[Binding]:
        """Names, with their times."""
        return self.run.trace.index.bindings.get(self.id, [])

    @property
    def names(self) -> list[str]:
        """Names, in order."""
        return [binding.name for binding in self.bindings]

    @property
    def name(self) -> str:
        """Name for sentences: a parameter's path, assigned name, creating text, or shape."""
        if names := self.names:
            dotted = (name for name in reversed(names) if "." in name and self.is_parameter)
            return next(dotted, "") or assigned_name(self.bindings)
        place = self.place
        return place.text if place is not None and place.line == place.span.end_line else sizes(self.shape)

    @property
    def path(self) -> str:
        """Name for lists of parameters, preferring a module path over a loop variable."""
        return next((name for name in reversed(self.names) if "." in name), "") or self.name

    @property
    def maker(self) -> "Call | None":
        """Call that created it, None if not recorded."""
        made = self.run.makers.get(self.id)
        return None if made is None else self.run.call(made)

    def made_by(self, names: Collection[str]) -> "Call | None":
        """Return its creating call if of these names, or None."""
        maker = self.maker
        return maker if maker is not None and maker.name in names and maker.inputs else None

    @cached_property
    def users(self) -> "list[Call]":
        """Calls that read it, in order."""
        return [self.run.call(user) for user in self.run.users.get(self.id, ())]

    @cached_property
    def writes(self) -> "list[Call]":
        """Calls that wrote to it later, in order."""
        return [self.run.call(write) for write in self.run.writes(self.id)]

    @property
    def uses_for_roots(self) -> "list[Call]":
        """Calls on a path to a root that read it."""
        return [user for user in self.users if user.leads_to_root]

    @property
    def place(self) -> Code | None:
        """Place where the program created it."""
        return self.run.places.get(self.id)

    @property
    def home(self) -> Code | None:
        """Place where the program created or first read it."""
        read = (user.place for user in self.users if not user.is_of_optimizer and user.place is not None)
        return self.place or next(read, None)

    @property
    def is_of_library(self) -> bool:
        """Return whether this is a library's wrapper: unnamed, in the memory of a named tensor.

        A light recording has no memory addresses, so any tensor of an unrecorded call may be a wrapper there.
        """
        storage = self.run.trace.tensors.storage[self.id]
        if self.bindings:
            return False
        if storage < 0:
            return self.maker is None and not self.is_parameter
        return any(self.run.tensor(one).bindings for one in self.run.trace.index.in_storage[storage] if one != self.id)

    @cached_property
    def grads(self) -> "set[Tensor]":
        """Tensors that reading its `.grad` returned."""
        reads = (user for user in self.users if user.name == "grad" and user.inputs[0] is self)
        return {grad for read in reads for grad in read.outputs}

    @cached_property
    def grad_sets(self) -> "list[Call]":
        """Calls that set its `.grad`, also to None as `zero_grad` does."""
        names = ("zero_grad", "grad=")
        return [user for user in self.users if user.name in names and (user.name != "grad=" or user.inputs[0] is self)]

    @cached_property
    def backwards(self) -> "list[BackwardCall]":
        """Program's backward calls that computed its gradient."""
        return [call for call in self.run.backwards if self in call.brought]

    def behind(self, through: Collection[str], most: int = 4) -> "Tensor":
        """Return the tensor at the origin of a chain of these calls (first operands)."""
        tensor = self
        for _ in range(most):
            maker = tensor.made_by(through)
            if maker is None:
                break
            tensor = maker.inputs[0]
        return tensor

    def readers(self, through: Collection[str], most: int = 20) -> "Iterator[tuple[Call, Tensor]]":
        """Yield the calls that read it, with the tensor read."""
        todo, seen = [self], {self}
        while todo and len(seen) < most:
            tensor = todo.pop()
            for user in tensor.users:
                yield user, tensor
                if user.name in through:
                    fresh = [output for output in user.outputs if output not in seen]
                    seen.update(fresh)
                    todo += fresh

    def value(self, time: "Time") -> int:
        """Return its value id at a time, or -1."""
        row = self.run.trace.index.before(self.id, time if isinstance(time, int) else time.time)
        return -1 if row is None else self.run.trace.versions.value[row]

    def before(self, time: "Time") -> np.ndarray | None:
        """Return its recorded entries at a time."""
        return self.run.entries(self.value(time))

    @cached_property
    def changed_unseen(self) -> bool | None:
        """Return whether its final entries differ from the first, None if unknown.

        Used for partly counted runs. False if all was recorded, because the writes then show it.
        Changes before the first recorded read may have been read before.
        """
        trace = self.run.trace
        if not self.run.is_shortened:
            return False
        read = next((user for user in self.users if self not in user.outputs), None)  # until then it is initialized
        first, last = (trace.versions.value[trace.versions_of(self.id)[at]] for at in (0, -1))
        first = first if read is None else self.value(read)
        if self.id not in trace.index.bound.values() or min(first, last) < 0:
            return None
        unseen = any(trace.versions.operation[row] < 0 for row in trace.versions_of(self.id)[1:])
        return trace.value(first) != trace.value(last) or (None if unseen else False)

    @property
    def reached_unseen(self) -> bool:
        """Return whether a backward that was only counted may have computed its gradient."""
        held = self.run.is_shortened and self.run.trace.tensors.grad[self.id] >= 0
        return held or self.changed_unseen is not False

    def is_zero(self, time: "Time") -> bool:
        """Return whether all its entries, unrecorded ones included, were 0 at a time."""
        return self.run.is_zero(self.value(time))

    @property
    def last(self) -> np.ndarray | None:
        """Recorded entries in its last state."""
        rows = self.run.trace.versions_of(self.id)
        return self.run.entries(self.run.trace.versions.value[rows[-1]]) if rows else None

    @property
    def is_in_unread_memory(self) -> bool:
        """Return whether its memory has no named tensor and is only written or viewed."""
        alike = set(self.run.tensors(self.run.trace.index.in_storage[self.run.trace.tensors.storage[self.id]]))
        uses = {user for tensor in alike for user in tensor.users}
        kept = (user.name == "__setitem__" or (user.outputs and alike.issuperset(user.outputs)) for user in uses)
        return not any(one.bindings for one in alike) and all(kept) and all(use.inputs[0] in alike for use in uses)

    def is_computed_from(self, leaves: Collection[int]) -> bool:
        """Return whether it was computed from one of these tensors, not counting themselves."""
        return self.id not in leaves and not self.run.below([self], 2_000).isdisjoint(leaves)

    def shares_entries(self, other: "Tensor") -> bool:
        """Return whether two tensors are the same entries of the same memory."""
        own = self.run.layout(self.id)
        return own[0] >= 0 and own == self.run.layout(other.id)


@dataclass(frozen=True, eq=False)
class Call:
    """A call of torch. Attributes: id: its row among the operations, and its time."""

    run: "Run" = field(repr=False)
    id: int

    @property
    def time(self) -> int:
        """Number of operations begun before it."""
        return self.id

    @property
    def name(self) -> str:
        """Short name. `grad` is the attribute, GRAD_CALL the function."""
        return self.run.names[self.id]

    @cached_property
    def inputs(self) -> list[Tensor]:
        """Tensors it read, in order."""
        return [self.run.tensor(tensor) for tensor in self.run.operations.inputs[self.id]]

    @cached_property
    def outputs(self) -> list[Tensor]:
        """Tensors it returned."""
        return [self.run.tensor(tensor) for tensor in self.run.operations.outputs[self.id]]

    @cached_property
    def place(self) -> Code | None:
        """Place in the program, or None."""
        return self.run.place(self.span)

    @property
    def span(self) -> int:
        """Place as a row of the Trace, -1 if there is none."""
        return self.run.operations.span[self.id]

    @property
    def text(self) -> str:
        """Program text of the call, or ""."""
        return self.run.text(self.id)

    @property
    def line(self) -> int:
        """Line on which it begins, 0 if unknown."""
        return self.run.trace.line(self.span)

    @property
    def leads_to_root(self) -> bool:
        """Return whether its results or writes reached the root of a later backward."""
        return self.run.leads_to_root[self.id]

    @property
    def records(self) -> bool:
        """Return whether gradients were recorded."""
        return self.run.operations.grad_enabled[self.id]

    @property
    def evaluates(self) -> bool:
        """Return whether its module was in evaluation mode."""
        modes = self.run.operations.modes
        return bool(modes) and bool(modes[self.id] & EVALUATES)

    @property
    def iteration(self) -> list[int]:
        """Counts of the enclosing loops, innermost last."""
        return self.run.operations.iteration[self.id]

    @property
    def model(self) -> str:
        """Outermost module that ran it, which an attribute or item may hold, "" if none."""
        path, models = self.module, self.run.trace.models
        ends = (at for at, sign in enumerate(f"{path}.") if sign == ".")
        return next((path[:at] for at in ends if path[:at] in models), path.partition(".")[0])

    @property
    def module(self) -> str:
        """Path of the module whose forward ran it, or ""."""
        return self.run.trace.string(self.run.operations.module[self.id]) or ""

    @property
    def is_of_optimizer(self) -> bool:
        """Return whether an optimizer ran it itself."""
        return self.id in self.run.inside

    @property
    def arguments(self) -> Arguments:
        """Arguments of the call."""
        return self.run.trace.arguments(self.id)

    def argument(self, position: int, *names: str) -> Argument:
        """Return an argument by name or position, or None."""
        return self.arguments.get(position, *names, default=None)

    def axis(self, position: int = 1) -> int | None:
        """Return the single axis given as `dim`, otherwise None."""
        given = self.argument(position, "dim", "axis")
        return given if isinstance(given, int) and not isinstance(given, bool) else None

    @property
    def numbers(self) -> list[float]:
        """Fractions among its arguments."""
        return [number for number in self.arguments.positional if isinstance(number, float)]

    @property
    def made(self) -> np.ndarray | None:
        """Recorded entries of its first output right after it."""
        return self.outputs[0].before(self.id + 1) if self.outputs else None

    @property
    def made_zero(self) -> bool:
        """Return whether all entries of its first output were 0 right after it."""
        return bool(self.outputs) and self.outputs[0].is_zero(self.id + 1)


@dataclass(frozen=True, eq=False)
class Node:
    """A node of the autograd graph. Attributes: id: its row in the Trace."""

    run: "Run" = field(repr=False)
    id: int

    @property
    def name(self) -> str:
        """torch's own, such as MulBackward0."""
        return self.run.trace.strings[self.run.trace.nodes.name[self.id]]

    @property
    def call(self) -> Call | None:
        """Call that created it."""
        made = self.run.trace.nodes.operation[self.id]
        return self.run.call(made) if made >= 0 else None

    @property
    def line(self) -> int:
        """Line of that call, 0 if unknown."""
        return self.call.line if self.call is not None else 0

    @property
    def is_own(self) -> bool:
        """Return whether it runs the program's own code, a Function's backward."""
        return self.run.trace.nodes.user_code[self.id]

    @property
    def leaf(self) -> Tensor | None:
        """Leaf whose gradients it accumulates, None for other nodes."""
        leaf = self.run.trace.nodes.variable[self.id]
        return self.run.tensor(leaf) if leaf >= 0 else None

    @property
    def targets(self) -> "list[Node | None]":
        """Nodes that it passes gradients to, in edge order."""
        return [self.run.node(node) if node >= 0 else None for node in self.run.trace.nodes.edges[self.id]]


@dataclass(frozen=True, eq=False)
class BackwardCall:
    """A call of the engine. Attributes: id: its row in the Trace."""

    run: "Run" = field(repr=False)
    id: int

    @property
    def row(self) -> Backward:
        """Record in the Trace."""
        return self.run.trace.backwards[self.id]

    @property
    def time(self) -> int:
        """Number of operations begun before it."""
        return self.row.operations

    @property
    def place(self) -> Code | None:
        """Place where the program called it."""
        return self.run.place(self.row.span)

    @property
    def roots(self) -> list[Tensor]:
        """Tensors at which it began."""
        return [self.run.tensor(root) for root in self.row.root_tensors if root >= 0]

    @cached_property
    def brought(self) -> dict[Tensor, tuple[int, int]]:
        """Leaves that it gave a gradient, with `.grad` values before and after.

        A leaf that received None is not included. After a limit, values may be missing.
        """
        row, grads = self.row, dict[Tensor, tuple[int, int]]()
        for leaf, before, after in zip(row.accumulated, row.before, row.after, strict=True):
            if after >= 0 or self.run.trace.limits:
                grads.setdefault(self.run.tensor(leaf), (before, after))
        return grads

    @property
    def nodes(self) -> list[Node]:
        """Nodes that it reached, in engine order."""
        return [self.run.node(node) for node in self.row.order]


@dataclass(frozen=True, eq=False)
class Optimizer:
    """An optimizer. Attributes: id: its row in the log of the training."""

    run: "Run" = field(repr=False)
    id: int

    @property
    def row(self) -> OptimizerRow:
        """Record in the Trace."""
        return self.run.trace.log.optimizers[self.id]

    @cached_property
    def tensors(self) -> list[Tensor]:
        """Known tensors."""
        return [self.run.tensor(tensor) for group in self.row.groups for tensor in group.tensors]

    @cached_property
    def steps(self) -> list[TrainingCall]:
        """Logged steps."""
        return self.run.log_of("step", self.id)

    @property
    def rates(self) -> list[float]:
        """Known learning rates of its steps."""
        return [step.value for step in self.steps if step.value is not None]

    @property
    def rate_left(self) -> float:
        """Learning rate after its last step or scheduler call, NaN if unknown."""
        calls = (call for call in reversed(self.run.trace.log.calls) if call.kind in ("step", "schedule"))
        return next((call.value for call in calls if call.subject == self.id and call.value is not None), math.nan)

    @property
    def place(self) -> Code | None:
        """Place where it was created, else its first step."""
        return self.run.place(self.row.span) or next((self.run.place(step.span) for step in self.steps), None)

    @property
    def name(self) -> str:
        """Program's name for it: from its creation, else from its step, else its class."""
        made = self.run.place(self.row.span)
        if made is not None:
            assigned = _MADE.fullmatch(made.whole_line[: made.span.column].rpartition(";")[2])
            called = made.text.partition("(")[0]
            # An agent or a trainer of a library makes its optimizers itself: `agent = SAC(...)`.
            if assigned and (called.endswith(self.row.kind) or "opt" in (assigned[1] + called).lower()):
                return assigned[1]
        if self.row.name:
            return self.row.name
        stepped = _STEPPED.search(self.run.trace.text(self.steps[0].span)[:200]) if self.steps else None
        if stepped:
            receiver, given = stepped[1], stepped[2]
            is_function = given == "lambda" or any(f"def {given}" in cell.source for cell in self.run.trace.cells)
            if not given or is_function:  # nothing or a closure was passed
                return receiver
            if "opt" in given.lower() or "scaler" in receiver.lower():  # a gradient scaler steps it
                return given
        return self.row.kind


@dataclass(frozen=True)
class Phase:
    """A call of an optimizer, or `zero_grad` of a module.

    Attributes: kind: step or zero_grad. begin, end: its operations. place: of the call.
    """

    kind: str
    begin: int
    end: int
    place: Code | None


Time: TypeAlias = int | Call | BackwardCall  # a moment: how many operations had begun
