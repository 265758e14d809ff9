"""How the entries that were read are combined into an entry of the result, in numpy. By name: `RULES`.

Each rule takes the terms of many entries at once: per operand an array (entries, terms), masked where nothing is read.
"""

from collections.abc import Callable

import numpy as np
from numpy import ma

from explorer.analysis.tensors.operations.elementwise import BINARY, UNARY
from explorer.analysis.tensors.operations.reads import Reading

Terms = list[ma.MaskedArray]


def applied(reading: Reading, numbers: list[np.ndarray]) -> np.ndarray:
    """The result that a reading predicts, flat.

    Args:
        numbers: of every operand, flat.
    """
    terms = [
        ma.masked_array(flat[np.where(read < 0, 0, read)] if flat.size else np.zeros(read.shape), read < 0)
        for flat, read in zip(numbers, reading.reads, strict=True)
    ]
    constants = dict(reading.constants)
    function = UNARY.get(reading.rule) or BINARY.get(reading.rule)
    with np.errstate(all="ignore"):
        if function is not None:
            return np.asarray(function.apply(*(term.data[:, 0] for term in terms), **constants))
        return RULES[reading.rule]([terms[k] for k in reading.sources], constants)


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
}
