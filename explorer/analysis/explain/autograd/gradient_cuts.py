"""Find where history was lost: the cutting operation, or the line that disabled recording.

Pictures, reports, derivations, diagnoses and errors share this walk over history. Entries are followed through recorded
operations, Python numbers, and tensors built from those numbers.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from typing import Literal, NamedTuple

from explorer.analysis.explain.autograd.python_numbers import (
    NUMBERS,
    becomes_python_value,
    is_only_inspected,
    names_holding,
    statements_at,
    uses_of_number,
)
from explorer.analysis.explain.autograd.view_records import EdgeKind
from explorer.analysis.run.model import Run, reachable, run_of
from explorer.analysis.run.names import name_of
from explorer.analysis.run.operations import FORMS, PICKS, overwrites, reads_only_shape, spellings
from explorer.analysis.run.source.assignments import all_assignments
from explorer.analysis.run.source.code import Code, code_at, lines_of
from explorer.safe_regex import linear
from explorer.trace import Binding, Trace, memoized

_EDGES: dict[str, EdgeKind] = {"detach": "detach", "detach_": "detach", "data": "data_attribute"}
_REACH = 40  # operations between a tensor without history and the tensor whose gradient was cut


@dataclass(frozen=True)
class DataInput:
    """An operation's input that does not require grad.

    Attributes:
        key: the tensor (>= 0), or -1 - operation for a number taken out of a tensor by .item().
        position: index among the operation's inputs.
        row: version (Trace.versions), -1 if unknown.
        source_row: version whose gradient is cut on the way here, or -1. kind names the cut.
    """

    key: int
    position: int
    row: int
    source_row: int = -1
    kind: EdgeKind = "data"


def has_history(trace: Trace, tensor: int, row: int, operation: int) -> bool:
    """Return whether a gradient could flow to the tensor version that an operation read."""
    return trace.versions.node[row] >= 0 or required_grad_at(trace, tensor, operation)


def data_inputs(trace: Trace, run: Run, operation: int, numbers: dict[int, list[int]]) -> list[DataInput]:
    """Return named inputs without history, and every cut that ends in them."""
    operations, inputs, seen = trace.operations, [], set()
    for position, (tensor, row) in enumerate(
        zip(operations.inputs[operation], trace.index.rows_read(operation), strict=True)
    ):
        if tensor in seen or has_history(trace, tensor, row, operation):
            continue
        seen.add(tensor)
        source, kind = _cut_edge(trace, tensor, row)
        if source >= 0 or name_of(run, tensor, operation):
            inputs.append(DataInput(tensor, position, row, source, kind))
    for number in numbers.get(operation, ()):
        tensor = operations.inputs[number][0]
        row = trace.index.read(tensor, number)
        if has_history(trace, tensor, row, number):
            inputs.append(DataInput(-1 - number, len(seen) + 100, row, row, "item"))
    return inputs


def numbers_used(trace: Trace) -> dict[int, list[int]]:
    """Return the `.item()`-like calls whose number each operation used, as far as the text shows."""
    calls: dict[int, list[int]] = {}
    for call, fed in uses_of_number(trace).items():
        if trace.strings[trace.operations.name[call]] in NUMBERS:
            calls.setdefault(fed[0], []).append(call)
    return calls


By = Literal[
    "detach", "no_grad", "number", "made", "derivative", "gradient", "unasked", "switched_off", "backward", "other"
]

# detach: detach() or .data. no_grad: gradients were off. number: it left torch. made: a new leaf built from its
# entries. derivative: the operation has none. gradient: taken without create_graph. unasked, switched_off: the tensor
# did not yet, or no longer, require grad. backward: a Function's own backward returned None.


class GradientCut(NamedTuple):
    """The end of a gradient's path.

    Attributes:
        operation: first operation after the tensor whose result has no path back to it, -1 if unknown.
        by: kind of cut.
        sure: whether the root certainly depends on the tensor's entries. Otherwise they may lead there as
            numbers.
        leaf: new leaf made from the result without an operation, as nn.Parameter(h), or -1.
    """

    operation: int
    by: By
    sure: bool = True
    leaf: int = -1

    def place(self, trace: Trace) -> Code | None:
        """Return the cut's place: the line that named a new leaf, otherwise the operation."""
        made = code_at(trace, trace.operations.span[self.operation]) if self.operation >= 0 else None
        at = (made.span.cell, made.line) if made is not None else (-1, 0)
        bindings = trace.index.bindings.get(self.leaf, ())
        named = {place for binding in bindings for place in _lines_of(trace, binding) if place >= at}
        later = named - {at} or named
        for cell, line in later if len(later) == 1 else ():
            return run_of(trace).line(cell, line)
        return made


_REPLACES = {"set_", "data="}  # calls that replace a tensor's entries
_FORM = FORMS | spellings("expand") | {"resize_as_"}  # only their first argument supplies entries
_STATE = {"requires_grad_", "requires_grad=", "grad=", "retain_grad", "share_memory_", "resize_"}
_DETACHES = {"detach", "detach_", "data"}
_MAKES = {
    "tensor",
    "__deepcopy__",
    "as_tensor",
    "asarray",
    "new_tensor",
    "scalar_tensor",
    "__array_wrap__",
    "from_numpy",
}
_MEANT, _LEAVES = ("detach", "no_grad"), ("number", "made")
_FEW = 64


def all_cuts(trace: Trace, *backwards: int | None) -> tuple[dict[int, GradientCut], dict[int, GradientCut]]:
    """Return the cuts on the paths to the roots of backwards."""
    calls = [trace.backwards[number] for number in backwards if number is not None]
    roots = [(call.operations, call.root_tensors) for call in calls]
    return trace.index.memoize(("cuts", *backwards), lambda: cuts(trace, roots) if roots else ({}, {}))


def cuts(
    trace: Trace, roots: Iterable[tuple[int, Sequence[int]]]
) -> tuple[dict[int, GradientCut], dict[int, GradientCut]]:
    """Find the first cut between each tensor and a root that it feeds, or may feed.

    Leaves count as last written. If a tensor also has a path through the graph, its gradient is not the whole
    derivative.

    One pass over the operations, last first. An operation whose results lead to a root passes their cut on to its
    inputs. If an input requires grad and the result has no path back to it, that is the cut.

    Args:
        roots: pairs of a root and the operation before which it is read.
    """
    return _Sweep(trace, roots).run()


def cut_behind(trace: Trace, tensor: int, operation: int) -> GradientCut | None:
    """Return the last cut of a tensor's history before an operation, a certain one if there is one."""
    sweep = _Sweep(trace, [(operation, [tensor])])
    sweep.run()
    return max((cut for cut, _ in sweep.ends), key=lambda cut: (cut.sure, cut.operation), default=None)


def _cut_edge(trace: Trace, tensor: int, row: int) -> tuple[int, EdgeKind]:
    """Return the version whose history a call cut, and the edge kind."""
    versions, operations = trace.versions, trace.operations

    def makers(operation: int) -> Iterator[int]:
        """Yield the operations that created an operation's inputs without history."""
        for read, before in zip(operations.inputs[operation], trace.index.rows_read(operation), strict=True):
            if versions.operation[before] >= 0 and not has_history(trace, read, before, operation):
                yield versions.operation[before]

    if (maker := versions.operation[row]) < 0:
        return -1, "data"
    sweep = _Sweep(trace, [(maker + 1, [tensor])])
    sweep.run(sorted(islice(reachable([maker], makers), _REACH), reverse=True))
    drawn = [(cut.operation, source) for cut, source in sweep.ends if cut.by in ("detach", "no_grad")]
    operation, source = max(drawn, key=itemgetter(0), default=(-1, -1))
    return source, "data" if operation < 0 else _EDGES.get(sweep.names[operation], "no_grad")


def required_grad_at(trace: Trace, tensor: int, operation: int) -> bool:
    """Return whether a leaf required grad when an operation began."""
    changes = _changes(trace).get(tensor, [])
    earlier = [asks for at, asks in changes if at < operation]
    if earlier:
        return earlier[-1]
    if changes:
        return _required_grad_initially(trace, tensor, not changes[0][1])
    return trace.tensors.requires_grad[tensor] and trace.tensors.is_leaf[tensor]


def switched_off(trace: Trace, tensor: int) -> int:
    """Return the operation that switched off a tensor's requires_grad for good, or -1."""
    changes = _changes(trace).get(tensor, [])
    if trace.tensors.requires_grad[tensor] or not changes or changes[-1][1]:
        return -1
    off = len(changes) - 1
    while off and not changes[off - 1][1]:
        off -= 1
    if not off and not _required_grad_initially(
        trace, tensor, trace.tensors.is_leaf[tensor] and tensor in trace.nodes.variable
    ):
        return -1
    return changes[off][0]


def _required_grad_initially(trace: Trace, tensor: int, otherwise: bool) -> bool:
    """Return whether a tensor initially required grad, `otherwise` if its creation doesn't show it."""
    maker = trace.versions.operation[trace.versions_of(tensor)[0]]
    asked = maker >= 0 and trace.arguments(maker).named.get("requires_grad") is True
    return trace.tensors.is_parameter[tensor] or asked or otherwise


@memoized
def _changes(trace: Trace) -> dict[int, list[tuple[int, bool]]]:
    """Return the operations that set requires_grad, with the value, by tensor."""
    operations = trace.operations
    changes: dict[int, list[tuple[int, bool]]] = {}
    for operation, name in enumerate(operations.name):
        if trace.strings[name] not in ("requires_grad_", "requires_grad=") or not operations.inputs[operation]:
            continue
        if operations.error[operation] >= 0:
            continue
        asked = trace.arguments(operation).get(1, "requires_grad", default=True)
        if isinstance(asked, bool):
            changes.setdefault(operations.inputs[operation][0], []).append((operation, asked))
    return changes


@memoized
def _columns(trace: Trace) -> tuple[list[str], dict[int, list[int]], set[int]]:
    """Return the inputs of every sweep: operation names, written tensors, all inputs."""
    written: dict[int, list[int]] = {}
    for tensor in range(len(trace.tensors)):
        for row in trace.versions_of(tensor):
            if trace.versions.operation[row] >= 0:
                written.setdefault(trace.versions.operation[row], []).append(tensor)
    return [trace.strings[name] for name in trace.operations.name], written, set(trace.operations.inputs.items)


@memoized
def _unmade(trace: Trace) -> dict[tuple[int, int], list[int]]:
    """Return tensors without a recorded creation, by cell and line."""
    unmade: dict[tuple[int, int], list[int]] = {}
    for binding in trace.bindings:
        for place in _lines_of(trace, binding) if trace.maker(binding.tensor) < 0 else ():
            at = unmade.setdefault(place, [])
            if len(at) < _FEW:
                at.append(binding.tensor)
    return unmade


@memoized
def new_leaves(trace: Trace) -> dict[int, list[int]]:
    """Return later leaves in the memory of results with history, as nn.Parameter(h) and Variable(h)."""
    columns = trace.tensors
    layouts: dict[tuple[object, ...], list[int]] = {}
    found: dict[int, list[int]] = {}
    for tensor in range(len(columns)):
        layout = columns.storage[tensor], columns.offset[tensor], columns.shape[tensor], columns.stride[tensor]
        if columns.storage[tensor] < 0 or not columns.requires_grad[tensor]:
            continue
        if not columns.is_leaf[tensor]:
            layouts.setdefault(layout, []).append(tensor)
        elif layout in layouts and trace.maker(tensor) < 0:
            found.setdefault(layouts[layout][-1], []).append(tensor)
    return found


def _lines_of(trace: Trace, binding: Binding) -> list[tuple[int, int]]:
    """Return cell and line of an assignment, or all lines that bind a name found at the end."""
    if binding.span >= 0:
        place = trace.spans[binding.span]
        return [(place.cell, place.line)]
    last = binding.name.rpartition(".")[2]
    assigned = (one for one in all_assignments(trace) if one.name.rpartition(".")[2] == last)
    return list(dict.fromkeys((one.cell, one.line) for one in islice(assigned, _FEW)))


@memoized
def _given_to_function(trace: Trace) -> dict[int, frozenset[int]]:
    """Return Function inputs by operation of its forward; its own backward handles these."""
    operations, nodes = trace.operations, trace.nodes
    given: dict[int, frozenset[int]] = {}
    for call, made in trace.index.made.items():
        if call < 0 or not operations.grad_enabled[call] or not any(nodes.user_code[node] for node in made):
            continue
        end = call + 1
        while end < len(operations) and not operations.grad_enabled[end]:
            end += 1
        outputs = set(operations.outputs[call])
        within = range(call + 1, end)
        last = max((at for at in within if not outputs.isdisjoint(operations.outputs[at])), default=end - 1)
        given |= dict.fromkeys(range(call + 1, last + 1), frozenset(operations.inputs[call]))
    return given


class _Sweep:
    """Finds cuts on the paths to roots, with their readers."""

    def __init__(self, trace: Trace, roots: Iterable[tuple[int, Sequence[int]]]):
        self.trace = trace
        self.roots: dict[int, list[int]] = {}
        for operation, tensors in roots:
            at = self.roots.setdefault(min(operation, len(trace.operations)), [])
            at += [tensor for tensor in tensors if tensor >= 0]
        self.operations, self.versions = trace.operations, trace.versions
        self.names, self.written, self.read = _columns(trace)
        self.cuts: dict[int, GradientCut | None] = {}
        self.becoming: dict[int, list[int]] = {}  # line of a call → tensors that may contain its number
        self.as_written: dict[int, GradientCut | None] = {}  # cuts of leaves before their earlier contents
        self.doubts: dict[int, GradientCut] = {}  # tensors that may reach the root in a second way, too
        self.ends: list[tuple[GradientCut, int]] = []  # cuts of versions that required grad
        self.later: set[int] = set()  # operations that certainly lead to the root
        self.picking: set[int] = set()  # integers that pick rows of a result with history

    def run(self, only: Sequence[int] | None = None) -> tuple[dict[int, GradientCut], dict[int, GradientCut]]:
        """Return the cuts. `only`: operations on the path to the last root, last first. None: all."""
        trace, operations = self.trace, self.operations
        back = uses_of_number(trace)
        for operation in range(max(self.roots, default=0) - 1, -1, -1) if only is None else only:
            self.cuts |= dict.fromkeys(self.roots.get(operation + 1, ()))
            if operations.error[operation] >= 0 or self.names[operation] in _STATE:
                continue
            if operations.in_backward[operation] >= 0 and not operations.grad_enabled[operation]:
                continue  # the call that took the gradient without create_graph is the cut
            written = self.written.get(operation, ())
            for tensor in written:
                self.as_written.setdefault(tensor, self.cuts.get(tensor) or self.doubts.get(tensor))
            made = {*operations.outputs[operation], *written}
            if not made and becomes_python_value(trace, operation):
                self._given_away(operation, back.get(operation, ()))
            elif made:
                self._made(operation, made)
        lost = {tensor: cut for tensor, cut in self.cuts.items() if cut is not None}
        last = self.doubts | lost | self.as_written
        # The question is about the values that a leaf was filled with, for example by a layer's initialization. Earlier
        # contents, as in w.data = 0.9 * w.data, come after them.
        own = self.cuts | {at: cut for at, cut in self.as_written.items() if cut and trace.tensors.is_leaf[at]}
        return (
            {tensor: cut for tensor, cut in own.items() if cut is not None},
            {tensor: cut for tensor, cut in last.items() if cut is not None},
        )

    def _given_away(self, operation: int, fed: list[int] | tuple[int, ...]) -> None:
        """Follow entries that left torch, as far as the text shows."""
        if is_only_inspected(self.trace, operation):
            return
        branches = self.names[operation] == "__bool__"  # it decides the control flow and is not a number in it
        sure = not branches and (not self.later.isdisjoint(fed) or self._becomes_tensor(operation))
        given = _given_to_function(self.trace).get(operation, frozenset())
        for position, tensor in enumerate(self.operations.inputs[operation]):
            cut = GradientCut(operation, "number", sure)
            if tensor not in given and self._has_history(tensor, position, operation):
                self._end(tensor, position, operation, cut)
            elif tensor not in given:
                self._keep(tensor, cut)

    def _becomes_tensor(self, operation: int) -> bool:
        """Return whether an unmade tensor was named on a line that contains the number."""
        span = self.operations.span[operation]
        if span < 0:
            return False
        if span not in self.becoming:
            place, names = self.trace.spans[span], names_holding(self.trace, operation)
            self.becoming[span] = [
                tensor
                for at, tensors in _unmade(self.trace).items()
                if at == (place.cell, place.line)
                or any(not names.get(at, frozenset()).isdisjoint(one.read) for one in statements_at(self.trace, *at))
                for tensor in tensors
            ]
        return any(tensor in self.cuts for tensor in self.becoming[span])

    def _made(self, operation: int, made: set[int]) -> None:
        live = [tensor for tensor in made if tensor in self.cuts]
        cuts = [self.cuts[tensor] for tensor in live] or self._joined(operation, made)
        if not cuts:
            return
        name, inputs = self.names[operation], self.operations.inputs[operation]
        after = next((cut for cut in cuts if cut is None or cut.sure), cuts[0])
        if after is None or after.sure:
            self.later.add(operation)
        if (name in _REPLACES or overwrites(name)) and inputs and inputs[0] in self.cuts and inputs[0] in live:
            del self.cuts[inputs[0]]
        own = self._own(operation, made)
        if (own and name in PICKS) or not self.picking.isdisjoint(made):
            self.picking.update(filter(self._is_whole, inputs))
        through_view = any(self.trace.strings[self.trace.nodes.name[node]] == "CopySlices" for node in own)
        if live and not through_view and not any(self._is_extended(tensor, operation) for tensor in live):
            # the history belongs to another tensor: of the same memory, as w.data in `w.data += …`, or to the values
            own = set()  # integers, such as topk's indices, have no history
        below = {target for node in own for target in self.trace.nodes.edges[node] if target >= 0}
        doubt = next((self.doubts[tensor] for tensor in live if tensor in self.doubts), None)
        given = _given_to_function(self.trace).get(operation, frozenset())
        is_property = self.trace.strings[self.operations.function[operation]].startswith("torch.Tensor.")
        for position, tensor in enumerate(inputs):
            if tensor in given or not self._carries(name, position, is_property):
                continue
            if tensor in live and tensor in made:
                returned = tensor not in self.written.get(operation, ()) and name not in _DETACHES
                if returned or self.versions.node[self._row(tensor, position, operation)] < 0:
                    continue  # its content is unchanged
            if tensor in made and through_view:  # the path back leads over the view's base, past the view's own node
                self._keep(tensor, after)
            else:
                self._hand_on(tensor, position, operation, after, below)
            if doubt is not None and self._by(operation) != "derivative":
                self.doubts.setdefault(tensor, doubt)

    def _hand_on(self, tensor: int, position: int, operation: int, after: GradientCut | None, below: set[int]) -> None:
        """Pass a result's cut on to an input, or make this operation the cut."""
        node = self.versions.node[self._row(tensor, position, operation)]
        if node in below or any(self.trace.nodes.variable[target] == tensor for target in below):
            self._keep(tensor, after)  # the result has a path back to it
            return
        by, sure = self._by(operation), after is None or after.sure
        if by == "gradient" and self._has_node(self.operations.outputs[operation]):
            return  # with create_graph, the graph has every path that the gradient depends on
        if self._has_history(tensor, position, operation):
            cut = GradientCut(operation, by, by != "gradient" and sure)
            if by == "detach" and after is not None and after.by == "number" and after.operation >= 0:
                taken = self.operations.inputs[after.operation]  # for example by detach().numpy()
                cut = cut if set(taken).isdisjoint(self.operations.outputs[operation]) else after
            if by in _MEANT and after is not None and after.by == "derivative":
                cut = after  # nothing would come back from there, as from the positions of an argmin
            self._end(tensor, position, operation, cut)
        elif off := [at for at, asks in _changes(self.trace).get(tensor, ()) if at < operation and not asks]:
            self._end(tensor, position, operation, GradientCut(off[-1], "switched_off", sure))
        elif self.trace.tensors.requires_grad[tensor] and self.trace.tensors.is_leaf[tensor]:
            self._end(tensor, position, operation, GradientCut(operation, "unasked", sure))
        else:
            self._keep(tensor, after)

    def _has_history(self, tensor: int, position: int, operation: int) -> bool:
        """Return whether an operation could have passed a gradient on to an input."""
        return has_history(self.trace, tensor, self._row(tensor, position, operation), operation)

    def _end(self, tensor: int, position: int, operation: int, cut: GradientCut) -> None:
        self.ends.append((cut, self._row(tensor, position, operation)))
        self._keep(tensor, cut)

    def _keep(self, tensor: int, cut: GradientCut | None) -> None:
        """Keep the first certain cut of the program.

        Paths through a sample, positions or a comparison never have a gradient, so a cut on another path is the cause.
        detach and no_grad may be intended, so an implicit cut is the likelier cause. The same holds for positions
        that pick rows of a trained tensor, such as a codebook.
        """
        earlier = self.cuts.get(tensor)
        if earlier is not None and cut is not None and earlier.sure:
            if cut.by in _MEANT and (earlier.by in _LEAVES or self._picks(earlier)):
                return
            if earlier.by != "derivative" == cut.by and not (earlier.by in _MEANT and self._picks(cut)):
                return
        if tensor in self.cuts and (earlier is None or earlier.sure) and (cut is None or not cut.sure):
            reason = "derivative" if cut is None or self.names[cut.operation] == "__bool__" else cut.by
            if reason != "derivative":  # piecewise constant steps and branches change no gradient
                self.doubts.setdefault(tensor, cut)
            return
        if earlier is not None and cut is not None and not earlier.sure and not cut.sure:
            spans = self.operations.span
            same = earlier.operation >= 0 and spans[earlier.operation] == spans[cut.operation]
            cut = cut if same else GradientCut(-1, "number", False)
        self.cuts[tensor] = cut

    def _picks(self, cut: GradientCut) -> bool:
        """Return whether a cut is a call whose positions pick rows of a result with history."""
        made = self.operations.outputs[cut.operation] if cut.by == "derivative" and cut.operation >= 0 else ()
        return not self.picking.isdisjoint(made)

    def _carries(self, name: str, position: int, is_property: bool) -> bool:
        """Return whether an input's entries go into a call's result, not only its shape."""
        if reads_only_shape(name) or name == "grad":
            return position == 0 and name == "grad" and not is_property
        if name in _REPLACES or overwrites(name):
            return position != 0
        if name in _FORM:
            return position == 0
        return True

    def _own(self, operation: int, made: set[int]) -> set[int]:
        """Return the nodes of an operation's results."""
        versions = self.versions
        own = set(self.trace.index.made.get(operation, ()))
        for tensor in list(made)[:64]:
            row = self.trace.index.written(tensor, operation)
            if row is not None and versions.operation[row] == operation and versions.node[row] >= 0:
                own.add(versions.node[row])
        return own

    def _is_extended(self, tensor: int, operation: int) -> bool:
        """Return whether an operation's result can have history."""
        if self._is_whole(tensor):
            return False
        row = self.trace.index.written(tensor, operation)
        made = row is not None and self.versions.operation[row] == operation and self.versions.node[row] >= 0
        return made or tensor in self.operations.outputs[operation] or not self.trace.tensors.is_leaf[tensor]

    def _is_whole(self, tensor: int) -> bool:
        """Return whether a tensor holds integers or booleans."""
        dtype = (self.trace.strings[self.trace.tensors.dtype[tensor]]).removeprefix("torch.")
        return dtype == "bool" or dtype.startswith(("int", "uint"))

    def _row(self, tensor: int, position: int, operation: int) -> int:
        versions = self.operations.input_versions[operation]
        return self.trace.index.read(tensor, operation, versions[position] if versions else -1)

    def _joined(self, operation: int, made: set[int]) -> list[GradientCut]:
        """Return the cut at an unmade tensor on the way to the root.

        It shares a result's memory, as nn.Parameter(h) does, or is named on the line of unused results.
        """
        span, leaves = self.operations.span[operation], new_leaves(self.trace)
        joined = [leaf for tensor in made for leaf in leaves.get(tensor, ()) if leaf in self.cuts]
        leaf = next(iter(joined), -1)
        if not joined and span >= 0 and made.isdisjoint(self.read):
            place, shape = self.trace.spans[span], self.trace.tensors.shape
            shapes = {shape[tensor] for tensor in made}
            named = _unmade(self.trace).get((place.cell, place.line), ())
            later = (tensor for tensor in named if tensor in self.cuts and tensor > max(made))
            joined = [tensor for tensor in later if shape[tensor] in shapes]
        cuts = [self.cuts[tensor] for tensor in joined]
        sure = any(cut is None or cut.sure for cut in cuts)
        return [GradientCut(operation, "made", sure, leaf)] if cuts else []

    def _by(self, operation: int) -> By:
        name = self.names[operation]
        if name in _DETACHES:
            return "detach"
        if name in _MAKES:
            return "made"
        if name == "grad":
            return "gradient"
        if not self.operations.grad_enabled[operation]:
            return "no_grad"
        outputs = self.operations.outputs[operation]
        leading = [output for output in outputs if output in self.cuts] or outputs
        return "derivative" if outputs and not self._has_node(leading) else "other"

    def _has_node(self, tensors: Sequence[int]) -> bool:
        return any(self.versions.node[row] >= 0 for tensor in tensors for row in self.trace.versions_of(tensor))


_CALL = r"(?:torch\.|autograd\.)*(?:no_grad|inference_mode|set_grad_enabled)(?:\([^()]*\))?"
_WITH = linear(rf"\s*with [^#]*?({_CALL})")
_DECORATOR = linear(rf"\s*@({_CALL})\s*(?:#.*)?")
_STATEMENT = linear(
    r"\s*(?:torch\.)?(set_grad_enabled\(\s*(?:mode=)?False\s*\)|_C\._set_grad_enabled\(False\))\s*(?:#.*)?"
)
_FUNCTION = linear(r"\s*(?:async )?def \w+")
_LONGEST = 400  # characters read per line
_ON = ("set_grad_enabled(True)", "no_grad(False)", "inference_mode(False)", "mode=True", "mode=False)")


class Switch(NamedTuple):
    """The code that switched recording off. Attributes: text: as in the program. cell, line: its place."""

    text: str
    cell: int
    line: int


def switch_of(trace: Trace, operation: int) -> Switch | None:
    """Return what switched recording off for an operation, None if recorded or uncertain.

    Certain is a block or function around its own line. Otherwise the program must have only one such place, since the
    operation may be in a function called there.
    """
    here = code_at(trace, trace.operations.span[operation])
    if here is None or trace.operations.grad_enabled[operation]:
        return None
    for number, line in {here.line: here.whole_line, **here.headers}.items():
        if text := _block(line):
            return Switch(text, here.span.cell, number)
        above = number - 1 if _FUNCTION.match(line[:_LONGEST]) else 0
        while above and here.lines[above - 1].lstrip().startswith("@"):
            if text := _decorator(here.lines[above - 1]):
                return Switch(text, here.span.cell, above)
            above -= 1
    own = ((one, one.whole_line) for one in lines_of(trace) if one.span.cell < len(trace.own_cells))
    places = [(one, _block(line) or _decorator(line) or _statement(line)) for one, line in own]
    switches = [Switch(text, one.span.cell, one.line) for one, text in places if text]
    return switches[0] if len(switches) == 1 else None


def _block(line: str) -> str:
    match = _WITH.match(line[:_LONGEST])
    return match[1] if match and not match[1].endswith(_ON) else ""


def _decorator(line: str) -> str:
    match = _DECORATOR.fullmatch(line[:_LONGEST])
    return f"@{match[1]}" if match else ""


def _statement(line: str) -> str:
    return line.strip() if _STATEMENT.fullmatch(line[:_LONGEST]) else ""
