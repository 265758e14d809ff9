"""The scene of an error, read in the process that raised it.

No code of the program runs: only names, stored attributes and items under plain keys are read.
"""

import ast
import builtins
import inspect
import linecache
import warnings
from collections.abc import Iterable, Iterator
from types import FrameType, TracebackType
from typing import Any, NamedTuple

from explorer.runtime.kernel.static_objects import (
    MISSING,
    describe,
    functions_behind,
    instance_of,
    is_module_class,
    read_step,
)
from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.source import place
from explorer.runtime.recorder.source_map import SourceMap, plain_variables
from explorer.trace.scene import LONGEST, MOST_PARTS, MOST_STACK, Role, Scene, ScenePart, Thing

_MOST_TEXT = 300_000  # most characters parsed, of all cells
_PATHS = ast.Name | ast.Attribute | ast.Subscript
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
_Inside = tuple[ast.expr, Role, int, str]


class _Given(NamedTuple):
    """An assignment: its statement and value, and whether the name gets that value itself, not a part of it."""

    statement: ast.stmt | ast.expr | None
    value: ast.expr | None
    is_whole: bool

    @property
    def line(self) -> int:
        """Line of the statement."""
        return self.statement.lineno if self.statement else 0


_NOWHERE = _Given(None, None, False)


def scene_at(traceback: TracebackType | None, source_map: SourceMap) -> Scene | None:
    """Return the scene of an exception, None outside the program's lines."""
    own, running = None, list[object]()
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if source_map.files[code.co_filename] >= 0:
            own, running = traceback, []
        elif code.co_varnames[:1] == ("self",):
            running.append(plain_variables(traceback.tb_frame.f_locals).get("self"))
        traceback = traceback.tb_next
    if own is None:
        return None
    try:
        return _Reader(own.tb_frame, source_map).scene(own.tb_lasti, running, own.tb_next is None)
    except Exception as problem:
        reraise_recorder_error(problem)
        return None


class _Reader:
    """Reads the failing expression of one frame."""

    def __init__(self, frame: FrameType, source_map: SourceMap) -> None:
        self._frame, self._code, self._map = frame, frame.f_code, source_map
        self._names = vars(builtins) | plain_variables(frame.f_globals) | plain_variables(frame.f_locals)
        self._cell = source_map.files[frame.f_code.co_filename]
        self._trees = dict(_trees(source_map, self._cell))
        self._parts: list[ScenePart] = []
        self._failed: ast.expr | None = None  # the failing expression, if its statement has not run before

    def scene(self, instruction: int, running: list[object], is_last: bool) -> Scene | None:
        """Return the scene at an instruction, None if its expression is not found.

        Args: running: the objects whose methods it called. is_last: whether it called no Python code.
        """
        whole = self._failing(instruction)
        self._failed = whole
        for own in (one for one in self._map.stack if one.frame is self._frame):
            called = own.callee is not None and is_last  # in an earlier round, because this one calls nothing
            self._failed = None if any(own.counts) or own.at > instruction - called else whole
        waiting: list[tuple[int, _Inside]] = [(-1, (whole, "whole", 0, ""))] if whole is not None else []
        while waiting and len(self._parts) < MOST_PARTS:
            within, (node, role, number, keyword) = waiting.pop(0)
            at = len(self._parts)
            self._add(node, role, within, number, keyword)
            waiting += [(at, inner) for inner in _inside(node) if inner[2] < MOST_PARTS]
        objects = list({id(one): one for one in running if one is not None}.values())[-MOST_STACK:]
        described = [self._described(one) for one in objects]
        return Scene(self._parts, described) if self._parts else None

    def _failing(self, instruction: int) -> ast.expr | None:
        """Return the expression of an instruction, or the unpacked expression of an unpacking."""
        line, end, column, end_column = list(self._code.co_positions())[instruction // 2]
        if line is None or end is None or column is None or end_column is None or self._cell not in self._trees:
            return None
        index, where = self._map.indices[self._cell], (line, end, column, end_column)
        wider = index.stores.get(where, where)
        where = index.widened.get(wider, wider)
        found = _node_at(self._trees[self._cell], where, ast.stmt | ast.expr)
        value = getattr(found, "value", None) if isinstance(found, ast.stmt) else found
        return value if isinstance(value, ast.expr) else None

    def _add(self, node: ast.expr, role: Role, within: int, number: int, keyword: str) -> None:
        span, thing = self._map.span(self._cell, place(node)), self._described(self._value(node))
        if isinstance(node, ast.Call) and is_module_class(made := self._value(node.func)):
            thing = instance_of(made, self._place_of(inspect.getattr_static(made, "forward", None)))
        found = self._assignment(node) if isinstance(node, _PATHS) else None
        cell, given = found or (-1, _NOWHERE)
        places = [-1 if one is None else self._map.span(cell, place(one)) for one in (given.statement, given.value)]
        at = len(self._parts)
        self._parts.append(ScenePart(role, within, number, keyword[:LONGEST], span, thing, *places))
        if given.is_whole and isinstance(given.value, ast.Call) and len(self._parts) < MOST_PARTS:
            maker = given.value.func
            span = self._map.span(cell, place(maker))
            self._parts.append(ScenePart("maker", at, 0, "", span, self._described(self._value(maker))))

    def _described(self, value: object) -> Thing:
        return Thing() if value is MISSING else describe(value, self._place_of(value))

    def _value(self, node: ast.expr) -> Any:
        """Return the object that an expression refers to, MISSING if only running code could determine it."""
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self._names.get(name, MISSING)
            case ast.Attribute(value=inner, attr=name):
                return read_step(self._value(inner), ".", name)
            case ast.Subscript(value=inner, slice=ast.Constant() | ast.Name() as key):
                return read_step(self._value(inner), "[", self._value(key))
        return MISSING

    def _place_of(self, value: object) -> int:
        """Return the place of the program's function behind an object, or -1."""
        own = (one.__code__ for one in functions_behind(value) if self._map.files[one.__code__.co_filename] >= 0)
        code = next(own, None)
        cell = -1 if code is None else self._map.files[code.co_filename]
        for node in _functions(self._trees[cell], code.co_name) if code and cell in self._trees else ():
            if _first_line(node) == code.co_firstlineno:
                return self._map.span(cell, place(node))
        return -1

    def _assignment(self, node: ast.expr) -> tuple[int, _Given] | None:
        """Return the cell and the last assignment above of a path."""
        text, line, is_name = ast.unparse(node), node.lineno, isinstance(node, ast.Name)
        if is_name and text in self._code.co_varnames:
            scopes = [one for one in _functions(self._trees[self._cell], self._code.co_name) if _holds(one, line)]
            own = (one for scope in scopes[-1:] for one in _assignments(scope, text) if one.line <= line)
            above = self._earlier(own)
            return (self._cell, above[-1]) if above else None
        inside = self._code.co_name != "<module>"
        for cell in sorted((cell for cell in self._trees if cell <= self._cell), reverse=True):
            found = _assignments(self._trees[cell], text, is_name)
            found = [one for one in found if inside or cell < self._cell or one.line <= line]
            if found := self._earlier(found) if is_name or not inside else found:
                return cell, found[-1]
        return None

    def _earlier(self, found: Iterable[_Given]) -> list[_Given]:
        """Return the assignments that have run, without the failing one."""
        return [one for one in found if one.value is None or self._failed not in ast.walk(one.value)]


def _trees(source_map: SourceMap, first: int) -> Iterator[tuple[int, ast.Module]]:
    """Yield the syntax of the program's cells, up to a bound, the first as the first."""
    left, cells = _MOST_TEXT, {cell: name for name, cell in source_map.files.items() if cell >= 0}
    for cell in sorted(cells, key=lambda cell: (cell != first, -cell)):
        text = "".join(linecache.getlines(cells[cell]))
        left -= len(text)
        if left < 0:
            return
        try:
            with warnings.catch_warnings(action="ignore"):
                yield cell, ast.parse(text)
        except (SyntaxError, ValueError):
            continue


def _node_at(tree: ast.AST, where: tuple, of: Any) -> Any:
    return next((node for node in ast.walk(tree) if isinstance(node, of) and place(node) == where), None)


def _inside(node: ast.expr) -> list[_Inside]:
    """Return the expressions directly inside, with role, number and keyword."""
    match node:
        case ast.Call():
            named = [(keyword.value, keyword.arg or "") for keyword in node.keywords]
            given = [*((argument, "") for argument in node.args), *named]
            return [(node.func, "callee", 0, ""), *((one, "argument", i, name) for i, (one, name) in enumerate(given))]
        case ast.Attribute():
            return [(node.value, "receiver", 0, "")]
        case ast.Subscript():
            return [(node.value, "receiver", 0, ""), (node.slice, "index", 0, "")]
        case ast.BinOp():
            return [(node.left, "operand", 0, ""), (node.right, "operand", 1, "")]
        case ast.Compare():
            return [(one, "operand", i, "") for i, one in enumerate([node.left, *node.comparators])]
        case ast.UnaryOp():
            return [(node.operand, "operand", 0, "")]
        case ast.Lambda() | ast.GeneratorExp() | ast.ListComp() | ast.SetComp() | ast.DictComp():
            return []  # its names belong to another scope
    parts = [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)]
    return [(one, "part", i, "") for i, one in enumerate(parts)]


def _functions(tree: ast.AST, name: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    yield from (node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS) and node.name == name)


def _holds(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or 0)


def _first_line(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


def _assignments(scope: ast.AST, text: str, is_name: bool = True) -> list[_Given]:
    """Return the assignments of a path in order, of a name only those outside inner functions and classes."""
    found: list[_Given] = []
    waiting = list(ast.iter_child_nodes(scope))
    for node in waiting:
        match node:
            case ast.Assign(targets=targets, value=value):
                found += [_Given(node, *one) for target in targets for one in _given(target, value, text)]
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                found += [_Given(node, *one) for one in _given(target, value, text)]
            case ast.For(target=target) | ast.AsyncFor(target=target):
                found += [_Given(node, None, False) for _ in _given(target, node.iter, text)]
        if not (is_name and isinstance(node, _FUNCTIONS | ast.ClassDef | ast.Lambda)):
            waiting += ast.iter_child_nodes(node)
    return sorted(found, key=lambda one: one.line)


def _given(target: ast.expr, value: ast.expr, text: str, is_whole: bool = True) -> Iterator[tuple[ast.expr, bool]]:
    """Yield the value that a target assigns to a path, and whether that is the complete value."""
    if isinstance(target, ast.Tuple | ast.List):
        values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
        paired = len(values) == len(target.elts)
        for part, given in zip(target.elts, values if paired else [value] * len(target.elts), strict=True):
            yield from _given(part, given, text, is_whole and paired)
    elif (target.id if isinstance(target, ast.Name) else ast.unparse(target)) == text:
        yield value, is_whole
