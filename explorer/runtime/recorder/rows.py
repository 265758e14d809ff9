"""The recorder's rows while a program runs. Ids only grow. Rows may be dropped.

Rows form no reference cycles, so the cycle collector need not visit them (gc=False).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import torch
from msgspec import Struct, field

from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.loss_terms import LossRow
from explorer.runtime.recorder.table import RowTable, as_tuple
from explorer.trace import NAME

# The index of each field in its row, and the width of each kind of row.
(
    OP_NAME,
    OP_FUNCTION,
    OP_SPAN,
    OP_ITERATION,
    OP_MODULE,
    OP_GRAD_ENABLED,
    OP_IN_BACKWARD,
    OP_INPUTS,
    OP_VERSIONS,
    OP_OUTPUTS,
) = range(10)
OPERATION = 10
(NODE_NAME, NODE_OPERATION, NODE_VARIABLE, NODE_MADE_BY, NODE_EDGES, NODE_EDGE_INPUTS, NODE_VALUES, NODE_DEPTH) = range(
    8
)
NODE = 8
(SAVED_NODE, SAVED_NAME, SAVED_TENSOR, SAVED_VERSION, SAVED_VALUE, SAVED_CONSTANT, SAVED_STORAGE, SAVED_SIZE) = range(8)
SAVED = 8
(
    TENSOR_REF,
    TENSOR_SHAPE,
    TENSOR_STRIDE,
    TENSOR_DTYPE,
    TENSOR_DEVICE,
    TENSOR_REQUIRES_GRAD,
    TENSOR_IS_LEAF,
    TENSOR_IS_PARAMETER,
    TENSOR_OFFSET,
    TENSOR_FIRST,
    TENSOR_LAST,
    TENSOR_VERSION,
) = range(12)
TENSOR = 12
STATE_TENSOR, STATE_VERSION, STATE_OPERATION, STATE_VALUE, STATE_NODE, STATE_OUTPUT, STATE_SEEN = range(7)
STATE = 7
VALUE_DTYPE, VALUE_SHAPE, VALUE_DATA = range(3)
VALUE = 3
# Lists are the most expensive part of a row: a single id is stored without a list, and several share a tuple.
NONE: tuple[int, ...] = ()


class _Zeros(dict[int, tuple[int, ...]]):
    def __missing__(self, count: int) -> tuple[int, ...]:
        self[count] = made = (0,) * count
        return made


ZEROS = _Zeros()  # number of zeros → shared tuple
_NAMED = frozenset({str, type(None)})


class OperationRows(RowTable):
    """Torch calls: the fields of trace.Operations, `module` the RunningModule until the run has ended.

    Attributes:
        errors, frames, callers, arguments, losses, modes: of those that have one, by id. Arguments as text or for
            `arguments_text`.
        draws: the random generator's state before those that drew from it.
    """

    __slots__ = ("arguments", "callers", "draws", "errors", "frames", "losses", "modes")

    def __init__(self) -> None:
        super().__init__(OPERATION)
        self.errors: dict[int, str] = {}
        self.frames: dict[int, str] = {}
        self.callers: dict[int, int] = {}
        self.arguments: dict[int, str | tuple] = {}
        self.losses: dict[int, LossRow] = {}
        self.modes: dict[int, int] = {}
        self.draws: dict[int, bytes] = {}

    def name_modules(self, paths: Mapping[int, str]) -> None:
        """Replace each running module by its path."""
        modules = self.column(OP_MODULE)
        if _NAMED.issuperset(map(type, modules)):
            return
        names = {
            key: one if one is None or type(one) is str else one.path(paths)[:NAME]
            for key, one in dict(zip(map(id, modules), modules, strict=True)).items()
        }
        self.cells[OP_MODULE :: self.width] = list(map(names.__getitem__, map(id, modules)))

    def drop(self, ids: Collection[int]) -> None:
        """Drop rows."""
        super().drop(ids)
        for rare in (self.errors, self.frames, self.callers, self.arguments, self.losses, self.modes, self.draws):
            for index in ids:
                rare.pop(index, None)


class StorageRow(Struct, gc=False):
    """The row of one StorageImpl of torch.

    Attributes: number: the storage's number. StorageImpls that share memory share it. shift: where it begins in that
    storage, in bytes. tensors: ids of those seen on it, in order. room: how many tensors may be added before dead ones
    are removed. written: the last operation that wrote to it.
    """

    number: int
    shift: int
    tensors: dict[int, None] = field(default_factory=dict)
    room: int = 64
    written: int = 0


class TensorRows(RowTable):
    """Tensor objects: a weak reference to the object (its id() is used again once it is gone), the fields of
    trace.Tensors from shape to is_parameter, its offset, the ids of its first and its last state, and torch's version
    counter in the last.

    Attributes: states: the fields of trace.Versions, after the tensor's id. grads: the values of their `.grad` at the
    end, by id. memory: their storage rows, by id, if storages are followed. exposed: those whose memory NumPy or
    another library may write unseen. stale: those whose grad_fn a write through an alias has replaced. It is read only
    when the program reads it.
    """

    __slots__ = ("exposed", "grads", "memory", "stale", "states")

    def __init__(self) -> None:
        super().__init__(TENSOR)
        self.states = RowTable(STATE)
        self.grads: dict[int, int] = {}
        self.memory: dict[int, StorageRow] = {}
        self.exposed: set[int] = set()
        self.stale: set[int] = set()

    def living(self, index: int) -> torch.Tensor | None:
        """Return a row's tensor, None if it is gone."""
        at = self.at(index)
        return None if at < 0 else self.cells[at]()

    def all_living(self, indices: Iterable[int]) -> list[tuple[int, torch.Tensor]]:
        """Return the rows whose tensors still exist, each with its tensor."""
        return [(index, tensor) for index in indices if (tensor := self.living(index)) is not None]

    def first(self, index: int, field: int) -> Any:
        """Return a field of the first state of an existing tensor row."""
        return self.states.field(self.field(index, TENSOR_FIRST), field)

    def last(self, index: int, field: int) -> Any:
        """Return a field of the last state of an existing tensor row."""
        return self.states.field(self.field(index, TENSOR_LAST), field)

    def write_last(self, index: int, field: int, value: object) -> None:
        """Set a field of the last state of an existing tensor row."""
        self.states.cells[self.states.at(self.field(index, TENSOR_LAST)) + field] = value

    def changed(self, index: int, version: int, operation: int, value: int, node: int, output: int, seen: int) -> None:
        """Add a state to an existing tensor row."""
        at = self.at(index)
        self.cells[at + TENSOR_LAST] = self.states.add(index, version, operation, value, node, output, seen)
        self.cells[at + TENSOR_VERSION] = version

    def drop(self, ids: Collection[int]) -> None:
        """Drop rows."""
        super().drop(ids)
        states = self.states
        states.drop({i for i, of in zip(states.ids(), states.column(STATE_TENSOR), strict=True) if of in ids})
        for index in ids:
            self.grads.pop(index, None)
            self.memory.pop(index, None)
        self.exposed.difference_update(ids)
        self.stale.difference_update(ids)


class NodeRows(RowTable):
    """Autograd nodes: name, operation, variable, made_by, edges, edge_inputs and values are those of trace.Nodes.

    The last field is the length of the longest path to a leaf, once that matters.

    Attributes: shared: nodes to which several edges of the nodes up to `counted` lead. senders: where those begin.
    first_use: where the first edge to each node begins. saved: what nodes save for backward: the fields of trace.Saved.
    Its storage is the number of a known tensor's storage, otherwise its negated address, 0 for none. Its constant may
    be a number. user_code: custom Functions. kept: nodes that a keeper list holds. hooked: nodes whose gradient will be
    seen, if not all are. holds: nodes that save tensors for backward.
    """

    __slots__ = ("counted", "first_use", "holds", "hooked", "kept", "saved", "senders", "shared", "user_code")

    def __init__(self) -> None:
        super().__init__(NODE)
        self.saved = RowTable(SAVED)
        self.user_code: set[int] = set()
        self.kept: set[int] = set()
        self.hooked: set[int] = set()
        self.holds: set[int] = set()
        self.shared: set[int] = set()
        self.senders: set[int] = set()
        self.counted = 0
        self.first_use: dict[int, int] = {}

    def count_uses(self) -> None:
        """Look at the edges of the nodes that are new since the last time."""
        edges = self.cells[max(0, self.at(self.counted + 1)) + NODE_EDGES :: NODE] if self.counted < self.count else ()
        for consumer, targets in enumerate(edges, self.counted + 1):
            for target in targets:
                if target in self.first_use:
                    self.shared.add(target)
                    self.senders |= {self.first_use[target], consumer}
                elif target > 0:
                    self.first_use[target] = consumer
        self.counted = self.count

    def values(self, index: int, output: int) -> list[int]:
        """Return the values of an existing node, with room for this output."""
        values = self.field(index, NODE_VALUES)
        if type(values) is not list:
            values = [] if values is NONE else [values]
            self.set(index, NODE_VALUES, values)
        values.extend([0] * (output + 1 - len(values)))
        return values

    def lacks(self, index: int, output: int | str) -> bool:
        """Return whether a node exists, and the value of this output is unknown."""
        if isinstance(output, str) or (at := self.at(index)) < 0 or self.cells[at + NODE_VARIABLE]:
            return False
        values = as_tuple(self.cells[at + NODE_VALUES])
        return output >= len(values) or not values[output]

    def fill(self, index: int, output: int, value: int) -> None:
        """Enter a value of an existing node, unless it is known."""
        at = self.at(index) + NODE_VALUES
        if not output and self.cells[at] is NONE:
            self.cells[at] = value
        else:
            values = self.values(index, output)
            values[output] = values[output] or value

    def drop(self, ids: Collection[int]) -> None:
        """Drop rows."""
        self.count_uses()
        super().drop(ids)
        of = zip(self.saved.ids(), self.saved.column(SAVED_NODE), strict=True)
        self.saved.drop({index for index, node in of if node in ids})
        for some in (self.user_code, self.kept, self.hooked, self.holds):
            some.difference_update(ids)


class BackwardRow(Struct, gc=False):
    """One call of the engine, with the fields of trace.Backward. A contribution is (consumer, edge, value).

    Attributes: left: nodes that have run to their end, at complete detail. captured: nodes whose gradient was returned
    instead of running them. handed: a leaf's node → the tensor whose `.grad` it is, what arrived and, without `.grad`,
    its memory. begun: the number of the first node that is made while it runs.
    """

    kind: str
    span: int
    operations: int
    roots: list[int]
    root_tensors: list[int]
    seeds: list[int]
    inputs: list[int]
    retain_graph: bool
    create_graph: bool
    order: list[int] = field(default_factory=list)
    arrived: list[int | list[int]] = field(default_factory=list)
    left: set[int] = field(default_factory=set)
    contributions: list[tuple[int, int, int]] = field(default_factory=list)
    accumulations: dict[int, tuple[int, int]] = field(default_factory=dict)
    status: str = "ok"
    failed_node: int = 0
    error: str = ""
    inside: int = 0
    captured: set[int] = field(default_factory=set)
    begun: int = 0
    handed: dict[int, tuple[int, int, tuple | None]] = field(default_factory=dict)


class BindingRow(Struct, gc=False):
    """A name for a tensor. `scope` is "" at module level, otherwise the function's name. `call` is the number of the
    last call of a function in which it stood for it, 0 at module level.
    """

    name: str
    scope: str
    tensor: int
    span: int
    start: int
    until: int = 0
    call: int = 0


class SequenceRange(Struct, gc=False):
    """Autograd sequence numbers used by one engine call; its nodes were created by that backward."""

    start: int
    end: int
    backward: int


class PruneMark(Struct, frozen=True, gc=False):
    """Ids up to which nothing more will be dropped."""

    operation: int = 0
    tensor: int = 0
    node: int = 0
    value: int = 0
    backward: int = 0


class RunRows(Struct):
    """All rows of a run by id (ids count from 1. 0 means none)."""

    operations: OperationRows = field(default_factory=OperationRows)
    tensors: TensorRows = field(default_factory=TensorRows)
    nodes: NodeRows = field(default_factory=NodeRows)
    backwards: dict[int, BackwardRow] = field(default_factory=dict)
    bindings: list[BindingRow] = field(default_factory=list)
    sharded: dict[int, int] = field(default_factory=dict)  # unsharded parameter of FSDP2 → its sharded parameter
    counted: Counter[str] = field(default_factory=Counter)  # kind → how many things were counted but not kept
    looked_at: set[int] = field(default_factory=set)  # tensors that the program showed, or asked for their shape
    remaining: list[int] = field(default_factory=list)  # tensors that existed at the end
    models: dict[str, None] = field(default_factory=dict)  # names of outermost modules
    results: dict[int, tuple[Any, list[tuple[str, int]]]] = field(default_factory=dict)  # module → itself, named parts
    strided: list[tuple[int, int, int]] = field(default_factory=list)  # tensor, step, value of every step-th entry

    def count_unrecorded(self, problem: Exception) -> None:
        """Count something that could not be recorded."""
        self.counted["lost"] += 1
        reraise_recorder_error(problem)
