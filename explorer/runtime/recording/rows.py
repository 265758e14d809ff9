"""What the recorder writes down while a program runs, before it becomes columns. Ids only grow; rows may be dropped.

Rows hold no row that holds them, so Python's cycle collector need not walk over them (gc=False).
"""

from weakref import ref

import torch
from msgspec import Struct, field


class OperationRow(Struct, gc=False):
    """One torch call; the fields are those of trace.Operations, `module` the running nn.Module itself."""

    name: str
    function: str
    span: int
    iteration: tuple[int, ...]
    module: object
    grad_enabled: bool
    in_backward: int
    inputs: list[int]
    versions: list[int]
    outputs: list[int] = field(default_factory=list)
    error: str = ""
    frames: str = ""
    arguments: str = ""


class VersionRow(Struct, gc=False):
    """A state of a tensor; the fields are those of trace.Versions."""

    version: int
    operation: int
    value: int
    node: int
    output: int
    seen: int = 0


class StorageRow(Struct, gc=False):
    """One StorageImpl of torch.

    Attributes:
        number: of its storage; memory that several StorageImpls share has one number.
        shift: where it begins in that storage, in bytes.
        tensors: ids of those seen on it, in order.
        room: how many may be seen before those that are gone are struck off.
        written: the last operation that wrote to it.
    """

    number: int
    shift: int
    tensors: dict[int, None] = field(default_factory=dict)
    room: int = 64
    written: int = 0


class TensorRow(Struct, gc=False):
    """One tensor object.

    Attributes:
        ref: to the object; its id is used again once it is gone.
        exposed: whether NumPy or another library may write into its memory unseen.
        memory: what it lies on, None where that is not followed.
        stale: whether a write through an alias has replaced its grad_fn, which is read only when the program does.
    """

    ref: ref
    shape: torch.Size
    stride: tuple[int, ...]
    dtype: torch.dtype
    device: torch.device
    requires_grad: bool
    is_leaf: bool
    is_parameter: bool
    storage: int
    offset: int
    versions: list[VersionRow]
    exposed: bool = False
    stale: bool = False
    grad: int = 0
    memory: StorageRow | None = None


class SavedRow(Struct, gc=False):
    """Something a node keeps for backward; the fields are those of trace.Saved.

    Attributes:
        storage: the number of its storage where a known tensor lies on it, otherwise its address below zero; 0: none.
    """

    name: str
    tensor: int = 0
    version: int = -1
    value: int = 0
    constant: str | None = None
    storage: int = 0
    size: int = 0


class NodeRow(Struct, gc=False):
    """One autograd node; the fields are those of trace.Nodes.

    Attributes:
        depth: length of the longest path to a leaf.
        uses: how many edges lead to it.
        kept: whether a keeper list holds it.
        hooked: whether its gradient will be seen.
        holds: whether it keeps tensors for backward.
    """

    name: str
    operation: int
    variable: int
    made_by: int
    user_code: bool
    edges: list[int]
    edge_inputs: list[int]
    values: list[int]
    saved: list[SavedRow]
    depth: int = 0
    uses: int = 0
    kept: bool = False
    hooked: bool = False
    holds: bool = False


class BackwardRow(Struct, gc=False):
    """One call of the engine; the fields are those of trace.Backward, contributions as (consumer, edge, value).

    Attributes:
        left: nodes that have run to their end, at complete detail.
        captured: nodes whose gradient was returned instead of running them.
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
    arrived: list[list[int]] = field(default_factory=list)
    left: set[int] = field(default_factory=set)
    contributions: list[tuple[int, int, int]] = field(default_factory=list)
    accumulations: dict[int, tuple[int, int]] = field(default_factory=dict)
    status: str = "ok"
    failed_node: int = 0
    error: str = ""
    inside: int = 0
    captured: set[int] = field(default_factory=set)


class BindingRow(Struct, gc=False):
    """A name for a tensor; `scope` is "" at module level, otherwise the function's name."""

    name: str
    scope: str
    tensor: int
    span: int
    start: int
    until: int = 0


class SequenceRange(Struct, gc=False):
    """Autograd sequence numbers that one engine call used up: nodes in it were made by that backward."""

    start: int
    end: int
    backward: int


class Settled(Struct, frozen=True, gc=False):
    """Up to which id nothing of a kind will be dropped any more, as long as the same first operations are kept."""

    operation: int = 0
    tensor: int = 0
    node: int = 0
    value: int = 0
    backward: int = 0


class Rows(Struct):
    """All rows of a run by id (ids count from 1; 0 means none)."""

    operations: dict[int, OperationRow] = field(default_factory=dict)
    tensors: dict[int, TensorRow] = field(default_factory=dict)
    nodes: dict[int, NodeRow] = field(default_factory=dict)
    backwards: dict[int, BackwardRow] = field(default_factory=dict)
    bindings: list[BindingRow] = field(default_factory=list)
    counted: dict[str, int] = field(default_factory=dict)  # what was counted, not kept
    strided: list[tuple[int, int, int]] = field(default_factory=list)  # tensor, step, value of every step-th entry
