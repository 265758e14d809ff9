#!/usr/bin/env bash
# torch 2.13.0: torch.normal(mean, std) of tensors that require a gradient gives a sample that requires one, and passes
# 0.
# Expected: the gradient of mean + std * noise, which is 1 and the noise, or a sample without a grad_fn, as randn's.
# Seen: a backward through the sample raises nothing, and both gradients are exactly 0: the encoder of a variational
# autoencoder that samples so gets nothing from its reconstruction. The same sum written out gives 1 and the noise.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5
"$folder/env/bin/python" -W ignore - <<'END'
import torch


def gradients(sample):
    mean, std = torch.zeros(2, requires_grad=True), torch.ones(2, requires_grad=True)
    torch.manual_seed(0)
    drawn = sample(mean, std)
    drawn.sum().backward()
    return drawn.tolist(), drawn.requires_grad, mean.grad.tolist(), std.grad.tolist()


direct = gradients(torch.normal)
written_out = gradients(lambda mean, std: mean + std * torch.randn(2))
print(torch.__version__, direct, written_out)
assert direct == (written_out[0], True, [0.0, 0.0], [0.0, 0.0])
assert written_out[2:] == ([1.0, 1.0], written_out[0])
END
