"""One number needed where a tensor has many: item(), int(), conditions, len() and loops over a scalar."""

import re
from math import prod

from explorer.analysis.errors.explanations import changed
from explorer.analysis.errors.expressions import called, is_atom, operated, postfixed, shown, sizes
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, rule
from explorer.analysis.errors.tensors.call_facts import dtypes, operation_name, shapes, statement
from explorer.analysis.errors.text_edits import replaced

MATH = "sqrt|exp|log|sin|cos|tan|tanh|sinh|cosh|log2|log10|log1p|expm1|floor|ceil|atan|asin|acos"


@rule("RuntimeError", r"a Tensor with (\d+) elements cannot be converted to Scalar")
def item_of_many(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """item() of a tensor that has not exactly one entry."""
    call = called(stopped.code)
    values = {"tensor": shown(call.receiver if call else stopped.code), "count": found.group(1)}
    if found.group(1) == "0":
        return changed(stopped, "item-of-none", values)
    new = f"{call.receiver}.tolist()" if call and call.name == "item" and _on_cpu(stopped) else None
    return changed(stopped, "item-of-many", values, new)


def _on_cpu(stopped: Stopped) -> bool:
    tensors = stopped.trace.tensors
    return all(stopped.trace.string(tensors.device[input_]) == "cpu" for input_ in stopped.inputs)


@rule("ValueError|RuntimeError|TypeError", r"only one element tensors can be converted to Python scalars")
def number_of_many(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """int(), float() or a function of math with many entries, or torch.tensor() with tensors."""
    given, call = shapes(stopped), called(stopped.code)
    if operation_name(stopped) in ("tensor", "as_tensor") and given:
        same = (
            len(set(given)) == 1
            and call is not None
            and re.fullmatch(r"\[.*\]|\w+", call.arguments[0] if call.arguments else "")
        )
        stacked = same and len(call.arguments) == 1 and call.head in ("torch.tensor", "torch.as_tensor")
        listed = stacked and (stopped.code.count(",") + 1 >= len(given))
        new = f"torch.stack({call.arguments[0]})" if listed or (stacked and call.arguments[0].isidentifier()) else None
        return changed(
            stopped, "tensor-of-tensors", {"code": shown(stopped.code), "shape": sizes(max(given, key=prod))}, new
        )
    if not given:
        return None
    values = {"code": shown(stopped.code), "shape": sizes(given[0])}
    if call and len(call.arguments) == 1 and re.fullmatch(rf"(?:math|np|numpy)\.(?:{MATH})", call.head):
        return changed(
            stopped, "math-of-tensor", {**values, "function": call.name}, f"torch.{call.name}({call.arguments[0]})"
        )
    if call and len(call.arguments) == 1 and call.head in ("int", "float"):
        return changed(stopped, "number-of-many", values, postfixed(call.arguments[0], f".{call.head}()"))
    return changed(stopped, "number-of-many", values)


@rule("TypeError", r"only integer tensors of a single element can be converted to an index")
def index_of_many(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """range() or a list's index with a tensor that is not a single whole number."""
    given, kinds, call = shapes(stopped), dtypes(stopped), called(stopped.code)
    if not given:
        return None
    values = {"code": shown(stopped.code), "shape": sizes(given[0]), "dtype": kinds[0]}
    ranged = call is not None and call.head == "range" and len(call.arguments) == 1
    if given[0] in ((), (1,)):
        return changed(stopped, "whole-number-of-float", values, f"range(int({call.arguments[0]}))" if ranged else None)
    return changed(stopped, "whole-number-of-many", values, f"range(len({call.arguments[0]}))" if ranged else None)


@rule("RuntimeError", r"Boolean value of Tensor with (more than one|no) values? is ambiguous")
def truth_of_many(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A tensor with many entries as a condition."""
    given = shapes(stopped)
    if not given or stopped.span is None:
        return None
    span, tested = statement(stopped)
    values = {"code": shown(tested or stopped.code), "shape": sizes(given[0])}
    if found.group(1) == "no":
        return changed(stopped, "truth-of-none", values)
    for explained in (_joined, _builtin, _negated, _contained, _chosen):
        if told_so := explained(stopped, tested, span, values):
            return told_so
    maker = stopped.maker(stopped.inputs[0])
    if operated(tested) and (maker is None or stopped.trace.text(stopped.trace.operations.span[maker]) != tested):
        return changed(stopped, "truth-of-many", values | {"code": shown(stopped.name(stopped.inputs[0]) or tested)})
    compared = operated(tested)
    new = f"({tested}).all()" if compared and compared.operator in ("<", ">", "<=", ">=", "==", "!=") else None
    if new is None and dtypes(stopped)[0] == "bool" and is_atom(tested) and _conditional(stopped, span):
        new = f"{tested}.all()"
    return changed(stopped, "truth-of-many", values, new, span)


def _before(stopped: Stopped, span: int) -> str:
    place = stopped.trace.spans[span]
    return stopped.trace.cells[place.cell].source.split("\n")[place.line - 1][: place.column]


def _conditional(stopped: Stopped, span: int) -> bool:
    return bool(re.search(r"\b(?:if|elif|while|assert)\s+\(*$", _before(stopped, span)))


def _joined(stopped: Stopped, tested: str, span: int, values: dict[str, str]) -> Explanation | None:
    """a > 0 and a < 1; 0 < a < 1."""
    chain = re.fullmatch(r"([^<>=!]{1,80}?)\s*(<=?|>=?)\s*([\w.]{1,80})\s*(<=?|>=?)\s*([^<>=!]{1,80})", tested)
    if chain is not None:
        a, first, b, second, c = chain.groups()
        return _masked(stopped, "truth-chain", span, values, f"({a} {first} {b}) & ({b} {second} {c})")
    joined = re.fullmatch(
        r"((?:(?!\b(?:and|or|not|if|else)\b).){1,200}) (and|or) ((?:(?!\b(?:and|or|not|if|else)\b).){1,200})", tested
    )
    if joined is None:
        return _wide(stopped, tested, span, values)
    left, word, right = joined.groups()
    sides = [operated(left), operated(right)]
    both = all(side is not None and side.operator in ("<", ">", "<=", ">=", "==", "!=") for side in sides)
    new = f"({left}) {'&' if word == 'and' else '|'} ({right})" if both else None
    return _masked(stopped, "truth-and", span, values, new)


def _wide(stopped: Stopped, tested: str, span: int, values: dict[str, str]) -> Explanation | None:
    return changed(stopped, "truth-and", values) if re.search(r"\b(?:and|or)\b", tested) else None


def _masked(stopped: Stopped, kind: str, span: int, values: dict[str, str], mask: str | None) -> Explanation:
    if mask is None:
        return changed(stopped, kind, values)
    before = _before(stopped, span)
    if _conditional(stopped, span) and not before.endswith("("):
        return changed(stopped, kind, values, f"({mask}).all()", span)
    safe = re.search(r"(?:^|=|return)\s*$|\[$|\($", before) is not None and not re.search(r"\bnot\s*\(?$", before)
    return changed(stopped, kind, values, mask if safe else None, span)


def _builtin(stopped: Stopped, tested: str, span: int, values: dict[str, str]) -> Explanation | None:
    """max(x, y) and its like."""
    call = called(tested)
    if call is None or call.head not in ("max", "min", "sorted") or not call.arguments:
        return None
    values |= {"function": call.head}
    if call.head == "sorted" or any("=" in argument for argument in call.arguments) or len(call.arguments) > 2:
        return changed(stopped, "truth-builtin", values)
    if len(call.arguments) == 1:
        tensor = stopped.trace.bound(call.arguments[0])
        return changed(
            stopped, "truth-builtin", values, None if tensor is None else f"{call.arguments[0]}.{call.head}()", span
        )
    bound = [stopped.trace.bound(argument) for argument in call.arguments]
    tensors = all(value is not None for value in bound) or all(
        re.match(r"torch\.", argument) or stopped.trace.bound(argument) is not None for argument in call.arguments
    )
    return changed(
        stopped,
        "truth-builtin",
        values,
        f"torch.{call.head}imum({', '.join(call.arguments)})" if tensors else None,
        span,
    )


def _negated(stopped: Stopped, tested: str, span: int, values: dict[str, str]) -> Explanation | None:
    """not x."""
    found = re.fullmatch(r"not\s+(.+)", tested, re.DOTALL)
    if found is None:
        return None
    inner = found.group(1)
    mask = dtypes(stopped)[0] == "bool" and not _conditional(stopped, span) and is_atom(inner)
    return changed(stopped, "truth-not", values, f"~{inner}" if mask else None, span)


def _contained(stopped: Stopped, tested: str, span: int, values: dict[str, str]) -> Explanation | None:
    """x in [1, 2]."""
    return changed(stopped, "truth-in", values) if re.search(r"\bin\b", tested) else None


def _chosen(stopped: Stopped, tested: str, span: int, values: dict[str, str]) -> Explanation | None:
    """y = a if x > 0 else b."""
    place = stopped.trace.spans[span] if span >= 0 else stopped.span
    source = stopped.trace.cells[place.cell].source
    if place.line != place.end_line:
        return None
    line = source.split("\n")[place.line - 1]
    before = re.fullmatch(r"(\s*(?:[\w.]{1,60} = |return ))([^#]{1,200}) if ", line[: place.column])
    after = re.fullmatch(r" else ([^#:]{1,200}?)\s*", line[place.end_column :])
    if before is None or after is None or re.search(r"\b(?:if|else|lambda|for)\b", before.group(2) + after.group(1)):
        return None
    lines = source.split("\n")
    lines[place.line - 1] = f"{before.group(1)}torch.where({tested}, {before.group(2)}, {after.group(1)})"
    return Explanation("truth-if-else", values, "\n".join(lines), place.cell)


@rule("TypeError", r"len\(\) of a 0-d tensor")
def length_of_scalar(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """len() of a tensor without an axis."""
    call = called(stopped.code)
    inner = call.arguments[0] if call and call.head == "len" and len(call.arguments) == 1 else ""
    new = postfixed(inner, ".numel()") if inner else None
    return changed(stopped, "length-of-scalar", {"tensor": shown(inner or stopped.code)}, new)


@rule("TypeError", r"iteration over a 0-d tensor")
def loop_over_scalar(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A loop over, or names for the entries of, a tensor without an axis."""
    loop = re.match(r"for (\w+) in ([A-Za-z_]\w*)(?=:)", stopped.code)
    tensor = stopped.trace.bound(loop.group(2)) if loop else None
    if tensor is None:
        return changed(stopped, "loop-over-scalar", {"code": shown(stopped.code.partition(":")[0])})
    values = {"code": shown(loop.group())}
    whole = stopped.dtype(tensor) in ("int64", "int32") and stopped.shape(tensor) == ()
    if not whole or stopped.span is None:
        return changed(stopped, "loop-over-scalar", values)
    start = f"for {loop.group(1)} in range({loop.group(2)})"
    new = start + stopped.code[loop.end() :]
    return Explanation("loop-over-scalar", values, replaced(stopped.source, stopped.span, new), stopped.place)


RULES = (item_of_many, number_of_many, index_of_many, truth_of_many, length_of_scalar, loop_over_scalar)
