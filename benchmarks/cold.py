"""What a command costs in a fresh terminal, against `import torch, pandas` alone.

usage: python -m benchmarks.cold [ROUNDS] [OTHER-CHECKOUT] [--keep]   (from the project's root)

Prints for each command the least processor time of all its processes, in seconds, and its ratio to that of the import.
All take turns, so that other work on the machine meets all of them. With another checkout the same for that one. Ratios
are held against those kept last in benchmarks/results/cold; `--keep` keeps these.
"""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.figures import hold

PROGRAM = "import torch\nw = torch.tensor(2.0, requires_grad=True)\nloss = (w * 3) ** 2\nloss.backward()\n"
COMMANDS = ("run {program}", "check {program}", "why {program} w", "draw {program} -o {folder}/picture.svg")


def processor_time(command: list[str], folder: Path) -> float:
    """Seconds of the processor that a command takes with all processes it waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(rounds: int, checkouts: list[Path], write: bool) -> bool:
    """Measure, and print a line for each command; whether none became slower than in the results kept last."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "four.py")
        program.write_text(PROGRAM)
        asked = {"import torch, pandas": ([sys.executable, "-c", "import torch, pandas"], Path(folder))}
        for checkout in checkouts:
            for command in COMMANDS:
                given = command.format(program=program, folder=folder).split()
                name = f"{checkout.name}: {command.split()[0]}"
                asked[name] = ([sys.executable, "-m", "explorer", *given], checkout)
        taken: dict[str, list[float]] = {name: [] for name in asked}
        for _ in range(rounds + 1):
            for name, (command, where) in asked.items():
                taken[name].append(processor_time(command, where))
        least = {name: min(times[1:]) for name, times in taken.items()}  # the first round fills caches
    alone = least["import torch, pandas"]
    for name, seconds in least.items():
        print(f"{name:40} {seconds:6.2f} s {seconds / alone:6.2f}")
    here = f"{Path.cwd().name}: "
    own = {name.removeprefix(here): (s, s / alone) for name, s in least.items() if name.startswith(here)}
    return hold("cold", own, write)


if __name__ == "__main__":
    given = [word for word in sys.argv[1:] if word != "--keep"]
    others = [Path(other).resolve() for other in given[1:]]
    sound = main(int(given[0]) if given else 5, [*others, Path.cwd()], "--keep" in sys.argv)
    sys.exit(0 if sound else 1)
