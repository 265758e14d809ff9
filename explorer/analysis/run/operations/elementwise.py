"""Operations on single entries of each operand: names, notation, value, derivatives."""

from explorer.analysis.run.operations import alike
from explorer.analysis.run.operations.call import CallPart, NoEntryMap, OperationCall, constant, paired
from explorer.analysis.run.operations.record import Derivative, EntryMap, Offer, Operation, Rule
from explorer.trace import InputTensor

_HALF_AT_TIES = "where({0} {sign} {1}, 0, where({0} == {1}, 0.5, 1))"


def _each(name: str, notation: str = "", forward: str = "", by: Rule = "", **fields) -> Operation:
    """Define an operation on one operand. `by`: its derivative."""
    facts: dict = {"derivative": {"self": by} if by else {}, "subject": "each", "back": "slope", "entrywise": True}
    return Operation(name, notation=notation, forward=forward, entries=related, **(facts | fields))


def _pair(name: str, notation: str, forward: str, by: tuple[Rule, ...] = (), **fields) -> Operation:
    """Define an operation on two operands. `by`: its derivative by each."""
    facts: dict = {"derivative": dict(zip(("self", "other"), by, strict=False)), "subject": "each", "entrywise": True}
    return Operation(name, notation=notation, forward=forward, entries=related, **(facts | fields))


def _extreme(name: str, word: str, short: str, sign: str, drawn: str) -> Operation:
    by = tuple(
        Derivative(_HALF_AT_TIES.format(*two, sign=sign), word) for two in (("self", "other"), ("other", "self"))
    )
    offer = Offer(
        short, f"torch.{name}({{0}}, {{1}})", (f"{{v}} · [{{0}} {drawn} {{1}}]", f"{{v}} · [{{1}} {drawn} {{0}}]")
    )
    notation = f"{short}({{0}}, {{1}})"
    return _pair(name, notation, f"{name}(self, other)", by, aliases=short, commutes=True, offer=offer, back="larger")


_FACTORS = ("factor", "factor")
_ORIGIN = "(self == 0) & (other == 0)"
_FLOOR_OR_TRUNC = (("rounding_mode", "'floor'", Derivative("0")), ("rounding_mode", "'trunc'", Derivative("0")))
_GELU_TANH = (("approximate", "'tanh'", Derivative("gelu_tanh_slope(self)", "gelu-tanh")),)
_SOFTPLUS = (("threshold", 20, Derivative("1 / (1 + exp(-beta * self))")),)  # at most 2e-9 apart in the relevant range


def related(call: OperationCall, operation: Operation) -> EntryMap:
    """Map operands, plain numbers included, to the one result. Raises NoEntryMap."""
    shape = call.results[0].shape
    if (
        call.name.startswith(("_", "bitwise"))
        and operation.name.startswith("logical")
        and call.operands[0].dtype != "bool"
    ):
        raise NoEntryMap("bits")
    if len(operation.operands) == 1:
        given = _options(call, operation)
        bound = "clamp_min" if "max" not in given else "clamp_max" if "min" not in given else "clamp"
        rule = bound if operation.name == "clamp" else operation.name
        return call.operands[:1], [paired([call.operands[0].shape], shape, rule, **given)]
    parts: tuple[CallPart, ...] = _operand(call, 0, "input", "self"), _operand(call, 1, "other", "exponent")
    if call.plain(-1, "alpha", default=1) != 1 or call.plain(-1, "rounding_mode", default=None) is not None:
        parts = (*parts, _scale(call, operation))
        return parts, [paired([part.shape for part in parts], shape, "scaled")]
    parts = parts[::-1] if operation.names.get(call.name) else parts
    return parts, [paired([part.shape for part in parts], shape, operation.name)]


def _options(call: OperationCall, operation: Operation) -> dict[str, float]:
    """Return an operation's numeric options."""
    given = {name: call.plain(1 + k, name, default=plain) for k, (name, plain) in enumerate(operation.options.items())}
    if not all(number is None or isinstance(number, int | float) for number in given.values()):
        raise NoEntryMap("bounds")
    return {name: float(number) for name, number in given.items() if number is not None}


def _scale(call: OperationCall, operation: Operation) -> CallPart:
    """Return alpha of `add(a, b, alpha=2)` as an operand, because every entry reads it."""
    alpha = call.plain(-1, "alpha", default=None)
    if operation.name not in ("add", "sub") or not isinstance(alpha, int | float):
        raise NoEntryMap("mode")
    return constant(alpha if operation.name == "add" else -alpha)


def _operand(call: OperationCall, position: int, *names: str) -> CallPart:
    match call.plain(position, *names):
        case InputTensor(number):
            return call.operands[number]
        case bool() | int() | float() as number:
            return constant(number)
    raise NoEntryMap("operand")


MAXIMUM = _extreme("maximum", "larger", "max", "<", ">")
MINIMUM = _extreme("minimum", "smaller", "min", ">", "<")

OPERATIONS = (
    # one operand
    _each("abs", "|{0}|", "abs(self)", "sign(self)", aliases="absolute __abs__", spoken="|{0}|"),
    _each("neg", "−{0}", "-self", "-1", aliases="negative __neg__", spoken="−{0}", alike=alike.same),
    _each("exp", "e^{0}", "exp(self)", "result"),
    _each("exp2", "2^{0}", "exp2(self)", "result * ln(2)"),
    _each("expm1", "e^{0} − 1", "expm1(self)", "result + 1"),
    _each("log", "log {0}", "ln(self)", "1 / self"),
    _each("log2", "log₂ {0}", "log2(self)", "1 / (self * ln(2))"),
    _each("log10", "log₁₀ {0}", "log10(self)", "1 / (self * ln(10))"),
    _each("log1p", "log(1 + {0})", "log1p(self)", "1 / (1 + self)"),
    _each("sqrt", "√{0}", "sqrt(self)", "1 / (2 * result)"),
    _each("rsqrt", "1 / √{0}", "1 / sqrt(self)", "-result**3 / 2"),
    _each("square", "{0}²", "square(self)", "2 * self", spoken="{0}²"),
    _each("reciprocal", "1 / {0}", "1 / self", "-result**2"),
    _each("sin", "sin {0}", "sin(self)", "cos(self)"),
    _each("cos", "cos {0}", "cos(self)", "-sin(self)"),
    _each("tan", "tan {0}", "tan(self)", "1 + result**2"),
    _each("asin", "asin {0}", "arcsin(self)", "1 / sqrt(1 - self**2)", aliases="arcsin"),
    _each("acos", "acos {0}", "arccos(self)", "-1 / sqrt(1 - self**2)", aliases="arccos"),
    _each("atan", "atan {0}", "arctan(self)", "1 / (1 + self**2)", aliases="arctan"),
    _each("asinh", "asinh {0}", "sign(self) * ln(abs(self) + sqrt(1 + self**2))", "1 / sqrt(1 + self**2)",
          aliases="arcsinh"),
    _each("atanh", "atanh {0}", "ln((1 + self) / (1 - self)) / 2", "1 / (1 - self**2)", aliases="arctanh"),
    _each("logit", "log({0} / (1 − {0}))", "ln(self / (1 - self))",
          "where((self >= 0) & (self <= 1), 1 / (self * (1 - self)), result)"),
    _each("sinh", "sinh {0}", "sinh(self)", "cosh(self)"),
    _each("cosh", "cosh {0}", "cosh(self)", "sinh(self)"),
    _each("tanh", "tanh {0}", "tanh(self)", "1 - result**2", flat="far"),
    _each("erf", "erf {0}", "erf(self)", "2 * exp(-self**2) / sqrt(3.141592653589793)"),
    _each("erfc", "erfc {0}", "erfc(self)"),
    _each("special_erfcx", "e^({0}²) · erfc({0})", "exp(self**2) * erfc(self)",
          "2 * self * result - 2 / sqrt(3.141592653589793)"),
    _each("special_entr", "−{0} · log {0}", "where(self > 0, -self * ln(self), where(self == 0, 0, ln(0)))",
          "-1 - ln(self)"),
    _each("sinc", "sin(π·{0}) / (π·{0})", "sinc(self)",
          Derivative("(cos(3.141592653589793 * self) - result) / self", zero="self == 0")),
    _each("lgamma", "log Γ({0})", "lgamma(self)"),
    Operation("digamma", entrywise=True),
    Operation("sgn", flat="step"),
    Operation("heaviside", flat="step"),
    _each("sigmoid", "σ({0})", "sigmoid(self)", "result * (1 - result)", aliases="expit special_expit", flat="far"),
    _each("log_sigmoid", "log σ({0})", "-logaddexp(0, -self)", "1 / (1 + exp(self))", aliases="logsigmoid", flat="far"),
    _each("relu", "relu({0})", "maximum(self, 0)", "where(result > 0, 1, 0)", step="relu", flat="part"),
    _each("relu6", "relu6({0})", "minimum(maximum(self, 0), 6)", flat="part"),
    _each("leaky_relu", "leaky_relu({0}, {negative_slope})", "where(self > 0, self, self * negative_slope)",
          "where(self > 0, 1, negative_slope)", options={"negative_slope": 0.01}, flat="far"),
    _each("elu", "elu({0})", "where(self > 0, self, expm1(minimum(self, 0)))",
          "where(self > 0, scale, scale * alpha * input_scale * exp(input_scale * self))", flat="far"),
    _each("celu", "celu({0}, {alpha})", "maximum(self, 0) + minimum(0, alpha * expm1(self / alpha))",
          "where(self > 0, 1, exp(self / alpha))", options={"alpha": 1.0}),
    _each("selu", "selu({0})",
          "1.0507009873554805 * where(self > 0, self, 1.6732632423543772 * expm1(minimum(self, 0)))"),
    _each("gelu", "gelu({0})", "self * (1 + erf(self / sqrt(2))) / 2",
          Derivative("gelu_slope(self)", "gelu", cases=_GELU_TANH)),
    _each("silu", "silu({0})", "self * sigmoid(self)", "sigmoid(self) * (1 + self * (1 - sigmoid(self)))"),
    _each("mish", "mish({0})", "self * tanh(logaddexp(self, 0))"),
    _each("softplus", "softplus({0})", "logaddexp(self, 0)",
          Derivative("where(beta * self > threshold, 1, 1 / (1 + exp(-beta * self)))", cases=_SOFTPLUS), flat="far"),
    _each("softsign", "softsign({0})", "self / (1 + abs(self))"),
    _each("tanhshrink", "tanhshrink({0})", "self - tanh(self)"),
    _each("hardtanh", "hardtanh({0}, {min_val}, {max_val})", "minimum(maximum(self, min_val), max_val)",
          "where((self > min_val) & (self < max_val), 1, 0)", options={"min_val": -1.0, "max_val": 1.0}, flat="part"),
    _each("hardsigmoid", "hardsigmoid({0})", "minimum(maximum(self / 6 + 0.5, 0), 1)",
          "where((self > -3) & (self < 3), 1 / 6, 0)", flat="part"),
    _each("hardswish", "hardswish({0})", "self * minimum(maximum(self / 6 + 0.5, 0), 1)",
          Derivative("where(self <= -3, 0, where(self < 3, self / 3 + 0.5, 1))", "hardswish"), flat="part"),
    _each("hardshrink", "hardshrink({0}, {lambd})", "where(abs(self) > lambd, self, 0)",
          "where(abs(self) > lambd, 1, 0)",
          options={"lambd": 0.5}),
    _each("softshrink", "softshrink({0}, {lambd})", "where(abs(self) > lambd, self - lambd * sign(self), 0)",
          "where(abs(self) > lambd, 1, 0)", options={"lambd": 0.5}),
    _each("threshold", "threshold({0}, {threshold}, {value})", "where(self > threshold, self, value)",
          "where(self > threshold, 1, 0)", options={"threshold": None, "value": None}, flat="part"),
    _each("clamp", "clamp({0}, {min}, {max})", "minimum(maximum(self, min), max)",
          "where((self >= min) & (self <= max), 1, 0)", aliases="clip",
          stretches=True, options={"min": None, "max": None}, flat="part"),
    _each("clamp_min", "max({0}, {min})", "maximum(self, min)", options={"min": None},
          derivative={"self": "where(self >= min, 1, 0)", "min": "where(self < min, 1, 0)"}, flat="part"),
    _each("clamp_max", "min({0}, {max})", "minimum(self, max)", options={"max": None},
          derivative={"self": "where(self <= max, 1, 0)", "max": "where(self > max, 1, 0)"}, flat="part"),
    _each("floor", "⌊{0}⌋", "floor(self)", "0", flat="step"),
    _each("ceil", "⌈{0}⌉", "ceil(self)", "0", flat="step"),
    _each("round", "round({0})", "round(self)", "0", flat="step"),
    _each("trunc", "trunc({0})", "trunc(self)", flat="step"),
    _each("frac", "frac({0})", "self - trunc(self)"),
    _each("sign", "sign({0})", "sign(self)", "0", flat="step"),
    _each("logical_not", "not {0}", "logical_not(self)", aliases="__invert__ bitwise_not", gives="truth"),
    _each("isnan", "isnan({0})", "isnan(self)", gives="truth"),
    _each("isinf", "isinf({0})", "isinf(self)", gives="truth"),
    _each("isfinite", "isfinite({0})", "isfinite(self)", gives="truth"),
    # two operands
    _pair("add", "{0} + {1}", "self + other", ("1", "alpha"), operator="+", aliases="__add__ __radd__ __iadd__",
          commutes=True, straight=True, back="same", step="add", alike=alike.added, roles=("summand", "summand"),
          offer=Offer("+", "{0} + {1}", ("{v}", "{v}"))),
    _pair("sub", "{0} − {1}", "self - other", ("1", "-alpha"), operator="-",
          aliases="subtract __sub__ __isub__ r:__rsub__ r:rsub",
          nodes={"Rsub": {"self": "-alpha", "other": "1"}}, straight=True, back="sub", step="sub", alike=alike.added,
          roles=("minuend", "subtrahend"),
          offer=Offer("−", "{0} - {1}", ("{v}", "−{v}"))),
    _pair("mul", "{0} · {1}", "self * other", ("other", "self"), operator="*", commutes=True,
          aliases="multiply __mul__ __rmul__ __imul__", straight=True,
          back="mul", step="mul", roles=_FACTORS, alike=alike.scaled,
          offer=Offer("×", "{0} * {1}", ("", ""))),
    _pair("div", "{0} / {1}", "divide(self, other)", operator="/", straight=True, roles=("numerator", "denominator"),
          alike=alike.divided,
          derivative={"self": Derivative("1 / other", cases=_FLOOR_OR_TRUNC),
                      "other": Derivative("-self / other**2", cases=_FLOOR_OR_TRUNC)},
          aliases="divide true_divide __truediv__ __div__ __itruediv__ r:__rdiv__ r:__rtruediv__",
          offer=Offer("÷", "{0} / {1}", ("{v} / {1}", "−{v} · {0} / {1}²"))),
    _pair("pow", "{0}^{1}", "power(self, exponent)", operator="**", spoken="{0} ** {1}", roles=("base", "exponent"),
          aliases="__pow__ __ipow__ r:__rpow__",
          derivative={"self": Derivative("exponent * self**(exponent - 1)", zero="exponent == 0"),
                      "exponent": Derivative("result * ln(self)", zero="(self == 0) & (exponent >= 0)")},
          offer=Offer("**", "{0} ** {1}", ("{v} · {1} · {0} ** ({1} − 1)", "{v} · {0} ** {1} · ln {0}"))),
    _pair("floor_divide", "⌊{0} / {1}⌋", "floor_divide(self, other)", operator="//", aliases="__floordiv__"),
    _pair("remainder", "{0} mod {1}", "remainder(self, other)", ("1", ""), operator="%", aliases="__mod__ fmod",
          nodes={"Fmod": {"self": "1"}}),
    _pair("atan2", "atan2({0}, {1})", "arctan2(self, other)",
          (Derivative("other / (self**2 + other**2)", zero=_ORIGIN),
           Derivative("-self / (self**2 + other**2)", zero=_ORIGIN)),
          aliases="arctan2"),
    _pair("logaddexp", "log(e^{0} + e^{1})", "logaddexp(self, other)",
          ("sigmoid(self - other)", "sigmoid(other - self)")),
    _pair("logaddexp2", "log₂(2^{0} + 2^{1})", "logaddexp2(self, other)",
          ("1 / (1 + 2**(other - self))", "1 / (1 + 2**(self - other))")),
    MAXIMUM,
    MINIMUM,
    _pair("fmax", "fmax({0}, {1})", "fmax(self, other)"),
    _pair("fmin", "fmin({0}, {1})", "fmin(self, other)"),
    _pair("hypot", "√({0}² + {1}²)", "hypot(self, other)", ("self / result", "other / result")),
    _pair("copysign", "copysign({0}, {1})", "copysign(self, other)"),
    _pair("xlogy", "{0} · log {1}", "where(self == 0, 0, self * ln(other))"),
    _pair("eq", "({0} == {1})", "self == other", aliases="__eq__", gives="truth"),
    _pair("ne", "({0} != {1})", "self != other", aliases="__ne__ not_equal", gives="truth"),
    _pair("lt", "({0} < {1})", "self < other", aliases="__lt__ less", gives="truth"),
    _pair("le", "({0} <= {1})", "self <= other", aliases="__le__ less_equal", gives="truth"),
    _pair("gt", "({0} > {1})", "self > other", aliases="__gt__ greater", gives="truth"),
    _pair("ge", "({0} >= {1})", "self >= other", aliases="__ge__ greater_equal", gives="truth"),
    _pair("isclose", "({0} ≈ {1})", "isclose(self, other)", gives="truth"),
    _pair("logical_and", "{0} and {1}", "logical_and(self, other)", aliases="__and__ bitwise_and", gives="truth"),
    _pair("logical_or", "{0} or {1}", "logical_or(self, other)", aliases="__or__ bitwise_or", gives="truth"),
    _pair("logical_xor", "{0} xor {1}", "logical_xor(self, other)", aliases="__xor__", gives="truth"),
    _pair("scaled", "{0} + {2} · {1}", "self + other * alpha", ("1", "alpha"), straight=True, back="scaled",
          subject=""),
    _pair("squared_difference", "({0} − {1})²", "square(self - other)", ("2 * (self - other)", "-2 * (self - other)"),
          subject="", offer=Offer("−", "({0} - {1}) ** 2", ("{v} · 2({0} − {1})", "−{v} · 2({0} − {1})"), False)),
    # without a value here
    Operation("prelu", aliases="_prelu_kernel", entrywise=True, nodes={
        "PreluKernel": {"self": "where(self > 0, 1, weight)", "weight": "where(self > 0, 0, self)"}}),
    Operation("addcmul", stretches=True, derivative={
        "self": "1", "tensor1": "value * tensor2", "tensor2": "value * tensor1"}),
    Operation("addcdiv", stretches=True, derivative={
        "self": "1", "tensor1": "value / tensor2", "tensor2": "-value * tensor1 / tensor2**2"}),
    Operation("lerp", stretches=True, derivative={"self": "1 - weight", "end": "weight", "weight": "end - self"}),
)  # fmt: skip
