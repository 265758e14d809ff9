"""Whether what is recorded of libraries' models is true: a row for each model of `library_models.py`.

usage: python benchmarks/truth.py [--keep] [MODEL ...]   (from the project's root; default: all)

For each: whether recording leaves every gradient bit for bit as it is without, whether every parameter that got one has
the name under which the program reaches it, whether the report tells a fault, whether the floating-point operations are
those of torch's own counter, and how many cards the picture has.
`--keep` writes the rows into truth.json, beside those of other versions of torch. Models whose library is not
installed are left out.
"""

import argparse
import copy
import json
import sys
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import (
    FlopCounterMode,
    flop_registry,
    register_flop_formula,
    sdpa_backward_flop,
    sdpa_flop,
)

import explorer
from benchmarks.library_models import MODELS, Made

_FUSED = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
if _FUSED not in flop_registry:  # as torch's counter has it from 2.15 on
    register_flop_formula(_FUSED, get_raw=True)(sdpa_flop)
    backward = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward
    register_flop_formula(backward, get_raw=True)(sdpa_backward_flop)
KEPT = Path(__file__).with_suffix(".json")


def _backward(made: Made, model: nn.Module) -> None:
    torch.manual_seed(1)  # of dropout and of sampled boxes
    losses = made.losses(model)
    loss = losses if isinstance(losses, Tensor) else sum(losses.values())
    loss.backward()


def _gradients(model: nn.Module) -> Mapping[str, Tensor | None]:
    return {name: parameter.grad for name, parameter in model.named_parameters()}


def _equal(left: Tensor | None, right: Tensor | None) -> bool:
    if left is None or right is None:
        return left is right
    return left.shape == right.shape and torch.equal(left.nan_to_num(), right.nan_to_num())


def checked(name: str) -> dict[str, object]:
    """The facts about one model. Raises ImportError if its library is not installed."""
    torch.manual_seed(0)
    made = MODELS[name]()
    alone = copy.deepcopy(made.model)
    _backward(made, alone)
    with FlopCounterMode(display=False) as counter:  # it takes operations apart, which changes last digits
        _backward(made, copy.deepcopy(made.model))
    model = made.model
    with explorer.record() as trace:
        _backward(made, model)
    plain, recorded = _gradients(alone), _gradients(model)
    report = trace.report()
    states = {row.name.partition(".")[2]: row.state for row in report.parameters}
    got = [of for of, gradient in recorded.items() if gradient is not None]
    return {
        "parameters": len(recorded),
        "operations": len(trace.operations),
        "equal": sum(_equal(plain[of], recorded[of]) for of in recorded),
        "with_gradient": len(got),
        "named": sum(states.get(of) in ("flows", "zero", "nonfinite") for of in got),
        "faults": [] if report.sound else [found.kind for found in report.diagnoses] or ["not sound"],
        "cards": len(explorer.draw(trace).view.cards),
        "flops": trace.flops().total,
        "flops_by_torch": counter.get_total_flops(),
        "flops_left_out": sorted(trace.flops().uncounted),
    }


def main() -> None:
    """Print the table; end with 1 if a fact is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--keep", action="store_true")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    found: dict[str, dict[str, object]] = {}
    print("| model | parameters | bit-equal | named | faults | FLOP, torch's | cards |\n|---|---|---|---|---|---|---|")
    for name in asked.models or MODELS:
        try:
            row = found[name] = checked(name)
        except ImportError as problem:
            print(f"| {name} | not run: {problem} |", flush=True)
            continue
        named = f"{row['named']} of {row['with_gradient']}"
        told = ", ".join(map(str, row["faults"])) or "–"
        counts = f"{row['flops']} {'=' if row['flops'] == row['flops_by_torch'] else row['flops_by_torch']}"
        cells = (name, row["parameters"], row["equal"], named, told, counts, row["cards"])
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
    if asked.keep:
        kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
        kept[torch.__version__.partition("+")[0]] = found
        KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    right = (
        r["equal"] == r["parameters"] and r["named"] == r["with_gradient"] and not r["faults"] for r in found.values()
    )
    raise SystemExit(0 if all(right) else 1)


if __name__ == "__main__":
    main()
