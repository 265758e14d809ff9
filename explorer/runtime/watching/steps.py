"""Measure every step of an optimizer: loss, rates, norms, and at times all statistics."""

import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import Any

import torch

from explorer.runtime.recorder.own_hooks import hook_into
from explorer.runtime.watching.losses import hear_backwards
from explorer.runtime.watching.measures import (
    NONE,
    MeasuredRows,
    Pending,
    counts,
    largest,
    nonfinite,
    norms,
    unseen,
    zeros,
)
from explorer.trace.step_statistics import StepRow

_SLICE = 0.6  # share of the allowed time for every step's norms; the rest is for full measurements
_FETCH = 16  # steps whose numbers are fetched from a device together
_SAME = 1e-3  # relative difference below which two probes' factors are equal


@dataclass(frozen=True)
class WatchLimits:
    """Limits on the cost of a watch.

    Attributes:
        share: of the training's time. 0: everything is measured in every step.
        at_once: whether each step's numbers are fetched at once, even if a device is still computing them.
    """

    share: float
    at_once: bool


@dataclass(frozen=True)
class _Measured:
    """A step whose numbers may still be on the device."""

    step: int
    seconds: float
    losses: tuple[torch.Tensor, ...]
    backwards: int
    rates: tuple[float, ...]
    probes: tuple[Pending, Pending] | None
    norms: Pending | None
    full: tuple[Pending, ...]
    batch: list[int]


class StepMeter:
    """Measures each step of one optimizer from now to `close()`.

    Args:
        model: whose parameters are measured.
        optimizer: torch's.
        limits: how much it may cost.
        batch: returns the indices of the current batch's samples.
        report: called with the rows of finished steps.
        guard: suppresses failures, which must not end the training.

    Attributes:
        rows: the measured parameters.
        paused: whether steps are ignored.
    """

    def __init__(
        self,
        model: torch.nn.Module,
        optimizer: torch.optim.Optimizer | None,
        limits: WatchLimits,
        batch: Callable[[], list[int]],
        report: Callable[[list[StepRow]], None],
        guard: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self.rows, self.paused = MeasuredRows(model), False
        self._optimizer, self._limits = optimizer, limits
        self._batch, self._report, self._guard = batch, report, guard
        self._waiting: list[_Measured] = []
        self._losses: list[torch.Tensor] = []
        self._backwards = self._number = 0
        self._began = self._last = time.perf_counter()
        self._spent = self._spent_in_full = 0.0
        self._spent_before = 0.0, 0.0  # when the last step had ended
        self._before: list[torch.Tensor] | None = None
        self._measured: bool | None = None
        self._probe = sorted(self.rows.parameters, key=torch.Tensor.numel)[:2]
        self._after_backward: Pending | None = None
        on_device = any(one.device.type != "cpu" for one in self.rows.parameters)
        self._fetch = _FETCH if on_device and not limits.at_once else 1
        self._ended = ExitStack()
        hear_backwards(self._ended, self._heard)
        if optimizer is not None:
            self._ended.callback(hook_into(optimizer._optimizer_step_pre_hooks, self._before_step))  # type: ignore[attr-defined]

    def close(self) -> None:
        """End measuring, and report the steps that wait."""
        self._ended.close()
        self.flush()

    def _heard(self, losses: list[torch.Tensor]) -> None:
        if self.paused:
            return
        began = time.perf_counter()
        self._backwards += 1
        self._losses += losses
        with self._guard(), unseen():
            if self._measures():
                self._after_backward = self._probes()
        self._spent += time.perf_counter() - began

    def _probes(self) -> Pending:
        """Measure the smallest parameters' gradients, which show whether all gradients are scaled later."""
        return norms([one.grad for one in self._probe])

    def _before_step(self, *_: Any) -> None:
        """Keep the values before a step that is measured in full."""
        began = time.perf_counter()
        if not self.paused and self._allowed(self._spent_in_full, 1 - _SLICE):
            with self._guard(), unseen():
                self._before = [one.detach().clone() for one in self.rows.parameters]
        cost = time.perf_counter() - began
        self._spent += cost
        self._spent_in_full += cost

    def _measures(self) -> bool:
        """Return whether this step's norms are measured, which its first backward decides."""
        if self._measured is None:
            self._measured = self._allowed(self._spent - self._spent_in_full, _SLICE)
        return self._measured

    def _allowed(self, spent: float, part: float) -> bool:
        """Return whether another measurement keeps within the allowed time. The first one always does."""
        share = self._limits.share
        return not share or not self._number or spent <= share * part * (time.perf_counter() - self._began)

    def stepped(self, recorded: bool = False, skipped: bool = False) -> None:
        """Measure the step that has just ended.

        Args:
            recorded: whether its time is no time of the training.
            skipped: whether a scaler left it out. Its gradients overflowed, which is part of scaling, so they are not
                measured.
        """
        began = time.perf_counter()
        with unseen():
            gradients = [one.grad for one in self.rows.parameters]
            probes = None if self._after_backward is None else (self._after_backward, self._probes())
            measured = norms(gradients) if self._measures() and not skipped else None
            at_norms = time.perf_counter()
            stays = skipped or (self._before is None and self._optimizer is not None)
            full = () if stays else self._full(gradients)
        self._spent_in_full += time.perf_counter() - at_norms if full else 0.0
        self._number += 1
        groups = [] if self._optimizer is None else self._optimizer.param_groups
        self._waiting.append(
            _Measured(
                self._number,
                began - self._last,
                tuple(self._losses),
                self._backwards,
                tuple(float(group.get("lr", 0.0)) for group in groups),
                probes,
                measured,
                full,
                self._batch(),
            )
        )
        if recorded:
            self._began += began - self._last
            self._spent, self._spent_in_full = self._spent_before
        self._losses, self._backwards, self._last = [], 0, began
        self._before = self._after_backward = self._measured = None
        if len(self._waiting) >= self._fetch:
            self.flush()
        self._spent += time.perf_counter() - began
        self._spent_before = self._spent, self._spent_in_full

    def _full(self, gradients: list[torch.Tensor | None]) -> tuple[Pending, ...]:
        values: list[Any] = [one.detach() for one in self.rows.parameters]
        updates = (
            [None] * len(values) if self._before is None else [a - b for a, b in zip(values, self._before, strict=True)]
        )
        return (
            counts(gradients, largest),
            counts(gradients, zeros),
            counts(gradients, nonfinite),
            norms(values),
            counts(values, largest),
            counts(values, nonfinite),
            norms(updates),
        )

    def flush(self) -> None:
        """Report the steps that wait."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            with unseen():
                self._report([self._row(one) for one in waiting])

    def _row(self, one: _Measured) -> StepRow:
        loss = sum(float(each) for each in one.losses) if one.losses else None
        measured = b"" if one.norms is None else _bytes(self.rows.norms(one.norms.fetch()))
        return StepRow(
            one.step, one.seconds, loss, one.backwards, list(one.rates), _factor(one.probes), measured,
            self._joined(one.full), batch=one.batch,
        )  # fmt: skip

    def _joined(self, full: tuple[Pending, ...]) -> bytes:
        if not full:
            return b""
        rows = self.rows
        by = (rows.largest, rows.sums, rows.sums, rows.norms, rows.largest, rows.sums, rows.norms)
        return b"".join(_bytes(join(one.fetch())) for join, one in zip(by, full, strict=True))


def _factor(probes: tuple[Pending, Pending] | None) -> float | None:
    """Return the number by which all probed gradients were multiplied, None if there is no single one."""
    if probes is None:
        return None
    pairs = zip(*(one.fetch().tolist() for one in probes), strict=True)
    found = [
        after / before for before, after in pairs if 0 < before < math.inf and after != NONE and math.isfinite(after)
    ]
    return found[0] if found and all(abs(one - found[0]) <= _SAME * abs(found[0]) for one in found) else None


def _bytes(numbers: torch.Tensor) -> bytes:
    return numbers.numpy().astype("<f4").tobytes()
