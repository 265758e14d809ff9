"""Findings of rules, and the loop over rules.

A rule is a function that yields findings, the earliest place first. Its argument is the run (`faults`) or the context
of an error (`errors`).
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, TypeVar

from msgspec import Meta, Struct
from msgspec.structs import replace

from explorer.analysis.diagnose.kinds import KINDS
from explorer.analysis.run.levels import ORDER, Level
from explorer.analysis.run.source.code import Repair
from explorer.analysis.run.source.expressions import ChangedLine, changed_lines
from explorer.safe_regex import plain
from explorer.text import Message, Part
from explorer.trace import Span, Text, Trace, Word

NOWHERE = Span(0, 0, 0, 0, 0)
MOST_EVIDENCE = 100  # most values of one finding; rules use far fewer


_PATH, _PLACE = plain(r"[A-Za-z_]\w*+(?:\.\w++)++"), plain(r"\.(\d+)(?=\.|$)")


def as_code(value: Text | int) -> Text | int:
    """Write a parameter's path as Python.

    >>> as_code("model.0.weight")
    'model[0].weight'
    """
    return _PLACE.sub(r"[\1]", value) if isinstance(value, str) and _PATH.fullmatch(value) else value


class Finding(Struct, frozen=True):
    """A bug that raised no exception. Base class of `Explanation`.

    Attributes:
        kind: message id, diagnosis-<kind>.
        place: place in the program's text.
        values: values of its messages, its evidence.
        tensor, node: affected tensor and node, or -1.
        repairs: candidate fixes, the best first. They are unverified until there is a proof.
        level: severity.
        causes: kinds that explain it.
        proof: effect of running the first fix, "" if nothing in particular, None before the run.
        further: line where the fixed program stops for another reason, 0 if it ends well.
        loop, step: for training steps: index in Trace.steps.places, and the call where it begins, from 1.
            Otherwise -1 and 0.
        is_of_part: whether its counts cover only the recorded part of the run.
    """

    kind: Word
    place: Span
    values: Annotated[Mapping[Word, Text | int], Meta(max_length=MOST_EVIDENCE)] = {}
    tensor: int = -1
    node: int = -1
    repairs: Annotated[tuple[Repair, ...], Meta(max_length=4)] = ()
    level: Level = "fault"
    causes: Annotated[tuple[Word, ...], Meta(max_length=16)] = ()
    proof: str | None = None
    further: int = 0
    loop: int = -1
    step: int = 0
    is_of_part: bool = False

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds that silence it: its own and, for training steps, kinds that explain it."""
        return (self.kind, *(self.causes if self.step else ()))

    @property
    def repaired_source(self) -> str:
        """Cell text after its first fix, or ""."""
        return self.repairs[0].source if self.repairs else ""

    @property
    def offered(self) -> Repair | None:
        """A repair that was run and helps."""
        return self.repairs[0] if self.repairs and self.proof is not None else None

    def messages(self, part: Part) -> Sequence[Message]:
        """Return its messages. Notes add how to silence them."""
        values = {name: as_code(one) for name, one in self.values.items()} if part == "repair" else self.values
        message = Message(f"diagnosis-{self.kind.replace('_', '-')}", values).part(part)
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
        """Return the lines that its first fix removes and adds."""
        return tuple(
            change
            for repair in self.repairs[:1]
            for change in changed_lines(trace.cells[repair.cell].source, repair.source)
        )

    def is_in(self, trace: Trace) -> bool:
        """Return whether everything it refers to exists. An untrusted process may have sent it."""
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


def findings(rules: Iterable[Rule[S, F]], scene: S, may_report: Callable[[F], bool] = lambda _: True) -> list[F]:
    """Run the rules and return their findings, at most one of each rule.

    Only the first rule to find a kind reports it. Findings explained by another finding are left out.

    Args:
        may_report: whether a finding may be reported. If not, the rule's next finding is taken.
    """
    every, explained = list[F](), list[F]()
    for rule in rules:
        kinds = {finding.kind for finding in every}
        for finding in rule(scene):
            if is_explained(finding, kinds):
                explained.append(finding)
                break
            if finding.kind in kinds:
                break
            if may_report(finding):
                every.append(finding)
                break
    kinds = {finding.kind for finding in every}
    explained += [finding for finding in every if is_explained(finding, kinds)]
    return [_with_step(finding, explained) for finding in every if finding not in explained]


def _with_step(cause: F, explained: Iterable[F]) -> F:
    """Add the loop and step of an explained finding to its cause."""
    shows = (one for one in explained if one.loop >= 0 > cause.loop and cause.kind in one.causes)
    first = next(shows, None)
    if first is None:
        return cause
    return replace(cause, values={**cause.values, "began": first.values["step"]}, loop=first.loop, step=first.step)


def is_explained(finding: Finding, kinds: Collection[str]) -> bool:
    """Return whether a finding of one of these kinds, at least as severe, causes this one."""
    causes = (kind for kind in finding.causes if kind in kinds)
    return any(ORDER.index(KINDS[cause].level) <= ORDER.index(finding.level) for cause in causes)


def bugs(found: Iterable[F]) -> list[tuple[F, ...]]:
    """Group findings by bug: the root cause, then its consequences.

    Faults are before notes, otherwise the order is that of the program's lines. Everything that lists findings takes
    this order: the report, its JSON, the page, the assertions of tests.
    """
    every = sorted(found, key=_rank)
    kinds = {finding.kind: finding for finding in reversed(every)}
    groups: dict[str, list[F]] = {}
    for finding in every:
        groups.setdefault(_root(finding, kinds), []).append(finding)
    chains = (sorted(group, key=lambda finding: finding.kind != root) for root, group in groups.items())
    return [tuple(chain) for chain in chains]


def _rank(finding: Finding) -> tuple[int, ...]:
    return ORDER.index(finding.level), finding.place.cell, finding.place.line, finding.place.column


def _root(finding: Finding, kinds: Mapping[str, Finding]) -> str:
    """Return the kind at the start of a finding's chain of causes."""
    passed = [finding.kind]
    while cause := next((kind for kind in kinds[passed[-1]].causes if kind in kinds and kind not in passed), ""):
        passed.append(cause)
    return passed[-1]
