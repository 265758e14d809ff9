#!/usr/bin/env bash
# lightning 2.6.6 (torch 2.13.0): Trainer.fit ends a no_grad() that it is called within.
# Expected: after fit, inside `with torch.no_grad():`, gradients are still off, as they are after Trainer.validate.
# Seen: torch.is_grad_enabled() is True for the rest of the block: what is computed there keeps its history. The same is
# true in a function that is decorated with @torch.no_grad().
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 lightning==2.6.6
"$folder/env/bin/python" -W ignore - <<'END'
import logging

import lightning
import torch

logging.disable(logging.CRITICAL)


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, index):
        return self.layer(batch).square().mean()

    def validation_step(self, batch, index):
        self.layer(batch)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def trainer():
    silent = dict.fromkeys(("logger", "enable_checkpointing", "enable_progress_bar", "enable_model_summary"), False)
    return lightning.Trainer(max_epochs=1, accelerator="cpu", **silent)


@torch.no_grad()
def inside(work):
    work()
    return torch.is_grad_enabled(), model.layer(torch.ones(1, 2)).requires_grad


model, loader = Model(), torch.utils.data.DataLoader(torch.ones(4, 2))
seen = inside(lambda: trainer().validate(model, loader, verbose=False)), inside(lambda: trainer().fit(model, loader))
print(torch.__version__, seen, torch.is_grad_enabled())
assert seen == ((False, False), (True, True)) and torch.is_grad_enabled()
END
