"""Sentences about errors, refusals, limits, skipped lines and unusable files."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from explorer.analysis.diagnose.errors.failure_context import Explanation
from explorer.analysis.diagnose.findings import Finding
from explorer.analysis.diagnose.gradcheck.subjects import leaf_name
from explorer.analysis.diagnose.gradcheck.verdicts import SLIPS, Check, Reason
from explorer.analysis.run.source.code import code_at
from explorer.analysis.run.source.expressions import parse_call
from explorer.program import Folder, Unusable
from explorer.text import Message, Part, Value, joined, line_word, say, separated
from explorer.text.numbers import number
from explorer.trace import PADDING, TARGET, Limit, LineNumber, Refusal, Skipped, Trace

_UNMOVED = (PADDING, TARGET)


class Reportable(Protocol):
    """A finding, or an explained error or warning, with title, cause and fix."""

    def messages(self, part: Part) -> Sequence[Message]:
        """Return the messages of one of these parts, in order."""


def finding_text(lang: str, finding: Reportable, part: Part) -> str:
    """Return its title, cause or fix in words."""
    return joined(lang, (message.text(lang) for message in finding.messages(part)))


def finding_lines(trace: Trace, finding: Finding, lang: str, entries: str = "") -> list[str]:
    """Format a finding: level, place and what is wrong; the number that proves it; the change.

    Args:
        entries: text about the affected entries, which follows the title.
    """
    head, cause = headline(trace, finding, lang, entries), finding_text(lang, finding, "cause")
    if finding.offered is None:
        advice = finding.messages("repair")[-1].text(lang)  # without how to silence a note, which a report says once
        return [head, f"  {cause}", f"  {say(lang, 'finding-advice', text=advice)}"]
    changed = [f"    {change.sign} {change.number:>3}  {change.text}" for change in finding.changes(trace)]
    return [head, f"  {cause}", f"  {say(lang, 'finding-fix', proof=proof_text(lang, finding) or 'none')}", *changed]


def headline(trace: Trace, finding: Finding, lang: str, entries: str = "") -> str:
    """Return a finding's level, place, title and kind: its first line."""
    where = place_text(trace, finding.place.cell, finding.place.line, lang)
    title, level = finding_text(lang, finding, "title"), say(lang, f"diagnosis-{finding.level}")
    return say(lang, "finding-head", level=level, place=where, title=title + entries, kind=finding.kind)


def finding_plain(finding: Finding, lang: str) -> dict[str, Any]:
    """Return a finding as plain data."""
    place = finding.place
    return {
        "kind": finding.kind,
        "level": finding.level,
        "cell": place.cell,
        "step": finding.step,
        "span": [place.line, place.column, place.end_line, place.end_column],
        "title": finding_text(lang, finding, "title"),
        "text": finding_text(lang, finding, "cause"),
        "repair": finding_text(lang, finding, "repair"),
        "evidence": dict(finding.values),
    }


def place_text(trace: Trace, cell: int, line: int, lang: str) -> str:
    """Describe a place: the line, with its file or cell if there are several."""
    if file := trace.cells[cell].name:
        return line_word(lang, LineNumber(line, file))
    many = len(trace.own_cells) > 1
    return say(lang, "place", cell=cell + 1, line=int(line)) if many else say(lang, "line", line=int(line))


def unusable_text(lang: str, problem: Unusable) -> str:
    """Return the sentence for a file that could not be run."""
    return say(lang, f"unusable-{problem.kind}", **problem.values)


def limit_text(lang: str, limit: Limit, trace: Trace | None = None) -> str:
    """Return the sentence for a reached limit. Args: trace: names the running loop."""
    loop = 0 if trace is None else _unended_loop(trace, limit.span)
    values: dict[str, Value] = {"bound": f"{limit.bound:g}", "detail": limit.detail, "count": limit.count}
    return say(lang, f"limit-{limit.limit}", **values, loop=loop or "none")


def _unended_loop(trace: Trace, span: int) -> int:
    """Return the line of the innermost unfinished loop around a place, or 0."""
    place = code_at(trace, span)
    if place is None or not place.is_readable:
        return 0
    ended, last = set[int](), dict[int, int]()
    for operation, row in enumerate(trace.operations.span):
        iteration = trace.operations.iteration[operation]
        inside = code_at(trace, row) if iteration else None
        if inside is not None and inside.span.cell == place.span.cell and inside.loops:
            loop = inside.loops[0]
            if iteration[-1] < last.get(loop, 0):
                ended.add(loop)
            last[loop] = iteration[-1]
    return next((trace.line_of(place.span.cell, loop) for loop in place.loops if loop not in ended), 0)


def proof_text(lang: str, finding: Finding) -> str:
    """Return the effect of running its fix, or "" if it was not run."""
    if not finding.offered or not isinstance(finding, Explanation):
        return finding.proof or ""
    if finding.further:
        return say(lang, "repair-goes-on", line=finding.further)
    return say(lang, "repair-runs", fact=finding.proof or "none")


def refusal_text(lang: str, refusal: Refusal) -> str:
    """Describe a refused action: what, why, and the alternative."""
    with suppress(KeyError):  # the reason's name comes from an untrusted child
        if refusal.reason.isalpha():
            return say(lang, f"refused.{refusal.reason}", what=refusal.what)
    return say(lang, "refusal", what=refusal.what)


def reach_text(lang: str, folder: Folder) -> str:
    """Describe what a program can access on this machine."""
    files = "write" if folder.write else "read" if folder.path else "nothing"
    return say(lang, "reach", files=files, folder=folder.path, network="yes" if folder.network else "no")


def skipped_text(lang: str, skipped: Skipped) -> str:
    """Return the sentence for a line that was not run as written."""
    with suppress(KeyError):  # the reason's name comes from an untrusted child
        if skipped.reason.isalpha():
            return say(lang, f"skipped.{skipped.reason}", what=skipped.what, detail=skipped.detail)
    return say(lang, "skipped", what=skipped.what)


def check_messages(check: Check) -> list[Message]:
    """Return the messages of a numeric gradient check, with the reason for a difference."""
    if check.verdict == "unchecked":
        return [Message("check-unchecked", {"why": check.why or "path"})]
    if check.verdict == "nonfinite":
        return [Message("check-nonfinite")]
    if check.reason is not None and check.reason.kind in _UNMOVED:
        return [Message(f"checked-{check.reason.kind}", {"names": check.reason.code}), _why_differs(check.reason)]
    left, right, slope = number(check.left), number(check.right), number(check.slope)
    values: dict[str, Value] = {"gradient": number(check.gradient or 0.0), "left": left, "right": right, "slope": slope}
    bent = check.verdict == "differs" and left != right
    kind = "none" if check.verdict == "agrees" and check.gradient is None else check.verdict
    values["side"] = "kink" if bent else "along" if check.is_along else "other"
    messages = [Message(f"check-{kind}", values)]
    return messages if check.reason is None else [*messages, _why_differs(check.reason)]


def _why_differs(reason: Reason) -> Message:
    kind = reason.by if reason.by in SLIPS else reason.kind.replace("_", "-")
    asked = parse_call(reason.code) if reason.by == "grad" else None
    if asked is not None and asked.name == "grad":
        kept = [one for one in asked.arguments if not one.startswith("create_graph")]
        repair = asked.with_arguments(*kept, "create_graph=True")
        return Message("check-reason.derivative", {"code": reason.code, "repair": repair})
    return Message(f"check-reason.{kind}", {"code": reason.code})


@dataclass(frozen=True)
class DifferentLeaves:
    """Leaves whose gradients differ from the slope for the same reason.

    Attributes:
        place: line of the reason, "" if unknown.
        names: names of the leaves.
        kind: end of the message id: meant (the program excludes this path explicitly), differs, depends (they get no
            gradient), padding or target.
        is_intended: whether the program asks for another gradient than the slope.
        is_explained: whether the reason is known.
        text: sentences.
    """

    place: str
    names: tuple[str, ...]
    kind: str
    is_intended: bool
    is_explained: bool
    text: str


def different_leaves(trace: Trace, checks: Sequence[Check], lang: str) -> list[DifferentLeaves]:
    """Group the leaves whose gradients differ from the slope by place and reason."""
    off: dict[tuple[str, str, str, bool], list[str]] = {}
    for check in checks:
        unmoved = check.reason if check.reason is not None and check.reason.kind in _UNMOVED else None
        if check.verdict == "differs" or (check.verdict == "depends" and (check.is_slip or unmoved)):
            why = _why_differs(check.reason).text(lang) if check.reason else ""
            at = _place_of(trace, check.reason, lang)
            lost = "depends" if check.verdict == "depends" else "differs"
            kind: str = unmoved.kind if unmoved else "meant" if check.is_meant else lost
            name = unmoved.code if unmoved else leaf_name(trace, check.leaf)
            off.setdefault((at, why, kind, check.is_intended), []).append(name)
    found = []
    for (at, why, kind, is_intended), names in off.items():
        unique = tuple(dict.fromkeys(names))
        what = say(lang, f"checked-{kind}", names=separated(lang, unique))
        sentences = joined(lang, [what, why] if why else [what])
        text = say(lang, "labelled", name=at, text=sentences) if at else sentences
        found.append(DifferentLeaves(at, unique, kind, is_intended, bool(why), text))
    return found


UNEXPLAINED = ("differs", "depends", "target", "padding")  # differences that are rarely intended, worst first


@dataclass(frozen=True)
class Checked:
    """Result of a numeric gradient check.

    Attributes:
        kind: "" if it was not asked for, unchecked, agrees, meant or intended (differs only where the program asks for
            it), or the worst of UNEXPLAINED.
        lines: what it says about all leaves.
        leaves: those whose gradient differs.
        left_out: why others were not checked: "work", "time" or "".
    """

    kind: str = ""
    lines: tuple[str, ...] = ()
    leaves: tuple[DifferentLeaves, ...] = ()
    left_out: str = ""

    @property
    def differs(self) -> bool:
        """Whether a gradient differs although the program does not intend it."""
        return self.kind in UNEXPLAINED


def checked(trace: Trace, checks: Sequence[Check], lang: str) -> Checked:
    """Summarize the gradient check of a report."""
    leaves, lines = different_leaves(trace, checks, lang), checked_lines(trace, checks, lang, is_full=True)
    kinds = {"intended" if each.is_intended and each.kind != "meant" else each.kind for each in leaves}
    found = (kind for kind in (*UNEXPLAINED, "intended", "meant") if kind in kinds)
    rest = "agrees" if _verified(trace, checks) else "unchecked" if checks else ""
    return Checked(next(found, rest), tuple(lines), tuple(leaves), left_out(checks))


def checked_lines(trace: Trace, checks: Sequence[Check], lang: str, is_full: bool = False) -> list[str]:
    """Summarize a gradient check, [] for nothing. Args: is_full: mention also differences of unknown cause."""
    off = different_leaves(trace, checks, lang)
    if off:
        return [each.text for each in off if each.is_explained or is_full]
    verified = _verified(trace, checks)
    return [say(lang, "checked-verified", calls=len(verified), of=len(trace.backwards))] if verified else []


def left_out(checks: Sequence[Check]) -> str:
    """Return why gradients were not checked although they could be: "work", "time" or ""."""
    reasons = {check.why for check in checks if check.verdict == "unchecked"}
    return next((why for why in ("time", "work") if why in reasons), "")


def _place_of(trace: Trace, reason: Reason | None, lang: str) -> str:
    place = trace.operations.span[reason.operation] if reason and reason.operation >= 0 else -1
    return place_text(trace, trace.spans[place].cell, trace.spans[place].line, lang) if place >= 0 else ""


def unverified_leaves(trace: Trace, checks: Sequence[Check]) -> list[str]:
    """Return names of leaves with an unverified gradient."""
    unsure = (check for check in _reached(trace, checks) if check.verdict != "agrees")
    return list(dict.fromkeys(leaf_name(trace, check.leaf) for check in unsure))


def _reached(trace: Trace, checks: Sequence[Check]) -> list[Check]:
    """Return the checks of leaves that their backward reached. The others have no gradient."""
    reached = {
        call: {trace.nodes.variable[node] for node in trace.backwards[call].order}
        for call in {check.backward for check in checks}
    }
    return [check for check in checks if check.leaf in reached[check.backward]]


def _verified(trace: Trace, checks: Sequence[Check]) -> set[int]:
    """Return the backwards whose gradients are all slopes."""
    asked = _reached(trace, checks)
    unsure = {check.backward for check in asked if check.verdict != "agrees"}
    return {check.backward for check in asked} - unsure


def check_text(lang: str, check: Check) -> str:
    """Return the messages of `check_messages` as plain text."""
    return joined(lang, (message.text(lang) for message in check_messages(check)))
