#!/usr/bin/env bash
# torch 2.13.0: torch.fx.symbolic_trace drops torch.no_grad().
# Expected: the traced module has the gradients of the module, as its values are the same.
# Seen: a scale that is computed under no_grad gets a gradient, 2 becomes 4, and nothing warns.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5
"$folder/env/bin/python" -W ignore - <<'END'
import torch


class Scaled(torch.nn.Module):
    def forward(self, x):
        with torch.no_grad():
            scale = x * 2
        return scale * x


def gradient(model):
    x = torch.ones(1, requires_grad=True)
    model(x).sum().backward()
    return x.grad.item()


model = Scaled()
seen = gradient(model), gradient(torch.fx.symbolic_trace(model))
print(torch.__version__, seen)
assert seen == (2.0, 4.0)
END
