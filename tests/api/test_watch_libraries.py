"""explorer.watch() under mixed precision, and inside the libraries that run trainings, if they are installed."""

import math

import pytest
import torch
from torch import nn

import explorer
from explorer.trace.step_statistics import STEPS


def _watched(folder):
    return explorer.load(folder / STEPS, kind="steps")


def test_mixed_precision_on_a_cpu_is_repeated_bit_by_bit(tmp_path, capsys):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 5)
    also = [scaler, schedule]
    watch = explorer.watch(model, optimizer, on="nonfinite", out=tmp_path / "run", also=also)

    @watch.repeats
    def step(x):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(x).float().square().mean()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1e4)
        scaler.step(optimizer)
        scaler.update()
        schedule.step()

    for number in range(10):
        step(torch.full((3, 4), math.inf if number == 6 else 1.0))
    watch.close()
    steps = _watched(tmp_path / "run")
    told = capsys.readouterr().err
    assert list(watch.events) == [7] and "same state, bit by bit" in told
    assert len(steps) == 10 and not steps.rows[6].norms, "a step that the scaler left out has a row"
    assert steps.rows[0].factor == pytest.approx(1 / 1024, rel=1e-3)
    assert steps.rows[7].factor == pytest.approx(1 / 512, rel=1e-3), "the scale was halved"
    trace = explorer.load(tmp_path / "run" / "step-00000007.trace")
    assert [one.kind for one in trace.nonfinite()] and len(trace.backwards) == 1, "that step alone"


def test_lightning(tmp_path):
    lightning = pytest.importorskip("lightning")

    class Watch(lightning.Callback):
        def on_train_start(self, trainer, module):
            explorer.watch(module, trainer.optimizers, out=tmp_path / "run", share=0)

    class Line(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.body = nn.Linear(1, 1)

        def training_step(self, batch, _):
            return (self.body(batch) - 2 * batch).square().mean()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.1)

    quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False}
    trainer = lightning.Trainer(
        max_steps=6, accelerator="cpu", callbacks=[Watch()], enable_checkpointing=False, precision="bf16-mixed", **quiet
    )
    trainer.fit(Line(), torch.utils.data.DataLoader(torch.rand(24, 1), batch_size=4))
    steps = _watched(tmp_path / "run")
    assert len(steps) == 6 and steps.names == ["body.weight", "body.bias"]
    assert (steps.column("gradient_norm") > 0).all() and steps.loss[-1] < steps.loss[0]


def test_the_trainer_of_transformers(tmp_path):
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")

    class Watch(transformers.TrainerCallback):
        def on_train_begin(self, args, state, control, model=None, optimizer=None, **_):
            explorer.watch(model, optimizer, out=tmp_path / "run", share=0)

    class Line(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Linear(1, 1)

        def forward(self, x, labels):
            return {"loss": (self.body(x) - labels).square().mean()}

    rows = [{"x": torch.tensor([one / 8]), "labels": torch.tensor([one / 4])} for one in range(16)]
    options = transformers.TrainingArguments(
        str(tmp_path / "out"), max_steps=6, per_device_train_batch_size=4, report_to=[], use_cpu=True,
        save_strategy="no", disable_tqdm=True, gradient_accumulation_steps=2, max_grad_norm=0.01,
    )  # fmt: skip
    transformers.Trainer(model=Line(), args=options, train_dataset=rows, callbacks=[Watch()]).train()
    steps = _watched(tmp_path / "run")
    assert len(steps) == 6 and steps.names == ["body.weight", "body.bias"]
    assert [row.backwards for row in steps.rows] == [2] * 6 and 0 < steps.rows[0].factor < 1


def test_accelerate(tmp_path):
    accelerate = pytest.importorskip("accelerate")
    accelerator = accelerate.Accelerator(cpu=True)
    model = nn.Linear(2, 1)
    model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), 0.1))
    with explorer.watch(accelerator.unwrap_model(model), optimizer, out=tmp_path / "run", share=0):
        for _ in range(4):
            optimizer.zero_grad()
            accelerator.backward(model(torch.ones(3, 2)).square().mean())
            optimizer.step()
    steps = _watched(tmp_path / "run")
    assert len(steps) == 4 and steps.names == ["weight", "bias"] and (steps.column("gradient_norm") > 0).all()
