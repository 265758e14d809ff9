"""A run as linked objects: torch calls, tensors, nodes, backward calls, optimizers.

`run_of` creates the Run of a Trace once. Objects are created on first use and only once, so two tensors (calls, …) are
the same exactly if they are one object. Loops over all operations or very many tensors read the columns of `Run`
instead, which hold ids of the Trace.

Belongs here: look-ups for every question about a run. Does not belong here: interpretation, and names of tensors
(names).
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, pairwise, takewhile
from operator import attrgetter
from typing import TypeAlias, TypeVar

import numpy as np

from explorer.analysis.source.code import Code, code_at, code_of_row
from explorer.safe_regex import plain
from explorer.text.numbers import sizes
from explorer.trace import Argument, Arguments, Backward, Binding, OptimizerRow, Span, Trace, TrainingCall
from explorer.trace.training_log import CallKind

T = TypeVar("T")
GRAD_CALL = "autograd.grad"  # the function, which torch names "grad" like the attribute
ASKS = ("requires_grad_", "requires_grad=")  # set whether a tensor requires a gradient
READ_ONLY = frozenset(("grad", GRAD_CALL, "grad=", *ASKS))  # use no entries of a leaf
_TALL = 100  # lines of one place that are looked at
_ENTER, _EXIT = "_record_function_enter", "_record_function_exit"
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
        """Its sizes."""
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
        """Whether it requires a gradient."""
        return self.run.trace.tensors.requires_grad[self.id]

    @property
    def is_leaf(self) -> bool:
        """Whether it has no history."""
        return self.run.trace.tensors.is_leaf[self.id]

    @property
    def is_parameter(self) -> bool:
        """Whether it is an nn.Parameter."""
        return self.run.trace.tensors.is_parameter[self.id]

    @property
    def gets_grad(self) -> bool:
        """Whether backward would fill its `.grad`: a leaf that requires grad."""
        return self.is_leaf and self.requires_grad

    @property
    def bindings(self) -> list[Binding]:
        """Its names, with their times."""
        return self.run.trace.index.bindings.get(self.id, [])

    @property
    def names(self) -> list[str]:
        """Its names, in order."""
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
        """Return its creating call if that read tensors and has one of these names, or None."""
        maker = self.maker
        return maker if maker is not None and maker.name in names and maker.inputs else None

    @cached_property
    def users(self) -> "list[Call]":
        """Calls that read it, in order."""
        return [self.run.call(user) for user in self.run.users.get(self.id, ())]

    @property
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
        """Place where the program created it, or first read it if it existed before the recording."""
        read = (user.place for user in self.users if not user.is_of_optimizer and user.place is not None)
        return self.place or next(read, None)

    @cached_property
    def grads(self) -> "set[Tensor]":
        """Tensors that reading its `.grad` returned."""
        reads = (user for user in self.users if user.name == "grad" and user.inputs[0] is self)
        return {grad for read in reads for grad in read.outputs}

    @cached_property
    def backwards(self) -> "list[BackwardCall]":
        """Program's backward calls that brought it a gradient."""
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
        """Yield the calls that read it or such calls' results of it, with the tensor read."""
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
        """Whether its final entries differ from the first; None if unknown.

        Matters for a run that was partly only counted; False if all was recorded, since then its writes show it.
        Changes before the first recorded read may have been read before.
        """
        trace = self.run.trace
        if not self.run.is_shortened:
            return False
        read = next((user for user in self.users if self not in user.outputs), None)  # until then it is initialised
        first, last = (trace.versions.value[trace.versions_of(self.id)[at]] for at in (0, -1))
        first = first if read is None else self.value(read)
        if self.id not in trace.index.bound.values() or min(first, last) < 0:
            return None
        unseen = any(trace.versions.operation[row] < 0 for row in trace.versions_of(self.id)[1:])
        return trace.value(first) != trace.value(last) or (None if unseen else False)

    @property
    def reached_unseen(self) -> bool:
        """Whether a backward that was only counted may have brought it a gradient."""
        held = self.run.is_shortened and self.run.trace.tensors.grad[self.id] >= 0
        return held or self.changed_unseen is not False

    def is_zero(self, time: "Time") -> bool:
        """Return whether all its entries, unrecorded ones included, were 0 at a time."""
        return self.run.is_zero(self.value(time))

    @property
    def last(self) -> np.ndarray | None:
        """Its recorded entries in its last state."""
        rows = self.run.trace.versions_of(self.id)
        return self.run.entries(self.run.trace.versions.value[rows[-1]]) if rows else None

    @property
    def is_in_unread_memory(self) -> bool:
        """Whether its memory has no named tensor and is only written or viewed."""
        alike = set(self.run.tensors(self.run.trace.index.in_storage[self.run.trace.tensors.storage[self.id]]))
        uses = {user for tensor in alike for user in tensor.users}
        kept = (user.name == "__setitem__" or (user.outputs and alike.issuperset(user.outputs)) for user in uses)
        return not any(one.bindings for one in alike) and all(kept) and all(use.inputs[0] in alike for use in uses)

    def is_computed_from(self, leaves: Collection[int]) -> bool:
        """Return whether it was computed from one of these tensors, not counting themselves."""
        return self.id not in leaves and not self.run.below([self], 2_000).isdisjoint(leaves)

    def shares_entries(self, other: "Tensor") -> bool:
        """Return whether two tensors are the same entries of the same memory."""
        columns = self.run.trace.tensors
        layout = (columns.storage, columns.offset, columns.shape, columns.stride)
        return columns.storage[self.id] >= 0 and all(column[self.id] == column[other.id] for column in layout)


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
        """Short name; `grad` is the attribute, GRAD_CALL the function."""
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
        """Its place as a row of the Trace, -1 for none."""
        return self.run.operations.span[self.id]

    @property
    def text(self) -> str:
        """Program text of the call, or ""."""
        return self.run.text(self.id)

    @property
    def leads_to_root(self) -> bool:
        """Whether its results or writes reached the root of a later backward."""
        return self.run.leads_to_root[self.id]

    @property
    def records(self) -> bool:
        """Whether gradients were recorded."""
        return self.run.operations.grad_enabled[self.id]

    @property
    def iteration(self) -> list[int]:
        """Counts of the enclosing loops, innermost last."""
        return self.run.operations.iteration[self.id]

    @property
    def module(self) -> str:
        """Path of the module whose forward ran it, or ""."""
        return self.run.trace.string(self.run.operations.module[self.id]) or ""

    @property
    def is_of_optimizer(self) -> bool:
        """Whether an optimizer ran it itself."""
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
        """Whether all entries of its first output were 0 right after it."""
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
        """Its record in the Trace."""
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
        """Leaves that it brought a gradient, with `.grad` values before and after.

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
        """Its record in the Trace."""
        return self.run.trace.log.optimizers[self.id]

    @cached_property
    def tensors(self) -> list[Tensor]:
        """Its known tensors."""
        return [self.run.tensor(tensor) for group in self.row.groups for tensor in group.tensors]

    @cached_property
    def steps(self) -> list[TrainingCall]:
        """Its logged steps."""
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
            if not given or is_function:  # nothing, or a closure
                return receiver
            if "opt" in given.lower() or "scaler" in receiver.lower():  # a gradient scaler steps it
                return given
        return self.row.kind


@dataclass(frozen=True)
class Phase:
    """A call of an optimizer. Attributes: kind: step or zero_grad. begin, end: its operations. place: of the call."""

    kind: str
    begin: int
    end: int
    place: Code | None


Time: TypeAlias = int | Call | BackwardCall  # a moment: how many operations had begun


class Run:
    """The objects of one Trace, and the columns that hot loops read."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.operations = trace.operations
        self.count = len(trace.operations)
        self._tensors: dict[int, Tensor] = {}
        self._calls: dict[int, Call] = {}
        self._nodes: dict[int, Node] = {}

    @cached_property
    def is_shortened(self) -> bool:
        """Whether part of the run was only counted, so that unrecorded events may have happened."""
        return any(bound.kind == "operations" for bound in self.trace.limits)

    # Objects

    def tensor(self, tensor: int) -> Tensor:
        """Return the tensor with this id."""
        return self._tensors.get(tensor) or self._tensors.setdefault(tensor, Tensor(self, tensor))

    def tensors(self, tensors: Iterable[int]) -> list[Tensor]:
        """Return the tensors with these ids."""
        return [self.tensor(tensor) for tensor in tensors]

    def call(self, operation: int) -> Call:
        """Return the call with this id."""
        return self._calls.get(operation) or self._calls.setdefault(operation, Call(self, operation))

    def calls(self, names: Iterable[str]) -> Iterator[Call]:
        """Yield the calls with these names in order, without those on merely counted inputs."""
        for operation in sorted(at for name in dict.fromkeys(names) for at in self.by_name.get(name, ())):
            if not self.is_shortened or self.trace.arguments(operation).is_whole:
                yield self.call(operation)

    def rooted(self, names: Iterable[str]) -> Iterator[Call]:
        """Yield the placed calls with these names that read tensors and lead to a root."""
        return (call for call in self.calls(names) if call.leads_to_root and call.inputs and call.place is not None)

    def node(self, node: int) -> Node:
        """Return the node with this id."""
        return self._nodes.get(node) or self._nodes.setdefault(node, Node(self, node))

    @cached_property
    def backwards(self) -> list[BackwardCall]:
        """Program's own successful backward calls."""
        return [
            BackwardCall(self, number)
            for number, call in enumerate(self.trace.backwards)
            if call.kind != "implicit" and call.inside < 0 and call.status == "ok"
        ]

    @cached_property
    def optimizers(self) -> list[Optimizer]:
        """All optimizers."""
        return [Optimizer(self, number) for number in range(len(self.trace.log.optimizers))]

    @cached_property
    def stepped(self) -> list[Optimizer]:
        """Optimizers that took a step."""
        return [optimizer for optimizer in self.optimizers if optimizer.steps]

    def log_of(self, kind: CallKind, subject: int | None = None) -> list[TrainingCall]:
        """Return the logged calls of a kind in order, optionally for one subject."""
        calls = self.trace.log.calls
        alike = self.trace.index.memoize(("logged", kind), lambda: [call for call in calls if call.kind == kind])
        return alike if subject is None else [call for call in alike if call.subject == subject]

    # Places

    def place(self, span: int) -> Code | None:
        """Return the code at a span, None for -1."""
        return code_at(self.trace, span)

    def line(self, cell: int, number: int) -> Code:
        """Return the code on a line of a cell."""
        text = self.trace.cells[cell].lines[number - 1]
        return code_at(self.trace, Span(cell, number, len(text) - len(text.lstrip()), number, len(text.rstrip())))

    @cached_property
    def ran(self) -> set[tuple[int, int]]:
        """Cells and lines known to have run: operations, backward and training calls."""
        spans = {*self.operations.span, *(call.span for call in self.trace.backwards)}
        spans |= {call.span for call in self.trace.log.calls}
        places = (self.trace.spans[span] for span in spans if span >= 0)
        return {(one.cell, line) for one in places for line in range(one.line, min(one.end_line, one.line + _TALL) + 1)}

    def text(self, operation: int) -> str:
        """Return an operation's program text, "" without one or for -1."""
        return self.trace.text(self.operations.span[operation]) if operation >= 0 else ""

    # Columns

    @cached_property
    def names(self) -> list[str]:
        """Name of each operation."""
        strings, columns = self.trace.strings, self.operations
        pairs = zip(columns.name, columns.function, strict=True)
        return [GRAD_CALL if strings[function] == "grad" else strings[name] for name, function in pairs]

    @cached_property
    def by_name(self) -> dict[str, list[int]]:
        """Operations of each name, in order."""
        operations: dict[str, list[int]] = {}
        for operation, name in enumerate(self.names):
            operations.setdefault(name, []).append(operation)
        return operations

    @cached_property
    def has_arguments(self) -> bool:
        """Whether non-tensor arguments were recorded; a light recording omits them."""
        return self.trace.options.detail == "complete"

    @cached_property
    def leaves(self) -> list[int]:
        """Leaves that require grad, without leaves that torch created by itself."""
        columns = self.trace.tensors
        leaves = (i for i in range(len(columns)) if columns.requires_grad[i] and columns.is_leaf[i])
        return [leaf for leaf in leaves if leaf in self.received or not is_torchs_own(self.trace, leaf)]

    @cached_property
    def roots(self) -> set[int]:
        """Roots of backward calls."""
        return {root.id for call in self.backwards for root in call.roots}

    @cached_property
    def received(self) -> set[int]:
        """Leaves that some backward brought a gradient, including nested calls and `autograd.grad`."""
        return set(self.bringers)

    @cached_property
    def bringers(self) -> dict[int, set[int]]:
        """Calls that brought each leaf a gradient, including nested ones and `autograd.grad`."""
        bringers: dict[int, set[int]] = {}
        for number, call in enumerate(self.trace.backwards):
            asked = call.inputs if call.kind == "grad" else ()
            pairs = zip(call.accumulated, call.after, strict=True)
            emptied = self._reached(call) if -1 in call.after and not self.trace.limits else set()
            came = [leaf for leaf, after in pairs if after >= 0 or self.trace.limits or leaf in emptied]
            for tensor in (*came, *asked) if call.status == "ok" else ():
                bringers.setdefault(tensor, set()).add(number)
        return bringers

    def _reached(self, call: Backward) -> set[int]:
        """Return leaves that a call's gradient reached, even if a hook then emptied `.grad`."""
        variable = self.trace.nodes.variable
        ended = ((step, variable[node]) for step, node in enumerate(call.order) if variable[node] >= 0)
        return {leaf for step, leaf in ended if max(call.arrived[step], default=-1) >= 0}

    @cached_property
    def held(self) -> set[int]:
        """Tensors of the optimizers that stepped."""
        return {tensor.id for optimizer in self.stepped for tensor in optimizer.tensors}

    @cached_property
    def phases(self) -> list[Phase]:
        """Optimizer calls in order, recorded between two profiler marks each.

        Calls whose end was only counted are left out, because their effect is unknown. So are steps that seem to end
        with another round's call, such as a zero_grad, because they read no gradient or remove one.
        """
        phases = []
        for operation in sorted(at for name in self.by_name if name.startswith(_ENTER) for at in self.by_name[name]):
            label = self.trace.arguments(operation).get(0, default="")
            if isinstance(label, str) and label.startswith("Optimizer."):
                kind = "zero_grad" if label.startswith("Optimizer.zero_grad") else "step"
                if (end := self._end_of(operation)) is not None:
                    phases.append(Phase(kind, operation, end, self.call(operation).place))
        return [phase for phase in phases if not self.is_shortened or not self._is_joined(phase)]

    def _is_joined(self, phase: Phase) -> bool:
        """Return whether a step of a shortened run seems to end with another call."""
        did = {self.names[operation] for operation in self.own_of(phase)}
        return phase.kind == "step" and ("grad" not in did or "grad=" in did)

    def _end_of(self, operation: int) -> int | None:
        depth = 0
        for at in range(operation, self.count):
            depth += self.names[at].startswith(_ENTER) - self.names[at].startswith(_EXIT)
            if depth == 0:
                return at
        return None if self.is_shortened else self.count

    @cached_property
    def steps(self) -> list[Phase]:
        """Calls of `step`."""
        return [phase for phase in self.phases if phase.kind == "step"]

    @cached_property
    def inside(self) -> set[int]:
        """Operations that optimizers run inside their calls, without their closures'."""
        return {operation for phase in self.phases for operation in self.own_of(phase)}

    def trained_next(self, time: int) -> set[int]:
        """Return the tensors that the next step moves; without optimizers, those with gradients."""
        steps = self.log_of("step")
        later = islice(steps, bisect_right(steps, time, key=attrgetter("operations")), None)
        step = next((step for step in later if step.subject >= 0), None)
        return self.received if step is None else self._trained_by[step.subject]

    @cached_property
    def _trained_by(self) -> list[set[int]]:
        """Tensors of each optimizer."""
        return [{tensor.id for tensor in optimizer.tensors} for optimizer in self.optimizers]

    def backwards_for(self, leaf: int) -> list[int]:
        """Return the backward calls followed by a step that moves a leaf, or all if there are none."""
        held = [subject for subject, tensors in enumerate(self._trained_by) if leaf in tensors]
        groups = self._backwards_before.items()
        own = sorted(call for subjects, calls in groups if not subjects.isdisjoint(held) for call in calls)
        return own or sorted(call for _, calls in groups for call in calls)

    @cached_property
    def _backwards_before(self) -> dict[frozenset[int], list[int]]:
        """Backward calls by the optimizers that step next, up to the following backward."""
        steps = [step for step in self.log_of("step") if step.subject >= 0]
        begins, found = [call.time for call in self.backwards], dict[frozenset[int], list[int]]()
        for call in self.backwards:
            later = islice(steps, bisect_right(steps, call.time, key=attrgetter("operations")), None)
            first = next(later, None)
            until = 0 if first is None else bisect_right(begins, first.operations)
            end = begins[until] if until < len(begins) else self.count
            further = takewhile(lambda step: step.operations < end, later)  # noqa: B023 it is used up here
            subjects = frozenset(step.subject for step in (first, *further) if step is not None)
            if not call.row.inputs:
                found.setdefault(subjects, []).append(call.id)
        return found

    def own_backward(self, leaf: int, shown: int | None) -> int | None:
        """Return the backward that explains a leaf's missing gradient.

        This is the last that trains it if the shown backward trains others. Otherwise it is the shown one, even if it
        failed or was restricted to some leaves.
        """
        own = self.backwards_for(leaf)
        of_others = shown not in own and any(shown in calls for by, calls in self._backwards_before.items() if by)
        return own[-1] if of_others else shown

    def own_of(self, phase: Phase) -> list[int]:
        """Return a call's operations without those of its closure, which alone records gradients."""
        whole = range(phase.begin, min(phase.end + 1, self.count))
        begun = self.trace.index.memoize(("begun",), lambda: [call.operations for call in self.trace.backwards])
        if bisect_right(begun, phase.begin) == bisect_right(begun, phase.end):
            return list(whole)
        return [operation for operation in whole if not self.operations.grad_enabled[operation]]

    # Where entries go

    @cached_property
    def makers(self) -> dict[int, int]:
        """Operation that made each tensor."""
        makers: dict[int, int] = {}
        for operation in range(self.count):
            read = self.operations.inputs[operation]
            for tensor in self.operations.outputs[operation]:
                if tensor not in read:
                    makers.setdefault(tensor, operation)
        return makers

    @cached_property
    def places(self) -> dict[int, Code]:
        """Place where the program created each tensor: its first placed operation."""
        spans: dict[int, int] = {}
        for operation, span in enumerate(self.operations.span):
            for tensor in self.operations.outputs[operation] if span >= 0 else ():
                spans.setdefault(tensor, span)
        return {tensor: code_of_row(self.trace, span) for tensor, span in spans.items()}

    @cached_property
    def users(self) -> dict[int, list[int]]:
        """Operations that read each tensor, in order."""
        users: dict[int, list[int]] = {}
        for operation in range(self.count):
            for tensor in dict.fromkeys(self.operations.inputs[operation]):
                users.setdefault(tensor, []).append(operation)
        return users

    @cached_property
    def leads_to_root(self) -> list[bool]:
        """For each operation, whether its results reached the root of a later backward."""
        begins: dict[int, list[int]] = {}
        for call in self.backwards:
            begins.setdefault(call.time, []).extend(root.id for root in call.roots)
        leads, live = [False] * self.count, set(begins.get(self.count, ()))
        for operation in range(self.count - 1, -1, -1):
            leads[operation] = any(tensor in live for tensor in self.operations.outputs[operation])
            if leads[operation]:
                live.update(self.operations.inputs[operation])
            live.update(begins.get(operation, ()))
        return leads

    def roots_behind(self, tensor: int, begin: int, end: int, later: int) -> bool:
        """Return whether a tensor's results in an operation range reached a root after `later`."""
        roots = {root.id for call in self.backwards if call.time > later for root in call.roots}
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
        """Return the operations on a path to a root that used a tensor."""
        return [operation for operation in self.users.get(tensor, ()) if self.leads_to_root[operation]]

    def below(self, tensors: Iterable[Tensor], most: int = 10_000) -> set[int]:
        """Return the tensors that these were computed from, themselves included."""

        def read(tensor: int) -> list[int]:
            maker = self.makers.get(tensor)
            return [] if maker is None else self.operations.inputs[maker]

        return set(islice(reachable([tensor.id for tensor in tensors], read), most))

    def writes(self, tensor: int) -> list[int]:
        """Return the recorded operations that wrote to a tensor later, in order."""
        times = self.trace.versions.operation
        return sorted({times[row] for row in list(self.trace.versions_of(tensor))[1:] if times[row] >= 0})

    # Values

    def entries(self, value: int) -> np.ndarray | None:
        """Return a value's recorded entries, flat, or None."""
        return self.trace.entries(value)

    def is_zero(self, value: int) -> bool:
        """Return whether all entries of a value, unrecorded ones included, are 0."""
        content = self.trace.value(value)
        return content is not None and content.is_zero

    def is_finite(self, value: int) -> bool:
        """Return whether all entries of a value, unrecorded ones included, are finite as far as known."""
        content = self.trace.value(value)
        return content is None or not content.nonfinite

    def shape(self, tensor: int) -> tuple[int, ...]:
        """Return the sizes of a tensor."""
        return tuple(self.trace.shapes[self.trace.tensors.shape[tensor]])

    def dtype(self, tensor: int) -> str:
        """Return torch's name of a tensor's dtype, without `torch.`."""
        return (self.trace.string(self.trace.tensors.dtype[tensor]) or "").removeprefix("torch.")


def run_of(trace: Trace) -> Run:
    """Return the Run of a Trace, made once."""
    return trace.index.memoize(("run",), lambda: Run(trace))


def one_line(text: str) -> str:
    r"""Join lines with one space, or none next to a bracket.

    >>> one_line('f(\n   a,\n   b\n)')
    'f(a, b)'
    """
    if "\n" not in text:
        return text
    lines = pairwise(["(", *filter(None, map(str.strip, text.split("\n")))])
    return "".join(line if last[-1] in "([{" or line[0] in ")]}" else f" {line}" for last, line in lines)


in_order = attrgetter("id")  # sorts objects of one kind in the order of the Trace


def reachable(starts: Iterable[T], following: Callable[[T], Iterable[T]]) -> Iterator[T]:
    """Yield everything reachable from `starts`, including them, once each."""
    seen = dict.fromkeys(starts)
    todo = list(seen)
    while todo:
        at = todo.pop()
        yield at
        fresh = dict.fromkeys(other for other in following(at) if other not in seen)
        seen |= fresh
        todo += fresh


def is_zero(entries: np.ndarray | None) -> bool:
    """Return whether there are recorded entries and all are 0.

    `Run.is_zero` also covers the unrecorded entries of a large tensor.
    """
    return entries is not None and entries.size > 0 and not np.any(entries)


def is_torchs_own(trace: Trace, tensor: int) -> bool:
    """Return whether a leaf requires grad although the program did not request it.

    A view created with gradients off inherits `requires_grad` from its parameter. torch.func turns the arguments of its
    functions into leaves.
    """
    maker, operations, columns = trace.maker(tensor), trace.operations, trace.tensors
    if maker >= 0:
        bases = [base for base in operations.inputs[maker] if base != tensor and columns.requires_grad[base]]
        same = any(columns.storage[base] == columns.storage[tensor] >= 0 for base in bases)
        return same and columns.is_leaf[tensor] and not operations.grad_enabled[maker]
    return tensor in trace.index.memoize(("asked by torch",), lambda: _asked_by_torch(trace))


def _asked_by_torch(trace: Trace) -> set[int]:
    """Return the tensors made leaves by lines that don't mention `requires_grad`."""
    operations = trace.operations
    return {
        operations.inputs[at][0]
        for at, name in enumerate(operations.name)
        if trace.strings[name] == "requires_grad_" and operations.inputs[at] and operations.span[at] >= 0
        if "requires_grad" not in trace.text(operations.span[at])
    }
