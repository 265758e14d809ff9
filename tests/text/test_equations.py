"""Every printed equation holds when recomputed from its printed numbers.

Player, inspector, Why?, story, sentence under the picture and the entries of operations are read for many programs:
scalar and vector arithmetic at several scales, with sums that cancel and numbers with long tails, and every lesson.
"""

import random

import pytest

from explorer.lessons.gallery import gallery
from explorer.text import LANGUAGES
from explorer.text.numbers import written_equation, written_product
from tests.equations import all_in
from tests.texts_of_runs import texts
from tests.traces import trace_of

UNARY = [
    "torch.exp({a} * {small})",
    "torch.tanh({a})",
    "{a}.relu()",
    "{a} ** 2",
    "-{a}",
    "{a}.sigmoid()",
    "torch.sin({a})",
]
UNARY += ["torch.log({a} ** 2 + 1)", "torch.sqrt({a} ** 2 + {small})", "{a}.abs()", "1 / ({a} ** 2 + 1)"]
BINARY = ["{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} / ({b} ** 2 + 1)", "{a} + {b} - {a}", "({a} + {big}) - {big}"]
SCALES = [1e-8, 1e-4, 1.0, 1.0, 1e3, 1e8]
PROGRAMS = 100


def program(seed: int) -> str:
    """Return a program over a few tensors that ends in two backwards, so that gradients are added."""
    rng = random.Random(seed)
    scale, shape = rng.choice(SCALES), rng.choice(["", "", "(2,)", "(3,)", "(2, 2)"])
    dtype = rng.choice(["", "", ", dtype=torch.float64"])
    lines, names = ["import torch", f"torch.manual_seed({seed})"], []
    for i in range(rng.randint(2, 4)):
        given = repr(rng.choice([round(rng.uniform(-3, 3), rng.randint(0, 5)), rng.uniform(-3, 3)]) * scale)
        made = f"torch.tensor({given}{dtype}" if not shape else f"torch.randn({shape}{dtype}"
        made += ", requires_grad=True)"
        lines.append(f"w{i} = {made}")
        names.append(f"w{i}")
    for i in range(rng.randint(3, 12)):
        text = rng.choice(rng.choice([UNARY, BINARY]))
        known = {"small": repr(rng.uniform(0.01, 0.3)), "big": repr(rng.uniform(0.5, 2) * scale)}
        lines.append(f"t{i} = " + text.format(a=rng.choice(names), b=rng.choice(names), **known))
        names.append(f"t{i}")
    lines.append("loss = (" + " + ".join(names[-3:]) + (").sum()" if shape else ")"))
    lines += ["loss.backward(retain_graph=True)", f"(loss * {rng.choice(['2', '0.1', '-1.7'])}).backward()"]
    return "\n".join(lines)


def wrong_in(trace, languages=LANGUAGES) -> tuple[int, list[str]]:
    """Return the number of equations in a run's texts, and the wrong ones."""
    told = [(lang + " " + room, text) for lang in languages for room, text in texts(trace, lang)]
    found = {(room, each.text): each.holds for room, text in told for each in all_in(text)}
    return len(found), [f"{room}: {text}" for (room, text), holds in found.items() if not holds]


@pytest.mark.sampled(50)
@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_every_printed_equation_holds(seed):
    languages = LANGUAGES if seed % 5 == 0 else LANGUAGES[:1]  # few words surround the numbers
    count, wrong = wrong_in(trace_of(program(seed)), languages)
    assert count > 5 and not wrong, "\n".join([program(seed), *wrong[:9]])


@pytest.mark.sampled(60)
@pytest.mark.parametrize("id", sorted(gallery().examples))
def test_every_printed_equation_of_an_example_holds(id):
    _, wrong = wrong_in(trace_of(gallery().examples[id].program))
    assert not wrong, "\n".join(wrong[:9])


def test_numbers_of_an_equation_have_as_many_digits_as_it_needs():
    trace = trace_of(
        "import torch\na = torch.tensor(1.001, requires_grad=True)\nb = torch.tensor(0.0004)\nc = a + b\nd = c - 1\n"
        "d.backward()"
    )
    told = " ".join(text for _, text in texts(trace))
    assert "1.001 + 0.0004 = 1.0014" in told and "1.0014 − 1 = 0.00140" in told


@pytest.mark.parametrize(
    ("found", "operands", "result"),
    [
        (written_product((825.0, 1 / 7), 825 / 7), ("825", "0.1429"), "= 117.9"),
        (written_equation(lambda x: x[0] ** 2, [2.5961], 2.5961**2), ("2.5961",), "= 6.74"),
        (written_product((9.0, 1 / 3), 3.0), ("9", "0.333"), "≈ 3"),
        (written_equation(sum, (0.1, 0.2), 0.1 + 0.2), ("0.1", "0.2"), "= 0.3"),
        (written_equation(sum, (1.00000123, -1.00000001), 1.22e-6), ("1.00000123", "−1"), "≈ 1.22e−6"),
    ],
)
def test_equations_are_approximate_if_six_digits_are_too_few(found, operands, result):
    assert found.operands == operands and f"{found.sign} {found.result}" == result
