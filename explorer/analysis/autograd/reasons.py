"""Why a tensor has no gradient, in words."""

from explorer.analysis.autograd.gradients import all_losses, tensor_losses
from explorer.analysis.autograd.lost_gradients import Loss
from explorer.analysis.autograd.titles import one_line
from explorer.analysis.autograd.view import Cut
from explorer.text import say
from explorer.text.numbers import shorten
from explorer.trace import Trace

CODE = 40  # cells of the text of an operation


def cut_of(trace: Trace, tensor: int, backward: int | None) -> Cut | None:
    """Where a tensor lost its gradient, None if unknown."""
    loss = tensor_losses(trace, backward).get(tensor)
    return None if loss is None else _placed(trace, loss)


def constant_of(trace: Trace, tensor: int, backward: int | None) -> Cut | None:
    """Where entries of a tensor lead to the root on a path that its gradient ignores; None for nowhere.

    An operation without a derivative, such as argmax, does not count.
    """
    loss = all_losses(trace, backward)[1].get(tensor)
    if loss is None or loss.by == "derivative":
        return None
    return _placed(trace, loss)


def _placed(trace: Trace, loss: Loss) -> Cut:
    span = trace.operations.span[loss.operation] if loss.operation >= 0 else -1
    return Cut(
        loss.by, loss.sure, shorten(one_line(trace.text(span)), CODE) if span >= 0 else "", trace.line(span), span
    )


def reason_text(reason: str, cut: Cut | None, lang: str) -> str:
    """Why there is no gradient, in a few words."""
    return say(lang, f"reason-{which(reason, cut)}", **_known(cut))


def which(reason: str, cut: Cut | None) -> str:
    """The last part of the ids of the messages that say why."""
    if cut is None or reason not in ("no_grad", "cut", "left") or (not cut.line and cut.by != "backward"):
        return reason.replace("_", "-")
    if reason == "left":
        return "gradient-taken" if cut.by == "gradient" else "left-at"
    by = "detach" if cut.by == "other" else cut.by.replace("_", "-")
    return f"{by}-at" if cut.line else "passed-none"


def _known(cut: Cut | None) -> dict[str, str | int]:
    return {} if cut is None else {"line": cut.line, "code": cut.code}
