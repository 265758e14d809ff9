"""NaN and infinity that no recorded operation computed: data, unfilled memory."""

from collections.abc import Iterator

from explorer.analysis.autograd.nonfinite_entries import forward_origin, nonfinite, roots_read
from explorer.analysis.faults.finding import Finding, finds, report
from explorer.analysis.names import name_of
from explorer.analysis.run import Run
from explorer.analysis.run_objects import BackwardCall, Tensor
from explorer.analysis.source.assignments import last_assignment
from explorer.analysis.source.code import Code


def given_values(run: Run, certain: bool) -> Iterator[Finding]:
    """Report the inputs of the first non-finite root if no recorded operation made it non-finite."""
    calls = run.backwards or [BackwardCall(run, at) for at in range(len(run.trace.backwards[:1]))]
    bad = nonfinite(run.trace)
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
    nan, _ = nonfinite(trace)
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
