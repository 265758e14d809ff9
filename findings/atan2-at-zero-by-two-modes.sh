#!/usr/bin/env bash
# torch 2.13.0: forward mode and reverse mode differ for atan2(0, 0).
# Expected: one convention for the point where atan2 has no derivative. Reverse mode replaces 0/0 by 0 there.
# Seen: reverse mode gives 0, forward mode NaN. Whoever takes Hessians by forward over reverse meets it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5
"$folder/env/bin/python" -W ignore - <<'END'
import torch

zero, y = torch.zeros(()), torch.zeros((), requires_grad=True)
(reverse,) = torch.autograd.grad(torch.atan2(y, zero), y)
_, forward = torch.func.jvp(lambda t: torch.atan2(t, zero), (torch.zeros(()),), (torch.ones(()),))
print(torch.__version__, reverse.item(), forward.item())
assert reverse == 0 and forward.isnan()
END
