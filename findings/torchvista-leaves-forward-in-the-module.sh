#!/usr/bin/env bash
# torchvista 0.2.13 (torch 2.13.0): after trace_model every module has its forward as an attribute of the instance,
# bound to itself.
# Expected: a tool that draws a picture leaves the module as it found it.
# Seen: copy.copy of a traced layer, and the replicas that DataParallel makes in this way, compute with the weights of
# the original (1 instead of 5), and a forward that is given to the class later is not called.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 torchvista==0.2.13
"$folder/env/bin/python" -W ignore - <<'END'
import copy

import torch
import torchvista

layer = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.ones_(layer.weight)
model, one = torch.nn.Sequential(layer).eval(), torch.ones(1, 1)


def of_a_copy():
    other = copy.copy(layer)
    other._parameters = {"weight": torch.nn.Parameter(torch.tensor([[5.0]])), "bias": None}
    return other(one).item()


before = of_a_copy(), "forward" in vars(layer)
torchvista.trace_model(model, one)
after = of_a_copy(), "forward" in vars(layer)
print(torch.__version__, before, after)
assert (before, after) == ((5.0, False), (1.0, True))
END
