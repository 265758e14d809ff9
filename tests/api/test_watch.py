"""explorer.watch(): one step in N of a training, in files that outlive the process."""

import os
import signal
from contextlib import suppress

import pytest
import torch

import explorer
from explorer.api.watch import Watch
from explorer.trace.watched_runs import MOST_INDEX, WatchIndex, read_index, runs_in
from tests.patience import leave_process_group


def _train(folder, steps=12, rate=0.1, steps_known=None, **options):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    with explorer.watch(model, optimizer, out=folder, **{"every": 5, "steps": steps_known, **options}) as watch:
        for _ in range(steps):
            optimizer.zero_grad()
            loss = ((model(x) - y) ** 2).mean()
            loss.backward()
            optimizer.step()
    return watch, model


def test_the_first_step_and_one_in_five_are_recorded_and_open(tmp_path):
    watch, _ = _train(tmp_path / "run")
    run = explorer.load(tmp_path / "run")
    assert [step.step for step in run.steps] == [1, 5, 10]
    assert watch.number == 12
    trace = run.trace(5)
    assert len(trace.backwards) == 1
    assert trace.report().sound
    assert [list(step.parameters) for step in run.steps] == [["0.weight", "0.bias", "2.weight", "2.bias"]] * 3
    row = run.steps[1].parameters["0.weight"]
    assert row.gradient == pytest.approx(trace.gradients().to_pandas().loc["model.0.weight", "norm"], rel=1e-4)
    assert row.update == pytest.approx(0.1 * row.gradient, rel=1e-4)  # SGD
    assert run.steps[0].rates == {"SGD": 0.1}


def test_default_steps_are_first_last_and_ten_between_or_increasingly_sparse(tmp_path):
    _train(tmp_path / "known", steps=30, every=None, steps_known=30)
    known = [step.step for step in explorer.load(tmp_path / "known").steps]
    assert (known[0], known[-1], len(known)) == (1, 30, 12)
    _train(tmp_path / "open", steps=100, every=None)
    found = [step.step for step in explorer.load(tmp_path / "open").steps]
    assert found == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96]
    _train(tmp_path / "last", steps=7, every=4, steps_known=7)
    assert [step.step for step in explorer.load(tmp_path / "last").steps] == [1, 4, 7]


def test_without_a_folder_each_run_gets_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folders = [_train(None, steps=1)[0].out for _ in range(2)]
    assert [str(folder) for folder in folders] == ["runs/test_watch-1", "runs/test_watch-2"]
    assert [len(explorer.load(folder).steps) for folder in folders] == [1, 1]


def test_ending_a_watch_during_a_recording_restores_torch(tmp_path):
    before = torch.autograd._engine_run_backward
    _train(tmp_path / "run", steps=1, every=1)
    assert torch.autograd._engine_run_backward is before


def test_watching_does_not_change_the_training(tmp_path):
    _, watched = _train(tmp_path / "a", every=1)
    _, plain = _train(tmp_path / "b", every=10**6)
    assert all(torch.equal(p, q) for p, q in zip(watched.parameters(), plain.parameters(), strict=True))


def test_the_loss_of_every_step_is_kept_and_drawn(tmp_path):
    model = torch.nn.Linear(1, 1, bias=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    losses = []
    with explorer.watch(model, optimizer, every=100, out=tmp_path / "run"):
        for step in range(250):
            loss = (model(torch.ones(1, 1)) - step).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    run = explorer.load(tmp_path / "run")
    assert [step.step for step in run.steps] == [1, 100, 200]
    assert run.losses == pytest.approx(losses, rel=1e-5)
    view = run.training().view
    assert view.loss.tolist() == pytest.approx(losses, rel=1e-5)
    assert view.steps[view.parameters[0].measures["gradient"].there].tolist() == [1, 100, 200]


def test_disk_use_is_limited_and_numbers_are_kept(tmp_path):
    _train(tmp_path / "run", steps=20, every=1, max_bytes=60_000)
    run = explorer.load(tmp_path / "run")
    files = list((tmp_path / "run").glob("*.trace"))
    assert len(run.steps) == 20
    assert sum(file.stat().st_size for file in files) <= 60_000
    kept = [step.step for step in run.steps if run.file(step)]
    assert kept[0] == 1 and kept[-1] == 20 and len(kept) == len(files)
    with pytest.raises(LookupError, match="These have one: 1"):
        run.trace(2)


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
    run = explorer.load(tmp_path / "run")
    assert len(run.steps) >= 4
    assert all(run.trace(step.step).backwards for step in run.steps)


def test_a_foreign_index_is_bounded_and_harmless(tmp_path):
    _train(tmp_path / "run")
    index = tmp_path / "run" / "index.jsonl"
    good = index.read_bytes()
    index.write_bytes(good + b'{"type":"step","step":99' + b"[" * 9000 + b'\n{"type":"step","step":')
    found = read_index(index.parent, WatchIndex)
    assert found is not None
    assert [step.step for step in found.steps] == [1, 5, 10]
    index.write_bytes(good.replace(b"step-00000005.trace", b"../../../etc/passwd"))
    run = explorer.load(tmp_path / "run")
    with pytest.raises(LookupError):
        run.trace(5)
    os.truncate(index, MOST_INDEX + 1)
    assert read_index(index.parent, WatchIndex) is None
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "index.jsonl")
    assert read_index(tmp_path / "pipe", WatchIndex) is None


def test_runs_are_found_below_a_folder(tmp_path):
    for name in ("b", "a", "deep/c"):
        _train(tmp_path / name, steps=1)
    assert [path.name for path in runs_in(tmp_path)] == ["a", "b", "c"]
    assert runs_in(tmp_path / "none") == []


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
    explorer.watch(model, optimizer, out=tmp_path / "d").close()
    with pytest.raises(FileExistsError, match="already has a run"):
        explorer.watch(model, optimizer, out=tmp_path / "d")
    with pytest.raises(ValueError, match="no run"):
        explorer.load(tmp_path)


def test_watch_step_ends_a_step_without_an_optimizer(tmp_path):
    model = torch.nn.Linear(2, 1)
    watch: Watch = explorer.watch(model, every=2, out=tmp_path / "run")
    for _ in range(4):
        model(torch.ones(1, 2)).sum().backward()
        watch.step()
    watch.close()
    assert [step.step for step in explorer.load(tmp_path / "run").steps] == [1, 2, 4]


def test_an_internal_failure_only_warns_and_training_continues(tmp_path, monkeypatch):
    monkeypatch.setattr("explorer.api.watch.step_numbers", lambda *given: 1 / 0)
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
    runs = [explorer.load(tmp_path / name) for name in ("run", "run/rank-1")]
    norms = [run.steps[-1].parameters["module.weight"].gradient for run in runs]
    assert norms == pytest.approx([2 * 2**0.5] * 2, rel=1e-5)  # the mean of 1 and 3, twice
    assert runs[1].trace(4).backwards


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
def test_a_sharded_parameter_has_the_numbers_of_each_ranks_part(tmp_path):
    torch.multiprocessing.spawn(_sharded, args=(2, str(tmp_path)), nprocs=2)
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 4)
    scaled = [torch.full((1, 3), scale) for scale in (1.0, 3.0)]
    (sum(model(x).square().sum() for x in scaled) / 2).backward()
    weights, gradients = (whole.detach().split(2) for whole in (model.weight, model.weight.grad))  # two rows on each
    for rank, name in enumerate(("run", "run/rank-1")):
        [weight] = [of for key, of in explorer.load(tmp_path / name).steps[0].parameters.items() if "weight" in key]
        assert weight.shape == (2, 3)
        assert weight.gradient == pytest.approx(gradients[rank].norm().item(), rel=1e-4)
        assert weight.value == pytest.approx(weights[rank].norm().item(), rel=1e-4)
        assert weight.update == pytest.approx(0.1 * weight.gradient, rel=1e-4)
