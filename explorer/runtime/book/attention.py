"""The book's attention: masks, scores, heads, positions, and the blocks of transformers and BERT.

The older edition also passes the input sizes of layers, which torch can infer. A call with more arguments is the older
form.
"""

import math

import torch
from torch import nn


def sequence_mask(X, valid_len, value=0):
    """Replace entries behind the valid length of each row by a value."""
    behind = torch.arange(X.size(1), dtype=torch.float32, device=X.device)[None, :] >= valid_len[:, None]
    X[behind] = value
    return X


def masked_softmax(X, valid_lens):
    """Softmax over the last axis, of only the first `valid_lens` entries."""
    if valid_lens is None:
        return nn.functional.softmax(X, dim=-1)
    shape = X.shape
    valid_lens = torch.repeat_interleave(valid_lens, shape[1]) if valid_lens.dim() == 1 else valid_lens.reshape(-1)
    X = sequence_mask(X.reshape(-1, shape[-1]), valid_lens, value=-1e6)
    return nn.functional.softmax(X.reshape(shape), dim=-1)


class AdditiveAttention(nn.Module):
    """Additive scores of queries and keys: (num_hiddens, dropout), in the older form after the sizes of keys and
    queries.
    """

    def __init__(self, *sizes, **named) -> None:
        super().__init__()
        given = _editions(sizes, named, "num_hiddens dropout", "key_size query_size num_hiddens dropout")
        key_size, hidden = given.get("key_size"), given["num_hiddens"]
        self.W_k, self.W_q = _linear(key_size, hidden, False), _linear(given.get("query_size"), hidden, False)
        self.w_v = _linear(key_size and hidden, 1, False)
        self.dropout = nn.Dropout(given["dropout"])

    def forward(self, queries, keys, values, valid_lens):
        features = torch.tanh(self.W_q(queries).unsqueeze(2) + self.W_k(keys).unsqueeze(1))
        self.attention_weights = masked_softmax(self.w_v(features).squeeze(-1), valid_lens)
        return torch.bmm(self.dropout(self.attention_weights), values)


def _editions(sizes: tuple, named: dict, newer: str, older: str) -> dict:
    """The arguments of a layer by name, in the form of the newer edition or, where there are more, of the older."""
    names = newer.split()
    if len(sizes) + sum(name in names for name in named) > len(names) or older.split()[0] in named:
        names = older.split()
    return dict(zip(names, sizes, strict=False)) | named


def _linear(size, out: int, bias: bool) -> nn.Module:
    return nn.LazyLinear(out, bias=bias) if size is None else nn.Linear(size, out, bias=bias)


class DotProductAttention(nn.Module):
    """Scores by scaled dot products."""

    def __init__(self, dropout, **kwargs) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens=None):
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(queries.shape[-1])
        self.attention_weights = masked_softmax(scores, valid_lens)
        return torch.bmm(self.dropout(self.attention_weights), values)


class MultiHeadAttention(nn.Module):
    """Attention in several heads: (num_hiddens, num_heads, dropout), in the older form after the sizes of keys,
    queries, values.
    """

    def __init__(self, *sizes, **named) -> None:
        super().__init__()
        newer = "num_hiddens num_heads dropout bias"
        given = _editions(sizes, named, newer, f"key_size query_size value_size {newer}")
        hidden, bias = given["num_hiddens"], given.get("bias", False)
        self.num_heads, self.attention = given["num_heads"], DotProductAttention(given["dropout"])
        self.W_q = _linear(given.get("query_size"), hidden, bias)
        self.W_k = _linear(given.get("key_size"), hidden, bias)
        self.W_v = _linear(given.get("value_size"), hidden, bias)
        self.W_o = _linear(given.get("key_size") and hidden, hidden, bias)

    def forward(self, queries, keys, values, valid_lens):
        pairs = ((self.W_q, queries), (self.W_k, keys), (self.W_v, values))
        queries, keys, values = (self.transpose_qkv(layer(given)) for layer, given in pairs)
        if valid_lens is not None:
            valid_lens = torch.repeat_interleave(valid_lens, repeats=self.num_heads, dim=0)
        return self.W_o(self.transpose_output(self.attention(queries, keys, values, valid_lens)))

    def transpose_qkv(self, X):
        return transpose_qkv(X, self.num_heads)

    def transpose_output(self, X):
        return transpose_output(X, self.num_heads)


def transpose_qkv(X, num_heads: int):
    """From (batch, steps, hidden) to (batch * heads, steps, hidden / heads)."""
    X = X.reshape(X.shape[0], X.shape[1], num_heads, -1).permute(0, 2, 1, 3)
    return X.reshape(-1, X.shape[2], X.shape[3])


def transpose_output(X, num_heads: int):
    """The inverse of transpose_qkv."""
    X = X.reshape(-1, num_heads, X.shape[1], X.shape[2]).permute(0, 2, 1, 3)
    return X.reshape(X.shape[0], X.shape[1], -1)


class PositionalEncoding(nn.Module):
    """Adds sines and cosines of the position. Attributes: P: (1, max_len, num_hiddens)."""

    def __init__(self, num_hiddens, dropout, max_len=1000) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.P = torch.zeros((1, max_len, num_hiddens))
        steps = torch.arange(max_len, dtype=torch.float32).reshape(-1, 1)
        X = steps / torch.pow(10000, torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens)
        self.P[:, :, 0::2] = torch.sin(X)
        self.P[:, :, 1::2] = torch.cos(X)

    def forward(self, X):
        return self.dropout(X + self.P[:, : X.shape[1], :].to(X.device))


class PositionWiseFFN(nn.Module):
    """Two layers for every position: (hidden, out), in the older form after the size of the input."""

    def __init__(self, *sizes, **named) -> None:
        super().__init__()
        newer = "ffn_num_hiddens ffn_num_outputs"
        given = _editions(sizes, named, newer, f"ffn_num_input {newer}")
        first, hidden = given.get("ffn_num_input"), given["ffn_num_hiddens"]
        self.dense1, self.relu = _linear(first, hidden, True), nn.ReLU()
        self.dense2 = _linear(first and hidden, given["ffn_num_outputs"], True)

    def forward(self, X):
        return self.dense2(self.relu(self.dense1(X)))


class AddNorm(nn.Module):
    """A residual connection, then layer normalisation."""

    def __init__(self, norm_shape, dropout, **kwargs) -> None:
        super().__init__()
        self.dropout, self.ln = nn.Dropout(dropout), nn.LayerNorm(norm_shape)

    def forward(self, X, Y):
        return self.ln(self.dropout(Y) + X)


class EncoderBlock(nn.Module):
    """Self-attention and a position-wise network, each with its residual; all sizes are given, None: inferred."""

    def __init__(self, key_size, query_size, value_size, num_hiddens, norm_shape, ffn_num_input, ffn_num_hiddens,
                 num_heads, dropout, use_bias=False, **kwargs) -> None:  # fmt: skip
        super().__init__()
        sizes = (key_size, query_size, value_size, num_hiddens, num_heads)
        self.attention = MultiHeadAttention(*sizes, dropout, use_bias)
        self.addnorm1 = AddNorm(norm_shape, dropout)
        self.ffn = PositionWiseFFN(ffn_num_input, ffn_num_hiddens, num_hiddens)
        self.addnorm2 = AddNorm(norm_shape, dropout)

    def forward(self, X, valid_lens):
        Y = self.addnorm1(X, self.attention(X, X, X, valid_lens))
        return self.addnorm2(Y, self.ffn(Y))


class TransformerEncoderBlock(EncoderBlock):
    """The newer edition's block, which infers its sizes."""

    def __init__(self, num_hiddens, ffn_num_hiddens, num_heads, dropout, use_bias=False) -> None:
        inferred = None, None, None
        super().__init__(*inferred, num_hiddens, num_hiddens, None, ffn_num_hiddens, num_heads, dropout, use_bias)


class BERTEncoder(nn.Module):
    """Tokens, segments and learned positions through blocks of self-attention."""

    def __init__(self, vocab_size, num_hiddens, *sizes, **named) -> None:
        super().__init__()
        older = "norm_shape ffn_num_input ffn_num_hiddens num_heads num_layers dropout max_len"
        given = _editions(sizes, named, "ffn_num_hiddens num_heads num_blks dropout max_len", older)
        heads, dropout, inner = given["num_heads"], given["dropout"], given["ffn_num_hiddens"]
        self.token_embedding = nn.Embedding(vocab_size, num_hiddens)
        self.segment_embedding = nn.Embedding(2, num_hiddens)
        self.blks = nn.Sequential()
        for i in range(given.get("num_layers") or given["num_blks"]):
            block = TransformerEncoderBlock(num_hiddens, inner, heads, dropout, True)
            if "norm_shape" in given:
                keys = [given.get(name, num_hiddens) for name in ("key_size", "query_size", "value_size")]
                shapes = given["norm_shape"], given["ffn_num_input"]
                block = EncoderBlock(*keys, num_hiddens, *shapes, inner, heads, dropout, True)
            self.blks.add_module(str(i), block)
        self.pos_embedding = nn.Parameter(torch.randn(1, given.get("max_len", 1000), num_hiddens))

    def forward(self, tokens, segments, valid_lens):
        X = self.token_embedding(tokens) + self.segment_embedding(segments)
        X = X + self.pos_embedding[:, : X.shape[1], :]
        for blk in self.blks:
            X = blk(X, valid_lens)
        return X


class MaskLM(nn.Module):
    """BERT's first task: predict the hidden words."""

    def __init__(self, vocab_size, num_hiddens, num_inputs=None, **kwargs) -> None:
        super().__init__()
        lazy = num_inputs is None
        self.mlp = nn.Sequential(
            nn.LazyLinear(num_hiddens) if lazy else nn.Linear(num_inputs, num_hiddens),
            nn.ReLU(),
            nn.LayerNorm(num_hiddens),
            nn.LazyLinear(vocab_size) if lazy else nn.Linear(num_hiddens, vocab_size),
        )

    def forward(self, X, pred_positions):
        count = pred_positions.shape[1]
        rows = torch.repeat_interleave(torch.arange(0, X.shape[0]), count)
        return self.mlp(X[rows, pred_positions.reshape(-1)].reshape((X.shape[0], count, -1)))


class NextSentencePred(nn.Module):
    """BERT's second task: whether one sentence follows the other."""

    def __init__(self, num_inputs=None, **kwargs) -> None:
        super().__init__()
        self.output = _linear(num_inputs, 2, True)

    def forward(self, X):
        return self.output(X)


class BERTModel(nn.Module):
    """The encoder with both tasks."""

    def __init__(self, vocab_size, num_hiddens, *sizes, hid_in_features=None, mlm_in_features=None,
                 nsp_in_features=None, **named) -> None:  # fmt: skip
        super().__init__()
        self.encoder = BERTEncoder(vocab_size, num_hiddens, *sizes, **named)
        self.hidden = nn.Sequential(_linear(hid_in_features, num_hiddens, True), nn.Tanh())
        self.mlm = MaskLM(vocab_size, num_hiddens, mlm_in_features)
        self.nsp = NextSentencePred(nsp_in_features)

    def forward(self, tokens, segments, valid_lens=None, pred_positions=None):
        encoded = self.encoder(tokens, segments, valid_lens)
        words = None if pred_positions is None else self.mlm(encoded, pred_positions)
        return encoded, words, self.nsp(self.hidden(encoded[:, 0, :]))
