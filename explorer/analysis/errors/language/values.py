"""Python's own errors of types and values; names, attributes, arguments and syntax have files of their own."""

import re

from explorer.analysis.errors.assignments import assignments, made, made_once, with_value
from explorer.analysis.errors.explanations import explanation, known
from explorer.analysis.errors.expressions import is_compound, operated, shown
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.language.arguments import NUMBERS, edited, whole
from explorer.analysis.errors.language.names import BUILTINS
from explorer.analysis.errors.rule import Explanation, Rule, rule
from explorer.analysis.errors.source_words import closing


@rule("TypeError", r"'(\w[\w.]*)' object is not callable")
def called(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Round brackets after something that is no function."""
    code, kind = stopped.code, found[1]
    opening = next(
        (i for i, character in enumerate(code[:400]) if character == "(" and closing(code, i) == len(code) - 1),
        len(code),
    )
    base, inside = code[:opening].strip(), code[opening + 1 : -1].strip()
    if kind == "torch.Size":
        new = f"{base}[{inside}]" if re.fullmatch(r"-?\d", inside) else base
        return explanation(stopped, "shape-called", edited(stopped, new), base=shown(base), right=shown(new))
    if base in BUILTINS and (bound := made(stopped, base)):
        return explanation(stopped, "builtin-overwritten", name=base, where=bound.line, type=kind)
    if kind == "Tensor":
        if base.endswith((".T", ".grad", ".data", ".mT", ".H")) and not inside:
            return explanation(stopped, "property-called", edited(stopped, base), base=shown(base))
        new = (
            f"{base}[{inside}]"
            if re.fullmatch(r"(?:-?\d+)(?:, ?-?\d+)*", inside) and _fits(stopped, base, inside)
            else ""
        )
        return explanation(
            stopped, "tensor-called", edited(stopped, new), base=shown(base), inside=shown(inside or "0")
        )
    if kind in ("int", "float") and inside and (number := re.match(rf"({NUMBERS}|\w+)\s*\(", code)):
        literal = re.fullmatch(NUMBERS, number[1])
        new = f"{number[1]} * {code[number.end() - 1 :]}" if literal else ""
        return explanation(stopped, "number-called", edited(stopped, new), base=shown(number[1]), type=kind)
    if kind == "module":
        return explanation(stopped, "module-called", base=shown(base))
    if kind in ("DataFrame", "Series", "list", "dict", "tuple", "numpy.ndarray"):
        new = (
            f"{base}[{inside}]"
            if re.fullmatch(r"-?\d+|'\w+'|\"\w+\"", inside) and kind in ("dict", "DataFrame")
            else ""
        )
        return explanation(stopped, "collection-called", edited(stopped, new), base=shown(base), type=kind)
    return explanation(stopped, "value-called", base=shown(base), type=kind)


def _fits(stopped: Stopped, base: str, inside: str) -> bool:
    """Whether the tensor that a name refers to has this position."""
    tensor = stopped.trace.bound(base)
    if tensor is None:
        return False
    shape, indices = stopped.shape(tensor), [int(index[:9]) for index in inside.split(",")]
    return len(indices) <= len(shape) and all(-n <= i < n for i, n in zip(indices, shape, strict=False))


@rule("TypeError", r"(type )?'(\w+)'(?: object)? is not subscriptable")
def indexed(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Square brackets after something that cannot be indexed."""
    kind, code = "type" if found[1] else found[2], stopped.code
    base = re.match(r"([\w.]+)\[([^\[\]]*)\]$", code)
    if kind in ("method", "builtin_function_or_method", "function", "type"):
        if base and base[1].endswith(".size"):
            return explanation(stopped, "method-indexed", edited(stopped, f"{base[1]}()[{base[2]}]"), base=base[1])
        new = f"{base[1]}({base[2]})" if base and ":" not in base[2] else ""
        mended = (
            edited(stopped, new) if base and base[1] in ("range", "len", "print", "sum", "list", "torch.ones") else ""
        )
        return explanation(stopped, "function-indexed", mended, base=shown(base[1] if base else code))
    if kind == "NoneType":
        return explanation(stopped, "none-used", piece=shown(base[1] if base else code))
    return explanation(stopped, "number-indexed", base=shown(base[1] if base else code), type=kind)


@rule("TypeError", r"'(\w+)' object is not iterable|cannot unpack non-iterable (\w+) object")
def iterated(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A loop, or an unpacking, over one value."""
    kind, span = found[1] or found[2], stopped.span
    if span is None:
        return None
    if found[2]:
        return explanation(stopped, "unpacked-one-value", type=kind)
    lines = stopped.source.split("\n")
    head = re.fullmatch(r"(\s*for [\w, ()]+ in )(\w[\w.]*(?:\([\w., ]*\)|\[-?\d\])?)(:.*)", lines[span.line - 1][:400])
    if kind == "int" and head:
        lines[span.line - 1] = f"{head[1]}range({head[2]}){head[3]}"
        return explanation(stopped, "loop-over-a-number", "\n".join(lines), base=shown(head[2]))
    if kind == "NoneType":
        return explanation(stopped, "none-used", piece=shown(stopped.code))
    return explanation(stopped, "value-iterated", type=kind)


@rule("TypeError", r"object of type 'NoneType' has no len\(\)")
def length_of_none(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """len() of None."""
    length = re.fullmatch(r"len\((.*)\)", stopped.code)
    return explanation(stopped, "none-used", piece=shown(length[1])) if length else None


def _sides(stopped: Stopped, sign: str) -> tuple[str, str] | None:
    """The operands of the failing expression, if this operator is applied last in it."""
    pair = operated(stopped.code)
    return (pair.left, pair.right) if pair and pair.operator.rstrip("=") == sign else None


@rule("TypeError", r"can only concatenate (str|list|tuple) \(not \"([\w.]+)\"\) to")
def joined(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A text, or a list, plus something else."""
    sides = _sides(stopped, "+")
    if found[1] == "str":
        right = sides[1] if sides else ""
        fits = sides and "\n" not in stopped.code and closing(f"({right})", 0) == len(right) + 1
        new = f"{sides[0]} + str({right})" if fits and not right.startswith(("'", '"')) else ""
        return explanation(
            stopped, "text-plus-value", edited(stopped, new), type=found[2], right=shown(right or stopped.code)
        )
    return explanation(stopped, "list-plus-value", type=found[2], first=found[1], mended=_list_as_tensor(stopped))


@rule(
    "TypeError",
    r"can't multiply sequence by non-int of type '(\w+)'|bad operand type for unary \S+: 'list'|"
    r"unsupported operand type\(s\) for \S+:?(?: \S+ \S+)? '(?:list|tuple)' and|and '(?:list|tuple)'",
)
def list_in_arithmetic(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Arithmetic with a list."""
    return explanation(stopped, "list-in-arithmetic", mended=_list_as_tensor(stopped))


def _list_as_tensor(stopped: Stopped) -> str:
    """The text with the list of the failing arithmetic made a tensor, where it is a list of numbers."""
    pattern = rf"\[(?:{NUMBERS})(?:, ?{NUMBERS})*+\]"
    if "@" in stopped.code or not any(assignment.name == "torch" for assignment in assignments(stopped.trace)):
        return ""  # a product needs one dtype on both sides
    literals = re.findall(pattern, stopped.code)
    if len(literals) == 1:
        return edited(stopped, stopped.code.replace(literals[0], f"torch.tensor({literals[0]})"))
    names = {word for word in re.findall(r"(?<![\w.])[A-Za-z_]\w*(?![\w(.])", stopped.code)}
    lists = [at for name in names if (at := made_once(stopped, name)) and re.fullmatch(pattern, at.value)]
    if len(lists) != 1 or literals or lists[0].cell != stopped.place:
        return ""
    return with_value(stopped.trace, lists[0], f"torch.tensor({lists[0].value})")


@rule("TypeError", r"unsupported operand type\(s\) for (\S+?):? (?:\S+ \S+ )?'([\w.]+)' and '([\w.]+)'")
def operand_types(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Two values that an operator does not combine."""
    sign, left, right = found[1], found[2], found[3]
    methods = ("builtin_function_or_method", "method", "function", "type")
    sides = _sides(stopped, sign.rstrip("=").rstrip(","))
    if left in methods or right in methods:
        wrong = sides[left not in methods] if sides else stopped.code
        new = ""
        if sides and re.fullmatch(r"[\w.]+\.(?:item|sum|mean|exp|log|sqrt|size|numel|t|detach|norm|clone)", wrong):
            new = f"{sides[0]}() {sign} {sides[1]}" if left in methods else f"{sides[0]} {sign} {sides[1]}()"
        return explanation(stopped, "method-not-called", edited(stopped, new), piece=shown(wrong))
    if "NoneType" in (left, right):
        wrong = sides[left != "NoneType"] if sides else stopped.code
        return explanation(stopped, "none-used", piece=shown(wrong))
    if {"Tensor", "numpy.ndarray"} <= {left, right} or {"Tensor", "ndarray"} <= {left, right}:
        return explanation(stopped, "array-with-tensor", sign=sign)
    if "str" in (left, right):
        return explanation(stopped, "text-in-arithmetic", sign=sign, left=left, right=right)
    return explanation(stopped, "operands-do-not-fit", sign=sign, left=left, right=right)


@rule("TypeError", r"list indices must be integers or slices, not (\w+)")
def list_position(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A list is indexed by something that is no whole number."""
    kind = found[1]
    pair = re.fullmatch(r"(\w+)\[(-?\w+), ?(-?\w+)\]", stopped.code)
    if kind == "tuple":
        new = f"{pair[1]}[{pair[2]}][{pair[3]}]" if pair else ""
        return explanation(stopped, "list-position-of-two", edited(stopped, new))
    return explanation(stopped, "list-position-of-another-type", whole(stopped, kind), type=kind)


@rule("TypeError", r"failed to unpack the object at pos \d+ with error \"type must be tuple of ints,but got (\w[\w.]*)")
def size_of_another_type(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A size that is no whole number; a named one was often divided."""
    for name in re.findall(r"(?<![\w.])[A-Za-z_]\w*(?![\w(.])", stopped.code):
        at = made_once(stopped, name)
        if found[1] == "float" and at and len(re.findall(r"(?<!/)/(?!/)", at.value)) == 1:
            mended = with_value(stopped.trace, at, re.sub(r"(?<!/)/(?!/)", "//", at.value))
            values: dict[str, str | int] = {"name": name, "made": shown(at.value), "line": at.line}
            return Explanation("size-was-divided", values | {"code": shown(stopped.code)}, mended, at.cell)
    return explanation(stopped, "sizes-of-another-type", whole(stopped, found[1]), type=found[1])


@rule("TypeError", r"'float' object cannot be interpreted as an integer")
def float_for_int(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """range of a number with a point."""
    return explanation(stopped, "whole-number-for-range", whole(stopped, "float"))


@rule("ValueError", r"(too many|not enough) values to unpack(?: \(expected (?:at least )?(\d+)(?:, got (\d+))?\))?")
def unpacked(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """More, or fewer, values than names on the left."""
    if found[2] is None or stopped.span is None:
        return None
    line = stopped.source.split("\n")[stopped.span.line - 1]
    facts = {"names": shown(stopped.code), "wanted": found[2], "whole": shown(line.strip())}
    if found[1] == "too many":
        return explanation(stopped, "unpacked-too-many", **facts)
    pairs = re.match(r"(\s*for )(\w+), (\w+(?:, \w+)+)( in enumerate\()", line[:400])
    if pairs and found[3] == "2":
        lines = stopped.source.split("\n")
        lines[stopped.span.line - 1] = f"{pairs[1]}{pairs[2]}, ({pairs[3]}){line[pairs.end(3) :]}"
        return explanation(stopped, "enumerate-gives-pairs", "\n".join(lines), number=pairs[2], rest=pairs[3])
    return explanation(stopped, "unpacked-too-few", **facts, given=found[3] or "0")


@rule("ValueError", r"invalid literal for int\(\) with base 10: (['\"].*['\"])")
def text_to_int(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """int() of a text that is no whole number."""
    number = re.fullmatch(rf"['\"]\s*{NUMBERS}\s*['\"]", found[1])
    plain = number and (call := re.fullmatch(r"int\((.*)\)", stopped.code))
    return explanation(stopped, "text-no-whole-number" if number else "text-no-number",
                edited(stopped, f"int(float({call[1]}))") if plain else "", text=shown(found[1]))  # fmt: skip


@rule("IndexError", r"(list|tuple|string|range object) (?:assignment )?index out of range")
def list_index(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A position that a list does not have."""
    base = re.match(r"(\w+)\[", stopped.code)
    at = made(stopped, base[1]) if base else None
    if at and re.fullmatch(r"\[[^\[\]()'\"#]*\]", at.value) and f"{base[1]}.append" not in stopped.source:
        count = at.value.count(",") + (not at.value.rstrip("] ").endswith(",")) if at.value.strip("[] ") else 0
        if " for " not in at.value and "*" not in at.value and "*" not in stopped.code:
            kind = "list-too-short" if count else "list-is-empty"
            return explanation(stopped, kind, name=base[1], count=count, last=count - 1)
    return explanation(stopped, "position-too-large", type=found[1])


@rule("ZeroDivisionError", r"division|modulo|division by zero|0\.0 cannot be raised")
def divided_by_zero(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A division by zero, in Python's own numbers."""
    for sign in ("//", "/", "%"):
        sides = _sides(stopped, sign)
        if sides and not is_compound(sides[1]) and not re.fullmatch(r"[\d.]+", sides[1]):
            return explanation(stopped, "division-by-a-zero", divisor=sides[1])
    return explanation(stopped, "division-by-zero")


@rule("RecursionError", r"maximum recursion depth exceeded")
def endless_recursion(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A function that calls itself without an end."""
    if stopped.span is None:
        return None
    lines = stopped.source.split("\n")[: stopped.span.line]
    heads = [match for text in reversed(lines) if (match := re.match(r"\s*def (\w+)", text))]
    return explanation(stopped, "recursion-without-end", name=heads[0][1]) if heads else None


@rule("AssertionError", r"")
def assertion(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A failed assert of the program; libraries have asserts too, with messages of their own."""
    line = stopped.source.split("\n")[stopped.span.line - 1] if stopped.span else ""
    return explanation(stopped, "assertion-failed") if re.match(r"\s*assert\b", line) else None


TYPES = r"(?P<type>\w[\w.]*)"
RULES: tuple[Rule, ...] = (
    called,
    indexed,
    iterated,
    joined,
    list_in_arithmetic,
    operand_types,
    known("TypeError", r"(?P<sign>)Concatenation operation is not implemented for NumPy arrays", "array-plus-tensor"),
    list_position,
    size_of_another_type,
    float_for_int,
    unpacked,
    text_to_int,
    list_index,
    divided_by_zero,
    endless_recursion,
    known("TypeError", rf"unhashable type: '{TYPES}'", "key-that-can-change"),
    known("TypeError", rf"'{TYPES}' object does not support item assignment", "not-changeable"),
    length_of_none,
    known("TypeError", rf"object of type '{TYPES}' has no len\(\)", "value-without-length"),
    known(
        "TypeError",
        r"'\S+' not supported between instances of '(?P<left>[\w.]+)' and '(?P<right>[\w.]+)'",
        "not-comparable",
    ),
    known("TypeError", r"got multiple values for (?:keyword )?argument '(?P<name>\w+)'", "argument-given-twice"),
    known("TypeError", rf"(?:int|float)\(\) argument must be .*, not '{TYPES}'", "conversion-of-another-type"),
    known("TypeError", r"not all arguments converted|not enough arguments for format string", "format-arguments"),
    known("TypeError", r"bad operand type for unary (?P<sign>\S+): '(?P<type>\w+)'", "sign-of-another-type"),
    known("IndexError", r"pop from empty list|pop from an empty", "pop-from-nothing"),
    known("ValueError", r"math domain error|expected a (?:positive|nonnegative) input", "math-domain"),
    known("OverflowError", r"math range error|Numerical result out of range|Result too large", "math-range"),
    known("ValueError", r"(?P<value>\S+) is not in list|list\.remove\(x\): x not in list", "not-in-list"),
    assertion,
    known("StopIteration", r"^$", "iterator-at-its-end"),
)
