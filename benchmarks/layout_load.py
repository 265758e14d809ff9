"""Eight threads ask for fifty pictures each, one after the other, and a ninth for graphs whose layout must be killed.

usage: python benchmarks/layout_load.py   (from the project's root)
Prints the longest and the median answer in s, how many pictures have no layout (0 is right), and how many of the
ninth's graphs of 100 nodes and 600 edges were killed. Every answer should take less than 1.5 s.
"""

import random
import statistics
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from explorer.sandbox import Runner, layout

THREADS, PICTURES = 8, 50


def graph(nodes: int, edges: int, seed: int) -> str:
    """A random acyclic graph in DOT, connected by a chain."""
    pick = random.Random(seed)
    lines = [f"n{i} -> n{i + 1};" for i in range(nodes - 1)]
    lines += [f"n{a} -> n{b};" for a, b in (sorted(pick.sample(range(nodes), 2)) for _ in range(edges - len(lines)))]
    return "digraph { node [shape=record]; " + " ".join(lines) + " }"


def main() -> None:
    """Measures and prints."""
    runner = Runner()
    runner.layouts.start()
    runner.layouts.ready(60)
    took, heavy, missing, finished = [], [], [], threading.Event()

    def ask(thread: int) -> None:
        for i in range(PICTURES):
            start = time.perf_counter()
            if layout(graph(30, 45, thread * PICTURES + i), runner) is None:
                missing.append(thread)
            took.append(time.perf_counter() - start)

    def ask_too_much() -> None:
        while not finished.is_set():
            start = time.perf_counter()
            heavy.append((layout(graph(100, 600, len(heavy)), runner), time.perf_counter() - start))

    threads = [threading.Thread(target=ask, args=(thread,)) for thread in range(THREADS)]
    ninth = threading.Thread(target=ask_too_much)
    for thread in [*threads, ninth]:
        thread.start()
    for thread in threads:
        thread.join()
    finished.set()
    ninth.join()
    runner.close()
    longest = max(took + [seconds for _, seconds in heavy])
    killed = sum(text is None for text, _ in heavy)
    print(
        f"longest answer {longest:.2f} s, median {statistics.median(took):.3f} s, "
        f"{len(missing)} of {len(took)} without layout, {killed} of {len(heavy)} heavy graphs killed"
    )


if __name__ == "__main__":
    main()
