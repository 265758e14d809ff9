"""How large the pictures of real models are, and how long they take: recorded, drawn, and opened at several paths.

usage: python benchmarks/pictures.py [--svg FOLDER] [MODEL ...]   (from the project's root; default: all)
One training step without the optimizer (forward, a loss, backward) of each model of tests/zoo.py and, where
torchvision is installed, of its models on images of 64 × 64 (224 × 224 where their layers ask for it). A line of a
Markdown table for each: parameters, operations, nodes, seconds to record, cards of the picture, seconds to draw it, its
size on the screen, bytes of its SVG; and of the modules that the picture has closed, how many were opened and the most
cards of those pictures.
"""

import argparse
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch

import explorer
from tests.zoo import ZOO, Made, loss_of

TORCHVISION = (
    "alexnet vgg11_bn resnet18 resnet50 resnext50_32x4d mobilenet_v2 mobilenet_v3_small densenet121 googlenet "
    "inception_v3 shufflenet_v2_x0_5 squeezenet1_1 mnasnet0_5 efficientnet_b0 regnet_y_400mf convnext_tiny vit_b_16 "
    "swin_t maxvit_t"
).split()
LARGE = {"vit_b_16": 224, "maxvit_t": 224, "inception_v3": 299}
HEADS = ["model", "weights", "operations", "nodes", "recorded, s", "cards", "drawn, s", "width × height", "SVG, KB"]
HEADS += ["opened: cards"]
OPENED = 3  # closed modules of each picture that are opened


def made(name: str) -> Callable[[], Made]:
    """How a model is made. Raises SystemExit for one that is not here."""
    if name in ZOO:
        return ZOO[name]
    try:
        from torchvision import models
    except ImportError:
        raise SystemExit(f"{name}: torchvision is not installed") from None
    size = LARGE.get(name, 64)
    return lambda: (getattr(models, name)(weights=None), (torch.randn(2, 3, size, size),))


def known() -> list[str]:
    """All models that are here."""
    try:
        import torchvision  # noqa: F401
    except ImportError:
        return [*ZOO]
    return [*ZOO, *TORCHVISION]


def measure(name: str, folder: Path | None) -> str:
    """A line of the table."""
    torch.manual_seed(0)
    model, given = made(name)()
    weights = sum(one.numel() for one in model.parameters())
    began = time.perf_counter()
    with explorer.record() as recorded:
        loss = loss_of(model(*given))
        loss.backward()
    took = time.perf_counter() - began
    trace = recorded.check()
    began = time.perf_counter()
    drawn = explorer.draw(trace)
    svg = drawn.svg()
    drew = time.perf_counter() - began
    width, height = re.findall(r'viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"', svg)[0]
    closed = [card.module.path for card in drawn.view.cards if card.module is not None]
    chosen = closed[:: max(1, len(closed) // OPENED)][:OPENED]
    cards = []
    for path in chosen:
        opened = explorer.draw(trace, open=path)
        cards.append(len(opened.view.cards))
        shown = opened.svg(standalone=True)
        if folder:
            (folder / f"{name}.{path.replace('*', 'x')}.svg").write_text(shown)
    if folder:
        (folder / f"{name}.svg").write_text(drawn.svg(standalone=True))
    operations, nodes = len(trace.operations), len(trace.nodes)
    size = f"{float(width):.0f} × {float(height):.0f}"
    inside = f"{len(chosen)} of {len(closed)}: {max(cards)}" if cards else "–"
    parts = [name, f"{weights:,}", operations, nodes, f"{took:.1f}", len(drawn.view.cards), f"{drew:.1f}", size]
    return "| " + " | ".join(map(str, [*parts, len(svg) // 1000, inside])) + " |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--svg", type=Path, metavar="FOLDER", help="where the pictures are kept")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    with explorer.record() as first:
        torch.ones((), requires_grad=True).exp().backward()
    explorer.draw(first.check()).svg()  # what draws is ready
    if asked.svg:
        asked.svg.mkdir(parents=True, exist_ok=True)
    print("| " + " | ".join(HEADS) + " |")
    print("|---" * len(HEADS) + "|")
    for name in asked.models or known():
        try:
            print(measure(name, asked.svg), flush=True)
        except Exception as problem:
            print(f"| {name} | {type(problem).__name__}: {problem} |", flush=True)


if __name__ == "__main__":
    main()
