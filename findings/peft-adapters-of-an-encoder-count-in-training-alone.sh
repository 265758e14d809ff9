#!/usr/bin/env bash
# peft 0.21.2 (torch 2.13.0): in evaluation mode nn.TransformerEncoderLayer computes without its LoRA adapters.
# Expected: what was trained is what is evaluated; model.eval() changes dropout, and here there is none.
# Seen: in training mode the adapters of linear1 and linear2 count. After eval() the output is that of the model without
# adapters to the last bit, with no_grad and, since all weights but theirs are frozen, without it too; no gradient reaches
# them then. The layer's fast path reads linear1.weight, and the adapter's layer gives it that of the layer below. After
# merge_and_unload the adapters count again.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 peft==0.21.2 transformers==5.24.0
"$folder/env/bin/python" -W ignore - <<'END'
import torch
from peft import LoraConfig, get_peft_model

torch.manual_seed(0)
layer = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
config = LoraConfig(r=2, target_modules=["linear1", "linear2"], init_lora_weights=False)
model, x = get_peft_model(torch.nn.Sequential(layer), config), torch.randn(2, 3, 8)


def away(one, other):
    return (one - other).abs().max().item()


trained = model.train()(x)
evaluated = model.eval()(x)
with torch.no_grad():
    unrecorded = model(x)
    with model.disable_adapter():
        bare = model(x)
merged = model.merge_and_unload().eval()(x)
seen = away(trained, evaluated), away(evaluated, bare), away(unrecorded, bare), away(merged, trained)
print(torch.__version__, seen, evaluated.requires_grad)
assert seen[0] > 0.1 and seen[1:3] == (0.0, 0.0) and seen[3] < 1e-5 and not evaluated.requires_grad
END
