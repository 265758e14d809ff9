"""Write a recording's backward as code and check it."""

from explorer.analysis.autograd.altered_gradients import altered_outputs
from explorer.analysis.autograd.backward_code import Unwritten, backward_code
from explorer.analysis.names import name_of
from explorer.analysis.run import Run, one_line, run_of
from explorer.runtime.written_backward import NotRun, agrees
from explorer.trace import Trace


def checked_text(trace: Trace, backward: int | None, most: int) -> tuple[str, str, str]:
    """Return the code, or "" with the reason's id and a tensor's name."""
    if backward is None:
        return "", "none", ""
    if altered_outputs(trace, backward):
        return "", "own", ""
    why, name, call = "", "", trace.backwards[backward]
    for named in (True, False):
        try:
            code = backward_code(trace, backward, named, most)
            roots, leaves = (
                dict(zip(*one, strict=True)) for one in ((code.roots, call.roots), (code.leaves, code.kept))
            )
            if agrees(trace, backward, code.body, code.tensors, roots, leaves, code.grads):
                return code.text, "", ""
            why = why or "differs"
        except Unwritten as unwritten:
            why = why or unwritten.why
        except NotRun as problem:
            if why in ("", "differs"):  # lines with the program's names may differ because of a name
                why, name = problem.why, _word(trace, problem)
    return "", why, name


def _word(trace: Trace, problem: NotRun) -> str:
    """Return the name of the tensor, or the text of the call, that cannot be repeated."""
    if problem.operation >= 0:
        return word_of_call(run_of(trace), problem.operation)
    return name_of(run_of(trace), problem.tensor) if problem.tensor >= 0 else ""


def word_of_call(run: Run, operation: int) -> str:
    """Return a call's text, with its module if a library made it."""
    module, called = run.call(operation).module, run.names[operation]
    return f"{module}: {called}(…)" if module else one_line(run.text(operation)) or f"{called}(…)"
