#!/usr/bin/env bash
# torch 2.13.0: the gradient of the determinant of a singular matrix depends on create_graph.
# Expected: create_graph changes what can be differentiated again, not the gradient. The gradient is the matrix of
# cofactors, [[4, -2], [-2, 1]].
# Seen: a plain backward gives zeros, with create_graph=True the cofactors come out.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5
"$folder/env/bin/python" -W ignore - <<'END'
import torch

matrix = torch.tensor([[1.0, 2.0], [2.0, 4.0]], requires_grad=True)
(plain,) = torch.autograd.grad(torch.linalg.det(matrix), matrix)
(again,) = torch.autograd.grad(torch.linalg.det(matrix), matrix, create_graph=True)
print(torch.__version__, plain.tolist(), again.tolist())
assert torch.equal(plain, torch.zeros(2, 2))
assert torch.allclose(again, torch.tensor([[4.0, -2.0], [-2.0, 1.0]]))
END
