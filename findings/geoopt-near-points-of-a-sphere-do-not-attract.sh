#!/usr/bin/env bash
# geoopt 0.5.1 (torch 2.13.0): geoopt.Sphere().dist of float32 points is never below 0.014, and has no gradient there.
# Expected: 0 for a point and itself, and the gradient 1 of a distance: the same points in float64 have both.
# Seen: 0.0141 for equal points and for points 0.01 apart, with a gradient of exactly 0: as a loss it stops to pull
# there. At the other end the antipode is 3.1274 away instead of 3.1416. The cosine is clamped to 1 - 1e-4 before acos.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 geoopt==0.5.1
"$folder/env/bin/python" -W ignore - <<'END'
import math

import geoopt
import torch

sphere = geoopt.Sphere()


def distance(angle, dtype=torch.float32):
    angle = torch.tensor(angle, dtype=dtype, requires_grad=True)
    away = sphere.dist(torch.stack([angle.cos(), angle.sin()]), torch.tensor([1.0, 0.0], dtype=dtype))
    away.backward()
    return round(away.item(), 4), round(angle.grad.item(), 4)


seen = {angle: distance(angle) for angle in (0.0, 0.01, 0.1, math.pi)}
print(torch.__version__, seen, distance(0.01, torch.float64))
assert seen[0.0] == seen[0.01] == (0.0141, 0.0) and distance(0.01, torch.float64) == (0.01, 1.0)
assert seen[0.1][0] == 0.1 and seen[math.pi] == (3.1274, 0.0)
END
