"""`explorer.record()`: the caller's own code, in its own process, recorded as it stands."""

import ast
import functools
import gc
import linecache
import sys
import warnings
from functools import partial
from types import FrameType

from explorer.runtime.notebook.modules import followed_modules
from explorer.runtime.recording.assemble import assemble, readable
from explorer.runtime.recording.engine import EnginePatch
from explorer.runtime.recording.places import Places, release_variables
from explorer.runtime.recording.pruning import fitted
from explorer.runtime.recording.recorder import Recorder
from explorer.runtime.recording.side_pass import implicit_root, side_pass
from explorer.runtime.recording.source import SourceIndex, index_source
from explorer.trace import Cell, Options, Remark, Trace, Value, encode


class Recording:
    """A context manager that records the code inside it; afterwards it stands for its Trace.

    Attributes:
        trace: the Trace, once the `with` has ended.
    """

    def __init__(self, detail: str = "complete", max_bytes: int | None = None) -> None:
        if detail not in ("light", "complete"):
            raise ValueError(f'detail is "light" or "complete", not {detail!r}')
        self._options = Options(detail="light" if detail == "light" else "complete")
        self._max_bytes = max_bytes
        self.trace: Trace | None = None

    def __enter__(self) -> "Recording":
        frame = sys._getframe(1)
        self._frame: FrameType | None = frame
        self._source = "".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals))
        self._source = self._source.replace("\r\n", "\n").replace("\r", "\n")
        places = Places()
        places.add_cell(frame.f_code.co_filename, self._source, _index(self._source))
        self._recorder = Recorder(places, self._options.detail == "complete")
        self._patch = EnginePatch(self._recorder)
        self._modules = followed_modules(self._recorder.modules)
        self._collecting = gc.isenabled()
        gc.disable()  # growth is linear with the collector paused
        self._show_warning = warnings.showwarning
        warnings.showwarning = self._placed_warning
        self._modules.__enter__()
        self._patch.__enter__()
        self._recorder.__enter__()
        return self

    def __exit__(self, kind, problem, traceback) -> None:
        self._recorder.__exit__(kind, problem, traceback)
        try:
            self._finish(kind is None)
        finally:
            self._patch.__exit__(kind, problem, traceback)
            self._modules.__exit__(None, None, None)
            warnings.showwarning = self._show_warning
            self._recorder.close()
            del self._recorder, self._patch, self._modules, self._show_warning
            self._frame = None
            if self._collecting:
                gc.enable()

    def __getitem__(self, name: str) -> Value | None:
        return self._finished()[name]

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._finished(), name)

    def __repr__(self) -> str:
        if self.trace is None:
            return "<explorer.record: running>"
        trace = self.trace
        counts = f"{len(trace.operations)} operations, {len(trace.nodes)} nodes, {len(trace.backwards)} backward calls"
        return f"<Trace: {counts}>"

    def _finished(self) -> Trace:
        if self.trace is None:
            raise RuntimeError("the record is still running: its Trace is there when the `with` block has ended")
        return self.trace

    def _finish(self, succeeded: bool) -> None:
        recorder, frame = self._recorder, self._frame
        recorder.passive += 1
        variables = frame.f_locals
        names = {**frame.f_globals, **variables}
        recorder.name_tensors(names, names, known_only=True)
        diagnosis = None
        if succeeded and not recorder.rows.backwards and not recorder.asked:
            root = implicit_root(recorder, [])
            diagnosis = side_pass(recorder, self._patch, root) if root is not None else None
        paths = recorder.finish([variables, frame.f_globals])
        release_variables(frame, variables)
        self._paths, self._diagnoses = paths, [] if diagnosis is None else [Remark(diagnosis.kind)]
        if self._max_bytes is None:
            self.trace = self._assembled()
        else:
            self.trace = fitted(recorder, partial(self._measured, self._max_bytes), len(recorder.rows.operations))

    def _assembled(self) -> Trace:
        cells = [Cell(readable(self._source), [])]
        return assemble(self._recorder, cells, [], self._options, self._paths, self._diagnoses)

    def _measured(self, max_bytes: int) -> tuple[Trace, float]:
        trace = self._assembled()
        return trace, len(encode(trace)) / max_bytes

    def _placed_warning(self, message, category, filename, lineno, file=None, line=None) -> None:
        """Show a warning at the line of the caller's code, not at the recorder's, which every call passes through."""
        if filename.startswith(__file__.rpartition("/")[0]):
            frame, _ = self._recorder.places.program_frame(1)
            if frame is not None:
                filename, lineno = frame.f_code.co_filename, frame.f_lineno
        self._show_warning(message, category, filename, lineno, file, line)


@functools.lru_cache(maxsize=16)
def _index(source: str) -> SourceIndex:
    try:
        return index_source(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError):  # a console line, a generated file
        return SourceIndex()
