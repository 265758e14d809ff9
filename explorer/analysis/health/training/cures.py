"""Changes that may cure what a training remark says, the condition under which one did, and the name of the disease.

A disease has the name of its cause only where a change of that cause was run and cured it.
"""

from collections.abc import Iterator

import numpy as np

from explorer.analysis.health.training.remarks import remarks
from explorer.analysis.health.training.stretches import Remark
from explorer.analysis.operations import names_where
from explorer.analysis.source.code import Repair
from explorer.analysis.training import Curves, curves
from explorer.safe_regex import Match, Pattern, linear
from explorer.trace import Trace

_NUMBER = r"(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)"
_RATE = linear(r"\b(?:lr|learning_rate|step_size|eta|rate) *= *" + _NUMBER)
_STEP = linear(r"-= *" + _NUMBER + r" *\*")
_OTHERS = names_where(lambda operation: operation.flat == "part") - {"relu"}
_TOO_FAR = ("loss-nonfinite", "loss-grows", "gradient-nonfinite")
_LONGEST = 20_000  # characters of a cell that is changed
_BETTER = 0.8  # of the loss at the end without the change
_LESS = (10.0, 100.0, 1000.0)  # by which a learning rate is divided


class Cure(Repair, frozen=True):
    """A change of one cell. Attributes: by: rate or squash, what it changes."""

    by: str


def cures(trace: Trace, remark: Remark) -> Iterator[Cure]:
    """Changes worth running, the likeliest first; none is known to help."""
    if remark.kind in _TOO_FAR:
        yield from _slower(trace)
    elif remark.kind in ("zero", "dead-units"):
        if remark.step.row != _first_row(trace, remark):  # alive at first: a step has killed them
            yield from _slower(trace)
    elif remark.kind == "vanishing":
        for name in ("relu", "tanh"):
            yield from _squashed(trace, name)


_MODULES = {"relu": "ReLU", "tanh": "Tanh"}


def is_cured(before: Trace, after: Trace, remark: Remark) -> bool:
    """Whether the run of a change shows a training as long, without the remark or a new one, that ends better."""
    was, now = curves(before, remark.loop), curves(after)
    if after.status != "ok" or was is None or now is None or now.calls < was.calls:
        return False
    old = {one.kind for one in remarks(before) if one.level != "info"}
    new = {one.kind for one in remarks(after) if one.level != "info"}
    if remark.kind in {one.kind for one in remarks(after)} or not new <= old:
        return False
    first, last = float(now.loss[0]), _last(now)
    return bool(np.isfinite(last) and last < first and not last >= _BETTER * _last(was))


def last_losses(before: Trace, after: Trace, remark: Remark) -> tuple[float, float]:
    """The loss at the end of a training, and at the end of the one with a change."""
    was, now = curves(before, remark.loop), curves(after)
    assert was is not None and now is not None, "both train"
    return _last(was), _last(now)


def disease(trace: Trace, remark: Remark, by: str = "") -> str:
    """The message of the name: of the cause if a change of it cured (`by`), otherwise of what is seen."""
    if remark.kind in _TOO_FAR:
        return "disease-rate" if by == "rate" else f"disease-{remark.kind}"
    if remark.kind in ("zero", "dead-units"):
        text = "\n".join(cell.source for cell in trace.own_cells).lower()
        only = "relu" in text and not any(other in text for other in _OTHERS)
        flat = remark.kind == "dead-units" or any(clause.id == "remark-because-flat" for clause in remark.clauses)
        return "disease-relu" if only and flat else f"disease-{remark.kind}"
    return f"disease-{remark.kind}"


def _last(training: Curves) -> float:
    return float(training.loss[-1])


def _first_row(trace: Trace, remark: Remark) -> int:
    training = curves(trace, remark.loop)
    return int(training.rows[0]) if training is not None else -1


def _slower(trace: Trace) -> Iterator[Cure]:
    """Smaller learning rates, where the program writes exactly one."""
    for pattern in (_RATE, _STEP):
        places = [(cell, source, match) for cell, source in _texts(trace) for match in _matches(pattern, source)]
        alike = pattern is _STEP and len({match[1] for *_, match in places}) == 1
        if len({cell for cell, *_ in places}) == 1 and (len(places) == 1 or alike):
            for less in _LESS:
                cell, source, _ = places[0]
                for *_, match in reversed(places):
                    source = f"{source[: match.start(1)]}{float(match[1]) / less:g}{source[match.end(1) :]}"
                yield Cure(cell, source, "rate")
        if places:
            return


def _texts(trace: Trace) -> Iterator[tuple[int, str]]:
    """The cells that are short enough to be changed, by number."""
    yield from ((number, cell.source) for number, cell in enumerate(trace.own_cells) if len(cell.source) <= _LONGEST)


def _matches(pattern: Pattern, source: str) -> Iterator[Match]:
    """Where a pattern occurs outside comments."""
    yield from (match for match in pattern.finditer(source) if "#" not in source[: match.start()].rpartition("\n")[2])


def _squashed(trace: Trace, by: str) -> Iterator[Cure]:
    """Another function in place of sigmoid, in the first cell that has it."""
    for number, source in _texts(trace):
        text = source.replace("nn.Sigmoid()", f"nn.{_MODULES[by]}()").replace("torch.sigmoid(", f"torch.{by}(")
        if text != source:
            yield Cure(number, text, "squash")
            return
