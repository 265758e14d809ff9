"""assert_same_gradients: the gradients of a recording kept in a file."""

import subprocess
import sys

import pytest
import torch
from torch import nn

import explorer
from explorer.pytest_plugin import UPDATE
from explorer.testing import assert_same_gradients


def _net(width: int = 8) -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, width), nn.Tanh(), nn.Linear(width, 1))


def _recorded(scale: float = 1.0, width: int = 8):
    net = _net(width)
    with explorer.record() as trace:
        loss = (net(torch.ones(4, 3)) * scale).square().mean()
        loss.backward()
    return trace


def _recorded_in_another_variable():
    model = _net()
    with explorer.record() as trace:
        loss = (model(torch.ones(4, 3)) * 1.0).square().mean()
        loss.backward()
    return trace


@pytest.fixture
def gold(tmp_path, monkeypatch):
    path = tmp_path / "gold" / "step.trace"
    monkeypatch.setenv(UPDATE, "1")
    assert_same_gradients(_recorded(), path)
    monkeypatch.delenv(UPDATE)
    return path


def test_equal_gradients_pass_also_in_another_variable(gold):
    assert_same_gradients(_recorded(), gold)
    assert_same_gradients(_recorded_in_another_variable(), gold)
    assert gold.stat().st_size < 20_000


def test_a_difference_names_parameters_and_the_first_operation(gold):
    with pytest.raises(AssertionError) as failed:
        assert_same_gradients(_recorded(scale=1.01), gold)
    text = str(failed.value)
    assert text.startswith("4 of 4 gradients differ") and "0.weight" in text and "scale" in text
    assert_same_gradients(_recorded(scale=1.0001), gold)
    with pytest.raises(AssertionError):
        assert_same_gradients(_recorded(scale=1.0001), gold, rtol=1e-5)
    with pytest.raises(AssertionError):
        assert_same_gradients(_recorded(width=9), gold)


def test_a_missing_file_and_another_file_are_explained(tmp_path):
    with pytest.raises(AssertionError, match="--update-gold"):
        assert_same_gradients(_recorded(), tmp_path / "none.trace")
    (tmp_path / "other.trace").write_bytes(b"nothing")
    with pytest.raises(ValueError, match=r"other\.trace"):
        assert_same_gradients(_recorded(), tmp_path / "other.trace")


@pytest.mark.thorough
def test_the_option_of_pytest_writes_the_file(tmp_path):
    (tmp_path / "test_step.py").write_text(
        """
import torch, explorer
from explorer.testing import assert_same_gradients

def test_step():
    w = torch.ones(2, requires_grad=True)
    with explorer.record() as trace:
        (w * w).sum().backward()
    assert_same_gradients(trace, "w.trace")
"""
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "explorer.pytest_plugin", "test_step.py"]
    paths = ":".join(one for one in ("" if not sys.path else sys.path[0], *sys.path) if one)
    environment = {"PYTHONPATH": paths, "PATH": ""}
    ended = [
        subprocess.run([*command, *options], cwd=tmp_path, env=environment, check=False)
        for options in ([], ["--update-gold"], [])
    ]
    assert [one.returncode for one in ended] == [1, 0, 0]
