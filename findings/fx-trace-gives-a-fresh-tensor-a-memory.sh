#!/usr/bin/env bash
# torch 2.13.0: torch.fx.symbolic_trace makes a tensor that forward creates a constant of the module, also if forward
# changes it in place.
# Expected: three equal calls give three equal results, as before the trace; and the user's own module is left as it
# was.
# Seen: 3, 3, 3 becomes 3, 6, 9, and the constant stands as an attribute in the user's own module as well.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5
"$folder/env/bin/python" -W ignore - <<'END'
import torch


class Sum(torch.nn.Module):
    def forward(self, x):
        total = torch.zeros(1)
        total.add_(x * 3)
        return total


model, one = Sum(), torch.ones(1)
before = [model(one).item() for _ in range(3)]
traced = torch.fx.symbolic_trace(model)
after = [traced(one).item() for _ in range(3)]
left = [name for name in vars(model) if "constant" in name]
print(torch.__version__, before, after, left)
assert (before, after, left) == ([3.0] * 3, [3.0, 6.0, 9.0], ["_tensor_constant0"])
END
