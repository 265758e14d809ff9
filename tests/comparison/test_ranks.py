"""Processes of one distributed training: replicas, or where they first differ (gloo, two processes)."""

import json
import os
import subprocess
import sys

import pytest
import torch
from torch import nn

import explorer
from explorer.analysis.views.comparison.ranks import replicas

TRAIN = """\
import os, sys
import torch
import torch.distributed as dist
from torch import nn

rank = int(os.environ["RANK"])
dist.init_process_group("gloo", init_method="file://" + sys.argv[1], rank=rank, world_size=2)
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
model = nn.parallel.DistributedDataParallel(net) if sys.argv[2] == "ddp" else net
optimizer = torch.optim.SGD(net.parameters(), 0.1)
torch.manual_seed(0 if sys.argv[3] == "same" else 1 + rank)
for step in range(3):
    x = torch.randn(5, 3)
    optimizer.zero_grad()
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
dist.destroy_process_group()
"""


def _recorded(folder, *options):
    (folder / "train.py").write_text(TRAIN)
    arguments = ["-m", "explorer", "record", "-o", str(folder / "run.trace"), str(folder / "train.py")]
    processes = [
        subprocess.Popen(
            [sys.executable, *arguments, str(folder / "meet"), *options],
            env=os.environ | {"RANK": str(rank), "WORLD_SIZE": "2", "OMP_NUM_THREADS": "1"},
            stdout=subprocess.DEVNULL,
        )
        for rank in range(2)
    ]
    assert [process.wait(300) for process in processes] == [0, 0]
    return {rank: explorer.load(folder / f"run.rank{rank}.trace") for rank in range(2)}


@pytest.mark.thorough
def test_replicas_of_ddp_agree_after_each_step(tmp_path):
    found = replicas(_recorded(tmp_path, "ddp", "other"))
    assert (found.steps, found.parameters, found.differences, found.repeated) == ((3, 3), 4, (), {})
    assert "4 parameters and their gradients have equal bits after each of 3 steps" in found.lines()[1]


@pytest.mark.thorough
def test_without_averaging_the_first_gradient_differs_and_the_report_says_so(tmp_path):
    runs = _recorded(tmp_path, "alone", "other")
    (one,) = replicas(runs).differences
    assert (one.rank, one.step, one.name, one.what) == (1, 1, "0.weight", "gradient")
    files = [str(tmp_path / f"run.rank{rank}.trace") for rank in range(2)]
    asked = [sys.executable, "-m", "explorer", "report", *files]
    text = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert "Rank 1 differs from rank 0 first at step 1, in the gradient of 0.weight" in text
    plain = subprocess.run([*asked, "--json"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert json.loads(plain[-1])["replicas"]["differences"] == [
        {"rank": 1, "step": 1, "name": "0.weight", "what": "gradient"}
    ]


def _rank(seed, change=lambda net, step: None, steps=3, weights=0):
    torch.manual_seed(weights)
    net = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    torch.manual_seed(seed)
    with explorer.record() as trace:
        for step in range(steps):
            optimizer.zero_grad()
            net(torch.randn(4, 3)).square().mean().backward()
            change(net, step)
            optimizer.step()
    return trace._finished()


def test_batches_that_repeat_between_ranks_are_named():
    assert replicas({0: _rank(5), 1: _rank(5)}).repeated == {(0, 1): (1, 2, 3)}
    assert replicas({0: _rank(5), 1: _rank(6)}).repeated == {}


def test_a_rank_that_begins_with_other_weights_or_ends_early_is_named():
    (one,) = replicas({0: _rank(5), 2: _rank(5, weights=1)}).differences
    assert (one.rank, one.step, one.name) == (2, 0, "weight")
    short = replicas({0: _rank(5), 1: _rank(5, steps=2)})
    assert not short.differences and short.lines("zh")[2].startswith("进程 1 更新了 2 步")


def test_a_value_that_changes_in_one_rank_is_found_after_its_step():
    def move(net, step):
        if step == 1:
            with torch.no_grad():
                net.bias.add_(1.0)

    (one,) = replicas({0: _rank(5), 1: _rank(5, move)}).differences
    assert (one.step, one.name, one.what) == (2, "bias", "value")


def test_nan_in_all_ranks_is_equal():
    def spoil(net, step):
        net.weight.grad[0, 0] = float("nan")

    found = replicas({0: _rank(5, spoil), 1: _rank(5, spoil)})
    assert not found.differences


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_same_tensor_given_in_every_step_is_no_repeated_batch(lang):
    torch.manual_seed(0)
    data = torch.randn(8, 3)
    net = nn.Linear(3, 1)

    def trained(seed):
        torch.manual_seed(seed)
        optimizer = torch.optim.SGD(net.parameters(), 0.0)
        with explorer.record() as trace:
            for _ in range(2):
                rows = torch.randperm(8)[:4]
                optimizer.zero_grad()
                net(data[rows]).sum().backward()
                optimizer.step()
        return trace._finished()

    found = replicas({0: trained(1), 1: trained(2)})
    assert found.repeated == {} and found.lines(lang)


def test_parameters_that_are_not_whole_in_every_rank_are_not_compared():
    one, other = _rank(5), _rank(5, weights=1)
    for row in range(len(other.versions.value)):  # as under fully_shard, whose parts are not recorded
        other.versions.value[row] = -1
    found = replicas({0: one, 1: other})
    assert found.differences == () and found.left_out == 2 and found.to_json()["agree"] is None
    assert len(found.lines()) == 2 and found.lines()[1].startswith("Not compared: 2 parameters")


class Given(torch.optim.Optimizer):
    """Steps along gradients that it is given: it reads no `.grad`."""

    given: tuple[torch.Tensor, ...]

    def step(self, closure=None):
        with torch.no_grad():
            for one, gradient in zip(self.param_groups[0]["params"], self.given, strict=True):
                one.sub_(gradient)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_nothing_is_said_about_gradients_that_were_not_read(lang):
    def trained(seed):
        torch.manual_seed(0)
        net = nn.Linear(3, 1)
        torch.manual_seed(seed)
        optimizer = Given(net.parameters(), {})
        with explorer.record() as trace:
            optimizer.given = torch.autograd.grad(net(torch.randn(4, 3)).sum(), [*net.parameters()])
            optimizer.step()
        return trace._finished()

    (one,) = replicas({0: trained(1), 1: trained(2)}).differences
    assert (one.step, one.what, one.gradients) == (1, "value", "unread")
    words = {"en": "not recorded", "zh": "没有记录"}[lang]
    for other in (1, 2):
        assert words in " ".join(replicas({0: trained(1), 1: trained(other)}).lines(lang))
