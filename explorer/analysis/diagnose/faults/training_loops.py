"""Training rounds with mismatched calls: steps without their gradient, gradients without a step."""

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterator
from operator import attrgetter

import numpy as np

from explorer.analysis.diagnose.faults.finding import Finding, finds, grouped, named, numbers, report
from explorer.analysis.diagnose.faults.rounds import between, earlier, rounds
from explorer.analysis.run.model import ASKS, GRAD_CALL, Run, in_order
from explorer.analysis.run.objects import BackwardCall, Call, Optimizer, Phase, Tensor
from explorer.analysis.run.source.assignments import last_assignment
from explorer.analysis.run.source.code import Code, find_lines
from explorer.safe_regex import plain
from explorer.trace import TrainingCall
from explorer.trace.training_log import CALLS

_FEW = 3  # minimum rounds for a claim about all of them
_BITS = 24  # bits of chance above which equal positions are no coincidence
_TIDIES = (".zero_grad(", "clip_grad_")  # they read gradients without keeping a result
_METER = plain(r"\b(?:perf_counter|process_time|monotonic|timeit|Timer|profile|profiler|time\.time|cuda\.Event)\b")
_STEP = plain(r"\b(\w++)[\])]*+\.step\(")
_UNSCALES = plain(r"unscale_|get_scale|scal\w*+\.step\(")
_MOMENTUM = plain(r"\bmomentum ?= ?0?\.\d*[1-9]")
STATEFUL = ("adam", "rmsprop", "adagrad", "adadelta", "rprop")  # parts of the names of optimizers with running averages


@finds("never_stepped", "nothing uses its gradients, which are cleared", unless="not_called", reads_text=True)
def never_stepped(run: Run) -> Iterator[Finding]:
    """Report an optimizer that never steps, although its tensors get gradients that nothing else uses.

    It is a note if the program measures something, or has a step on a branch that did not run.
    """
    if run.trace.end != "ok" or len(run.trace.log.calls) >= CALLS:
        return
    for optimizer in (one for one in run.optimizers if not one.steps):
        held = [tensor for tensor in optimizer.tensors if tensor.id not in run.held]
        brought = [call for call in run.backwards if any(tensor in call.brought for tensor in held)]
        given = [one for one in (held[0].grad_sets if held and not brought else ()) if one.argument(1) is not None]
        spans = [call.row.span for call in brought] or [one.span for one in given if one.name == "grad="]
        if len(spans) < _FEW or len(set(spans)) != 1:
            continue
        first = (brought or given)[0]
        used = any(_moves_it(write, tensor) for tensor in held for write in tensor.writes if write.id > first.time)
        inputs = (leaf for call in brought[:1] for leaf in call.brought if not leaf.is_parameter)
        used = used or any(map(_is_grad_used, (*held, *inputs)))
        if not used and not _is_watched(run, held) and (given or any(map(_clears, held))):
            values = {"optimizer": optimizer.name, "names": named(held), "rounds": len(spans)}
            stepped = {one.name.rpartition(".")[2] for one in run.stepped}
            other = any(match[1] not in stepped for _, match in find_lines(run.trace, _STEP))
            certain = not measures(run) and not other
            yield from report("never_stepped", first.place, held[0], **values, certain=certain)


def _moves_it(write: Call, leaf: Tensor) -> bool:
    """Return whether a write uses more than the tensor itself, as a clamp does not."""
    storages = leaf.run.trace.tensors.storage
    return any(storages[one] != storages[leaf.id] for one in leaf.run.below(write.inputs))


def _is_grad_used(leaf: Tensor) -> bool:
    """Return whether the program reads a gradient, other than to compute the loss of a backward from it."""
    reads = (user for user in leaf.users if user.name in ("grad", GRAD_CALL) and not user.is_of_optimizer)
    reads = (read for read in reads if read.name == "grad" or not read.leads_to_root)
    return any(not any(name in read.text for name in _TIDIES) for read in reads)


def _is_watched(run: Run, held: list[Tensor]) -> bool:
    """Return whether a hook reads these gradients, or the norm that clipping returns is used."""
    if any(hook.subject in {tensor.id for tensor in held} for hook in run.log_of("hook")):
        return True
    clips = (run.place(clip.span) for clip in run.log_of("clip"))
    return any(clip is not None and clip.whole_line.partition("#")[0].strip() != clip.text.strip() for clip in clips)


def measures(run: Run) -> bool:
    """Return whether the program uses a clock or profiler."""
    return any(find_lines(run.trace, _METER))


def is_grad_read(tensor: Tensor) -> bool:
    """Return whether the program reads a tensor's gradient or requests it by autograd.grad."""
    reads = (user for user in tensor.users if user.name in ("grad", GRAD_CALL) and not user.is_of_optimizer)
    return any(not any(name in read.text for name in _TIDIES) for read in reads)


def _clears(leaf: Tensor) -> list[Call]:
    """Return the calls that clear a tensor's gradient, by None or zeros, in order."""
    none = (call for call in leaf.grad_sets if call.name == "zero_grad" or call.argument(1) is None)
    zero = (write for grad in leaf.grads for write in grad.writes if "zero" in write.name)
    return sorted([*none, *zero], key=in_order)


@finds("stepped_twice", "in every round")
def stepped_twice(run: Run) -> Iterator[Finding]:
    """Report two lines that step the same optimizer after a single backward, in every round."""
    for optimizer in (one for one in run.stepped if len(one.steps) >= 2 * _FEW):
        pairs = [_unchanged_pair(run, steps) for steps in _steps_by_backward(run, optimizer)]
        if len(pairs) < _FEW or not all(pairs) or len({pair[1].span for pair in pairs}) != 1:
            continue
        first, second = (step.span for step in pairs[0])
        values = {"optimizer": optimizer.name, "line": run.trace.line(first), "rounds": len(pairs)}
        yield from report("stepped_twice", run.place(second), **values, how="steps")


@finds("step_before_backward", "in every round, and there is no gradient before the first")
def step_before_backward(run: Run) -> Iterator[Finding]:
    """Report a step between the loss and its backward in every round.

    The first step finds no gradient. Each later one uses the previous round's gradient, or none if a round begins with
    zero_grad.
    """
    for optimizer in (one for one in run.stepped if len(one.steps) >= _FEW):
        held = set(optimizer.tensors)
        brought = [call for call in run.backwards if len(call.roots) == 1 and not held.isdisjoint(call.brought)]
        ends = [step.operations for step in optimizer.steps]
        together = len(ends) == len(brought) >= _FEW and len({step.span for step in optimizer.steps}) == 1
        if not together or len({call.row.span for call in brought}) > 1:
            continue
        times = [call.time for call in brought]
        begins = [made.id if (made := call.roots[0].maker) is not None else -1 for call in brought]
        in_turn = all(a < b for a, b in zip(ends, times, strict=True))
        in_turn = in_turn and all(a <= b < c for a, b, c in zip((0, *times), begins, ends, strict=False))
        leaf = next(tensor for tensor in optimizer.tensors if tensor in brought[0].brought)
        clears = [clear.id for clear in _clears(leaf)]
        cleared = [any(a <= clear < b for clear in clears) for a, b in zip(times, ends[1:], strict=False)]
        if in_turn and (all(cleared) or not any(cleared)):
            values = {"optimizer": optimizer.name, "line": run.trace.line(brought[0].row.span), "rounds": len(ends)}
            place, how = run.place(optimizer.steps[0].span), "yes" if any(cleared) else "no"
            yield from report("step_before_backward", place, **values, cleared=how)


def _steps_by_backward(run: Run, optimizer: Optimizer) -> Iterator[list[TrainingCall]]:
    """Yield an optimizer's steps after each logged backward that has some."""
    calls = run.trace.log.calls
    begins = [at for at, call in enumerate(calls) if call.kind == "backward"]
    for begin, end in itertools.pairwise((*begins, len(calls))):
        if steps := [one for one in calls[begin:end] if one.kind == "step" and one.subject == optimizer.id]:
            yield steps


def _unchanged_pair(run: Run, steps: list[TrainingCall]) -> tuple[TrainingCall, TrainingCall] | None:
    """Return two steps at different places with nothing between, if any."""
    for first, second in itertools.pairwise(steps):
        before, after = _phase_of(run, first), _phase_of(run, second)
        if first.span != second.span and before is not None and after is not None and after.begin == before.end + 1:
            return first, second
    return None


def _phase_of(run: Run, step: TrainingCall) -> Phase | None:
    """Return the operations of a logged step. Of nested steps, the inner one's."""
    at = bisect_right(run.steps, step.operations, key=attrgetter("begin"))
    return run.steps[at - 1] if at else None


@finds("optimizer_renewed", "it averages gradients, and takes one step in every round")
def optimizer_renewed(run: Run) -> Iterator[Finding]:
    """Report an optimizer that every round creates again for the same data, which resets its averages to 0.

    If the parameters are reset too, as when a model adapts to each example, this is intended.
    """
    for span, made in grouped(run.optimizers, lambda one: one.row.span).items():
        first = made[0]
        once = len(made) >= _FEW and all(len(one.steps) == 1 for one in made)
        rates = {group.rate for one in made for group in one.row.groups}
        alike = len(rates) == 1 and all(one.tensors == first.tensors and one.steps for one in made)
        replaces = all(
            one.steps[-1].operations <= other.row.operations for one, other in itertools.pairwise(made) if one.steps
        )
        alike = alike and replaces and (once or (len(made) > 1 and bool(set.intersection(*map(_data_before, made)))))
        made_by = run.place(span)
        stateful = any(name in first.row.kind.lower() for name in STATEFUL)
        stateful |= made_by is not None and _MOMENTUM.search(made_by.text) is not None
        begun = first.steps[0].operations if first.steps else 0
        reset = any(write.id > begun and not write.is_of_optimizer for one in first.tensors for write in one.writes)
        if alike and stateful and first.tensors and not reset:
            values = {"optimizer": first.name, "class": first.row.kind, "rounds": len(made)}
            yield from report("optimizer_renewed", made_by, **values, certain=once)


def _data_before(optimizer: Optimizer) -> set[int]:
    """Return the data that was there before all training, behind the loss of an optimizer's first step."""
    run = optimizer.run
    call = next(earlier(run.backwards, optimizer.steps[0].operations), None)
    below = run.tensors(run.below(call.roots, 2_000)) if call is not None else []
    loss = min((root.maker.id for root in run.backwards[0].roots if root.maker is not None), default=0)
    given = (one for one in below if not one.requires_grad and one.size > 1)
    return {one.id for one in given if run.makers.get(one.id, -1) < min(loss, optimizer.steps[0].operations)}


def clip_of_nothing(run: Run) -> Iterator[Finding]:
    """Report a line that clips no tensors because their generator was exhausted before."""
    for clip in run.log_of("clip"):
        empty = clip.subject >= 0 and not run.trace.log.sets[clip.subject] and not clip.before
        brought = any(call.brought and call.time <= clip.operations for call in run.backwards)
        if empty and brought:
            yield from report("clip_unused", run.place(clip.span), how="nothing")


def clip_scaled(run: Run) -> Iterator[Finding]:
    """Report gradients of a scaled loss that are clipped before the scaler divides them by its factor."""
    for clip in run.log_of("clip"):
        last = next(earlier(run.backwards, clip.operations), None)
        maker = _scaling(last)
        if last is None or maker is None:
            continue
        since = range(last.time, min(clip.operations + 1, run.count))
        stepped = next((step for step in run.log_of("step") if step.operations >= clip.operations), None)
        scaler, factor = maker.text.partition(".scale(")[0], maker.inputs[-1].before(maker)
        step = "" if stepped is None else run.trace.text(stepped.span)
        if step.startswith(f"{scaler}.step(") and not any(".unscale_(" in run.text(at) for at in since):
            unscale = step.replace(".step(", ".unscale_(", 1)
            values = {"scaler": scaler, "factor": numbers(factor), "unscale": unscale, "how": "clip"}
            yield from report("step_scaled", run.place(clip.span), **values)


@finds("step_scaled", "in every round, and no line divides them")
def step_scaled(run: Run) -> Iterator[Finding]:
    """Report an optimizer that steps by gradients of a scaled loss that nothing unscales."""
    if any(find_lines(run.trace, _UNSCALES)):
        return
    for optimizer in run.stepped:
        steps = optimizer.steps
        scale = _scaled_root(optimizer, steps[0]) if len(steps) >= _FEW else None
        if scale is None or not all(_scaled_root(optimizer, step) for step in steps):
            continue
        alone = all(run.trace.text(step.span).endswith(".step()") for step in steps)  # a scaler's step has an argument
        given = (user for leaf in optimizer.tensors for user in leaf.users if user.name == "grad=")
        wrote = (write for leaf in optimizer.tensors for grad in leaf.grads for write in grad.writes)
        divided = any("zero" not in write.name for write in wrote) or any(one.argument(1) is not None for one in given)
        if not alone or divided:
            continue
        scaler, factor = scale.text.partition(".scale(")[0], scale.inputs[-1].before(scale)
        if factor is not None and factor.size == 1 and factor.item() > 1:
            values = {"scaler": scaler, "factor": numbers(factor), "optimizer": optimizer.name, "how": "step"}
            yield from report("step_scaled", run.place(steps[0].span), **values)


def _scaled_root(optimizer: Optimizer, step: TrainingCall) -> Call | None:
    """Return the product by which a GradScaler scaled the loss."""
    before = earlier(optimizer.run.backwards, step.operations)
    return _scaling(next((call for call in before if not call.brought.keys().isdisjoint(optimizer.tensors)), None))


def _scaling(call: BackwardCall | None) -> Call | None:
    """Return the product by which a GradScaler scaled a backward's root."""
    maker = call.roots[0].made_by(("mul",)) if call is not None and call.roots else None
    return maker if maker is not None and ".scale(" in maker.text else None


def fake_attached(run: Run) -> Iterator[Finding]:
    """Report a discriminator loss whose gradients reach the generator and enter its next step.

    In every round two optimizers take turns. Both losses reach both optimizers' tensors. The first optimizer starts
    with cleared gradients. The second still has the first loss's gradients when its own are added.
    """
    for first, second in itertools.permutations(run.stepped, 2):
        judge = next((tensor for tensor in first.tensors if tensor.backwards), None)
        made = next((tensor for tensor in second.tensors if tensor.backwards), None)
        turns = alternating(run, first, second) if judge is not None and made is not None else []
        both = all(tensor in call.brought for calls in turns for call in calls for tensor in (judge, made))
        if len(turns) < 2 or not both or any(_adds_to(judge, one) or _adds_to(made, one) for one, _ in turns):
            continue
        if all(_adds_to(made, after) for _, after in turns):
            values = {"name": named([made]), "optimizer": second.name, "other": first.name}
            yield from report("gradient_left", turns[0][0].place, made, **values, how="attached")


def _adds_to(leaf: Tensor, call: BackwardCall) -> bool:
    """Return whether a backward adds to an existing nonzero gradient of a leaf."""
    there = call.brought[leaf][0]
    return there >= 0 and not leaf.run.is_zero(there)


def alternating(run: Run, first: Optimizer, second: Optimizer) -> list[tuple[BackwardCall, BackwardCall]]:
    """Return the backward calls before the steps of two strictly alternating optimizers, otherwise none."""
    steps = sorted([*first.steps, *second.steps], key=lambda step: step.operations)
    turns = [step.subject for step in steps]
    if len(steps) < 4 or turns != [first.id, second.id] * (len(steps) // 2):
        return []
    calls = rounds(run.backwards, [step.operations for step in steps])
    alone = [one[0] for one in calls if len(one) == 1]
    return list(zip(alone[::2], alone[1::2], strict=True)) if len(alone) == len(calls) else []


@finds("accumulation_lost", "in every round, and nothing reads the gradients")
def accumulation_lost(run: Run) -> Iterator[Finding]:
    """Report backward calls before a step whose gradients are cleared unused, except the last."""
    trained = grouped((leaf for leaf in run.trainers if leaf.backwards), lambda leaf: run.trainers[leaf])
    for optimizer, (leaf, *_) in trained.items():
        clears = _clears(leaf) if not is_grad_read(leaf) else []
        if any(user.name == "grad=" and user not in clears for user in leaf.users):
            continue
        every = rounds(leaf.backwards, _steps_of(leaf))
        times = [[call.time for call in calls] for calls in every]
        if len(every) < 2 or not all(
            any(lost := between((clear.id for clear in clears), one)) and all(lost) for one in times
        ):
            continue
        if any(one[0] <= step.begin < one[-1] for one in times for step in run.steps):
            continue  # another optimizer uses each of these gradients
        clear = next(call for call in clears if call.id >= times[0][0])
        if len({(call.row.span, _root_span(call)) for calls in every for call in calls}) == 1:
            values = {"optimizer": optimizer.name, "count": len(every[0]), "name": leaf.name}
            yield from report("accumulation_lost", clear.place, leaf, **values)


def _steps_of(leaf: Tensor) -> list[int]:
    """Return the times at which an optimizer moved a leaf."""
    return [write.id for write in leaf.writes if write.is_of_optimizer]


@finds("draws_repeat", "each draw picks a part of the data, and an optimizer steps between any two draws")
def batch_repeats(run: Run) -> Iterator[Finding]:
    """Report a seed that is set inside the loop, so every step draws the same rows.

    The other rows are never seen.
    """
    draws = (call for call in run.calls(("randint", "multinomial")) if call.leads_to_root and call.made is not None)
    for calls in grouped(draws if run.steps else (), lambda call: call.span).values():
        drawn = calls[0].outputs[0]
        chance = drawn.size * np.log2(np.unique(calls[0].made).size)
        apart = between((step.end for step in run.steps), (call.id for call in calls))
        if len(calls) < _FEW or chance < _BITS or not all(apart):
            continue
        picks = (user for user in drawn.users if user.name in ("__getitem__", "index_select") and drawn in user.inputs)
        data = next((user.inputs[0] for user in picks if user.inputs[0] is not drawn), None)
        made = [call.made for call in calls]
        same = all(one is not None and one.size == drawn.size and np.array_equal(made[0], one) for one in made)
        if data is not None and data.shape[0] > drawn.size and same:
            values = {"name": data.name, "rows": data.shape[0], "drawn": drawn.size, "rounds": len(calls)}
            yield from report("draws_repeat", calls[0], drawn, **values, how="rows")


@finds("gradient_left", "in every round, and the other optimizer cleared its own gradients in between")
def gradient_left(run: Run) -> Iterator[Finding]:
    """Report an optimizer whose every step includes gradients of a loss meant for another optimizer.

    That loss's backward passes through this optimizer's tensors to the other's, whose step and clearing end its
    purpose. A part that both losses use, such as an encoder below two heads, should get both.
    """
    for optimizer, other in itertools.permutations(run.stepped, 2):
        steps = [step.operations for step in optimizer.steps]
        leaf = next((one for one in optimizer.tensors if len(one.backwards) > len(steps) >= _FEW), None)
        if leaf is None or is_grad_read(leaf) or not set(optimizer.tensors).isdisjoint(other.tensors):
            continue
        pairs = rounds(leaf.backwards, steps)
        pairs = pairs[1:] if len(pairs[0]) < 2 else pairs  # the first round began with its own loss
        if len(pairs) < 2 or not all(len(calls) == 2 and _is_kept_until_next(leaf, other, *calls) for calls in pairs):
            continue
        place, first = run.place(optimizer.steps[-1].span), pairs[0][0]
        uses = (user for user in leaf.uses_for_roots if user.id < first.time and leaf not in user.outputs)
        given = run.below([one for use in uses for one in use.inputs if one is not leaf])
        if first.place is not None and any(one.id in given for one in other.tensors):
            values = {"optimizer": optimizer.name, "other": other.name, "line": first.place.line, "name": leaf.name}
            yield from report("gradient_left", place, leaf, **values, how="left")


def _is_kept_until_next(leaf: Tensor, other: Optimizer, first: BackwardCall, second: BackwardCall) -> bool:
    """Return whether the first backward's gradient remains at the second one.

    The other optimizer has stepped in between, and its gradients were cleared.
    """
    run, kept = leaf.run, second.brought[leaf][0]
    own = next((one for one in other.tensors if one in first.brought), None)
    if own is None or any(one in second.brought for one in other.tensors) or kept < 0 or run.is_zero(kept):
        return False
    stepped = any(first.time <= step.operations < second.time for step in other.steps)
    return stepped and bool(_clears(own)) and run.trace.value(kept) == run.trace.value(first.brought[leaf][1])


@finds("loss_not_renewed", "the program moves the same leaf before each further backward through one root")
def loss_not_renewed(run: Run) -> Iterator[Finding]:
    """Report three or more rounds of backward through the same loss while the program moves its inputs.

    The loss is the root or a part of a sum, and adds gradients of the first values again. For a sum that one line
    differentiates, it is a note even if nothing moves: earlier rounds then count several times.
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
        times = [call.time for call in calls]
        moved = [leaf for leaf in calls[0].brought if all(between((write.id for write in leaf.writes), times))]
        how = "one" if all(one.row.roots == calls[0].row.roots for one in calls) else "sum" if moved else "again"
        again = how == "again" and {(one.row.kind, one.row.span) for one in calls} == {("backward", calls[0].row.span)}
        if made is not None and (moved or again):
            values = {
                "name": root.name,
                "line": made.line,
                "leaf": moved[0].name if moved else "",
                "rounds": len(calls),
            }
            yield from report("loss_not_renewed", calls[1].place, root, **values, how=how, certain=bool(moved))


def _root_span(call: BackwardCall) -> int:
    maker = call.roots[0].maker if call.roots else None
    return -1 if maker is None else maker.span


@finds("frozen_moves", "its entries change")
def frozen_moves(run: Run) -> Iterator[Finding]:
    """Report an optimizer that still changes a frozen tensor by its old gradient or momentum."""
    for leaf in run.tensors(sorted(run.held)):
        asked = [user for user in leaf.users if user.name in ASKS]
        frozen = asked[-1] if asked else None
        if frozen is None or frozen.place is None or sets_requires_grad(frozen) or leaf.requires_grad:
            continue
        moved = [write for write in leaf.writes if write.id > frozen.id and write.is_of_optimizer]
        for write in (one for one in moved if not _is_new_gradient(leaf, one)):
            was, now = leaf.before(write), leaf.before(write.id + 1)
            if was is not None and now is not None and not np.array_equal(was, now):
                values = {"name": leaf.name, "line": frozen.place.line, "was": numbers(was), "now": numbers(now)}
                yield from report("frozen_moves", write, leaf, **values)
                break


def rows_move(run: Run) -> Iterator[Finding]:
    """Report rows whose gradient the program zeroes in every round while weight decay still moves them."""
    for optimizer in run.stepped:
        decayed = [group for group in optimizer.row.groups if group.weight_decay]
        for leaf in run.tensors(one for group in decayed for one in group.tensors):
            steps = [write for write in leaf.writes if write.is_of_optimizer]
            rows = [_cleared_rows(leaf, step) for step in steps] if len(leaf.shape) > 1 and len(steps) >= _FEW else []
            known = [one for one in rows if one is not None]
            still = np.logical_and.reduce(known) if known and len(known) == len(rows) else np.zeros(1, bool)
            if not still.any() or still.all():
                continue
            if any(write.id > leaf.backwards[0].time for write in leaf.writes if not write.is_of_optimizer):
                continue  # the program puts them back
            ends = leaf.before(steps[0]), leaf.before(steps[-1].id + 1)
            was, now = (None if one is None else one.reshape(leaf.shape)[still] for one in ends)
            if was is not None and now is not None and not np.any(was == now):
                values = {"name": leaf.name, "line": 0, "was": numbers(was), "now": numbers(now)}
                yield from report("frozen_moves", steps[0].place, leaf, **values, optimizer=optimizer.name)


def _cleared_rows(leaf: Tensor, step: Call) -> np.ndarray | None:
    """Return which gradient rows the program zeroed before a step, None if unknown."""
    grad = next((one for one in step.inputs if one in leaf.grads), None)
    last = next(earlier(leaf.backwards, step.id), None)
    came = leaf.run.entries(last.brought[leaf][1]) if last is not None else None
    used = grad.before(step) if grad is not None else None
    if came is None or used is None or not came.size == used.size == leaf.size:
        return None
    reaches, arrived = (np.count_nonzero(one.reshape(leaf.shape[0], -1), axis=1) for one in (used, came))
    return np.asarray((reaches == 0) & (arrived > 0))


def _is_new_gradient(leaf: Tensor, step: Call) -> bool:
    """Return whether a backward added a gradient since the last step, before freezing."""
    before = max((write for write in _steps_of(leaf) if write < step.id), default=-1)
    return any(before < call.time <= step.id for call in leaf.backwards)


def sets_requires_grad(call: Call) -> bool:
    """Return whether a call sets requires_grad to True."""
    given = call.argument(1, "requires_grad")
    return given is None or given is True


@finds("layer_in_forward", "each of its parameters gets one gradient, and trained parameters are below it")
def layer_in_forward(run: Run) -> Iterator[Finding]:
    """Report a line that creates a layer's parameters in every round: one gradient each, and no optimizer.

    If the program reads these gradients, it adapts a layer to its round, such as a new head for each task.
    """
    held = {tensor for optimizer in run.optimizers for tensor in optimizer.tensors}
    own = (leaf for leaf in run.tensors(run.leaves) if leaf.is_parameter and leaf not in held)
    alone = (leaf for leaf in own if len(leaf.backwards) == 1 and not is_grad_read(leaf))
    for place, leaves in grouped(alone if run.steps else (), _made_at).items():
        last, count = leaves[-1], len({leaf.backwards[0] for leaf in leaves})
        if place is None or count < _FEW:
            continue
        uses = (user for user in last.uses_for_roots if last not in user.outputs)
        given = next(([one for one in use.inputs if one is not last] for use in uses), [])
        if any(tensor.id in run.below(given) for tensor in held):
            idle = [tensor for tensor in run.tensors(sorted(run.held - run.received)) if tensor.is_parameter]
            meant = re.sub(r"\.\w+$", "", idle[0].path) if idle else "none"  # these may be the intended leaves
            yield from report("layer_in_forward", place, last, rounds=count, name=meant)


def _made_at(leaf: Tensor) -> Code | None:
    """Return where a parameter's name was assigned, since nn.Parameter is not an operation."""
    used = leaf.home
    at = last_assignment(leaf.run.trace, leaf.names[0], used.span) if leaf.names and used is not None else None
    named = leaf.run.line(at.cell, at.line) if at is not None and "Parameter(" in at.value else None
    return leaf.place or named


RULES = (
    *(layer_in_forward, never_stepped, stepped_twice, optimizer_renewed, clip_of_nothing, clip_scaled),
    *(step_scaled, fake_attached, accumulation_lost, batch_repeats, gradient_left, frozen_moves, rows_move),
    *(loss_not_renewed, step_before_backward),
)
