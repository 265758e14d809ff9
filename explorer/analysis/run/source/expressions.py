"""Pieces of a program's text: an expression read by parso, and pure text functions.

Reading is bounded and returns None for anything uncertain. Lines count from 1, columns from 0, in code points (see
explorer.trace.Span).
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from functools import lru_cache
from typing import Any

import parso

from explorer.trace import Span

Node = Any  # a node or a leaf of parso's tree

LONGEST = 2_000  # most characters read per expression
SHOWN = 48  # longest expression within a sentence
_OPERATIONS = ("arith_expr", "term", "power", "shift_expr", "and_expr", "xor_expr", "expr", "comparison")
_ATOMS = ("name", "atom", "atom_expr", "string", "strings", "fstring", "keyword")
_KEYWORD = re.compile(r"(\w+)\s*=(?!=)\s*")


@dataclass(frozen=True)
class WrittenPair:
    """Two operands. Attributes: operator: as written, or "" for a call. with_operands: replaces them."""

    left: str
    operator: str
    right: str
    with_operands: Callable[[str, str], str]


@dataclass(frozen=True)
class WrittenCall:
    """A call. Attributes: head: the called expression. arguments: their texts, in order."""

    head: str
    arguments: tuple[str, ...]

    @property
    def receiver(self) -> str:
        """Part before the last dot."""
        return self.head.rpartition(".")[0]

    @property
    def name(self) -> str:
        """Part after the last dot."""
        return self.head.rpartition(".")[2]

    @property
    def is_function(self) -> bool:
        """Return whether the tensor is among the arguments: torch.sum(x), F.relu(x), relu(x)."""
        return bool(re.fullmatch(r"(?:(?:torch|F|nn|functional|linalg|special|np|numpy)(?:\.|$))*", self.receiver))

    def with_arguments(self, *arguments: str) -> str:
        """Return the call with other arguments."""
        return f"{self.head}({', '.join(arguments)})"

    def with_argument(self, i: int, new: str) -> str:
        """Replace one argument of the call. A keyword argument keeps its name."""
        keyword = _KEYWORD.match(self.arguments[i])
        old = list(self.arguments)
        old[i] = (keyword.group() if keyword else "") + new
        return self.with_arguments(*old)

    def value(self, i: int) -> str:
        """Return the text of an argument without its name."""
        return _KEYWORD.sub("", self.arguments[i], count=1) if _KEYWORD.match(self.arguments[i]) else self.arguments[i]

    @property
    def subject(self) -> str:
        """Main tensor: x in x.sum(1), in torch.sum(x, 1) and in F.softmax(x)."""
        return (self.value(0) if self.arguments else "") if self.is_function else self.receiver

    def argument(self, i: int, *names: str) -> str:
        """Return the text of the i-th or a named argument, or ""."""
        at = self.place(i, *names)
        return "" if at is None else self.value(at)

    def suffix_argument(self, i: int, suffix: str, *names: str) -> str | None:
        """Append .something to an argument, None if it is missing."""
        at = self.place(i, *names)
        return None if at is None else self.with_argument(at, with_suffix(self.value(at), suffix))

    def with_subject(self, new: str) -> str | None:
        """Replace the call's main tensor, None if it is not in the text."""
        if self.is_function:
            starred = not self.arguments or self.arguments[0].startswith("*")
            return None if starred else self.with_argument(0, new)
        return self.receiver and with_suffix(new, f".{self.name}({', '.join(self.arguments)})")

    def place(self, i: int, *names: str) -> int | None:
        """Return the index of the i-th or a named argument."""
        keywords = [_KEYWORD.match(argument) for argument in self.arguments]
        named = [at for at, keyword in enumerate(keywords) if keyword and keyword.group(1) in names]
        if named:
            return named[0]
        ordered = i < len(self.arguments) and not keywords[i] and not self.arguments[i].startswith("*")
        return i if ordered else None


def parse_call(text: str) -> WrittenCall | None:
    """Parse a call, None for another expression.

    >>> parse_call("torch.sum(x, dim=1)")
    WrittenCall(head='torch.sum', arguments=('x', 'dim=1'))
    >>> parse_call("a + f(x)")
    """
    parts = _with_trailer(text, "(")
    return WrittenCall(*parts) if parts else None


def parse_subscript(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Parse an index expression: a[0, i] returns a and (0, i)."""
    return _with_trailer(text, "[")


def items(text: str) -> tuple[str, ...]:
    """Return the items of a list or tuple, () for another expression.

    >>> items("[(2, 3), b[0]]")
    ('(2, 3)', 'b[0]')
    """
    node = expression_tree(text)
    if node is None or node.type != "atom" or node.children[0].get_code(False) not in ("(", "["):
        return ()
    within = node.children[1:-1]
    return _pieces(within) if not within or within[0].type == "testlist_comp" or node.children[0] == "[" else ()


def is_atom(text: str) -> bool:
    """Return whether a dot may follow: a name, call, index or brackets."""
    node = expression_tree(text)
    return node is not None and node.type in _ATOMS and not _awaits(node)


def with_suffix(text: str, suffix: str) -> str:
    """Append .something to an expression. A double transpose cancels.

    >>> with_suffix("a + b", ".T"), with_suffix("a.T", ".T"), with_suffix("a @ b.T", ".T")
    ('(a + b).T', 'a', '(a @ b.T).T')
    """
    if suffix in (".T", ".mT") and text.endswith(suffix) and is_atom(text):
        return text.removesuffix(suffix)
    return f"{text}{suffix}" if is_atom(text) else f"({text}){suffix}"


def is_statement(text: str) -> bool:
    """Return whether a line is a whole statement, or a comment."""
    return bool(text.strip()) and _read(text.strip()) is not None


def parse_binary(text: str) -> WrittenPair | None:
    """Parse the operands of the last-applied operator, `a += b` included.

    >>> pair = parse_binary("A / A.sum(1)")
    >>> pair.left, pair.operator, pair.right, pair.with_operands("A", "s")
    ('A', '/', 'A.sum(1)', 'A / s')
    """
    node = expression_tree(text) or _assignment(text)
    if node is None or node.type not in (*_OPERATIONS, "expr_stmt"):
        return None
    *left, operator, right = node.children
    chained = node.type == "comparison" and len(left) > 1
    if chained or operator.type != "operator" or any(leaf.type == "error_leaf" for leaf in left):
        return None
    between = f"{operator.get_code()}{right.get_code()[: -len(right.get_code(False))]}"
    sign = operator.get_code(False)
    return WrittenPair(_code(left), sign, right.get_code(False), lambda a, b: f"{a}{between}{b}")


def bracketed(text: str) -> str:
    """Return an expression as an operand, in brackets if it contains operators."""
    node = expression_tree(text)
    plain = node is not None and node.type in (*_ATOMS, "number") and not _awaits(node)
    return text if plain else f"({text})"


@lru_cache(maxsize=256)
def expression_tree(text: str) -> Node | None:
    """Return the tree of an expression, possibly over several lines."""
    module = _read(f"({text}\n)")
    node = module.children[0] if module is not None else None
    return node.children[1] if node is not None and node.type == "atom" and len(node.children) == 3 else None


def _assignment(text: str) -> Node | None:
    """Return the tree of a statement `a += b`."""
    module = _read(text.strip())
    node = module.children[0] if module is not None else None
    if node is None or node.type != "expr_stmt" or len(node.children) != 3:
        return None
    return None if node.children[1].get_code(False) in ("=", ":=") else node


def _read(text: str) -> Node | None:
    if len(text) > LONGEST:
        return None
    try:
        return parso.load_grammar(version="3.13").parse(text, error_recovery=False)
    except parso.ParserSyntaxError:
        return None


def _with_trailer(text: str, opening: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the text before an expression's last brackets, and the pieces in them."""
    node = expression_tree(text)
    if node is None or node.type != "atom_expr" or _awaits(node):
        return None
    *head, last = node.children
    if last.children[0].get_code(False) != opening:
        return None
    return _code(head), _pieces(last.children[1:-1])


def _pieces(within: Sequence[Node]) -> tuple[str, ...]:
    """Return the texts between the commas inside brackets."""
    if len(within) == 1 and within[0].type in ("arglist", "subscriptlist", "testlist_comp"):
        within = within[0].children
        if within[-1].type in ("sync_comp_for", "comp_for"):
            return (_code(within),)
    return tuple(node.get_code(False) for node in within if node.get_code(False) != ",")


def _awaits(node: Node) -> bool:
    return node.type == "atom_expr" and node.children[0].get_code(False) == "await"


def _code(nodes: Sequence[Node]) -> str:
    """Return the text of neighbouring nodes, without the space before them."""
    return nodes[0].get_code(False) + "".join(node.get_code() for node in nodes[1:])


def shorten_code(text: str, about: Iterable[str] = (), most: int = SHOWN) -> str:
    r"""Shorten an expression to one line for a sentence.

    Args:
        about: subjects of the sentence. The first that occurs is kept.
        most: maximum number of characters.

    >>> shorten_code("torch.tensor([1,\n    2])")
    'torch.tensor([1, 2])'
    >>> shorten_code("nn.Conv2d(in_channels=3, out_channels=16, kernel_size=5, biass=True, padding=2)", ["biass"])
    'nn.Conv2d(…, kernel_size=5, biass=True, paddi…'
    """
    line = " ".join(text[:LONGEST].split())
    if len(line) <= most:
        return line
    words = (re.escape(part) for part in about if 1 < len(part) < 2 * most // 3)
    first = next(filter(None, (re.search(rf"(?<![\w.]){word}(?!\w)", line) for word in words)), None)
    at, size = (first.start(), len(first[0])) if first else (0, 0)
    if at + size < most:
        return line[: most - 1] + "…"
    head = line[: line.find("(") + 1]
    head = head if len(head) < most // 3 else head.rpartition(".")[2][-most // 3 :]
    after = min(at + size + most // 4, len(line))
    room = most - len(head) - 1 - (after - at) - (after < len(line))
    begin = max(at - max(room, 0), line.find(", ", at - max(room, 0), at))
    return f"{head}…{line[begin:after]}{'…' if after < len(line) else ''}"


MATCHED = 300  # most changed lines compared one by one


def replace_span(source: str, span: Span, new: str) -> str:
    """Replace the text at a span.

    >>> replace_span("y = a @ b", Span(0, 1, 4, 1, 9), "a @ b.T")
    'y = a @ b.T'
    """
    lines = source.split("\n")
    before, after = lines[span.line - 1][: span.column], lines[span.end_line - 1][span.end_column :]
    lines[span.line - 1 : span.end_line] = (before + new + after).split("\n")
    return "\n".join(lines)


def with_argument(call: str, argument: str) -> str | None:
    """Append an argument to a call, None if not possible.

    >>> with_argument("L.backward()", "retain_graph=True")
    'L.backward(retain_graph=True)'
    >>> with_argument("f(x, )", "y")
    'f(x, y)'
    """
    if not call.rstrip().endswith(")") or "(" not in call:
        return None
    inner = call.rstrip()[:-1].rstrip()
    if inner.endswith("("):
        return f"{inner}{argument})"
    return f"{inner.removesuffix(',')}, {argument})"


@dataclass(frozen=True)
class ChangedLine:
    """A removed (sign -) or added (+) line. Attributes: number: its line from 1, before or after."""

    sign: str
    number: int
    text: str


def alike_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return how many lines two texts share at the beginning and at the end."""
    most = min(len(old), len(new))
    head = next((at for at in range(most) if old[at] != new[at]), most)
    return head, next((at for at in range(most - head) if old[-1 - at] != new[-1 - at]), most - head)


def changed_lines(before: str, after: str) -> list[ChangedLine]:
    r"""List changed lines by place: removed lines, then added ones.

    >>> changed_lines("a\nb\nc", "a\nB\nc")
    [ChangedLine(sign='-', number=2, text='b'), ChangedLine(sign='+', number=2, text='B')]
    >>> [f"{one.sign}{one.number}" for one in changed_lines("a\nb\nc", "A\nb\nC")]
    ['-1', '+1', '-3', '+3']
    """
    old, new = before.split("\n"), after.split("\n")
    head, tail = alike_ends(old, new)
    old_end, new_end = len(old) - tail, len(new) - tail
    blocks = [(head, old_end, head, new_end)]
    if max(old_end, new_end) - head <= MATCHED:
        matcher = SequenceMatcher(None, old[head:old_end], new[head:new_end], autojunk=False)
        blocks = [
            (head + a, head + b, head + c, head + d) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal"
        ]
    changes = []
    for gone, gone_end, came, came_end in blocks:
        changes += [ChangedLine("-", at + 1, old[at]) for at in range(gone, gone_end)]
        changes += [ChangedLine("+", at + 1, new[at]) for at in range(came, came_end)]
    return changes


_SHORT = 5  # up to this length, one typo changes most of a word
_LONGEST = 60  # most characters compared per word
_QUOTED = r'"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|' + r"'(?:[^'\\\n]|\\.)*'|#[^\n]*"


def near(word: str, candidates: Iterable[str]) -> str:
    """Return the candidate that a word may misspell, or "".

    >>> near("weigth", ["bias", "weight"])
    'weight'
    """
    words = sorted({candidate for candidate in candidates if candidate != word and len(candidate) <= _LONGEST})[:4_000]
    folded = [candidate for candidate in words if candidate.lower() == word.lower()]
    if folded or len(word) < 3 or len(word) > _LONGEST:
        return folded[0] if folded else ""
    if len(word) < _SHORT:
        return next((candidate for candidate in words if _is_a_slip(word.lower(), candidate.lower())), "")
    matches = get_close_matches(word, words, 1, 0.72)
    return matches[0] if matches else ""


def _is_a_slip(word: str, right: str) -> bool:
    """Return whether words differ by one added, missing, wrong or swapped letter."""
    at = next((i for i, (a, b) in enumerate(zip(word, right, strict=False)) if a != b), min(len(word), len(right)))
    a, b = word[at:], right[at:]
    return a[1:] == b or a == b[1:] or a[1:] == b[1:] or (a[:2] == b[:2][::-1] and a[2:] == b[2:])


def replace_word(text: str, old: str, new: str) -> str:
    """Replace a name wherever it is a whole word, strings included.

    >>> replace_word("h + net.h", "h", "h[0]")
    'h[0] + net.h'
    """
    return re.sub(rf"(?<![\w.]){re.escape(old)}(?!\w)", lambda _: new, text)


def closing(text: str, opening: int) -> int:
    """Return the position of the closing bracket, or -1.

    >>> closing("f(g(x))", 1)
    6
    """
    depth = 0
    for token in re.compile(rf"{_QUOTED}|[(\[{{]|[)\]}}]").finditer(text, opening):
        if token[0] in "([{":
            depth += 1
        elif token[0] in ")]}":
            depth -= 1
            if depth == 0:
                return token.start()
    return -1
