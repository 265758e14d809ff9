"""`record --on EVENT`: the step of a script in which something happens."""

import math
import subprocess
import sys

import pytest

import explorer
from explorer.cli.main import main

SCRIPT = """
import torch
torch.manual_seed(0)
x = torch.ones(40, 2)
x[30] = float("nan")
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x), batch_size=4, shuffle=True)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for (batch,) in loader:
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(batch), torch.zeros(4, 1))
    loss.backward()
    try:
        optimizer.step()
    except Exception:
        print("caught")
print("end")
"""


def _record(folder, text, event):
    (folder / "train.py").write_text(text)
    command = [sys.executable, "-m", "explorer", "record", "--on", event, "-o", str(folder / "step.trace")]
    return subprocess.run([*command, str(folder / "train.py")], capture_output=True, text=True, check=False)


@pytest.mark.thorough
def test_the_step_with_nan_is_recorded_and_its_sample_named(tmp_path):
    ended = _record(tmp_path, SCRIPT, "nonfinite")
    assert ended.returncode == 0, ended.stderr
    assert "Sample 30 " in ended.stdout and "bit by bit" in ended.stdout
    assert "caught" not in ended.stdout and "end\n" not in ended.stdout
    trace = explorer.load(tmp_path / "step.trace")
    assert len(trace.backwards) == 1 and math.isnan(trace["loss"].item())


@pytest.mark.thorough
def test_without_the_event_the_script_runs_once_to_its_end(tmp_path):
    ended = _record(tmp_path, SCRIPT.replace('float("nan")', "1.0"), "loss_jump:50")
    assert (ended.returncode, ended.stdout.count("end\n")) == (0, 1)
    assert not (tmp_path / "step.trace").exists()


def test_an_unknown_event_is_refused_before_the_script_runs(tmp_path, capfd):
    (tmp_path / "train.py").write_text("print('ran')")
    assert main(["record", "--on", "sometimes", str(tmp_path / "train.py")]) == 2
    printed = capfd.readouterr()
    assert printed.out == "" and "nonfinite" in printed.err
