"""report, compare, record and open on the command line, and runs saved in files."""

import json

import pytest

import explorer
from explorer.cli.main import main
from explorer.trace import encode
from tests.traces import trace_of

SQUARE = "import torch\na = torch.tensor(3., requires_grad=True)\nb = a * a\nb.backward()\n"


@pytest.fixture
def saved(tmp_path):
    """Return the path of a saved run of SQUARE."""
    path = tmp_path / "square.trace"
    explorer.save(trace_of(SQUARE), path)
    return path


def test_a_trace_is_saved_compactly_and_read_back_whole(saved, tmp_path):
    loaded = explorer.load(saved)
    assert saved.stat().st_size == len(encode(trace_of(SQUARE)))
    assert loaded.gradient("a").item() == 6 and "a * a" in explorer.draw(loaded).svg()
    assert explorer.compare(loaded, trace_of(SQUARE)).same and str(loaded).startswith("<Trace: ")
    assert loaded.report().parameters["a"].state == "flows"
    with pytest.raises(ValueError, match=r"\.trace .* or \.json"):
        explorer.save(loaded, tmp_path / "square.pt")
    for broken in (b"", b"\x81", saved.read_bytes()[:-3], saved.read_bytes().replace(b"\xa4span", b"\xa4spam")):
        (tmp_path / "broken.trace").write_bytes(broken)
        with pytest.raises(ValueError, match="no saved Trace"):
            explorer.load(tmp_path / "broken.trace")


def test_an_untrusted_file_is_limited_and_checked(tmp_path, monkeypatch, saved):
    """Nothing in it is trusted: oversized, deep, truncated and invalid files have a sentence."""
    trace, wrong = tmp_path / "x.trace", tmp_path / "x.json"
    for data, why in ((b"\x90" * 9, "no saved Trace"), (b"\x91" * 10**5, "no saved Trace"), (b"\x93\xdd", "cut off")):
        trace.write_bytes(data)
        with pytest.raises(ValueError, match=why):
            explorer.load(trace)
    rows = '"cells": [], "operations": [], "tensors": [], "backwards": []'
    for text, why in (
        ("[" * 10**5, "too deep"),
        ("\xe9", "ascii"),
        ("{}", "schema 1"),
        ('{"schema": 1, "nodes": [1]}', "cells"),
        (f'{{"schema": 1, {rows}, "nodes": [1]}}', "nodes are no list of objects"),
        (f'{{"schema": 1, {rows}, "nodes": []}}', "how the run ended"),
    ):
        wrong.write_text(text, encoding="latin-1")
        with pytest.raises(ValueError, match=why):
            explorer.load(wrong)
    read = explorer.load(saved)
    monkeypatch.setattr("explorer.api.saved_files.MOST_SAVED", 100)
    monkeypatch.setattr("explorer.api.saved_files.MOST_FILE", 100)
    with pytest.raises(ValueError, match="more than"):
        explorer.load(saved)
    with pytest.raises(ValueError, match="record less"):
        explorer.save(read, tmp_path / "again.trace")
    assert not (tmp_path / "again.trace").exists()


def test_a_saved_run_has_a_report(saved, capsys):
    assert main(["report", str(saved)]) == 0
    assert "a has a finite gradient (norm 6)" in capsys.readouterr().out
    assert main(["report", str(saved), "--modules"]) == 0 and "Parameters: 1" in capsys.readouterr().out
    assert main(["report", str(saved), "--json", "--lang", "zh"]) == 0
    assert json.loads(capsys.readouterr().out)["parameters"][0]["name"] == "a"
    assert main(["report", str(saved), "--backward", "9"]) == 2 and main(["report", "nothing.trace"]) == 2


def test_saved_runs_are_drawn_explained_and_compared(saved, tmp_path, capsys):
    other = tmp_path / "other.trace"
    explorer.save(trace_of(SQUARE.replace("a * a", "a * a * 2")), other)
    assert main(["draw", str(saved), "-o", str(tmp_path / "p.svg")]) == 0 and main(["why", str(saved), "a.grad"]) == 0
    capsys.readouterr()
    assert main(["compare", str(saved), str(saved)]) == 0 and main(["compare", str(saved), str(other)]) == 1
    assert "Only in B (1): a * a * 2" in capsys.readouterr().out
    assert main(["compare", str(saved), str(tmp_path / "none.trace")]) == 2
    assert main(["compare", str(saved), str(other), "--json"]) == 1
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["same"] is False


SCRIPT = """import sys, torch
from beside import factor
a = torch.tensor(3.0, requires_grad=True)
(a * factor).backward()
print(__name__, sys.argv[1:], a.grad.item())
sys.exit(4)
"""


def test_record_runs_a_script_like_python_and_reports(tmp_path, monkeypatch, capsys):
    (tmp_path / "beside.py").write_text("factor = 5.0\n")
    (tmp_path / "train.py").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)
    assert main(["record", "train.py", "--lr", "0.1"]) == 4
    told = capsys.readouterr()
    assert told.out.startswith("__main__ ['--lr', '0.1'] 5.0\n") and "with all your permissions, unconfined" in told.err
    assert "a has a finite gradient (norm 5)" in told.out and "explorer open train.trace" in told.out
    trace = explorer.load(tmp_path / "train.trace")
    assert trace.gradient("a").item() == 5 and trace.cells[0].source == SCRIPT
    assert trace.text(trace.operations.span[0]) == "torch.tensor(3.0, requires_grad=True)"


def test_record_runs_a_package_by_its_name(tmp_path, monkeypatch, capsys):
    (tmp_path / "workshop" / "deep").mkdir(parents=True)
    (tmp_path / "workshop" / "sizes.py").write_text("factor = 5.0\n")
    (tmp_path / "workshop" / "deep" / "train.py").write_text(SCRIPT.replace("from beside", "from ..sizes"))
    monkeypatch.chdir(tmp_path)
    assert main(["record", "-m", "workshop.deep.train", "--lr", "0.1"]) == 4
    assert capsys.readouterr().out.startswith("__main__ ['--lr', '0.1'] 5.0\n")
    assert explorer.load("train.trace").gradient("a").item() == 5
    assert main(["record", "-m", "workshop.none"]) == 2 and "workshop.none" in capsys.readouterr().err


def test_each_rank_of_torchrun_saves_its_own_file(tmp_path, monkeypatch, capsys):
    (tmp_path / "train.py").write_text("import torch\ntorch.ones(2, requires_grad=True).sum().backward()\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "1")
    assert main(["record", "train.py"]) == 0 and main(["record", "-o", "two.json", "train.py"]) == 0
    assert {path.name for path in tmp_path.glob("*.rank*")} == {"train.rank1.trace", "two.rank1.json"}
    assert "explorer open train.rank1.trace" in capsys.readouterr().out


LONG = """import torch
w = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([w], 0.001)
for _ in range(1300):
    loss = (torch.ones(3) * w).square().sum()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.thorough
def test_report_finds_the_fault_of_a_training_too_long_for_the_app(tmp_path, monkeypatch, capsys):
    (tmp_path / "train.py").write_text(LONG)
    monkeypatch.chdir(tmp_path)
    assert main(["record", "--detail", "light", "train.py"]) == 0
    assert "explorer report train.trace" in capsys.readouterr().out  # the app would refuse it
    assert main(["open", "train.trace"]) == 2 and main(["report", "train.trace"]) == 0
    assert "w.grad was not cleared" in capsys.readouterr().out


def test_record_reports_unrunnable_files_and_keeps_failed_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wrong.py").write_text("a = (\n")
    assert main(["record", "wrong.py"]) == 2 and main(["record", "none.py"]) == 2
    assert main(["record", "-o", "t.pt", "wrong.py"]) == 2
    (tmp_path / "fails.py").write_text("import torch\nt = torch.ones(2)\nundefined\n")
    assert main(["record", "fails.py"]) == 1
    told = capsys.readouterr()
    assert 'File "fails.py", line 3' in told.err and "script.py" not in told.err
    assert "NameError" in told.out and explorer.load("fails.trace")["t"].data == (1, 1)


def test_open_refuses_files_that_are_not_traces(tmp_path, capsys):
    (tmp_path / "x.trace").write_bytes(b"\x93\x01")
    assert main(["open", str(tmp_path / "x.trace")]) == 2 and main(["open", str(tmp_path / "y.trace")]) == 2
    told = capsys.readouterr().err
    assert "x.trace is not a saved run" in told and "y.trace could not be read" in told


def test_a_session_starts_with_the_saved_run_without_running_it(saved, monkeypatch):
    from explorer.cli.commands.app_server import OPENED
    from explorer.trace import Options
    from explorer.ui.session import saved_run

    monkeypatch.setenv(OPENED, str(saved))
    saved_run.saved_run.cache_clear()
    try:
        document = saved_run.saved_document()
        assert document.texts == (SQUARE,) and document.name == "square.py"
        assert saved_run.saved_result((SQUARE,), Options()).nodes == trace_of(SQUARE).nodes
        assert saved_run.saved_result((SQUARE + "#",), Options()) is None
        assert saved_run.saved_result((SQUARE,), Options(of="a")) is None
    finally:
        saved_run.saved_run.cache_clear()


def test_check_exits_with_1_for_an_unsound_program(tmp_path, saved, capsys):
    broken = tmp_path / "broken.py"
    broken.write_text(
        "import torch\nw = torch.zeros(2, requires_grad=True)\noptimizer = torch.optim.SGD([w], 0.1)\n"
        "w.sqrt().mul(0).sum().backward()\noptimizer.step()\n"
    )
    assert main(["check", str(saved)]) == 0 and "sound" in capsys.readouterr().out
    assert main(["check", str(saved), str(broken)]) == 1
    assert capsys.readouterr().out.splitlines()[1:] == [f"{broken}: 1 fault: nan_backward (line 4)"]
    assert main(["check", str(broken), "--allow", "nonfinite", "--json"]) in (0, 1)
    assert json.loads(capsys.readouterr().out)["path"] == str(broken)


def test_check_shows_notes_and_says_what_was_not_checked(tmp_path, capsys):
    head = "import torch\nfrom torch import nn\nx, y = torch.randn(8, 2), torch.randn(8, 1)\n"
    early, drawn = tmp_path / "early.py", tmp_path / "drawn.py"
    early.write_text(
        head + "net = nn.Linear(2, 1)\noptimizer = torch.optim.SGD(net.parameters(), 0.1)\n"
        "schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)\nfor _ in range(3):\n"
        "    optimizer.zero_grad()\n    (net(x) - y).square().mean().backward()\n"
        "    schedule.step()\n    optimizer.step()\n"
    )
    drawn.write_text(
        head + "import os\nw = torch.ones(2, requires_grad=True)\n(x @ w * os.urandom(1)[0]).sum().backward()\n"
    )
    assert main(["check", str(early), str(drawn)]) == 0
    found = capsys.readouterr().out
    assert "early.py: sound if its notes are intended: schedule_first (line 10)" in found and "not checked" in found
    assert ": sound\n" not in found


def test_check_calls_no_program_sound_whose_gradients_are_not_its_slopes(tmp_path, capsys):
    program = tmp_path / "custom.py"
    program.write_text(
        "import torch\nclass Cube(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        ctx.save_for_backward(x)\n        return x ** 3\n    @staticmethod\n    def backward(ctx, g):\n"
        "        return g * 2 * ctx.saved_tensors[0] ** 2\n"
        "w = torch.tensor([1., 2.], requires_grad=True)\nCube.apply(w).sum().backward()\n"
    )
    assert main(["check", str(program)]) == 0
    found = capsys.readouterr().out
    assert ": sound" not in found and "w (line 11)" in found
    for command in ("check", "report"):
        main([command, str(program), "--json"])
        assert json.loads(capsys.readouterr().out)["differs"]
    assert main(["check", "nothing.trace"]) == 2


def test_check_names_a_path_that_the_program_cuts(tmp_path, capsys):
    program = tmp_path / "cut.py"
    program.write_text(
        "import torch\nw = torch.tensor(0.7, requires_grad=True)\nx = torch.tensor(1.0, requires_grad=True)\n"
        "g, = torch.autograd.grad(w * x, x)\nloss = w * (x - g).detach()\nloss.backward()\n"
    )
    assert main(["check", str(program)]) == 0
    assert "except where the program leaves the graph on purpose" in capsys.readouterr().out


def test_check_names_the_leaves_of_an_unexplained_difference(tmp_path, capsys):
    program = tmp_path / "scores.py"  # ctc_loss assumes in its backward that rows of probabilities sum to 1
    program.write_text(
        "import torch\nscores = torch.randn(5, 2, 4, requires_grad=True)\nsizes = torch.tensor([5, 5])\n"
        "words = torch.tensor([[1, 2], [2, 3]])\n"
        "torch.nn.functional.ctc_loss(scores, words, sizes, torch.tensor([2, 2])).backward()\n"
    )
    main(["check", str(program)])
    assert "differ from finite differences: scores" in capsys.readouterr().out
    main(["report", str(program)])
    assert "The gradients of scores differ" in capsys.readouterr().out
