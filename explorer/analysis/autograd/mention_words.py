"""Different words for different values: several values of one name, and inputs of a call that are one tensor."""

from collections.abc import Hashable, Sequence
from typing import Literal

from msgspec import Struct

from explorer.analysis.operations import operation_of_node
from explorer.text import say
from explorer.trace import Trace


class Mention(Struct, frozen=True):
    """A value that a sentence or an equation names.

    Attributes:
        word: its name in the program.
        key: equal for the same value, and only then.
        time: the operation that made it, -1 for none; orders the values.
        line: the operation's line, 0 if unknown.
        round: of the loop that made it, from 1; 0 outside of loops.
        outer: the rounds of the loops around that one, outermost first.
        how: written (an operation wrote over what had this name), read (the word is an index expression, such as x[2]),
            inside (a step of the call `call`, which the program does not name), otherwise "".
        call: of a step inside, the program's text of the call.
    """

    word: str
    key: Hashable
    time: int = -1
    line: int = 0
    round: int = 0
    outer: tuple[int, ...] = ()
    how: Literal["", "written", "read", "inside"] = ""
    call: str = ""


def rounds_of(trace: Trace, operation: int) -> tuple[int, ...]:
    """The rounds of the loops around an operation, from 1, outermost first.

    Loops around the whole recording are left out: their rounds before it were not counted.
    """
    once = trace.index.memoize(("loops once",), lambda: _loops_once(trace))
    return tuple(count + 1 for count in trace.operations.iteration[operation][once:])


def _loops_once(trace: Trace) -> int:
    """The number of loops around all operations of which only one round was recorded."""
    operations, depth = trace.operations, 0
    placed = [operations.iteration[at] for at, span in enumerate(operations.span) if span >= 0]
    while placed and all(counts[depth : depth + 1] == [0] for counts in placed):
        depth += 1
    return depth


def told_alone(mention: Mention, lang: str) -> str:
    """A word for a value on its own: y after line 7, h of round 3, x[2] read in line 7."""
    word = mention.word
    if mention.how == "inside" and mention.call:
        word = say(lang, "apart-inside", word=word, call=mention.call)
    elif mention.how in ("written", "read") and mention.line:
        word = say(lang, f"apart-{mention.how}", word=word, line=mention.line)
    return _of_round(word, mention, lang) if mention.round else word


def _of_round(word: str, mention: Mention, lang: str) -> str:
    if not mention.outer:
        return say(lang, "apart-round", word=word, round=mention.round)
    return say(lang, "apart-round-within", word=word, round=mention.round, outer=".".join(map(str, mention.outer)))


def disambiguate(mentions: Sequence[Mention], lang: str, close: bool = True) -> list[str]:
    """A word for each mention; different values get different words: new x and old x, y of round 3, x of line 4.

    Args:
        close: whether they belong to one operation, so that "old" and "new" suffice.

    >>> disambiguate([Mention("x", 2, 2), Mention("x", 1, 1), Mention("w", 0)], "en")
    ['new x', 'old x', 'w']
    """
    values: dict[str, dict[Hashable, Mention]] = {}
    for mention in mentions:
        values.setdefault(mention.word, {}).setdefault(mention.key, mention)
    words = {
        (word, key): said
        for word, same in values.items()
        for key, said in zip(same, _disambiguate_name(list(same.values()), lang, close), strict=True)
    }
    return [words[mention.word, mention.key] for mention in mentions]


def _disambiguate_name(same: list[Mention], lang: str, close: bool) -> list[str]:
    """Words for different values that have the same name in the program."""
    word = same[0].word
    if len(same) == 1 or not word:
        return [word] * len(same)
    first = min((mention.time for mention in same if mention.round), default=-1)
    in_turn = all(mention.round or mention.time < first for mention in same)
    if in_turn and len({(mention.outer, mention.round) for mention in same}) == len(same):
        return [
            _of_round(word, mention, lang) if mention.round else say(lang, "apart-outside", word=word)
            for mention in same
        ]
    if close and len(same) == 2 and same[0].time != same[1].time:
        earlier = min(mention.time for mention in same)
        return [say(lang, "apart-before" if mention.time == earlier else "apart-after", word=word) for mention in same]
    alone = [
        told_alone(mention, lang)
        if mention.how or mention.round
        else say(lang, "apart-line", word=word, line=mention.line)
        for mention in same
    ]
    if not close and len(set(alone)) == len(same) and word not in alone:
        return alone
    if len({mention.line for mention in same} - {0}) == len(same):
        return [say(lang, "apart-line", word=word, line=mention.line) for mention in same]
    if len(set(alone)) == len(same):
        return alone
    order = sorted(same, key=lambda mention: mention.time)
    return [say(lang, "apart-place", word=word, place=order.index(mention) + 1) for mention in same]


def role(node: str, position: int, lang: str) -> str:
    """The role of an input of a call, by torch's name of the node: first factor, denominator, second input.

    >>> role("MulBackward0", 1, "en"), role("CatBackward0", 1, "en")
    ('second factor', 'second input')
    """
    kinds = operation_of_node(node).roles
    return say(lang, f"role-{kinds[position] if position < len(kinds) else 'input'}", place=position + 1)
