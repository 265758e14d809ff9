"""The statements of a run in the order in which they ended, and what the program's names held then.

They are written down only where `Options.statements` asks for them.
"""

from typing import Annotated

from msgspec import Meta, Struct, field

ROWS = 20_000  # statements, calls and returns of a run that are kept, the first
CHANGES = 60_000  # names that hold something else, in all of them
CALLS = 10_000  # calls of functions of the program

RAN, TESTED, ENTERED, LEFT, RAISED = range(5)

_Column = Annotated[list[int], Meta(max_length=ROWS)]
_Starts = Annotated[list[int], Meta(max_length=ROWS + 1)]
_Changes = Annotated[list[int], Meta(max_length=CHANGES)]
_Calls = Annotated[list[int], Meta(max_length=CALLS + 1)]

GONE = -1  # in `held`: the name no longer exists


class Statements(Struct, frozen=True):
    """What ran, as columns.

    Attributes:
        kind: RAN (a statement ended), TESTED (the head of one that has a body: a condition, a loop, a `with`), ENTERED
            and LEFT (a call of a function of the program), RAISED (an exception left a statement).
        span: of the statement, of a head without its body (spans), -1 unknown.
        call: the running function (index into `function`), 0 for the program itself.
        operations: how many had begun; backwards: how many calls had ended.
        reached: while a backward runs, as in a hook, how many of its nodes had been reached; -1: none runs.
        cell, outputs, characters: what was shown by then: of this cell so many outputs in whole, and of the text that
            follows them so many characters. Earlier cells have shown all.
        truth: of a head whether its body runs next: 1 or 0; -1 of all others.
        result: what a call returned, as in `held`; of RAISED the exception's type; GONE of all others.
        starts: the changes of row i are entries starts[i] to starts[i + 1] of `name`, `scope` and `held`.
        name, scope: a name that holds something else now (strings), and the call that it belongs to.
        held: 2 * index into strings of a plain value as Python writes it, 2 * tensor + 1 of a tensor, or GONE.
        found_starts, found: tensors whose entries were found to be others, although no recorded operation wrote them.
        function, caller: of each call the function's name (strings), and the call that it was called in; the first one
            is the program itself.
        left_out: how many rows came after those that are kept.
    """

    kind: _Column = field(default_factory=list)
    span: _Column = field(default_factory=list)
    call: _Column = field(default_factory=list)
    operations: _Column = field(default_factory=list)
    backwards: _Column = field(default_factory=list)
    cell: _Column = field(default_factory=list)
    outputs: _Column = field(default_factory=list)
    characters: _Column = field(default_factory=list)
    truth: _Column = field(default_factory=list)
    result: _Column = field(default_factory=list)
    starts: _Starts = field(default_factory=list)
    name: _Changes = field(default_factory=list)
    scope: _Changes = field(default_factory=list)
    held: _Changes = field(default_factory=list)
    reached: _Column = field(default_factory=list)
    found_starts: _Starts = field(default_factory=list)
    found: _Changes = field(default_factory=list)
    function: _Calls = field(default_factory=list)
    caller: _Calls = field(default_factory=list)
    left_out: int = 0

    def __len__(self) -> int:
        return len(self.kind)

    def changes(self, row: int) -> list[tuple[int, int, int]]:
        """The names whose value changed at a row, with their call and the new value."""
        some = slice(self.starts[row], self.starts[row + 1])
        return list(zip(self.name[some], self.scope[some], self.held[some], strict=True))

    def found_in(self, row: int) -> list[int]:
        """The tensors that were found changed in a row."""
        return self.found[self.found_starts[row] : self.found_starts[row + 1]]


class Tables(Struct, frozen=True):
    """How long the tables are that statements name: spans, strings, cells, operations, backwards, tensors."""

    spans: int
    strings: int
    cells: int
    operations: int
    backwards: int
    tensors: int


def faulty(rows: Statements, tables: Tables) -> str:
    """The first thing wrong with statements, in words; "" where nothing is."""
    n, calls = len(rows), len(rows.function)
    columns = (rows.span, rows.call, rows.operations, rows.backwards, rows.cell, rows.outputs, rows.characters)
    if any(len(column) != n for column in (*columns, rows.truth, rows.result)) or len(rows.reached) not in (0, n):
        return "statements: columns of different lengths"
    if (
        len(rows.caller) != calls
        or not len(rows.name) == len(rows.scope) == len(rows.held)
        or rows.left_out < 0
        or (n and not calls)
    ):
        return "statements: columns of different lengths"
    bounds = (
        (rows.kind, RAN, RAISED + 1),
        (rows.span, -1, tables.spans),
        (rows.call, 0, calls),
        (rows.operations, 0, tables.operations + 1),
        (rows.backwards, 0, tables.backwards + 1),
        (rows.reached, -1, 1 << 30),
        (rows.cell, 0, tables.cells),
        (rows.outputs, 0, 1 << 30),
        (rows.characters, 0, 1 << 30),
        (rows.truth, -1, 2),
        (rows.name, 0, tables.strings),
        (rows.scope, 0, calls),
        (rows.found, 0, tables.tensors),
        (rows.function, 0, tables.strings),
    )
    if any(column and not (least <= min(column) and max(column) < most) for column, least, most in bounds):
        return "a statement of something that does not exist"
    if any(not -1 <= caller < max(at, 1) for at, caller in enumerate(rows.caller)):
        return "a call that was made by a later one"
    if not all(_exists(held, tables) for held in (*rows.held, *rows.result)):
        return "a name that holds what does not exist"
    if not (_ascend(rows.operations) and _ascend(rows.backwards)):
        return "statements that are not in order"
    if not (_fit(rows.starts, n, len(rows.name)) and _fit(rows.found_starts, n, len(rows.found))):
        return "statements: starts that do not fit"
    return ""


def _exists(held: int, tables: Tables) -> bool:
    return held == GONE or 0 <= held >> 1 < (tables.tensors if held & 1 else tables.strings)


def _ascend(column: list[int]) -> bool:
    return all(map(int.__le__, column, column[1:]))


def _fit(starts: list[int], rows: int, items: int) -> bool:
    if not rows:
        return not starts and not items
    return len(starts) == rows + 1 and starts[0] == 0 and starts[-1] == items and _ascend(starts)
