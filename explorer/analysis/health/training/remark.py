"""What a rule finds in the steps of a training."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from explorer.analysis.faults.finding import first_of
from explorer.analysis.findings import NOWHERE, Finding
from explorer.analysis.findings import Rule as RuleOf
from explorer.analysis.health.training.stretches import Stretch, Track
from explorer.text import Message, Part
from explorer.text.numbers import visible


class Moment(NamedTuple):
    """A step in a sentence. Attributes: row: in Trace.steps; number: from 1; rounds: the variables of its loops."""

    row: int
    number: int
    rounds: str

    @property
    def message(self) -> Message:
        """As the pages number it, "step 48 (epoch = 3, i = 17)"."""
        word = "remark-round-and-call" if self.rounds else "remark-call"
        return Message(word, {"rounds": self.rounds, "number": self.number})


Values = Mapping[str, str | int | Moment]


class Remark(Finding, frozen=True, kw_only=True):
    """A finding about the steps of a training. Its place is the causing line or, if unknown, that of the backward.

    Attributes:
        loop: the calls of which line of the program it is about, in Trace.steps.places.
        step: where it begins.
        leaf: its leaf in Trace.steps.leaves, -1 for the loss or all leaves; its name is the value `name`.
        clauses: its sentences, the remark first, then its cause.
    """

    loop: int
    step: Moment
    leaf: int = -1
    clauses: tuple[Message, ...]

    def messages(self, part: Part) -> Sequence[Message]:
        """What is said of it: its first sentence is its title, and all of them are its cause."""
        return {"title": self.clauses[:1], "cause": self.clauses, "repair": ()}[part]


Rule = RuleOf[Stretch, Remark]


def clause(id: str, /, **values: str | int | Moment) -> Message:
    """One sentence of a remark: the message `remark-<id>` with its values."""
    return Message(f"remark-{id}", {name: at.message if isinstance(at, Moment) else at for name, at in values.items()})


def remark(
    stretch: Stretch,
    kind: str,
    step: int,
    *clauses: Message,
    leaf: Track | None = None,
    span: int = -1,
    certain: object = True,
) -> Remark:
    """A remark about a stretch from one of its steps on; without a span of its own at its backward."""
    span = stretch.of.span if span < 0 else span
    return Remark(
        kind,
        stretch.trace.spans[span] if span >= 0 else NOWHERE,
        {} if leaf is None else {"name": leaf.of.name},
        certain=bool(certain),
        loop=stretch.of.place,
        step=moment(stretch, step),
        leaf=-1 if leaf is None else leaf.index,
        clauses=clauses,
    )


def moment(stretch: Stretch, step: int) -> Moment:
    """A step of a stretch, for a sentence."""
    at = stretch.at[step]
    pairs = stretch.of.rounds[at]
    rounds = ", ".join(f"{visible(name)} = {visible(value)}" for name, value in pairs)
    return Moment(stretch.row(step), int(stretch.of.number[at]) + 1, rounds)


def named(tracks: Sequence[Track]) -> str:
    """The names of some leaves, the first of many."""
    return first_of(visible(track.name) for track in tracks)
