"""The operators on the page: operations of two operands that the table offers, and their texts."""

from explorer.analysis.operations import OPERATIONS
from explorer.analysis.operations.record import Offer

OFFERED = {
    **{name: operation for name, operation in OPERATIONS.items() if operation.offer is not None},
    "square": OPERATIONS["squared_difference"],
}
del OFFERED["squared_difference"]
OPERATORS: dict[str, Offer] = {name: operation.offer for name, operation in OFFERED.items()}


def written(operator: str, words: tuple[str, ...]) -> str:
    """The program text that applies an operator to operands from left to right.

    >>> written("add", ("a", "b", "c")), written("pow", ("a", "b", "c"))
    ('a + b + c', '(a ** b) ** c')
    """
    return _chained(OPERATORS[operator].text, operator, words)


def said(operator: str, words: tuple[str, ...]) -> str:
    """The operation on these words in a sentence, with · and −; the words are entries or numbers."""
    return _chained(OFFERED[operator].said or OFFERED[operator].notation, operator, words)


def _chained(pattern: str, operator: str, words: tuple[str, ...]) -> str:
    text = words[0]
    for word in words[1:]:
        text = pattern.format(f"({text})" if operator == "pow" and text != words[0] else text, word)
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
