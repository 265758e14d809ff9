"""Test assertions: gradients reach every parameter, and nothing is NaN or infinite.

from explorer.testing import assert_gradients_flow

def test_every_layer_learns():
    assert_gradients_flow(model, lambda: criterion(model(x), y))
"""

import os
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from explorer.analysis.diagnose.health.gradient_table import parameters
from explorer.analysis.diagnose.health.report import Report
from explorer.analysis.diagnose.health.sections import entries, verdict, wrong_rows
from explorer.analysis.explain.gradient_rows import GradientRow
from explorer.analysis.explain.origins import origin_text, origins
from explorer.analysis.views.comparison import GradientPair, compare
from explorer.api import arguments
from explorer.api.answers import Answers, answering
from explorer.api.saved_files import load_trace, write
from explorer.pytest_plugin import UPDATE
from explorer.runtime.parameter_gradients import ParameterGradient, arrived
from explorer.text import say
from explorer.text.numbers import number
from explorer.trace import fits, fitting_none

_SHOWN = 10  # most parameters in a message


def assert_gradients_flow(model: Any, loss: Any, allow: Iterable[str] = ()) -> None:
    """Fail unless every trainable parameter gets a finite, nonzero gradient.

    Neither `.grad` nor the graph of the loss is changed.

    Args:
        model: an nn.Module.
        loss: a tensor, or a function without arguments that computes it. The function is recorded so that the
            message can name the line that lost a gradient.
        allow: names of parameters that may have no gradient, such as "embed.*".

    Raises:
        AssertionError: naming each parameter that is dead (all zero), missing or not finite.
        TypeError: the loss is not a tensor.
    """
    __tracebackhide__ = True  # pytest shows the line of the test
    allowed = arguments.texts(allow, "api-allow")
    if not callable(getattr(model, "named_parameters", None)):
        raise TypeError(say("en", "api-model", given=arguments.short(model)))
    gradients, rows, starts = _arrived(model, loss, sys._getframe(1))
    _warn_unused(fitting_none(allowed, (gradient.name for gradient in gradients)))
    wrong = [
        gradient
        for gradient in gradients
        if gradient.state in ("none", "zero", "nonfinite") and not fits(gradient.name, allowed)
    ]
    if not wrong:
        return
    lines = [say("en", "flow-wrong", count=len(wrong), all=len(gradients))]
    lines += [f"  {gradient.name}: {_why(gradient, rows)}" for gradient in wrong]
    lines += [f"  {start}" for start in starts]
    if not _is_function(loss) and any(gradient.state == "none" for gradient in wrong):
        lines.append(say("en", "flow-function"))
    raise AssertionError("\n".join(lines))


def assert_finite(trace: Any, allow: Iterable[str] = ()) -> None:
    """Fail if NaN or infinity starts in a loss or gradient.

    Args:
        allow: names of tensors in which it may start.

    Raises AssertionError.
    """
    __tracebackhide__ = True
    allowed = arguments.texts(allow, "api-allow")
    finished = arguments.finished_trace(trace, "assert_finite()")
    starts = origins(finished)
    _warn_unused(fitting_none(allowed, finished.index.bound))
    wrong = [origin for origin in starts if origin.reaches and not fits(origin.name, allowed)]
    if wrong:
        raise AssertionError("\n".join(origin_text("en", origin) for origin in wrong))


def assert_sound(trace: Any, allow: Iterable[str] = ()) -> None:
    """Fail unless a recording's report is sound: it ended well and has no fault.

    Args:
        allow: kinds of faults that are accepted, such as "gradient_cut", and names of parameters, such as "embed.*".

    Raises AssertionError with the report.
    """
    __tracebackhide__ = True
    if not isinstance(trace, Answers):
        trace = answering(arguments.finished_trace(trace, "assert_sound()"))
    report = trace.report(allow=allow)
    _warn_unused(report.idle)
    if not report.sound:
        raise AssertionError(f"{_headline(report)}\n\n{report}")


def assert_same_gradients(trace: Any, gold: str | os.PathLike[str], *, rtol: float = 1e-3, atol: float = 1e-6) -> None:
    """Fail unless a recording's gradients equal those in a file.

    Parameters are paired by name, or by their path in the model if the model's variable has another name. Of a large
    gradient only a sample, the minimum, the maximum and the norm are compared, so the file is small. To write the file,
    run `pytest --update-gold` or set EXPLORER_UPDATE_GOLD=1, and add it to version control.

    Args:
        gold: file that ends in `.trace`.
        rtol, atol: entries agree within atol + rtol · |right|. The defaults leave room for another machine's rounding.

    Raises:
        AssertionError: naming the parameters that differ, and the first operation that does.
        ValueError: the file is no saved run.
    """
    __tracebackhide__ = True
    finished, path = arguments.finished_trace(trace, "assert_same_gradients()"), Path(arguments.path(gold))
    if os.environ.get(UPDATE):
        path.parent.mkdir(parents=True, exist_ok=True)
        return write(finished, path, "en")
    if not path.exists():
        raise AssertionError(say("en", "gold-missing", path=str(path)))
    compared = compare(load_trace(path), finished, rtol, atol)
    wrong = [pair for pair in compared.parameters if pair.differs or pair.stored_differs]
    if not wrong and compared.parameters:
        return None
    lines = [say("en", "gold-differs", count=len(wrong), all=len(compared.parameters), path=str(path))]
    lines += [f"  {_pair_text(pair)}" for pair in wrong[:_SHOWN]]
    raise AssertionError("\n".join([*lines, *(["", str(compared)] if wrong else [])]))


def _pair_text(pair: GradientPair) -> str:
    """Return a parameter's name with both norms, and the largest difference of an entry."""
    norms = ["–" if norm is None else number(norm) for norm in pair.norms]
    apart = "" if pair.apart is None else say("en", "gold-apart", apart=number(pair.apart))
    return say("en", "gold-pair", name=pair.name, left=norms[0], right=norms[1]) + apart


def _headline(report: Report) -> str:
    """Return the first error or fault, or the verdict, in one line for a test summary."""
    lines = [line.strip() for line in (*(entry[0] for entry in entries(report)), *wrong_rows(report))]
    return next(iter([*lines, verdict(report)]))


def _arrived(
    model: Any, loss: Any, frame: Any
) -> tuple[tuple[ParameterGradient, ...], tuple[GradientRow, ...], list[str]]:
    """Return each parameter's gradient and, for a function, its recording's rows and NaN origins."""
    if not _is_function(loss):
        return arrived(model, loss), (), []
    from explorer.runtime.record import Recording

    recording = Recording()
    recording.begin(frame)
    try:
        gradients = arrived(model, loss())
    finally:
        recording.__exit__(*sys.exc_info())
    trace = recording.check()
    starts = [origin_text("en", origin) for origin in origins(trace) if origin.reaches]
    return gradients, parameters(trace).rows, starts


def _is_function(loss: Any) -> bool:
    return callable(loss) and not hasattr(loss, "backward")


def _warn_unused(patterns: tuple[str, ...]) -> None:
    """Warn about names in `allow=` that match nothing and may be misspelt."""
    if patterns:
        warnings.warn(say("en", "allow-idle", patterns=", ".join(patterns)), UserWarning, stacklevel=3)


def _why(gradient: ParameterGradient, rows: tuple[GradientRow, ...]) -> str:
    """Describe a parameter's fault and, from its recording, where the gradient was lost."""
    if gradient.state == "zero":
        return say("en", "report-zero")
    if gradient.state == "nonfinite":
        both = "yes" if gradient.nans and gradient.infinite else "no"
        return say("en", "report-bad", nans=gradient.nans, infinite=gradient.infinite, both=both)
    named = [row for row in rows if row.name == gradient.name or row.name.endswith(f".{gradient.name}")]
    reasons = {row.why() for row in named if row.state == "none"}
    return reasons.pop() if len(reasons) == 1 else say("en", "flow-none")
