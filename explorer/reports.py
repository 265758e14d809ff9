"""What a run says went wrong, in sentences: errors, refusals, limits, lines passed over, and what is no program."""

from contextlib import suppress
from typing import Literal

from explorer.diagnose import Finding
from explorer.explain import Explanation
from explorer.explain.warned import Warned
from explorer.program import Unusable
from explorer.text import say
from explorer.trace import Limit, Refusal, Skipped


def unusable_text(lang: str, problem: Unusable) -> str:
    """The sentence for a file of which nothing was run."""
    return say(lang, f"unusable-{problem.kind}", **problem.values)


def limit_text(lang: str, limit: Limit) -> str:
    """The sentence for a limit of the run that struck."""
    return say(lang, f"limit-{limit.limit}", bound=f"{limit.bound:g}", detail=limit.detail, count=limit.count)


def error_text(lang: str, told: Explanation, part: Literal["title", "cause", "repair"]) -> str:
    """One of the sentences that explain an error."""
    return say(lang, f"error-{told.kind}" + ("" if part == "title" else f".{part}"), **told.values)


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
