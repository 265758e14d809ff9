#!/usr/bin/env bash
# torch 2.13.0: torch.autograd.grad returns one tensor for two inputs, and it is the caller's own starting gradient.
# Expected: a gradient for each input, in memory of its own: each may be scaled or clipped in place.
# Seen: for a + b both gradients and grad_outputs are one tensor in one memory; clipping one in place changes the
# others.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5
"$folder/env/bin/python" -W ignore - <<'END'
import torch

a, b, start = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True), torch.ones(2)
of_a, of_b = torch.autograd.grad(a + b, (a, b), start)
same = of_a is of_b, of_a.data_ptr() == start.data_ptr()
of_a.mul_(0.5)
print(torch.__version__, same, of_b.tolist(), start.tolist())
assert same == (True, True) and of_b.tolist() == start.tolist() == [0.5, 0.5]
END
