"""The questions and the steps of an answer, as plain records."""

from functools import cached_property
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from explorer.analysis.explain.autograd.entry_texts import followed, index_of, place_of, place_text
from explorer.analysis.explain.autograd.operands import Mention
from explorer.analysis.run.rounding import same_value
from explorer.text import Message
from explorer.text.numbers import DIGITS, Equation, number, written_sum
from explorer.trace import LISTED, Number, Trace, Value, index_at, sample_shape, sample_steps


class Stored(Struct, frozen=True):
    """Question: a leaf's `.grad` when an operation began (-1: at the end), at a row-major `place`."""

    tensor: int
    place: int
    time: float = -1.0  # 3.25 is right after operation 3


class Arrived(Struct, frozen=True):
    """Question: the gradient that arrived at an output of a node in a backward."""

    backward: int
    node: int
    output: int
    place: int


class PassedOn(Struct, frozen=True):
    """Question: the gradient that a node passed over one of its edges, at an entry of the receiver."""

    backward: int
    node: int
    edge: int
    place: int


class ValueOf(Struct, frozen=True):
    """Question: an entry of a tensor at one of its versions (a row of Trace.versions)."""

    row: int
    place: int


class LossTerm(Struct, frozen=True):
    """Question: a term of a reduced loss, by position."""

    operation: int
    place: int


Subject = Stored | Arrived | PassedOn | ValueOf | LossTerm

TermKind = Literal["through", "product", "start", "backward", "before", "read", "from"]


class Term(Struct, frozen=True):
    """One part of a number.

    Attributes:
        kind: through (passed on by a consumer), product (with one entry of the consumer's gradient), start
            (starting gradient), backward (added by a backward call), before (earlier `.grad`), read (by an operation)
            or from (only the origin is known).
        amount: the number, or the value read. None if not recorded.
        mention: tensor in the program's words. index: of the entry.
        factors: gradient and local derivative of a product, otherwise ().
        subject: question that it unfolds to, None for an end.
        role: torch's node name and input number if read repeatedly, otherwise ("", 0).
        line: line of the operation, 0 if unknown.
    """

    kind: TermKind
    amount: Number | None
    mention: Mention
    index: str = ""
    factors: tuple[Number, ...] = ()
    subject: Subject | None = None
    role: tuple[str, int] = ("", 0)
    line: int = 0


_NOTE = "why-note-"


class DerivationStep(Struct, frozen=True, dict=True):
    """One number and its parts.

    Attributes:
        subject: the question it answers.
        kind: grad (stored), gradient (that arrived), passed, value, or asks (`requires_grad`).
        amount: the number, None if missing or not recorded (see note).
        literal: None, True or False instead of a number, otherwise "".
        mention: the tensor. index: of the entry.
        terms: its parts, largest first in a sum. They add up to it if `adds`.
        adds: whether the parts form a sum.
        equation: computation of a value, in words and in numbers.
        hidden, hidden_sum: number of summands that its equation replaces by REST, and their sum as text.
        left: number of omitted parts. rest: their sum.
        note: additional words, or why it has no parts.
        node: node of its card, or -1. tensor: likewise.
    """

    subject: Subject
    kind: Literal["grad", "gradient", "passed", "value", "asks"]
    amount: Number | None
    mention: Mention
    index: str = ""
    literal: str = ""
    shape: tuple[int, ...] = ()
    terms: tuple[Term, ...] = ()
    adds: bool = True
    equation: tuple[str, ...] = ()
    hidden: int = 0
    hidden_sum: str = ""
    left: int = 0
    rest: Number = 0
    note: Message | None = None
    line: int = 0
    node: int = -1
    tensor: int = -1

    @cached_property
    def written(self) -> Equation:
        """Numbers of its parts, and last of the omitted ones, written as a sum if they form one."""
        known = [term.amount for term in self.terms if term.amount is not None]
        rest = [self.rest] if self.left else []
        if self.amount is not None and self.adds and 1 < len(known) == len(self.terms):
            return written_sum([*known, *rest], self.amount)
        amounts = [*(term.amount for term in self.terms), *rest]
        texts = tuple("?" if amount is None else number(amount) for amount in amounts)
        return Equation(texts, "=", "" if self.amount is None else number(self.amount), DIGITS)

    @property
    def noted(self) -> str:
        """Kind of its note, "" if there is none."""
        return self.note.id.removeprefix(_NOTE) if self.note else ""


def begin_step(
    subject: Subject, kind: Literal["grad", "gradient", "passed", "value"], mention: Mention, value: Value | None
) -> DerivationStep:
    """Return the step about an entry of a value, without its parts."""
    shape = () if value is None else value.shape
    amount, index = entry_at(value, subject.place), place_text(shape, subject.place)
    return DerivationStep(subject, kind, amount, mention, index, shape=shape)


def largest_first(step: DerivationStep, terms: list[Term], others: int = 0, rest: Number = 0) -> DerivationStep:
    """Add parts to a step: of more than MOST the largest, with the sum of the others."""
    ordered = terms if len(terms) <= MOST else sorted(terms, key=lambda term: -size_of(term.amount))
    rest += sum(term.amount for term in ordered[MOST:] if term.amount is not None)
    return replace(step, terms=tuple(ordered[:MOST]), left=max(0, len(ordered) - MOST) + others, rest=rest)


def note(kind: str, **values: str | int | Message) -> Message:
    """Return a step's note of a kind, with its variables."""
    return Message(f"{_NOTE}{kind}", values)


REST = "\ufdd2"  # placeholder in an equation for omitted summands
MOST = LISTED  # most listed parts of one number


def size_of(amount: Number | None) -> float:
    """Return the sort weight of a part. NaN and unknown numbers come first."""
    size = abs(amount) if amount is not None else float("inf")
    return float("inf") if size != size else float(size)


def entry_at(value: Value | None, place: int) -> Number | None:
    """Return the entry at a position, None if not recorded.

    >>> entry_at(Value((2, 2), "float32", (1.0, 2.0, 3.0, 4.0), (), 1, 4, 1, 1, 0), 2)
    3.0
    """
    if value is None or place < 0:
        return None
    if value.data is not None:
        return value.data[place] if place < len(value.data) else None
    for at, entry in value.asked:
        if at == place:
            return entry
    position = sample_position(value.shape, place)
    return value.sample[position] if 0 <= position < len(value.sample) else None


def sample_position(shape: tuple[int, ...], place: int) -> int:
    """Return an entry's position in a large value's sample, or -1.

    >>> sample_position((100, 100), 0)
    0
    """
    index, sides, steps = index_at(place, shape), sample_shape(shape), sample_steps(shape)
    index, ahead = index[len(index) - len(sides) :], index[: len(index) - len(sides)]
    if any(ahead) or any(at % step or at // step >= side for at, step, side in zip(index, steps, sides, strict=True)):
        return -1
    return place_of([at // step for at, step in zip(index, steps, strict=True)], sides)


def most_informative_entry(value: Value | None) -> int:
    """Return the position of the first non-finite entry, else the largest, or -1."""
    position = followed(value, ())
    if value is None or position is None:
        return -1
    return position if value.data is not None else place_of(index_of(value, position), value.shape)


def same_entries(trace: Trace, first: int, other: int) -> bool:
    """Return whether two values (ids) have the same recorded numbers; -1 equals only itself."""
    if first == other:
        return True
    a, b = trace.value(first), trace.value(other)
    return a is not None and b is not None and same_value(a, b)
