"""Run a program's cells and build its Trace."""

import ast
import contextlib
import mmap
import os
import re
import tempfile
import types
from collections.abc import Callable
from functools import partial

import torch
from msgspec.structs import replace

from explorer.program import Program
from explorer.program.given_files import most_bytes
from explorer.runtime.entry_maps import sources_of
from explorer.runtime.gradcheck.runs import Readings
from explorer.runtime.influence.runs import EffectRuns
from explorer.runtime.kernel.code_places import add_cell
from explorer.runtime.kernel.imported_files import ImportedFiles
from explorer.runtime.kernel.name_watcher import NameWatcher, names_of
from explorer.runtime.kernel.output_streamer import OutputStreamer
from explorer.runtime.kernel.outputs import LimitReached, Outputs, Stopped, failure
from explorer.runtime.kernel.run_environment import RunEnvironment
from explorer.runtime.kernel.tables import Tables
from explorer.runtime.limits import (
    TimeLimit,
    out_of_memory,
    release_frames,
    reserved_memory,
    stoppable,
    without_handlers,
)
from explorer.runtime.recorder.asked_entries import AskedValues, EntryExplorer
from explorer.runtime.recorder.assemble import Finished, assemble, readable
from explorer.runtime.recorder.engine import EnginePatch
from explorer.runtime.recorder.hidden_calls import unrecorded
from explorer.runtime.recorder.kept_tensors import keep_whole
from explorer.runtime.recorder.recorder import Recorder
from explorer.runtime.recorder.roots import followed_modules
from explorer.runtime.recorder.side_pass import implicit_root, side_pass
from explorer.runtime.recorder.size_limit import LAST, keep_ends, shorten
from explorer.runtime.recorder.source_map import SourceMap, safe_str
from explorer.runtime.recorder.watcher import Watcher
from explorer.runtime.replay import with_slopes
from explorer.trace import Cell, Failure, Limit, LimitKind, Options, Remark, Skipped, Table, TableTensor, Trace, encode
from explorer.trace.bounds import beyond

MOST_STRIKES = 10  # cells that may run out of memory or files before the run ends
_HELD = 250_000  # bytes of gradients held for asked entries, for each MB of the memory limit: a quarter of it
CLOCK = re.compile(r"\btime\.time(_ns)?\(\)|\b(time\.)?(perf_counter|process_time|monotonic)(_ns)?\(\)")
COMMENT = re.compile(r"#.*")
WORD = 1_000  # characters of a path in a message


def execute(program: Program, options: Options, limited: bool = False, operation_cap: int | None = None) -> Trace:
    """Run a program from first to last cell and return its Trace.

    Args: limited: whether the options' limits apply. The limit of output always does. operation_cap: operations kept in
    full (None: all).

    This changes the whole process: signal handler, stdout, `__main__`, seeds. Use it in a child or in a test. The
    program's own files are gone at the end.
    """
    with tempfile.TemporaryDirectory() as private:
        run = _Run(program, options, limited, operation_cap, os.path.realpath(private))
        run.run()
        trace = run.trace()
        trace.index.ask = sources_of
        run.recorder.close()
    return trace


def execute_encoded(
    program: Program,
    options: Options,
    limited: bool,
    max_bytes: int,
    operation_cap: int,
    send: Callable[[bytes], None] | None = None,
    private: str = "",
) -> bytes:
    """Run a program as `execute` does and encode its Trace in `max_bytes`.

    If it is larger, detail is dropped in steps, which the Trace counts.

    `send` is called with the outputs of cells while they run, in the form of explorer.trace.streaming. `private` is the
    folder for the program's own files, "" for none.
    """
    if options.effects:
        return encode(EffectRuns(program, options, private).measured())
    if options.probes:
        return encode(Readings(program, options, private).measured())
    run = _Run(program, options, limited, operation_cap, private)
    if send is not None:
        run.outputs.teller = OutputStreamer(send, run.source_map.spans)
    run.run()
    run.outputs.teller = run.reserve = None
    try:
        return shorten(run.recorder, partial(_measured, run, max_bytes), operation_cap)
    except MemoryError:
        run.give_up_memory()
        keep_ends(run.recorder, LAST, LAST)
        return encode(run.trace())


def _measured(run: "_Run", max_bytes: int) -> tuple[bytes, float]:
    """Encode the current Trace, with its share of the bounds."""
    trace = run.trace()
    encoded = encode(trace)
    return encoded, max(len(encoded) / max_bytes, 2.0 if beyond(trace) else 0.0)


class _Run:
    """An execution, in order: compilation, seeds, cells, side pass, final states, Trace."""

    def __init__(
        self, program: Program, options: Options, limited: bool, operation_cap: int | None, private: str
    ) -> None:
        self.program, self.options, self.limited = program, options, limited
        self.source_map = SourceMap()
        complete = options.detail == "complete"
        again = options.asked or options.whole
        values = AskedValues(not complete, options.whole) if again else None
        self.recorder = Recorder(self.source_map, complete, operation_cap, self._full, self._operation_failed, values)
        if values is not None:
            self.recorder.sink.asked = EntryExplorer(self.recorder, values, options.asked, options.memory_limit * _HELD)
        self._quiet = partial(unrecorded, self.recorder)
        self.looks = NameWatcher()
        self.tables = Tables(options.tables)
        self.patch = EnginePatch(self.recorder)
        self.outputs = Outputs(options.output_limit, self._here)
        self.done: list[Cell] = []
        self.imported = ImportedFiles(self.source_map)
        self.struck: Limit | None = None  # the limit that ended the running cell
        self.clocks: list[tuple[str, int]] = []  # places that read a clock, and the operation count before their cell
        self.begun = 0  # operations before the running cell
        self.strikes = 0  # cells that a limit ended
        self.over = False  # whether a limit ended the run
        self.time: TimeLimit | contextlib.nullcontext = contextlib.nullcontext()  # `record()` has no limits
        if limited:
            self.time = TimeLimit(options.time_limit, options.patience, self._time_is_up)
        self.reserve: mmap.mmap | None = None
        self.echoed: list[int] = []
        self.diagnoses: list[Remark] = []
        self.surroundings = RunEnvironment(
            self.outputs, self.source_map, self._quiet, self._here, program, private, self.imported.load
        )
        self.source_map.files.learn = self.surroundings.learn(self.imported)
        self.surroundings.echoed = self._echoed
        self.shell, self.namespace = self.surroundings.shell, self.surroundings.namespace
        self.shell.after = self._statement_ran
        self.recorder.names.hidden = self.shell.user_ns_hidden
        self.watcher = self._watcher() if options.statements else None
        self.kept_tables: tuple[list[Table], list[TableTensor]] = ([], [])

    def run(self) -> None:
        """Run the whole program."""
        for cell, source in enumerate(self.program.cells):
            add_cell(self.source_map, cell, source.text)
        with (
            self.surroundings.around(self.options.seed),
            followed_modules(self.recorder.modules, self.recorder.module_left),
        ):
            with self.patch, self.recorder:
                if self.options.of:
                    self.patch.before = self._pass_of_name
                with self.watcher or contextlib.nullcontext(), stoppable(self.time):
                    self._run_cells()
            self._end()

    def _end(self) -> None:
        """Record the final states: names, side-pass gradients, entries and tables."""
        self.recorder.pauses += 1
        names = self.shell.program_names()
        self.recorder.name_tensors(names, names)  # also the assignments of a failed statement
        with self.patch, contextlib.suppress(LimitReached):
            self._side_pass()
        self.recorder.finish([names])
        keep_whole(self.recorder, names, self.options.full)
        self.kept_tables = self.tables.kept(), self.tables.tensors(names)

    def _watcher(self) -> Watcher:
        """Create the watcher that follows the program's statements."""
        self.source_map.statements = {}

        def shown() -> tuple[int, int, int, int]:
            return self.shell.compile.running, self.outputs.cleared, *self.outputs.reached

        return Watcher(self.recorder, shown, self.namespace, self.shell.user_ns_hidden)

    def trace(self) -> Trace:
        """Build the Trace of the recorded rows."""
        made = assemble(
            Finished.of(self.recorder),
            [*self.done, *self.imported.cells],
            self.program.notes,
            self.options,
            self._diagnoses(),
            self.watcher,
        )
        made = with_slopes(made)
        if not self.tables.windows:
            return made
        tables, tensors = self.kept_tables
        return replace(made, tables=tables, table_tensors=tensors)

    def give_up_memory(self) -> None:
        """Release the program's objects if memory for the Trace is exhausted."""
        self.surroundings.forget()
        self.recorder.nodes.forget()
        self.struck = Limit("memory", self.options.memory_limit, -1)
        last = self.done[-1]
        others = [output for output in last.outputs if not isinstance(output, Limit) or output.limit != "memory"]
        self.done[-1] = Cell(last.source, [*others, self.struck], last.first_line)

    # ---- cells --------------------------------------------------------------------------------------------------

    def _run_cells(self) -> None:
        last = -1  # the cell that ended the run
        for cell, source in enumerate(self.program.cells):
            if last < 0:
                failed = self._run_cell(cell, source.text)
                last = cell if self.over or (failed and self.options.stop_on_error) else -1
            elif source.text.strip():
                self.outputs.add(Skipped("", -1, "cell", str(last + 1)))
            self.done.append(Cell(readable(source.text), self.outputs.end(), source.first_line))

    def _run_cell(self, cell: int, source: str) -> bool:
        """Run a cell and return whether it failed."""
        self.struck = None
        self._keep_reserve()
        self.shell.compile.running = cell
        self.shell.on_failure = self._cell_failed
        try:
            with self.time:
                result = self.shell.run_cell(source, store_history=True)
            problem = result.error_before_exec or result.error_in_exec
        except BaseException as raised:  # a limit, raised between two statements
            problem = raised
            self._cell_failed(raised)
        self.recorder.gaps.close()
        self._note_measured_times(source)
        if self.struck is not None and problem is not None:
            release_frames(problem)
        self._show_open_figures()
        if self.struck is not None:
            self.outputs.add(self.struck)
            self.strikes += 1
            self.over = (
                self.struck.limit in ("time", "stopped") or self.strikes >= MOST_STRIKES or not self._keep_reserve()
            )
        return problem is not None

    def _note_measured_times(self, source: str) -> None:
        """Note that measured times include recording."""
        self.clocks += [(match[0], self.begun) for match in CLOCK.finditer(COMMENT.sub("", source))]
        if len(self.clocks) > 1 and len(self.recorder.rows.operations) > self.clocks[0][1]:
            self.surroundings.times_recorded(self.clocks[0][0])
        self.begun = len(self.recorder.rows.operations)

    def _cell_failed(self, problem: BaseException) -> None:
        """Record the error that ended a cell, or a magic in it."""
        if isinstance(problem, MemoryError | LimitReached) or out_of_memory(problem):
            self.reserve = None
        if self.struck is not None or isinstance(problem, LimitReached):
            return
        if out_of_memory(problem):
            span = failure(problem, self.source_map).span
            self._strike("memory", self.options.memory_limit, span, safe_str(problem))
        elif self.limited and self.surroundings.files.full(problem):
            span = failure(problem, self.source_map).span
            self._strike("files", most_bytes(self.options.memory_limit) / 1e6, span)
        else:
            self.recorder.gaps.close()
            with self._quiet():
                self._failed(problem)

    def _failed(self, problem: BaseException) -> None:
        """Record how the cell ended: a refusal, an exit, or an error."""
        error = failure(problem, self.source_map, self.surroundings.shell.foreign_names())
        refusal = self.surroundings.refusals.refused(problem, error.span)
        beside = refusal is not None and refusal.reason == "file" and self._looked_for(problem, error).outside
        if refusal is not None and not beside:
            self.outputs.add(refusal)
        elif isinstance(problem, SystemExit) and problem.code in (None, 0):
            self.surroundings.end(error.span)
            self.over = True
        else:
            self.outputs.add(self._looked_for(problem, error))

    def _looked_for(self, problem: BaseException, error: Failure) -> Failure:
        """Add the accessible folder to a failure about a missing or outside file."""
        if not isinstance(problem, FileNotFoundError | PermissionError) or not isinstance(
            problem.filename, str | bytes
        ):
            return error
        with contextlib.suppress(OSError, ValueError):
            places = self.surroundings.files.looked_for(problem.filename)
            return replace(
                error,
                folder=readable(places.folder)[:WORD],
                outside=places.outside,
                repository=readable(places.repository)[:WORD],
            )
        return error

    def _show_open_figures(self) -> None:
        """Show the cell's unshown figures. This counts as time of the cell."""
        if not self.surroundings.leaves_figures():
            return
        try:
            if self.struck is None or self.struck.limit not in ("time", "stopped"):
                with self.time, self._quiet():
                    self.surroundings.end_cell()
        except MemoryError as problem:
            self.reserve = None
            self._strike("memory", self.options.memory_limit, -1, safe_str(problem))
        except LimitReached:
            pass
        finally:
            self.surroundings.plots.close()

    def _keep_reserve(self) -> bool:
        """Reserve memory for ending an exhausted cell. Return whether that worked."""
        if self.limited and self.reserve is None:
            self.reserve = reserved_memory()
        return not self.limited or self.reserve is not None

    def _statement_ran(self, code: types.CodeType, node: ast.stmt, filename: str) -> None:
        """Look at the names that a statement has assigned."""
        with self._quiet():
            self.recorder.name_tensors(self.namespace, self.looks.after(code, self.namespace))
            cell = self.source_map.files[filename]
            if self.tables.windows and cell >= 0:
                self.tables.after(names_of(code), self.namespace, cell)

    def _echoed(self, value: object) -> None:
        with self._quiet():
            self.echoed.append(self.recorder.tensors.find(value) if isinstance(value, torch.Tensor) else 0)

    # ---- gradients of a program without backward --------------------------------------------------------------------

    def _side_pass(self) -> None:
        if self.options.of:
            if self.patch.before is not None:
                self.patch.before = None
                self._pass_of_name()
        elif not self.recorder.rows.backwards and not self.recorder.called_backward and not self.over:
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
        while frame is not None and self.source_map.files[frame.f_code.co_filename] < 0:
            frame = frame.f_back
        if frame is None:
            frame, _ = self.source_map.program_frame(1)
        return -1 if frame is None else self.source_map.call_site(frame).span

    @without_handlers()  # a stop in between would leave nodes whose operations are gone
    def _full(self) -> None:
        """Stop recording in the middle of a long run, and only count."""
        quarter = self.recorder.operation_cap // 4
        keep_ends(self.recorder, quarter, quarter)

    def _operation_failed(self, problem: BaseException, span: int) -> None:
        """End the cell if it is out of memory."""
        if self.limited and out_of_memory(problem):
            self._strike("memory", self.options.memory_limit, span, safe_str(problem))
            raise LimitReached("memory") from problem

    def _time_is_up(self, frame: types.FrameType | None, stopped: float | None) -> None:
        teller = self.outputs.teller
        if teller is not None and teller.busy:  # it is called again soon
            return
        if stopped is not None:
            self._strike("stopped", round(stopped), self._here(frame))
            raise Stopped
        self._strike("time", self.options.time_limit, self._here(frame))
        raise LimitReached("time")
