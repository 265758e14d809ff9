#!/usr/bin/env bash
# torch 2.13.0: torch.export leaves out the backward of an autograd.Function and the hooks of tensors.
# Expected: the exported program has the gradients of the module, or torch.export refuses what it cannot keep.
# Seen: gradient reversal -1 becomes 1, a straight-through estimator's 1 becomes 0, and a hook that makes 20 of 2 is
# gone. The values of the forward pass are right, and nothing warns.
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


class Rounded(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Model(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def hooked(x):
    y = x * 2
    if y.requires_grad:
        y.register_hook(lambda gradient: gradient * 10)
    return y


def gradient(model):
    x = torch.ones(1, requires_grad=True)
    model(x).sum().backward()
    return x.grad.item()


seen = {}
for name, function in {"reversed": Reversed.apply, "rounded": Rounded.apply, "hooked": hooked}.items():
    model = Model(function)
    exported = torch.export.export(model, (torch.ones(1, requires_grad=True),)).module()
    assert torch.equal(model(torch.ones(1)), exported(torch.ones(1)))
    seen[name] = gradient(model), gradient(exported)
print(torch.__version__, seen)
assert seen == {"reversed": (-1.0, 1.0), "rounded": (1.0, 0.0), "hooked": (20.0, 2.0)}
END
