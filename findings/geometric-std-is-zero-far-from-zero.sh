#!/usr/bin/env bash
# torch_geometric 2.8.1 (torch 2.13.0): StdAggregation and VarAggregation lose a spread that is small beside the mean.
# Expected: the standard deviation of a node's neighbours, 0.5, and its gradient, as torch.std gives them in float32.
# Seen: at a mean of 10 000 the result is 0 and so is every gradient, silently: the variance is the mean of the squares
# minus the square of the mean, and the result is cut off below. torch.std of the same numbers is right to three digits.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 torch_geometric==2.8.1
"$folder/env/bin/python" -W ignore - <<'END'
import torch
from torch_geometric.nn.aggr import StdAggregation


def spread(mean, aggregate):
    x = (torch.tensor([[-0.5], [0.5], [-0.5], [0.5]]) + mean).requires_grad_()
    y = aggregate(x)
    y.sum().backward()
    return round(y.item(), 3), [round(entry, 3) for entry in x.grad.flatten().tolist()]


def geometric(x):
    return StdAggregation()(x, torch.zeros(4, dtype=torch.long))


def torchs(x):
    return x.std(0, correction=0)


seen = {mean: (spread(mean, torchs), spread(mean, geometric)) for mean in (0.0, 10_000.0)}
print(torch.__version__, seen)
right = 0.5, [-0.25, 0.25, -0.25, 0.25]
assert seen[0.0] == (right, right) and seen[10_000.0] == (right, (0.0, [0.0] * 4))
END
