"""Tensors that cannot be made or kept: strings, ragged lists, dtypes, devices, distributions."""

import re

from explorer.analysis.diagnose.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.run.source.definitions import calls, imported
from explorer.analysis.run.source.expressions import shorten_code

RULES = Rules()

_NAME = r"(?P<quote>['\"])(?:cuda|mps|xpu|gpu|GPU)(?::\d)?(?P=quote)"
_PLACES = re.compile(rf"((?:\.to|\btorch\.device|\bset_default_device|\.type)\(\s*|\bdevice\s*=\s*){_NAME}(?!\s+if\b)")
_CALLS = re.compile(r"\.(?:cuda|xpu)\(\s*\d?\s*\)")


def on_cpu(source: str) -> str:
    """Rewrite code for the CPU: drop .cuda(), replace device names.

    >>> on_cpu("x = torch.ones(2, device='cuda').cuda()")
    "x = torch.ones(2, device='cpu')"
    """
    return _CALLS.sub("", _PLACES.sub(lambda match: f"{match[1]}{match['quote']}cpu{match['quote']}", source))


@RULES.rule(
    r"AssertionError|RuntimeError|NotImplementedError|TypeError: Torch not compiled with (CUDA|XPU) enabled|Found "
    r"no NVIDIA (driver)|not linked with support for (mps) devices|type torch\.(cuda)\.\w+ not available"
    r"|arguments from the '(MPS|CUDA|XPU)' backend|Cannot access (accelerator) device when"
    r" none|Cannot get (CUDA) generator|(No CUDA) GPUs are available|The (MPS) backend|Cannot initialize (CUDA) without"
)
def no_device(at: FailureContext) -> Explanation:
    """Explain a request for a graphics card on a machine without one."""
    kind = "no-mps" if "mps" in [(name or "").lower() for name in at.found.groups()] else "no-gpu"
    return at.explain(kind, on_cpu(at.code))


@RULES.rule(r"RuntimeError: Expected one of cpu, cuda, .* device type at start of device string: (?P<name>\S+)")
def device_name(at: FailureContext) -> Explanation:
    """Explain an unknown device name."""
    return at.explain("device-name", on_cpu(at.code))


_KINDS = {"GreaterThan": "positive", "GreaterThanEq": "nonnegative", "Simplex": "simplex", "Interval": "interval"}
_KINDS |= {"Real": "real", "PositiveDefinite": "definite", "Boolean": "boolean", "IntegerInterval": "whole"}


@RULES.rule(r"ValueError|TypeError: too many dimensions 'str'|new\(\): invalid data type 'str'")
def of_text(at: FailureContext) -> Explanation | None:
    """Explain a tensor of strings."""
    if at.function not in ("tensor", "as_tensor"):
        return None
    given = at.arguments.get(0, default=None)
    number = re.compile(r"\s*[-+]?\d{1,30}(?:\.\d{0,30})?(?:e[-+]?\d{1,2})?\s*")
    entries = given if isinstance(given, list) else []
    texts = [each for each in entries if isinstance(each, str) and number.fullmatch(each)]
    numeric = texts and len(texts) == len(entries)
    return at.explain("tensor-of-number-texts" if numeric else "tensor-of-text")


@RULES.rule(r"ValueError: expected sequence of length \d+ at dim 1 \(got 0\)")
def of_reset(at: FailureContext) -> Explanation | None:
    """Explain a tensor made of gym's reset(), which returns a pair."""
    reset = any((part.made or part.text).endswith(".reset()") for part in at.given)
    return at.explain("tensor-of-reset") if reset and {"gym", "gymnasium"} & imported(at.trace) else None


@RULES.rule(r"TypeError: can't convert np\.ndarray of type numpy\.object_")
def of_objects(at: FailureContext) -> Explanation:
    """Explain a tensor of a NumPy array of objects."""
    pattern = r"\b(?:np|numpy)\.(?:as)?array\(\s*([\w.]+\.(?:values|keys|items)\(\)|(?:map|zip|filter)\(.*\))\s*\)"
    if lazy := re.search(pattern, at.code):
        new = at.code.replace(lazy[1], f"list({lazy[1]})", 1)
        return at.explain("array-of-one-object", new, given=shorten_code(lazy[1]))
    if counts := _lengths(at):
        return at.explain("array-of-lists", lengths=counts)
    made = calls(at.trace, ("get_dummies",))
    places = [code for _, call, code in made if all(one.arg != "dtype" for one in call.keywords)]
    if len(places) != 1:
        return at.explain("array-of-objects")
    return at.explain("array-of-dummies", made=shorten_code(places[0].text), line=places[0].line)


def _lengths(at: FailureContext) -> str:
    """Return an array's different row lengths, such as "3, 2, 1", or ""."""
    for text in [at.code, *(part.made for part in at.parts)]:
        rows = re.findall(r"\[([^\[\]]*)\]", text) if "[[" in text.replace(" ", "") else []
        counts = [len([entry for entry in row.split(",") if entry.strip()]) for row in rows]
        if len(set(counts)) > 1:
            return ", ".join(map(str, counts[:6])) + (", …" if len(counts) > 6 else "")
    return ""


def _invalid(at: FailureContext, kind: str, parameter: str) -> Explanation:
    """Explain NaN or numbers outside torch's constraint."""
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
    given = one_line.removeprefix("tensor(").split(", grad_fn")[0].removesuffix(")")
    if "…" in (cut := shorten_code(given)) and "," in cut:
        given = f"{cut.partition('…')[0].rpartition(',')[0]}, …"  # don't cut a number
    limits = {"low": low if wanted != "other" else shorten_code(text), "high": bounds[-1] if bounds else ""}
    return at.explain(kind, parameter=parameter, wanted=wanted, given=given, **limits)


RULES.rule(
    r"ValueError: Expected parameter (?P<parameter>\w+) \(Tensor of shape (?P<shape>\(.*?\))\) of "
    r"distribution (?P<distribution>\w+)\(.*?to satisfy the constraint (?P<constraint>.*?), "
    r"but found invalid values:\s*(?P<values>.*)"
)(lambda at: _invalid(at, "distribution-parameter", at["parameter"]))
RULES.rule(
    r"ValueError: Expected value argument \(Tensor of shape (?P<shape>\(.*?\))\) to be within the "
    r"support \((?P<constraint>.*?)\) "
    r"of the distribution (?P<distribution>\w+)\(.*?but found invalid values:\s*(?P<values>.*)"
)(lambda at: _invalid(at, "distribution-value", "value"))
