"""The user's question (operands, operator, starting gradient), its program, and the operators.

Texts are only scanned: a shape, nested brackets of numbers, or an expression that the child evaluates.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from explorer.analysis.run.operations import OPERATIONS
from explorer.analysis.run.operations.record import Offer
from explorer.analysis.views.broadcasting.alignment import MAX_RANK, Shape, align
from explorer.safe_regex import linear, plain
from explorer.text.numbers import sizes
from explorer.trace import WHOLE

MAX_OPERANDS = 4
MAX_ENTRIES = WHOLE  # most entries of a result that a run keeps
NAMES = "abcde"  # operand names; the result gets the next letter

_BARE = linear(r"(?i)\(?\s*-?\d+(?:\s*(?:[,x×*，、]\s*|\s)-?\d+)*\s*[,，]?\s*\)?")
_LITERAL = plain(r"[\[\]\d\s.,+\-eE]+")
_ENTRIES = plain(r"(?=.*(?:\d|True|False))(?:[\[\]\d\s.,+\-ej]|True|False)+")  # literals of non-float types
_SIZE = plain(r"-?\d+")
_SIMPLE = plain(r"[\w.]+(\(.*\))?")
_TOKEN = plain(r"[\[\],]|[^\[\],\s][^\[\],]*")

Kind = Literal["shape", "literal", "expression"]
Trouble = Literal["empty", "negative", "rank", "large", "brackets", "ragged"]
Start = Literal["ones", "mean", "given"]


@dataclass(frozen=True)
class AskedOperand:
    """An operand as typed.

    Attributes:
        text: as typed, one line.
        kind: a shape (filled with 0, 1, 2, …), a literal tensor, or an expression for the child.
        shape: None if only the child knows it.
        trouble: why there is no program, or "".
        floating: whether `.float()` is added, because whole numbers have no gradient.
    """

    text: str
    kind: Kind
    shape: Shape | None
    trouble: Trouble | Literal[""] = ""
    floating: bool = False

    def source(self) -> str:
        """Return the expression that creates its tensor, requiring grad if the dtype is known."""
        if self.kind == "shape":
            count = math.prod(self.shape)
            if not self.shape:
                return "torch.tensor(0., requires_grad=True)"
            reshaped = "" if len(self.shape) == 1 else f".reshape({', '.join(map(str, self.shape))})"
            return f"torch.arange({count}.){reshaped}.requires_grad_()"
        if self.kind == "literal":
            return f"torch.tensor({self.text}, dtype=torch.float32, requires_grad=True)"
        return f"({self.text}).float()" if self.floating else self.text


@dataclass(frozen=True)
class BroadcastQuestion:
    """State of the page.

    Attributes:
        operands: two to MAX_OPERANDS operands.
        operator: key of OPERATORS.
        start: starting gradient: ones (the sum of the result), mean or `given`.
        given: starting gradient as an expression, for start == "given".
    """

    operands: tuple[AskedOperand, ...]
    operator: str = "add"
    start: Start = "ones"
    given: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the operands."""
        return tuple(NAMES[: len(self.operands)])

    @property
    def result(self) -> str:
        """Name of the result."""
        return NAMES[len(self.operands)]

    @property
    def expression(self) -> str:
        """Operation in the program's words."""
        return written(self.operator, self.names)

    @property
    def shapes(self) -> tuple[Shape, ...] | None:
        """Shapes of the operands, None if only the child knows one."""
        shapes = tuple(asked.shape for asked in self.operands)
        return None if None in shapes else shapes


def operand(text: str) -> AskedOperand:
    """Read a typed operand.

    >>> operand("3, 1").shape, operand("(3,1)").shape, operand("3x1").shape, operand("()").shape
    ((3, 1), (3, 1), (3, 1), ())
    >>> operand("[[1., 2.]]").kind, operand("torch.arange(3)").kind
    ('literal', 'expression')
    >>> operand("[True, False]").text, operand("1e9").text
    ('torch.tensor([True, False])', 'torch.tensor(1e9)')
    """
    text = " ".join(text.replace("，", ",").replace("（", "(").replace("）", ")").replace("−", "-").split())
    bare = text.removeprefix("torch.Size(").removesuffix(")") if text.startswith("torch.Size(") else text
    if text.startswith("torch.Size("):
        bare = bare.strip().removeprefix("[").removesuffix("]") or "()"
    if not bare:
        return AskedOperand("", "shape", None, "empty")
    if bare in ("()", "( )"):
        return AskedOperand("()", "shape", ())
    if _BARE.fullmatch(bare):
        shape = tuple(int(size[:20]) for size in _SIZE.findall(bare))
        return _of_shape(bare, "shape", shape)
    if _LITERAL.fullmatch(text) and ("[" in text or "." in text):
        read = _literal_shape(text)
        return AskedOperand(text, "literal", None, read) if isinstance(read, str) else _of_shape(text, "literal", read)
    if _ENTRIES.fullmatch(text):
        text = f"torch.tensor({text})"
    return AskedOperand(text, "expression", None)


def changed(asked: AskedOperand, code: str, shape: Shape) -> AskedOperand:
    """Apply a fix such as "{}.unsqueeze(1)" to an operand."""
    if asked.kind == "shape":
        return operand(sizes(shape))
    text = f"torch.tensor({asked.text})" if asked.kind == "literal" else asked.text
    simple = _SIMPLE.fullmatch(text)
    return operand(code.format(text if simple else f"({text})"))


def fixed(question: BroadcastQuestion, operand: int, code: str, shape: Shape) -> BroadcastQuestion:
    """Apply a fix to one operand of a question, as in `changed`."""
    made = list(question.operands)
    made[operand] = changed(made[operand], code, shape)
    return replace(question, operands=tuple(made))


def floated(question: BroadcastQuestion, names: Sequence[str]) -> BroadcastQuestion:
    """Append `.float()` to these operands of a question."""
    made = tuple(
        replace(asked, floating=True) if name in names else asked
        for name, asked in zip(question.names, question.operands, strict=True)
    )
    return replace(question, operands=made)


def too_large(question: BroadcastQuestion) -> int:
    """Return the entries of a result or operand that exceeds MAX_ENTRIES, otherwise 0."""
    counts = [math.prod(asked.shape) for asked in question.operands if asked.shape is not None]
    if question.shapes is not None:
        counts.append(align(question.shapes).entries)
    most = max(counts, default=0)
    return most if most > MAX_ENTRIES else 0


def broadcast_program(question: BroadcastQuestion) -> str:
    """Write a question's program: operands, result and backward.

    >>> print(broadcast_program(BroadcastQuestion((operand("3, 1"), operand("2")))))
    import torch
    <BLANKLINE>
    a = torch.arange(3.).reshape(3, 1).requires_grad_()
    b = torch.arange(2.).requires_grad_()
    c = a + b
    v = torch.ones_like(c)
    c.backward(v)
    <BLANKLINE>
    """
    lines = ["import torch", ""]
    named = list(zip(question.names, question.operands, strict=True))
    lines += [f"{name} = {asked.source()}" for name, asked in named]
    lines += [f"{name}.requires_grad_()" for name, asked in named if asked.kind == "expression"]
    result = question.result
    lines.append(f"{result} = {question.expression}")
    if question.start == "mean":
        lines += [f"{result}.retain_grad()", f"loss = {result}.mean()", "loss.backward()"]
    else:
        given = operand(question.given)
        start = f"torch.ones_like({result})"
        if question.start == "given" and not given.trouble:
            start = given.text if given.kind == "expression" else f"torch.tensor({given.text})"
        lines += [f"v = {start}", f"{result}.backward(v)"]
    return "\n".join([*lines, ""])


def field_of(question: BroadcastQuestion, line: int, column: int) -> tuple[str, int]:
    """Find the field at a place in `broadcast_program`, with its column.

    Args:
        line, column: from 1 and from 0.

    The field is an operand's name, "given", or "" for other text. The column counts from 1 in its text, 0 if unknown.
    """
    count = len(question.operands)
    if 3 <= line < 3 + count:
        name, own = question.names[line - 3], question.operands[line - 3]
        before = len(f"{name} = ") + own.floating
        return name, max(0, column + 1 - before) if own.kind == "expression" else 0
    asked = [name for name, own in zip(question.names, question.operands, strict=True) if own.kind == "expression"]
    if 3 + count <= line < 3 + count + len(asked):
        return asked[line - 3 - count], 0
    if question.start == "given" and line > 3 + count + len(asked):
        literal = operand(question.given).kind != "expression"
        return "given", 0 if literal else max(0, column + 1 - len("v = ")) if line == 4 + count + len(asked) else 0
    return "", 0


def _of_shape(text: str, kind: Kind, shape: Shape) -> AskedOperand:
    if len(shape) > MAX_RANK:  # too many axes: fixes compare every pair of axes
        return AskedOperand(text, kind, None, "rank")
    if any(size < 0 for size in shape):
        return AskedOperand(text, kind, shape, "negative")
    return AskedOperand(text, kind, shape, "large" if math.prod(shape) > MAX_ENTRIES else "")


def _literal_shape(text: str) -> Shape | Literal["brackets", "ragged"]:
    """Return the shape of nested brackets by counting commas and brackets, without parsing Python."""
    sizes: dict[int, set[int]] = {}
    open_counts: list[int] = []
    leaves: set[int] = set()
    for token in _TOKEN.findall(text):
        if token == "[":
            if open_counts:
                open_counts[-1] += 1
            open_counts.append(0)
        elif token == "]":
            if not open_counts:
                return "brackets"
            sizes.setdefault(len(open_counts), set()).add(open_counts.pop())
        elif token != ",":
            leaves.add(len(open_counts))
            if open_counts:
                open_counts[-1] += 1
    if open_counts:
        return "brackets"
    depth = max(sizes, default=0)
    if any(len(counts) > 1 for counts in sizes.values()) or leaves - {depth}:
        return "ragged"
    return tuple(sizes[level].pop() for level in range(1, depth + 1))


OFFERED = {
    **{name: operation for name, operation in OPERATIONS.items() if operation.offer is not None},
    "square": OPERATIONS["squared_difference"],
}
del OFFERED["squared_difference"]
OPERATORS: dict[str, Offer] = {name: operation.offer for name, operation in OFFERED.items()}


def written(operator: str, words: tuple[str, ...]) -> str:
    """Apply an operator to operands from left to right, as program text.

    >>> written("add", ("a", "b", "c")), written("pow", ("a", "b", "c"))
    ('a + b + c', '(a ** b) ** c')
    """
    return _chain(OPERATORS[operator].text, operator, words)


def operation_text(operator: str, words: tuple[str, ...]) -> str:
    """Write the operation on entries or numbers for a sentence, with · and −."""
    return _chain(OFFERED[operator].spoken or OFFERED[operator].notation, operator, words)


def _chain(pattern: str, operator: str, words: tuple[str, ...]) -> str:
    text = words[0]
    for word in words[1:]:
        text = pattern.format(f"({text})" if operator == "pow" and text != words[0] else text, word)
    return text


def back_text(operator: str, names: tuple[str, ...], operand: int) -> str:
    """Write the gradient that one read passes back for an incoming v, "" if too long.

    >>> back_text("mul", ("a", "b"), 0), back_text("mul", ("a", "b", "c"), 0), back_text("div", ("a", "b", "c"), 0)
    ('v · b', 'v · b · c', '')
    """
    words = tuple(f"({name})" if " " in name else name for name in names)
    if operator == "mul":
        return " · ".join(["v", *words[:operand], *words[operand + 1 :]])
    if len(names) > 2 and operator not in ("add", "sub"):
        return ""
    return OPERATORS[operator].back[min(operand, 1)].format(*words, v="v")
