"""Compare every *gradients checked* with central differences of the whole program, without the explorer.

usage: python -m benchmarks slopes [--share 1/4] FILE_OR_FOLDER ...   (from the project's root)

The product checks each program. Wherever it says that a backward's gradients are the slopes, a second process runs the
program in float64 under plain torch: it counts torch's calls, moves one leaf at a time along a random direction before
the first call after the last change of any leaf, and compares the quotient of two step lengths with autograd's
directional derivative. Prints each sentence that is false, and the counts so far after each program. A share takes that
part of the programs, evenly spread. Ends with 1 if a sentence is false.
"""

import argparse
import copy
import json
import os
import random
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves, tree_map

SECONDS = 60  # processor time for one backward's differences
LEAVES = 3  # leaves that move, evenly spread
STEPS = (1e-5, 3e-6)
WIDE = {torch.float16: torch.float64, torch.bfloat16: torch.float64, torch.float32: torch.float64}
WIDE |= {torch.complex64: torch.complex128}
Move = tuple[int, int, float]  # number of a leaf, the call before which it moves, and how far


class Reached(BaseException):
    """Raised at the backward in question."""


class Counting(TorchFunctionMode):
    """Counts torch's calls in float64, notes changes of leaves, and moves one leaf."""

    def __init__(self, target: int, move: Move | None) -> None:
        super().__init__()
        self.target, self.move, self.calls, self.backwards, self.busy = target, move, 0, 0, 0
        self.leaves: list[torch.Tensor] = []  # in the order of their first use
        self.first: list[int] = []
        self.states: list[tuple[Any, ...]] = []
        self.changed: list[int] = []  # the call before which each leaf was last found changed
        self.copied = 0  # the call after the last deepcopy
        self.root, self.found = 0.0, list[tuple[int, torch.Tensor | None]]()

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Handle a call in torch's place."""
        kwargs = kwargs or {}
        if self.busy:
            return function(*args, **kwargs)
        function = torch.Tensor.double if function in (torch.Tensor.float, torch.Tensor.half) else function
        args, kwargs = tree_map(lambda one: WIDE.get(one, one) if isinstance(one, torch.dtype) else one, (args, kwargs))
        with torch._C.DisableTorchFunction():
            self._note([one for one in tree_leaves((args, kwargs)) if isinstance(one, torch.Tensor)])
        made = function(*args, **kwargs)
        narrow = isinstance(made, torch.Tensor) and made.dtype in WIDE and made.grad_fn is None
        if narrow and getattr(function, "__name__", "") in ("from_numpy", "as_tensor", "tensor", "asarray"):
            with torch._C.DisableTorchFunction():
                made = made.detach().to(WIDE[made.dtype]).requires_grad_(made.requires_grad)
        return made

    def _note(self, given: list[torch.Tensor]) -> None:
        for one in given:
            if one.is_leaf and one.requires_grad and not any(one is leaf for leaf in self.leaves):
                self.leaves.append(one)
                self.first.append(self.calls)
                self.states.append(_state(one))
                self.changed.append(self.calls)
        for at, leaf in enumerate(self.leaves if self.move is None else ()):
            if (state := _state(leaf)) != self.states[at]:
                self.states[at], self.changed[at] = state, self.calls
        if self.move is not None and self.calls >= self.move[1] and self.move[0] < len(self.leaves):
            leaf, by = self.leaves[self.move[0]], self.move[2]
            leaf.data.add_(_direction(leaf), alpha=by)
            self.move = None
        self.calls += 1

    def engine(self, outputs: Any, inputs: Any, seeds: Any, kept: list[torch.Tensor]) -> None:
        """Read root and gradients at the backward in question, and stop there."""
        weights = [torch.ones_like(one) if seed is None else seed for one, seed in zip(outputs, seeds, strict=True)]
        kept.extend(seed.detach().clone() for seed in weights if len(kept) < len(weights))
        self.root = sum(float((one.detach() * seed).sum()) for one, seed in zip(outputs, kept, strict=True))
        if self.move is None and self.found == []:
            reached = {id(leaf) for leaf in (inputs or _collected(outputs))}
            asked = [at for at, leaf in enumerate(self.leaves) if id(leaf) in reached]
            ends = [self.leaves[at] for at in asked]
            if ends:
                grads = torch.autograd.grad(outputs, ends, weights, retain_graph=True, allow_unused=True)
                self.found = list(zip(asked, grads, strict=True))
        raise Reached


def _state(leaf: torch.Tensor) -> tuple[Any, ...]:
    return leaf._version, leaf.data_ptr(), float(leaf.detach().double().sum()) if not leaf.is_complex() else 0.0


def _direction(leaf: torch.Tensor) -> torch.Tensor:
    drawing = torch.Generator().manual_seed(leaf.numel())
    drawn = torch.rand(leaf.shape, generator=drawing, dtype=torch.float64) + 0.5
    return drawn * (torch.randint(0, 2, leaf.shape, generator=drawing) * 2 - 1)


def _collected(outputs: Any) -> list[torch.Tensor]:
    """Return the leaves that a backward from these tensors would reach."""
    met, todo, leaves = set(), [one.grad_fn for one in outputs], []
    leaves += [one for one in outputs if one.grad_fn is None]
    while todo:
        node = todo.pop()
        if node is None or node in met:
            continue
        met.add(node)
        if hasattr(node, "variable"):
            leaves.append(node.variable)
        todo += [below for below, _ in node.next_functions]
    return leaves


@contextmanager
def _patched(mode: Counting, kept: list[torch.Tensor]) -> Iterator[None]:
    """Count the engine's calls, and end deep copies with a mark."""
    engine, deepcopy = torch.autograd._engine_run_backward, copy.deepcopy

    def run(outputs: Any, *args: Any, **kwargs: Any) -> Any:
        own = not mode.busy and not any(torch._C._functorch.is_functorch_wrapped_tensor(one) for one in outputs)
        mode.busy += 1
        try:
            with torch._C.DisableTorchFunction():
                if own and mode.backwards == mode.target:
                    mode.engine(outputs, args[3], args[0], kept)
            mode.backwards += own
            return engine(outputs, *args, **kwargs)
        finally:
            mode.busy -= 1

    def copied(*args: Any, **kwargs: Any) -> Any:
        mode.busy += 1
        try:
            return deepcopy(*args, **kwargs)
        finally:
            mode.busy -= 1
            mode.copied = mode.calls

    torch.autograd._engine_run_backward, copy.deepcopy = run, copied  # type: ignore[assignment]
    try:
        yield
    finally:
        torch.autograd._engine_run_backward, copy.deepcopy = engine, deepcopy


def _run(path: str, target: int, move: Move | None, kept: list[torch.Tensor]) -> Counting:
    mode = Counting(target, move)
    torch.manual_seed(0), np.random.seed(0), random.seed(0)
    torch.set_default_dtype(torch.float64)
    names = {"__name__": "__main__", "__file__": path, "torch": torch}
    with suppress(Reached), _patched(mode, kept), mode, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        exec(compile(Path(path).read_text(encoding="utf-8"), path, "exec"), names)
    return mode


def _differences(path: str, target: int) -> Iterator[dict[str, Any]]:
    """Yield for each moved leaf its gradient and slope along a direction."""
    kept: list[torch.Tensor] = []
    plain = _run(path, target, None, kept)
    again = _run(path, target, None, kept)
    reached = [(at, grad) for at, grad in plain.found if grad is not None]
    if plain.root != again.root or not reached:
        yield {"problem": "two runs differ" if reached else "the backward was not met in float64"}
        return
    since = max([plain.copied, *(plain.changed[at] for at, _ in reached if plain.changed[at] > plain.first[at])])
    for at, grad in reached[:: max(1, len(reached) // LEAVES)]:
        leaf = plain.leaves[at]
        if leaf.dtype != torch.float64 or grad.is_sparse:
            continue
        product, quotients = grad * _direction(leaf), []
        for step in STEPS:
            high, low = (_run(path, target, (at, since, by), kept).root for by in (step, -step))
            quotients.append((high - low) / (2 * step))
        shape = list(leaf.shape)
        yield {"shape": shape, "gradient": float(product.sum()), "size": float(product.norm()), "slopes": quotients,
               "root": plain.root}  # fmt: skip


def judge(found: dict[str, Any]) -> str:
    """Return right, false or bent: the quotients of two steps differ."""
    (far, near), own = found["slopes"], found["gradient"]
    size = max(abs(near), abs(far), found["size"])
    noise = 64 * 2.0**-52 * abs(found["root"]) / STEPS[1]
    if not all(map(np.isfinite, (far, near, own))) or abs(far - near) > 1e-3 * size + noise:
        return "bent"
    return "right" if abs(near - own) <= 1e-3 * size + noise else "false"


def _serve() -> None:
    """Measure the programs named on standard input, each in a separate process."""
    torch.set_num_threads(1)
    for line in sys.stdin:
        path, target = json.loads(line)
        reader, writer = os.pipe()
        if (child := os.fork()) == 0:
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            os.chdir(Path(path).parent)
            with os.fdopen(writer, "w") as answers:
                try:
                    for found in _differences(path, target):
                        print(json.dumps(found), file=answers, flush=True)
                except BaseException as problem:
                    print(json.dumps({"problem": traceback.format_exception_only(problem)[-1]}), file=answers)
                answers.flush()
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as answers:
            found = [json.loads(one) for one in answers if one.endswith("\n")]
        if os.waitpid(child, 0)[1]:
            found.append({"problem": "out of time"})
        print(json.dumps(found), flush=True)


def claims(path: Path) -> tuple[str, list[int]]:
    """Return the product's sentence about a program's gradients, and the backward calls it is about."""
    import explorer
    from explorer.analysis.diagnose.messages import _verified, checked_lines, different_leaves
    from explorer.workers.gradcheck import check_gradients

    trace = explorer.run(path.read_text(encoding="utf-8"))
    checks = check_gradients(trace)
    lines = checked_lines(trace, checks, "en", is_full=True)
    if not lines or different_leaves(trace, checks, "en"):
        return "", []
    own = [at for at, call in enumerate(trace.backwards) if call.kind != "implicit" and call.inside < 0]
    return lines[0], [own.index(at) for at in sorted(_verified(trace, checks)) if at in own]


def main() -> None:
    """Check the programs of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks slopes", description=__doc__)
    parser.add_argument("--share", type=Fraction, default=Fraction(1))
    parser.add_argument("places", nargs="+", type=Path)
    asked = parser.parse_args()
    paths = [path for place in asked.places for path in (sorted(place.glob("*.py")) if place.is_dir() else [place])]
    chosen = [path for at, path in enumerate(paths) if int(at * asked.share) < int((at + 1) * asked.share)]
    command = [sys.executable, "-m", "benchmarks.slopes", "--serve"]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    names = ("programs", "checked", "backwards", "leaves", "right", "bent", "false", "untried")
    counts = dict.fromkeys(names, 0)
    for path in chosen:
        _hold(path, server, counts)
        print(", ".join(f"{count} {name}" for name, count in counts.items()), flush=True)
    assert server.stdin is not None
    server.stdin.close()
    raise SystemExit(counts["false"] > 0)


def _hold(path: Path, server: "subprocess.Popen[str]", counts: dict[str, int]) -> None:
    """Hold a program's sentence against differences, and count."""
    assert server.stdin is not None and server.stdout is not None
    sentence, calls = claims(path)
    counts["programs"] += 1
    counts["checked"] += bool(sentence)
    for call in calls:
        counts["backwards"] += 1
        print(json.dumps([str(path.resolve()), call]), file=server.stdin, flush=True)
        found = json.loads(server.stdout.readline())
        verdicts = [judge(one) for one in found if "problem" not in one]
        counts["untried"] += not verdicts
        counts["leaves"] += len(verdicts)
        for verdict in verdicts:
            counts[verdict] += 1
        for one in found:
            if "problem" in one:
                print(f"{path} backward {call}: {one['problem'].strip()}", flush=True)
            elif (verdict := judge(one)) != "right":
                print(f"{path} backward {call}: {verdict}: {one}", flush=True)


if __name__ == "__main__":
    _serve() if "--serve" in sys.argv else main()
