"""What rules find, and the one loop over rules.

A rule is a function that yields findings, the earliest place first. It is given the run (`faults`) or the surroundings
of an error (`errors`).
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, TypeVar

from msgspec import Meta, Struct
from msgspec.structs import replace

from explorer.analysis.levels import EXPLAINED_BY, ORDER, Level, level_of
from explorer.analysis.source.code import Repair
from explorer.analysis.source.expressions import ChangedLine, changed_lines
from explorer.text import Message, Part
from explorer.trace import Span, Text, Trace, Word

NOWHERE = Span(0, 0, 0, 0, 0)


class Finding(Struct, frozen=True):
    """A bug that raised nothing; an `Explanation` is a finding too.

    Attributes:
        kind: id of its sentences, diagnosis-<kind>.
        place: its place in the program's text.
        values: the numbers and names of its sentences, its evidence.
        tensor, node: what it concerns, or -1.
        repairs: changes worth running, the best first. None is known to help, until there is a proof.
        certain: whether the condition that makes its kind a fault holds (`levels.LEVELS`).
        proof: the effect of the first repair when it was run, "" for nothing in particular; None before it was run.
        further: the line at which the repaired program stops for another reason, 0 if it ends well.
        loop, step: of the steps of a training, which of Trace.steps.places, and the call at which it begins, from 1;
            otherwise -1 and 0.
        is_of_part: whether what it counts is counted in a part of the run, the rest of which was not recorded.
    """

    kind: Word
    place: Span
    values: Mapping[Word, Text | int] = {}
    tensor: int = -1
    node: int = -1
    repairs: Annotated[tuple[Repair, ...], Meta(max_length=4)] = ()
    certain: bool = True
    proof: str | None = None
    further: int = 0
    loop: int = -1
    step: int = 0
    is_of_part: bool = False

    @property
    def level(self) -> Level:
        """How grave it is."""
        return level_of(self.kind, self.certain)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that silence it: its own; where the steps of a training show it, also those that explain it."""
        return (self.kind, *(EXPLAINED_BY.get(self.kind, ()) if self.step else ()))

    @property
    def repaired_source(self) -> str:
        """The text of the cell of its first repair after the repair, "" without one."""
        return self.repairs[0].source if self.repairs else ""

    @property
    def offered(self) -> Repair | None:
        """A repair that was run and helps."""
        return self.repairs[0] if self.repairs and self.proof is not None else None

    def messages(self, part: Part) -> Sequence[Message]:
        """What is said of it; a note says how to silence it, and a cause which part of the run its counts are of."""
        message = Message(f"diagnosis-{self.kind.replace('_', '-')}", self.values).part(part)
        if part == "repair" and self.level != "fault":
            return Message("diagnosis-if-meant", {"kind": self.kind}), message
        if part != "cause":
            return (message,)
        began = "began" in self.values
        further = {
            "diagnosis-of-part": self.is_of_part,
            "diagnosis-began": began,
            "diagnosis-thinned": not began and self.values.get("stride", 1) != 1,
        }
        return (message, *(Message(sentence, self.values) for sentence, holds in further.items() if holds))

    def changes(self, trace: Trace) -> tuple[ChangedLine, ...]:
        """The lines that its first repair removes and adds."""
        return tuple(
            change
            for repair in self.repairs[:1]
            for change in changed_lines(trace.cells[repair.cell].source, repair.source)
        )

    def is_in(self, trace: Trace) -> bool:
        """Whether everything exists that it refers to: an untrusted process may have sent it."""
        ids = -1 <= self.tensor < len(trace.tensors) and -1 <= self.node < len(trace.nodes)
        ids = ids and -1 <= self.loop < len(trace.steps.places)
        cells = (self.place.cell, *(repair.cell for repair in self.repairs))
        if not ids or not all(0 <= cell < len(trace.cells) for cell in cells):
            return False
        place, lines = self.place, trace.cells[self.place.cell].lines
        return 1 <= place.line <= place.end_line <= len(lines) and min(place.column, place.end_column) >= 0


S = TypeVar("S")
F = TypeVar("F", bound=Finding)
Rule = Callable[[S], Iterator[F]]


def findings(
    rules: Iterable[Rule[S, F]], scene: S, may_tell: Callable[[F], bool] = lambda _: True, of_each: int = 1
) -> list[F]:
    """What rules find in what they are given.

    A kind is told by the first rule that finds it. A finding that another one explains is left out.

    Args:
        may_tell: whether a finding may be told; a rule's next one is taken where it may not.
        of_each: how many findings of one rule are told.
    """
    every, explained = list[F](), list[F]()
    for rule in rules:
        kinds, own = {finding.kind for finding in every}, list[F]()
        for finding in rule(scene):
            if is_explained(finding, kinds):
                explained.append(finding)
                break
            if finding.kind in kinds:
                break
            own += [finding] if may_tell(finding) else []
            if len(own) == of_each:
                break
        every += own
    kinds = {finding.kind for finding in every}
    explained += [finding for finding in every if is_explained(finding, kinds)]
    return [_with_step(finding, explained) for finding in every if finding not in explained]


def _with_step(cause: F, explained: Iterable[F]) -> F:
    """A finding with the loop and the step of what it explains: there it shows in a training, and its cause says so."""
    shows = (one for one in explained if one.loop >= 0 > cause.loop and cause.kind in EXPLAINED_BY[one.kind])
    first = next(shows, None)
    if first is None:
        return cause
    return replace(cause, values={**cause.values, "began": first.values["step"]}, loop=first.loop, step=first.step)


def is_explained(finding: Finding, kinds: Collection[str]) -> bool:
    """Whether one of these kinds is the cause of a finding. It has to be as grave, so that a note hides no fault."""
    causes = (kind for kind in EXPLAINED_BY.get(finding.kind, ()) if kind in kinds)
    return any(ORDER.index(level_of(cause)) <= ORDER.index(finding.level) for cause in causes)
