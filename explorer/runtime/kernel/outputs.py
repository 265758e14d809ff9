"""The outputs of a cell: bounded stdout and stderr in order, warnings, errors, echoes."""

import contextlib
import io
import os
import re
import sys
from collections import deque
from collections.abc import Callable, Collection
from types import TracebackType

import msgspec

from explorer.runtime.kernel.output_streamer import OutputStreamer
from explorer.runtime.kernel.scenes import scene_at
from explorer.runtime.recorder import assemble
from explorer.runtime.recorder.engine import LONGEST_WARNING, MOST_WARNINGS
from explorer.runtime.recorder.source_map import SourceMap, safe_str
from explorer.trace import Failure, Limit, Output, Printed, Refusal, StreamName

MOST_ENTRIES = 2_000  # most entries of a tail
PART = 250_000  # longest text output, in characters
_MERGED, _LONG = 1_000, 4_000  # characters up to which consecutive writes are joined, and the maximum after joining


_COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # a terminal's codes for bold and colours


def readable(text: str) -> str:
    """Remove lone surrogates and a terminal's colour codes from a text."""
    return assemble.readable(_COLOURS.sub("", text) if "\x1b" in text else text)


class Tail:
    """The last characters of the output, with all weightless outputs.

    Weightless are figures, errors and refusals.

    Attributes: most, size: characters that it may keep, and those that it keeps. left_out: dropped characters. between:
    weightless outputs among the dropped text.
    """

    def __init__(self, most: int) -> None:
        self.most, self.size, self.left_out = most, 0, 0
        self.between: list[Output] = []
        self._entries: deque[tuple[StreamName | Output, str, int]] = deque()  # stream or output, text, weight

    def write(self, stream: StreamName, text: str) -> None:
        """Add text that the program wrote."""
        if len(text) > self.most:
            self.left_out += len(text) - self.most
            text = text[len(text) - self.most :]
        for start in range(0, len(text), _LONG):
            self._write(stream, text[start : start + _LONG])

    def _write(self, stream: StreamName, text: str) -> None:
        last = self._entries[-1] if self._entries else None
        if last is not None and last[0] == stream and last[2] + len(text) <= _MERGED:
            text = last[1] + text
            self._entries.pop()
            self.size -= last[2]
        self._append((stream, text, len(text)))

    def add(self, output: Output, weight: int) -> None:
        """Add an output with this weight in characters."""
        if isinstance(output, Printed) and output.joins:
            self.write(output.stream, output.text)
        else:
            self._append((output, "", weight))

    def outputs(self) -> list[Output]:
        """Return the kept outputs, in order."""
        pieces: list[Output] = []
        stream: StreamName = "stdout"
        texts: list[str] = []
        for what, text, _ in [*self._entries, (None, "", 0)]:
            if texts and what != stream:
                pieces += [Printed(stream, part) for part in parts(readable("".join(texts)))]
                texts = []
            if what is None:
                continue
            if not isinstance(what, str):
                pieces.append(what)
            elif text:
                stream = what
                texts.append(text)
        return pieces

    def _append(self, entry: tuple[StreamName | Output, str, int]) -> None:
        self._entries.append(entry)
        self.size += entry[2]
        while self.size > self.most or len(self._entries) > MOST_ENTRIES:
            what, text, weight = self._entries.popleft()
            over = self.size - self.most
            self.size -= weight
            if text and 0 < over < weight:  # keep the end of the text
                self._entries.appendleft((what, text[over:], weight - over))
                self.size += weight - over
                self.left_out += over
            elif isinstance(what, str) or weight:
                self.left_out += weight
            else:
                self.between.append(what)


def parts(text: str) -> list[str]:
    """Split a text into parts that fit into an output."""
    return [text[i : i + PART] for i in range(0, len(text), PART)]


LEAST_TEXT = 1_000  # characters that every cell may show, regardless of other cells
MOST_OUTPUTS = 5_000  # most outputs of a cell


class LimitReached(BaseException):
    """Raised at a limit. `except Exception` does not catch it."""


class Stopped(LimitReached, KeyboardInterrupt):
    """Raised if the user stops the run: `except KeyboardInterrupt` may still save results."""


class Outputs:
    """The running cell's outputs, and the run's remaining room.

    A cell with more output keeps its beginning (half of the remaining room) and its end (a quarter), so that the next
    cell always has some room.

    Args: bound: KB of text that a run may show. here: returns the running span.

    Attributes: teller: receives all outputs, or None. on_taken_back: called with removed outputs. replacing: whether
    the cell replaces its output, as a growing plot does.
    """

    def __init__(self, bound: float, here: Callable[[], int]) -> None:
        self.teller: OutputStreamer | None = None
        self.on_taken_back: Callable[[list[Output]], None] = lambda outputs: None
        self._bound, self._here = bound, here
        self._allowed = self._left = int(bound * 1024)  # characters that this cell may show
        self._shown: list[tuple[Output, int]] = []  # outputs and their weights in characters
        self._pieces: list[str] = []
        self._stream: StreamName = "stdout"
        self._tail: Tail | None = None
        self._fold = Limit("output", bound, -1)
        self._clearing = False  # whether the next output clears the earlier ones
        self.replacing = False
        self.cleared = 0  # how often the cell cleared its outputs
        self._postponed: Callable[[], None] | None = None

    def write(self, stream: StreamName, text: str) -> None:
        """Append text. Consecutive text of a stream becomes one output."""
        self._come()
        if stream != self._stream:
            self._flush()
            self._stream = stream
        if self._tail is not None:
            self._tail.write(stream, text)
            return
        if stream == "stderr" and text[:1] == "\r":
            text = self._overwritten(text)
        if len(text) > self._left:
            self._pieces.append(text[: self._left])
            rest = text[self._left :]
            self._fold_up().write(stream, rest)
            return
        if text:
            self._left -= len(text)
            self._pieces.append(text)
            self._forward(Printed(stream, readable(text)))

    def _overwritten(self, text: str) -> str:
        """Overwrite a line with a text that contains carriage returns."""
        first = len(self._pieces)
        while first and "\n" not in self._pieces[first - 1]:
            first -= 1
        row = list("".join(self._pieces[first:]))
        del self._pieces[first:]
        self._left += len(row)
        over, end, rest = text.partition("\n")
        for part in over.split("\r"):
            row[: len(part)] = part
        return "".join(row).rstrip() + end + rest

    def add(self, output: Output, weight: int = 0) -> None:
        """Append an output of another kind with its weight in characters."""
        self._come()
        self._flush()
        if self._tail is None and weight > self._left:
            self._fold_up()
        if self._tail is not None:
            self._tail.add(output, weight)
            return
        self._left -= weight
        self._shown.append((output, weight))
        self._forward(output)

    def postpone(self, show: Callable[[], None]) -> None:
        """Call `show` before the next output or at the cell's end, unless removed."""
        self._come()
        self._postponed = show

    def _come(self) -> None:
        """Remove the outputs to replace, or show postponed outputs."""
        if self._clearing:
            self.clear()
        self.settle()

    @property
    def postpones(self) -> bool:
        """Return whether an output is postponed."""
        return self._postponed is not None

    def settle(self) -> None:
        """Show the postponed output."""
        show, self._postponed = self._postponed, None
        if show is not None:
            show()

    def fit(self, text: str) -> str:
        """Return the part of a text that fits into an output."""
        return text[: max(0, self._left if self._tail is None else self._tail.most)]

    def cut(self, count: int) -> None:
        """Note how many characters of the last output were cut."""
        self.add(Limit("output", self._bound, self._here(), "", count))

    def clear(self, wait: bool = False) -> None:
        """Remove the cell's outputs except refusals and limits.

        With `wait`, do it before the next output.
        """
        self._clearing, self.replacing = wait, True
        if wait:
            return
        self._postponed = None
        self.cleared += 1
        self._flush()
        lasting: list[Output] = []
        gone: list[Output] = []
        for output in [output for output, _ in self._shown] + ([] if self._tail is None else self._tail.outputs()):
            (lasting if isinstance(output, Refusal | Limit) else gone).append(output)
        self._shown, self._tail, self._left = [(output, 0) for output in lasting], None, self._allowed
        self.on_taken_back(gone)
        self._retell(lasting)

    @property
    def reached(self) -> tuple[int, int]:
        """The number of complete outputs of the cell, and of characters after them."""
        if self._tail is not None:
            return len(self._shown), 0
        return len(self._shown), sum(map(len, self._pieces))

    def replace(self, old: Output, new: Output) -> bool:
        """Replace a visible output of the cell. Return whether that worked."""
        for place, (output, weight) in enumerate(self._shown):
            if output is old:
                self._shown[place] = (new, weight)
                self._retell([output for output, _ in self._shown])
                return True
        return False

    def take(self) -> list[Output]:
        """Return the outputs of the ended cell."""
        self._clearing = False
        self.settle()
        self.replacing = False
        self._flush()
        done = [output for output, _ in self._shown]
        if self._tail is not None:
            done += [*self._tail.between, msgspec.structs.replace(self._fold, count=self._tail.left_out)]
            done += self._tail.outputs()
            self._left = self._allowed - sum(weight for _, weight in self._shown) - self._tail.size
            self._retell(done)
        self._allowed = self._left = max(LEAST_TEXT, self._left)
        self._shown, self._tail = [], None
        return done

    def end(self) -> list[Output]:
        """Return the cell's outputs and end it: nothing more is added."""
        done, self.cleared = self.take(), 0
        if self.teller is not None:
            self.teller.end()
        return done

    def _retell(self, outputs: list[Output]) -> None:
        """Send these outputs in place of the cell's earlier outputs."""
        if self.teller is not None:
            self.teller.clear()
            for output in outputs:
                self.teller.add(output)

    def _flush(self) -> None:
        """Turn pending text into outputs."""
        if self._pieces:
            text = readable("".join(self._pieces))
            self._pieces = []
            self._shown += [(Printed(self._stream, part), len(part)) for part in parts(text)]
            if len(self._shown) >= MOST_OUTPUTS // 2 and self._tail is None:
                self._fold_up()

    def _fold_up(self) -> Tail:
        """Keep only the end of the cell's further output. Return its collector."""
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

    def _forward(self, output: Output) -> None:
        if self.teller is not None:
            self.teller.add(output)


class Stream(io.TextIOBase):
    """sys.stdout or sys.stderr of a program."""

    encoding = "utf-8"

    def __init__(self, outputs: Outputs, name: StreamName) -> None:
        self._outputs, self._name = outputs, name

    def write(self, text: str) -> int:
        """Write text. Raises TypeError for other values, like a real stream."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._outputs.write(self._name, text)
        return len(text)

    def writable(self) -> bool:
        """Return True."""
        return True


class Warnings:
    """Warnings, each once per line of the program, whichever library frame torch reports."""

    def __init__(self, outputs: Outputs, source_map: SourceMap) -> None:
        self._outputs, self._source_map = outputs, source_map
        self._shown: set[tuple] = set()

    def show(self, message, category, filename, lineno, file=None, line=None) -> None:
        """Replace warnings.showwarning."""
        # torch.overrides only forwards calls, so Python would remember its line instead of the program's.
        vars(sys.modules["torch.overrides"]).pop("__warningregistry__", None)
        frame, _ = self._source_map.program_frame(1)
        key = (str(message), category, frame and frame.f_code.co_filename, frame and frame.f_lineno)
        if key not in self._shown:
            self._shown.add(key)
            text = f"{category.__name__}: {message}\n"
            if frame is None or len(self._shown) > MOST_WARNINGS:
                self._outputs.write("warning", text)
                return
            site, text = self._source_map.call_site(frame), readable(text)[:LONGEST_WARNING]
            self._outputs.add(Printed("warning", text, site.span), len(text))


def failure(problem: BaseException, source_map: SourceMap, foreign: Collection[str] = ()) -> Failure:
    """Return an exception as data: Python's text, and the program's lines.

    Args: foreign: names that the program has not written, which Python may not suggest.
    """
    frames = _frames(problem.__traceback__, source_map)
    span, place = frames[-1] if frames else -1, ""
    if isinstance(problem, SyntaxError):
        own = source_map.files[problem.filename or ""]
        span = span if own < 0 else _syntax_span(problem, source_map, own)
        place = "" if own < 0 else f" ({os.path.basename(problem.filename or '')}, line {problem.lineno})"
    words = safe_str(problem).removesuffix(place)  # the span already contains the place
    meant = suggestion(problem)
    own = not any(f"'{name}'" in meant for name in foreign)
    text = readable(words + meant * own)[:100_000]
    return Failure(type(problem).__name__, text, span, frames[-100:], scene=scene_at(problem.__traceback__, source_map))


def suggestion(problem: BaseException) -> str:
    """Return Python's addition to a printed message, "" if there is none."""
    if type(problem) not in (NameError, AttributeError, ImportError):
        return ""
    printed = io.StringIO()
    with contextlib.redirect_stderr(printed):  # only the interpreter's own hook prints it in every version
        sys.tracebacklimit = 0  # so that it opens no file
        sys.__excepthook__(type(problem), problem, None)
        del sys.tracebacklimit
    found = re.search(r"[.?] (?:Did you mean|Did you forget|Or did you forget)[^\n]*\?$", printed.getvalue().rstrip())
    return found[0] if found else ""


def _frames(traceback: TracebackType | None, source_map: SourceMap) -> list[int]:
    spans = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        cell = source_map.files[code.co_filename]
        if cell >= 0:
            line, end_line, column, end_column = source_map.code(code).positions[traceback.tb_lasti // 2]
            if line is not None and column is not None:
                spans.append(source_map.span(cell, (line, end_line, column, end_column)))
            elif line is not None:
                spans.append(source_map.line_span(cell, line))
        traceback = traceback.tb_next
    return [span for span in spans if span >= 0]


def _syntax_span(problem: SyntaxError, source_map: SourceMap, cell: int) -> int:
    line, column = problem.lineno or 1, max(0, (problem.offset or 1) - 1)
    lines = source_map.lines[cell]
    line = min(max(1, line), len(lines))
    text = lines[line - 1].decode("utf-8", "replace")
    end_line, end_column = problem.end_lineno or line, (problem.end_offset or 0) - 1
    if not (line <= end_line <= len(lines)) or (end_line, end_column) <= (line, column):
        end_line, end_column = line, min(len(text), column + 1)
    end_text = lines[end_line - 1].decode("utf-8", "replace")
    column, end_column = min(column, len(text)), min(end_column, len(end_text))
    return source_map.spans[cell, line, column, end_line, end_column]
