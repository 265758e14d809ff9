"""The story of a program: true by torch's own numbers, short, and silent elsewhere."""

import random
import re

import pytest

from explorer.analysis.autograd import graph_view
from explorer.analysis.autograd.inspection import inspection
from explorer.analysis.autograd.story import story
from explorer.drawing.graph.inspector import inspector_html
from explorer.drawing.graph.story import story_html
from tests.programs import plain
from tests.traces import trace_of

LEAVES = "import torch\nw = torch.tensor(1., requires_grad=True)\nx = torch.tensor(2., requires_grad=True)\n"
TWICE = LEAVES + "a = w + x\nb = w + 1\ny = a * b\ny.backward()"


def told(program: str, lang: str = "en") -> list[str]:
    """The sentences of the story, "" between tags."""
    found = story(graph_view(trace_of(program)))
    return [] if found is None else [re.sub("<[^>]*>", "", said) for said in story_html(found, lang).split("<p>")[1:]]


def test_every_sentence_of_a_small_program():
    assert told(TWICE) == [
        "y is 6. Backward starts there with +1 and passes +2 to a, +3 to b.",
        "w goes into y twice: through a it gets +2, through b +3; so w.grad = +5.",
        "x goes into y once: through a it gets +2; so x.grad = +2.",
    ]
    assert told(TWICE, "zh")[1] == "w 进入 y 2 次：经 a 得到 +2，经 b 得到 +3；因此 w.grad = +5。"


def test_a_backward_that_did_not_run_would_start():
    never_ran = TWICE.replace("y.backward()", "")
    assert told(never_ran)[0] == "y is 6. A backward() would start there with +1 and pass +2 to a, +3 to b."
    several = "import torch\nh = torch.ones(2, requires_grad=True) * 3"  # h.backward() would raise
    for program, call in ((never_ran, "backward()"), (several, "backward(gradient)")):
        trace = trace_of(program)
        view = graph_view(trace)
        facts = inspection(trace, view, view.roots[0], "en")
        assert f"A {call} would start at" in inspector_html(facts, view, "en", chosen=False)


def test_every_number_leads_to_its_card():
    view = graph_view(trace_of(TWICE))
    cards = {card.id: card.name for card in view.cards}
    links = re.findall(r'data-pick="(\w+)">([^<]+)<', story_html(story(view), "en"))
    assert [(cards[card], number) for card, number in links] == [
        ("y", "6"), ("y", "+1"), ("a", "+2"), ("b", "+3"), ("a", "+2"), ("b", "+3"), ("w", "+5"),
        ("a", "+2"), ("x", "+2"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("y = w * w\ny.backward()", "w goes into y twice: through y it gets +1 + 1; so w.grad = +2."),
        ("y = w * 3 - w\ny.backward()", "through w * 3 it gets +3, through y −1; so w.grad = +2."),
        ("y = w - w\ny.backward()", "w goes into y twice: through y it gets +1 − 1; so w.grad = 0."),
        ("y = 3 * w\ny.backward()\nw.grad.zero_()", "w goes into y once: through y it gets +3; so its gradient is +3."),
        ("(2 * w).backward()\ny = 3 * w\ny.backward()", "so +3 is added to w.grad: +2 becomes +5."),
        ("y = w * x\ng = torch.autograd.grad(y, (w, x))", "so its gradient is +2."),
        ("y = w * x", "so its gradient is +2."),
    ],
)
def test_what_is_stored_and_what_arrived_are_told_apart(program, said):
    assert said in told(LEAVES + program)[1]


@pytest.mark.parametrize(
    "program",
    [
        "y = w * x",  # of a vector: the leaf is no single number
        "y = (w * x).detach() * w\ny.backward()",
        "w.register_hook(lambda g: g * 2)\ny = w * x\ny.backward()",
        "w.register_hook(lambda g: g + 0.003 * w.detach())\ny = w * x\ny.backward()",  # a decay
        "y = w.log() * 0 + (x - 2).sqrt()\ny.backward()",  # an infinite gradient
        "y = w + w + w + w + w\ny.backward()",
        "with torch.no_grad():\n    k = w * 2\ny = k * w\ny.backward()",
        "print(w)",
    ],
)
def test_it_is_silent_where_a_word_would_be_false_or_it_would_be_a_list(program):
    vector = program == "y = w * x"
    source = LEAVES.replace("2.,", "[2., 3.],") + program if vector else LEAVES + program
    found = story(graph_view(trace_of(source)))
    assert found is None or (found.name == "y" and "for" in program)


FORMS = ["{} * {}", "{} + {}", "{} - {}", "{}.sin() * {}", "{} / ({} ** 2 + 1)", "{}.exp() + {} * 3"]


def random_program(seed: int) -> tuple[str, list[str]]:
    """A program of single numbers with named steps, and its leaves."""
    draw = random.Random(seed)
    leaves = ["u", "v", "w"][: draw.randint(1, 3)]
    lines = ["import torch"] + [f"{n} = torch.tensor({draw.uniform(0.5, 2):.2f}, requires_grad=True)" for n in leaves]
    known = list(leaves)
    for step in range(draw.randint(1, 5)):
        a, b = draw.choice(known), draw.choice(known)
        form = draw.choice(
            ["{} * {}", "{} + {}", "{} - {}", "{}.sin() * {}", "{} / ({} ** 2 + 1)", "{}.exp() + {} * 3"]
        )
        lines.append(f"s{step} = {form.format(a, b)}")
        known.append(f"s{step}")
    return "\n".join([*lines, f"{known[-1]}.backward()"]), leaves


def test_contributions_add_up_to_the_gradients_of_torch():
    stories = 0
    for seed in range(40):
        program, leaves = random_program(seed)
        found = story(graph_view(trace_of(program)))
        if found is None:
            continue
        stories += 1
        own = plain(program)
        assert found.value == pytest.approx(own[found.name].item(), rel=1e-5)
        for leaf in found.leaves:
            grad = own[leaf.name].grad.item()
            assert leaf.stored == pytest.approx((0.0, grad), rel=1e-5) and leaf.total == pytest.approx(grad, rel=1e-5)
            amounts = [amount for way in leaf.ways for amount in way.amounts]
            assert sum(amounts) == pytest.approx(grad, rel=1e-4, abs=1e-5)
        assert {leaf.name for leaf in found.leaves} <= set(leaves)
    assert stories > 15
