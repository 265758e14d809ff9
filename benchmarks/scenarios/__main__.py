"""Run the scenarios and print a row for each.

usage: python -m benchmarks.scenarios [--keep] [--show] [SCENARIO ...]   (from the project's root; default: all)

`--keep` writes the rows into results.json, beside those of other versions of torch. `--show` prints the report of each
recording. The scenarios whose library is not installed are left out.
"""

import argparse
import gc
import json
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

import explorer
from benchmarks.scenarios import (
    SCENARIOS,
    backwards,
    ergonomics,
    gradients,
    layers,
    libraries,
    modules,
    objectives,
    tensors,
    tools,
    training,
)

FILES = (gradients, backwards, training, objectives, layers, tensors, modules, libraries, ergonomics, tools)
KEPT = Path(__file__).with_name("results.json")


def _plain(*_: Any, **__: Any) -> AbstractContextManager[None]:
    return nullcontext()


def _gradients(made: Any) -> Iterator[Tensor]:
    """The gradients of modules and leaves, and tensors that are no leaves themselves."""
    if isinstance(made, nn.Module):
        made = list(made.parameters())
    if isinstance(made, Tensor):
        gradient = made.grad if made.is_leaf and made.requires_grad else made.detach()
        if gradient is not None:
            yield gradient.detach().coalesce() if gradient.is_sparse else gradient.detach()
    elif isinstance(made, dict | list | tuple):
        for part in made.values() if isinstance(made, dict) else made:
            yield from _gradients(part)


def _equal(left: Tensor, right: Tensor) -> bool:
    if left.is_sparse:
        return bool(torch.equal(left.indices(), right.indices()) and torch.equal(left.values(), right.values()))
    return left.dtype == right.dtype and torch.equal(left.nan_to_num(), right.nan_to_num())


def checked(name: str, show: bool = False) -> dict[str, object]:
    """The row of one scenario. Raises ImportError if its library is not installed."""
    program, traces = SCENARIOS[name], []

    def record(*given: Any, **named: Any) -> Any:
        traces.append(explorer.record(*given, **named))
        return traces[-1]

    begun = time.process_time()
    torch.manual_seed(0)
    plain = [gradient.clone() for gradient in _gradients(program(_plain)[0])]
    torch.manual_seed(0)
    made, facts = program(record)
    recorded = list(_gradients(made))
    fault = ""
    try:
        facts()
    except Exception as problem:
        last = traceback.extract_tb(problem.__traceback__)[1:2] or traceback.extract_tb(problem.__traceback__)
        fault = f"{type(problem).__name__}: {problem}" if str(problem) else str(last[0].line)
        if show:
            traceback.print_exc()
    for trace in traces if show else ():
        print(trace.report())
    return {
        "gradients": len(recorded),
        "equal": sum(map(_equal, plain, recorded)) if len(plain) == len(recorded) else 0,
        "fault": fault,
        "seconds": round(time.process_time() - begun, 1),
    }


def main() -> None:
    """Print the table; end with 1 if a scenario fails."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--show", action="store_true")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    found: dict[str, dict[str, object]] = {}
    print("| scenario | bit-equal | what must come out | s |\n|---|---|---|---|")
    for name in asked.scenarios or SCENARIOS:
        try:
            row = found[name] = checked(name, asked.show)
        except ImportError as problem:
            print(f"| {name} | not run: {problem} |", flush=True)
            continue
        except Exception as problem:
            if asked.show:
                traceback.print_exc()
            row = found[name] = {"gradients": 0, "equal": 0, "fault": f"broke: {problem!r}"[:300], "seconds": 0}
        equal = f"{row['equal']} of {row['gradients']}" if row["gradients"] else "–"
        print(f"| {name} | {equal} | {row['fault'] or 'yes'} | {row['seconds']} |", flush=True)
        gc.collect()
    wrong = [name for name, row in found.items() if row["fault"] or row["equal"] != row["gradients"]]
    print(f"\ntorch {torch.__version__}: {len(found) - len(wrong)} of {len(found)} scenarios hold")
    if asked.keep:
        kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
        rows = {name: {of: row[of] for of in ("gradients", "equal", "fault")} for name, row in found.items()}
        version = torch.__version__.partition("+")[0]
        kept[version] = kept.get(version, {}) | rows
        KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
