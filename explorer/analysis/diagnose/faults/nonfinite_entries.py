"""Numbers that are lost: NaN and infinity, truncated fractions, differences too small for floats."""

import math
from collections.abc import Iterator
from typing import Literal

import numpy as np

from explorer.analysis.diagnose.faults.finding import Finding, finds, numbers, report
from explorer.analysis.diagnose.faults.schedules import steps_uphill
from explorer.analysis.diagnose.faults.uncalled_methods import gradient_unread
from explorer.analysis.explain.autograd.entry_texts import index_text
from explorer.analysis.explain.autograd.gradients import contributions, node_gradients
from explorer.analysis.explain.autograd.nonfinite_starts import (
    backward_origin,
    backward_origins,
    first_nonfinite,
    forward_origin,
    has_grown,
    roots_read,
    written_infinity,
)
from explorer.analysis.explain.autograd.nonfinite_starts import nonfinite as flags
from explorer.analysis.explain.autograd.reasons import nonfinite_reason
from explorer.analysis.run.model import Run, one_line, reachable
from explorer.analysis.run.names import name_of
from explorer.analysis.run.objects import BackwardCall, Call, Tensor, Time
from explorer.analysis.run.operations import MOVES, names_where, operation_of, spellings
from explorer.analysis.run.operations.formulas import evaluated, parsed
from explorer.analysis.run.operations.record import Operation
from explorer.analysis.run.rounding import EPS
from explorer.analysis.run.source.assignments import last_assignment
from explorer.analysis.run.source.code import Code
from explorer.text.numbers import number
from explorer.trace import InputTensor

_SUMS = "sum cumsum mean nansum prod cumprod norm dot vdot inner mv mm bmm matmul outer kron einsum linear convolution"
# From finite entries these become infinite only by overflow.
_GROWS = spellings(*f"add sub mul square exp exp2 expm1 sinh cosh to {_SUMS}".split()) | names_where(
    lambda operation: operation.compares
)
_EXPONENTIALS = spellings("exp")
_BYTES = {"uint8": (0, 255), "int8": (-128, 127)}
_COUNTS = {
    name: count
    for operation, count in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply))
    for name in spellings(operation)
}
_WEIGHS = ("scaled_dot_product_attention", "multi_head_attention_forward")
_NEAR = 4  # in units of the last place


def is_finite(entries: np.ndarray | None) -> bool:
    """Return whether no recorded entry is NaN or infinite."""
    return entries is None or entries.dtype.kind not in "fc" or bool(np.isfinite(entries).all())


def nonfinite(run: Run) -> Iterator[Finding]:
    """Report the first non-finite event if a root or leaf gradient has NaN. Only infinities are a note."""
    found = list(_first_event(run)) or list(_infinite(run))
    yield from found or _given_values(run, certain=not recovers(run))


def _infinite(run: Run) -> Iterator[Finding]:
    """Report ∞ in the only backward's root or gradients."""
    for call in run.backwards if len(run.backwards) == 1 else ():
        if any(_has_nan(root, call, or_infinite=True) for root in call.roots):
            yield from _made_forward(run, call, only="inf")
        elif leaves := _bad(call, nan_only=False):
            yield from _made_backward(call, leaves, certain=False)


def _first_event(run: Run) -> Iterator[Finding]:
    nan_alone = not any(_has_nan(root, call) for call in run.backwards for root in call.roots)
    for call in run.backwards:
        if not nan_alone and any(_has_nan(root, call, or_infinite=True) for root in call.roots):
            yield from _made_forward(run, call)
            return
        if leaves := _bad(call, nan_alone):
            lost = any(_has_nan(root, call, or_infinite=True) for root in call.roots)
            yield from [*_made_forward(run, call)] if lost else [*_made_backward(call, leaves)]
            return


def _has_nan(tensor: Tensor, time: Time, or_infinite: bool = False) -> bool:
    """Return whether a tensor held NaN, or any non-finite entry, at a time."""
    value, (nan, infinite) = tensor.value(time), flags(tensor.run.trace)
    return value >= 0 and bool(nan[value] or (or_infinite and infinite[value]))


def _bad(call: BackwardCall, nan_only: bool) -> list[Tensor]:
    """Return the leaves to whose finite gradient a backward added NaN (or an infinity)."""
    nan, infinite = flags(call.run.trace)
    bad = nan if nan_only else nan | infinite
    came = call.brought.items()
    return [leaf for leaf, (was, now) in came if now >= 0 and bad[now] and not (was >= 0 and bad[was])]


@finds("nan_forward", "NaN reaches a root")
def _made_forward(run: Run, backward: BackwardCall, only: Literal["nan", "inf"] = "nan") -> Iterator[Finding]:
    """Report the first operation outside optimizers that produced NaN, or an infinity that led to it."""
    rows = roots_read(run.trace, backward.row)
    start = forward_origin(run.trace, rows)
    made = -1 if start is None or start.by != "operation" or not start.sure else start.operation
    made = written_infinity(run.trace, rows) if start is None and only == "inf" else made
    call = run.call(made) if made >= 0 else None
    if call is None or not call.inputs or call.is_of_optimizer:
        return
    given = [tensor.before(call) for tensor in call.inputs]
    infinite = not any(_has_nan(made, call.id + 1) for made in call.outputs or call.inputs[:1])
    written = [entry for entry in call.numbers if not np.isfinite(entry)]
    if (triangle := _whole_row_masked(call)) is not None:
        values = {"how": "masked", "given": call.text, "grown": "no", "exp": "no", "what": "", "only": only}
        yield from report("nan_forward", triangle, call.outputs[0], **values)
        return
    cause = "written" if written else _special_cause(call, infinite)
    of_softmax = call.name in spellings("log") and call.inputs[0].made_by(("softmax",)) is not None
    values = {
        "given": "; ".join(numbers(entries) for entries in given if entries is not None),
        "how": cause or (_way_to_infinity(call) if infinite else "nan"),
        "what": number(written[0]) if written else "",
        "grown": "yes" if infinite and not cause and has_grown(call) else "no",
        "exp": "yes" if call.name in _EXPONENTIALS or of_softmax else "no",
        "only": only,
    }
    if values["grown"] == "yes" and (any(True for _ in gradient_unread(run)) or steps_uphill(run.trace)):
        return  # something other than the rate made the parameters grow
    certain = only == "nan" and not recovers(run)
    yield from report("nan_forward", call, call.outputs[0] if call.outputs else None, **values, certain=certain)


_ATTENTION = ("multi_head_attention_forward", "scaled_dot_product_attention")  # they mask before their softmax


def _special_cause(call: Call, infinite: bool) -> Literal["row", "nothing", "unaligned", ""]:
    """Return why a call returns NaN or infinity for any input."""
    if infinite:  # a CTC loss sums probabilities, so its logarithms are moderate
        logarithms = call.inputs[0].before(call) if call.name == "ctc_loss" else None
        return "unaligned" if logarithms is not None and bool((logarithms > -1e30).all()) else ""
    masked = call.inputs[0].made_by(("masked_fill", "masked_fill_")) if "softmax" in call.name else None
    if call.name in _ATTENTION and any(_has_empty_row(one, one.before(call)) for one in call.inputs):
        return "row"
    if masked is not None and -np.inf in masked.numbers:
        return "row"
    return "nothing" if call.inputs[0].size == 0 or _ignores_all(call) else ""


def _has_empty_row(mask: Tensor, entries: np.ndarray | None) -> bool:
    """Return whether a row of a fully recorded mask is −∞ everywhere."""
    whole = entries is not None and len(mask.shape) > 1 and entries.size == math.prod(mask.shape) > 0
    return whole and bool((entries.reshape(-1, mask.shape[-1]) == -np.inf).all(-1).any())


def _way_to_infinity(call: Call) -> Literal["overflow", "pole", "infinite"]:
    """Return why finite entries made an infinite entry."""
    operation = operation_of(call.name)
    if call.name in _GROWS:
        return "overflow" if all(tensor.size for tensor in call.inputs) else "infinite"
    tree, (operands, is_whole) = parsed(operation.forward or "0"), _operands(call, operation)
    try:
        with np.errstate(all="ignore", over="raise"):
            made = np.asarray(evaluated(tree, operands))
    except FloatingPointError:
        return "overflow"
    except (KeyError, TypeError, ValueError):  # an operand or a large tensor's entries are unknown
        return "infinite"
    infinite = np.isinf(made)
    if not infinite.any():  # it is finite in float64
        return "overflow" if operation.forward and is_whole else "infinite"
    at = [np.broadcast_to(entries, made.shape)[infinite] for entries in operands.values()]
    return "pole" if any((entries == 0).any() for entries in at) else "infinite"


def _operands(call: Call, operation: Operation) -> tuple[dict[str, np.ndarray], bool]:
    """Return operands as float64, and whether all entries are known."""
    given = [call.argument(0, "input", "self"), call.argument(1, "other", "exponent")][: len(operation.operands)]
    found, is_whole = dict[str, np.ndarray](), not operation.options
    exchanged = operation.names.get(call.name)
    for name, argument in zip(operation.operands, given[::-1] if exchanged else given, strict=False):
        if isinstance(argument, InputTensor) and argument.number < len(call.inputs):
            tensor = call.inputs[argument.number]
            entries = tensor.before(call)
            if entries is not None and entries.dtype.kind != "c":
                is_whole &= entries.size == tensor.size
                shaped = entries.reshape(tensor.shape) if entries.size == tensor.size else entries
                found[name] = shaped.astype(np.float64)
        elif isinstance(argument, int | float):
            found[name] = np.asarray(argument, np.float64)
    return found, is_whole


def _ignores_all(call: Call) -> bool:
    """Return whether a loss ignores every target."""
    if call.name not in ("cross_entropy", "nll_loss") or len(call.inputs) < 2:
        return False
    targets, left_out = call.inputs[1].before(call), call.arguments.named.get("ignore_index", -100)
    return targets is not None and targets.dtype.kind == "i" and bool((targets == left_out).all())


def _whole_row_masked(call: Call) -> Call | None:
    """Return the `triu` that masks all of row 0."""
    scores = call.inputs[0].maker if call.name == "softmax" else None
    fills = scores is not None and scores.name.startswith("masked_fill") and -np.inf in scores.numbers
    adds = call.name in _WEIGHS or (scores is not None and scores.name in ("add", "add_"))
    for operand in scores.inputs if scores is not None else call.inputs[1:]:
        made = operand.behind(MOVES).made_by(("triu",))
        diagonal = made.argument(1, "diagonal") or 0 if made is not None else None
        if isinstance(diagonal, int) and diagonal <= 0 and made.place is not None:
            entries = made.made
            if fills or (adds and entries is not None and bool((entries == -np.inf).any())):
                return made if len(set(made.inputs[0].shape[-2:])) == 1 else None
    return None


@finds("nan_backward", "a leaf's gradient is NaN")
def _made_backward(backward: BackwardCall, leaves: list[Tensor], certain: bool = True) -> Iterator[Finding]:
    """Report the first node that made a gradient non-finite."""
    run = backward.run
    origin, edge = backward_origin(run.trace, backward.id)
    node = run.node(origin) if origin >= 0 else None
    if node is None or node.call is None:
        return
    below = {one.leaf for one in reachable([node], lambda one: filter(None, one.targets))}
    leaf = next((leaf for leaf in leaves if leaf in below), leaves[0])
    bad = run.entries(contributions(run.trace, backward.id)[origin, edge])
    arrived = next((run.entries(value) for value in node_gradients(run.trace, backward.id)[origin] if value >= 0), None)
    made, place = _nonfinite_of(node.call)
    known = backward.roots and all(root.value(backward) >= 0 for root in backward.roots)
    values = {
        "node": node.name,
        "arrived": numbers(arrived),
        "passed": numbers(bad),
        "what": "NaN" if bad is not None and np.isnan(bad).any() else "∞",
        "forward": ("entry" if place else "scalar" if made else "finite") if known else "unknown",
        "root": backward.roots[0].name if known else "",
        "made": made,
        "place": place,
        "grad": "NaN" if flags(run.trace)[0][backward.brought[leaf][1]] else "∞",
        "meets": nonfinite_reason(run.trace, backward.id, origin, edge),
        **_other_source(run, backward),
    }
    yield from report(
        "nan_backward", node.call, leaf, node, name=leaf.name, **values, certain=certain and not recovers(run)
    )


def _other_source(run: Run, backward: BackwardCall) -> dict[str, str | int]:
    """Return the second operation whose backward does so with a finite gradient, and how many more there are."""
    calls = [run.node(node).call for node, _ in backward_origins(run.trace, backward.id)[1:]]
    placed = [(call.text, call.place.line) for call in calls if call is not None and call.place is not None]
    code, line = placed[0] if placed else ("none", 0)
    return {"other": one_line(code), "other_line": line, "more": len(placed) - 1}


def _nonfinite_of(call: Call) -> tuple[str, str]:
    """Return the first non-finite entry of a result, with its index."""
    value = call.run.trace.value(call.outputs[0].value(call.id + 1)) if call.outputs else None
    first = first_nonfinite(value.shape, value.entries) if value else None
    return (number(first[1]), index_text(first[0])) if first else ("", "")


def recovers(run: Run) -> bool:
    """Return whether the last of several backward calls is finite."""
    if len(run.backwards) < 2:
        return False
    last = run.backwards[-1]
    return all(map(run.is_finite, (*(root.value(last) for root in last.roots), *last.row.after)))


def _given_values(run: Run, certain: bool) -> Iterator[Finding]:
    """Report the inputs of the first non-finite root if no recorded operation made it non-finite."""
    calls = run.backwards or [BackwardCall(run, at) for at in range(len(run.trace.backwards[:1]))]
    bad = flags(run.trace)
    for call in calls:
        values = [root.value(call) for root in call.roots]
        if any(kind[value] for kind in bad for value in values if value >= 0):
            yield from _reaching(run, call, certain and bool(run.backwards))
            return


@finds("nan_given", "NaN reaches a root")
@finds("root_nonfinite", level="note", unless="loss_nonfinite gradient_nonfinite loss_grows")
def _reaching(run: Run, call: BackwardCall, certain: bool) -> Iterator[Finding]:
    """Report NaN or infinity in given data that reaches a root."""
    trace, rows = run.trace, roots_read(run.trace, call.row)
    root = next((root for root in call.roots if not run.is_finite(root.value(call))), call.roots[0])
    start = forward_origin(trace, rows)
    nan, _ = flags(trace)
    values = {"root": root.name, "what": "NaN" if nan[root.value(call)] else "∞"}
    computed = start is not None and start.by == "operation" and bool(run.call(start.operation).inputs)
    if start is None or computed or run.is_shortened or not start.sure:
        yield from report("root_nonfinite", call.place or root.home, root, **values, certain=False)
        return
    tensor, value = run.tensor(start.tensor), trace.value_at(start.row)
    held = {"bad": value.nonfinite if value else 0, "size": tensor.size, **_named(tensor)}
    how = "data" if start.by in ("given", "operation") else start.by
    certain = certain and values["what"] == "NaN"
    yield from report("nan_given", _created(tensor), tensor, how=how, **values | held, certain=certain)


def _named(tensor: Tensor) -> dict[str, str]:
    name = name_of(tensor.run, tensor.id)
    return {"name": name, "named": "yes" if name else "no"}


def _created(tensor: Tensor) -> Code | None:
    """Return the place of a tensor's creation, or of its first name."""
    if tensor.place is not None or tensor.home is None:
        return tensor.place
    trace = tensor.run.trace
    found = (last_assignment(trace, name, tensor.home.span) for name in tensor.names)
    assigned = next(filter(None, found), None)
    return tensor.run.line(assigned.cell, assigned.line) if assigned is not None else tensor.home


@finds("truncated", "fractions are put into signed integers")
def truncated(run: Run) -> Iterator[Finding]:
    """Report fractions written into a signed integer tensor. Pixels are unsigned and truncated on purpose."""
    for call in run.calls(("__setitem__",)):
        if not call.inputs or not call.inputs[0].dtype.startswith("int"):
            continue
        target, source, given = call.inputs[0], call.inputs[-1], call.arguments.positional
        written = np.array(given[-1:]) if given and isinstance(given[-1], float) else None
        if source is not target and source.dtype in EPS and (written is None or not _are_fractions(written)):
            written = source.before(call)
        if written is not None and _are_fractions(written):
            yield from report("truncated", call, target, lost=numbers(written), dtype=target.dtype)


def _are_fractions(entries: np.ndarray) -> bool:
    """Return whether all entries are finite and at least one is fractional."""
    return bool(np.isfinite(entries).all() and np.any(entries != np.trunc(entries)))


@finds("integer_wraps", "a sum, difference or product exceeds its dtype, and a training reads it")
def integer_wraps(run: Run) -> Iterator[Finding]:
    """Report a sum, difference or product that overflows a byte and enters a training."""
    for call in run.rooted(_COUNTS) if run.steps else ():
        dtype, made = call.outputs[0].dtype, call.made
        given = (
            [one.before(call) for one in call.inputs] if dtype in _BYTES and "alpha" not in call.arguments.named else []
        )
        known = all(one is not None and one.size == of.size for one, of in zip(given, call.inputs, strict=False))
        operands = list(_operands(call, operation_of(call.name))[0].values()) if given and known else []
        if len(operands) != 2 or made is None or made.size != call.outputs[0].size:
            continue
        exact = np.broadcast_to(_COUNTS[call.name](*operands), call.outputs[0].shape).ravel()
        wrong = (exact < _BYTES[dtype][0]) | (exact > _BYTES[dtype][1])
        if wrong.any():
            values = {"exact": numbers(exact[wrong][:1]), "made": numbers(made[wrong][:1])}
            values["given"] = name if (name := call.inputs[0].name).isidentifier() else "x"
            yield from report("integer_wraps", call, call.outputs[0], **values, dtype=dtype)


@finds("float_equality", level="note")
def float_equality(run: Run) -> Iterator[Finding]:
    """Report two floats compared with == that differ only in their last places."""
    for call in run.calls(spellings("eq")):
        sizes = [EPS.get(tensor.dtype) for tensor in call.inputs]
        entries = [_shaped(tensor, call) for tensor in call.inputs]
        if len(sizes) != 2 or None in sizes or any(one is None for one in entries):
            continue
        try:
            first, second = np.broadcast_arrays(*entries)
        except ValueError:
            continue
        with np.errstate(invalid="ignore"):
            apart = np.abs(first - second)
            near = (apart > 0) & (apart <= _NEAR * max(sizes) * np.maximum(np.abs(first), np.abs(second)))
        if near.any():
            values = {"first": numbers(first[near]), "second": numbers(second[near]), "apart": f"{apart[near][0]:.1e}"}
            yield from report("float_equality", call, **values)


def _shaped(tensor: Tensor, call: Call) -> np.ndarray | None:
    """Return a tensor's entries before a call, in its shape if all are known."""
    flat = tensor.before(call)
    return flat if flat is None or flat.size != tensor.size else flat.astype(np.float64).reshape(tensor.shape)


@finds("quotient_lost", "x + h equals x for every h that the line runs with")
def quotient_lost(run: Run) -> Iterator[Finding]:
    """Report a difference quotient in which x + h equals x, so that its difference is 0."""
    sums = [(call, abs(h)) for call in run.calls(spellings("add", "sub")) if call.inputs for h in _factors(call)]
    for call in run.calls(spellings("div")) if sums else ():
        given = _factors(call)
        if not given or not call.made_zero:
            continue
        for earlier in [one for one, h in sums if one.id <= call.id and h == abs(given[0])][-20:]:
            before = run.trace.value(earlier.inputs[0].value(earlier))
            after = run.trace.value(earlier.outputs[0].value(earlier.id + 1)) if earlier.outputs else None
            if before is not None and before.entries and before == after:
                alike = (other for other in run.calls((call.name,)) if other.span == call.span)
                certain = len({str(other.arguments.positional) for other in alike}) == 1
                yield from report("quotient_lost", call, h=f"{given[0]:g}", sum=earlier.text, certain=certain)


def _factors(call: Call) -> list[float]:
    """Return the first nonzero fraction among a call's arguments, if any."""
    return [number for number in call.numbers if number][:1]


RULES = (nonfinite,)
PRECISION_RULES = (truncated, integer_wraps, float_equality, quotient_lost)
