"""Measure the cost of recording one training step of real architectures.

usage: python -m benchmarks.architectures [FOLDER] [--beside CHECKOUT] [--models NAME ...] [--rounds 7] [--keep]

Each `.py` file of FOLDER defines `make()`, which returns a model and the arguments of one call. Without a folder:
networks of torch.nn, an MLP with AdamW, a GPT, a ResNet, and the models of tests/zoo.py. A line per model: CPU as a
multiple of the plain step's (light, complete, anomaly mode), and the Python calls per operation added by a complete
recording, which are free of noise. With another checkout both are measured in turns, each model in separate processes.
The last lines are the median and the 90th percentile.
"""

import argparse
import cProfile
import gc
import json
import os
import pstats
import runpy
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parents[1]
WORKS = ("plain", "light", "complete", "anomaly")
LEARN = ("mlp_adamw",)  # models whose step includes the optimizer
_ROOM = 20.0  # CPU seconds for all rounds of one model


def models() -> dict[str, Callable[[], tuple]]:
    """Return the models that need no folder, by name."""
    import torch
    from torch import nn

    from benchmarks.models import gpt, resnet
    from tests.zoo import ZOO

    def mlp() -> tuple:
        net = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
        return net, (torch.randn(32, 64),)

    def transformer() -> tuple:
        net = nn.Transformer(32, 4, 2, 2, 64, batch_first=True)
        return net, (torch.randn(4, 10, 32), torch.randn(4, 8, 32))

    def lstm() -> tuple:
        return nn.LSTM(16, 32, 2, batch_first=True), (torch.randn(4, 12, 16),)

    own = {"mlp_adamw": mlp, "nn_transformer": transformer, "nn_lstm": lstm}
    large: dict[str, Callable[[], tuple]] = {
        f"{made.__name__}_large": lambda made=made: (made()[0], (made()[1],)) for made in (gpt, resnet)
    }
    return {**own, **large, **ZOO}


def measure(name: str, folder: str, rounds: int) -> dict[str, float]:
    """Return CPU seconds per task, the operation count, and a complete recording's calls per operation."""
    import torch

    import explorer

    torch.set_num_threads(1)
    torch.manual_seed(0)
    warnings.simplefilter("ignore")
    make = runpy.run_path(str(Path(folder, name)))["make"] if folder else models()[name]
    model, given = make()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4) if name in LEARN else None

    def plain() -> None:
        model.zero_grad()
        _sum_of(model(*given)).backward()
        if optimizer is not None:
            optimizer.step()

    def light() -> None:
        with explorer.record(detail="light"):
            plain()

    def complete() -> None:
        with explorer.record():
            plain()

    def anomaly() -> None:
        with torch.autograd.detect_anomaly():
            plain()

    works = dict(zip(WORKS, (plain, light, complete, anomaly), strict=True))
    for work in works.values():
        work()
        work()
    least, begun = dict.fromkeys(works, float("inf")), time.process_time()
    for _ in range(rounds):
        for kind, work in works.items():
            gc.collect()
            start = time.process_time()
            work()
            least[kind] = min(least[kind], time.process_time() - start)
        if time.process_time() - begun > _ROOM:
            break
    with explorer.record() as trace:
        plain()
    operations = max(len(trace.operations), 1)
    calls = {f"calls {kind}": (_calls(works[kind]) - _calls(plain)) / operations for kind in ("light", "complete")}
    return {**least, **calls, "operations": operations}


def _sum_of(made: object):
    """Return one number computed from a model's results."""
    import torch

    if isinstance(made, torch.Tensor):
        return made.float().sum()
    parts = vars(made).values() if hasattr(made, "__dict__") else made
    parts = parts.values() if isinstance(parts, dict) else parts
    tensors = [_sum_of(part) for part in parts if isinstance(part, torch.Tensor | list | tuple | dict)]
    return sum(one for one in tensors if isinstance(one, torch.Tensor) and one.requires_grad)


def _calls(work: Callable[[], None]) -> int:
    profile = cProfile.Profile()
    profile.runcall(work)
    return pstats.Stats(profile).total_calls  # type: ignore[attr-defined]


def _measured(checkout: Path, *asked: str) -> dict[str, float] | None:
    path = os.pathsep.join([str(checkout), str(HERE)])
    code = f"import sys; sys.path[:0] = {path.split(os.pathsep)!r}; sys.argv[0] = ''\n"
    code += f"import runpy; runpy.run_path({str(Path(__file__).resolve())!r})['tell'](*sys.argv[1:])"
    ran = subprocess.run([sys.executable, "-c", code, *asked], cwd=checkout, capture_output=True, text=True)
    if ran.returncode:
        print(f"{asked[0]}: {ran.stderr.strip().splitlines()[-1][:150]}", file=sys.stderr)
        return None
    return json.loads(ran.stdout.splitlines()[-1])


def tell(name: str, folder: str, rounds: str) -> None:
    """Measure one model in a separate process and print the result as JSON."""
    print(json.dumps(measure(name, folder, int(rounds))))


def main() -> int:
    """Measure, print and keep; return 1 if something became slower."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.architectures")
    parser.add_argument("folder", nargs="?", default="")
    parser.add_argument("--beside", metavar="CHECKOUT")
    parser.add_argument("--models", nargs="*")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--turns", type=int, default=2, help="processes of each model and checkout")
    parser.add_argument("--keep", action="store_true")
    asked = parser.parse_args()
    sys.path.insert(0, str(HERE))
    from benchmarks.results import hold

    folder = str(Path(asked.folder).resolve()) if asked.folder else ""
    names = asked.models or (sorted(path.name for path in Path(folder).glob("*.py")) if folder else list(models()))
    checkouts = {"": HERE, **({"beside ": Path(asked.beside).resolve()} if asked.beside else {})}
    ratios: dict[str, list[float]] = {}
    rows: dict[str, tuple[float, float]] = {}
    print("CPU x plain; calls for each operation", flush=True)
    for name in names:
        least: dict[str, dict[str, float]] = {}
        for turn in range(asked.turns):
            for title, checkout in list(checkouts.items())[:: -1 if turn % 2 else 1]:
                if (found := _measured(checkout, name, folder, str(asked.rounds))) is not None:
                    best = least.setdefault(title, found)
                    least[title] = {key: min(value, found[key]) for key, value in best.items()}
        told = []
        for title, best in least.items():
            plain = min(other["plain"] for other in least.values())
            for kind in WORKS[1:]:
                ratios.setdefault(f"{title}{kind}", []).append(best[kind] / plain)
                told.append(f"{title}{kind} {best[kind] / plain:.2f}")
                if not title and not folder:
                    rows[f"{name}, {kind}"] = best[kind], best[kind] / plain
            for kind in ("light", "complete"):
                ratios.setdefault(f"{title}calls {kind}", []).append(best[f"calls {kind}"])
            told.append(f"{title}calls {best['calls light']:.0f} {best['calls complete']:.0f}")
        if told:
            print(f"{name}: {plain * 1e3:.3g} ms, {best['operations']} operations; {', '.join(told)}", flush=True)
    for kind, found in ratios.items():
        high = statistics.quantiles(found, n=10, method="inclusive")[-1] if len(found) > 1 else found[0]
        print(f"{kind}: median {statistics.median(found):.2f}, 90 % {high:.2f}")
    return 0 if hold("architectures", rows, asked.keep) else 1


if __name__ == "__main__":
    raise SystemExit(main())
