"""The local derivatives of common operations, written by hand as texts for `computing`. A new operation is one line.

Everything else has torch's own formula (`explorer/analysis/autograd/formulas.json`).
`tests/autograd/test_formulas.py` compares each entry with torch.
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
    "Softplus": {"self": "where(beta * self > threshold, 1, 1 / (1 + exp(-beta * self)))"},
    "Silu": {"self": "sigmoid(self) * (1 + self * (1 - sigmoid(self)))"},
    "Erf": {"self": "2 * exp(-self**2) / sqrt(3.141592653589793)"},
    "Relu": {"self": "where(result > 0, 1, 0)"},
    "LeakyRelu": {"self": "where(self > 0, 1, negative_slope)"},
    "Abs": {"self": "sign(self)"},
    "Sum": {"self": "1"},
    "Mean": {"self": "1 / n"},
    "Var": {"self": "2 * (self - mean(self, dim)) / (n - correction)"},
    "Std": {"self": "(self - mean(self, dim)) / ((n - correction) * result)"},
    "Logsumexp": {"self": "exp(self - result)"},
    "Norm": {"self": "sign(self) * (abs(self) / result)**(p - 1)"},
    "LinalgVectorNorm": {"self": "sign(self) * (abs(self) / result)**(ord - 1)"},
    "Elu": {"self": "where(self > 0, scale, scale * alpha * input_scale * exp(input_scale * self))"},
    "Celu": {"self": "where(self > 0, 1, exp(self / alpha))"},
    "PreluKernel": {"self": "where(self > 0, 1, weight)", "weight": "where(self > 0, 0, self)"},
    "Threshold": {"self": "where(self > threshold, 1, 0)"},
    "Hardtanh": {"self": "where((self > min_val) & (self < max_val), 1, 0)"},
    "Hardsigmoid": {"self": "where((self > -3) & (self < 3), 1 / 6, 0)"},
    "Hardshrink": {"self": "where(abs(self) > lambd, 1, 0)"},
    "Softshrink": {"self": "where(abs(self) > lambd, 1, 0)"},
    "Logaddexp": {"self": "sigmoid(self - other)", "other": "sigmoid(other - self)"},
    "Where": {"self": "where(condition, 1, 0)", "other": "where(condition, 0, 1)"},
    "ClampMin": {"self": "where(self >= min, 1, 0)", "min": "where(self < min, 1, 0)"},
    "ClampMax": {"self": "where(self <= max, 1, 0)", "max": "where(self > max, 1, 0)"},
    "Clamp": {"self": "where((self >= min) & (self <= max), 1, 0)"},
    "MaskedFill": {"self": "where(mask, 0, 1)", "value": "where(mask, 1, 0)"},
    "Dot": {"self": "tensor", "tensor": "self"},
    "MseLoss": {"self": "2 * (self - target) / n", "target": "2 * (target - self) / n"},
    "BinaryCrossEntropy": {"self": "weight * (self - target) / (self * (1 - self)) / n"},
    "BinaryCrossEntropyWithLogits": {"self": "weight * (sigmoid(self) - target) / n"},
    "SmoothL1Loss": {
        "self": "where(abs(self - target) < beta, (self - target) / beta, sign(self - target)) / n",
        "target": "where(abs(self - target) < beta, (target - self) / beta, sign(target - self)) / n",
    },
    "HuberLoss": {
        "self": "where(abs(self - target) < delta, self - target, delta * sign(self - target)) / n",
        "target": "where(abs(self - target) < delta, target - self, delta * sign(target - self)) / n",
    },
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

# The whole passed gradient; G is the gradient that arrived.
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

# Described in words: (message, an expression for computing or ""). An expression with G is the whole passed gradient,
# otherwise the local derivative. "" is for operations with several outputs, or explained elsewhere.
_SHARED = "where(self == result, 1, 0) / sum(where(self == result, 1, 0), dim)"
_EXTREME = "sign(self) * where(abs(self) == result, 1, 0) / sum(where(abs(self) == result, 1, 0), dim)"
_CHOSEN = {"self": ("chosen", "placed(G, indices, dim, shape)")}
_SLIDES = "stride, padding, dilation, transposed, groups, shape"
_ATTENTION = "G, query, key, value, logsumexp, scale, is_causal, attn_mask"


def _winner(rank: int) -> dict[str, tuple[str, str]]:
    return {"self": ("winner", f"pooled_winner(G, result1, shape, {rank})")}


WORDS: dict[str, dict[str, tuple[str, str]]] = {
    "Maximum": {
        "self": ("larger", "where(self < other, 0, where(self == other, 0.5, 1))"),
        "other": ("larger", "where(other < self, 0, where(self == other, 0.5, 1))"),
    },
    "Minimum": {
        "self": ("smaller", "where(self > other, 0, where(self == other, 0.5, 1))"),
        "other": ("smaller", "where(other > self, 0, where(self == other, 0.5, 1))"),
    },
    "MaxBackward0": _CHOSEN,
    "MaxBackward1": {"self": ("largest", _SHARED)},
    "MinBackward0": _CHOSEN,
    "MinBackward1": {"self": ("smallest", _SHARED)},
    "Amax": {"self": ("largest", _SHARED)},
    "Amin": {"self": ("smallest", _SHARED)},
    "MedianBackward0": {"self": ("median", _SHARED)},
    "MedianBackward1": _CHOSEN,
    **dict.fromkeys(("Kthvalue", "Mode", "Topk", "Cummax", "Cummin"), _CHOSEN),
    "Sort": {"self": ("sorted", "placed(G, indices, dim, shape)")},
    "Prod": {"self": ("others", "others(self, dim)")},
    "Gelu": {"self": ("gelu", "gelu_slope(self)")},
    "Hardswish": {"self": ("hardswish", "where(self <= -3, 0, where(self < 3, self / 3 + 0.5, 1))")},
    "NllLoss": {"self": ("nll", "labelled(G, target, weight, reduction, ignore_index, total_weight, shape)")},
    "NllLoss2D": {"self": ("nll", "labelled(G, target, weight, reduction, ignore_index, total_weight, shape)")},
    "NativeLayerNorm": {
        "input": ("normalised-layer", "layer_norm_input(G, input, result1, result2, normalized_shape, weight)"),
        "weight": ("scale", "layer_norm_weight(G, input, result1, result2, normalized_shape)"),
        "bias": ("bias", "layer_norm_bias(G, normalized_shape)"),
    },
    "NativeBatchNorm": {
        "input": ("normalised-batch", "batch_norm_input(G, input, result1, result2, weight)"),
        "weight": ("scale", "batch_norm_weight(G, input, result1, result2)"),
        "bias": ("bias", "channel_sum(G)"),
    },
    "NativeGroupNorm": {
        "input": ("normalised-group", "group_norm_input(G, input, result1, result2, group, weight)"),
        "weight": ("scale", "group_norm_weight(G, input, result1, result2, group)"),
        "bias": ("bias", "channel_sum(G)"),
    },
    "Convolution": {
        "input": ("convolution", f"convolution_input(G, weight, {_SLIDES})"),
        "weight": ("kernel", f"convolution_weight(G, input, {_SLIDES})"),
        "bias": ("bias", "channel_sum(G)"),
    },
    "MaxPool2DWithIndices": _winner(2),
    "MaxPool3DWithIndices": _winner(3),
    "AdaptiveMaxPool2D": _winner(2),
    "AdaptiveMaxPool3D": _winner(3),
    **{
        name: {
            "self": (
                "pool",
                "pooled_mean(G, kernel_size, stride, padding, count_include_pad, divisor_override, shape)",
            )
        }
        for name in ("AvgPool2D", "AvgPool3D")
    },
    "AdaptiveAvgPool2D": {"self": ("pool", "pooled_adaptive(G, shape, 2)")},
    "AdaptiveAvgPool3D": {"self": ("pool", "pooled_adaptive(G, shape, 3)")},
    "Embedding": {"weight": ("embedding", "embedded(G, indices, padding_idx, scale_grad_by_freq, shape)")},
    "NativeDropout": {"input": ("dropout", "")},
    "Cumsum": {"self": ("cumulative", "after(G, dim)")},
    "Cumprod": {"self": ("running-product", "running_product(G, self, dim)")},
    "Repeat": {"self": ("stretched", "")},
    "Expand": {"self": ("stretched", "1")},
    "CopySlices": {"": ("slices", "")},
    **{
        name: {"self": ("shape", "reshaped(G, shape)")}
        for name in ("View", "UnsafeView", "ReshapeAlias", "Squeeze", "Unsqueeze")
    },
    "Transpose": {"self": ("axes", "transposed(G, dim0, dim1)")},
    "Permute": {"self": ("axes", "permuted(G, dims)")},
    "Flip": {"self": ("axes", "flipped(G, dims)")},
    **{name: {"self": ("axes", "")} for name in ("Roll", "AsStrided")},
    "Select": {"self": ("taken", "taken(G, dim, index, shape)")},
    "Slice": {"self": ("taken", "cut_out(G, dim, start, end, step, shape)")},
    **{name: {"self": ("taken", "")} for name in ("Diagonal", "Tril", "Triu", "MaskedSelect")},
    "Index": {"self": ("looked-up", "")},
    "IndexSelect": {"self": ("looked-up", "selected(G, index, dim, shape)")},
    "Gather": {"self": ("looked-up", "placed(G, index, dim, shape)")},
    **{name: {"tensors": ("part", "")} for name in ("Cat", "Stack")},
    **{name: {"self": ("joined", "")} for name in ("Split", "SplitWithSizes", "UnsafeSplit", "Unbind")},
    "ScaledDotProductFlashAttentionForCpu": {
        "query": ("attention", f"attended(0, {_ATTENTION})"),
        "key": ("attention", f"attended(1, {_ATTENTION})"),
        "value": ("attention-value", f"attended(2, {_ATTENTION})"),
    },
}

# Where torch gives 0 although the formula has no value: 0 · ∞ and the like.
ZERO = {
    ("Pow", "self"): "exponent == 0",
    ("Pow", "exponent"): "(self == 0) & (exponent >= 0)",
    ("Std", "self"): "result == 0",
    ("Norm", "self"): "self == 0",
    ("LinalgVectorNorm", "self"): "self == 0",
}

# Rules for particular arguments of the call: per node and input rows of (name, value, rule); the first match counts.
# ANY: the argument was given. A rule is a local derivative, or a message and an expression.
ANY = object()
Rule = str | tuple[str, str]
_ROUNDED: list[tuple[str, object, Rule]] = [("rounding_mode", "'floor'", "0"), ("rounding_mode", "'trunc'", "0")]


def _by_order(name: str) -> list[tuple[str, object, Rule]]:
    return [
        (name, 0, "0"),
        (name, 1, "sign(self)"),
        (name, 2, "self / result"),
        (name, math.inf, ("farthest", _EXTREME)),
        (name, -math.inf, ("nearest", _EXTREME)),
    ]


VARIANTS: dict[tuple[str, str], list[tuple[str, object, Rule]]] = {
    ("Norm", "self"): _by_order("p"),
    ("LinalgVectorNorm", "self"): _by_order("ord"),
    ("Div", "self"): _ROUNDED,
    ("Div", "other"): _ROUNDED,
    ("Softplus", "self"): [("threshold", 20, "1 / (1 + exp(-beta * self))")],  # 2e-9 apart where it counts
    ("Gelu", "self"): [("approximate", "'tanh'", ("gelu-tanh", "gelu_tanh_slope(self)"))],
    ("NativeBatchNorm", "input"): [
        ("training", "False", ("normalised-eval", "batch_norm_eval(G, running_var, eps, weight)"))
    ],
    ("NativeBatchNorm", "weight"): [
        (
            "training",
            "False",
            ("scale-eval", "batch_norm_weight(G, input, running_mean, 1 / sqrt(running_var + eps))"),
        )
    ],
    ("Convolution", "input"): [
        ("transposed", "True", ("turned-convolution", f"convolution_input(G, weight, {_SLIDES})"))
    ],
    ("BinaryCrossEntropyWithLogits", "self"): [
        ("pos_weight", ANY, "weight * ((pos_weight * target + 1 - target) * sigmoid(self) - pos_weight * target) / n")
    ],
    ("Embedding", "weight"): [
        ("padding_idx", -1, ("embedding-all", "embedded(G, indices, padding_idx, scale_grad_by_freq, shape)"))
    ],
}

COMMUTES = {"Add", "Mul", "Maximum", "Minimum"}  # the two operands are interchangeable

# torch's defaults.
DEFAULTS: dict[str, float | None] = {
    "alpha": 1.0,
    "beta": 1.0,
    "value": 1.0,
    "min": -math.inf,
    "max": math.inf,
    "correction": 1.0,
    "threshold": 20.0,
    "scale": 1.0,
    "input_scale": 1.0,
    "dim": None,
}

# Optional inputs; None in a formula.
OPTIONAL = ("weight", "pos_weight", "divisor_override", "scale", "attn_mask")
