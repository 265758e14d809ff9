"""A recording with `stop_on` ends at the first operation, node or step that makes NaN or infinity of finite numbers."""

import gc
import traceback
import weakref

import pytest
import torch
from torch import nn

import explorer

DETAILS = pytest.mark.parametrize("detail", ["light", "complete"])


class Halves(torch.autograd.Function):
    """Its backward divides by zero."""

    @staticmethod
    def forward(ctx, x):
        return x / 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient / torch.zeros_like(gradient)


def forward():
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    return net(torch.ones(2)).sum() + torch.tensor([-1.0, 2.0]).log().sum()


def backward():
    w = torch.tensor([0.0, 4.0], requires_grad=True)
    (w.sqrt() * 0).sum().backward()


def written():
    x = torch.ones(3)
    x /= 0


def in_a_hook():
    w = torch.ones(2, requires_grad=True)
    w.register_hook(lambda gradient: gradient * float("nan"))
    (w * 2).sum().backward()


def in_a_step():
    w = nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([w], lr=1e38)
    (w * 100).sum().backward()
    optimizer.step()


def in_a_function():
    Halves.apply(torch.ones(2, requires_grad=True)).sum().backward()


@DETAILS
@pytest.mark.parametrize(
    "program, told",
    [
        (forward, r"NaN.* log: torch.tensor\(\[-1.0, 2.0\]\).log\(\) in line (\d+).\s+input: float32 \(2,\), −1 … 2"),
        (
            backward,
            r"NaN.* backward of w.sqrt\(\) in line (\d+) \(SqrtBackward0\).\s+gradient .* 0 … 0\s+input: .* 0 … 4",
        ),
        (written, r"∞.* x /= 0 in line (\d+)"),
        (in_a_hook, r"NaN arrives at AccumulateGrad"),
        (in_a_step, r"∞ is in a parameter after a step of SGD"),
        (in_a_function, r"∞.* gradient / torch.zeros_like\(gradient\) in line (\d+)"),
    ],
)
def test_it_raises_where_the_first_one_arises(program, told, detail):
    with pytest.raises(FloatingPointError, match=told), explorer.record(detail=detail, stop_on="nonfinite") as trace:
        program()
    assert trace.status == "error" and trace.report().sound is False


@DETAILS
def test_infinities_that_a_program_writes_itself_end_nothing(detail):
    scores = torch.randn(3, 3, requires_grad=True)
    above = torch.ones(3, 3).triu(1).bool()
    with explorer.record(detail=detail, stop_on="nonfinite") as trace:
        masked = scores.masked_fill(above, float("-inf")).softmax(-1)
        added = (scores + torch.full((3, 3), float("-inf")).triu(1)).softmax(-1)
        chosen = torch.where(above, torch.tensor(float("-inf")), scores).softmax(-1)
        layer = nn.Transformer(4, 2, 1, 1, 8, batch_first=True)
        seen = layer(torch.ones(1, 3, 4), torch.ones(1, 3, 4), tgt_mask=layer.generate_square_subsequent_mask(3))
        (masked + added + chosen).square().sum().backward()
        seen.square().sum().backward()
    assert trace.status == "ok" and trace.grad("scores") is not None


def test_only_the_kinds_that_are_asked_for_end_it():
    def program():
        y = torch.ones(1, requires_grad=True) / 0
        return y - y

    with pytest.raises(FloatingPointError, match="∞ begins in div"), explorer.record(stop_on=["inf"]):
        program()
    with pytest.raises(FloatingPointError, match="NaN begins in sub"), explorer.record(stop_on="nan"):
        program()
    with explorer.record() as trace:
        program()
    assert trace.status == "ok"


def test_the_traceback_ends_in_the_program_and_every_call_of_a_function_is_watched():
    @explorer.record(stop_on="nonfinite")
    def step(x):
        return x.log()

    assert step(torch.ones(1)).item() == 0
    with pytest.raises(FloatingPointError) as raised:
        step(torch.zeros(1))
    assert raised.value.inputs[0].item() == 0
    assert traceback.extract_tb(raised.value.__traceback__)[-1].line == "return x.log()"


def test_a_debugger_is_entered_before_it_raises(monkeypatch):
    entered = []
    monkeypatch.setattr("sys.breakpointhook", lambda *_: entered.append(True))
    with pytest.raises(FloatingPointError), explorer.record(stop_on="nan", breakpoint=True):
        torch.zeros(1).sub(torch.zeros(1)).div(torch.zeros(1))
    assert entered == [True]


def test_a_graph_that_outlives_the_recording_is_watched_no_more():
    w = torch.zeros(1, requires_grad=True)
    with explorer.record(stop_on="nonfinite"):
        y = w.sqrt().sum()
    held = weakref.ref(w)
    y.backward()
    assert w.grad.isinf().all()
    del w, y
    gc.collect()
    assert held() is None


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match='"nonfinite"'):
        explorer.record(stop_on="infinite")  # type: ignore[arg-type]
