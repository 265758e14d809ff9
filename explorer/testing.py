"""Assertions for tests of models: that gradients reach every parameter, and that nothing is NaN or infinite.

from explorer.testing import assert_gradients_flow

def test_every_layer_learns():
    assert_gradients_flow(model, lambda: criterion(model(x), y))
"""

import sys
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any

from explorer.answers import Answers, answering
from explorer.health import GradientRow, origins, parameters
from explorer.health.words import origin_text
from explorer.runtime.flowing import ParameterGradient, arrived
from explorer.text import say


def assert_gradients_flow(model: Any, loss: Any, allow: Iterable[str] = ()) -> None:
    """Fail unless a loss brings every parameter that asks for one a finite gradient that is not all zero.

    Neither `.grad` nor the graph of the loss is changed.

    Args:
        model: an nn.Module.
        loss: a tensor, or a function without arguments that computes it: that is recorded, and the message says which
            line took a gradient away.
        allow: names of parameters that may go without, as "embed.*".

    Raises:
        AssertionError: naming each parameter that is dead (all zero), missing or not finite.
        TypeError: the loss is no tensor.
    """
    __tracebackhide__ = True  # pytest shows the line of the test
    allowed = tuple(allow)
    found, rows, starts = _arrived(model, loss, sys._getframe(1))
    wrong = [one for one in found if one.state in ("none", "zero", "nonfinite") and not _matches(one.name, allowed)]
    if not wrong:
        return
    lines = [say("en", "flow-wrong", count=len(wrong), all=len(found))]
    lines += [f"  {one.name}: {_why(one, rows)}" for one in wrong]
    lines += [f"  {one}" for one in starts]
    if not _is_function(loss) and any(one.state == "none" for one in wrong):
        lines.append(say("en", "flow-function"))
    raise AssertionError("\n".join(lines))


def assert_finite(trace: Any) -> None:
    """Fail where NaN or infinity that a loss or a gradient has starts in a recording; the message says where.

    Raises AssertionError.
    """
    __tracebackhide__ = True
    found = [one for one in origins(trace.check()) if one.reaches]
    if found:
        raise AssertionError("\n".join(origin_text("en", one) for one in found))


def assert_sound(trace: Any) -> None:
    """Fail unless a recording's report is sound: finite gradients everywhere, and nothing diagnosed.

    Raises AssertionError with the report.
    """
    __tracebackhide__ = True
    told = trace.report() if isinstance(trace, Answers) else answering(trace).report()
    if not told.sound:
        raise AssertionError(str(told))


def _arrived(
    model: Any, loss: Any, frame: Any
) -> tuple[tuple[ParameterGradient, ...], tuple[GradientRow, ...], list[str]]:
    """What arrived at each parameter; of a function also the rows of its recording, and where NaN starts."""
    if not _is_function(loss):
        return arrived(model, loss), (), []
    from explorer.runtime.record import Recording

    recording = Recording()
    recording.begin(frame)
    try:
        found = arrived(model, loss())
    finally:
        recording.__exit__(*sys.exc_info())
    trace = recording.check()
    starts = [origin_text("en", one) for one in origins(trace) if one.reaches]
    return found, parameters(trace).rows, starts


def _is_function(loss: Any) -> bool:
    return callable(loss) and not hasattr(loss, "backward")


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _why(one: ParameterGradient, rows: tuple[GradientRow, ...]) -> str:
    """What is wrong with a parameter; the row of the recording that has its name says where it was lost."""
    if one.state == "zero":
        return say("en", "report-zero")
    if one.state == "nonfinite":
        both = "yes" if one.nans and one.infinite else "no"
        return say("en", "report-bad", nans=one.nans, infinite=one.infinite, both=both)
    named = [row for row in rows if row.name == one.name or row.name.endswith(f".{one.name}")]
    told = {row.why() for row in named if row.state == "none"}
    return told.pop() if len(told) == 1 else say("en", "flow-none")
