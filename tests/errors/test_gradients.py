"""Errors of autograd: programs that learners write wrongly, the cause that is told and the change that is offered."""

from explorer.text import say
from tests.errors.told import told
from tests.traces import trace_of

LEAF = "import torch\na = torch.tensor([1., 2., 3.], requires_grad=True)\n"


def test_the_cause_names_the_operation_that_saved_and_the_line_that_overwrote():
    found = told(LEAF + "y = a.exp()\ny += 1\ny.sum().backward()")
    assert say("en", "error-saved-result-overwritten.cause", **found.values) == (
        "a.exp() on line 3 keeps its result y for the backward pass. "
        "y += 1 on line 4 overwrote it before y.sum().backward() could use it."
    )


def test_a_step_in_a_method_is_put_under_no_grad_there():
    source = """import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(3))
    def step(self, rate):
        self.w -= rate * self.w.grad
model = Model()
(model.w ** 2).sum().backward()
model.step(0.1)
"""
    found = told(source)
    assert found.kind == "step-recorded"
    assert "        with torch.no_grad():\n            self.w -= rate * self.w.grad" in found.repaired_source
    assert trace_of(found.repaired_source).status == "ok"


def test_the_change_belongs_to_the_cell_of_the_first_call():
    first = LEAF + "L = (a ** 2).sum()\nL.backward()"
    found = told(f"{first}\n# %%\nL.backward()")
    assert found.repairs[0].cell == 0
    assert found.repaired_source.rstrip() == first.replace("L.backward()", "L.backward(retain_graph=True)")
