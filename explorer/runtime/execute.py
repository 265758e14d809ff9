"""Run a program's cells under the recorder, with every limit a run can announce itself, and put its Trace together."""

import contextlib
import gc
import mmap
import signal
import sys
import time
import traceback
import types
from collections.abc import Callable
from functools import partial

import torch
from msgspec.structs import replace

from explorer.program import Program
from explorer.runtime.notebook.compiling import CompiledCell, cell_filename, compile_cell
from explorer.runtime.notebook.files import MOST_BYTES, MOST_FILES
from explorer.runtime.notebook.imported import ImportedFiles
from explorer.runtime.notebook.looks import Looks, names_of
from explorer.runtime.notebook.modules import followed_modules
from explorer.runtime.notebook.namespace import Captured, CellEnded, timed
from explorer.runtime.notebook.outputs import LimitReached, Outputs, failure, own_words
from explorer.runtime.notebook.surroundings import Surroundings
from explorer.runtime.notebook.tables import Tables
from explorer.runtime.notebook.telling import Teller
from explorer.runtime.policy import Refused
from explorer.runtime.probing.runs import probed
from explorer.runtime.recording.assemble import assemble, readable
from explorer.runtime.recording.engine import EnginePatch
from explorer.runtime.recording.places import Places
from explorer.runtime.recording.pruning import LAST, fitted, keep_ends
from explorer.runtime.recording.recorder import Recorder
from explorer.runtime.recording.side_pass import implicit_root, side_pass
from explorer.runtime.recording.source import SourceIndex
from explorer.runtime.recording.whole import keep_whole
from explorer.trace import Cell, Limit, LimitKind, Options, Printed, Refusal, Remark, Table, TableTensor, Trace, encode
from explorer.trace.bounds import beyond
from explorer.tracing import stage

_AGAIN_S = 0.05  # how soon a time limit that the program caught strikes again
MOST_STRIKES = 10  # cells that may run out of memory or files until the run ends
RESERVE = 32_000_000  # bytes kept free for what is left to do when a program has taken all others
_PRIVATE: dict = {} if sys.platform == "win32" else {"flags": mmap.MAP_PRIVATE}  # shared memory is nobody's to count


def execute(
    program: Program,
    options: Options,
    limited: bool = False,
    operation_cap: int | None = None,
    language_ring: bool = True,
) -> Trace:
    """Run a program from its first cell to its last and return what it left behind.

    Args:
        limited: whether the limits of the options hold; that of output always does.
        operation_cap: operations kept in full (None: all).
        language_ring: only tests that compare with plain Python switch it off.

    This takes the process over: signal handler, stdout, `__main__`, seeds. It is meant for a child, or for a test.
    """
    run = _Run(program, options, limited, operation_cap, language_ring)
    run.run()
    trace = run.trace()
    run.recorder.close()
    return trace


def execute_encoded(
    program: Program,
    options: Options,
    limited: bool,
    max_bytes: int,
    operation_cap: int,
    language_ring: bool = True,
    tell: Callable[[bytes], None] | None = None,
) -> bytes:
    """Run a program as `execute` does and return its Trace as MessagePack of at most `max_bytes`.

    What is too much gives way in steps, which the Trace counts.

    `tell` is called with what cells show while they run, as explorer.told reads it.
    """
    if options.probes:
        return encode(probed(program, options, language_ring))
    run = _Run(program, options, limited, operation_cap, language_ring)
    if tell is not None:
        run.outputs.teller = Teller(tell, run.places.spans)
    run.run()
    run.reserve = None
    try:
        return fitted(run.recorder, partial(_measured, run, max_bytes), operation_cap)
    except MemoryError:
        run.give_up_memory()
        keep_ends(run.recorder, LAST, LAST)
        return encode(run.trace())


def _measured(run: "_Run", max_bytes: int) -> tuple[bytes, float]:
    """The Trace as it is now, and how much of what is read of it that is; above 1 it is too much."""
    with stage("assemble"):
        trace = run.trace()
    with stage("encode"):
        encoded = encode(trace)
    return encoded, max(len(encoded) / max_bytes, 2.0 if beyond(trace) else 0.0)


class _Run:
    """One execution. The order of things: cells into code, seeds, cells run, side pass, the end state, the Trace."""

    def __init__(
        self, program: Program, options: Options, limited: bool, operation_cap: int | None, language_ring: bool
    ) -> None:
        self.program, self.options, self.limited = program, options, limited
        self.language_ring = language_ring
        self.places = Places()
        self.recorder = Recorder(self.places, options.detail == "complete", operation_cap)
        self.looks = Looks()
        self.tables = Tables(options.tables)
        self.recorder.on_failure = self._operation_failed
        if operation_cap is not None:
            self.recorder.on_full = lambda: keep_ends(self.recorder, operation_cap // 4, operation_cap // 4)
        self.patch = EnginePatch(self.recorder)
        self.outputs = Outputs(options.output_limit, self._here)
        self.done: list[Cell] = []
        self.imported = ImportedFiles(self.places, self.outputs.add)
        self.struck: Limit | None = None  # the limit that ended the running cell
        self.strikes = 0  # cells that a limit ended
        self.over = False  # whether one of them ended the run
        self.reserve: mmap.mmap | None = None
        self.echoed: list[int] = []
        self.diagnoses: list[Remark] = []
        self.surroundings = Surroundings(
            self.outputs,
            self.places,
            self._quiet,
            self._here,
            self._files_full,
            language_ring,
            program.files,
            self.imported.load,
        )
        self.namespace = self.surroundings.namespace
        self.paths: dict[int, str] = {}  # of modules, by id
        self.kept_tables: tuple[list[Table], list[TableTensor]] = ([], [])
        self.began: tuple[float, float] | None = None  # processor and monotonic clock when the first cell began

    def run(self) -> None:
        """Run everything."""
        with stage("compile"):
            compiled = [self._compile(cell, source.text) for cell, source in enumerate(self.program.cells)]
        with (
            self.surroundings.around(self.options.seed),
            followed_modules(self.recorder.modules, self.recorder.module_called),
        ):
            with self.patch, self.recorder:
                if self.options.of:
                    self.patch.before = self._pass_of_name
                with stage("program"):
                    self._run_cells(compiled)
            with stage("ending"):
                self._end()

    def _end(self) -> None:
        """What is asked of the end: names, gradients nobody asked for, entries and tables that are wanted whole."""
        self.recorder.passive += 1
        self.recorder.name_tensors(self.namespace, self.looks.rest(self.namespace))
        with self.patch, contextlib.suppress(LimitReached):
            self._side_pass()
        self.paths = self.recorder.finish([self.namespace])
        keep_whole(self.recorder, self.namespace, self.options.full)
        self.kept_tables = self.tables.kept(), self.tables.tensors(self.namespace)

    def trace(self) -> Trace:
        """What was recorded, as a Trace."""
        made = assemble(
            self.recorder,
            [*self.done, *self.imported.cells],
            self.program.notes,
            self.options,
            self.paths,
            self._diagnoses(),
        )
        if not self.tables.windows:
            return made
        tables, tensors = self.kept_tables
        return replace(made, table_steps=self.tables.steps, tables=tables, table_tensors=tensors)

    def give_up_memory(self) -> None:
        """Let the program's own objects go, since no room is left to write the Trace, and say so in its last cell."""
        self.surroundings.forget()
        self.recorder.nodes.forget()
        self.struck = Limit("memory", self.options.memory_limit, -1)
        last = self.done[-1]
        others = [one for one in last.outputs if not isinstance(one, Limit) or one.limit != "memory"]
        self.done[-1] = Cell(last.source, [*others, self.struck], last.first_line)

    # ---- cells --------------------------------------------------------------------------------------------------

    def _compile(self, cell: int, source: str) -> CompiledCell | BaseException:
        try:
            compiled = compile_cell(source, cell, self.language_ring)
        except (SyntaxError, ValueError, RecursionError, MemoryError, Refused) as problem:
            if isinstance(problem, RecursionError | MemoryError):
                problem = SyntaxError("the text is nested too deeply to be read")
            self.places.add_cell(cell_filename(cell), source, SourceIndex())
            return problem
        self.places.add_cell(cell_filename(cell), source, compiled.index)
        return compiled

    def _run_cells(self, compiled: list[CompiledCell | BaseException]) -> None:
        stopped = False
        for cell, (source, code) in enumerate(zip(self.program.cells, compiled, strict=True)):
            if not stopped and not self.over:
                stopped = self._run_cell(cell, code) and self.options.stop_on_error
            self.done.append(Cell(readable(source.text), self.outputs.end(), source.first_line))

    def _run_cell(self, cell: int, code: CompiledCell | BaseException) -> bool:
        """Run one cell; whether it failed."""
        problem = None
        self.struck = None
        self._keep_reserve()
        self.surroundings.notebook.begin(self.program.cells[cell].text)
        try:
            if isinstance(code, BaseException):
                raise code
            with self._time_limit():
                self._run_statements(cell, code)
        except CellEnded:
            pass
        except BaseException as raised:
            problem = raised
        if isinstance(problem, MemoryError | LimitReached) or _out_of_memory(problem):
            self.reserve = None
        if isinstance(code, CompiledCell) and code.captured is not None:
            self._capture(code.captured)
        if problem is not None and self.struck is None and not isinstance(problem, LimitReached):
            if _out_of_memory(problem):
                self._strike("memory", self.options.memory_limit, self._span_of(problem), own_words(problem))
            elif isinstance(problem, Refused):  # one that happened while it ran is written down already
                if problem is code:
                    self.outputs.add(Refusal(problem.what, self.places.span(cell, problem.place), problem.reason))
            else:
                with self._quiet():
                    self.outputs.add(failure(problem, self.places, cell))
        if self.struck is not None and problem is not None:
            _let_go(problem)
        with self._quiet():
            self.surroundings.end_cell()
        if self.struck is not None:
            self.outputs.add(self.struck)
            self.strikes += 1
            self.over = self.struck.limit == "time" or self.strikes >= MOST_STRIKES or not self._keep_reserve()
        return problem is not None

    def _keep_reserve(self) -> bool:
        """Keep memory free for the end of a cell that takes all of it; whether there is as much.

        It is mapped and never written to: to write 8 000 pages would take longer than most programs.
        """
        if self.limited and self.reserve is None:
            with contextlib.suppress(OSError):  # not even so much is left
                self.reserve = mmap.mmap(-1, RESERVE, **_PRIVATE)
        return not self.limited or self.reserve is not None

    def _run_statements(self, cell: int, code: CompiledCell) -> None:
        value = None
        with timed("time") if code.timed else contextlib.nullcontext():
            for statement in code.statements:
                importing = stage("imports") if statement.imports else contextlib.nullcontext()
                with importing, timed(statement.timed) if statement.timed else contextlib.nullcontext():
                    if statement.echoed:
                        value = eval(statement.code, self.namespace)
                    else:
                        exec(statement.code, self.namespace)
                with self._quiet():
                    names = self.looks.after(statement.code, self.namespace)
                    self.recorder.name_tensors(self.namespace, names)
                    if self.tables.windows:
                        span = partial(self.places.span, cell, statement.place)
                        self.tables.after(names_of(statement.code), self.namespace, cell, span)
        if value is not None:
            with self._quiet():
                self.echoed.append(self.recorder.tensors.find(value) if isinstance(value, torch.Tensor) else 0)
            self.surroundings.echo(value)

    def _capture(self, name: str) -> None:
        """What `%%capture` asks for: the cell's outputs go into a variable."""
        outputs = self.outputs.take()
        self.outputs.clear()
        for kept in outputs:
            if isinstance(kept, Refusal | Limit):
                self.outputs.add(kept)
        texts = {"stdout": "", "stderr": ""}
        for output in outputs:
            if isinstance(output, Printed) and output.stream in texts:
                texts[output.stream] += output.text
        self.surroundings.plots.close("all")
        if name:
            self.namespace[name] = Captured(**texts)

    @contextlib.contextmanager
    def _quiet(self):
        """What the recorder itself does with tensors is no operation of the program."""
        self.recorder.passive += 1
        try:
            yield
        finally:
            self.recorder.passive -= 1

    # ---- gradients nobody asked for -----------------------------------------------------------------------------

    def _side_pass(self) -> None:
        if self.options.of:
            if self.patch.before is not None:
                self.patch.before = None
                self._pass_of_name()
        elif not self.recorder.rows.backwards and not self.recorder.asked and not self.over:
            root = implicit_root(self.recorder, self.echoed)
            if root is not None:
                self._note(side_pass(self.recorder, self.patch, root))

    def _pass_of_name(self) -> bool:
        root = self.namespace.get(self.options.of)
        if not isinstance(root, torch.Tensor):
            return False
        if root.requires_grad:
            self._note(side_pass(self.recorder, self.patch, root, self.options.start))
        return True

    def _note(self, diagnosis: Remark | None) -> None:
        if diagnosis is not None:
            self.diagnoses.append(diagnosis)

    def _diagnoses(self) -> list[Remark]:
        order = {index: i for i, index in enumerate(self.recorder.rows.tensors.ids())}
        return [Remark(d.kind, d.span, d.node, order.get(d.tensor, -1), d.values) for d in self.diagnoses]

    # ---- limits -------------------------------------------------------------------------------------------------

    def _strike(self, kind: LimitKind, bound: float, span: int, detail: str = "") -> None:
        if self.struck is None:
            self.struck = Limit(kind, bound, span, readable(detail)[:2000])

    def _here(self, frame: types.FrameType | None = None) -> int:
        while frame is not None and self.places.files[frame.f_code.co_filename] < 0:
            frame = frame.f_back
        if frame is None:
            frame, _ = self.places.program_frame(1)
        return -1 if frame is None else self.places.spot(frame).span

    def _files_full(self, bound: str) -> None:
        most = MOST_FILES if bound == "count" else MOST_BYTES / 1e6
        self._strike("files", most, self._here(), bound)
        raise LimitReached("files")

    def _operation_failed(self, problem: BaseException, span: int) -> None:
        """Running out of memory ends the cell, also when the program catches it."""
        if self.limited and _out_of_memory(problem):
            self._strike("memory", self.options.memory_limit, span, own_words(problem))
            raise LimitReached("memory") from problem

    def _span_of(self, problem: BaseException) -> int:
        return failure(problem, self.places, 0).span

    @contextlib.contextmanager
    def _time_limit(self):
        """Counts the processor's time, so that a busy machine takes nothing away; all the time there is only at last.

        What waits in code that hears no signal ends with its process.
        """
        if not self.limited:  # in somebody's own process there are no limits
            yield
            return

        def strike(_signal, frame) -> None:
            teller = self.outputs.teller
            if teller is not None and teller.busy:  # it strikes again soon
                return
            self._strike("time", self.options.time_limit, self._here(frame))
            raise LimitReached("time")

        if self.began is None:
            self.began = time.process_time(), time.monotonic()
        timers = (
            (signal.ITIMER_PROF, signal.SIGPROF, self.began[0] + self.options.time_limit - time.process_time()),
            (signal.ITIMER_REAL, signal.SIGALRM, self.began[1] + self.options.patience - time.monotonic()),
        )
        before = {number: signal.signal(number, strike) for _, number, _ in timers}
        for timer, _, left in timers:
            signal.setitimer(timer, max(1e-3, left), _AGAIN_S)
        try:
            yield
        finally:
            for timer, number, _ in timers:
                signal.setitimer(timer, 0)
                signal.signal(number, before[number])


def _let_go(problem: BaseException) -> None:
    """Let the frames that an exception went through go, with all that only they held."""
    seen: set[int] = set()
    left: list[BaseException | None] = [problem]
    while left:
        one = left.pop()
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            left += [one.__cause__, one.__context__]
            traceback.clear_frames(one.__traceback__)
            one.__traceback__ = None
    gc.collect()


def _out_of_memory(problem: BaseException | None) -> bool:
    if isinstance(problem, MemoryError):
        return True
    if not isinstance(problem, RuntimeError):
        return False
    told = own_words(problem)
    return "can't allocate memory" in told or "bad_alloc" in told
