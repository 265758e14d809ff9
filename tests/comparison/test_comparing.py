"""The first difference of two programs."""

import json
import random

import pytest

from explorer import compare
from explorer.analysis.explain.autograd import graph_view
from explorer.analysis.views.comparison.comparison import line_of, unequal_cards
from explorer.analysis.views.comparison.matching import matched
from tests.measured import costs_at_most
from tests.traces import trace_of

BEGIN = "import torch\ntorch.manual_seed({seed})\nnet = torch.nn.Linear(3, 2)\nx = torch.ones(4, 3)\n"
REST = "h = net(x)\nloss = (h * h).mean()\nloss.backward()\n"


def program(rest: str = REST, seed: int = 0):
    return trace_of(BEGIN.format(seed=seed) + rest)


def test_a_run_agrees_with_itself_run_again():
    found = compare(program(), program(), rtol=0, atol=0)
    assert found.same and found.first is None and str(found).startswith("The runs agree: ")
    assert found.arrived > 3 and not compare(program(), program(seed=1)).same


def test_a_changed_operation_is_the_first_difference():
    found = compare(program(REST.replace("h * h", "h * 2")), program(REST.replace("h * h", "h * 3")))
    assert found.first.code == "h * 2" and found.first.alone and found.only == ((), ())
    assert "h * 2" in str(found) and "h * 3" in str(found) and found.gradients


def test_the_first_difference_is_named_even_if_two_operations_share_the_name():
    """`b` differs on line 3, before `a * b` on line 4."""
    text = "import torch\na = torch.tensor(2., requires_grad=True)\nb = {}\nc = a * b\nc.backward()"
    for left, right in (("a * 3", "a ** 3"), ("torch.tensor(3.)", "torch.full((), 4.)")):
        found = compare(trace_of(text.format(left)), trace_of(text.format(right)))
        assert (found.first.name, found.first.line) == ("b", 3)
        assert (found.first.code, found.first.other_code) == (left, right)


def test_a_result_renamed_in_b_shows_both_names():
    text = "import torch\nx = torch.ones(2, 3).requires_grad_()\n{}\n"
    left, right = "k = x.mean(0)\n(k * 2).sum().backward()", "m = x.mean(0, keepdim=True)\n(m * 2).sum().backward()"
    first = compare(trace_of(text.format(left)), trace_of(text.format(right))).first
    assert (first.name, first.other_name) == ("k", "m")
    assert compare(program(), program(REST.replace("h * h", "h * 3"))).first.other_name is None


def test_a_python_number_that_differs_is_named_with_its_lines():
    text = "import torch\na = torch.tensor(2., requires_grad=True)\n{}rate = {}\nc = a * rate\nc.backward()"
    found = compare(trace_of(text.format("", 3.0)), trace_of(text.format("n = 1\n", 4.0)))
    assert found.first.code == "a * rate"
    assert (found.first.origin.name, found.first.origin.lines) == ("rate", (3, 4))


def test_a_gradient_that_is_split_over_a_computation_made_twice_does_not_differ():
    once = program("h = net(x).tanh()\nh.sum().backward()\n")
    twice = program("h = net(x).sinh() / net(x).cosh()\nh.sum().backward()\n")
    found = compare(once, twice)
    assert not found.gradients and not found.modules and not any(one.differs for one in found.parameters)


def test_a_grad_doubled_by_a_second_backward_differs_although_gradients_agree():
    found = compare(
        program(), program(REST.replace("loss.backward()", "loss.backward(retain_graph=True)\nloss.backward()"))
    )
    weight = found.parameters[0]
    assert not weight.differs and weight.only_stored_differs and not found.same
    assert weight.stored[1].norm == pytest.approx(2 * weight.stored[0].norm)


def test_an_operation_with_different_inputs_is_not_the_cause():
    found = compare(program(), program(REST.replace("h * h", "h * h.abs()")))
    assert found.first.code == "h * h" and not found.first.alone and found.only == ((), ("h.abs()",))
    assert "agrees" not in str(found)


def test_inputs_agree_only_bit_for_bit_and_only_if_there_are_any():
    """An operation may amplify a rounding difference. An operation without tensor inputs cannot agree."""
    rounded = "a = torch.tensor(1.)\nb = a + {}\nc = (b - 1) * 1e6\n"
    found = compare(*(trace_of(rounded.format(one)) for one in ("3e-7", "1e-6")))
    assert found.first.name == "c" and not found.first.alone
    found = compare(*(trace_of(f"a = torch.tensor({one})") for one in (2**53, 2**53 + 1)), rtol=0, atol=0)
    assert found.first.alone and not found.first.reads and "agree" not in str(found)
    assert "9007199254740992 in A, 9007199254740993 in B" in str(found)


def test_exact_comparison_includes_gradients_that_are_rounding():
    """The gradient of a bias before a batch norm is 0 except for rounding."""
    text = (
        "torch.manual_seed(0)\nx = torch.randn(8, 3)\nlinear = torch.nn.Linear(3, 2)\nnorm = torch.nn.BatchNorm1d(2)\n"
        "h = norm(linear(x))\n(h ** 2 * torch.arange(8.).view(8, 1){}).sum().backward()"
    )
    runs = [trace_of(text.format(end)) for end in ("", " * 3")]
    of_bias = [
        [one.name for one in compare(*runs, **how).gradients if one.name == "linear.bias"]
        for how in ({}, {"rtol": 0, "atol": 0})
    ]
    assert of_bias == [[], ["linear.bias"]]


def test_a_cut_changes_only_gradients():
    found = compare(program(), program(REST.replace("h * h", "h * h.detach()")))
    assert not found.values and found.gradients[0].alone and found.only[1] == ("h.detach()",)
    assert found.gradients[0].gap.left == pytest.approx(2 * found.gradients[0].gap.right)
    assert str(found).startswith("All values agree. The gradient of h differs first")


def test_initially_different_tensors_are_listed_before_their_consequences():
    left, right = (trace_of(f"import torch\na = torch.tensor([{one}.])\nb = a + 1\nc = b * 2") for one in (1, 2))
    found = compare(left, right)
    assert [one.code for one in found.values] == [f"torch.tensor([{1}.])", "a + 1", "b * 2"]
    assert [one.alone for one in found.values] == [True, False, False]


def test_a_coarser_dtype_agrees_within_the_given_tolerance():
    half = "net = net.to(torch.bfloat16)\nx = x.bfloat16()\n" + REST
    assert not compare(program(), program(half), rtol=0, atol=0.05).values
    assert compare(program(), program(half), rtol=1e-6, atol=0).values


def test_an_entry_of_a_large_tensor_has_its_index():
    text = "import torch\nx = torch.zeros(3, 10, 16)\nx[0, 4, 6] = {}\ny = x * 2"
    gap = compare(trace_of(text.format(1)), trace_of(text.format(2))).first.gap
    assert (gap.index, gap.left, gap.right) == ((0, 4, 6), 1, 2)


def test_differences_in_shapes_calls_and_data_are_reported():
    found = compare(program(), program(REST.replace("h * h", "h[:2] * h[:2]") + "net(x).sum().backward()\n"))
    assert found.calls == (1, 2) and "A calls backward once, B 2 times" in str(found)
    assert any(one.gap.kind == "shape" for one in found.values)
    plain = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert plain["same"] is False and plain["backwards"] == [1, 2]
    assert "<pre" in found._repr_html_() and "两次" in str(compare(program(), program(), lang="zh"))


def test_zero_tolerances_require_equal_bits():
    """A tolerance of 0 distinguishes −0 from 0, and bfloat16 from an equal float32."""
    for left, right, kind in (("0.0", "-0.0", "entries"), ("1.0", "1.0, dtype=torch.bfloat16", "dtype")):
        runs = [trace_of(f"import torch\na = torch.tensor({one})") for one in (left, right)]
        assert compare(*runs).same
        assert compare(*runs, rtol=0, atol=0).first.gap.kind == kind


def test_parameter_gradients_are_compared_in_pairs():
    half = program(REST.replace(".mean()", ".mean() / 2"))
    (weight, bias) = compare(program(), half).parameters
    assert (weight.name, bias.name) == ("net.weight", "net.bias")
    assert weight.cosine == pytest.approx(1) and weight.norms[0] == pytest.approx(2 * weight.norms[1])
    assert weight.differs and weight.apart == pytest.approx(max(map(abs, weight.right.gradient.data)))
    frozen = program("net.bias.requires_grad_(False)\n" + REST)
    bias = compare(program(), frozen).parameters[1]
    assert bias.differs and bias.cosine is None and bias.right.state == "frozen"
    assert bias.norms == (bias.left.gradient.norm, None)


@pytest.mark.parametrize("text", ["a" * 1400, "xab" * 480, "ab" * 700])
def test_adversarial_texts_take_no_longer(text):
    usual = [random.Random(seed).choices("abcdefgh", k=1440) for seed in (0, 1)]
    assert costs_at_most(5, lambda: matched([*text], [*"yba" * 480]), lambda: matched(*usual))
    pairs = matched([*text], [*"yba" * 480])
    assert all(one == other for one, other in ((text[i], ("yba" * 480)[j]) for i, j in pairs))


def test_the_lines_and_cards_of_the_first_difference_are_marked():
    before, after = program(), program("extra = 1\n" + REST.replace("h * h", "h * h.abs()"))
    found = compare(before, after)
    assert [line_of(one, found.first, side) for side, one in enumerate((before, after))] == [(0, 6), (0, 7)]
    for side, one in enumerate((before, after)):
        view = graph_view(one)
        unequal, titles = unequal_cards(one, view, found, side), {card.id: card.title for card in view.cards}
        assert "h * h" in titles[unequal.first] and unequal.kinds[unequal.first] == "value"
        alone = [titles[card] for card, kind in unequal.kinds.items() if kind == "alone"]
        assert alone == ([], ["h.abs()"])[side]


def test_a_closed_module_marks_differences_inside_it():
    """Two models deep enough for outlines, one with another activation in its third block."""
    text = """
        import torch
        from torch import nn
        torch.manual_seed(0)
        class Block(nn.Module):
            def __init__(self, act):
                super().__init__()
                self.one, self.act, self.two = nn.Linear(4, 4), act, nn.Linear(4, 4)
            def forward(self, x):
                return x + self.two(self.act(self.one(x)))
        net = nn.Sequential(*(Block(nn.{} if i == 2 else nn.ReLU()) for i in range(14)))
        net(torch.ones(2, 4)).sum().backward()
        """
    left, right = (trace_of(text.format(act)) for act in ("ReLU()", "Tanh()"))
    found = compare(left, right)
    assert found.only == (("relu (net.2.act)",), ("tanh (net.2.act)",))
    for side, one in enumerate((left, right)):
        view = graph_view(one)
        first = next(card for card in view.cards if card.id == unequal_cards(one, view, found, side).first)
        assert "net.2" in (first.module.path, *first.module.members)


def test_pictures_of_two_trainings_open_at_the_same_card():
    """The first difference is in step 1; the picture is of step 3, where the weight differs first."""
    text = (
        "import torch\nnet = torch.nn.Linear(3, 2)\noptimizer = torch.optim.SGD(net.parameters(), lr={rate})\n"
        "for step in range(3):\n    optimizer.zero_grad()\n    h = net(torch.ones(4, 3))\n"
        "    (h * h).mean().backward()\n    optimizer.step()\n"
    )
    runs = [trace_of(text.format(rate=rate)) for rate in (0.1, 0.2)]
    found = compare(*runs)
    views = [graph_view(run) for run in runs]
    unequal = [unequal_cards(run, view, found, side) for side, (run, view) in enumerate(zip(runs, views, strict=True))]
    begin = [
        next(card.title for card in view.cards if card.id == one.begin)
        for view, one in zip(views, unequal, strict=True)
    ]
    assert begin[0] == begin[1]


def test_calls_of_one_name_are_paired_in_order():
    left = trace_of("w = torch.ones(2, requires_grad=True)\nw.sqrt().sum().backward()")
    right = trace_of("w = torch.ones(2, requires_grad=True)\n(w + 1).sqrt().sum().backward()\nw.sum().backward()")
    found = compare(left, right)
    assert found.only == ((), ("w + 1", "w.sum()"))


def test_the_first_different_gradient_is_named_by_its_variable():
    text = "import torch\nw = torch.ones(2, requires_grad=True)\ny = w * 2\nloss = (y * {}).sum()\nloss.backward()\n"
    first = compare(trace_of(text.format(3)), trace_of(text.format(4))).gradients[0]
    assert (first.name, first.code) == ("y", "w * 2")


def test_an_inner_gradient_of_a_torch_function_is_not_attributed_to_its_result():
    text = "out = torch.ones(2, 3, requires_grad=True) * 2\nloss = F.cross_entropy(out, torch.tensor([0, {}]))\n"
    text = f"import torch\nimport torch.nn.functional as F\n{text}loss.backward()"
    found = compare(trace_of(text.format(1)), trace_of(text.format(2)))
    assert found.gradients[0].name == "out"  # the gradient of loss is 1 in both


def test_a_run_without_gradients_compares_weights_and_reports_missing_gradients():
    """A step updates fewer weights there; they differ because of their gradients."""
    text = (
        "import torch\nfrom torch import nn\ntorch.manual_seed(0)\nenc, clf = nn.Linear(3, 4), nn.Linear(4, 2)\n"
        "opt = torch.optim.Adam([*enc.parameters(), *clf.parameters()])\nx = torch.randn(5, 3)\n"
        "for _ in range(3):\n    with torch.set_grad_enabled({}):\n        h = enc(x)\n"
        "    opt.zero_grad()\n    clf(h).square().sum().backward()\n    opt.step()\n"
    )
    found = compare(trace_of(text.format(False)), trace_of(text.format(True)))
    assert not any(one.gap is not None and one.gap.kind == "shape" for one in found.values)
    assert found.values[0].code == "enc(x)" and found.modules["enc"][1] == 2
    assert not any(one.alone for one in found.values if one.operation == "grad")
    assert "Only B has a gradient for: enc.weight, enc.bias" in str(found)


def _named(variable: str):
    return trace_of((BEGIN + REST).format(seed=0).replace("net", variable))


def test_a_model_in_another_variable_is_paired_by_its_paths():
    found = compare(_named("net"), _named("model"))
    assert found.same
    assert [(one.name, one.right.name, one.differs) for one in found.parameters] == [
        ("net.weight", "model.weight", False),
        ("net.bias", "model.bias", False),
    ]


@pytest.mark.parametrize("names", [("first", "second"), ("zebra", "ape"), ("b.c", "a")])
def test_models_that_look_alike_are_paired_in_the_order_of_their_first_use(names):
    text = (
        "import torch\nfrom types import SimpleNamespace\nb = SimpleNamespace()\ntorch.manual_seed(0)\n"
        "{0}, {1} = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)\n"
        "{1}({0}(torch.ones(2, 3))).square().sum().backward()\n"
    )
    found = compare(*(trace_of(text.format(*each)) for each in (("enc", "dec"), names)))
    pairs = [(one.name, one.right.name, one.differs) for one in found.parameters if one.name.endswith("weight")]
    assert pairs == [
        (f"{one}.weight", f"{other}.weight", False) for one, other in zip(("enc", "dec"), names, strict=True)
    ]


def test_a_model_inside_a_wrapper_is_paired_and_other_layers_are_not():
    wrapped = (BEGIN + REST).format(seed=0).replace("net(x)", "trainer.net(x)")
    made = "net = torch.nn.Linear(3, 2)\n"
    wrapper = f"class Trainer:\n    pass\ntrainer = Trainer()\ntrainer.{made}"
    found = compare(program(), trace_of(wrapped.replace(made, wrapper)))
    assert [(one.name, one.differs) for one in found.parameters] == [("net.weight", False), ("net.bias", False)]
    layers = "net = torch.nn.ModuleDict({{name: torch.nn.Linear(3, 2) for name in ['{}', 'head']}})\n"
    calls = "x = torch.ones(4, 3)\nloss = sum(part(x).sum() for part in net.values())\nloss.backward()"
    one, other = (trace_of("import torch\ntorch.manual_seed(0)\n" + layers.format(name) + calls) for name in "ab")
    alone = [pair for pair in compare(one, other).parameters if pair.left is None or pair.right is None]
    assert [pair.name for pair in alone] == ["net.a.weight", "net.a.bias", "net.b.weight", "net.b.bias"]
