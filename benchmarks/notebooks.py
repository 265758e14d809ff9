"""Measure notebooks in a run of the app and in IPython: processor time of their cells, without imports.

usage: python benchmarks/notebooks.py FOLDER [ROUNDS]   (from the project's root; Linux)

Every notebook of the folder is run in turns by the runner's confined child, from request to reply, and by IPython's
shell with inline plots in a child of a process that has imported and warmed up the same libraries. The least of the
rounds counts. Processor time is the kernel's own sum, which the runner's parent reports in steps of 10 ms, so each
round runs a short notebook several times.
"""

import gc
import os
import statistics
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from explorer.program import Program
from explorer.program.reader import read_program
from explorer.sandbox import Runner
from explorer.sandbox.parent import Parent
from explorer.trace import Failure, Options

TICK = 1000 / os.sysconf("SC_CLK_TCK")  # ms
AT_LEAST = 100  # repeat a notebook until a round takes this many ms
MOST = 8  # most runs per round
OPTIONS = Options(time_limit=60)


def shell():
    """IPython's shell as a kernel starts it, after the uses of torch, pandas and matplotlib that are slow once."""
    import pandas
    import torch
    from IPython.core.displaypub import CapturingDisplayPublisher
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets import Type
    from traitlets.config import Config

    from explorer.runtime.book import book_modules
    from explorer.runtime.child import _COMPILER, _FIRST_USES

    torch.set_num_threads(1)  # as in a run
    settings = Config()
    settings.HistoryManager.enabled = False  # it would start a thread

    class Kernel(InteractiveShell):
        display_pub_class = Type(CapturingDisplayPublisher)

        def enable_gui(self, gui=None) -> None:
            """Do nothing, as in a kernel: the inline backend needs no event loop."""

    made = Kernel.instance(config=settings)
    sys.modules.update(book_modules())
    for cell in ("import torch", "%matplotlib inline", _FIRST_USES, _COMPILER, "%time 1", _PLOT):
        made.run_cell(cell)
    repr(pandas.DataFrame({"a": [1.0]})._repr_html_())
    made.reset()
    return made


_PLOT = """
import matplotlib.pyplot as plt
figure, axes = plt.subplots(figsize=(2, 1.5))
axes.plot([1, 2], "o--", label="$x^2$")
axes.imshow([[1, 2], [3, 4]])
axes.set_title("title")
axes.legend()
plt.show()
"""


def plain(program: Program, run_cell) -> tuple[float, int]:
    """Return milliseconds of IPython in a child, and how many cells failed."""
    child = os.fork()
    if child == 0:
        os.chdir(tempfile.mkdtemp())
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        sys.stderr = sys.stdout
        failed = sum(not run_cell(cell.text, store_history=True).success for cell in program.cells)
        os._exit(min(failed, 255))
    _, status, used = os.wait4(child, 0)
    return (used.ru_utime + used.ru_stime) * 1000, os.waitstatus_to_exitcode(status)


def children(parent: int) -> float:
    """Return milliseconds of a process's ended children (proc(5), stat)."""
    with open(f"/proc/{parent}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return sum(map(int, fields[13:15])) * TICK


def recorded(program: Program, runner: Runner, count: int) -> tuple[float, int]:
    """Return milliseconds of a run's child, the mean of several, and how many cells failed."""
    before, failed = children(runner.programs.pid), 0
    for _ in range(count):
        trace = runner.submit(program, OPTIONS).result()
        failed = sum(any(isinstance(output, Failure) for output in cell.outputs) for cell in trace.cells)
        time.sleep(0.2)  # until the child has ended and the next one has copied its pages
    return (children(runner.programs.pid) - before) / count, failed


def ready_runner() -> Runner:
    """Return a runner whose one parent has put its memory into large pages."""
    runner = Runner(make=partial(Parent, replace_after=1_000_000))
    runner.start()
    assert runner.ready(120)
    for _ in range(3):
        runner.submit(read_program("first.py", b"print(torch.ones(2))")).result()
        time.sleep(1)
    return runner


def main(folder: Path, rounds: int) -> None:
    """Print both for each notebook, and how the ratios are spread."""
    programs = {path.stem: read_program(path.name, path.read_bytes()) for path in sorted(folder.glob("*.ipynb"))}
    runner, ipython = ready_runner(), shell()
    gc.collect()
    gc.freeze()
    rows = {}
    for name, program in programs.items():
        count = min(MOST, 1 + int(AT_LEAST / plain(program, ipython.run_cell)[0]))
        turns = []
        for _ in range(rounds):
            its = [plain(program, ipython.run_cell) for _ in range(count)]
            turns.append((min(its), recorded(program, runner, count)))
        (least, its_failed), (ours, failed) = (min(column) for column in zip(*turns, strict=True))
        rows[name] = least, ours
        note = "" if failed == its_failed else f"  cells that fail: {its_failed} and {failed}"
        print(f"{name[:34]:34} {least:8.1f} ms {ours:8.1f} ms {ours / least:6.2f}{note}", flush=True)
    runner.close()
    ratios = [ours / least for least, ours in rows.values()]
    together = sum(ours for _, ours in rows.values()) / sum(least for least, _ in rows.values())
    print(
        f"{len(rows)} notebooks, times IPython: {together:.2f} in sum, median {statistics.median(ratios):.2f}, "
        f"90 % {sorted(ratios)[int(0.9 * len(ratios))]:.2f}"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3)
