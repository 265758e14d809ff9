"""The runs for a program's probes: one without a step for each backward, one for each step, and one more without."""

import contextlib
import math
import tempfile
from functools import partial

import torch
from msgspec import structs

from explorer.program import Program
from explorer.runtime.gradcheck.prober import NarrowDraws, ProbedEngine, Prober, Reached
from explorer.runtime.kernel.code_places import add_cell
from explorer.runtime.kernel.imported_files import ImportedFiles
from explorer.runtime.kernel.outputs import LimitReached, Outputs
from explorer.runtime.kernel.run_environment import RunEnvironment
from explorer.runtime.limits import TimeLimit
from explorer.runtime.recorder.assemble import Finished, assemble, readable
from explorer.runtime.recorder.hidden_calls import unrecorded
from explorer.runtime.recorder.recorder import Recorder
from explorer.runtime.recorder.source_map import SourceMap
from explorer.trace import Cell, Options, Probe, ProbeReading, Trace

_SHARE = 0.85  # share of the time limit; the rest is for the answer


def probed(program: Program, options: Options, private: str = "") -> Trace:
    """A Trace that holds only readings, one for each probe; NaN for those that had no time."""
    source_map = SourceMap()
    cells = [Cell(readable(cell.text), [], cell.first_line) for cell in program.cells]
    empty = assemble(Finished.of(Recorder(source_map, complete=False)), cells, program.notes, options)
    runs = _Readings(program, options, source_map, private)
    with (
        contextlib.suppress(LimitReached, MemoryError),
        TimeLimit(options.time_limit * _SHARE, options.patience * _SHARE, _time_is_up),
    ):
        runs.read()
    return structs.replace(empty, readings=runs.found())


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

    def read(self) -> None:
        """Do all runs, the probes in their order."""
        groups: dict[tuple, list[int]] = {}
        for number, probe in enumerate(self.options.probes):
            groups.setdefault(_backward_of(probe), []).append(number)
        for backward, numbers in groups.items():
            self.base[backward] = self._value(backward, numbers)
        for number, probe in enumerate(self.options.probes):
            if math.isfinite(_or_nan(self.base.get(_backward_of(probe)))):
                for at, by in enumerate(probe.steps):
                    self.moved[number, at] = self._value(_backward_of(probe), [], probe, by)
        for backward in groups:
            self.again[backward] = self._value(backward, [])

    def found(self) -> list[ProbeReading]:
        """A reading for each probe."""
        nan = math.nan
        readings = []
        for number, probe in enumerate(self.options.probes):
            backward = _backward_of(probe)
            value, again = (_or_nan(values.get(backward)) for values in (self.base, self.again))
            moved = tuple(self.moved.get((number, at)) for at in range(len(probe.steps)))
            same = backward not in self.again or value == again or (value != value and again != again)
            readings.append(ProbeReading(value, self.gradients.get(number, nan), moved, same))
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
