"""The local derivative of every node with respect to every input.

What learners meet is written by hand, as an expression (see `expressions`) or in words. Everything else has torch's own
formula, taken from its derivatives.yaml by tools/generate_formulas.py.
"""

import json
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from msgspec import Struct

from explorer.autograd.expressions import parsed, written
from explorer.patterns import plain
from explorer.text import say

_KIND = plain(r"Backward\d*$")


class Formula(Struct, frozen=True):
    """What a node passes on to one input.

    Attributes:
        input: torch's name of the input, "" when it is not known.
        kind: local (the expression is the local derivative: gradient × it, summed over what was stretched), whole (the
            expression is all that is passed on), words (told by the message formula-`words`), torch (torch's own text),
            own (the program's own backward).
        expression: of a local or whole formula, or torch's text; of a formula in words one to compute with, or "".
        words: the last part of a message's id, or "".
    """

    input: str
    kind: Literal["local", "whole", "words", "torch", "own"]
    expression: str = ""
    words: str = ""


# Local derivatives, by the node's name without "Backward" and its number. n is how many entries of the input went into
# one entry of the result; a mean over them divides by it.
LOCAL: dict[str, dict[str, str]] = {
    "Add": {"self": "1", "other": "alpha"},
    "Sub": {"self": "1", "other": "-alpha"},
    "Rsub": {"self": "-alpha", "other": "1"},
    "Mul": {"self": "other", "other": "self"},
    "Div": {"self": "1 / other", "other": "-self / other**2"},
    "Pow": {"self": "exponent * self**(exponent - 1)", "exponent": "result * ln(self)"},
    "Neg": {"self": "-1"},
    "Exp": {"self": "result"},
    "Exp2": {"self": "result * ln(2)"},
    "Expm1": {"self": "result + 1"},
    "Log": {"self": "1 / self"},
    "Log2": {"self": "1 / (self * ln(2))"},
    "Log10": {"self": "1 / (self * ln(10))"},
    "Log1P": {"self": "1 / (1 + self)"},
    "Sqrt": {"self": "1 / (2 * result)"},
    "Rsqrt": {"self": "-result**3 / 2"},
    "Reciprocal": {"self": "-result**2"},
    "Sin": {"self": "cos(self)"},
    "Cos": {"self": "-sin(self)"},
    "Tan": {"self": "1 + result**2"},
    "Asin": {"self": "1 / sqrt(1 - self**2)"},
    "Acos": {"self": "-1 / sqrt(1 - self**2)"},
    "Atan": {"self": "1 / (1 + self**2)"},
    "Atan2": {"self": "other / (self**2 + other**2)", "other": "-self / (self**2 + other**2)"},
    "Sinh": {"self": "cosh(self)"},
    "Cosh": {"self": "sinh(self)"},
    "Tanh": {"self": "1 - result**2"},
    "Sigmoid": {"self": "result * (1 - result)"},
    "LogSigmoid": {"self": "1 / (1 + exp(self))"},
    "Softplus": {"self": "1 / (1 + exp(-beta * self))"},
    "Silu": {"self": "sigmoid(self) * (1 + self * (1 - sigmoid(self)))"},
    "Erf": {"self": "2 * exp(-self**2) / sqrt(3.141592653589793)"},
    "Relu": {"self": "where(result > 0, 1, 0)"},
    "LeakyRelu": {"self": "where(self > 0, 1, negative_slope)"},
    "Abs": {"self": "sign(self)"},
    "Sum": {"self": "1"},
    "Mean": {"self": "1 / n"},
    "Prod": {"self": "result / self"},
    "Var": {"self": "2 * (self - mean(self)) / (n - 1)"},
    "Std": {"self": "(self - mean(self)) / ((n - 1) * result)"},
    "Logsumexp": {"self": "exp(self - result)"},
    "Norm": {"self": "self / result"},
    "LinalgVectorNorm": {"self": "self / result"},
    "Where": {"self": "where(condition, 1, 0)", "other": "where(condition, 0, 1)"},
    "ClampMin": {"self": "where(self >= min, 1, 0)", "min": "where(self < min, 1, 0)"},
    "ClampMax": {"self": "where(self <= max, 1, 0)", "max": "where(self > max, 1, 0)"},
    "Clamp": {"self": "where((self >= min) & (self <= max), 1, 0)"},
    "MaskedFill": {"self": "where(mask, 0, 1)", "value": "where(mask, 1, 0)"},
    "Dot": {"self": "tensor", "tensor": "self"},
    "MseLoss": {"self": "2 * (self - target) / n", "target": "2 * (target - self) / n"},
    "BinaryCrossEntropy": {"self": "(self - target) / (self * (1 - self)) / n"},
    "BinaryCrossEntropyWithLogits": {"self": "(sigmoid(self) - target) / n"},
    "Addcmul": {"self": "1", "tensor1": "value * tensor2", "tensor2": "value * tensor1"},
    "Addcdiv": {"self": "1", "tensor1": "value / tensor2", "tensor2": "-value * tensor1 / tensor2**2"},
    "Lerp": {"self": "1 - weight", "end": "weight", "weight": "end - self"},
    "Remainder": {"self": "1"},
    "Fmod": {"self": "1"},
    "Sign": {"self": "0"},
    "Floor": {"self": "0"},
    "Ceil": {"self": "0"},
    "Round": {"self": "0"},
    "Clone": {"self": "1"},
    "Alias": {"self": "1"},
    "ToCopy": {"self": "1"},
    "Copys": {"self": "0", "src": "1"},
}

# All that is passed on; G is the gradient that arrived.
WHOLE: dict[str, dict[str, str]] = {
    "Mm": {"self": "G @ T(mat2)", "mat2": "T(self) @ G"},
    "Bmm": {"self": "G @ T(mat2)", "mat2": "T(self) @ G"},
    "Addmm": {"self": "beta * G", "mat1": "alpha * G @ T(mat2)", "mat2": "T(mat1) @ (alpha * G)"},
    "Baddbmm": {"self": "beta * G", "batch1": "alpha * G @ T(batch2)", "batch2": "T(batch1) @ (alpha * G)"},
    "Mv": {"self": "outer(G, vec)", "vec": "T(self) @ G"},
    "Addmv": {"self": "beta * G", "mat": "alpha * outer(G, vec)", "vec": "T(mat) @ (alpha * G)"},
    "T": {"self": "T(G)"},
    "Softmax": {"self": "result * (G - sum(G * result, dim))"},
    "LogSoftmax": {"self": "G - exp(result) * sum(G, dim)"},
}

# Told in words: (message, an expression of the local derivative to compute with or "").
_SHARED = "where(self == result, 1, 0) / sum(where(self == result, 1, 0))"
WORDS: dict[str, dict[str, tuple[str, str]]] = {
    "Maximum": {
        "self": ("larger", "where(self > other, 1, where(self == other, 0.5, 0))"),
        "other": ("larger", "where(other > self, 1, where(self == other, 0.5, 0))"),
    },
    "Minimum": {
        "self": ("smaller", "where(self < other, 1, where(self == other, 0.5, 0))"),
        "other": ("smaller", "where(other < self, 1, where(self == other, 0.5, 0))"),
    },
    "Max": {"self": ("largest", _SHARED)},
    "Min": {"self": ("smallest", _SHARED)},
    "Amax": {"self": ("largest", _SHARED)},
    "Amin": {"self": ("smallest", _SHARED)},
    "Elu": {"self": ("elu", "")},
    "Gelu": {"self": ("gelu", "")},
    "NllLoss": {"self": ("nll", "")},
    "SmoothL1Loss": {"self": ("smooth", ""), "target": ("smooth", "")},
    "NativeLayerNorm": {"input": ("normalised", ""), "weight": ("scale", ""), "bias": ("bias", "")},
    "NativeBatchNorm": {"input": ("normalised", ""), "weight": ("scale", ""), "bias": ("bias", "")},
    "NativeGroupNorm": {"input": ("normalised", ""), "weight": ("scale", ""), "bias": ("bias", "")},
    "Convolution": {"input": ("convolution", ""), "weight": ("kernel", ""), "bias": ("bias", "")},
    "MaxPool2DWithIndices": {"self": ("largest", "")},
    "AvgPool2D": {"self": ("pool", "")},
    "Embedding": {"weight": ("embedding", "")},
    "NativeDropout": {"input": ("dropout", "")},
    "Cumsum": {"self": ("cumulative", "")},
    "Repeat": {"self": ("stretched", "")},
    "Expand": {"self": ("stretched", "")},
    "CopySlices": {"": ("slices", "")},
    **{name: {"self": ("shape", "")} for name in ("View", "UnsafeView", "ReshapeAlias", "Squeeze", "Unsqueeze")},
    **{name: {"self": ("axes", "")} for name in ("Transpose", "Permute", "Flip", "Roll", "AsStrided")},
    **{name: {"self": ("taken", "")} for name in ("Select", "Slice", "Diagonal", "Tril", "Triu", "MaskedSelect")},
    **{name: {"self": ("looked-up", "")} for name in ("Index", "IndexSelect", "Gather")},
    **{name: {"tensors": ("part", "")} for name in ("Cat", "Stack")},
    **{name: {"self": ("joined", "")} for name in ("Split", "SplitWithSizes", "UnsafeSplit", "Unbind")},
}

_SPELLED = {"CopyBackwards": "Copys"}  # names that do not end as the others do
_LIST_INPUTS = {"tensors"}  # every edge is one entry of the list


@cache
def generated() -> dict[str, list[tuple[str, str]]]:
    """Torch's own: per node its (input, formula) pairs in the order of its edges."""
    text = (Path(__file__).parent / "formulas.json").read_text(encoding="utf-8")
    return {node: [(name, formula) for name, formula in inputs] for node, inputs in json.loads(text).items()}


def formulas(node: str, edges: int, own: bool = False) -> list[Formula]:
    """The formula for every edge of a node, in order.

    Args:
        node: torch's name, such as MulBackward0.
        edges: how many edges it has.
        own: whether it is the program's own autograd.Function.
    """
    inputs = generated().get(node, [])
    if inputs and inputs[0][0] in _LIST_INPUTS:
        inputs = inputs[:1] * edges
    stem = stem_of(node)
    if not inputs and stem in ("Copys", "CopySlices"):
        inputs = [(name, "") for name in (("self", "src") if stem == "Copys" else [""] * edges)]
    found = []
    for position in range(edges):
        name, torch = inputs[position] if position < len(inputs) else ("", "")
        found.append(Formula(name, "own") if own else _formula(stem, name, torch))
    return found


@lru_cache(4096)
def formula_texts(node: str, edges: int, own: bool, lang: str) -> list[dict[str, str]]:
    """The same as plain texts in torch's own names of the inputs, for files: input, kind, text."""
    return [{"input": one.input, "kind": one.kind, "text": _in_words(one, lang)} for one in formulas(node, edges, own)]


def _in_words(formula: Formula, lang: str) -> str:
    if formula.kind == "own":
        return say(lang, "formula-own")
    if formula.kind == "torch":
        return formula.expression
    names = {name: name for name in ("self", "other", "result", "weight", "input")}
    if formula.kind == "words":
        return say(lang, f"formula-{formula.words}", **names, to=formula.input)
    return written(parsed(formula.expression), {}, lang)


def stem_of(node: str) -> str:
    """A node's name without "Backward" and its number: Mul of MulBackward0."""
    return _SPELLED.get(node) or _KIND.sub("", node)


def _formula(stem: str, name: str, torch: str) -> Formula:
    if name in LOCAL.get(stem, ()):
        return Formula(name, "local", LOCAL[stem][name])
    if name in WHOLE.get(stem, ()):
        return Formula(name, "whole", WHOLE[stem][name])
    if name in WORDS.get(stem, ()):
        words, expression = WORDS[stem][name]
        return Formula(name, "words", expression, words)
    return Formula(name, "torch", torch)
