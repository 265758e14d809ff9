"""The rows of training: steps, the leaves at each, the places that they are called at, the leaves that are followed."""

import math
import weakref
from typing import Any

import numpy as np
import torch
from msgspec import Struct, field

from explorer.runtime.recording.measures import NO_SLICES, Summary
from explorer.trace.steps import ENTRIES


class LeafRow(Struct, gc=False):
    """One leaf at one step; the fields are those of trace.StepLeaf. Summaries: of a leaf that is not kept whole."""

    leaf: "Followed"
    value: bytes
    gradient: bytes
    value_summary: Summary | None
    gradient_summary: Summary | None
    before: float
    slices: tuple[int, int] = NO_SLICES
    has_gradient: bool = False
    update: bytes = b""
    update_norm: float = math.nan
    used: float = math.nan
    rate: float = math.nan


class StepRow(Struct, gc=False):
    """One step; the fields are those of trace.Steps."""

    number: int
    backward: int
    rounds: list[tuple[str, str]]
    loss: float
    leaves: list[LeafRow]
    marked: bool = False
    order: int = 0

    @property
    def bytes(self) -> int:
        """What it takes in a Trace."""
        summaries = sum(128 for leaf in self.leaves if leaf.value_summary is not None)
        entries = sum(len(leaf.value) + len(leaf.gradient) + len(leaf.update or leaf.value) for leaf in self.leaves)
        return 50 + 28 * len(self.leaves) + summaries + entries


class PlaceRow(Struct):
    """A place whose calls are steps.

    Attributes:
        rows: the steps that are kept, in order.
        latest: the last one, which stays only until the next, None where it is among `rows`.
        finite: whether the last loss was.
        marks: how many steps are kept because the loss ceased to be finite or became so again.
    """

    span: int
    kind: str
    calls: int = 0
    stride: int = 1
    rows: list[StepRow] = field(default_factory=list)
    latest: StepRow | None = None
    finite: bool = True
    marks: int = 0

    def all(self) -> list[StepRow]:
        """All that are kept at the moment."""
        return [*self.rows, self.latest] if self.latest is not None else self.rows


class Moving(Struct):
    """A leaf whose next state is awaited: its step, and a copy of it.

    Attributes:
        memory: where it lies as NumPy array and what keeps that alive, should the tensor be gone by then.
    """

    row: LeafRow
    place: PlaceRow
    copy: Any
    memory: Any


class Followed:
    """A leaf over the steps: one tensor, or those that one name stood for in turn."""

    def __init__(self, tensor: torch.Tensor, known: int, name: str, sampled: int) -> None:
        self.ref = weakref.ref(tensor)
        self.tensor, self.name = known, name
        self.shape, self.kind = tensor.shape, tensor.dtype
        entries = 0 if tensor.is_complex() else tensor.numel()
        self.dtype = np.float64 if tensor.dtype is torch.float64 else np.float32
        self.count = entries if entries <= ENTRIES else sampled
        self.pick = 1 if entries <= ENTRIES else entries // sampled
        self.whole = 0 < entries <= ENTRIES
        self.rebound = False
        self.optimizer = ""
        self.moving: Moving | None = None

    def fits(self, tensor: object) -> bool:
        """Whether a tensor may be what this leaf became."""
        return isinstance(tensor, torch.Tensor) and tensor.shape == self.shape and tensor.dtype is self.kind


class Begun(Struct):
    """A step that is being taken."""

    place: PlaceRow
    row: StepRow
    leaves: list[tuple[torch.Tensor, LeafRow]]
    returned: dict[int, int]  # by id of a leaf which of the results of torch.autograd.grad is its gradient
