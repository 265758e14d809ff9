"""Code without effect: unused results, optimizers that never step, rows that are overwritten."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from explorer.analysis.diagnose.faults.finding import Finding, finds, grouped, report
from explorer.analysis.diagnose.influence.results import is_carried, place_of, unused_results
from explorer.analysis.run.model import Run
from explorer.analysis.run.objects import Call, Optimizer, Tensor
from explorer.analysis.run.operations import spellings
from explorer.analysis.run.source.assignments import all_assignments
from explorer.analysis.run.source.expressions import parse_call

_READ_BY_NAME = ("locals", "globals", "vars", "eval", "exec")
_SUBTRACTS = spellings("sub")
_DETACHES = spellings("detach")
_SUMS = spellings("add") | _SUBTRACTS
_CELLS = ("lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell")
_MATHS = ("math", "np", "numpy")
_WRITES = 3  # minimum writes of one line; fewer could form a pattern by chance


@finds("result_unused", level="note", unless="loss_dropped update_lost not_called root_is_leaf")
def result_unused(run: Run) -> Iterator[Finding]:
    """Report a result that nothing uses: no loss, output, branch or later round.

    A metric that still exists at the end is not reported, because a later line may use it. Data that each round makes
    and nothing reads is reported. So are gradients of an inner loop if only those of its last round are used.
    """
    for unused in unused_results(run.trace) or () if run.backwards else ():
        result = run.tensor(unused.tensor)
        measures = not result.requires_grad and not run.received.isdisjoint(run.below([result]))
        if unused.is_kept and (unused.rounds == 1 or (measures and not is_carried(result))):
            continue  # a later line may read it, such as a metric
        place, how = place_of(run, unused), "last" if unused.is_last else "all"
        counts = {"rounds": unused.rounds, "unused": unused.unused}
        yield from report("result_unused", place, result, name=place.binds or place.text, how=how, **counts)


def name_unread(run: Run) -> Iterator[Finding]:
    """Report a number that each round of a loop sets and that no line reads, such as the weight of a lost term."""
    lines = run.trace.index.lines_with
    hides = any(word in lines for word in _READ_BY_NAME)
    for one in all_assignments(run.trace) if run.backwards and not hides else ():
        place = run.line(one.cell, one.line)
        alone = one.alone and len(lines.get(one.name, ())) == place.whole_line.count(one.name) == 1
        unread = alone and run.trace.bound(one.name) is None and not one.name.startswith("_")
        call = parse_call(one.value)
        acts = call is not None and call.receiver not in ("", *_MATHS)  # as a method may
        if unread and one.value and place.loops and not acts:
            yield from report("result_unused", place, name=one.name, how="name", rounds=1, unused=1)


def state_kept(run: Run) -> Iterator[Finding]:
    """Report a recurrent cell that gets the same state in each round of a loop, so nothing is carried on."""
    for calls in grouped(run.rooted(_CELLS), lambda call: (call.span, call.module, *call.iteration[:-1])).values():
        call, states = calls[-1], [one for one in calls[-1].inputs[1:3] if not one.is_parameter]
        same = all(one.inputs[1 : 1 + len(states)] == states for one in calls) and not any(one.writes for one in states)
        if states and same and len({one.inputs[0] for one in calls}) == len(calls) >= _WRITES:
            values = {"name": call.module or call.text, "rounds": len(calls), "unused": len(calls)}
            yield from report("result_unused", call, call.outputs[0], **values, how="state")
            return


@finds("term_cancels", level="note", unless="paths_cancel")
def term_cancels(run: Run) -> Iterator[Finding]:
    """Report a sum that adds a result and subtracts it again, as a straight-through gradient without its detach."""
    for call in run.rooted(_SUMS) if run.held else ():
        terms = list(_signed(call, 1))
        for term in dict.fromkeys(one for one, _ in terms if one.requires_grad and len(terms) > 2):
            own = [(one, sign) for one, sign in terms if term in (one, one.behind(_DETACHES))]
            is_turned = any(one is term and sign < 0 for one, sign in own) and len({one for one, _ in own}) > 1
            if sum(sign for _, sign in own) == 0 and (is_turned or all(one is term for one, _ in own)):
                left = [one.name for one, _ in terms if one.behind(_DETACHES) is not term]
                rest, name = ("one", left[0]) if len(left) == 1 else ("more", "")
                how = "turned" if is_turned else "both"
                yield from report("term_cancels", call, term, term=term.name, left=name, rest=rest, how=how)


def _signed(call: Call, sign: int) -> Iterator[tuple[Tensor, int]]:
    """Yield the terms of a sum that one expression writes, with their signs.

    Sums inside a library's function have the place of its call.
    """
    signs = (sign, -sign if call.name in _SUBTRACTS else sign)
    is_plain = len(call.inputs) == 2 and "alpha" not in call.arguments.named
    for one, own in zip(call.inputs, signs, strict=True) if is_plain else ():
        inner = one.made_by(_SUMS)
        within = inner is not None and call.place is not None and call.span != inner.span
        if within and call.place.holds(inner.place) and len(inner.inputs) == 2:
            yield from _signed(inner, own)
        else:
            yield one, own


@finds("optimizer_unused", level="note", unless="never_scheduled")
def optimizer_unused(run: Run) -> Iterator[Finding]:
    """Report an optimizer that never steps because a later one trains the same tensors."""
    if run.is_shortened:
        return
    for one in run.optimizers:
        later = next((other for other in run.stepped if _replaces(other, one)), None)
        if not one.steps and later is not None and one.row.span >= 0:
            place = run.place(one.row.span)
            line = run.trace.line(later.row.span)
            yield from report("optimizer_unused", place, name=one.name or one.row.kind, kind=one.row.kind, line=line)


def _replaces(other: Optimizer, one: Optimizer) -> bool:
    """Return whether an optimizer was made later and steps the same tensors."""
    later = other.row.operations >= one.row.operations and other.id > one.id and other.row.span >= 0
    return later and {tensor.id for tensor in other.tensors} == {tensor.id for tensor in one.tensors} != set()


@finds("rows_rewritten", level="note")
def rows_rewritten(run: Run) -> Iterator[Finding]:
    """Report writes to a buffer that mostly overwrite the rows of the previous write and skip others."""
    calls = run.calls(("__setitem__", "index_copy_")) if not run.is_shortened else ()
    own = (call for call in calls if call.inputs and call.inputs[0].shape and not call.is_of_optimizer)
    for writes in grouped(own, lambda call: (call.span, call.inputs[0])).values():
        last, buffer, written = writes[-1], writes[-1].inputs[0], [*map(_rows, writes)]
        counts, overlaps = {*map(len, written)}, {len(before & rows) for before, rows in pairwise(written)}
        if len(writes) < _WRITES or len(counts) > 1 or len(overlaps) > 1:
            continue
        rows, again, size = counts.pop(), overlaps.pop(), buffer.shape[0]
        untouched = size - len(set[int]().union(*written))
        if 1 < rows < size and 2 * again >= rows > again and untouched:
            values = {"rows": rows, "again": again, "untouched": untouched, "size": size, "writes": len(writes)}
            yield from report("rows_rewritten", last, buffer, name=buffer.name, **values)


def _rows(call: Call) -> set[int]:
    """Return the rows that a write replaces with values that do not come from the buffer. Empty if unknown."""
    buffer, *others = call.inputs
    index = next((one for one in others if one.dtype in ("int64", "int32") and len(one.shape) == 1), None)
    values = [one for one in others if one is not index]
    if index is None or len(values) != 1 or values[0].is_computed_from({buffer.id}):
        return set()
    entries = index.before(call)
    if entries is None or len(entries) != index.size:
        return set()
    rows = set(np.where(entries < 0, entries + buffer.shape[0], entries).tolist())
    return rows if len(rows) == len(entries) else set()


RULES = (result_unused, name_unread, state_kept, term_cancels, optimizer_unused, rows_rewritten)
