"""Write a recording's backward as code and check it."""

from explorer.analysis.explain.autograd.altered_gradients import altered_outputs
from explorer.analysis.explain.autograd.backward_code import Unwritten, backward_code
from explorer.analysis.explain.autograd.gradients import with_inner
from explorer.analysis.run.model import Run, one_line, run_of
from explorer.analysis.run.names import name_of
from explorer.runtime.written_backward import NotRun, agrees
from explorer.trace import Trace


def checked_text(trace: Trace, backward: int | None, most: int) -> tuple[str, str, str]:
    """Return the code, or "" with the reason's id and a tensor's name."""
    if backward is None:
        return "", "none", ""
    why, name, call = "", "", trace.backwards[backward]
    is_single = call.inside < 0 and len(with_inner(trace, backward)) == 1
    if is_single and (own := _own_code(trace, backward)):
        return "", *own
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
                why, name = _reason(trace, problem)
    return "", why, name


def _own_code(trace: Trace, backward: int) -> tuple[str, str] | None:
    """Return the reason and name of Python code in a backward, None without."""
    nodes, strings = trace.nodes, trace.strings
    own = next((node for node in trace.backwards[backward].order if nodes.user_code[node]), -1)
    if own < 0:
        return ("hook-own", "") if altered_outputs(trace, backward) else None
    if (operation := nodes.operation[own]) < 0:
        return "own", strings[nodes.name[own]]
    function = strings[trace.operations.function[operation]]
    if function.startswith("torch.compile("):
        return "compiled", word_of_call(run_of(trace), operation)
    return "own", function.removesuffix(".apply")


def _reason(trace: Trace, problem: NotRun) -> tuple[str, str]:
    """Return why lines cannot be run, with the tensor, call or message behind it."""
    if problem.text:
        return problem.why, one_line(problem.text)
    name = name_of(run_of(trace), problem.tensor) if problem.tensor >= 0 else ""
    if name or problem.operation < 0:
        return problem.why, name
    why = "operand" if problem.why == "entries" else problem.why
    return "mapped" if _is_mapped(trace, problem.operation) else why, word_of_call(run_of(trace), problem.operation)


def _is_mapped(trace: Trace, operation: int) -> bool:
    """Return whether a call ran under vmap: its recorded entries have more axes than its tensors."""
    operations, shapes = trace.operations, trace.shapes
    for tensor in (*operations.inputs[operation], *operations.outputs[operation]):
        value = trace.versions.value[trace.tensors.version_start[tensor]]
        if value >= 0 and len(shapes[trace.values.shape[value]]) > len(shapes[trace.tensors.shape[tensor]]):
            return True
    return False


def word_of_call(run: Run, operation: int) -> str:
    """Return a call's text, with its module if a library made it."""
    module, called = run.call(operation).module, run.names[operation]
    return f"{module}: {called}(…)" if module else one_line(run.text(operation)) or f"{called}(…)"
