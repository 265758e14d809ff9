"""Whether an example's result depends on other examples of its batch, and the first operation that makes it so."""

import contextlib
from dataclasses import dataclass

import torch
from msgspec import structs

from explorer.runtime.gradcheck.prober import Prober, Reached
from explorer.runtime.recorder.calls import tensors_in
from explorer.runtime.recorder.source_map import SourceMap
from explorer.trace import Probe, ProbeReading

MOST = 200  # results whose examples are followed back
TOLD = 8  # other examples that are named
NOTHING_MIXES = ProbeReading(float("nan"), float("nan"), (), True)
_reading = torch._C.DisableTorchFunction
_NORMALIZES = ("batch_norm",)  # by the batch, in training: with its running statistics it keeps examples apart


class Follower(Prober):
    """Lets a batch require gradients, keeps what is made of it, and ends the program where its results are there.

    Attributes:
        found: the reading, None before it is there.
    """

    def __init__(self, source_map: SourceMap, probe: Probe) -> None:
        super().__init__(source_map, (probe,), probe.root, None, 0.0)
        self.found: ProbeReading | None = None
        self._probe = probe
        self._batch: torch.Tensor | None = None
        self._made: list[tuple[int, torch.Tensor]] = []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        """Called by torch in place of every call."""
        if getattr(function, "__name__", "") in _NORMALIZES:
            args = tuple(False if given is True else given for given in args)
            kwargs = {name: False if name == "training" else given for name, given in (kwargs or {}).items()}
        return super().__torch_function__(function, types, args, kwargs)

    def _read(self, number: int, name: str, given: list[torch.Tensor]) -> None:
        super()._read(number, name, given)
        leaf = self.leaves.get((self._probe.operation, self._probe.operand))
        if self._batch is None and leaf is not None and leaf.is_floating_point():
            self._follow(leaf)

    def _follow(self, batch: torch.Tensor) -> None:
        with contextlib.suppress(RuntimeError):
            self._batch = batch if batch.requires_grad else batch.requires_grad_()

    def end(self, made, result) -> None:
        """Keep a result; at the last one follow its last example back, and end the program."""
        super().end(made, result)
        with _reading():
            results = tensors_in(result, [])
            if self._batch is None and made.index == self._probe.operation and results:
                self._follow(results[0])
            elif self._batch is not None:
                self._made += [(made.index, one) for one in results if one.requires_grad and len(self._made) < MOST]
            if self.root is not None:
                self.found = self._reading()
                raise Reached

    def _reading(self) -> ProbeReading | None:
        """What the last example depends on, otherwise the first: entries out of order may stay in place at one end."""
        count = self._probe.examples
        if self._batch is None or self.root is None or self.root.shape[:1] != (count,):
            return None
        readings = (self._followed(_Example(self._batch, count, index)) for index in (count - 1, 0))
        return next((found for found in readings if found is not None), NOTHING_MIXES)

    def _followed(self, example: "_Example") -> ProbeReading | None:
        """Where an example begins to depend on others, None if it does not."""
        others, merged = example.others(self.root[example.index]), -1
        for number, made in self._made if others else ():
            own, parts = ([example.others(part) for part in one] for one in example.parts(made))
            if (own or parts) and all((*own, *parts)):
                told = {"mixing": number, "others": tuple(sorted(others)[:TOLD]), "merged": merged}
                return structs.replace(NOTHING_MIXES, example=example.index, **told)
            if not own and not parts and example.others(made):
                return None  # its examples are not known to be apart
            merged = -1 if not all(own) else number if merged < 0 else merged
        return None


@dataclass(frozen=True)
class _Example:
    """An example of a batch. Attributes: count: how many the batch has; index: which one, from 0."""

    batch: torch.Tensor
    count: int
    index: int

    def parts(self, made: torch.Tensor) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """What may be its part of a result: along axes of the examples, and along longer ones that hold them."""
        own, parts = [], []
        for axis, size in enumerate(made.shape):
            if size == self.count:
                own.append(made.select(axis, self.index))
            elif size and size % self.count == 0:
                width = size // self.count
                parts.append(made.narrow(axis, self.index * width, width))
                parts.append(made[(slice(None),) * axis + (slice(self.index, None, self.count),)])
        return own, parts

    def others(self, part: torch.Tensor) -> set[int]:
        """The other examples that a part of a result depends on."""
        generator = torch.Generator().manual_seed(0)
        weights = torch.randn(part.shape, generator=generator, dtype=torch.float32).to(part.dtype)
        (gradient,) = torch.autograd.grad((part * weights).sum(), self.batch, retain_graph=True, allow_unused=True)
        if gradient is None:
            return set()
        axes = [axis for axis, size in enumerate(self.batch.shape) if size == self.count]
        others = ([axis for axis in range(self.batch.ndim) if axis != own] for own in axes)
        reached = (gradient.abs().amax(over) if over else gradient.abs() for over in others)
        return min(({int(row) for row in one.nonzero()} - {self.index} for one in reached), key=len, default=set())
