"""The library of *Dive into Deep Learning*: what its chapters keep for later ones does what the book says."""

import pytest

from explorer.trace import Echo, Failure, Figure, Printed, Refusal
from tests.runtime.test_cells import ran, texts

IMPORTS = "import torch\nfrom torch import nn\nfrom d2l import torch as d2l\n"


def outputs(source: str) -> list:
    """What a cell shows, which must not fail."""
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
        ("d2l.try_gpu(), d2l.try_all_gpus()", "(device(type='cpu'), [device(type='cpu')])"),
        ("d2l.corr2d(torch.arange(9.).reshape(3, 3), torch.ones(2, 2))", "tensor([[ 8., 12.],\n        [20., 24.]])"),
        ("X, y = d2l.synthetic_data(torch.tensor([2., -3.]), 1., 10)\nX.shape, y.shape",
         "(torch.Size([10, 2]), torch.Size([10, 1]))"),
        ("len(d2l.load_array((torch.ones(10, 2), torch.ones(10)), 3))", "4"),
        ("d2l.accuracy(torch.tensor([[.1, .9], [.8, .2]]), torch.tensor([1, 1]))", "1.0"),
        ("d2l.sequence_mask(torch.tensor([[1, 2, 3], [4, 5, 6]]), torch.tensor([1, 2]))",
         "tensor([[1, 0, 0],\n        [4, 5, 0]])"),
        ("d2l.masked_softmax(torch.zeros(2, 2, 4), torch.tensor([[1, 2], [4, 2]]))[1]",
         "tensor([[0.2500, 0.2500, 0.2500, 0.2500],\n        [0.5000, 0.5000, 0.0000, 0.0000]])"),
        ("d2l.MultiHeadAttention(8, 8, 8, 8, 2, 0.5)(torch.ones(2, 4, 8), torch.ones(2, 6, 8), torch.ones(2, 6, 8),"
         " torch.tensor([3, 2])).shape", "torch.Size([2, 4, 8])"),
        ("d2l.MultiHeadAttention(8, 2, 0.5)(torch.ones(2, 4, 8), torch.ones(2, 6, 8), torch.ones(2, 6, 8),"
         " torch.tensor([3, 2])).shape", "torch.Size([2, 4, 8])"),
        ("d2l.AdditiveAttention(key_size=2, query_size=20, num_hiddens=8, dropout=0.1)(torch.ones(2, 1, 20),"
         " torch.ones(2, 10, 2), torch.ones(2, 10, 4), torch.tensor([2, 6])).shape", "torch.Size([2, 1, 4])"),
        ("d2l.TransformerEncoder(200, 24, 24, 24, 24, [100, 24], 24, 48, 8, 2, 0.5).eval()"
         "(torch.ones((2, 100), dtype=torch.long), torch.tensor([3, 2])).shape", "torch.Size([2, 100, 24])"),
        ("d2l.TransformerEncoder(200, 24, 48, 8, 2, 0.5).eval()"
         "(torch.ones((2, 100), dtype=torch.long), torch.tensor([3, 2])).shape", "torch.Size([2, 100, 24])"),
        ("net = d2l.BERTModel(100, 16, 32, 2, 2, 0.1)\na, b, c = net(torch.ones(2, 8, dtype=torch.long),"
         " torch.zeros(2, 8, dtype=torch.long), None, torch.tensor([[1, 2], [3, 4]]))\na.shape, b.shape, c.shape",
         "(torch.Size([2, 8, 16]), torch.Size([2, 2, 100]), torch.Size([2, 2]))"),
        ("d2l.Residual(3, 6, use_1x1conv=True, strides=2)(torch.rand(4, 3, 6, 6)).shape", "torch.Size([4, 6, 3, 3])"),
        ("d2l.Residual(6, True, 2)(torch.rand(4, 3, 6, 6)).shape", "torch.Size([4, 6, 3, 3])"),
        ("d2l.box_center_to_corner(d2l.box_corner_to_center(torch.tensor([[0., 0., 4., 2.]])))",
         "tensor([[0., 0., 4., 2.]])"),
        ("d2l.multibox_prior(torch.ones(1, 3, 4, 4), [0.5, 0.25], [1, 2, 0.5]).shape", "torch.Size([1, 64, 4])"),
        ("d2l.box_iou(torch.tensor([[0., 0., 2., 2.]]), torch.tensor([[1., 1., 3., 3.]]))", "tensor([[0.1429]])"),
        ("d2l.nms(torch.tensor([[0., 0., 2., 2.], [0., 0., 2., 1.9], [5., 5., 6., 6.]]),"
         " torch.tensor([.9, .8, .7]), 0.5)", "tensor([0, 2])"),
        ("v = d2l.Vocab([['a', 'b'], ['a']], reserved_tokens=['<pad>'])\nlen(v), v['a', 'z'], v.to_tokens([2, 3])",
         "(4, [2, 0], ['a', 'b'])"),
        ("[x.shape for x, y in d2l.seq_data_iter_sequential(list(range(35)), 2, 5)]",
         "[torch.Size([2, 5]), torch.Size([2, 5]), torch.Size([2, 5])]"),
        ("d2l.truncate_pad([1, 2, 3], 5, 0), round(d2l.bleu('a b c d', 'a b c e', 2), 2)",
         "([1, 2, 3, 0, 0], 0.78)"),
        ("d2l.reduce_sum(d2l.ones(2, 3)), d2l.size(d2l.zeros(4)), d2l.numpy(d2l.tensor([1.]))",
         "(tensor(6.), 4, array([1.], dtype=float32))"),
        ("o, s = d2l.RNNScratch(5, 8)(torch.ones(2, 3, 5))\nd2l.check_len(o, 2)\ns.shape", "torch.Size([3, 8])"),
        ("d2l.LSTMScratch(5, 8)(torch.ones(2, 3, 5))[1][1].shape", "torch.Size([3, 8])"),
        ("d2l.RNNLM(d2l.GRU(4, 8), 4)(torch.ones(2, 3, dtype=torch.long)).shape", "torch.Size([2, 3, 4])"),
        ("d2l.LeNet().layer_summary((1, 1, 28, 28))\nd2l.SoftmaxRegression(3, .1)(torch.ones(2, 5)).shape",
         "torch.Size([2, 3])"),
        ("enc, dec = d2l.Seq2SeqEncoder(9, 8, 8, 1), d2l.Seq2SeqDecoder(9, 8, 8, 1)\nX = torch.ones(2, 4).long()\n"
         "d2l.EncoderDecoder(enc, dec)(X, X)[0].shape", "torch.Size([2, 4, 9])"),
        ("d2l.RNNModel(nn.GRU(9, 8), 9)(torch.ones(2, 4), torch.zeros(1, 2, 8))[0].shape", "torch.Size([8, 9])"),
        ("v = d2l.Vocab(list('abc'))\nnet = d2l.RNNModel(nn.RNN(len(v), 8), len(v))\n"
         "len(d2l.predict_ch8('ab', 3, net, v, d2l.try_gpu()))", "5"),
        ("ax = d2l.plt.imshow(torch.rand(9, 9)).axes\nd2l.show_bboxes(ax, [torch.tensor([1., 1., 5., 5.])], ['dog'])\n"
         "[one.get_text() for one in ax.texts]", "['dog']"),
        ("d2l.DATA_HUB['x'] = (d2l.DATA_URL + 'x.csv', 'abc')\nd2l.DATA_HUB['x'][1]", "'abc'"),
    ],
)  # fmt: skip
def test_what_the_book_keeps(source, echo):
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


def test_pictures_of_the_book():
    descent, heat, board = figures(
        "f = lambda x, y: x**2 + 2 * y**2\ngd = lambda x, y, s, t: (x * .8, y * .6, 0, 0)\n"
        "d2l.show_trace_2d(f, d2l.train_2d(gd, 3))\n"
        "d2l.show_heatmaps(torch.eye(3).reshape(1, 1, 3, 3), 'Keys', 'Queries')\n"
        "b = d2l.ProgressBoard('x', display=False)\nb.display = True\nd2l.plt.figure()\n"
        "for x in range(10):\n    b.draw(x, x**2, 'square', every_n=5)\n"
        "[line] = b.axes.lines\nassert (list(line.get_xdata()), list(line.get_ydata())) == ([2, 7], [6, 51])"
    )
    assert (descent.alt, heat.alt, board.alt) == ("x1; x2", "Keys; Queries", "x; square")


def test_data_sets_say_that_they_need_a_download():
    for source in ("d2l.load_data_fashion_mnist(256)", "from d2l.torch import load_data_nmt\nload_data_nmt(2, 3)"):
        [refusal] = [one for one in ran(IMPORTS + source).cells[0].outputs if isinstance(one, Refusal)]
        assert refusal.reason == "download"
