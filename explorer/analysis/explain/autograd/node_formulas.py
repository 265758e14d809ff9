"""Local derivative of every node with respect to every input.

Common operations are in explorer.analysis.run.operations, as an expression or in words. Others use torch's formula,
extracted from derivatives.yaml by tools/generate_formulas.py.
"""

import ast
import json
import math
from collections.abc import Container, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from msgspec import Struct

from explorer.analysis.run.operations import Derivative, derivatives_of_node, operation_of_node, stem_of
from explorer.analysis.run.operations.formulas import binary, parsed
from explorer.analysis.run.operations.record import ANY
from explorer.safe_regex import plain
from explorer.text import say
from explorer.text.numbers import MINUS, number
from explorer.trace import PACKED, RECOMPUTED, Trace

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LOOSE = plain(r"[<>=&|^~:,;\"']|[\w)\]]\s+[\w(\[…]")
_ADDS, _MULTIPLIES = plain(rf"[+\-{MINUS}]"), plain(r"(?<!\*)\*(?!\*)|[/@%·]")
_COMPARED = {ast.Gt: ">", ast.GtE: "≥", ast.Lt: "<", ast.LtE: "≤", ast.Eq: "=", ast.BitAnd: "∧"}
_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = 1, 2, 3, 4, 5  # precedence of the parts of a text


def simplified(tree: ast.expr, constants: Mapping[str, float]) -> ast.expr:
    """Insert known constants and drop neutral factors, powers and summands.

    >>> from explorer.analysis.run.operations.formulas import parsed
    >>> ast.unparse(simplified(parsed("exponent * self ** (exponent - 1)"), {"exponent": 2}))
    '2 * self'
    """
    match tree:
        case ast.Name(id=name) if name in constants:
            return ast.Constant(constants[name])
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = simplified(operand, constants)
            return ast.UnaryOp(ast.USub(), inner) if (value := _known(inner)) is None else ast.Constant(-value)
        case ast.Call(func=func, args=arguments):
            return ast.Call(func, [simplified(argument, constants) for argument in arguments], [])
        case ast.Compare(left=left, ops=signs, comparators=[right]):
            sides = simplified(left, constants), simplified(right, constants)
            if any(abs(_known(side) or 0) == math.inf for side in sides):
                return ast.Constant(True)  # a clamp without that bound
            return ast.Compare(sides[0], signs, [sides[1]])
        case ast.BinOp(left=left, op=sign, right=right):
            return _folded(sign, simplified(left, constants), simplified(right, constants))
    return tree


def _known(tree: ast.expr) -> float | None:
    """Return the number that an expression is, None for any other expression."""
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
    """Write an expression in mathematical notation with the program's names or numbers.

    >>> from explorer.analysis.run.operations.formulas import parsed
    >>> written(parsed("-self / other**2"), {"self": "a", "other": "x + 1"}, "en")
    '−a / (x + 1)²'
    >>> written(parsed("self - other"), {"self": "−2", "other": "−3"}, "en")
    '−2 − (−3)'
    """
    return _text(tree, words, lang)[0]


def factor(word: str, first: bool = False) -> str:
    """Write a word or number as a factor, in brackets if needed."""
    return word if _binds(word) > _SIGN or (first and _binds(word) == _SIGN) else f"({word})"


def atom(word: str) -> str:
    """Write a word after ∂, in brackets if needed."""
    return word if word.isidentifier() or _binds(word) == _ATOM else f"({word})"


def _binds(word: str) -> int:
    """Return the precedence of a program text, from its operators outside brackets."""
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
    """Return a text and its precedence."""
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
            branches = {"condition": condition, "then": then, "otherwise": otherwise}
            texts = {name: _text(part, words, lang)[0] for name, part in branches.items()}
            return say(lang, "formula-where", **texts), 0
        case ast.Call(func=ast.Name(id="T"), args=[inner]):
            text = _inside(inner, words, lang, _POWER)
            return text.removesuffix("ᵀ") if text.endswith("ᵀ") else text + "ᵀ", _ATOM
        case ast.Call(func=ast.Name(id=name), args=arguments):
            shown = [a for a in arguments if getattr(a, "id", "") != "dim" or "dim" in words]
            given = ", ".join(_text(a, words, lang)[0] for a in shown)
            return f"{name}({given})", _ATOM
        case ast.Compare(left=left, ops=[sign], comparators=[right]):
            sides = [_inside(side, words, lang, _SUM) for side in (left, right)]
            return f" {_COMPARED[type(sign)]} ".join(sides), 0
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            base, power = _inside(left, words, lang, _ATOM), _text(right, words, lang)[0]
            exponent = _known(right)
            if exponent is not None and float(exponent).is_integer():  # ∞ and NaN are not integers
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
            second = _inside(right, words, lang, tighter)
            second = f"({second})" if level == _SUM and second.startswith(MINUS) else second  # −2 − (−3)
            return f"{_inside(left, words, lang, level)} {mark} {second}", level
    raise TypeError(ast.dump(tree))


def _inside(tree: ast.expr, words: Mapping[str, str], lang: str, least: int) -> str:
    text, binds = _text(tree, words, lang)
    return text if binds >= least else f"({text})"


class Formula(Struct, frozen=True):
    """Gradient that a node passes on to one input.

    Attributes:
        input: torch's name of the input, "" if unknown.
        kind: local (the expression is the local derivative, multiplied by the gradient and summed over broadcast
            axes), whole (the expression is the passed gradient), words (the message formula-`words`), torch (torch's
            text) or own (the program's own backward).
        expression: local or whole formula, or torch's text. For words, the local derivative or "".
        words: end of a message id, or "".
        zero: condition under which 0 is passed on although the expression is undefined, or "".
    """

    input: str
    kind: Literal["local", "whole", "words", "torch", "own"]
    expression: str = ""
    words: str = ""
    zero: str = ""

    @property
    def is_entrywise(self) -> bool:
        """Whether the gradient is multiplied entrywise, apart from broadcasting."""
        return self.kind in ("local", "words") and bool(self.expression)


Constant = str | int | float | tuple[int, ...] | None
WORDED = ("reduction", "ignore_index", "padding_idx", "scale_grad_by_freq", "dim")  # see `sentence_constants`
_REDUCTIONS = {0: "none", 1: "mean", 2: "sum"}  # torch's codes
_LONGEST = 200  # longest constant that is parsed as numbers
_NUMBERS = plain(r"-?(?:\d++(?:\.\d*+)?(?:e[+-]?\d++)?|inf|nan)|\((?:-?\d++,? ?)*+\)")
_WHOLE_NUMBER = plain(r"-?\d+")
_LIST_INPUTS = {"tensors"}  # every edge is one entry of the list


@cache
def generated() -> dict[str, list[tuple[str, str]]]:
    """Load torch's own formulas: (input, formula) pairs by node, in edge order."""
    text = (Path(__file__).parent / "node_formulas.json").read_text(encoding="utf-8")
    return {node: [(name, formula) for name, formula in inputs] for node, inputs in json.loads(text).items()}


def formulas(node: str, edges: int, own: bool = False) -> list[Formula]:
    """Return a node's formula per edge. `own`: a Function of the program."""
    inputs = generated().get(node, [])
    if inputs and inputs[0][0] in _LIST_INPUTS:
        inputs = inputs[:1] * edges
    stem = stem_of(node)
    if not inputs and stem in ("Copys", "CopySlices"):
        inputs = [(name, "") for name in (("self", "src") if stem == "Copys" else [""] * edges)]
    inputs = [*inputs, *[("", "")] * edges][:edges]
    return [Formula(name, "own") if own else _formula(node, name, torch) for name, torch in inputs]


def formulas_of(trace: Trace, node: int) -> list[Formula]:
    """Return the formula for every edge of a Trace's node, for the call's arguments."""
    nodes, name = trace.nodes, trace.strings[trace.nodes.name[node]]
    plain = formulas(name, len(nodes.edges[node]), nodes.user_code[node])
    given = given_of(trace, node)
    return [_variant(formula, name, given) for formula in plain]


def given_of(trace: Trace, node: int) -> dict[str, Constant]:
    """Return the constants that a node saves, by torch's names, None for a tensor."""
    saved = trace.saved
    return {trace.strings[saved.name[row]]: constant(trace, row) for row in trace.index.saved.get(node, ())}


def constant(trace: Trace, row: int) -> Constant:
    """Return a saved constant as a plain value, None for a tensor."""
    text = trace.string(trace.saved.constant[row])
    if text in (PACKED, RECOMPUTED):
        return None
    if text is None or len(text) > _LONGEST or not _NUMBERS.fullmatch(text):
        return text
    if text[0] != "(" and not _WHOLE_NUMBER.fullmatch(text):
        return float(text)
    numbers = tuple(_signed(int(word)) for word in _WHOLE_NUMBER.findall(text))
    if not all(-(2**63) <= number < 2**63 for number in numbers):
        return text  # not a number from torch
    return numbers if text[0] == "(" else numbers[0]


def _signed(stored: int) -> int:
    """Undo torch's unsigned storage of negative integers (−1 is stored as 2⁶⁴ − 1)."""
    return stored - 2**64 if stored >= 2**63 else stored


def _variant(formula: Formula, node: str, given: Mapping[str, Constant]) -> Formula:
    """Return the formula for the call's arguments, such as the order of a norm."""
    if formula.kind == "own":
        return formula
    for name, value, derivative in derivatives_of_node(node).get(formula.input, Derivative()).cases:
        if name in given and (value is ANY or given[name] == value):
            return _by_table(formula.input, derivative, derivative.zero)
    return formula


def _by_table(name: str, derivative: Derivative, zero: str) -> Formula:
    whole: Literal["whole", "local"] = "whole" if derivative.is_whole else "local"
    return Formula(name, "words" if derivative.words else whole, derivative.formula, derivative.words, zero)


def formula_texts(trace: Trace, node: int, lang: str) -> list[dict[str, str]]:
    """Return a node's formulas as plain text with torch's input names: input, kind, text."""
    given, own = given_of(trace, node), formulas_of(trace, node)
    values = [value for each in (node, *trace.nodes.edges[node]) if each >= 0 for value in trace.nodes.values[each]]
    dtypes = {trace.strings[trace.values.dtype[value]] for value in values if value >= 0}
    if any(dtype.startswith("complex") for dtype in dtypes):  # torch conjugates the derivative
        name = trace.strings[trace.nodes.name[node]]
        own = [one if one.kind == "own" else own_text(one, name, edge) for edge, one in enumerate(own)]
    key = tuple((name, value) for name, value in given.items() if name in WORDED)
    return [
        {"input": formula.input, "kind": formula.kind, "text": _plain_text(formula, key, frozenset(given), lang)}
        for formula in own
    ]


@lru_cache(4096)
def _plain_text(formula: Formula, constants: tuple[tuple[str, Constant], ...], given: frozenset[str], lang: str) -> str:
    if formula.kind == "own":
        return say(lang, "formula-own")
    if formula.kind == "torch":
        return formula.expression
    names = {name: name for name in ("self", "other", "result", "weight", "input")}
    if formula.kind == "words":
        return say(
            lang, f"formula-{formula.words}", **names, to=formula.input, **sentence_constants(dict(constants), given)
        )
    tree = parsed(formula.expression)
    absent = {name: 1.0 for name in ("weight", "alpha", "beta", "value") if name not in given}
    return written(simplified(tree, absent), axis_words(axes_of(dict(constants).get("dim"))), lang)


def axes_of(dim: Constant) -> tuple[int, ...]:
    """Return the axes of a saved dim, () for all."""
    return dim if isinstance(dim, tuple) else (dim,) if isinstance(dim, int) else ()


def axis_words(axes: tuple[int, ...]) -> dict[str, str]:
    """Write a reduction's axes for a formula: dim=1, or ""."""
    return {"dim": f"dim={axes[0] if len(axes) == 1 else axes}"} if axes else {}


def sentence_constants(given: Mapping[str, Constant], names: Container[str]) -> dict[str, str]:
    """Return constants for a formula's sentence: reduction of a loss, axis, weights."""
    axes = axes_of(given.get("dim"))
    ignored = given.get("ignore_index", -100)
    return {
        "reduction": _REDUCTIONS.get(given.get("reduction"), "none"),  # type: ignore[arg-type]
        "weighted": "yes" if "weight" in names else "no",
        "ignored": str(ignored) if isinstance(ignored, int) and ignored >= 0 else "no",
        "padding": str(given.get("padding_idx", -1)),
        "counted": "yes" if given.get("scale_grad_by_freq") == "True" else "no",
        "axis": str(axes[0]) if len(axes) == 1 else "no",
    }


def own_text(formula: Formula, node: str, edge: int) -> Formula:
    """Return torch's own formula as text."""
    inputs = generated().get(node, [])
    return Formula(formula.input, "torch", inputs[edge][1] if edge < len(inputs) else "")


def commutes(node: str) -> bool:
    """Return whether a node's two operands are interchangeable.

    >>> commutes("MulBackward0"), commutes("SubBackward0")
    (True, False)
    """
    return operation_of_node(node).commutes


def _formula(node: str, name: str, torch: str) -> Formula:
    derivative = derivatives_of_node(node).get(name)
    unknown = derivative is None or not (derivative.formula or derivative.words)
    return Formula(name, "torch", torch) if unknown else _by_table(name, derivative, derivative.zero)
