"""Lightning: 2 000 steps, watched. Needs `pip install lightning`.

python examples/watch_lightning.py
"""

import itertools

import lightning
import torch

import explorer


class Watch(lightning.Callback):
    """Watches a training."""

    def on_train_start(self, trainer, module):
        self.watch = explorer.watch(module, trainer.optimizers, every=100, out="runs/lightning")

    def on_train_end(self, trainer, module):
        self.watch.close()


class Wave(lightning.LightningModule):
    """Learns sin(3x)."""

    def __init__(self):
        super().__init__()
        sides = (1, 256, 256, 256, 1)
        layers = [[torch.nn.Linear(*pair), torch.nn.GELU()] for pair in itertools.pairwise(sides)]
        self.body = torch.nn.Sequential(*itertools.chain(*layers[:-1]), layers[-1][0])

    def training_step(self, batch, _):
        x, y = batch
        return ((self.body(x) - y) ** 2).mean()

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


if __name__ == "__main__":
    torch.set_num_threads(1)  # more threads only wait for each other in a model this small
    torch.manual_seed(0)
    x = torch.rand(6_400, 1) * 4 - 2
    data = torch.utils.data.TensorDataset(x, torch.sin(3 * x))
    trainer = lightning.Trainer(max_steps=2_000, accelerator="cpu", callbacks=[Watch()], logger=False)
    trainer.fit(Wave(), torch.utils.data.DataLoader(data, batch_size=64, shuffle=True))
