"""How the entries that were read are combined into an entry of the result, in numpy, and the derivative by each.

Each rule takes the terms of many entries at once: per operand an array (entries, terms), masked where nothing is read.
Beside these rules every operation with a formula is one, by its name.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy import ma

from explorer.analysis.operations.call import CallPart
from explorer.analysis.operations.formulas import DEFAULTS, Operands, computed, parsed
from explorer.analysis.operations.reading import Reading
from explorer.analysis.operations.record import Derivative, Operation, camel_case
from explorer.analysis.operations.table import NOTHING, OPERATIONS

Terms = list[ma.MaskedArray]
_LOOSE = {"float16": 2e-2, "bfloat16": 6e-2}


def function_of(rule: str) -> Operation:
    """The operation whose formula is the rule of a reading; NOTHING for another rule."""
    operation = OPERATIONS.get(rule, NOTHING)
    return operation if operation.forward else NOTHING


def valued(operation: Operation, given: Sequence[np.ndarray | float | None], **options: float) -> np.ndarray:
    """The entries of the result of an operation with a formula.

    >>> valued(OPERATIONS["leaky_relu"], [np.array([-1.0, 2.0])], negative_slope=0.5)
    array([-0.5,  2. ])
    """
    named = dict(zip(operation.operands, given, strict=True))
    return computed(parsed(operation.forward), {**DEFAULTS, **operation.options, **options, **named})


def derivatives_at(
    operation: Operation, given: Sequence[np.ndarray], result: np.ndarray, **options: float
) -> tuple[np.ndarray | None, ...]:
    """The derivative of an operation with a formula by each operand, entry by entry; None if it has no number.

    >>> derivatives_at(OPERATIONS["mul"], (np.array([2.0]), np.array([3.0])), np.array([6.0]))
    (array([3.]), array([2.]))
    """
    named = {name: np.asarray(array, float) for name, array in zip(operation.operands, given, strict=True)}
    operands: Operands = {**DEFAULTS, **operation.options, **options, **named, "result": result}
    told = [operation.derivatives.get(camel_case(operation.name), {}).get(name, Derivative()) for name in named]
    return tuple(_partial(row, operands) if row.formula and not row.is_whole else None for row in told)


def _partial(row: Derivative, operands: Operands) -> np.ndarray:
    local = computed(parsed(row.formula), operands)
    if row.zero:
        local = np.where(computed(parsed(row.zero), operands), 0.0, local)
    return np.broadcast_to(np.asarray(local, dtype=float), np.shape(np.asarray(operands["result"])))


def applied(reading: Reading, numbers: Sequence[np.ndarray]) -> np.ndarray:
    """The result that a reading predicts, flat.

    Args:
        numbers: of every operand, flat.
    """
    terms = [
        ma.masked_array(flat[np.where(read < 0, 0, read)] if flat.size else np.zeros(read.shape), read < 0)
        for flat, read in zip(numbers, reading.reads, strict=True)
    ]
    constants, operation = dict(reading.constants), function_of(reading.rule)
    with np.errstate(all="ignore"):
        if operation.forward:
            return valued(operation, [term.data[:, 0] for term in terms], **constants)
        return RULES[reading.rule]([terms[k] for k in reading.sources], constants)


def agrees(operands: Sequence[CallPart], result: CallPart, reading: Reading) -> bool:
    """Whether a reading gives torch's result; True if numbers were not kept."""
    numbers, expected = [part.numbers for part in operands], result.numbers
    sizes = [part.size for part in operands]
    if max(reading.sources, default=-1) >= len(reading.reads):
        return False
    if any(
        len(read) != result.size or read.max(initial=-1) >= size
        for read, size in zip(reading.reads, sizes, strict=True)
    ):
        return False
    if reading.rule == "position" or expected is None or any(flat is None for flat in numbers):
        return True
    if reading.rule in ("argmax", "argmin"):
        terms = numbers[0][reading.reads[0]]
        best = terms.max(1) if reading.rule == "argmax" else terms.min(1)
        return bool(
            np.array_equal(np.take_along_axis(terms, expected.astype(int)[:, None], 1)[:, 0], best, equal_nan=True)
        )
    promised = applied(reading, numbers)
    if result.dtype == "bool":
        promised = promised != 0
    elif result.dtype.startswith(("int", "uint")):
        promised = np.trunc(promised)
    loose = _LOOSE.get(result.dtype, 1e-3)
    scale = max(_largest(flat) for flat in (expected, *numbers))  # sums may cancel
    return bool(np.allclose(promised, expected, loose, loose * 1e-2 * (scale or 1.0), equal_nan=True))


def _largest(flat: np.ndarray) -> float:
    """The largest finite absolute entry."""
    return float(np.abs(flat[np.isfinite(flat)]).max(initial=0))


def factors(
    reading: Reading, numbers: Sequence[np.ndarray | None], result: np.ndarray | None
) -> list[np.ndarray | None]:
    """Per operand the derivative of each entry of the result by each entry it read; None if unknown."""
    rule, reads = reading.rule, reading.reads
    ones = [np.where(read >= 0, 1.0, 0.0) for read in reads]
    if rule in ("copy", "sum"):
        return [factor if k in reading.sources else None for k, factor in enumerate(ones)]
    if rule == "mean":
        return [ones[0] / np.maximum(1, ones[0].sum(1, keepdims=True)), *[None] * (len(reads) - 1)]
    if any(flat is None for flat in numbers) or result is None or any(flat.dtype.kind == "c" for flat in numbers):
        return [None] * len(reads)
    terms = [flat[read] if flat.size else read * 0.0 for flat, read in zip(numbers, reads, strict=True)]
    with np.errstate(all="ignore"):
        if (operation := function_of(rule)).forward:
            told = derivatives_at(operation, [term[:, 0] for term in terms], result, **dict(reading.constants))
            return [None if slope is None else slope.reshape(-1, 1) for slope in told]
        made = _SLOPES.get(rule)
        return [None] * len(terms) if made is None else made(terms, ones, result[:, None], dict(reading.constants))


def _product_slopes(terms: list, ones: list, result: np.ndarray, constants: dict) -> list:
    """Of each factor the product of the others."""
    present = [np.where(there > 0, term, 1.0) for term, there in zip(terms, ones, strict=True)]
    others = [present[:k] + present[k + 1 :] for k in range(len(terms))]
    return [there * np.prod(rest, axis=0) if rest else there for there, rest in zip(ones, others, strict=True)]


def _winner_slopes(terms: list, ones: list, result: np.ndarray, constants: dict) -> list:
    best = (terms[0] == result) * ones[0]
    return [best / np.maximum(1, best.sum(1, keepdims=True))]


def _norm_slopes(terms: list, ones: list, result: np.ndarray, constants: dict) -> list:
    known = {2: lambda: terms[0] / result, 1: lambda: np.sign(terms[0])}.get(constants.get("p"))
    return [None if known is None else ones[0] * known()]


_SLOPES: dict[str, Callable[[list, list, np.ndarray, dict], list]] = {
    "products": _product_slopes,
    "cross": lambda terms, ones, result, constants: [terms[1] * [1.0, -1.0], terms[0] * [1.0, -1.0]],
    "prod": lambda terms, ones, result, constants: [ones[0] * result / terms[0]],
    "max": _winner_slopes,
    "min": _winner_slopes,
    "norm": _norm_slopes,
}


def _copy(terms: Terms, constants: dict) -> np.ndarray:
    out = np.full(
        len(terms[0]) if terms else 0, constants.get("fill", 0.0), np.result_type(float, *(t.data for t in terms))
    )
    for term in terms:
        out = np.where(ma.getmaskarray(term)[:, 0], out, term.data[:, 0])
    return out


def _all_terms(terms: Terms) -> ma.MaskedArray:
    return ma.concatenate([term.astype(complex if term.dtype.kind == "c" else float) for term in terms], 1)


def _over(function: Callable, empty: float = 0.0) -> Callable[[Terms, dict], np.ndarray]:
    def rule(terms: Terms, constants: dict) -> np.ndarray:
        joined = _all_terms(terms)
        return ma.filled(function(joined), empty) if joined.shape[1] else np.full(len(joined), empty)

    return rule


def _products(terms: Terms, constants: dict) -> np.ndarray:
    """The sum over the terms of the product of the factors."""
    product, there = (
        np.ones(terms[0].shape, np.result_type(float, *(t.data for t in terms))),
        np.zeros(terms[0].shape, bool),
    )
    for term in terms:
        mask = ma.getmaskarray(term)
        product = np.where(mask, product, product * term.data)
        there |= ~mask
    return np.where(there, product, 0).sum(1)


def _cross(terms: Terms, constants: dict) -> np.ndarray:
    product = terms[0].data * terms[1].data
    return product[:, 0] - product[:, 1]


def _norm(terms: Terms, constants: dict) -> np.ndarray:
    return np.linalg.norm(terms[0].data, constants["p"], axis=1)


def _spread(terms: Terms, constants: dict) -> np.ndarray:
    return np.var(terms[0].data.astype(float), axis=1, ddof=int(constants["correction"]))


def _exponentials(values: np.ndarray) -> np.ndarray:
    return np.exp(values - values.max(1, keepdims=True))


def _softmax(terms: Terms, constants: dict) -> np.ndarray:
    line = terms[0].data[:, 1:]
    return np.exp(terms[0].data[:, 0] - line.max(1)) / _exponentials(line).sum(1)


def _logsumexp(terms: Terms, constants: dict) -> np.ndarray:
    filled = ma.filled(terms[0].astype(float), -np.inf)
    return filled.max(1) + np.log(_exponentials(filled).sum(1))


def _median(terms: Terms, constants: dict) -> np.ndarray:
    """torch takes the lower of the two middle entries."""
    return np.sort(terms[0].data, 1)[:, (terms[0].shape[1] - 1) // 2]


def _column(terms: Terms, constants: dict, name: str, plain: float) -> np.ndarray | float:
    """The entry that a norm read of an operand, by what that is to it."""
    return terms[int(constants[name])].data[:, 0] if name in constants else plain


def _normalised(terms: Terms, constants: dict) -> np.ndarray:
    """(x − mean) / √(variance + eps) · weight + bias; the mean is of the line, or given."""
    x, line = terms[0].data[:, 0].astype(float), terms[0].data[:, 1:].astype(float)
    mean = _column(terms, constants, "mean", 0.0) if "mean" in constants else line.mean(1)
    variance = _column(terms, constants, "variance", 0.0) if "mean" in constants else line.var(1)
    normal = (x - mean) / np.sqrt(variance + constants["eps"])
    return normal * _column(terms, constants, "weight", 1.0) + _column(terms, constants, "bias", 0.0)


def row_loss(rule: str, row: np.ndarray, label: int) -> float:
    """−log softmax(row)[label] of scores, −row[label] of log-probabilities."""
    shifted = np.log(np.exp(row - row.max()).sum()) + row.max() if rule == "cross_entropy" else 0.0
    return float(shifted - row[label])


def _class_loss(rule: str) -> Callable[[Terms, dict], np.ndarray]:
    """A loss over classes: of the losses of its rows the sum, or the mean."""

    def loss(terms: Terms, constants: dict) -> np.ndarray:
        classes, found = int(constants["classes"]), []
        for scores, labels in zip(terms[0].data.astype(float), terms[1].data, strict=True):
            rows = scores.reshape(-1, classes)
            losses = [row_loss(rule, row, int(label)) for row, label in zip(rows, labels, strict=False)]
            found.append(sum(losses) / len(losses) if constants["mean"] else sum(losses))
        return np.array(found)

    return loss


RULES: dict[str, Callable[[Terms, dict], np.ndarray]] = {
    "copy": _copy,
    "sum": _over(lambda terms: terms.sum(1)),
    "nansum": _over(lambda terms: np.nansum(terms, 1)),
    "mean": _over(lambda terms: terms.mean(1), np.nan),
    "prod": _over(lambda terms: terms.prod(1), 1.0),
    "max": _over(lambda terms: terms.max(1)),
    "min": _over(lambda terms: terms.min(1)),
    "argmax": lambda terms, _: terms[0].data.argmax(1),
    "argmin": lambda terms, _: terms[0].data.argmin(1),
    "any": lambda terms, _: np.any(terms[0].data.astype(bool), 1),
    "all": lambda terms, _: np.all(terms[0].data.astype(bool), 1),
    "count": lambda terms, _: (terms[0].data != 0).sum(1),
    "norm": _norm,
    "var": _spread,
    "std": lambda terms, constants: np.sqrt(_spread(terms, constants)),
    "softmax": _softmax,
    "log_softmax": lambda terms, constants: np.log(_softmax(terms, constants)),
    "logsumexp": _logsumexp,
    "median": _median,
    "products": _products,
    "cross": _cross,
    "normalised": _normalised,
    "cross_entropy": _class_loss("cross_entropy"),
    "nll_loss": _class_loss("nll_loss"),
}
