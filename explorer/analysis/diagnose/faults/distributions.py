"""Misused distributions: a sample's noise, and the divergence of a normal distribution."""

import itertools
from collections.abc import Iterator

import numpy as np

from explorer.analysis.diagnose.faults.finding import Finding, finds, grouped, report
from explorer.analysis.diagnose.faults.rounds import between
from explorer.analysis.explain.autograd.gradient_cuts import switch_of
from explorer.analysis.explain.autograd.gradients import node_gradients
from explorer.analysis.run.model import Run
from explorer.analysis.run.objects import Call, Tensor
from explorer.analysis.run.operations import FORMS, LOSSES, MOVES, PICKS, PRODUCTS, spellings
from explorer.analysis.run.source.code import Code
from explorer.safe_regex import plain

_MULTIPLIES, _DIVIDES, _SUBTRACTS = spellings("mul"), spellings("div"), spellings("sub")
_SUMS = spellings("add") | _SUBTRACTS
_SQUARES = spellings("pow", "square")
_NORMAL = spellings("randn", "randn_like", "normal")
_UNIFORM = spellings("rand", "rand_like")
_DRAWS = _NORMAL | _UNIFORM
_CHANCES = spellings("softmax", "sigmoid")
_SEEDS = plain(r"\s+[^#]{0,80}\bmanual_seed\(")
_ROUNDS, _SEVERAL = 4, 8  # fewest rounds and entries per draw for which equality is not chance
_FAR = 6  # most operations followed


@finds("noise_scaled", "the divergence in the same loss squares the same mean")
def noise_scaled(run: Run) -> Iterator[Finding]:
    """Report noise whose scale does not match the variance in the divergence.

    With s for log σ² the factor is exp(s / 2) and the variance exp(s). With s for log σ they are exp(s) and exp(2 s).
    """
    for product, mean, scale in _samples(run):
        source, power = _exponent(scale)
        for variance in (user for user, _ in source.readers(FORMS | _MULTIPLIES | _DIVIDES) if user.name == "exp"):
            base, exponent = _power_of(variance.inputs[0])
            beside = (one.made_by(_SQUARES | _MULTIPLIES) for one in _terms(variance.outputs[0]))
            squares = any(square is not None and mean in square.inputs for square in beside)
            if base is not source or not variance.leads_to_root or not squares:
                continue
            uniform = any(one.maker is not None and one.maker.name in _UNIFORM for one in product.inputs)
            if exponent != 2 * power or uniform:
                values = {"scale": scale.name, "variance": variance.text, "log": source.name}
                how = "uniform" if exponent == 2 * power else "power" if power else "none"
                yield from report("noise_scaled", product, scale, **values, how=how)


@finds("sign_flipped", "a divergence falls in every backward, for every entry", reads_text=True)
def divergence_falls(run: Run) -> Iterator[Finding]:
    """Report a divergence with the wrong sign: the loss falls without end as its squares grow."""
    for _, mean, scale in _samples(run):
        source, power = _exponent(scale)
        for square in (user for user in mean.users if power and user.name in _SQUARES and user.leads_to_root):
            beside = (one.made_by(("exp",)) for one in _terms(square.outputs[0]))
            variance = next(filter(None, beside), None)
            if variance is None or _power_of(variance.inputs[0])[0] is not source or not minimizes(square):
                continue
            gradients = [entries for entries in gradients_that_arrived(square) if entries is not None]
            if gradients and all((entries < 0).all() for entries in gradients):
                yield from report("sign_flipped", square, mean, variance=variance.text, how="divergence")


def overlap_falls(run: Run) -> Iterator[Finding]:
    """Report probabilities whose loss falls as each moves away from the 0 or 1 that it is multiplied by."""
    met = ((call, *pair) for call in run.rooted(_MULTIPLIES) if (pair := _overlap(call)) is not None)
    for same in grouped(met, lambda one: one[0].span).values():
        call, chance, target = same[0]
        if len(same) >= _ROUNDS and all(_moves_away(*one) for one in same):
            values = {"target": target.name, "how": "overlap", "made": chance.name}
            yield from report("sign_flipped", call, chance, **values, certain=False)


def _overlap(call: Call) -> tuple[Tensor, Tensor] | None:
    """Return a product's probabilities and their target, which consists of zeros and ones."""
    for chance, target in itertools.permutations(call.inputs[:2], 2):
        if chance.made_by(_CHANCES) is not None and not target.requires_grad and chance.shape == target.shape:
            known = target.before(call)
            return (chance, target) if known is not None and set(np.unique(known)) == {0, 1} else None
    return None


def _moves_away(call: Call, chance: Tensor, target: Tensor) -> bool:
    """Return whether a step is to follow each probability's gradients, positive at 1 and negative at 0."""
    signs, pulled = 2 * target.before(call) - 1, list(gradients_that_arrived(chance.maker))
    return minimizes(call) and bool(pulled) and all(np.array_equal(np.sign(one), signs) for one in pulled)


def _samples(run: Run) -> Iterator[tuple[Call, Tensor, Tensor]]:
    """Find samples mean + scale · noise, each with mean and scale."""
    for product in run.rooted(_MULTIPLIES):
        pair = product.inputs
        if len(pair) != 2 or not product.outputs or pair[0].shape != pair[1].shape:
            continue
        for noise, scale in (pair, pair[::-1]):
            if noise.requires_grad or not scale.requires_grad:
                continue
            if not any(call is not None and call.name in _DRAWS for call in (noise.maker, *noise.writes)):
                continue
            for total in (user for user in product.outputs[0].users if user.name in spellings("add")):
                for mean in (one for one in total.inputs if one is not product.outputs[0] and one.requires_grad):
                    yield product, mean, scale


def _exponent(scale: Tensor) -> tuple[Tensor, float]:
    """Return s and k of exp(k · s), otherwise itself and 0."""
    maker = scale.behind(FORMS).made_by(("exp",))
    return _power_of(maker.inputs[0]) if maker is not None else (scale.behind(FORMS), 0.0)


def _power_of(tensor: Tensor) -> tuple[Tensor, float]:
    """Return the tensor s and the number k of k · s."""
    factor, tensor = 1.0, tensor.behind(FORMS)
    while (maker := tensor.made_by(_MULTIPLIES | _DIVIDES)) is not None and len(maker.inputs) == 1:
        numbers = [one for one in maker.arguments.positional if isinstance(one, (int, float))]
        if len(numbers) != 1 or not numbers[0]:
            break
        factor = factor * numbers[0] if maker.name in _MULTIPLIES else factor / numbers[0]
        tensor = maker.inputs[0].behind(FORMS)
    return tensor, factor


def _terms(tensor: Tensor) -> list[Tensor]:
    """Return a tensor's fellow terms, as in 1 + s - m²."""
    total = tensor
    for _ in range(_FAR):
        sums = [user for user in total.users if user.name in _SUMS and user.leads_to_root and user.outputs]
        if len(sums) != 1 or sums[0].outputs[0].shape != tensor.shape:
            break
        total = sums[0].outputs[0]
    terms: list[Tensor] = []
    todo = [total]
    while todo and len(terms) < 2 * _FAR:
        one = todo.pop()
        added = one.made_by(_SUMS) if one.shape == tensor.shape else None
        if added is not None:
            todo += added.inputs
        else:
            terms.append(one)
    return terms


def minimizes(call: Call) -> bool:
    """Return whether the next step minimizes a loss of the call's leaves."""
    run = call.run
    steps = any(step.begin > call.id for step in run.steps) and not maximizes(run)
    return steps and call.outputs[0].is_computed_from(run.trained_next(call.id))


def maximizes(run: Run) -> bool:
    """Return whether some optimizer may maximize."""
    return any("maximize" in cell.source for cell in run.trace.cells)


def gradients_that_arrived(call: Call) -> Iterator[np.ndarray | None]:
    """Yield each backward's gradient of the call's result."""
    run, trace = call.run, call.run.trace
    row = trace.index.before(call.outputs[0].id, call.id + 1)
    node = trace.versions.node[row] if row is not None else -1
    for backward in run.ran_in.get(node, ()):
        for value in node_gradients(trace, backward.id)[node]:
            if value >= 0:
                yield run.entries(value)


def sample_cut(run: Run) -> Iterator[Finding]:
    """Report noise added to a mean with gradients off.

    A divergence trains the mean, and the loss uses the sum. A policy that draws an action in this way compares it with
    the mean.
    """
    for total in run.rooted(spellings("add")):
        for mean in (one for one in total.inputs if not total.records and one.requires_grad and not one.is_leaf):
            products = (one.made_by(_MULTIPLIES) for one in total.inputs if one is not mean)
            noises = (one.maker for product in products if product is not None for one in product.inputs)
            if not any(noise is not None and noise.name in _NORMAL for noise in noises):
                continue
            squared = any(user.name in _SQUARES and user.leads_to_root and user.records for user in mean.users)
            compared = (user for user, _ in total.outputs[0].readers(FORMS) if user.name in _SUBTRACTS)
            switch = switch_of(run.trace, total.id)
            if squared and switch is not None and not any(mean in user.inputs for user in compared):
                values = {"name": mean.name, "by": "no_grad", "reach": "penalty", "how": "off"}
                yield from report("gradient_cut", total, mean, **values, switch=switch.text, at=switch.line)


def drawn_unrecorded(run: Run) -> Iterator[Finding]:
    """Report sample() in place of rsample() in a trained path.

    Other terms train its mean, and it passes trained weights into the loss. With its log_prob, or a network that judges
    it with gradients off, it needs no gradient: then nothing is reported.
    """
    for draw in run.calls(spellings("normal")) if run.steps else ():
        sources = [one.behind(FORMS | MOVES, _FAR) for one in draw.inputs[:2]]
        trained = run.trained_next(draw.id)
        means = [one for one in sources if one.requires_grad and one.is_computed_from(trained)]
        if draw.records or not means or draw.place is None or any(one.is_leaf for one in means):
            continue
        readers = [user for user, _ in draw.outputs[0].readers(FORMS | MOVES | _SUMS | _MULTIPLIES)]
        scored = any("log_prob(" in user.text for user in readers)
        layers = (user for user in readers if user.name in PRODUCTS and user.records and user.leads_to_root)
        learns = any(one.id in trained for layer in layers for one in layer.inputs)
        others = [user for one in means for user in one.users if user.records and user.leads_to_root]
        if learns and not scored and others:
            certain = any("kl" in user.text.lower() for user in others)
            values: dict[str, object] = {"name": means[0].name, "by": "no_grad", "reach": "penalty"}
            values |= {"how": "sampling", "switch": "", "at": 0}
            yield from report("gradient_cut", draw, means[0], **values, certain=certain)
            return


def noise_repeats(run: Run) -> Iterator[Finding]:
    """Report a line that draws the same noise in every round.

    The noise is added to a result of the same weights, or both a loss and its target are computed from it. It may be
    intended: it makes the loss a function.
    """
    every = run.calls(_NORMAL | _UNIFORM) if run.steps and not run.is_shortened else ()
    drawn = (call for call in every if call.leads_to_root and call.place is not None)
    large = (call for call in drawn if call.outputs[0].size >= _SEVERAL)
    for calls in grouped(large, lambda call: call.span).values():
        first = calls[0].made
        if len(calls) < _ROUNDS or first is None or not all(np.array_equal(first, call.made) for call in calls[1:]):
            continue
        met = [_trained_partners(call) for call in calls]
        stepped = between((step.begin for step in run.steps), (call.id for call in calls))
        if all(stepped) and all(met) and set.intersection(*met):
            values = {"code": calls[0].text, "rounds": len(calls), "how": "noise"}
            yield from report("draws_repeat", _seeds(calls[0]), calls[0].outputs[0], **values, certain=False)


def _seeds(draw: Call) -> Code:
    """Return the indented line above a draw that seeds a generator, or the draw."""
    place = draw.place
    assert place is not None
    above = [at for at, line in enumerate(place.lines[: place.line], 1) if _SEEDS.match(line)]
    return draw.run.line(place.span.cell, above[-1]) if above else place


def _trained_partners(draw: Call) -> set[int]:
    """Return the trained tensors behind the noise's fellow operand or comparison."""
    run, found = draw.run, set[int]()
    for user, read in draw.outputs[0].readers(FORMS | _MULTIPLIES | _DIVIDES):
        others = [one for one in user.inputs if one is not read and one.requires_grad]
        below = run.below(others, 2_000) if user.name in _SUMS | LOSSES and user.leads_to_root else set()
        if user.name in spellings("add") or draw.outputs[0].id in below:
            found |= below & run.held
    return found


def rows_shifted_alike(run: Run) -> Iterator[Finding]:
    """Report draws for each row that are all equal, as after setting the same seed."""
    for calls in grouped(run.rooted(spellings("add")), lambda call: call.span).values():
        parts = [(call, call.inputs[0].made_by(PICKS), call.inputs[-1].behind(FORMS)) for call in calls]
        shifts = [shift.before(call) for call, pick, shift in parts if pick is not None and _is_given(shift)]
        if len(shifts) < max(2 * _ROUNDS, len(calls)) or len({shift.id for *_, shift in parts}) < len(calls):
            continue
        first = shifts[0]
        if first is None or first.size < _ROUNDS or not all(np.array_equal(first, shift) for shift in shifts):
            continue
        if len(set(np.sign(np.diff(first)))) > 1 and abs(first.mean()) < first.std():  # neither steps nor an offset
            values = {"code": calls[0].inputs[-1].name, "rounds": len(calls), "how": "shift"}
            yield from report("draws_repeat", calls[0], calls[0].inputs[-1], **values, certain=False)


def _is_given(tensor: Tensor) -> bool:
    """Return whether numbers came from outside torch."""
    return tensor.maker is None and not tensor.requires_grad and not tensor.is_parameter


RULES = (noise_repeats, rows_shifted_alike, noise_scaled, divergence_falls, overlap_falls, sample_cut, drawn_unrecorded)
