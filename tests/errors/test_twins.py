"""An explanation depends on what the process knew, not on how the program spells it."""

import pytest

from explorer.analysis.diagnose.errors.replies import explain
from explorer.trace import Failure
from tests.errors.test_examples import ALL
from tests.errors.twins import twins
from tests.traces import trace_of

# An object in a container gets the general kind, because the shared operation's record has no receiver.
GENERAL = {"graph-kept-inside", "graph-of-a-generator"}
SPELLED = {("name-misspelt", "name"), ("name-after-error", "name")}  # of a name, or of a cell, which the twin changes
TWINS = {
    f"{name} {how}": (example.kind, twin)
    for (_, name), example in ALL.items()
    for how, twin in twins(example.program)
    if example.kind not in GENERAL and (example.kind, how) not in SPELLED
}
HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
OTHERS = {  # None: Python's own message is enough
    "from torch.nn import MSELoss\na, b = torch.ones(3), torch.ones(3)\nMSELoss(a, b)": "loss-class-given-tensors",
    "losses = {'mse': nn.MSELoss}\nlosses['mse'](torch.ones(3), torch.ones(3))": "loss-class-given-tensors",
    "nets = {'r': nn.LSTM(3, 4)}\nh = torch.zeros(1, 2, 4)\nnets['r'](torch.randn(5, 2, 3), h)": "lstm-state-alone",
    "kind = nn.LSTM\nrnn = kind(3, 4)\nrnn(torch.ones(5, 2, 3), torch.zeros(1, 2, 4))": "lstm-state-alone",
    "class Memory(nn.LSTM):\n    pass\nm, head = Memory(3, 4), nn.Linear(4, 1)\no = m(torch.ones(5, 2, 3))\nhead(o)": (
        "recurrent-gives-two"
    ),
    "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(2, 2)\n"
    "net = Net()\nnet.fc[0]": "layer-indexed",
    "class Net(nn.Module):\n    pass\nkinds = [Net]\nmodel = kinds[0]\ntorch.optim.SGD(model.parameters(), 0.1)": (
        "class-without-brackets"
    ),
    "class Model:\n    def run(self, x):\n        return x, x\nm = Model()\nF.relu(m.run(torch.ones(3)))": (
        "call-gives-several"
    ),
    "def outer():\n    def loss(x):\n        y = (x * x).sum()\n    return loss\nf = outer()\nf(torch.ones(2)) + 1": (
        "nothing-returned"
    ),
    "rnn = nn.GRU(3, 4)\nout = rnn(torch.ones(5, 2, 3))\nout = out + 1": "recurrent-gives-two",
    "net, x = nn.Linear(2, 2), torch.ones(2)\nfor _ in range(3):\n    net = net(x)": "name-given-to-result",
    "w = torch.ones(2, requires_grad=True)\nif (g := torch.autograd.grad((w * w).sum(), w)):\n    0.1 * g": (
        "grad-returns-a-tuple"
    ),
    "from copy import deepcopy as copied\nheld = {'y': torch.ones(2, requires_grad=True) * 2}\ncopied(held['y'])": (
        "deepcopy-of-a-result"
    ),
    "from math import sqrt as root\nheld = [torch.ones(3)]\nroot(held[0])": "math-of-tensor",
    "rows = [torch.arange(6).reshape(2, 3)]\nrows[0](1)": "tensor-called",
    "rnn = nn.GRU(3, 4)\ntorch.add(rnn(torch.ones(5, 2, 3))[0], (1, 2))": "tuple-for-tensor",
    "pair = torch.ones(2), torch.ones(2)\nnn.Linear(2, 2)(pair[0], (1, 2)).missing(pair)": None,
    "f = None\nf(torch.ones(2))": None,
    "pair = (1, 2)\npair.shape": None,
}


def kind_of(program: str) -> str | None:
    """Return the kind of a program's last error."""
    cell, _, failure = (trace := trace_of(program)).shown(Failure)[-1]
    found = explain(trace, cell, failure)
    return found.kind if found else None


@pytest.mark.sampled(40)
@pytest.mark.parametrize(("kind", "twin"), TWINS.values(), ids=TWINS)
def test_another_spelling_gets_the_same_kind(kind, twin):
    assert kind_of(twin) == kind


@pytest.mark.parametrize("program", OTHERS)
def test_aliases_containers_and_methods_are_explained(program):
    assert kind_of(HEAD + program) == OTHERS[program]


def test_no_code_of_the_program_runs_for_an_explanation():
    program = """
    class Sly:
        def __getattr__(self, name):
            print("attribute", name)
            raise AttributeError(name)
        def __len__(self):
            print("length")
        @property
        def part(self):
            return 1
    s = Sly()
    torch.add(s.part, [s])
    """
    trace = trace_of(HEAD + "\n".join(line[4:] for line in program.split("\n")))
    failure = trace.shown(Failure)[-1][2]
    assert [part.thing.type for part in failure.scene.parts if trace.text(part.span) == "s"] == ["Sly", "Sly"]
    assert not [
        one for cell in trace.cells for one in cell.outputs if getattr(one, "text", "").startswith(("attr", "len"))
    ]


def test_no_key_of_the_program_is_compared_for_an_explanation():
    program = """
    class Sly:
        def __hash__(self):
            return 1  # a text's hash varies, and with it how often a dict compares
        def __eq__(self, other):
            print("compared")
            return False
    nets = {Sly(): 1}
    nets[1] = nn.Linear(2, 2)
    nets[1](torch.ones(3))
    """
    trace = trace_of(HEAD + "\n".join(line[4:] for line in program.split("\n")))
    assert trace.shown(Failure)[-1][2].scene.parts[1].thing.type == ""
    printed = "".join(getattr(one, "text", "") for cell in trace.cells for one in cell.outputs)
    assert printed.count("compared") == 2  # printed by the program's own two lines
