"""Why a tensor has no gradient, in words: the one answer of cards, tables, reports, sentences and derivations."""

from explorer.analysis.autograd.gradient_cuts import GradientCut
from explorer.analysis.autograd.gradients import all_cuts, tensor_cuts
from explorer.analysis.autograd.view import Cut
from explorer.analysis.titles import one_line
from explorer.text import Message, Value, say
from explorer.text.numbers import shorten
from explorer.trace import Trace

CODE = 40  # cells of the text of an operation


def cut_of(trace: Trace, tensor: int, backward: int | None) -> Cut | None:
    """Where a tensor lost its gradient, None if unknown."""
    cut = tensor_cuts(trace, backward).get(tensor)
    return None if cut is None else placed(trace, cut)


def constant_of(trace: Trace, tensor: int, backward: int | None) -> Cut | None:
    """Where entries of a tensor lead to the root on a path that its gradient ignores; None for nowhere.

    An operation without a derivative, such as argmax, does not count.
    """
    cut = all_cuts(trace, backward)[1].get(tensor)
    return None if cut is None or cut.by == "derivative" else placed(trace, cut)


def placed(trace: Trace, cut: GradientCut) -> Cut:
    """A cut with its place in the program."""
    span = trace.operations.span[cut.operation] if cut.operation >= 0 else -1
    code = shorten(one_line(trace.text(span)), CODE) if span >= 0 else ""
    return Cut(cut.by, cut.sure, code, trace.line(span), span)


def reason_text(reason: str, cut: Cut | None, lang: str) -> str:
    """Why there is no gradient, in a few words, for a card or a table."""
    return say(lang, "reason", kind=reason, why=reason_message(reason, cut))


def reason_message(reason: str, cut: Cut | None, root: str = "") -> Message:
    """Why there is no gradient: where it was cut off, with the word for the root, if any."""
    values: dict[str, Value] = {"root": root, "to": "root" if root else "output"}
    if cut is not None:
        values |= {"line": cut.line, "code": cut.code}
    if cut is None or reason not in ("no_grad", "cut", "left") or (not cut.line and cut.by != "backward"):
        return Message(f"reason-{reason.replace('_', '-')}", values)
    if reason == "left":
        return Message("reason-gradient-taken" if cut.by == "gradient" else "reason-left-at", values)
    by = "detach" if cut.by == "other" else cut.by.replace("_", "-")
    return Message(f"reason-{by}-at" if cut.line else "reason-passed-none", values)
