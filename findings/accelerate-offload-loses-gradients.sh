#!/usr/bin/env bash
# accelerate 1.15.0 (torch 2.13.0): a backward through a model after cpu_offload loses its gradients.
# Expected: .grad of the parameters, or an error or a warning: the output requires a gradient, the parameters say
# requires_grad, and backward() runs to its end.
# Seen: every .grad stays None. The forward pass computes with copies that are gone with it, and what is below the model,
# here its input, gets its gradient. An optimizer skips the parameters, so a training has no effect and no word.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 accelerate==1.15.0
"$folder/env/bin/python" -W ignore - <<'END'
import torch
from accelerate import cpu_offload

torch.manual_seed(0)
model, x = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 1)), torch.ones(2, 3, requires_grad=True)
cpu_offload(model, execution_device=torch.device("cpu"))
y = model(x)
y.sum().backward()
seen = y.requires_grad, [parameter.requires_grad for parameter in model.parameters()]
gradients = [parameter.grad for parameter in model.parameters()]
print(torch.__version__, seen, gradients, x.grad.abs().sum() > 0)
assert seen == (True, [True] * 4) and gradients == [None] * 4 and x.grad.abs().sum() > 0
END
