"""explorer.watch(): the statistics of every step, and the step of an event."""

import math
import os
import random
import signal
from contextlib import suppress

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

import explorer
from explorer.trace.step_statistics import read

POISONED = 41  # index of the poisoned sample


def _model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2), nn.Tanh(), nn.Linear(8, 1))


def _data(bad: float = 1e4):
    torch.manual_seed(1)
    x, y = torch.randn(64, 4), torch.randn(64, 1)
    x[POISONED] = bad
    return TensorDataset(x, y)


def _train(model, optimizer, loader, wrap=lambda step: step, epochs=2):
    def step(batch):
        optimizer.zero_grad()
        x, y = batch
        loss = F.mse_loss(model(x) + 0.01 * x.sum(1, keepdim=True), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()
        return loss.item()

    step = wrap(step)
    return [step(batch) for _ in range(epochs) for batch in loader]


def _trained(out=None, workers=0, **options):
    model = _model()
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    loader = DataLoader(_data(), batch_size=8, shuffle=True, num_workers=workers)
    if out is None:
        return _train(model, optimizer, loader), model, None
    with explorer.watch(model, optimizer, out=out, share=0, **options) as watch:
        losses = _train(model, optimizer, loader, watch.repeats if options.get("on") else lambda step: step)
    return losses, model, watch


def _steps(watch):
    return explorer.load(watch.out / "steps.stats", kind="steps")


def test_every_step_has_its_loss_and_the_norms_torch_computes(tmp_path):
    model = _model()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    expected: list = []
    with explorer.watch(model, optimizer, every=100, out=tmp_path / "run", share=0) as watch:
        for _ in range(3):
            before = [one.detach().clone() for one in model.parameters()]
            optimizer.zero_grad()
            loss = model(torch.ones(2, 4)).square().mean()
            loss.backward()
            optimizer.step()
            update = [(now - old).norm().item() for now, old in zip(model.parameters(), before, strict=True)]
            expected.append((loss.item(), [one.grad.norm() for one in model.parameters()], update))
    steps = _steps(watch)
    assert steps.names == list(model.state_dict())
    assert steps.loss.tolist() == pytest.approx([loss for loss, *_ in expected])
    assert np.allclose(steps.column("gradient_norm"), torch.tensor([norms for _, norms, _ in expected]))
    assert np.allclose(steps.column("update_norm"), torch.tensor([update for *_, update in expected]), atol=1e-6)
    assert steps.column("value_largest")[-1, 0] == pytest.approx(model[0].weight.abs().max().item())


def test_zeros_missing_gradients_and_nan_are_told_apart(tmp_path):
    model = nn.ModuleDict({"used": nn.Linear(2, 1), "unused": nn.Linear(2, 1)})
    optimizer = torch.optim.SGD(model.parameters(), 0.0)
    with explorer.watch(model, optimizer, every=100, out=tmp_path / "run", share=0) as watch:
        model["used"](torch.tensor([[0.0, math.nan]])).sum().backward()
        optimizer.step()
    steps = _steps(watch)
    (norms,), (zeros,) = steps.column("gradient_norm"), steps.column("gradient_zeros")
    assert dict(zip(steps.names, zeros, strict=True))["used.weight"] == 1
    assert [math.isnan(norm) for norm in norms] == [True, False, True, True]
    assert steps.column("gradient_nonfinite")[0, 0] == 1
    assert math.isnan(steps.column("gradient_nonfinite")[0, 2])


def test_the_factor_of_clipping_is_known_and_absent_without_one_factor(tmp_path):
    def factor(change):
        model = nn.Linear(3, 2)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        folder = tmp_path / str(random.random())
        with explorer.watch(model, optimizer, every=100, out=folder, share=0) as watch:
            (100 * model(torch.ones(1, 3))).sum().backward()
            change(model)
            optimizer.step()
        return read(watch.out / "steps.stats")[1][0].factor

    assert factor(lambda _: None) == 1
    norm = math.sqrt(8) * 100
    assert factor(lambda model: nn.utils.clip_grad_norm_(model.parameters(), 1.0)) == pytest.approx(1 / norm, rel=1e-3)
    assert factor(lambda model: model.weight.grad.mul_(3)) is None


def test_a_large_model_has_a_row_per_module(tmp_path):
    model = nn.Sequential(*(nn.Linear(2, 2) for _ in range(400)))
    optimizer = torch.optim.SGD(model.parameters(), 0.0)
    with explorer.watch(model, optimizer, every=100, out=tmp_path / "run", share=0) as watch:
        model[7](torch.ones(1, 2)).sum().backward()
        optimizer.step()
    steps = _steps(watch)
    assert len(steps.names) == 400 and steps.header.entries == [6] * 400
    expected = math.hypot(model[7].weight.grad.norm(), model[7].bias.grad.norm())
    assert steps.column("gradient_norm")[0, 7] == pytest.approx(expected)
    assert np.isnan(steps.column("gradient_norm")[0, 8])


def test_an_event_records_its_own_step_and_leaves_the_training_unchanged(tmp_path, capfd):
    plain, model, _ = _trained()
    losses, watched, watch = _trained(tmp_path / "run", on=explorer.loss_jump(3.0))
    assert losses == plain
    assert all(torch.equal(one, other) for one, other in zip(model.parameters(), watched.parameters(), strict=True))
    jumps = [step for step, loss in enumerate(losses, 1) if loss > 1000]
    assert list(watch.events) == [step for step in jumps if step > 5]
    for step in watch.events:
        trace = explorer.load(watch.out / f"step-{step:08d}.trace")
        assert trace["loss"].item() == pytest.approx(losses[step - 1])
    assert "bit by bit" in capfd.readouterr().err


@pytest.mark.parametrize("workers", [0, 2])
def test_the_sample_behind_a_jump_is_named(tmp_path, capfd, workers):
    _, _, watch = _trained(tmp_path / "run", workers=workers, on=explorer.loss_jump(3.0))
    told = capfd.readouterr().err
    assert watch.events and told.count(f"Sample {POISONED} ") == len(watch.events)
    rows = {row.step: row for row in read(watch.out / "steps.stats")[1]}
    assert all(POISONED in rows[step].batch for step in watch.events)


def test_samples_of_a_loop_without_a_loader_are_named(tmp_path, capfd):
    model, data = _model(), _data().tensors
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)
    orders = torch.randperm(64).reshape(8, 8)
    watch = explorer.watch(model, optimizer, on=explorer.loss_jump(3.0), out=tmp_path, samples=lambda: order)

    @watch.repeats
    def step(x, y):
        optimizer.zero_grad()
        F.mse_loss(model(x) + 0.01 * x.sum(1, keepdim=True), y).backward()
        optimizer.step()

    for order in [*orders[(orders != POISONED).all(1)], *orders[(orders == POISONED).any(1)]]:
        step(*(column[order] for column in data))
    watch.close()
    assert list(watch.events) == [8] and f"Sample {POISONED} " in capfd.readouterr().err


def test_the_sample_is_named_if_a_gradient_scaler_left_out_the_step(tmp_path, capfd):
    model = _model()
    optimizer, scaler = torch.optim.SGD(model.parameters(), 1e-3), torch.amp.GradScaler("cpu", init_scale=1024.0)
    watch = explorer.watch(model, optimizer, on="nonfinite", also=[scaler], out=tmp_path / "run")

    @watch.repeats
    def step(x, y):
        optimizer.zero_grad()
        scaler.scale((x.sum() * model(x) - y).square().mean()).backward()
        scaler.step(optimizer)
        scaler.update()

    for batch in DataLoader(_data(1e30), batch_size=8, shuffle=True):
        step(*batch)
    watch.close()
    rows = read(watch.out / "steps.stats")[1]
    assert len(rows) == watch.number == 8 and len(watch.events) == 1
    assert [row.step for row in rows if POISONED in row.batch] == list(watch.events)
    assert len(explorer.load(next(watch.out.glob("*.trace"))).backwards) == 1
    assert "bit by bit" in capfd.readouterr().err


def test_a_lasting_jump_is_one_event_and_rows_alike_are_not_named(tmp_path, capfd):
    model = nn.Linear(2, 3)
    optimizer = torch.optim.SGD(model.parameters(), 0.0)
    watch = explorer.watch(model, optimizer, out=tmp_path / "run", on=explorer.loss_jump(3.0))

    @watch.repeats
    def step(size):
        scores = model(torch.full((4, 5, 2), size)).flatten(0, 1)
        nn.functional.cross_entropy(scores * size, torch.arange(20) % 3).backward()
        optimizer.step()

    for number in range(40):
        step(1.0 if number < 10 else 100.0)
    watch.close()
    assert list(watch.events) == [11]
    assert "No row of the loss stands out" in capfd.readouterr().err


def test_nan_is_one_event_and_the_next_step_is_recorded_if_the_loop_is_not_wrapped(tmp_path):
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with explorer.watch(model, optimizer, out=tmp_path / "run", on="nonfinite") as watch:
        for step in range(6):
            optimizer.zero_grad()
            (model(torch.ones(1, 2)).sum() * (math.nan if step == 3 else 1.0)).backward()
            optimizer.step()
    assert list(watch.events) == [4]
    assert [file.name for file in watch.out.glob("*.trace")] == ["step-00000005.trace"]


def test_a_step_that_is_not_repeated_exactly_says_so(tmp_path, capfd):
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    calls = []
    with explorer.watch(model, optimizer, out=tmp_path / "run", on=lambda row: row.step == 4) as watch:

        @watch.repeats
        def step(x):
            calls.append(x)
            optimizer.zero_grad()
            (model(x).sum() * len(calls)).backward()
            optimizer.step()

        for _ in range(6):
            step(torch.ones(1, 2))
        after = model.weight.detach().clone()
    assert "ended in another state" in capfd.readouterr().err
    assert list(watch.events) == [4] and torch.isfinite(after).all()


def test_accumulated_steps_are_repeated_whole(tmp_path):
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with explorer.watch(model, optimizer, out=tmp_path / "run", on=lambda row: row.step == 2) as watch:

        @watch.repeats
        def step(number, x):
            (model(x).sum() / 2).backward()
            if number % 2:
                optimizer.step()
                optimizer.zero_grad()

        for number in range(8):
            step(number, torch.full((1, 2), float(number)))
    assert len(explorer.load(watch.out / "step-00000002.trace").backwards) == 2


def test_a_killed_training_keeps_all_finished_steps(tmp_path):
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            model = nn.Linear(2, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            explorer.watch(model, optimizer, out=tmp_path / "run", on=lambda row: False)
            for number in range(9):
                model(torch.ones(1, 2)).sum().backward()
                optimizer.step()
                if number == 7:
                    os.kill(os.getpid(), signal.SIGKILL)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert [row.step for row in read(tmp_path / "run" / "steps.stats")[1]] == [1, 2, 3, 4, 5, 6, 7, 8]


def test_a_file_that_was_cut_off_keeps_its_whole_rows_and_another_is_refused(tmp_path):
    *_, watch = _trained(tmp_path / "run")
    data = (watch.out / "steps.stats").read_bytes()
    cut = tmp_path / "cut.stats"
    cut.write_bytes(data[:-3])
    assert len(explorer.load(cut)) == 15
    for wrong in (b"", b"nothing", data[:31] + b"\xff" * 40, data.replace(b"0.weight", b"0.weighs", 1)[:40]):
        cut.write_bytes(wrong)
        with pytest.raises(ValueError, match=r"cut\.stats"):
            explorer.load(cut)


def test_numbers_become_a_table_and_reach_a_writer(tmp_path):
    class Writer:
        def __init__(self):
            self.told = {}

        def add_scalar(self, tag, value, step):
            self.told[tag, step] = value

    writer = Writer()
    losses, _, watch = _trained(tmp_path / "run", to=writer)
    table = _steps(watch).to_pandas()
    assert len(table) == 16 * 4 and set(table["name"]) == set(_steps(watch).names)
    assert writer.told["loss", 3] == pytest.approx(losses[2])
    assert ("gradient_norm/0.weight", 16) in writer.told


def test_without_time_for_it_steps_are_not_measured_in_full(tmp_path):
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with explorer.watch(model, optimizer, every=100, out=tmp_path / "run", share=1e-9) as watch:
        for _ in range(5):
            model(torch.ones(1, 2)).sum().backward()
            optimizer.step()
    rows = read(watch.out / "steps.stats")[1]
    assert [bool(row.norms) for row in rows] == [True, False, False, False, False]
    assert all(row.loss is not None for row in rows)


def test_wrong_arguments_of_events_are_explained(tmp_path):
    model = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1)
    for number, (error, options) in enumerate(
        [
            (ValueError, {"on": "jump"}),
            (TypeError, {"on": 3}),
            (TypeError, {"to": 3}),
            (TypeError, {"also": [3]}),
            (TypeError, {"samples": 3}),
        ]
    ):
        with pytest.raises(error):
            explorer.watch(model, optimizer, out=tmp_path / str(number), **options)


def test_the_time_of_a_recorded_step_gives_no_time_to_measure_others(tmp_path, monkeypatch):
    clock = [0.0]

    def now() -> float:  # each reading of the clock advances it by 10 ms
        clock[0] += 0.01
        return clock[0]

    monkeypatch.setattr("explorer.runtime.watching.steps.time.perf_counter", now)
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def measured(pause):
        with explorer.watch(model, optimizer, every=1000, out=tmp_path / str(pause)) as watch:
            for step in range(100):
                clock[0] += 1.0 if step else pause
                model(torch.ones(1, 2)).sum().backward()
                optimizer.step()
        return sum(bool(row.norms) for row in _steps(watch).rows)

    assert measured(1000.0) <= measured(1.0) + 1


def test_no_sample_is_named_if_a_step_had_several_batches(tmp_path, capfd):
    data = torch.ones(12, 3)
    data[1] = float("nan")  # in the first of the two batches of step 1
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(data), 3)
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    watch = explorer.watch(model, optimizer, on="nonfinite", out=tmp_path / "run")

    @watch.repeats
    def train(batch, last):
        torch.nn.functional.mse_loss(model(batch[0]), torch.zeros(len(batch[0]), 1)).backward()
        if last:
            optimizer.step()
            optimizer.zero_grad()

    for number, batch in enumerate(loader):
        train(batch, number % 2 == 1)
    watch.close()
    assert list(watch.events) == [1] and "Sample" not in capfd.readouterr().err
