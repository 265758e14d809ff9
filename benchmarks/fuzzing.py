"""Mutated programs through real children: how each ended, and that every one was answered.

python benchmarks/fuzzing.py [COUNT] [FOLDER...]     (programs to start from; without a folder, a few of its own)

Mutated results are tests/sandbox/test_replies.py: they need no child.
"""

import random
import sys
import time
from collections import Counter
from pathlib import Path

from explorer.program import Unusable, read_text
from explorer.sandbox import Runner
from explorer.trace import Options

SEEDS = [
    "x = torch.ones(3, requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad)\n",
    "class A:\n    def __init__(self, n): self.n = n\n    def __add__(self, o): return A(self.n + o.n)\nA(1) + A(2)\n",
    "import pandas as pd\nd = pd.DataFrame({'a': [1, 2], 'b': [3.0, None]})\nd.groupby('a').agg({'b': 'sum'})\n",
    "try:\n    for i in range(4):\n        w = torch.zeros(i) / i\nexcept ValueError as e:\n    print(f'{e!r:>9}')\n",
]
PIECES = (
    "( ) [ ] { } : , . = == ** @ ' \" \n \t # \\ \0 \ud800 \u202e lambda yield await return nonlocal global match case "
    "del try except* finally with async def class import from if else while True for in is not 0 1e999 10**9 -1 _ __ "
    "__class__ __array_interface__ .grad .data .backward() .__dict__ torch. f'{x}' print open eval type super() *a **k"
).split(" ")
TOGETHER = 4


def mutated(sources: list[str], pick: random.Random) -> str:
    """A program with pieces put in, left out, said twice, or taken from another."""
    source = pick.choice(sources)[:4000]
    for _ in range(pick.randint(1, 4)):
        at, cut = pick.randint(0, len(source)), pick.randint(0, 12)
        other = pick.choice(sources)
        start = pick.randint(0, len(other))
        piece = pick.choice([pick.choice(PIECES), other[start : start + pick.randint(1, 60)], source[at : at + 30] * 2])
        source = source[:at] + piece + source[at + cut :]
    return source


def main() -> None:
    """Runs them a few at a time; fails on the first that is not answered or crashes its child."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    sources = [path.read_text(errors="replace") for folder in sys.argv[2:] for path in Path(folder).glob("*.py")]
    pick, runner, ended = random.Random(0), Runner(), Counter()
    began, longest, waiting = time.perf_counter(), 0.0, []
    for i in range(count + TOGETHER):
        if i < count:
            source = mutated(sources or SEEDS, pick)
            try:
                program = read_text(source)
            except Unusable:
                ended["unusable"] += 1
                continue
            waiting.append((source, time.perf_counter(), runner.submit(program, Options(time_limit=1))))
        if len(waiting) > TOGETHER or (i >= count and waiting):
            source, asked, run = waiting.pop(0)
            trace = run.result(30).check()
            longest = max(longest, time.perf_counter() - asked)
            limits = [getattr(output, "limit", "") for cell in trace.cells for output in cell.outputs]
            ended[trace.status + (" crash" if "crash" in limits else "")] += 1
            if "crash" in limits:
                print(repr(source))
    seconds = time.perf_counter() - began
    print(f"{sum(ended.values())}/{count} answered in {seconds:.0f} s, the slowest in {longest:.1f} s: {dict(ended)}")
    runner.close()


if __name__ == "__main__":
    main()
