#!/usr/bin/env bash
# torch 2.13.0 and 2.14.1: a minor release changed the gradient at the limits of clamp, of fmax's ties and of a margin
# that is met.
# Expected: which subgradient is taken at a kink is a convention that a minor release keeps, or names among its
# changes of behaviour.
# Seen: clamp at its limits passes 1 in 2.13.0 and 0 in 2.14.1; fmax gives a tie 1 and 0, then a half each; a margin
# that is exactly met passes 1, then 0. Bounded parameters that start at their limit learn with one version and stand
# still with the other.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/program.py" <<'END'
import torch


def gradients(function, *values):
    tensors = [torch.tensor(value, requires_grad=True) for value in values]
    function(*tensors).sum().backward()
    return [(tensor.grad + 0).tolist() for tensor in tensors]  # without -0


print(
    gradients(lambda x: x.clamp(-1, 1), [-1.0, 1.0]),
    gradients(torch.fmax, [1.0], [1.0]),
    gradients(lambda a, b: torch.nn.functional.margin_ranking_loss(a, b, torch.ones(1), 1.0), [1.0], [0.0]),
)
END
said() { # VERSION: what the program prints with that torch
  python3 -m venv "$folder/$1"
  "$folder/$1/bin/python" -m pip install -q "torch==$1" numpy==2.3.5
  "$folder/$1/bin/python" -W ignore "$folder/program.py"
}
before=$(said 2.13.0) after=$(said 2.14.1)
printf '2.13.0 %s\n2.14.1 %s\n' "$before" "$after"
[ "$before" = "[[1.0, 1.0]] [[1.0], [0.0]] [[-1.0], [1.0]]" ]
[ "$after" = "[[0.0, 0.0]] [[0.5], [0.5]] [[0.0], [0.0]]" ]
