"""Operations, nodes and tensors as rows, and how answers show themselves."""

import pytest
import torch
from torch import nn

import explorer


@pytest.fixture(scope="module", params=["recorded", "loaded", "run"])
def trace(request, tmp_path_factory):
    """The same small program, however its Trace came about."""
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


def test_the_columns_stay(trace):
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


def test_what_a_notebook_shows_is_escaped():
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
