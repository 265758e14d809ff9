"""Look-ups in a run: its objects (`run_objects`), and columns of ids.

`run_of` creates the Run of a Trace once. Loops over all operations or very many tensors read its columns, which hold
ids of the Trace.

Belongs here: look-ups for every question about a run. Does not belong here: interpretation, and names of tensors
(names).
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice, pairwise, takewhile
from operator import attrgetter
from typing import TypeVar

import numpy as np

from explorer.analysis.run.objects import BackwardCall, Call, Node, Optimizer, Phase, Tensor
from explorer.analysis.run.source.code import Code, code_at, code_of_row
from explorer.trace import Backward, Span, Trace, TrainingCall
from explorer.trace.training_log import CallKind

T = TypeVar("T")
GRAD_CALL = "autograd.grad"  # the function, which torch names "grad" like the attribute
ASKS = ("requires_grad_", "requires_grad=")  # set whether a tensor requires a gradient
READ_ONLY = frozenset(("grad", GRAD_CALL, "grad=", "zero_grad", *ASKS))  # calls that don't read a leaf's entries
_TALL = 100  # most lines examined per place
_ENTER, _EXIT = "_record_function_enter", "_record_function_exit"


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
        """Return whether part of the run was only counted."""
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
        """Yield calls with these names that lead from tensors to roots."""
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
    def ran_in(self) -> dict[int, list[BackwardCall]]:
        """Program's own successful backward calls that ran each node."""
        ran: dict[int, list[BackwardCall]] = {}
        for call in self.backwards:
            for node in dict.fromkeys(call.row.order):
                ran.setdefault(node, []).append(call)
        return ran

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
        if subject is None:
            calls = self.trace.log.calls
            return self.trace.index.memoize(("logged", kind), lambda: [call for call in calls if call.kind == kind])
        return self.trace.index.memoize(("logged by subject", kind), lambda: self._by_subject(kind)).get(subject, [])

    def _by_subject(self, kind: CallKind) -> dict[int, list[TrainingCall]]:
        by_subject: dict[int, list[TrainingCall]] = {}
        for call in self.log_of(kind):
            by_subject.setdefault(call.subject, []).append(call)
        return by_subject

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
        """Return an operation's program text, "" if there is none or for -1."""
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
        """Return whether non-tensor arguments were recorded. A light recording omits them."""
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
        """Leaves that received a gradient from any backward, including nested calls and `autograd.grad`."""
        return set(self.bringers)

    @cached_property
    def bringers(self) -> dict[int, set[int]]:
        """Calls that computed a gradient for each leaf, including nested ones and `autograd.grad`."""
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
    def trainers(self) -> dict[Tensor, Optimizer]:
        """First optimizer that stepped and holds a tensor. A loop may create several."""
        trainers: dict[Tensor, Optimizer] = {}
        for optimizer in self.stepped:
            for tensor in optimizer.tensors:
                trainers.setdefault(tensor, optimizer)
        return trainers

    @cached_property
    def phases(self) -> list[Phase]:
        """Calls of optimizers, in order: each is one operation, or lies between two profiler marks.

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
        clears = map(self.call, self.by_name.get("zero_grad", ()))
        phases = sorted(
            [*phases, *(Phase(call.name, call.id, call.id, call.place) for call in clears)], key=attrgetter("begin")
        )
        return [phase for phase in phases if not self.is_shortened or not self._is_joined(phase)]

    def _is_joined(self, phase: Phase) -> bool:
        """Return whether a step of a shortened run seems to end with another call."""
        did = {self.names[operation] for operation in self.own_of(phase)}
        return phase.kind == "step" and ("grad" not in did or not did.isdisjoint(("grad=", "zero_grad")))

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
        """Return the tensors that the next step moves. Without optimizers, those with gradients."""
        steps = self.log_of("step")
        later = islice(steps, bisect_right(steps, time, key=attrgetter("operations")), None)
        step = next((step for step in later if step.subject >= 0), None)
        return self.received if step is None else self._trained_by[step.subject]

    @cached_property
    def _trained_by(self) -> list[set[int]]:
        """Tensors of each optimizer."""
        return [{tensor.id for tensor in optimizer.tensors} for optimizer in self.optimizers]

    def backwards_for(self, leaf: int) -> list[int]:
        """Return the backward calls before a step that moves a leaf, otherwise all."""
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

    def made_from(self, tensor: int) -> list[int]:
        """Return the results of the operations that read a tensor."""
        return [made for user in self.users.get(tensor, ()) for made in self.operations.outputs[user]]

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

    @cached_property
    def writers(self) -> set[int]:
        """Operations after which a tensor had another version."""
        return {operation for tensor in range(len(self.trace.tensors)) for operation in self.writes(tensor)}

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
        """Return whether all entries are finite, as far as known."""
        content = self.trace.value(value)
        return content is None or not content.nonfinite

    def shape(self, tensor: int) -> tuple[int, ...]:
        """Return the sizes of a tensor."""
        return tuple(self.trace.shapes[self.trace.tensors.shape[tensor]])

    def layout(self, tensor: int) -> tuple[int, ...]:
        """Return where a tensor's entries lie: storage (-1: unknown), offset, shape and stride."""
        columns = self.trace.tensors
        return columns.storage[tensor], columns.offset[tensor], columns.shape[tensor], columns.stride[tensor]

    def dtype(self, tensor: int) -> str:
        """Return torch's name of a tensor's dtype, without `torch.`."""
        return (self.trace.string(self.trace.tensors.dtype[tensor]) or "").removeprefix("torch.")


def run_of(trace: Trace) -> Run:
    """Return the cached Run of a Trace."""
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


in_order = attrgetter("id")  # sort key: objects of one kind in the order of the Trace


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
    """Return tensors on which torch itself called `requires_grad_`: their lines do not mention it."""
    operations = trace.operations
    return {
        operations.inputs[at][0]
        for at, name in enumerate(operations.name)
        if trace.strings[name] == "requires_grad_" and operations.inputs[at] and operations.span[at] >= 0
        if "requires_grad" not in trace.text(operations.span[at])
    }
