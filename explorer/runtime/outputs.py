"""What a cell shows: a stream in place of stdout and stderr that keeps order and a bound, warnings, errors, echoes."""

import io
import sys
from types import TracebackType

from explorer.runtime.assemble import readable
from explorer.runtime.places import Places
from explorer.trace import Failure, Output, Printed

OUTPUT_KB = 64  # of text per run
MOST_OUTPUTS = 5_000  # of one cell


_PASSED_THROUGH = ("explorer.runtime.recorder", "explorer.runtime.engine", "torch.overrides")


class LimitReached(BaseException):
    """A limit of the run struck. It passes `except Exception`; a program that catches it anyway is still limited."""


class Outputs:
    """What the running cell has shown so far.

    Attributes:
        current: outputs of the running cell, in order.
        on_full: called once when the bound is reached; it raises.
    """

    def __init__(self, on_full) -> None:
        self.current: list[Output] = []
        self.on_full = on_full
        self._left = OUTPUT_KB * 1024
        self._full = False  # whether a cell had too many outputs
        self._pieces: list[str] = []
        self._stream = "stdout"

    def write(self, stream: str, text: str) -> None:
        """Append what the program wrote; text of one stream in a row becomes one output."""
        if stream != self._stream:
            self.flush()
            self._stream = stream
        kept = text[: self._left]
        self._left -= len(kept)
        if kept:
            self._pieces.append(kept)
        if len(kept) < len(text):
            self.on_full()

    def add(self, output: Output) -> None:
        """Append an output of another kind."""
        self.flush()
        self.current.append(output)

    def spend(self, count: int) -> None:
        """Count text that is shown otherwise than by writing."""
        self._left = max(0, self._left - count)

    def flush(self) -> None:
        """Turn what was written since into an output."""
        if self._pieces:
            self.current.append(Printed(self._stream, readable("".join(self._pieces))))
            self._pieces = []
            if len(self.current) >= MOST_OUTPUTS and not self._full:
                self._full = True
                self.on_full()

    def take(self) -> list[Output]:
        """The outputs of the cell that has ended."""
        self.flush()
        done, self.current = self.current, []
        return done

    @property
    def left(self) -> int:
        """Characters that may still be shown."""
        return self._left


class Stream(io.TextIOBase):
    """sys.stdout or sys.stderr of a program."""

    encoding = "utf-8"

    def __init__(self, outputs: Outputs, name: str) -> None:
        self._outputs, self._name = outputs, name

    def write(self, text: str) -> int:
        """Raises TypeError for anything but text, as a real stream does."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._outputs.write(self._name, text)
        return len(text)

    def writable(self) -> bool:
        """Always."""
        return True


class Warnings:
    """Shows each warning once per line of the program, whichever library frame torch reports for it."""

    def __init__(self, outputs: Outputs, places: Places) -> None:
        self._outputs, self._places = outputs, places
        self._shown: set[tuple] = set()

    def show(self, message, category, filename, lineno, file=None, line=None) -> None:
        """In place of warnings.showwarning."""
        for name in _PASSED_THROUGH:  # Python would remember their line, not the program's
            vars(sys.modules[name]).pop("__warningregistry__", None)
        frame, _ = self._places.program_frame(1)
        key = (str(message), category, frame and frame.f_code.co_filename, frame and frame.f_lineno)
        if key not in self._shown:
            self._shown.add(key)
            self._outputs.write("warning", f"{category.__name__}: {message}\n")


def own_words(problem: BaseException) -> str:
    """An exception's text; Python's words for it where the exception cannot tell it."""
    try:
        return str(problem)
    except BaseException:
        return "<exception str() failed>"


def failure(problem: BaseException, places: Places, cell: int) -> Failure:
    """An exception as data: Python's own words, and the program's lines it went through."""
    frames = _frames(problem.__traceback__, places)
    span = frames[-1] if frames else -1
    if isinstance(problem, SyntaxError):
        own = places.files.get(problem.filename or "")
        span = span if own is None else _syntax_span(problem, places, own)
    return Failure(type(problem).__name__, readable(own_words(problem))[:100_000], span, frames[-100:])


def _frames(traceback: TracebackType | None, places: Places) -> list[int]:
    spans = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename in places.files:
            line, end_line, column, end_column = places.code(code).positions[traceback.tb_lasti // 2]
            cell = places.files[code.co_filename]
            if line is not None and column is not None:
                spans.append(places.span(cell, (line, end_line, column, end_column)))
            elif line is not None:
                spans.append(places.line_span(cell, line))
        traceback = traceback.tb_next
    return [span for span in spans if span >= 0]


def _syntax_span(problem: SyntaxError, places: Places, cell: int) -> int:
    line, column = problem.lineno or 1, max(0, (problem.offset or 1) - 1)
    lines = places.lines[cell]
    line = min(max(1, line), len(lines))
    text = lines[line - 1].decode("utf-8", "replace")
    end_line, end_column = problem.end_lineno or line, (problem.end_offset or 0) - 1
    if not (line <= end_line <= len(lines)) or (end_line, end_column) <= (line, column):
        end_line, end_column = line, min(len(text), column + 1)
    end_text = lines[end_line - 1].decode("utf-8", "replace")
    column, end_column = min(column, len(text)), min(end_column, len(end_text))
    return places.spans[cell, line, column, end_line, end_column]
