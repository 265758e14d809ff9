#!/usr/bin/env bash
# torch 2.13.0: an optimizer that loads the state_dict of another one works on the other one's moments.
# Expected: load_state_dict copies the numbers, as that of a module does.
# Seen: exp_avg and the count of steps are one memory in both. When the loading one steps, the moments of the other
# change, and what it does next. So a rehearsal with load_state_dict(optimizer.state_dict()) on a copy of the model moves
# the training that it was to leave alone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5
"$folder/env/bin/python" -W ignore - <<'END'
import copy

import torch


def second_step(rehearse):
    weight = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.Adam([weight], lr=0.1)
    weight.grad = torch.ones(1)
    optimizer.step()
    if rehearse:
        trial = copy.deepcopy(weight)
        other = torch.optim.Adam([trial], lr=0.1)
        other.load_state_dict(optimizer.state_dict())
        trial.grad = torch.full((1,), -100.0)
        other.step()
    before = weight.item()
    optimizer.step()
    return round(weight.item() - before, 3), int(optimizer.state[weight]["step"])


plain, rehearsed = second_step(False), second_step(True)
print(torch.__version__, plain, rehearsed)
assert plain == (-0.1, 2) and rehearsed[0] > 0 and rehearsed[1] == 3
END
