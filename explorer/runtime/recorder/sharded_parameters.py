"""Map FSDP2's unsharded parameters to the sharded ones."""

import sys
from collections.abc import Iterator

import torch

from explorer.runtime.recorder import properties
from explorer.runtime.recorder.rows import NODE_VARIABLE, BackwardRow
from explorer.runtime.recorder.values import ValueStore


def unsharded_parameters() -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yield unsharded parameters of `fully_shard` with their sharded ones.

    The attributes are private to torch: without them there are none.
    """
    states = getattr(sys.modules.get("torch.distributed._composable_state"), "_module_state_mapping", None)
    if not states or "torch.distributed.fsdp" not in sys.modules:
        return
    seen: set[int] = set()
    for reference in list(states.values()):
        state = reference() if callable(reference) else None
        if state is None or id(state) in seen:
            continue
        seen.add(id(state))
        groups = getattr(state, "_fsdp_param_groups", None)  # some versions of torch have only this attribute
        for group in [getattr(state, "_fsdp_param_group", None)] if groups is None else groups:
            for parameter in getattr(group, "fsdp_params", ()):
                whole, sharded = getattr(parameter, "_unsharded_param", None), getattr(parameter, "sharded_param", None)
                if isinstance(whole, torch.Tensor) and isinstance(sharded, torch.Tensor):
                    yield whole, sharded


def with_sharded(leaves: list[torch.Tensor]) -> list[torch.Tensor]:
    """Replace unsharded leaves by their sharded parameters."""
    pairs = {id(whole): sharded for whole, sharded in unsharded_parameters()}
    return [pairs.get(id(leaf), leaf) for leaf in leaves] if pairs else leaves


class ShardedLeaves:
    """Assigns unsharded parameters' gradients to the sharded ones for a backward.

    Args: recorder: the recorder with the rows.
    """

    def __init__(self, recorder) -> None:
        self._rows, self._nodes, self._values = recorder.rows, recorder.nodes, recorder.values
        self._held: list[tuple[int, int, torch.Tensor, int]] = []  # both ids, the sharded parameter and its old .grad
        for whole, sharded in unsharded_parameters():
            index = recorder.tensors.find(whole)
            if index:
                self._rows.sharded[index] = same = recorder.seen(sharded)
                self._held.append((index, same, sharded, _gradient_of(sharded, self._values)))
                self._to_sharded(index, same)

    def end(self, row: BackwardRow) -> None:
        """Read the sharded parameters' reduced `.grad` after the backward."""
        for index, same, sharded, before in self._held:
            node = self._to_sharded(index, same)
            if node in row.accumulations and (after := _gradient_of(sharded, self._values)):
                row.accumulations[node] = before or row.accumulations[node][0], after

    def _to_sharded(self, index: int, sharded: int) -> int:
        """Attach the sharded parameter to the unsharded AccumulateGrad node. Return that node or 0."""
        node, nodes = self._nodes.accumulator(index), self._rows.nodes
        if node in nodes:
            nodes.cells[nodes.at(node) + NODE_VARIABLE] = sharded
            return node
        return 0


def _gradient_of(tensor: torch.Tensor, values: ValueStore) -> int:
    gradient = properties.gradient(tensor)
    return 0 if gradient is None else values.add(gradient)
