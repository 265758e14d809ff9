"""Evaluate formulas on recorded operands, and find where they are undefined."""

import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from explorer.analysis.explain.autograd.node_formulas import Formula
from explorer.analysis.explain.autograd.operands import array_of
from explorer.analysis.run import rounding
from explorer.analysis.run.operations.formulas import computed, parsed
from explorer.trace import Value

_MOST = 1 << 24  # entries of a computed gradient
# Errors of computing a formula: an operand was not recorded, or its shape does not match the others.
UNKNOWN = (KeyError, ValueError, TypeError, IndexError, ArithmeticError)


def reduced(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Sum a gradient over broadcast axes. Raises ValueError for other shapes."""
    if array.ndim < len(shape):
        array = np.broadcast_to(array, shape)
    array = array.sum(axis=tuple(range(array.ndim - len(shape))))
    stretched = tuple(i for i, size in enumerate(shape) if size == 1 and array.shape[i] != 1)
    array = array.sum(axis=stretched, keepdims=True)
    return np.broadcast_to(array, shape)


def aligned(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Keep the reduced axes in a reduction's result and gradient."""
    given, dim, made = arrays.get("self"), arrays.get("dim"), arrays.get("result")
    if given is None or dim is None or not given.ndim:
        return arrays
    axes = {int(axis) % given.ndim for axis in np.atleast_1d(dim)}
    lost = given.ndim - len(axes)
    if not axes or (made is not None and made.ndim != lost):
        return arrays
    aligned = dict(arrays)
    for name in ("result", "G"):
        if name in aligned and aligned[name].ndim == lost:
            aligned[name] = np.expand_dims(aligned[name], tuple(axes))
    return aligned


def local_of(formula: Formula, arrays: Mapping[str, Any], zeros: bool = True) -> np.ndarray:
    """Evaluate a formula (`zeros`: torch's 0 if undefined). Raises KeyError for unrecorded operands, ValueError."""
    operands = {"dim": None, **arrays}
    local = computed(parsed(formula.expression), operands)
    if not formula.zero or not zeros:
        return local
    return np.where(computed(parsed(formula.zero), operands) & ~np.isfinite(local), 0.0, local)


def without_value(formula: Formula, arrays: Mapping[str, Any]) -> bool | None:
    """Return whether torch passes 0 where the formula is undefined."""
    if not formula.zero:
        return False
    try:
        zeros = computed(parsed(formula.zero), arrays)
    except UNKNOWN:
        return None
    if not np.any(zeros) or formula.kind == "words":
        return bool(np.any(zeros))
    with suppress(*UNKNOWN), np.errstate(all="ignore"):
        return bool(np.any(zeros & ~np.isfinite(local_of(formula, arrays, zeros=False))))
    return True


def evaluated(
    formula: Formula, arrays: dict[str, np.ndarray], shape: tuple[int, ...], zeros: bool = True
) -> np.ndarray | None:
    """Compute a formula's gradient for an input shape (`zeros`: as in `local_of`), None without recorded operands."""
    if not formula.expression or formula.kind in ("torch", "own") or "G" not in arrays or math.prod(shape) > _MOST:
        return None
    try:
        local = local_of(formula, arrays, zeros)
        with np.errstate(all="ignore"):
            sent = local if formula.kind == "whole" else arrays["G"] * local
            if sent.dtype.kind not in "biufc":
                return None
            return np.broadcast_to(sent, shape) if sent.size < math.prod(shape) else reduced(sent, shape)
    except UNKNOWN:
        return None


def agrees(gradient: np.ndarray | None, result: Value | None) -> bool:
    """Return whether a formula agrees with the gradient that torch passed on."""
    expected = array_of(result)
    if gradient is None or result is None or expected is None or gradient.shape != expected.shape:
        return False
    return rounding.agrees(gradient, expected, result.dtype)
