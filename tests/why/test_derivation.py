"""Derivations of numbers: the answer to a question about a program."""

import pytest

from explorer.analysis.explain.autograd import graph_view
from explorer.analysis.explain.autograd.backward_steps import steps
from explorer.analysis.explain.autograd.partial_runs import ran_until, trace_so_far
from explorer.analysis.explain.why import UnknownName, answer, unfolded
from explorer.analysis.explain.why.derivation_steps import Arrived
from tests.programs import TWICE
from tests.traces import trace_of

HEAD = "import torch\nimport torch.nn.functional as F\n"
FIRST = f"\n{TWICE}"


def told(program: str, name: str, lang: str = "en") -> list[str]:
    """Return the lines of an answer."""
    return list(answer(trace_of(HEAD + program), name, lang).lines)


def test_a_tensor_without_a_name_is_known_by_the_text_that_made_it():
    lines = told(
        "import torch\nfrom torch import nn\nnn.Linear(2, 1)(torch.ones(1, 2)).sum().backward()",
        "nn.Linear(2, 1).weight.grad[0, 1]",
    )
    assert lines[0].startswith("nn.Linear(2, 1).weight.grad[0, 1] = 1 = ")


def test_a_gradient_is_unfolded_back_to_the_root():
    assert told(FIRST, "w.grad") == [
        "w.grad = 5 = 3 (via b: 3 · 1) + 2 (via a: 2 · 1) · line 9",
        "  gradient of b = 3 = 1 · 3 (via y) · line 7",
        "    gradient of y = 1: starting gradient · line 8",
        "  gradient of a = 2 = 1 · 2 (via y) · line 6",
    ]
    assert told(FIRST, "w.grad", "zh")[:2] == [
        "w.grad = 5 = 3（经由 b：3 · 1） + 2（经由 a：2 · 1） · 第 9 行",
        "  b 的梯度 = 3 = 1 · 3（经由 y） · 第 7 行",
    ]


def test_a_value_is_unfolded_to_its_source():
    assert told(FIRST, "y") == [
        "y = 6 = a · b = 3 · 2 · line 8",
        "  a = 3 = w + x = 1 + 2 · line 6",
        "    w = 1 · line 4: made by torch.tensor(1., requires_grad=True)",
        "    x = 2 · line 5: made by torch.tensor(2., requires_grad=True)",
        "  b = 2 = w + 1 = 1 + 1 · line 7",
    ]


def test_a_sum_has_one_precision_and_holds_for_its_printed_numbers():
    program = "t = torch.ones((), requires_grad=True)\n((t + 0.7) * 0.7 + (t + 0.5) * 0.5025 - t / 300).backward()"
    assert told(program, "t.grad")[0].startswith("t.grad = 1.20 = 0.700 (via ")
    assert " + 0.502 (via " in told(program, "t.grad")[0] and " + (−0.00333) (via " in told(program, "t.grad")[0]
    lines = told("a, b = torch.tensor(0.7), torch.tensor(1 / 3)\ny = a + b", "y")
    assert lines[0] == "y = 1.03 = a + b = 0.700 + 0.333 · line 4"
    lines = told("x = torch.tensor([0.5, 1 / 3, 0.25])\ny = x.mean()", "y")
    assert lines[0] == "y = 0.361 = (0.500 + 0.333 + 0.250) / 3 · line 4"


LOOP = """
x = torch.tensor(2., requires_grad=True)
(x * 2).backward()
(x ** 2).backward()
"""


def test_a_grad_lists_its_backward_calls_and_later_changes():
    assert told(LOOP, "x.grad")[0] == "x.grad = 6 = 2 (line 5) + 4 (line 6)"
    assert told(LOOP + "x.grad = None", "x.grad")[:2] == [
        "x.grad = None: cleared on line 7 by x.grad = None",
        "  x.grad = 6 = 2 (line 5) + 4 (line 6)",
    ]
    assert told(LOOP + "x.grad.zero_()", "x.grad")[0] == "x.grad = 0: line 7 set it to 0"
    again = told(LOOP + "x.grad.zero_()\n(3 * x).backward()", "x.grad")
    assert again[0] == "x.grad = 3 = 1 · 3 (via 3 * x) · line 8"
    below = told(LOOP + "torch.nn.utils.clip_grad_norm_([x], 30.)", "x.grad")
    assert below[0] == "x.grad = 6 = 2 (line 5) + 4 (line 6)"
    clipped = told(LOOP + "torch.nn.utils.clip_grad_norm_([x], 3.)", "x.grad")
    assert clipped[:2] == ["x.grad = 3: line 7 clipped it", "  x.grad = 6 = 2 (line 5) + 4 (line 6)"]
    both = told(LOOP + "torch.nn.utils.clip_grad_norm_([x], 3.)\nx.backward()", "x.grad")
    assert both[:2] == [
        "x.grad = 4 = 3 (from before) + 1 (line 8): since line 7 clipped it",
        "  x.grad = 3: line 7 clipped it",
    ]


def test_an_update_unfolds_to_its_gradient():
    lines = told(LOOP + "with torch.no_grad():\n    x -= 0.5 * x.grad", "x")
    assert lines[0] == "x after line 8 = −1 = x − (0.5 * x.grad) = 2 − 3"
    assert "    x.grad = 6 = 2 (line 5) + 4 (line 6)" in lines


MISSING = {
    "y = torch.tensor([1., 3.], requires_grad=True)\np = y.argmax()": (
        "p.requires_grad",
        "p.requires_grad = False: y.argmax() on line 4 has no derivative",
    ),
    "y = torch.ones(2, requires_grad=True)\nz = y.detach()": (
        "z.requires_grad",
        "z.requires_grad = False: y.detach() on line 4 cuts it off",
    ),
    "x = torch.ones(())\ny = x * 2": (
        "y.requires_grad",
        "y.requires_grad = False: x * 2 on line 4 does not set requires_grad",
    ),
    "x = torch.ones((), requires_grad=True)\nx.grad": ("x.grad", "x.grad = None: no backward ran"),
    "x = torch.nn.Parameter(torch.tensor(1.))\ny = x * 2": ("x", "x = 1: no recorded operation created it"),
    FIRST: ("a.grad", "gradient of a = 2 = 1 · 2 (via y) · line 6: a is not a leaf, so a.grad stays None"),
    """
x = torch.ones((), requires_grad=True)
w = torch.ones((), requires_grad=True)
with torch.no_grad():
    h = w * 2
(x * h).backward()
""": ("w.grad", "w.grad = None: line 7 ran with gradients off"),
    """
w = torch.ones((), requires_grad=True)
v = torch.ones((), requires_grad=True)
(2 * w).backward()
""": ("v.grad", "v.grad = None: 2 * w does not depend on it"),
}


@pytest.mark.parametrize("program", MISSING)
def test_a_missing_gradient_has_its_reason(program):
    name, said = MISSING[program]
    assert told(program, name)[0] == said


def test_complex_numbers_of_an_update_are_in_brackets():
    program = """
w = torch.tensor([1 - 2j], requires_grad=True)
w.abs().pow(2).sum().backward()
torch.optim.SGD([w], lr=0.25).step()
"""
    assert "= (1−2j) − 0.25 · (2−4j)" in told(program, "w")[0]


def test_the_largest_entry_of_a_tensor_is_explained_by_default():
    program = "w = torch.tensor([[1., -3.], [2., 0.]], requires_grad=True)\n(w ** 2).sum().backward()"
    lines = told(program, "w.grad")
    assert lines[0] == "w.grad[0, 1] = −6 = 1 · (−6) (via (w ** 2)[0, 1]) · line 4"
    assert "the largest magnitude" in lines[1]
    for name in ("w.grad[1, 0]", "w[1, 0].grad", "w.grad[-1, -2]"):
        assert told(program, name)[0].startswith("w.grad[1, 0] = 4 = 1 · 4")


def test_the_largest_terms_are_listed_first_with_their_share():
    program = "x = torch.arange(1., 13.)\nw = torch.tensor(1., requires_grad=True)\n(w * x).sum().backward()"
    first = told(program, "w.grad")[0]
    assert first.startswith("w.grad = 78 = 12 (via (w * x)[11]: 1 · 12, 15% of the sum) + 11 (via")
    assert first.endswith("+ 10 (4 more) · line 5")


def test_a_network_unfolds_through_its_layers():
    lines = told(
        """
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
F.cross_entropy(net(torch.randn(5, 3)), torch.tensor([0, 1, 0, 1, 1])).backward()
""",
        "net.0.weight.grad",
    )
    assert sum("starting gradient" in line for line in lines) == 1
    assert any("softmax(" in line for line in lines) and any("via net.1(…)" in line for line in lines)
    assert not any("LogSoftmax" in line for line in lines)  # cross_entropy counts as one step


def test_a_custom_backward_is_not_explained_by_a_formula():
    program = """
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * 5
x = torch.tensor(3., requires_grad=True)
y = Double.apply(x)
y.backward()
"""
    lines = list(answer(trace_of(HEAD + program), "x.grad").lines)
    assert lines[0] == "x.grad = 5 = 5 (via y) · line 13: DoubleBackward, a backward written in Python, passed this on"


def test_gradients_not_yet_computed_have_no_amount():
    trace = trace_of(HEAD + FIRST)
    view = graph_view(trace)
    known = trace_so_far(trace, 0, ran_until(trace, 0, steps(trace, view, "en"), 1))  # y has sent gradients to a and b
    reached = [Arrived(0, node, 0, 0) for node in known.backwards[0].order]
    amounts = {trace.strings[trace.nodes.name[one.node]]: unfolded(known, one).amount for one in reached}
    assert amounts == {"MulBackward0": 1.0, "AddBackward0": 2.0, "AccumulateGrad": None}
    assert [unfolded(known, one).terms for one in reached if unfolded(known, one).amount is None] == [(), ()]
    assert answer(known, "y").amount == 6.0


def test_a_hook_is_named_and_no_false_sum_is_shown():
    program = FIRST.replace("y.backward()", "w.register_hook(lambda g: g * 10)\ny.backward()")
    lines = list(answer(trace_of(HEAD + program), "w.grad").lines)
    assert lines[0].startswith("w.grad = 50") and lines[0].count("=") == 1
    assert "hook" in lines[0] and " 5" in lines[0]  # the hook's input


def test_a_hooks_result_is_not_equated_with_its_input():
    program = "w = torch.tensor(2.0, requires_grad=True)\ny = w * 3\ny.register_hook(lambda g: g + 1)\ny.backward()"
    for root, made in (("y", 2), ("(y * 2)", 3)):  # the starting gradient, or a contribution through one operation
        lines = told(program.replace("y.backward", f"{root}.backward"), "w.grad")
        assert any("hook" in line and f"= {made} ·" in line and line.count("=") == 1 for line in lines)


@pytest.mark.parametrize(
    ("name", "kind", "near"),
    [
        ("w.gard", "name", "w.grad"),
        ("ww", "name", "w"),
        ("w[0]", "index", None),
        ("", "empty", None),
        ("q" * 999, "name", ""),
    ],
)
def test_an_unknown_name_is_refused_with_a_suggestion(name, kind, near):
    with pytest.raises(UnknownName) as refused:
        answer(trace_of(HEAD + FIRST), name)
    assert refused.value.kind == kind and refused.value.values.get("near") == near


def test_without_backward_grad_is_none_and_implicit_gradients_are_labelled():
    trace = trace_of("x = torch.tensor(2., requires_grad=True)\nh = x * 3\ny = h * h")
    assert answer(trace, "x.grad").lines == ("x.grad = None: no backward ran",)
    assert answer(trace, "h.grad").lines[0].endswith("a backward() would compute this; none ran")
    ran = trace_of("x = torch.tensor(2., requires_grad=True)\nh = x * 3\ny = h * h\ny.backward()")
    assert answer(ran, "x.grad").lines[0].startswith("x.grad = 36") and "none ran" not in str(
        answer(ran, "h.grad").lines
    )


def test_a_product_too_small_for_its_dtype_is_approximately_0():
    halves = """
h = torch.tensor([1e-4], dtype=torch.float16, requires_grad=True)
small, none = h / 1e4, h * 0
(small + none).float().sum().backward()
"""
    said = "small = 0 ≈ h[0] / 10000 = 0.000100 / 10000 · line 5: this number is too small for float16 and becomes 0"
    assert told(halves, "small")[0] == said
    assert told(halves, "none")[0] == "none = 0 = h[0] · 0 = 0.000100 · 0 · line 5"


def test_a_step_in_the_programs_module_is_named_by_its_line():
    trace = trace_of(
        "import torch\n"
        "class Net(torch.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.out = torch.nn.Linear(4, 2)\n"
        "    def forward(self, h):\n"
        "        context = torch.bmm(h.transpose(1, 2), h.sum(2).unsqueeze(2)).squeeze(2)\n"
        "        return self.out(context)\n"
        "model, h = Net(), torch.randn(3, 5, 4)\n"
        "loss = model(h).pow(2).mean()\n"
        "loss.backward()"
    )
    said = "\n".join(answer(trace, "loss").lines)
    assert "torch.bmm(…)[" in said and "model.out(…)[" in said and "model(…)[" not in said


def test_the_leaf_is_distinguished_from_another_tensor_of_its_name():
    trace = trace_of("""
        import torch
        w = torch.tensor([1., 2.], requires_grad=True)
        w = w + 1
        w.sum().backward()
        """)
    for lang, lines in (("en", "line 4; another w, from line 3, is a leaf"), ("zh", "第 3 行的另一个 w 才是叶子张量")):
        assert lines in answer(trace, "w.grad", lang, None).lines[0]
