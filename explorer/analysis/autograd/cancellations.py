"""Why gradients that are not 0 become 0 on the way to a leaf, though no operation on it is flat."""

from typing import Literal, NamedTuple

import numpy as np

from explorer.analysis.autograd.gradients import contributions, node_gradients
from explorer.analysis.run import Backward, Call, Node, Tensor


class Zeroed(NamedTuple):
    """Where they do. Attributes: by: paths that add up to 0, or a hook; call: of the node; came: what came there."""

    by: Literal["paths", "hook"]
    call: Call | None
    came: list[np.ndarray]


def what_zeroes(leaf: Tensor, backward: Backward) -> Zeroed | None:
    """Where all gradients on the way to a leaf that gets zeros become 0, the last place found; None if it is not known,
    something else made one 0, or they add up to 0 at the leaf itself.
    """
    run, found = leaf.run, None
    gradients, passed = node_gradients(run.trace, backward.id), contributions(run.trace, backward.id)
    above: dict[Node, list[tuple[Node, int]]] = {}
    for node in backward.nodes:
        for edge, target in enumerate(node.targets):
            if target is not None:
                above.setdefault(target, []).append((node, edge))
    for node in (todo := [one for one in backward.nodes if one.leaf is leaf]):
        came = [(one, passed.get((one.id, edge), -1)) for one, edge in above.get(node, ())]
        if any(value < 0 for _, value in came):
            return None
        some = [entries for _, value in came if (entries := run.entries(value)) is not None and entries.any()]
        if some and np.any(sum(some)):
            found = Zeroed("hook", node.call, some)
        elif some and node.call is not None and len(some) > 1 and some[0].size > 1:
            found = Zeroed("paths", node.call, some)
        elif some:
            return None
        for one, _ in came if not some else ():
            if not all(run.is_zero(arrived) for arrived in gradients[one.id] if arrived >= 0):
                return None
            todo += [one] if one not in todo else []
    return found
