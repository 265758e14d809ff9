"""Sums of gradients and changes of `.grad` as text, the same everywhere."""

from collections.abc import Callable, Mapping, Sequence

from explorer.analysis.explain.autograd.entry_texts import amount_text, entry_index, is_listed, nested, sum_precision
from explorer.analysis.explain.autograd.operands import role
from explorer.analysis.explain.autograd.view_records import Card, DrawnEdge
from explorer.text import as_sentence, code, say
from explorer.text.numbers import DIGITS, MINUS, approx, chain
from explorer.trace import Value

PATHS = 4  # contributions listed


def sum_text(parts: Sequence[tuple[str, str]], lang: str) -> str:
    """Write `2 (via a) + (−3) (via b)`: amounts and their origins.

    >>> sum_text([("2", "via a"), ("−3", "")], "en")
    '2 (via a) + (−3)'
    """
    texts: list[str] = []
    for amount, about in parts:
        bare = amount.strip("`")
        closed = (texts and bare.startswith(MINUS)) or (len(parts) > 1 and bare.endswith("j"))
        amount = amount.replace(bare, f"({bare})") if closed else amount
        texts.append(say(lang, "why-part", amount=amount, about=about) if about else amount)
    return " + ".join(texts)


def change_text(name: str, before: str, after: str) -> str:
    """Write `w.grad` `+2` → `None`."""
    return f"{code(name)} {code(before)} → {code(after)}"


def shares(
    edges: Sequence[DrawnEdge], cards: Mapping[str, Card], arrived: Value, word: Callable[[Card], str], lang: str
) -> list[tuple[Value, str]]:
    """Return a leaf's contributions with their senders, or a single entry if there are many."""
    count, targets = sum(edge.count for edge in edges), [edge.target for edge in edges]
    if not count or any(edge.contribution.shape != arrived.shape for edge in edges):
        return [(arrived, "")]
    if len(edges) < count or count > PATHS:
        return [(arrived, say(lang, "why-term-several", count=count))]
    parts = []
    for edge in edges:
        card = cards[edge.target]
        giver = word(card)
        if targets.count(edge.target) > 1:
            giver = say(lang, "why-input", card=giver, role=role(card.torch, edge.port, lang))
        parts.append((edge.contribution, say(lang, "why-term-via", word=giver)))
    return parts


def leaf_text(
    leaf: Card, name: str, word: str, parts: list[tuple[Value, str]], at: int | None, lang: str, coded: bool = False
) -> str:
    """Write `w.grad = 7 = 2 (from before) + 5 (via a).`

    Args:
        name: leaf as the program reads it, or "" if it has no `.grad` that holds this sum.
        word: leaf and entry in words, if its gradient is not in `.grad`.
        at: position of the entry to write. None: all of them.
    """
    before, after = leaf.stored or (None, None)
    is_stored = bool(name) and after is not None
    total = after if is_stored else leaf.gradient
    if is_stored and leaf.stored_more:
        parts = [(before, say(lang, "why-term-before")), *parts]
    head = f"{name}.grad{entry_index(total, at)}" if is_stored else word
    head = code(head) if coded else head
    of = head if is_stored else say(lang, "why-gradient", leaf=head)
    return as_sentence(lang, sum_clause(of, parts, total, at, lang, coded))


def sum_clause(
    of: str, parts: Sequence[tuple[Value, str]], total: Value, at: int | None, lang: str, coded: bool = False
) -> str:
    """Write `w.grad = 7 = 2 (from before) + 5 (via a)`, or only the total.

    Args:
        at: position of the entry to write. None: all of them.
        coded: whether amounts are between backticks, and the total has its sign.
    """
    digits, sign, write = sum_precision([value for value, _ in parts], total, at)
    if not sign or any(len(value.entries) != len(total.entries) for value, _ in parts):
        parts = [(total, "")]

    def amount(value: Value, digits: int, signed: bool) -> str:
        if at is not None:
            text = write(value.entries[at], signed, digits)
        elif is_listed(value):
            text = nested([write(entry, signed, digits) for entry in value.entries], value.shape)
        else:
            text = amount_text(value, digits, signed)
        return code(text) if coded else text

    whole = amount(total, DIGITS, coded)
    if len(parts) == 1:
        return chain([of, sum_text([(whole, parts[0][1])], lang)])
    terms = sum_text([(amount(value, digits, False), about) for value, about in parts], lang)
    return chain([of, whole, approx(sign) + terms])
