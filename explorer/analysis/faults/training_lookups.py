"""Look-ups in the log of a training: optimizers, their names, and calls in order."""

import re
from collections.abc import Iterator

from explorer.analysis.faults.facts import Facts, Phase
from explorer.text.numbers import number
from explorer.trace import OptimizerRow, Span, Trace, TrainingCall
from explorer.trace.training_log import CallKind

_STEPPED = re.compile(r"([\w.\[\]\"']{1,60})\.step\s*\(\s*([\w.\[\]\"']{0,60})\s*\)?")
_MADE = re.compile(r"\s*([\w.\[\]\"']{1,60})\s*=\s*")
_NAMED = 3  # names in a sentence


def calls(facts: Facts, kind: CallKind, subject: int | None = None) -> list[TrainingCall]:
    """The calls of a kind in order, all or those of one subject."""
    return [call for call in facts.trace.log.calls if call.kind == kind and subject in (None, call.subject)]


def optimizers(facts: Facts) -> Iterator[tuple[int, OptimizerRow, list[TrainingCall]]]:
    """The optimizers that took a step, with their numbers and steps."""
    for at, row in enumerate(facts.trace.log.optimizers):
        if steps := calls(facts, "step", at):
            yield at, row, steps


def tensors_of(optimizer: OptimizerRow) -> list[int]:
    """All known tensors of an optimizer."""
    return [tensor for group in optimizer.groups for tensor in group.tensors]


def step_of(facts: Facts, phase: Phase) -> TrainingCall | None:
    """The logged call of a step."""
    steps = calls(facts, "step")
    return next((step for step in steps if phase.begin <= step.operations <= phase.begin + 2), None)


def place_of(facts: Facts, span: int) -> Span | None:
    """A span as a place, None for -1."""
    return facts.trace.spans[span] if span >= 0 else None


def optimizer_name(facts: Facts, number_of: int) -> str:
    """The program's name for an optimizer: from the line that makes it, otherwise from its step, or its class."""
    trace = facts.trace
    row = trace.log.optimizers[number_of]
    if row.span >= 0:
        place = trace.spans[row.span]
        before = trace.cells[place.cell].lines[place.line - 1][: place.column].rpartition(";")[2]
        if made := _MADE.fullmatch(before):
            return made[1]
    if row.name:
        return row.name
    for step in calls(facts, "step", number_of)[:1]:
        stepped = _STEPPED.search(trace.text(step.span)[:200])
        if stepped:
            given = stepped[2]  # an optimizer that a gradient scaler steps, or a closure
            return given if given and not _is_function(trace, given) else stepped[1]
    return row.kind


def _is_function(trace: Trace, name: str) -> bool:
    return name == "lambda" or any(f"def {name}" in cell.source for cell in trace.cells)


def optimizer_place(facts: Facts, number_of: int) -> Span | None:
    """Where an optimizer was made; if unknown, its first step."""
    made = place_of(facts, facts.trace.log.optimizers[number_of].span)
    return made or next((place_of(facts, call.span) for call in calls(facts, "step", number_of)), None)


def named(facts: Facts, tensors: list[int]) -> str:
    """The names of some tensors, the first of many."""
    names = list(dict.fromkeys(path(facts, tensor) for tensor in tensors))
    return ", ".join([*names[:_NAMED], "…"] if len(names) > _NAMED else names)


def path(facts: Facts, tensor: int) -> str:
    """The program's name for a tensor, rather the path of a parameter than a loop variable."""
    names = [binding.name for binding in facts.trace.index.bindings.get(tensor, ())]
    return next((name for name in reversed(names) if "." in name), "") or facts.name(tensor)


def share(part: float) -> str:
    """A number of a sentence."""
    return number(float(part))
