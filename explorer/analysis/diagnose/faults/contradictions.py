"""Numbers that contradict each other: sums, targets, merged weights, the losses of a GAN."""

from collections.abc import Iterator

import numpy as np

from explorer.analysis.diagnose.faults.comparisons import comparisons
from explorer.analysis.diagnose.faults.finding import Finding, finds, grouped, named, report
from explorer.analysis.diagnose.faults.training_loops import alternating
from explorer.analysis.diagnose.influence.answers import (
    DIFFERS,
    difference,
    forwards,
    inputs_of,
    is_steady,
    other_answers,
)
from explorer.analysis.diagnose.influence.results import places_of
from explorer.analysis.explain.autograd.gradients import arrivals_of
from explorer.analysis.run.model import Run
from explorer.analysis.run.objects import BackwardCall, Call, Optimizer, Tensor
from explorer.analysis.run.operations import DRAWS, ENTRYWISE, FORMS, LOSSES, PICKS, PRODUCTS, SPREADS, spellings
from explorer.text.numbers import number
from explorer.trace.values import GRID, sample_shape, sample_steps

_ADDS = spellings("index_add", "scatter_add")
_FEW = 3  # fewest rounds for a claim about all of them
_MOST = 12  # most rounds examined


@finds("normalized_elsewhere", level="note")
def normalized_elsewhere(run: Run) -> Iterator[Finding]:
    """Report weights divided by their sum over one index and then added up over another."""
    for call in run.rooted(spellings("div")):
        pick = call.inputs[-1].behind(FORMS).made_by(PICKS)
        total = None if pick is None or len(pick.inputs) < 2 else _sum_of(pick.inputs[0], call.inputs[0])
        for user, read in call.outputs[0].readers(ENTRYWISE | FORMS) if total is not None else ():
            if user.name in _ADDS and user is not total and read in user.inputs[2:]:
                over, onto = (one.inputs[1].behind(FORMS | SPREADS).before(one) for one in (total, user))
                if over is not None and onto is not None and not np.array_equal(over, onto):
                    values = {"over": total.inputs[1].behind(FORMS).name, "onto": user.inputs[1].behind(FORMS).name}
                    yield from report("normalized_elsewhere", user, call.outputs[0], **values)
                break


def _sum_of(sums: Tensor, terms: Tensor) -> Call | None:
    """Return the call that computed these sums by index."""
    made = sums.behind(ENTRYWISE)
    calls = [*filter(None, [made.maker]), *made.writes]
    return next((one for one in calls if one.name in _ADDS and terms in one.inputs[2:]), None)


@finds("target_in_input", level="note")
def target_in_input(run: Run) -> Iterator[Finding]:
    """Report a target, noisy or a column of data, that is also part of the input, so the model can copy it."""
    found = [pair for pair in comparisons(run, LOSSES) if _is_read(pair[1], pair[2])]
    for same in grouped(found, lambda pair: pair[0].span).values():
        loss, _, target = same[0]
        if len(same) >= _FEW and _is_noisy(target, same[1][2]):
            yield from report("target_in_input", loss, target, name=target.name, rounds=len(same), how="noise")


def copied_column(run: Run) -> Iterator[Finding]:
    """Report a target that equals a column of the data that the first layer of its prediction reads."""
    found = [(pair, column) for pair in comparisons(run, LOSSES) if (column := _column(*pair)) is not None]
    for same in grouped(found, lambda one: (one[0][0].span, one[1])).values():
        (loss, _, target), column = same[0]
        if len(same) >= _FEW:
            values = {"name": target.name, "rounds": len(same), "column": column, "how": "column"}
            yield from report("target_in_input", loss, target, **values)


def _column(loss: Call, prediction: Tensor, target: Tensor) -> int | None:
    """Return the column of a layer's data that is the target, as it was picked or as its sampled entries show."""
    run, wanted = loss.run, target.before(loss)
    part = prediction.behind(FORMS).made_by(PICKS)
    if wanted is None or wanted.size != target.size or (part is not None and part.inputs[0].size > target.size):
        return None
    pick = target.behind(FORMS).made_by(("__getitem__",))
    picked = pick.argument(1) if pick is not None else None
    makers = (run.call(run.makers[one]) for one in run.below([prediction], 2_000) if one in run.makers)
    for data in (made.inputs[0] for made in makers if made.name in PRODUCTS):
        if data.requires_grad or len(data.shape) != 2 or data.shape[1] < 2 or data.shape[0] != target.size:
            continue
        if pick is not None and pick.inputs[0] is data and isinstance(picked, tuple) and picked[0] == slice(None):
            return int(picked[1]) % data.shape[1] if isinstance(picked[1], int) else None
        entries = data.before(loss)
        every = entries is not None and entries.size == data.size
        rows = np.arange(target.size if every else sample_shape(data.shape)[0])
        rows = rows if every else rows * sample_steps(data.shape)[0]
        if entries is not None and np.unique(wanted[rows]).size == len(rows) >= _FEW and data.shape[1] <= GRID:
            equal = (entries.reshape(len(rows), -1) == wanted[rows, None]).all(0)
            return int(equal.argmax()) if equal.any() else None
    return None


def _is_read(prediction: Tensor, target: Tensor) -> bool:
    """Return whether a prediction was computed from its target and other columns, without a narrower layer."""
    run = target.run
    if target.maker is None or not target.shape:
        return False
    makers = [run.call(run.makers[one]) for one in run.below([prediction], 2_000) if one in run.makers]
    joined = any(made.name in ("cat", "concat") and target in made.inputs and len(made.inputs) > 1 for made in makers)
    layers = [made for made in makers if made.name in PRODUCTS and any(one.requires_grad for one in made.inputs)]
    return joined and bool(layers) and all(made.outputs[0].shape[-1:] >= target.shape[-1:] for made in layers)


def _is_noisy(target: Tensor, later: Tensor) -> bool:
    """Return whether a target was computed from a draw of its round and from other data, both of its shape."""
    run = target.run
    alike = [one for one in run.tensors(run.below([target], 200) - {target.id}) if one.shape == target.shape]
    again = run.below([later], 200)
    drawn = {one.id for one in alike if one.maker is not None and one.maker.name in DRAWS and one.id not in again}
    return bool(drawn) and any(run.below([one]).isdisjoint(drawn) for one in alike)


@finds("players_agree", level="note")
def players_agree(run: Run) -> Iterator[Finding]:
    """Report a generator whose loss pushes the scores of its samples in the discriminator's direction."""
    for second in run.stepped:
        for first in run.stepped:
            pairs = alternating(run, first, second)[:_MOST] if first is not second else []
            if len(pairs) >= _FEW and all(_agree(first, second, *pair) for pair in pairs):
                values = {"first": first.name, "second": second.name, "rounds": len(pairs)}
                root = pairs[0][1].roots[0]
                yield from report("players_agree", root.place or pairs[0][1].place, root, **values)


def _agree(first: Optimizer, second: Optimizer, judged: BackwardCall, made: BackwardCall) -> bool:
    """Return whether both losses push fake scores in one direction and real scores in the other."""
    own = {leaf.id for leaf in second.tensors}
    scores = [_scores(first, own, call) for call in (judged, made)]
    if any(leaf.id in own for leaf in judged.brought) or sorted(scores[0]) != [False, True] or [*scores[1]] != [True]:
        return False
    return scores[0][True] * scores[1][True] > 0 > scores[0][False] * scores[0][True]


def _scores(judge: Optimizer, own: set[int], call: BackwardCall) -> dict[bool, float]:
    """Return the summed gradients at the judge's scores: True for fakes, False for real data."""
    run = call.run
    weights = [leaf for leaf in judge.tensors if leaf in call.brought and len(leaf.shape) > 1]
    uses = [use for leaf in weights for use in leaf.uses_for_roots if use.id < call.time and use.outputs]
    last = max(uses, key=lambda use: use.id, default=None)
    if last is None:
        return {}
    sums: dict[bool, float] = {}
    for use in uses:
        values = [value for *_, value in arrivals_of(run.trace, use.outputs[0].id, call.id)]
        if use.inputs[1:2] == last.inputs[1:2] and values and values[0].mean is not None:
            fake = not own.isdisjoint(run.below([use.outputs[0]]))
            sums[fake] = sums.get(fake, 0.0) + values[0].mean
    return sums


@finds("merge_differs", level="note")
def merge_differs(run: Run) -> Iterator[Finding]:
    """Report a merge of weights that changes the result for the same input."""
    parameters = [one for one in run.tensors(range(len(run.trace.tensors))) if one.is_parameter] if run.steps else []
    known = {one.id for one in parameters}
    writes = ((write, leaf) for leaf in parameters for write in leaf.writes if not write.is_of_optimizer)
    merges = [(write, leaf) for write, leaf in writes if write.place is not None and _taken(write, leaf, known)]
    gap = _gap_around(run, merges, known) if merges else None
    if gap is not None:
        shifts = gap.ndim > 1 and len(gap) > 1 and np.ptp(gap, axis=0).max() < DIFFERS * abs(gap).max()  # each row
        write, leaf = next((pair for pair in merges if (len(pair[1].shape) == 1) == shifts), merges[0])
        values = {"name": leaf.name, "names": named(run.tensors(sorted(_taken(write, leaf, known))))}
        yield from report("merge_differs", write, leaf, **values, differs=number(float(abs(gap).max())))


def _gap_around(run: Run, merges: list[tuple[Call, Tensor]], known: set[int]) -> np.ndarray | None:
    """Return how much merges change a result, if no step and no other data lie between."""
    begin, end = min(write.id for write, _ in merges), max(write.id for write, _ in merges)
    into, taken = {leaf.id for _, leaf in merges}, {one for pair in merges for one in _taken(*pair, known)}
    uses = [*filter(is_steady, forwards(run))]
    earlier = [calls for calls in uses if calls[-1].id < begin and taken & inputs_of(calls)]
    before = [calls for calls in earlier if into & inputs_of(calls)]
    if not before:  # a layer that is made by merging several parameters, not by a copy
        whole = next((one for pair in merges if len(one := _taken(*pair, known)) > 1), None)
        before = [calls for calls in earlier if whole is not None and whole <= inputs_of(calls)]
    after = [calls for calls in uses if calls[0].id > end and into & inputs_of(calls) and not taken & inputs_of(calls)]
    if not before or not after or any(before[-1][-1].id < step.begin < after[0][0].id for step in run.steps):
        return None
    return difference(before[-1], after[0], known)


def _taken(write: Call, leaf: Tensor, known: set[int]) -> set[int]:
    """Return the other parameters that a write was computed from."""
    return write.run.below([one for one in write.inputs if one is not leaf]) & known - {leaf.id}


@finds("answers_differ", level="note")
def answers_differ(run: Run) -> Iterator[Finding]:
    """Report two models with equal weights whose answers to the same input differ.

    A state of theirs differs that is no parameter, or a number that the trained model computes with.
    """
    for found in other_answers(run) if run.steps and not run.is_shortened else ():
        models = (one.model for one in (found.first, found.second))
        values = dict(zip(("first", "second"), models, strict=True))
        values["name"] = found.state.name if found.state else ""
        if found.numbers is not None:
            own, other = found.numbers
            was, now = next(pair for pair in zip(own.numbers, other.numbers, strict=True) if pair[0] != pair[1])
            values |= {"code": own.text, "was": number(was), "now": number(now)}
        first, second = (places_of(run.trace, one.id)[-1:] for one in (found.first, found.second))
        if first and second:
            more = {"line": run.trace.line(first[0]), "differs": number(found.differs)}
            more["how"] = "state" if found.numbers is None else "number"
            yield from report("answers_differ", run.place(second[0]), found.state, **values, **more)


RULES = (normalized_elsewhere, target_in_input, copied_column, players_agree, merge_differs, answers_differ)
