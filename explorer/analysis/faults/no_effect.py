"""Code without effect: unused results, optimizers that never step, rows that are overwritten."""

from collections.abc import Iterator

from explorer.analysis.faults.finding import Finding, finds, report
from explorer.analysis.influence.both_sides import cancelled_terms
from explorer.analysis.influence.results import is_carried, place_of, unused_results
from explorer.analysis.influence.rewrites import rewritten_rows
from explorer.analysis.run import Run
from explorer.analysis.run_objects import Optimizer
from explorer.analysis.source.assignments import all_assignments

_READ_BY_NAME = ("locals", "globals", "vars", "eval", "exec")


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
        if alone and one.value and place.loops and run.trace.bound(one.name) is None and not one.name.startswith("_"):
            yield from report("result_unused", place, name=one.name, how="name", rounds=1, unused=1)


@finds("term_cancels", level="note", unless="paths_cancel")
def term_cancels(run: Run) -> Iterator[Finding]:
    """Report a sum that adds a result and subtracts it again, as a straight-through gradient without its detach."""
    for found in cancelled_terms(run) if run.held else ():
        values = {"term": found.term.name, "left": found.left.name if found.left is not None else ""}
        rest = "more" if found.left is None else "one"
        yield from report("term_cancels", found.call, found.term, **values, rest=rest)


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
    for found in rewritten_rows(run) if not run.is_shortened else ():
        counts = {"rows": found.rows, "again": found.again, "untouched": found.untouched, "size": found.size}
        buffer = found.last.inputs[0]
        yield from report("rows_rewritten", found.last, buffer, name=buffer.name, writes=found.writes, **counts)


RULES = (result_unused, name_unread, term_cancels, optimizer_unused, rows_rewritten)
