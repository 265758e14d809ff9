#!/usr/bin/env bash
# torchdiffeq 0.2.5 (torch 2.13.0): odeint_adjoint solves back with new dropout masks.
# Expected: the gradient of the solution that was returned, as odeint gives it; torch.utils.checkpoint, which computes
# a forward pass again as well, puts the random state back for that.
# Seen: with the same seed both solutions are equal and the gradients are not: that of the adjoint belongs to other
# masks. Without dropout the two agree to four digits. Nothing warns.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 torchdiffeq==0.2.5
"$folder/env/bin/python" -W ignore - <<'END'
import torch
from torchdiffeq import odeint, odeint_adjoint


class Decay(torch.nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.speed, self.drop = torch.nn.Parameter(torch.tensor(0.5)), torch.nn.Dropout(rate)

    def forward(self, t, y):
        return self.drop(-self.speed * y)


def solved(solve, rate):
    torch.manual_seed(0)
    model, times = Decay(rate), torch.tensor([0.0, 1.0])
    end = solve(model, torch.ones(8), times, method="rk4", options={"step_size": 0.25})[-1].sum()
    end.backward()
    return round(end.item(), 4), model.speed.grad.item()


plain, adjoint = solved(odeint, 0.0), solved(odeint_adjoint, 0.0)
dropped, again = solved(odeint, 0.5), solved(odeint_adjoint, 0.5)
print(torch.__version__, plain, adjoint, dropped, again)
assert plain[0] == adjoint[0] and abs(plain[1] - adjoint[1]) < 1e-3 * abs(plain[1])
assert dropped[0] == again[0] and abs(dropped[1] - again[1]) > 0.05 * abs(dropped[1])
END
