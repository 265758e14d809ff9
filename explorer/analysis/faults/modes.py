"""Dropout and batch norm in the wrong mode."""

from collections.abc import Iterator

import numpy as np

from explorer.analysis.faults.facts import Facts
from explorer.analysis.faults.finding import Finding
from explorer.safe_regex import plain
from explorer.trace import Arguments, Span

_TRAINS = plain(r"\.(?:train|eval)\(")
_EVALUATES = plain(r"\.(?:eval\(|train\(\s*False)")
_FUNCTIONAL = plain(r"(?:F|functional|torch)\.\w*dropout\w*\(")
_SAID = plain(r"training|,\s*(?:True|False)\s*[,)]")
_DISCARDED = plain(r"[\w.]+\([^=]*\)\s*(?:#.*)?")
_MODES = ("dropout", "batch_norm", "feature_dropout", "dropout2d", "alpha_dropout", "dropout1d", "dropout3d")
_AVERAGING = "swa_utils"  # torch's own function that measures batch norm's statistics again


def wrong_mode(facts: Facts) -> Iterator[Finding]:
    """After a step, dropout or batch norm is in training mode without gradients, or learns in eval mode.

    Both may be intended, so each is a note. A GAN's generator and a teacher also run in training mode under no_grad:
    their results go into the next loss.
    """
    trained: set[int] = set()
    for operation in range(facts.count):
        if facts.names[operation] not in _MODES or not facts.place(operation):
            continue
        training, module = facts.trace.arguments(operation).named.get("training"), facts.operations.module[operation]
        before = [step for step in facts.steps if step.end < operation]
        values = {"code": facts.text(operation), "module": facts.trace.string(module) or ""}
        records, mode = facts.operations.grad_enabled[operation], ""
        if training is True and not records and before:
            if _is_written(facts, operation):
                if _EVALUATES.search("\n".join(_lines_between(facts, before[-1].place, operation))):
                    yield Finding("dropout_always", facts.place(operation), {"code": facts.text(operation)})
                    return
            elif not (_mode_set_since(facts, before[-1].place, operation) or _is_meant(facts, operation)):
                mode = "training"
        elif training is False and records and before and module in trained and facts.leads_to_root[operation]:
            mode = "eval"
        if mode:
            yield Finding("wrong_mode", facts.place(operation), values | {"mode": mode})
            return
        if training is True:
            trained.add(module)


def _is_written(facts: Facts, operation: int) -> bool:
    """Whether the text calls torch's function, which knows no module's mode, without `training`."""
    text = facts.text(operation)
    return bool(_FUNCTIONAL.match(text)) and not _SAID.search(text)


def _is_meant(facts: Facts, operation: int) -> bool:
    """Whether training mode under no_grad is intended.

    Then its result goes into a later root, it drops nothing, the text requests it, the result is unused (batch norm's
    statistics are measured), or the same input runs several times to see the variation.
    """
    given, place = facts.trace.arguments(operation), facts.place(operation)
    if facts.leads_to_root[operation] or _FUNCTIONAL.match(facts.text(operation)) or 0 in _rates(given):
        return True
    if _AVERAGING in (facts.trace.string(facts.operations.frames[operation]) or ""):
        return True
    line = facts.trace.cells[place.cell].lines[place.line - 1].strip() if place else ""
    if _DISCARDED.fullmatch(line) and not line.startswith("print"):
        return True
    return "dropout" in facts.names[operation] and _is_repeated(facts, operation)


def _rates(given: Arguments) -> list[float]:
    """The share of entries that dropout drops."""
    found = [given.named.get("p"), *given.positional]
    return [value for value in found if isinstance(value, int | float) and not isinstance(value, bool)]


def _is_repeated(facts: Facts, operation: int) -> bool:
    """Whether the same place also runs another time under no_grad, with equal entries."""
    if not facts.operations.inputs[operation]:
        return False
    first = facts.before(facts.operations.inputs[operation][0], operation)
    for later in range(facts.count):
        if facts.names[later] != facts.names[operation] or not facts.operations.inputs[later]:
            continue
        if later == operation or facts.operations.grad_enabled[later]:
            continue
        if facts.operations.span[later] != facts.operations.span[operation]:
            continue
        again = facts.before(facts.operations.inputs[later][0], later)
        if first is not None and again is not None and np.array_equal(first, again):
            return True
    return False


def _lines_between(facts: Facts, begin: Span | None, operation: int) -> list[str]:
    """The lines between a step and an operation; all after the step if the operation is in a function above."""
    place = facts.place(operation)
    if begin is None or place is None:
        return []
    found: list[str] = []
    for cell in range(begin.cell, max(place.cell, begin.cell) + 1):
        lines = facts.trace.cells[cell].lines
        low = begin.line - 1 if cell == begin.cell else 0
        high = place.line if cell == place.cell and place.line > low else len(lines)
        found += lines[low:high]
    return found


def _mode_set_since(facts: Facts, begin: Span | None, operation: int) -> bool:
    """Whether a line between a step and an operation sets the mode."""
    lines = _lines_between(facts, begin, operation)
    return not lines or any(_TRAINS.search(line) for line in lines)


RULES = (wrong_mode,)
