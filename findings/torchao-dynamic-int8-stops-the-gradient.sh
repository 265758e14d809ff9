#!/usr/bin/env bash
# torchao 0.18.0 (torch 2.13.0): behind a layer with Int8DynamicActivationInt8WeightConfig no gradient arrives.
# Expected: the gradient by the input, as with Int8WeightOnlyConfig, whose weights are the same; or an error in backward.
# Seen: the layer's bias still requires a gradient, so the output says requires_grad and backward() runs to its end, and
# what is below, here a trained layer, gets None. A training of it has no effect, and nothing warns.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 torchao==0.18.0
"$folder/env/bin/python" -W ignore - <<'END'
import torch
from torchao.quantization import Int8DynamicActivationInt8WeightConfig, Int8WeightOnlyConfig, quantize_


def below(config):
    torch.manual_seed(0)
    body, head = torch.nn.Linear(32, 32), torch.nn.Linear(32, 32)
    if config is not None:
        quantize_(head, config)
    y = head(torch.tanh(body(torch.randn(4, 32))))
    y.square().sum().backward()
    return y.requires_grad, None if body.weight.grad is None else round(body.weight.grad.norm().item(), 1)


seen = below(None), below(Int8WeightOnlyConfig()), below(Int8DynamicActivationInt8WeightConfig())
print(torch.__version__, seen)
assert seen[0][1] > 0 and abs(seen[1][1] - seen[0][1]) < 0.1 * seen[0][1] and seen[2] == (True, None)
END
