"""The runs for a program's probes: one for each step."""

import contextlib
import itertools
import math
import tempfile
from functools import partial
from typing import Any

import torch
from msgspec import structs
from torch.autograd.graph import GradientEdge

from explorer.program import Program
from explorer.runtime.gradcheck.prober import NarrowDraws, ProbedEngine, Prober, Reached, as_real, at_padding, direction
from explorer.runtime.kernel.code_places import add_cell
from explorer.runtime.kernel.imported_files import ImportedFiles
from explorer.runtime.kernel.outputs import LimitReached, Outputs
from explorer.runtime.kernel.run_environment import RunEnvironment
from explorer.runtime.limits import TimeLimit
from explorer.runtime.recorder.assemble import Finished, assemble, readable
from explorer.runtime.recorder.engine import EnginePatch
from explorer.runtime.recorder.hidden_calls import unrecorded
from explorer.runtime.recorder.recorder import Recorder
from explorer.runtime.recorder.source_map import SourceMap
from explorer.trace import PADDING, TARGET, Cell, Options, Output, Probe, ProbeReading, Trace

_SHARE = 0.85  # share of the time limit; the rest is for the answer


class Repetitions:
    """Further runs of a program in float64."""

    def __init__(self, program: Program, options: Options, private: str = "") -> None:
        self.program, self.options, self.source_map, self._private = program, options, SourceMap(), private
        for cell, source in enumerate(program.cells):
            add_cell(self.source_map, cell, source.text)
        self.imported = ImportedFiles(self.source_map)

    def measured(self) -> Trace:
        """Make all runs that the time allows. Return a Trace with nothing but what they found."""
        cells = [Cell(readable(cell.text), [], cell.first_line) for cell in self.program.cells]
        finished = Finished.of(Recorder(SourceMap(), complete=False))
        empty, options = assemble(finished, cells, self.program.notes, self.options), self.options
        with (
            contextlib.suppress(LimitReached, MemoryError),
            TimeLimit(options.time_limit * _SHARE, options.patience * _SHARE, _time_is_up),
        ):
            self.measure()
        return structs.replace(empty, **self.found())

    def measure(self) -> None:
        """Make the runs. Each adds to what is known."""
        raise NotImplementedError

    def found(self) -> dict[str, Any]:
        """Return what is known so far, as fields of a Trace."""
        raise NotImplementedError

    def run(self, prober: Recorder, engine: EnginePatch) -> list[list[Output]]:
        """Run the program from its first cell, up to the backward that ends it. Return each cell's output."""
        outputs = Outputs(self.options.output_limit, lambda: -1)
        shown: list[list[Output]] = []
        around = RunEnvironment(
            outputs,
            self.source_map,
            partial(unrecorded, prober),
            lambda *_: -1,
            self.program,
            tempfile.mkdtemp(dir=self._private) if self._private else "",  # empty: nothing of the previous run is left
            self.imported.load,
        )
        default = torch.get_default_dtype()
        try:
            with around.around(self.options.seed), contextlib.suppress(Reached):
                torch.set_default_dtype(torch.float64)
                with engine, NarrowDraws(), prober:
                    self._run_cells(around, outputs, shown)
        finally:
            torch.set_default_dtype(default)
            around.forget()
        return shown

    def _run_cells(self, around: RunEnvironment, outputs: Outputs, shown: list[list[Output]]) -> None:
        shell = around.shell
        for cell, source in enumerate(self.program.cells):
            shell.compile.running = cell
            result = shell.run_cell(source.text, store_history=True)
            problem = result.error_before_exec or result.error_in_exec
            if isinstance(problem, Reached | LimitReached | MemoryError):
                raise problem
            if problem is not None and self.options.stop_on_error:
                return
            shown.append(outputs.end())


class Readings(Repetitions):
    """A reading for each probe of one request."""

    def __init__(self, program: Program, options: Options, private: str = "") -> None:
        super().__init__(program, options, private)
        self.seeds: dict[tuple, list[torch.Tensor | None]] = {}  # those of each backward's first run
        self.read_: dict[tuple[int, int], tuple[float, float, float] | None] = {}

    def measure(self) -> None:
        """Perform all runs, with the probes in order."""
        for number, probe in enumerate(self.options.probes):
            for at, by in enumerate(probe.steps):
                self.read_[number, at] = self._reading(probe, by)

    def found(self) -> dict[str, Any]:
        """Return a reading for each probe, empty if its time ran out."""
        readings = []
        for number, probe in enumerate(self.options.probes):
            found = [self.read_[number, at] for at in range(len(probe.steps)) if (number, at) in self.read_]
            if len(found) < len(probe.steps):
                readings.append(ProbeReading(()))
                continue
            values = tuple(None if one is None else one[0] for one in found)
            slopes, sizes = (tuple(math.nan if one is None else one[at] for one in found) for at in (1, 2))
            readings.append(ProbeReading(values, slopes, sizes))
        return {"readings": readings}

    def _reading(self, probe: Probe, by: float) -> tuple[float, float, float] | None:
        """Return a backward's root, slope and slope size, if it ran."""
        backward = probe.call, (probe.root[0], probe.root[1])
        prober = Prober(self.source_map, probe.moves, backward[1], by)
        read: list[tuple[float, float, float]] = []

        def reached(outputs, given) -> None:
            own = [None if seed is None else seed.detach().clone() for seed in given]
            seeds = self.seeds.setdefault(backward, own)
            read.append((weighted(outputs, seeds), *_slope(outputs, seeds, prober)))

        self.run(prober, ProbedEngine(prober, probe.call, reached))
        if probe.call < 0 and (made := prober.root) is not None:
            with contextlib.suppress(RuntimeError):
                reached([made], [self._start(made)])
        return (
            read[0]
            if read and len(prober.leaves) == sum(move.name not in (PADDING, TARGET) for move in probe.moves)
            else None
        )

    def _start(self, root: torch.Tensor) -> torch.Tensor:
        """Return the requested starting gradient."""
        start, seed = self.options.start, torch.ones_like(root)
        if not start:
            return seed
        return seed * (torch.tensor(start, dtype=root.dtype).reshape(root.shape) if len(start) > 1 else start[0])


def weighted(outputs, seeds) -> float:
    """Sum all roots' entries, each times its starting gradient."""
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


def _slope(outputs, seeds, prober: Prober) -> tuple[float, float]:
    """Return gradient times direction, and its norm, or NaN if unknown.

    A leaf without a gradient counts nothing. What arrives at padding, or at targets from their scores, is added, so
    that it differs from the slope.
    """
    asked = {move: leaf for move, leaf in prober.leaves.items() if leaf.requires_grad}
    pairs = zip(outputs, seeds, strict=True)  # torch imports its compiler to look at a starting gradient
    seeds = [None if output.numel() == 1 and seed is not None and bool(seed == 1) else seed for output, seed in pairs]
    ends: list[Any] = [*asked.values(), *(edge for edge, _ in prober.padding)]
    try:
        found = torch.autograd.grad(outputs, ends, seeds, retain_graph=True, allow_unused=True) if ends else ()
    except (RuntimeError, ValueError, TypeError):
        return math.nan, math.nan
    products = [
        real * direction(move, real, len(prober.leaves) == 1)
        for move, gradient in zip(asked, found, strict=False)
        if gradient is not None
        for real in (as_real(gradient.to_dense()),)
    ]
    padded = zip(found[len(asked) :], (where for _, where in prober.padding), strict=True)
    extra = sum(at_padding(gradient, where) for gradient, where in padded if gradient is not None)
    extra += sum(itertools.starmap(_at_targets, prober.targets))
    size = math.sqrt(sum(float(part.square().sum()) for part in products) + extra**2)
    return float(sum(part.sum() for part in products)) + extra, size


def _at_targets(scores: torch.Tensor, edge: GradientEdge, where: torch.Tensor) -> float:
    """Return the sum of the magnitudes with which scores depend on the input that is their target."""
    weights = torch.linspace(1.0, 2.0, scores.shape[-1], dtype=scores.dtype).expand_as(scores)  # softmax ignores ones
    (gradient,) = torch.autograd.grad(scores, edge, weights, retain_graph=True, allow_unused=True)
    return 0.0 if gradient is None else float(gradient[where].abs().sum())


def _time_is_up(_frame: object, _stopped: float | None) -> None:
    """End a run whose time is up."""
    raise LimitReached("time")
