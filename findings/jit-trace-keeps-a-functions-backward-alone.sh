#!/usr/bin/env bash
# torch 2.13.0: torch.jit.trace keeps the backward of an autograd.Function, which torch.export leaves out, and drops
# torch.no_grad().
# Expected: a tracer keeps both or neither; they stand side by side in one forward pass.
# Seen: gradient reversal stays -1, the scale under no_grad gets a gradient: 2 becomes 4.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5
"$folder/env/bin/python" -W ignore - <<'END'
import torch


class Reversed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        return -gradient


class Both(torch.nn.Module):
    def forward(self, x, y):
        with torch.no_grad():
            scale = y * 2
        return Reversed.apply(x), scale * y


def gradients(model):
    x, y = (torch.ones(1, requires_grad=True) for _ in range(2))
    sum(model(x, y)).sum().backward()
    return x.grad.item(), y.grad.item()


model = Both()
seen = gradients(model), gradients(torch.jit.trace(model, (torch.ones(1), torch.ones(1))))
print(torch.__version__, seen)
assert seen == ((-1.0, 2.0), (-1.0, 4.0))
END
