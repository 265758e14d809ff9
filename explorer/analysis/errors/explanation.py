"""What an error is explained by."""

from collections.abc import Mapping

from msgspec import Struct

from explorer.text import Message, Part
from explorer.trace import Text, Word


class Explanation(Struct, frozen=True):
    """Why a program stopped.

    Attributes:
        kind: names the sentences: error-<kind> is a short title, .cause and .repair are a sentence or two each.
        values: for the sentences; program texts are verbatim, shapes are written (2, 3).
        repaired_source: the whole text of `cell` with a change worth running, or "".
        cell: the cell of `repaired_source`, from 0.
        proof: the effect of the change when it was run, "" for nothing in particular; None before it was run: then it
            is not offered.
        further: the line at which the changed program stops for another reason, 0 if it ends well.
    """

    kind: Word
    values: Mapping[Word, Text | int] = {}
    repaired_source: Text = ""
    cell: int = 0
    proof: str | None = None
    further: int = 0

    @property
    def offered(self) -> str:
        """The repaired text of a change that was run and helps, otherwise ""."""
        return self.repaired_source if self.proof is not None else ""

    def messages(self, part: Part) -> tuple[Message]:
        """What is said of it."""
        return (Message(f"error-{self.kind}", self.values).part(part),)
