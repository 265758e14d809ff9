"""Gradients read wrongly or not at all by updates, and optimizers that hold wrong tensors."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import islice
from operator import attrgetter

import numpy as np

from explorer.analysis.diagnose.faults.finding import Finding, finds, grouped, named, numbers, report
from explorer.analysis.diagnose.faults.later import may_come, trains_later
from explorer.analysis.diagnose.faults.rounds import between, earlier
from explorer.analysis.diagnose.faults.training_loops import is_grad_read, sets_requires_grad
from explorer.analysis.explain.autograd.gradient_cuts import new_leaves
from explorer.analysis.run.model import ASKS, READ_ONLY, Run, in_order
from explorer.analysis.run.objects import Call, Optimizer, Phase, Tensor
from explorer.analysis.run.operations import CASTS, names_where
from explorer.analysis.run.source.code import Code, find_lines
from explorer.safe_regex import plain

_IN_A_LIST = plain(r"\.\w+\[")
_IN_A_CONTAINER = plain(r"(\w+\.[\w.]+)\[(['\"]?)")  # a module's attribute: nn.ModuleList has no brackets
_NUMBERED = plain(r"([.\[])\d+([.\]])")
_SCALES = CASTS | names_where(lambda operation: operation.straight or operation.name == "neg")
_UNSCALES = "_amp_foreach_non_finite_check_and_unscale_"  # a GradScaler's division
_CLAMPS = (_UNSCALES, "clamp_", "clip_", "_foreach_clamp_min_", "_foreach_clamp_max_")
_SCALES_IN_PLACE = ("mul_", "_foreach_mul_")  # outside clip_grad_norm_, a factor may be an intended momentum
_TAKES_ALL = plain(r"[\w.]+\(\s*(?:params\s*=\s*)?(?:list\()?([^\W\d][^\s(),]{0,60})\.parameters\(\)")
_BACKWARD = r"\.backward\("
_LONGEST = 200  # most characters read per call
_MOST = 200  # most tensors compared per optimizer
_FEW = 3  # fewest backward calls before accumulation is reported
_FEW_USES = 3  # most uses examined per leaf
_LOOKED_AT = 60  # most leaves whose neighbours are examined


def leaves_of(run: Run) -> list[Tensor]:
    """Return the tensors that require grad and are not results."""
    return run.tensors(run.leaves)


@finds("gradient_stale", "an update uses the sum of a new gradient and a used one", unless="not_called never_stepped")
def gradient_stale(run: Run) -> Iterator[Finding]:
    """Report an update by a gradient that still includes an earlier round's gradient."""
    for leaf in leaves_of(run):
        held, stepped, mixed = None, False, None
        for at in _life(leaf):
            if isinstance(at, tuple):
                before, after = at
                there = run.trace.value(before)
                nonzero = there is not None and bool(there.entries) and not there.is_zero
                if held is not None and stepped and nonzero and _is_kept(run, held, before):
                    mixed = at
                held, stepped = after, False
            elif isinstance(at, int):
                held = at if held is not None else None
            elif at is None:
                held, mixed = None, None
            elif mixed is None:
                stepped = True
            else:
                if at.place is not None:
                    sums = {"before": numbers(run.entries(mixed[0])), "after": numbers(run.entries(mixed[1]))}
                    yield from report(
                        "gradient_stale", at.place, leaf, name=leaf.name, **sums, **_way_to_clear(leaf, at)
                    )
                return


def _way_to_clear(leaf: Tensor, update: Call) -> dict[str, object]:
    """Return how to clear the gradient before an update, in Python: through the optimizer or the leaf."""
    run, optimizer = leaf.run, leaf.run.trainers.get(leaf)
    last = next((call for call in earlier(run.backwards, update.id) if leaf in call.brought), None)
    place = last.place if last is not None else None
    step = next((step for step in run.steps if step.begin <= update.id <= step.end), None)
    closure = step is not None and last is not None and step.begin < last.time
    named = optimizer is not None and optimizer.name != optimizer.row.kind
    how = "hand" if not named or place is None or not update.is_of_optimizer else "closure" if closure else "loop"
    return {"how": how, "optimizer": optimizer.name if named else ""} | {
        "backward": place.text if place else "",
        "line": place.line if place else 0,
    }


def _is_kept(run: Run, held: int, there: int) -> bool:
    """Return whether a gradient is unchanged except for a factor, such as a scaler's."""
    first, second = run.entries(held), run.entries(there)
    if run.trace.value(held) == run.trace.value(there):
        return True
    if first is None or second is None or first.size != second.size or first.size < 2 or not np.any(first):
        return False
    largest = np.argmax(np.abs(first))
    return np.allclose(second, first * (second[largest] / first[largest]), rtol=1e-4, atol=0)


def _life(leaf: Tensor) -> list[tuple[int, int] | int | Call | None]:
    """Return the history of a leaf and its gradient, in order.

    Entries are `.grad` before and after a backward, its value at clipping, None where the program wrote to it
    otherwise or cleared it, and the call that updated the leaf. With an optimizer, the program's own writes by the
    gradient are not updates: they search for the worst weights nearby and undo it.
    """
    run = leaf.run
    events: list[tuple[float, tuple[int, int] | int | Call | None]] = [
        (call.operations - 0.5, (call.before[at], call.after[at]))
        for call in run.trace.backwards
        if leaf.id in call.accumulated
        for at in (call.accumulated.index(leaf.id),)
    ]
    events += [(call.id, None) for call in leaf.grad_sets]
    clips = {clip.span for clip in run.log_of("clip")}
    for grad in sorted(leaf.grads, key=in_order):
        for write in map(run.call, run.writes(grad.id)):
            clipped = write.name in _CLAMPS or (write.name in _SCALES_IN_PLACE and write.span in clips)
            events.append((write.id, grad.value(write.id + 1) if clipped else None))
    grads = {grad.id for grad in leaf.grads}
    for write in leaf.writes:
        if write.is_of_optimizer or (leaf.id not in run.held and grads & run.below(write.inputs)):
            events.append((write.id, write))
    return [event for _, event in sorted(events, key=lambda event: event[0])]


def moved_by_hand(run: Run) -> Iterator[Finding]:
    """Report a tensor updated by both its optimizer and the program in every round."""
    for optimizer, leaves in grouped(run.trainers, lambda leaf: run.trainers[leaf]).items():
        for leaf in leaves:
            times = [*(call.time for call in leaf.backwards), run.count]
            grads, steps = {grad.id for grad in leaf.grads}, [one.id for one in leaf.writes if one.is_of_optimizer]
            own = (write for write in leaf.writes if not write.is_of_optimizer)
            hand = [write for write in own if not grads.isdisjoint(run.below(write.inputs)) and _lasts(leaf, write)]
            each = between(steps, times) + between((write.id for write in hand), times)
            if len(times) > _FEW and len(hand) < len(times) and all(each):
                values = {"name": leaf.name, "optimizer": optimizer.name, "rounds": len(hand), "how": "by_hand"}
                yield from report("stepped_twice", hand[0], leaf, **values)
                break


def _lasts(leaf: Tensor, write: Call) -> bool:
    """Return whether a write's change lasts until the next backward, unlike an attack's."""
    after = next((call.time for call in leaf.run.backwards if call.time > write.id), leaf.run.count)
    was, now = leaf.before(write), leaf.before(after)
    return was is None or now is None or not np.array_equal(was, now)


@finds(
    "step_without_gradient",
    "no step ever changes anything",
    unless="root_is_leaf gradient_cut not_called step_before_backward",
)
def step_without_gradient(run: Run) -> Iterator[Finding]:
    """Report an optimizer that steps after backward while every `.grad` is None, in all rounds.

    Next to training optimizers, one may hold parameters without a part in this run, such as an expert that was not
    picked.
    """
    reads = {step: [run.call(at) for at in run.own_of(step) if run.names[at] == "grad"] for step in run.steps}
    given = {step: frozenset(read.inputs[0] for read in reads[step] if read.inputs) for step in run.steps}
    trains = {step for step in run.steps if any(read.outputs for read in reads[step])} | _steps_that_write(run)
    for (leaves, optimizer), steps in grouped(run.steps, lambda step: (given[step], _stepped(run, step))).items():
        if not trains.isdisjoint(steps) or (trains and leaves and all(map(_is_idle, leaves))):
            continue
        if any(leaf.changed_unseen is not False for leaf in leaves):
            continue  # rounds that were only counted may have had gradients
        for step in steps:
            if any(call.brought for call in run.backwards if call.time <= step.begin):
                values = _why_ineffective(run, step, optimizer)
                certain = values["cause"] not in ("other", "unknown") or not trains_later(run)
                place = _clearing(run, step) if values["cause"] == "cleared" else None
                yield from report("step_without_gradient", place or step.place, **values, certain=certain)
            elif len(steps) > 1 and all(_follows_a_loss(run, leaves, one) for one in steps):
                values = {"optimizer": optimizer.name if optimizer is not None else "", "cause": "none"}
                values |= {"line": 0, "at": 0, "held": "", "received": ""}
                yield from report("step_without_gradient", step.place, **values, certain=not may_come(run, _BACKWARD))


def _clearing(run: Run, step: Phase) -> Code | None:
    """Return the line that clears gradients between the last backward and a step."""
    last = next(earlier(run.backwards, step.begin), None)
    clears = (clear for leaf in (last.brought if last is not None else ()) for clear in leaf.grad_sets)
    return next((clear.place for clear in clears if last is not None and last.time <= clear.id < step.begin), None)


def _steps_that_write(run: Run) -> set[Phase]:
    """Return the steps in which the program itself wrote to a tensor that an optimizer holds."""
    begins, steps = [step.begin for step in run.steps], set[Phase]()
    for write in (write for tensor in run.held for write in run.writes(tensor)):
        at = bisect_right(begins, write) - 1
        if at >= 0 and write <= run.steps[at].end:
            steps.add(run.steps[at])
    return steps


def _follows_a_loss(run: Run, leaves: frozenset[Tensor], step: Phase) -> bool:
    """Return whether a possible loss without backward followed the optimizer's last step.

    A loop that only steps schedules computes none.
    """
    held = {leaf.id for leaf in leaves}
    asked = (call for call in run.trace.backwards if call.kind != "implicit" and call.operations <= step.begin)
    if any(call.kind == "backward" or not held.isdisjoint(call.inputs) for call in asked):
        return False
    since = max((other.end for other in run.steps if other.end < step.begin), default=0)
    used = any(since < user.id < step.begin for leaf in leaves for user in leaf.users if user.records)
    made = (tensor for at in range(since, step.begin) for tensor in run.call(at).outputs if run.call(at).records)
    return used and any(tensor.size == 1 and tensor.requires_grad and not tensor.is_leaf for tensor in made)


def _why_ineffective(run: Run, phase: Phase, optimizer: Optimizer | None) -> dict[str, object]:
    """Explain why a step changes nothing, as values for the sentence.

    `cause` is cleared (the tensors had gradients, and lost them), generator (a group is empty), frozen, added (frozen,
    and others got gradients), copy (it holds a later copy of a tensor that got gradients), replaced (it holds the
    original), other or unknown.
    """
    if optimizer is None:
        return {"cause": "unknown", "optimizer": "", "line": 0, "at": 0, "held": "", "received": ""}
    held = optimizer.tensors
    received = run.tensors(sorted(run.received - {tensor.id for tensor in held}))
    pair = _equal_pair(run, held, received)
    last = next(earlier(run.backwards, phase.begin), None)
    elsewhere = last is not None and last.brought and not run.held.intersection(one.id for one in last.brought)
    received = [leaf for leaf in received if leaf in last.brought] if elsewhere else received
    frozen = held and not any(tensor.requires_grad for tensor in held)
    if frozen:
        cause = "added" if received else "frozen"
    elif any(tensor.id in run.received for tensor in held) and not elsewhere:
        cause = "cleared"
    elif any(group.count == 0 for group in optimizer.row.groups):
        cause = "generator"
    elif pair is not None:
        cause = "copy" if pair[0].id > pair[1].id else "replaced"
        held, received = [pair[0]], [pair[1]]
    else:
        cause = "other" if held and received else "unknown"
    values = {"optimizer": optimizer.name, "line": run.trace.line(optimizer.row.span), "cause": cause}
    asked = (user.place for tensor in held[:1] for user in reversed(tensor.users) if user.name in ASKS)
    at = next((place.line for place in asked if frozen and place is not None), 0)
    return values | {"at": at, "held": named(held), "received": named(received)}


def _stepped(run: Run, phase: Phase) -> Optimizer | None:
    """Return the optimizer that a step call belongs to."""
    steps = run.log_of("step")
    at = bisect_left(steps, phase.begin, key=attrgetter("operations"))
    logged = steps[at] if at < len(steps) and steps[at].operations <= phase.begin + 2 else None
    return run.optimizers[logged.subject] if logged is not None and logged.subject >= 0 else None


def _equal_pair(run: Run, held: list[Tensor], received: list[Tensor]) -> tuple[Tensor, Tensor] | None:
    """Return an optimizer's tensor and one with gradients that have the same, varied entries."""
    for own in held[:_MOST]:
        for other in received[:_MOST]:
            first, second = (_first(tensor) for tensor in (own, other)) if own.shape == other.shape else (None, None)
            if first is not None and np.array_equal(first, second) and np.unique(first).size > 1:
                return own, other
    return None


def _first(tensor: Tensor) -> np.ndarray | None:
    """Return a tensor's entries before the first backward."""
    run = tensor.run
    entries = tensor.before(run.backwards[0] if run.backwards else run.count)
    rows = run.trace.versions_of(tensor.id)
    return run.entries(run.trace.versions.value[rows[0]]) if entries is None and rows else entries


def _is_idle(leaf: Tensor) -> bool:
    """Return whether an existing leaf took no part in the run."""
    if leaf.id in leaf.run.received or leaf.run.reads_that_matter(leaf.id):
        return False
    return not _is_replaced(leaf) and any(binding.until < 0 for binding in leaf.bindings)


def _is_replaced(leaf: Tensor) -> bool:
    """Return whether a leaf's name refers to another tensor in the end."""
    return any(leaf.run.trace.index.bound.get(name, leaf.id) != leaf.id for name in leaf.names)


@finds("never_used", "the name of a held parameter now means another tensor", unless="layer_in_forward")
def never_used(run: Run) -> Iterator[Finding]:
    """Report a leaf in an optimizer that no operation used, while other leaves were trained."""
    for leaf in run.tensors(sorted(run.held - run.received)) if run.held & run.received else ():
        read = [user for user in leaf.users if user.name not in READ_ONLY and not user.is_of_optimizer]
        if any(not user.name.endswith("_") for user in read) or leaf.changed_unseen is not False:
            continue
        place = leaf.home or next((step.place for step in run.steps if step.place), None)
        lost = leaf.is_parameter and not leaf.bindings  # it lost its name: another tensor took its place in a module
        others = run.tensors(sorted(run.received - run.held)) if lost else ()
        parameters = (other for other in others if other.is_parameter and other.bindings)
        successor = next((other for other in parameters if not _is_created_in_round(other)), None)
        if _is_unused(leaf) or (lost and successor is None):  # the optimizer holds its successor, as with tied weights
            continue
        now = "none" if successor is None else successor.name
        certain = _is_replaced(leaf) or successor is not None
        yield from report("never_used", place, leaf, name=leaf.name, now=now, certain=certain)


def _is_created_in_round(leaf: Tensor) -> bool:
    """Return whether a leaf was created from its round's result.

    Others follow in later rounds.
    """
    of_results = {one for leaves in new_leaves(leaf.run.trace).values() for one in leaves}
    return leaf.id in of_results and len(leaf.backwards) < len(leaf.run.backwards)


def _is_unused(leaf: Tensor) -> bool:
    """Return whether a leaf belongs to an unused module of several numbered ones."""
    lists = {_NUMBERED.sub(r"\1*\2", name) for name in leaf.names if _NUMBERED.search(name)}
    others = leaf.run.tensors(leaf.run.received) if lists else ()
    return any(_NUMBERED.sub(r"\1*\2", name) in lists for other in others for name in other.names)


@finds(
    "not_in_optimizer",
    "its layer is in a plain list, or it is the bias of a trained weight",
    unless="layer_in_forward step_without_gradient",
)
def not_in_optimizer(run: Run) -> Iterator[Finding]:
    """Report a leaf that gets gradients like the trained leaves but never changes."""
    held = {tensor for optimizer in run.optimizers for tensor in optimizer.tensors}  # even without a step
    stepped = {tensor for optimizer in run.stepped for tensor in optimizer.tensors}
    for leaf in leaves_of(run) if run.steps else ():
        if leaf in held or not _is_left_out(leaf, stepped):
            continue
        replaced = _is_newer(leaf) and _adds_up(leaf, [*stepped])
        asks = (user for user in leaf.users if user.name in ASKS and user.id > run.steps[0].begin)
        thawed = leaf.is_parameter and any(map(sets_requires_grad, asks))
        if _one_part_is_trained(leaf) and not replaced and not thawed:
            continue
        if leaf.home is not None:
            buffer = leaf.is_parameter and _is_written(leaf, r"register_buffer\(\s*['\"]", r"['\"]")
            places = [_IN_A_CONTAINER.match(name) for name in leaf.names]
            listed = places[0] if places and all(places) else None  # elsewhere a module may name it differently
            container = ("dict" if listed[2] else "list") if listed else ""
            ways = {"buffer": buffer, "new": replaced, "thawed": thawed, container: listed, "yes": _is_hidden(leaf)}
            hidden = next((how for how, holds in ways.items() if holds), "no")
            certain = replaced or thawed or _has_trained_sibling(leaf, stepped) or _is_plain_attribute(leaf)
            certain = certain and not may_come(run, r"add_param_group\(")
            values = {"name": leaf.name, "hidden": hidden, "container": listed[1] if listed else ""}
            yield from report("not_in_optimizer", leaf.home, leaf, **values, certain=certain)


def _is_left_out(leaf: Tensor, stepped: set[Tensor]) -> bool:
    """Return whether a leaf gets gradients together with stepped ones, and nothing reads or changes it."""
    run, brought = leaf.run, leaf.backwards
    again = (other for other in leaves_of(run) if other is not leaf and set(leaf.names) & set(other.names))
    return (
        leaf.id in run.received
        and leaf.changed_unseen is False
        and any(stepped.intersection(call.brought) for call in brought)
        and not is_grad_read(leaf)
        and not any(write.id > brought[0].time for write in leaf.writes)
        and not _is_created_in_round(leaf)
        # not an input that each round creates again
        and (leaf.is_parameter or (bool(leaf.bindings) and _is_owned_by_program(leaf) and not any(again)))
    )


def _is_newer(leaf: Tensor) -> bool:
    """Return whether an optimizer was created before a module's parameter."""
    made = (_TAKES_ALL.match(one.place.text[:_LONGEST]) for one in leaf.run.optimizers if one.place is not None)
    roots = {match[1].replace("'", '"') + "." for match in made if match}
    return leaf.is_parameter and any(
        name.startswith(root) and "[" not in name.removeprefix(root) for root in roots for name in leaf.names
    )


def _is_owned_by_program(leaf: Tensor) -> bool:
    """Return whether the program, not a library, owns the attribute."""
    return not any("." in name for name in leaf.names) or _is_written(leaf, r"\b", r"\b")


def _is_written(leaf: Tensor, before: str, behind: str) -> bool:
    """Return whether a line has the last part of a leaf's dotted name between two patterns."""
    ends = "|".join(end for _, dot, end in (name.rpartition(".") for name in leaf.names) if dot and end.isidentifier())
    return bool(ends) and any(True for _ in find_lines(leaf.run.trace, f"{before}(?:{ends}){behind}"))


def _has_trained_sibling(leaf: Tensor, stepped: set[Tensor]) -> bool:
    """Return whether a bias's weight or list neighbour is trained.

    A layer that judges the result, or a teacher, may be kept out by such a list.
    """
    weights = {f"{name.removesuffix('.bias')}.weight" for name in leaf.names if name.endswith(".bias")}
    if leaf.is_parameter and any(weights.intersection(tensor.names) for tensor in stepped):
        return True
    roots = {name.split(".")[0] for name in leaf.names if leaf.is_parameter and _IN_A_LIST.search(name)}
    beside = (one for one in stepped if roots.intersection(name.split(".")[0] for name in one.names if "." in name))
    trained = sorted(beside, key=attrgetter("id"))
    return _leads_to(leaf, trained) or _is_behind(leaf, trained)


def _is_plain_attribute(leaf: Tensor) -> bool:
    """Return whether a module's plain tensor accumulates a gradient that is never cleared."""
    before = [call.brought[leaf][0] for call in leaf.backwards]
    adds = len(before) >= _FEW and all(value >= 0 and not leaf.run.is_zero(value) for value in before[1:])
    return adds and not leaf.is_parameter and any("." in name for name in leaf.names)


def _is_hidden(leaf: Tensor) -> bool:
    """Return whether a parameter is outside all registered modules."""
    outside = not any("." in name for name in leaf.names) or any(_IN_A_LIST.search(name) for name in leaf.names)
    return leaf.is_parameter and outside


def _one_part_is_trained(leaf: Tensor) -> bool:
    """Return whether the optimizer holds exactly one submodule, which is then trained on purpose.

    A leaf outside every module, such as in a plain list of layers, is not another part: `net.parameters()` misses it.
    """
    run = leaf.run
    if not leaf.is_parameter or not any("." in name for name in leaf.names) or _is_hidden(leaf):
        return False
    held = [name for one in run.tensors(run.held) for name in one.names if "." in name]
    others = [name for one in leaves_of(run) if one.id not in run.held for name in one.names if "." in name]
    owners = {name.rpartition(".")[0] for name in held}
    common = min(owners, key=len, default="")
    if "." not in common or not all(f"{owner}.".startswith(f"{common}.") for owner in owners):
        return False
    return not any(name.startswith(f"{common}.") for name in others)


@finds("leaf_rebound", "the name now means a result, or a tensor without history, and feeds a later root")
def rebound(run: Run) -> Iterator[Finding]:
    """Report an update such as `w = w - lr * w.grad` that makes w a result instead of a leaf.

    An input that an attack changes, or that is detached afterwards, is not reported.
    """
    by_start = grouped(run.trace.bindings, lambda one: (one.name, one.call, one.start))
    leaves = set(run.leaves)
    for binding in run.trace.bindings:
        if binding.tensor not in leaves or not 0 <= binding.until < run.count:
            continue
        leaf = run.tensor(binding.tensor)
        for following in by_start.get((binding.name, binding.call, binding.until), ()):
            result = run.tensor(following.tensor)
            made = result.maker
            if result is leaf or made is None or made.place is None or _is_new_leaf(result):
                continue
            sources = run.below([result])
            if leaf.id not in sources or sources.isdisjoint(grad.id for grad in leaf.grads):
                continue
            if any(user.id > made.id and user.name not in ("grad", "grad=", "zero_grad") for user in result.users):
                attacked = made.name == "detach" or (run.held and leaf.id not in run.held)
                if not attacked and run.roots_behind(result.id, made.id, run.count, made.id):
                    yield from report("leaf_rebound", made, leaf, name=binding.name)
                continue  # otherwise it is a single exploratory step
            calls = leaf.backwards
            if len(calls) > 1 and not any(write.id > calls[0].time for write in leaf.writes):
                yield from report("update_lost", made, leaf, name=binding.name, method="", how="name")


def _is_new_leaf(tensor: Tensor) -> bool:
    """Return whether a result becomes a leaf again, as in `(w - rate * w.grad).detach().requires_grad_()`."""
    made = [output for user in tensor.users if user.name not in READ_ONLY for output in user.outputs]
    return tensor.gets_grad or (bool(made) and all(output.gets_grad for output in made))


@finds("parameter_scaled", "every round uses it, and it never changes")
def parameter_scaled(run: Run) -> Iterator[Finding]:
    """Report an attribute computed once from an unnamed leaf that no optimizer holds."""
    held = {tensor for optimizer in run.optimizers for tensor in optimizer.tensors}
    for leaf in leaves_of(run) if run.steps else ():
        uses = [user for user in leaf.users if user.name not in READ_ONLY]
        if leaf in held or leaf.bindings or len(uses) != 1 or leaf.writes or len(leaf.backwards) < _FEW:
            continue
        made = uses[0].outputs[0] if uses[0].outputs else leaf
        once = uses[0].name in _SCALES and uses[0].id < run.backwards[0].time
        paths = ("self.", *(f"{model}." for model in run.trace.models))  # in its constructor a model has no name yet
        is_attribute = any(name.startswith(paths) for name in made.names)  # other names may be data
        if once and is_attribute and not made.writes and not any(user.name == "grad" for user in made.users):
            yield from report("parameter_scaled", uses[0], made, name=made.name, rounds=len(leaf.backwards))


def _adds_up(leaf: Tensor, trained: list[Tensor]) -> bool:
    """Return whether each backward adds to the leaf's gradient of all earlier rounds, and reaches trained leaves."""
    brought = leaf.backwards
    if len(brought) < _FEW or not all(any(other in call.brought for other in trained) for call in brought):
        return False
    if any(write.id > brought[0].time for write in leaf.writes):
        return False
    before = [call.brought[leaf][0] for call in brought]
    there = [leaf.run.entries(value) is not None for value in before]
    return not there[0] and all(there[1:]) and not leaf.run.is_zero(before[-1])


def _is_behind(leaf: Tensor, trained: list[Tensor]) -> bool:
    """Return whether the layer's input depends on a trained leaf."""
    use = _first_use(leaf)
    given = set() if use is None or not trained else _others(use, leaf)
    return any(other.id in given for other in trained)


def _leads_to(leaf: Tensor, trained: list[Tensor]) -> bool:
    """Return whether a trained leaf uses the layer's output."""
    use = _first_use(leaf) if trained else None
    uses = ((other, later) for other in trained[:_LOOKED_AT] for later in islice(_uses(other), _FEW_USES))
    return use is not None and any(use.id < later.id and leaf.id in _others(later, other) for other, later in uses)


def _others(use: Call, leaf: Tensor) -> set[int]:
    """Return a call's operands other than a leaf, and their sources."""
    return use.run.below([operand for operand in use.inputs if operand is not leaf], 2_000)


def _first_use(leaf: Tensor) -> Call | None:
    """Return the first operation toward a root that read a leaf, after initialization."""
    return next(_uses(leaf), None)


def _uses(leaf: Tensor) -> Iterator[Call]:
    """Yield the operations on a path to a root that read a leaf."""
    return (user for user in leaf.uses_for_roots if user.name not in READ_ONLY and leaf not in user.outputs)


RULES = (gradient_stale, moved_by_hand, step_without_gradient, rebound, never_used, not_in_optimizer)
LAYER_RULES = (parameter_scaled,)
