"""The library of *Dive into Deep Learning*: definitions of earlier chapters behave like in the book."""

import pytest

from explorer.api.answers import answering
from explorer.trace import Echo, Failure, Figure, Printed, Refusal
from tests.runtime.test_cells import ran, texts

IMPORTS = "import torch\nfrom torch import nn\nfrom d2l import torch as d2l\n"


def outputs(source: str) -> list:
    """Return a cell's outputs; it must not fail."""
    trace = ran(IMPORTS + source)
    found = trace.cells[0].outputs
    assert not texts(found, Failure) and not [one for one in found if isinstance(one, Refusal)]
    return found


def figures(source: str) -> list[Figure]:
    return [one for one in outputs(source) if isinstance(one, Figure)]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "source, echo",
    [
        ("d2l.Timer", "d2l.torch.Timer"),
        ("a = d2l.Accumulator(2)\na.add(1, torch.tensor(2.))\na.add(1, 1)\na[0], a[1]", "(2.0, 3.0)"),
        ("X, y = d2l.synthetic_data(torch.tensor([2., -3.]), 1., 10)\nX.shape, y.shape",
         "(torch.Size([10, 2]), torch.Size([10, 1]))"),
        ("len(d2l.load_array((torch.ones(10, 2), torch.ones(10)), 3))", "4"),
        ("d2l.accuracy(torch.tensor([[.1, .9], [.8, .2]]), torch.tensor([1, 1]))", "1.0"),
        ("d2l.reduce_sum(d2l.ones(2, 3)), d2l.size(d2l.zeros(4)), d2l.numpy(d2l.tensor([1.]))",
         "(tensor(6.), 4, array([1.], dtype=float32))"),
        ("d2l.DATA_HUB['x'] = (d2l.DATA_URL + 'x.csv', 'abc')\nd2l.DATA_HUB['x'][1]", "'abc'"),
        ("d2l.SoftmaxRegression(3, .1)(torch.ones(2, 5)).shape", "torch.Size([2, 3])"),
    ],
)  # fmt: skip
def test_the_book_records_its_values(source, echo):
    assert texts(outputs(source), Echo)[-1] == echo


def test_the_newer_edition_trains_with_objects():
    source = """
class Linear(d2l.Module):
    def __init__(self, lr):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.LazyLinear(1)
    def loss(self, y_hat, y):
        return nn.functional.mse_loss(y_hat, y)

@d2l.add_to_class(Linear)
def get_w_b(self):
    return self.net.weight.data, self.net.bias.data

@d2l.add_to_class(d2l.Trainer)
def twice(self):
    return 2 * self.max_epochs

model, data = Linear(lr=0.1), d2l.SyntheticRegressionData(torch.tensor([2., -3.4]), 4.2, num_train=320, num_val=64)
trainer = d2l.Trainer(max_epochs=2)
trainer.fit(model, data)
w, b = model.get_w_b()
print(trainer.twice(), (w - torch.tensor([2, -3.4])).abs().max() < 0.5, model.hparams)"""
    found = outputs(source)
    assert texts(found, Printed)[-1] == "4 tensor(True) {'lr': 0.1}\n"
    [figure] = [one for one in found if isinstance(one, Figure)]
    assert figure.alt == "epoch; train_loss; val_loss"


def test_a_training_loop_records_the_model_of_the_program_and_ends_in_one_figure():
    source = """
net = nn.Sequential(nn.Linear(4, 3))
X, y = torch.randn(12, 4), torch.randint(3, (12,))
batches = d2l.load_array((X, y), 4)
d2l.train_ch3(net, batches, batches, nn.CrossEntropyLoss(reduction='none'), 2, torch.optim.SGD(net.parameters(), .1))"""
    trace = ran(IMPORTS + source)
    [figure] = [one for one in trace.cells[0].outputs if isinstance(one, Figure)]
    assert figure.alt == "epoch; train loss; train acc; test acc"
    called = {trace.text(one.span).partition("(")[0] for one in trace.backwards}
    assert len(trace.backwards) == 6 and called == {"d2l.train_ch3"}


def test_the_books_pictures_are_shown():
    lines, board = figures(
        "d2l.plot([1., 2.], [[3., 4.]], 'x', 'f(x)')\n"
        "b = d2l.ProgressBoard('x', display=False)\nb.display = True\nd2l.plt.figure()\n"
        "for x in range(10):\n    b.draw(x, x**2, 'square', every_n=5)\n"
        "[line] = b.axes.lines\nassert (list(line.get_xdata()), list(line.get_ydata())) == ([2, 7], [6, 51])"
    )
    assert (lines.alt, board.alt) == ("x; f(x)", "x; square")


def test_data_sets_report_that_they_need_a_download():
    for source in ("d2l.load_data_fashion_mnist(256)", "from d2l.torch import download\ndownload('a.csv')"):
        [refusal] = [one for one in ran(IMPORTS + source).cells[0].outputs if isinstance(one, Refusal)]
        assert refusal.reason == "download"
        assert "needs a download" in str(answering(ran(IMPORTS + source)).report())
