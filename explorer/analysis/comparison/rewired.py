"""Effects of a changed edge on a picture's gradients, and the operand that an edge carries."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from explorer.analysis.autograd import Card, GraphView, Wire
from explorer.analysis.autograd.entry_texts import index_text
from explorer.analysis.comparison.differences import Difference, Sides, bounded
from explorer.analysis.comparison.matching import Match
from explorer.analysis.health.rows import GradientRow, parameter_rows
from explorer.analysis.names import name_of
from explorer.analysis.operations import operation_of
from explorer.analysis.run import run_of
from explorer.analysis.source.code import Code, code_at
from explorer.analysis.source.operands import operand_code, operands_named
from explorer.text import say
from explorer.text.numbers import number
from explorer.trace import Failure, Number, Trace

MOST_DIGITS = 9


@dataclass(frozen=True)
class ChangedGradient:
    """A gradient in two runs.

    Attributes:
        before, after: entry that changed most, or norm. None: no gradient.
        index: index of that entry, None for a norm.
    """

    before: Number | None
    after: Number | None
    index: tuple[int, ...] | None = ()

    def text(self, lang: str) -> str:
        """Write the change.

        >>> ChangedGradient(5.0, None).text("en")
        '+5 → none'
        """
        digits = 3
        while digits < MOST_DIGITS and _written(self.before, digits) == _written(self.after, digits):
            digits += 1
        none = say(lang, "wire-none")
        said = " → ".join(_written(entry, digits) or none for entry in (self.before, self.after))
        if self.index is None:
            return f"‖·‖ {said.replace('+', '')}"
        return f"{index_text(self.index)} {said}".strip()


@dataclass(frozen=True)
class Rewired:
    """A run with a changed edge, compared with the run before.

    Attributes:
        cards: changed gradients by card id.
        failure: error that stops only the changed program.
        other: whether the numbers of backward calls differ, so that gradients cannot be compared.
    """

    cards: dict[str, ChangedGradient]
    failure: Failure | None = None
    other: bool = False


def rewired(before: Trace, after: Trace, view: GraphView, operand: Code, text: str) -> Rewired:
    """Return the changed gradients of a picture's cards.

    Args:
        operand: code replaced in the second run. text: the replacement.
    """
    failures = [
        [out for cell in trace.cells for out in cell.outputs if isinstance(out, Failure)] for trace in (before, after)
    ]
    if len(failures[1]) > len(failures[0]):
        return Rewired({}, failure=failures[1][0])
    if view.backward is None or len(before.backwards) != len(after.backwards):
        return Rewired({}, other=True)
    sides = Sides(before, after, None, None)
    sides.pairs = _pairs(before, after, operand, text)
    differences: dict[tuple[int, int], Difference] = {}  # by operation and leaf; an operation's result comes first
    for difference in bounded(sides.gradients()):
        if difference.backward == view.backward + 1:
            differences.setdefault((difference.operations[0], difference.tensors[0]), difference)
    partner = dict(sides.pairs)
    rows = {row.name: row for row in parameter_rows(after, view.backward + 1)}
    cards = {}
    for card in view.cards:
        leaf = card.tensors[0] if card.kind == "leaf" else -1
        operation = before.nodes.operation[card.main[0]] if card.main is not None and leaf < 0 else -1
        row = rows.get(card.name) if leaf >= 0 else None
        changed = _changed(card, differences.get((operation, leaf)), row)
        gone = row is not None and row.state == "none"
        gone |= operation in partner and not after.index.made.get(partner[operation])
        if changed is None and gone and card.gradient is not None:
            changed = _lost(card)
        if changed is not None:
            cards[card.id] = changed
    return Rewired(cards)


def _pairs(before: Trace, after: Trace, operand: Code, text: str) -> list[Match]:
    """Pair the operations of both runs, skipping the inserted code's; empty if the runs diverged."""
    begin, inner = operand.span, text[1:-1] if text.startswith("(0") else text
    columns = after.operations

    def is_new(operation: int) -> bool:
        span = after.spans[columns.span[operation]] if columns.span[operation] >= 0 else begin
        here = (span.cell, span.line) == (begin.cell, begin.line) and 0 <= span.column - begin.column <= 1
        return here and after.text(columns.span[operation]) == inner

    rest = [operation for operation in range(len(columns)) if not is_new(operation)]
    names = [before.strings[name] for name in before.operations.name]
    same = names == [after.strings[columns.name[operation]] for operation in rest]
    return list(enumerate(rest)) if same else []


def _changed(card: Card, difference: Difference | None, row: GradientRow | None) -> ChangedGradient | None:
    """Return a change of the card's own gradient, None if it concerns another result."""
    if difference is None:
        return None
    if difference.arrived == 0:
        return _lost(card) if card.gradient is not None else None
    if difference.arrived == 1:
        alone = difference.single is not None and card.gradient is None
        return ChangedGradient(None, difference.single) if alone else None
    own, gap = card.gradient, difference.gap
    if own is None or gap is None or own.shape != gap.shapes[0]:
        return None
    entries = own.array()
    if entries is not None and gap.index is not None and gap.left is not None:
        same = entries[gap.index] == gap.left or gap.left != gap.left
        return ChangedGradient(gap.left, gap.right, gap.index) if same else None
    norm = row.gradient.norm if row is not None and row.gradient is not None else None
    return None if own.norm is None or norm is None or norm == own.norm else ChangedGradient(own.norm, norm, None)


def _lost(card: Card) -> ChangedGradient:
    value = card.gradient
    if value is not None and value.data is not None and len(value.data) == 1:
        return ChangedGradient(value.data[0], None)
    return ChangedGradient(value.norm if value is not None else None, None, None)


def _written(entry: Number | None, digits: int) -> str:
    return "" if entry is None else number(entry, True, digits)


def wire_operand(trace: Trace, view: GraphView, wire: Wire) -> Code | None:
    """Return the operand that an edge carries in its reader's text, or None.

    Without a gradient on the edge, or inside a library, there is nothing to cut.
    """
    cards = {card.id: card for card in view.cards}
    source, target = cards[wire.source], cards[wire.target]
    if wire.kind != "plain":
        return None
    operations, carried = trace.operations, set(_results(trace, source))
    for operation in _operations(trace, target):
        inputs = operations.inputs[operation]
        slots = [number for number, tensor in enumerate(inputs) if tensor in carried]
        code = code_at(trace, operations.span[operation])
        if not slots or code is None or not code.is_readable:
            continue
        number = slots[min(_rank(view, cards, wire), len(slots) - 1)]
        arguments, name = trace.arguments(operation), trace.strings[operations.name[operation]]
        if number == 0 and _writes(trace, operation):
            return None
        part = operand_code(code, name, operation_of(name).operator, arguments, len(inputs), number)
        return part or _inner(trace, code, operation, inputs[number]) or _named(trace, code, operation, inputs[number])
    return None


def times_run(trace: Trace, code: Code) -> int:
    """Return how often the program ran the operation that contains this operand."""
    spans = [i for i, span in enumerate(trace.spans) if span.contains(code.span)]
    inner = min(spans, key=lambda i: len(Code(code.cell, trace.spans[i]).text), default=-1)
    names = [name for name, span in zip(trace.operations.name, trace.operations.span, strict=True) if span == inner]
    return min(Counter(names).values(), default=1)


def _results(trace: Trace, card: Card) -> Sequence[int]:
    """Return the tensors that a card made or wrote."""
    tensors = [*card.tensors]
    for operation in _operations(trace, card):
        tensors += trace.operations.outputs[operation]
        tensors += trace.operations.inputs[operation][:1] if _writes(trace, operation) else []
    return tensors


def _writes(trace: Trace, operation: int) -> bool:
    """Return whether an operation writes to its first input."""
    name = trace.strings[trace.operations.name[operation]]
    return name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))


def _operations(trace: Trace, card: Card) -> list[int]:
    """Return the recorded operations of a card's last execution."""
    return sorted({trace.nodes.operation[node] for node in card.executions[-1] if trace.nodes.operation[node] >= 0})


def _rank(view: GraphView, cards: dict[str, Card], wire: Wire) -> int:
    """Return an edge's rank among those with the same tensor into the same card."""
    same = cards[wire.source].tensors
    beside = [one for one in view.wires if one.target == wire.target and cards[one.source].tensors == same]
    return sorted(one.port for one in beside).index(wire.port)


def _inner(trace: Trace, code: Code, operation: int, tensor: int) -> Code | None:
    """Return the expression inside a call whose value the call read."""
    maker = trace.maker(tensor)
    made = code_at(trace, trace.operations.span[maker]) if maker >= 0 else None
    if made is None or made.span == code.span or not code.span.contains(made.span):
        return None
    span = trace.operations.span[maker]
    last = all(trace.operations.span[later] != span for later in range(maker + 1, operation))
    return made if last else None


def _named(trace: Trace, code: Code, operation: int, tensor: int) -> Code | None:
    """Return the only argument of the program's own call that has the tensor's name."""
    operands = operands_named(code, name_of(run_of(trace), tensor, operation, code.text))
    return operands[0] if len(operands) == 1 else None
