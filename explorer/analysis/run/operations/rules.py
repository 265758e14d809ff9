"""Rules in numpy that combine read entries into a result entry.

A rule takes the terms of many entries at once: an array (entries, terms) for each operand, masked if nothing is read.
Every operation with a formula is also a rule, by its name.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy import ma

from explorer.analysis.run import rounding
from explorer.analysis.run.operations import NOTHING, OPERATIONS
from explorer.analysis.run.operations.call import CallPart, Reading
from explorer.analysis.run.operations.formulas import DEFAULTS, computed, parsed
from explorer.analysis.run.operations.record import Operation

Terms = list[ma.MaskedArray]

NEVER_ZERO = ("mul", "div", "pow")  # results of finite nonzero numbers; a 0 means underflow


@dataclass(frozen=True)
class EntryRule:
    """Combination of read entries into one.

    Attributes:
        apply: computes result entries from terms and constants.
        joined: separator of written-out terms, or "".
        named: whether it changes even a single number, so that its name is shown.
        back: end of the message id for the gradient's destination.
    """

    apply: Callable[[Terms, dict], np.ndarray]
    joined: str = ""
    named: bool = False
    back: str = "plain"


def function_of(rule: str) -> Operation:
    """Return the operation whose formula is a reading's rule, NOTHING for another rule."""
    operation = OPERATIONS.get(rule, NOTHING)
    return operation if operation.forward else NOTHING


def valued(operation: Operation, given: Sequence[np.ndarray | float | None], **options: float) -> np.ndarray:
    """Compute the result entries of an operation with a formula.

    >>> valued(OPERATIONS["leaky_relu"], [np.array([-1.0, 2.0])], negative_slope=0.5)
    array([-0.5,  2. ])
    """
    named = dict(zip(operation.operands, given, strict=True))
    return computed(parsed(operation.forward), {**DEFAULTS, **operation.options, **options, **named})


def terms_of(reading: Reading, numbers: Sequence[np.ndarray]) -> Terms:
    """Return the entries that a reading read, by operand, masked if missing."""
    return [
        ma.masked_array(flat[np.where(read < 0, 0, read)] if flat.size else np.zeros(read.shape), read < 0)
        for flat, read in zip(numbers, reading.reads, strict=True)
    ]


def applied(reading: Reading, numbers: Sequence[np.ndarray]) -> np.ndarray:
    """Compute the flat result that a reading predicts from every operand's flat numbers."""
    terms, constants, operation = terms_of(reading, numbers), dict(reading.constants), function_of(reading.rule)
    with np.errstate(all="ignore"):
        if operation.forward:
            return valued(operation, [term.data[:, 0] for term in terms], **constants)
        return RULES[reading.rule].apply([terms[k] for k in reading.sources], constants)


def result_of(reading: Reading, numbers: Sequence[np.ndarray], dtype: str) -> np.ndarray:
    """Compute a predicted result in its dtype: truncated integers, or booleans."""
    promised = applied(reading, numbers)
    return promised != 0 if dtype == "bool" else np.trunc(promised) if dtype.startswith(("int", "uint")) else promised


def agrees(operands: Sequence[CallPart], result: CallPart, reading: Reading) -> bool:
    """Return whether a reading agrees with torch's result, True if numbers were not kept."""
    numbers, expected = [part.numbers for part in operands], result.numbers
    sizes = [part.size for part in operands]
    if max(reading.sources, default=-1) >= len(reading.reads):
        return False
    if any(
        len(read) != result.size or read.max(initial=-1) >= size
        for read, size in zip(reading.reads, sizes, strict=True)
    ):
        return False
    if reading.rule in ("position", "depends") or expected is None or any(flat is None for flat in numbers):
        return True
    if reading.rule in ("argmax", "argmin"):
        terms = numbers[0][reading.reads[0]]
        best = terms.max(1) if reading.rule == "argmax" else terms.min(1)
        return bool(
            np.array_equal(np.take_along_axis(terms, expected.astype(int)[:, None], 1)[:, 0], best, equal_nan=True)
        )
    return rounding.agrees(result_of(reading, numbers, result.dtype), expected, result.dtype, numbers)


def uniform_factors(reading: Reading) -> list[np.ndarray | None]:
    """Return the derivative by each read entry, if all reads count alike, else None."""
    ones = [np.where(read >= 0, 1.0, 0.0) for read in reading.reads]
    if reading.rule in ("copy", "sum"):
        return [factor if k in reading.sources else None for k, factor in enumerate(ones)]
    if reading.rule == "mean":
        return [ones[0] / np.maximum(1, ones[0].sum(1, keepdims=True)), *[None] * (len(ones) - 1)]
    return [None] * len(ones)


def _copy(terms: Terms, constants: dict) -> np.ndarray:
    out = np.full(
        len(terms[0]) if terms else 0, constants.get("fill", 0.0), np.result_type(float, *(t.data for t in terms))
    )
    for term in terms:
        out = np.where(ma.getmaskarray(term)[:, 0], out, term.data[:, 0])
    return out


def _over(function: Callable[[ma.MaskedArray, dict], Any], empty: float = 0.0) -> Callable[[Terms, dict], np.ndarray]:
    """Build a rule over all terms of each entry. Args: empty: result if nothing was read."""

    def rule(terms: Terms, constants: dict) -> np.ndarray:
        line = ma.concatenate([term.astype(complex if term.dtype.kind == "c" else float) for term in terms], 1)
        return ma.filled(function(line, constants), empty) if line.shape[1] else np.full(len(line), empty)

    return rule


def _products(terms: Terms, constants: dict) -> np.ndarray:
    """Sum the products of the factors over the terms."""
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


def _variance(line: ma.MaskedArray, constants: dict) -> np.ndarray:
    correction = constants["correction"]
    if correction < line.shape[1]:
        return np.var(line.data, axis=1, ddof=correction)
    return np.where(np.var(line.data, axis=1) > 0, np.inf, np.nan)  # torch divides by 0, of which NumPy would warn


def _exponentials(values: np.ndarray) -> np.ndarray:
    return np.exp(values - values.max(1, keepdims=True))


def _softmax(line: ma.MaskedArray, constants: dict) -> np.ndarray:
    return np.exp(line.data[:, 0] - line.data[:, 1:].max(1)) / _exponentials(line.data[:, 1:]).sum(1)


def norm_parts(terms: Terms, constants: Mapping[str, float]) -> tuple[np.ndarray, ...]:
    """Return a norm's entries, their means and variances, weights and biases."""
    x, line = terms[0].data[:, 0].astype(float), terms[0].data[:, 1:].astype(float)

    def part(name: str, otherwise: np.ndarray) -> np.ndarray:
        return terms[int(constants[name])].data[:, 0].astype(float) if name in constants else otherwise

    mean, variance = (line.mean(1), line.var(1)) if line.shape[1] else (x, x)
    return (
        x,
        part("mean", mean),
        part("variance", variance),
        part("weight", np.ones_like(x)),
        part("bias", np.zeros_like(x)),
    )


def _normalise(terms: Terms, constants: dict) -> np.ndarray:
    x, mean, variance, weight, bias = norm_parts(terms, constants)
    return (x - mean) / np.sqrt(variance + constants["eps"]) * weight + bias


def row_losses(terms: Terms, constants: Mapping[str, float]) -> list[np.ndarray]:
    """Return the row losses of each cross entropy: −log softmax(row)[label]."""
    losses = []
    for scores, labels in zip(terms[0].data.astype(float), terms[1].data, strict=True):
        rows = scores.reshape(-1, int(constants["classes"]))
        shift = np.log(_exponentials(rows).sum(1)) + rows.max(1)
        losses.append(shift - rows[np.arange(len(rows)), labels[: len(rows)].astype(int)])
    return losses


def _cross_entropy(terms: Terms, constants: dict) -> np.ndarray:
    combined = np.mean if constants["mean"] else np.sum
    return np.array([combined(losses) for losses in row_losses(terms, constants)])


RULES: dict[str, EntryRule] = {
    "copy": EntryRule(_copy),
    "sum": EntryRule(_over(lambda line, _: line.sum(1)), joined=" + ", back="sum"),
    "nansum": EntryRule(_over(lambda line, _: np.nansum(line, 1)), joined=" + "),
    "mean": EntryRule(_over(lambda line, _: line.mean(1), np.nan), back="mean"),
    "prod": EntryRule(_over(lambda line, _: line.prod(1), 1.0), joined=" · ", back="prod"),
    "max": EntryRule(_over(lambda line, _: line.max(1)), named=True, back="winner"),
    "min": EntryRule(_over(lambda line, _: line.min(1)), named=True, back="winner"),
    "argmax": EntryRule(_over(lambda line, _: line.argmax(1)), named=True),
    "argmin": EntryRule(_over(lambda line, _: line.argmin(1)), named=True),
    "any": EntryRule(_over(lambda line, _: line.data.any(1)), named=True),
    "all": EntryRule(_over(lambda line, _: line.data.all(1), 1.0), named=True),
    "count": EntryRule(_over(lambda line, _: (line.data != 0).sum(1)), named=True),
    "norm": EntryRule(
        _over(lambda line, given: np.linalg.norm(line.data, given["p"], axis=1)), named=True, back="slope"
    ),
    "var": EntryRule(_over(_variance, np.nan), named=True),
    "std": EntryRule(_over(lambda line, given: np.sqrt(_variance(line, given)), np.nan), named=True),
    "softmax": EntryRule(_over(_softmax)),
    "log_softmax": EntryRule(_over(lambda line, given: np.log(_softmax(line, given)))),
    "logsumexp": EntryRule(_over(lambda line, _: np.logaddexp.reduce(ma.filled(line, -np.inf), 1)), named=True),
    # torch returns the lower of the two middle entries
    "median": EntryRule(_over(lambda line, _: np.sort(line.data, 1)[:, (line.shape[1] - 1) // 2], np.nan), named=True),
    "products": EntryRule(_products, joined=" + ", back="products"),
    "cross": EntryRule(_cross),
    "normalised": EntryRule(_normalise),
    "cross_entropy": EntryRule(_cross_entropy),
}
