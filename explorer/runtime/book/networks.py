"""The book's networks: residual blocks, recurrent models, encoders and decoders, and their training."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from explorer.runtime.book.attention import (
    EncoderBlock,
    PositionalEncoding,
    TransformerEncoderBlock,
    _editions,
    sequence_mask,
)
from explorer.runtime.book.linear import sgd
from explorer.runtime.book.metrics import Accumulator, Timer, try_gpu
from explorer.runtime.book.modules import Classifier
from explorer.runtime.book.plots import Animator
from explorer.runtime.book.training import grad_clipping
from explorer.runtime.book.words import truncate_pad


class Residual(nn.Module):
    """Two convolutions and a skip connection: (channels), in the older form after the channels of the input."""

    def __init__(self, *channels, use_1x1conv=False, strides=1, num_channels=None, input_channels=None) -> None:
        super().__init__()
        given = list(channels)
        if len(given) > 1 and isinstance(given[1], bool):  # (channels, use_1x1conv, strides)
            use_1x1conv, strides = [*given[1:], strides][:2]
            given = given[:1]
        elif len(given) > 2:
            use_1x1conv, strides = [*given[2:], strides][:2]
            given = given[:2]
        wide = num_channels if num_channels is not None else given.pop()
        narrow = given[0] if given else input_channels
        self.conv1 = _convolution(narrow, wide, kernel_size=3, padding=1, stride=strides)
        self.conv2 = _convolution(narrow and wide, wide, kernel_size=3, padding=1)
        self.conv3 = _convolution(narrow, wide, kernel_size=1, stride=strides) if use_1x1conv else None
        self.bn1 = nn.BatchNorm2d(wide) if narrow else nn.LazyBatchNorm2d()
        self.bn2 = nn.BatchNorm2d(wide) if narrow else nn.LazyBatchNorm2d()

    def forward(self, X):
        Y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(X)))))
        return F.relu(Y + (X if self.conv3 is None else self.conv3(X)))


def _convolution(narrow, wide: int, **options) -> nn.Module:
    return nn.LazyConv2d(wide, **options) if narrow is None else nn.Conv2d(narrow, wide, **options)


def resnet18(num_classes: int, in_channels: int = 1) -> nn.Sequential:
    """ResNet-18 with a small first layer."""
    first = nn.Conv2d(in_channels, 64, kernel_size=3, stride=1, padding=1)
    net = nn.Sequential(first, nn.BatchNorm2d(64), nn.ReLU())
    narrow = 64
    for i, wide in enumerate((64, 128, 256, 512), 1):
        opening = Residual(narrow, wide) if i == 1 else Residual(narrow, wide, use_1x1conv=True, strides=2)
        net.add_module(f"resnet_block{i}", nn.Sequential(opening, Residual(wide, wide)))
        narrow = wide
    net.add_module("global_avg_pool", nn.AdaptiveAvgPool2d((1, 1)))
    net.add_module("fc", nn.Sequential(nn.Flatten(), nn.Linear(512, num_classes)))
    return net


# ---- language models ------------------------------------------------------------------------------------------------


class RNNModelScratch:
    """A recurrent language model built from three functions: parameters, first state, one pass. Attributes: params."""

    def __init__(self, vocab_size, num_hiddens, device, get_params, init_state, forward_fn) -> None:
        self.vocab_size, self.num_hiddens = vocab_size, num_hiddens
        self.params = get_params(vocab_size, num_hiddens, device)
        self.init_state, self.forward_fn = init_state, forward_fn

    def __call__(self, X, state):
        return self.forward_fn(F.one_hot(X.T, self.vocab_size).type(torch.float32), state, self.params)

    def begin_state(self, batch_size, device):
        return self.init_state(batch_size, self.num_hiddens, device)


class RNNModel(nn.Module):
    """A recurrent layer of torch and a linear layer that predicts the next token."""

    def __init__(self, rnn_layer, vocab_size, **kwargs) -> None:
        super().__init__()
        self.rnn, self.vocab_size, self.num_hiddens = rnn_layer, vocab_size, rnn_layer.hidden_size
        self.num_directions = 2 if rnn_layer.bidirectional else 1
        self.linear = nn.Linear(self.num_hiddens * self.num_directions, vocab_size)

    def forward(self, inputs, state):
        X = F.one_hot(inputs.T.long(), self.vocab_size).to(torch.float32)
        Y, state = self.rnn(X, state)
        return self.linear(Y.reshape((-1, Y.shape[-1]))), state

    def begin_state(self, device, batch_size=1):
        shape = (self.num_directions * self.rnn.num_layers, batch_size, self.num_hiddens)
        zeros = torch.zeros(shape, device=device)
        return (zeros, torch.zeros(shape, device=device)) if isinstance(self.rnn, nn.LSTM) else zeros


def predict_ch8(prefix, num_preds: int, net, vocab, device) -> str:
    """The text that a language model writes after a prefix."""
    state = net.begin_state(batch_size=1, device=device)
    outputs = [vocab[prefix[0]]]

    def last():
        return torch.tensor([outputs[-1]], device=device).reshape((1, 1))

    for token in prefix[1:]:
        _, state = net(last(), state)
        outputs.append(vocab[token])
    for _ in range(num_preds):
        y, state = net(last(), state)
        outputs.append(int(y.argmax(dim=1).reshape(1)))
    return "".join(vocab.idx_to_token[i] for i in outputs)


def train_epoch_ch8(net, train_iter, loss, updater, device, use_random_iter) -> tuple[float, float]:
    """One epoch of a language model: perplexity, and tokens per second."""
    state, timer, metric = None, Timer(), Accumulator(2)
    for X, Y in train_iter:
        if state is None or use_random_iter:
            state = net.begin_state(batch_size=X.shape[0], device=device)
        else:
            for tensor in state if isinstance(state, tuple) else (state,):
                tensor.detach_()
        y = Y.T.reshape(-1).to(device)
        y_hat, state = net(X.to(device), state)
        found = loss(y_hat, y.long()).mean()
        if isinstance(updater, torch.optim.Optimizer):
            updater.zero_grad()
        found.backward()
        grad_clipping(net, 1)
        updater.step() if isinstance(updater, torch.optim.Optimizer) else updater(batch_size=1)
        metric.add(found * y.numel(), y.numel())
    return math.exp(metric[0] / metric[1]), metric[1] / timer.stop()


def train_ch8(net, train_iter, vocab, lr, num_epochs, device, use_random_iter=False) -> None:
    """Train a language model and print the text it generates."""
    loss = nn.CrossEntropyLoss()
    animator = Animator(xlabel="epoch", ylabel="perplexity", legend=["train"], xlim=[10, num_epochs])
    if isinstance(net, nn.Module):
        updater = torch.optim.SGD(net.parameters(), lr)
    else:
        updater = lambda batch_size: sgd(net.params, lr, batch_size)  # noqa: E731
    for epoch in range(num_epochs):
        ppl, speed = train_epoch_ch8(net, train_iter, loss, updater, device, use_random_iter)
        if (epoch + 1) % 10 == 0:
            print(predict_ch8("time traveller", 50, net, vocab, device))
            animator.add(epoch + 1, [ppl])
    print(f"perplexity {ppl:.1f}, {speed:.1f} tokens/sec on {device}")
    print(predict_ch8("time traveller", 50, net, vocab, device))
    print(predict_ch8("traveller", 50, net, vocab, device))


# ---- encoders and decoders ------------------------------------------------------------------------------------------


class Encoder(nn.Module):
    """The interface of an encoder."""

    def __init__(self, **kwargs) -> None:
        super().__init__()

    def forward(self, X, *args):
        raise NotImplementedError


class Decoder(nn.Module):
    """The interface of a decoder: `init_state` and `forward`."""

    def __init__(self, **kwargs) -> None:
        super().__init__()

    def init_state(self, enc_outputs, *args):
        raise NotImplementedError

    def forward(self, X, state):
        raise NotImplementedError


class AttentionDecoder(Decoder):
    """A decoder that exposes its attention weights."""

    @property
    def attention_weights(self):
        raise NotImplementedError


class EncoderDecoder(Classifier):
    """An encoder and a decoder that starts from its state."""

    def __init__(self, encoder, decoder, **kwargs) -> None:
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    def forward(self, enc_X, dec_X, *args):
        found = self.decoder(dec_X, self.decoder.init_state(self.encoder(enc_X, *args), *args))
        return found[0] if self.has_trainer() else found

    def predict_step(self, batch, device, num_steps, save_attention_weights=False):
        """The tokens that the decoder writes one after the other, and its attention."""
        src, tgt, src_valid_len, _ = (tensor.to(device) for tensor in batch)
        state = self.decoder.init_state(self.encoder(src, src_valid_len), src_valid_len)
        outputs, attention = [tgt[:, 0].unsqueeze(1)], []
        for _ in range(num_steps):
            Y, state = self.decoder(outputs[-1], state)
            outputs.append(Y.argmax(2))
            if save_attention_weights:
                attention.append(self.decoder.attention_weights)
        return torch.cat(outputs[1:], 1), attention


def init_seq2seq(module) -> None:
    """Initialise linear and recurrent layers with Xavier's method."""
    if type(module) is nn.Linear:
        nn.init.xavier_uniform_(module.weight)
    if type(module) is nn.GRU:
        for name, weight in module.named_parameters():
            if name.startswith("weight"):
                nn.init.xavier_uniform_(weight)


class Seq2SeqEncoder(Encoder):
    """An embedding and a GRU."""

    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, dropout=0, **kwargs) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, num_hiddens, num_layers, dropout=dropout)

    def forward(self, X, *args):
        return self.rnn(self.embedding(X).permute(1, 0, 2))


class Seq2SeqDecoder(Decoder):
    """A GRU that sees the encoder's last state at every step."""

    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, dropout=0, **kwargs) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size + num_hiddens, num_hiddens, num_layers, dropout=dropout)
        self.dense = nn.Linear(num_hiddens, vocab_size)

    def init_state(self, enc_outputs, *args):
        return enc_outputs[1]

    def forward(self, X, state):
        X = self.embedding(X).permute(1, 0, 2)
        context = state[-1].repeat(X.shape[0], 1, 1)
        output, state = self.rnn(torch.cat((X, context), 2), state)
        return self.dense(output).permute(1, 0, 2), state


class MaskedSoftmaxCELoss(nn.CrossEntropyLoss):
    """Cross-entropy without the entries behind the valid lengths."""

    def forward(self, pred, label, valid_len):
        weights = sequence_mask(torch.ones_like(label), valid_len)
        self.reduction = "none"
        return (super().forward(pred.permute(0, 2, 1), label) * weights).mean(dim=1)


def train_seq2seq(net, data_iter, lr, num_epochs, tgt_vocab, device) -> None:
    """Train a translation model with teacher forcing."""
    net.apply(init_seq2seq)
    net.to(device)
    optimizer, loss = torch.optim.Adam(net.parameters(), lr=lr), MaskedSoftmaxCELoss()
    net.train()
    animator = Animator(xlabel="epoch", ylabel="loss", xlim=[10, num_epochs])
    for epoch in range(num_epochs):
        timer, metric = Timer(), Accumulator(2)
        for batch in data_iter:
            optimizer.zero_grad()
            X, X_valid_len, Y, Y_valid_len = (tensor.to(device) for tensor in batch)
            bos = torch.tensor([tgt_vocab["<bos>"]] * Y.shape[0], device=device).reshape(-1, 1)
            Y_hat, _ = net(X, torch.cat([bos, Y[:, :-1]], 1), X_valid_len)
            found = loss(Y_hat, Y, Y_valid_len)
            found.sum().backward()
            grad_clipping(net, 1)
            optimizer.step()
            with torch.no_grad():
                metric.add(found.sum(), Y_valid_len.sum())
        if (epoch + 1) % 10 == 0:
            animator.add(epoch + 1, (metric[0] / metric[1],))
    print(f"loss {metric[0] / metric[1]:.3f}, {metric[1] / timer.stop():.1f} tokens/sec on {device}")


def predict_seq2seq(net, src_sentence, src_vocab, tgt_vocab, num_steps, device, save_attention_weights=False):
    """The translation of a sentence, and the attention of every step."""
    net.eval()
    src = [*src_vocab[src_sentence.lower().split(" ")], src_vocab["<eos>"]]
    valid_len = torch.tensor([len(src)], device=device)
    src = truncate_pad(src, num_steps, src_vocab["<pad>"])
    enc_X = torch.unsqueeze(torch.tensor(src, dtype=torch.long, device=device), dim=0)
    state = net.decoder.init_state(net.encoder(enc_X, valid_len), valid_len)
    dec_X = torch.unsqueeze(torch.tensor([tgt_vocab["<bos>"]], dtype=torch.long, device=device), dim=0)
    written, attention = [], []
    for _ in range(num_steps):
        Y, state = net.decoder(dec_X, state)
        dec_X = Y.argmax(dim=2)
        pred = dec_X.squeeze(dim=0).type(torch.int32).item()
        if save_attention_weights:
            attention.append(net.decoder.attention_weights)
        if pred == tgt_vocab["<eos>"]:
            break
        written.append(pred)
    return " ".join(tgt_vocab.to_tokens(written) if len(written) > 1 else map(tgt_vocab.to_tokens, written)), attention


class TransformerEncoder(Encoder):
    """Embedding, positions and blocks of self-attention, in either edition's form."""

    def __init__(self, vocab_size, *sizes, **named) -> None:
        super().__init__()
        newer = "num_hiddens ffn_num_hiddens num_heads num_blks dropout use_bias"
        older = "key_size query_size value_size num_hiddens norm_shape ffn_num_input ffn_num_hiddens"
        given = _editions(sizes, named, newer, f"{older} num_heads num_layers dropout use_bias")
        use_bias, self.num_hiddens, dropout = given.get("use_bias", False), given["num_hiddens"], given["dropout"]
        self.embedding = nn.Embedding(vocab_size, self.num_hiddens)
        self.pos_encoding = PositionalEncoding(self.num_hiddens, dropout)
        self.blks = nn.Sequential()
        kind, names = TransformerEncoderBlock, "num_hiddens ffn_num_hiddens"
        if "key_size" in given:
            kind, names = EncoderBlock, older
        shapes = [given[name] for name in names.split()]
        for i in range(given.get("num_layers") or given["num_blks"]):
            self.blks.add_module(f"block{i}", kind(*shapes, given["num_heads"], dropout, use_bias))

    def forward(self, X, valid_lens, *args):
        X = self.pos_encoding(self.embedding(X) * math.sqrt(self.num_hiddens))
        self.attention_weights = [None] * len(self.blks)
        for i, blk in enumerate(self.blks):
            X = blk(X, valid_lens)
            self.attention_weights[i] = blk.attention.attention.attention_weights
        return X


def predict_sentiment(net, vocab, sequence: str) -> str:
    """Whether a review is positive or negative."""
    numbers = torch.tensor(vocab[sequence.split()], device=try_gpu())
    return "positive" if torch.argmax(net(numbers.reshape(1, -1)), dim=1) == 1 else "negative"
