#!/usr/bin/env bash
# torch_geometric 2.8.1 (torch 2.13.0): an explanation by GNNExplainer leaves gradients in the model and other modes.
# Expected: an explanation reads the model and leaves it as it was.
# Seen: every parameter has a .grad afterwards, so a step of an optimizer that follows moves the model; and a batch norm
# that was held in evaluation mode in a model in training mode is in training mode, so its statistics move again.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 torch_geometric==2.8.1
"$folder/env/bin/python" -W ignore - <<'END'
import torch
from torch_geometric.explain import Explainer, GNNExplainer
from torch_geometric.nn import GCNConv


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = GCNConv(2, 2), torch.nn.BatchNorm1d(2)

    def forward(self, x, edges):
        return self.norm(self.conv(x, edges))


torch.manual_seed(0)
model = Model().train()
model.norm.eval()
before = [part.training for part in (model, model.norm)], [weight.grad for weight in model.parameters()]
explainer = Explainer(
    model,
    GNNExplainer(epochs=3),
    explanation_type="model",
    node_mask_type="attributes",
    model_config={"mode": "regression", "task_level": "node", "return_type": "raw"},
)
explainer(torch.randn(3, 2), torch.tensor([[0, 1], [1, 0]]))
after = [part.training for part in (model, model.norm)], [weight.grad is not None for weight in model.parameters()]
print(torch.__version__, before, after)
assert before == ([True, False], [None] * 4) and after == ([True, True], [True] * 4)
END
