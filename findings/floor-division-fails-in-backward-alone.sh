#!/usr/bin/env bash
# torch 2.13.0: x // 2 of a tensor that requires a gradient requires a gradient too, which backward cannot give.
# Expected: a gradient of zero, as for torch.floor(x / 2), or an error at the division, as for a comparison that
# requires none.
# Seen: the result has a grad_fn, and backward raises "derivative for aten::floor_divide is not implemented", far from
# the line.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5
"$folder/env/bin/python" -W ignore - <<'END'
import torch

x = torch.tensor([3.0], requires_grad=True)
(of_floor,) = torch.autograd.grad(torch.floor(x / 2).sum(), x)
divided = x // 2
try:
    divided.sum().backward()
    said = "nothing"
except RuntimeError as error:
    said = str(error)
print(torch.__version__, of_floor.tolist(), divided.requires_grad, said)
assert of_floor.tolist() == [0.0] and divided.requires_grad and "floor_divide is not implemented" in said
END
