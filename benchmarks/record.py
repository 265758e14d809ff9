"""Compare the CPU and memory of recording with the plain program and other tools.

usage: python -m benchmarks.record [PROGRAM ...] [--tools ...] [--rounds 5] [--keep]   (from the project's root)

A line per program: CPU as a multiple of the plain program's, and the process's growth as a multiple of its plain growth
(0 if the system does not report it). All run in turns in one process. The other tools need a separate environment
(requirements.txt). Rows more than a fifth slower than in results.json are reported; `--keep` writes these figures into
it.
"""

import argparse
import contextlib
import ctypes
import gc
import io
import math
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import torch
from torch.nn import functional as F

import explorer
from benchmarks.models import PROGRAMS
from benchmarks.results import hold

SLOW = {"torchlens", "torchvista", "torchview"}  # measured only twice, because they are far from the rest
DEEP = 10_000  # from this many loop nodes on, the slow tools are skipped; they take minutes


class Step:
    """A step of a program (forward, loss, backward, AdamW if it learns), and the same step under each tool."""

    def __init__(self, name: str) -> None:
        torch.manual_seed(0)
        self.model, self.x, self.y = PROGRAMS[name]()
        self.optimizer = None if self.y is None else torch.optim.AdamW(self.model.parameters(), 1e-4)

    def plain(self) -> None:
        """The step itself."""
        self.loss(self.begun()).backward()
        self.ended()

    def begun(self) -> torch.Tensor:
        """Forward."""
        if self.optimizer is not None:
            self.optimizer.zero_grad()
        return self.model(self.x)

    def loss(self, out: torch.Tensor) -> torch.Tensor:
        """Return the loss of the model's output."""
        return out.sum() if self.y is None else F.cross_entropy(out, self.y)

    def ended(self) -> None:
        """The optimizer's part."""
        if self.optimizer is not None:
            self.optimizer.step()

    def light(self) -> None:
        """Recorded: value, gradient, name, place."""
        with explorer.record(detail="light"):
            self.plain()

    def complete(self) -> None:
        """Recorded with versions, storages, saved tensors, contributions."""
        with explorer.record():
            self.plain()

    def anomaly(self) -> None:
        """torch's own search for NaN."""
        with torch.autograd.detect_anomaly():
            self.plain()

    def torchviz(self, **asked: bool) -> None:
        """The DOT of torchviz, bare: a picture without values or gradients."""
        from torchviz import make_dot

        loss = self.loss(self.begun())
        str(make_dot(loss, dict(self.model.named_parameters()), **asked).source)
        loss.backward()
        self.ended()

    def torchviz_attributes(self) -> None:
        """The DOT of torchviz, with attributes and saved tensors."""
        self.torchviz(show_attrs=True, show_saved=True)

    def torchview(self) -> None:
        """Draw torchview's forward graph and run the plain step."""
        from torchview import draw_graph

        str(draw_graph(self.model, input_data=self.x, device="cpu", mode="train").visual_graph.source)
        self.plain()

    def torchvista(self) -> None:
        """Draw torchvista's forward graph as HTML and run the plain step."""
        from torchvista import trace_model

        with contextlib.redirect_stdout(io.StringIO()), tempfile.TemporaryDirectory() as folder:
            trace_model(self.model, self.x, export_format="html", export_path=f"{folder}/picture.html")
        self.plain()

    def torchlens(self) -> None:
        """Forward with activations, and backward with gradients."""
        import torchlens

        if self.optimizer is not None:
            self.optimizer.zero_grad()
        capture = torchlens.options.CaptureOptions(save_grads="all", random_seed=None)
        log = torchlens.trace(self.model, self.x, capture=capture)
        log.log_backward(self.loss(log[log.output_layers[0]].out))
        self.ended()


# torchlens is last because it leaves torch's functions wrapped, which makes everything slower.
TOOLS = ("light", "complete", "anomaly", "torchviz", "torchviz_attributes", "torchview", "torchvista", "torchlens")
_trim = ctypes.CDLL(None).malloc_trim


def measure(name: str, tools: list[str], rounds: int) -> dict[str, tuple[float, float, float]]:
    """Return CPU seconds, time ratio and memory ratio by tool; failures are written to stderr."""
    step = Step(name)
    nodes = int(name.partition(" ")[2] or 0)
    works: dict[str, Callable[[], object]] = {}
    for tool in ["plain", *(tool for tool in tools if nodes < DEEP or tool not in SLOW)]:
        try:
            getattr(step, tool)()  # once unmeasured: imports, the optimizer's state
            works[tool] = getattr(step, tool)
        except (Exception, RecursionError) as problem:
            print(f"{name}: {tool}: {type(problem).__name__}: {str(problem)[:100]}", file=sys.stderr, flush=True)
    least = dict.fromkeys(works, math.inf)
    for number in range(rounds):  # in turns, so that other load affects all of them
        for tool, work in works.items():
            if tool not in SLOW or number < 2:
                least[tool] = min(least[tool], seconds(work))
    peaks = {tool: min(growth(work) for _ in range(1 if tool in SLOW else 2)) for tool, work in works.items()}
    plain, memory = least["plain"], peaks["plain"] or 1
    return {tool: (took, took / plain, peaks[tool] / memory) for tool, took in least.items()}


def seconds(work: Callable[[], object]) -> float:
    """Return Return the CPU seconds of one call, with garbage collected beforehand."""
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def growth(work: Callable[[], object]) -> int:
    """Return the process's peak growth during one call in bytes; 0 if the system does not report it."""
    gc.collect()
    try:
        _trim(0)
        Path("/proc/self/clear_refs").write_text("5")  # resets the peak
        before = _resident("VmRSS")
        work()
        return _resident("VmHWM") - before
    except (OSError, AttributeError, StopIteration):
        return 0


def _resident(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def main() -> int:
    """Measure, print and keep; return 1 if something became slower."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.record")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(PROGRAMS))
    parser.add_argument("--tools", nargs="*", default=list(TOOLS), choices=TOOLS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", action="store_true")
    asked = parser.parse_args()
    for name in asked.programs:
        if name not in PROGRAMS:
            parser.error(f"no program {name!r}; there are: {', '.join(PROGRAMS)}")
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # the tools' own warnings
    rows: dict[str, tuple[float, float]] = {}
    first, last = ([tool for tool in asked.tools if (tool == "torchlens") is late] for late in (False, True))
    print("CPU x plain, memory x plain", flush=True)
    for tools in filter(None, (first, last)):
        for name in asked.programs or PROGRAMS:
            found = measure(name, tools, asked.rounds)
            plain, *_ = found.pop("plain")
            ratios = [f"{tool} {ratio:.3g}, {memory:.2g}" for tool, (_, ratio, memory) in found.items()]
            print("; ".join([f"{name}: plain {plain * 1e3:.3g} ms", *ratios]), flush=True)
            rows |= {f"{name}, {tool}": (took, ratio) for tool, (took, ratio, _) in found.items()}
    return 0 if hold("record", rows, asked.keep) else 1


if __name__ == "__main__":
    raise SystemExit(main())
