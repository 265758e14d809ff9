"""The operators on the page, and the gradient that each passes to its two operands, entry by entry.

The derivatives are those of explorer.analysis.derivatives; at a tie `maximum` and `minimum` give half to each side.
Sums of what they give are only shown where they agree with the gradients that torch recorded.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from explorer.analysis.derivatives.expressions import partials

Arrays = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Operator:
    """One elementwise operation of two operands.

    Attributes:
        symbol: between the operands in pictures.
        text: its text in a program, of {0} and {1}.
        words: its text in a sentence, for two numbers.
        compute: the result's entries.
        node: torch's name of the operation in the table of derivatives, "" for the square of a difference.
        back: the gradient of each operand in a picture, of {v} and the operands.
        torch: names under which torch records it, without underscores.
        chained: whether the page offers it for more than two operands.
    """

    symbol: str
    text: str
    words: str
    compute: Callable[[np.ndarray, np.ndarray], np.ndarray]
    back: tuple[str, str]
    torch: tuple[str, ...]
    node: str = ""
    chained: bool = True

    def partials(self, first: np.ndarray, second: np.ndarray) -> Arrays:
        """Its derivatives with respect to the first and the second operand."""
        if self.node:
            by_first, by_second = partials(self.node, (first, second), self.compute(first, second))
            return by_first, by_second
        apart = first - second
        grown = partials("Pow", (apart, np.array(2.0)), apart)[0]
        return grown, -grown


OPERATORS = {
    "add": Operator(
        symbol="+",
        text="{0} + {1}",
        words="{0} + {1}",
        compute=np.add,
        node="Add",
        back=("{v}", "{v}"),
        torch=("add", "radd"),
    ),
    "sub": Operator(
        symbol="−",
        text="{0} - {1}",
        words="{0} − {1}",
        compute=np.subtract,
        node="Sub",
        back=("{v}", "−{v}"),
        torch=("sub", "subtract"),
    ),
    "mul": Operator(
        symbol="×",
        text="{0} * {1}",
        words="{0} · {1}",
        compute=np.multiply,
        node="Mul",
        back=("", ""),
        torch=("mul", "multiply", "rmul"),
    ),
    "div": Operator(
        symbol="÷",
        text="{0} / {1}",
        words="{0} / {1}",
        compute=np.divide,
        node="Div",
        back=("{v} / {1}", "−{v} · {0} / {1}²"),
        torch=("div", "truediv", "true_divide", "divide"),
    ),
    "pow": Operator(
        symbol="**",
        text="{0} ** {1}",
        words="{0} ** {1}",
        compute=np.power,
        node="Pow",
        back=("{v} · {1} · {0} ** ({1} − 1)", "{v} · {0} ** {1} · ln {0}"),
        torch=("pow",),
    ),
    "maximum": Operator(
        symbol="max",
        text="torch.maximum({0}, {1})",
        words="max({0}, {1})",
        compute=np.maximum,
        node="Maximum",
        back=("{v} · [{0} > {1}]", "{v} · [{1} > {0}]"),
        torch=("maximum",),
    ),
    "minimum": Operator(
        symbol="min",
        text="torch.minimum({0}, {1})",
        words="min({0}, {1})",
        compute=np.minimum,
        node="Minimum",
        back=("{v} · [{0} < {1}]", "{v} · [{1} < {0}]"),
        torch=("minimum",),
    ),
    "square": Operator(
        symbol="−",
        text="({0} - {1}) ** 2",
        words="({0} − {1})²",
        compute=lambda a, b: (a - b) ** 2,
        back=("{v} · 2({0} − {1})", "−{v} · 2({0} − {1})"),
        torch=(),
        chained=False,
    ),
}


def written(operator: str, words: tuple[str, ...]) -> str:
    """The program text that applies an operator to operands from left to right.

    >>> written("add", ("a", "b", "c")), written("pow", ("a", "b", "c"))
    ('a + b + c', '(a ** b) ** c')
    """
    text = words[0]
    for word in words[1:]:
        left = f"({text})" if operator == "pow" and text != words[0] else text
        text = OPERATORS[operator].text.format(left, word)
    return text


def said(operator: str, words: tuple[str, ...]) -> str:
    """The operation on these words in a sentence, with · and −; the words are entries or numbers."""
    text = words[0]
    for word in words[1:]:
        left = f"({text})" if operator == "pow" and text != words[0] else text
        text = OPERATORS[operator].words.format(left, word)
    return text


def back_text(operator: str, names: tuple[str, ...], operand: int) -> str:
    """The gradient that one read passes back for the upstream gradient v; "" if that is too long.

    >>> back_text("mul", ("a", "b"), 0), back_text("mul", ("a", "b", "c"), 0), back_text("div", ("a", "b", "c"), 0)
    ('v · b', 'v · b · c', '')
    """
    words = tuple(f"({name})" if " " in name else name for name in names)
    if operator == "mul":
        return " · ".join(["v", *words[:operand], *words[operand + 1 :]])
    if len(names) > 2 and operator not in ("add", "sub"):
        return ""
    return OPERATORS[operator].back[min(operand, 1)].format(*words, v="v")
