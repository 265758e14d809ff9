#!/usr/bin/env bash
# torch 2.13.0: torch.special.bessel_j0 of a tensor that requires a gradient gives one that requires none, silently.
# Expected: the derivative, -J1, which torch has as bessel_j1; or an error in backward, as torch.special.zeta raises.
# Seen: it acts as a constant. x * J0(x) gets the gradient J0(x) = 0.765 at 1, and the true one is 0.325. The same
# holds for bessel_y0, modified_bessel_k0 and airy_ai, while i0, i0e, i1 and i1e beside them are differentiable.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5
"$folder/env/bin/python" -W ignore - <<'END'
import torch

x = torch.tensor(1.0, requires_grad=True)
(seen,) = torch.autograd.grad(x * torch.special.bessel_j0(x), x)
with torch.no_grad():
    true = torch.special.bessel_j0(x) - x * torch.special.bessel_j1(x)
names = "bessel_j0 bessel_y0 modified_bessel_k0 airy_ai i0 i0e i1 i1e".split()
asks = {name: getattr(torch.special, name)(x).requires_grad for name in names}
try:
    torch.special.zeta(x + 1, 1.0).backward()
    said = "nothing"
except NotImplementedError as error:
    said = str(error)
print(torch.__version__, seen.item(), true.item(), asks, said)
assert abs(seen - 0.7652) < 1e-4 and abs(true - 0.3251) < 1e-4 and "not implemented" in said
assert list(asks.values()) == [False] * 4 + [True] * 4
END
