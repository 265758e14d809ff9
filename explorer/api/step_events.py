"""Events of a watched training, on which its step is recorded."""

import math
from collections import deque
from collections.abc import Callable, Iterable
from statistics import median
from typing import Any

import numpy as np

from explorer.api import arguments
from explorer.text import say
from explorer.text.numbers import number
from explorer.trace.step_statistics import StepRow

Event = Callable[[StepRow], object]  # returns a true value or a text if something happened


class Happened(tuple[list[str], ...]):
    """Kinds of events with their numbers, as in `watch-happened`."""

    __slots__ = ()


_FEW = 5  # losses needed to detect a jump
_MOST, _CHARACTERS = 20, 200  # events of one step, and characters of one


def loss_jump(factor: float, window: int = 20) -> Event:
    """Return an event: a loss that is far above the previous ones, after one that isn't.

    Far means above `factor` times their median. If the median is not positive: above it by `factor` times their range.

    Args:
        factor: above 1.
        window: number of losses, at least 5.
    """
    if not factor > 1 or window < _FEW:
        raise ValueError(say("en", "watch-jump"))
    losses: deque[float] = deque(maxlen=window)
    ordinary = [True]

    def jumped(row: StepRow) -> Happened:
        if row.loss is None:
            return Happened()
        usual = median(losses) if len(losses) >= _FEW else math.inf
        spread = max(losses, default=0.0) - min(losses, default=0.0)
        far = math.isnan(row.loss) or row.loss > (factor * usual if usual > 0 else usual + factor * spread)
        began, ordinary[0] = far and ordinary[0], not far
        if math.isfinite(row.loss) and not began:  # a level that lasts becomes the usual one
            losses.append(row.loss)
        return Happened([["jump", number(row.loss), number(usual)]] if began and usual < math.inf else [])

    return jumped


def _nonfinite() -> Event:
    """Return an event: the first step with NaN or ∞ in the loss or a gradient after a finite one."""
    finite = [True]

    def became(row: StepRow) -> Happened:
        norms = np.frombuffer(row.norms, "<f4")
        wrong = [] if row.loss is None or math.isfinite(row.loss) else [["loss", number(row.loss)]]
        if not np.isfinite(norms).all():
            wrong.append(["gradients", str(int((~np.isfinite(norms)).sum())), str(norms.size)])
        began, finite[0] = bool(wrong) and finite[0], not wrong
        return Happened(wrong if began else [])

    return became


def events(on: Any) -> list[Event]:
    """Return the events that a user asked for. Raises TypeError, ValueError."""
    asked = [] if on is None else [on] if isinstance(on, str) or callable(on) else list(on)
    return [_event(one) for one in asked]


def _event(asked: Any) -> Event:
    if asked == "nonfinite":
        return _nonfinite()
    if callable(asked):
        return asked
    raise (ValueError if isinstance(asked, str) else TypeError)(say("en", "watch-on", given=arguments.short(asked)))


def happened(row: StepRow, asked: Iterable[Event]) -> list[list[str]]:
    """Return the events of a step, each as a kind and its numbers."""
    found: list[list[str]] = []
    for event in asked:
        answer = event(row)
        if isinstance(answer, Happened):
            found += answer
        elif answer:
            found.append(["said", answer[:_CHARACTERS]] if isinstance(answer, str) else ["other"])
    return found[:_MOST]
