"""Write formulas (`explorer.analysis.operations.formulas`) with the program's names and numbers."""

import ast
import math
from collections.abc import Mapping

from explorer.analysis.operations.formulas import binary
from explorer.safe_regex import plain
from explorer.text import say
from explorer.text.numbers import MINUS, number

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LOOSE = plain(r"[<>=&|^~:,;\"']|[\w)\]]\s+[\w(\[]")
_ADDS, _MULTIPLIES = plain(rf"[+\-{MINUS}]"), plain(r"(?<!\*)\*(?!\*)|[/@%·]")
_COMPARED = {ast.Gt: ">", ast.GtE: "≥", ast.Lt: "<", ast.LtE: "≤", ast.Eq: "=", ast.BitAnd: "∧"}
_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = 1, 2, 3, 4, 5  # precedence of the parts of a text


def simplified(tree: ast.expr, constants: Mapping[str, float]) -> ast.expr:
    """The expression with known numbers instead of names, without factors of 1, powers of 1 and sums with 0.

    >>> from explorer.analysis.operations.formulas import parsed
    >>> ast.unparse(simplified(parsed("exponent * self ** (exponent - 1)"), {"exponent": 2}))
    '2 * self'
    """
    match tree:
        case ast.Name(id=name) if name in constants:
            return ast.Constant(constants[name])
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = simplified(operand, constants)
            return ast.UnaryOp(ast.USub(), inner) if (known := _known(inner)) is None else ast.Constant(-known)
        case ast.Call(func=func, args=arguments):
            return ast.Call(func, [simplified(argument, constants) for argument in arguments], [])
        case ast.Compare(left=left, ops=signs, comparators=[right]):
            sides = simplified(left, constants), simplified(right, constants)
            if any(abs(_known(side) or 0) == math.inf for side in sides):
                return ast.Constant(True)  # a clamp without a bound on that side
            return ast.Compare(sides[0], signs, [sides[1]])
        case ast.BinOp(left=left, op=sign, right=right):
            return _folded(sign, simplified(left, constants), simplified(right, constants))
    return tree


def _known(tree: ast.expr) -> float | None:
    """The number that an expression consists of, None for any other expression."""
    return tree.value if isinstance(tree, ast.Constant) and isinstance(tree.value, int | float) else None


def _folded(sign: ast.operator, left: ast.expr, right: ast.expr) -> ast.expr:
    a, b = _known(left), _known(right)
    if a is not None and b is not None and not isinstance(sign, ast.Div):
        return ast.Constant(float(binary(sign, a, b)))
    match sign:
        case ast.Mult() if a == 1:
            return right
        case ast.Mult() | ast.Div() | ast.Pow() if b == 1:
            return left
        case ast.BitAnd() if a is True:
            return right
        case ast.BitAnd() if b is True:
            return left
        case ast.Pow() if b == 0:
            return ast.Constant(1)
        case ast.Add() | ast.Sub() if b == 0:
            return left
    return ast.BinOp(left, sign, right)


def written(tree: ast.expr, words: Mapping[str, str], lang: str) -> str:
    """The expression in mathematical notation, its names replaced by the program's names or by numbers.

    >>> from explorer.analysis.operations.formulas import parsed
    >>> written(parsed("-self / other**2"), {"self": "a", "other": "x + 1"}, "en")
    '−a / (x + 1)²'
    """
    return _text(tree, words, lang)[0]


def factor(word: str, first: bool = False) -> str:
    """A word or number as a factor of a product, in brackets if necessary; a leading minus needs none."""
    return word if _binds(word) > _SIGN or (first and _binds(word) == _SIGN) else f"({word})"


def atom(word: str) -> str:
    """A word after ∂, in brackets unless it is one name, one call or one entry."""
    return word if word.isidentifier() or _binds(word) == _ATOM else f"({word})"


def _binds(word: str) -> int:
    """The precedence of a program's text, from its operators outside brackets."""
    if word[:1] in (MINUS, "+", "-"):
        return min(_SIGN, _binds(word[1:]))
    outside, depth = [], 0
    for character in word:
        depth -= character in ")]}"
        if depth <= 0:
            outside.append(character)
        depth += character in "([{"
    text = "".join(outside)
    if not text or _LOOSE.search(text):
        return 0
    if _ADDS.search(text):
        return _SUM
    if _MULTIPLIES.search(text):
        return _PRODUCT
    return _POWER if "**" in text else _ATOM


def _text(tree: ast.expr, words: Mapping[str, str], lang: str) -> tuple[str, int]:
    """A text and its precedence."""
    match tree:
        case ast.Constant(value=int() | float() as value):
            text = number(value)
            return text, _binds(text)
        case ast.Name(id=name):
            word = words.get(name, name)
            return word, _binds(word)
        case ast.UnaryOp(operand=operand):
            return MINUS + _inside(operand, words, lang, _PRODUCT), _SIGN
        case ast.Call(func=ast.Name(id="where"), args=[condition, then, otherwise]):
            known = {"condition": condition, "then": then, "otherwise": otherwise}
            texts = {name: _text(part, words, lang)[0] for name, part in known.items()}
            return say(lang, "formula-where", **texts), 0
        case ast.Call(func=ast.Name(id="T"), args=[inner]):
            text = _inside(inner, words, lang, _POWER)
            return text.removesuffix("ᵀ") if text.endswith("ᵀ") else text + "ᵀ", _ATOM
        case ast.Call(func=ast.Name(id=name), args=arguments):
            told = [a for a in arguments if getattr(a, "id", "") != "dim" or "dim" in words]
            given = ", ".join(_text(a, words, lang)[0] for a in told)
            return f"{name}({given})", _ATOM
        case ast.Compare(left=left, ops=[sign], comparators=[right]):
            sides = [_inside(side, words, lang, _SUM) for side in (left, right)]
            return f" {_COMPARED[type(sign)]} ".join(sides), 0
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            base, power = _inside(left, words, lang, _ATOM), _text(right, words, lang)[0]
            exponent = _known(right)
            if exponent is not None and float(exponent).is_integer():  # ∞ and NaN are no whole numbers
                return base + str(int(exponent)).translate(_SUPERSCRIPT), _POWER
            return f"{base}^{factor(power)}", _POWER
        case ast.BinOp(left=left, op=sign, right=right):
            mark, level = {
                ast.Add: ("+", _SUM),
                ast.Sub: (MINUS, _SUM),
                ast.Mult: ("·", _PRODUCT),
                ast.Div: ("/", _PRODUCT),
                ast.MatMult: ("@", _PRODUCT),
                ast.BitAnd: ("∧", 0),
            }[type(sign)]
            tighter = level + 1 if isinstance(sign, ast.Add | ast.BitAnd) else _SIGN + 1 if level == _PRODUCT else 2
            return f"{_inside(left, words, lang, level)} {mark} {_inside(right, words, lang, tighter)}", level
    raise TypeError(ast.dump(tree))


def _inside(tree: ast.expr, words: Mapping[str, str], lang: str, least: int) -> str:
    text, binds = _text(tree, words, lang)
    return text if binds >= least else f"({text})"
