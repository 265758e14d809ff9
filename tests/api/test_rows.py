"""Operations, nodes and tensors as rows, their names and patterns, and how answers show themselves."""

import warnings
from types import SimpleNamespace

import pytest
import torch
from torch import nn

import explorer
from explorer.testing import assert_finite, assert_gradients_flow, assert_sound


@pytest.fixture(scope="module", params=["recorded", "loaded", "run"])
def trace(request, tmp_path_factory):
    """Return the same small program as a recorded, loaded and run Trace."""
    if request.param == "run":
        return explorer.run(
            "import torch\nfrom torch import nn\nnet = nn.Sequential(nn.Linear(3, 4), nn.ReLU())\n"
            "x = torch.ones(2, 3)\nloss = net(x).sum()\nloss.backward()\n"
        )
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
    with explorer.record() as trace:
        x = torch.ones(2, 3)
        loss = net(x).sum()
        loss.backward()
    if request.param == "recorded":
        return trace
    path = tmp_path_factory.mktemp("runs") / "run.trace"
    explorer.save(trace, path)
    return explorer.load(path)


def test_rows_know_their_neighbours(trace):
    linear = trace.operations.where(name="linear")[0]
    assert [tensor.name for tensor in linear.inputs] == ["x", "net.0.weight", "net.0.bias"]
    assert linear.module == "net.0" and linear.outputs[0].shape == (2, 4) and linear.outputs[0].operation == linear
    assert [node.name for node in linear.nodes if node.name == "AddmmBackward0"]
    leaf = next(node for node in trace.nodes if node.variable and node.variable.name == "net.0.weight")
    assert leaf.name == "AccumulateGrad" and leaf.gradient.shape == (4, 3) and leaf.next == ()
    last = trace.nodes.where(name="Sum*")[0]
    assert last.next[0].name == "ReluBackward0" and last.operation.code.endswith(".sum()")
    assert trace.tensors[linear.inputs[1].index].is_parameter


def test_rows_are_sliced_counted_and_filtered(trace):
    assert len(list(trace.nodes)) == len(trace.nodes) and trace.operations[-1].name == "sum"
    assert [row.index for row in trace.operations[1:3]] == [1, 2]
    assert [row.name for row in trace.operations.where(module="1")] == ["relu"]
    assert {row.name for row in trace.operations.where(module="net")} == {"linear", "relu"}
    assert not trace.operations.where(module="head") and not trace.nodes.where(name="x").where()


def test_tables_keep_their_columns(trace):
    assert len(trace.operations.name) == len(trace.operations) and trace.operations.inputs[0] is not None


@pytest.mark.parametrize(
    "answer",
    [
        lambda trace: trace.why("loss"),
        lambda trace: trace.report(),
        lambda trace: trace.gradients(),
        lambda trace: trace.gradients()[0],
        lambda trace: trace.operations[0],
        lambda trace: explorer.compare(trace, trace),
    ],
)
def test_answers_are_short_in_a_terminal_and_rich_in_a_notebook(answer, trace):
    assert len(repr(answer(trace))) < 200 and answer(trace)._repr_html_().startswith("<")


def test_notebook_html_is_escaped():
    with explorer.record() as trace:
        w = torch.ones(2, requires_grad=True)
        (w * len("<script>")).sum().backward()
    for shown in (trace.operations, trace.nodes, trace.why("w.grad")):
        assert "<script>" not in shown._repr_html_()


def test_draw_and_the_trace_show_one_picture(trace):
    picture = explorer.draw(trace)
    assert explorer.draw(trace) is picture and trace._repr_html_() is picture._repr_html_()


def test_a_function_is_recorded_at_every_call():
    net = nn.Linear(3, 1)

    @explorer.record(full=["result"])
    def step(batch, scale=1.0):
        """A step."""
        result = net(batch) * scale
        result.sum().backward()
        return result

    first = step(torch.ones(40, 3))
    before = step.trace
    second = step(torch.ones(80, 3), scale=2.0)
    assert torch.equal(before.tensor("result"), first) and torch.equal(step.trace.tensor("result"), second)
    assert step.__doc__ == "A step." and len(step.trace.backwards) == 1
    with pytest.raises(RuntimeError):
        step(torch.ones(1, 7))
    assert step.trace.status == "error"


def trained(model: nn.Module, x: torch.Tensor) -> None:
    loss = model(x).square().mean()
    loss.backward()


def test_a_gradient_is_found_under_the_callers_module_name():
    net = nn.Linear(3, 1)
    with explorer.record() as trace:
        trained(net, torch.ones(2, 3))
    assert [row.name for row in trace.parameters()] == ["net.weight", "net.bias"]
    assert trace.gradient("net.weight").tolist() == net.weight.grad.tolist()
    with pytest.raises(KeyError, match=r"net\.weight"):
        trace.gradient("model.weight")  # the argument `model` is another model in the next call


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed, self.head = nn.Linear(70, 4), nn.Linear(4, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.embed(x).detach())


def test_full_patterns_match_consistently_and_warn_without_a_match():
    model = Model()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with explorer.record(full=["embed.*"]) as trace:
            model(torch.ones(2, 70)).sum().backward()
        assert trace.tensor("model.embed.weight").shape == (4, 70)
        assert_gradients_flow(model, model(torch.ones(2, 70)).sum(), allow=["embed.*"])
        assert_sound(trace, allow=["embed.*", "wrong_mode"])
        assert [row.level for row in trace.report(allow="embed.*").parameters.having("none")] == ["info"] * 2
    with pytest.warns(UserWarning, match=r"embd\.\*"):
        assert_sound(trace, allow=["embd.*"])
    with pytest.warns(UserWarning, match=r"embd\.\*"):
        assert_finite(trace, allow="embd.*")
    assert r"embd.*" in str(trace.report(allow="embd.*"))
    with pytest.warns(RuntimeWarning, match=r"embd\.weight"), explorer.record(full="embd.weight"):
        model(torch.ones(2, 70)).sum().backward()


@pytest.mark.parametrize("entries", [2, 65, 5000])
def test_the_parameter_table_shows_whether_grad_was_clipped(entries):
    w = torch.ones(entries, requires_grad=True)
    with explorer.record() as trace:
        (w * 100).square().sum().backward()
        nn.utils.clip_grad_norm_([w], 1.0)
    (row,) = trace.parameters()
    assert row.altered and not row.reduced and trace.cells[0].lines[row.clipped - 1].strip().startswith("nn.utils.clip")


def test_inputs_are_not_counted_as_parameters():
    net = nn.Linear(3, 1)
    with explorer.record() as trace:
        net(torch.ones(2, 3).requires_grad_()).sum().backward()
        x = torch.ones(2, 3, requires_grad=True)
        net(x).sum().backward()
    rows = trace.parameters()
    assert [(row.name, row.trained) for row in rows] == [
        ("net.weight", True),
        ("net.bias", True),
        ("torch.ones(2, 3)", False),
        ("x", False),
    ]
    told = trace.report()
    assert "2 of 2 parameters have finite gradients" in str(told) and "2 parameters" in repr(told)


def test_public_attributes_print_as_a_line_or_a_table():
    @explorer.record()
    def step() -> None:
        net(torch.ones(2, 3)).sum().backward()

    net = nn.Linear(3, 1)
    with pytest.raises(RuntimeError, match="first call"):
        step.trace.report()
    step()
    offered = [name for name in dir(step.trace) if not name.startswith("_")]
    assert {"report", "summary", "gradient", "steps", "limits", "status"} <= set(offered) and "strings" not in offered
    for name in offered:
        shown = repr(getattr(step.trace, name))
        assert len(shown) < 200 or "\n" in shown
        assert name == "trace" or getattr(type(step.trace), name).__doc__


def test_names_are_those_of_state_dict_where_one_model_has_them():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    with explorer.record() as trace:
        for _ in range(2):
            net(torch.ones(2, 3)).sum().backward()
    assert [row.path for row in trace.parameters()] == list(net.state_dict())
    assert list(trace.gradients().to_pandas()["path"])[:4] == list(net.state_dict())
    assert str(trace.parameters()).startswith("0.weight")
    both = [trace.gradient(name, at_end=True) for name in ("0.weight", "net.0.weight")]
    assert both[0].norm == both[1].norm == pytest.approx(net[0].weight.grad.norm().item())
    assert both[0].norm == pytest.approx(2 * trace.gradient("0.weight", backward=1).norm)
    assert torch.equal(trace.tensor("2.bias.grad"), net[2].bias.grad) and torch.equal(
        trace.tensor("2.bias"), net[2].bias
    )
    assert trace["0.bias"] == trace["net.0.bias"] and trace.parameters()["0.bias"] == trace.parameters()["net.0.bias"]
    assert trace.summary()["0"].path == "net.0"
    assert str(trace.why("0.bias.grad[1]")) == str(trace.why("net.0.bias.grad[1]"))
    assert list(trace.steps.entries("0.bias")) == list(trace.steps.entries("net.0.bias"))


def test_the_variable_tells_two_models_apart():
    one, two = nn.Linear(2, 1), nn.Sequential(nn.Linear(2, 1))
    other = nn.Linear(2, 1)
    with explorer.record() as trace:
        (one(torch.ones(1, 2)) + other(torch.ones(1, 2)) + two(torch.ones(1, 2))).sum().backward()
    paths = {row.name: row.path for row in trace.parameters()}
    assert (paths["one.weight"], paths["other.weight"], paths["two.0.weight"]) == (
        "one.weight", "other.weight", "0.weight",
    )  # fmt: skip
    with pytest.raises(KeyError, match=r"one\.weight, other\.weight"):
        trace.gradient("weight")


def test_a_variable_of_the_program_comes_before_a_path_in_a_model():
    weight = torch.ones(2, requires_grad=True)
    layer = nn.Linear(2, 1)
    with explorer.record() as trace:
        (layer(weight).sum() + weight.sum()).backward()
    assert trace.gradient("weight").shape == (2,) and trace.gradient("layer.weight").shape == (1, 2)
    assert trace.parameters()["weight"].name == "weight"


def test_the_names_of_a_model_survive_a_file(tmp_path):
    holder = SimpleNamespace(net=nn.Linear(2, 1))
    with explorer.record() as trace:
        holder.net(torch.ones(1, 2)).sum().backward()
    explorer.save(trace, tmp_path / "run.trace")
    assert explorer.load(tmp_path / "run.trace").gradient("weight").norm == pytest.approx(2**0.5)


def test_the_kinds_of_findings_are_listed_with_their_levels():
    kinds = explorer.kinds()
    assert kinds["gradient_cut"] == "fault" and kinds["dead_units"] == "info"
    assert set(kinds.values()) == {"fault", "note", "info"}
