"""Compare two checkouts' Traces of many programs, field by field.

usage: python benchmarks/same_traces.py CHECKOUT [FOLDER ...]   (from the root of the project, which is compared)

CHECKOUT is a folder with another version, such as a `git worktree`. The programs are from the gallery and the tests,
from the `.py`, `.ipynb` and `.md` files of the FOLDERs, and the models of tests/zoo.py, recorded by `record()`; each at
both levels of detail. A field that differs between two runs of one version, for example because the program reads a
clock, is skipped. Prints the first difference of each field, and ends with 1 if there is one.
"""

import os
import pickle
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import msgspec

HERE = Path(__file__).parents[1]
DETAILS = ("light", "complete")
Fields = dict[str, Any]
# Columns of value ids. Their order is not a fact about the program, so the values themselves are compared.
_VALUES = {
    "tensors": ("grad",),
    "versions": ("value",),
    "nodes": ("values",),
    "saved": ("value",),
    "backwards": ("seeds", "arrived", "contribution_value", "before", "after"),
    "strided": ("value",),
}
# An address, or the recorder's line in a traceback that the program prints.
_PLACE = re.compile(r'0x[0-9a-f]+|File "[^"]*/explorer/[^"]*", line \d+, in [^ ]*')


def fields(trace: Any) -> Fields:
    """Return a Trace's fields by table and column: values instead of ids, without addresses and recorder lines.

    The storage of saved tensors is left out, because it depends on the addresses the process has released.
    """
    raw = msgspec.to_builtins(trace, builtin_types=(bytes,))
    told = [None, *map(repr, _contents(raw))]
    for name, columns in _VALUES.items():
        for table in raw[name] if isinstance(raw[name], list) else [raw[name]]:
            for column in columns:
                ids = table[column]
                if isinstance(ids, dict):
                    ids["items"] = [told[i + 1] for i in ids["items"]]
                else:
                    table[column] = [told[i + 1] for i in ids] if isinstance(ids, list) else told[ids + 1]
    raw["values"] = {"all": sorted(told[1:])}
    del raw["saved"]["storage"]
    return {
        f"{name}.{column}" if column else name: _PLACE.sub("", repr(entry))
        for name, table in raw.items()
        for column, entry in (table.items() if isinstance(table, dict) else [("", table)])
    }


def _contents(raw: Fields) -> list[tuple]:
    """dtype, shape, entries and summary of each value."""
    values, found = raw["values"], []
    ends = iter([*[start for start in values["start"] if start >= 0], len(values["data"])][1:])
    for dtype, shape, start, summary in zip(
        *(values[column] for column in ("dtype", "shape", "start", "summary")), strict=True
    ):
        entries = None if start < 0 else values["data"][start : next(ends)]
        numbers = values["summaries"][summary] if summary >= 0 else None
        found.append((raw["strings"][dtype], raw["shapes"][shape], entries, numbers))
    return found


def differences(before: Fields, after: Fields) -> list[str]:
    """Return the fields that differ, each with the place of its first difference."""
    found = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, "-"), after.get(name, "-")
        if old != new:
            at = next((i for i, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), 0)
            near = slice(max(0, at - 60), at + 80)
            found.append(f"{name} at {at}: …{old[near]}… is now …{new[near]}…")
    return found


def programs(folders: list[str]) -> dict[str, tuple[str, bytes]]:
    """File names and texts by their titles."""
    from benchmarks.loops import LOOPS
    from explorer.lessons.gallery import HERE as GALLERY
    from explorer.lessons.gallery import read_gallery
    from tests.corpus import EVERYDAY, RARE, TUTORIALS

    texts = {f"gallery: {name}": example.program for name, example in read_gallery(GALLERY).examples.items()}
    for title, given in (("everyday", EVERYDAY), ("rare", RARE), ("tutorial", TUTORIALS), ("loop", LOOPS)):
        texts |= {f"{title}: {name}": text for name, text in given.items()}
    found = {title: ("program.py", text.encode()) for title, text in texts.items()}
    for folder in folders:
        for path in sorted(Path(folder).iterdir()):
            if path.suffix in (".py", ".ipynb", ".md"):
                found[f"file: {path.name}"] = path.name, path.read_bytes()
    return found


def recorded(given: dict[str, tuple[str, bytes]]) -> dict[tuple[str, str], Fields]:
    """Record every program and model with the `explorer` on the path; return fields by title and detail."""
    import torch

    import explorer
    from explorer.program.reader import read_program
    from explorer.sandbox import Runner
    from explorer.trace import Options
    from tests.zoo import ZOO, loss_of

    torch.set_num_threads(1)
    found = {}
    runner = Runner()
    for detail in DETAILS:
        for title, (name, text) in given.items():
            run = runner.submit(read_program(name, text), Options(detail=detail, time_limit=60))
            found[title, detail] = fields(run.result())
        for name, make in ZOO.items():
            torch.manual_seed(0)
            model, inputs = make()
            with explorer.record(detail=detail) as trace:
                loss = loss_of(model(*inputs))
                loss.backward()
            found[f"zoo: {name}", detail] = fields(trace.trace)
    runner.close()
    return found


def _record_in(checkout: Path, given: Path, into: Path) -> subprocess.Popen:
    code = "import pickle, sys; from pathlib import Path; from same_traces import recorded\n"
    code += "given, into = map(Path, sys.argv[1:]); "
    code += "into.write_bytes(pickle.dumps(recorded(pickle.loads(given.read_bytes()))))"
    path = os.pathsep.join([str(checkout), str(Path(__file__).parent)])
    command = [sys.executable, "-c", code, str(given), str(into)]
    return subprocess.Popen(command, cwd=checkout, env={**os.environ, "PYTHONPATH": path})


def main() -> int:
    """Print the differences; return 1 if there are any."""
    other, *folders = sys.argv[1:]
    sys.path.insert(0, str(HERE))
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder, "programs")
        given.write_bytes(pickle.dumps(programs(folders)))
        checkouts = {"before": Path(other).resolve(), "again": HERE, "after": HERE}
        running = {name: _record_in(where, given, Path(folder, name)) for name, where in checkouts.items()}
        if any([process.wait() for process in running.values()]):
            return 2
        before, again, after = (pickle.loads(Path(folder, name).read_bytes()) for name in checkouts)
    found = compared = 0
    for key, fields_before in before.items():
        unsteady = {line.partition(" ")[0] for line in differences(again[key], after[key])}
        compared += len(fields_before) - len(unsteady)
        for line in differences(fields_before, after[key]):
            if line.partition(" ")[0] not in unsteady:
                found += 1
                print(f"{' '.join(key)}: {line}", flush=True)
        if unsteady:
            print(f"{' '.join(key)}: not compared, differs from run to run: {', '.join(sorted(unsteady))}")
    print(f"{len(before)} Traces, {compared} fields compared, {found} differences")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
