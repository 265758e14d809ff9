"""What tensors and modules are called that no variable holds itself: in attributes, containers, functions."""

import pytest
import torch

import explorer
from explorer.runtime.recorder.object_contents import modules_and_tensors
from tests.programs import traced

TRAINER = """\
import torch
from torch import nn

class Trainer:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
        self.opt = torch.optim.SGD(self.model.parameters(), 0.1)

    def fit(self, x):
        loss = self.model(x).sum()
        loss.backward()
        self.opt.step()

"""


def names(trace, leaves=True):
    """The names of what asks for a gradient, in the order of the Trace."""
    tensors = trace.tensors
    found = [b.name for b in trace.bindings if tensors.requires_grad[b.tensor] and tensors.is_leaf[b.tensor] == leaves]
    return list(dict.fromkeys(found))


def modules(trace):
    return list(dict.fromkeys(trace.string(i) for i in trace.operations.module if i >= 0))


def test_a_model_in_a_class_of_ones_own():
    trace = traced(TRAINER + "trainer = Trainer()\ntrainer.fit(torch.ones(1, 2))")
    assert names(trace) == [f"trainer.model.{i}.{part}" for i in (0, 2) for part in ("weight", "bias")]
    assert modules(trace) == ["trainer.model.0", "trainer.model.1", "trainer.model.2"]


def test_one_that_is_gone_when_the_program_ends_keeps_what_it_was_called():
    trace = traced(TRAINER + "def main():\n    Trainer().fit(torch.ones(1, 2))\n\nmain()")
    assert names(trace)[:2] == ["self.model.0.weight", "self.model.0.bias"]
    assert modules(trace) == ["self.model.0", "self.model.1", "self.model.2"]


def test_a_model_of_a_function():
    source = "def main():\n    net = nn.Linear(2, 1)\n    net(torch.ones(1, 2)).sum().backward()\n\nmain()"
    trace = traced(f"import torch\nfrom torch import nn\n{source}")
    assert names(trace) == ["net.weight", "net.bias"] and modules(trace) == ["net"]


def test_models_in_containers():
    source = """\
import torch
from torch import nn
models = {"g": nn.Linear(1, 1), "d": nn.Linear(1, 1)}
nets = [nn.Linear(1, 1)]
x = torch.ones(1, 1)
for net in models.values():
    x = net(x)
nets[0](x).sum().backward()
del net
"""
    trace = traced(source)
    assert names(trace)[::2] == ['models["g"].weight', 'models["d"].weight', "nets[0].weight"]
    assert modules(trace) == ['models["g"]', 'models["d"]', "nets[0]"]


def test_a_part_of_a_module_that_is_called_by_a_method_of_it():
    source = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(2, 1)

    def encode(self, x):
        return self.encoder(x)

def main():
    net = Net()
    net.encode(torch.ones(1, 2)).sum().backward()

main()
"""
    trace = traced(source)
    assert names(trace)[0] == "net.encoder.weight" and modules(trace) == ["net.encoder"]


def test_tied_weights_have_both_names():
    source = """\
import torch
from torch import nn

class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(4, 2)
        self.head = nn.Linear(2, 4, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, i):
        return self.head(self.embed(i))

net = Tied()
net(torch.tensor([1, 2])).sum().backward()
"""
    trace = traced(source)
    assert names(trace) == ["net.embed.weight", "net.head.weight"]
    assert trace.bound("net.embed.weight") == trace.bound("net.head.weight")


def test_leaves_in_lists_dictionaries_and_attributes():
    source = """\
import torch
weights = [torch.ones(2, requires_grad=True) for _ in range(3)]
params = {"b": torch.zeros(2, requires_grad=True)}

class Layer:
    def __init__(self):
        self.w = torch.ones(2, requires_grad=True)

layer = Layer()
y = params["b"] * layer.w
for w in weights:
    y = y + w
y.sum().backward()
"""
    found = names(traced(source))
    assert {'params["b"]', "layer.w", "weights[0]", "weights[1]", "weights[2]"} <= set(found)


def test_a_leaf_that_is_gone_is_called_as_it_was_read():
    source = """\
import torch

class Layer:
    def __init__(self):
        self.w = torch.ones(2, requires_grad=True)
        self.more = {"b": [torch.ones(2, requires_grad=True)]}

    def run(self, x):
        return (self.w * x + self.more["b"][0]).sum()

loss = Layer().run(torch.ones(2))
loss.backward()
"""
    assert names(traced(source)) == ["self.w", 'self.more["b"][0]']


def test_what_has_a_name_of_its_own_gets_no_other():
    source = """\
import torch
w = torch.ones(1, requires_grad=True)
b = torch.ones(1, requires_grad=True)
params = [w, b]
(params[0] + params[1]).backward()
"""
    assert names(traced(source)) == ["w", "b"]


class Trainer:
    def __init__(self):
        self.model = torch.nn.Linear(2, 1)

    def fit(self, x):
        with explorer.record() as trace:
            self.model(x).sum().backward()
        return trace


def test_a_record_in_a_method():
    trace = Trainer().fit(torch.ones(1, 2))
    assert names(trace) == ["self.model.weight", "self.model.bias"] and modules(trace) == ["self.model"]
    assert trace.gradient("self.model.weight").tolist() == [[1, 1]]


def test_a_record_knows_the_variables_of_those_that_called_it():
    first, second = torch.ones(1, requires_grad=True), {"w": torch.ones(1, requires_grad=True)}

    def step(function):
        with explorer.record() as trace:
            function().backward()
        return trace

    trace = step(lambda: first * second["w"])
    assert names(trace) == ["first", 'second["w"]']


def test_a_long_walk_ends_and_no_code_of_the_program_runs():
    class Strange:
        def __getattr__(self, name):
            raise SystemExit

        def __iter__(self):
            raise SystemExit

    around: list = []
    around.append(around)
    deep = {"a": Strange(), "around": around, "many": [[[torch.ones(1)] * 10] * 300] * 300}
    assert len(list(modules_and_tensors({"deep": deep, "x": torch.ones(1)}))) <= 5_000


LAYERS = {
    "a list": ("[torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)]", ["layers[0].weight", "layers[1].weight"]),
    "a ModuleList": (
        "torch.nn.ModuleList([torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)])",
        ["layers.0.weight", "layers.1.weight"],
    ),
}


@pytest.mark.parametrize("made, names", LAYERS.values(), ids=LAYERS)
@pytest.mark.parametrize("around", ["if True:", "def f(x):"])
def test_layers_of_a_loop_are_named_by_where_they_are(around, made, names):
    trace = traced(
        f"x = torch.ones(1, 2)\n{around}\n    layers = {made}\n    for l in layers:\n        x = l(x)\n"
        f"    x.sum().backward()\n{'f(x)' if 'def' in around else ''}"
    )
    assert [binding.name for binding in trace.bindings if binding.name.endswith("weight")] == names
