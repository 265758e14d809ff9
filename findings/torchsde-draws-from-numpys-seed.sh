#!/usr/bin/env bash
# torchsde 0.2.6 (torch 2.13.0): torch.manual_seed does not seed sdeint, np.random.seed does.
# Expected: all is drawn in torch, so torch.manual_seed makes a run repeatable.
# Seen: after the same torch.manual_seed two solutions differ. The Brownian motion takes its seed from numpy's global
# state, and draws the rest from that; so numpy's seed alone decides, and torch's does not count at all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 torchsde==0.2.6
"$folder/env/bin/python" -W ignore - <<'END'
import numpy
import torch
import torchsde


class Equation(torch.nn.Module):
    noise_type, sde_type = "diagonal", "ito"

    def f(self, t, y):
        return 0.5 * y

    def g(self, t, y):
        return 0.3 * y


def solved(seed_torch, seed_numpy):
    torch.manual_seed(seed_torch)
    numpy.random.seed(seed_numpy)
    return torchsde.sdeint(Equation(), torch.ones(1, 1), torch.tensor([0.0, 1.0]), dt=0.1)[-1].item()


seen = solved(0, 0), solved(0, 1), solved(1, 0)
print(torch.__version__, seen)
assert seen[0] != seen[1] and seen[0] == seen[2]
END
