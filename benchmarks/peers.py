"""Compare tools that inspect programs: what each draws, holds and changes for the same programs.

usage: python -m benchmarks.peers [PROGRAM ...] [--tools ...] [--limit 20]   (from the project's root)

Two tables of Markdown. By tool: programs completed without an exception; how many special operations its picture or
record names, how many of their output values and input gradients it holds; what it changed, in how many programs,
compared with the plain step; CPU x plain step including the picture (median of the small programs, then each network);
bytes of the picture, likewise. By program: for each tool the letters N(ame), V(alue), G(radient), c(hanged something),
or the exception. Text that its picture of `-x` contains too does not count as named or held. Each tool has its own
process, and each program a fork of it with a time limit. The tools need a separate environment (requirements.txt).
"""

import argparse
import contextlib
import io
import json
import math
import os
import re
import resource
import signal
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import torch
from torch import nn

import explorer
from benchmarks.peer_programs import BARE, NETWORKS, PROGRAMS, Program

Outputs = list[torch.Tensor]


class Seen(NamedTuple):
    """A tool's result: the step's outputs, its picture ("" for none), and the tensors in its record."""

    outputs: Outputs
    picture: str = ""
    held: Iterable[torch.Tensor] = ()
    text: str = ""  # text of the record, without the picture


def forward(model: nn.Module, x: torch.Tensor) -> Outputs:
    """The outputs, one or several."""
    out = model(x)
    return list(out) if isinstance(out, tuple) else [out]


def loss(outputs: Outputs) -> torch.Tensor:
    """Return a scalar, without the operations that the programs are about."""
    return torch.cat([out.flatten() for out in outputs]).square().sum()


def plain(model: nn.Module, x: torch.Tensor) -> Seen:
    """Return the step itself."""
    outputs = forward(model, x)
    loss(outputs).backward()
    return Seen(outputs)


def record(model: nn.Module, x: torch.Tensor) -> Seen:
    """`record()` around the step, saved as JSON."""
    with explorer.record() as trace:
        seen = plain(model, x)
    explorer.save(trace, "run.json")
    return seen._replace(text=Path("run.json").read_text())


def record_and_draw(model: nn.Module, x: torch.Tensor) -> Seen:
    """`record()` around the step, and its picture."""
    with explorer.record() as trace:
        seen = plain(model, x)
    return seen._replace(picture=explorer.draw(trace).svg())


def draw(model: nn.Module, x: torch.Tensor) -> Seen:
    """`draw(model, x)`, before the step."""
    picture = explorer.draw(model, x).svg()
    return plain(model, x)._replace(picture=picture)


def torchviz(model: nn.Module, x: torch.Tensor) -> Seen:
    """Return the graph behind the loss."""
    from torchviz import make_dot

    outputs = forward(model, x)
    total = loss(outputs)
    picture = make_dot(total, dict(model.named_parameters()) | {"x": x}).pipe("svg").decode()
    total.backward()
    return Seen(outputs, picture)


def torchview(model: nn.Module, x: torch.Tensor) -> Seen:
    """Its graph of the forward."""
    from torchview import draw_graph

    picture = (
        draw_graph(model, input_data=x, device="cpu", hide_module_functions=False).visual_graph.pipe("svg").decode()
    )
    return plain(model, x)._replace(picture=picture)


def torchvista(model: nn.Module, x: torch.Tensor) -> Seen:
    """Its page of the forward."""
    from torchvista import trace_model

    trace_model(model, x, export_format="html", export_path="picture.html")
    return plain(model, x)._replace(picture=Path("picture.html").read_text())


def torchlens(model: nn.Module, x: torch.Tensor) -> Seen:
    """Forward and backward in its trace, and its picture."""
    import torchlens

    capture = torchlens.options.CaptureOptions(save_grads="all", random_seed=None)
    log = torchlens.trace(model, x, capture=capture)
    outputs = [log[name].out for name in log.output_layers]
    log.log_backward(loss(outputs))
    log.draw(vis_outpath="graph", vis_save_only=True, vis_fileformat="svg")
    held = [op.out for op in log.ops]
    for op in log.ops:
        try:
            held.append(op.grad)
        except ValueError:  # raised by two backward calls
            held += [op.grad_for(bwd=number) for number in (1, 2)]
    held = [one for one in held if isinstance(one, torch.Tensor)]
    return Seen(outputs, Path("graph.svg").read_text(), held)


def torchinfo(model: nn.Module, x: torch.Tensor) -> Seen:
    """Its table of layers, before the step."""
    from torchinfo import summary

    picture = str(summary(model, input_data=x, verbose=0, device="cpu"))
    return plain(model, x)._replace(picture=picture)


def torchexplorer(model: nn.Module, x: torch.Tensor) -> Seen:
    """Return a watched step, and the data of its page."""
    from torchexplorer import watch
    from torchexplorer.render import layout, serialize

    watched = watch(model, log_freq=1, backend="none")
    seen = plain(model, x)
    return seen._replace(picture=json.dumps(serialize.serialize_rows(layout.layout(watched.structure, None)[0])))


def captum(model: nn.Module, x: torch.Tensor) -> Seen:
    """Return the activation of the whole and the gradient of the loss at the input, before the step."""
    from captum.attr import LayerActivation, Saliency

    value = LayerActivation(model, model).attribute(x)
    slope = Saliency(lambda x: loss(forward(model, x)).reshape(1)).attribute(x, abs=False)
    return plain(model, x)._replace(held=[*(value if isinstance(value, tuple) else [value]), slope])


def nansense(model: nn.Module, x: torch.Tensor) -> Seen:
    """Run one batch in its session with every layer watched; its page needs a server and is not measured."""
    import nansense

    session = nansense.start(model, phases={"train": 1}, epochs=1)
    session.detach()
    for name in session.layer_names:
        session.watch(name)
    session.request_snapshot()
    with session.batch(phase="train", epoch=0):
        seen = plain(model, x)
    kept = session.snapshot
    session.close()
    held = [] if kept is None else [*kept.activations.values(), *kept.activation_gradients.values()]
    return seen._replace(held=held, text=" ".join(session.layer_names))


def profiler(model: nn.Module, x: torch.Tensor) -> Seen:
    """Run torch's profiler: the time of each operation, as a timeline."""
    with torch.profiler.profile() as profile:
        seen = plain(model, x)
    profile.export_chrome_trace("timeline.json")
    timeline = re.sub(r"\d+\.\d+", "0", Path("timeline.json").read_text())  # the numbers are times
    return seen._replace(picture=timeline)


TOOLS: dict[str, Callable[[nn.Module, torch.Tensor], Seen]] = {
    tool.__name__: tool
    for tool in (
        *(record, record_and_draw, draw, torchviz, torchview, torchvista),
        *(torchlens, torchinfo, torchexplorer, captum, nansense, profiler),
    )
}


class State(NamedTuple):
    """A tool's result, the changes to model and process by kind, CPU seconds, the input's gradient."""

    seen: Seen
    left: dict[str, str]
    took: float
    gradient: torch.Tensor | None


def state(program: Program, tool: Callable[[nn.Module, torch.Tensor], Seen], seed: int = 0) -> State:
    """Call a tool with a fresh model and return its state."""
    torch.manual_seed(seed)
    model, x = program.made()
    before = cpu()
    seen = tool(model, x)
    took = cpu() - before
    own = [(path, name) for path, one in model.named_modules() for name in vars(one) if name not in vars(nn.Module())]
    left = {
        "output": [out.tolist() for out in seen.outputs],
        "gradients": [None if p.grad is None else p.grad.tolist() for p in (x, *model.parameters())],
        "buffers": [held.tolist() for held in model.buffers()],
        "random state": torch.get_rng_state().tolist(),
        "attributes": own,
        "mode": [one.training for one in model.modules()],
    }
    return State(seen, {kind: repr(held) for kind, held in left.items()}, took, x.grad)


def cpu() -> float:
    """Return CPU seconds of this process and of all that it started."""
    children = psutil.Process().children(recursive=True)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    living = 0.0
    for child in children:
        with contextlib.suppress(psutil.Error):
            living += sum(child.cpu_times()[:4])  # includes children it has waited for
    return time.process_time() + ended.ru_utime + ended.ru_stime + living


def seconds_of_plain(program: Program) -> float:
    """Return CPU seconds of the plain step, the least of three times many."""
    model, x = program.made()
    times = []
    for _ in range(3):
        begun = time.process_time()
        for _ in range(20):
            plain(model, x)
        times.append((time.process_time() - begun) / 20)
    return min(times)


def holds(numbers: set[str], held: Outputs, wanted: torch.Tensor) -> bool:
    """Return whether texts have the least and the greatest entry, rounded, or a record has the tensor."""
    if any(repr(one.tolist()) == repr(wanted.tolist()) for one in held):
        return True
    entries = sorted(entry for entry in wanted.detach().flatten().tolist() if not math.isnan(entry))
    return all(any(rounded(text, abs(entry)) for text in numbers) for entry in (entries[0], entries[-1]))


def rounded(text: str, number: float) -> bool:
    """Return whether a text of three significant digits or more is this number, rounded or cut."""
    mantissa = text.partition("e")[0]
    digits = len(mantissa.replace(".", "").lstrip("0"))
    return digits >= 3 and math.isclose(float(text), number, rel_tol=1.1 * 10.0 ** (1 - min(digits, 6)) / 2)


def row_of(tool: str, name: str) -> dict[str, Any]:
    """Return a program's row for a tool: letters, changes, CPU x plain, bytes of the picture."""
    program = (PROGRAMS | NETWORKS)[name]
    expected, step = state(program, plain), seconds_of_plain(program)  # first: torchlens leaves torch slower
    bares = [said(state(BARE, TOOLS[tool], seed=seed).seen) for seed in (1, 2)]
    bare = [one & other for one, other in zip(*bares, strict=True)]  # text the tool prints for every input
    got = state(program, TOOLS[tool])  # raises the tool's exceptions
    words, numbers = (now - before for now, before in zip(said(got.seen), bare, strict=True))
    held = list(got.seen.held)
    named = any(re.search(program.names, word, re.IGNORECASE) for word in words)
    value = all(holds(numbers, held, out) for out in expected.seen.outputs)
    slope = expected.gradient is not None and holds(numbers, held, expected.gradient)
    letters = "".join(letter for letter, is_so in zip("NVG", (named, value, slope), strict=True) if is_so)
    changed = [kind for kind, left in got.left.items() if left != expected.left[kind]]
    took = min(got.took, *(state(program, TOOLS[tool]).took for _ in range(2)))
    return {"letters": letters, "changed": changed, "times": took / step, "bytes": len(got.seen.picture.encode())}


def said(seen: Seen) -> tuple[set[str], set[str]]:
    """Return the words and the numbers of a picture and of a record."""
    picture = re.sub(r"<style.*?</style>|<[^>]*>", " ", seen.picture, flags=re.DOTALL)  # an SVG's sizes are not values
    whole = f"{picture if seen.picture.rstrip().endswith('</svg>') else seen.picture}\n{seen.text}".replace("−", "-")
    return set(re.findall(r"[A-Za-z_]\w*", whole)), set(re.findall(r"\d+\.\d+(?:e[-+]?\d+)?", whole))


def tried(tool: str, names: list[str], limit: float) -> dict[str, dict[str, Any]]:
    """Return the rows of a tool, each from a fork that ends after so many seconds."""
    if tool != "torchlens":  # torchlens refuses to work in a fork of the process that imported it
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
            state(BARE, TOOLS[tool])  # import the tool before forking
    return {name: forked(lambda name=name: row_of(tool, name), limit) for name in names}


def forked(function: Callable[[], Any], limit: float) -> Any:
    """Call a function in a fork, in a separate folder; torchlens refuses multiprocessing's fork."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder, "answer.json")
        child = os.fork()
        if child == 0:
            os.chdir(folder)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            try:
                got = function()
            except Exception as problem:
                got = {"error": type(problem).__name__, "words": " ".join(str(problem).split())[:300]}
            answer.write_text(json.dumps(got))
            os._exit(0)
        end = time.monotonic() + limit
        while os.waitpid(child, os.WNOHANG)[0] == 0:
            if time.monotonic() > end:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                break
            time.sleep(0.02)
        return json.loads(answer.read_text()) if answer.exists() else {"error": f"no answer in {limit:.0f} s"}


def middle(rows: Iterable[dict[str, Any]], asked: str) -> str:
    """Return the median of a column with two digits, or a dash."""
    found = [row[asked] for row in rows if row.get(asked)]
    return f"{float(f'{statistics.median(found):.2g}'):,.10g}".replace(",", " ") if found else "–"


def main() -> None:
    """Print both tables, and each exception below them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(PROGRAMS | NETWORKS))
    parser.add_argument("--tools", nargs="*", default=list(TOOLS), choices=TOOLS)
    parser.add_argument("--limit", type=float, default=20)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    names = asked.programs or [*PROGRAMS, *NETWORKS]
    found = {}
    print("| tool | ends | names | values | gradients | changes | CPU x plain step | bytes of the picture |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for tool in asked.tools:
        rows = found[tool] = forked(lambda tool=tool: tried(tool, names, asked.limit), asked.limit * len(names))
        ended = [row for row in rows.values() if "error" not in row]
        counts = [sum(letter in row["letters"] for row in ended) for letter in "NVG"]
        kinds = {kind: sum(kind in row["changed"] for row in ended) for row in ended for kind in row["changed"]}
        changes = ", ".join(f"{kind} {count}" for kind, count in kinds.items()) or "nothing"
        parts = [
            [rows[name] for name in names if name in PROGRAMS],
            *([rows[name]] for name in names if name in NETWORKS),
        ]
        costs = [", ".join(middle(part, column) for part in parts if part) for column in ("times", "bytes")]
        print("|", " | ".join(map(str, (tool, len(ended), *counts, changes, *costs))), "|", flush=True)
    print("\n| program |", " | ".join(found), "|\n" + "|---" * (len(found) + 1) + "|")
    for name in names:
        cells = [
            row.get("error") or row["letters"] + "c" * bool(row["changed"]) for row in (found[t][name] for t in found)
        ]
        print("|", " | ".join([name, *cells]), "|")
    for tool, rows in found.items():
        for name, row in rows.items():
            if row.get("error") or row.get("changed"):
                print(f"{tool}, {name}: {row.get('error', '')} {row.get('words', '')} {row.get('changed', '')}")


if __name__ == "__main__":
    main()
