"""A remark about a training."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from explorer.analysis.faults import Level
from explorer.analysis.health.training.stretches import Stretch


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
    """A remark about training steps.

    Attributes:
        kind: such as vanishing or loss-nonfinite.
        level: fault: something is wrong; note: it may be intended; info: worth knowing.
        place: of the backward, in Trace.steps.places.
        row: the step where it begins, in Trace.steps.
        leaf: its leaf in Trace.steps.leaves, -1 for the loss or all leaves.
        span: of the causing line or, if unknown, of the backward; -1 for neither.
        clauses: its sentences, the remark first, then its cause.
    """

    kind: str
    level: Level
    place: int
    row: int
    leaf: int
    span: int
    clauses: tuple[Clause, ...]


Rule = Callable[[Stretch], Iterator[TrainingRemark]]


def remark(
    stretch: Stretch, kind: str, level: Level, step: int, *clauses: Clause, leaf: int = -1, span: int = -1
) -> TrainingRemark:
    """A remark about a stretch from one of its steps on; without a span of its own at its backward."""
    span = stretch.of.span if span < 0 else span
    return TrainingRemark(kind, level, stretch.of.place, stretch.row(step), leaf, span, clauses)


def moment(stretch: Stretch, step: int) -> Moment:
    """A step of a stretch, for a sentence."""
    return Moment(stretch.row(step))
