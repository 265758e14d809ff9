"""Proofs that a change fixes a bug without breaking the rest, each with a number.

Running without the diagnosis is not enough, and neither is another loss. Each kind has its measures: a gradient
arrives, an update takes effect, NaN becomes finite, as in "x.grad None → 3".
"""

from collections.abc import Callable, Container, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from explorer.analysis.diagnose.faults.comparisons import DIFFERENCES
from explorer.analysis.diagnose.faults.finding import Finding, numbers
from explorer.analysis.diagnose.faults.misused_losses import OFF, row_sums
from explorer.analysis.diagnose.faults.nonfinite_entries import is_finite
from explorer.analysis.diagnose.faults.repairs import TRAINING
from explorer.analysis.run.curves import curves
from explorer.analysis.run.model import Run, run_of
from explorer.analysis.run.names import name_of
from explorer.analysis.run.objects import Tensor
from explorer.analysis.run.operations import spellings
from explorer.text.numbers import number, shape_text
from explorer.trace import Printed, Trace

LONGEST = 32  # longest text shown
MOST = 200  # most names compared
_BETTER = 0.8  # largest final loss, as a share of the final loss without the change
_CLOSE = 0.05, 0.01  # relative and absolute change of a loss by a small constant
_HALF = 2  # most entries shown on each side


@dataclass(frozen=True)
class ShownQuantity:
    """A quantity as a run shows it.

    Attributes: wrong: whether it shows the bug. None: it only has to change. entries: all entries in their shape, if a
    single entry may be the change.
    """

    text: str
    wrong: bool | None = None
    entries: np.ndarray | None = field(default=None, compare=False)


Measure = Callable[[Run, Finding], dict[str, ShownQuantity]]  # name → measured value
NOTHING = ShownQuantity("None", True)


def proof(before: Trace, after: Trace, finding: Finding) -> str | None:
    """Prove that the cause is gone, as "x.grad 40 → 4".

    Return "" if only a mode changes, and None without a proof.

    Every tensor with a gradient still has a gradient of its shape, and backward runs as often.
    """
    old, new = run_of(before), run_of(after)
    if len(new.backwards) < len(old.backwards) or not _all_arrive(old, new):
        return None
    if finding.kind == "nan_backward" and not _keeps_roots(old, new):
        return None
    if finding.kind in TRAINING:
        return _ends_better(before, after, finding.loop)
    if finding.kind == "dropout_always":
        return "" if _follows_the_mode(new, finding.place.line) else None
    if finding.kind == "not_called" and finding.values.get("method") in ("eval", "train"):
        return ""
    own = old.tensor(finding.tensor).names if finding.tensor >= 0 else []
    for measure in MEASURES.get(finding.kind, ()):
        was, now = measure(old, finding), measure(new, finding)
        if any(shown.wrong for shown in now.values() if measure is _finite):
            return None
        both = (name for name in was if name in now)
        for name in sorted(both, key=lambda name: name.removesuffix(".grad").strip("Δ") not in own):
            first, then = was[name], now[name]
            entry, shown, shows = _change(first, then)
            if first.wrong is not False and not then.wrong and shown != shows:
                return f"{name}{entry} {shown} → {shows}"
    return None


def _ends_better(before: Trace, after: Trace, loop: int) -> str | None:
    """Return whether the second training is as long and ends a fifth lower."""
    was, now = curves(before, loop if loop >= 0 else None), curves(after)
    if was is None or now is None or now.calls < was.calls:
        return None
    first, last, other = float(now.loss[0]), float(now.loss[-1]), float(was.loss[-1])
    if not (np.isfinite(last) and last < first) or last >= _BETTER * other:
        return None
    roots = before.backwards[was.base].root_tensors if was.base >= 0 else ()
    name = next((name for root in roots if (name := name_of(run_of(before), root))), "loss")
    return f"{name} {number(other)} → {number(last)}"


def _change(first: ShownQuantity, then: ShownQuantity) -> tuple[str, str, str]:
    """Return the index of the shown entry, as "[1, 0]" or "", with its text before and after.

    All entries are compared, or otherwise the largest of the non-finite ones.
    """
    was, now = first.entries, then.entries
    if was is None or now is None or was.shape != now.shape or not was.ndim or "…" not in first.text:
        return "", first.text, then.text
    sizes = np.where(np.isfinite(was), -1.0, np.abs(now))
    at = np.unravel_index(int(sizes.argmax()), sizes.shape)
    return f"[{', '.join(map(str, at))}]", number(was[at].item()), number(now[at].item())


def _all_arrive(old: Run, new: Run) -> bool:
    """Return whether every named leaf still gets its gradient. Roots do not count."""
    arrived = {(name, leaf.shape) for leaf in new.tensors(new.received) for name in leaf.names}
    before = (leaf for leaf in old.tensors(old.received - old.roots) if leaf.names)
    return all(any((name, leaf.shape) in arrived for name in leaf.names) for leaf in before)


def _keeps_roots(old: Run, new: Run) -> bool:
    """Return whether finite roots stay close, up to the first non-finite gradient."""
    for was, now in zip(old.backwards, new.backwards, strict=False):
        for root, changed in zip(was.roots, now.roots, strict=False):
            before, after = root.before(was), changed.before(now)
            comparable = before is not None and after is not None and before.shape == after.shape and is_finite(before)
            if comparable and not np.allclose(after, before, *_CLOSE):
                return False
        if not all(is_finite(old.entries(gradient)) for _, gradient in was.brought.values()):
            break
    return True


def _follows_the_mode(run: Run, line: int) -> bool:
    """Return whether a line's dropout is active only in training."""
    drops = run.calls(name for name in run.by_name if "dropout" in name)
    here = (call for call in drops if call.place is not None and call.place.line == line)
    return {call.arguments.named.get("training") for call in here} == {True, False}


def _named(run: Run) -> Iterator[tuple[str, Tensor]]:
    """Yield the tensors that require a gradient, by each of their names."""
    for binding in run.trace.bindings[:MOST]:
        tensor = run.tensor(binding.tensor)
        if tensor.requires_grad:
            yield binding.name, tensor


def _gradients(run: Run, finding: Finding) -> dict[str, ShownQuantity]:
    """Return each name's last nonzero gradient, or its last one if all are 0."""
    gradients: dict[str, ShownQuantity] = {}
    for name, tensor in _named(run):
        values = [call.brought[tensor][1] for call in tensor.backwards] + [run.trace.tensors.grad[tensor.id]]
        there = [value for value in values if value >= 0]
        some = [value for value in there if not run.is_zero(value)]
        shown = ShownQuantity(_entries(run, (some or there)[-1]), not some) if there else NOTHING
        if gradients.get(f"{name}.grad", NOTHING).wrong:
            gradients[f"{name}.grad"] = shown
    return gradients


def _changed_gradients(run: Run, finding: Finding) -> dict[str, ShownQuantity]:
    """Return the gradients if their change is the proof, because backward reads saved tensors."""
    return {name: ShownQuantity(shown.text) for name, shown in _gradients(run, finding).items()}


def _kept(run: Run, finding: Finding) -> dict[str, ShownQuantity]:
    """Return each name's first accumulated gradient, or its second."""
    gradients: dict[str, ShownQuantity] = {}
    for name, tensor in _named(run):
        for at, call in enumerate(tensor.backwards):
            before, after = call.brought[tensor]
            wrong = before >= 0 and not run.is_zero(before)
            if at == 1 or wrong:
                gradients.setdefault(f"{name}.grad", ShownQuantity(_entries(run, after), wrong))
    return gradients


def _moves(run: Run, finding: Finding) -> dict[str, ShownQuantity]:
    """Return each leaf's change since the first backward."""
    moves: dict[str, ShownQuantity] = {}
    first = run.backwards[0] if run.backwards else run.count
    for name, tensor in _named(run):
        was, now = tensor.before(first), tensor.last
        if tensor.is_leaf and was is not None and now is not None and was.size == now.size:
            moved = bool(np.any(now != was))
            if moves.get(f"Δ{name}", NOTHING).wrong:
                moves[f"Δ{name}"] = ShownQuantity(_text(now - was) if moved else "0", not moved)
    return moves


def _finite(run: Run, finding: Finding) -> dict[str, ShownQuantity]:
    """Return roots and leaf gradients, non-finite if they ever were."""
    by_name: dict[str, ShownQuantity] = {}
    for call in run.backwards:
        values = [(f"{leaf.name}.grad", run.entries(after), leaf) for leaf, (_, after) in call.brought.items()]
        for name, entries, of in [*values, *((root.name, root.before(call), root) for root in call.roots)]:
            if entries is not None and not by_name.get(name, ShownQuantity("", False)).wrong:
                shaped = entries.reshape(of.shape) if entries.size == of.size else None
                by_name[name] = ShownQuantity(_text(entries), not is_finite(entries), shaped)
    return by_name


def _compared(run: Run, finding: Finding) -> dict[str, ShownQuantity]:
    """Return the broadcast shape of the line's comparison."""
    shapes = {}
    for call in run.calls(DIFFERENCES | spellings("add", "mul")):
        if call.place is not None and call.place.line == finding.place.line and len(call.inputs) > 1:
            with suppress(ValueError):
                shown = str(np.broadcast_shapes(*(tensor.shape for tensor in call.inputs[:2])))
                shapes[call.name] = ShownQuantity(shown, shown == finding.values["made"])
    return shapes


def _scores(run: Run, finding: Finding) -> dict[str, ShownQuantity]:
    """Return a loss's scores. Entries between 0 and 1 are probabilities."""
    for call in run.calls((str(finding.values["loss"]),)):
        entries = call.inputs[0].before(call) if call.inputs else None
        if entries is not None and call.leads_to_root:
            wrong = bool((entries >= 0).all() and (entries <= 1).all())
            return {f"{call.name}(input)": ShownQuantity(_text(entries), wrong)}
    return {}


def _sums(run: Run, finding: Finding) -> dict[str, ShownQuantity]:
    """Return the sum of the first example's probabilities, and the largest of them."""
    for call in run.calls(("nll_loss", "kl_div", "ctc_loss", "cross_entropy")):
        if call.name == "cross_entropy":
            return {"Σ p": ShownQuantity("1", False), "max p": ShownQuantity("≤ 1", False)}
        entries, sums = call.inputs[0].before(call) if call.inputs else None, row_sums(call) if call.inputs else None
        if entries is not None and entries.size and call.leads_to_root:
            total = 1.0 if sums is None else float(sums.flat[0])
            most = float(np.exp(min(entries.max(), 700.0)))
            return {
                "Σ p": ShownQuantity(number(total), abs(total - 1) > OFF),
                "max p": ShownQuantity(number(most), most > 1 + OFF),
            }
    return {}


def _orders(run: Run, finding: Finding) -> dict[str, ShownQuantity]:
    """Return the first rows that two permutations pick of two tensors."""
    names = [str(finding.values[which]).partition("[")[0].strip() for which in ("first", "second")]
    picks = {call.text.partition("[")[0].strip(): call for call in reversed(list(run.calls(("__getitem__",))))}
    rows = [picks[name].inputs[1].before(picks[name]) for name in names if name in picks and picks[name].inputs[1:]]
    if len(rows) < 2 or rows[0] is None or rows[1] is None:
        return {}
    same = np.array_equal(rows[0], rows[1])
    text = f"{numbers(rows[0], _HALF)} {'=' if same else '≠'} {numbers(rows[1], _HALF)}"
    return {", ".join(names): ShownQuantity(text, not same)}


def _written(run: Run, finding: Finding) -> dict[str, ShownQuantity]:
    """Return the entries of the former integer tensors."""
    tensors = ((binding.name, run.tensor(binding.tensor)) for binding in run.trace.bindings[:MOST])
    known = ((name, one, one.last) for name, one in tensors if one.last is not None)
    return {name: ShownQuantity(_text(last), one.dtype.startswith(("int", "uint"))) for name, one, last in known}


def _added(run: Run, finding: Finding) -> dict[str, ShownQuantity]:
    """Return the difference between x + h and x."""
    for call in run.calls(spellings("add", "sub")):
        before, made = call.inputs[0].before(call) if call.inputs else None, call.made
        if call.text == finding.values["sum"] and before is not None and made is not None and before.size == made.size:
            return {f"Δ({call.text})": ShownQuantity(_text(made - before), not np.any(made != before))}
    return {}


def _rows(run: Run, finding: Finding) -> dict[str, ShownQuantity]:
    """Return the largest difference between two rows of a matrix."""
    matrices = ((name, one) for name, one in _named(run) if len(one.shape) == 2 and one.last is not None)
    arrays = ((name, one.last.reshape(one.shape)) for name, one in matrices if one.last.size == one.size)
    apart = ((name, float(np.abs(rows[0] - rows[-1]).max())) for name, rows in arrays if rows.size)
    return {f"{name}[0] - {name}[-1]": ShownQuantity(number(most), most == 0.0) for name, most in apart}


def _loaded(run: Run, finding: Finding) -> dict[str, ShownQuantity]:
    """Return the change of weights by a copying call."""
    for call in run.calls(("copy_",)):
        was, now = call.inputs[0].before(call), call.inputs[0].before(call.id + 1)
        if call.text == finding.values["back"] and was is not None and now is not None:
            moved = bool(np.any(now != was))
            return {f"Δ{call.inputs[0].name}": ShownQuantity(_text(now - was) if moved else "0", not moved)}
    return {}


def _steps(run: Run, finding: Finding) -> dict[str, ShownQuantity]:
    """Return the number of steps per backward."""
    ratio = len(run.steps) / max(len(run.backwards), 1)
    return {"step() / backward()": ShownQuantity(number(ratio), ratio > 1)}


def _steps_behind(run: Run, finding: Finding) -> dict[str, ShownQuantity]:
    """Return the number of steps after the first backward."""
    first = run.backwards[0].time if run.backwards else run.count
    steps = run.log_of("step")
    behind = sum(step.operations >= first for step in steps)
    return {"step() after backward()": ShownQuantity(f"{behind} / {len(steps)}", behind < len(steps))}


def _settings(run: Run, finding: Finding) -> dict[str, ShownQuantity]:
    """Return each optimizer's last rate and the parameters' requires_grad."""
    rates = {f"{one.name} lr": ShownQuantity(number(one.rates[-1])) for one in run.stepped if one.rates}
    tensors = ((binding.name, run.tensor(binding.tensor)) for binding in run.trace.bindings[:MOST])
    flags = {
        f"{name}.requires_grad": ShownQuantity(str(one.requires_grad)) for name, one in tensors if one.is_parameter
    }
    return rates | flags


MEASURES: dict[str, tuple[Measure, ...]] = {
    **dict.fromkeys(
        ("gradient_cut", "asked_too_late", "retained_too_late", "grad_of_result", "gradient_stopped"), (_gradients,)
    ),
    **dict.fromkeys(("step_function", "softmax_of_one", "root_is_leaf"), (_gradients,)),
    **dict.fromkeys(("step_without_gradient", "never_stepped", "never_used"), (_moves,)),
    **dict.fromkeys(("leaf_rebound", "update_lost", "not_in_optimizer"), (_moves,)),
    **dict.fromkeys(("nan_forward", "nan_backward"), (_finite,)),
    "not_called": (_gradients, _kept, _moves),
    **dict.fromkeys(("gradient_falsified", "penalty_constant"), (_changed_gradients,)),
    "gradient_stale": (_kept,),
    "loss_broadcast": (_compared,),
    "probabilities_as_scores": (_scores,),
    "not_log_probabilities": (_sums,),
    "shuffled_apart": (_orders,),
    "truncated": (_written,),
    "quotient_lost": (_added,),
    "symmetric": (_rows,),
    "stepped_twice": (_steps,),
    "step_before_backward": (_steps_behind,),
    "kept_weights_shared": (_loaded,),
    "setting_misspelt": (_settings,),
}


def outcome(after: Trace, assigned: str = "", cell: int = -1, lines: Container[int] = ()) -> str:
    """Return the first result of a corrected program.

    It is a gradient, a name's value, or the last printed line.

    Args: assigned: the name that the changed line assigns. cell, lines: the changed place. Gradients that do not depend
    on it show nothing.
    """
    for fact in _facts(after, assigned, _reaches_a_root(after, cell, lines)):
        if len(fact) <= LONGEST:
            return fact
    return ""


def _reaches_a_root(after: Trace, cell: int, lines: Container[int]) -> bool:
    """Return whether tensors computed on some lines reach a root."""
    operations, reached = after.operations, set[int]()
    for operation, span in enumerate(operations.span):
        place = after.spans[span] if span >= 0 else None
        changed = place is not None and place.cell == cell and place.line in lines
        if changed or not reached.isdisjoint(operations.inputs[operation]):
            reached.update(operations.outputs[operation])
    roots = {tensor for call in after.backwards for tensor in call.root_tensors}
    return not reached.isdisjoint(roots)


def _facts(after: Trace, assigned: str, flows: bool) -> Iterator[str]:
    names = {binding.name: binding.tensor for binding in after.bindings[:MOST] if binding.until < 0}
    tensors = after.tensors
    for name, tensor in names.items() if flows else ():
        is_leaf = tensors.requires_grad[tensor] and tensors.is_leaf[tensor]
        gradient = _entries(run_of(after), tensors.grad[tensor]) if is_leaf else ""
        if gradient.strip("[]0, …"):  # zeros only show that it was cleared
            yield f"{name}.grad = {gradient}"
    for name, tensor in ((_name(after) if flows else "", _last_root(after)), (assigned, names.get(assigned, -1))):
        rows = after.versions_of(tensor) if name and tensor >= 0 else ()
        if value := _entries(run_of(after), after.versions.value[rows[-1]]) if rows else "":
            yield f"{name} = {value}"
        if rows and tensors.shape[tensor] >= 0:
            yield f"{name}.shape = {shape_text(tuple(after.shapes[tensors.shape[tensor]]))}"
    if printed := _printed(after).strip():
        yield printed


def _entries(run: Run, value: int) -> str:
    """Return the entries of a value as text, "" if there are none."""
    entries = run.entries(value)
    return "" if entries is None else _text(entries)


def _text(entries: np.ndarray) -> str:
    """Write entries in text that fits."""
    shown = numbers(entries)
    return shown if len(shown) <= LONGEST else numbers(entries, _HALF)


def _last_root(trace: Trace) -> int:
    roots = [tensor for call in trace.backwards if call.status == "ok" for tensor in call.root_tensors]
    return roots[-1] if roots else -1


def _name(trace: Trace) -> str:
    root = _last_root(trace)
    return next((binding.name for binding in trace.bindings if binding.tensor == root), "")


def _printed(trace: Trace) -> str:
    """Return the last line that the program printed."""
    outputs = [output for cell in trace.cells for output in cell.outputs]
    text = "".join(output.text for output in outputs if isinstance(output, Printed) and output.stream == "stdout")
    return text.rstrip().rpartition("\n")[2]
