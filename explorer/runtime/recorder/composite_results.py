"""Recompute tensors inside a composite function, where known tensors give them exactly.

A composite such as `nn.TransformerEncoderLayer` is one call with many nodes. Saved tensors are known; the other
results are views, copies, sums and small products of them, and are computed again by the same torch function on the
same entries.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import torch
from torch._C import TensorBase, _VariableFunctions
from torch.autograd.graph import Node

from explorer.runtime.recorder.faults import raise_if_own_fault
from explorer.runtime.recorder.node_kinds import packed, signed

Result = tuple[Node, int]  # a node and which of its outputs
Edges = Sequence[tuple[Node | None, int]]
_INTEGERS = frozenset({int})
_CHEAP = 200_000  # multiplications of a product that is computed again
_AccumulateGrad = vars(torch._C._functions)["AccumulateGrad"]


# For nodes with one input: the result as a function of that input, the node and the result's shape.
_FORWARD: dict[str, Callable[[torch.Tensor, Any, list[int]], torch.Tensor]] = {
    "TBackward0": lambda x, node, shape: TensorBase.t(x),
    "TransposeBackward0": lambda x, node, shape: TensorBase.transpose(x, *_axes(node)),
    "PermuteBackward0": lambda x, node, shape: TensorBase.permute(x, signed(node._saved_dims)),
    "ViewBackward0": lambda x, node, shape: TensorBase.reshape(x, shape),
    "UnsafeViewBackward0": lambda x, node, shape: TensorBase.reshape(x, shape),
    "UnsqueezeBackward0": lambda x, node, shape: TensorBase.reshape(x, shape),
    "SqueezeBackward0": lambda x, node, shape: TensorBase.reshape(x, shape),
    "SqueezeBackward1": lambda x, node, shape: TensorBase.reshape(x, shape),
    "SqueezeBackward2": lambda x, node, shape: TensorBase.reshape(x, shape),
    "ExpandBackward0": lambda x, node, shape: TensorBase.expand(x, shape),
    "CloneBackward0": lambda x, node, shape: x,
    "AliasBackward0": lambda x, node, shape: x,
    "MulBackward1": lambda x, node, shape: TensorBase.mul(x, node._saved_other),  # a number
    "SliceBackward0": lambda x, node, shape: _sliced(x, signed(node._saved_dim), node),
    "SelectBackward0": lambda x, node, shape: TensorBase.select(x, signed(node._saved_dim), signed(node._saved_index)),
}

# For nodes whose result has all entries of the input: the input as a function of the result, the node and the input's
# shape.
_BACKWARD: dict[str, Callable[[torch.Tensor, Any, list[int]], torch.Tensor]] = {
    "TBackward0": lambda y, node, shape: TensorBase.t(y),
    "TransposeBackward0": lambda y, node, shape: TensorBase.transpose(y, *_axes(node)),
    "PermuteBackward0": lambda y, node, shape: TensorBase.permute(y, _inverse(signed(node._saved_dims))),
    **{
        f"{name}Backward{kind}": lambda y, node, shape: TensorBase.reshape(y, shape)
        for name, kind in (("View", 0), ("UnsafeView", 0), ("Unsqueeze", 0), *(("Squeeze", i) for i in range(3)))
    },
    "CloneBackward0": lambda y, node, shape: y,
    "AliasBackward0": lambda y, node, shape: y,
}


# Saved inputs of nodes, in order, for inputs that require no gradient.
_SAVED = {
    "MulBackward0": ("_saved_self", "_saved_other"),
    "MmBackward0": ("_saved_self", "_saved_mat2"),
    "BmmBackward0": ("_saved_self", "_saved_mat2"),
    "AddmmBackward0": ("", "_saved_mat1", "_saved_mat2"),
}


_SPLITS = ("UnsafeSplitBackward0", "SplitBackward0")

# For other nodes: the result as a function of the node and the inputs.
_COMBINED: dict[str, Callable[..., torch.Tensor]] = {
    "AddBackward0": lambda node, x, y: _VariableFunctions.add(x, y, alpha=node._saved_alpha),
    "SubBackward0": lambda node, x, y: _VariableFunctions.sub(x, y, alpha=node._saved_alpha),
    "MulBackward0": lambda node, x, y: _VariableFunctions.mul(x, y),
    "CatBackward0": lambda node, *parts: _VariableFunctions.cat(parts, signed(node._saved_dim)),
    "MmBackward0": lambda node, x, y: _VariableFunctions.mm(x, y),
    "BmmBackward0": lambda node, x, y: _VariableFunctions.bmm(x, y),
    "AddmmBackward0": lambda node, bias, x, y: _VariableFunctions.addmm(
        bias, x, y, beta=node._saved_beta, alpha=node._saved_alpha
    ),
}
_PRODUCTS = ("MmBackward0", "BmmBackward0", "AddmmBackward0")
_REDONE = {*_FORWARD, *_COMBINED, *_SPLITS}  # no others


def results_inside(nodes: list[tuple[Node, Edges, str]], results: dict[Result, torch.Tensor]) -> None:
    """Add the recomputed results of nodes to the known ones, by node and output.

    Args:
        nodes: nodes of one call with their edges and names, oldest first; no tensor was written to since.
    """
    for _, edges, _ in nodes:
        for below in edges:
            if type(below[0]) is _AccumulateGrad:
                results[below[0], 0] = cast(Any, below[0]).variable
    forward = [step for step in nodes if step[2] in _REDONE]
    backward = [step for step in reversed(forward) if step[2] in _BACKWARD and len(step[1]) == 1]
    split: set[Node] = set()
    graded = torch.is_grad_enabled()
    torch._C._set_grad_enabled(False)
    try:
        _undo_all(backward, results)  # cheaper than a product that is computed again
        for _ in range(2):
            before = len(results)
            for node, edges, name in forward:
                if name in _SPLITS:
                    if node in split or edges[0] not in results:
                        continue
                    split.add(node)
                elif (node, 0) in results or (name not in _SAVED and not results.keys() >= set(edges)):
                    continue
                try:
                    _redo(node, edges, name, results)
                except Exception as problem:  # changed in place since, or freed
                    raise_if_own_fault(problem)
            if len(results) == before or not _undo_all(backward, results):
                break  # otherwise there is something new for another round
    finally:
        torch._C._set_grad_enabled(graded)


def _undo_all(backward: list[tuple[Node, Edges, str]], results: dict[Result, torch.Tensor]) -> bool:
    """Compute inputs from results; return whether there were any."""
    before = len(results)
    for node, ((below, number),), name in backward:
        if (node, 0) in results and (below, number) not in results and below is not None:
            try:
                if type(below) is not _AccumulateGrad and (shape := _shape(below, number)) is not None:
                    results[below, number] = _BACKWARD[name](results[node, 0], node, shape)
            except Exception as problem:  # as above
                raise_if_own_fault(problem)
    return len(results) > before


def _redo(node: Any, edges: Edges, name: str, results: dict[Result, torch.Tensor]) -> None:
    if name in _SPLITS:
        parts = TensorBase.split(results[edges[0]], signed(node._saved_split_size), signed(node._saved_dim))
        for number, part in enumerate(parts):
            results.setdefault((node, number), part)
        return
    if (shape := _shape(node, 0)) is None:
        return
    if name in _FORWARD:
        result: torch.Tensor | None = _FORWARD[name](results[edges[0]], node, shape) if len(edges) == 1 else None
    else:
        inputs: list[Any] = [None if edge[0] is None else results.get(edge) for edge in edges]
        for at, attribute in enumerate(_SAVED.get(name, ())):
            if inputs[at] is None and attribute and not packed(node, f"_raw{attribute}"):
                inputs[at] = getattr(node, attribute)
        if any(one is None for one in inputs):
            return
        if name in _PRODUCTS and math.prod(shape) * inputs[-1].shape[-2] > _CHEAP:
            return
        result = _COMBINED[name](node, *inputs)
    if result is not None and list(result.shape) == shape:
        results[node, 0] = result


def _sliced(x: torch.Tensor, dim: int, node: Any) -> torch.Tensor:
    part = slice(signed(node._saved_start), min(signed(node._saved_end), x.shape[dim]), node._saved_step)
    return TensorBase.__getitem__(x, (slice(None),) * (dim % TensorBase.dim(x)) + (part,))


def _axes(node: Any) -> tuple[int, int]:
    return signed(node._saved_dim0), signed(node._saved_dim1)


def _inverse(order: Sequence[int]) -> list[int]:
    positive = [axis % len(order) for axis in order]
    return [positive.index(axis) for axis in range(len(order))]


def _shape(node: Any, number: int) -> list[int] | None:
    """The shape of a node's output, None if torch does not give it as numbers."""
    metadata = getattr(node, "_input_metadata", ())
    if number >= len(metadata):
        return None
    shape = list(metadata[number].shape)
    return shape if _INTEGERS.issuperset(map(type, shape)) else None
