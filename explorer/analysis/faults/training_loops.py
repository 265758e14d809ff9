"""Rounds of a training whose calls do not belong together: steps without their gradient, gradients without a step."""

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

import numpy as np

from explorer.analysis.faults.finding import Finding, named, numbers, tell
from explorer.analysis.run import GRAD_CALL, BackwardCall, Call, Optimizer, Phase, Run, Tensor, in_order
from explorer.analysis.source.assignments import last_assignment
from explorer.analysis.source.code import Code
from explorer.safe_regex import plain
from explorer.trace import TrainingCall
from explorer.trace.training_log import CALLS

_FEW = 3  # rounds from which on a statement about all of them is made
_BITS = 24  # of chance in positions that are no coincidence
_ASKS = ("requires_grad_", "requires_grad=")
_TIDIES = (".zero_grad(", "clip_grad_")  # they read gradients, and leave no trace of them elsewhere
_METER = plain(r"\b(?:perf_counter|process_time|monotonic|timeit|Timer|profile|profiler|time\.time|cuda\.Event)\b")
_STEP = plain(r"\b(\w++)[\])]*+\.step\(")
_UNSCALES = plain(r"unscale_|get_scale|scal\w*+\.step\(")
_LONGEST = 400  # characters of a line that is read
STATEFUL = ("adam", "rmsprop", "adagrad", "adadelta", "rprop")  # in the names of optimizers that gather moments


def never_stepped(run: Run) -> Iterator[Finding]:
    """An optimizer that takes no step, although its tensors get gradients in every round, which nothing else uses.

    A note where the program measures something, or has a step on a branch that did not run.
    """
    if run.trace.end != "ok" or len(run.trace.log.calls) >= CALLS:
        return
    for optimizer in run.optimizers:
        held = [tensor for tensor in optimizer.tensors if tensor.id not in run.held]
        brought = [call for call in run.backwards if any(tensor in call.brought for tensor in held)]
        if optimizer.steps or len(brought) < _FEW or len({call.row.span for call in brought}) != 1:
            continue
        used = any(write.id > brought[0].time for tensor in held for write in tensor.writes)
        used = used or any(map(is_grad_read, held)) or any(not leaf.is_parameter for leaf in brought[0].brought)
        if brought[0].place is not None and not used and not _is_watched(run, held) and any(map(_clears, held)):
            values = {"optimizer": optimizer.name, "names": named(held), "rounds": len(brought)}
            certain = not measures(run) and not _has_other_step(run)
            yield tell("never_stepped", brought[0].place, held[0], **values, certain=certain)


def _is_watched(run: Run, held: list[Tensor]) -> bool:
    """Whether a hook sees gradients of these tensors, or the norm that clipping returns is used."""
    if any(hook.subject in {tensor.id for tensor in held} for hook in run.log_of("hook")):
        return True
    clips = (run.place(clip.span) for clip in run.log_of("clip"))
    return any(clip is not None and clip.whole_line.partition("#")[0].strip() != clip.text.strip() for clip in clips)


def measures(run: Run) -> bool:
    """Whether the program reads a clock or a profiler: then it may run backward for that alone."""
    return any(_METER.search(line[:_LONGEST]) for cell in run.trace.cells for line in cell.lines)


def _has_other_step(run: Run) -> bool:
    """Whether the program calls `step()` of something else than the optimizers that stepped."""
    stepped = {optimizer.name.rpartition(".")[2] for optimizer in run.stepped}
    lines = (line[:_LONGEST] for cell in run.trace.cells for line in cell.lines)
    return any(match[1] not in stepped for line in lines for match in _STEP.finditer(line))


def is_grad_read(tensor: Tensor) -> bool:
    """Whether the program itself reads the gradient of a tensor, or asks for it by autograd.grad."""
    reads = (user for user in tensor.users if user.name in ("grad", GRAD_CALL) and not user.is_of_optimizer)
    return any(not any(name in read.text for name in _TIDIES) for read in reads)


def _clears(leaf: Tensor) -> list[Call]:
    """The calls that clear the gradient of a tensor, in order: by None, or by zeros."""
    clears = [user for user in leaf.users if user.name == "grad=" and user.argument(1) is None]
    return sorted(
        [*clears, *(write for grad in leaf.grads for write in grad.writes if "zero" in write.name)], key=in_order
    )


def stepped_twice(run: Run) -> Iterator[Finding]:
    """In every round two lines step the same optimizer after one backward, and nothing happens between them."""
    for optimizer in run.stepped:
        rounds = _rounds(run, optimizer)
        pairs = [_unchanged_pair(run, steps) for steps in rounds]
        if len(rounds) < _FEW or not all(pairs) or len({pair[1].span for pair in pairs}) != 1:
            continue
        first, second = (run.place(step.span) for step in pairs[0])
        if first is not None and second is not None:
            values = {"optimizer": optimizer.name, "code": second.text, "line": first.line, "rounds": len(rounds)}
            yield tell("stepped_twice", second, **values)


def step_before_backward(run: Run) -> Iterator[Finding]:
    """In every round the step comes between the loss and its backward: the first one finds no gradient, and each later
    one moves by the gradient of the round before, or finds none either where zero_grad begins a round.
    """
    for optimizer in run.stepped:
        held = set(optimizer.tensors)
        brought = [call for call in run.backwards if len(call.roots) == 1 and not held.isdisjoint(call.brought)]
        ends = [step.operations for step in optimizer.steps]
        place = run.place(optimizer.steps[0].span)
        together = len(ends) == len(brought) >= _FEW and len({step.span for step in optimizer.steps}) == 1
        if not together or place is None or brought[0].place is None or len({call.row.span for call in brought}) > 1:
            continue
        times = [call.time for call in brought]
        begins = [made.id if (made := call.roots[0].maker) is not None else -1 for call in brought]
        in_turn = all(a < b for a, b in zip(ends, times, strict=True))
        in_turn = in_turn and all(a <= b < c for a, b, c in zip((0, *times), begins, ends, strict=False))
        leaf = next(tensor for tensor in optimizer.tensors if tensor in brought[0].brought)
        between = list(zip(times, ends[1:], strict=False))
        cleared = [any(a <= clear.id < b for clear in _clears(leaf)) for a, b in between]
        if in_turn and (all(cleared) or not any(cleared)):
            values = {"optimizer": optimizer.name, "code": place.text, "line": brought[0].place.line}
            values["cleared"] = "yes" if any(cleared) else "no"
            yield tell("step_before_backward", place, **values, rounds=len(ends))


def _rounds(run: Run, optimizer: Optimizer) -> list[list[TrainingCall]]:
    """The steps of an optimizer after each backward of the log."""
    rounds: list[list[TrainingCall]] = []
    for call in run.trace.log.calls:
        if call.kind == "backward":
            rounds.append([])
        elif call.kind == "step" and call.subject == optimizer.id and rounds:
            rounds[-1].append(call)
    return [steps for steps in rounds if steps]


def _unchanged_pair(run: Run, steps: list[TrainingCall]) -> tuple[TrainingCall, TrainingCall] | None:
    """Two steps at different places between which nothing was done, None if there are none."""
    for first, second in itertools.pairwise(steps):
        before, after = _phase_of(run, first), _phase_of(run, second)
        if first.span != second.span and before is not None and after is not None and after.begin == before.end + 1:
            return first, second
    return None


def _phase_of(run: Run, step: TrainingCall) -> Phase | None:
    """The operations of a logged step; of a step that calls another one, the inner."""
    at = bisect_right(run.steps, step.operations, key=lambda phase: phase.begin)
    return run.steps[at - 1] if at else None


def optimizer_renewed(run: Run) -> Iterator[Finding]:
    """A line makes an optimizer in every round, for one step: what it gathers from gradients begins at 0 each time.

    Where the parameters are set back in between, as in an adaptation to each example, it is meant to.
    """
    by_span: dict[int, list[Optimizer]] = {}
    for optimizer in run.optimizers:
        by_span.setdefault(optimizer.row.span, []).append(optimizer)
    for span, made in by_span.items():
        first, place = made[0], run.place(span)
        alike = all(one.tensors == first.tensors and len(one.steps) == 1 for one in made)
        stateful = any(name in first.row.kind.lower() for name in STATEFUL)
        begun = first.steps[0].operations if first.steps else 0
        reset = any(write.id > begun and not write.is_of_optimizer for one in first.tensors for write in one.writes)
        if place is not None and len(made) >= _FEW and alike and stateful and first.tensors and not reset:
            values = {"optimizer": first.name, "code": place.text, "class": first.row.kind, "rounds": len(made)}
            yield tell("optimizer_renewed", place, **values)


def clip_of_nothing(run: Run) -> Iterator[Finding]:
    """A line clips no tensors, because something had read their generator to the end."""
    for clip in run.log_of("clip"):
        place = run.place(clip.span)
        empty = clip.subject >= 0 and not run.trace.log.sets[clip.subject] and not clip.before
        brought = any(call.brought and call.time <= clip.operations for call in run.backwards)
        if place is not None and empty and brought:
            yield tell("clip_of_nothing", place, code=place.text)


def clip_scaled(run: Run) -> Iterator[Finding]:
    """Gradients of a scaled loss are clipped before the scaler divides them by its factor."""
    for clip in run.log_of("clip"):
        at = bisect_right(run.backwards, clip.operations, key=lambda call: call.time)
        last, place = run.backwards[at - 1] if at else None, run.place(clip.span)
        maker = last.roots[0].maker if last is not None and last.roots else None
        if place is None or maker is None or maker.name != "mul" or ".scale(" not in maker.text:
            continue
        since = range(last.time, min(clip.operations + 1, run.count))
        stepped = next((step for step in run.log_of("step") if step.operations >= clip.operations), None)
        scaler = maker.text.partition(".scale(")[0]
        if stepped is None or not run.trace.text(stepped.span).startswith(f"{scaler}.step("):
            continue
        if not any(".unscale_(" in run.text(at) for at in since):
            factor = maker.inputs[-1].before(maker)
            values = {"code": place.text, "scaler": scaler, "factor": numbers(factor)}
            yield tell("clip_scaled", place, **values)


def step_scaled(run: Run) -> Iterator[Finding]:
    """Every step of an optimizer uses gradients of a scaled loss, which nothing in the program divides again."""
    if any(_UNSCALES.search(line[:_LONGEST]) for cell in run.trace.cells for line in cell.lines):
        return
    for optimizer in run.stepped:
        steps = [step for step in run.log_of("step") if step.subject == optimizer.id]
        place = run.place(steps[0].span) if steps else None
        scale = _scaled_root(run, optimizer, steps[0]) if place is not None and len(steps) >= _FEW else None
        if place is None or scale is None or not all(_scaled_root(run, optimizer, step) for step in steps):
            continue
        alone = all(run.trace.text(step.span).endswith(".step()") for step in steps)  # a scaler's names an optimizer
        if not alone or any(map(_has_grad_changed, optimizer.tensors)):
            continue
        scaler, factor = scale.text.partition(".scale(")[0], scale.inputs[-1].before(scale)
        if factor is not None and factor.size == 1 and factor.item() > 1:
            values = {"code": place.text, "scaler": scaler, "factor": numbers(factor), "optimizer": optimizer.name}
            yield tell("step_scaled", place, **values)


def _has_grad_changed(leaf: Tensor) -> bool:
    """Whether the program itself writes to the gradient of a tensor, otherwise than to clear it."""
    given = any(user.name == "grad=" and user.argument(1) is not None for user in leaf.users)
    return given or any("zero" not in write.name for grad in leaf.grads for write in grad.writes)


def _scaled_root(run: Run, optimizer: Optimizer, step: TrainingCall) -> Call | None:
    """The product by which a GradScaler scaled the last loss before a step that brought gradients to its optimizer."""
    count = bisect_right(run.backwards, step.operations, key=lambda call: call.time)
    earlier = (run.backwards[at] for at in reversed(range(count)))
    last = next((call for call in earlier if any(tensor in call.brought for tensor in optimizer.tensors)), None)
    maker = last.roots[0].maker if last is not None and last.roots else None
    return maker if maker is not None and maker.name == "mul" and ".scale(" in maker.text else None


def fake_attached(run: Run) -> Iterator[Finding]:
    """The loss of a discriminator brings gradients to the generator, which its next step uses with its own.

    In every round two optimizers take turns. Both losses reach the tensors of both. The first optimizer begins with
    cleared gradients; for the second, what the first loss brought is still there when its own loss adds to it.
    """
    for first, second in itertools.permutations(run.stepped, 2):
        judge = next((tensor for tensor in first.tensors if tensor.backwards), None)
        made = next((tensor for tensor in second.tensors if tensor.backwards), None)
        rounds = _turns(run, first, second) if judge is not None and made is not None else []
        if len(rounds) < 2 or judge is None or made is None:
            continue
        both = all(tensor in call.brought for calls in rounds for call in calls for tensor in (judge, made))
        if not both or any(_adds_to(judge, before) or _adds_to(made, before) for before, _ in rounds):
            continue
        place = rounds[0][0].place
        if place is not None and all(_adds_to(made, after) for _, after in rounds):
            values = {"name": named([made]), "optimizer": second.name, "other": first.name}
            yield tell("fake_attached", place, made, code=place.text, **values)


def _adds_to(leaf: Tensor, call: BackwardCall) -> bool:
    """Whether a backward adds to a gradient of a leaf that was there and was not 0."""
    there = call.brought[leaf][0]
    return there >= 0 and not leaf.run.is_zero(there)


def _turns(run: Run, first: Optimizer, second: Optimizer) -> list[tuple[BackwardCall, BackwardCall]]:
    """The backwards before the steps of two optimizers that strictly take turns; none if they do otherwise."""
    steps = sorted([*first.steps, *second.steps], key=lambda step: step.operations)
    turns = [step.subject for step in steps]
    if len(steps) < 4 or turns != [first.id, second.id] * (len(steps) // 2):
        return []
    ends = [bisect_right(run.backwards, step.operations, key=lambda call: call.time) for step in steps]
    if any(end - begin != 1 for begin, end in itertools.pairwise((0, *ends))):
        return []
    calls = [run.backwards[end - 1] for end in ends]
    return list(zip(calls[::2], calls[1::2], strict=True))


def accumulation_lost(run: Run) -> Iterator[Finding]:
    """Every step comes after several backwards of the same loss, and all gradients but the last are cleared unused."""
    for optimizer in run.stepped:
        leaf = next((tensor for tensor in optimizer.tensors if tensor.backwards), None)
        clears = _clears(leaf) if leaf is not None and not is_grad_read(leaf) else []
        if leaf is None or any(user.name == "grad=" and user not in clears for user in leaf.users):
            continue
        steps = [write.id for write in leaf.writes if write.is_of_optimizer]
        ends = [bisect_right(leaf.backwards, step, key=lambda call: call.time) for step in steps]
        rounds = [leaf.backwards[begin:end] for begin, end in itertools.pairwise((0, *ends))]
        if len(rounds) < 2 or not all(_are_lost(calls, clears) for calls in rounds):
            continue
        if any(a[0].time <= step.begin < a[-1].time for a in rounds for step in run.steps):
            continue  # another optimizer uses each of these gradients
        clear = next(call for call in clears if call.id >= rounds[0][0].time)
        if len({(call.row.span, _root_span(call)) for calls in rounds for call in calls}) == 1 and clear.place:
            values = {"optimizer": optimizer.name, "count": len(rounds[0]), "name": leaf.name}
            yield tell("accumulation_lost", clear.place, leaf, **values)


def batch_repeats(run: Run) -> Iterator[Finding]:
    """Between the steps of a training a line draws the same positions each time, and they pick a part of the rows of
    data: the seed is set in the loop, and the other rows are never seen.
    """
    by_span: dict[int, list[Call]] = {}
    for call in run.calls(("randint", "multinomial")) if run.steps else ():
        if call.leads_to_root and call.place is not None and call.made is not None:
            by_span.setdefault(call.span, []).append(call)
    ends = [step.end for step in run.steps]
    for calls in by_span.values():
        drawn = calls[0].outputs[0]
        chance = drawn.size * np.log2(np.unique(calls[0].made).size)
        apart = all(bisect_left(ends, a.id) < bisect_left(ends, b.id) for a, b in itertools.pairwise(calls))
        if len(calls) < _FEW or chance < _BITS or not apart:
            continue
        picks = (user for user in drawn.users if user.name in ("__getitem__", "index_select") and drawn in user.inputs)
        data = next((user.inputs[0] for user in picks if user.inputs[0] is not drawn), None)
        if data is not None and data.shape[0] > drawn.size and all(_is_same(calls[0], call) for call in calls):
            values = {"name": data.name, "rows": data.shape[0], "drawn": drawn.size, "rounds": len(calls)}
            yield tell("batch_repeats", calls[0], drawn, **values)


def _is_same(first: Call, second: Call) -> bool:
    """Whether two calls gave the same entries, all of which are recorded."""
    made = second.made
    return made is not None and made.size == second.outputs[0].size and np.array_equal(first.made, made)


def gradient_left(run: Run) -> Iterator[Finding]:
    """In every round an optimizer steps by the gradients of two losses, of which one was for another's step.

    Backward of that loss went through its tensors to the other's, whose step and clearing end what it was for. A part
    that both losses are computed with, as an encoder below two heads, is meant to get both.
    """
    for optimizer, other in itertools.permutations(run.stepped, 2):
        steps = [step.operations for step in optimizer.steps]
        leaf = next((one for one in optimizer.tensors if len(one.backwards) > len(steps) >= _FEW), None)
        if leaf is None or is_grad_read(leaf) or not set(optimizer.tensors).isdisjoint(other.tensors):
            continue
        ends = [bisect_right(leaf.backwards, step, key=lambda call: call.time) for step in steps]
        rounds = [leaf.backwards[begin:end] for begin, end in itertools.pairwise((0, *ends))]
        if len(rounds[0]) < 2:  # the first round began with the own loss
            rounds = rounds[1:]
        if len(rounds) < 2 or not all(len(calls) == 2 and _is_left(leaf, other, *calls) for calls in rounds):
            continue
        place, first = run.place(optimizer.steps[-1].span), rounds[0][0]
        uses = (user for user in leaf.uses_for_roots if user.id < first.time and leaf not in user.outputs)
        given = run.below([one for use in uses for one in use.inputs if one is not leaf])
        if place is not None and first.place is not None and any(one.id in given for one in other.tensors):
            values = {"optimizer": optimizer.name, "other": other.name, "line": first.place.line, "name": leaf.name}
            yield tell("gradient_left", place, leaf, **values)


def _is_left(leaf: Tensor, other: Optimizer, first: BackwardCall, second: BackwardCall) -> bool:
    """Whether the gradient of a first backward is still there at a second one that does not concern another optimizer,
    although that one stepped by it in between, and its own gradients are cleared.
    """
    run, kept = leaf.run, second.brought[leaf][0]
    own = next((one for one in other.tensors if one in first.brought), None)
    if own is None or any(one in second.brought for one in other.tensors) or kept < 0 or run.is_zero(kept):
        return False
    stepped = any(first.time <= step.operations < second.time for step in other.steps)
    return stepped and bool(_clears(own)) and run.trace.value(kept) == run.trace.value(first.brought[leaf][1])


def loss_not_renewed(run: Run) -> Iterator[Finding]:
    """In three rounds or more backward goes through the same loss, as the root or as a part of a sum, while an
    optimizer moves what it was computed from: it adds gradients of the first values again.
    """
    chains: list[list[BackwardCall]] = []
    for call in (one for one in run.backwards if len(one.roots) == 1):
        own = set(call.row.order)
        chain = next((one for one in reversed(chains[-_FEW:]) if own.issuperset(one[-1].row.roots)), None)
        if chain is None:
            chains.append([call])
        else:
            chain.append(call)
    for calls in (chain for chain in chains if len(chain) >= _FEW):
        root, made = calls[0].roots[0], calls[0].roots[0].place
        moved = [leaf for leaf in calls[0].brought if leaf.id in run.held and _moves_between(leaf, calls)]
        if moved and made is not None and calls[1].place is not None:
            values = {"name": root.name, "line": made.line, "leaf": moved[0].name, "rounds": len(calls)}
            how = "one" if all(one.row.roots == calls[0].row.roots for one in calls) else "sum"
            yield tell("loss_not_renewed", calls[1].place, root, **values, how=how)


def _moves_between(leaf: Tensor, calls: list[BackwardCall]) -> bool:
    """Whether an optimizer writes to a leaf between each two backward calls."""
    steps = [write.id for write in leaf.writes if write.is_of_optimizer]
    return all(bisect_left(steps, a.time) < bisect_left(steps, b.time) for a, b in itertools.pairwise(calls))


def _are_lost(calls: list[BackwardCall], clears: list[Call]) -> bool:
    """Whether gradients are cleared between each two of several backwards."""
    begins = [bisect_left(clears, call.time, key=in_order) for call in calls]
    return len(calls) > 1 and all(a < b for a, b in itertools.pairwise(begins))


def _root_span(call: BackwardCall) -> int:
    maker = call.roots[0].maker if call.roots else None
    return -1 if maker is None else maker.span


def frozen_moves(run: Run) -> Iterator[Finding]:
    """An optimizer still changes a tensor after requires_grad was set to False, by its old gradient or momentum."""
    for leaf in run.tensors(sorted(run.held)):
        asked = [user for user in leaf.users if user.name in _ASKS]
        frozen = asked[-1] if asked else None
        if frozen is None or frozen.place is None or asks_for(frozen) or leaf.requires_grad:
            continue
        moved = [write for write in leaf.writes if write.id > frozen.id and write.is_of_optimizer]
        for write in (one for one in moved if not _is_new_gradient(leaf, one)):
            was, now = leaf.before(write), leaf.before(write.id + 1)
            if was is not None and now is not None and not np.array_equal(was, now) and write.place is not None:
                values = {"name": leaf.name, "line": frozen.place.line, "was": numbers(was), "now": numbers(now)}
                yield tell("frozen_moves", write, leaf, **values)
                break


def rows_move(run: Run) -> Iterator[Finding]:
    """In every round the program sets the gradient of the same rows to 0, and the weight decay still moves them."""
    for optimizer in run.stepped:
        decayed = [group for group in optimizer.row.groups if group.weight_decay]
        for leaf in run.tensors(one for group in decayed for one in group.tensors):
            steps = [write for write in leaf.writes if write.is_of_optimizer]
            rows = [_cleared_rows(leaf, step) for step in steps] if len(leaf.shape) > 1 and len(steps) >= _FEW else []
            known = [one for one in rows if one is not None]
            still = np.logical_and.reduce(known) if known and len(known) == len(rows) else np.zeros(1, bool)
            place = steps[0].place if steps else None
            if place is None or not still.any() or still.all():
                continue
            if any(write.id > leaf.backwards[0].time for write in leaf.writes if not write.is_of_optimizer):
                continue  # the program puts them back
            ends = leaf.before(steps[0]), leaf.before(steps[-1].id + 1)
            was, now = (None if one is None else one.reshape(leaf.shape)[still] for one in ends)
            if was is not None and now is not None and not np.any(was == now):
                values = {"name": leaf.name, "line": 0, "was": numbers(was), "now": numbers(now)}
                yield tell("frozen_moves", place, leaf, **values, optimizer=optimizer.name)


def _cleared_rows(leaf: Tensor, step: Call) -> np.ndarray | None:
    """Which rows of a gradient are 0 at a step although backward brought them another one; None if it is unknown."""
    grad = next((one for one in step.inputs if one in leaf.grads), None)
    last = next((call for call in reversed(leaf.backwards) if call.time <= step.id), None)
    came = leaf.run.entries(last.brought[leaf][1]) if last is not None else None
    used = grad.before(step) if grad is not None else None
    if came is None or used is None or not came.size == used.size == leaf.size:
        return None
    reaches, arrived = (np.count_nonzero(one.reshape(leaf.shape[0], -1), axis=1) for one in (used, came))
    return np.asarray((reaches == 0) & (arrived > 0))


def _is_new_gradient(leaf: Tensor, step: Call) -> bool:
    """Whether a backward brought a gradient since the last step: it came before the leaf was frozen, and is meant."""
    earlier = max((write.id for write in leaf.writes if write.is_of_optimizer and write.id < step.id), default=-1)
    return any(earlier < call.time <= step.id for call in leaf.backwards)


def asks_for(call: Call) -> bool:
    """Whether a call sets requires_grad to True."""
    given = call.argument(1, "requires_grad")
    return given is None or given is True


def layer_in_forward(run: Run) -> Iterator[Finding]:
    """A line makes the parameters of a layer in every round: each gets one gradient, and no optimizer holds it.

    Gradients that the program reads itself adapt a layer to its round, as a new head for each task.
    """
    held = {tensor for optimizer in run.optimizers for tensor in optimizer.tensors}
    by_place: dict[Code, list[Tensor]] = {}
    for leaf in run.tensors(run.leaves) if run.steps else ():
        alone = leaf.is_parameter and leaf not in held and not is_grad_read(leaf)
        if alone and len(leaf.backwards) == 1 and (place := _made_at(leaf)) is not None:
            by_place.setdefault(place, []).append(leaf)
    for place, leaves in by_place.items():
        last, rounds = leaves[-1], len({leaf.backwards[0] for leaf in leaves})
        if rounds < _FEW:
            continue
        uses = (user for user in last.uses_for_roots if last not in user.outputs)
        given = next(([one for one in use.inputs if one is not last] for use in uses), [])
        if any(tensor.id in run.below(given) for tensor in held):
            yield tell("layer_in_forward", place, last, code=place.text, rounds=rounds, name=_unused(run))


def _made_at(leaf: Tensor) -> Code | None:
    """Where the program made a parameter: nn.Parameter is no operation, so where its name was assigned."""
    used = leaf.home
    at = last_assignment(leaf.run.trace, leaf.names[0], used.span) if leaf.names and used is not None else None
    named = leaf.run.line(at.cell, at.line) if at is not None and "Parameter(" in at.value else None
    return leaf.place or named


def _unused(run: Run) -> str:
    """The parameters of optimizers that got no gradient, which may be the ones that are meant."""
    idle = [tensor for tensor in run.tensors(sorted(run.held - run.received)) if tensor.is_parameter]
    return re.sub(r"\.\w+$", "", idle[0].path) if idle else "none"


RULES = (
    *(layer_in_forward, never_stepped, stepped_twice, optimizer_renewed, clip_of_nothing, clip_scaled),
    *(
        step_scaled,
        fake_attached,
        accumulation_lost,
        batch_repeats,
        gradient_left,
        frozen_moves,
        rows_move,
        loss_not_renewed,
        step_before_backward,
    ),
)
