#!/usr/bin/env bash
# opacus 1.6.0 (torch 2.13.0): what a weight does outside of its own layer's call is missing in its per-sample gradients.
# Expected: grad_sample of a weight that also the output uses, F.linear(h, embedding.weight), has both parts, as it has
# where two layers share the weight; or an error, as for a parameter whose layer is not called at all.
# Seen: it has the part of the embedding's call alone. The optimizer of make_private clips, noises and steps on that, so
# the tied output is never trained, and nothing warns.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 opacus==1.6.0
"$folder/env/bin/python" -W ignore - <<'END'
import torch
from opacus import GradSampleModule


class ByFunction(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(5, 3)

    def forward(self, ids):
        return torch.nn.functional.linear(self.embedding(ids), self.embedding.weight)


class ByLayer(ByFunction):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(3, 5, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, ids):
        return self.head(self.embedding(ids))


ids = torch.tensor([[0, 1], [2, 3], [4, 0], [1, 1]])


def gradient(model):
    torch.nn.functional.cross_entropy(model(ids).flatten(0, 1), ids.flip(1).flatten()).backward()


def off_by(kind):
    torch.manual_seed(0)
    model = kind()
    weight = model.embedding.weight
    gradient(model)
    expected = weight.grad.clone()
    model.zero_grad()
    gradient(GradSampleModule(model, loss_reduction="mean"))
    return ((weight.grad_sample.mean(0) - expected).norm() / expected.norm()).item()


seen = off_by(ByLayer), off_by(ByFunction)
print(torch.__version__, seen)
assert seen[0] < 1e-4 and seen[1] > 0.1
END
