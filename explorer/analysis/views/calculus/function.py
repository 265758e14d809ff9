"""The user's function as text, its cell, and the map of places between them.

It is only scanned. The child parses it.
"""

import builtins
from dataclasses import dataclass

from explorer.analysis.run.operations import ALL, names_where
from explorer.analysis.run.operations.signatures import names_of
from explorer.program.scanner import code_of, scan
from explorer.safe_regex import linear, plain

# Names usable without `torch.`; the prelude imports those that occur.
_PLAIN = frozenset(
    name
    for operation in ALL
    if operation.entrywise and not operation.draws
    for name in operation.names
    if name not in dir(builtins)
)
NAMES = names_of("torch") & _PLAIN | set("round softmax logsumexp stack tensor where dot norm sgn heaviside".split())
NAMES |= {"pi", "e", "inf", "nan"}
_OF_ONE = _PLAIN & names_where(lambda operation: len(operation.operands) == 1)
_FUNCTIONAL = names_of("torch.nn.functional") & _PLAIN - NAMES
_INDENT = "    return "
_NAME = plain(r"(?<![\w.])[A-Za-z_]\w*")
_DEFINED = plain(r"(?m)^def[ \t]+([^\W\d]\w*)[ \t]*\(")
_TAKES = plain(r"(?m)^def[ \t]+([^\W\d]\w*)[ \t]*\(([^()]*)\)")
_ARGUMENT = plain(r"(?:^|,)\s*([^\W\d]\w*)")
_LEFT_SIDE = linear(r"(?:^|\n)\s*[^\W\d]\w*\s*(?:\(.*?\)\s*)?=[^=]")
_UNKNOWN = plain(r"name '(\w+)' is not defined")
_NOT_A_TENSOR = plain(r"must be Tensor, not (int|float)")
MOST = 4_000  # characters of a function's text


@dataclass
class FunctionProblem(Exception):
    """Reason why there is no picture.

    Attributes:
        kind: message id without `derivatives-`.
        values: values of the message.
        line, column: in the user's text, from 1 and from 0. Line 0 without a place there.
        message: Python's or torch's message, "" if nothing ran.
        hint: message id of advice, or "".
    """

    kind: str
    values: tuple[tuple[str, str | float], ...] = ()
    line: int = 0
    column: int = 0
    message: str = ""
    hint: str = ""


@dataclass(frozen=True)
class Function:
    """A function as typed. Attributes: text: an expression, or a `def`. variables: arguments."""

    text: str
    variables: tuple[str, ...] = ("x",)

    @property
    def is_definition(self) -> bool:
        """Return whether the text contains a `def`."""
        return _DEFINED.search(self.text) is not None

    @property
    def name(self) -> str:
        """Name of the function: `f` if it is defined or nothing is, otherwise the last definition's."""
        names = _DEFINED.findall(self.text)
        return "f" if not names or "f" in names else names[-1]

    @property
    def arguments(self) -> tuple[str, ...]:
        """Names of its arguments, from a matching `def` or its variables."""
        taken = next((taken for name, taken in _TAKES.findall(self.text) if name == self.name), "")
        names = _ARGUMENT.findall(taken)
        return tuple(names) if len(names) == len(self.variables) else self.variables

    def cell(self) -> str:
        """Return the text of its defining cell. Raises FunctionProblem."""
        if not self.text.strip():
            raise FunctionProblem("empty")
        if len(self.text) > MOST:
            raise FunctionProblem("long", (("most", MOST),))
        if self.is_definition:
            return self.text
        statements = [line for line in scan(self.text.strip()) if not (line.continues or line.empty)]
        if len(statements) > 1 or ";" in code_of(self.text):
            raise FunctionProblem("statement")
        return f"def f({', '.join(self.variables)}):\n{_INDENT}{self.text.strip()}"

    def place(self, line: int, column: int) -> tuple[int, int]:
        """Map a place in the cell to the user's text."""
        if self.is_definition:
            return line, column
        lead = self.text[: len(self.text) - len(self.text.lstrip())]
        first, shift = lead.count("\n"), len(lead.rpartition("\n")[2])
        if line < 2:
            return 0, 0
        return line - 1 + first, max(0, column - len(_INDENT) + shift) if line == 2 else column

    def prelude(self) -> str:
        """Return the imports that the text needs."""
        words = set(_NAME.findall(code_of(self.text)))
        named = sorted(NAMES & words - {self.name, *self.variables})
        functional = sorted(_FUNCTIONAL & words)
        lines = ["import torch"]
        if "math" in words:
            lines.insert(0, "import math")
        if named:
            lines.append(f"from torch import {', '.join(named)}")
        if functional:
            lines.append(f"from torch.nn.functional import {', '.join(functional)}")
        if self.is_definition and "F" in words:
            lines.append("import torch.nn.functional as F")
        return "\n".join(lines)


def hint(text: str, message: str) -> str:
    """Return the message id of advice for a problem, or ""."""
    if _LEFT_SIDE.search(text) and "yntax" in message:
        return "right-side"
    if text.count("|") == 2 and "yntax" in message:
        return "bars"
    if _NOT_A_TENSOR.search(message):
        return "number"
    if unknown := _UNKNOWN.search(message):
        name = unknown[1]
        if name in ("np", "numpy"):
            return "numpy"
        return "ln" if name == "ln" else "call" if name[:-1] in _OF_ONE else "name"
    if "derivative for aten::" in message:
        return "no-rule"
    if "Boolean value of Tensor" in message:
        return "scalar"
    return ""


_PIECE = plain(
    r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|0[xXbBoO]\w+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[jJ]?"
    r"|[A-Za-z_][A-Za-z_0-9]*|[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[\s\S]"
)
_OPERATORS = {"^": "**", "·": "*", "×": "*", "⋅": "*", "∙": "*", "−": "-"}
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_WORDS = frozenset("if else and or not in is for lambda".split())
_WHOLE = frozenset("int long bool".split())  # for integers and booleans, ^ is Python's own


def as_python(text: str, variables: tuple[str, ...] = ("x",)) -> str:
    """Translate an expression to Python's notation, keeping valid Python.

    >>> as_python("3x^2 - 2(x + 1)(x − 1)")
    '3*x**2 - 2*(x + 1)*(x - 1)'
    >>> as_python("2e-3 * log2(x)")
    '2e-3 * log2(x)'
    """
    pieces = [match[0] for match in _PIECE.finditer(text)]
    logical = any(sign in text for sign in "<>=&|") or not _WHOLE.isdisjoint(pieces)
    written, before = [], ""
    for piece in pieces:
        raised = piece.translate(_RAISED)
        if raised != piece:
            piece = f"**{raised}"
        elif piece != "^" or not logical:
            piece = _OPERATORS.get(piece, piece)
        if _multiplies(before, piece, variables) and "lambda" not in pieces:
            written.append("*")
        written.append(piece)
        before = piece
    return "".join(written)


def _multiplies(before: str, after: str, variables: tuple[str, ...]) -> bool:
    """Return whether adjacent pieces are factors, which Python would call or reject."""
    named = after.isidentifier() and after not in _WORDS
    if before[:1].isdigit() or (before[:1] == "." and before[1:2].isdigit()):
        return named or after == "("
    return (before == ")" and (named or after == "(")) or (before in variables and after == "(")
