"""The player's steps: what each one highlights and describes."""

from explorer.analysis.explain.autograd import graph_view
from explorer.analysis.explain.autograd.backward_steps import MAX_STEPS, steps
from tests.corpus import facts_beside
from tests.traces import trace_of


def told(program: str, lang: str = "en", backward: int | None = None):
    """Return the view's cards by id, and the steps."""
    trace = trace_of(f"import torch\nimport torch.nn.functional as F\n{program}")
    view = graph_view(trace, backward)
    found = steps(trace, view, lang)
    return {card.id: card for card in view.cards}, found


def test_a_gradient_changed_by_a_hook_is_not_a_question():
    _, found = told(
        "x = torch.tensor(2., requires_grad=True)\nh = x * 2\nh.register_hook(lambda g: g * 10)\n(h * 3).backward()"
    )
    assert [step.question and step.question.answer for step in found.steps] == [3.0, 60.0, None]
    _, found = told("x = torch.tensor(2., requires_grad=True)\nx.register_hook(lambda g: g * 10)\n(x * 3).backward()")
    first, last = [step.question for step in found.steps]
    assert first.answer == 3.0 and last is None


def test_even_the_smallest_program_has_a_question():
    for program in ("x.backward()", "(x * 3).backward()", "(x + 1).backward()", "x.reshape(1).backward()"):
        _, found = told(f"x = torch.tensor(2., requires_grad=True)\n{program}")
        assert any(step.question for step in found.steps), program


def test_the_step_of_relu_shows_which_entries_pass():
    _, found = told("h = torch.tensor([-1., 2., 3.], requires_grad=True)\ny = torch.relu(h)\ny.sum().backward()")
    assert "`[0, +1, +1]` to `h`" in found.steps[1].sentence
    _, found = told("h = torch.arange(-9., 55.).requires_grad_()\ntorch.relu(h).sum().backward()")
    assert "54 of 64 entries go through to `h`" in found.steps[1].sentence


def last_said(program: str) -> str:
    return told(program)[1].steps[-1].sentence


def test_contributions_to_a_leaf_are_listed_in_numbers():
    few = last_said("x = torch.arange(4.0, requires_grad=True)\ny = 2 * torch.dot(x, x)\ny.backward()")
    for factor in ("first", "second"):
        assert f"`[0, 2, 4, 6]` (via the {factor} factor of `torch.dot(x, x)`)" in few
    assert "`x.grad` = `[0, +4, +8, +12]` = " in few
    many = last_said("x = torch.arange(12.0, requires_grad=True)\ny = (3 * x - (x + x)).sum()\ny.backward()")
    assert many.startswith("`x.grad[0]` = `+1` = ") and "`3` (via `3 * x`)" in many and "`(−1)` (via" in many


LOOP = "x = torch.tensor(2., requires_grad=True)\ny = x\nfor i in range(3):\n    y = y * x\ny.backward()"


def test_a_value_of_a_loop_is_named_by_its_round():
    _, found = told(LOOP)
    third, second, first, leaf = (step.sentence for step in found.steps)
    assert "`1 · x = +2` to `y of round 2`, `1 · (y of round 2) = +8` to `x`" in third
    assert "`y of round 2` has gradient `+2`" in second
    assert "to `x` as first factor" in first and "to `x` as second factor" in first
    # The edges of a folded card carry its last round's contributions, which are not parts of this sum.
    assert leaf == "`x.grad` = `+32` (4 contributions)."


def test_a_hook_is_mentioned_only_if_it_changed_the_gradient():
    _, found = told(
        "x = torch.tensor(2., requires_grad=True)\nh = x * 2\nh.register_hook(lambda g: g * 10)\n(h * 3).backward()"
    )
    first, second, third = [step.sentence for step in found.steps]
    assert first.endswith("`1 · 3 = +3` to `h`.") and "hook" not in first + third
    assert second.startswith("The hook `lambda g: g * 10` changed the gradient from `+3` to `+30`. `h` has")
    _, found = told("x = torch.tensor(2., requires_grad=True)\nx.register_hook(lambda g: g * 10)\n(x * x).backward()")
    assert found.steps[-1].sentence.startswith("The hook `lambda g: g * 10` changed the gradient from `+4` to `+40`.")
    _, found = told("x = torch.tensor(2., requires_grad=True)\nx.register_hook(print)\n(x * x).backward()")
    assert "hook" not in "".join(step.sentence for step in found.steps)


def test_the_incoming_gradient_has_its_own_letter():
    program = """
{0} = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
w = torch.tensor([[1., 0.], [2., 1.]], requires_grad=True)
y = {0} @ w
y.sum().backward()
"""
    for name, letter in (("h", "`G`"), ("G", "`Ḡ`")):
        (sentence,) = (step.sentence for step in told(program.format(name))[1].steps if "@" in step.sentence)
        assert letter in sentence and f"`{name}ᵀ @ {letter.strip('`')}` to `w`" in sentence


test_facts = facts_beside(__file__, globals(), MAX_STEPS=MAX_STEPS)
