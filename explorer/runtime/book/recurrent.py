"""The newer edition's recurrent layers and language models, and its networks as Module subclasses."""

import torch
from torch import nn
from torch.nn import functional as F

from explorer.runtime.book.modules import Classifier, Module
from explorer.runtime.book.networks import EncoderDecoder
from explorer.runtime.book.training import init_cnn


def check_len(a, n: int) -> None:
    assert len(a) == n, f"list's length {len(a)} != expected length {n}"


def check_shape(a, shape) -> None:
    assert a.shape == shape, f"tensor's shape {a.shape} != expected shape {shape}"


class RNNScratch(Module):
    """A hand-written recurrent layer."""

    def __init__(self, num_inputs, num_hiddens, sigma=0.01) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.W_xh = nn.Parameter(torch.randn(num_inputs, num_hiddens) * sigma)
        self.W_hh = nn.Parameter(torch.randn(num_hiddens, num_hiddens) * sigma)
        self.b_h = nn.Parameter(torch.zeros(num_hiddens))

    def forward(self, inputs, state=None):
        state = torch.zeros((inputs.shape[1], self.num_hiddens), device=inputs.device) if state is None else state
        outputs = []
        for X in inputs:
            state = torch.tanh(torch.matmul(X, self.W_xh) + torch.matmul(state, self.W_hh) + self.b_h)
            outputs.append(state)
        return outputs, state


class LSTMScratch(Module):
    """A hand-written long short-term memory."""

    def __init__(self, num_inputs, num_hiddens, sigma=0.01) -> None:
        super().__init__()
        self.save_hyperparameters()
        for gate in ("i", "f", "o", "c"):
            weights = torch.randn(num_inputs, num_hiddens) * sigma, torch.randn(num_hiddens, num_hiddens) * sigma
            setattr(self, f"W_x{gate}", nn.Parameter(weights[0]))
            setattr(self, f"W_h{gate}", nn.Parameter(weights[1]))
            setattr(self, f"b_{gate}", nn.Parameter(torch.zeros(num_hiddens)))

    def forward(self, inputs, H_C=None):
        if H_C is None:
            H = C = torch.zeros((inputs.shape[1], self.num_hiddens), device=inputs.device)
        else:
            H, C = H_C
        outputs = []
        for X in inputs:
            keep = torch.sigmoid(torch.matmul(X, self.W_xi) + torch.matmul(H, self.W_hi) + self.b_i)
            forget = torch.sigmoid(torch.matmul(X, self.W_xf) + torch.matmul(H, self.W_hf) + self.b_f)
            out = torch.sigmoid(torch.matmul(X, self.W_xo) + torch.matmul(H, self.W_ho) + self.b_o)
            C = forget * C + keep * torch.tanh(torch.matmul(X, self.W_xc) + torch.matmul(H, self.W_hc) + self.b_c)
            H = out * torch.tanh(C)
            outputs.append(H)
        return outputs, (H, C)


class RNN(Module):
    """torch's recurrent layer."""

    def __init__(self, num_inputs, num_hiddens) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.rnn = nn.RNN(num_inputs, num_hiddens)

    def forward(self, inputs, H=None):
        return self.rnn(inputs, H)


class GRU(RNN):
    """torch's gated recurrent layer."""

    def __init__(self, num_inputs, num_hiddens, num_layers=1, dropout=0) -> None:
        Module.__init__(self)
        self.save_hyperparameters()
        self.rnn = nn.GRU(num_inputs, num_hiddens, num_layers, dropout=dropout)


class RNNLMScratch(Classifier):
    """A language model over a recurrent layer, with a hand-written output layer."""

    def __init__(self, rnn, vocab_size, lr=0.01) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.init_params()

    def init_params(self) -> None:
        self.W_hq = nn.Parameter(torch.randn(self.rnn.num_hiddens, self.vocab_size) * self.rnn.sigma)
        self.b_q = nn.Parameter(torch.zeros(self.vocab_size))

    def training_step(self, batch):
        """The loss of a batch; plots its perplexity."""
        found = self.loss(self(*batch[:-1]), batch[-1])
        self.plot("ppl", torch.exp(found), train=True)
        return found

    def validation_step(self, batch) -> None:
        self.plot("ppl", torch.exp(self.loss(self(*batch[:-1]), batch[-1])), train=False)

    def one_hot(self, X):
        """One-hot tokens: (steps, batch, vocabulary)."""
        return F.one_hot(X.T, self.vocab_size).type(torch.float32)

    def output_layer(self, rnn_outputs):
        """Scores of the next token after every step."""
        return torch.stack([torch.matmul(H, self.W_hq) + self.b_q for H in rnn_outputs], 1)

    def forward(self, X, state=None):
        return self.output_layer(self.rnn(self.one_hot(X), state)[0])

    def predict(self, prefix, num_preds, vocab, device=None) -> str:
        """The text that the model writes after a prefix."""
        state, outputs = None, [vocab[prefix[0]]]
        for i in range(len(prefix) + num_preds - 1):
            rnn_outputs, state = self.rnn(self.one_hot(torch.tensor([[outputs[-1]]], device=device)), state)
            if i < len(prefix) - 1:
                outputs.append(vocab[prefix[i + 1]])
            else:
                outputs.append(int(self.output_layer(rnn_outputs).argmax(axis=2).reshape(1)))
        return "".join(vocab.idx_to_token[i] for i in outputs)


class RNNLM(RNNLMScratch):
    """A language model over a recurrent layer, with a layer of torch at the end."""

    def init_params(self) -> None:
        self.linear = nn.LazyLinear(self.vocab_size)

    def output_layer(self, hiddens):
        """Scores of the next token after every step."""
        return self.linear(hiddens).swapaxes(0, 1)


class Seq2Seq(EncoderDecoder):
    """An encoder and a decoder as a model; padding does not count."""

    def __init__(self, encoder, decoder, tgt_pad, lr) -> None:
        super().__init__(encoder, decoder)
        self.save_hyperparameters()

    def validation_step(self, batch) -> None:
        self.plot("loss", self.loss(self(*batch[:-1]), batch[-1]), train=False)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.lr)

    def loss(self, Y_hat, Y):
        """Cross-entropy without padding."""
        found = super().loss(Y_hat, Y, averaged=False)
        mask = (Y.reshape(-1) != self.tgt_pad).type(torch.float32)
        return (found * mask).sum() / mask.sum()


class LeNet(Classifier):
    """LeNet-5."""

    def __init__(self, lr=0.1, num_classes=10) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            *(nn.LazyConv2d(6, kernel_size=5, padding=2), nn.Sigmoid(), nn.AvgPool2d(kernel_size=2, stride=2)),
            *(nn.LazyConv2d(16, kernel_size=5), nn.Sigmoid(), nn.AvgPool2d(kernel_size=2, stride=2)),
            *(nn.Flatten(), nn.LazyLinear(120), nn.Sigmoid(), nn.LazyLinear(84), nn.Sigmoid()),
            nn.LazyLinear(num_classes),
        )
        self.net.apply(init_cnn)


class ResNeXtBlock(nn.Module):
    """A residual block with groups of channels."""

    def __init__(self, num_channels, groups, bot_mul, use_1x1conv=False, strides=1) -> None:
        super().__init__()
        narrow = round(num_channels * bot_mul)
        self.conv1 = nn.LazyConv2d(narrow, kernel_size=1, stride=1)
        self.conv2 = nn.LazyConv2d(narrow, kernel_size=3, stride=strides, padding=1, groups=narrow // groups)
        self.conv3 = nn.LazyConv2d(num_channels, kernel_size=1, stride=1)
        self.bn1, self.bn2, self.bn3 = nn.LazyBatchNorm2d(), nn.LazyBatchNorm2d(), nn.LazyBatchNorm2d()
        self.conv4 = nn.LazyConv2d(num_channels, kernel_size=1, stride=strides) if use_1x1conv else None
        self.bn4 = nn.LazyBatchNorm2d() if use_1x1conv else None

    def forward(self, X):
        Y = F.relu(self.bn1(self.conv1(X)))
        Y = self.bn3(self.conv3(F.relu(self.bn2(self.conv2(Y)))))
        return F.relu(Y + (X if self.conv4 is None else self.bn4(self.conv4(X))))
