"""Names of tensors and modules that are not variables: in attributes, containers, functions."""

import pytest
import torch

import explorer
from explorer.runtime.recorder.object_contents import reachable
from tests.corpus import facts_beside
from tests.programs import traced


def names(trace, leaves=True):
    """Return the names that require grad, in the order of the Trace."""
    tensors = trace.tensors
    found = [b.name for b in trace.bindings if tensors.requires_grad[b.tensor] and tensors.is_leaf[b.tensor] == leaves]
    return list(dict.fromkeys(found))


def modules(trace):
    return list(dict.fromkeys(trace.string(i) for i in trace.operations.module if i >= 0))


def test_leaves_in_lists_dictionaries_and_attributes_are_named():
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


def test_a_deleted_leaf_keeps_the_name_it_was_read_by():
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


def test_a_named_tensor_keeps_its_name_in_a_list():
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


def test_a_recording_in_a_method_names_attributes():
    trace = Trainer().fit(torch.ones(1, 2))
    assert names(trace) == ["self.model.weight", "self.model.bias"] and modules(trace) == ["self.model"]
    assert trace.gradient("self.model.weight").tolist() == [[1, 1]]


def test_a_recording_knows_its_callers_variables():
    first, second = torch.ones(1, requires_grad=True), {"w": torch.ones(1, requires_grad=True)}

    def step(function):
        with explorer.record() as trace:
            function().backward()
        return trace

    trace = step(lambda: first * second["w"])
    assert names(trace) == ["first", 'second["w"]']


def test_naming_ends_without_running_the_programs_code():
    class Strange:
        def __getattr__(self, name):
            raise SystemExit

        def __iter__(self):
            raise SystemExit

    around: list = []
    around.append(around)
    deep = {"a": Strange(), "around": around, "many": [[[torch.ones(1)] * 10] * 300] * 300}
    assert len(list(reachable({"deep": deep, "x": torch.ones(1)}))) <= 5_000


def test_a_module_in_a_library_object_is_named_by_its_attribute():
    source = """\
import torch
from types import SimpleNamespace

def made():
    return SimpleNamespace(policy=torch.nn.Linear(2, 1), _spare=torch.nn.Linear(2, 1))

agent = made()
agent.policy(torch.ones(1, 2)).sum().backward()
"""
    trace = traced(source)
    assert names(trace) == ["agent.policy.weight", "agent.policy.bias"] and modules(trace) == ["agent.policy"]


def test_attributes_of_a_proxy_are_not_read():
    class Proxy:
        @property
        def __dict__(self):
            raise SystemExit

    assert list(reachable({"there": {"is": Proxy(), "w": torch.ones(1)}})) != []


LAYERS = {
    "a list": ("[torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)]", ["layers[0].weight", "layers[1].weight"]),
    "a ModuleList": (
        "torch.nn.ModuleList([torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)])",
        ["layers.0.weight", "layers.1.weight"],
    ),
}


@pytest.mark.parametrize("made, names", LAYERS.values(), ids=LAYERS)
@pytest.mark.parametrize("around", ["if True:", "def f(x):"])
@pytest.mark.parametrize("loop", ["for l in layers:", "for i, (l, _) in enumerate(zip(layers, layers)):"])
def test_layers_in_a_loop_are_named_by_their_container(loop, around, made, names):
    trace = traced(
        f"x = torch.ones(1, 2)\n{around}\n    layers = {made}\n    {loop}\n        x = l(x)\n"
        f"    x.sum().backward()\n{'f(x)' if 'def' in around else ''}"
    )
    assert [binding.name for binding in trace.bindings if binding.name.endswith("weight")] == names


@pytest.mark.parametrize("call", ["made(", "timed(made)("], ids=["plain", "decorated"])
def test_an_argument_has_the_callers_name(call):
    trace = traced(
        f"""
        import torch
        def made(net, x):
            return net(x).sum()
        def timed(f):
            return lambda *given: f(*given)
        def main():
            net, target, x = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1), torch.ones(3, 2)
            {call}target, x).backward()
            {call}net, x).backward()
            {call}torch.nn.Linear(2, 1, bias=False), x).backward()
        main()
        """
    )
    found = {binding.tensor: binding.name for binding in trace.bindings if binding.name.endswith("weight")}
    last = "net.weight"  # a model without another name keeps the argument's
    assert [found[tensor] for tensor in sorted(found)] == ["net.weight", "target.weight", last]


test_facts = facts_beside(__file__, globals())
