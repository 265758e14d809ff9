#!/usr/bin/env bash
# nansense 0.4.0 (torch 2.13.0): inside session.batch() a model runs as the graph that torch.fx traced of it.
# Expected: a debugger that watches a training step gives the gradients of the step without it.
# Seen: torch.fx does not keep `with torch.no_grad()` in a forward, so the watched step has the gradient of another
# function (12 instead of 4); after the batch the gradient is right again.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 nansense==0.4.0
"$folder/env/bin/python" -W ignore - <<'END'
import nansense
import torch


class Scaled(torch.nn.Module):
    def forward(self, x):
        with torch.no_grad():
            scale = x * x
        return x * scale


def gradient(model):
    x = torch.tensor([2.0], requires_grad=True)
    model(x).sum().backward()
    return x.grad.item()


model = Scaled()
plain = gradient(model)
session = nansense.start(model, phases={"train": 1}, epochs=1)
session.detach()
session.watch(session.layer_names[-1])
session.request_snapshot()
with session.batch(phase="train", epoch=0):
    watched = gradient(model)
session.close()
after = gradient(model)
print(torch.__version__, plain, watched, after)
assert (plain, watched, after) == (4.0, 12.0, 4.0)
END
