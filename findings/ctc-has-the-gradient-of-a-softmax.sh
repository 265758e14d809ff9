#!/usr/bin/env bash
# torch 2.13.0: ctc_loss passes on the gradient by a softmax's scores, not by the log-probabilities it was given.
# Expected: the derivative of the loss by its input; measured, -0.3077, -0.6923 and 0 for the first row.
# Seen: -0.1077, -0.3923 and 0.1: each is larger by the probability, also for a label that no path uses. Behind
# log_softmax the surplus cancels. Behind log-probabilities minus a prior, or with a class masked, rows do not sum to
# 1: it stays.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5
"$folder/env/bin/python" -W ignore - <<'END'
import torch

given = torch.tensor([[0.2, 0.3, 0.1], [0.1, 0.2, 0.3]], dtype=torch.float64)  # each row sums to 0.6
rows = given.log()[:, None].requires_grad_()


def loss(rows):
    return torch.nn.functional.ctc_loss(rows, torch.tensor([[1]]), (2,), (1,), reduction="sum")


(passed,) = torch.autograd.grad(loss(rows), rows)
passed, slope, step = passed.flatten(), torch.zeros(6, dtype=torch.float64), 1e-6
with torch.no_grad():
    for entry in range(6):
        moved = torch.zeros(6, dtype=torch.float64).index_fill(0, torch.tensor(entry), step).view_as(rows)
        slope[entry] = (loss(rows + moved) - loss(rows - moved)) / (2 * step)
print(torch.__version__, passed.tolist(), slope.tolist())
assert torch.allclose(slope[:3], torch.tensor([-0.3077, -0.6923, 0.0], dtype=torch.float64), atol=1e-4)
assert torch.allclose(passed - slope, given.flatten(), atol=1e-6)
END
