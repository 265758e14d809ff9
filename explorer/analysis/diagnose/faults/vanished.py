"""Optimizers for which most gradients are too small to matter."""

from collections.abc import Iterator, Mapping

from explorer.analysis.diagnose.faults.finding import Finding, finds, named, report, share
from explorer.analysis.explain.autograd.gradients import contributions, node_gradients
from explorer.analysis.explain.autograd.reasons import zero_start
from explorer.analysis.run.model import Run, reachable
from explorer.analysis.run.objects import BackwardCall, Node, Optimizer, Tensor
from explorer.analysis.run.operations import PRODUCTS, names_where, spellings
from explorer.trace import Value

_PRODUCTS = PRODUCTS | spellings("mul")
_FACTORS = _PRODUCTS | names_where(lambda operation: "norm" in operation.name)
_SURE = 3  # after this many rounds, zeros are not due to one batch
_FEWEST = 2  # minimum number of weights for judging an optimizer
_MOST = 0.5  # share of an optimizer's weights: if more get nothing, the optimizer hardly trains
_ROUNDING = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}
_UNNOTICED = _ROUNDING["float32"]  # also for half precision, which is updated in float32
_ARRIVED = 1e-5  # from this sensitivity, a gradient inside the graph counts as large
_CANCELLED = 1e-4  # share of a large gradient; an operation that passes on less sums terms that cancel


@finds(
    "cannot_learn",
    "a gradient became too small for its dtype on the way, or there are three rounds",
    unless="gradient_stopped step_function softmax_of_one zeros_hold hook_zeroes paths_cancel gradient_cut "
    "root_is_leaf nan_forward nan_backward padding_attended",
)
def cannot_learn(run: Run) -> Iterator[Finding]:
    """Report an optimizer for which most weights never get a gradient large enough to change the loss.

    One round is enough to tell. Weights behind a layer that starts at 0 are left out: their gradients appear once
    that layer has moved.
    """
    for optimizer in run.stepped:
        trained = [tensor for tensor in dict.fromkeys(optimizer.tensors) if tensor.id in run.received]
        weights = [tensor for tensor in trained if len(tensor.shape) > 1] or trained
        rounds = _rounds(run, optimizer, weights) if len(weights) >= _FEWEST else []
        lost = [leaf for leaf in weights if rounds and all(leaf in one for one in rounds)]
        if len(lost) <= _MOST * len(weights):
            continue
        call = next(call for call in run.backwards if lost[0] in call.brought)
        largest = max(one[leaf] for one in rounds for leaf in lost)
        vanished = largest > 0 or any(_underflows(call, leaf) for leaf in lost)
        values = {"optimizer": optimizer.name, "lost": len(lost), "count": len(weights), "names": named(lost)}
        values |= {
            "rounds": len(rounds),
            "largest": share(largest) if largest else "none",
            "loss": share(_loss(call) or 0.0),
        }
        yield from report("cannot_learn", call.place, lost[0], **values, certain=vanished or len(rounds) >= _SURE)


def _rounds(run: Run, optimizer: Optimizer, weights: list[Tensor]) -> list[Mapping[Tensor, float]]:
    """Return, for each backward that reaches these weights, the largest norm that has no effect."""
    rounds, wanted = list[Mapping[Tensor, float]](), set(weights)
    for call in run.backwards:
        brought = wanted & call.brought.keys()
        if not brought:
            continue
        loss = _loss(call)
        if not loss or call.row.inputs or len(brought) < len(wanted):
            return []  # the weights are trained in turns, or nothing is left to learn
        rounds.append(dict(_unnoticed(call, brought, loss)))
        if len(rounds[-1]) <= _MOST * len(weights):
            return []
    return rounds


def _loss(call: BackwardCall) -> float | None:
    """Return the loss that a backward starts from, or None if it is not a single known number."""
    entries = call.roots[0].before(call) if len(call.roots) == 1 else None
    return float(entries[0].real) if entries is not None and entries.size == 1 else None


def _unnoticed(call: BackwardCall, leaves: set[Tensor], loss: float) -> Iterator[tuple[Tensor, float]]:
    """Yield leaves whose gradient is too small to matter, with its norm, unless terms cancelled."""
    trace, small = call.run.trace, list[tuple[Tensor, float]]()
    gradients = node_gradients(trace, call.id)
    for node in call.nodes:
        leaf = node.leaf
        norms = [_norm(trace.value(value)) for value in gradients[node.id]] if leaf in leaves else [None]
        weight = None if leaf is None else _norm(trace.value(leaf.value(call)))
        if leaf is None or weight is None or None in norms:
            continue
        if _is_unnoticed(norm := max(norms, default=0.0), weight, loss, leaf.dtype):
            small.append((leaf, norm))
    shadow = _below_sums_that_cancel(call, loss) if len(small) > _MOST * len(leaves) else set()
    for leaf, norm in small:
        if leaf not in shadow and not (norm == 0 and _comes_back(call, leaf)):
            yield leaf, norm


def _sensitivity(gradient: float, weight: float, loss: float) -> float:
    """Return the relative change of the loss if a weight changes by its own size.

    >>> _sensitivity(1e-9, 4.0, 2.0)
    2e-09
    """
    return gradient * max(weight, 1.0) / abs(loss)


def _is_unnoticed(gradient: float, weight: float, loss: float, dtype: str) -> bool:
    """Return whether the loss does not notice, beyond rounding, a change of a weight by its own size."""
    return _sensitivity(gradient, weight, loss) < min(_ROUNDING.get(dtype, 0.0), _UNNOTICED)


def _below_sums_that_cancel(call: BackwardCall, loss: float) -> set[Tensor]:
    """Return the leaves below an operation whose terms cancelled: its gradient was large, and it passed on a small one.

    At a minimum the terms of a weight cancel too. A product with small numbers is small without cancelling.
    """
    trace, starts = call.run.trace, list[Node]()
    gradients, passed = node_gradients(trace, call.id), contributions(trace, call.id)
    for node in call.nodes:
        arrived = max((_norm(trace.value(value)) or 0.0 for value in gradients[node.id] if value >= 0), default=0.0)
        large = arrived * _factor(node)
        if _sensitivity(large, 1.0, loss) < _ARRIVED:
            continue
        for edge, target in enumerate(node.targets):
            norm = _norm(trace.value(passed.get((node.id, edge), -1)))
            if target is not None and norm is not None and norm < _CANCELLED * large:
                starts.append(target)
    below = reachable(starts, lambda node: filter(None, node.targets))
    return {node.leaf for node in below if node.leaf is not None}


def _factor(node: Node) -> float:
    """Return the norm of a product's smaller operand, at most 1. Return 1 for other operations."""
    made = node.call
    operands = made.inputs[:2] if made is not None and made.name in _PRODUCTS else []
    norms = [_norm(made.run.trace.value(one.value(made))) for one in operands]
    return min([1.0, *(norm for norm in norms if norm is not None)])


def _comes_back(call: BackwardCall, leaf: Tensor) -> bool:
    """Return whether a leaf's gradient is 0 only until a weight that starts at 0 has moved.

    A light recording has no saved factors. Then the reason is unknown, and this returns True.
    """
    start = zero_start(call.run.trace, call.id, leaf.id)
    return (start is None or start.kind == "factor") and _moves_from_zero(call)


def _moves_from_zero(call: BackwardCall) -> bool:
    """Return whether an all-zero factor gets a gradient, such as a branch's last layer that starts at 0."""

    def found() -> bool:
        run = call.run
        none = (leaf for leaf, (_, after) in call.brought.items() if leaf.is_zero(call) and not run.is_zero(after))
        return any(user.name in _FACTORS and leaf in user.inputs[:2] for leaf in none for user in leaf.users)

    return call.run.trace.index.memoize(("a factor moves from 0", call.id), found)


def _norm(value: Value | None) -> float | None:
    return None if value is None or value.norm is None or value.nonfinite else float(value.norm)


def _underflows(call: BackwardCall, leaf: Tensor) -> bool:
    """Return whether a leaf's gradient became 0 because it was too small for its dtype."""
    start = zero_start(call.run.trace, call.id, leaf.id)
    return start is not None and start.kind == "underflow"


RULES = (cannot_learn,)
