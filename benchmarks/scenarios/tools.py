"""The command line, pytest, Jupyter and trainings that are watched, each as its user starts it."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

import explorer
from benchmarks.scenarios import data, mlp, scenario

SOUND = "w = torch.tensor([1., 2.], requires_grad=True)\nloss = (w ** 2).sum()\nloss.backward()\n"
CUT = """
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
hidden = net(torch.ones(2, 3)).detach()
loss = (hidden + torch.zeros(1, requires_grad=True)).sum()
loss.backward()
optimizer.step()
"""


def _files(**sources):
    folder = Path(tempfile.mkdtemp())
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source)
    return folder


def _run(*words, **given):
    return subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, **given)


@scenario
def command_check(record):
    """`check` in CI: 0 and a line for the sound one, 1 and the report for the other; --allow accepts it."""

    def facts():
        folder = _files(sound=SOUND, cut=CUT)
        good = _run("explorer", "check", str(folder / "sound.py"))
        bad = _run("explorer", "check", str(folder / "cut.py"))
        assert good.returncode == 0, good.stdout + good.stderr
        assert bad.returncode == 1 and "net.weight" in bad.stdout, bad.stdout + bad.stderr
        kinds = {
            found["kind"]
            for found in json.loads(_run("explorer", "check", "--json", str(folder / "cut.py")).stdout)["diagnoses"]
        }
        allow = [word for kind in kinds for word in ("--allow", kind)]
        assert _run("explorer", "check", *allow, str(folder / "cut.py")).returncode == 0, kinds

    return None, facts


@scenario
def command_run_why_draw(record):
    """run --json, why and draw of the same program agree; wrong names end with 2 or 1 and a sentence."""

    def facts():
        folder = _files(sound=SOUND)
        path = str(folder / "sound.py")
        found = json.loads(_run("explorer", "run", path, "--json").stdout)
        assert found["status"] == "ok" and found["schema"] == 1
        leaf = next(tensor for tensor in found["tensors"] if tensor["is_leaf"])
        assert leaf["grad"]["data"] == [2, 4]
        assert "= 4" in _run("explorer", "why", path, "w.grad[1]").stdout
        drawn = _run("explorer", "draw", path, "-o", str(folder / "graph.svg"))
        assert drawn.returncode == 0 and (folder / "graph.svg").read_text().startswith("<")
        wrong = _run("explorer", "why", path, "v.grad")
        assert wrong.returncode and "v" in wrong.stderr + wrong.stdout and "Traceback" not in wrong.stderr

    return None, facts


@scenario
def command_record(record):
    """`record train.py` runs a script as it stands, saves its recording and reports; check reads the file."""

    def facts():
        folder = _files(train="import torch, sys\nassert sys.argv[1] == '--epochs'\n" + CUT)
        done = _run("explorer", "record", "-o", str(folder / "t.trace"), str(folder / "train.py"), "--epochs")
        assert "net.weight" in done.stdout + done.stderr, done
        assert _run("explorer", "check", str(folder / "t.trace")).returncode == 1
        assert _run("explorer", "compare", str(folder / "t.trace"), str(folder / "t.trace")).returncode == 0

    return None, facts


TESTS = """
import pytest, torch
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

@pytest.mark.gradients
def test_flows():
    net(torch.ones(2, 3)).sum().backward()

@pytest.mark.gradients
def test_cut():
    hidden = net[0](torch.ones(2, 3)).detach()
    loss = net[2](hidden).sum()
    loss.backward()
    optimizer.step()

def test_recorded(recorded):
    with recorded() as trace:
        net(torch.ones(2, 3)).sum().backward()
    assert trace.report().sound
"""


@scenario
def pytest_plugin(record):
    """The marker fails a test whose gradient is cut, leaves .trace and .html and names them."""

    def facts():
        folder = _files(test_model=TESTS)
        words = ["pytest", "-p", "explorer.pytest_plugin", "-p", "no:cacheprovider", "-q", str(folder)]
        done = _run(*words, "--explorer-output", str(folder / "left"))
        assert "1 failed, 2 passed" in done.stdout, done.stdout + done.stderr
        assert {path.suffix for path in (folder / "left").rglob("*.*")} == {".trace", ".html"}

    return None, facts


@scenario
def jupyter_magic(record):
    """%%explore in IPython records the cell and binds its trace."""

    def facts():
        from IPython.core.interactiveshell import InteractiveShell

        shell = InteractiveShell()
        shell.run_cell("import torch\n%load_ext explorer\nw = torch.tensor(3., requires_grad=True)")
        done = shell.run_cell("%%explore first\nloss = w ** 2\nloss.backward()")
        assert done.success and shell.user_ns["first"].gradient("w").item() == 6
        assert shell.user_ns["first"].report().losses[0].name == "loss"
        failed = shell.run_cell("%%explore not a name\n1")
        assert "one name" in str(failed.error_in_exec)

    return None, facts


@scenario
def watched_training(record):
    """explorer.watch: one step in ten is on disk, readable while it runs and afterwards."""
    net, x = mlp(3, 4, 1), data(8, 3)
    folder = Path(tempfile.mkdtemp()) / "run"
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    heard = []
    if record.__name__ == "_plain":
        for _ in range(25):
            optimizer.zero_grad()
            net(x).square().mean().backward()
            optimizer.step()
        return net, None
    with explorer.watch(net, optimizer, every=10, share=None, out=folder, to=lambda step, found: heard.append(step)):
        for number in range(25):
            optimizer.zero_grad()
            net(x).square().mean().backward()
            optimizer.step()
            if number == 15:
                middle = [step.step for step in explorer.load(folder).steps]

    def facts():
        run = explorer.load(folder)
        assert [step.step for step in run.steps] == [1, 10, 20] and middle == [1, 10] and heard == [1, 10, 20]
        assert run.trace(10).report().sound, run.trace(10).report()
        assert {"net.0.weight", "0.weight"} & {row.name for row in run.trace(20).report().parameters}
        assert len(run.to_pandas()) == 3

    return net, facts


@scenario
def lightning_callback(record):
    """A Lightning training with LightningWatch: the steps due are there, sound and named."""
    import lightning

    from explorer.callbacks import LightningWatch

    folder = Path(tempfile.mkdtemp()) / "run"

    class Lit(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = mlp(3, 4, 1)

        def training_step(self, batch, _):
            return self.net(batch).square().mean()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.01)

    def facts():
        model = Lit()
        trainer = lightning.Trainer(
            max_epochs=1,
            accelerator="cpu",
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            callbacks=[LightningWatch(every=4, share=None, out=folder)],
        )
        trainer.fit(model, torch.utils.data.DataLoader(data(48, 3), batch_size=4))
        run = explorer.load(folder)
        assert [step.step for step in run.steps] == [1, 4, 8, 12]
        assert run.trace(8).report().sound, run.trace(8).report()

    return None, facts


@scenario
def transformers_callback(record):
    """Hugging Face's Trainer with TransformersWatch."""
    from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

    from explorer.callbacks import TransformersWatch

    folder = Path(tempfile.mkdtemp())

    def facts():
        sizes = dict(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, vocab_size=20)
        model = BertForSequenceClassification(BertConfig(**sizes))
        examples = [{"input_ids": torch.arange(4) + n % 10, "labels": n % 2} for n in range(32)]
        arguments = TrainingArguments(
            folder / "hf", max_steps=8, per_device_train_batch_size=4, report_to=[], use_cpu=True, save_strategy="no"
        )
        watch = TransformersWatch(every=4, share=None, out=folder / "run")
        Trainer(model=model, args=arguments, train_dataset=examples, callbacks=[watch]).train()
        run = explorer.load(folder / "run")
        assert [step.step for step in run.steps] == [1, 4, 8]
        assert run.trace(8).report().sound, run.trace(8).report()

    return None, facts
