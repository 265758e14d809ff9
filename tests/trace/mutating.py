"""Untrusted results: real Traces with some data changed.

`python -m tests.trace.mutating SECONDS [FIRST]` tries one seed after the other and prints every view that raises.
"""

import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator

import msgspec

from explorer.trace import InvalidTrace, TableWindow, Trace, decode, encode
from tests.trace.views import views
from tests.traces import trace_of

NUMBERS = [-2, -1, 0, 1, 2, 7, 63, 64, 65, 1000, 1 << 20, 1 << 31, 1 << 40, 1 << 62, (1 << 63) - 1, -(1 << 63)]
FRACTIONS = [0.0, -1.0, float("nan"), float("inf"), float("-inf"), 1e308, -1e308, 5e-324]
WORDS = ["", "x" * 3000, "\ud7ff", "a\nb", "<b>", "{x}", "0", "float32", "bool", "complex64", "sparse", "[0]", "`"]
WORDS += ["0" * 5_000, "1e999", "-" * 5_000, "(" * 5_000, "[" * 240, '[[{"tensor":0}],{"dim":-9}]', "9" * 200, "²"]
WORDS += ["a.b" * 99]

SMALL = {  # programs with a few rows of everything, so that many changes of each are tried
    "gradients": """
        w = torch.tensor([3.0, 1.0], requires_grad=True)
        for i in range(2):
            y = (w * w).relu()
            (y / 2).sum().backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        print(w.grad)
        """,
    "module": """
        net = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU())
        def loss(x):
            return net(x).mean()
        g, = torch.autograd.grad(loss(torch.ones(1, 2)), [net[0].weight], create_graph=True)
        (g ** 2).sum().backward()
        """,
    "memory": """
        x = torch.arange(6.0).reshape(2, 3)
        y = x[1:].T
        y += 1
        a = x.numpy()
        a[0] = 5
        torch.cat([x, x]).max(1)
        x[x > 3]
        """,
    "stretched": """
        a = torch.ones(3, 1, requires_grad=True)
        ((a + torch.ones(1, 4)) * a).mean().backward()
        torch.log(a - 1)
        """,
    "failing": "x = torch.ones(2, requires_grad=True)\ny = x * 2\ny.backward()",
    "plots": """
        import matplotlib.pyplot as plt
        import pandas as pd
        plt.plot([1, 2], [3, 1], label="a")
        plt.show()
        pd.DataFrame({"a": [1, 2], "b": [3.0, None]})
        """,
    "tables": """
        import pandas as pd
        data = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, None]})
        data["b"] = data["b"].fillna(0)
        X = torch.tensor(data.to_numpy())
        w = torch.ones(2, dtype=X.dtype, requires_grad=True)
        (X @ w).sum().backward()
        """,
    "training": """
        w = torch.nn.Parameter(torch.ones(2, 2))
        optimizer = torch.optim.SGD([w], lr=0.05)
        for epoch in range(9):
            loss = (w ** 2).sum()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_([w], 1.0)
            optimizer.step()
        """,
}
WINDOWS = {"tables": (TableWindow(), TableWindow(name="data"))}


class Changeable:
    """A valid Trace as plain data. Attributes: columns: paths of its entries, by column."""

    def __init__(self, trace: Trace) -> None:
        self.plain = msgspec.msgpack.decode(encode(trace))
        columns: dict[tuple, list[tuple]] = {}
        for path in _entries(self.plain):
            if path[0] not in ("schema", "torch"):
                columns.setdefault(tuple(part for part in path if isinstance(part, str)), []).append(path)
        self.columns = [columns[name] for name in sorted(columns)]

    def changed(self, pick: random.Random) -> Trace | None:
        """Return the Trace with up to four entries changed, or with many of one or two parts; None if the check refuses
        it.
        """
        if pick.random() < 0.6:
            paths = [pick.choice(pick.choice(self.columns)) for _ in range(pick.randint(1, 4))]
            return self.with_entries([(path, _changed(_entry_at(self.plain, path), pick, 1)) for path in paths])
        found = dict(self.plain)
        for key in pick.sample([key for key in found if key != "schema"], pick.choice([1, 1, 2])):
            part = found[key]
            if isinstance(part, dict):
                column = pick.choice(list(part))
                found[key] = {**part, column: _changed(part[column], pick, pick.choice([0.02, 0.1, 0.5]))}
            elif isinstance(part, list) and part:
                at = pick.randrange(len(part))
                found[key] = [*part[:at], _changed(part[at], pick, pick.choice([0.1, 0.4])), *part[at + 1 :]]
        return _read(found)

    def with_entries(self, entries: list[tuple[tuple, object]]) -> Trace | None:
        """Return the Trace with other entries at these paths; None if the check refuses it."""
        found: object = self.plain
        for path, entry in entries:
            found = _put(found, path, entry)
        return _read(found)


def small(name: str) -> Changeable:
    """Return the Trace of a small program, of some in a file."""
    found = Changeable(trace_of(SMALL[name], tables=WINDOWS.get(name, ()), statements=True))
    if name in ("module", "training"):
        found.plain["cells"][0]["name"] = "train.py"
    return found


def _read(found: object) -> Trace | None:
    try:
        return decode(msgspec.msgpack.encode(found))
    except InvalidTrace:
        return None


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
            return pick.choice([thing + 1, thing - 1, pick.choice(NUMBERS), pick.randrange(-3, 80)])
        case float():
            return pick.choice(FRACTIONS)
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


def _entries(thing: object, path: tuple = ()) -> Iterator[tuple]:
    parts = thing.items() if isinstance(thing, dict) else enumerate(thing) if isinstance(thing, list) else None
    if parts is None:
        yield path
    for key, part in parts or ():
        yield from _entries(part, (*path, key))


def _entry_at(thing: object, path: tuple) -> object:
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


def _search(seconds: float, seed: int) -> None:
    """Try one seed after the other. A place that raises is printed once."""
    found = {name: small(name) for name in SMALL}
    until, minute = time.monotonic() + seconds, time.monotonic()
    passed, tried, raised = 0, 0, Counter[str]()
    while time.monotonic() < until:
        pick = random.Random(seed)
        name = pick.choice(list(SMALL))
        trace = found[name].changed(pick)
        tried, passed = tried + 1, passed + (trace is not None)
        try:
            for what, view in views(trace) if trace is not None else ():
                if what != "command line" or not seed % 8:  # as slow as all others together, with equal texts
                    view()
        except Exception as problem:
            where = traceback.extract_tb(problem.__traceback__)[-1]
            at = f"{where.filename.rpartition('/explorer/')[2]}:{where.lineno}"
            raised[at] += 1
            if raised[at] == 1:
                print(f"seed {seed}, {name}:", traceback.format_exc(limit=-6), flush=True)
        seed += 1
        if time.monotonic() > minute + 60:
            minute = time.monotonic()
            print(f"{tried} changed, {passed} passed the check; raised: {dict(raised)}", flush=True)
    print(f"up to seed {seed}: {tried} changed, {passed} passed the check; raised: {dict(raised)}", flush=True)


if __name__ == "__main__":
    _search(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
