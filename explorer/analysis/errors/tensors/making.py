"""Tensors that cannot be created: of texts, ragged lists, objects, numbers too large; samples of distributions."""

import re

from explorer.analysis.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.source import find_lines, shorten_code, with_argument
from explorer.analysis.source.words import closing

RANGES = {"uint8": "0…255", "int8": "−128…127", "int16": "−32768…32767", "int32": "−2147483648…2147483647"}
DTYPES = "float16|float32|float64|int8|int16|int32|int64|uint8|bool|long|double"
_KINDS = {"GreaterThan": "positive", "GreaterThanEq": "nonnegative", "Simplex": "simplex", "Interval": "interval"}
_KINDS |= {"Real": "real", "PositiveDefinite": "definite", "Boolean": "boolean", "IntegerInterval": "whole"}

RULES = Rules()


@RULES.rule("ValueError|TypeError", r"too many dimensions 'str'|new\(\): invalid data type 'str'")
def of_text(at: FailureContext) -> Explanation | None:
    """A tensor of texts."""
    if at.operation_name not in ("tensor", "as_tensor"):
        return None
    call, given = at.call, at.arguments.get(0, default=None)
    number = re.compile(r"\s*[-+]?\d{1,30}(?:\.\d{0,30})?(?:e[-+]?\d{1,2})?\s*")
    entries = given if isinstance(given, list) else []
    texts = [each for each in entries if isinstance(each, str) and number.fullmatch(each)]
    numeric = texts and len(texts) == len(entries)
    alone = numeric and call is not None and len(call.arguments) == 1 and not at.arguments.named
    new = call.with_arguments(f"[float(text) for text in {call.arguments[0]}]") if alone else None
    return at.explain("tensor-of-number-texts" if numeric else "tensor-of-text", new)


@RULES.rule(
    "TypeError",
    r"^not a sequence|'(?:list|tuple)' object cannot be interpreted as an integer"
    r"|must be real number, not (?:list|tuple)",
)
def mixed_depth(at: FailureContext) -> Explanation | None:
    """A tensor of numbers beside lists."""
    return at.explain("mixed-depth") if at.operation_name == "tensor" else None


@RULES.rule("TypeError", r"can't convert np\.ndarray of type numpy\.object_")
def of_objects(at: FailureContext) -> Explanation:
    """A tensor of a NumPy array of objects."""
    pattern = r"\b(?:np|numpy)\.(?:as)?array\(\s*([\w.]+\.(?:values|keys|items)\(\)|(?:map|zip|filter)\(.*\))\s*\)"
    if lazy := re.search(pattern, at.code):
        new = at.code.replace(lazy[1], f"list({lazy[1]})", 1)
        return at.explain("array-of-one-object", new, given=shorten_code(lazy[1]))
    if counts := _lengths(at):
        return at.explain("array-of-lists", lengths=counts)
    made = list(find_lines(at.trace, r"pd\.get_dummies\("))
    line, found = made[0] if len(made) == 1 else (None, None)
    end = closing(line.text, found.end() - 1) + 1 if line else 0
    call = line.text[found.start() : end] if end else ""
    if not call or "dtype" in call:
        return at.explain("array-of-objects")
    repair = line.replace(line.text[: found.start()] + with_argument(call, "dtype=float") + line.text[end:])
    return at.explain("array-of-dummies", repair, made=shorten_code(call), line=line.line)


def _lengths(at: FailureContext) -> str:
    """The lengths of an array's rows, if they differ: "3, 2, 1"; "" if the text does not show them."""
    for text in [at.code, *(only.value for name in at.here.reads if (only := at.only_assignment(name)))]:
        rows = re.findall(r"\[([^\[\]]*)\]", text) if "[[" in text.replace(" ", "") else []
        counts = [len([entry for entry in row.split(",") if entry.strip()]) for row in rows]
        if len(set(counts)) > 1:
            return ", ".join(map(str, counts[:6])) + (", …" if len(counts) > 6 else "")
    return ""


@RULES.rule("RuntimeError", r"value cannot be converted to type (?P<dtype>u?int\d+?)(?:_t)? without overflow")
def overflow(at: FailureContext) -> Explanation | None:
    """A number outside the range of a dtype."""
    dtype = at["dtype"]
    new = re.sub(rf"\btorch\.{dtype}\b", "torch.int64", at.code, count=1)
    return at.explain("overflow", new, range=RANGES[dtype]) if dtype in RANGES else None


@RULES.rule("ValueError|RuntimeError|OverflowError", r"Overflow when unpacking long|int too big to convert")
def overflow_of_long(at: FailureContext) -> Explanation:
    """A whole number outside the range of int64."""
    alone = at.operation_name == "tensor" and "dtype" not in at.code and at.call
    return at.explain("overflow-of-int64", with_argument(at.code, "dtype=torch.float64") if alone else None)


@RULES.rule("TypeError", r"expected np\.ndarray \(got (?P<given>\w+)\)")
def from_numpy(at: FailureContext) -> Explanation:
    """from_numpy of something else."""
    plain = at.call and at.call.head == "torch.from_numpy" and at["given"] in ("list", "tuple", "float", "int")
    return at.explain("from-numpy", f"torch.tensor({', '.join(at.call.arguments)})" if plain else None)


@RULES.rule("ValueError", r"At least one stride in the given numpy array is negative")
def negative_stride(at: FailureContext) -> Explanation:
    """A tensor of a NumPy array that runs backward."""
    known = at.call and at.call.head in ("torch.from_numpy", "torch.tensor", "torch.as_tensor")
    sole = known and len(at.call.arguments) == 1
    return at.explain("negative-stride", at.change_argument(0, ".copy()") if sole else None)


@RULES.rule("TypeError", r"argument 'dtype' (?:\(position \d+\) )?must be torch\.dtype, not (?P<given>\w+)")
def dtype_of_text(at: FailureContext) -> Explanation:
    """dtype="float32" or dtype=np.float32."""
    pattern = rf"(dtype\s*=\s*)(?:(['\"])(?:torch\.)?({DTYPES})\2|(?:np|numpy)\.({DTYPES}))"
    new, count = re.subn(pattern, lambda word: f"{word[1]}torch.{word[3] or word[4]}", at.code)
    return at.explain("dtype-not-torch", new if count == 1 else None)


@RULES.rule(
    "ValueError",
    r"Expected parameter (?P<parameter>\w+) \(Tensor of shape (?P<shape>\(.*?\))\) of "
    r"distribution (?P<distribution>\w+)\(.*?to satisfy the constraint (?P<constraint>.*?), "
    r"but found invalid values:\s*(?P<values>.*)",
)
def parameter(at: FailureContext) -> Explanation:
    """A scale that is negative, probabilities that do not sum to 1, NaN."""
    return _invalid(at, "distribution-parameter", at["parameter"])


@RULES.rule(
    "ValueError",
    r"Expected value argument \(Tensor of shape (?P<shape>\(.*?\))\) to be within the support \((?P<constraint>.*?)\) "
    r"of the distribution (?P<distribution>\w+)\(.*?but found invalid values:\s*(?P<values>.*)",
)
def value(at: FailureContext) -> Explanation:
    """log_prob of a value that the distribution never takes."""
    return _invalid(at, "distribution-value", "value")


def _invalid(at: FailureContext, kind: str, parameter: str) -> Explanation:
    """NaN, or numbers that torch's constraint excludes: a kind and its bounds, "other" with torch's own words."""
    if "nan" in at["values"]:
        return at.explain("distribution-of-nan", parameter=parameter)
    text = at["constraint"]
    name = re.search(r"(?:IndependentConstraint\()?(\w+)\(", text)
    bounds = re.findall(r"(?:lower|upper)_bound=([^,)]+)", text)
    wanted = _KINDS.get(name[1], "other") if name else "other"
    low = bounds[0] if bounds else ""
    if wanted in ("positive", "nonnegative") and low not in ("0", "0.0"):
        wanted = "other"
    one_line = re.sub(r"\s+", " ", at["values"].strip())
    given = shorten_code(re.sub(r"^tensor\((.*)\)$", r"\1", one_line).split(", grad_fn")[0])
    limits = {"low": low if wanted != "other" else shorten_code(text), "high": bounds[-1] if bounds else ""}
    return at.explain(kind, parameter=parameter, wanted=wanted, given=given, **limits)


RULES.message_rules(
    {
        r"RuntimeError: Could not infer dtype of (?P<given>NoneType)": "tensor-of-none",
        r"RuntimeError: Could not infer dtype of (?P<given>\w+)": "tensor-of-object",
        r"ValueError: expected sequence of length (?P<length>\d+) at dim \d+ \(got (?P<got>\d+)\)": "ragged",
        r"ValueError: could not determine the shape of object type '(?P<given>DataFrame|Series)'": "tensor-of-frame",
        r"TypeError: can't convert np\.ndarray of type numpy\.str_": "array-of-text",
        r"RuntimeError: probability tensor contains either": "sample-of-no-weights",
        r"RuntimeError: Expected p_in >= 0 && p_in <= 1": "sample-of-no-probability",
        r"RuntimeError: invalid multinomial distribution \(sum of probabilities <= 0\)": "sample-of-zeros",
        r"RuntimeError: cannot sample n_sample > prob_dist\.size\(-1\)": "sample-too-large",
        r"RuntimeError: (?P<function>multinomial|bernoulli\w*) only supports floating-point": "sample-of-integers",
        r"RuntimeError: normal expects std >= 0\.0, but found std (?P<given>\S+)": "sample-of-negative-spread",
    }
)
