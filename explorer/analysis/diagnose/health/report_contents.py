"""Contents of a report: ending, losses, parameters, non-finite values, diagnoses."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Self

from explorer.analysis.diagnose.errors.failure_context import Explanation
from explorer.analysis.diagnose.errors.warning_causes import warned
from explorer.analysis.diagnose.faults.diagnosis import KIND_NAMES
from explorer.analysis.diagnose.faults.finding import is_fine
from explorer.analysis.diagnose.faults.nonfinite_entries import recovers
from explorer.analysis.diagnose.faults.optimizer_audit import Audit, audit
from explorer.analysis.diagnose.findings import Finding
from explorer.analysis.diagnose.messages import Checked, finding_text
from explorer.analysis.explain.autograd.cells import stopped_operation
from explorer.analysis.explain.autograd.gradients import selected_backward
from explorer.analysis.explain.gradient_rows import GradientRow, State, parameter_rows
from explorer.analysis.explain.origins import Origin, origins
from explorer.analysis.run.model import one_line, run_of
from explorer.analysis.run.names import loss_of, name_of
from explorer.safe_regex import linear
from explorer.text.numbers import shorten
from explorer.trace import Bound, Failure, Printed, Trace, Value, fits, fitting_none

CODE = 60  # widest text of an operation
MOST_WARNINGS = 20
_STEP = r"""(?:\.\w+|\[(?:\d+|"\w+"|'\w+')\])"""
_ROOT = linear(rf"(\w+{_STEP}+)\.backward\((?:(?:retain|create)_graph=\w+)?\)")
_STATES = ("nonfinite", "none", "zero")  # states of rows and origins, also accepted by `allow=`
NONE_EXPLAINED: Mapping[tuple[int, int], Explanation] = MappingProxyType({})


class Allowed:
    """Accepted patterns of kinds, such as "wrong_mode", and names, such as "embed.*".

    Kinds may use hyphens or underscores.
    """

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        self.patterns = (patterns,) if isinstance(patterns, str) else tuple(patterns)
        self.kinds = {pattern.replace("-", "_") for pattern in self.patterns}

    def __call__(self, kind: str, name: str = "") -> bool:
        """Return whether this kind, or this tensor's name, is accepted."""
        if kind.replace("-", "_") in self.kinds:
            return True
        return bool(name) and fits(name, self.patterns)

    def without_effect(self, trace: Trace) -> tuple[str, ...]:
        """Return the patterns that match neither a kind nor a name of the run."""
        named = (one for one in self.patterns if one.replace("-", "_") not in KIND_NAMES.union(_STATES))
        return fitting_none(named, trace.index.bound)

    def finding(self, finding: Finding) -> bool:
        """Return whether a finding is accepted."""
        return any(self(kind, str(finding.values.get("name", ""))) for kind in finding.kinds)


@dataclass(frozen=True)
class ReportedLoss:
    """A root of a backward.

    Attributes:
        name: name, or creating text, or text of the library call that created it.
        line: line of the call, 0 if unknown.
        backward: number, from 1.
        inside: whether the name is the text of the call.
    """

    name: str
    value: Value | None
    line: int
    backward: int
    inside: bool = False


@dataclass(frozen=True)
class ReportedStop:
    """An error that ended the code.

    Attributes:
        type, text: of the exception.
        line: line, 0 if unknown. code: the failing text.
        cause, repair: explanation, "" if only torch's message is known.
    """

    type: str
    text: str
    line: int
    code: str
    cause: str = ""
    repair: str = ""


@dataclass(frozen=True)
class ReportedWarning:
    """A library's warning.

    Attributes:
        text: its words.
        cell, line: from 0 and from 1.
        cause, repair, title: its explanation, or "".
        covered: whether a finding says the same.
    """

    text: str
    cell: int
    line: int
    cause: str
    repair: str
    title: str = ""
    covered: bool = False


@dataclass(frozen=True)
class Reported:
    """Contents of a report.

    Attributes:
        status: ending, as Trace.end.
        stops: errors that ended it.
        losses: losses of every backward in order.
        implicit: whether an implicit backward was taken of the last result.
        rows: parameters with their gradients.
        nonfinite: origins of NaN and infinity.
        diagnoses: silent bugs. None: not computed in time.
        warnings: warnings of torch and other libraries.
        limits: omitted parts of the recording.
        optimizers: parameters of each optimizer, and those in none or two.
        lang: language of its text. trace: the run.
        idle: `allow=` patterns that match nothing.
        checked: result of a numeric check of the gradients.
        unfinished: names of the rules that ran out of time.
        elsewhere: whether torch trained in an unrecorded thread, or worked only in such threads.
    """

    status: str
    stops: tuple[ReportedStop, ...]
    losses: tuple[ReportedLoss, ...]
    implicit: bool
    rows: tuple[GradientRow, ...]
    nonfinite: tuple[Origin, ...]
    diagnoses: tuple[Finding, ...] | None
    trace: Trace = field(repr=False, compare=False)
    warnings: tuple[ReportedWarning, ...] = ()
    limits: tuple[Bound, ...] = ()
    optimizers: Audit = field(default_factory=Audit)
    lang: str = field(default="en", repr=False)
    elsewhere: bool = False
    idle: tuple[str, ...] = ()
    checked: Checked = field(default_factory=Checked)
    unfinished: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        trace: Trace,
        diagnoses: Sequence[Finding] | None = (),
        backward: int | None = None,
        lang: str = "en",
        allow: Iterable[str] = (),
        explanations: Mapping[tuple[int, int], Explanation] = NONE_EXPLAINED,
    ) -> Self:
        """Report on a run.

        Args:
            diagnoses: silent bugs. None: unknown.
            backward: number of the backward, from 1. None: for each parameter the last that reached it.
            lang: language of its text.
            allow: accepted kinds, such as "wrong_mode", and names of parameters, such as "embed.*".
            explanations: of the errors that ended the run, by cell and output index.

        Raises:
            IndexError: no such backward.
        """
        shown, allowed = selected_backward(trace), Allowed(allow)
        left_out = {limit.kind for limit in trace.limits}
        rows = (replace(row, allowed=allowed(row.state, row.name)) for row in parameter_rows(trace, backward))
        return cls(
            status=trace.end,
            stops=tuple(_stops(trace, explanations, lang)),
            losses=tuple(_losses(trace)),
            implicit=shown is not None and trace.backwards[shown].kind == "implicit",
            rows=tuple(rows),
            nonfinite=tuple(origin for origin in _unsilenced(trace) if not allowed("nonfinite", origin.name)),
            diagnoses=None if diagnoses is None else tuple(one for one in diagnoses if not allowed.finding(one)),
            warnings=tuple(_warnings(trace, {*_kinds(trace, diagnoses or (), explanations)}, lang))[:MOST_WARNINGS],
            limits=tuple(trace.limits),
            optimizers=audit(trace),
            lang=lang,
            trace=trace,
            elsewhere="elsewhere" in left_out or ("threads" in left_out and not len(trace.operations)),
            idle=allowed.without_effect(trace),
        )

    @property
    def sound(self) -> bool | None:
        """Whether the run ended well without faults. Notes may be intended.

        A gradient with NaN or ∞ is a fault, and so is every kind of level "fault" in `explorer.kinds()`. The numbers of
        a training decide about these:

        - cannot_learn: in every round, more than half of an optimizer's weights get no gradient that the loss could
          notice: norm · max(‖w‖, 1) < 2⁻²⁴ · |loss|, so a change of w by its own size is lost in rounding.
        - vanishing: to the end, a leaf that never moves has a gradient norm below 1e-7 behind one of at least 1e-3.
        - loss_grows: the loss rises tenfold, over five steps or more, until it is not finite.

        docs/faults.md has the further conditions of these and all other kinds. None: it worked in unrecorded threads,
        or the search for faults, or a part of it, timed out.
        """
        found = (self.rows, self.nonfinite, self.diagnoses or ())
        if self.status != "ok" or any(item.level == "fault" for part in found for item in part):
            return False
        return None if self.elsewhere or self.diagnoses is None or self.unfinished else True

    def having(self, *states: State) -> tuple[GradientRow, ...]:
        """Return the parameters in one of these states."""
        return tuple(row for row in self.rows if row.state in states)


def _unsilenced(trace: Trace) -> Iterator[Origin]:
    """Yield origins once for each call, except lines with `# fine: nonfinite`."""
    spans, starts = trace.spans, origins(trace)
    left_out = bool(starts) and recovers(run_of(trace))
    places = set()
    for origin in starts:
        if origin.span >= 0 and (origin.phase, origin.kind, origin.span) in places:
            continue
        places.add((origin.phase, origin.kind, origin.span))
        if origin.span < 0 or not is_fine(trace, spans[origin.span], "nonfinite"):
            yield replace(origin, recovered=True) if left_out else origin


def _losses(trace: Trace) -> Iterator[ReportedLoss]:
    for number, call in enumerate(trace.backwards):
        for tensor in call.root_tensors[:1] if call.inside < 0 else ():
            if tensor < 0:
                continue
            row = trace.index.before(tensor, call.operations)
            row = trace.versions_of(tensor)[-1] if row is None else row
            called = trace.text(call.span) if call.span >= 0 else ""
            name = name_of(run_of(trace), tensor, call.operations - 1, one_line(called) or None)
            made = trace.versions.operation[row]
            text = loss_of(run_of(trace), call) or (trace.text(trace.operations.span[made]) if made >= 0 else "")
            if not name.isidentifier() and text != called and (root := _ROOT.fullmatch(called)):
                name = root[1]  # rounds share the name; objects of libraries get theirs only at the end
            inside = bool(called) and not name and text in ("", called)
            name = name or shorten(one_line(text or called), CODE)
            line = 0 if call.kind == "implicit" else trace.line(call.span)
            yield ReportedLoss(name, trace.value_at(row), line, number + 1, inside)


def _kinds(
    trace: Trace, diagnoses: Sequence[Finding], explanations: Mapping[tuple[int, int], Explanation]
) -> Iterator[tuple[str, int, int]]:
    """Yield kind, cell and line of findings and explained errors."""
    yield from ((one.kind, one.place.cell, one.place.line) for one in diagnoses)
    for number, place, failure in trace.shown(Failure):
        if (number, place) in explanations and failure.span >= 0:
            cell = trace.spans[failure.span].cell
            yield explanations[number, place].kind, cell, trace.line(failure.span)


def _warnings(trace: Trace, said: Set[tuple[str, int, int]], lang: str) -> Iterator[ReportedWarning]:
    """Yield a run's warnings, without an explanation if a finding or explained error says the same."""
    for number, cell in enumerate(trace.cells):
        for output in cell.outputs:
            if isinstance(output, Printed) and output.stream == "warning":
                at = trace.spans[output.span].cell if output.span >= 0 else number
                line = trace.line(output.span)
                here = {kind for kind, *place in said if place == [at, line]}
                for one in warned(output.text):
                    covered = not here.isdisjoint(one.findings)
                    parts = [
                        finding_text(lang, one, part) if one.kind and not covered else ""
                        for part in ("cause", "repair", "title")
                    ]
                    yield ReportedWarning(one.words.strip(), at, line, parts[0], parts[1], parts[2], covered)


def _stops(trace: Trace, explanations: Mapping[tuple[int, int], Explanation], lang: str) -> Iterator[ReportedStop]:
    for number, place, failure in trace.shown(Failure):
        explanation, operation = explanations.get((number, place)), stopped_operation(trace, number)
        raised = operation >= 0 and trace.operations.error[operation] >= 0  # the failed operation, not a root's creator
        span = trace.operations.span[operation] if raised else failure.span
        code = shorten(one_line(trace.text(span)), CODE) if span >= 0 else ""
        said = (finding_text(lang, explanation, part) if explanation else "" for part in ("cause", "repair"))
        yield ReportedStop(failure.type, failure.text, trace.line(failure.span), code, *said)
