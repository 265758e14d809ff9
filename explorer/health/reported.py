"""What a report of a run says: how it ended, its losses, its parameters, what is not finite, what is wrong."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from explorer.autograd.blame import stopped_operation
from explorer.autograd.gradients import selected_backward
from explorer.autograd.titles import one_line, titles_of
from explorer.diagnose import Finding
from explorer.health.origins import Origin, origins
from explorer.health.rows import GradientRow, State, parameter_rows
from explorer.health.training import remark_text, remarks
from explorer.text.numbers import shorten
from explorer.trace import Bound, Failure, Trace, Value

CODE = 60  # cells of the text of an operation


@dataclass(frozen=True)
class ReportedLoss:
    """What a backward began with. Attributes: name: or its text; line: of the call, 0 unknown; backward: from 1."""

    name: str
    value: Value | None
    line: int
    backward: int


@dataclass(frozen=True)
class ReportedStop:
    """An error that ended the code. Attributes: type, text: torch's or Python's; line: 0 unknown; code: what failed."""

    type: str
    text: str
    line: int
    code: str


@dataclass(frozen=True)
class ReportedRemark:
    """What the steps of a training show.

    Attributes:
        kind, level: as TrainingRemark has them; text: its sentences.
        cell, line: what is to blame, or the backward: cell from 0, line from 1, 0 unknown.
        step: which call of its place it begins at, from 1.
        name: of the leaf that it is about, "" for the loss or all.
    """

    kind: str
    level: str
    cell: int
    line: int
    step: int
    name: str
    text: str


@dataclass(frozen=True)
class Reported:
    """What a report says.

    Attributes:
        status: how the run ended, as Trace.status.
        stops: the errors that ended it.
        losses: of every backward in order.
        implicit: whether the program calls no backward and one was taken of its last result.
        rows: the parameters and the gradient of each.
        nonfinite: where NaN and infinity start.
        diagnoses: what is wrong although nothing failed; None: that was not worked out in time.
        training: what the steps of its training show, beside these.
        limits: what the recording left out.
        lang: of its words; cells: how many the program has.
    """

    status: str
    stops: tuple[ReportedStop, ...]
    losses: tuple[ReportedLoss, ...]
    implicit: bool
    rows: tuple[GradientRow, ...]
    nonfinite: tuple[Origin, ...]
    diagnoses: tuple[Finding, ...] | None
    training: tuple[ReportedRemark, ...] = ()
    limits: tuple[Bound, ...] = ()
    lang: str = field(default="en", repr=False)
    cells: int = field(default=1, repr=False)

    @property
    def sound(self) -> bool:
        """Whether it ended well, every parameter got a finite gradient that is not all 0, and nothing is wrong."""
        bad = self.having("none", "zero", "nonfinite") or any(one.level == "fault" for one in self.training)
        return self.status == "ok" and not bad and not self.nonfinite and self.diagnoses == ()

    def having(self, *states: State) -> tuple[GradientRow, ...]:
        """The parameters in one of these states."""
        return tuple(row for row in self.rows if row.state in states)


def reported(
    trace: Trace, diagnoses: Sequence[Finding] | None = (), backward: int | None = None, lang: str = "en"
) -> dict[str, Any]:
    """The fields of `Reported`; the rest as in `report`."""
    shown = selected_backward(trace)
    return {
        "status": trace.status,
        "stops": tuple(_stops(trace)),
        "losses": tuple(_losses(trace)),
        "implicit": shown is not None and trace.backwards[shown].kind == "implicit",
        "rows": parameter_rows(trace, backward),
        "nonfinite": origins(trace),
        "diagnoses": None if diagnoses is None else tuple(diagnoses),
        "training": tuple(_remarks(trace, diagnoses or (), lang)),
        "limits": tuple(trace.limits),
        "lang": lang,
        "cells": len(trace.cells),
    }


def _losses(trace: Trace) -> Iterator[ReportedLoss]:
    for number, call in enumerate(trace.backwards):
        for tensor in call.root_tensors[:1] if call.inside < 0 else ():
            if tensor < 0:
                continue
            row = trace.index.before(tensor, call.operations)
            row = trace.versions_of(tensor)[-1] if row is None else row
            name = titles_of(trace).name(tensor, max(call.operations - 1, 0))
            made = trace.versions.operation[row]
            text = trace.text(trace.operations.span[made]) if made >= 0 else ""
            yield ReportedLoss(
                name or shorten(one_line(text), CODE), trace.value_at(row), trace.line(call.span), number + 1
            )


def _remarks(trace: Trace, diagnoses: Sequence[Finding], lang: str) -> Iterator[ReportedRemark]:
    for one in remarks(trace, [found.kind for found in diagnoses]):
        yield ReportedRemark(
            one.kind,
            one.level,
            trace.spans[one.span].cell if one.span >= 0 else 0,
            trace.line(one.span),
            trace.steps.number[one.row] + 1,
            trace.steps.leaves[one.leaf].name if one.leaf >= 0 else "",
            remark_text(trace, one, lang),
        )


def _stops(trace: Trace) -> Iterator[ReportedStop]:
    for number, cell in enumerate(trace.cells):
        for output in cell.outputs:
            if isinstance(output, Failure):
                operation = stopped_operation(trace, number)
                span = trace.operations.span[operation] if operation >= 0 else output.span
                code = shorten(one_line(trace.text(span)), CODE) if span >= 0 else ""
                yield ReportedStop(output.type, output.text, trace.line(output.span), code)
