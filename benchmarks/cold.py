"""What a command costs in a fresh terminal, against `import torch, pandas` alone.

usage: python benchmarks/cold.py [ROUNDS] [OTHER-CHECKOUT]   (from the project's root)

Prints for each command the least processor time of all its processes, in seconds, and its ratio to that of the import.
All take turns, so that other work on the machine meets all of them. With another checkout the same for that one.
"""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = "import torch\nw = torch.tensor(2.0, requires_grad=True)\nloss = (w * 3) ** 2\nloss.backward()\n"
COMMANDS = ("run {program}", "check {program}", "why {program} w", "draw {program} -o {folder}/picture.svg")


def processor_time(command: list[str], folder: Path) -> float:
    """Seconds of the processor that a command takes with all processes it waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(rounds: int, checkouts: list[Path]) -> None:
    """Measure, and print a line for each command."""
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


if __name__ == "__main__":
    others = [Path(other).resolve() for other in sys.argv[2:]]
    main(int(sys.argv[1]) if sys.argv[1:] else 5, [*others, Path.cwd()])
