"""The public API as a script uses it."""

from pathlib import Path

import graphviz
import pytest
import torch
from torch import nn

import explorer
from explorer.cli.main import main
from explorer.program import Unusable
from explorer.text import SayableError


def test_record_works_on_the_callers_own_code():
    with explorer.record() as trace:
        w = torch.tensor(1.0, requires_grad=True)
        y = (w + 2.0) * (w + 1)
        y.backward()
    assert (trace["y"].data, trace.gradient("w").item(), len(trace.nodes)) == ((6.0,), 5.0, 4)
    with pytest.raises(KeyError):
        trace.gradient("nothing")
    answer = trace.why("w.grad")
    assert answer.amount == 5.0 and answer.text.startswith("w.grad = 5 = 3 (via w + 1: 3 · 1) + 2 (via w + 2.0: 2 · 1)")
    assert explorer.why(trace, "y", lang="zh").text.startswith("y = 6 = ")
    with pytest.raises(LookupError):
        trace.why("nothing")


def test_a_record_is_saved_and_drawn(tmp_path):
    with explorer.record() as trace:
        w = torch.tensor(1.0, requires_grad=True)
        (w * 3).backward()
    explorer.save(trace, tmp_path / "t.json")
    assert explorer.load(tmp_path / "t.json").gradient("w")["data"] == 3.0
    assert "w * 3" in explorer.draw(trace).svg()
    assert repr(explorer.draw(trace)) == "<Picture of a program: 2 cards>"
    shown = trace._repr_html_()
    assert shown.startswith("<iframe") and "&lt;svg" in shown and "<svg" not in shown


def test_run_takes_a_text_or_a_path(tmp_path):
    (tmp_path / "p.py").write_text("n = torch.tensor(4)\n")
    assert explorer.run(tmp_path / "p.py")["n"].data == explorer.run("n = torch.tensor(4)\n")["n"].data == (4,)


def test_text_with_a_lone_surrogate_is_unusable():
    with pytest.raises(Unusable):
        explorer.run("x = '\ud800'")


def test_run_does_not_take_a_file_name_for_a_program(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text("x = 1")
    with pytest.raises(ValueError, match=r'run\(Path\("train.py"\)\)'):
        explorer.run("train.py")


def test_run_takes_the_options_of_a_run():
    light = explorer.run("n = torch.rand(1)\n", detail="light", seed=7)
    assert (light.options.detail, light.options.seed) == ("light", 7)
    assert explorer.run("n = torch.rand(1)\n", seed=7)["n"] == light["n"]


def test_a_picture_saves_three_formats():
    drawn = explorer.draw(explorer.run("w = torch.tensor(1., requires_grad=True)\n(w * 2).backward()\n"))
    assert drawn.svg().startswith("<svg") and drawn.dot().startswith("digraph") and drawn.html().startswith("<!doctype")


def test_a_pictures_graph_can_be_restyled_with_graphviz():
    drawn = explorer.draw(explorer.run("w = torch.tensor(3., requires_grad=True)\n(w * 2).backward()\n"))
    graph = drawn.graph
    assert isinstance(graph, graphviz.Digraph) and "value 3" in graph.source
    graph.attr("node", shape="ellipse", fillcolor="lightgrey")
    assert "fillcolor=lightgrey shape=ellipse" in graph.source and "ellipse" not in drawn.dot()


def test_a_model_is_drawn_by_one_call_up_to_its_error():
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    picture = explorer.draw(net, torch.ones(5, 3))
    assert {"net.0.weight", "net.2.bias"} <= {card.title for card in picture.view.cards}
    wrong = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(5, 1))
    with pytest.warns(RuntimeWarning, match="shapes cannot be multiplied"):
        picture = explorer.draw(wrong, torch.ones(5, 3))
    stopped = picture.view.cards[-1]
    assert stopped.title == "wrong.2(…)" and stopped.failed and not stopped.name
    assert "wrong.1(…)" in {card.title for card in picture.view.cards}


def test_a_model_is_drawn_with_the_keywords_of_its_batch():
    class Scorer(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(3, 1)

        def forward(self, features, mask=None):
            return self.layer(features) if mask is None else self.layer(features) * mask

    model, batch = Scorer(), {"features": torch.ones(5, 3), "mask": torch.ones(5, 1)}
    picture = explorer.draw(model, **batch, lang="zh")
    assert {"features", "mask"} <= {card.title for card in picture.view.cards} and picture.lang == "zh"
    with pytest.raises(TypeError, match="bakward"):
        explorer.draw(explorer.run("x = torch.ones(2, requires_grad=True)\nx.sum().backward()"), bakward=1)


def test_a_recording_that_raised_is_drawn_up_to_the_error():
    with pytest.raises(RuntimeError), explorer.record() as trace:
        (torch.ones(2, 3) @ torch.ones(2, 3)).sum().backward()
    assert [card.title for card in explorer.draw(trace).view.cards if card.failed] == [
        "torch.ones(2, 3) @ torch.ones(2, 3)"
    ]


def test_the_graph_behind_a_tensor_is_drawn_without_a_recording():
    w = torch.ones(3, requires_grad=True)
    loss = (w**2).sum()
    picture = explorer.draw(loss)
    assert [card.title for card in picture.view.cards] == ["w", "PowBackward0", "SumBackward0"]
    assert w.grad is None


def test_a_recording_may_contain_only_the_backward():
    """The graph was created earlier, so only nodes, gradients and leaves are known."""
    net = nn.Linear(3, 1)
    loss = net(torch.ones(2, 3)).square().sum()
    with explorer.record() as trace:
        loss.backward()
    assert "net.weight" in explorer.draw(trace).svg()
    report = trace.report()
    assert report.sound and [row.state for row in report.parameters] == ["flows", "flows"]


def test_an_unreadable_run_has_one_sentence_and_one_log_line(tmp_path, monkeypatch, capfd):
    with explorer.record() as trace:
        torch.ones(2, requires_grad=True).sum().backward()
    explorer.save(trace, tmp_path / "run.trace")
    monkeypatch.setattr("explorer.analysis.diagnose.health.report_contents._losses", lambda trace: {}[repr(trace)])
    with pytest.raises(SayableError, match="could not be shown: KeyError") as told:
        explorer.load(tmp_path / "run.trace").report()
    assert told.value.__suppress_context__ and "Trace" not in str(told.value)
    assert capfd.readouterr().err.count("undrawn") == 1
    assert main(["report", str(tmp_path / "run.trace")]) == 2
    said = capfd.readouterr().err.splitlines()
    assert len(said) == 2 and "Trace" not in said[0] + said[1] and "could not be shown" in said[1]
