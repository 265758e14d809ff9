"""What a changed wire does to the gradients of a picture."""

from dataclasses import dataclass

from explorer.analysis.autograd import Card, GraphView
from explorer.analysis.autograd.entry_texts import index_text
from explorer.analysis.comparison.differences import Difference, Sides, bounded
from explorer.analysis.comparison.matching import Match
from explorer.analysis.health.rows import GradientRow, parameter_rows
from explorer.analysis.source.code import Code
from explorer.text import say
from explorer.text.numbers import number
from explorer.trace import Failure, Number, Trace

MOST_DIGITS = 9


@dataclass(frozen=True)
class ChangedGradient:
    """A gradient in two runs.

    Attributes:
        before, after: its entry that changed most, or its norm; None: no gradient.
        index: of that entry; None for a norm.
    """

    before: Number | None
    after: Number | None
    index: tuple[int, ...] | None = ()

    def text(self, lang: str) -> str:
        """From what to what.

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
    """A run with a changed wire beside the run before.

    Attributes:
        cards: the gradients that changed, by the id of their card.
        failure: the error that stops the changed program only.
        other: whether it calls backward a different number of times, so that the gradients cannot be compared.
    """

    cards: dict[str, ChangedGradient]
    failure: Failure | None = None
    other: bool = False


def rewired(before: Trace, after: Trace, view: GraphView, operand: Code, text: str) -> Rewired:
    """The gradients of a picture's cards that changed.

    Args:
        operand: the code that was replaced in the second run; text: what replaced it.
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
    differences: dict[tuple[int, int], Difference] = {}  # by operation and leaf; the result of an operation comes first
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
    """The same operations in order, without those of the new text; none if the program then took another way."""
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
    """A difference as a change of the card's own gradient; None where it is of another result of the operation."""
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
