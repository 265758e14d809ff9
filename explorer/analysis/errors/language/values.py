"""Python's own errors of types and values; names, attributes, arguments and syntax have files of their own."""

import re

from explorer.analysis.errors.language.arguments import NUMBERS
from explorer.analysis.errors.language.names import BUILTINS
from explorer.analysis.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.source.expressions import closing, is_compound, shorten_code

METHODS = ("builtin_function_or_method", "method", "function", "type")
COLLECTIONS = ("DataFrame", "Series", "list", "dict", "tuple", "numpy.ndarray")

RULES = Rules()


@RULES.rule(r"TypeError: '(?P<type>\w[\w.]*)' object is not callable")
def called(at: FailureContext) -> Explanation | None:
    """Round brackets after something that is no function."""
    code, kind = at.code, at["type"]
    ends = (i for i, character in enumerate(code[:400]) if character == "(" and closing(code, i) == len(code) - 1)
    opening = next(ends, len(code))
    base, inside = code[:opening].strip(), code[opening + 1 : -1].strip()
    if kind == "torch.Size":
        new = f"{base}[{inside}]" if re.fullmatch(r"-?\d", inside) else base
        return at.explain("shape-called", new, base=shorten_code(base), right=shorten_code(new))
    if base in BUILTINS and (above := at.last_assignment(base)):
        return at.explain("builtin-overwritten", name=base, where=above.line)
    if kind in ("Tensor", "int", "float") and base.endswith(".step") and inside:  # an optimizer calls what it is given
        return at.explain("step-given-a-loss", f"{base}()", base=shorten_code(base), loss=shorten_code(inside))
    if kind == "Tensor":
        if base.endswith((".T", ".grad", ".data", ".mT", ".H")) and not inside:
            return at.explain("property-called", base, base=shorten_code(base))
        new = f"{base}[{inside}]" if _has_position(at, base, inside) else ""
        return at.explain("tensor-called", new, base=shorten_code(base), inside=shorten_code(inside or "0"))
    if kind in ("int", "float") and inside and (number := re.match(rf"({NUMBERS}|\w+)\s*\(", code)):
        return at.explain("number-called", base=shorten_code(number[1]))
    if kind == "module":
        return at.explain("module-called", base=shorten_code(base))
    return at.explain("collection-called" if kind in COLLECTIONS else "value-called", base=shorten_code(base))


def _has_position(at: FailureContext, base: str, inside: str) -> bool:
    """Whether the tensor that a name refers to has this position, written in numbers."""
    tensor = at.trace.bound(base)
    if tensor is None or not re.fullmatch(r"(?:-?\d+)(?:, ?-?\d+)*", inside):
        return False
    shape, indices = at.run.shape(tensor), [int(index[:9]) for index in inside.split(",")]
    return len(indices) <= len(shape) and all(-n <= i < n for i, n in zip(indices, shape, strict=False))


@RULES.rule(r"TypeError: (?P<class>type )?'(?P<type>\w+)'(?: object)? is not subscriptable")
def indexed(at: FailureContext) -> Explanation:
    """Square brackets after something that cannot be indexed."""
    match = re.match(r"([\w.]+)\[([^\[\]]*)\]$", at.code)
    base = shorten_code(match[1] if match else at.code)
    if at["class"] or at["type"] in METHODS:
        if match and match[1].endswith(".size"):
            return at.explain("method-indexed", f"{match[1]}()[{match[2]}]", base=base)
        return at.explain("function-indexed", base=base)
    if at["type"] == "NoneType":
        return at.explain("none-used", piece=base)
    return at.explain("number-indexed", base=base)


@RULES.rule(r"TypeError: '(?P<type>\w+)' object is not iterable|cannot unpack non-iterable (?P<unpacked>\w+) object")
def iterated(at: FailureContext) -> Explanation | None:
    """A loop, or an unpacking, over one value."""
    if at["unpacked"]:
        return at.explain("unpacked-one-value", type=at["unpacked"])
    line = at.here.whole_line[:400]
    head = re.fullmatch(r"\s*for [\w, ()]+ in (\w[\w.]*(?:\([\w., ]*\)|\[-?\d\])?):.*", line)
    if at["type"] == "int" and head:
        return at.explain("loop-over-a-number", base=shorten_code(head[1]))
    if at["type"] in METHODS and head and "." in head[1]:
        return at.explain("method-not-called", piece=shorten_code(head[1]))
    return at.explain("none-used", piece=shorten_code(at.code)) if at["type"] == "NoneType" else None


def _sides(at: FailureContext, sign: str) -> tuple[str, str] | None:
    """The operands of the failing expression, if this operator is applied last in it."""
    pair = at.binary
    return (pair.left, pair.right) if pair and pair.operator.rstrip("=") == sign.rstrip("=,") else None


@RULES.rule(r"TypeError: can only concatenate (?P<first>str|list|tuple) \(not \"(?P<type>[\w.]+)\"\) to")
def joined(at: FailureContext) -> Explanation:
    """A text, or a list, plus something else."""
    if at["first"] != "str":
        return at.explain("list-plus-value")
    sides = _sides(at, "+")
    return at.explain("text-plus-value", right=shorten_code(sides[1] if sides else at.code))


@RULES.rule(
    r"TypeError: unsupported operand type\(s\) for (?P<sign>\S+?):? (?:\S+ \S+ )?'(?P<left>[\w.]+)' and "
    r"'(?P<right>[\w.]+)'"
)
def operand_types(at: FailureContext) -> Explanation | None:
    """Two values that an operator does not combine."""
    kinds, sides = (at["left"], at["right"]), _sides(at, at["sign"])
    if set(METHODS) & set(kinds):
        return at.explain("method-not-called", piece=shorten_code(sides[kinds[0] not in METHODS] if sides else at.code))
    if "NoneType" in kinds:
        wrong = sides[kinds[0] != "NoneType"] if sides else at.code
        return at.explain("none-used", piece=shorten_code(wrong))
    if "Tensor" in kinds and {"numpy.ndarray", "ndarray"} & set(kinds):
        return at.explain("array-with-tensor")
    if kinds == ("generator", "generator") and sides and all("parameters()" in side for side in sides):
        return at.explain("parameters-added", f"[*{sides[0]}, *{sides[1]}]")
    return at.explain("text-in-arithmetic") if "str" in kinds else None


@RULES.rule(
    r"TypeError: failed to unpack the object at pos \d+ with error \"type must be tuple of ints,but got "
    r"(?P<type>\w[\w.]*)"
)
def size_of_another_type(at: FailureContext) -> Explanation:
    """A size that is no whole number; a named one was often divided."""
    if at["type"] == "float" and (divided := at.divided_name()):
        only, repair = divided
        return at.explain("size-was-divided", repair, name=only.name, made=shorten_code(only.value), line=only.line)
    call, tensor = at.call, at.call.argument(0) if at.call else ""
    if at["type"] == "Tensor" and call and call.name == "Linear" and at.trace.bound(tensor) is not None:
        new = f"{call.with_argument(0, f'{tensor}.shape[-1]')}({tensor})"
        return at.explain("layer-given-its-input", new, layer=call.head, tensor=tensor)
    return at.explain("sizes-of-another-type")


@RULES.rule(
    r"ValueError: (?P<count>too many|not enough) values to unpack "
    r"\(expected (?:at least )?(?P<wanted>\d+)(?:, got (?P<given>\d+))?\)"
)
def unpacked(at: FailureContext) -> Explanation:
    """More, or fewer, values than names on the left."""
    if re.search(r"\bin .+\.parameters\(\):", at.here.whole_line[:400]) and at["wanted"] == "2":
        return at.explain("parameters-without-names")
    facts = {"names": shorten_code(at.code), "whole": shorten_code(at.here.whole_line.strip())}
    if at["count"] == "too many":
        return at.explain("unpacked-too-many", **facts)
    pairs = re.match(r"\s*for (\w+), (\w+(?:, \w+)+) in enumerate\(", at.here.whole_line[:400])
    if pairs and at["given"] == "2":
        return at.explain("enumerate-gives-pairs", number=pairs[1], rest=pairs[2])
    return at.explain("unpacked-too-few", **facts, given=at["given"] or "0")


@RULES.rule(r"ValueError: invalid literal for int\(\) with base 10: (?P<text>['\"].*['\"])")
def text_to_int(at: FailureContext) -> Explanation:
    """int() of a text that is no whole number."""
    number = re.fullmatch(rf"['\"]\s*{NUMBERS}\s*['\"]", at["text"])
    return at.explain("text-no-whole-number" if number else "text-no-number")


@RULES.rule(r"IndexError: list (?:assignment )?index out of range")
def list_index(at: FailureContext) -> Explanation | None:
    """A position that a list written in the program does not have."""
    base = re.match(r"(\w+)\[", at.code)
    above = at.last_assignment(base[1]) if base else None
    if not above or not re.fullmatch(r"\[[^\[\]()'\"#]*\]", above.value) or f"{base[1]}.append" in at.here.source:
        return None
    count = above.value.count(",") + (not above.value.rstrip("] ").endswith(",")) if above.value.strip("[] ") else 0
    if " for " in above.value or "*" in above.value + at.code:
        return None
    return at.explain("list-too-short" if count else "list-is-empty", name=base[1], count=count, last=count - 1)


@RULES.rule(r"ZeroDivisionError: division|modulo|division by zero|0\.0 cannot be raised")
def divided_by_zero(at: FailureContext) -> Explanation:
    """A division by zero, in Python's own numbers."""
    pair = at.binary
    named = pair and pair.operator.rstrip("=") in ("//", "/", "%") and not is_compound(pair.right)
    if named and not re.fullmatch(r"[\d.]+", pair.right):
        return at.explain("division-by-a-zero", divisor=pair.right)
    return at.explain("division-by-zero")


@RULES.rule(r"RecursionError: maximum recursion depth exceeded")
def endless_recursion(at: FailureContext) -> Explanation | None:
    """A function that calls itself without an end."""
    heads = (re.match(r"\s*def (\w+)", text) for text in reversed(at.here.lines[: at.line]))
    name = next((head[1] for head in heads if head), "")
    return at.explain("recursion-without-end", name=name) if name else None


@RULES.rule(r"TypeError: object of type 'NoneType' has no len\(\)")
def length_of_none(at: FailureContext) -> Explanation | None:
    length = re.fullmatch(r"len\((.*)\)", at.code)
    return at.explain("none-used", piece=shorten_code(length[1])) if length else None


RULES.message_rules(
    {
        r"TypeError: can't multiply sequence by non-int of type '(\w+)'|bad operand type for unary \S+: "
        r"'list'|unsupported operand type\(s\) for \S+:?(?: \S+ \S+)? '(?:list|tuple)' and|and "
        r"'(?:list|tuple)'": "list-in-arithmetic",
        r"TypeError: (?P<sign>)Concatenation operation is not implemented for NumPy arrays": "array-plus-tensor",
        r"TypeError: list indices must be integers or slices, not tuple": "list-position-of-two",
        r"TypeError: list indices must be integers or slices, not (?P<type>\w+)": "list-position-of-another-type",
        r"TypeError: 'float' object cannot be interpreted as an integer": "whole-number-for-range",
        r"TypeError: unhashable type: '(?P<type>\w[\w.]*)'": "key-that-can-change",
        r"TypeError: '(?P<type>\w[\w.]*)' object does not support item assignment": "not-changeable",
        r"TypeError: object of type '(?P<type>\w[\w.]*)' has no len\(\)": "value-without-length",
        r"TypeError: got multiple values for (?:keyword )?argument '(?P<name>\w+)'": "argument-given-twice",
        r"TypeError: not all arguments converted|not enough arguments for format string": "format-arguments",
        r"TypeError: bad operand type for unary (?P<sign>\S+): '(?P<type>\w+)'": "sign-of-another-type",
        r"IndexError: pop from empty list|pop from an empty": "pop-from-nothing",
        r"ValueError: math domain error|expected a (?:positive|nonnegative) input": "math-domain",
        r"OverflowError: math range error|Numerical result out of range|Result too large": "math-range",
        r"ValueError: (?P<value>\S+) is not in list|list\.remove\(x\): x not in list": "not-in-list",
        r"StopIteration: ^$": "iterator-at-its-end",
        r"AssertionError: ": lambda at: (
            at.explain("assertion-failed") if re.match(r"\s*assert\b", at.here.whole_line) else None
        ),
    }
)
