"""Sentences about what went wrong in a run: errors, refusals, limits, skipped lines, and files that are no program."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Protocol

from explorer.analysis.autograd.entry_texts import place_text as entry_place
from explorer.analysis.errors.failure_context import Explanation
from explorer.analysis.findings import Finding
from explorer.analysis.gradcheck.verdicts import Check
from explorer.analysis.source.code import code_at
from explorer.program import Folder, Unusable
from explorer.text import Message, Part, Value, joined, line_word, say
from explorer.text.numbers import number
from explorer.trace import Limit, LineNumber, Refusal, Skipped, Trace

PLACES = 4  # entries that agree and are named


class Told(Protocol):
    """A finding, the explanation of an error or a warning: it has a title, a cause and a repair."""

    def messages(self, part: Part) -> Sequence[Message]:
        """The messages of one of these parts, in their order."""


def told_text(lang: str, finding: Told, part: Part) -> str:
    """Its title, its cause or its repair in words."""
    return joined(lang, (message.text(lang) for message in finding.messages(part)))


def finding_lines(trace: Trace, finding: Finding, lang: str) -> list[str]:
    """A finding, printed the way errors are: its place and title, its cause and its repair."""
    title, *rest = (told_text(lang, finding, part) for part in ("title", "cause", "repair"))
    where = place_text(trace, finding.place.cell, finding.place.line, lang)
    return [f"{where}: {say(lang, f'diagnosis-{finding.level}')}: {title}", *(f"  {text}" for text in rest)]


def finding_plain(finding: Finding, lang: str) -> dict[str, Any]:
    """A finding as plain data."""
    place = finding.place
    return {
        "kind": finding.kind,
        "level": finding.level,
        "cell": place.cell,
        "step": finding.step,
        "span": [place.line, place.column, place.end_line, place.end_column],
        "title": told_text(lang, finding, "title"),
        "text": told_text(lang, finding, "cause"),
        "repair": told_text(lang, finding, "repair"),
        "evidence": dict(finding.values),
    }


def place_text(trace: Trace, cell: int, line: int, lang: str) -> str:
    """A place in words: the line, with its file if that has a name, or its cell if there are several."""
    if file := trace.cells[cell].name:
        return line_word(lang, LineNumber(line, file))
    many = len(trace.own_cells) > 1
    return say(lang, "place", cell=cell + 1, line=int(line)) if many else say(lang, "line", line=int(line))


def unusable_text(lang: str, problem: Unusable) -> str:
    """The sentence for a file that could not be run."""
    return say(lang, f"unusable-{problem.kind}", **problem.values)


def limit_text(lang: str, limit: Limit, trace: Trace | None = None) -> str:
    """The sentence for a limit that the run reached. Args: trace: whose text says the loop that was running."""
    loop = 0 if trace is None else _unended_loop(trace, limit.span)
    values: dict[str, Value] = {"bound": f"{limit.bound:g}", "detail": limit.detail, "count": limit.count}
    return say(lang, f"limit-{limit.limit}", **values, loop=loop or "none")


def _unended_loop(trace: Trace, span: int) -> int:
    """The line of the innermost loop around a place that did not end in an earlier round of those around it, or 0."""
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
    return next((trace.line_of(span, loop) for loop in place.loops if loop not in ended), 0)


def proof_text(lang: str, finding: Finding) -> str:
    """What running its repair showed, "" without one; of a program that had stopped also that it runs now."""
    if not finding.offered or not isinstance(finding, Explanation):
        return finding.proof or ""
    if finding.further:
        return say(lang, "repair-goes-on", line=finding.further)
    return say(lang, "repair-shows", fact=finding.proof) if finding.proof else say(lang, "repair-runs")


def refusal_text(lang: str, refusal: Refusal) -> str:
    """The sentence for something that the system refused: what, why, and what to use instead."""
    with suppress(KeyError):  # an untrusted child names the reason
        if refusal.reason.isalpha():
            return say(lang, f"refused-{refusal.reason}", what=refusal.what)
    return say(lang, "refusal", what=refusal.what)


def reach_text(lang: str, folder: Folder) -> str:
    """What of this machine a program may reach, in words."""
    files = "write" if folder.write else "read" if folder.path else "nothing"
    net = "network" if folder.network else "alone"
    said = say(lang, f"reach-{files}", folder=folder.path)
    return say(lang, "reach-said", files=said, network=say(lang, f"reach-{net}"))


def skipped_text(lang: str, skipped: Skipped) -> str:
    """The sentence for a line that was not run as written."""
    with suppress(KeyError):  # as above
        if skipped.reason.isalpha():
            return say(lang, f"skipped-{skipped.reason}", what=skipped.what, detail=skipped.detail)
    return say(lang, "skipped", what=skipped.what)


def check_messages(check: Check) -> list[Message]:
    """The messages about a numeric gradient check, and why a gradient differs."""
    if check.verdict == "unchecked":
        return [Message("check-unchecked", {"why": check.why or "path"})]
    at = check.telling
    if at is None or check.verdict == "nonfinite":
        return [Message("check-nonfinite")]
    left, right, slope = number(at.left), number(at.right), number(at.slope)
    values: dict[str, Value] = {"gradient": number(at.gradient or 0.0), "left": left, "right": right}
    told = [entry_place(check.shape, each.entry) for each in check.entries if each.verdict == check.verdict]
    values |= {"slope": slope, "entries": len(told), "at": told[0] or "none"}
    values["places"] = ", ".join([*told[:PLACES], *["…"] * (len(told) > PLACES)])
    bent = check.verdict == "differs" and left != right
    kind = "none" if check.verdict == "agrees" and at.gradient is None else check.verdict
    messages = [Message(f"check-{kind}" + ("-kink" if bent else ""), values)]
    if check.verdict == "agrees" and (silent := [each.why for each in check.entries if each.verdict == "unchecked"]):
        messages.append(Message("check-rest", {"count": len(silent), "all": len(check.entries)}))
        messages.append(Message("check-unchecked", {"why": silent[0] or "path"}))
    if check.reason is not None:
        messages.append(Message(f"check-reason-{check.reason.kind.replace('_', '-')}", {"code": check.reason.code}))
    return messages


def check_text(lang: str, check: Check) -> str:
    """The messages of `check_messages` as plain text."""
    return joined(lang, (message.text(lang) for message in check_messages(check)))
