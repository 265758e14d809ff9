"""A program's statements: the values of its names after each, and its outputs.

Python calls the watcher before each instruction of the program's code (`sys.settrace`), so a line with several
statements is several steps. Libraries are not followed. No code of the program runs for it.
"""

import inspect
import sys
import warnings
import weakref
from collections.abc import Callable, Iterable
from types import CodeType, FrameType
from typing import Any

import torch
from msgspec import Struct

from explorer.runtime.recorder.plain_values import CHANGING, UNCHANGING, plain_text
from explorer.runtime.recorder.recorder import Recorder
from explorer.runtime.recorder.rows import STATE_SEEN, STATE_TENSOR
from explorer.runtime.recorder.source import Place
from explorer.runtime.recorder.statements import CodeStatements, Statement
from explorer.trace.statements import CALLS, CHANGES, ENTERED, GONE, LEFT, RAISED, RAN, ROWS, TESTED, Statements

TEXTS, CHARACTERS = 15_000, 1_000_000  # most distinct texts kept, and their total characters
NAMES = 100  # up to this many names, all are checked after each statement
_Held = tuple[str, Any]  # ("text", its text), ("tensor", its id) or ("unknown", a weak reference, its text)
_GONE: _Held = ("gone", None)


class StatementRow(Struct, gc=False):
    """A row with the fields of trace.Statements and the recorder's own ids.

    `place` is cell and place.
    """

    kind: int
    place: tuple[int, Place] | None
    call: int
    operations: int
    backwards: int
    reached: int
    shown: tuple[int, int, int, int]  # cell, generation, outputs, characters
    truth: int
    result: tuple
    names: list[tuple[str, int, tuple]]
    found: list[int]


class WatchedCall:
    """A running call of the program's code.

    Attributes: call: its number. names: each name's value at the last row, with the object itself if it cannot change.
    now: the running statement. at: the last instruction. problem: an exception that may leave the statement.
    """

    def __init__(
        self, watcher: "Watcher", call: int, code: CodeStatements, names: dict[str, tuple[Any, _Held]]
    ) -> None:
        self.watcher, self.call, self.code, self.names = watcher, call, code, names
        self.now: Statement | None = None
        self.at = -1
        self.problem = self.raised = ""
        self.frame: FrameType | None = None

    def step(self, frame: FrameType, event: str, argument: Any):
        """Handle an instruction, an exception, or the end of the call."""
        if event == "opcode":
            at = frame.f_lasti
            statement = self.code.at[at >> 1]
            if (
                statement is self.now
                and not self.problem
                and (at > self.at or statement is None or at != self.code.first[statement])
            ):
                self.at = at
            else:
                self.watcher.guarded(self._goes_on, frame, at, statement)
        elif event == "exception":
            self.problem = self.raised = argument[0].__name__
        elif event == "return":
            self.watcher.guarded(self._returned, frame, argument)
        return self.step

    def _goes_on(self, frame: FrameType, at: int, statement: Statement | None) -> None:
        problem, self.problem = self.problem, ""
        before, self.now = self.now, statement
        jumped, self.at = at <= self.at, at
        if problem and self.code.catches(at):
            self.watcher.row(self, RAISED, before, result=("text", problem))
        elif before is not None and (before is not statement or jumped):
            self._ended(before, statement)

    def _ended(self, before: Statement, following: Statement | None) -> None:
        if before.body is None:
            if before.kind == "plain":
                self.watcher.row(self, RAN, before)
        elif (goes_in := before.leads_to(following)) or before.kind != "loop":
            self.watcher.row(self, TESTED, before, truth=int(goes_in))

    def _returned(self, frame: FrameType, value: object) -> None:
        before, raised = self.now, not self.code.returns(frame.f_lasti)
        suspended = not raised and frame.f_code.co_flags & _SUSPENDS
        self.problem = ""
        if raised and before is not None:
            self.watcher.row(self, RAISED, before, result=("text", self.raised))
        elif before is not None and not suspended:
            self._ended(before, None)
        if self.call:
            self.watcher.row(self, LEFT, before, result=_GONE if raised else self.watcher.held(value))
        self.watcher.left(self)


_SUSPENDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Watcher:
    """The rows of a run, one for each ended statement.

    Args: shown: the running cell, how often it cleared its outputs, the number of outputs and the characters after
    them. namespace: of the program. hidden: names in it that are not the program's.
    """

    def __init__(
        self, recorder: Recorder, shown: Callable[[], tuple[int, int, int, int]], namespace: dict, hidden: dict
    ) -> None:
        self.recorder, self.shown, self.namespace, self.hidden = recorder, shown, namespace, hidden
        self.rows: list[StatementRow] = []
        self.functions: list[tuple[str, int]] = [("", -1)]
        self.left_out = 0
        self._codes: dict[int, CodeStatements] = {}
        self._stack: list[WatchedCall] = []
        self._own: dict[str, tuple[Any, _Held]] = {}
        self._changes = self._characters = 0
        self._texts: set[str] = set()
        self._full = False
        self._states = 0  # tensor states that existed before the row

    def __enter__(self) -> "Watcher":
        sys._getframe().f_trace_opcodes = True  # Python 3.12 looks at this only when tracing begins
        warnings.filterwarnings("ignore", "assigning None to unbound local", RuntimeWarning)  # caused by tracing
        sys.settrace(self.called)
        return self

    def __exit__(self, *problem) -> None:
        if not self._full and sys.gettrace() != self.called:  # the program replaced it
            self.left_out += 1
        sys.settrace(None)
        self._stack.clear()

    def called(self, frame: FrameType, event: str, argument: object):
        """Return the trace function of a beginning call, None to ignore it."""
        code = frame.f_code
        if self.recorder.source_map.files.get(code.co_filename, -1) < 0 or event != "call":
            return None
        return self.guarded(self._begun, frame, code)

    def guarded(self, do: Callable, *arguments: Any) -> Any:
        """Call a function of the watcher unless full."""
        if self._full:
            return None
        self.recorder.pauses += 1
        try:
            return do(*arguments)
        except Exception as problem:
            self._end()
            self.recorder.count_unrecorded(problem)
        finally:
            self.recorder.pauses -= 1
        return None

    def _end(self) -> None:
        self._full = True
        self.left_out += 1
        sys.settrace(None)

    def _begun(self, frame: FrameType, code: CodeType):
        if (resumed := getattr(frame.f_trace, "__self__", None)) is not None:
            resumed.frame = frame
            self._stack.append(resumed)
            self.row(resumed, ENTERED, resumed.now)
            return frame.f_trace
        function = code.co_flags & inspect.CO_OPTIMIZED
        if (function and code.co_name[0] == "<") or (not function and frame.f_locals is not self.namespace):
            return None  # a comprehension or a class body belongs to its statement, and an import is a statement
        facts = self._codes.get(id(code))
        if facts is None:
            index = self.recorder.source_map.statements.get(self.recorder.source_map.files[code.co_filename])
            if index is None:
                return None
            facts = self._codes[id(code)] = CodeStatements(code, index)
        call, names = 0, self._own
        if function:
            if len(self.functions) > CALLS:
                self._end()
                return None
            call, names = len(self.functions), {}
            self.functions.append((code.co_name, self._stack[-1].call if self._stack else 0))
        activation = WatchedCall(self, call, facts, names)
        activation.frame = frame
        frame.f_trace = activation.step  # Python 3.13 steps by instructions only with a trace function
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        self._stack.append(activation)
        if function:
            self.row(activation, ENTERED, facts.definition)
        return activation.step

    def left(self, activation: WatchedCall) -> None:
        """End or suspend a call."""
        if activation in self._stack:
            del self._stack[self._stack.index(activation) :]
        activation.frame = None

    def row(
        self, activation: WatchedCall, kind: int, statement: Statement | None, truth: int = -1, result: _Held = _GONE
    ) -> None:
        """Add a row for an ended statement, with the changed names."""
        recorder = self.recorder
        dropped = recorder.gaps.open is not None or recorder.settled is not None
        if len(self.rows) >= ROWS or self._changes > CHANGES or len(self._texts) > TEXTS or dropped:
            self._end()
            return
        if not recorder.running and recorder.rows.tensors.exposed:
            recorder.tensors.compare_exposed(recorder.operation_count + 1)
        cell = recorder.source_map.files[activation.code.code.co_filename]
        place = None if statement is None else (cell, statement.where)
        names = self._changed(activation)
        ended, reached = recorder.backward_count, -1
        if recorder.running:
            number, running = recorder.running[0]
            ended, reached = number - 1, len(running.order)
        counts = recorder.operation_count, ended, reached
        shown = self.shown()
        self.rows.append(
            StatementRow(kind, place, activation.call, *counts, shown, truth, result, names, self._found())
        )

    def _found(self) -> list[int]:
        """Return tensors with changed entries since the last row."""
        states, before = self.recorder.rows.tensors.states, self._states
        self._states = states.count
        cells = (states.at(state) for state in range(before + 1, states.count + 1))
        return [states.cells[at + STATE_TENSOR] for at in cells if at >= 0 and states.cells[at + STATE_SEEN]]

    # ---- names ------------------------------------------------------------------------------------------------------

    def _changed(self, activation: WatchedCall) -> list[tuple[str, int, _Held]]:
        """Return the names with changed values."""
        changes: list[tuple[str, int, _Held]] = []
        around = self._stack if activation.code.writes_out else ()
        for running in self._stack:
            if running is activation or running in around:
                self._look(running, changes)
            else:
                self._look_again(running, changes)
        self._changes += len(changes)
        return changes

    def _look(self, activation: WatchedCall, changes: list) -> None:
        frame, before = activation.frame, activation.names
        if frame is None:
            return
        values = frame.f_locals
        wanted: Iterable[str] = list(values)
        if len(values) > NAMES:
            wanted = [name for name in (*activation.code.code.co_names, *before) if name in values]
        for name in wanted:
            if name[0] != "_" and (activation.call or name not in self.hidden or self.hidden[name] is not values[name]):
                self._compare(activation, name, values[name], changes)
        for name in [name for name in before if name not in values]:
            del before[name]
            changes.append((name, activation.call, _GONE))

    def _look_again(self, activation: WatchedCall, changes: list) -> None:
        changing = [name for name, (value, _) in activation.names.items() if value is _CHANGING]
        if changing and activation.frame is not None:
            values = activation.frame.f_locals
            for name in changing:
                if name in values:
                    self._compare(activation, name, values[name], changes)

    def _compare(self, activation: WatchedCall, name: str, value: object, changes: list) -> None:
        before = activation.names.get(name)
        if before is not None and before[0] is value and type(value) in UNCHANGING:
            return
        held = self.held(value)
        if held is _GONE:
            if before is not None:
                del activation.names[name]
                changes.append((name, activation.call, _GONE))
            return
        thing = value if type(value) in UNCHANGING else _CHANGING if type(value) in CHANGING else None
        activation.names[name] = thing, held
        if before is None or before[1] != held:
            changes.append((name, activation.call, held))

    def held(self, value: object) -> _Held:
        """Return the value of a name."""
        if issubclass(type(value), torch.Tensor):
            index = self.recorder.tensors.find(value)  # type: ignore[arg-type]
            if index:
                return "tensor", index
            return "unknown", (weakref.ref(value), plain_text(value) or "")
        text = plain_text(value)
        if text is None:
            return _GONE
        if text not in self._texts:
            self._texts.add(text)
            self._characters += len(text)
            self._full = self._full or self._characters > CHARACTERS
        return "text", text

    # ---- the end ----------------------------------------------------------------------------------------------------

    def columns(
        self,
        operation: Callable[[int], int],
        backward: Callable[[int], int],
        tensor: Callable[[int], int],
        string: Callable[[str], int],
        until: int,
    ) -> Statements:
        """Return the rows as columns of a Trace.

        Args: operation, backward: how many of the begun are kept. until: rows after this many operations are omitted,
        as later operations are missing.
        """
        rows = [row for row in self.rows if row.operations <= until]
        shows = {row.shown[0]: row.shown[1] for row in self.rows}  # number of times each cell cleared its outputs
        made = Statements(left_out=self.left_out + len(self.rows) - len(rows))

        def number(held: _Held) -> int:
            kind, what = held
            if kind == "unknown":
                value = what[0]()
                index = self.recorder.tensors.find(value) if value is not None else 0
                kind, what = ("tensor", index) if index else ("text", what[1])
            if kind == "tensor":
                return 2 * tensor(what) + 1 if tensor(what) >= 0 else 2 * string("<Tensor>")
            return 2 * string(what) if kind == "text" else GONE

        for row in rows:
            cell, generation, outputs, characters = row.shown
            stays = shows.get(cell, 0) == generation
            made.kind.append(row.kind)
            made.span.append(-1 if row.place is None else self.recorder.source_map.span(*row.place))
            made.call.append(row.call)
            made.operations.append(operation(row.operations))
            made.backwards.append(backward(row.backwards))
            made.reached.append(row.reached)
            made.cell.append(cell)
            made.outputs.append(outputs if stays else 0)
            made.characters.append(characters if stays else 0)
            made.truth.append(row.truth)
            made.result.append(number(row.result))
            made.starts.append(len(made.name))
            made.name.extend(string(name) for name, _, _ in row.names)
            made.scope.extend(call for _, call, _ in row.names)
            made.held.extend(number(held) for _, _, held in row.names)
            made.found_starts.append(len(made.found))
            made.found.extend(index for index in map(tensor, row.found) if index >= 0)
        if rows:
            made.starts.append(len(made.name))
            made.found_starts.append(len(made.found))
        made.function.extend(string(name) for name, _ in self.functions)
        made.caller.extend(caller for _, caller in self.functions)
        return made


_CHANGING = object()
