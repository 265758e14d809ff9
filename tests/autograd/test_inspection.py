"""The inspector's facts about a card."""

import re

import pytest

from explorer.analysis.explain.autograd import graph_view
from explorer.analysis.explain.autograd.inspection import Inspection, inspection
from explorer.drawing.graph.why import story_html
from tests.programs import TWICE
from tests.traces import trace_of

LEAVES = "import torch\nw = torch.tensor(1., requires_grad=True)\nx = torch.tensor(2., requires_grad=True)\n"


def inspected(program: str, title: str, execution: int | None = None, lang: str = "en", backward=None) -> Inspection:
    """Return the card with this title, otherwise the first whose title begins so."""
    trace = trace_of(f"import torch\nimport torch.nn.functional as F\n{program}")
    view = graph_view(trace, backward)
    card = min((card for card in view.cards if card.title.startswith(title)), key=lambda card: card.title != title)
    return inspection(trace, view, card.id, lang, execution)


def equations(found: Inspection) -> list[str]:
    """Return one equation per edge for the passed gradients."""
    lines = []
    for sent in found.sent:
        for one in sent.passed:
            sides = " = ".join([one.left, *one.equals] if one.left else one.equals)
            lines.append(" | ".join(filter(None, [sides, one.shapes, *one.examples, one.product, f"→ {one.to}"])))
    return lines


CHAIN = """
a = torch.tensor(2., requires_grad=True)
b = torch.tensor(-3., requires_grad=True)
c = torch.tensor(10., requires_grad=True)
f = torch.tensor(-2., requires_grad=True)
L = (a*b + c)*f
L.backward()
"""


def test_a_product_sends_its_gradient_times_the_other_factor():
    found = inspected(CHAIN, "a*b")
    assert [card for card in (found.value.entries, found.gradient.entries)] == [(-6.0,), (-2.0,)]
    assert equations(found) == ["∂(a*b)/∂a = b = −3 | −2 · (−3) = +6 | → a", "∂(a*b)/∂b = a = 2 | −2 · 2 = −4 | → b"]


COMPLEX = """
a = torch.tensor(1+2j, requires_grad=True)
b = torch.tensor(3-1j, requires_grad=True)
c = a * b
r = c.abs()
r.backward()
"""


def test_the_complex_factor_is_called_a_conjugate_derivative():
    assert equations(inspected(COMPLEX, "c = ")) == [
        "conj(∂c/∂a) = 3+1j | (0.707+0.707j) · (3+1j) = +1.41+2.83j | → a",
        "conj(∂c/∂b) = 1−2j | (0.707+0.707j) · (1−2j) = +2.12−0.707j | → b",
    ]
    assert equations(inspected(COMPLEX, "r = "))[0].startswith("2·∂r/∂conj(c) = 0.707")
    real = COMPLEX.replace("3-1j", "3+0j")
    assert equations(inspected(real, "c = "))[0].startswith("∂c/∂a = 3 | ")  # a real number is its own conjugate


def test_the_roots_gradient_is_the_starting_gradient():
    found = inspected(CHAIN, "L = ")
    assert [(one.word, one.value.entries) for one in found.arrivals] == [("L.backward()", (1.0,))]
    assert equations(found)[0] == "∂L/∂(a*b + c) = f = −2 | 1 · (−2) = −2 | → a*b + c"


def test_another_roots_starting_gradient_belongs_to_no_call():
    trace = trace_of(f"import torch\n{CHAIN}", of="L", start=(3.0,))
    view = graph_view(trace, None)
    found = inspection(trace, view, view.roots[0], "en")
    assert [(one.word, one.value.entries) for one in found.arrivals] == [("", (3.0,))]


def test_contributions_add_up_to_the_gradient():
    found = inspected(TWICE, "w")
    assert {one.word: one.value.entries[0] for one in found.arrivals} == {"a = w + x": 2.0, "b = w + 1": 3.0}
    assert sum(one.value.entries[0] for one in found.arrivals) == found.gradient.entries[0]
    assert all(one.card for one in found.arrivals)


def test_a_power_is_written_in_words_and_numbers():
    found = inspected("x = torch.tensor(3., requires_grad=True)\ny = x ** 2\ny.backward()", "y")
    assert equations(found) == ["∂y/∂x = 2 · x = 2 · 3 = 6 | 1 · 6 = +6 | → x"]


@pytest.mark.parametrize(
    "program",
    [
        "x, y = (torch.tensor(n, requires_grad=True) for n in (torch.nan, 1.))\nz = torch.maximum(x, y)\nz.backward()",
        "x = torch.tensor([1., torch.nan], requires_grad=True)\nz = x.amax()\nz.backward()",
        "x = torch.zeros(2, 3, requires_grad=True)\nz = F.nll_loss(x, torch.tensor([-100, -100]))\nz.backward()",
    ],
)
def test_rules_broken_by_nan_are_replaced_by_torchs_formula(program):
    found = inspected(program, "z")
    assert {one.formula.kind for sent in found.sent for one in sent.passed} == {"torch"}


def test_the_maximum_norm_has_its_rule_even_with_zero_entries():
    program = (
        "x = torch.tensor([0., -3.], requires_grad=True)\nz = torch.linalg.vector_norm(x, torch.inf)\nz.backward()"
    )
    [sent] = inspected(program, "z").sent
    assert [one.formula.words for one in sent.passed] == ["farthest"]


MATRICES = """
X = torch.arange(6.).reshape(2, 3)
W = torch.ones(3, 2, requires_grad=True)
b = torch.zeros(2, requires_grad=True)
h = torch.relu(X @ W + b - 5)
loss = h.sum()
loss.backward()
"""


def test_a_matrix_product_has_a_formula_shapes_and_factors():
    [sent] = inspected(MATRICES, "X @ W").sent[:1]
    [one] = sent.passed
    assert (one.left, one.equals, one.shapes) == ("∂loss/∂W", ("Xᵀ @ G",), "(3, 2) @ (2, 2) → (3, 2)")
    assert [(factor.word, factor.value.shape) for factor in one.factors] == [("X", (2, 3)), ("G", (2, 2))]


def test_one_passing_and_one_blocked_entry_of_a_tensor_are_written_out():
    found = inspected(MATRICES, "h = ")
    assert equations(found) == [
        "∂h/∂(X @ W + b - 5) = 1 where h > 0, else 0 | [1, 0]: 1 · 1 = +1 | [0, 0]: 1 · 0 = 0 | → X @ W + b - 5"
    ]


def test_a_broadcast_input_names_the_axes_its_gradient_is_summed_over():
    found = inspected(MATRICES, "X @ W + b")
    assert equations(found)[-1] == "∂(X @ W + b)/∂b = 1 | → b"
    assert [one.summed for sent in found.sent for one in sent.passed] == [(), (0,)]


def test_saved_tensors_show_their_version_and_overwrites():
    found = inspected(
        """
x = torch.tensor(2., requires_grad=True)
y = x * x
y.backward()
with torch.no_grad():
    x += 1
""",
        "y",
    )
    assert {(one.word, one.value.entries, one.version, one.now, one.freed) for one in found.kept} == {
        ("x", (2.0,), 0, 1, True)
    }
    assert found.kept_bytes == 4


def test_the_inspected_result_of_several_is_named():
    program = "x = torch.tensor([3., 1.], requires_grad=True)\np, q = x\ny = q * q\ny.backward()"
    found = inspected(program, "…, q")
    assert (found.part, found.value.data, found.gradient.data) == ("q", (1.0,), (2.0,))
    assert inspected(program, "y").part == ""


def test_backward_frees_the_tensors_that_were_saved_and_no_constant():
    found = inspected("x = torch.tensor(2., requires_grad=True)\ny = x ** 3\ny.backward()", "y")
    assert {one.name: one.freed for one in found.kept} == {"self": True, "exponent": False}


def test_a_hook_that_changes_the_gradient_leaves_no_wrong_product():
    found = inspected(
        """
x = torch.tensor(2., requires_grad=True)
h = x * 3
h.register_hook(lambda g: g * 10)
y = h * 5
y.backward()
""",
        "y",
    )
    [one] = found.sent[0].passed
    assert one.product == "1 · 5 = +5" and one.result.entries == (5.0,)  # the value before the hook changed it


def test_rounds_of_a_loop_are_inspected_separately():
    program = """
w = torch.tensor(1., requires_grad=True)
h = w
for i in range(4):
    h = h * 2
h.backward()
"""
    rounds = [inspected(program, "h = ", i) for i in range(4)]
    assert [one.value.entries[0] for one in rounds] == [2.0, 4.0, 8.0, 16.0]
    assert [one.gradient.entries[0] for one in rounds] == [8.0, 4.0, 2.0, 1.0]
    assert inspected(program, "h = ").round == 3 and rounds[0].count == 4


def test_a_module_lists_its_parameters_and_saved_bytes():
    found = inspected("m = torch.nn.Linear(2, 3)\nx = torch.ones(4, 2)\nm(x).sum().backward()", "m(x)")
    assert found.module == "m"
    assert found.parameters == (("m.weight", (3, 2)), ("m.bias", (3,)))
    assert found.kept_bytes == 4 * 2 * 4  # only x counts; the weight is a parameter and exists anyway


def test_a_nonempty_grad_is_shown_before_and_after():
    found = inspected("w = torch.tensor(3., requires_grad=True)\n(w * 2).backward()\ny = w * 5\ny.backward()", "w")
    assert [value.entries[0] for value in found.card.stored] == [2.0, 7.0]


SQUARE = "x = torch.tensor(2., requires_grad=True)\ny = x * x\ny.backward()"


def test_a_tensor_used_twice_is_two_factors():
    found = inspected(SQUARE, "y")
    assert equations(found) == [
        "∂y/∂(first factor x) = second factor x = 2 | 1 · 2 = +2 | → x",
        "∂y/∂(second factor x) = first factor x = 2 | 1 · 2 = +2 | → x",
    ]
    assert [one.role for one in found.sent[0].passed] == ["first factor", "second factor"]
    assert [one.word for one in found.kept] == ["x"]  # one tensor is kept, not two
    assert [one.about for one in inspected(SQUARE, "x").arrivals] == ["first factor", "second factor"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("y = x + x", "∂y/∂(first summand x) = 1"),
        ("y = x / x", "∂y/∂(numerator x) = 1 / (denominator x) = 1 / 2 = 0.5"),
        ("y = x ** x", "∂y/∂(base x) = (exponent x) · (base x)^((exponent x) − 1) = 2 · 2^(2 − 1) = 4"),
        ("y = torch.atan2(x, x)", "∂y/∂(first input x)"),
        ("y = torch.stack([x, x]).sum()", "first input x gets its own part"),
    ],
)
def test_every_argument_of_a_call_has_its_word(line, told):
    program = f"x = torch.tensor(2., requires_grad=True)\n{line}\ny.backward()"
    trace = trace_of(f"import torch\n{program}")
    view = graph_view(trace)
    said = [line for card in view.cards for line in equations(inspection(trace, view, card.id, "en"))]
    assert any(one.startswith(told) for one in said)


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        ("x = x * 2", "∂(new x)/∂(old x)"),
        ("x = x.exp(); x *= 3", "∂(new x)/∂(old x)"),
        ("def f(x):\n    x = x * 2\n    return x\nx = f(f(x))", "∂(new x)/∂(old x)"),
        ("for i in range(3):\n    x = x * 2", "∂(x of round 3)/∂(x of round 2)"),
        ("for i in range(2):\n    for k in range(2):\n        x = x * 2", "∂(x of round 4)/∂(x of round 3)"),
        ("for i in range(1):\n    x = x * 2", "∂(x of round 1)/∂(x before the loop)"),
        ("for i in range(2):\n    x = x.sin()\n    x = x / 2", "∂(new x)/∂(old x)"),
    ],
)
def test_old_and_new_values_of_a_name_are_distinguished(lines, left):
    trace = trace_of(f"import torch\nx = torch.tensor(2., requires_grad=True)\n{lines}\nx.backward()")
    view = graph_view(trace)
    said = [one for node in (inspection(trace, view, card.id, "en") for card in view.cards) for one in equations(node)]
    assert any(one.startswith(left) for one in said)
    assert not any("∂x/∂x" in one for one in said)


def test_the_gradient_for_an_old_value_names_it():
    found = inspected(
        "A = torch.eye(2, requires_grad=True)\nv = torch.ones(2)\nfor i in range(3):\n    v = A @ v\n"
        "v.sum().backward()",
        "v",
    )
    assert [(one.left, one.equals[0], one.to) for one in found.sent[0].passed] == [
        ("∂L/∂A", "outer(G, v of round 2)", "A"),
        ("∂L/∂(v of round 2)", "Aᵀ @ G", "v of round 2"),
    ]
    assert {one.word for one in found.kept} == {"A", "v of round 2"}


def test_contributions_from_a_loop_name_their_round():
    program = "x = torch.tensor(2., requires_grad=True)\ny = x\nfor i in range(3):\n    y = y * x\ny.backward()"
    assert [one.about for one in inspected(program, "x").arrivals] == [
        "round 3",
        "round 2",
        "round 1, first factor",
        "round 1, second factor",
    ]


@pytest.mark.parametrize(
    ("program", "title"),
    [
        ("x = torch.ones(3)\ny = x + 1", "y"),
        ("x = torch.ones(3, requires_grad=True)\ny = x * 2", "y"),
        ("x = torch.tensor(0., requires_grad=True)\ny = torch.sqrt(x) * 0\ny.backward()", "torch.sqrt"),
        ("x = torch.ones(2, dtype=torch.complex64, requires_grad=True)\ny = (x * x).abs().sum()\ny.backward()", "x"),
        ("x = torch.ones(0, requires_grad=True)\ny = x.sum()\ny.backward()", "x"),
        ("x = torch.randn(200, 300, requires_grad=True)\ny = (x @ x.t()).sum()\ny.backward()", "x @"),
        ("a = torch.ones(2, requires_grad=True)\nb, c = torch.split(a, 1)\n(b * c).sum().backward()", "b, c"),
        ("a = torch.ones(2, requires_grad=True)\ny = torch.cat([a, a, a]).sum()\ny.backward()", "torch.cat"),
        ("a = torch.ones(2, requires_grad=True)\na2 = a * 1\na2[0] = 5\ny = a2.sum()\ny.backward()", "y"),
    ],
)
def test_rare_cards_can_be_inspected(program, title):
    assert inspected(program, title).card.title.startswith(title)


def story(program: str) -> str:
    trace = trace_of(LEAVES + program)
    return story_html(trace, graph_view(trace), "en")


def test_the_story_covers_each_leaf_and_links_every_part_to_its_card():
    told = story("a = w + x\nb = w + 1\ny = a * b\ny.backward()")
    heads = [
        re.sub("<[^>]*>", "", one) for one in re.findall(r'class="answer"><p class="step"><code>(.*?)</code>', told)
    ]
    assert [head.split(" = ")[1] for head in heads] == ["+5", "+2"]
    assert told.count("data-goto") >= 3


def test_an_implicit_backward_has_a_story():
    assert "story" in story("y = w * x")


@pytest.mark.parametrize("program", ["print(w)", "y = (w * torch.ones(3, requires_grad=True)).sum()\ny.backward()"])
def test_a_graph_without_gradients_or_with_many_numbers_has_no_story(program):
    assert story(program) == ""


@pytest.mark.parametrize(
    ("given", "named"), [("a", ["a", "x"]), ("a * 2", ["a * 2", "x"]), ("x=a, factor=x", ["a", "x"])]
)
def test_an_input_of_a_custom_function_is_not_named_by_its_parameter(given, named):
    """The caller's own x is another tensor than the x of forward, on the same line."""
    call = f"Scale.apply({given}, x)" if "=" not in given else "scale(x=a, factor=x)"
    program = f"""
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor
    @staticmethod
    def backward(ctx, g):
        return g * 5, g * 1
def scale(*, x, factor):
    return Scale.apply(x, factor)
x = torch.tensor([5.0, 6.0], requires_grad=True)
a = torch.tensor([1.0, 2.0], requires_grad=True)
y = {call}
y.sum().backward()"""
    trace = trace_of(f"import torch\n{program}")
    view = graph_view(trace)
    [card] = [card for card in view.cards if card.torch.startswith("ScaleBackward")]
    assert sorted(edge_to.title.partition(" = ")[0] for edge_to in _sources(view, card.id)) == sorted(named)
    if "=" not in given:
        sent = inspection(trace, view, card.id, "en").sent
        assert [one.to for part in sent for one in part.passed] == named


def _sources(view, target: str):
    cards = {card.id: card for card in view.cards}
    return [cards[edge.source] for edge in view.edges if edge.target == target]
