"""Well-known gradient formulas with numbers: cross entropy, and layer, batch and group norm.

Shown only if the formula with the program's numbers gives what torch passed on.
"""

import math

import numpy as np

from explorer.analysis.autograd.edge_gradients import EdgeGradients
from explorer.analysis.operations import stem_of
from explorer.analysis.operations.norms import norm_lines
from explorer.analysis.why.derivation_steps import DerivationStep, PassedOn
from explorer.text import Message, Value
from explorer.text.equations import written_equation
from explorer.text.numbers import number
from explorer.trace import Number, Trace, index_at

_CLOSE = 2e-3


def closed_form(trace: Trace, passing: EdgeGradients, subject: PassedOn, step: DerivationStep) -> Message | None:
    """The message, its id without `why-note-`; None if no formula is known, or it does not hold."""
    stem = stem_of(trace.strings[trace.nodes.name[subject.node]])
    try:
        if stem == "LogSoftmax":
            return _entropy(trace, passing, subject, step)
        if stem in ("NativeLayerNorm", "NativeBatchNorm", "NativeGroupNorm") and subject.edge == 0:
            return _norm(passing, subject, stem, step)
    except (KeyError, ValueError, IndexError, TypeError, ArithmeticError):  # what it names is not at hand
        return None
    return None


def _entropy(trace: Trace, passing: EdgeGradients, subject: PassedOn, step: DerivationStep) -> Message | None:
    """Cross entropy with respect to a score: (softmax − 1 at the label) times the weight of the row."""
    nodes, readers = trace.nodes, passing.into.get((subject.node, 0), ())
    if len(readers) != 1 or len(step.terms) != 1 or not step.terms[0].factors:
        return None
    loss = readers[0][0]
    if stem_of(trace.strings[nodes.name[loss]]) != "NllLoss" or nodes.operation[loss] != nodes.operation[subject.node]:
        return None
    logs, given = passing.known(subject.node)[1][2]["result"], passing.known(loss)[1][2]
    labels, weight, reduction = np.atleast_1d(given["target"]).astype(int), given.get("weight"), int(given["reduction"])
    rows = logs.reshape(len(labels), -1)
    row, column = divmod(subject.place, rows.shape[1])
    label, factor = int(labels[row]), step.terms[0].factors[1]
    if label == int(given["ignore_index"]) or isinstance(factor, complex):
        return None
    share, total = math.exp(rows[row, column]), float(given["total_weight"]) if reduction == 1 else 1.0
    own = 1.0 if weight is None else float(weight[label])
    if not _agrees((share - (column == label)) * own / total, factor):
        return None

    def computed(found: list[Number]) -> Number:
        return (found[0] - (column == label)) * own / total

    found = written_equation(computed, [share], factor)
    where = f"softmax({step.mention.word})"
    said = [
        _scaled(f"{written} − 1" if column == label else written, weight is not None, own, total, i > 0)
        for i, written in enumerate((where + step.index, found.operands[0]))
    ]
    values: dict[str, Value] = {"factor": found.result, "expression": said[0], "numbers": found.about + said[1]}
    values |= {"label": label, "row": row, "rows": len(labels)}
    return Message("entropy-label" if column == label else "entropy-other", values)


def _scaled(said: str, weighted: bool, own: float, total: float, in_numbers: bool) -> str:
    """(p − 1) · weight / n."""
    inner = f"({said})" if " − " in said and (weighted or total != 1) else said
    if weighted:
        inner += f" · {number(own)}" if in_numbers else " · weight"
    return f"{inner} / {number(total)}" if total != 1 else inner


def _norm(passing: EdgeGradients, subject: PassedOn, stem: str, step: DerivationStep) -> Message | None:
    """(g − mean(g) − x̂ · mean(g · x̂)) / σ with its numbers."""
    arrays, amount = passing.known(subject.node)[1][2], step.amount
    if amount is None or isinstance(amount, complex):
        return None
    weighted = arrays.get("weight") is not None
    if stem == "NativeBatchNorm" and not bool(arrays["training"]):
        return _eval(arrays, subject, step, weighted)
    lines = norm_lines(stem, arrays)
    g, normal = lines.weighted(arrays["G"], arrays.get("weight")), lines.normal
    means = np.mean(g, lines.axes, keepdims=True), np.mean(g * normal, lines.axes, keepdims=True)
    terms = (g, *means, normal, 1 / lines.rstd)
    parts = [float(np.broadcast_to(term, g.shape).reshape(-1)[subject.place]) for term in terms]
    if not _agrees((parts[0] - parts[1] - parts[3] * parts[2]) / parts[4], amount):
        return None
    found = written_equation(lambda p: (p[0] - p[1] - p[3] * p[2]) / p[4], parts, amount)
    said = found.operands
    bracketed = [f"({word})" if word.startswith("−") else word for word in said]
    numbers = f"{found.about}({said[0]} − {bracketed[1]} − {bracketed[3]} · {bracketed[2]}) / {said[4]}"
    return Message("norm", {"numbers": numbers, "weighted": "yes" if weighted else "no"})


def _eval(arrays: dict[str, np.ndarray], subject: PassedOn, step: DerivationStep, weighted: bool) -> Message | None:
    shape = step.shape
    channel = index_at(subject.place, shape)[1]
    variance, eps = float(arrays["running_var"][channel]), float(arrays["eps"])
    own = float(arrays["weight"][channel]) if weighted else 1.0
    if len(step.terms) != 1 or len(step.terms[0].factors) != 2:
        return None
    factor = step.terms[0].factors[1]
    if isinstance(factor, complex) or not _agrees(own / math.sqrt(variance + eps), factor):
        return None
    found = written_equation(lambda p: p[0] / math.sqrt(p[1].real + eps), [own, variance], factor)
    numbers = f"{found.about}{found.operands[0]} / √({found.operands[1]} + {number(eps)})"
    values: dict[str, Value] = {"factor": found.result, "numbers": numbers, "weighted": "yes" if weighted else "no"}
    return Message("norm-eval", values)


def _agrees(found: float, expected: float) -> bool:
    return math.isfinite(found) and abs(found - expected) <= 1e-6 + _CLOSE * abs(expected)
