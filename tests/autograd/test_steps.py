"""The player's steps: programs in, what each step lights and says."""

from explorer.analysis.autograd import graph_view
from explorer.analysis.autograd.steps import MAX_STEPS, steps
from tests.programs import TWICE
from tests.traces import trace_of


def told(program: str, lang: str = "en", backward: int | None = None):
    """The view's cards by id, and the steps."""
    trace = trace_of(f"import torch\nimport torch.nn.functional as F\n{program}")
    view = graph_view(trace, backward)
    found = steps(trace, view, lang)
    return {card.id: card for card in view.cards}, found


def test_cards_light_in_the_engines_order():
    cards, found = told(TWICE)
    order = [cards[step.card].name for step in found.steps]
    assert order[0] == "y" and set(order[1:3]) == {"a", "b"} and set(order[3:]) == {"w", "x"}
    assert [cards[card].name for card in found.start] == ["y"]


def test_accumulation_into_a_leaf_runs_as_soon_as_it_is_ready():
    cards, found = told("""
a = torch.tensor(2., requires_grad=True)
b = torch.tensor(-3., requires_grad=True)
c = torch.tensor(10., requires_grad=True)
f = torch.tensor(-2., requires_grad=True)
L = (a*b + c)*f
L.backward()
""")
    assert [cards[step.card].name or cards[step.card].expression for step in found.steps] == [
        "L", "f", "a*b + c", "c", "a*b", "a", "b"
    ]  # fmt: skip
    assert [step.leaf for step in found.steps] == [False, True, False, True, False, True, True]


def test_a_step_says_what_flows_what_is_freed_and_what_is_stored():
    _, found = told(TWICE)
    said = [step.sentence for step in found.steps]
    assert said[0] == (
        "`y.backward()` starts with the gradient `+1`. Multiplication sends it times the other factor: "
        "`1 · b = +2` to `a`, `1 · a = +3` to `b`. What it had saved is freed: `a`, `b`."
    )
    assert "Addition passes its gradient on unchanged: `+3` to `w`." in said
    stored = next(text for text in said if "w.grad" in text)
    assert "together `+5`: `w.grad` was empty and is now `+5`." in stored
    assert found.steps[0].freed and not found.steps[-1].freed


def test_chinese():
    _, found = told(TWICE, "zh")
    assert "加法把梯度原样传下去：`+3` 给 `w`。" in [step.sentence for step in found.steps]


def test_a_gradient_has_arrived_when_its_last_contribution_has():
    cards, found = told(TWICE)
    arrived = [{cards[card].name for card in step.arrived} for step in found.steps]
    assert arrived[0] == {"a", "b"} and arrived[1] == arrived[2] == set()
    assert arrived[3] | arrived[4] == {"w", "x"}


def test_wires_of_a_step_lead_away_from_its_card():
    _, found = told(TWICE)
    first, *_, leaf = found.steps
    assert len(first.wires) == 2 and all(wire.split("-")[1] == first.card for wire in first.wires)
    assert all(wire.split("-")[0] == leaf.card for wire in leaf.wires)


def test_what_the_predict_switch_asks():
    _, found = told(TWICE)
    asked = [step.question for step in found.steps]
    assert asked[0].text == "Which gradient does `y` send to `a`?" and asked[0].answer == 2.0
    assert asked[0].hint == "`+1` arrived at `y`. Multiply it by the local derivative: `∂y/∂a = b`."
    assert [(one.text, one.answer) for one in asked[3:] if one] == [("What is `w.grad` after this step?", 5.0)]


def test_of_two_wires_between_two_cards_the_sum_is_asked_for():
    cards, found = told("x = torch.tensor(2., requires_grad=True)\ny = x * x\ny.backward()")
    question, after = [step.question for step in found.steps]
    assert question.text == "2 wires lead from `y` to `x`. Which gradient do they bring together?"
    assert question.judge("4") and question.judge("2+2") and question.judge("2") is False
    assert question.judge("abc") is None
    assert len(question.wires) == 2 and cards[question.card].name == "x"
    assert question.hint.endswith("Then add what the 2 wires bring.")
    assert after is None  # x.grad is the number that was just found


def test_of_a_vector_one_entry_is_asked_for():
    _, found = told("x = torch.tensor([1., 2., 3.], requires_grad=True)\n(x ** 2 * 3).sum().backward()")
    asked = [step.question for step in found.steps]
    assert asked[2].text == "What is entry `[0]` of the gradient that `x ** 2` sends to `x`?"
    assert asked[2].answer == 6.0 and "`+3` arrived at `x ** 2`" in asked[2].hint


def test_of_numbers_that_nobody_works_out_the_shape_is_asked_for():
    _, found = told(
        "torch.manual_seed(0)\nnet = torch.nn.Linear(3, 2)\nF.cross_entropy(net(torch.randn(4, 3)),"
        " torch.tensor([0, 1, 0, 1])).backward()"
    )
    question = found.steps[0].question
    assert question.text.startswith("Which shape has the gradient") and question.answer == (4, 2)
    assert question.judge("4, 2") and question.judge("(2, 4)") is False and question.judge("eight") is None
    assert not any(step.leaf and step.question for step in found.steps)


def test_a_long_loop_asks_for_its_first_rounds_and_its_last():
    program = "h = x = torch.tensor(1., requires_grad=True)\nfor i in range(9):\n    h = h * 2\nh.backward()"
    _, found = told(program)
    asked = [step.question for step in found.steps]
    assert [bool(one) for one in asked] == [True, True] + [False] * 6 + [True, False]
    assert asked[1].text == "Round 8 of 9. Which gradient does `h * 2` send to `h of round 7`?"


def test_a_sum_that_counts_what_was_there_is_asked_for():
    _, found = told("w = torch.tensor(3., requires_grad=True)\n(w * 2).backward()\n(w * 5).backward()")
    question = found.steps[-1].question
    assert question.answer == 7.0 and "`+5`, `+2`" in question.hint and "was not empty before" in question.hint


def test_what_a_hook_changed_on_its_way_is_not_asked_for():
    _, found = told(
        "x = torch.tensor(2., requires_grad=True)\nh = x * 2\nh.register_hook(lambda g: g * 10)\n(h * 3).backward()"
    )
    assert [step.question and step.question.answer for step in found.steps] == [3.0, 60.0, None]
    _, found = told("x = torch.tensor(2., requires_grad=True)\nx.register_hook(lambda g: g * 10)\n(x * 3).backward()")
    first, last = [step.question for step in found.steps]
    assert first.answer == 3.0 and last is None


def test_outputs_of_one_operation_are_not_added_up():
    _, found = told("x = torch.tensor([1., 2., 3.], requires_grad=True)\na, b, c = x\n(a * b * c).backward()")
    asked = [step.question for step in found.steps if step.question]
    assert asked and not any("wires lead" in question.text for question in asked)


def test_what_is_passed_on_unchanged_is_asked_for_once():
    _, found = told("a, b, c = [torch.tensor(x, requires_grad=True) for x in (1., 2., 3.)]\n(a + (b + c)).backward()")
    assert [bool(step.question) for step in found.steps].count(True) == 1


def test_even_the_smallest_program_asks_something():
    for program in ("x.backward()", "(x * 3).backward()", "(x + 1).backward()", "x.reshape(1).backward()"):
        _, found = told(f"x = torch.tensor(2., requires_grad=True)\n{program}")
        assert any(step.question for step in found.steps), program


def test_a_grad_that_was_not_empty_is_added_to():
    _, found = told("w = torch.tensor(3., requires_grad=True)\n(w * 2).backward()\n(w * 5).backward()")
    assert found.steps[-1].sentence.endswith("it is added to `w.grad`, which was `+2` and is now `+7`.")


def test_retain_graph_frees_nothing():
    _, found = told("w = torch.tensor(3., requires_grad=True)\n(w * w).backward(retain_graph=True)")
    assert not any(step.freed for step in found.steps)


def test_autograd_grad_stores_nothing():
    _, found = told("w = torch.tensor(3., requires_grad=True)\ng, = torch.autograd.grad(w * w, w)")
    assert found.steps[-1].sentence.endswith("it is the result for `w`; `.grad` stays as it is.")


def test_relu_says_what_goes_through():
    _, found = told("h = torch.tensor([-1., 2., 3.], requires_grad=True)\ny = torch.relu(h)\ny.sum().backward()")
    assert "`[0, +1, +1]` to `h`" in found.steps[1].sentence
    _, found = told("h = torch.arange(-9., 55.).requires_grad_()\ntorch.relu(h).sum().backward()")
    assert "54 of 64 entries go through to `h`" in found.steps[1].sentence


def test_every_round_of_a_short_loop_is_a_step():
    _, found = told(
        "x = torch.tensor(1., requires_grad=True)\nfor i in range(3):\n    y = (y if i else x) * 2\ny.backward()"
    )
    assert [step.sentence.startswith(f"Round {k} of 3.") for k, step in zip((3, 2, 1), found.steps, strict=False)] == [
        True
    ] * 3


def test_a_long_loop_is_one_step():
    _, found = told(
        "x = torch.tensor(1., requires_grad=True)\ny = x\nfor i in range(500):\n    y = y.sin()\ny.backward()"
    )
    assert len(found.steps) == 2 <= MAX_STEPS
    assert "all 500 rounds" in found.steps[0].sentence


def test_a_backward_that_stopped_says_where():
    _, found = told(
        "x = torch.tensor(1., requires_grad=True)\ny = x.exp()\nz = y * 2\nz.backward()\nz.backward()", backward=1
    )
    assert any("Backward stops at" in step.sentence for step in found.steps)


def test_no_backward_no_steps():
    _, found = told("x = torch.ones(2)\ny = x + 1")
    assert found.steps == ()


def test_the_programs_own_backticks_and_marks_stay_text():
    _, found = told("w = {'`<b>`': torch.tensor(3., requires_grad=True)}\ny = w['`<b>`'] * 2\ny.backward()")
    assert found.steps[0].sentence.count("`") % 2 == 0


def last_said(program: str) -> str:
    return told(program)[1].steps[-1].sentence


def test_what_adds_up_at_a_leaf_is_told_in_numbers():
    few = last_said("x = torch.arange(4.0, requires_grad=True)\ny = 2 * torch.dot(x, x)\ny.backward()")
    for factor in ("first", "second"):
        assert f"`[0, +2, +4, +6]` through the {factor} factor of `torch.dot(x, x)`" in few
    assert "together `[0, +4, +8, +12]`" in few
    many = last_said("x = torch.arange(12.0, requires_grad=True)\ny = (3 * x - (x + x)).sum()\ny.backward()")
    assert "At `x[0]`" in many and "`+3` through" in many and "together `+1`" in many


LOOP = "x = torch.tensor(2., requires_grad=True)\ny = x\nfor i in range(3):\n    y = y * x\ny.backward()"


def test_a_value_of_a_loop_is_told_by_its_round():
    _, found = told(LOOP)
    third, second, first, leaf = (step.sentence for step in found.steps)
    assert "`1 · x = +2` to `y of round 2`, `1 · (y of round 2) = +8` to `x`" in third
    assert "`y of round 2` has gradient `+2`" in second
    assert "to `x` as first factor" in first and "to `x` as second factor" in first
    # The wires of a folded card carry what its last round sent: they are no parts of this sum.
    assert leaf.startswith("4 contributions arrive at the leaf, together `+32`")


def test_a_permutation_of_sixty_axes_is_read_in_one_pass():
    _, found = told("x = torch.ones([1] * 60, requires_grad=True)\nx.permute(*range(60)).sum().backward()")
    assert all(step.sentence for step in found.steps)


def test_a_hook_is_told_where_it_changed_what_arrived():
    _, found = told(
        "x = torch.tensor(2., requires_grad=True)\nh = x * 2\nh.register_hook(lambda g: g * 10)\n(h * 3).backward()"
    )
    first, second, third = [step.sentence for step in found.steps]
    assert first.endswith("`1 · 3 = +3` to `h`.") and "hook" not in first + third
    assert second.startswith("The hook `lambda g: g * 10` made `+30` of the `+3` that arrived. `h` has gradient `+30`.")
    _, found = told("x = torch.tensor(2., requires_grad=True)\nx.register_hook(lambda g: g * 10)\n(x * x).backward()")
    assert found.steps[-1].sentence.startswith("The hook `lambda g: g * 10` made `+40` of the `+4` that arrived.")
    _, found = told("x = torch.tensor(2., requires_grad=True)\nx.register_hook(print)\n(x * x).backward()")
    assert "hook" not in "".join(step.sentence for step in found.steps)


def test_a_backward_of_the_programs_own_is_no_local_derivative():
    program = """
class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()
    @staticmethod
    def backward(ctx, gradient):
        return gradient
x = torch.tensor(2.4, requires_grad=True)
Round.apply(x).backward()
"""
    _, found = told(program)
    assert found.steps[0].sentence.endswith("The program's own backward of `Round.apply(x)` sends `+1` to `x`.")


def test_results_of_one_operation_have_their_own_names():
    _, found = told("x = torch.tensor([2., 3.], requires_grad=True)\na, b = x\n(a * b).backward()")
    assert "`1 · b = +3` to `a`, `1 · a = +2` to `b`." in found.steps[0].sentence
    assert "has gradient" not in found.steps[1].sentence  # each of the two has one


def test_steps_of_a_module_are_called_as_on_their_cards():
    program = """
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
net(torch.ones(1, 2)).sum().backward()
"""
    _, found = told(program)
    said = " ".join(step.sentence for step in found.steps)
    assert "`net.2(…)` has gradient `G` and sends" in said and "`G @ net.2.weight` to `net.1(…)`" in said
    assert "stops it elsewhere: `[" in said and "]` to `net.0(…)`" in said and "before" not in said
    hints = " ".join(step.question.hint for step in found.steps if step.question)
    assert "`∂net.1(…)/∂net.0(…) = 1 where net.1(…) > 0, else 0`" in hints


def test_where_a_step_says_G_it_says_what_that_is():
    net = "net = torch.nn.Linear(2, 3)\nnet(torch.ones(1, 2)).sum().backward()\n"
    said = [step.sentence for step in told(net)[1].steps if "`Gᵀ`" in step.sentence]
    assert said and all("`G` is the gradient that arrives here." in sentence for sentence in said)


def test_the_gradient_that_arrives_has_a_letter_of_its_own():
    program = """
{0} = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
w = torch.tensor([[1., 0.], [2., 1.]], requires_grad=True)
y = {0} @ w
y.sum().backward()
"""
    for name, letter in (("h", "`G`"), ("G", "`Ḡ`")):
        (sentence,) = (step.sentence for step in told(program.format(name))[1].steps if "@" in step.sentence)
        assert letter in sentence and f"`{name}ᵀ @ {letter.strip('`')}` to `w`" in sentence


def test_a_long_call_says_where_its_gradient_leaves_it_and_has_no_name_of_another_result():
    trace = trace_of("""
        import torch
        torch.manual_seed(3)
        att = torch.nn.MultiheadAttention(4, 2, batch_first=True)
        x = torch.randn(1, 3, 4, requires_grad=True)
        out, weights = att(x, x, x)
        out[0, 0].sum().backward()
    """)
    told = " ".join(step.sentence for step in steps(trace, graph_view(trace), "en").steps)
    assert "no gradient" not in told and "`weights`" not in told and "`att.in_proj_bias`" in told
