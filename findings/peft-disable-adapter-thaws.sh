#!/usr/bin/env bash
# peft 0.21.2 (torch 2.13.0): a with-block of disable_adapter() thaws the adapters that were frozen.
# Expected: after the block all is as before. It is how a reference is computed in each step, as for DPO.
# Seen: every adapter of the active name requires a gradient afterwards, also those whose requires_grad was False: the
# optimizer, which got all parameters, trains them from the first step on. Nothing warns.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 peft==0.21.2 transformers==5.24.0
"$folder/env/bin/python" -W ignore - <<'END'
import torch
from peft import LoraConfig, get_peft_model


def moved(with_reference):
    torch.manual_seed(0)
    layers = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh(), torch.nn.Linear(4, 4))
    model = get_peft_model(layers, LoraConfig(r=2, target_modules=["0", "2"], init_lora_weights=False))
    frozen = [parameter for name, parameter in model.named_parameters() if ".0.lora_" in name]
    for parameter in frozen:
        parameter.requires_grad_(False)
    before = [parameter.clone() for parameter in frozen]
    optimizer, x = torch.optim.SGD(model.parameters(), lr=0.1), torch.ones(2, 4)
    reference = torch.zeros(2, 4)
    if with_reference:
        with torch.no_grad(), model.disable_adapter():
            reference = model(x)
    (model(x) - reference).square().sum().backward()
    optimizer.step()
    still = [torch.equal(old, new) for old, new in zip(before, frozen)]
    return [parameter.requires_grad for parameter in frozen], still


seen = moved(with_reference=False), moved(with_reference=True)
print(torch.__version__, seen)
assert seen == (([False, False], [True, True]), ([True, True], [False, False]))
END
