"""Distances between the gradients of the same steps, and whether they are rounding."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import torch
from torch.utils._pytree import tree_map_only

from explorer.runtime.module_forms.steps import FormSide, FormStep, Moved, Stage

# dtype → allowed difference between two summation orders, relative to a gradient's largest entry.
_ROUNDING = {torch.float64: 1e-12, torch.float32: 1e-5, torch.float16: 5e-3, torch.bfloat16: 2e-2}
_DRAWS = 3  # steps whose numbers are shifted by one rounding
_AS_MUCH = 10  # how many times the measured effect is allowed


@dataclass(frozen=True)
class GradientGap:
    """A gradient that differs between two modules.

    Attributes: name: of the parameter, or "input 0" of the first input with requires_grad. step: from 1. left, right:
    the entries that differ most. They are norms if only one side has a gradient or the shapes differ, and None for no
    gradient. index: of those entries, None for norms. relative: their distance relative to the left's largest entry.
    """

    name: str
    step: int
    left: float | complex | None
    right: float | complex | None
    index: tuple[int, ...] | None
    relative: float


class FormGaps:
    """The distances of a side's gradients from the first's.

    Args: left: the steps of the first. bounds: rtol and atol. Entries agree within atol + rtol · |right|. None and
    None: rounding, as large as it is here. coarse: the dtype in which the other side computes. None: that of its
    parameters.
    """

    def __init__(
        self,
        stage: Stage,
        other: FormSide,
        left: list[FormStep],
        bounds: tuple[float | None, float | None] = (None, None),
        coarse: str | None = None,
    ) -> None:
        self._stage, self.left = stage, left
        self._bounds = None if bounds == (None, None) else (bounds[0] or 0.0, bounds[1] or 0.0)
        dtypes = {held.dtype for side in (stage.first, other) for held in side.named().values()}
        dtypes |= {getattr(torch, coarse)} if coarse is not None else set()
        floating = [dtype for dtype in dtypes if dtype in _ROUNDING]
        self._dtype = max(floating, key=_ROUNDING.__getitem__, default=torch.float32)

    def of(self, right: Sequence[FormStep]) -> list[GradientGap]:
        """Return the gradients that differ from the first's."""
        return self.between(self.left, right)

    def between(self, left: Sequence[FormStep], right: Sequence[FormStep]) -> list[GradientGap]:
        """Return the differing gradients of any two sides."""
        apart = bits(left, right)
        if self._bounds is not None:
            return [gap for gap in apart if gap.index is None or not self._bounded(gap, left, right)]
        apart = [gap for gap in apart if gap.relative > _ROUNDING[self._dtype]]
        return [gap for gap in apart if gap.relative > self._noise.get((gap.step, gap.name), 0.0)]

    def _bounded(self, gap: GradientGap, left: Sequence[FormStep], right: Sequence[FormStep]) -> bool:
        a, b = (steps[gap.step - 1].gradients[gap.name] for steps in (left, right))
        assert a is not None and b is not None and self._bounds is not None, "their entries differ"
        return torch.allclose(a, b.to(a.dtype), *self._bounds, equal_nan=True)

    @cached_property
    def _noise(self) -> Mapping[tuple[int, str], float]:
        """The effect on each gradient of rounding parameters and input."""
        largest: dict[tuple[int, str], float] = {}
        for number in range(_DRAWS):
            moved = Moved(torch.finfo(self._dtype).eps, torch.Generator().manual_seed(number))
            first = self._stage.first
            for gap in bits(
                self.left, self._stage.steps(first, moved=moved, around=partial(_results_moved, first, moved))
            ):
                at = gap.step, gap.name
                largest[at] = max(largest.get(at, 0.0), _AS_MUCH * gap.relative)
        return largest

    def repeats(self, side: FormSide, made: Sequence[FormStep]) -> bool:
        """Return whether a side repeats its steps from the same state."""
        again = bits(made, self._stage.steps(side))
        return all(gap.relative <= _ROUNDING[self._dtype] for gap in again)


@contextmanager
def _results_moved(side: FormSide, moved: Moved) -> Iterator[None]:
    """Move the innermost modules' results by a rounding in a context."""
    inner = [module for module in side.module.modules() if not any(module.children())]
    handles = [
        module.register_forward_hook(lambda _module, _given, made: tree_map_only(torch.Tensor, moved, made))
        for module in inner
    ]
    yield
    for handle in handles:
        handle.remove()


def bits(left: Sequence[FormStep], right: Sequence[FormStep]) -> list[GradientGap]:
    """Return the gradients with different bits, in the common steps."""
    return [
        gap
        for number, (mine, other) in enumerate(zip(left, right, strict=False), 1)
        for name, gradient in mine.gradients.items()
        if (gap := _gap(name, number, gradient, other.gradients.get(name))) is not None
    ]


def _gap(name: str, step: int, left: torch.Tensor | None, right: torch.Tensor | None) -> GradientGap | None:
    if left is None or right is None or left.shape != right.shape:
        if left is None and right is None:
            return None
        numbers = [None if one is None else one.norm().item() for one in (left, right)]
        return GradientGap(name, step, numbers[0], numbers[1], None, math.inf)
    if torch.equal(left, right.to(left.dtype)) and left.dtype == right.dtype:
        return None
    a, b = (one.to(torch.complex128 if one.is_complex() else torch.float64) for one in (left, right))
    apart = torch.where((a == b) | (a.isnan() & b.isnan()), 0.0, (a - b).abs()).nan_to_num(math.inf, math.inf)
    if not apart.numel() or not apart.any():
        return None
    at = int(apart.argmax())
    scale = a.abs().nan_to_num(0.0, 0.0).max().item()
    relative = apart.flatten()[at].item() / scale if scale else math.inf
    index = tuple(map(int, np.unravel_index(at, tuple(left.shape)))) if left.dim() else ()
    return GradientGap(name, step, a.flatten()[at].item(), b.flatten()[at].item(), index, relative)
