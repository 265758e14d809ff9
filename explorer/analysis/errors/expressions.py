"""Read expressions of a program as text, without parsing Python: operands of an operator, arguments of a call.

Everything is bounded, and returns None for anything not recognised with certainty.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

LONGEST = 2_000  # characters of an expression that is read
SHOWN = 48  # characters of an expression within a sentence
_OPERATOR = re.compile(r"(?:\*\*|//|<<|>>|[-+*/%@&|^])=|\*\*|//|<<|>>|<=|>=|==|!=|[-+*/%@&|^<>~]")
_LEVELS = (
    ("<", ">", "<=", ">=", "==", "!="),
    ("|",),
    ("^",),
    ("&",),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "//", "%", "@"),
)
_WORD = re.compile(r"\b(?:and|or|not|if|else|in|is|lambda|for|await|yield)\b|:=|(?<![=!<>+*/%@&|^-])=(?!=)|[,:;#\\]")


@dataclass(frozen=True)
class Pair:
    """Two operands. Attributes: operator: as written, or "" for a call; made: builds the expression with other
    operands.
    """

    left: str
    operator: str
    right: str
    made: Callable[[str, str], str]


@dataclass(frozen=True)
class WrittenCall:
    """A call. Attributes: head: what is called, as written; arguments: their texts, in order."""

    head: str
    arguments: tuple[str, ...]

    @property
    def receiver(self) -> str:
        """The part before the last dot."""
        return self.head.rpartition(".")[0]

    @property
    def name(self) -> str:
        """The part after the last dot."""
        return self.head.rpartition(".")[2]

    @property
    def is_function(self) -> bool:
        """Whether the tensor is among the arguments: torch.sum(x), F.relu(x), relu(x)."""
        return bool(re.fullmatch(r"(?:(?:torch|F|nn|functional|linalg|special|np|numpy)(?:\.|$))*", self.receiver))

    def with_arguments(self, *arguments: str) -> str:
        """The call with other arguments."""
        return f"{self.head}({', '.join(arguments)})"

    def with_argument(self, i: int, new: str) -> str:
        """The call with one argument replaced; a keyword argument keeps its name."""
        keyword = re.match(r"\s*\w+\s*=(?!=)\s*", self.arguments[i])
        old = list(self.arguments)
        old[i] = (keyword.group() if keyword else "") + new
        return self.with_arguments(*old)

    def value(self, i: int) -> str:
        """The text of an argument without its name."""
        return re.sub(r"^\w+\s*=(?!=)\s*", "", self.arguments[i])

    def place(self, i: int, *names: str) -> int | None:
        """The index of the argument given as the i-th or by one of these names."""
        for at, argument in enumerate(self.arguments):
            keyword = re.match(r"(\w+)\s*=(?!=)", argument)
            if keyword and keyword.group(1) in names:
                return at
        return i if i < len(self.arguments) and not re.match(r"\w+\s*=(?!=)|\*", self.arguments[i]) else None


def bare(text: str) -> Iterator[tuple[int, str]]:
    """The characters of a text outside strings and brackets, with their positions.

    >>> "".join(one for _, one in bare("f(a, b)[0] + 'x' - y"))
    'f +  - y'
    """
    depth, quote = 0, ""
    for at, one in enumerate(text[:LONGEST]):
        if quote:
            quote = "" if one == quote and text[at - 1] != "\\" else quote
        elif one in "'\"":
            quote = one
        elif one in "([{":
            depth += 1
        elif one in ")]}":
            depth -= 1
        elif depth == 0:
            yield at, one


def _outline(text: str) -> str:
    """The text with strings and brackets, and their contents, replaced by a letter."""
    outside = dict(bare(text))
    return "".join(outside.get(at, "_") for at in range(len(text)))


def parts(text: str) -> tuple[str, ...]:
    """The pieces of a text between its commas.

    >>> parts("(2, 3), dim=1")
    ('(2, 3)', 'dim=1')
    """
    ends = [at for at, one in bare(text) if one == ","]
    pieces = [text[a:b].strip() for a, b in zip([0, *(end + 1 for end in ends)], [*ends, len(text)], strict=True)]
    return tuple(pieces[:-1] if pieces and not pieces[-1] else pieces)


def trailing(text: str, opening: str = "(") -> tuple[str, str] | None:
    """The text before its final brackets, and the text inside them.

    >>> trailing("f(x).sum(dim=(0, 1))")
    ('f(x).sum', 'dim=(0, 1)')
    """
    text = text.strip()
    if not text.endswith({"(": ")", "[": "]"}[opening]) or len(text) > LONGEST or "#" in text:
        return None
    starts, depth, quote = [], 0, ""
    for at, one in enumerate(text):
        if quote:
            quote = "" if one == quote and text[at - 1] != "\\" else quote
        elif one in "'\"":
            quote = one
        elif one in "([{":
            if depth == 0:
                starts.append(at)
            depth += 1
        elif one in ")]}":
            depth -= 1
    if depth or quote or not starts or text[starts[-1]] != opening:
        return None
    return text[: starts[-1]].rstrip(), text[starts[-1] + 1 : -1]


def called(text: str) -> WrittenCall | None:
    """The call that a text consists of, None for another expression.

    >>> called("torch.sum(x, dim=1)")
    WrittenCall(head='torch.sum', arguments=('x', 'dim=1'))
    >>> called("a + f(x)")
    """
    found = trailing(text)
    if found is None or not found[0] or not is_atom(found[0]):
        return None
    return WrittenCall(found[0], parts(found[1]))


def subscripted(text: str) -> tuple[str, tuple[str, ...]] | None:
    """The indexed expression, and the indices: a[0, i] gives a and 0, i."""
    found = trailing(text, "[")
    return (found[0], parts(found[1])) if found and found[0] and is_atom(found[0]) else None


def is_atom(text: str) -> bool:
    """Whether a dot may follow: a name, a call, an index, brackets; no operators outside brackets."""
    return bool(re.fullmatch(r"[\w.]+", _outline(text.strip()))) and not re.fullmatch(r"[\d.]+", text.strip())


def postfixed(text: str, suffix: str) -> str:
    """An expression with .something behind it.

    >>> postfixed("a + b", ".T")
    '(a + b).T'
    """
    return f"{text}{suffix}" if is_atom(text) else f"({text}){suffix}"


def operated(text: str) -> Pair | None:
    """The operands of the operator that is applied last, also in `a += b`; None for another expression.

    >>> pair = operated("A / A.sum(1)")
    >>> pair.left, pair.operator, pair.right, pair.made("A", "s")
    ('A', '/', 'A.sum(1)', 'A / s')
    """
    text = text.strip()
    outline = _outline(text)
    if len(text) > LONGEST:
        return None
    found = [match for match in _OPERATOR.finditer(outline)]
    binary = [one for one in found if one.group() != "~" and not _unary(outline, one.start())]
    written = next((one for one in binary if one.group().endswith("=") and one.group() not in _LEVELS[0]), None)
    if written is None and _WORD.search(outline):
        return None
    best = written
    for level in () if written else _LEVELS:
        best = best or next((one for one in reversed(binary) if one.group() in level), None)
    if best is None:
        return None
    left, right = text[: best.start()].strip(), text[best.end() :].strip()
    between = text[len(text[: best.start()].rstrip()) : len(text) - len(text[best.end() :].lstrip())]
    return Pair(left, best.group(), right, lambda a, b: f"{a}{between}{b}") if left and right else None


def _unary(outline: str, at: int) -> bool:
    before = outline[:at].rstrip()
    return not before or bool(re.search(r"[-+*/%@&|^<>=~,(]$|\b(?:return|and|or|not|in|if|else)$", before))


def is_compound(text: str) -> bool:
    """Whether a text has an operator outside brackets, so that it needs brackets as an operand."""
    outline = _outline(text)
    return bool(_OPERATOR.search(outline) or _WORD.search(outline))


def bracketed(text: str) -> str:
    """An expression as an operand: in brackets if it contains operators."""
    return f"({text})" if is_compound(text) else text


def shown(text: str) -> str:
    """An expression for a sentence: on one line, and short.

    >>> shown("torch.tensor([1,\\n    2])")
    'torch.tensor([1, 2])'
    """
    line = " ".join(text[:LONGEST].split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"


def sizes(shape: tuple[int, ...] | list[int]) -> str:
    """A shape as it is written in a program.

    >>> sizes((3,)), sizes((2, 3))
    ('(3,)', '(2, 3)')
    """
    return f"({shape[0]},)" if len(shape) == 1 else f"({', '.join(map(str, shape))})"


def numbers(text: str) -> tuple[int, ...]:
    """The whole numbers in a message of torch: [2, 3] or 2x3."""
    return tuple(int(word) for word in re.findall(r"-?\d{1,18}", text)[:64])
