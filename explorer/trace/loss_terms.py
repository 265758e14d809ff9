"""Terms of a reduced loss: the largest, and the others' number and sum.

Large operands of a loss are only sampled, which explains little of the resulting number. So the recorder asks torch for
the unreduced loss.
"""

from typing import Annotated

from msgspec import Meta, Struct

from explorer.trace.columns import Along, Columns, Ids

MOST_TERMS = 8  # most listed terms of one loss

_Column = Annotated[list[int], Meta(max_length=4_000_000)]
_Numbers = Annotated[list[float], Meta(max_length=4_000_000)]
_LOSSES, _TERMS = Along("losses"), Along("terms")


class LossTerms(Columns, Struct, frozen=True):
    """Columns: reduced terms of each loss call, the largest listed.

    Attributes:
        operation: row of operations.
        shape: row of shapes, for all its terms.
        total, divisor: their sum, and its divisor: 1 for a sum. For a mean, the number of terms that count or the
            sum of their weights.
        listed: number of listed terms, largest first.
        place, term: row-major position and value of each.
        label: class label there, -1 if there is none or it is ignored.
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
    """Return the first fault of the columns, or ""."""
    return "losses: more or fewer terms than are listed" if sum(losses.listed) != len(losses.place) else ""
