"""Losses: derivatives, and the scores and labels that a class loss reads."""

import numpy as np

from explorer.analysis.run.operations import alike
from explorer.analysis.run.operations.call import NoEntryMap, OperationCall, Reading
from explorer.analysis.run.operations.record import ANY, Derivative, Operation


def _of_classes(call: OperationCall, operation: Operation) -> list[Reading]:
    """Read each row of scores and its label."""
    x, target = call.operands[0], call.operands[1]
    if call.plain(-1, "label_smoothing", default=0.0) or target.dtype.startswith("float") or len(call.operands) != 2:
        raise NoEntryMap("targets")
    if len(x.shape) != 2 or call.plain(-1, "ignore_index", default=-100) >= 0:
        raise NoEntryMap("shape")
    rows, classes = x.shape
    reduction = call.plain(-1, "reduction", default="mean")
    if reduction not in ("mean", "sum", "none"):
        raise NoEntryMap("reduction")
    each = reduction == "none"
    reads = np.arange(x.size).reshape(rows if each else 1, -1)
    own = np.full_like(reads, -1)
    own[:, : 1 if each else rows] = np.arange(rows).reshape(rows if each else 1, -1)
    constants = (("classes", float(classes)), ("mean", float(reduction == "mean")))
    return [Reading((reads, own), call.name, (0, 1), constants)]


def _difference_loss(name: str, by: str) -> Operation:
    """Define a loss of {0} − {1}, with the opposite derivative by its target."""
    derivative = {"self": by.format("self", "target"), "target": by.format("target", "self")}
    return Operation(name, derivative=derivative, compares=True)


_NLL = Derivative(words="nll", zero="(reduction == 1) & (total_weight == 0)")
_POSITIVE = Derivative("weight * ((pos_weight * target + 1 - target) * sigmoid(self) - pos_weight * target) / n")
_LOGITS = Derivative("weight * (sigmoid(self) - target) / n", cases=(("pos_weight", ANY, _POSITIVE),))
_MARGINS = """cosine_embedding hinge_embedding margin_ranking multi_margin multilabel_margin multilabel_soft_margin
    soft_margin triplet_margin triplet_margin_with_distance"""
OPERATIONS = (
    Operation(
        "cross_entropy",
        applies="softmax",
        entries=_of_classes,
        alike=alike.cross_entropy,
        subject="losses",
        back="cross-entropy",
    ),
    Operation("nll_loss", derivative={"self": _NLL}),
    Operation("nll_loss2d", derivative={"self": _NLL}),
    Operation("l1_loss", compares=True),
    _difference_loss("mse_loss", "2 * ({0} - {1}) / n"),
    _difference_loss("smooth_l1_loss", "where(abs(self - target) < beta, ({0} - {1}) / beta, sign({0} - {1})) / n"),
    _difference_loss("huber_loss", "where(abs(self - target) < delta, {0} - {1}, delta * sign({0} - {1})) / n"),
    Operation("binary_cross_entropy", derivative={"self": "weight * (self - target) / (self * (1 - self)) / n"}),
    Operation("binary_cross_entropy_with_logits", derivative={"self": _LOGITS}, applies="sigmoid"),
    *(Operation(name) for name in "kl_div gaussian_nll_loss poisson_nll_loss ctc_loss".split()),
    *(Operation(f"{name}_loss") for name in _MARGINS.split()),
)
