"""Events of a training are marked at their step: the lowest loss, a changed learning rate, the first NaN."""

from explorer.analysis.views.training.training_view import step_marks, training_places, training_view
from explorer.program import read_text
from explorer.runtime.execute import execute
from explorer.trace import Options

SLOPE = """\
import torch
w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=RATE)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 5, gamma=0.5)
for step in range(12):
    optimizer.zero_grad()
    LOSS.backward()
    optimizer.step()
    scheduler.step()
"""


def marks(rate: str, loss: str = "(w * w)", program: str = SLOPE) -> list[tuple]:
    trace = execute(read_text(program.replace("RATE", rate).replace("LOSS", loss)), Options())
    return [(mark.kind, mark.at) for mark in step_marks(training_view(trace, training_places(trace)[0]))]


def test_a_scheduler_changes_the_rate_and_the_last_loss_is_the_lowest():
    assert marks("0.1") == [("rate", 5), ("rate", 10), ("lowest", 11)]


def test_a_rate_that_follows_a_curve_has_no_marks():
    program = SLOPE.replace("StepLR(optimizer, 5, gamma=0.5)", "ExponentialLR(optimizer, 0.9)")
    assert marks("0.1", program=program) == [("lowest", 11)]


def test_too_large_a_rate_has_its_lowest_loss_first_and_then_no_number():
    program = SLOPE.replace("    scheduler.step()\n", "")
    found = marks("1e12", "(w * w)", program)
    assert found[0] == ("lowest", 0) and found[1][0] == "bad" and len(found) == 2
