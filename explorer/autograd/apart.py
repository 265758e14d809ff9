"""Things that have one word told apart: the values of one name, and the inputs of a call that are one tensor."""

from collections.abc import Hashable, Sequence

from msgspec import Struct

from explorer.autograd.formulas import stem_of
from explorer.text import say

# What a call's inputs are to it, in the order of the node's edges; of others the input is counted.
_ROLES = {
    "Add": ("summand", "summand"),
    "Sub": ("minuend", "subtrahend"),
    "Mul": ("factor", "factor"),
    "Div": ("numerator", "denominator"),
    "Pow": ("base", "exponent"),
    **dict.fromkeys(("Mm", "Bmm", "Mv", "Dot"), ("factor", "factor")),
}


class Mention(Struct, frozen=True):
    """A value that a sentence or an equation names.

    Attributes:
        word: what the program calls it.
        key: equal for the same value, and only then.
        time: the operation that made it, -1 where none did; orders the values.
        line: where that stands, 0 when it is not known.
        round: of the loop that made it, from 1; 0 outside of loops.
    """

    word: str
    key: Hashable
    time: int = -1
    line: int = 0
    round: int = 0


def told_apart(mentions: Sequence[Mention], lang: str, close: bool = True) -> list[str]:
    """A word for each, different where the values are: x after and x before, y of round 3, x of line 4.

    Args:
        close: whether they belong to one operation, so that before and after it say enough.

    >>> told_apart([Mention("x", 2, 2), Mention("x", 1, 1), Mention("w", 0)], "en")
    ['x after', 'x before', 'w']
    """
    values: dict[str, dict[Hashable, Mention]] = {}
    for one in mentions:
        values.setdefault(one.word, {}).setdefault(one.key, one)
    words = {
        (word, key): said
        for word, same in values.items()
        for key, said in zip(same, _told_apart(list(same.values()), lang, close), strict=True)
    }
    return [words[one.word, one.key] for one in mentions]


def _told_apart(same: list[Mention], lang: str, close: bool) -> list[str]:
    """Words for different values that the program calls the same."""
    word = same[0].word
    if len(same) == 1 or not word:
        return [word] * len(same)
    first = min((one.time for one in same if one.round), default=-1)
    in_turn = all(one.round or one.time < first for one in same)
    if in_turn and len({one.round for one in same}) == len(same):
        return [
            say(lang, "apart-round", word=word, round=one.round) if one.round else say(lang, "apart-outside", word=word)
            for one in same
        ]
    if close and len(same) == 2 and same[0].time != same[1].time:
        earlier = min(one.time for one in same)
        return [say(lang, "apart-before" if one.time == earlier else "apart-after", word=word) for one in same]
    if len({one.line for one in same} - {0}) == len(same):
        return [say(lang, "apart-line", word=word, line=one.line) for one in same]
    order = sorted(same, key=lambda one: one.time)
    return [say(lang, "apart-place", word=word, place=order.index(one) + 1) for one in same]


def role(node: str, position: int, lang: str) -> str:
    """What an input is to a call, by torch's name of the node: first factor, denominator, second input.

    >>> role("MulBackward0", 1, "en"), role("CatBackward0", 1, "en")
    ('second factor', 'second input')
    """
    kinds = _ROLES.get(stem_of(node), ())
    return say(lang, f"role-{kinds[position] if position < len(kinds) else 'input'}", place=position + 1)
