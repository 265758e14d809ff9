"""Errors of autograd: programs that learners write wrongly, the cause that is told and the change that is offered."""

import pytest

from explorer.text import say
from tests.errors.told import mends, told
from tests.traces import trace_of

LEAF = "import torch\na = torch.tensor([1., 2., 3.], requires_grad=True)\n"
FUNCTION = """import torch
class Sq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(x)
        return x ** 2 * k
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return {}
a = torch.ones(3, requires_grad=True)
Sq.apply(a, 2).sum().backward()
"""


MENDED = [  # program, kind, a line that the mended text has and the program has not
    (LEAF + "a.add_(1)", "leaf-overwritten", "    a.add_(1)"),
    (LEAF + "a[0] = 5.", "part-of-a-leaf-overwritten", "    a[0] = 5."),
    (LEAF + "v = a.view(3, 1)\nv.mul_(2)", "leaf-written-through-a-view", "    v.mul_(2)"),
    (LEAF + "a.sum().backward()\na -= 0.1 * a.grad", "step-recorded", "    a -= 0.1 * a.grad"),
    (LEAF + "b = torch.ones(3)\ntorch.add(a, 1, out=b)", "result-into-out", "b = torch.add(a, 1)"),
    (LEAF + "u, v, w = (a * 2).unbind()\nu.mul_(2)", "one-view-of-several", "u = u.mul(2)"),
    (LEAF + "b = a[:1].expand(3)\nwith torch.no_grad():\n    b.add_(torch.ones(3))", "expanded-overwritten",
     "b = a[:1].expand(3).clone()"),
    (LEAF + "L = (a * a).sum()\nL.backward()\nL.backward()", "graph-used-twice", "L.backward(retain_graph=True)"),
    (LEAF + "h = a.exp()\nh.sum().backward()\n(h * 2).sum().backward()", "graph-shared",
     "h.sum().backward(retain_graph=True)"),
    (LEAF + "L = (a * a).sum()\nfor i in range(2):\n    L.backward()", "graph-used-twice-in-a-loop",
     "    L = (a * a).sum()"),
    (LEAF + "h = torch.zeros(3)\nfor i in range(2):\n    h = torch.tanh(h + a)\n    h.sum().backward()",
     "graph-carried-over", "    h = h.detach()"),
    (LEAF + "y = a.exp()\ny += 1\ny.sum().backward()", "saved-result-overwritten", "y = y + 1"),
    (LEAF + "y = a ** 2\nz = y ** 2\ny[0] = 0\nz.sum().backward()", "saved-input-overwritten", "y = y.clone()"),
    (LEAF + "L = (a ** 2).sum()\nL.backward(retain_graph=True)\ntorch.optim.SGD([a], 0.1).step()\nL.backward()",
     "weights-changed-before-backward", "L = (a ** 2).sum()"),
    (LEAF + "y = a * 2\ny.backward()", "backward-of-several", "y.sum().backward()"),
    (LEAF + "y = a * 2\ntorch.autograd.grad(y, a)", "grad-of-several", "torch.autograd.grad(y.sum(), a)"),
    (LEAF + "y = (a * 2).sum()\ntorch.autograd.grad(a, y)", "grad-arguments-swapped", "torch.autograd.grad(y, a)"),
    (LEAF + "y = a * 2\ny.backward(torch.ones(2))", "starting-gradient-shape", "y.backward(torch.ones_like(y))"),
    (LEAF + "y = a * 2\ny.backward(1.0)", "starting-gradient-no-tensor", "y.backward(torch.full_like(y, 1.0))"),
    ("import torch\na = torch.ones(2)\na.sum().backward()", "nothing-requires-gradient",
     "a = torch.ones(2, requires_grad=True)"),
    (LEAF + "with torch.no_grad():\n    y = a.sum()\ny.backward()", "computed-under-no-grad", "y = a.sum()"),
    (LEAF + "y = torch.tensor(a.sum().item())\ny.backward()", "history-lost-in-a-new-leaf", "y = a.sum()"),
    (LEAF + "y = torch.tensor([a.sum(), a.prod()]).sum()\ny.backward()", "list-made-into-a-new-leaf",
     "y = torch.stack([a.sum(), a.prod()]).sum()"),
    (LEAF + "y = (a * 2).detach().sum()\ny.backward()", "history-detached", "y = (a * 2).sum()"),
    (LEAF + "y = a.argmax()\ny.backward()", "position-has-no-gradient", "y = a.max()"),
    (LEAF + "g, = torch.autograd.grad((a**3).sum(), a)\ntorch.autograd.grad(g.sum(), a)", "first-gradient-not-recorded",
     "g, = torch.autograd.grad((a**3).sum(), a, create_graph=True)"),
    (LEAF + "y = a.sum().item()\ny.backward()", "item-before-backward", "y = a.sum()"),
    ("import torch\na = torch.arange(3)\na.requires_grad_()", "whole-numbers-require-no-gradient",
     "a = torch.arange(3.)"),
    ("import torch\na = torch.zeros(3, dtype=torch.long, requires_grad=True)", "whole-numbers-require-no-gradient",
     "a = torch.zeros(3, dtype=torch.float32, requires_grad=True)"),
    (LEAF + "b = a * 2\nb.requires_grad = False", "flag-of-a-result", "b = b.detach()"),
    (LEAF + "import numpy as np\nb = np.array(a * 2)", "numpy-of-recorded", "b = np.array(a.detach() * 2)"),
    (LEAF + "import copy\nb = a * 2\nc = copy.deepcopy(b)", "deepcopy-of-a-result", "c = b.detach().clone()"),
    (LEAF + "b = torch.ones(3)\ntorch.autograd.grad((a*b).sum(), b)", "input-requires-no-gradient",
     "b = torch.ones(3, requires_grad=True)"),
    (LEAF + "b = a * 2\nb.sum().backward()\nprint(b.grad * 2)", "gradient-of-a-result", "b.retain_grad()"),
    (LEAF + "for i in range(2):\n    a.grad.zero_()\n    a.sum().backward()", "gradient-zeroed-before-backward",
     "    if a.grad is not None:"),
    (LEAF + "for i in range(2):\n    a.sum().backward()\n    a = a - 0.1 * a.grad", "step-made-a-new-tensor",
     "        a -= 0.1 * a.grad"),
    ("import torch\nw = torch.randn(3, requires_grad=True) * 0.01\nw.sum().backward()\nprint(w.grad.norm())",
     "leaf-lost-in-its-own-line", "w = (torch.randn(3) * 0.01).requires_grad_()"),
    ("import torch\na = torch.ones(2)\na.register_hook(print)", "hook-without-gradient",
     "a = torch.ones(2, requires_grad=True)"),
    (LEAF + "with torch.inference_mode():\n    b = torch.ones(3)\ny = (a*b).sum()", "made-in-inference-mode",
     "with torch.no_grad():"),
    (LEAF + "y = (a ** 2).sum()\ng = torch.autograd.grad(y, a)\nprint(g ** 2)", "grad-returns-a-tuple",
     "g = torch.autograd.grad(y, a)[0]"),
    (FUNCTION.format("2 * x * g"), "function-count-of-gradients", "        return 2 * x * g, None"),
    ("import torch\nprint(torch.func.grad(lambda x: x * x)(3.0))", "func-argument-no-tensor",
     "print(torch.func.grad(lambda x: x * x)(torch.tensor(3.0)))"),
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("source", "kind", "line"), MENDED)
def test_the_mended_program_runs_and_keeps_the_other_lines(source: str, kind: str, line: str):
    found = mends(source, kind, line)
    kept = [one for one in source.split("\n") if one in found.repaired_source.split("\n")]
    assert len(kept) >= len(source.split("\n")) - 3


NOT_MENDED = [
    (LEAF + "y = a ** 2\na += 1\ny.sum().backward()", "leaf-overwritten"),  # the old values are still needed
    (LEAF + "b = a * 2; a += 1", "leaf-overwritten"),
    (LEAF + "print(a.grad + 1)", "gradient-before-backward"),
    (LEAF + "torch.autograd.grad((a ** 2).sum(), a)\nprint(a.grad + 1)", "gradient-returned-by-grad"),
    (LEAF + "b = torch.ones(3, requires_grad=True)\na.sum().backward()\nprint(b.grad.norm())",
     "gradient-never-reached"),
    (LEAF + "a.sum().backward()\na.grad = None\nprint(a.grad.norm())", "gradient-cleared"),
    (LEAF + "a.sum().backward(inputs=[b := a * 1]) if 0 else None\nprint(a.grad[0])", "gradient-before-backward"),
    (LEAF + "r = a.sum().backward()\nprint(r.item())", "backward-returns-nothing"),
    (LEAF + "y = (a > 0).float().mean()\ny.backward()", "steps-have-no-gradient"),
    (LEAF + "y = torch.from_numpy(a.detach().numpy() ** 2).sum()\ny.backward()", "history-lost-in-numpy"),
    (LEAF + "g, = torch.autograd.grad((3 * a).sum(), a, create_graph=True)\ng.sum().backward()",
     "first-gradient-constant"),
    (LEAF + "a.requires_grad_(False)\na.sum().backward()", "flags-switched-off"),
    (LEAF + "with torch.no_grad():\n    v = a[:1]\nv.mul_(2)", "view-made-unrecorded"),
    (LEAF + "y = (a ** 2).sum()\ntorch.autograd.grad(y, a[0])", "input-made-beside"),
    ("import torch\nx, w = torch.ones(2), torch.ones(2)\n(x * w).sum().backward()", "nothing-requires-gradient"),
    ("import torch\nw = torch.ones(2)\nw.sum().backward()\nw -= 0.1 * w.grad", "nothing-requires-gradient"),
    ("import torch\nx = 2.0\ny = x ** 2\ny.backward()", "number-has-no-backward"),
    (FUNCTION.format("(2 * x * g)[:1].sum(), None"), "function-shape-of-gradient"),
    (FUNCTION.format("3.0, None"), "function-type-of-gradient"),
    (FUNCTION.format("None, None") + "a.grad.sum()", "gradient-none-from-a-function"),
    (LEAF + "a.register_hook(lambda g: 3.0)\na.sum().backward()", "hook-returned-no-tensor"),
    (LEAF + "a.register_hook(lambda m, g: g)\na.sum().backward()", "hook-arguments"),
    ("import torch\ntorch.func.vmap(lambda x: x if x.sum() > 0 else -x)(torch.ones(3, 2))", "vmap-branches"),
    ("import torch\ntorch.func.grad(lambda x: x * 2)(torch.ones(3))", "func-grad-of-several"),
    ("import torch\nz = torch.tensor(1 + 2j, requires_grad=True)\n(z * z).backward()", "loss-not-real"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "kind"), NOT_MENDED)
def test_no_change_is_offered_where_none_is_sure(source: str, kind: str):
    found = told(source)
    assert (found.kind, found.repaired_source) == (kind, "")


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
    assert found.cell == 0
    assert found.repaired_source.rstrip() == first.replace("L.backward()", "L.backward(retain_graph=True)")
