"""The runs for a program's probes: one without a step for each backward, one for each step, and one more without."""

import contextlib
import math
import tempfile
from dataclasses import dataclass
from functools import partial

import torch
from msgspec import structs

from explorer.program import Program
from explorer.runtime.gradcheck.prober import NarrowDraws, ProbedEngine, Prober, Reached
from explorer.runtime.gradcheck.repeats import repeated
from explorer.runtime.kernel.code_places import add_cell
from explorer.runtime.kernel.imported_files import ImportedFiles
from explorer.runtime.kernel.outputs import LimitReached, Outputs
from explorer.runtime.kernel.run_environment import RunEnvironment
from explorer.runtime.limits import TimeLimit
from explorer.runtime.recorder.assemble import Finished, assemble, readable
from explorer.runtime.recorder.calls import tensors_in
from explorer.runtime.recorder.hidden_calls import unrecorded
from explorer.runtime.recorder.recorder import Recorder
from explorer.runtime.recorder.source_map import SourceMap
from explorer.trace import Cell, Options, Probe, ProbeReading, Trace

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
        return next((reading for reading in readings if reading is not None), NOTHING_MIXES)

    def _followed(self, example: "_Example") -> ProbeReading | None:
        """Where an example begins to depend on others, None if it does not."""
        others, merged = example.others(self.root[example.index]), -1
        for number, made in self._made if others else ():
            own, parts = ([example.others(part) for part in one] for one in example.parts(made))
            if (own or parts) and all((*own, *parts)):
                facts = {"mixing": number, "others": tuple(sorted(others)[:TOLD]), "merged": merged}
                return structs.replace(NOTHING_MIXES, example=example.index, **facts)
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


_SHARE = 0.85  # share of the time limit; the rest is for the answer


def probed(program: Program, options: Options, private: str = "") -> Trace:
    """A Trace that holds only readings, one for each probe; NaN for those that had no time.

    Where calls of a recording are to be made again, one for each value, or none.
    """
    source_map, again = SourceMap(), options.repeat
    cells = [Cell(readable(cell.text), [], cell.first_line) for cell in program.cells]
    options = structs.replace(options, repeat=None)
    empty = assemble(Finished.of(Recorder(source_map, complete=False)), cells, program.notes, options)
    runs, readings = _Readings(program, options, source_map, private), list[ProbeReading]()
    with (
        contextlib.suppress(LimitReached, MemoryError),
        TimeLimit(options.time_limit * _SHARE, options.patience * _SHARE, _time_is_up),
    ):
        if again is not None:
            readings = repeated(again)
        runs.read()
    return structs.replace(empty, readings=runs.found() or readings)


class _Readings:
    """All runs of one request. Attributes: base: (value, gradients by probe) of each call; again: the values of a
    second run.
    """

    def __init__(self, program: Program, options: Options, source_map: SourceMap, private: str) -> None:
        self.program, self.options, self.source_map, self._private = program, options, source_map, private
        for cell, source in enumerate(program.cells):
            add_cell(source_map, cell, source.text)
        self.imported = ImportedFiles(source_map)
        self.base: dict[tuple, float | None] = {}
        self.again: dict[tuple, float | None] = {}
        self.seeds: dict[tuple, list[torch.Tensor | None]] = {}  # of the run without a step: no later one moves them
        self.gradients: dict[int, float] = {}
        self.moved: dict[tuple[int, int], float | None] = {}
        self.followed: dict[int, ProbeReading] = {}

    def read(self) -> None:
        """Do all runs, the probes in their order."""
        groups: dict[tuple, list[int]] = {}
        for number, probe in enumerate(self.options.probes):
            if probe.examples:
                self._follow(number, probe)
                continue
            groups.setdefault(_backward_of(probe), []).append(number)
        for backward, numbers in groups.items():
            self.base[backward] = self._value(backward, numbers)
        for number, probe in enumerate(self.options.probes):
            if math.isfinite(_or_nan(self.base.get(_backward_of(probe)))):
                for at, by in enumerate(probe.steps):
                    self.moved[number, at] = self._value(_backward_of(probe), [], probe, by)
        for backward in groups:
            self.again[backward] = self._value(backward, [])

    def _follow(self, number: int, probe: Probe) -> None:
        """Follow an example back."""
        follower = Follower(self.source_map, probe)
        self._run(follower, ProbedEngine(follower, -1, lambda *_: None))
        if follower.found is not None:
            self.followed[number] = follower.found

    def found(self) -> list[ProbeReading]:
        """A reading for each probe."""
        nan = math.nan
        readings = []
        for number, probe in enumerate(self.options.probes):
            backward = _backward_of(probe)
            value, again = (_or_nan(values.get(backward)) for values in (self.base, self.again))
            moved = tuple(self.moved.get((number, at)) for at in range(len(probe.steps)))
            same = backward not in self.again or value == again or (value != value and again != again)
            reading = ProbeReading(value, self.gradients.get(number, nan), moved, same)
            readings.append(self.followed.get(number, reading))
        return readings

    def _value(self, backward: tuple, numbers: list[int], moved: Probe | None = None, by: float = 0.0) -> float | None:
        """The root of a backward, None if the run did not get there; with the gradients of these probes."""
        probes = [self.options.probes[number] for number in numbers]
        call, root = backward
        prober = Prober(self.source_map, (*probes, *([moved] if moved else [])), root, moved, by)
        read: list[float] = []

        def reached(outputs, given) -> None:
            own = [None if seed is None else seed.detach().clone() for seed in given]
            seeds = self.seeds.setdefault(backward, own)
            read.append(_weighted(outputs, seeds))
            for number, probe in zip(numbers, probes, strict=True):
                leaf = prober.leaves.get((probe.operation, probe.operand))
                self.gradients[number] = _gradient(outputs, seeds, leaf, probe.entry)

        self._run(prober, ProbedEngine(prober, call, reached))
        if call < 0 and (made := prober.root) is not None:
            with contextlib.suppress(RuntimeError):
                reached([made], [self._start(made)])
        return read[0] if read and prober.has_moved == (moved is not None) else None

    def _start(self, root: torch.Tensor) -> torch.Tensor:
        """The requested starting gradient."""
        start, seed = self.options.start, torch.ones_like(root)
        if not start:
            return seed
        return seed * (torch.tensor(start, dtype=root.dtype).reshape(root.shape) if len(start) > 1 else start[0])

    def _run(self, prober: Prober, engine: ProbedEngine) -> None:
        """Run the program from its first cell up to the backward."""
        outputs = Outputs(self.options.output_limit, lambda: -1)
        around = RunEnvironment(
            outputs,
            self.source_map,
            partial(unrecorded, prober),
            lambda *_: -1,
            self.program,
            tempfile.mkdtemp(dir=self._private) if self._private else "",  # nothing of the run before
            self.imported.load,
        )
        default = torch.get_default_dtype()
        try:
            with around.around(self.options.seed), contextlib.suppress(Reached):
                torch.set_default_dtype(torch.float64)
                with engine, NarrowDraws(), prober:
                    self._run_cells(around, outputs)
        finally:
            torch.set_default_dtype(default)
            around.forget()

    def _run_cells(self, around: RunEnvironment, outputs: Outputs) -> None:
        shell = around.shell
        for cell, source in enumerate(self.program.cells):
            shell.compile.running = cell
            result = shell.run_cell(source.text, store_history=True)
            problem = result.error_before_exec or result.error_in_exec
            if isinstance(problem, Reached | LimitReached | MemoryError):
                raise problem
            if problem is not None and self.options.stop_on_error:
                return
            outputs.end()


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def _backward_of(probe: Probe) -> tuple[int, tuple[int, int]]:
    return probe.call, (probe.root[0], probe.root[1])


def _weighted(outputs, seeds) -> float:
    """The sum of the entries of all roots, each times its starting gradient; NaN if that is not a number."""
    total = 0.0
    if len(outputs) != len(seeds):
        return math.nan
    for output, seed in zip(outputs, seeds, strict=True):
        if not isinstance(output, torch.Tensor) or output.is_complex():
            return math.nan
        weight = torch.ones_like(output) if seed is None else seed
        if weight.shape != output.shape:
            return math.nan
        total += float((output.detach().double() * weight.detach().double()).sum())
    return total


def _gradient(outputs, seeds, leaf: torch.Tensor | None, entry: int) -> float:
    """Autograd's gradient of an entry; 0 without a gradient, NaN if it cannot be computed."""
    if leaf is None or not leaf.requires_grad or entry >= leaf.numel():
        return math.nan
    try:
        (gradient,) = torch.autograd.grad(outputs, [leaf], seeds, retain_graph=True, allow_unused=True)
        return 0.0 if gradient is None else float(gradient.reshape(-1)[entry])
    except (RuntimeError, ValueError, TypeError):
        return math.nan


def _time_is_up(_frame: object, _stopped: float | None) -> None:
    raise LimitReached("time")
