"""Gradients of another root, or without a backward, after the program's end."""

import torch
from torch._C import TensorBase

from explorer.runtime.recorder.engine import EnginePatch
from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.node_kinds import runs_hooks
from explorer.runtime.recorder.recorder import Recorder
from explorer.runtime.recorder.rows import STATE_NODE
from explorer.trace import Remark


def implicit_root(recorder: Recorder, echoed: list[int]) -> torch.Tensor | None:
    """Return the root of a program without backward.

    Among named or echoed living tensors that no recorded operation uses, it is the last scalar, otherwise the last.
    """
    rows = recorder.rows
    named = {binding.tensor for binding in rows.bindings} | set(echoed)
    candidates = []
    rows.nodes.count_uses()
    for index, tensor in recorder.tensors.living():
        node = rows.tensors.last(index, STATE_NODE)
        unused = node in rows.nodes and node not in rows.nodes.first_use
        if index in named and unused and _differentiable(tensor):
            candidates.append(tensor)
    scalars = [tensor for tensor in candidates if TensorBase.numel(tensor) == 1]
    return (scalars or candidates or [None])[-1]


def _differentiable(tensor: torch.Tensor) -> bool:
    try:
        return tensor.requires_grad and not tensor.is_leaf and tensor.dtype.is_floating_point
    except Exception as problem:
        reraise_recorder_error(problem)
        return False


def side_pass(
    recorder: Recorder, patch: EnginePatch, root: torch.Tensor, start: tuple[float, ...] = ()
) -> Remark | None:
    """Compute the gradients of `root` at every node without changing `.grad`.

    `start` is the starting gradient v in row-major order, or empty for ones. A single number is used for every entry.

    The pass is omitted if the graph contains code of the program, which would run a second time. A diagnosis explains
    that.
    """
    if recorder.nodes.user_code or runs_hooks(root.grad_fn):
        return Remark("implicit_not_made", tensor=recorder.tensors.find(root))
    leaves = recorder.nodes.leaf_variables()
    if not leaves:
        return None
    random_state = torch.get_rng_state()
    kind, patch.kind = patch.kind, "implicit"
    try:
        seed = torch.ones_like(root)
        if start:
            if len(start) not in (1, TensorBase.numel(root)):
                values: dict[str, str | int | float] = {"asked": len(start), "entries": TensorBase.numel(root)}
                return Remark("start_does_not_fit", tensor=recorder.tensors.find(root), values=values)
            seed = seed * (torch.tensor(start).reshape(root.shape) if len(start) > 1 else start[0])
        torch.autograd.grad(root, leaves, seed.to(root.dtype), retain_graph=True, allow_unused=True)
    except Exception as problem:  # freed, changed in place, not differentiable: there is no gradient to show
        reraise_recorder_error(problem)
        return Remark("implicit_failed", tensor=recorder.tensors.find(root))
    finally:
        patch.kind = kind
        torch.set_rng_state(random_state)
    return None
