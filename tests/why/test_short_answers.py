"""Short answers: at most twelve lines, whose printed equations hold."""

import pytest

from explorer.analysis.explain.why import answer
from explorer.analysis.explain.why.derivation_text import MOST_LINES
from tests.equations import equations
from tests.traces import trace_of

HEAD = "import torch\nfrom torch import nn\ntorch.manual_seed(0)\n"
MLP = """
x, y = torch.randn(32, 3), torch.randn(32, 1)
model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
for _ in range(20):
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
"""
TRANSFORMER = """
model = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), 2)
loss = model(torch.randn(4, 5, 8)).square().mean()
loss.backward()
"""
LSTM = """
model = nn.LSTM(4, 6, batch_first=True)
loss = model(torch.randn(3, 7, 4))[0].square().mean()
loss.backward()
"""
NAN = """
x = torch.arange(5.0)
w = torch.zeros(1, requires_grad=True)
for step in range(40):
    loss = ((w * x - 3 * x) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 10 * w.grad
        w.grad = None
"""
HOOKED = """
w = torch.tensor(30.0, requires_grad=True)
y = w * 2
y.grad_fn.register_prehook(lambda g: tuple(10 * one for one in g))
y.backward()
"""
TOTAL = """
w = torch.randn(3, requires_grad=True)
total = 0.0
for i in range(6):
    loss = (w * torch.randn(3)).sum() ** 2
    total = total + loss
total.backward()
"""


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    ("program", "question"),
    [
        (MLP, "model.0.weight.grad[0, 0]"),
        (TRANSFORMER, "model.layers.0.linear1.weight.grad[0, 0]"),
        (LSTM, "model.weight_hh_l0.grad[10, 3]"),
        (NAN, "loss"),
        (TOTAL, "total"),
        (TOTAL, "w.grad"),
    ],
)
def test_an_answer_has_at_most_twelve_lines_and_its_equations_hold(program, question, lang):
    found = answer(trace_of(HEAD + program), question, lang)
    lines = str(found).split("\n")
    assert len(lines) <= MOST_LINES and lines[0].startswith(found.text.split(" = ")[0])
    if found.short:
        assert "--all" in lines[-1] and str(len(found.lines)) in lines[-1]
    assert "+ −" not in str(found)
    assert all(one.holds for one in equations(str(found).replace("\n", " ").replace("  ", " ")))


def test_the_largest_parts_have_their_shares_and_the_others_are_one_number():
    first, *parts = str(answer(trace_of(HEAD + MLP), "model.2.bias.grad")).split("\n")
    amounts = [float(part.split()[1].strip("()").replace("−", "-")) for part in parts[:4]]
    total = float(first.split(" = ")[1].split(" ")[0].replace("−", "-"))
    assert sum(amounts) == pytest.approx(total, rel=1e-2) and "(17 more)" in parts[3]
    assert all("% of the sum" in part for part in parts[:3])


def test_nan_names_where_it_begins_first():
    lines = str(answer(trace_of(HEAD + NAN), "loss")).split("\n")
    assert lines[1] == "  The first number that is not finite: ∞ in (w * x - 3 * x) ** 2 (line 8)"


def test_to_continue_stands_once():
    found = answer(trace_of(HEAD + NAN), "loss")
    assert sum("To continue" in line for line in found.lines) == 1


def test_a_note_is_told_and_a_number_of_one_part_stays_one_line():
    trace = trace_of(HEAD + HOOKED)
    said = str(answer(trace, "w.grad"))
    assert "a hook or a later write" in said.split("\n")[0] and "--all" not in said
