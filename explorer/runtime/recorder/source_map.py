"""Locate the running program from interpreter frames."""

import ast
import dis
import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from types import CodeType, FrameType
from typing import Any

import torch

from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.source import Path, Place, SourceIndex, index_source
from explorer.runtime.recorder.statements import Loop, StatementIndex, loops_of, repeated
from explorer.runtime.recorder.table import IndexOf

_LIBRARIES = (os.path.dirname(torch.__file__), os.path.abspath(f"{__file__}/../../.."), "<")  # not files of the user


@dataclass(slots=True)
class CallSite:
    """Meaning of one instruction of the program.

    Attributes: place, span: its widened place, and that span's index, None and -1 if unknown. operands, paths, targets:
    names in the expression, paths that it reads, and names it is assigned to (None: not assigned). around: the loops it
    lies in, outermost first. scope: "" at module level, otherwise the function's name. tests: whether it compares and
    then tests the result (from Python 3.13 on). consumes: whether one call of it makes many operations, as `sum`
    does.
    """

    place: Place | None
    span: int
    operands: tuple[str, ...]
    paths: tuple[Path, ...]
    targets: list[str | None] | None
    around: tuple[Loop, ...]
    scope: str
    tests: bool = False
    consumes: bool = False


@dataclass(slots=True)
class CodePlaces:
    """The facts about a code object of the program, collected as its instructions run.

    Attributes: cell: the cell it comes from. code, index: kept so that their id() is not reused: the code, and the
    syntax of its cell. scope: "" for the module level, otherwise its name. positions, instructions: co_positions, by
    instruction, and co_code, which Python copies whenever it is read. loops: outermost first. arounds: one object for
    the same loops around a site, compared by identity. known: by f_lasti the fields of each site, with a place instead
    of a span. All recordings share these. sites: by f_lasti, of this recording.
    """

    cell: int
    code: CodeType
    index: SourceIndex
    scope: str
    positions: list
    instructions: bytes
    loops: list[Loop]
    arounds: dict[tuple[int, ...], tuple[Loop, ...]]
    known: dict[int, tuple]
    sites: dict[int, CallSite] = field(default_factory=dict)


@dataclass(slots=True)
class Activation:
    """A running call of the program's code, with its place.

    Attributes: sites: of its code. site: the one that runs, None if one call of a library may span several rounds.
    callee: the library frame it called, None for a direct call. around: the loops, outermost first. counts:
    their rounds from 0. values: their variables when last counted. iteration: counts of all loops around, in the
    callers too. tested: the last comparison whose result was tested in the same round. consumed: the loop's variable
    when a call such as that of `sum` made an operation last. number: of the calls of functions, from 1, 0 at module
    level. caller: where it was called, as an index of SourceMap.callers, -1 at module level. read: while one call of a
    library runs: the objects, by id(), and the tensors that its expression reads.
    """

    frame: FrameType
    sites: dict[int, CallSite]
    number: int = 0
    caller: int = -1
    at: int = -1
    site: CallSite | None = None
    callee: object = None
    around: tuple[Loop, ...] = ()
    counts: list[int] = field(default_factory=list)
    values: list = field(default_factory=list)
    iteration: tuple[int, ...] = ()
    tested: int = -1
    consumed: object = None
    read: tuple[set[int], set[int]] | None = None


_AND_TESTS = 16  # flag of COMPARE_OP
_RESUMED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR  # may be resumed by another caller
_UNREAD = object()  # the value of a loop variable that has advanced since it was read
LIBRARY, DRAWS, FOREIGN = -1, -2, -3  # instead of a cell: torch's code, code that only draws tensors, other libraries
_DRAWING = tuple(f"{os.sep}{name}{os.sep}" for name in ("matplotlib", "mpl_toolkits", "seaborn", "plotly"))


@lru_cache(maxsize=10_000)
def _kind_of(filename: str) -> int:
    if any(name in filename for name in _DRAWING):
        return DRAWS
    return LIBRARY if filename.startswith(_LIBRARIES) else FOREIGN


class ProgramFiles(dict[str, int]):
    """Each file's cell by name, below 0 outside the program. `learn` classifies new files."""

    def __init__(self, learn: Callable[[str], int] | None = None) -> None:
        super().__init__()
        self.learn = learn

    def __missing__(self, filename: str) -> int:
        cell = LIBRARY if self.learn is None or filename.startswith(_LIBRARIES[0]) else self.learn(filename)
        if cell < 0:
            cell = _kind_of(filename)
        self[filename] = cell
        return cell


_SHARED: dict[tuple[int, int], tuple] = {}  # (id() of a code, id() of its cell's syntax) → facts
_MOST_SHARED = 200  # entries before the cache is cleared


@lru_cache(maxsize=64)
def _lines(source: str) -> list[bytes]:
    return [line.encode("utf-8", "surrogatepass") for line in source.split("\n")]


class SourceMap:
    """The program's texts, and the way from a frame to a place in them.

    Attributes: spans: (cell, line, column, end line, end column) in code points, by index. files: file name to cell.
    callers: places of calls of the program's functions: (span, caller of the calling function).
    stack: the running calls of the program's code that lead to the operation located last, outermost first. statements:
    of each cell its statements, while they are watched, otherwise None. on_leave: called with each call that has
    returned, or waits, at the next operation elsewhere.
    """

    def __init__(self) -> None:
        self.files = ProgramFiles()
        self.indices: list[SourceIndex] = []
        self.statements: dict[int, StatementIndex] | None = None
        self.lines: list[list[bytes]] = []
        self.spans, self.callers = IndexOf(), IndexOf()
        self._codes: dict[int, CodePlaces] = {}
        self.stack: list[Activation] = []
        self.on_leave: Callable[[Activation], None] | None = None
        self._outer: tuple[int, ...] = ()  # loop counts of the calls below the innermost
        self._calls = 0  # function calls so far

    def add_cell(self, filename: str, source: str, index: SourceIndex) -> int:
        """Register a cell under the file name of its code. Return its number."""
        self.files[filename] = cell = len(self.lines)
        self.lines.append(_lines(source))
        self.indices.append(index)
        return cell

    def read(self, cell: int, tree: ast.AST) -> None:
        """Record what a cell's syntax defines."""
        self.indices[cell].add(index_source(tree))
        if self.statements is not None:
            self.statements.setdefault(cell, StatementIndex()).add(tree)

    def program_frame(self, depth: int) -> tuple[FrameType | None, FrameType | None]:
        """Return the program's innermost frame above `depth`, and the library frame it called."""
        frame, callee, files = sys._getframe(depth + 1), None, self.files
        while frame is not None and files[frame.f_code.co_filename] < 0:
            frame, callee = frame.f_back, frame
        return frame, callee

    def between(self, inner: FrameType, frame: FrameType | None) -> str:
        """Return the calls between an operation's frame and the program's, in the user's other files."""
        names, files = [], self.files
        while inner is not frame:
            code = inner.f_code
            if files[code.co_filename] != LIBRARY:
                names.append(f"{code.co_filename.rpartition('/')[2]}:{inner.f_lineno} {code.co_name}")
            inner = inner.f_back
        return " ← ".join(names)

    def code(self, code: CodeType) -> CodePlaces:
        """Return the facts about a code object of the program."""
        facts = self._codes.get(id(code))
        if facts is None:
            cell = self.files[code.co_filename]
            index = self.indices[cell]
            shared = _SHARED.get((id(code), id(index)))
            if shared is None:
                scope = "" if code.co_name == "<module>" else code.co_name
                shared = code, index, scope, list(code.co_positions()), code.co_code, loops_of(code), {}, {}
                if len(_SHARED) >= _MOST_SHARED:
                    _SHARED.clear()
                _SHARED[id(code), id(index)] = shared
            facts = self._codes[id(code)] = CodePlaces(cell, *shared)
        return facts

    def call_site(self, frame: FrameType) -> CallSite:
        """Return the call site of the instruction that a program's frame executes."""
        code = self._codes.get(id(frame.f_code)) or self.code(frame.f_code)
        site = code.sites.get(frame.f_lasti)
        if site is None:
            site = code.sites[frame.f_lasti] = self._new_call_site(code, frame.f_lasti)
        return site

    def _new_call_site(self, code: CodePlaces, at: int) -> CallSite:
        if at not in code.known:
            code.known[at] = self._read_call_site(code, at)
        where, place, *more = code.known[at]
        return CallSite(where, -1 if place is None else self.spans[code.cell, *place], *more)

    def _read_call_site(self, code: CodePlaces, at: int) -> tuple:
        around = tuple([loop for loop in code.loops if loop.start <= at <= loop.end])
        around = code.arounds.setdefault(tuple(map(id, around)), around)
        line, end_line, column, end_column = code.positions[at // 2]
        if line is None or column is None:
            return None, None, (), (), None, around, code.scope
        index = code.index
        where = (line, end_line, column, end_column)
        opname = dis.opname[code.instructions[at]]
        if opname.startswith("STORE_"):
            where = index.stores.get(where, where)
        where = index.widened.get(where, where)
        operands, paths = index.operands.get(where, ()), index.paths.get(where, ())
        tests = sys.version_info >= (3, 13) and opname == "COMPARE_OP" and bool(code.instructions[at + 1] & _AND_TESTS)
        consumes = where in index.consumers
        place, targets = self._columns(code.cell, where), index.targets.get(where)
        return where, place, operands, paths, targets, around, code.scope, tests, consumes

    def span(self, cell: int, where: Place) -> int:
        """Return the index of a place's span. Its columns become code points."""
        place = self._columns(cell, where)
        return -1 if place is None else self.spans[cell, *place]

    def _columns(self, cell: int, where: Place) -> tuple[int, int, int, int] | None:
        line, end_line, column, end_column = where
        lines = self.lines[cell]
        if not 1 <= line <= end_line <= len(lines):
            return None
        start = len(lines[line - 1][:column].decode("utf-8", "replace"))
        end = len(lines[end_line - 1][:end_column].decode("utf-8", "replace"))
        return line, start, end_line, end

    def line_span(self, cell: int, line: int) -> int:
        """Return the index of the span of a whole line without its indentation."""
        if not 1 <= line <= len(self.lines[cell]):
            return -1
        text = self.lines[cell][line - 1]
        return self.span(cell, (line, line, len(text) - len(text.lstrip()), len(text.rstrip()) or len(text)))

    def locate(self, frame: FrameType, callee: FrameType | None) -> tuple[CallSite, tuple[int, ...]]:
        """Return an instruction's meaning and its loops' counts, outermost first.

        A new round begins when a frame is again at or before its last instruction. An outer loop has moved on if its
        variable holds another object. Rounds without an operation are not noticed.
        """
        at, stack = frame.f_lasti, self.stack
        if not stack or stack[-1].frame is not frame:
            self.call_site(frame)  # spans count from the innermost
            self._follow(frame)
        last = stack[-1]
        if at == last.at and callee is last.callee and callee is not None and last.site is not None:
            return last.site, last.iteration  # the same call of a library
        site = last.sites.get(at) or self.call_site(frame)
        last.site = None if site.consumes or site.tests else site
        last.read, around = None, site.around
        if site.consumes and self._goes_on(last, at, around):
            last.callee = callee
        elif around is last.around and at > last.at:
            last.at, last.callee = at, callee
        elif site.tests and at == last.at != last.tested:
            last.tested = at
        elif at != last.at or callee is None or callee is not last.callee:
            self._advance(last, at, callee, around)
            last.iteration = (*self._outer, *last.counts)
        return site, last.iteration

    def counter(self, frame: FrameType, loop: Loop) -> str:
        """Return the variable that counts a loop's rounds upwards, or "".

        A `for` starts at its own instruction, a `while` has a jump at the place of its test.
        """
        code = self.code(frame.f_code)
        line, end_line, column, end_column = code.positions[(loop.start if loop.variable else loop.test) // 2]
        return self.indices[code.cell].counters.get((line, end_line, column, end_column), "")

    def loop_variables(self) -> set[str]:
        """Return the variables of all loops that ran."""
        return {name for facts in self._codes.values() for loop in facts.loops for name in loop.variables}

    def call_of(self, frame: FrameType | None) -> int:
        """Return a frame's call number, 0 at module level."""
        stack = self.stack
        if stack and stack[-1].frame is frame:
            return stack[-1].number
        return next((running.number for running in reversed(stack) if running.frame is frame), 0)

    def forget(self) -> None:
        """Release all frames and all facts about the code."""
        self.on_leave = None
        self.stack.clear()
        self._codes.clear()

    def _follow(self, frame: FrameType) -> None:
        """Update the stack of activations to the program's frames that lead to `frame`."""
        chain: list[tuple[FrameType, FrameType | None]] = []
        inner: FrameType | None = None
        walk: FrameType | None = frame
        files, stack, first = self.files, self.stack, 0  # callers before the first wait for it
        while walk is not None:
            if files[walk.f_code.co_filename] >= 0:
                chain.append((walk, inner))
                if not walk.f_code.co_flags & _RESUMED and walk in (known := [running.frame for running in stack]):
                    first = known.index(walk)
                    break
            inner, walk = walk, walk.f_back
        chain.reverse()
        common = 0
        while first + common < len(stack) and common < len(chain) and stack[first + common].frame is chain[common][0]:
            common += 1
        for left in reversed(stack[first + common :]) if self.on_leave is not None else ():
            self.on_leave(left)
        del stack[first + common :]
        for running, _ in chain[common:]:
            of_module = running.f_code.co_name == "<module>"
            self._calls += not of_module
            stack.append(Activation(running, self.code(running.f_code).sites, 0 if of_module else self._calls))
        for activation, (running, callee) in zip(stack[first:-1], chain, strict=False):
            if running.f_lasti != activation.at or callee is not activation.callee:
                site = self.call_site(running)
                activation.site = None if site.consumes or site.tests else site
                if site.consumes and self._goes_on(activation, running.f_lasti, site.around):
                    activation.callee = callee
                else:
                    self._advance(activation, running.f_lasti, callee, site.around)
        for calling, called in pairwise(stack[max(first + common - 1, 0) :]):
            called.caller = self.callers[self.call_site(calling.frame).span, calling.caller]
        self._outer = tuple([count for activation in stack[:-1] for count in activation.counts])
        stack[-1].iteration = (*self._outer, *stack[-1].counts)

    def _advance(self, activation: Activation, at: int, callee: object, around: tuple[Loop, ...]) -> None:
        before, activation.at, activation.callee = activation.at, at, callee
        activation.tested = -1
        counts = activation.counts
        if around is activation.around:
            if at > before or not around:
                return
            if len(around) == 1:
                counts[0] += 1
                activation.values[0] = _UNREAD
                return
        again = repeated(around, before) if at <= before else -1
        common = 0
        for mine, now in zip(activation.around, around, strict=False):
            if mine is not now:
                break
            common += 1
        values, names = activation.values, _Names(activation.frame)
        for depth in range(common):
            if values[depth] is _UNREAD:
                values[depth] = names.get(around[depth].sign)
        while 0 < again < common and self._began_again(activation, around[again], values[again], names):
            again -= 1
        del counts[common:], values[common:]
        for depth in range(min(common, again + 1)):
            value = names.get(around[depth].sign)
            if depth == again or (around[depth].sign and value is not values[depth]):
                counts[depth] += 1
                values[depth] = value
                del counts[depth + 1 :], values[depth + 1 :]
                break
        for loop in around[len(counts) :]:
            counts.append(0)
            values.append(names.get(loop.sign))
        names.release()
        activation.around = around

    def _goes_on(self, activation: Activation, at: int, around: tuple[Loop, ...]) -> bool:
        """Return whether a call such as `sum` is still in the same loop round."""
        if not around:
            return False
        names = _Names(activation.frame)
        before = activation.consumed
        activation.consumed = now = names.get(around[-1].variable or self.counter(activation.frame, around[-1]))
        names.release()
        return at == activation.at and now is not None and now is before

    def _began_again(self, activation: Activation, loop: Loop, before: object, names: "_Names") -> bool:
        """Return whether a loop over an ascending range restarted: its variable did not grow."""
        if "range" in activation.frame.f_globals or names.get("range") is not None:
            return False  # the program's function may count differently
        now, counts = names.get(loop.variable), self.counter(activation.frame, loop) == loop.variable != ""
        return counts and isinstance(now, int) and isinstance(before, int) and now <= before


class _Names:
    """The variables of a frame, read only when needed."""

    def __init__(self, frame: FrameType) -> None:
        self._frame = frame
        self._locals: dict[str, object] | None = None

    def get(self, name: str) -> object:
        if not name:
            return None
        if self._locals is None:
            self._locals = self._frame.f_locals
        return self._locals.get(name)

    def release(self) -> None:
        """Release the frame."""
        if self._locals is not None:
            release_variables(self._frame, self._locals)


def plain_variables(variables: Any) -> dict[str, Any]:
    """Copy a frame's variables without running code of the program."""
    if issubclass(type(variables), dict):
        return {name: value for name, value in dict.items(variables) if type(name) is str}
    return dict(variables) if type(variables).__module__ == "builtins" else {}  # from Python 3.13 on a view of a frame


def release_variables(frame: FrameType, variables: dict) -> None:
    """Empty the variables that f_locals left on a frame, unless the program holds them.

    Otherwise the function's objects would stay alive after it has dropped them.
    """
    if frame.f_code.co_flags & inspect.CO_OPTIMIZED and type(variables) is dict:
        held_by_frame_and_callers = 4
        if sys.getrefcount(variables) <= held_by_frame_and_callers:
            variables.clear()


def safe_str(problem: BaseException) -> str:
    """Return an exception's text, or Python's placeholder if its own __str__ fails."""
    try:
        return str(problem)
    except BaseException as failure:  # its __str__ is the program's code
        reraise_recorder_error(failure)
        return "<exception str() failed>"
