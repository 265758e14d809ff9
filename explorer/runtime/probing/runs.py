"""The runs of a program's probes: once without a step for each backward, once for each step, and once more without."""

import contextlib
import math
import signal
from collections.abc import Iterator

import torch
from msgspec import structs

from explorer.program import Program
from explorer.runtime.notebook.compiling import CompiledCell, cell_filename, compile_cell
from explorer.runtime.notebook.imported import ImportedFiles
from explorer.runtime.notebook.namespace import CellEnded
from explorer.runtime.notebook.outputs import LimitReached, Outputs
from explorer.runtime.notebook.surroundings import Surroundings
from explorer.runtime.policy import Refused
from explorer.runtime.probing.prober import ProbedEngine, Prober, Reached
from explorer.runtime.probing.wide import NarrowDraws
from explorer.runtime.recording.assemble import assemble, readable
from explorer.runtime.recording.places import Places
from explorer.runtime.recording.recorder import Recorder
from explorer.runtime.recording.source import SourceIndex
from explorer.trace import Cell, Options, Probe, ProbeReading, Trace

_SHARE = 0.85  # of the time limit: what is left is for the answer
_AGAIN_S = 0.05  # how soon a time limit that the program caught strikes again


def probed(program: Program, options: Options, language_ring: bool = True) -> Trace:
    """A Trace that holds readings and nothing else, one for each probe; those that time did not suffice for are NaN."""
    places = Places()
    cells = [Cell(readable(one.text), [], one.first_line) for one in program.cells]
    empty = assemble(Recorder(places, complete=False), cells, program.notes, options, {}, [])
    readings = _Readings(program, options, places, language_ring)
    with contextlib.suppress(LimitReached, MemoryError), _until(options.time_limit * _SHARE, options.patience * _SHARE):
        readings.read()
    return structs.replace(empty, readings=readings.found())


class _Readings:
    """All runs of one request. Attributes: base: (value, gradients by probe) of each call; again: values once more."""

    def __init__(self, program: Program, options: Options, places: Places, language_ring: bool) -> None:
        self.program, self.options, self.places, self.language_ring = program, options, places, language_ring
        self.compiled = [_compiled(places, cell, one.text, language_ring) for cell, one in enumerate(program.cells)]
        self.imported = ImportedFiles(places, lambda refusal: None)
        self.base: dict[tuple, float] = {}
        self.again: dict[tuple, float] = {}
        self.gradients: dict[int, float] = {}
        self.moved: dict[tuple[int, int], float] = {}

    def read(self) -> None:
        """Run everything, the probes in their order."""
        groups: dict[tuple, list[int]] = {}
        for number, probe in enumerate(self.options.probes):
            groups.setdefault(_backward_of(probe), []).append(number)
        for backward, numbers in groups.items():
            self.base[backward] = self._value(backward, numbers)
        for number, probe in enumerate(self.options.probes):
            if math.isfinite(self.base[_backward_of(probe)]):
                for at, by in enumerate(probe.steps):
                    self.moved[number, at] = self._value(_backward_of(probe), [], probe, by)
        for backward in groups:
            self.again[backward] = self._value(backward, [])

    def found(self) -> list[ProbeReading]:
        """A reading for each probe, of what was reached."""
        nan = math.nan
        readings = []
        for number, probe in enumerate(self.options.probes):
            backward = _backward_of(probe)
            value, again = self.base.get(backward, nan), self.again.get(backward, nan)
            moved = tuple(self.moved.get((number, at), nan) for at in range(len(probe.steps)))
            same = backward not in self.again or value == again or (value != value and again != again)
            readings.append(ProbeReading(value, self.gradients.get(number, nan), moved, same))
        return readings

    def _value(self, backward: tuple, numbers: list[int], moved: Probe | None = None, by: float = 0.0) -> float:
        """The root of a backward; of these probes the gradients too."""
        probes = [self.options.probes[number] for number in numbers]
        call, root = backward
        prober = Prober(self.places, (*probes, *([moved] if moved else [])), root, moved, by)
        read: list[float] = []

        def reached(outputs, seeds) -> None:
            read.append(_weighted(outputs, seeds))
            for number, probe in zip(numbers, probes, strict=True):
                leaf = prober.leaves.get((probe.operation, probe.operand))
                self.gradients[number] = _gradient(outputs, seeds, leaf, probe.entry)

        self._run(prober, ProbedEngine(prober, call, reached))
        if call < 0 and (made := prober.root) is not None:
            with contextlib.suppress(RuntimeError):
                reached([made], [self._start(made)])
        return read[0] if read and prober.has_moved == (moved is not None) else math.nan

    def _start(self, root: torch.Tensor) -> torch.Tensor:
        """The starting gradient that was asked for."""
        start, seed = self.options.start, torch.ones_like(root)
        if not start:
            return seed
        return seed * (torch.tensor(start, dtype=root.dtype).reshape(root.shape) if len(start) > 1 else start[0])

    def _run(self, prober: Prober, engine: ProbedEngine) -> None:
        """The program from its first cell to its last, as far as the backward."""
        outputs = Outputs(self.options.output_limit, lambda: -1)
        around = Surroundings(
            outputs,
            self.places,
            contextlib.nullcontext,
            lambda *_: -1,
            _full,
            self.language_ring,
            self.program.files,
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

    def _run_cells(self, around: Surroundings, outputs: Outputs) -> None:
        for cell, code in enumerate(self.compiled):
            around.notebook.begin(self.program.cells[cell].text)
            try:
                if isinstance(code, BaseException):
                    raise code
                for statement in code.statements:
                    if statement.echoed:
                        value = eval(statement.code, around.namespace)
                        if value is not None:
                            around.notebook.echoed(value)
                    else:
                        exec(statement.code, around.namespace)
            except (Reached, LimitReached, MemoryError):
                raise
            except CellEnded:
                pass
            except BaseException:
                if self.options.stop_on_error:
                    return
            outputs.end()


def _backward_of(probe: Probe) -> tuple[int, tuple[int, int]]:
    return probe.call, (probe.root[0], probe.root[1])


def _compiled(places: Places, cell: int, source: str, language_ring: bool) -> CompiledCell | BaseException:
    try:
        compiled = compile_cell(source, cell, language_ring)
    except (SyntaxError, ValueError, RecursionError, MemoryError, Refused) as problem:
        places.add_cell(cell_filename(cell), source, SourceIndex())
        return problem
    places.add_cell(cell_filename(cell), source, compiled.index)
    return compiled


def _weighted(outputs, seeds) -> float:
    """The sum of the entries of all roots, each by its starting gradient; NaN of what is no such number."""
    total = 0.0
    for output, seed in zip(outputs, seeds, strict=True):
        if not isinstance(output, torch.Tensor) or output.is_complex():
            return math.nan
        weight = torch.ones_like(output) if seed is None else seed
        total += float((output.detach().double() * weight.detach().double()).sum())
    return total


def _gradient(outputs, seeds, leaf: torch.Tensor | None, entry: int) -> float:
    """What autograd says of an entry; 0 where it says nothing, NaN where it cannot be asked."""
    if leaf is None or not leaf.requires_grad or entry >= leaf.numel():
        return math.nan
    try:
        (found,) = torch.autograd.grad(outputs, [leaf], seeds, retain_graph=True, allow_unused=True)
        return 0.0 if found is None else float(found.reshape(-1)[entry])
    except (RuntimeError, ValueError, TypeError):
        return math.nan


def _full(_bound: str) -> None:
    raise LimitReached("files")


@contextlib.contextmanager
def _until(seconds: float, patience: float) -> Iterator[None]:
    """Ends with LimitReached after so many seconds of the processor, or of the clock."""

    def strike(_signal, _frame) -> None:
        raise LimitReached("time")

    timers = ((signal.ITIMER_PROF, signal.SIGPROF, seconds), (signal.ITIMER_REAL, signal.SIGALRM, patience))
    before = {number: signal.signal(number, strike) for _, number, _ in timers}
    for timer, _, left in timers:
        signal.setitimer(timer, max(1e-3, left), _AGAIN_S)
    try:
        yield
    finally:
        for timer, number, _ in timers:
            signal.setitimer(timer, 0)
            signal.signal(number, before[number])
