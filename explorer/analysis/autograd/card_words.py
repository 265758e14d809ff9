"""The words on a card: name, expression and place of an operation, the names of its nodes."""

from collections import Counter
from collections.abc import Iterable

from msgspec.structs import replace

from explorer.analysis.autograd.folds import module_pattern
from explorer.analysis.autograd.graph_parts import GraphPart
from explorer.analysis.autograd.view import Card
from explorer.analysis.titles import Titles
from explorer.safe_regex import linear, plain
from explorer.trace import Trace

_STATEMENT = linear(r"[\w.\[\], :]+\s*(?:\+|-|\*\*?|//?|@|%|&|\||\^|<<|>>)?=(?:[^=]|$)")
_KIND = plain(r"Backward\d*$")


class CardWords:
    """The words on the cards of one picture."""

    def __init__(self, trace: Trace, titles: Titles, parts: list[GraphPart]) -> None:
        self.trace, self.titles = trace, titles
        self._composed: set[str] = set()  # texts of operations that libraries called
        self._shared = shared_spans(trace, parts)
        self._calls = Counter(
            (trace.operations.span[p.operation], trace.operations.module[p.operation])
            for p in parts
            if p.operation >= 0
        )
        called = {trace.string(trace.operations.module[p.operation]) or "" for p in parts if p.operation >= 0}
        self._around = {path.rpartition(".")[0] for path in called}  # modules that call others

    def of(self, part: GraphPart, folded: bool = False) -> dict:
        """Name, expression and place of an operation."""
        operation = part.operation
        if operation < 0:
            return {"name": "", "expression": "", "span": -1, "line": 0}
        operations = self.trace.operations
        span = operations.span[operation]
        text, name = self.titles.text(operation), self.titles.result(operation)
        module = self.trace.string(operations.module[operation])
        if (span, tuple(operations.iteration[operation])) in self._shared:
            called = self.trace.strings[operations.name[operation]]
            alone = module and module not in self._around and self._calls[span, operations.module[operation]] < 2
            module = module_pattern(module) if module and folded else module
            if (
                module or called != "__getitem__" or text[-1:] != "]"
            ):  # in `for v in x[1]` iterating x[1] is another one
                text = f"{module}(…)" if alone else f"{module}: {called}" if module else f"{called}(…)"
            self._composed.add(text)
        elif not name:
            text = self.titles.library_call(operation) or text
        if is_statement(text):
            name = ""
        return {"name": name, "expression": text, "span": span, "line": self.trace.line(span)}

    def disambiguate(self, cards: Iterable[Card]) -> list[Card]:
        """The cards, with numbers on those that libraries' operations have given the same title."""
        cards = list(cards)
        alike = {title for title, count in Counter(card.title for card in cards).items() if count > 1} & self._composed
        seen: Counter[str] = Counter()
        for at, card in enumerate(cards):
            if card.title in alike:
                seen[card.title] += 1
                cards[at] = replace(card, expression=f"{card.expression} ({seen[card.title]})")
        return cards

    def made_by(self, tensor: int) -> str:
        """The expression that made a tensor without a name, "·" if it is unknown."""
        maker = self.trace.versions.operation[self.trace.versions_of(tensor)[0]]
        return (self.titles.text(maker) if maker >= 0 else "") or "·"

    def torch_names(self, nodes: tuple[int, ...]) -> str:
        """The names of an operation's nodes, repeated ones counted."""
        names = [self.trace.strings[self.trace.nodes.name[node]] for node in nodes]
        if len(names) == 1:
            return names[0]
        short = [_KIND.sub("", name) for name in names]
        distinct = list(dict.fromkeys(short))
        counted = [name if short.count(name) == 1 else f"{name} × {short.count(name)}" for name in distinct]
        return " + ".join(counted) if len(counted) <= 3 else f"{' + '.join(counted[:2])} + … ({len(names)})"


def is_statement(text: str) -> bool:
    """Whether a line assigns: its card shows the whole line and needs no name."""
    return _STATEMENT.match(text) is not None


def shared_spans(trace: Trace, parts: list[GraphPart]) -> set[tuple[int, tuple[int, ...]]]:
    """(span, round) of places where one call made different operations, such as a call of a module."""
    operations = trace.operations
    first: dict[tuple[int, tuple[int, ...]], tuple[int, int]] = {}
    shared = set()
    for part in parts:
        if part.operation >= 0:
            key = (operations.span[part.operation], tuple(operations.iteration[part.operation]))
            what = (operations.module[part.operation], operations.name[part.operation])
            if first.setdefault(key, what) != what:
                shared.add(key)
    return shared


def common_name(names: list[str]) -> str:
    """One name for several leaves: equal parts stay, different ones become *.

    >>> common_name(["net.0.weight", "net.1.weight"])
    'net.*.weight'
    """
    distinct = list(dict.fromkeys(filter(None, names)))
    if len(distinct) < 2:
        return "".join(distinct) + (" …" if distinct and "" in names else "")
    if "" in names:
        return f"{distinct[0]} … {distinct[-1]} …"
    rows = [name.split(".") for name in distinct]
    if len({len(row) for row in rows}) > 1:
        return f"{distinct[0]} … {distinct[-1]}"
    columns = [words[0] if len(set(words)) == 1 else "*" for words in zip(*rows, strict=True)]
    return ".".join(columns) if any(word != "*" for word in columns) else f"{distinct[0]} … {distinct[-1]}"
