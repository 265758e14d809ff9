"""Write a recording's backward as code and check it."""

from explorer.analysis.autograd.altered_gradients import altered_outputs
from explorer.analysis.autograd.backward_code import Unwritten, backward_code
from explorer.analysis.names import name_of
from explorer.analysis.run import run_of
from explorer.runtime.written_backward import NotRun, agrees
from explorer.trace import Trace


def checked_text(trace: Trace, backward: int | None) -> tuple[str, str, str]:
    """Return the code, or "" with the reason's id and a tensor's name."""
    if backward is None:
        return "", "none", ""
    if altered_outputs(trace, backward):
        return "", "own", ""
    why, name, call = "", "", trace.backwards[backward]
    for named in (True, False):
        try:
            code = backward_code(trace, backward, named)
            roots, leaves = (
                dict(zip(*one, strict=True)) for one in ((code.roots, call.roots), (code.leaves, code.kept))
            )
            if agrees(trace, backward, code.text, code.tensors, roots, leaves, code.grads):
                return code.text, "", ""
            why = why or "differs"
        except Unwritten as unwritten:
            why = why or unwritten.why
        except NotRun as problem:
            name = name or (name_of(run_of(trace), problem.tensor) if problem.tensor >= 0 else "")
            why = why or problem.why
    return "", why, name
