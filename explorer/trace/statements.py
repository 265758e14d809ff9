"""A run's statements in the order they ended, and the names' values then.

They are recorded only if `Options.statements` is set.
"""

from typing import Annotated

from msgspec import Meta, Struct, field

from explorer.trace.columns import Along, Columns, Ids

ROWS = 20_000  # statements, calls and returns kept per run, from the start
CHANGES = 60_000  # most changed names in total
CALLS = 10_000  # most calls of the program's functions

RAN, TESTED, ENTERED, LEFT, RAISED = range(5)

_Column = Annotated[list[int], Meta(max_length=ROWS), Along("rows")]
_Reached = Annotated[list[int], Meta(max_length=ROWS), Along("rows", True)]
_Starts = Annotated[list[int], Meta(max_length=ROWS + 1)]
_Tensors = Annotated[list[int], Meta(max_length=CHANGES), Ids("tensors", 0)]
_Changes = Annotated[list[int], Meta(max_length=CHANGES), Along("changes")]
_Calls = Annotated[list[int], Meta(max_length=CALLS + 1), Along("calls")]

GONE = -1  # used in `held`: the name no longer exists


class Statements(Columns, Struct, frozen=True):
    """Executed statements, as columns.

    Attributes:
        kind: RAN (a statement ended), TESTED (a condition, loop or `with` head), ENTERED and LEFT (a call of a
            program function), RAISED (an exception left a statement).
        span: the statement, or a head without its body (spans), or -1.
        call: running function (index into `function`), 0 for the program.
        operations: operations begun by then. backwards: calls ended by then.
        reached: in a running backward, as in a hook, the number of nodes reached. Otherwise -1.
        cell, outputs, characters: output shown by then: whole outputs of this cell, and characters of the next
            text. Earlier cells have shown everything.
        truth: for a head, whether its body runs next (1 or 0). Otherwise -1.
        result: a call's return value, as in `held`. The exception's type for RAISED. Otherwise GONE.
        starts: the changes of row i are entries starts[i] to starts[i + 1] of `name`, `scope` and `held`.
        name, scope: a name with a new value (strings), and its call.
        held: 2 * string index for a plain value's repr, 2 * tensor + 1 for a tensor, or GONE.
        found_starts, found: tensors found changed without a recorded write.
        function, caller: each call's function name (strings) and its calling call. The first is the program.
        left_out: number of rows dropped at the end.
    """

    kind: Annotated[_Column, Ids(RAISED + 1, 0)] = field(default_factory=list)
    span: Annotated[_Column, Ids("spans")] = field(default_factory=list)
    call: Annotated[_Column, Ids("statements.function", 0)] = field(default_factory=list)
    operations: Annotated[_Column, Ids("operations", 0, 1)] = field(default_factory=list)
    backwards: Annotated[_Column, Ids("backwards", 0, 1)] = field(default_factory=list)
    cell: Annotated[_Column, Ids("cells", 0)] = field(default_factory=list)
    outputs: Annotated[_Column, Ids(1 << 30, 0)] = field(default_factory=list)
    characters: Annotated[_Column, Ids(1 << 30, 0)] = field(default_factory=list)
    truth: Annotated[_Column, Ids(2)] = field(default_factory=list)
    result: _Column = field(default_factory=list)
    starts: _Starts = field(default_factory=list)
    name: Annotated[_Changes, Ids("strings", 0)] = field(default_factory=list)
    scope: Annotated[_Changes, Ids("statements.function", 0)] = field(default_factory=list)
    held: _Changes = field(default_factory=list)
    reached: Annotated[_Reached, Ids(1 << 30)] = field(default_factory=list)
    found_starts: _Starts = field(default_factory=list)
    found: _Tensors = field(default_factory=list)
    function: Annotated[_Calls, Ids("strings", 0)] = field(default_factory=list)
    caller: _Calls = field(default_factory=list)
    left_out: int = 0

    def __len__(self) -> int:
        return len(self.kind)

    def changes(self, row: int) -> list[tuple[int, int, int]]:
        """Return the names that changed at a row, with their call and new value."""
        some = slice(self.starts[row], self.starts[row + 1])
        return list(zip(self.name[some], self.scope[some], self.held[some], strict=True))

    def found_in(self, row: int) -> list[int]:
        """Return the tensors found changed in a row."""
        return self.found[self.found_starts[row] : self.found_starts[row + 1]]


def faulty(rows: Statements, strings: int, tensors: int) -> str:
    """Return the first fault that the declaration of statements cannot express, or ""."""
    n = len(rows)
    if rows.left_out < 0 or (n and not rows.function):
        return "statements of no call"
    if any(not -1 <= caller < max(at, 1) for at, caller in enumerate(rows.caller)):
        return "a call that was made by a later one"
    if not all(_exists(held, strings, tensors) for held in (*rows.held, *rows.result)):
        return "a name that holds what does not exist"
    if not (_ascend(rows.operations) and _ascend(rows.backwards)):
        return "statements that are not in order"
    if not (_fit(rows.starts, n, len(rows.name)) and _fit(rows.found_starts, n, len(rows.found))):
        return "statements: starts that do not fit"
    return ""


def _exists(held: int, strings: int, tensors: int) -> bool:
    return held == GONE or 0 <= held >> 1 < (tensors if held & 1 else strings)


def _ascend(column: list[int]) -> bool:
    return all(map(int.__le__, column, column[1:]))


def _fit(starts: list[int], rows: int, items: int) -> bool:
    if not rows:
        return not starts and not items
    return len(starts) == rows + 1 and starts[0] == 0 and starts[-1] == items and _ascend(starts)
