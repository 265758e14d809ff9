#!/usr/bin/env bash
# higher 0.2.1 (torch 2.13.0): the differentiable form of an optimizer with maximize=True goes down.
# Expected: the steps of torch's own optimizer, as for every option that was there when higher was written; or an error,
# as for AdamW.
# Seen: SGD and Adam climb in torch and descend in innerloop_ctx. Adam's decoupled_weight_decay=True is passed over too:
# the weights are decayed through the gradient. Nothing warns.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 higher==0.2.1
"$folder/env/bin/python" -W ignore - <<'END'
import higher
import torch


def steps(make):
    torch.manual_seed(0)
    model = torch.nn.Linear(2, 1, bias=False)
    optimizer, start, x = make(model.parameters()), model.weight.detach().clone(), torch.ones(1, 2)
    with higher.innerloop_ctx(model, optimizer) as (copied, differentiable):
        for _ in range(3):
            differentiable.step(copied(x).exp().sum())
        inner = (copied.weight - start).sum().item()
    for _ in range(3):
        optimizer.zero_grad()
        model(x).exp().sum().backward()
        optimizer.step()
    return round((model.weight - start).sum().item(), 4), round(inner, 4)


optim = torch.optim
seen = {
    "SGD": steps(lambda held: optim.SGD(held, lr=0.1, momentum=0.9, weight_decay=0.1)),
    "SGD, maximize": steps(lambda held: optim.SGD(held, lr=0.1, maximize=True)),
    "Adam, maximize": steps(lambda held: optim.Adam(held, lr=0.1, maximize=True)),
    "Adam, decoupled": steps(lambda held: optim.Adam(held, lr=0.1, weight_decay=5.0, decoupled_weight_decay=True)),
}
print(torch.__version__, seen)
assert abs(seen["SGD"][0] - seen["SGD"][1]) < 1e-3
assert all(seen[name][0] > 0.1 and seen[name][1] < -0.1 for name in ("SGD, maximize", "Adam, maximize"))
assert abs(seen["Adam, decoupled"][0] - seen["Adam, decoupled"][1]) > 0.1
END
