"""Local derivatives as torch code, from the records' formulas and simple torch formulas."""

import ast
import math
from collections.abc import Callable, Sequence
from functools import cache

from explorer.analysis.run.operations.signatures import names_of
from explorer.safe_regex import plain

Shape = tuple[int, ...]
_ATOM = plain(r"[\w.«»]++(?:\([\w., ]*+\))?")
_TORCHS = {"ln": "log", "power": "pow"}  # functions in formulas that have another name in torch


class CannotWrite(Exception):
    """Raised for a term that cannot be written."""


def python(tree: ast.expr, word: Callable[[str], ast.expr]) -> ast.expr:
    """Return a formula as Python. Raises CannotWrite. Args: word: expression for an operand.

    >>> from explorer.analysis.run.operations.formulas import parsed
    >>> ast.unparse(python(parsed("where(self > 0, 1, 0) + ln(T(other))"), lambda name: ast.Name(name[0])))
    '(s > 0) + torch.log(o.T)'
    """

    def one(part: ast.expr) -> ast.expr:
        match part:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool) and math.isfinite(value):
                return ast.Constant(int(value) if float(value).is_integer() and abs(value) < 1e6 else value)
            case ast.Name(id=name):
                return word(name)
            case ast.UnaryOp(operand=operand):
                return ast.UnaryOp(ast.USub(), one(operand))
            case ast.BinOp(left=left, op=sign, right=right):
                return ast.BinOp(one(left), sign, one(right))
            case ast.Compare(left=left, ops=signs, comparators=[right]):
                return ast.Compare(one(left), signs, [one(right)])
            case ast.Call(func=ast.Name(id="where"), args=[condition, ast.Constant(value=1), ast.Constant(value=0)]):
                return one(condition)
            case ast.Call(func=ast.Name(id="T"), args=[inner]):
                text = ast.unparse(one(inner))
                return ast.Name(text.removesuffix(".T") if text.endswith(".T") else f"{text}.T")
            case ast.Call(func=ast.Name(id="sum" | "mean" as name), args=[values, *dim]):
                keep = [ast.keyword("keepdim", ast.Constant(True))] if dim else []
                return ast.Call(ast.Attribute(one(values), name), [word("dim")] if dim else [], keep)
            case ast.Call(func=ast.Name(id="ln" | "sqrt" as name), args=[ast.Constant(value=int() | float() as value)]):
                return ast.Constant({"ln": math.log, "sqrt": math.sqrt}[name](value))
            case ast.Call(func=ast.Name(id=name), args=given) if (called := _TORCHS.get(name, name)) in names_of(
                "torch"
            ):
                return ast.Call(ast.Name(f"torch.{called}"), list(map(one, given)), [])
            case ast.Call(func=ast.Attribute(attr="index")):  # C++ name of []; its index list may have gaps
                raise CannotWrite
            case ast.Call(func=ast.Attribute(value=of, attr=name), args=given) if name in names_of("torch.Tensor"):
                return ast.Call(ast.Attribute(one(of), name), list(map(one, given)), [])
        raise CannotWrite

    return one(tree)


@cache
def of_torch(formula: str) -> ast.expr:
    """Parse a torch formula for real numbers. Raises CannotWrite."""
    try:
        return ast.parse(formula.replace(".conj()", ""), mode="eval").body
    except SyntaxError:
        raise CannotWrite from None


def product(grad: ast.expr, local: ast.expr) -> ast.expr:
    """Return the gradient times a local derivative."""
    match local:
        case ast.Constant(value=1):
            return grad
        case ast.Constant(value=-1):
            return ast.UnaryOp(ast.USub(), grad)
        case ast.BinOp(left=ast.Constant(value=1), op=ast.Div(), right=right):
            return ast.BinOp(grad, ast.Div(), right)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return product(ast.UnaryOp(ast.USub(), grad), inner)
    return ast.BinOp(grad, ast.Mult(), local)


def stretched(shapes: Sequence[Shape]) -> Shape:
    """Return the broadcast shape. Raises CannotWrite if shapes don't match."""
    longest = max(map(len, shapes))
    aligned = zip(*((1,) * (longest - len(shape)) + shape for shape in shapes), strict=True)
    sizes = [{size for size in axis if size != 1} for axis in aligned]
    if any(len(axis) > 1 for axis in sizes):
        raise CannotWrite
    return tuple(axis.pop() if axis else 1 for axis in sizes)


def reduced(text: str, shape: Shape, target: Shape) -> str:
    """Sum or expand an expression to its receiver's shape.

    >>> reduced("grad_y * b", (4, 3), (3,)), reduced("grad_y", (), (4, 3)), reduced("grad_y", (4, 3), (4, 1))
    ('(grad_y * b).sum(0)', 'grad_y.expand(4, 3)', 'grad_y.sum_to_size(4, 1)')
    """
    if shape == target:
        return text
    inner, front = text if _ATOM.fullmatch(text) else f"({text})", len(shape) - len(target)
    if front > 0 and shape[front:] == target:
        return f"{inner}.sum({0 if front == 1 else tuple(range(front))})"
    if stretched([shape, target]) == target:
        return f"{inner}.expand{sizes(target)}"
    if stretched([shape, target]) != shape:
        raise CannotWrite
    return f"{inner}.sum_to_size{sizes(target)}"


def sizes(shape: Shape) -> str:
    """Return a shape as the arguments of a method."""
    return f"({', '.join(map(str, shape))})" if shape else "(())"


def added(name: str, text: str) -> str:
    """Add an expression to a name.

    >>> added("g", "a * b"), added("g", "-a"), added("g", "a - b")
    ('g + a * b', 'g - a', 'g + (a - b)')
    """
    depth, outside = 0, []
    for character in text:
        depth += (character in "([") - (character in ")]")
        outside.append(character if depth == 0 else "")
    plain_text = "".join(outside)
    if " + " in plain_text or " - " in plain_text:
        return f"{name} + ({text})"
    return f"{name} - {text[1:]}" if text.startswith("-") else f"{name} + {text}"
