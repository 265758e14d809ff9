"""Leaves that cannot learn: flat functions, squashed gradients, equal rows, zeros that keep each other, hooks."""

import math
from collections import Counter
from collections.abc import Collection, Iterator

import numpy as np

from explorer.analysis.diagnose.faults.finding import Finding, finds, grouped, named, numbers, report, share
from explorer.analysis.explain.autograd.gradients import NodeGradients, contributions, node_gradients
from explorer.analysis.explain.autograd.reasons import zero_start
from explorer.analysis.explain.autograd.zero_gradients import NORMAL
from explorer.analysis.run.model import Run, is_zero, reachable, run_of
from explorer.analysis.run.objects import BackwardCall, Call, Node, Tensor
from explorer.analysis.run.operations import (
    CASTS,
    FORMS,
    MOVES,
    NOISES,
    PRODUCTS,
    names_where,
    operation_of_node,
    spellings,
    steps_by,
)
from explorer.analysis.run.operations.record import Flat
from explorer.analysis.run.source.code import Code
from explorer.trace import Trace, sample_shape

_TERMS = MOVES | names_where(lambda one: one.step in ("sum", "mean") or one.straight or one.joins)
_STEPS_BY = spellings("div") | {"grid_sample"}  # step functions for some arguments
_DIVIDES = CASTS | spellings("floor_divide", "div")
_MULTIPLIES = PRODUCTS | spellings("mul")
_HOOKS = ("register_full_backward_hook", "register_full_backward_pre_hook")  # module hooks; the log has tensor hooks
_SQUASHES = ("sigmoid", "tanh")
_NEAR = 100  # most tensors examined behind a divisor
_MANY = 5  # after this many rounds of different data, a flat place is not chance
_FEW = 3  # minimum backwards for a claim about all of them
_IN_A_ROW = 4  # fewest squashing functions between a weight and the loss
_VANISHED = 1e-6  # norm of a gradient, and its share of the largest one in the first round
_SATURATED = 1e-5  # distance of a sigmoid from 0 or 1, or of a tanh from ±1
_MOST = 0.75  # share of the entries that are saturated in every round
_MASK = 1e8  # inputs beyond which an entry is masked on purpose
_LARGE = 30.0  # entries of data that saturate whatever the usual weights


@finds("step_function", "its slope is 0 everywhere")
@finds("gradient_stopped", "it is flat in every round, so the leaf never moves", unless="softmax_of_one")
def flat(run: Run) -> Iterator[Finding]:
    """Report a node that turns a gradient into zeros, if a leaf's gradient is all zero."""
    for backward in run.backwards:
        for node, call, arrived in stopping_nodes(backward, "step", "part", "far"):
            is_step = operation_of_node(node.name).flat == "step" or steps_by(call.name, call.arguments)
            kind = "step_function" if is_step else "gradient_stopped"
            leaf = _zero_leaf(node, node_gradients(run.trace, backward.id))
            given = call.inputs[0].before(call) if call.inputs and node.name.startswith("Relu") else None
            if leaf is None or (given is not None and bool((given == 0).any())):  # at 0 only one side is flat
                continue
            if _is_reached_elsewhere(backward, node, leaf):
                continue
            if (start := zero_start(run.trace, backward.id, leaf.id)) is not None and start.kind == "underflow":
                continue
            # A gradient this small becomes 0 even after a small slope: the dtype cannot represent their product.
            smallest = NORMAL.get(call.outputs[0].dtype, 0.0) ** 0.5
            if kind == "gradient_stopped" and np.abs(arrived).max() < smallest:
                continue
            learns = _learns(leaf)
            if kind == "step_function" or not (learns or is_met_margin(call)):
                values = {"name": leaf.name, "arrived": numbers(arrived), "code": call.text}
                place, bias = _lowered(call) if node.name.startswith("Relu") else (None, {"bias": "none"})
                bias = {"bias": "dropped"} if _drops_all(call) else bias
                certain = not learns and (kind == "step_function" or _is_flat_to_stay(leaf, call))
                yield from report(kind, place or call, leaf, node, **values, **bias, certain=certain)


def _is_flat_to_stay(leaf: Tensor, call: Call) -> bool:
    """Return whether a training has many rounds, or begins with equal numbers."""
    run, given = leaf.run, call.inputs[0].before(call) if call.inputs else None
    if not run.steps or len(leaf.backwards) > _MANY:
        return True
    alike = [one for one in run.calls((call.name,)) if one.span == call.span and one.inputs and one.leads_to_root]
    rounds = [one.inputs[0].before(one) for one in alike]
    return all(one is not None and given is not None and np.array_equal(one, given) for one in rounds)


def _lowered(call: Call) -> tuple[Code | None, dict[str, object]]:
    """Return where a bias makes every relu input negative."""
    layer = call.inputs[0].made_by(PRODUCTS)
    bias = layer.inputs[2] if layer is not None and len(layer.inputs) == 3 else None
    given, shift = call.inputs[0].before(call), None if bias is None else bias.before(call)
    wrote = [write for write in bias.writes if write.id < call.id and write.place] if bias is not None else []
    no: tuple[None, dict[str, object]] = None, {"bias": "none"}
    if not wrote or given is None or shift is None or np.unique(shift).size > 1 or not (given < 0).all():
        return no
    largest, without = float(given.max()), float((given - shift[0]).max())
    sizes = {"largest": share(largest), "without": share(without)}
    return (wrote[-1].place, {"bias": bias.name, "wrote": wrote[-1].text, **sizes}) if without > 0 else no


def stopping_nodes(backward: BackwardCall, *flat: Flat) -> Iterator[tuple[Node, Call, np.ndarray]]:
    """Return nodes of such flat operations that got a gradient and passed only zeros."""
    run, trace = backward.run, backward.run.trace
    stopping = trace.index.memoize(("flat nodes", flat), lambda: _flat_nodes(trace, flat))
    if not stopping:
        return
    gradients, passed = node_gradients(run.trace, backward.id), contributions(run.trace, backward.id)
    for node in (run.node(node) for node in backward.row.order if node in stopping):
        call = node.call
        if call is None or call.place is None:
            continue
        arrived = [run.entries(value) for value in gradients[node.id] if value >= 0]
        edges = (steps_by(call.name, call.arguments) if "step" in flat else ()) or range(len(node.targets))
        handed = [passed[node.id, edge] for edge in edges if (node.id, edge) in passed]
        entries = [gradient for gradient in arrived if gradient is not None]
        if len(entries) < len(arrived) or all(map(is_zero, entries)):
            continue
        if handed and all(map(run.is_zero, handed)):
            yield node, call, entries[0]


def _flat_nodes(trace: Trace, flat: tuple[str, ...]) -> set[int]:
    names = {name for name in set(trace.nodes.name) if operation_of_node(trace.strings[name]).flat in flat}
    drops = {call.id for call in run_of(trace).calls(NOISES) if _drops_all(call)} if "part" in flat else set()
    steps = run_of(trace).calls(_STEPS_BY) if "step" in flat else ()
    drops |= {call.id for call in steps if steps_by(call.name, call.arguments)}
    made = zip(trace.nodes.name, trace.nodes.operation, strict=True)
    return {node for node, (name, maker) in enumerate(made) if name in names or maker in drops}


def _drops_all(call: Call) -> bool:
    """Return whether a dropout keeps nothing: its rate is 1."""
    return call.argument(1, "p") == 1 and call.arguments.named.get("training") is True


def _learns(leaf: Tensor) -> bool:
    """Return whether some backward gave a leaf a nonzero gradient."""
    trace = leaf.run.trace
    came = (call for call in trace.backwards if call.status == "ok" and leaf.id in call.accumulated)
    pairs = ((call.before[at], call.after[at]) for call in came for at in (call.accumulated.index(leaf.id),))
    values = ((trace.value(before), trace.value(after)) for before, after in pairs)
    return any(after is None or not (after.is_zero or before == after) for before, after in values)


def is_met_margin(call: Call) -> bool:
    """Return whether the value clamped from below is a loss term whose margin is met.

    With another floor than 0, as with free bits, there must be further terms to learn from.
    """
    zero = is_zero(call.made)
    if call.name.endswith("_loss") or not (zero or _is_at_floor(call)):
        return zero

    def sums(tensor: Tensor) -> Iterator[Tensor]:
        return (made for user in tensor.users if user.name in _TERMS for made in user.outputs)

    roots = [tensor for tensor in reachable(call.outputs, sums) if tensor.id in call.run.roots]
    return bool(roots) and (zero or any(map(_learns, call.run.tensors(call.run.received))))


def _is_at_floor(call: Call) -> bool:
    """Return whether a call returned one number for all low entries."""
    given, made = call.inputs[0].before(call) if call.inputs else None, call.made
    return given is not None and made is not None and np.unique(made).size == 1 and bool((given <= made[0]).all())


def _zero_leaf(node: Node, gradients: NodeGradients) -> Tensor | None:
    """Return a leaf below a node whose whole gradient is 0."""
    for at in reachable([node], lambda at: sorted(filter(None, at.targets), key=lambda node: node.id)):
        arrived = [value for value in gradients[at.id] if value >= 0]
        if at.leaf is not None and arrived and all(map(node.run.is_zero, arrived)):
            return at.leaf
    return None


def _is_reached_elsewhere(backward: BackwardCall, node: Node, leaf: Tensor) -> bool:
    """Return whether a gradient also reaches a leaf on another path. Then it is 0 for another reason."""
    run, passed = backward.run, contributions(backward.run.trace, backward.id)

    def sends(at: Node) -> Iterator[Node]:
        for edge, target in enumerate(at.targets if at is not node else ()):
            value = passed.get((at.id, edge), -1)
            if target is not None and value >= 0 and not run.is_zero(value):
                yield target

    roots = [run.node(root) for root in backward.row.roots if root >= 0]
    return any(at.leaf is leaf for at in reachable(roots, sends))


@finds("softmax_of_one", "a layer of the program has one output")
def softmax_of_one(run: Run) -> Iterator[Finding]:
    """Report softmax over an axis of size 1, which is always 1.

    It is a note for attention over one key, and if something else learns, as in a mixture of one component.
    """
    for call in run.rooted(("softmax", "log_softmax", "cross_entropy")):
        shape = call.inputs[0].shape
        axis = call.axis() if call.name != "cross_entropy" else 1 if len(shape) > 1 else 0
        if axis is None or not -len(shape) <= axis < len(shape) or shape[axis] != 1:
            continue
        shapes = {other.inputs[0].shape for other in run.calls((call.name,)) if other.span == call.span}
        if len(shapes) == 1:  # otherwise the data determine the size
            certain = _is_of_layer(call.inputs[0]) and not any(map(_learns, run.tensors(run.received)))
            yield from report("softmax_of_one", call, shape=shape, axis=axis % len(shape), certain=certain)


def _is_of_layer(tensor: Tensor) -> bool:
    """Return whether a layer has this axis of size 1."""
    for _ in range(4):
        maker = tensor.maker
        if maker is None or not maker.inputs:
            return False
        if maker.name in PRODUCTS:
            return any(operand.gets_grad and 1 in operand.shape for operand in maker.inputs)
        tensor = maker.inputs[0]
    return False


@finds("symmetric", "equal rows get equal gradients in every backward", unless="zeros_hold")
def symmetric(run: Run) -> Iterator[Finding]:
    """Report a weight with equal rows and equal gradients, twice: its units stay copies of one another.

    A further weight must learn from their results. Otherwise the rows may be equal problems solved together.
    """
    for leaf in run.tensors(run.leaves):
        brought = leaf.backwards
        if len(leaf.shape) != 2 or leaf.shape[0] < 2 or len(brought) < 2:
            continue
        factor = any(user.name in PRODUCTS and user.leads_to_root for user, _ in leaf.readers(MOVES))
        if not factor or not any(other is not leaf and len(other.shape) > 1 for other in brought[0].brought):
            continue
        wrote = [call for call in _wrote(leaf, brought[0]) if call.place is not None]
        if wrote and all(_are_rows_equal(leaf, call) for call in brought):
            yield from report("symmetric", wrote[-1], leaf, name=leaf.name, rows=leaf.shape[0])


def _wrote(leaf: Tensor, before: BackwardCall) -> list[Call]:
    """Return the calls that created or wrote a leaf before a backward."""
    return [call for call in (leaf.maker, *leaf.writes) if call is not None and call.id < before.time]


def _are_rows_equal(leaf: Tensor, call: BackwardCall) -> bool:
    """Return whether a leaf's rows and its gradient's rows are equal."""
    entries, gradient = leaf.before(call), leaf.run.entries(call.brought[leaf][1])
    shape = leaf.shape if entries is not None and entries.size == leaf.size else sample_shape(leaf.shape)
    if entries is None or gradient is None or not entries.size == gradient.size == math.prod(shape) or shape[0] < 2:
        return False
    entries, gradient = entries.reshape(shape), gradient.reshape(shape)
    same = (entries == entries[0]).all() and np.allclose(gradient, gradient[0], rtol=1e-5, atol=0)
    return bool(same and np.any(gradient))


@finds("zeros_hold", "weights and gradients are 0 in every round, each because of the other")
def zeros_hold(run: Run) -> Iterator[Finding]:
    """Report weights that stay 0 because each gradient is multiplied by another of them."""
    weights = [leaf for optimizer in run.stepped for leaf in optimizer.tensors if len(leaf.shape) > 1 and leaf.size > 1]
    often = ((leaf, leaf.backwards) for leaf in weights if len(leaf.backwards) >= _FEW)
    none = (
        (leaf, all(leaf.is_zero(one) and run.is_zero(one.brought[leaf][1]) for one in calls)) for leaf, calls in often
    )
    still = [leaf for leaf, is_none in none if is_none]
    if len(still) < 2 or not any(map(_has_nonzero_gradient, still)):
        return
    leaf, first = still[0], still[0].backwards[0]
    wrote = _wrote(leaf, first) or _zeros_like(leaf, first)
    places = [call.place for call in wrote if call.place is not None]
    if places:
        yield from report("zeros_hold", places[-1], leaf, names=named(still), rounds=len(leaf.backwards))


def _has_nonzero_gradient(leaf: Tensor) -> bool:
    """Return whether a nonzero gradient reaches one of a leaf's products in its first backward."""
    run, first = leaf.run, leaf.backwards[0]
    products = {user for user, _ in leaf.readers(MOVES | {"embedding"}, 200) if user.name in _MULTIPLIES}
    gradients = node_gradients(run.trace, first.id)
    arrived = (value for node in first.nodes if node.call in products for value in gradients[node.id])
    return any(value >= 0 and not run.is_zero(value) for value in arrived)


def _zeros_like(leaf: Tensor, before: BackwardCall) -> list[Call]:
    """Return the operation that made a parameter's zeros."""
    for call in map(leaf.run.call, range(before.time)):
        if any(made.shape == leaf.shape and not made.users for made in call.outputs) and call.made_zero:
            return [call]
    return []


@finds("paths_cancel", "they cancel to exactly 0 at a result in every backward")
@finds("hook_zeroes", level="note")
def zeroed(run: Run) -> Iterator[Finding]:
    """Report a leaf whose gradient is always 0, because a hook zeroes it or two paths cancel.

    Gradients of two paths may add up to exactly 0 at a result computed from a weight: `q + (x - q)`, or a log_prob of
    an rsample. Not reported at the weight itself: two copies of a network may cancel there.
    """
    for leaf in run.tensors(sorted(run.held & run.received or run.received)):
        zero = all(run.is_zero(call.brought[leaf][1]) for call in leaf.backwards)
        met = [zero_start(run.trace, call.id, leaf.id) for call in leaf.backwards] if zero else []
        first = met[0] if met else None
        came = [entries for value in first.came if (entries := run.entries(value)) is not None] if first else []
        if first is None or len({one and one.kind for one in met}) > 1 or not came or len(came) < len(first.came):
            continue
        operation = run.trace.nodes.operation[first.node]
        made = run.call(operation) if operation >= 0 else None
        if first.kind == "cancelled":
            yield from _cancelled(leaf, made, came)
        elif first.kind == "hook":
            yield from _zeroed_by_hook(leaf, made, came[0])


def _cancelled(leaf: Tensor, made: Call | None, came: list[np.ndarray]) -> Iterator[Finding]:
    """Report gradients of several paths that add up to 0 at a result, or at a leaf."""
    run, first = leaf.run, leaf.backwards[0]
    if len(came) < 2 or came[0].size < 2 or np.any(sum(came)) or len(leaf.shape) < 2 or (made and _shares(made)):
        return
    # Twins of a network may cancel at one weight, but not at all of them if nothing else learns.
    often = made is None and len(leaf.backwards) >= _FEW and first.roots
    alone = often and not any(map(_learns, run.tensors(run.held or run.received)))
    at, where = (first.roots[0].maker, "leaf") if alone else (made, "result")
    if at is not None:
        values = {"first": numbers(came[0]), "second": numbers(came[-1]), "where": where}
        yield from report("paths_cancel", at, leaf, name=leaf.name, **values)


def _zeroed_by_hook(leaf: Tensor, made: Call | None, arrived: np.ndarray) -> Iterator[Finding]:
    """Report a hook of the leaf or result, or the only module hook's line."""
    run, rounds = leaf.run, len(leaf.backwards)
    hooks = {hook.subject: run.place(hook.span) for hook in run.log_of("hook")}
    own = [hooks.get(one.id) for one in (leaf, *(made.outputs if made is not None else ()))]
    lines = [run.line(*at) for name in _HOOKS for at in run.trace.index.lines_with.get(name, ())]
    alone = lines[0] if len(lines) == 1 and rounds >= _FEW else None
    place = next((place for place in own if place is not None), alone)
    yield from report("hook_zeroes", place, leaf, name=leaf.name, arrived=numbers(arrived), rounds=rounds)


def _shares(call: Call) -> bool:
    """Return whether a result is divided by its own result."""
    run = call.run
    divided = [user for made in call.outputs for user, _ in made.readers(FORMS | CASTS) if user.name in _DIVIDES]
    return any(
        {made.id for made in call.outputs} & (run.below(user.inputs[1:2], _NEAR) - {user.inputs[1].id})
        for user in divided
        if len(user.inputs) > 1 and user.inputs[1].behind(FORMS | CASTS) not in call.outputs
    )


@finds("data_lost", "integer division turns every entry of the data into 0 before a leaf is multiplied by it")
def data_lost(run: Run) -> Iterator[Finding]:
    """Report an integer division that turns all data into 0 before a leaf is multiplied by it."""
    for call in run.rooted(_DIVIDES):
        source, before = call.inputs[0], call.inputs[0].before(call)
        if source.requires_grad or before is None or before.dtype.kind not in "fiu" or np.unique(before).size < 3:
            continue
        rounds = call.name in spellings("floor_divide") or "rounding_mode" in call.arguments.named
        if not call.made_zero or not (rounds or call.outputs[0].dtype.startswith(("int", "uint"))):
            continue
        used = next((user for user, read in call.outputs[0].readers(MOVES) if _multiplies(user, read)), None)
        if used is not None:
            values = {"before": numbers(before), "name": source.name, "used": used.text}
            yield from report("data_lost", call, call.outputs[0], **values)


def _multiplies(call: Call, tensor: Tensor) -> bool:
    """Return whether a call multiplies a tensor by one that requires grad."""
    return call.name in _MULTIPLIES and any(other.requires_grad for other in call.inputs if other is not tensor)


@finds("gradient_vanishes", level="note", unless="gradient_stopped zeros_hold cannot_learn")
def gradient_vanishes(run: Run) -> Iterator[Finding]:
    """Report a weight below several sigmoids or tanhs whose gradient is below a millionth of the largest."""
    held = run.tensors(run.held) or [leaf for leaf in run.tensors(run.received) if leaf.is_parameter]
    known = [(call, norms) for call in run.backwards if len(norms := _gradient_norms(call, set(held))) >= 2]
    if not known:
        return
    first, rounds = known[0][0], [norms for _, norms in known]
    small: Counter[Tensor] = Counter()
    for number, norms in enumerate(rounds):
        bound = _VANISHED * (max(norms.values()) if number == 0 else 1.0)
        small.update(leaf for leaf, norm in norms.items() if 0 < norm < bound)
    norms = rounds[0]
    leaf, other = min(norms, key=norms.__getitem__), max(norms, key=norms.__getitem__)
    if small[leaf] < len(rounds) or (len(rounds) < _FEW and norms[leaf] > _VANISHED):  # too few rounds to judge
        return
    functions = {call.id for call in run.calls(_SQUASHES)}
    count = _fewest_on_path(first, leaf, functions)
    if count >= _IN_A_ROW:
        sizes = {"norm": share(norms[leaf]), "other": other.name, "large": share(norms[other])}
        always = sum(count == len(rounds) for count in small.values())
        values = {"count": count, "leaves": always}
        yield from report("gradient_vanishes", leaf.home, leaf, name=leaf.name, **sizes, **values)


def _fewest_on_path(call: BackwardCall, leaf: Tensor, functions: Collection[int]) -> int:
    """Return the smallest number of these calls on any path from root to leaf.

    A gate, as in a block that weighs its channels, lies only on its own path.
    """
    nodes, least = call.run.trace.nodes, dict[int, int]()
    for node in call.row.order:  # a node runs after all nodes that send to it
        here = least.setdefault(node, int(nodes.operation[node] in functions))
        if nodes.variable[node] == leaf.id:
            return here
        for below in nodes.edges[node]:
            there = here + (below >= 0 and nodes.operation[below] in functions)
            least[below] = min(least.get(below, there), there)
    return 0


def _gradient_norms(call: BackwardCall, held: set[Tensor]) -> dict[Tensor, float]:
    """Return the gradient norms of weights (two axes or more) in a backward."""
    run, norms = call.run, {}
    for leaf, (before, after) in call.brought.items():
        if leaf in held and len(leaf.shape) > 1 and (before < 0 or run.is_zero(before)):
            value = run.trace.value(after)
            if value is not None and value.norm is not None and not value.nonfinite:
                norms[leaf] = float(value.norm)
    return norms


@finds("activation_saturated", level="note", unless="gradient_stopped")
def activation_saturated(run: Run) -> Iterator[Finding]:
    """Report a sigmoid or tanh that is saturated for three quarters of its entries in every round."""
    squashed = (call for call in run.rooted(_SQUASHES) if call.outputs[0].requires_grad)
    for calls in grouped(squashed if run.steps else (), lambda call: (call.span, call.module)).values():
        call, made, first = calls[0], calls[0].outputs[0], _saturated(calls[0])
        if len(calls) < _FEW or first is None or run.steps[-1].begin < call.id or _is_likelihood(made):
            continue
        if not all((one := _saturated(call)) is not None and one[0] >= _MOST for call in calls):
            continue
        part, size, low, high = first
        data = _large_data(call.inputs[0])
        source = data.place if data is not None else None
        values = {"function": call.name, "saturated": round(part * size), "entries": size, "code": call.text}
        values |= {"sampled": "no" if size == made.size else "yes", "low": share(low), "high": share(high)}
        values["data"] = data.name if data is not None and source is not None else "none"
        yield from report("activation_saturated", source or call, made, **values)


def _is_likelihood(tensor: Tensor) -> bool:
    """Return whether a loss takes a tensor's unweighted logarithm."""
    uses = list(tensor.readers(tensor.run.by_name))
    meets = any(other.gets_grad for user, read in uses for other in user.inputs if other is not read)
    return not meets and any(user.name in ("log", "binary_cross_entropy") for user, _ in uses)


def _saturated(call: Call) -> tuple[float, int, float, float] | None:
    """Return share of saturated entries, number and range, or None."""
    given, made = call.inputs[0].before(call), call.made
    if given is None or made is None or made.size < 4 or not np.isfinite(given).all() or np.abs(given).max() > _MASK:
        return None
    low = 0.0 if call.name == "sigmoid" else -1.0
    near = np.minimum(np.abs(made - low), np.abs(made - 1.0)) < _SATURATED
    return float(near.mean()), int(made.size), float(given.min()), float(given.max())


def _large_data(tensor: Tensor) -> Tensor | None:
    """Return a layer's input data if its entries are large, otherwise None."""
    maker = tensor.maker
    for operand in maker.inputs if maker is not None else ():
        entries = operand.before(maker) if not operand.requires_grad else None
        if entries is not None and entries.size and np.abs(entries).max() >= _LARGE:
            return operand
    return None


RULES = (flat, softmax_of_one, symmetric)
WEIGHT_RULES, SQUASHED_RULES = ((zeros_hold, zeroed, data_lost), (gradient_vanishes, activation_saturated))
