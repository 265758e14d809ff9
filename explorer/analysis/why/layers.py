"""An entry of a norm in numbers."""

import math
from collections.abc import Sequence

import numpy as np

from explorer.analysis.operations.reading import Reading
from explorer.analysis.operations.rules import norm_parts, terms_of
from explorer.text.equations import written_equation
from explorer.text.numbers import number
from explorer.trace import Number


def normal_words(reading: Reading, numbers: list[np.ndarray], entry: int, made: float) -> str:
    """(2 − 0.5) / √(1.25 + 1e−5) · 3 + 1, with as many digits as give the entry."""
    known = dict(reading.constants)
    parts = norm_parts(terms_of(reading.picked(np.array([entry])), numbers), known)

    def computed(found: Sequence[Number]) -> float:
        a, m, v, w, b = (float(quantity.real) for quantity in found)
        return (a - m) / math.sqrt(v + known["eps"]) * w + b

    found = written_equation(computed, [part.item() for part in parts], made)
    said = found.operands
    bracketed = [f"({word})" if word.startswith("−") else word for word in said]
    text = f"{found.about}({said[0]} − {bracketed[1]}) / √({said[2]} + {number(known['eps'])})"
    text += f" · {bracketed[3]}" if "weight" in known else ""
    return text + (f" + {bracketed[4]}" if "bias" in known else "")
