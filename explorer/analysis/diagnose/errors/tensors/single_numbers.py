"""Many entries in place of a number, as in item() or conditions."""

import ast
import re
from math import prod

from explorer.analysis.diagnose.errors.rule import Explanation, FailureContext, Rules, sizes
from explorer.analysis.run.operations import ENTRYWISE
from explorer.analysis.run.operations.signatures import names_of
from explorer.analysis.run.source.code import Code
from explorer.analysis.run.source.definitions import parsed
from explorer.analysis.run.source.expressions import is_atom, shorten_code, with_suffix

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
    names = {call.name, at.callee.name} if sole and at.callee and at.callee.package in ("math", "numpy") else set()
    for name in names & ENTRYWISE & names_of("torch"):
        return at.explain("math-of-tensor", f"torch.{name}({sole})", **values, function=name)
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
    tested = parsed(code.text)
    match tested:
        case ast.Compare(ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE(), _]):
            return at.explain("truth-chain", **values)
        case ast.BoolOp(op=op, values=[ast.Compare(ops=[_]) as left, ast.Compare(ops=[_]) as right]):
            # `parsed` puts a bracket before the text, so all columns are one further
            sides = [ast.get_source_segment(f"({code.text}", side) for side in (left, right)]
            return _masked(at, code, values, f"({sides[0]}) {'&' if isinstance(op, ast.And) else '|'} ({sides[1]})")
    joined = tested is not None and any(isinstance(node, ast.BoolOp) for node in ast.walk(tested))
    return at.explain("truth-and", **values) if joined else None


def _masked(at: FailureContext, code: Code, values: dict[str, str], mask: str) -> Explanation:
    """Explain a joined condition with a mask, reduced to one truth value for `if`."""
    if _is_condition(code) and not code.before.endswith("("):
        return _explained(at, "truth-and", f"({mask}).all()", values)
    safe = re.search(r"(?:^|=|return)\s*$|\[$|\($", code.before) and not re.search(r"\bnot\s*\(?$", code.before)
    return _explained(at, "truth-and", mask if safe else "", values)


def _builtin(at: FailureContext, code: Code, values: dict[str, str]) -> Explanation | None:
    """Explain max(x, y) and similar calls, not x, and x in [1, 2]."""
    match parsed(code.text):
        case ast.Call(func=ast.Name(id="max" | "min" | "sorted" as function), args=[_, *_]):
            return at.explain("truth-builtin", **values | {"function": function})
        case ast.UnaryOp(op=ast.Not()):
            return at.explain("truth-not", **values)
        case ast.Compare(ops=[ast.In() | ast.NotIn(), *_]):
            return at.explain("truth-in", **values)
    return None


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
    header, _, body = at.code.partition(":")
    count = at.whole.text if at.whole and at.whole.thing.dtype in ("int64", "int32") else ""
    new = f"{header.removesuffix(count)}range({count}):{body}" if count and header.endswith(f" in {count}") else None
    return at.explain("loop-over-scalar", new, code=shorten_code(header))
