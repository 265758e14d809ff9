"""The formula of a gradient: a small scalar program as a program for SymPy, and what that answered.

The program is made of our own formulas of operations (`analysis.operations`); of the user's text only names are in it.
It runs confined, like any other.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from explorer.analysis.gradcheck.leaf_curve import way
from explorer.analysis.gradcheck.subjects import Subject
from explorer.analysis.operations.call import CallPart
from explorer.analysis.operations.formulas import DEFAULTS, FUNCTIONS, names_in, parsed
from explorer.analysis.operations.rules import function_of
from explorer.analysis.tensors.operations.view import OperationView
from explorer.text.numbers import number
from explorer.trace import Printed, Trace, real

MOST = 24  # operations of a program that has a formula worth reading
LONGEST = 160  # characters of a formula
_SAME = ("copy", "sum", "mean", "max", "min", "prod")  # of a single number these are that number
_TAKEN = {"E", "I", "pi", "oo", "zoo", "nan", "log", *FUNCTIONS}  # names that mean something else in a formula

# What our formulas call; a branch is the one that holds for the numbers of this run, and is told.
_HEAD = """\
import json, sympy
from sympy import acos as arccos, asin as arcsin, atan as arctan, cos, cosh, erf, erfc, exp, log, oo
from sympy import sin, sinc, sinh, sqrt, tan, tanh
told = []
def where(condition, yes, no):
    holds = bool(sympy.sympify(condition).subs(numbers))
    if getattr(condition, "free_symbols", None):
        told.append(sympy.sstr(condition if holds else sympy.Not(condition)))
    return yes if holds else no
def maximum(a, b): return a if b == -oo else where(a > b, a, b)
def minimum(a, b): return a if b == oo else where(a < b, a, b)
def abs(x): return where(x > 0, x, -x)
def sigmoid(x): return 1 / (1 + exp(-x))
def logaddexp(a, b): return log(exp(a) + exp(b))
def power(a, b): return a ** b
def divide(a, b): return a / b
def square(x): return x ** 2
def expm1(x): return exp(x) - 1
def log1p(x): return log(1 + x)
def exp2(x): return 2 ** x
def log2(x): return log(x) / log(2)
def log10(x): return log(x) / log(10)
def hypot(a, b): return sqrt(a ** 2 + b ** 2)
ln = log
"""
_TAIL = """\
slope = sympy.simplify(sympy.diff(root, leaf))
whole = {one: sympy.Integer(one) for one in slope.atoms(sympy.Float) if float(one).is_integer()}
slope = slope.xreplace(whole)
said = sympy.sstr(slope)
put_in = eval(said, {**globals(), **printed})
print(json.dumps([said, float(slope.subs(numbers)), float(put_in), sorted(set(told))]))
"""


@dataclass(frozen=True)
class FormulaQuestion:
    """A program for SymPy. Attributes: names: with their numbers in the run; gradient: by autograd."""

    program: str
    names: Mapping[str, float]
    gradient: float


@dataclass(frozen=True)
class GradientFormula:
    """The closed form of a gradient.

    Attributes:
        text: as SymPy writes it; conditions: of the branches taken.
        put_in: what the text gives with the names' numbers as they are printed.
    """

    text: str
    conditions: tuple[str, ...]
    put_in: float
    names: Mapping[str, float]
    gradient: float


def formula_question(trace: Trace, subject: Subject) -> FormulaQuestion | None:
    """The question for the gradient of a scalar leaf; None if an operation has no formula here."""
    route = way(trace, subject)
    gradient = subject.entries[0][2]
    if route is None or len(route.entries) != 1 or not 0 < len(route.steps) <= MOST:
        return None
    if gradient is None or not math.isfinite(gradient):
        return None
    bound = trace.index.bindings.get(route.leaf, ())
    name = bound[0].name if bound else ""
    made, names = {route.leaf: "leaf"}, {name: route.entries[0]}
    lines: list[str] = []
    for view in route.steps:
        line = _line(view, made, names)
        if line is None:
            return None
        made[view.outcomes[0].part.tensor] = f"v{len(lines)}"
        lines.append(f"v{len(lines)} = {line}\n")
    symbols = [f"_{word} = sympy.Symbol({word!r}, real=True)\n" for word in names]
    if any(not word.isidentifier() or not word.isascii() or word in _TAKEN for word in names):
        return None
    if not all(map(math.isfinite, names.values())):
        return None
    numbers = ", ".join(f"_{word}: {value!r}" for word, value in names.items())
    printed = {word: printed_value(value) for word, value in names.items()}
    head = "".join((*symbols, f"leaf = _{name}\nnumbers = {{{numbers}}}\nprinted = {printed!r}\n"))
    return FormulaQuestion(f"{_HEAD}{head}{''.join(lines)}root = {made[route.root]}\n{_TAIL}", names, gradient)


def formula_answer(asked: FormulaQuestion, again: Trace) -> GradientFormula | None:
    """What SymPy found; None if it found nothing short, or another number than autograd."""
    printed = "".join(output.text for cell in again.cells for output in cell.outputs if isinstance(output, Printed))
    try:
        text, value, put_in, conditions = msgspec.json.decode(printed, type=tuple[str, float, float, tuple[str, ...]])
    except msgspec.DecodeError:
        return None
    agrees = math.isclose(value, asked.gradient, rel_tol=1e-4, abs_tol=1e-6)
    if not agrees or len(text) > LONGEST or "Derivative" in text or "Subs" in text:
        return None
    return GradientFormula(text, conditions, put_in, asked.names, asked.gradient)


def printed_value(value: float) -> float:
    """A number as it is printed, with the digits that stand there."""
    return float(number(value).replace("−", "-"))


def _line(view: OperationView, made: Mapping[int, str], names: dict[str, float]) -> str | None:
    """An operation as an expression of what was made before it, of symbols, and of numbers; None without a formula."""
    reading = view.outcomes[0].reading
    if (
        reading is None
        or len(view.outcomes) != 1
        or any(part.size != 1 for part in (*view.operands, *view.call.results))
    ):
        return None
    given = [_operand(part, made, names) for part in view.operands]
    operation, constants = function_of(reading.rule), dict(reading.constants)
    if any(one is None for one in given):
        return None
    if not operation.forward:
        return given[0] if reading.rule in _SAME and len(given) == 1 else None
    options: dict[str, float | None] = {**DEFAULTS, **operation.options, **constants}
    values = dict(zip(operation.operands, map(str, given), strict=True))
    for option in names_in(parsed(operation.forward)):
        if option not in values:
            values[option] = _write_number(options.get(option))
    return f"(lambda {', '.join(values)}: {operation.forward})({', '.join(values.values())})"


def _operand(part: CallPart, made: Mapping[int, str], names: dict[str, float]) -> str | None:
    """What stands for an operand; None if it cannot be written, or its name has two numbers."""
    if part.tensor in made:
        return made[part.tensor]
    if part.numbers is None or part.numbers.dtype.kind == "c":
        return None
    value = float(real(part.numbers[0]))
    if part.tensor < 0 or not part.word.isidentifier():  # a number, or an expression that w is not in
        return _write_number(value)
    if names.setdefault(part.word, value) != value or not math.isfinite(value):
        return None
    return f"_{part.word}"


def _write_number(value: float | None) -> str:
    """A number for SymPy: whole ones without a fraction."""
    if value is None or math.isnan(value):
        return "sympy.nan"
    if math.isinf(value):
        return "oo" if value > 0 else "-oo"
    return f"sympy.Integer({int(value)})" if value == int(value) else f"sympy.Float({value!r}, 9)"
