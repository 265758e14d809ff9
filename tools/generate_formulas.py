"""Writes explorer/analysis/explain/autograd/node_formulas.json: for every autograd node of the installed torch its
inputs, in the order of its edges, each with the formula of torch's own derivatives.yaml. Run it when torch's version
changes:

    pip install pyyaml && python tools/generate_formulas.py
"""

import json
import re
from pathlib import Path

import torchgen
from torchgen.packaged.autograd.load_derivatives import load_derivatives

PACKAGED = Path(torchgen.__file__).parent / "packaged"
NATIVE = PACKAGED / "ATen/native"
TARGET = Path(__file__).parents[1] / "explorer/analysis/explain/autograd/node_formulas.json"
ELSEWHERE = re.compile(r"Cudnn|Miopen|Mkldnn|Mps|Xpu|Nested|Sparse")  # kernels that no program here runs


def formulas() -> dict[str, list[tuple[str, str]]]:
    """Per node its (input, formula) pairs."""
    infos, _ = load_derivatives(
        str(PACKAGED / "autograd/derivatives.yaml"), str(NATIVE / "native_functions.yaml"), str(NATIVE / "tags.yaml")
    )
    found = {}
    for info in (info for overloads in infos.values() for info in overloads.values()):
        if info.op is None or ELSEWHERE.search(info.op):
            continue
        said = {name: " ".join(d.original_formula.split()) for d in info.derivatives for name in d.var_names}
        found[info.op] = [(argument.name, said.get(argument.name, "")) for argument in info.args_with_derivatives]
    return dict(sorted(found.items()))


if __name__ == "__main__":
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(inputs)}" for name, inputs in formulas().items())
    TARGET.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
