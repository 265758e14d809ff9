"""The formula of a gradient as a line of text: in letters, with the numbers put in, and what that gives."""

import math
from collections.abc import Iterable, Mapping

from explorer.analysis.gradcheck.formula import GradientFormula, printed_value
from explorer.drawing.derivatives.curves import pretty
from explorer.drawing.marks import quoted
from explorer.safe_regex import plain
from explorer.text import say, separated
from explorer.text.numbers import number

_NAME = plain(r"(?<![\w.])[A-Za-z_]\w*+")


def formula_html(found: GradientFormula, root: str, name: str, lang: str) -> str:
    """`∂y/∂w = 2w + x + 1 = 2·1 + 2 + 1 = 5`, and under which conditions."""
    letters, numbers = pretty(found.text), pretty(_NAME.sub(lambda word: _put(word[0], found.names), found.text))
    result = number(found.gradient)
    said = f"∂{root}/∂{name} = {letters}"
    if numbers != letters:
        said += f" {_sign(_is_exact(value) for value in found.names.values())} {numbers}"
    if result not in (letters, numbers):
        said += f" {_sign([math.isclose(found.put_in, printed_value(found.gradient), rel_tol=1e-9)])} {result}"
    told = f'<p class="formula"><code>{quoted(said)}</code></p>'
    if found.conditions:
        where = separated(lang, [pretty(condition) for condition in found.conditions])
        told += f'<p class="quiet">{quoted(say(lang, "formula-while", conditions=where))}</p>'
    return told


def _put(word: str, names: Mapping[str, float]) -> str:
    """The number of a name, in parentheses where its sign would join what stands before; a function stays."""
    if word not in names:
        return word
    said = number(names[word]).replace("−", "-")
    return f"({said})" if said.startswith("-") else said


def _is_exact(value: float) -> bool:
    """Whether a number is printed as it is, but for rounding in single precision."""
    return math.isclose(printed_value(value), value, rel_tol=1e-7)


def _sign(exact: Iterable[bool]) -> str:
    return "=" if all(exact) else "≈"
