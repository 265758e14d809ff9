#!/usr/bin/env bash
# torch 2.13.0: torch.utils.checkpoint around a batch norm moves its running statistics twice in a training step.
# Expected: a checkpoint saves memory and changes nothing else; random numbers are put back for the second forward
# pass.
# Seen: num_batches_tracked is 2 after one step, and the running mean has moved by 0.19 of the batch's mean instead of
# by 0.1: as if the momentum were higher. The gradients are equal, and it is so with use_reentrant=True and False.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5
"$folder/env/bin/python" -W ignore - <<'END'
import torch
from torch.utils.checkpoint import checkpoint


def step(through):
    torch.manual_seed(0)
    x = (torch.randn(64, 3) + 5).requires_grad_()
    norm = torch.nn.BatchNorm1d(3)
    through(norm, x).square().sum().backward()
    return int(norm.num_batches_tracked), norm.running_mean / x.detach().mean(0), x.grad


plain = step(lambda norm, x: norm(x))
for reentrant in (True, False):
    saved = step(lambda norm, x: checkpoint(norm, x, use_reentrant=reentrant))
    print(torch.__version__, reentrant, plain[:2], saved[:2])
    assert (plain[0], saved[0]) == (1, 2) and torch.allclose(plain[2], saved[2])
    assert torch.allclose(plain[1], torch.tensor(0.1)) and torch.allclose(saved[1], torch.tensor(0.19))
END
