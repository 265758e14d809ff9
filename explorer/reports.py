"""What a run says went wrong, in sentences: errors, refusals, limits, lines passed over, and what is no program."""

from contextlib import suppress
from typing import Literal

from explorer.checking import Check
from explorer.diagnose import Finding
from explorer.explain import Explanation
from explorer.explain.warned import Warned
from explorer.program import Unusable
from explorer.text import KNOWN, line_word, say
from explorer.text.numbers import number
from explorer.trace import Limit, LineNumber, Refusal, Skipped, Trace


def place_text(trace: Trace, cell: int, line: int, lang: str) -> str:
    """Where a line stands, in words: with its file where that has a name, or its cell where there are several."""
    if file := trace.cells[cell].name:
        return line_word(LineNumber(line, file))
    return say(lang, "place", cell=cell + 1, line=line) if len(trace.own_cells) > 1 else say(lang, "line", line=line)


def unusable_text(lang: str, problem: Unusable) -> str:
    """The sentence for a file of which nothing was run."""
    return say(lang, f"unusable-{problem.kind}", **problem.values)


def limit_text(lang: str, limit: Limit) -> str:
    """The sentence for a limit of the run that struck."""
    return say(lang, f"limit-{limit.limit}", bound=f"{limit.bound:g}", detail=limit.detail, count=limit.count)


def error_text(lang: str, told: Explanation, part: Literal["title", "cause", "repair"]) -> str:
    """One of the sentences that explain an error."""
    return say(lang, f"error-{told.kind}" + ("" if part == "title" else f".{part}"), **told.values)


def proof_text(lang: str, told: Explanation) -> str:
    """What the program did with the change of an explanation: that it runs, and what it then shows."""
    if told.further:
        return say(lang, "repair-goes-on", line=told.further)
    return say(lang, "repair-shows", fact=told.proof) if told.proof else say(lang, "repair-runs")


def diagnosis_text(lang: str, one: Finding, part: Literal["title", "cause", "repair"]) -> str:
    """One of the sentences that tell a fault although nothing failed."""
    kind = one.kind.replace("_", "-")
    return say(lang, f"diagnosis-{kind}" + ("" if part == "title" else f".{part}"), **one.values)


def warning_text(lang: str, one: Warned, part: Literal["title", "cause", "repair"]) -> str:
    """One of the sentences that explain a warning whose kind is known."""
    return say(lang, f"warning-{one.kind}" + ("" if part == "title" else f".{part}"), **one.values)


def refusal_text(lang: str, refusal: Refusal) -> str:
    """The sentence for something that the policy did not allow: what, why, and what to use instead."""
    with suppress(KeyError):  # a reason comes from the child, and nobody vouches for it
        if refusal.reason.isalpha():
            return say(lang, f"refused-{refusal.reason}", what=refusal.what)
    return say(lang, "refusal", what=refusal.what)


def skipped_text(lang: str, skipped: Skipped) -> str:
    """The sentence for a line that was not run as it stands."""
    with suppress(KeyError):  # as above
        if skipped.reason.isalpha():
            return say(lang, f"skipped-{skipped.reason}", what=skipped.what, detail=skipped.detail)
    return say(lang, "skipped", what=skipped.what)


def check_messages(one: Check) -> list[tuple[str, dict[str, str | int]]]:
    """The messages that tell what quotients say of a gradient, and why it is another number."""
    if one.verdict == "unchecked":
        return [("check-unchecked", {"why": one.why or "path"})]
    at = one.telling
    if at is None or one.verdict == "nonfinite":
        return [("check-nonfinite", {})]
    left, right, slope = number(at.left), number(at.right), number(at.slope)
    values: dict[str, str | int] = {"gradient": number(at.gradient or 0.0), "left": left, "right": right}
    values |= {"slope": slope, "entries": sum(each.verdict == one.verdict for each in one.entries)}
    bent = one.verdict == "differs" and left != right
    told = [(f"check-{one.verdict}" + ("-kink" if bent else ""), values)]
    if one.reason is not None:
        told.append((f"check-reason-{one.reason.kind.replace('_', '-')}", {"code": one.reason.code}))
    return told


def check_text(lang: str, one: Check) -> str:
    """The same as plain text."""
    return KNOWN[lang].gap.join(say(lang, message, **values) for message, values in check_messages(one))
