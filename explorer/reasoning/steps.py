"""What can be asked for, and one step of an answer, as plain records."""

from typing import Literal

from msgspec import Struct

from explorer.autograd.apart import Mention
from explorer.trace import Number


class Stored(Struct, frozen=True):
    """`.grad` of a leaf when an operation began (-1: at the end). `place` counts entries in row-major order."""

    tensor: int
    place: int
    time: float = -1.0  # right after operation 3 is 3.25


class Arrived(Struct, frozen=True):
    """The gradient that arrived at an output of a node in a backward."""

    backward: int
    node: int
    output: int
    place: int


class PassedOn(Struct, frozen=True):
    """What a node passed on over one of its edges, at an entry of the receiver."""

    backward: int
    node: int
    edge: int
    place: int


class ValueOf(Struct, frozen=True):
    """An entry of a tensor at one of its versions (a row of Trace.versions)."""

    row: int
    place: int


Subject = Stored | Arrived | PassedOn | ValueOf

TermKind = Literal["through", "product", "start", "backward", "before", "read", "from"]


class Term(Struct, frozen=True):
    """One part of a number.

    Attributes:
        kind: through (a consumer passed it on), product (of one entry of the consumer's gradient), start (the starting
            gradient), backward (a backward call added it), before (it was in `.grad` before), read (an operation read
            it), from (all that is known is where it came from).
        amount: the number; of what was read its value; None where it is not at hand.
        mention: whose it is, as the program calls it; index: of which entry.
        factors: of a product the gradient and the local derivative, otherwise ().
        subject: what it unfolds to, None for an end.
        role: torch's name of the node and the input it is to it, where it is read several times; otherwise ("", 0).
        line: of what happened, 0 when not known.
    """

    kind: TermKind
    amount: Number | None
    mention: Mention
    index: str = ""
    factors: tuple[Number, ...] = ()
    subject: Subject | None = None
    role: tuple[str, int] = ("", 0)
    line: int = 0


class DerivationStep(Struct, frozen=True):
    """One number and what it was made of.

    Attributes:
        subject: what it tells.
        kind: grad (stored), gradient (that arrived), passed, value, or asks (`requires_grad`).
        amount: the number, None where there is none or it is not at hand; note says why.
        literal: what stands in its place: None, True or False of Python, otherwise "".
        mention: whose it is; index: of which entry.
        shape: of the tensor.
        terms: its parts, the largest first where they are added; they add up to it where `adds` holds.
        adds: whether the parts are told as a sum.
        equation: of a value how it was made: in words, in numbers.
        left: how many parts are not told; rest: their sum.
        note: the last part of a message's id, "" for none; values: its variables.
        line: where the program says it, 0 when not known.
        node: whose card it is, -1 none; tensor: likewise.
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
    left: int = 0
    rest: Number = 0
    note: str = ""
    values: dict[str, str | int] = {}
    line: int = 0
    node: int = -1
    tensor: int = -1


MOST = 8  # parts of one number that are told one by one


def size_of(amount: Number | None) -> float:
    """How much a part weighs in an order: NaN and what is not known first."""
    size = abs(amount) if amount is not None else float("inf")
    return float("inf") if size != size else float(size)
