#!/usr/bin/env bash
# torch 2.13.0: nn.MultiheadAttention of a query to which no key is left has another result with need_weights=False.
# Expected: need_weights chooses whether the weights are returned too, not what the attention computes.
# Seen: with need_weights=True, the default, the row is NaN and so is every gradient of the projections, also of a loss
# that does not read that row; with need_weights=False the row counts as 0 and all is finite, and the other row is
# equal.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5
"$folder/env/bin/python" -W ignore - <<'END'
import torch

torch.manual_seed(0)
attention = torch.nn.MultiheadAttention(2, 1, batch_first=True)
x, blocked = torch.randn(1, 2, 2), torch.tensor([[False, False], [True, True]])
seen = {}
for asked in (True, False):
    attention.zero_grad()
    out, _ = attention(x, x, x, attn_mask=blocked, need_weights=asked)
    out[0, 0].sum().backward()
    bad = attention.in_proj_weight.grad.isnan().any().item()
    seen[asked] = out.detach()[0, 0], out.isnan().any(-1)[0].tolist(), bad
print(torch.__version__, seen)
assert seen[True][1:] == ([False, True], True) and seen[False][1:] == ([False, False], False)
assert torch.allclose(seen[True][0], seen[False][0])
END
