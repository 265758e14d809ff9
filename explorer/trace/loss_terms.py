"""What a loss is the sum or the mean of: its largest terms, and how many others there are and their sum.

Of the operands of a loss only a sample is kept where they are large, which tells little of the one number that they
became. So the recorder asks torch for the loss without its reduction.
"""

from typing import Annotated

from msgspec import Meta, Struct

from explorer.trace.columns import Along, Columns, Ids

MOST_TERMS = 8  # of one loss that are written down

_Column = Annotated[list[int], Meta(max_length=4_000_000)]
_Numbers = Annotated[list[float], Meta(max_length=4_000_000)]
_LOSSES, _TERMS = Along("losses"), Along("terms")


class LossTerms(Columns, Struct, frozen=True):
    """Columns: of a call of a loss the terms that were reduced to its one number, the largest of them written down.

    Attributes:
        operation: the call (operations).
        shape: of all its terms (shapes).
        total, divisor: their sum, and what it was divided by: 1 for a sum; for a mean how many terms count, or the sum
            of their weights.
        listed: how many of its terms are written down, the largest first.
        place, term: the position of each in row-major order, and the number.
        label: of a loss over classes the label there; -1: there is none, or it is ignored.
    """

    operation: Annotated[_Column, _LOSSES, Ids("operations", 0)] = []
    shape: Annotated[_Column, _LOSSES, Ids("shapes", 0)] = []
    total: Annotated[_Numbers, _LOSSES] = []
    divisor: Annotated[_Numbers, _LOSSES] = []
    listed: Annotated[_Column, _LOSSES, Ids(MOST_TERMS + 1, 0)] = []
    place: Annotated[_Column, _TERMS, Ids(1 << 62, 0)] = []
    term: Annotated[_Numbers, _TERMS] = []
    label: Annotated[_Column, _TERMS, Ids(1 << 62)] = []


def faulty_losses(losses: LossTerms) -> str:
    """What is wrong with the columns, "" if nothing."""
    return "losses: more or fewer terms than are listed" if sum(losses.listed) != len(losses.place) else ""
