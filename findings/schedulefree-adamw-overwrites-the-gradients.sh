#!/usr/bin/env bash
# schedulefree 1.4.1 (torch 2.13.0): the step of AdamWScheduleFree writes its update into .grad.
# Expected: step() reads .grad and leaves it, as torch's AdamW and the same package's SGDScheduleFree and
# RAdamScheduleFree do.
# Seen: .grad holds the normalised update afterwards, here 1, -1 and 1 for 1, -2 and 100, with foreach=True and False. A
# norm that is logged after the step is that of the update, and gradients that are added up over steps are mixed with it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 schedulefree==1.4.1
"$folder/env/bin/python" -W ignore - <<'END'
import schedulefree
import torch


def left(kind, **options):
    weight = torch.nn.Parameter(torch.ones(3))
    optimizer = kind([weight], lr=0.1, **options)
    getattr(optimizer, "train", lambda: None)()
    weight.grad = torch.tensor([1.0, -2.0, 100.0])
    optimizer.step()
    return [round(entry, 3) for entry in weight.grad.tolist()]


others = [left(kind) for kind in (torch.optim.AdamW, schedulefree.SGDScheduleFree, schedulefree.RAdamScheduleFree)]
seen = [left(schedulefree.AdamWScheduleFree, foreach=foreach) for foreach in (True, False)]
print(torch.__version__, others, seen)
assert others == [[1.0, -2.0, 100.0]] * 3 and seen == [[1.0, -1.0, 1.0]] * 2
END
