"""`explorer.record()`: record the caller's own code, in its own process."""

import sys
import threading
from collections.abc import Iterable
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any, Self

import torch

from explorer.collector import paused_collector
from explorer.runtime.entry_maps import sources_of
from explorer.runtime.kernel.outputs import failure
from explorer.runtime.recorder.asked_entries import AskedValues, NamedEntries, named_entries
from explorer.runtime.recorder.assemble import Finished, assemble, readable
from explorer.runtime.recorder.calls import names_of_functions
from explorer.runtime.recorder.engine import EnginePatch
from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.hidden_calls import without_modes
from explorer.runtime.recorder.kept_tensors import KeptTensors
from explorer.runtime.recorder.module_calls import LastCall
from explorer.runtime.recorder.own_files import OwnFiles
from explorer.runtime.recorder.recorder import Recorder
from explorer.runtime.recorder.roots import followed_modules
from explorer.runtime.recorder.rows import OP_SPAN, VALUE_DATA
from explorer.runtime.recorder.side_pass import implicit_root, side_pass
from explorer.runtime.recorder.size_limit import LAST, keep_ends, shorten
from explorer.runtime.recorder.source_map import ProgramFiles, SourceMap, plain_variables, release_variables
from explorer.runtime.replay import with_slopes
from explorer.runtime.signals import DelayedSignals
from explorer.text import say
from explorer.text.numbers import bytes_text
from explorer.trace import Cell, Failure, Options, Printed, Remark, Trace, Value, encode

MOST_BYTES = 200_000_000
_LOOK, _NEXT_LOOK = 5_000, 1.2  # operations before the size is first checked, and the factor until the next check
_ROW = 600  # approximate bytes of a row in memory
_OWN = str(Path(__file__).parents[1])
_reading = threading.RLock()  # two threads may ask the first question


def without_own_frames(traceback: TracebackType | None) -> TracebackType | None:
    """Remove this project's frames from a traceback.

    The error belongs to the user's code, and readers want its frames.
    """
    frames = []
    while traceback is not None:
        frames.append(traceback)
        traceback = traceback.tb_next
    rest = None
    for one in reversed(frames):
        if not one.tb_frame.f_code.co_filename.startswith(_OWN):
            line = one.tb_lineno or one.tb_frame.f_lineno or 0  # tb_lineno is None for a signal between two lines
            rest = TracebackType(rest, one.tb_frame, one.tb_lasti, line)
    return rest


@dataclass(frozen=True)
class Scope:
    """A stand-in for a wholly recorded file's frame."""

    f_code: CodeType
    f_globals: dict[str, Any]

    @property
    def f_locals(self) -> dict[str, Any]:
        """Module's variables."""
        return self.f_globals

    @property
    def f_back(self) -> None:
        """No user code called it."""


class Recording:
    """A context manager that records its code and then behaves like its Trace.

    The material of the Trace is kept at the end of the `with`. The Trace itself is created by the first question.
    """

    _samples = True  # whether the middle of a run is only counted after max_bytes, with a report

    def __init__(
        self, detail: str = "complete", max_bytes: int | None = MOST_BYTES, full: bool | str | Iterable[str] = ()
    ) -> None:
        if detail not in ("light", "complete"):
            raise ValueError(f'detail is "light" or "complete", not {repr(detail)[:80]}')
        self._options = Options(detail="light" if detail == "light" else "complete", full=patterns(full))
        if max_bytes is not None and (isinstance(max_bytes, bool) or not isinstance(max_bytes, int) or max_bytes < 1):
            raise ValueError(say("en", "api-value", name="max_bytes", must="bytes", given=repr(max_bytes)[:80]))
        self._max_bytes = max_bytes
        self._failure: list[Failure] = []
        self._known: dict[str, Any] = {}  # names in addition to the program's variables
        self._trace: Trace | None = None
        self._unread: tuple[Finished, list[Cell], list[Remark]] | None = None  # not yet assembled into the Trace
        self._last_calls: dict[str, LastCall] = {}  # path → last call of a module
        self._threads = 0  # threads that the program started

    @property
    def trace(self) -> Trace | None:
        """Trace, once the `with` has ended."""
        with _reading if self._unread is not None else nullcontext():
            if self._unread is not None:
                with DelayedSignals(), paused_collector():
                    self._trace, self._unread = self._assembled(*self._unread), None
        return self._trace

    def __enter__(self) -> Self:
        return self.begin(sys._getframe(1))

    def begin(self, frame: "FrameType | Scope") -> Self:
        """Record as if the `with` were in this frame.

        Its file is the program, and its variables have names. Raises RuntimeError if this recording is running.
        """
        if hasattr(self, "_recorder"):
            raise RuntimeError(say("en", "record-running"))
        try:
            with DelayedSignals():
                self._begin(frame)
        except BaseException:  # a delayed signal may raise here
            self._abandon()
            raise
        return self

    def _begin(self, frame: "FrameType | Scope") -> None:
        self._frame: FrameType | Scope | None = frame
        names_of_functions()
        source_map = SourceMap()
        self._files = OwnFiles(source_map.add_cell)
        self._files.begin(frame.f_code, frame.f_globals)
        source_map.files.learn = self._files.learn
        complete, named = self._options.detail == "complete", named_entries(self._options.full)
        values = AskedValues(light=not complete) if named else None
        self._recorder = Recorder(source_map, complete, values=values)
        if isinstance(frame, FrameType):
            self._recorder.training.around = frame, frame.f_lasti
        self._sampling = False
        if self._max_bytes is not None and self._samples:
            self._recorder.watch_size(_LOOK, self._grown)
        if values is not None:
            self._recorder.sink.asked = NamedEntries(self._recorder, values, named, self._namespaces)
        self._patch = EnginePatch(self._recorder)
        if self._options.full:
            tensors = KeptTensors(self._recorder, self._options.full, self._namespaces)
            self._recorder.sink.kept, self._recorder.names.on_bind = tensors, tensors.named
        with ExitStack() as undo:  # if the recording cannot begin, everything is undone
            undo.enter_context(paused_collector())  # the collector would visit all rows
            undo.callback(self._forget)
            undo.enter_context(followed_modules(self._recorder.modules, self._recorder.module_left))
            undo.enter_context(self._patch)
            self._listening = undo.enter_context(ExitStack())
            self._listening.enter_context(self._recorder)
            self._undo = undo.pop_all()

    def _abandon(self) -> None:
        """End the running child, without a Trace."""
        if hasattr(self, "_undo"):
            with DelayedSignals(), self._undo:
                self._listening.close()

    def _warn_about(self) -> None:
        """Report the recording's omissions to the program."""

    def name_graph(self, tensor: torch.Tensor) -> None:
        """Record the nodes behind an older tensor, while the recording runs."""
        self._recorder.nodes.of(tensor)

    def __exit__(self, kind, problem, traceback) -> None:
        try:
            with DelayedSignals():
                self._end(kind, problem)
            self._warn_about()
        except BaseException:
            self._abandon()
            raise

    def _end(self, kind, problem) -> None:
        with self._undo:
            self._listening.close()
            if isinstance(problem, Exception):  # Ctrl+C and the like are not errors of the code
                self._failure = [failure(problem, self._recorder.source_map)]
            try:
                self._finish(kind is None)
            except Exception as fault:  # only the program's exceptions leave the `with`
                reraise_recorder_error(fault)
                print_error(say("en", "record-broken", error=type(fault).__name__))
        if problem is not None:
            problem.__traceback__ = without_own_frames(problem.__traceback__)

    def _forget(self) -> None:
        """End the recording and release every object of the program."""
        self._recorder.close()
        self._frame = None
        self._last_calls = self._recorder.last_calls
        del self._recorder, self._patch

    def __getitem__(self, name: str) -> Value | None:
        return self._finished()[name]

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._finished(), name)

    def __repr__(self) -> str:
        if self.trace is None:
            return f"<explorer.record: {'running' if hasattr(self, '_recorder') else 'not begun'}>"
        return repr(self.trace)

    def _finished(self) -> Trace:
        if (trace := self.trace) is None:
            raise RuntimeError(say("en", "record-unfinished" if hasattr(self, "_recorder") else "record-not-begun"))
        return trace

    def _finish(self, succeeded: bool) -> None:
        if self._files.refused:
            self._recorder.rows.counted["files"] = self._files.refused
        with without_modes():
            self._read_ends(self._recorder, self._frame, succeeded)
        self._threads = self._recorder.rows.counted["threads"]
        self._trace = self._unread = None
        if self._max_bytes is not None and not (self._samples and 2 * self._size() < self._max_bytes):
            measured = partial(self._measured, self._max_bytes)
            self._trace = shorten(self._recorder, measured, len(self._recorder.rows.operations))
        elif self._options.full:  # explained entries are read with the graph
            self._trace = self._assembled(*self._made())
        else:
            self._unread = self._made()

    def _grown(self) -> None:
        """Keep only the ends of a long run after max_bytes.

        All operations are still recorded, since any may be the last, and an omitted end could not be explained.
        """
        recorder, count = self._recorder, len(self._recorder.rows.operations)
        if not self._sampling:
            if self._size() <= (self._max_bytes or 0):
                recorder.operation_cap = int(count * _NEXT_LOOK)
                return
            self._sampling, recorder.operation_cap = True, count
            text = say("en", "record-sampled", bytes=bytes_text(self._max_bytes or 0), operations=count)
            print_error(text)
        quarter = max(count // 4, LAST)
        keep_ends(recorder, quarter, quarter)

    def _size(self) -> int:
        """Estimate the recording's memory. Its Trace is smaller."""
        rows, values = self._recorder.rows, self._recorder.values.rows
        counted = (rows.operations, rows.nodes, rows.nodes.saved, rows.tensors, rows.tensors.states, values)
        data = sum(map(len, filter(None, values.column(VALUE_DATA)))) + sum(map(len, self._files.sources))
        return _ROW * sum(map(len, counted)) + data

    def _read_ends(self, recorder: Recorder, frame: "FrameType | Scope", succeeded: bool) -> None:
        recorder.pauses += 1
        around = _own_frames(frame, recorder.source_map.files)
        variables = [caller.f_locals for caller in around]
        namespaces = _with_globals(around, [plain_variables(held) for held in variables])
        seen = {id(value) for namespace in namespaces for value in namespace.values()} if self._known else set()
        namespaces.append({name: value for name, value in self._known.items() if id(value) not in seen})
        names = {name: value for namespace in reversed(namespaces) for name, value in namespace.items()}
        recorder.name_tensors(names, names, known_only=True)
        diagnosis = None
        if succeeded and not recorder.rows.backwards and not recorder.called_backward:
            root = implicit_root(recorder, [])
            diagnosis = side_pass(recorder, self._patch, root) if root is not None else None
        recorder.names.on_bind = None  # the last values are read below
        recorder.finish(namespaces)
        if recorder.sink.kept is not None:
            recorder.sink.kept.finish()
        del names, namespaces
        while around:
            caller, held = around.pop(), variables.pop()
            if isinstance(caller, FrameType):
                release_variables(caller, held)
        self._diagnoses = [] if diagnosis is None else [Remark(diagnosis.kind)]

    def _namespaces(self) -> list[dict]:
        """Copy the program's variables while it runs, so that no frame is held."""
        around, copies = _own_frames(self._frame, self._recorder.source_map.files), []
        for caller in around:
            variables = caller.f_locals
            copies.append(plain_variables(variables))
            if isinstance(caller, FrameType):
                release_variables(caller, variables)
        return _with_globals(around, copies)

    def _made(self) -> tuple[Finished, list[Cell], list[Remark]]:
        """Return the Trace's material: the recording, the program's files, remarks."""
        finished = Finished.of(self._recorder)
        several = len(self._files.sources) > 1 and any(cell > 0 for cell in self._recorded_cells(finished))
        own = enumerate(zip(self._files.sources, self._files.names, strict=True))
        cells = [Cell(readable(text), [], name=readable(name) if several or at else "") for at, (text, name) in own]
        warned = (Printed("warning", readable(text), span) for text, span in self._patch.warnings)
        cells[0].outputs.extend([*warned, *self._failure])
        return finished, cells, self._diagnoses

    def _assembled(self, finished: Finished, cells: list[Cell], diagnoses: list[Remark]) -> Trace:
        trace = with_slopes(assemble(finished, cells, [], self._options, diagnoses))
        trace.index.ask = sources_of
        return trace

    def _recorded_cells(self, finished: Finished) -> set[int]:
        """Return the files in which something was recorded."""
        rows, spans = finished.rows, list(finished.spans)
        done = [*rows.operations.column(OP_SPAN), *(row.span for row in rows.backwards.values())]
        failed = [span for failure in self._failure for span in failure.frames]
        failed += [span for _, span in self._patch.warnings]
        return {spans[span][0] for span in {*done, *failed} if span >= 0}

    def _measured(self, max_bytes: int) -> tuple[Trace, float]:
        trace = self._assembled(*self._made())
        return trace, (len(encode(trace)) - trace.full.size) / max_bytes


def print_error(text: str) -> None:
    """Print a text to standard error, if it exists."""
    if sys.stderr is not None:
        with suppress(Exception):  # the stream may be closed, or the program's own
            print(f"explorer.record: {text}", file=sys.stderr)


def patterns(full: bool | str | Iterable[str]) -> tuple[str, ...]:
    """Return the names in `full=` as patterns. Raises TypeError for anything else."""
    if isinstance(full, bool):
        return ("*",) if full else ()
    names = (full,) if isinstance(full, str) else tuple(full) if isinstance(full, Iterable) else (full,)
    if not all(isinstance(pattern, str) for pattern in names):
        raise TypeError(f'full is True or names such as ["*.grad", "head.*"], not {full!r}')
    return names


def _with_globals(around: Iterable[FrameType | Scope], variables: list[dict]) -> list[dict]:
    """Return the variables of frames, then those of their modules."""
    outer = {id(caller.f_globals): caller.f_globals for caller in around}
    for caller in around:
        if caller.f_code.co_name == "<module>" and caller.f_locals is caller.f_globals:
            outer.pop(id(caller.f_globals), None)
    return [*variables, *map(plain_variables, outer.values())]


def _own_frames(frame: FrameType | Scope, files: ProgramFiles) -> list[FrameType | Scope]:
    """Return the user's frames among a frame and its callers, innermost first."""
    frames, outer = [frame], frame.f_back
    while outer is not None:
        if files[outer.f_code.co_filename] >= 0:
            frames.append(outer)
        outer = outer.f_back
    return frames
