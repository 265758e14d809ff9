"""What a cell shows: a stream in place of stdout and stderr that keeps order and a bound, warnings, errors, echoes."""

import io
import sys
from collections.abc import Callable
from types import TracebackType

import msgspec

from explorer.runtime.notebook.folding import Tail, parts
from explorer.runtime.notebook.telling import Teller
from explorer.runtime.recording.assemble import readable
from explorer.runtime.recording.places import Places
from explorer.trace import Failure, Limit, Output, Printed, Refusal, StreamName

LEAST_TEXT = 1_000  # characters that every cell may show, however much others have shown
MOST_OUTPUTS = 5_000  # of one cell


_PASSED_THROUGH = ("explorer.runtime.recording.recorder", "explorer.runtime.recording.engine", "torch.overrides")


class LimitReached(BaseException):
    """A limit of the run struck. It passes `except Exception`; a program that catches it anyway is still limited."""


class Outputs:
    """What the running cell has shown so far, and how much the run may still show.

    A cell that shows more than that keeps its beginning and its end: half of what was left, and a quarter. So there is
    always something left for the next one.

    Args:
        bound: KB of text that a run may show.
        here: gives the span that runs.

    Attributes:
        teller: is told of everything that is shown, None: nobody is.
        on_taken_back: told of outputs that were taken back.
    """

    def __init__(self, bound: float, here: Callable[[], int]) -> None:
        self.teller: Teller | None = None
        self.on_taken_back: Callable[[list[Output]], None] = lambda outputs: None
        self._bound, self._here = bound, here
        self._allowed = self._left = int(bound * 1024)  # characters of this cell
        self._shown: list[tuple[Output, int]] = []  # with how many characters each counts for
        self._pieces: list[str] = []
        self._stream: StreamName = "stdout"
        self._tail: Tail | None = None
        self._fold = Limit("output", bound, -1)
        self._clearing = False  # before the next output

    def write(self, stream: StreamName, text: str) -> None:
        """Append what the program wrote; text of one stream in a row becomes one output."""
        if self._clearing:
            self.clear()
        if stream != self._stream:
            self._flush()
            self._stream = stream
        if self._tail is not None:
            self._tail.write(stream, text)
            return
        if len(text) > self._left:
            self._pieces.append(text[: self._left])
            rest = text[self._left :]
            self._fold_up().write(stream, rest)
            return
        if text:
            self._left -= len(text)
            self._pieces.append(text)
            self._tell(Printed(stream, readable(text)))

    def add(self, output: Output, weight: int = 0) -> None:
        """Append an output of another kind; `weight` is how many characters it counts for."""
        if self._clearing:
            self.clear()
        self._flush()
        if self._tail is None and weight > self._left:
            self._fold_up()
        if self._tail is not None:
            self._tail.add(output, weight)
            return
        self._left -= weight
        self._shown.append((output, weight))
        self._tell(output)

    def fit(self, text: str) -> str:
        """As much of a text as one output may show."""
        return text[: max(0, self._left if self._tail is None else self._tail.most)]

    def cut(self, count: int) -> None:
        """So many characters did not fit into the output that was added last."""
        self.add(Limit("output", self._bound, self._here(), "", count))

    def clear(self, wait: bool = False) -> None:
        """Take back what the cell has shown, but refusals and limits; with `wait` when it shows something else."""
        self._clearing = wait
        if wait:
            return
        self._flush()
        kept: list[Output] = []
        gone: list[Output] = []
        for output in [output for output, _ in self._shown] + ([] if self._tail is None else self._tail.outputs()):
            (kept if isinstance(output, Refusal | Limit) else gone).append(output)
        self._shown, self._tail, self._left = [(output, 0) for output in kept], None, self._allowed
        self.on_taken_back(gone)
        if self.teller is not None:
            self.teller.clear()
            for output in kept:
                self.teller.add(output)

    def replace(self, old: Output, new: Output) -> bool:
        """Put an output in the place of one that the running cell still shows; whether it does."""
        for place, (output, weight) in enumerate(self._shown):
            if output is old:
                self._shown[place] = (new, weight)
                self._retell()
                return True
        return False

    def take(self) -> list[Output]:
        """The outputs of the cell that has ended."""
        self._clearing = False
        self._flush()
        done = [output for output, _ in self._shown]
        if self._tail is not None:
            done += [*self._tail.between, msgspec.structs.replace(self._fold, count=self._tail.left_out)]
            done += self._tail.outputs()
            self._left = self._allowed - sum(weight for _, weight in self._shown) - self._tail.size
            if self.teller is not None:
                self.teller.clear()
                for output in done:
                    self.teller.add(output)
        self._allowed = self._left = max(LEAST_TEXT, self._left)
        self._shown, self._tail = [], None
        return done

    def end(self) -> list[Output]:
        """Take what the cell showed and end it: nothing more will be added."""
        done = self.take()
        if self.teller is not None:
            self.teller.end()
        return done

    def _retell(self) -> None:
        if self.teller is not None:
            self.teller.clear()
            for output, _ in self._shown:
                self.teller.add(output)

    def _flush(self) -> None:
        """Turn what was written since into outputs."""
        if self._pieces:
            text = readable("".join(self._pieces))
            self._pieces = []
            self._shown += [(Printed(self._stream, part), len(part)) for part in parts(text)]
            if len(self._shown) >= MOST_OUTPUTS // 2 and self._tail is None:
                self._fold_up()

    def _fold_up(self) -> Tail:
        """From now on the cell keeps its beginning, and of what comes its end: what keeps that."""
        self._fold = Limit("output", self._bound, self._here())
        self._tail = tail = Tail(self._allowed // 4)
        self._flush()
        head, self._shown, room = self._shown, [], self._allowed // 2
        for output, weight in head:
            if isinstance(output, Printed) and 0 < room < weight:
                self._shown.append((Printed(output.stream, output.text[:room]), room))
                tail.write(output.stream, output.text[room:])
            elif weight <= room and len(self._shown) < MOST_OUTPUTS // 2:
                self._shown.append((output, weight))
            else:
                tail.add(output, weight)
            room -= weight
        return tail

    def _tell(self, output: Output) -> None:
        if self.teller is not None:
            self.teller.add(output)


class Stream(io.TextIOBase):
    """sys.stdout or sys.stderr of a program."""

    encoding = "utf-8"

    def __init__(self, outputs: Outputs, name: StreamName) -> None:
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
        own = places.files[problem.filename or ""]
        span = span if own < 0 else _syntax_span(problem, places, own)
    return Failure(type(problem).__name__, readable(own_words(problem))[:100_000], span, frames[-100:])


def _frames(traceback: TracebackType | None, places: Places) -> list[int]:
    spans = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        cell = places.files[code.co_filename]
        if cell >= 0:
            line, end_line, column, end_column = places.code(code).positions[traceback.tb_lasti // 2]
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
