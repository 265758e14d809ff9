"""bisect: in a repository of five commits, the first whose gradients differ."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.cli.main import main

ROOT = Path(__file__).parents[2]

MODEL = "import torch\n\ndef loss(net):\n    return net(torch.ones(2, 3)).square().mean()\n"
TRAIN = """import torch
from model import loss

torch.manual_seed(0)
net = torch.nn.Linear(3, 1)
loss(net).backward()
"""
COMMITS = {  # what each of them changes
    "Begin": {"model.py": MODEL, "train.py": TRAIN},
    "Say more": {"train.py": TRAIN + "print('trained')\n"},
    "Explain": {"train.py": f"# one step\n{TRAIN}"},
    "Scale the loss": {"train.py": TRAIN, "model.py": MODEL.replace(".mean()", ".mean() * 2")},
    "Write a note": {"notes.txt": "later\n"},
}


def git(*words: str) -> str:
    own = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for role in ("AUTHOR", "COMMITTER"):
        own |= {f"GIT_{role}_NAME": "A", f"GIT_{role}_EMAIL": "a@example.org"}
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True, env=own).stdout


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with COMMITS, in which the test stands."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    git("init", "-q", "-b", "main")
    for title, files in COMMITS.items():
        for name, text in files.items():
            Path(name).write_text(text, encoding="utf-8")
        git("add", "-A")
        git("commit", "-q", "-m", title)


def bisect(*words: str) -> int:
    return main(["bisect", *words])


@pytest.mark.thorough
def test_the_first_commit_whose_gradients_differ(repository, capsys):
    assert bisect("HEAD~4", "HEAD", "--", sys.executable, "train.py") == 0
    told = capsys.readouterr().out.splitlines()
    assert told[-3].endswith("Scale the loss") and told[-2].startswith("  net.weight: norm")
    assert git("status", "--porcelain", "-b").split() == ["##", "main"]  # the branch is where it was


@pytest.mark.thorough
def test_where_the_command_fails_at_a_commit_beside_it_both_are_named(repository, capsys):
    Path("train.py").write_text("raise SystemExit('not finished')\n", encoding="utf-8")
    git("commit", "-q", "-a", "-m", "Break it")
    Path("train.py").write_text(TRAIN.replace("backward", "sqrt().backward"), encoding="utf-8")
    git("commit", "-q", "-a", "-m", "Mend it, otherwise")
    assert bisect("HEAD~2", "HEAD", "--", sys.executable, "train.py") == 2
    said = capsys.readouterr()
    assert "Break it: skipped" in said.out and "Break it" in said.err and "otherwise" in said.err
    assert bisect("HEAD~1", "HEAD", "--", sys.executable, "train.py") == 2
    assert "not finished" in capsys.readouterr().err


@pytest.mark.thorough
def test_two_commits_with_equal_gradients_agree_and_a_test_is_bisected_too(repository, capsys):
    assert bisect("HEAD~4", "HEAD~3", "--", sys.executable, "train.py") == 1
    test = "import torch\nfrom model import loss\n\ndef test_step(recorded):\n    torch.manual_seed(0)\n"
    test += "    net = torch.nn.Linear(3, 1)\n    with recorded():\n        loss(net).backward()\n"
    Path("test_it.py").write_text(test, encoding="utf-8")  # it need not be committed
    command = [sys.executable, "-m", "pytest", "-p", "explorer.pytest_plugin", "-p", "no:cacheprovider", "test_it.py"]
    assert bisect("HEAD~2", "HEAD~1", "--", *command) == 0
    assert "Scale the loss" in capsys.readouterr().out


def test_what_cannot_be_bisected_is_said_before_anything_is_checked_out(repository, tmp_path, monkeypatch, capsys):
    here = git("rev-parse", "HEAD")
    assert bisect("HEAD~4", "HEAD", "--", "make") == 2 and bisect("HEAD~9", "HEAD", "--", "pytest") == 2
    Path("train.py").write_text("changed\n", encoding="utf-8")
    assert bisect("HEAD~4", "HEAD", "--", "pytest") == 2
    assert "git stash" in capsys.readouterr().err and git("rev-parse", "HEAD") == here
    outside = tmp_path.parent / "outside"
    outside.mkdir()
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.chdir(outside)
    assert bisect("HEAD~4", "HEAD", "--", "pytest") == 2
