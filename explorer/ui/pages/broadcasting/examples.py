"""The examples of the Broadcasting page: traps and plain cases, each one click."""

from dataclasses import dataclass

from explorer.analysis.broadcasting.question import Start

TABLE = "[[1., 2., 3.], [4., 5., 6.]]"
SQUARE = "[[1., 2., 3.], [4., 5., 6.], [7., 8., 10.]]"


@dataclass(frozen=True)
class BroadcastExample:
    """One example. Attributes: name: of its messages; operands: their texts; operator, start: as in Question."""

    name: str
    operands: tuple[str, ...]
    operator: str = "add"
    start: Start = "ones"


EXAMPLES = (
    BroadcastExample("outer", ("3, 1", "1, 2")),
    BroadcastExample("product", ("3, 1", "1, 2"), "mul"),
    BroadcastExample("mse", ("3, 1", "3"), "square", "mean"),
    BroadcastExample("centre", (TABLE, "a.mean(1)"), "sub"),
    BroadcastExample("silent", (SQUARE, "a.mean(1)"), "sub"),
    BroadcastExample("rows", (TABLE, "a.sum(1)"), "div"),
    BroadcastExample("keepdim", (TABLE, "a.sum(1, keepdim=True)"), "div"),
    BroadcastExample("scalar", ("2, 3", "2.5"), "mul"),
    BroadcastExample("empty", ("3, 1", "1, 0")),
    BroadcastExample("flat", ("2, 1", "1, 3")),
    BroadcastExample("box", ("2, 3, 1", "4"), "mul"),
    BroadcastExample("three", ("4, 1", "3", "2, 1, 1")),
    BroadcastExample("deep", ("8, 1, 6, 1", "7, 1, 5")),
)
