"""Layers and tensors: normalisation, recurrence, attention, embeddings, indexing, dtypes, views."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

import explorer
from benchmarks.scenarios import data, kinds, mlp, scenario, states, why


@scenario
def recurrent_layers(record):
    """RNN, LSTM and GRU: every weight is named and gets its gradient."""
    layers = nn.ModuleDict({"rnn": nn.RNN(3, 4), "lstm": nn.LSTM(3, 4, 2, bidirectional=True), "gru": nn.GRU(3, 4)})
    x = data(6, 2, 3)
    with record() as trace:
        loss = sum(layer(x)[0].square().mean() for layer in layers.values())
        loss.backward()

    def facts():
        found = states(trace)
        assert all(found[f"layers.{name}"] == "flows" for name, _ in layers.named_parameters()), found
        assert trace.report().sound

    return layers, facts


@scenario
def truncated_backpropagation(record):
    """The hidden state is detached between chunks: sound; each chunk is one backward."""
    cell, head, x = nn.GRU(3, 4), nn.Linear(4, 1), data(12, 2, 3)
    optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
    with record() as trace:
        state = None
        for chunk in x.split(4):
            state = None if state is None else state.detach()
            output, state = cell(chunk, state)
            loss = head(output).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    def facts():
        assert len(trace.backwards) == 3 and trace.report().sound and not kinds(trace, "fault"), trace.report()

    return (cell, head), facts


@scenario
def hidden_state_kept(record):
    """The detach forgotten: the second backward goes into a freed graph, and the report explains it."""
    cell, x = nn.GRUCell(3, 4), data(2, 2, 3)
    try:
        with record() as trace:
            state = torch.zeros(2, 4)
            for chunk in x:
                state = cell(chunk, state)
                state.sum().backward()
    except RuntimeError:
        pass

    def facts():
        assert trace.report().status == "error" and "backward" in str(trace.report())

    return None, facts


@scenario
def attention_with_a_mask(record):
    """Causal attention: masked scores are −inf on purpose, so no fault may be reported."""
    q, k, v = (data(1, 4, 8).add(n).requires_grad_() for n in range(3))
    mask = torch.ones(4, 4, dtype=torch.bool).tril()
    with record() as trace:
        scores = (q @ k.mT) / 8**0.5
        weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
        loss = (weights @ v).square().mean()
        loss.backward()

    def facts():
        assert trace.report().sound and not kinds(trace, "fault"), trace.report()
        assert not [origin for origin in trace.nonfinite() if origin.reaches]

    return (q, k, v), facts


@scenario
def attention_fully_masked(record):
    """A row that is masked whole: softmax makes NaN, and that is the line named."""
    q = data(1, 4, 8).requires_grad_()
    mask = torch.ones(4, 4, dtype=torch.bool).tril(-1)
    with record() as trace:
        scores = (q @ q.mT).masked_fill(~mask, float("-inf"))
        weights = scores.softmax(-1)
        loss = (weights @ q).square().mean()
        loss.backward()

    def facts():
        found = [origin for origin in trace.nonfinite() if origin.reaches]
        assert found[0].kind == "nan" and found[0].code == "scores.softmax(-1)", found

    return q, facts


@scenario
def fused_attention(record):
    """nn.MultiheadAttention and scaled_dot_product_attention: all flows, by name."""
    net, x = nn.MultiheadAttention(8, 2, batch_first=True), data(2, 5, 8)
    with record() as trace:
        y, _ = net(x, x, x, need_weights=False)
        z = F.scaled_dot_product_attention(y, x, x, is_causal=True)
        loss = z.square().mean()
        loss.backward()

    def facts():
        assert all(state == "flows" for name, state in states(trace).items() if "bias" not in name), states(trace)
        assert trace.report().sound

    return net, facts


@scenario
def embedding_padding(record):
    """The padding row's gradient is 0, other rows that were not looked up too: no fault."""
    embed, head = nn.Embedding(10, 4, padding_idx=0), nn.Linear(4, 1)
    tokens = torch.tensor([[1, 2, 0, 0]])
    with record(full=["embed.*"]) as trace:
        loss = head(embed(tokens)).square().mean()
        loss.backward()

    def facts():
        gradient = trace.gradient("embed.weight").tensor
        assert not gradient[0].any() and gradient[1].any() and not gradient[5].any()
        assert trace.report().sound and not kinds(trace, "fault", "note"), trace.report()

    return (embed, head), facts


@scenario
def sparse_gradient(record):
    """A sparse embedding: its gradient is sparse; recorded, shown and read back all the same."""
    embed, large = nn.Embedding(10, 4, sparse=True), nn.Embedding(100_000, 16, sparse=True)
    optimizer = torch.optim.SparseAdam(embed.parameters())
    with record(full=["large.weight.grad"]) as trace:
        loss = embed(torch.tensor([1, 3, 3])).square().sum() + large(torch.tensor([5, 99_999, 5])).square().sum()
        loss.backward()
        optimizer.step()

    def facts():
        assert states(trace)["embed.weight"] == "flows" and trace.report().sound, trace.report()
        assert abs(trace.grad("embed.weight").norm - float(embed.weight.grad.coalesce().values().norm())) < 1e-5
        assert torch.equal(trace.gradient("large.weight").tensor, large.weight.grad.to_dense())
        entries = large.weight.grad.coalesce().values()
        assert abs(trace.grad("large.weight").maximum - float(entries.max())) < 1e-6
        assert explorer.draw(trace).svg(standalone=True)

    return (embed, large), facts


@scenario
def batch_norm_of_one(record):
    """BatchNorm of a single example raises: the report names the line."""
    net, x = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)), data(1, 3)
    try:
        with record() as trace:
            loss = net(x).square().mean()
            loss.backward()
    except ValueError:
        pass

    def facts():
        report = trace.report()
        assert report.status == "error" and report.stops[0].code and "net(x)" in str(report)

    return None, facts


@scenario
def bias_before_batch_norm(record):
    """A bias in front of BatchNorm gets rounding noise as its gradient, not a fault."""
    net, x = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1)), data(16, 3)
    with record() as trace:
        loss = net(x).square().mean()
        loss.backward()

    def facts():
        assert trace.grad("net.0.bias").norm < 1e-6 * 1 + 1e-5
        assert not kinds(trace, "fault") and trace.report().sound

    return net, facts


@scenario
def dropout(record):
    """Dropout between layers draws the same numbers with recording as without."""
    net, x = nn.Sequential(nn.Linear(3, 16), nn.Dropout(0.5), nn.Linear(16, 1)), data(8, 3)
    with record() as trace:
        loss = net(x).square().mean()
        loss.backward()

    def facts():
        assert trace.report().sound and set(states(trace).values()) == {"flows"}

    return net, facts


@scenario
def checkpointing(record):
    """Checkpointed blocks: the same gradients, every weight named, and a lower peak of memory."""
    blocks, x = nn.ModuleList(mlp(32, 128, 32) for _ in range(4)), data(64, 32)
    traces = []
    for again in (False, True):
        with record() as trace:
            h = x
            for block in blocks:
                h = checkpoint(block, h, use_reentrant=False) if again else block(h)
            loss = h.square().mean()
            loss.backward()
        traces.append(trace)

    def facts():
        peaks = [trace.memory().peak for trace in traces]
        assert peaks[1] < peaks[0] and set(states(traces[1]).values()) == {"flows"}
        assert traces[1].report().sound

    return blocks, facts


@scenario
def reentrant_checkpoint_cuts(record):
    """A reentrant checkpoint whose input needs no gradient loses its weights' gradients: a note names the call."""
    block, x = mlp(3, 8, 1), data(4, 3)
    extra = torch.zeros(1, requires_grad=True)
    with record() as trace:
        loss = checkpoint(block, x, use_reentrant=True).square().mean() + extra.sum()
        loss.backward()

    def facts():
        assert states(trace)["block.0.weight"] == "none", states(trace)
        assert "gradients off" in why(trace, "block.0.weight") and "checkpoint(block, x" in str(trace.report())

    return (block, extra), facts
