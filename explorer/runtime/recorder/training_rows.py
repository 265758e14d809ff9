"""The rows of training: steps, their leaves, the places of calls, the tracked leaves."""

import math
import weakref
from typing import Any

import numpy as np
import torch
from msgspec import Struct, field
from torch._C import TensorBase

from explorer.runtime.recorder.measures import NO_SLICES, Copies, Held, Readable, Summary
from explorer.runtime.recorder.memory import shard_of
from explorer.runtime.recorder.summaries import SummaryCache, sample_size
from explorer.trace.steps import ENTRIES

_NEAR, _ROUNDING = 1e-3, 2e-7  # relative to the movement, and to float32 entries


class LeafRow(Struct, gc=False):
    """A leaf at a step, with the fields of trace.StepLeaf.

    Only incomplete leaves have summaries.

    Attributes: before, used: norms, or the entries, whose norm is taken at the end if the step is still kept then.
    after: the moved entries of a leaf that is kept whole, empty if unknown. expected: how an optimizer's own step
    moves a leaf that is kept whole, and `mover` its id.
    """

    leaf: "TrackedLeaf"
    value: bytes
    gradient: bytes
    value_summary: Summary | None
    gradient_summary: Summary | None
    before: float | bytes
    slices: tuple[int, int] = NO_SLICES
    has_gradient: bool = False
    after: bytes = b""
    update_norm: float = math.nan
    used: float | bytes = math.nan
    rate: float = math.nan
    expected: np.ndarray | None = None
    mover: int = 0

    def multiple(self) -> float:
        """Return how many times the expected movement the leaf moved, inf if it moved elsewhere, NaN if unknown."""
        if self.expected is None or len(self.after) != len(self.value):
            return math.nan
        now, was = (np.frombuffer(one, self.leaf.dtype).astype(float) for one in (self.after, self.value))
        with np.errstate(all="ignore"):
            moved, size = now - was, float(self.expected @ self.expected)
            factor = float(moved @ self.expected) / size if size else math.nan
            apart = np.abs(moved - factor * self.expected).max()
            is_along = apart <= _NEAR * np.abs(moved).max() + _ROUNDING * np.abs(was).max()
            return factor if is_along or math.isnan(apart) else math.inf


class RecordedStep(Struct, gc=False):
    """A step, with the fields of trace.Steps."""

    number: int
    backward: int
    rounds: list[tuple[str, str]]
    loss: float
    leaves: list[LeafRow]
    marked: bool = False
    order: int = 0

    @property
    def bytes(self) -> int:
        """Size in a Trace."""
        summaries = sum(128 for leaf in self.leaves if leaf.value_summary is not None)
        entries = sum(2 * len(leaf.value) + len(leaf.gradient) for leaf in self.leaves)
        return 50 + 28 * len(self.leaves) + summaries + entries


class PlaceRow(Struct):
    """A place whose calls are steps.

    Attributes: rows: the steps that are kept, in order. latest: the last step, which is kept only until the next, or
    None if it is among `rows`. finite: whether the last loss was finite. marks: how many steps are kept because the
    loss became non-finite or finite. unmeasured: how many calls were not measured: 1, the first, if nothing announced
    others.
    """

    span: int
    kind: str
    calls: int = 0
    stride: int = 1
    rows: list[RecordedStep] = field(default_factory=list)
    latest: RecordedStep | None = None
    finite: bool = True
    marks: int = 0
    unmeasured: int = 0

    def all(self) -> list[RecordedStep]:
        """Return all currently kept steps."""
        return [*self.rows, self.latest] if self.latest is not None else self.rows


class PendingUpdate(Struct):
    """A leaf whose next state is awaited: its step, and a copy.

    Attributes: copy: its entries, or those of a sample if TrackedLeaf.sampled, and none for a leaf that is kept whole.
    memory: its memory, in case the tensor is gone by then. version: torch's count of writes to it.
    """

    row: LeafRow
    place: PlaceRow
    copy: Any
    memory: Held | None
    version: int


class TrackedLeaf:
    """A leaf over the steps: a tensor, or the successive tensors of a name.

    Attributes: shape: for a sharded tensor, the shape of this process's part. sampled: number of entries behind its
    statistics, 0: all. values, gradients: copies of small entries.
    """

    def __init__(self, tensor: torch.Tensor, index: int, name: str, sampled: int, light: bool) -> None:
        self.ref = weakref.ref(tensor)
        self.tensor, self.name = index, name
        self.shape, self.kind = shard_of(tensor).shape, tensor.dtype
        entries = 0 if TensorBase.is_complex(tensor) else self.shape.numel()
        self.dtype = np.float64 if tensor.dtype is torch.float64 else np.float32
        self.count = entries if entries <= ENTRIES else sampled
        self.pick = 1 if entries <= ENTRIES else entries // sampled
        self.whole = 0 < entries <= ENTRIES
        self.sampled = sample_size(entries) if light else 0
        self.values, self.gradients = Copies(self.dtype), Copies(self.dtype)
        self.rebound = False
        self.optimizer = ""
        self.moving: PendingUpdate | None = None

    def picked(self, entries: Readable) -> bytes:
        """Return the kept entries."""
        return entries.picked(self.pick, self.count, self.dtype)

    def norm(self, gradient: torch.Tensor, summary_cache: SummaryCache) -> float | bytes:
        """Return the norm of a gradient, or a copy for computing it later."""
        copy = self.gradients.of(gradient) if self.whole else None
        return Readable(gradient).norm(summary_cache) if copy is None else copy[0]

    def fits(self, tensor: object) -> bool:
        """Return whether a tensor can be the successor of this leaf."""
        return isinstance(tensor, torch.Tensor) and shard_of(tensor).shape == self.shape and tensor.dtype is self.kind


class StartedStep(Struct):
    """A step that is being measured."""

    place: PlaceRow
    row: RecordedStep
    leaves: list[tuple[torch.Tensor, LeafRow]]
    returned: dict[int, int]  # leaf's id → index of its gradient in the result of torch.autograd.grad
