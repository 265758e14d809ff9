"""Recompute tensors inside a composite function if known tensors determine them exactly.

A composite such as `nn.TransformerEncoderLayer` is one call with many nodes. Its arguments, its results and what its
nodes save for backward are known. The other results are views, copies, sums and small products of them, and are
computed again by the same torch function on the same entries. While the program runs, only which nodes and which known
values are noted.
"""

import ast
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import torch
from msgspec import Struct
from torch._C import TensorBase, _VariableFunctions

from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.hidden_calls import without_modes
from explorer.runtime.recorder.node_kinds import plain_shape, signed
from explorer.runtime.recorder.rows import (
    NODE_EDGE_INPUTS,
    NODE_EDGES,
    NODE_NAME,
    NODE_VALUES,
    SAVED_CONSTANT,
    SAVED_NAME,
    RunRows,
)
from explorer.runtime.recorder.table import as_tuple

Result = tuple[int, Any]  # a node, and which of its outputs or the name under which it saves a tensor
Known = tuple[int, Any]  # a value, and its strides or the tensor itself
_CHEAP = 200_000  # multiplications of a product that is computed again


class Inside(Struct, gc=False):
    """The nodes of one call inside which results are unknown.

    Attributes: nodes: their ids, oldest first. saved: the ids of what they save for backward. known: known results.
    shapes: of unknown results.
    """

    rows: RunRows
    nodes: list[int]
    saved: range
    known: dict[Result, Known]
    shapes: dict[Result, Sequence[int]]

    def fill_in(self, values: Any) -> None:
        """Fill in a call's results that follow from known ones. `values` is the ValueStore."""
        nodes, known = self.rows.nodes, self.known
        for index in self.nodes:
            for number, value in enumerate(as_tuple(nodes.field(index, NODE_VALUES)) if index in nodes else ()):
                if value:
                    known.setdefault((index, number), (value, None))
        if any(nodes.lacks(index, 0) for index in self.nodes):
            results, graded = Results(self, values), torch._C.is_grad_enabled()
            torch._C._set_grad_enabled(False)
            try:
                with without_modes():
                    _compute(results)
                    for key, tensor in results.items():
                        if nodes.lacks(*key):
                            nodes.fill(*key, known[key][0] if key in known else values.add(tensor))
            finally:
                torch._C._set_grad_enabled(graded)


class _Step(Struct, gc=False):
    """A node: its name and edges, and what all nodes of the call save."""

    index: int
    name: str
    edges: list[Result]
    saved: dict[tuple[int, str], Any]

    def number(self, name: str) -> Any:
        """Return a saved constant. Raises RuntimeError if it is unknown."""
        constant = self.saved.get((self.index, name))
        if type(constant) is str:
            with suppress(ValueError, SyntaxError):
                return signed(tuple(ast.literal_eval(constant)))
        elif constant is not None:
            return signed(constant)
        raise RuntimeError(f"{self.name} does not save {name}")


class Results(dict[Result, torch.Tensor]):
    """The results inside a call: known ones become tensors at their first use."""

    def __init__(self, inside: Inside, store: Any) -> None:
        super().__init__()
        self.inside, self.store = inside, store
        self.shape = {key: plain_shape(shape) for key, shape in inside.shapes.items()}.get

    def __contains__(self, key: object) -> bool:
        return super().__contains__(key) or key in self.inside.known

    def __missing__(self, key: Result) -> torch.Tensor:
        value, more = self.inside.known[key]
        tensor = more if isinstance(more, torch.Tensor) else self.store.tensor(value, more)
        if tensor is None:
            raise RuntimeError("only a sample was kept")
        self[key] = tensor
        return tensor

    def first(self, *keys: Result) -> torch.Tensor | None:
        """Return the first of these results that is known."""
        return next((self[key] for key in keys if key in self), None)


# A node's result as a function of the node, the result's shape and the inputs.
_REDONE: dict[str, Callable[..., torch.Tensor]] = {
    "TBackward0": lambda node, shape, x: TensorBase.t(x),
    "TransposeBackward0": lambda node, shape, x: TensorBase.transpose(x, *_axes(node)),
    "PermuteBackward0": lambda node, shape, x: TensorBase.permute(x, node.number("dims")),
    **{
        f"{name}Backward{kind}": lambda node, shape, x: TensorBase.reshape(x, shape)
        for name, kind in (("View", 0), ("UnsafeView", 0), ("Unsqueeze", 0), *(("Squeeze", i) for i in range(3)))
    },
    "ExpandBackward0": lambda node, shape, x: TensorBase.expand(x, shape),
    "CloneBackward0": lambda node, shape, x: x,
    "AliasBackward0": lambda node, shape, x: x,
    "MulBackward1": lambda node, shape, x: TensorBase.mul(x, node.number("other")),  # a number
    "SliceBackward0": lambda node, shape, x: _sliced(x, node.number("dim"), node),
    "SelectBackward0": lambda node, shape, x: TensorBase.select(x, node.number("dim"), node.number("index")),
    "AddBackward0": lambda node, shape, x, y: _VariableFunctions.add(x, y, alpha=node.number("alpha")),
    "SubBackward0": lambda node, shape, x, y: _VariableFunctions.sub(x, y, alpha=node.number("alpha")),
    "MulBackward0": lambda node, shape, x, y: _VariableFunctions.mul(x, y),
    "CatBackward0": lambda node, shape, *parts: _VariableFunctions.cat(parts, node.number("dim")),
    "MmBackward0": lambda node, shape, x, y: _VariableFunctions.mm(x, y),
    "BmmBackward0": lambda node, shape, x, y: _VariableFunctions.bmm(x, y),
    "AddmmBackward0": lambda node, shape, bias, x, y: _VariableFunctions.addmm(
        bias, x, y, beta=node.number("beta"), alpha=node.number("alpha")
    ),
}

# Saved inputs of nodes, in order, for inputs that require no gradient.
_SAVED = {
    "MulBackward0": ("self", "other"),
    "MmBackward0": ("self", "mat2"),
    "BmmBackward0": ("self", "mat2"),
    "AddmmBackward0": ("", "mat1", "mat2"),
}
PARTS = frozenset(name for names in _SAVED.values() for name in names)
_TO_SHAPE = frozenset(name for name in _REDONE if name.startswith(("View", "Unsafe", "Unsq", "Sq", "Expand")))
# Nodes whose result has all entries of the input.
_UNDONE = _TO_SHAPE - {"ExpandBackward0"} | {
    f"{name}Backward0" for name in ("T", "Transpose", "Permute", "Clone", "Alias")
}
_SPLITS = ("UnsafeSplitBackward0", "SplitBackward0")
_PRODUCTS = ("MmBackward0", "BmmBackward0", "AddmmBackward0")


def _compute(results: Results) -> None:
    forward = _steps(results.inside)
    backward = [step for step in reversed(forward) if step.name in _UNDONE and len(step.edges) == 1]
    split: set[int] = set()
    _undo_all(backward, results)  # cheaper than a product that is computed again
    for _ in range(2):
        before = len(results)
        for step in forward:
            if step.name in _SPLITS:
                if step.index in split or step.edges[0] not in results:
                    continue
                split.add(step.index)
            elif (step.index, 0) in results:
                continue
            try:
                _redo(step, results)
            except Exception as problem:  # changed in place since, or unknown
                reraise_recorder_error(problem)
        if len(results) == before or not _undo_all(backward, results):
            break  # otherwise another round may find more


def _steps(inside: Inside) -> list[_Step]:
    nodes, saved = inside.rows.nodes, inside.rows.nodes.saved
    constants = {
        (saved.cells[at], saved.cells[at + SAVED_NAME]): saved.cells[at + SAVED_CONSTANT]
        for at in map(saved.at, inside.saved)
        if at >= 0
    }
    steps = []
    for index in inside.nodes:
        if (at := nodes.at(index)) >= 0 and ((name := nodes.cells[at + NODE_NAME]) in _REDONE or name in _SPLITS):
            edges = zip(nodes.cells[at + NODE_EDGES], nodes.cells[at + NODE_EDGE_INPUTS], strict=True)
            steps.append(_Step(index, name, list(edges), constants))
    return steps


def _undo_all(backward: list[_Step], results: Results) -> bool:
    """Compute inputs from results. Return whether there were any."""
    before = len(results)
    for step in backward:
        edge = step.edges[0]
        if (step.index, 0) in results and edge not in results and (shape := results.shape(edge)) is not None:
            try:
                results[edge] = _undone(results[step.index, 0], step, shape)
            except Exception as problem:  # changed in place since, or unknown
                reraise_recorder_error(problem)
    return len(results) > before


def _redo(step: _Step, results: Results) -> None:
    name, edges = step.name, step.edges
    if name in _SPLITS:
        parts = TensorBase.split(results[edges[0]], step.number("split_size"), step.number("dim"))
        for number, part in enumerate(parts):
            if (step.index, number) not in results:
                results[step.index, number] = part
        return
    shape, saved = results.shape((step.index, 0)), _SAVED.get(name, ("",) * len(edges))
    inputs: list[Any] = [results.first(edge, (step.index, one)) for edge, one in zip(edges, saved, strict=True)]
    if any(one is None for one in inputs) or (shape is None and name in _TO_SHAPE):
        return
    if name in _PRODUCTS and TensorBase.numel(inputs[-2]) * inputs[-1].shape[-1] > _CHEAP:
        return
    result = _REDONE[name](step, shape, *inputs)
    if shape is None or result.shape == shape:
        results[step.index, 0] = result


def _undone(y: torch.Tensor, step: _Step, shape: Sequence[int]) -> torch.Tensor:
    """Return a node's input of this shape from its result."""
    match step.name:
        case "TBackward0":
            return TensorBase.t(y)
        case "TransposeBackward0":
            return TensorBase.transpose(y, *_axes(step))
        case "PermuteBackward0":
            order = step.number("dims")
            return TensorBase.permute(
                y, sorted(range(len(order)), key=[axis % len(order) for axis in order].__getitem__)
            )
    return TensorBase.reshape(y, shape)


def _sliced(x: torch.Tensor, dim: int, node: _Step) -> torch.Tensor:
    part = slice(node.number("start"), min(node.number("end"), x.shape[dim]), node.number("step"))
    return TensorBase.__getitem__(x, (slice(None),) * (dim % TensorBase.dim(x)) + (part,))


def _axes(node: _Step) -> tuple[int, int]:
    return node.number("dim0"), node.number("dim1")
