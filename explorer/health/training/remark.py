"""What is remarked of a training."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from explorer.health.training.stretches import Stretch

Level = Literal["fault", "note"]


@dataclass(frozen=True)
class Moment:
    """A step in a sentence. Attributes: row: its row in Trace.steps."""

    row: int


Values = Mapping[str, str | int | Moment]


@dataclass(frozen=True)
class Clause:
    """One sentence of a remark: the message `remark-<id>` with its values."""

    id: str
    values: Values


@dataclass(frozen=True)
class TrainingRemark:
    """Something that the steps show.

    Attributes:
        kind: what it is, such as vanishing or loss-nonfinite.
        level: fault: something is wrong; note: worth knowing.
        place: of the backward, in Trace.steps.places.
        row: the step where it begins, in Trace.steps.
        leaf: what it is of, in Trace.steps.leaves, -1 for the loss or all of them.
        span: of the line that is to blame or, where none is known, of the backward; -1 for neither.
        clauses: its sentences, the remark first, then what is known of its cause.
    """

    kind: str
    level: Level
    place: int
    row: int
    leaf: int
    span: int
    clauses: tuple[Clause, ...]


Rule = Callable[[Stretch], Iterator[TrainingRemark]]
