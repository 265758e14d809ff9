"""Record each backward in a loop as a training step.

They are measured even if the operations around them are not recorded. Every 2ᵏ-th step of a place is kept, so a long
loop costs little more than its first thousand rounds.
"""

import math
import struct
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import torch
from torch._C import TensorBase

from explorer.runtime.recorder import properties
from explorer.runtime.recorder.measures import NO_SUMMARY, Copies, Readable
from explorer.runtime.recorder.own_steps import own_step
from explorer.runtime.recorder.sharded_parameters import with_sharded
from explorer.runtime.recorder.source_map import SourceMap
from explorer.runtime.recorder.tensors import TensorBook, gone
from explorer.runtime.recorder.training_call import held_under, leaves_of, loss_of, names_at, rounds_at
from explorer.runtime.recorder.training_rows import (
    LeafRow,
    PendingUpdate,
    PlaceRow,
    RecordedStep,
    StartedStep,
    TrackedLeaf,
)
from explorer.trace.steps import ENTRIES, FEW

_MOST = 1_024  # most steps kept
_LEAST = 1_000_000  # bytes that are always kept
_MARKED = 16  # steps per place that are always kept because the loss turns finite or non-finite
_LEAVES = 1_000  # most leaves tracked
_SAMPLED = 512, 8  # total sampled entries of all leaves in a step, and minimum entries per leaf
_NUMBER = struct.Struct("<f")
_EXPECTED = 16  # most steps of an optimizer compared with torch's own
_COPIED = 8_000_000  # most entries copied per step to measure the leaves' movement


class TrainingSteps:
    """The steps of a run.

    Attributes:
        few: calls of a place up to which they make no steps.
        around: the frame in which the recording began, and its instruction: loops around that do not count.

    Args:
        room: bytes that they may take in a Trace.
    """

    def __init__(self, source_map: SourceMap, tensors: TensorBook, room: int) -> None:
        self.places: dict[tuple[int, str], PlaceRow] = {}
        self.left_out = 0  # number of leaves beyond the limit
        self.few = FEW
        self.around: tuple[Any, int] = None, -1
        self._source_map, self._tensors, self._room = source_map, tensors, room
        self.leaves: list[TrackedLeaf] = []
        self._known: dict[int, TrackedLeaf] = {}  # tensor's id → leaf
        self._moving: list[TrackedLeaf] = []
        self._bytes = self._kept = self._order = 0
        self._light = tensors.values.summary_cache.light
        self._losses = Copies(np.float32)
        self._optimizer: Any = None  # a weak reference to the stepping optimizer
        self._compared: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()  # compared steps

    # ---- a backward ---------------------------------------------------------------------------------------------

    def begin(
        self,
        outputs,
        accumulates: bool,
        inputs,
        frame: FrameType | None,
        watched: bool,
        recorded: Callable[[], list[torch.Tensor] | None] | None,
    ) -> StartedStep | None:
        """Measure a backward before it runs, None if it makes no step.

        Args: outputs, inputs: of the call. accumulates: whether it adds to `.grad`. frame: the program's frame that
        called it. watched: whether operations are recorded now. recorded: returns the leaves below the roots, if their
        graph is recorded.
        """
        span = -1 if frame is None else self._source_map.call_site(frame).span
        key = span, "backward" if accumulates else "grad"
        place = self.places.get(key)
        if place is None:
            place = self.places[key] = PlaceRow(*key)
        number, place.calls = place.calls, place.calls + 1
        loss = self._loss(outputs)
        marked = place.finite is not (finite := math.isfinite(loss)) and place.marks < _MARKED
        place.finite = finite
        if not number and self.few and not self._moving and frame is not None and not self._repeats(frame):
            place.unmeasured = 1
            return None  # most recordings end after the first backward
        taken = watched or marked or number % place.stride == 0
        if not taken and self._moved_in_place(place):
            return None
        summary_cache = self._tensors.values.summary_cache
        summary_cache.moment += not watched
        there = self._resolved(with_sharded(leaves_of(outputs, inputs, recorded and recorded())), place, frame)
        self._moved({id(leaf) for _, leaf in there}, place)
        if not taken:
            return None
        place.marks += marked
        row = RecordedStep(number, 0, [] if frame is None else rounds_at(self._source_map, frame), loss, [], marked)
        begun = StartedStep(place, row, [], {} if accumulates else {id(tensor): i for i, tensor in enumerate(inputs)})
        copied = 0
        for tensor, leaf in there:
            copied += leaf.sampled or TensorBase.numel(tensor)
            held = self._before(tensor, leaf, place, accumulates, copied <= _COPIED)
            begun.leaves.append((tensor, held))
            row.leaves.append(held)
        return begun

    def _repeats(self, frame: FrameType) -> bool:
        """Return whether a loop or library may revisit this place."""
        walk: FrameType | None = frame
        first, begun = self.around
        while walk is not None and self._source_map.files[walk.f_code.co_filename] >= 0:
            around = self._source_map.call_site(walk).around
            if any(walk is not first or not loop.start <= begun <= loop.end for loop in around):
                return True
            if walk is first or walk.f_code.co_name == "<module>":
                return False
            walk = walk.f_back
        return True

    def _loss(self, outputs) -> float:
        copy = self._losses.of(outputs[0]) if len(outputs) == 1 else None
        if copy is not None:
            return _NUMBER.unpack(copy[0])[0]
        if len(outputs) == 1 and isinstance(outputs[0], torch.Tensor) and TensorBase.numel(outputs[0]) == 1:
            self._losses.learn(outputs[0], Readable(outputs[0]))
        return loss_of(outputs)

    def _before(
        self, tensor: torch.Tensor, leaf: TrackedLeaf, place: PlaceRow, accumulates: bool, follow: bool
    ) -> LeafRow:
        """Measure a leaf before the backward, with `follow` also its movement."""
        summary_cache, summary, copy = self._tensors.values.summary_cache, None, None
        whole_copy = leaf.values.of(tensor) if leaf.whole else None
        if whole_copy is not None:
            value, memory = whole_copy
        else:
            entries = Readable(tensor)
            follow = follow and bool(entries)
            value, memory = leaf.picked(entries), entries.held() if follow else None
            if leaf.whole:
                leaf.values.learn(tensor, entries)
            else:
                summary, copy = entries.summary(summary_cache), entries.copied(leaf.sampled) if follow else None
        gradient = properties.gradient(tensor) if accumulates else None
        held = LeafRow(leaf, value, b"", summary, None, 0.0 if gradient is None else leaf.norm(gradient, summary_cache))
        if follow:
            self._moving.append(leaf)
            leaf.moving = PendingUpdate(held, place, copy, memory, properties.version(tensor))
        return held

    def end(self, begun: StartedStep, results: object, backward: int) -> None:
        """Measure the gradients after the backward.

        `backward` is its row, 0 if it was not recorded.
        """
        summary_cache = self._tensors.values.summary_cache
        summary_cache.moment += not backward
        begun.row.backward = backward
        for tensor, held in begun.leaves:
            leaf = held.leaf
            if begun.returned:
                at = begun.returned.get(id(tensor))
                gradient = results[at] if at is not None and isinstance(results, tuple) else None
            else:
                gradient = properties.gradient(tensor)
            copy = leaf.gradients.of(gradient) if leaf.whole and gradient is not None else None
            if copy is not None:
                held.has_gradient, held.gradient = True, copy[0]
                continue
            entries = None if gradient is None else Readable(gradient)
            if entries:
                held.has_gradient, held.gradient = True, leaf.picked(entries)
                if leaf.whole:
                    leaf.gradients.learn(gradient, entries)
                held.gradient_summary = None if leaf.whole else entries.summary(summary_cache)
                if held.gradient_summary is not None and len(leaf.shape) > 1 and not leaf.sampled:
                    held.slices = entries.slices(tuple(leaf.shape), held.gradient_summary)
            else:
                held.gradient = np.full(leaf.count, math.nan, leaf.dtype).tobytes()
                held.gradient_summary = None if leaf.whole else NO_SUMMARY
        optimizer = None if self._optimizer is None else self._optimizer()
        if optimizer is not None:  # the optimizer called this backward
            self._rated(optimizer, [held for _, held in begun.leaves])
        self._keep(begun.place, begun.row)

    def failed(self, begun: StartedStep) -> None:
        """Discard a backward that raised: it is not a step."""
        begun.place.calls -= 1

    def _keep(self, place: PlaceRow, row: RecordedStep) -> None:
        if place.latest is not None:
            self._bytes -= place.latest.bytes
            self._kept -= 1
            place.latest = None
        self._order += 1
        row.order = self._order
        if row.marked or row.number % place.stride == 0:
            place.rows.append(row)
        else:
            place.latest = row
        self._bytes += row.bytes
        self._kept += 1
        self._fit()

    def give_way(self) -> bool:
        """Drop steps until half the bytes are left. Return whether any went."""
        before = self._bytes
        self._room = max(_LEAST, before // 2)
        self._fit()
        return self._bytes < before

    def _fit(self) -> None:
        while (self._bytes > self._room or self._kept > _MOST) and self._thin():
            pass

    def _thin(self) -> bool:
        """Drop half the steps of the largest place. Return whether any went."""
        place = max(self.places.values(), key=lambda place: len(place.rows))
        if len(place.rows) <= 2:
            return False
        place.stride *= 2
        last = place.rows[-1]
        rest = [row for row in place.rows if row.number % place.stride == 0 or row.marked]
        if last is not rest[-1] and place.latest is None:
            place.latest = last
        remaining = {id(row) for row in (*rest, place.latest)}
        gone = [row for row in place.rows if id(row) not in remaining]
        self._bytes -= sum(row.bytes for row in gone)
        self._kept -= len(gone)
        place.rows = rest
        return True

    # ---- what moves the leaves ----------------------------------------------------------------------------------

    def stepping(self, optimizer: object) -> None:
        """Begin an optimizer's step."""
        self._optimizer = weakref.ref(optimizer)
        self._rated(optimizer, [leaf.moving.row for leaf in self._moving if leaf.moving is not None])

    def expect(self, optimizer: Any) -> None:
        """Compute where an optimizer's step, which is about to run, would move the leaves that are kept whole."""
        if self._compared.get(optimizer, 0) >= _EXPECTED:
            return
        self._compared[optimizer] = self._compared.get(optimizer, 0) + 1
        waiting = {id(tensor): leaf for leaf in self._moving if leaf.whole and (tensor := leaf.ref()) is not None}
        for key, moved in own_step(optimizer, waiting).items():
            leaf = waiting[key]
            row = None if leaf.moving is None else leaf.moving.row
            if row is not None and row.mover in (0, id(optimizer)):
                row.expected = moved if row.expected is None else row.expected + moved
                row.mover = id(optimizer)

    def stepped(self) -> None:
        """End an optimizer's step."""
        self._optimizer = None

    def _rated(self, optimizer: Any, rows: list[LeafRow]) -> None:
        """Record the rate that the optimizer is about to use for some leaves."""
        waiting = {id(tensor): row for row in rows if (tensor := row.leaf.ref()) is not None}
        if not waiting:
            return
        for group in vars(optimizer).get("param_groups", ()):
            rate = group.get("lr")
            for tensor in group.get("params", ()):
                row = waiting.get(id(tensor))
                if row is None:
                    continue
                gradient = properties.gradient(tensor)
                if gradient is None:
                    continue
                row.used = row.leaf.norm(gradient, self._tensors.values.summary_cache)
                row.rate = float(rate) if isinstance(rate, int | float | torch.Tensor) else math.nan
                row.leaf.optimizer = type(optimizer).__name__

    def _moved(self, there: set[int], place: PlaceRow) -> None:
        """Measure the movement of leaves (by id) that a backward reaches."""
        still = []
        for leaf in self._moving:
            if leaf.moving is not None and (id(leaf) in there or leaf.moving.place is place):
                self._settle(leaf, leaf.ref())
            elif leaf.moving is not None:
                still.append(leaf)
        self._moving = still

    def _moved_in_place(self, place: PlaceRow) -> bool:
        """Measure leaves that were all written in place since a step.

        Return whether they were: then the graph need not show replacements.
        """
        there = [(leaf, leaf.moving, leaf.ref()) for leaf in self._moving]
        for _, moving, tensor in there:
            if moving is None or moving.place is not place or tensor is None:
                return False
            if properties.version(tensor) == moving.version:
                return False
        for leaf, _, tensor in there:
            self._settle(leaf, tensor)
        self._moving = []
        return True

    def _settle(self, leaf: TrackedLeaf, tensor: Any) -> None:
        """Measure a leaf's movement up to its present value."""
        moving, leaf.moving = leaf.moving, None
        if moving is None:
            return
        row = moving.row
        copy = leaf.values.of(tensor) if leaf.whole and tensor is not None else None
        if copy is not None:
            row.after = copy[0]
            return
        if leaf.fits(tensor):
            entries = Readable(tensor)
        elif moving.memory is not None and not leaf.rebound:
            entries = Readable.of_memory(moving.memory)
        else:
            return
        if leaf.whole:
            row.after = leaf.picked(entries)
        else:
            row.update_norm = entries.moved(moving.copy, leaf.sampled)

    def finish(self, namespaces: list[dict]) -> None:
        """Measure the final movement of the last steps' leaves."""
        for leaf in self._moving:
            now: object = leaf.ref()
            if leaf.rebound:
                now = next((held for held in held_under(leaf.name, namespaces) if leaf.fits(held)), None)
            self._settle(leaf, now)
        self._moving = []

    # ---- leaves -------------------------------------------------------------------------------------------------

    def _resolved(
        self, there: list[torch.Tensor], place: PlaceRow, frame: FrameType | None
    ) -> list[tuple[torch.Tensor, TrackedLeaf]]:
        """Return tensors with their tracked leaves, adding new ones."""
        leaves = [self._find(tensor) for tensor in there]
        fresh = {id(tensor): tensor for tensor, leaf in zip(there, leaves, strict=True) if leaf is None}
        if not fresh:
            return [(tensor, leaf) for tensor, leaf in zip(there, leaves, strict=True) if leaf is not None]
        names = {} if frame is None else names_at(fresh, frame, self._source_map)
        present = {id(leaf) for leaf in leaves if leaf is not None}
        sampled = min(ENTRIES, max(_SAMPLED[1], _SAMPLED[0] // len(there)))
        resolved = []
        for at, (tensor, leaf) in enumerate(zip(there, leaves, strict=True)):
            name = names.get(id(tensor), "")
            leaf = leaf or self._predecessor(tensor, at, place, name, present)
            if leaf is None and len(self.leaves) >= _LEAVES:
                self.left_out += 1
                continue
            if leaf is None:
                leaf = TrackedLeaf(tensor, self._tensors.find(tensor), name, sampled, self._light)
                self.leaves.append(leaf)
            elif id(tensor) in fresh:
                leaf.ref, leaf.rebound = weakref.ref(tensor), True
            self._known[id(tensor)] = leaf
            present.add(id(leaf))
            resolved.append((tensor, leaf))
        return resolved

    def _find(self, tensor: torch.Tensor) -> TrackedLeaf | None:
        leaf = self._known.get(id(tensor))
        return leaf if leaf is not None and leaf.ref() is tensor else None

    def _predecessor(
        self, tensor: torch.Tensor, at: int, place: PlaceRow, name: str, present: set[int]
    ) -> TrackedLeaf | None:
        """Return the leaf that had this name, or this position a step before.

        A parameter has no predecessor: another parameter belongs to another model.
        """
        if isinstance(tensor, torch.nn.Parameter):
            return None
        if name:
            same = (leaf for leaf in self.leaves if leaf.name == name)
            return next((leaf for leaf in same if id(leaf) not in present and leaf.fits(tensor)), None)
        before = place.all()[-1].leaves if place.all() else []
        leaf = before[at].leaf if at < len(before) else None
        return leaf if leaf is not None and not leaf.name and id(leaf) not in present and leaf.fits(tensor) else None

    def drop(self) -> None:
        """Drop all steps."""
        self.places.clear()
        self.leaves.clear()

    def forget(self) -> None:
        """Release every tensor."""
        self._moving, self._optimizer, self.around = [], None, (None, -1)
        self._known.clear()
        for leaf in self.leaves:
            leaf.moving, leaf.ref = None, gone  # type: ignore[assignment]
