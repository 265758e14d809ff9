"""Dropout and batch norm in the wrong mode."""

from collections.abc import Iterator

import numpy as np

from explorer.analysis.diagnose.faults.finding import Finding, finds, report
from explorer.analysis.run.model import Run
from explorer.analysis.run.names import model_of
from explorer.analysis.run.objects import Call, Tensor
from explorer.analysis.run.operations import FORMS, NOISES, names_where, spellings
from explorer.analysis.run.source.code import Code
from explorer.analysis.run.source.expressions import parse_call
from explorer.safe_regex import plain

_TRAINS = plain(r"\.(?:train|eval)\(")
_DISCARDED = plain(r"""[\w.\[\]'"]+\([^=]*\)\s*(?:#.*)?""")
_DROPS = frozenset(("scaled_dot_product_attention",))
_MODES = names_where(lambda operation: operation.draws == "noise") | spellings("native_batch_norm")
_FIRST = "conv1d", "conv2d", "conv3d", "linear"
_LARGE, _HALF = 0.05, 0.5  # smallest eps that is as large as a variance, and one that no variance needs
_SEVERAL = 16  # fewest entries for a reliable range
_FEW = 3  # minimum rounds for reporting frozen statistics
_SAMPLES = 3  # passes of one input that count as samples of a prediction
_AVERAGING = "swa_utils"  # torch's function that recomputes batch norm's statistics


@finds("dropout_always", "a layer that eval() cannot reach, or a call that does not mention the mode")
def drops_in_evaluation(run: Run) -> Iterator[Finding]:
    """Report dropout and similar noise that stays active in evaluation mode.

    If the same input runs several times, the noise is intended.
    """
    for call in run.calls(NOISES | _DROPS | spellings("bernoulli")):
        if call.place is not None and call.evaluates and _is_active(call) and _repeats(call) < _SAMPLES:
            written = call.place.call
            how = "function" if _is_function(call) else "listed"
            how = "made" if written is not None and parse_call(written.head) is not None else how
            unsaid = "dropout" in call.name and written is not None and written.place(2, "training", "train") is None
            yield from report("dropout_always", call, how=how, certain=unsaid or how != "function")


def _is_function(call: Call) -> bool:
    """Return whether the program calls the function itself, not a layer."""
    written = call.place.call
    return written is not None and written.name == call.name


def _is_active(call: Call) -> bool:
    """Return whether a call drops entries at random, all with the same probability."""
    if call.name in _DROPS:
        return _chance(call.argument(4, "dropout_p")) > 0
    if call.name in spellings("bernoulli"):
        given = call.inputs[0].before(call) if call.inputs else None
        chance = given.ravel()[0].item() if given is not None and given.size and not np.ptp(given) else 0.0
        return 0 < chance < 1 and any(user.name in spellings("mul") for user in call.outputs[0].users)
    return call.argument(2, "training", "train") is True and _chance(call.argument(1, "p")) > 0


def _chance(given: object) -> float:
    """Return a probability, 0 for anything else."""
    return float(given) if isinstance(given, int | float) and not isinstance(given, bool) else 0.0


@finds("wrong_mode", level="note", reads_text=True)
def wrong_mode(run: Run) -> Iterator[Finding]:
    """Report dropout and batch norm that run in the wrong mode.

    Either they run in training mode after a step, without gradients or with a graph that no backward uses, or they are
    trained in eval mode. Both may be intended, so both are notes. A GAN's generator and a teacher are not reported:
    they run in training mode under no_grad, and their results are part of the next loss.
    """
    trained, learned = set[str](), set[str]()
    for call in run.calls(_MODES):
        training, stepped = call.arguments.named.get("training"), [one for one in run.steps if one.end < call.id]
        unkept = call.name == "batch_norm" and call.argument(1, "running_mean") is None  # batch values in both modes
        if call.place is None or unkept:
            continue
        unused = not call.records or (call.module in learned and not call.leads_to_root)
        if training is True and unused and stepped and not call.evaluates:
            since = _lines_between(run, stepped[-1].place, call.place)
            if since and not any(_TRAINS.search(line) for line in since) and not _is_intended(call):
                yield from report("wrong_mode", call, module=call.module, model=model_of(call.module), mode="training")
        elif training is False and call.records and stepped and call.module in trained and _learns(call):
            modes = _modes_at(call)  # with several modes, part of the module is frozen
            if not any(modes) or any(mode.endswith(" eval") for mode in modes):
                yield from report("wrong_mode", call, module=call.module, model=model_of(call.module), mode="eval")
        if training is True:
            trained.add(call.module)
        if call.leads_to_root:
            learned.add(call.module)


def _learns(call: Call) -> bool:
    """Return whether a call trains and none follows in training mode."""
    step = next((step for step in call.run.steps if step.begin > call.id), None)
    later = (other for other in call.run.calls((call.name,)) if other.module == call.module and other.id > call.id)
    trains = (other for other in later if other.arguments.named.get("training") is True)
    return call.leads_to_root and step is not None and not any(other.id < step.begin for other in trains)


def _modes_at(call: Call) -> list[str]:
    """Return the modules and modes before the next backward, such as `net train`."""
    return next((one.name for one in call.run.log_of("backward") if one.operations >= call.id), "").split(", ")


def _is_intended(call: Call) -> bool:
    """Return whether training mode under no_grad is intended.

    Then its result enters a later root, it drops nothing, the text calls a function with an explicit mode, the result
    is unused (batch norm's statistics are measured), or the same input runs several times to see the variation.
    """
    given = call.arguments
    rates = [rate for rate in (given.named.get("p"), *given.positional) if type(rate) in (int, float)]
    own_mode = _is_function(call) and ".training" not in call.text
    if call.leads_to_root or own_mode or 0 in rates:
        return True
    if _AVERAGING in (call.run.trace.string(call.run.operations.frames[call.id]) or ""):
        return True
    line = call.place.whole_line.strip().rpartition(": ")[2]
    if _DISCARDED.fullmatch(line) and not line.startswith("print"):
        return True
    return "dropout" in call.name and _repeats(call) > 0


def _repeats(call: Call) -> int:
    """Count the runs of a place under no_grad with equal entries."""
    given = call.inputs[0].before(call) if call.inputs else None
    others = (one for one in call.run.calls((call.name,)) if one is not call and one.span == call.span)
    alike = (one for one in others if one.inputs and not one.records)
    return sum(given is not None and np.array_equal(given, again.inputs[0].before(again)) for again in alike)


def _lines_between(run: Run, begin: Code | None, end: Code) -> list[str]:
    """Return the lines between a step and a later place."""
    lines: list[str] = []
    for cell in range(begin.span.cell, max(end.span.cell, begin.span.cell) + 1) if begin is not None else ():
        cell_lines = run.trace.cells[cell].lines
        low = begin.line - 1 if cell == begin.span.cell else 0
        lines += cell_lines[low : end.line if cell == end.span.cell and end.line > low else len(cell_lines)]
    return lines


def frozen_statistics(run: Run) -> Iterator[Finding]:
    """Report frozen batch norm that still averages training batches."""
    frozen = {call.inputs[0] for call in run.calls(("requires_grad_", "requires_grad=")) if call.inputs}
    seen: dict[str, int] = {}
    for call in run.calls(("batch_norm",)) if run.steps and frozen else ():
        weights = [tensor for tensor in call.inputs if tensor.is_parameter]
        still = bool(weights) and not any(one.requires_grad or one.id in run.received for one in weights)
        if still and frozen.issuperset(weights) and call.arguments.named.get("training") is True and _learns(call):
            seen[call.module] = seen.get(call.module, 0) + call.records
            if seen[call.module] == _FEW:
                yield from report("wrong_mode", call, weights[0], module=call.module or weights[0].name, mode="frozen")


def never_measured(run: Run) -> Iterator[Finding]:
    """Report eval-mode batch norm with initial statistics: trained in eval mode, or an average without buffers."""
    seen: dict[str, int] = {}
    for call in run.calls(("batch_norm",)) if run.steps else ():
        if call.arguments.named.get("training") is not False or len(call.inputs) < 3:
            continue
        mean, variance = (tensor.before(call) for tensor in call.inputs[1:3])
        if mean is None or variance is None or mean.any() or not (variance == 1).all():
            continue
        own = [tensor for tensor in call.inputs[3:] if tensor.is_parameter]
        learns = any(one.requires_grad for one in call.outputs)
        if not learns and any(run.steps[0].end < write.id < call.id for one in own for write in one.writes):
            yield from report("wrong_mode", call, module=call.module, mode="copied")
            return
        if not call.leads_to_root or not any(tensor.id in run.held for tensor in own):
            continue
        if f"{call.model} eval" not in _modes_at(call) or not _learns(call):
            continue  # a part trained another way, or an adversarial attack before each step
        seen[call.module] = seen.get(call.module, 0) + 1
        if seen[call.module] == _FEW:
            yield from report("wrong_mode", call, module=call.module, model=model_of(call.module), mode="unmeasured")
            return


@finds("inputs_rescaled", "one input has fractions near 1, another of the same shape integers from 0 to above 100")
def inputs_rescaled(run: Run) -> Iterator[Finding]:
    """Report a model trained on fractions and evaluated on 0 to 255, or vice versa."""
    learned: dict[Tensor, Call] = {}
    for call in run.calls(_FIRST) if run.steps else ():
        if len(call.inputs) < 2 or not call.inputs[1].is_parameter or call.inputs[0].requires_grad:
            continue
        given, weight = call.inputs[:2]
        if call.leads_to_root:
            learned.setdefault(weight, call)
        elif not call.records and (before := learned.get(weight)) is not None:
            pixels = _are_pixels(call), _are_pixels(before)
            if given.shape[1:] == before.inputs[0].shape[1:] and {*pixels} == {True, False}:
                how = "evaluation" if pixels[0] else "training"
                yield from report(
                    "inputs_rescaled", given.home, given, name=given.name, other=before.inputs[0].name, how=how
                )


@finds("inputs_unscaled", level="info", unless="inputs_rescaled")
def inputs_unscaled(run: Run) -> Iterator[Finding]:
    """Report integers from 0 to more than 100 that are multiplied by a trained weight without scaling."""
    for call in run.rooted(_FIRST) if run.steps else ():
        given, weight = (*call.inputs, None)[:2]
        if weight is not None and weight.id in run.held and not given.requires_grad and _are_pixels(call):
            entries = given.before(call)
            top = 0 if entries is None else int(entries.max())
            values = {"name": given.behind(FORMS).name, "weight": weight.name, "top": top}
            yield from report("inputs_unscaled", call, given, **values)


def _are_pixels(call: Call) -> bool | None:
    """Return whether a layer got integer pixels, False for fractions, None for anything else."""
    entries = call.inputs[0].before(call)
    if entries is None or entries.size < _SEVERAL or not np.isfinite(entries).all():
        return None
    whole = bool((entries == np.round(entries)).all())
    if whole and entries.min() >= 0 and 100 < entries.max() <= 255:
        return True
    return False if not whole and np.abs(entries).max() <= 10 else None


@finds(
    "eps_as_momentum",
    "it is a positional argument, and makes up at least half of a normalized variance",
    reads_text=True,
)
def eps_as_momentum(run: Run) -> Iterator[Finding]:
    """Report a batch-norm momentum passed as second argument, which is eps: it is added to each variance."""
    for call in run.rooted(("batch_norm",)):
        eps, weight = call.arguments.named.get("eps"), next((one for one in call.inputs if one.is_parameter), None)
        made = weight.place if weight is not None else None
        written = made.call if made is not None else None
        if written is not None and isinstance(eps, float) and eps >= _LARGE and written.place(1) is not None:
            yield from report("eps_as_momentum", made, weight, eps=f"{eps:g}", certain=eps >= _HALF)


RULES = (
    *(drops_in_evaluation, wrong_mode, frozen_statistics, never_measured, inputs_rescaled, inputs_unscaled),
    eps_as_momentum,
)
