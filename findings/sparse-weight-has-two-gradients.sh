#!/usr/bin/env bash
# torch 2.13.0: the gradient of a sparse matrix depends on whether @ or torch.sparse.mm multiplies it.
# Expected: one product has one gradient. As only stored entries are parameters, it is sparse like the matrix.
# Seen: the products are equal. With torch.sparse.mm .grad is sparse with the entries of the matrix; with @ it is a
# dense matrix, also where nothing is stored, for COO and CSR: of a weight with n rows and columns it takes n * n
# numbers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5
"$folder/env/bin/python" -W ignore - <<'END'
import torch

seen = {}
for layout in (torch.sparse_coo, torch.sparse_csr):
    for name, multiply in {"sparse.mm": torch.sparse.mm, "@": torch.matmul}.items():
        matrix = torch.eye(3).to_sparse(layout=layout).requires_grad_()
        product = multiply(matrix, torch.ones(3, 1))
        product.sum().backward()
        assert product.flatten().tolist() == [1.0, 1.0, 1.0]
        entries = matrix.grad.to_dense()
        seen[str(layout), name] = str(matrix.grad.layout), int(entries.count_nonzero())
print(torch.__version__, seen)
for layout in ("torch.sparse_coo", "torch.sparse_csr"):
    assert seen[layout, "sparse.mm"] == (layout, 3) and seen[layout, "@"] == ("torch.strided", 9)
END
