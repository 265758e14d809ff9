"""Map each instruction to its statement, and find loops by their backward jumps."""

import ast
import dis
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Literal

from explorer.runtime.recorder.source import Place

_Point = tuple[int, int]  # line and column
_LENGTHS = {ast.FunctionDef: len("def "), ast.AsyncFunctionDef: len("async def "), ast.ClassDef: len("class ")}
_NO_STEP = (ast.Try, ast.TryStar, ast.Global, ast.Nonlocal)
_LOOP_ENDS = {name: code for name, code in dis.opmap.items() if name.startswith(("JUMP_BACKWARD", "POP_JUMP_BACKWARD"))}
_STORES = ("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF")


@dataclass(eq=False, slots=True)
class Statement:
    """A statement, or the head of one that has a body.

    Attributes:
        kind: head (of a branch, a loop, a `with`), loop (the head of a `for`), return, hidden (it does nothing itself),
            or plain.
        begin, end: its place, including its body.
        where: the part to highlight while it runs: its head if it has a body, otherwise all of it.
        body: from its first statement to its last, None without a body.
        name: the name of the function or class that it defines.
        parent: the statement around it.
    """

    kind: Literal["plain", "head", "loop", "return", "hidden"]
    begin: _Point
    end: _Point
    where: Place
    body: tuple[_Point, _Point] | None
    name: str = ""
    parent: "Statement | None" = None

    def holds(self, begin: _Point, end: _Point) -> bool:
        """Return whether a stretch of text is inside it."""
        return self.begin <= begin and end <= self.end

    def leads_to(self, following: "Statement | None") -> bool:
        """Return whether a statement is part of its body."""
        return following is not None and self.body is not None and self.body[0] <= following.begin < self.body[1]


@dataclass
class StatementIndex:
    """The statements of a cell."""

    rows: list[Statement] = field(default_factory=list)
    _begins: list[_Point] = field(default_factory=list)

    def add(self, tree: ast.AST) -> None:
        """Add the statements of a part of the cell."""
        statements = [_statement(node) for node in ast.walk(tree) if isinstance(node, ast.stmt | ast.ExceptHandler)]
        self.rows += [statement for statement in statements if statement is not None]
        self.rows.sort(key=lambda statement: (statement.begin, [-part for part in statement.end]))
        self._begins = [row.begin for row in self.rows]
        around: list[Statement] = []
        for row in self.rows:
            while around and not around[-1].holds(row.begin, row.end):
                around.pop()
            row.parent = around[-1] if around else None
            around.append(row)

    def innermost(self, begin: _Point, end: _Point) -> Statement | None:
        """Return the innermost statement around a stretch of text."""
        at = bisect_right(self._begins, begin) - 1
        statement = self.rows[at] if at >= 0 else None
        while statement is not None and not statement.holds(begin, end):
            statement = statement.parent
        return statement

    def function(self, line: int, name: str) -> Statement | None:
        """Return the definition of a function by its first line."""
        at = bisect_right(self._begins, (line, -1))
        while at < len(self.rows) and self.rows[at].begin[0] == line:
            if self.rows[at].name == name:
                return self.rows[at]
            at += 1
        return None


def _statement(node: ast.stmt | ast.ExceptHandler) -> Statement | None:
    begin, end = (node.lineno, node.col_offset), (node.end_lineno or node.lineno, node.end_col_offset or 0)
    head: ast.AST | None = None
    kind: Literal["plain", "head", "loop", "return", "hidden"] = "plain"
    name = ""
    match node:
        case ast.For() | ast.AsyncFor():
            kind, head = "loop", node.iter
        case ast.While() | ast.If():
            kind, head = "head", node.test
        case ast.With() | ast.AsyncWith():
            kind, head = "head", node.items[-1].optional_vars or node.items[-1].context_expr
        case ast.Match():
            kind, head = "head", node.subject
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            name = node.name
            begin = min([begin, *((decorator.lineno, decorator.col_offset) for decorator in node.decorator_list)])
            where = (
                node.lineno,
                node.lineno,
                node.col_offset,
                node.col_offset + _LENGTHS[type(node)] + len(name.encode()),
            )
            return Statement("plain", begin, end, where, None, name)
        case ast.ExceptHandler():
            kind, head = "plain", node.type
        case ast.Return():
            kind = "return"
        case _ if isinstance(node, _NO_STEP):
            kind = "hidden"
    where = (begin[0], end[0], begin[1], end[1])
    if isinstance(node, ast.ExceptHandler) and head is None:
        where = (begin[0], begin[0], begin[1], begin[1] + len("except"))
    if head is not None:
        where = (begin[0], head.end_lineno, begin[1], head.end_col_offset)  # type: ignore[attr-defined]
    body = getattr(node, "body", None) if kind in ("head", "loop") else None
    if isinstance(node, ast.Match):
        body = [statement for case in node.cases for statement in case.body]
    return Statement(kind, begin, end, where, _stretch(body), name)


def _stretch(body: list[ast.stmt] | None) -> tuple[_Point, _Point] | None:
    if not body:
        return None
    last = body[-1]
    decorators = getattr(body[0], "decorator_list", None) or [body[0]]
    return (decorators[0].lineno, decorators[0].col_offset - bool(decorators[0] is not body[0])), (
        last.end_lineno or last.lineno,
        last.end_col_offset or 0,
    )


_RETURNS = {
    dis.opmap[name] for name in ("RETURN_VALUE", "RETURN_CONST", "YIELD_VALUE", "RETURN_GENERATOR") if name in dis.opmap
}
_CAUGHT = dis.opmap.get("PUSH_EXC_INFO", -1)
_STORES_GLOBAL, _STORES_OUTER = dis.opmap["STORE_GLOBAL"], dis.opmap["STORE_DEREF"]


class CodeStatements:
    """The statements of one code object.

    Attributes:
        code: kept so that its id() is not reused.
        at: the statement of each instruction, by half its offset.
        first: the offset of each statement's first instruction.
        definition: the statement that defines the function, None for a module.
        writes_out: whether it assigns names of the enclosing functions or module.
    """

    def __init__(self, code: CodeType, index: StatementIndex) -> None:
        self.code = code
        self.at: list[Statement | None] = []
        self.first: dict[Statement, int] = {}
        self.definition = index.function(code.co_firstlineno, code.co_name)
        opcodes = code.co_code[::2]
        self._opcodes = opcodes
        self.writes_out = _STORES_GLOBAL in opcodes or (bool(code.co_freevars) and _STORES_OUTER in opcodes)
        for number, (line, end_line, column, end_column) in enumerate(code.co_positions()):
            statement = None
            if line is not None and end_line is not None and column is not None and end_column is not None:
                statement = index.innermost((line, column), (end_line, end_column))
                if statement is not None and statement is self.definition:
                    statement = None  # every call begins without a statement
            self.at.append(statement)
            if statement is not None:
                self.first.setdefault(statement, 2 * number)

    def returns(self, offset: int) -> bool:
        """Return whether the instruction at an offset returns or yields."""
        return self._opcodes[offset >> 1] in _RETURNS

    def catches(self, offset: int) -> bool:
        """Return whether the instruction at an offset begins an exception handler."""
        return self._opcodes[offset >> 1] == _CAUGHT


@dataclass(slots=True)
class Loop:
    """A loop of a code object.

    Attributes:
        start, end: offsets of its first and last instruction.
        test: offset of the jump that tests the condition of a `while`.
        variables: those that a `for` assigns, in order. Empty for a `while`.
        sign: the first variable that nothing else in the loop assigns: only another round changes its object.
    """

    start: int
    end: int
    test: int
    variables: tuple[str, ...] = ()
    sign: str = ""

    @property
    def variable(self) -> str:
        """The first variable that a `for` assigns, "" if none."""
        return self.variables[0] if self.variables else ""


_LOOPS: dict[int, tuple[CodeType, list[Loop]]] = {}  # keyed by id(), because hashing code is slow
_MOST_LOOPS = 64


def loops_of(code: CodeType) -> list[Loop]:
    """Return a code object's loops, outermost first."""
    known = _LOOPS.get(id(code))
    if known is None:
        if len(_LOOPS) >= _MOST_LOOPS:
            _LOOPS.clear()
        known = _LOOPS[id(code)] = code, _found_loops(code)
    return known[1]


def _found_loops(code: CodeType) -> list[Loop]:
    """Find a code object's loops by its backward jumps, outermost first."""
    opcodes = code.co_code[::2]
    if not any(end in opcodes for end in _LOOP_ENDS.values()):
        return []
    instructions = list(dis.get_instructions(code))
    proper = [instruction for instruction in instructions if instruction.opcode != dis.EXTENDED_ARG]
    offsets = [instruction.offset for instruction in proper]
    ends: dict[int, int] = {}
    for instruction in proper:
        if instruction.opname in _LOOP_ENDS and isinstance(instruction.argval, int):
            start = instruction.argval
            ends[start] = max(ends.get(start, 0), instruction.offset)
    loops = []
    for start, end in sorted(ends.items(), key=lambda pair: (pair[0], -pair[1])):
        variables: tuple[str, ...] = ()
        test = end  # until Python 3.13 the condition is tested again at the end
        at = bisect_left(offsets, start)  # a long loop begins with the high byte of its length
        if proper[at].opname == "FOR_ITER":
            variables = tuple(_targets(proper[at + 1 :]))
        elif sys.version_info >= (3, 14):
            test = next((i.offset for i in proper[at:] if i.opname.startswith("POP_JUMP_IF") and i.argval > end), end)
        within = proper[at : bisect_left(offsets, end)]
        stored = [i.argval for i in within if i.opname.startswith(_STORES)]
        assigned = [name for one in stored for name in (one if isinstance(one, tuple) else (one,))]
        sign = variables[0] if variables and assigned.count(variables[0]) == 1 else ""
        loops.append(Loop(start, end, test, variables, sign))
    return loops


def _targets(body: Sequence[dis.Instruction]) -> Iterator[str]:
    """Yield variables of `for`: three for `for i, (a, b) in …`."""
    for instruction in body:
        if instruction.opname.startswith(_STORES):
            names = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
            yield from names[:1] if instruction.opname.endswith("LOAD_FAST") else names
        if not instruction.opname.startswith(("UNPACK_", *_STORES)) or instruction.opname.endswith("LOAD_FAST"):
            return


def loop_variables(code: CodeType) -> frozenset[str]:
    """Return the loop variables of a code object, which each round rebinds."""
    return frozenset(name for loop in loops_of(code) for name in loop.variables)


def repeated(around: Sequence[Loop], before: int) -> int:
    """Return the repeated loop's depth, -1 if there is none.

    Args:
        around: loops around the later instruction, outermost first. before: the instruction that ran before it.
    """
    return max((depth for depth, loop in enumerate(around) if loop.start <= before <= loop.end), default=-1)
