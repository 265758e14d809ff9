#!/usr/bin/env bash
# torchvision 0.29.1 (torch 2.14.1): roi_align gives the boxes no gradient, though its result requires one for them.
# Expected: the slope by the corners, which exists since the image is interpolated between pixels; or a result that does
# not require a gradient where the image requires none.
# Seen: with an image without history the result says requires_grad, backward() runs to its end, and the boxes get None.
# What moves the boxes is not trained by what lies in them, and nothing says so. roi_pool and ps_roi_align do the same.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.14.1 torchvision==0.29.1 numpy==2.3.5
"$folder/env/bin/python" -W ignore - <<'END'
import torch
from torchvision import ops

image = torch.arange(64.0).reshape(1, 1, 8, 8)


def part(shift=0.0, call=ops.roi_align, channels=1):
    boxes = torch.tensor([[0.0, 1.0 + shift, 1.0, 5.0, 5.0]], requires_grad=True)
    return call(image.repeat(1, channels, 1, 1), boxes, 2), boxes


seen = []
for call, channels in ((ops.roi_align, 1), (ops.roi_pool, 1), (ops.ps_roi_align, 4)):
    result, boxes = part(call=call, channels=channels)
    result.sum().backward()
    seen.append((result.requires_grad, boxes.grad))
slope = ((part(0.1)[0] - part(-0.1)[0]).sum() / 0.2).item()
print(torch.__version__, seen, slope)
assert seen == [(True, None)] * 3 and slope > 1
END
