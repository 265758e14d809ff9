#!/usr/bin/env bash
# torchexplorer 1.1.2 (torch 2.13.0; needs graphviz' dot): watching a model draws from torch's global generator in
# every step.
# Expected: a watched training has the random numbers of the same training unwatched: the same dropout, the same
# shuffling.
# Seen: for its histograms it draws indices from the global generator, so the state differs after a step without any
# randomness.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" # it writes a folder where it runs
command -v dot >/dev/null || { echo "graphviz is missing: not run"; exit 77; }
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 torchexplorer==1.1.2
"$folder/env/bin/python" -W ignore - <<'END'
import os

import torch
import torchexplorer

model, x = torch.nn.Linear(300, 300), torch.ones(2, 300)


def moves():
    before = torch.get_rng_state()
    model(x).sum().backward()
    return not torch.equal(before, torch.get_rng_state())


plain = moves()
torchexplorer.watch(model, log_freq=1, backend="standalone")
watched = moves()
print(torch.__version__, plain, watched, flush=True)
os._exit((plain, watched) != (False, True))  # its server would go on
END
