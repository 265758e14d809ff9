"""Results as a child that nobody trusts might send them: real Traces with some of their data changed."""

import random
from collections.abc import Iterator

import msgspec

from explorer.trace import InvalidTrace, Trace, decode

NUMBERS = [-2, -1, 0, 1, 2, 7, 63, 64, 65, 1000, 1 << 20, 1 << 31, 1 << 40, 1 << 62, (1 << 63) - 1, -(1 << 63)]
WORDS = ["", "x" * 3000, "\ud7ff", "a\nb", "<b>", "{x}", "0", "float32", "bool", "complex64", "sparse", "[0]", "`"]


def mutated(plain: dict, pick: random.Random) -> Trace | None:
    """A Trace with one or two of its parts changed, None where the check refuses it."""
    found = dict(plain)
    for key in pick.sample([key for key in plain if key != "schema"], pick.choice([1, 1, 2])):
        part = found[key]
        if isinstance(part, dict):
            column = pick.choice(list(part))
            found[key] = {**part, column: _changed(part[column], pick, pick.choice([0.02, 0.1, 0.5]))}
        elif isinstance(part, list) and part:
            at = pick.randrange(len(part))
            found[key] = [*part[:at], _changed(part[at], pick, pick.choice([0.1, 0.4])), *part[at + 1 :]]
    return with_entries(found, [])


def _changed(thing: object, pick: random.Random, rate: float) -> object:
    match thing:
        case dict():
            return {key: _changed(value, pick, rate) for key, value in thing.items()}
        case list():
            return _rearranged([_changed(value, pick, rate) for value in thing], pick, rate / 3)
        case _ if pick.random() >= rate:
            return thing
        case bool():
            return not thing
        case int():
            return pick.choice([thing + 1, thing - 1, pick.choice(NUMBERS), pick.choice(NUMBERS[:6])])
        case float():
            return pick.choice([0.0, -1.0, float("nan"), float("inf"), 1e308, 5e-324])
        case str():
            return pick.choice([*WORDS, thing[::-1]])
    return thing


def _rearranged(things: list, pick: random.Random, rate: float) -> list:
    if not things or pick.random() >= rate:
        return things
    match pick.randrange(4):
        case 0:
            things.pop(pick.randrange(len(things)))
        case 1:
            things.insert(pick.randrange(len(things) + 1), pick.choice(things))
        case 2:
            pick.shuffle(things)
        case 3:
            things = things[: pick.randrange(len(things))]
    return things


FRACTIONS = [0.0, -1.0, float("nan"), float("inf"), float("-inf"), 1e308, -1e308, 5e-324]


def columns_of(plain: dict) -> list[list[tuple]]:
    """Where the entries of a Trace lie, by column: paths such as ("operations", "span", 3)."""
    columns: dict[tuple, list[tuple]] = {}
    for path in _entries(plain):
        if path[0] not in ("schema", "torch"):
            columns.setdefault(tuple(part for part in path if isinstance(part, str)), []).append(path)
    return [columns[name] for name in sorted(columns)]


def with_entries(plain: dict, entries: list[tuple[tuple, object]]) -> Trace | None:
    """A Trace with other entries at these paths, None where the check refuses it."""
    found: object = plain
    for path, entry in entries:
        found = _put(found, path, entry)
    try:
        return decode(msgspec.msgpack.encode(found))
    except InvalidTrace:
        return None


def _entries(thing: object, path: tuple = ()) -> Iterator[tuple]:
    parts = thing.items() if isinstance(thing, dict) else enumerate(thing) if isinstance(thing, list) else None
    if parts is None:
        yield path
    for key, part in parts or ():
        yield from _entries(part, (*path, key))


def entry_at(thing: object, path: tuple) -> object:
    """What lies at a path."""
    for part in path:
        thing = thing[part]  # type: ignore[index]
    return thing


def _put(thing: object, path: tuple, new: object) -> object:
    if not path:
        return new
    first, rest = path[0], path[1:]
    if isinstance(thing, dict):
        return {**thing, first: _put(thing[first], rest, new)}
    assert isinstance(thing, list)
    return [*thing[:first], _put(thing[first], rest, new), *thing[first + 1 :]]
