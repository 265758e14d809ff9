"""How models are put together: shared and nested modules, adapters, outputs that are no tensors."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F

import explorer
from benchmarks.scenarios import data, kinds, mlp, scenario, states


@scenario
def tied_weights(record):
    """Embedding and head share a weight: one row, one gradient of both uses."""

    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(10, 4)
            self.head = nn.Linear(4, 10, bias=False)
            self.head.weight = self.embed.weight

        def forward(self, tokens):
            return self.head(self.embed(tokens))

    model, tokens = Tied(), torch.tensor([[1, 2, 3]])
    with record() as trace:
        loss = F.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
        loss.backward()

    def facts():
        rows = [row for row in trace.report().parameters if row.name.startswith("model.")]
        assert len(rows) == 1 and rows[0].state == "flows"
        assert torch.equal(trace.gradient(rows[0].name).tensor, model.embed.weight.grad)

    return model, facts


@scenario
def untied_by_copy(record):
    """`head.weight.data = embed.weight.data.clone()`: told that it is a copy."""
    embed, head, tokens = nn.Embedding(10, 4), nn.Linear(4, 10, bias=False), torch.tensor([[1, 2, 3]])
    with record() as trace:
        head.weight.data = embed.weight.data.clone()
        optimizer = torch.optim.SGD([*embed.parameters(), *head.parameters()], lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            F.cross_entropy(head(embed(tokens)).flatten(0, 1), tokens.flatten()).backward()
            optimizer.step()

    def facts():
        assert "weights_untied" in kinds(trace)

    return (embed, head), facts


class _LoRA(nn.Module):
    def __init__(self, base, rank=2):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.a = nn.Parameter(data(rank, base.in_features))
        self.b = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + x @ self.a.T @ self.b.T


@scenario
def lora(record):
    """LoRA at its start: b = 0, so a's gradient is 0, and that is no fault; after a step it flows."""
    net, x = nn.Sequential(_LoRA(nn.Linear(3, 4)), nn.ReLU(), nn.Linear(4, 1)), data(8, 3)
    optimizer = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.1)
    with record() as trace:
        for _ in range(2):
            optimizer.zero_grad()
            net(x).square().mean().backward()
            optimizer.step()

    def facts():
        assert states(trace)["net.0.base.weight"] == "frozen" and states(trace)["net.0.a"] == "flows"
        assert trace.gradient("net.0.a", backward=1).is_zero and trace.report().sound, trace.report()

    return net, facts


@scenario
def lora_first_step_only(record):
    """One step of LoRA: a gets zeros since b is 0; the report is sound."""
    net, x = _LoRA(nn.Linear(3, 4)), data(8, 3)
    optimizer = torch.optim.SGD([net.a, net.b], lr=0.1)
    with record() as trace:
        optimizer.zero_grad()
        net(x).square().mean().backward()
        optimizer.step()

    def facts():
        assert states(trace)["net.a"] == "zero" and states(trace)["net.b"] == "flows"
        assert trace.report().sound, trace.report()

    return net, facts


@scenario
def siamese_branches(record):
    """One encoder used twice: the sum of two branches; why names both by their lines."""
    encoder, left, right = nn.Linear(3, 2), data(4, 3), data(4, 3) + 1
    with record() as trace:
        a = encoder(left)
        b = encoder(right)
        loss = (a * b).sum()
        loss.backward()

    def facts():
        text = str(trace.why("encoder.weight.grad[0, 0]"))
        assert text.count("passed on to encoder.weight[0, 0]") == 2 and "round" not in text, text

    return encoder, facts


@scenario
def nested_shared_modules(record):
    """A block shared by two parents has one path per parameter and one gradient."""

    class Parent(nn.Module):
        def __init__(self, block, width):
            super().__init__()
            self.block, self.out = block, nn.Linear(4, width)

        def forward(self, x):
            return self.out(self.block(x))

    block = mlp(3, 4, 4)
    model, x = nn.ModuleDict({"one": Parent(block, 1), "two": Parent(block, 2)}), data(8, 3)
    with record() as trace:
        loss = model["one"](x).square().mean() + model["two"](x).square().mean()
        loss.backward()

    def facts():
        rows = trace.report().parameters
        assert len(rows) == len(list(model.parameters())) == 8 and trace.report().sound
        assert all(row.state == "flows" for row in rows)

    return model, facts


@scenario
def layers_in_a_list(record):
    """Layers in a plain Python list: the optimizer does not know them, told by name."""

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = [nn.Linear(3, 4), nn.Linear(4, 4)]
            self.head = nn.Linear(4, 1)

        def forward(self, x):
            for layer in self.layers:
                x = torch.relu(layer(x))
            return self.head(x)

    net, x = Net(), data(8, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with record() as trace:
        for _ in range(2):
            optimizer.zero_grad()
            net(x).square().mean().backward()
            optimizer.step()

    def facts():
        assert kinds(trace) & {"layer_forgotten", "not_in_optimizer"}, trace.report()
        assert any("layers" in name for name in trace.report().optimizers.in_none), trace.report().optimizers

    return (net, *net.layers), facts


@scenario
def layer_never_called(record):
    """A layer that forward never calls has no gradient, and the reason says so."""

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.used, self.spare = nn.Linear(3, 1), nn.Linear(3, 1)

        def forward(self, x):
            return self.used(x)

    net, x = Net(), data(8, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with record() as trace:
        optimizer.zero_grad()
        net(x).square().mean().backward()
        optimizer.step()

    def facts():
        assert states(trace)["net.spare.weight"] in ("none", "unread"), states(trace)
        assert set(trace.report().optimizers.optimizers[0].groups[0].idle) == {"net.spare.weight", "net.spare.bias"}

    return net, facts


@dataclass
class _Output:
    loss: torch.Tensor
    logits: torch.Tensor


def _answer(logits, y):
    return _Output(F.cross_entropy(logits, y), logits * 1)


@scenario
def dataclass_output(record):
    """A model returns a dataclass: its fields are tensors that can be asked for."""
    net, x, y = mlp(3, 8, 4), data(8, 3), torch.arange(8) % 4
    with record() as trace:
        out = _answer(net(x), y)
        out.loss.backward()

    def facts():
        assert trace["out.loss"] is not None and trace.report().losses[0].name in ("out.loss", "loss")
        assert trace["out.logits"] is not None and trace.report().sound

    return net, facts


@scenario
def nested_dict_output(record):
    """A nested dict of outputs as TensorDict has it: named by keys."""
    net, x = mlp(3, 8, 4), data(8, 3)
    with record() as trace:
        hidden = net(x)
        out = {"policy": {"logits": hidden[:, :3]}, "value": hidden[:, 3]}
        loss = out["policy"]["logits"].logsumexp(1).mean() + out["value"].square().mean()
        loss.backward()

    def facts():
        names = {tensor.name for tensor in trace.tensors}
        assert any("policy" in name for name in names) and any("value" in name for name in names), names
        assert trace.gradient("out['value']") is not None

    return net, facts


@scenario
def deep_model_folds(record):
    """Eighty blocks: one stack in the picture, not eighty cards, and one block can be opened."""
    net, x = nn.Sequential(*[mlp(8, 8, 8) for _ in range(80)]), data(4, 8)
    with record() as trace:
        loss = net(x).square().mean()
        loss.backward()

    def facts():
        assert len(explorer.draw(trace).view.cards) < 40
        assert len(explorer.draw(trace, open="net.7").view.cards) > len(explorer.draw(trace).view.cards)
        assert len(states(trace)) == 320

    return net, facts


@scenario
def very_long_chain(record):
    """Twenty thousand operations: recorded, freed, drawn and reported."""
    w = torch.tensor(1.0, requires_grad=True)
    with record() as trace:
        y = w
        for _ in range(20_000):
            y = y * 1.00001
        y.backward()

    def facts():
        assert len(trace.nodes) > 20_000 and states(trace)["w"] == "flows" and trace.report().sound
        assert len(explorer.draw(trace).view.cards) < 20

    return w, facts


@scenario
def generator_of_batches(record):
    """Training inside a generator and through one: lines and names are the program's."""
    net = mlp(3, 4, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def batches():
        for n in range(3):
            yield data(4, 3) + n

    def train():
        for batch in batches():
            optimizer.zero_grad()
            loss = net(batch).square().mean()
            loss.backward()
            optimizer.step()
            yield loss.item()

    with record() as trace:
        losses = list(train())

    def facts():
        assert len(trace.backwards) == 3 and len(losses) == 3 and trace.report().sound, trace.report()
        assert trace.report().losses[-1].name == "loss"

    return net, facts


@scenario
def threads(record):
    """Work in another thread is not recorded: said in one sentence, not silently left out."""
    import threading
    import warnings

    net, x = mlp(3, 4, 1), data(4, 3)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        with record() as trace:
            worker = threading.Thread(target=lambda: net(x).square().mean().backward())
            worker.start()
            worker.join()

    def facts():
        assert any("thread" in str(warning.message) for warning in heard)
        assert any(limit.kind == "threads" for limit in trace.limits)

    return net, facts


@scenario
def exception_inside_record(record):
    """An exception in the `with` is raised on, and what ran until then can be asked."""
    net, x, raised = mlp(3, 4, 1), data(4, 3), False
    try:
        with record() as trace:
            loss = net(x).square().mean()
            loss.backward()
            raise KeyError("config")
    except KeyError:
        raised = True

    def facts():
        assert raised and states(trace)["net.0.weight"] == "flows" and not trace.report().sound
        assert "config" in str(trace.report())

    return net, facts


@scenario
def keyboard_interrupt(record):
    """Ctrl+C in a long loop: the recording is there up to that round."""
    w = torch.tensor([1.0], requires_grad=True)
    try:
        with record() as trace:
            for step in range(100):
                loss = (w**2).sum()
                loss.backward()
                w.grad = None
                if step == 20:
                    raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass

    def facts():
        assert len(trace.steps.to_pandas()) == 21 and explorer.draw(trace).svg(standalone=True)

    return None, facts
