"""What recording costs beside other tools, held against the results kept last.

usage: python -m benchmarks [PROGRAM ...] [--tools ...] [--rounds 5] [--keep]   (from the project's root)
Prints a line per program while it goes on, the table, and what takes more than a fifth longer than in the results kept
last; then it ends with 1. `--keep` writes the raw figures and the plot beside them.
"""

import argparse

import torch

from benchmarks.beside import CHANGES, OURS, TOOLS, measure
from benchmarks.figures import KEPT, keep, latest, plot, results, slower, table
from benchmarks.models import PROGRAMS


def main() -> int:
    """Measures, prints, keeps; 1 where something became slower."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(PROGRAMS))
    parser.add_argument("--tools", nargs="*", default=list(TOOLS), choices=TOOLS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", action="store_true", help="write the figures into benchmarks/results")
    given = parser.parse_args()
    for name in given.programs:
        if name not in PROGRAMS:
            parser.error(f"no program {name!r}; there are: {', '.join(PROGRAMS)}")
    torch.set_num_threads(1)
    figures = []
    first, last = ([tool for tool in given.tools if (tool in CHANGES) is late] for late in (False, True))
    for name, tools in [(name, tools) for tools in (first, last) for name in given.programs or PROGRAMS]:
        found = measure(name, tools, given.rounds) if tools else []
        print(f"{name}: " + ", ".join(f"{one.tool} {one.plain:.3g}" for one in found), flush=True)
        figures += [one for one in found if tools is first or one.tool != "plain"]
    now = results(figures)
    print("\n" + table(figures) + "\n")
    before = latest(KEPT)
    worse = [] if before is None else slower(before, now)
    for old, new in worse:
        print(f"slower than on {before.date}: {new.program}, {new.tool}: {new.loops / old.loops:.2f} times the CPU")
    if given.keep:
        print(f"kept in {keep(now, KEPT).relative_to(KEPT.parent.parent)}")
        known = latest(KEPT)
        (KEPT / "beside.svg").write_text(plot(known.figures if known else figures, OURS))
    return 1 if any(new.tool in OURS for _, new in worse) else 0


if __name__ == "__main__":
    raise SystemExit(main())
