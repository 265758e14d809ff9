"""A formula as people type it, written as Python writes it: `x^2` is `x**2`, and `2x` is `2*x`."""

from explorer.safe_regex import plain

_PIECE = plain(
    r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|0[xXbBoO]\w+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[jJ]?"
    r"|[A-Za-z_][A-Za-z_0-9]*|[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[\s\S]",
    longest=4_000,
)
_OPERATORS = {"^": "**", "·": "*", "×": "*", "⋅": "*", "∙": "*", "−": "-"}
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_WORDS = frozenset("if else and or not in is for lambda".split())
_WHOLE = frozenset("int long bool".split())  # of whole and logical numbers ^ is Python's own


def as_python(text: str, variables: tuple[str, ...] = ("x",)) -> str:
    """The expression in Python's notation; one that is Python already stays what it is.

    >>> as_python("3x^2 - 2(x + 1)(x − 1)")
    '3*x**2 - 2*(x + 1)*(x - 1)'
    >>> as_python("2e-3 * log2(x)")
    '2e-3 * log2(x)'
    """
    pieces = [found[0] for found in _PIECE.finditer(text)]
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
    """Whether two pieces that stand together are factors: Python would call the first, or cannot read them."""
    named = after.isidentifier() and after not in _WORDS
    if before[:1].isdigit() or (before[:1] == "." and before[1:2].isdigit()):
        return named or after == "("
    return (before == ")" and (named or after == "(")) or (before in variables and after == "(")
