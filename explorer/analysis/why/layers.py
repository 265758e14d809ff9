"""Entries of norms and losses over classes in numbers: the terms of one, and its formula with them."""

import math
from collections.abc import Sequence

import numpy as np

from explorer.analysis.operations.reading import Reading
from explorer.text.equations import written_equation
from explorer.text.numbers import number
from explorer.trace import Number


def normal_terms(reading: Reading, numbers: list[np.ndarray], entry: int) -> tuple[float, float, float, float, float]:
    """Terms of a norm's entry: itself, mean and variance of its line, its weight and its bias."""
    line = numbers[0][reading.reads[0][entry, 1:]].astype(float)
    known = dict(reading.constants)
    middle, spread = (line.mean(), line.var()) if "mean" not in known else _running(reading, numbers, entry)
    weight, bias = (
        float(numbers[int(known[name])][reading.reads[int(known[name])][entry, 0]]) if name in known else plain
        for name, plain in (("weight", 1.0), ("bias", 0.0))
    )
    return float(numbers[0][reading.reads[0][entry, 0]]), float(middle), float(spread), weight, bias


def _running(reading: Reading, numbers: list[np.ndarray], entry: int) -> tuple[float, float]:
    """The running mean and variance of an entry's channel."""
    at = [int(dict(reading.constants)[name]) for name in ("mean", "variance")]
    mean, variance = (numbers[k][reading.reads[k][entry, 0]] for k in at)
    return float(mean), float(variance)


def normal_words(reading: Reading, numbers: list[np.ndarray], entry: int, made: float) -> str:
    """(2 − 0.5) / √(1.25 + 1e−5) · 3 + 1, with as many digits as give the entry."""
    x, mean, variance, weight, bias = normal_terms(reading, numbers, entry)
    known = dict(reading.constants)

    def computed(found: Sequence[Number]) -> float:
        a, m, v, w, b = (float(quantity.real) for quantity in found)
        return (a - m) / math.sqrt(v + known["eps"]) * w + b

    found = written_equation(computed, [x, mean, variance, weight, bias], made)
    said = found.operands
    bracketed = [f"({word})" if word.startswith("−") else word for word in said]
    text = f"{found.about}({said[0]} − {bracketed[1]}) / √({said[2]} + {number(known['eps'])})"
    text += f" · {bracketed[3]}" if "weight" in known else ""
    return text + (f" + {bracketed[4]}" if "bias" in known else "")


def entropy_rows(reading: Reading, numbers: list[np.ndarray], entry: int) -> list[tuple[np.ndarray, int]]:
    """For an entry of a loss over classes each row that it was computed from, and its label."""
    classes = int(dict(reading.constants)["classes"])
    rows = numbers[0][reading.reads[0][entry]].astype(float).reshape(-1, classes)
    labels = numbers[1][reading.reads[1][entry][: len(rows)]].astype(int)
    return list(zip(rows, labels.tolist(), strict=True))
