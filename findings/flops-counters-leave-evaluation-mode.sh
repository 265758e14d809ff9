#!/usr/bin/env bash
# ptflops 0.7.5, calflops 0.3.2, torch-pruning 1.6.1 (torch 2.13.0): after their count the model is in evaluation mode.
# Expected: a count of operations leaves the mode of the model, as those of fvcore and torch.utils.flop_counter do.
# Seen: a model that was in training mode is in evaluation mode afterwards, all its modules. The training that follows has
# no dropout, and its batch norm uses and keeps the running statistics of the start. Nothing says so. ptflops, whose two
# ways of counting both do it, also leaves five methods in the model.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 ptflops==0.7.5 calflops==0.3.2 torch-pruning==1.6.1 fvcore==0.1.5.post20221221 transformers==5.24.0
"$folder/env/bin/python" -W ignore - <<'END'
import torch
from calflops import calculate_flops
from fvcore.nn import FlopCountAnalysis
from ptflops import get_model_complexity_info
from torch.utils.flop_counter import FlopCounterMode
from torch_pruning import DependencyGraph


def by_torch(model, x):
    with FlopCounterMode(display=False):
        model(x)


WAYS = {
    "torch": by_torch,
    "fvcore": lambda model, x: FlopCountAnalysis(model, x).total(),
    "ptflops": lambda model, x: get_model_complexity_info(model, (8,), print_per_layer_stat=False),
    "ptflops, aten": lambda model, x: get_model_complexity_info(model, (8,), print_per_layer_stat=False, backend="aten"),
    "calflops": lambda model, x: calculate_flops(model, input_shape=(4, 8), print_results=False),
    "torch-pruning": lambda model, x: DependencyGraph().build_dependency(model, example_inputs=x),
}


def after(count):
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8), torch.nn.Dropout(0.5))
    model.train()
    count(model, torch.ones(4, 8))
    return [part.training for part in model.modules()]


seen = {name: after(count) for name, count in WAYS.items()}
print(torch.__version__, seen)
assert all(seen.pop("torch")) and all(seen.pop("fvcore"))
assert not any(mode for modes in seen.values() for mode in modes)
END
