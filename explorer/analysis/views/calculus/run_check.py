"""Check a run of the user's function before drawing."""

import math

import numpy as np

from explorer.analysis.run.rounding import EPS
from explorer.analysis.views.calculus.function import Function, FunctionProblem, hint
from explorer.analysis.views.calculus.programs import OWN
from explorer.safe_regex import plain
from explorer.trace import Failure, Limit, Printed, Refusal, Trace, real

_RETURN, _TROUBLE = plain(r"\s*return\b"), plain(r"(\([^)]*\)|\S+) (\w+: .*)")
_COMPLEX = ("complex64", "complex128")


def judge(trace: Trace, f: Function) -> None:
    """Raise FunctionProblem unless a run has f's gradient and value."""
    judge_run(trace, f, OWN + 1)  # later cells only matter if this one worked
    _judge_value(trace, f)
    judge_run(trace, f)
    if not trace.tensors.requires_grad[trace.bound("point_value")]:
        _judge_constant(trace, f)


def judge_run(trace: Trace, f: Function, last: int | None = None) -> None:
    """Raise FunctionProblem unless a run ended well up to the cell `last`."""
    for cell, cell_run in enumerate(trace.cells):
        for output in cell_run.outputs:
            if isinstance(output, Limit) and not output.folds:
                values = (("bound", output.bound), ("limit", output.limit))
                kind = "limit-time" if output.limit == "time" else "limit"
                raise FunctionProblem(kind, values, *_place(trace, f, output.span))
            if isinstance(output, Refusal):
                raise FunctionProblem("refused", (("what", output.what),), *_place(trace, f, output.span))
            early = last is None or cell <= last
            if isinstance(output, Failure) and early:
                raise _explain_failure(trace, f, output)


def _judge_value(trace: Trace, f: Function) -> None:
    place = _last_line(f)
    tensor = trace.bound("point_value")
    if tensor is None:
        raise FunctionProblem("no-tensor", (), *place, hint="torch" if "math." in f.text else "")
    value, again = trace["point_value"], trace["point_again"]
    if value.dtype in _COMPLEX:
        raise FunctionProblem("complex", (), *place)
    if value.shape:
        raise FunctionProblem("vector", (("shape", str(tuple(value.shape))),), *place)
    if value.dtype not in EPS:
        raise FunctionProblem("dtype", (("dtype", value.dtype),), *place)
    if not np.array_equal(value.entries, again.entries, equal_nan=True):
        first, second = (real(next(iter(value.entries), math.nan)) for value in (value, again))
        raise FunctionProblem("random", (("first", first), ("second", second)), *place)


def _judge_constant(trace: Trace, f: Function) -> None:
    """Raise FunctionProblem if f changes with its variables although autograd sees no dependence."""
    rise, z = (entries(trace, name) for name in ("quotient_rise", "surface_z"))
    heights = z - z.flat[0] if z is not None else None
    if any(difference is not None and np.nan_to_num(difference).any() for difference in (rise, heights)):
        hint = "torch" if "math." in f.text else ""
        raise FunctionProblem("cut", (("names", ", ".join(f.arguments)),), *_last_line(f), hint=hint)


def _explain_failure(trace: Trace, f: Function, failure: Failure) -> FunctionProblem:
    message = f"{failure.type}: {failure.text}"
    spans = [*failure.frames, failure.span]
    own = [span for span in spans if span >= 0 and trace.spans[span].cell == OWN]
    place = _place(trace, f, own[-1]) if own else (0, 0)
    return FunctionProblem(
        "syntax" if failure.type.endswith("SyntaxError") else "fails", (), *place, message, hint(f.text, message)
    )


def _place(trace: Trace, f: Function, span: int) -> tuple[int, int]:
    if span < 0 or trace.spans[span].cell != OWN:
        return 0, 0
    return f.place(trace.spans[span].line, trace.spans[span].column)


def _last_line(f: Function) -> tuple[int, int]:
    """Return the line with a function's value: its last `return`, otherwise its expression."""
    if not f.is_definition:
        return f.place(2, 11)
    lines = f.text.split("\n")
    returns = [i for i, line in enumerate(lines) if _RETURN.match(line)]
    at = returns[-1] if returns else 0
    return at + 1, len(lines[at]) - len(lines[at].lstrip())


def entries(trace: Trace, name: str) -> np.ndarray | None:
    """Return a tensor's entries in its shape, None if missing or not recorded."""
    if trace.bound(name) is None:
        return None
    value = trace[name]
    return None if value is None else value.array(float)


def troubles(trace: Trace, cell: int) -> tuple[tuple[str, str], ...]:
    """Return why points have no value, as printed: pairs of place and Python's message."""
    printed = [output for output in trace.cells[cell].outputs if isinstance(output, Printed)]
    texts = [output.text for output in printed if output.stream == "stdout"]
    lines = "".join(texts).strip().split("\n")
    matches = (_TROUBLE.match(line) for line in lines)
    return tuple((match[1], match[2]) for match in matches if match)
