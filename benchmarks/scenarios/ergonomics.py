"""What the calls say about wrong arguments, and how their answers read."""

import inspect
import json
from pathlib import Path

import torch
from torch import nn

import explorer
from benchmarks.scenarios import data, mlp, scenario, told


def _small(record, **given):
    net, x = mlp(3, 4, 1), data(5, 3)
    with record(**given) as trace:
        hidden = net[0](x)
        loss = net[2](hidden.relu()).square().mean()
        loss.backward()
    return net, trace


@scenario
def wrong_arguments(record):
    """Each wrong argument is an error with a sentence that says what was expected."""
    net, trace = _small(record)
    calls = {
        lambda: explorer.draw(None): "Trace",
        lambda: explorer.draw(net): "Trace",
        lambda: explorer.why(trace, 1): "name",
        lambda: trace.why(1): "name",
        lambda: trace.why("loss", lang="de"): "lang",
        lambda: trace.report(lang="de"): "lang",
        lambda: trace.report(backward=9): "backward",
        lambda: trace.report(backward="last"): "backward",
        lambda: trace.report(allow=3): "allow",
        lambda: trace.gradient("loss", backward=0): "backward",
        lambda: trace.gradient(3): "name",
        lambda: trace.tensor("nett.0.weight"): "net.0.weight",
        lambda: trace.grad("lost"): "loss",
        lambda: trace.operations[99]: "index",
        lambda: trace.nodes["x"]: "number",
        lambda: trace.backwards[4]: "index",
        lambda: trace.tensors.where(nam="x"): "nam",
        lambda: trace.operations.where(module=3): "module",
        lambda: trace.operations.where(name=3): "where()",
        lambda: explorer.draw(trace, open="encoder"): "encoder",
        lambda: explorer.draw(trace, open=3): "open",
        lambda: explorer.draw(trace, backward=2): "backward",
        lambda: explorer.draw(trace).save("graph.xyz"): ".xyz",
        lambda: explorer.compare(trace, None): "Trace",
        lambda: explorer.compare(trace, trace, rtol="small"): "rtol",
        lambda: explorer.record(detail="full"): "detail",
        lambda: explorer.record(full=3): "full",
        lambda: explorer.record(max_bytes="1 MB"): "max_bytes",
        lambda: explorer.save(trace, "run.pkl"): ".trace",
        lambda: explorer.save(trace, None): "file",
        lambda: explorer.load("nothing.trace"): "nothing.trace",
        lambda: explorer.load(None): "file",
        lambda: explorer.run(3): "Path",
        lambda: explorer.run("1", sed=1): "seed",
        lambda: explorer.watch(3, out="x"): "Module",
        lambda: explorer.watch(net, 3, out="x"): "optimizer",
        lambda: explorer.watch(net, every=0, out="x"): "every",
        lambda: trace.steps.entries("w"): "training steps",
        lambda: trace.training(): "backward",
    }

    def facts():
        for call, part in calls.items():
            message = told(call, TypeError, ValueError, LookupError, OSError, AttributeError)
            source = inspect.getsource(call).strip()
            assert part in message and len(message) < 400 and " " in message, f"{source} {message!r}"

    return net, facts


@scenario
def rows_and_filters(record):
    """Operations, nodes and tensors as rows, by index, slice, loop, module and name."""
    net, trace = _small(record)

    def facts():
        assert [operation.name for operation in trace.operations.where(module="net.2")] == ["linear"]
        assert [tensor.name for tensor in trace.operations[0].inputs] == ["x", "net.0.weight", "net.0.bias"]
        assert [node.name for node in trace.nodes.where(name="Pow*")] == ["PowBackward0"]
        assert len(trace.nodes[2:4]) == 2 and trace.operations[-1].code
        assert len(list(trace.tensors.where(name="net.*"))) == 4

    return net, facts


@scenario
def short_reprs(record):
    """repr of everything fits a few lines; in Jupyter a table or a picture."""
    net, trace = _small(record)

    def facts():
        answers = [trace, trace.why("loss"), trace.report().parameters[0], trace["net.0.weight"], trace.operations[0]]
        answers += [trace.backwards[0], explorer.draw(trace), explorer.compare(trace, trace), trace.report()]
        answers += [
            trace.gradients(),
            trace.parameters(),
            trace.memory(),
            trace.nonfinite(),
            trace.backwards,
            trace.cells,
        ]
        for answer in answers:
            assert len(repr(answer)) < 2000, (type(answer), len(repr(answer)))
        shown = [trace.why("loss"), trace.report(), trace.parameters(), trace.operations, trace.memory()]
        assert all("<" in answer._repr_html_() for answer in shown)
        assert "svg" in trace._repr_html_() and len(trace._repr_html_()) < 2_000_000

    return net, facts


@scenario
def a_function_recorded(record):
    """`@explorer.record()` records each call; without brackets it says what is missing."""
    net, x = mlp(3, 4, 1), data(5, 3)

    @explorer.record()
    def step(batch):
        result = net(batch).square().mean()
        result.backward()
        return result.item()

    def facts():
        assert step(x) > 0 and step.trace.report().sound and step.trace["result"] is not None
        assert "explorer.record()" in told(lambda: explorer.record(step), TypeError)

    return None, facts


@scenario
def full_tensors(record):
    """full= keeps whole gradients bit for bit; without it the error says which full= would."""
    wide, x = nn.Linear(100, 50), data(4, 100)
    with record(full=["*.grad"]) as trace:
        loss = wide(x).square().mean()
        loss.backward()

    def facts():
        assert torch.equal(trace.gradient("wide.weight").tensor, wide.weight.grad)
        assert torch.equal(trace.tensor("wide.weight.grad"), wide.weight.grad)
        assert 'full=["wide.weight"]' in told(lambda: trace.tensor("wide.weight"), LookupError)
        assert trace.tensor("loss").item() == loss.item()

    return wide, facts


@scenario
def saved_and_read_back(record, tmp="scenario"):
    """A `.trace` answers as before, `.json` fits the published schema."""
    import tempfile

    net, trace = _small(record)

    def facts():
        folder = Path(tempfile.mkdtemp())
        explorer.save(trace, folder / "run.trace")
        explorer.save(trace, folder / "run.json")
        again = explorer.load(folder / "run.trace")
        explorer.draw(again).save(folder / "run.svg")
        assert (folder / "run.svg").read_text() == explorer.draw(trace).svg(standalone=True)
        assert str(again.report()) == str(trace.report()) and str(again.why("loss")) == str(trace.why("loss"))
        assert explorer.draw(again).svg(standalone=True) == explorer.draw(trace).svg(standalone=True)
        schema = json.loads(Path("docs/schema.json").read_text())
        made = json.loads((folder / "run.json").read_text())
        assert set(made) <= set(schema.get("properties") or next(iter(schema["$defs"].values()))["properties"])
        assert "save it as .trace" in told(lambda: explorer.draw(explorer.load(folder / "run.json")), TypeError)

    return net, facts


@scenario
def two_runs_compared(record):
    """The same program twice is the same; with another rate the first difference is found by name."""
    traces = []
    for rate in (0.1, 0.1, 0.2):
        torch.manual_seed(0)
        net, x = mlp(3, 4, 1), data(5, 3)
        optimizer = torch.optim.SGD(net.parameters(), lr=rate)
        with record() as trace:
            for _ in range(2):
                optimizer.zero_grad()
                loss = net(x).square().mean()
                loss.backward()
                optimizer.step()
        traces.append(trace)

    def facts():
        assert explorer.compare(*traces[:2]).same
        differing = explorer.compare(traces[0], traces[2])
        assert not differing.same and differing.first is not None
        assert {pair.name for pair in differing.parameters} == {f"net.{name}" for name, _ in net.named_parameters()}

    return net, facts


@scenario
def without_pandas(record):
    """Where pandas is missing the message has the command."""
    import sys

    net, trace = _small(record)

    def facts():
        hidden = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "pandas"}
        sys.modules.update(dict.fromkeys(hidden or ["pandas"]))
        try:
            assert "pip install pandas" in told(lambda: trace.gradients().to_pandas(), ImportError)
        finally:
            for name in ["pandas", *hidden]:
                sys.modules.pop(name, None)
            sys.modules.update(hidden)

    return net, facts


@scenario
def in_chinese(record):
    """lang="zh" answers in 中文 throughout."""
    net, trace = _small(record)

    def facts():
        for answer in (trace.report(lang="zh"), trace.why("loss", lang="zh"), trace.memory(lang="zh")):
            assert any("\u4e00" <= letter <= "\u9fff" for letter in str(answer)), answer
        assert explorer.draw(trace, lang="zh").svg(standalone=True)

    return net, facts


@scenario
def while_it_runs(record):
    """Asking a recording before its `with` has ended says so."""
    with record() as trace:
        w = torch.tensor(2.0, requires_grad=True)
        early = None if trace is None else told(lambda: trace.report(), RuntimeError)
        (w * w).backward()

    def facts():
        assert "still running" in early and len(trace.nodes) == 2

    return w, facts


@scenario
def nested_recordings(record):
    """A recording inside a recording: both are whole."""
    w = torch.tensor(2.0, requires_grad=True)
    with record() as outer:
        a = w * 3
        with record() as inner:
            b = a * a
            b.backward()

    def facts():
        assert outer.gradient("w").item() == 36 and inner["b"].item() == 36, (outer, inner)

    return w, facts
