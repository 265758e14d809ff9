#!/usr/bin/env bash
# torchmetrics 1.9.0 (torch 2.13.0): log_cosh_error, which says of itself that it is differentiable, overflows.
# Expected: log cosh d is |d| - log 2 for a large difference d, and its gradient is the sign: that is what it is chosen
# for.
# Seen: it takes the logarithm of exponentials, so that a difference of 100 gives an infinite error and a NaN gradient;
# at 80 it is right. Written as d + softplus(-2 d) - log 2 it is finite at both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 torchmetrics==1.9.0
"$folder/env/bin/python" -W ignore - <<'END'
import math

import torch
from torchmetrics import LogCoshError
from torchmetrics.functional import log_cosh_error


def written_out(prediction, target):
    apart = prediction - target
    return (apart + torch.nn.functional.softplus(-2 * apart) - math.log(2)).mean()


def measured(function, difference):
    prediction = torch.tensor([difference], requires_grad=True)
    error = function(prediction, torch.zeros(1))
    error.backward()
    return round(error.item(), 3), prediction.grad.item()


seen = [measured(log_cosh_error, 80.0), measured(log_cosh_error, 100.0), measured(written_out, 100.0)]
print(torch.__version__, LogCoshError.is_differentiable, seen)
assert LogCoshError.is_differentiable and seen[0] == (79.307, 1.0) and seen[2] == (99.307, 1.0)
assert math.isinf(seen[1][0]) and math.isnan(seen[1][1])
END
