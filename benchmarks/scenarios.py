"""Check recordings against the truth: an engineer's short programs, and small library models.

usage: python -m benchmarks.scenarios [--show] [NAME ...]   (from the project's root; default: all)

Each runs twice, plain and recorded: the gradients of both are equal bit for bit, and the facts below the program hold.
In `programs/*.txt` the arrow of a title names what the gradients belong to. Rows whose library is not installed are
skipped. `--show` prints the reports.
"""

import argparse
import gc
import linecache
import subprocess
import sys
import tempfile
import textwrap
import traceback
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

import explorer
from benchmarks.library_models import MODELS, Made

Program = Callable[[Any], tuple[Any, Callable[[], None]]]
CORPUS = Path(__file__).with_name("programs")


def states(trace: Any) -> dict[str, str]:
    """Return the state of each parameter by name."""
    return {row.name: row.state for row in trace.report().parameters}


def why(trace: Any, name: str) -> str:
    """Return the report's reason why a parameter has no gradient."""
    return next(row.why() for row in trace.report().parameters if row.name == name)


def kinds(trace: Any, *levels: str) -> set[str]:
    """Return the kinds of diagnoses, of some levels only if given."""
    return {found.kind for found in trace.report().diagnoses if not levels or found.level in levels}


def told(call: Callable[[], Any], *errors: type[BaseException]) -> str:
    """Return the error message that a call raises."""
    try:
        call()
    except errors as problem:
        return str(problem)
    raise AssertionError("nothing was raised")


def mlp(*sizes: int) -> nn.Sequential:
    """Linear layers with ReLU between them."""
    layers: list[nn.Module] = []
    for inside, outside in pairwise(sizes):
        layers += [nn.Linear(inside, outside), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def data(*shape: int) -> Tensor:
    """Return the same random entries each time."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(7))


def files(**sources: str) -> Path:
    """Return a folder with these programs."""
    folder = Path(tempfile.mkdtemp())
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source)
    return folder


def run(*words: str, **given: Any) -> subprocess.CompletedProcess[str]:
    """Run a Python module in a separate process."""
    return subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, **given)


NAMES = {one.__name__: one for one in (states, why, kinds, told, mlp, data, files, run)}


def read(path: Path) -> dict[str, Program]:
    """Read a file's programs as functions of a module; text before the first is shared by all."""
    given, *parts = path.read_text().split("\n=== ")
    module = types.ModuleType(f"benchmarks.programs.{path.stem}")
    module.__file__ = str(path)  # marks its classes as the user's own
    sys.modules[module.__name__] = module
    vars(module).update(NAMES)
    exec(compile(given, path, "exec"), vars(module))
    return dict(_program(part, module) for part in parts)


def _program(part: str, module: types.ModuleType) -> tuple[str, Program]:
    title, text = part.split("\n", 1)
    name, _, gradients_of = title.partition(" -> ")
    body, facts = text.rstrip().split("---\n")
    lines = [
        "def scenario(record):",
        textwrap.indent(body, "    "),
        "    def facts():",
        textwrap.indent(facts, " " * 8),
    ]
    source = "\n".join([*lines, f"    return {gradients_of or None}, facts\n"])
    file = f"{module.__file__}.{name}.py"  # where tracebacks and the recorder look lines up
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    exec(compile(source, file, "exec"), vars(module))
    return name, module.scenario


def _of_library(make: Callable[[], Made]) -> Program:
    """Return a model with named parameters and without diagnoses."""

    def program(record: Any) -> tuple[nn.Module, Callable[[], None]]:
        made = make()
        with record() as trace:
            made.learn()

        def facts() -> None:
            found = {name.partition(".")[2]: state for name, state in states(trace).items()}
            got = {name for name, parameter in made.model.named_parameters() if parameter.grad is not None}
            assert all(found.get(name) in ("flows", "zero", "nonfinite") for name in got)
            assert trace.report().sound, kinds(trace)

        return made.model, facts

    return program


SCENARIOS = {path.stem: read(path) for path in sorted(CORPUS.glob("*.txt"))}
ALL = {name: program for programs in SCENARIOS.values() for name, program in programs.items()}
ALL |= {name: _of_library(make) for name, make in MODELS.items()}


def _plain(*_: Any, **__: Any) -> AbstractContextManager[None]:
    return nullcontext()


def _gradients(made: Any) -> Iterator[Tensor]:
    """Yield the gradients of modules and leaves, and tensors that are not leaves themselves."""
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


def checked(name: str, show: bool = False) -> tuple[int, int, str]:
    """Return the numbers of gradients and of equal ones, and the first wrong fact, or "".

    Raises ImportError if the library is not installed.
    """
    program, traces = ALL[name], []

    def record(*given: Any, **named: Any) -> Any:
        traces.append(explorer.record(*given, **named))
        return traces[-1]

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
    for trace in traces if show else ():
        print(trace.report())
    equal = sum(map(_equal, plain, recorded)) if len(plain) == len(recorded) else 0
    return len(recorded), equal, fault


def main() -> int:
    """Print the table; return 1 if a row does not hold."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scenarios")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--show", action="store_true")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    wrong = count = 0
    print("| scenario | bit-equal | what must come out |\n|---|---|---|")
    for name in asked.names or ALL:
        try:
            gradients, equal, fault = checked(name, asked.show)
        except ImportError as problem:
            print(f"| {name} | not run: {problem} |", flush=True)
            continue
        except Exception as problem:
            gradients, equal, fault = 0, 0, f"broke: {problem!r}"[:300]
        print(f"| {name} | {f'{equal} of {gradients}' if gradients else '–'} | {fault or 'yes'} |", flush=True)
        count, wrong = count + 1, wrong + bool(fault or equal != gradients)
        gc.collect()
    print(f"\ntorch {torch.__version__}: {count - wrong} of {count} hold")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
