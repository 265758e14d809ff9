"""Record each node of the graph once, with a hook."""

import operator
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import is_autocast_enabled
from torch._C import TensorBase
from torch.autograd.graph import Node

from explorer.runtime.recorder import properties
from explorer.runtime.recorder.composite_results import PARTS, Inside, Known, Result
from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.gradient_hooks import ArrivalHook, LeafArrivalHook, LeavingHook, Sink
from explorer.runtime.recorder.hidden_calls import dispatch_modes, without_modes
from explorer.runtime.recorder.memory import inside, is_fake, is_wrapped, plain_tensor
from explorer.runtime.recorder.node_kinds import KINDS, TELLS_HOOKS, NodeKind, packed, signed
from explorer.runtime.recorder.rows import (
    NODE,
    NODE_DEPTH,
    NODE_EDGES,
    NODE_VALUES,
    NODE_VARIABLE,
    NONE,
    STATE,
    STATE_NODE,
    STATE_OUTPUT,
    STATE_VALUE,
    TENSOR_DEVICE,
    TENSOR_DTYPE,
    TENSOR_LAST,
    TENSOR_STRIDE,
    TENSOR_VERSION,
    ZEROS,
    BackwardRow,
    RunRows,
    SequenceRange,
)
from explorer.runtime.recorder.tensors import TensorBook
from explorer.runtime.recorder.values import NUMPY

sequence_number = torch.autograd._get_sequence_nr  # number of this thread's next node
_LEAF_SEQUENCE = 2**64 - 1  # reported by every AccumulateGrad, and by nodes of functions without a derivative
_AccumulateGrad = vars(torch._C._functions)["AccumulateGrad"]
_SEGMENT = 12_000  # graph depth per keeper list; releasing 60 000 nodes at once overflows an 8 MB C stack
# Parameters and other leaves up to these sizes are held until the recording ends, so that their node stays the same.
_HELD_PARAMETER, _HELD_LEAF = 1 << 20, 1 << 12
_GONE = -1  # id of a dropped node
_Tensor = torch.Tensor
_PLAIN = (_Tensor, torch.nn.Parameter)
# A node to record: position in the order, node, sequence number, edges.
_New = tuple[int, Node, int, Sequence[tuple[Node | None, int]]]
_SavedTensor = tuple[int, str, torch.Tensor, int]  # a node, the name, the tensor and its value
_CPU = torch.device("cpu")
KEEPER = "autograd-explorer"  # key of a keeper list in a node's metadata


class NodeBook:
    """The nodes of a run.

    Attributes: starts: the sequence number at which each operation began, and its id, after (-1, 0): a node belongs to
    the last operation that began before it, composites included. open: operations that have begun and not ended. ended:
    the sequence number when the last of them did: the nodes from there on come from code that is not recorded, such as
    a scripted function, until the next one begins (`strays`). engine: sequence numbers used up by backward calls
    (create_graph). again: while a backward begins inside another: the number of the first node made since that began,
    and the operation whose code ran again. hook_cap: how many living nodes get a hook at once, each takes 2 KB (None:
    all). at_hand: the ids of the unchanged arguments of the call that just ended, None before the first. own: whether
    that call is torch's own, so that no code of the program ran in it, and no hook of saved tensors is active. result:
    what it returned last, with its id.
    on_leaves: handles of the hooks on leaves. within: by leaf of a transform of torch.func the tensor inside it.
    user_code: whether the graph contains code of the program (hooks, custom functions, saved-tensor hooks). unpacks:
    whether saved-tensor hooks of the program run when a node is called.
    """

    def __init__(
        self, rows: RunRows, tensors: TensorBook, sink: Sink, complete: bool, hook_cap: int | None = None
    ) -> None:
        self.rows, self.tensors, self.complete = rows, tensors, complete
        self.starts: list[tuple[int, int]] = [(-1, 0)]
        self.open = 0
        self.ended = self._begun = sequence_number()
        self.strays: list[range] = []
        self.again: tuple[int, int] | None = None
        self.engine: list[SequenceRange] = []
        self.user_code = self.unpacks = False
        self.at_hand: Sequence[int] | None = None
        self.own = False
        self.result: tuple[torch.Tensor, int] | None = None
        self._saved: list[_SavedTensor] | None = None  # tensors saved by the nodes being registered
        self.hook_cap = hook_cap
        self._altered: set[int] = set()  # nodes whose gradient a hook of the program may change
        self._simple = hook_cap is None and not complete  # every node has one hook, and nothing else about it is read
        self._measured = 0  # the last node whose depth is known
        self._sink = sink
        self._by_sequence: dict[int, int] = {}
        self._leaves: dict[int, tuple[Node, int]] = {}  # AccumulateGrad by id of its held wrapper
        self._by_variable: dict[int, int] = {}
        self.within: dict[int, int] = {}
        self.on_leaves: list[Any] = []
        self._dropped: list[range] = []  # sequence numbers of operations that were dropped or skipped

    def of(self, tensor: torch.Tensor) -> int:
        """Return a tensor's node, 0 if there is none. It and everything below it is recorded."""
        node = properties.grad_fn(tensor)
        return self.register(node) if node is not None else 0

    def name_gradients(self, gradients: tuple) -> None:
        """Record gradients' own nodes, as under create_graph."""
        with without_modes():
            for gradient in gradients:
                if gradient is None:
                    continue
                made, output = self.of(gradient), gradient.output_nr
                if self.rows.nodes.lacks(made, output):
                    self.rows.nodes.fill(made, output, self.tensors.values.add(gradient))

    def leaf(self, tensor: torch.Tensor) -> int:
        """Return the AccumulateGrad of a leaf that requires a gradient, 0 for other tensors."""
        if not tensor.requires_grad or not properties.is_leaf(tensor):
            return 0
        with torch.enable_grad():
            return self.register(TensorBase.view_as(tensor, tensor).grad_fn.next_functions[0][0])

    def register(self, root: Node, state: int = -1, output: int = 0) -> int:
        """Return a node's id. New nodes below it are recorded first, oldest first.

        Args: state: the row of the state that it made as this output, -1 for none.
        """
        sequence = root._sequence_nr()
        index = self._by_sequence.get(sequence)
        if index is None and (self._dropped or sequence == _LEAF_SEQUENCE):
            index = self._elsewhere(root, sequence)
        if not index:
            edges = root.next_functions
            index = self._write(root, sequence, edges) or self._write_below(root, sequence, edges)
        if state >= 0:
            states, nodes = self.rows.tensors.states.cells, self.rows.nodes
            states[state + STATE_NODE], states[state + STATE_OUTPUT] = index, output
            at = nodes.at(index) if nodes.gone else index * NODE - NODE
            if at >= 0:
                if not output and nodes.cells[at + NODE_VALUES] is NONE:
                    nodes.cells[at + NODE_VALUES] = states[state + STATE_VALUE]
                else:
                    nodes.fill(index, output, states[state + STATE_VALUE])
        return index

    def _write_below(self, root: Node, sequence: int, edges: Sequence[tuple[Node | None, int]]) -> int:
        """Record the new nodes below a node, then itself. Return its id."""
        new: list[_New] = []
        seen, stack, known = {root}, [(sequence, root, sequence, edges)], self._by_sequence
        while stack:
            new.append(stack.pop())
            for below, _ in new[-1][3]:
                if below is not None and below not in seen:
                    number = below._sequence_nr()
                    if number in known:
                        continue
                    leaf = number == _LEAF_SEQUENCE
                    if not (leaf or self._dropped) or not self._elsewhere(below, number):
                        seen.add(below)
                        stack.append((-1 if leaf else number, below, number, below.next_functions))
        new.sort(key=_order_of)
        self._saved, since = [] if self.complete else None, self.rows.nodes.saved.count
        try:
            waiting, before = new, 0
            while len(waiting) != before:  # a second round is needed only for unnumbered nodes in between
                before = len(waiting)
                waiting = [one for one in waiting if not self._write(*one[1:])]
            if self._saved is not None:
                self._fill_values(new, self._saved, since)
        finally:
            self._saved = None
        return known.get(sequence) or self._elsewhere(root, sequence)

    def hook_below(self, root: Node) -> None:
        """Hook unhooked nodes that a backward is about to reach."""
        stack, seen = [root], {root}
        while stack:
            node = stack.pop()
            index, nodes = self.find(node), self.rows.nodes
            if index not in nodes or index in nodes.hooked or nodes.field(index, NODE_VARIABLE):
                continue
            kind = KINDS.get(type(node)) or KINDS.learn(node)
            self._look_into(node, index, kind, nodes.field(index, NODE_EDGES))
            for below, _ in node.next_functions:
                if below is not None and below not in seen:
                    seen.add(below)
                    stack.append(below)

    def find(self, node: Node) -> int:
        """Return the id of a node, 0 if unknown."""
        sequence = node._sequence_nr()
        return self._by_sequence.get(sequence) or self._elsewhere(node, sequence)

    def _elsewhere(self, node: Node, sequence: int) -> int:
        """Return the id of a dropped or unnumbered node, 0 if unknown."""
        if sequence != _LEAF_SEQUENCE:
            return _GONE if self._dropped and self._is_gone(sequence) else 0
        held = self._leaves.get(id(node))
        if held is not None and held[0] is node:
            return held[1]
        book, index = _metadata(node).get(KEEPER, (None, 0))  # for a large leaf, which is not held
        return index if book == id(self) and index in self.rows.nodes else 0

    def accumulator(self, tensor: int) -> int:
        """Return the AccumulateGrad node of a leaf, 0 if it has none."""
        return self._by_variable.get(tensor, 0)

    def leaf_variables(self) -> list[torch.Tensor]:
        """Return the living leaves of the run's graphs."""
        tensors = self.rows.tensors
        variables = [tensors.living(index) for index in self._by_variable]
        return [variable for variable in variables if variable is not None]

    def leaves_below(self, roots: Sequence[int]) -> list[torch.Tensor] | None:
        """Return the leaves below nodes from recorded rows, None if rows are missing."""
        nodes, tensors = self.rows.nodes, self.rows.tensors
        if nodes.gone or self._dropped or self.within or 0 in roots:
            return None
        cells = nodes.cells
        variables = [cells[root * NODE - NODE + NODE_VARIABLE] for root in roots]
        stack = [root for root, variable in zip(roots, variables, strict=True) if not variable]
        below_roots, seen = [variable for variable in variables if variable], {0, *stack}
        while stack:
            at = stack.pop() * NODE - NODE
            if variable := cells[at + NODE_VARIABLE]:
                below_roots.append(variable)
            for below in cells[at + NODE_EDGES][::-1]:
                if below not in seen:
                    seen.add(below)
                    stack.append(below)
        leaves = [tensors.living(variable) for variable in below_roots]
        return None if any(leaf is None for leaf in leaves) else leaves

    def operation_begins(self) -> None:
        """Note that an operation begins, before its inputs are read: torch may renew the nodes of views then."""
        if not self.open and (sequence := sequence_number()) > self.ended:
            self.strays.append(range(self.ended, sequence))
        self.open += 1

    def operation_ends(self) -> None:
        """Record that later nodes belong to no operation, unless this operation is inside another."""
        self.open -= 1
        if not self.open:
            self.ended = sequence_number()

    def _is_stray(self, sequence: int) -> bool:
        """Return whether code that is not recorded made a node."""
        if not self.open and sequence >= self.ended:
            return True
        at = bisect_right(self.strays, sequence, key=_begin_of) - 1
        return at >= 0 and sequence in self.strays[at]

    def drop(self, first: int, last: int, nodes: set[int]) -> None:
        """Mark operations `first` to `last` and nodes as dropped."""
        low = bisect_left(self.starts, first, key=_operation_of)
        high = bisect_right(self.starts, last, key=_operation_of)
        if low < high:
            start, _ = self.starts[low]
            end = self.starts[high][0] if high < len(self.starts) else sequence_number()
            self.starts[low:high] = [(start, first)]
            within = [numbers for numbers in self._dropped if numbers.start < end]
            start = min([start, *[numbers.start for numbers in within]])
            self._dropped = [range(start, end), *[numbers for numbers in self._dropped if numbers.start >= end]]
        self._by_sequence = {sequence: index for sequence, index in self._by_sequence.items() if index not in nodes}
        self._leaves = {key: held for key, held in self._leaves.items() if held[1] not in nodes}
        self._by_variable = {tensor: index for tensor, index in self._by_variable.items() if index not in nodes}

    def skip(self, start: int, operation: int) -> None:
        """Mark nodes since a sequence number as skipped with their operation."""
        self.starts.append((start, operation))
        self._dropped.append(range(start, sequence_number()))

    def _is_gone(self, sequence: int) -> bool:
        dropped = self._dropped  # sorted, so find the last range that begins before it
        return sequence in dropped[bisect_right(dropped, sequence, key=_begin_of) - 1]

    def release(self, tensor: int) -> None:
        """Release a leaf's node before torch replaces its tensor's contents."""
        self._leaves = {key: held for key, held in self._leaves.items() if held[1] != self._by_variable.get(tensor)}

    def forget(self) -> None:
        """Release every node. Remove our hooks from leaves."""
        for handle in self.on_leaves:
            handle.remove()
        self.on_leaves.clear()
        self._leaves.clear()
        self._by_sequence.clear()
        self._by_variable.clear()

    def _write(self, node: Node, sequence: int, edges: Sequence[tuple[Node | None, int]]) -> int:
        """Record a node if every node below it is known, otherwise return 0."""
        if sequence == _LEAF_SEQUENCE and type(node) is _AccumulateGrad:
            return self._write_leaf(node)
        targets: list[int] = []  # joining thousands of tensors creates as many
        beyond_first, nodes, by_sequence = 0, self.rows.nodes, self._by_sequence
        for below, number in edges:
            if below is None:  # an argument without gradient
                targets.append(0)
                continue
            if number:
                beyond_first = number
            target = by_sequence.get(below._sequence_nr())
            if target is None:
                held = self._leaves.get(id(below))
                target = held[1] if held is not None and held[0] is below else self.find(below)
                if not target:
                    return 0
            targets.append(target)
        kind = KINDS.get(type(node)) or KINDS.learn(node)
        start, operation = self.starts[-1]
        made_by = 0
        stray = self.strays[-1].stop if self.open and self.strays else sys.maxsize if not self.open else 0
        if sequence < max(start, stray) or self.engine:  # not created by the running operation
            operation, made_by = self._owners(sequence)
        if self.again is not None and sequence >= self.again[0] and not made_by:
            operation = self.again[1]
        name = kind.name or node.name().rpartition("::")[2]
        numbers = [number for _, number in edges] if beyond_first else ZEROS[len(targets)]
        nodes.cells += (name, operation, 0, made_by, tuple(targets), numbers, NONE, 0)
        nodes.count = index = nodes.count + 1
        if sequence != _LEAF_SEQUENCE:
            self._by_sequence[sequence] = index
        else:
            _metadata(node)[KEEPER] = (id(self), index)
        if kind.user_code:
            self.user_code = True
            nodes.user_code.add(index)
        if self._simple and (not self._altered or self._altered.isdisjoint(targets)):
            node.register_prehook(ArrivalHook(self._sink, index))
        # Every living hook refers to the sink, so its reference count replaces a list.
        elif self.hook_cap is None or sys.getrefcount(self._sink) < self.hook_cap:
            self._look_into(node, index, kind, targets)
        if index >= _SEGMENT:
            self._keep_deep(node, index)
        return index

    def measure_depths(self) -> None:
        """Measure the depth of the nodes that are new since the last time."""
        nodes = self.rows.nodes
        for index in range(self._measured + 1, nodes.count + 1):
            if (at := nodes.at(index)) < 0:
                continue
            below = [nodes.at(target) for target in nodes.cells[at + NODE_EDGES]]
            depths = [nodes.cells[place + NODE_DEPTH] + 1 for place in below if place >= 0]
            nodes.cells[at + NODE_DEPTH] = max(depths, default=0)
        self._measured = nodes.count

    def sums(self, calls: Iterable[BackwardRow]) -> dict[int, int]:
        """Return the values of leaves' `.grad` after backward calls, by the leaves' ids."""
        nodes = self.rows.nodes
        return {
            nodes.field(node, NODE_VARIABLE): after
            for call in calls
            for node, (_, after) in call.accumulations.items()
            if node in nodes
        }

    def may_alter(self, tensor: torch.Tensor) -> None:
        """Note that a hook of the program may change a tensor's gradient."""
        node = tensor.grad_fn
        sequence = _LEAF_SEQUENCE if node is None else node._sequence_nr()
        if index := self._by_sequence.get(sequence) or self._by_variable.get(self.tensors.find(tensor) or 0):
            self._altered.add(index)

    def _look_into(self, node: Node, index: int, kind: NodeKind, targets: Sequence[int]) -> None:
        """Read a node's saved tensors and hook it."""
        nodes = self.rows.nodes
        if self.hook_cap is not None:
            nodes.hooked.add(index)
        hook = ArrivalHook(self._sink, index)
        if self.complete and kind.saved:
            self._keep_saved(node, index, kind)
        if targets and not self.complete and not self._altered.isdisjoint(targets):
            node.register_hook(LeavingHook(hook))
        node.register_prehook(hook)

    def _write_leaf(self, node: Any) -> int:
        variable = node.variable
        tensor = self.tensors.find(variable) or self.tensors.add(variable, 0)
        leaf = self._own_leaf(variable, tensor)
        index = self._by_variable.get(leaf, 0)
        if not index:
            value = self.rows.tensors.last(leaf, STATE_VALUE)  # record its value at the first use
            index = self.rows.nodes.add("AccumulateGrad", 0, leaf, 0, NONE, NONE, value, 0)
        self._by_variable[leaf] = self._by_variable[tensor] = index
        if TensorBase.numel(variable) <= (_HELD_PARAMETER if type(variable) is torch.nn.Parameter else _HELD_LEAF):
            self._leaves[id(node)] = (node, index)
        else:
            _metadata(node)[KEEPER] = (id(self), index)
        if type(variable) in _PLAIN and variable._backward_hooks:  # hooks from before the recording
            self.user_code = self._sink.hooked = True
            self._altered.add(index)
        if type(variable) in _PLAIN and variable._post_accumulate_grad_hooks:
            self._sink.early = True
        hook = LeafArrivalHook(self._sink, index, True, variable=tensor, handles=self.on_leaves)
        self.on_leaves.append(node.register_prehook(hook))
        return index

    def _own_leaf(self, variable: torch.Tensor, tensor: int) -> int:
        """Return the program's leaf inside a torch.func transform's leaf."""
        if not is_wrapped(variable):
            return tensor
        within = inside(variable)
        if not (held := self.tensors.find(within) or self.tensors.add(within, 0)):
            return tensor
        self.within[tensor] = held
        return held if within.requires_grad else tensor

    def _made_by(self, sequence: int) -> int:
        for used in reversed(self.engine):
            if used.start <= sequence < used.end:
                return used.backward
            if used.end <= sequence:
                break
        return 0

    def _owners(self, sequence: int) -> tuple[int, int]:
        """Return the operation and the backward that made a node, 0 if there is none.

        A call of autograd.grad is itself an operation and owns the nodes it made.
        """
        made_by = self._made_by(sequence)
        if made_by and self.rows.backwards[made_by].kind != "grad":
            return 0, made_by
        if not made_by and sequence >= self._begun and self._is_stray(sequence):
            return 0, 0
        return self.starts[bisect_right(self.starts, sequence, key=_start_of) - 1][1], made_by

    def _keep_saved(self, node: Node, index: int, kind: NodeKind) -> None:
        """Record a node's saved values."""
        if not TELLS_HOOKS and node._sequence_nr() < self._begun:
            return
        saved, holds = self.rows.nodes.saved, self.rows.nodes.holds
        # If torch's own call has just made the node, its saved tensors cannot have hooks yet.
        asks = not self.own or kind.user_code or node._sequence_nr() < self.starts[-1][0]
        for attribute, name, raw in kind.saved:
            try:
                if raw and asks and (known := packed(node, raw)):  # reading it would run the program's unpack hook
                    self.user_code = self.unpacks = True
                    saved.add(index, name, 0, -1, 0, known, 0, 0)
                    continue
                value = getattr(node, attribute)
            except Exception as problem:  # changed in place since, or freed
                reraise_recorder_error(problem)
                saved.add(index, name, 0, -1, 0, type(problem).__name__, 0, 0)
                continue
            of = type(value)
            if of in _PLAIN:
                self._saved_tensor(index, name, value)
                holds.add(index)
            elif of is int or of is float or of is bool:
                saved.cells += (index, name, 0, -1, 0, value, 0, 0)
                saved.count += 1
            elif value is not None:
                parts = value if of is list or of is tuple else (value,)
                tensors = [part for part in parts if isinstance(part, _Tensor)]
                for part in tensors:
                    self._saved_tensor(index, name, part)
                if tensors:
                    holds.add(index)
                else:
                    saved.add(index, name, 0, -1, 0, f"{signed(value)!r}"[:200], 0, 0)

    def _saved_tensor(self, node: int, name: str, tensor: torch.Tensor) -> None:
        kept, values, saved = self.tensors, self.tensors.values, self.rows.nodes.saved
        if dispatch_modes() and is_fake(tensor):
            saved.add(node, name, 0, -1, values.add_opaque(tensor), None, 0, 0)
            return
        entry, memory, size = kept.known.get(id(tensor)), 0, 0
        index = entry[1] if entry is not None and entry[0]() is tensor else 0
        try:
            storage = TensorBase.untyped_storage(tensor if type(tensor) is _Tensor else plain_tensor(tensor))
            size = storage.nbytes()
            if index:
                memory = kept.storages.number_at(storage._cdata)
            elif self.result is not None and TensorBase.is_set_to(tensor, self.result[0]):
                index, memory = self.result[1], kept.storage_of(*self.result)
            else:
                index, memory = kept.same_entries(tensor, storage)
            memory = memory or -storage.data_ptr()
            version = tensor._version
        except RuntimeError:  # sparse, of a transform, of inference, or zeros of forward mode, which have no memory
            version = properties.version(tensor)
        # The workspace of a recurrent layer or a norm has bytes that torch never wrote.
        is_workspace = tensor.dtype is torch.uint8 and name.startswith(("result", "reserve"))
        value = 0 if index else values.add_opaque(tensor) if is_workspace else values.add(tensor)
        saved.cells += (node, name, index, version, value, None, memory, size)
        saved.count += 1
        if self._saved is not None and not is_workspace:
            at, cells = kept.rows.tensors.at(index) if index else -1, kept.rows.tensors.cells
            if at >= 0 and cells[at + TENSOR_VERSION] == version:
                value = kept.rows.tensors.states.field(cells[at + TENSOR_LAST], STATE_VALUE)
            self._saved.append((node, name, tensor, value))

    def _fill_values(self, new: list[_New], saved: list[_SavedTensor], since: int) -> None:
        """Fill in results that nodes save, and queue the other results of the call."""
        nodes, values = self.rows.nodes, self.tensors.values
        known: dict[Result, Known] = {}
        for node, name, tensor, value in saved:
            maker = properties.grad_fn(tensor)
            held: Known | None = None
            if name in PARTS:
                known[node, name] = held = value or values.add(tensor), _strides(tensor)
            if maker is not None and (of := (self.find(maker), tensor.output_nr)) not in known and of[0] in nodes:
                known[of] = held or (value or values.add(tensor), _strides(tensor))
                if nodes.lacks(*of):
                    nodes.fill(*of, known[of][0])
        if self.at_hand is None or is_autocast_enabled("cpu"):
            return
        tensors, whole = self.rows.tensors, True
        for identity in self.at_hand:
            if (at := tensors.at(identity)) >= 0:
                last = tensors.states.at(tensors.cells[at + TENSOR_LAST])
                _, _, _, value, made, output, _ = tensors.states.cells[last : last + STATE]
                if made or (made := self._by_variable.get(identity, 0)):
                    known.setdefault((made, output), (value, tensors.cells[at + TENSOR_STRIDE]))
                dtype, device = tensors.cells[at + TENSOR_DTYPE], tensors.cells[at + TENSOR_DEVICE]
                whole = whole and dtype in NUMPY and device == _CPU
        start, inner, shapes = self.starts[-1][0], [], {}
        whole = whole and values.summaries.keys().isdisjoint([value for value, _ in known.values()])
        cells, gone, by_sequence = nodes.cells, nodes.gone, self._by_sequence
        for _, new_node, sequence, _ in new:
            if start <= sequence != _LEAF_SEQUENCE and (index := by_sequence.get(sequence)):
                inner.append(index)
                first = cells[(index - 1 - gone) * NODE + NODE_VALUES]  # a field of the new row
                if first is NONE or (type(first) is list and not first[0]):
                    for number, one in enumerate(getattr(new_node, "_input_metadata", ())):
                        shapes[index, number] = one.shape
        inside = Inside(self.rows, inner, range(since + 1, nodes.saved.count + 1), known, shapes)
        if whole:
            values.waiting.append(inside)
        else:  # large values are kept as a sample
            self._fill_large(inside, saved)

    def _fill_large(self, inside: Inside, saved: list[_SavedTensor]) -> None:
        """Fill in the results inside a composite at once, from the tensors themselves."""
        tensors = self.rows.tensors
        held: list[tuple[Result, torch.Tensor]] = []
        for node, name, tensor, _ in saved:
            held.append(((node, name), tensor))
            if (maker := properties.grad_fn(tensor)) is not None:
                held.append(((self.find(maker), tensor.output_nr), tensor))
        for identity, tensor in tensors.all_living(self.at_hand or ()):
            node = tensors.last(identity, STATE_NODE) or self._by_variable.get(identity, 0)
            held.append(((node, tensors.last(identity, STATE_OUTPUT)), tensor))
        known = inside.known
        known.update({key: (known[key][0], tensor) for key, tensor in reversed(held) if key in known})
        inside.fill_in(self.tensors.values)

    def _keep_deep(self, node: Node, index: int) -> None:
        self.measure_depths()
        depth = self.rows.nodes.field(index, NODE_DEPTH)
        if depth >= _SEGMENT and depth % _SEGMENT == 0:
            self._keep(node, depth)

    def _keep(self, root: Node, depth: int) -> None:
        """Attach the wrappers below a deep node to it, in forward order.

        C++ destroys a graph whose nodes Python has touched recursively. The list dies with its node and releases from
        its end, root first, so that no release is deeper than a segment.
        """
        nodes, indices = self.rows.nodes, self._by_sequence  # AccumulateGrad nodes excluded
        segment, stack, least = [], [root], depth - _SEGMENT
        last, falling = _LEAF_SEQUENCE, True
        while stack:
            for below, _ in stack.pop().next_functions:
                if below is None:
                    continue
                sequence = below._sequence_nr()
                index = indices.get(sequence, 0)
                at = nodes.at(index)
                if at >= 0 and index not in nodes.kept and nodes.cells[at + NODE_DEPTH] >= least:
                    nodes.kept.add(index)
                    segment.append(below)
                    stack.append(below)
                    falling = falling and sequence < last
                    last = sequence
        if falling:  # the nodes form a chain
            segment.reverse()
        else:
            segment.sort(key=_sequence_of)
        _metadata(root)[KEEPER] = segment


_begin_of = operator.attrgetter("start")
_start_of, _operation_of = operator.itemgetter(0), operator.itemgetter(1)
_order_of = operator.itemgetter(0)
_sequence_of = operator.methodcaller("_sequence_nr")


def _strides(tensor: torch.Tensor) -> tuple[int, ...]:
    """Return a tensor's strides, () if it has none, as a nested one."""
    try:
        return TensorBase.stride(tensor)
    except RuntimeError:
        return ()


def _metadata(node: Any) -> dict:
    """Return a node's metadata. torch's type stub calls it a function."""
    return node.metadata
