#!/usr/bin/env bash
# torchlens 2.36.1 (torch 2.13.0): one trace replaces the functions of torch for the rest of the process.
# Expected: torch's functions are torch's again when the trace has ended, as they are after `import torchlens` alone.
# Seen: afterwards more than a thousand functions of the module torch are others, for every later program in the
# process.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 torchlens==2.36.1
"$folder/env/bin/python" -W ignore - <<'END'
import torch

plain = {name: value for name, value in vars(torch).items() if callable(value)}


def replaced():
    return sum(vars(torch)[name] is not value for name, value in plain.items())


import torchlens

model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
before = replaced()
torchlens.trace(model, torch.ones(1, 2))
after = replaced()
print(torch.__version__, before, after)
assert before == 0 and after > 500
END
