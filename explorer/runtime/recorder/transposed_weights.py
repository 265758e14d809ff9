"""Compute the transposed weights inside calls such as that of a linear layer.

Of the results inside a call only those that nodes save for backward are recorded, and the transposed weights, which
follow from the arguments.
"""

from torch._C import TensorBase

from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.hidden_calls import without_modes
from explorer.runtime.recorder.rows import (
    NODE_EDGES,
    NODE_NAME,
    NODE_OPERATION,
    NODE_VARIABLE,
    OP_INPUTS,
    OP_VERSIONS,
    STATE,
    TENSOR_SHAPE,
    Rows,
)
from explorer.runtime.recorder.values import ValueStore

_MADE = "TBackward0"
_State = tuple[int, int]  # a tensor and its version


def fill_transposed(rows: Rows, values: ValueStore) -> None:
    """Fill in the unknown transposes of arguments that are leaves."""
    nodes, operations = rows.nodes, rows.operations
    columns = nodes.ids(), nodes.column(NODE_NAME), nodes.column(NODE_OPERATION)
    unknown: dict[int, _State] = {}  # by node
    for index, name, operation in zip(*columns, strict=True):
        if name == _MADE and operation in operations and nodes.lacks(index, 0):
            below = nodes.field(index, NODE_EDGES)[0]
            leaf = nodes.field(below, NODE_VARIABLE) if below in nodes else 0
            given = operations.field(operation, OP_INPUTS)
            if leaf and leaf in given:
                unknown[index] = leaf, operations.field(operation, OP_VERSIONS)[given.index(leaf)]
    known = _values_of(rows, values, set(unknown.values())) if unknown else {}
    values.put_in_order()
    for index, state in unknown.items():
        try:
            if (tensor := values.tensor(known.get(state, 0))) is not None:
                with without_modes():
                    nodes.fill(index, 0, values.add(TensorBase.t(tensor)))
        except Exception as problem:  # memory that is short
            reraise_recorder_error(problem)


def _values_of(rows: Rows, values: ValueStore, wanted: set[_State]) -> dict[_State, int]:
    """Return the values of tensors at a version, 0 if it had several or holds the examples of a vmap."""
    found: dict[_State, int] = {}
    cells = rows.tensors.states.cells
    for at in range(0, len(cells), STATE):
        tensor, version, _, value, *_ = cells[at : at + STATE]
        if (tensor, version) in wanted:
            alike = values.shape(value) == rows.tensors.field(tensor, TENSOR_SHAPE)
            found[tensor, version] = value if alike and found.get((tensor, version), value) == value else 0
    return found
