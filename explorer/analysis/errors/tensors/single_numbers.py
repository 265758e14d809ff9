"""Many entries in place of a number, as in item() or conditions."""

import re
from math import prod

from explorer.analysis.errors.rule import Explanation, FailureContext, Rules, sizes
from explorer.analysis.operations import ENTRYWISE
from explorer.analysis.operations.signatures import names_of
from explorer.analysis.source.code import Code
from explorer.analysis.source.expressions import is_atom, parse_binary, parse_call, shorten_code, with_suffix

COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")

RULES = Rules()


@RULES.rule(
    r"ValueError|RuntimeError|TypeError: only one element tensors can be converted to Python scalars", operands=1
)
def number_of_many(at: FailureContext) -> Explanation | None:
    """Explain int(), float() or math of many entries, or torch.tensor() of tensors."""
    given, call = at.shapes, at.call
    if at.function in ("tensor", "as_tensor"):
        return at.explain("tensor-of-tensors", _stacked(at), shape=sizes(max(given, key=prod)))
    values = {"shape": sizes(given[0])}
    sole = call.arguments[0] if call and len(call.arguments) == 1 else ""
    if sole and re.fullmatch(r"(?:math|np|numpy)\.\w+", call.head) and call.name in ENTRYWISE & names_of("torch"):
        return at.explain("math-of-tensor", f"torch.{call.name}({sole})", **values, function=call.name)
    new = with_suffix(sole, f".{call.head}()") if sole and call.head in ("int", "float") else None
    return at.explain("number-of-many", new, **values)


def _stacked(at: FailureContext) -> str | None:
    """Write torch.tensor of a list of same-shaped tensors as torch.stack."""
    call = at.call
    if call is None or len(call.arguments) != 1 or call.head not in ("torch.tensor", "torch.as_tensor"):
        return None
    listed = call.arguments[0].startswith("[") and at.code.count(",") + 1 >= len(at.shapes)
    alike = len(set(at.shapes)) == 1 and (listed or call.arguments[0].isidentifier())
    return f"torch.stack({call.arguments[0]})" if alike else None


@RULES.rule(r"TypeError: only integer tensors of a single element can be converted to an index", operands=1)
def index_of_many(at: FailureContext) -> Explanation | None:
    """Explain range() or a list's index with anything but one integer."""
    call = at.call
    values = {"shape": sizes(at.shapes[0]), "dtype": at.dtypes[0]}
    count = call.arguments[0] if call and call.head == "range" and len(call.arguments) == 1 else ""
    if at.shapes[0] in ((), (1,)):
        return at.explain("whole-number-of-float", f"range(int({count}))" if count else None, **values)
    return at.explain("whole-number-of-many", **values)


@RULES.rule(r"RuntimeError: Boolean value of Tensor with (?P<count>more than one|no) values? is ambiguous", operands=1)
def truth_of_many(at: FailureContext) -> Explanation | None:
    """Explain a tensor with many entries as a condition."""
    code, tested = at.statement, at.statement.text
    values = {"code": shorten_code(tested or at.code), "shape": sizes(at.shapes[0])}
    if at["count"] == "no":
        return at.explain("truth-of-none", **values)
    for explained in (_joined, _builtin, _chosen):
        if explanation := explained(at, code, values):
            return explanation
    compared = code.operands
    if compared and at.written(at.run.makers.get(at.inputs[0])) != tested:
        return at.explain("truth-of-many", **values | {"code": shorten_code(at.name(at.inputs[0]) or tested)})
    new = f"({tested}).all()" if compared and compared.operator in COMPARISONS else ""
    if not new and at.dtypes[0] == "bool" and is_atom(tested) and _is_condition(code):
        new = f"{tested}.all()"
    return _explained(at, "truth-of-many", new, values)


def _explained(at: FailureContext, kind: str, new: str, values: dict[str, str]) -> Explanation:
    """Explain other code for the tested expression, if it is the failing code."""
    return at.explain(kind, new if at.statement == at.here else None, **values)


def _is_condition(code: Code) -> bool:
    return bool(re.search(r"\b(?:if|elif|while|assert)\s+\(*$", code.before))


def _joined(at: FailureContext, code: Code, values: dict[str, str]) -> Explanation | None:
    """Explain a > 0 and a < 1, or 0 < a < 1."""
    chain = re.fullmatch(r"([^<>=!]{1,80}?)\s*(<=?|>=?)\s*([\w.]{1,80})\s*(<=?|>=?)\s*([^<>=!]{1,80})", code.text)
    if chain is not None:
        return at.explain("truth-chain", **values)
    side = r"((?:(?!\b(?:and|or|not|if|else)\b).){1,200})"
    joined = re.fullmatch(rf"{side} (and|or) {side}", code.text)
    if joined is None:
        return at.explain("truth-and", **values) if re.search(r"\b(?:and|or)\b", code.text) else None
    left, word, right = joined.groups()
    sides = [parse_binary(left), parse_binary(right)]
    both = all(each is not None and each.operator in COMPARISONS for each in sides)
    return _masked(at, "truth-and", code, values, f"({left}) {'&' if word == 'and' else '|'} ({right})" if both else "")


def _masked(at: FailureContext, kind: str, code: Code, values: dict[str, str], mask: str) -> Explanation:
    """Explain a joined condition with a mask, reduced to one truth value for `if`."""
    if mask and _is_condition(code) and not code.before.endswith("("):
        return _explained(at, kind, f"({mask}).all()", values)
    safe = re.search(r"(?:^|=|return)\s*$|\[$|\($", code.before) and not re.search(r"\bnot\s*\(?$", code.before)
    return _explained(at, kind, mask if safe else "", values)


def _builtin(at: FailureContext, code: Code, values: dict[str, str]) -> Explanation | None:
    """Explain max(x, y) and similar calls, not x, and x in [1, 2]."""
    call = parse_call(code.text)
    if call is not None and call.head in ("max", "min", "sorted") and call.arguments:
        return at.explain("truth-builtin", **values | {"function": call.head})
    if re.match(r"not\s", code.text):
        return at.explain("truth-not", **values)
    return at.explain("truth-in", **values) if re.search(r"\bin\b", code.text) else None


def _chosen(at: FailureContext, code: Code, values: dict[str, str]) -> Explanation | None:
    """Explain y = a if x > 0 else b."""
    before = re.fullmatch(r"(\s*(?:[\w.]{1,60} = |return ))([^#]{1,200}) if ", code.before)
    after = re.fullmatch(r" else ([^#:]{1,200}?)\s*", code.after)
    if before is None or after is None or code.line != code.span.end_line:
        return None
    if re.search(r"\b(?:if|else|lambda|for)\b", before[2] + after[1]):
        return None
    return at.explain("truth-if-else", **values)


@RULES.rule(r"TypeError: unsupported format string passed to Tensor\.__format__")
def format_of_many(at: FailureContext) -> Explanation | None:
    """Explain f"{losses:.2f}" of a tensor with many entries."""
    for name, spec in re.findall(r"\{([^{}:!]+):([^{}]+)\}", at.code):
        tensor = at.trace.bound(name)
        if tensor is not None and prod(at.run.shape(tensor)) != 1:
            return at.explain("format-of-many", name=name, spec=spec, shape=sizes(at.run.shape(tensor)))
    return None


@RULES.rule(r"TypeError: iteration over a 0-d tensor")
def loop_over_scalar(at: FailureContext) -> Explanation:
    """Explain a loop over a tensor without axes, or unpacking it."""
    loop = re.match(r"for (\w+) in ([A-Za-z_]\w*)(?=:)", at.code)
    tensor = at.trace.bound(loop[2]) if loop else None
    if tensor is None:
        return at.explain("loop-over-scalar", code=shorten_code(at.code.partition(":")[0]))
    whole = at.run.dtype(tensor) in ("int64", "int32") and at.run.shape(tensor) == ()
    new = f"for {loop[1]} in range({loop[2]}){at.code[loop.end() :]}" if whole else None
    return at.explain("loop-over-scalar", new, code=shorten_code(loop[0]))
