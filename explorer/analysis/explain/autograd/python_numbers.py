"""Find entries that leave torch as numbers or arrays, and where they return."""

from typing import NamedTuple

from explorer.safe_regex import linear, plain
from explorer.trace import Span, Trace, memoized
from explorer.trace.index import LONGEST, names_in

# calls that return entries as numbers
NUMBERS = ("item", "tolist", "numpy", "__float__", "__int__", "__array__", "__index__")
# attributes and methods that expose no entries
_SILENT = {"grad", "backward", "retain_grad", "zero_grad", "__setitem__", "__len__"}
_MOST = 100  # calls to follow
_NEAR = 2_000  # most operations and lines through which a number is followed
_TARGET = linear(r"\s*([\w.]+(?:\s*,\s*[\w.]+)*)\s*(\[[^\]]*\]\s*)?([-+*/@%&|^]{0,2})=(?:[^=]|$)")
_GROWS = linear(r"\s*([\w.]+)\.(?:append|extend|add|insert|update|appendleft)\(")
_LOOP = linear(r"\s*for\s+([\w, ()]+?)\s+in\b")
_TRUTH = plain(r"\bbool\(|\bnot ")
_NAME = plain(r"[^\W\d]\w*+")
_QUOTED = linear(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|#.*")


class StatementNames(NamedTuple):
    """Names in a statement, or in one line of it.

    Attributes:
        bound: names it binds or appends to. renews: whether it only binds them.
    """

    begin: int
    bound: frozenset[str]
    renews: bool
    read: frozenset[str]


def becomes_python_value(trace: Trace, operation: int) -> bool:
    """Return whether a call such as item() made Python values."""
    operations = trace.operations
    if operations.outputs[operation] or not operations.inputs[operation] or operations.error[operation] >= 0:
        return False
    name = trace.strings[operations.name[operation]]
    if name in _SILENT or name.endswith("="):
        return False
    return name.startswith("__") or not name.endswith("_")


def is_only_inspected(trace: Trace, operation: int) -> bool:
    """Return whether a call's result is only inspected: printed, asserted or unused."""
    span = trace.operations.span[operation]
    if span < 0:
        return False
    place = trace.spans[span]
    line, begins = trace.cells[place.cell].lines[place.line - 1], [0]
    begins += [one.begin for one in statements_at(trace, place.cell, place.line)]
    ends = [begin - 1 for begin in begins if begin > place.column]
    statement = line[max(begin for begin in begins if begin <= place.column) : min(ends, default=len(line))].strip()
    shows = statement.startswith(("print(", "assert ", "assert("))
    return shows or statement.split("#")[0].strip() == trace.text(span).strip()


@memoized
def uses_of_number(trace: Trace) -> dict[int, list[int]]:
    """Map such calls to later operations whose text contains their number.

    A number has no identity to follow, so this reads the program's text: the call is inside the operation's expression,
    or a line binds it (or a value computed from it) to a name in that expression.
    """
    operations, users = trace.operations, {}
    words: dict[int, frozenset[str]] = {}
    calls = [at for at in range(len(operations)) if operations.span[at] >= 0 and becomes_python_value(trace, at)]
    truths = [at for at in calls if trace.strings[operations.name[at]] == "__bool__"]
    # A tensor that only decided a branch: no name holds its truth value.
    branches = {at for at in truths if not _TRUTH.search(trace.text(operations.span[at]))}
    calls = [at for at in calls if at not in branches]
    for call in calls[:_MOST]:
        span = operations.span[call]
        place, names, fed = trace.spans[span], names_holding(trace, call), []
        for user in range(call + 1, min(len(operations), call + _NEAR)):
            at = operations.span[user]
            makes = operations.outputs[user] or trace.strings[operations.name[user]] == "__setitem__"
            if at < 0 or at == span or not makes:
                continue
            if at not in words:
                words[at] = names_in(trace.text(at))
            where = trace.spans[at]
            if where.contains(place) or not words[at].isdisjoint(names.get((where.cell, where.line), ())):
                fed.append(user)
        if fed:
            users[call] = fed
    return users


def names_holding(trace: Trace, call: int) -> dict[tuple[int, int], frozenset[str]]:
    """Map (cell, line) to the non-tensor names that hold a call's result when the line begins."""
    span = trace.operations.span[call]
    return (
        {} if span < 0 else trace.index.memoize(("names after", span), lambda: _names_holding(trace, trace.spans[span]))
    )


def statements_at(trace: Trace, cell: int, line: int) -> list[StatementNames]:
    """Return the names that a line's statements bind and read."""
    lines = trace.index.memoize(("lines", cell), lambda: [_statements(text) for text in trace.cells[cell].lines])
    return lines[line - 1]


def _names_holding(trace: Trace, place: Span) -> dict[tuple[int, int], frozenset[str]]:
    names: dict[tuple[int, int], frozenset[str]] = {}
    tensors = frozenset(trace.index.bound)  # tensors are followed through their operations
    before = [at.begin <= place.column for at in statements_at(trace, place.cell, place.line)].count(True)
    _, *later = statements_at(trace, place.cell, place.line)[max(0, before - 1) :]
    held = statements_at(trace, place.cell, place.line)[max(0, before - 1)].bound - tensors
    if later:
        names[place.cell, place.line] = held
    held = _held_after(held, later, tensors)
    for cell in range(place.cell, len(trace.cells)):
        for line in range(place.end_line + 1 if cell == place.cell else 1, len(trace.cells[cell].lines) + 1):
            if not held or len(names) == _NEAR:
                return names
            names[cell, line] = held
            held = _held_after(held, statements_at(trace, cell, line), tensors)
    return names


def _held_after(held: frozenset[str], ran: list[StatementNames], tensors: frozenset[str]) -> frozenset[str]:
    """Return the names that hold a number after some statements."""
    for statement in ran:
        if not held.isdisjoint(statement.read):
            held = held | (statement.bound - tensors)
        elif statement.renews:
            held = held - statement.bound
    return held


def _statements(line: str) -> list[StatementNames]:
    """Return the names that a line's statements bind and read.

    >>> [(sorted(at.bound), sorted(at.read)) for at in _statements("a = b.c + 1; seen.append(x); n += k")]
    [(['a'], ['1', 'b', 'b.c']), (['seen'], ['seen', 'seen.append', 'x']), (['n'], ['k', 'n'])]
    >>> [(sorted(at.bound), sorted(at.read)) for at in _statements("a = d['k; b = 2'] + c  # c; e = 3")]
    [(['a'], ['2', '3', 'b', 'c', 'd', 'e', 'k'])]
    """
    statements, begin = [], 0
    for text in _QUOTED.sub(lambda quoted: quoted[0].replace(";", ","), line[:LONGEST]).split(";"):
        statements.append(_statement(text, begin))
        begin += len(text) + 1
    return statements


def _statement(text: str, begin: int) -> StatementNames:
    target = _TARGET.match(text)
    if target:
        renews = not target[2] and not target[3]
        read = text[target.end() - 1 :] if renews else text
        return StatementNames(begin, frozenset(name.strip() for name in target[1].split(",")), renews, names_in(read))
    grows, loop = _GROWS.match(text), _LOOP.match(text)
    bound = {grows[1]} if grows else set(_NAME.findall(loop[1])) if loop else set()
    return StatementNames(begin, frozenset(bound), bool(loop), names_in(text))
