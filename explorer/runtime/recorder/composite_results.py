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

from explorer.runtime.recorder import properties
from explorer.runtime.recorder.faults import raise_if_own_fault
from explorer.runtime.recorder.node_kinds import KINDS, packed, signed

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
_REDONE = {*_FORWARD, *_SAVED, *_SPLITS, "AddBackward0", "SubBackward0", "CatBackward0"}  # no others


def results_inside(nodes: list[tuple[Node, Edges]], at_hand: list[torch.Tensor]) -> dict[Result, torch.Tensor]:
    """The recomputed results of nodes, by node and output.

    Args:
        nodes: nodes of one call with their edges, oldest first; no tensor was written to since.
    """
    results: dict[Result, torch.Tensor] = {}
    for _, edges in nodes:
        for below in edges:
            if type(below[0]) is _AccumulateGrad:
                results[below[0], 0] = cast(Any, below[0]).variable
    for tensor in at_hand:
        maker = properties.grad_fn(tensor)
        if maker is not None:
            results.setdefault((maker, tensor.output_nr), tensor)
    kinds = [(node, edges, KINDS.get(type(node)) or KINDS.learn(node)) for node, edges in nodes]
    forward = [(node, edges, kind.name) for node, edges, kind in kinds if kind.name in _REDONE]
    backward = [step for step in reversed(forward) if step[2] in _BACKWARD and len(step[1]) == 1]
    with torch.no_grad():
        for _ in range(2):
            for node, edges, name in forward:
                missing = name in _SPLITS or (node, 0) not in results
                for edge in edges if name not in _SAVED else ():
                    missing = missing and edge in results
                if missing:
                    _try(_redo, node, edges, name, results)
            before = len(results)
            for node, edges, name in backward:
                if (node, 0) in results and edges[0] not in results and edges[0][0] is not None:
                    _try(_undo, node, edges, name, results)
            if len(results) == before:  # otherwise there is something new for another round
                break
    return results


def _try(step: Callable[..., None], *given: Any) -> None:
    try:
        step(*given)
    except Exception as problem:  # changed in place since, or freed
        raise_if_own_fault(problem)


def redone(node: Any, name: str, shape: list[int], inputs: list[torch.Tensor | None]) -> torch.Tensor | None:
    """The result of a node's operation on its inputs, None if that might be inexact or costs too much."""
    if name in _FORWARD and len(inputs) == 1 and inputs[0] is not None:
        return _FORWARD[name](inputs[0], node, shape)
    if name in _SAVED:
        pairs = zip(inputs, _SAVED[name], strict=True)
        inputs = [
            getattr(node, attribute)
            if tensor is None and attribute and not packed(node, f"_raw{attribute}")
            else tensor
            for tensor, attribute in pairs
        ]
    if any(tensor is None for tensor in inputs):
        return None
    match name, inputs:
        case "AddBackward0", [first, second]:
            return _VariableFunctions.add(first, second, alpha=node._saved_alpha)
        case "SubBackward0", [first, second]:
            return _VariableFunctions.sub(first, second, alpha=node._saved_alpha)
        case "MulBackward0", [first, second]:
            return _VariableFunctions.mul(first, second)
        case "CatBackward0", [_, *_]:
            return _VariableFunctions.cat(inputs, signed(node._saved_dim))
        case "AddmmBackward0", [bias, first, second] if math.prod(shape) * first.shape[1] <= _CHEAP:
            return _VariableFunctions.addmm(bias, first, second, beta=node._saved_beta, alpha=node._saved_alpha)
        case "MmBackward0", [first, second] if math.prod(shape) * first.shape[1] <= _CHEAP:
            return _VariableFunctions.mm(first, second)
        case "BmmBackward0", [first, second] if math.prod(shape) * first.shape[2] <= _CHEAP:
            return _VariableFunctions.bmm(first, second)
    return None


def _redo(node: Any, edges: Edges, name: str, results: dict[Result, torch.Tensor]) -> None:
    if name in _SPLITS:
        parts = TensorBase.split(results[edges[0]], signed(node._saved_split_size), signed(node._saved_dim))
        for number, part in enumerate(parts):
            results.setdefault((node, number), part)
        return
    if (shape := _shape(node, 0)) is None:
        return
    result = redone(node, name, shape, [None if edge[0] is None else results.get(edge) for edge in edges])
    if result is not None and list(result.shape) == shape:
        results[node, 0] = result


def _undo(node: Any, edges: Edges, name: str, results: dict[Result, torch.Tensor]) -> None:
    below, number = edges[0]
    if type(below) is not _AccumulateGrad and (shape := _shape(below, number)) is not None:
        results[below, number] = _BACKWARD[name](results[node, 0], node, shape)


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
