"""The local derivative of what learners meet, by hand, as texts of `computing`. A new operation is one line here.

Everything else has torch's own formula (`explorer/autograd/formulas.json`). Each entry is compared with torch in
`tests/autograd/test_formulas.py`.
"""

import math

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
    "Var": {"self": "2 * (self - mean(self, dim)) / (n - correction)"},
    "Std": {"self": "(self - mean(self, dim)) / ((n - correction) * result)"},
    "Logsumexp": {"self": "exp(self - result)"},
    "Norm": {"self": "sign(self) * (abs(self) / result)**(p - 1)"},
    "LinalgVectorNorm": {"self": "sign(self) * (abs(self) / result)**(ord - 1)"},
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
_SHARED = "where(self == result, 1, 0) / sum(where(self == result, 1, 0), dim)"
WORDS: dict[str, dict[str, tuple[str, str]]] = {
    "Maximum": {
        "self": ("larger", "where(self < other, 0, where(self == other, 0.5, 1))"),
        "other": ("larger", "where(other < self, 0, where(self == other, 0.5, 1))"),
    },
    "Minimum": {
        "self": ("smaller", "where(self > other, 0, where(self == other, 0.5, 1))"),
        "other": ("smaller", "where(other > self, 0, where(self == other, 0.5, 1))"),
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

# Where torch says 0 although the formula, taken at its word, has none: 0 · ∞ and the like.
ZERO = {
    ("Pow", "self"): "exponent == 0",
    ("Pow", "exponent"): "(self == 0) & (exponent >= 0)",
}

# What the formula is for some values of a constant of the call; "" where only torch's own text says it.
_BY_ORDER: dict[float | str, str] = {0: "", 1: "sign(self)", 2: "self / result", math.inf: "", -math.inf: ""}
VARIANTS: dict[tuple[str, str], tuple[str, dict[float | str, str]]] = {
    ("Norm", "self"): ("p", _BY_ORDER),
    ("LinalgVectorNorm", "self"): ("ord", _BY_ORDER),
    ("Div", "self"): ("rounding_mode", {"'floor'": "0", "'trunc'": "0"}),
    ("Div", "other"): ("rounding_mode", {"'floor'": "0", "'trunc'": "0"}),
}

# Saved tensors with which the formula is another one, which only torch's own text says.
UNTOLD = {"BinaryCrossEntropy": ("weight",), "BinaryCrossEntropyWithLogits": ("weight", "pos_weight")}

COMMUTES = {"Add", "Mul", "Maximum", "Minimum"}  # two operands may change places

# What torch takes by itself.
DEFAULTS: dict[str, float | None] = {
    "alpha": 1.0,
    "beta": 1.0,
    "value": 1.0,
    "min": -math.inf,
    "max": math.inf,
    "correction": 1.0,
    "dim": None,
}
