"""The examples of the Broadcasting page: traps and plain cases, each one click."""

from dataclasses import dataclass

TABLE = "[[1., 2., 3.], [4., 5., 6.]]"
SQUARE = "[[1., 2., 3.], [4., 5., 6.], [7., 8., 10.]]"


@dataclass(frozen=True)
class Example:
    """One example. Attributes: name: of its messages; operands: their texts; operator, start: as in Question."""

    name: str
    operands: tuple[str, ...]
    operator: str = "add"
    start: str = "ones"


EXAMPLES = (
    Example("outer", ("3, 1", "1, 2")),
    Example("product", ("3, 1", "1, 2"), "mul"),
    Example("mse", ("3, 1", "3"), "square", "mean"),
    Example("centre", (TABLE, "a.mean(1)"), "sub"),
    Example("silent", (SQUARE, "a.mean(1)"), "sub"),
    Example("rows", (TABLE, "a.sum(1)"), "div"),
    Example("keepdim", (TABLE, "a.sum(1, keepdim=True)"), "div"),
    Example("scalar", ("2, 3", "2.5"), "mul"),
    Example("empty", ("3, 1", "1, 0")),
    Example("flat", ("2, 1", "1, 3")),
    Example("box", ("2, 3, 1", "4"), "mul"),
    Example("three", ("4, 1", "3", "2, 1, 1")),
    Example("deep", ("8, 1, 6, 1", "7, 1, 5")),
)
