"""Lightning: 2 000 steps, watched. Needs `pip install lightning`.

python -m explorer app --runs runs &
python examples/watch_lightning.py
"""

import lightning
import torch

from explorer.callbacks import LightningWatch


class Wave(lightning.LightningModule):
    """Learns sin(3x)."""

    def __init__(self):
        super().__init__()
        self.body = torch.nn.Sequential(
            torch.nn.Linear(1, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)
        )

    def training_step(self, batch, _):
        x, y = batch
        return ((self.body(x) - y) ** 2).mean()

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.rand(6_400, 1) * 4 - 2
    data = torch.utils.data.TensorDataset(x, torch.sin(3 * x))
    watch = LightningWatch(out="runs/lightning", every=100)
    trainer = lightning.Trainer(max_steps=2_000, accelerator="cpu", callbacks=[watch], logger=False)
    trainer.fit(Wave(), torch.utils.data.DataLoader(data, batch_size=64, shuffle=True))
