"""Gradients checked with numbers over many programs: how many leaves agree, and which differ, for a reader to judge.

usage: python benchmarks/checking.py PATH...   (from the project's root)
PATH is a program, a folder of them, or a JSON list of objects with `source` and, where sound, `expect` null.
Prints a line for every program with a leaf that differs or depends without a gradient, and a sum last.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import explorer
from explorer.program import Unusable
from explorer.trace import Trace
from explorer.workers.gradcheck import check_gradients

SUFFIXES = (".py", ".ipynb", ".md")


def programs(path: Path) -> Iterator[tuple[str, str | Path]]:
    """The programs at a path, each with a name; those of a list as text."""
    if path.is_dir():
        for one in sorted(path.iterdir()):
            if one.suffix in SUFFIXES:
                yield one.name, one
    elif path.suffix == ".json":
        for case in json.loads(path.read_text("utf-8")):
            yield f"{case.get('name', '')} ({case.get('expect') or 'sound'})", case.get("source") or case["code"]
    else:
        yield path.name, path


def name_of(trace: Trace, leaf: int) -> str:
    """The first name of a tensor."""
    return next((one.name for one in trace.index.bindings.get(leaf, ())), f"tensor {leaf}")


def main() -> None:
    """Check everything."""
    verdicts: Counter[str] = Counter()
    seconds = count = 0.0
    for path in map(Path, sys.argv[1:]):
        for name, program in programs(path):
            try:
                trace = explorer.run(program)
            except Unusable:
                continue
            began = time.monotonic()
            found = check_gradients(trace)
            seconds, count = seconds + time.monotonic() - began, count + 1
            verdicts.update(one.verdict if one.why is None else f"{one.verdict}: {one.why}" for one in found)
            for one in found:
                if one.verdict in ("differs", "depends") and (at := one.telling) is not None:
                    why = f"{one.reason.kind} {one.reason.code}" if one.reason else "no reason known"
                    slopes = f"{at.left:.6g} and {at.right:.6g}"
                    print(f"{name}: {name_of(trace, one.leaf)} {one.verdict}: {at.gradient} beside {slopes}; {why}")
    print(f"{count:.0f} programs, {seconds / max(count, 1):.2f} s each:", dict(verdicts.most_common()))


if __name__ == "__main__":
    main()
