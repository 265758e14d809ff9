"""explorer.watch(): one step in N of a training, in files that outlive the process."""

import os
import signal
from contextlib import suppress

import pytest
import torch

import explorer
from explorer.api.watch import Watch
from tests.patience import leave_process_group


def _steps(folder) -> list[int]:
    """Return the recorded steps on disk."""
    return sorted(int(file.stem.removeprefix("step-")) for file in folder.glob("*.trace"))


def _trace(folder, step):
    return explorer.load(folder / f"step-{step:08d}.trace")


def _train(folder, steps=12, steps_known=None, **options):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    with explorer.watch(model, optimizer, out=folder, **{"every": 5, "steps": steps_known, **options}) as watch:
        for _ in range(steps):
            optimizer.zero_grad()
            loss = ((model(x) - y) ** 2).mean()
            loss.backward()
            optimizer.step()
    return watch, model


def test_the_first_step_and_one_in_five_are_recorded_and_open(tmp_path):
    watch, model = _train(tmp_path / "run")
    assert _steps(tmp_path / "run") == [1, 5, 10]
    assert (watch.number, watch.recorded) == (12, 3)
    trace = _trace(tmp_path / "run", 5)
    assert len(trace.backwards) == 1
    assert trace.report().sound
    names = [f"model.{name}" for name, _ in model.named_parameters()]
    assert [row.name for row in trace.report().parameters] == names


def test_default_steps_are_first_last_and_ten_between_or_increasingly_sparse(tmp_path):
    _train(tmp_path / "known", steps=30, every=None, steps_known=30)
    known = _steps(tmp_path / "known")
    assert (known[0], known[-1], len(known)) == (1, 30, 12)
    _train(tmp_path / "open", steps=100, every=None)
    assert _steps(tmp_path / "open") == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96]
    _train(tmp_path / "last", steps=7, every=4, steps_known=7)
    assert _steps(tmp_path / "last") == [1, 4, 7]


def test_without_a_folder_each_run_gets_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folders = [_train(None, steps=1)[0].out for _ in range(2)]
    assert [str(folder) for folder in folders] == ["runs/test_watch-1", "runs/test_watch-2"]
    assert [_steps(folder) for folder in folders] == [[1], [1]]


def test_ending_a_watch_during_a_recording_restores_torch(tmp_path):
    before = torch.autograd._engine_run_backward
    _train(tmp_path / "run", steps=1, every=1)
    assert torch.autograd._engine_run_backward is before


def test_watching_does_not_change_the_training(tmp_path):
    _, watched = _train(tmp_path / "a", every=1)
    _, plain = _train(tmp_path / "b", every=10**6)
    assert all(torch.equal(p, q) for p, q in zip(watched.parameters(), plain.parameters(), strict=True))


def test_disk_use_is_limited(tmp_path):
    watch, _ = _train(tmp_path / "run", steps=20, every=1, max_bytes=60_000)
    kept = _steps(tmp_path / "run")
    assert sum(file.stat().st_size for file in (tmp_path / "run").glob("*.trace")) <= 60_000
    assert watch.recorded == 20 > len(kept) and (kept[0], kept[-1]) == (1, 20)


def test_a_killed_run_is_readable_up_to_its_end(tmp_path):
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            w = torch.nn.Linear(2, 1)
            optimizer = torch.optim.SGD(w.parameters(), lr=0.1)
            watch = explorer.watch(w, optimizer, every=1, out=tmp_path / "run")
            while watch.recorded < 4:
                w(torch.ones(1, 2)).sum().backward()
                optimizer.step()
            os.kill(os.getpid(), signal.SIGKILL)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    steps = _steps(tmp_path / "run")
    assert len(steps) >= 4
    assert all(_trace(tmp_path / "run", step).backwards for step in steps)


def test_wrong_arguments_are_explained(tmp_path):
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1)
    with pytest.raises(TypeError, match="model"):
        explorer.watch(3, optimizer, out=tmp_path / "a")
    with pytest.raises(TypeError, match="a torch optimizer"):
        explorer.watch(model, "adam", out=tmp_path / "b")
    with pytest.raises(ValueError, match="every must be a positive integer"):
        explorer.watch(model, optimizer, every=0, out=tmp_path / "c")
    with pytest.raises(ValueError, match="steps must be a positive integer"):
        explorer.watch(model, optimizer, steps=0, out=tmp_path / "c")
    _train(tmp_path / "d", steps=1)
    with pytest.raises(FileExistsError, match="already has a run"):
        explorer.watch(model, optimizer, out=tmp_path / "d")


def test_watch_step_ends_a_step_without_an_optimizer(tmp_path):
    model = torch.nn.Linear(2, 1)
    watch: Watch = explorer.watch(model, every=2, out=tmp_path / "run")
    for _ in range(4):
        model(torch.ones(1, 2)).sum().backward()
        watch.step()
    watch.close()
    assert _steps(tmp_path / "run") == [1, 2, 4]


def test_an_internal_failure_only_warns_and_training_continues(tmp_path, monkeypatch):
    monkeypatch.setattr("explorer.api.watch.encode", lambda *given: 1 / 0)
    with pytest.warns(RuntimeWarning, match="Training continues"):
        watch, _ = _train(tmp_path / "run")
    assert watch.number == 12
    assert watch.recorded == 0


def _rank(number: int, ranks: int, folder: str) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", RANK=str(number), WORLD_SIZE=str(ranks))
    store = torch.distributed.FileStore(f"{folder}/store", ranks)
    torch.distributed.init_process_group("gloo", store=store, rank=number, world_size=ranks)
    torch.manual_seed(0)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with explorer.watch(model, optimizer, every=2, out=f"{folder}/run"):
        for _ in range(4):
            optimizer.zero_grad()
            model(torch.full((1, 2), 1.0 + 2 * number)).sum().backward()
            optimizer.step()
    leave_process_group()


@pytest.mark.thorough
def test_each_rank_records_its_own_run_with_reduced_gradients(tmp_path):
    torch.multiprocessing.spawn(_rank, args=(2, str(tmp_path)), nprocs=2)
    for folder in (tmp_path / "run", tmp_path / "run/rank-1"):
        gradient = _trace(folder, 4).gradient("model.module.weight", at_end=True)
        assert gradient.norm == pytest.approx(2 * 2**0.5, rel=1e-5)  # the mean of 1 and 3


def _sharded(number: int, ranks: int, folder: str) -> None:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    os.environ.update(MASTER_ADDR="127.0.0.1", RANK=str(number), WORLD_SIZE=str(ranks))
    store = torch.distributed.FileStore(f"{folder}/store", ranks)
    torch.distributed.init_process_group("gloo", store=store, rank=number, world_size=ranks)
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 4)
    fully_shard(model, mesh=init_device_mesh("cpu", (ranks,)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with explorer.watch(model, optimizer, every=1, out=f"{folder}/run"):
        model(torch.full((1, 3), 1.0 + 2 * number)).square().sum().backward()
        optimizer.step()
    torch.distributed.barrier()
    leave_process_group()


@pytest.mark.thorough
def test_a_sharded_parameter_has_the_gradient_of_each_ranks_part(tmp_path):
    torch.multiprocessing.spawn(_sharded, args=(2, str(tmp_path)), nprocs=2)
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 4)
    scaled = [torch.full((1, 3), scale) for scale in (1.0, 3.0)]
    (sum(model(x).square().sum() for x in scaled) / 2).backward()
    gradients = model.weight.grad.split(2)  # two rows for each
    for rank, name in enumerate(("run", "run/rank-1")):
        steps = _trace(tmp_path / name, 1).steps.to_pandas()
        [column] = [column for column in steps.columns if column.endswith("weight.gradient_norm")]
        assert steps[column].iloc[-1] == pytest.approx(gradients[rank].norm().item(), rel=1e-4)
