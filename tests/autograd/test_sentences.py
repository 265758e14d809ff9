"""The sentence below the picture explains the program's gradient."""

import pytest

from explorer.analysis.explain.autograd import graph_view, sentence
from explorer.analysis.explain.autograd.entry_texts import range_text
from explorer.drawing.graph.cards import measure
from explorer.drawing.graph.dotfile import in_words
from explorer.drawing.graph.heat import heat
from tests.traces import trace_of

SAID = [
    (
        "w = torch.tensor(1., requires_grad=True)\nx = torch.tensor(2., requires_grad=True)\n"
        "a = w + x\nb = w + 1\ny = a * b\ny.backward()",
        "w.grad = 5 = 2 (via a) + 3 (via b).",
        "w.grad = 5 = 2（经由 a） + 3（经由 b）。",
    ),
    (
        "x = torch.tensor(3., requires_grad=True)\ny = 2 * x\ny.backward()",
        "x.grad = 2 (via y).",
        "x.grad = 2（经由 y）。",
    ),
    (
        "z = torch.tensor(1 + 2j, requires_grad=True)\nr = z.abs()\nr.backward()",
        "z.grad = 0.447+0.894j (via r).",
        "z.grad = 0.447+0.894j（经由 r）。",
    ),
    (
        "x = torch.arange(4., requires_grad=True)\ny = 2 * torch.dot(x, x)\ny.backward()",
        "x.grad[3] = 12 = 6 (via the first factor of torch.dot(x, x)) + 6 (via the second factor of torch.dot(x, x)).",
        "x.grad[3] = 12 = 6（经由 torch.dot(x, x) 的第一个因子） + 6（经由 torch.dot(x, x) 的第二个因子）。",
    ),
    (
        "w = torch.tensor(1., requires_grad=True)\nfor i in range(2):\n    (3 * w).backward()",
        "w.grad = 6 = 3 (from before) + 3 (via 3 * w).",
        "w.grad = 6 = 3（原有的值） + 3（经由 3 * w）。",
    ),
    (
        "w = torch.tensor(1., requires_grad=True)\nv = torch.tensor(1., requires_grad=True)\n"
        "y = w.detach() * v\ny.backward()",
        "w gets no gradient: w.detach() on line 4 cuts it off.",
        "w 没有梯度：被第 4 行的 w.detach() 切断。",
    ),
    (
        "x = torch.tensor(3., requires_grad=True)\ny = x * x",
        "This program ran no backward(). Showing the gradient of y. "
        "The gradient of x = 6 = 3 (via the first factor of y) + 3 (via the second factor of y).",
        "程序没有执行 backward()。图中是 y 的梯度。 "
        "x 的梯度 = 6 = 3（经由 y 的第一个因子） + 3（经由 y 的第二个因子）。",
    ),
    (
        "x = torch.tensor(2., requires_grad=True)\nx = x * 2\nx = x * 10\nx.backward()",
        "The gradient of x of line 2 = 20 (via x of line 3).",
        "第 2 行的 x 的梯度 = 20（经由第 3 行的 x）。",
    ),
    (
        "w = torch.ones(2, requires_grad=True)",
        "A tensor has requires_grad=True, but no operation on it was recorded.",
        "有张量设置了 requires_grad=True，但没有记录到对它的运算。",
    ),
    (
        "layer = torch.nn.Linear(10, 4)\nlayer(torch.ones(3, 8))",
        "This program has tensors with requires_grad=True, but no operation on them was recorded here.",
        "程序中有张量设置了 requires_grad=True，但这里没有记录到对它们的运算。",
    ),
    (
        "a = torch.ones(2)\nb = a + 1",
        "No tensor here has requires_grad=True, so autograd records nothing.",
        "这里没有张量设置 requires_grad=True，因此 autograd 不做记录。",
    ),
    (
        "x = torch.tensor([0., 1.], requires_grad=True)\ny = (0 * torch.sqrt(x)).sum()\ny.backward()",
        "NaN starts in the backward of torch.sqrt(x), at x[0]: "
        "a gradient of 0 is multiplied by a derivative that is infinite or NaN.",
        "NaN 始于 torch.sqrt(x) 的反向传播，在 x[0] 处：值为 0 的梯度乘以了无穷大或 NaN 的导数。",
    ),
    (
        "w = torch.tensor(1., requires_grad=True)\n(3 * w).backward()\n(w.clamp(max=0) * 2).backward()",
        "w.grad = 3 = 3 (from before) + 0 (via w.clamp(max=0)). "
        "The gradient is 0 because w.clamp(max=0) has slope 0 there, line 4.",
        "w.grad = 3 = 3（原有的值） + 0（经由 w.clamp(max=0)）。梯度为 0：w.clamp(max=0) 在这里的斜率是 0，第 4 行。",
    ),
    (
        "x = torch.ones(1, 2, requires_grad=True)\nA, B = torch.eye(2), torch.zeros(2, 1)\n(x @ A @ B).backward()",
        "x.grad[0, 0] = 0 (via x @ A). The gradient is 0 because x @ A @ B multiplies it by B, all zeros, line 4.",
        "x.grad[0, 0] = 0（经由 x @ A）。梯度为 0：x @ A @ B 把它乘以全为 0 的 B，第 4 行。",
    ),
    (
        "x = torch.tensor(3., requires_grad=True)\ny = x * 0\ny.backward()",
        "x.grad = 0 (via y). The gradient is 0 because x * 0 multiplies it by 0, line 3.",
        "x.grad = 0（经由 y）。梯度为 0：x * 0 把它乘以 0，第 3 行。",
    ),
]


@pytest.mark.parametrize(("program", "english", "chinese"), SAID)
def test_the_graphs_sentence_explains_the_gradient(program, english, chinese):
    view = graph_view(trace_of("import torch\n" + program))
    assert (sentence(view, "en"), sentence(view, "zh")) == (english, chinese)


def test_paths_around_a_function_exclude_its_own_inputs():
    own = (
        "import torch\nw = torch.tensor(5., requires_grad=True)\n"
        "class Times(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        double = x * 2\n        return double * w\n"
        "    @staticmethod\n    def backward(ctx, gradient):\n        return gradient * 2 * w\n"
        "x = torch.tensor(2., requires_grad=True)\n"
    )
    own_backward = "x.grad = 10 (via y). The program defines part of this backward itself"
    assert own_backward in (said := sentence(graph_view(trace_of(own + "y = Times.apply(x)\ny.backward()")), "en"))
    assert "whole derivative" not in said
    beside = own + "y = Times.apply(x)\nwith torch.no_grad():\n    c = x + 1\n(y * c).backward()"
    assert "also depends on x through x + 1 on line 14" in sentence(graph_view(trace_of(beside)), "en")


def test_a_gradient_that_is_not_the_derivative_is_not_called_one():
    leaf = "import torch\nx = torch.tensor(2., requires_grad=True)\n"
    own = (
        "class Same(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        return x.round()\n"
        "    @staticmethod\n    def backward(ctx, gradient):\n        return gradient\n"
    )
    for program, said in [
        ("y = x * 3\ny.register_hook(lambda g: g * 10)\ny.exp().log().backward()", "x.grad = 30 (via"),
        ("x.register_hook(lambda g: g * 10)\n(x * x).backward()", "x.grad = 40."),
        ("x.register_hook(lambda g: g + 0.002 * x.detach())\n(x * x + x).backward()", "x.grad = 5.004. A hook"),
        ("x.register_hook(print)\n(3 * x).backward()", "x.grad = 3 (via"),
        ("y = x ** 2\nx.data.mul_(10)\ny.backward()", "x.grad = 40 (via y)."),
        (own + "y = Same.apply(x)\ny.backward()", "x.grad = 1 (via y)."),
        (own + "y = Same.apply(x)\ntorch.autograd.grad(y, x)", "The gradient of x = 1 (via y)."),
    ]:
        assert sentence(graph_view(trace_of(leaf + program)), "en").startswith(said)


def test_a_line_after_backward_counts_only_for_an_earlier_round():
    loop = (
        "import torch\nw = torch.tensor(2., requires_grad=True)\nseen = torch.zeros(())\n"
        "for i in range(3):\n    o = w * 3\n    loss = (o - seen) ** 2\n    loss.backward()\n"
        "    seen = seen + o.data\n{}"
    )
    said = sentence(graph_view(trace_of(loop.format(""))), "en")
    assert "also depends on w through o.data on line 8 of an earlier round" in said
    moved = "    with torch.no_grad():\n        w -= 0.1\n"  # the saved value is of an earlier w
    assert "also through" not in sentence(graph_view(trace_of(loop.format(moved))), "en")
    after = "import torch\nw = torch.tensor(2., requires_grad=True)\no = w * 3\n(o * o).backward()\nseen = o.data * 2"
    assert "also through" not in sentence(graph_view(trace_of(after)), "en")


def test_a_name_is_reported_without_gradient_only_if_all_its_tensors_are():
    program = (
        "import torch\ntorch.manual_seed(0)\nnet = torch.nn.Linear(2, 1)\nkept = torch.zeros(1)\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\nfor i in range(3):\n    o = net(torch.ones(3, 2) * i)\n"
        "    loss = ((o - kept) ** 2).mean()\n    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
        "    kept = 0.9 * kept + 0.1 * o.data.mean()"
    )
    assert sentence(graph_view(trace_of(program)), "en").startswith("net.bias.grad = ")


def test_modules_of_a_stack_are_compared_individually():
    said = sentence(
        graph_view(
            trace_of("""
import torch
from torch import nn
class Block(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.inp, self.out, self.scale = nn.Linear(2, 2), nn.Linear(2, 2), scale
    def forward(self, x):
        return x + self.scale * self.out(torch.relu(self.inp(x)))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp, self.head = nn.Linear(2, 2), nn.Linear(2, 1)
        self.blocks = nn.ModuleList(Block(scale) for scale in (0.1, 0.001, 1.0, 1.0))
    def forward(self, x):
        x = self.inp(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)
torch.manual_seed(0)
net = Net()
net(torch.randn(5, 2)).pow(2).sum().backward()
""")
        ),
        "en",
    )
    assert "net.blocks.1 the smallest (" in said


def test_an_input_with_a_gradient_is_not_a_parameter_of_its_module():
    program = """
        import torch
        net = torch.nn.Sequential(*(torch.nn.Linear(8, 8) for _ in range(40)))
        x = torch.ones(1, 8, requires_grad=True)
        net(x).sum().backward()
        """
    view = graph_view(trace_of(program))
    assert [card.kind for card in view.cards if card.word == "x"] == ["leaf"]


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ("torch.arange(9.)", "0 … 8"),
        ("torch.tensor([1.] * 8 + [-float('inf')])", "−∞ … 1"),
        ("torch.tensor([1.] * 8 + [float('inf')])", "1 … ∞"),
        ("torch.tensor([1., 2.] * 4 + [float('nan')])", "1 … 2, NaN"),
        ("torch.tensor([float('nan'), float('inf'), -float('inf'), 0.] * 3)", "−∞ … ∞, NaN"),
        ("torch.full((9,), float('nan'))", "NaN"),
        ("torch.full((9,), -float('inf'))", "−∞"),
        ("torch.full((9,), 3.)", "3"),
        ("torch.cat([torch.arange(99.), torch.tensor([float('inf')])])", "0 … 98, ±∞"),  # the sign is unknown
    ],
)
def test_a_range_includes_infinities_and_nan(entries, said):
    trace = trace_of(f"import torch\nx = {entries}")
    value = trace["x"]
    assert range_text(value, False) == said
    assert in_words(value, False).startswith(said)
    assert said in heat(value, None, "en") or len(set(value.entries)) == 1


def test_a_thumbnails_range_includes_infinities():
    program = "x = torch.tensor([[1., 2., -float('inf')]] * 3, requires_grad=True)\nx.exp().sum().backward()"
    view = graph_view(trace_of(f"import torch\n{program}"))
    leaf = next(card for card in view.cards if card.kind == "leaf")
    assert measure(leaf, "en").value_grid.range == "−∞ … 2"


def test_a_sum_has_one_precision():
    source = "t = torch.tensor(1., requires_grad=True)\n(t * 1.2033333 - t * 0.0033333).backward()"
    text = sentence(graph_view(trace_of(f"import torch\n{source}")), "en")
    assert text.startswith("t.grad = 1.20 = 1.20 (via t * 1.2033333) + (−0.00333) (via t * 0.0033333)")
