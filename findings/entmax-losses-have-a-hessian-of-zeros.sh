#!/usr/bin/env bash
# entmax 1.3 (torch 2.13.0): the Hessians of its losses are zeros, and that of entmax15 is NaN.
# Expected: the second derivatives, which are those of the softmax's cousins and finite, or an error that names the loss.
# Seen: of sparsemax_loss the Hessian is 0 everywhere, where the slopes of its own gradient are 1/2 and -1/2;
# entmax15_loss likewise. Their gradient has no history, also with create_graph=True, so it counts as a constant. The
# Hessian of an entmax15 in whose result an entry is 0 is NaN.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 entmax==1.3
"$folder/env/bin/python" -W ignore - <<'END'
import entmax
import torch


def both(function):
    scores = torch.tensor([1.0, 0.5, -3.0], dtype=torch.float64)

    def gradient(at):
        at = at.requires_grad_()
        return torch.autograd.grad(function(at), at)[0]

    step = torch.tensor([1e-6, 0.0, 0.0], dtype=torch.float64)
    slopes = (gradient(scores + step) - gradient(scores - step)) / 2e-6
    return torch.autograd.functional.hessian(function, scores)[0], slopes


target = torch.tensor([1])
loss, true = both(lambda scores: entmax.sparsemax_loss(scores[None], target).sum())
other, other_true = both(lambda scores: entmax.entmax15_loss(scores[None], target).sum())
mapped, mapped_true = both(lambda scores: entmax.entmax15(scores, 0)[0])
print(torch.__version__, loss.tolist(), true.tolist(), other.tolist(), other_true.tolist(), mapped.tolist())
assert not loss.any() and torch.allclose(true, torch.tensor([0.5, -0.5, 0.0], dtype=torch.float64), atol=1e-4)
assert not other.any() and other_true[0] > 0.1
assert mapped.isnan().all() and mapped_true.isfinite().all()
END
