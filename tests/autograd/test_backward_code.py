"""A backward written as code: a small program in, code out, and the code runs."""

import pytest
import torch

from explorer.analysis.explain.autograd.backward_code import Unwritten, backward_code
from explorer.analysis.explain.autograd.gradients import selected_backward
from explorer.runtime.execute import execute
from explorer.trace import Failure
from explorer.workers.backward_check import checked_code, options_of
from tests.traces import trace_of

EXAMPLES = {
    "a product, broadcast": (
        "w = torch.tensor([1., 2.], requires_grad=True)\nb = torch.tensor(3., requires_grad=True)\n"
        "y = w * b\nloss = y.sum()\nloss.backward()",
        """\
grad_loss = torch.ones_like(loss)  # ()
grad_y = grad_loss.expand(2)       # (2,)
grad_w = grad_y * b                # (2,)
grad_b = (grad_y * w).sum(0)       # ()
w.grad = grad_w                    # (2,)
b.grad = grad_b                    # ()""",
    ),
    "a sum of two ways, and a second backward that adds": (
        "w = torch.tensor(2., requires_grad=True)\nw.sin().backward()\ny = w + w * w\ny.backward()",
        """\
grad_y = torch.ones_like(y)
grad_w = grad_mul = grad_y
grad_w = grad_w + grad_mul * w
grad_w = grad_w + grad_mul * w
w.grad = w.grad + grad_w""",
    ),
    "a hook, and a step in place": (
        "x = torch.tensor([1., 2.], requires_grad=True)\ny = x * 3\ny.register_hook(lambda g: g * 10)\n"
        "y.mul_(2)\nloss = y.sum()\nloss.backward()",
        """\
grad_loss = torch.ones_like(loss)    # ()
grad_y = grad_loss.expand(2)         # (2,)
grad_y = grad_y * 2                  # (2,)
grad_y = (lambda g: g * 10)(grad_y)  # (2,)
grad_x = grad_y * 3                  # (2,)
x.grad = grad_x                      # (2,)""",
    ),
    "rounds of a loop": (
        "W = torch.eye(2, requires_grad=True)\nh = torch.ones(2)\nfor t in range(5):\n    h = W @ h\n"
        "loss = h.sum()\nloss.backward()",
        """\
grad_loss = torch.ones_like(loss)                   # ()
grad_h = grad_loss.expand(2)                        # (2,)
saved_h = h.grad_fn._saved_vec                      # (2,)
grad_W = torch.outer(grad_h, saved_h)               # (2, 2)
grad_h = W.T @ grad_h                               # (2,)
mv_node = h.grad_fn.next_functions[1][0]
for _ in range(3):
    saved_h = mv_node._saved_vec                    # (2,)
    grad_W = grad_W + torch.outer(grad_h, saved_h)  # (2, 2)
    grad_h = W.T @ grad_h                           # (2,)
    mv_node = mv_node.next_functions[1][0]
saved_h = mv_node._saved_vec                        # (2,)
grad_W = grad_W + torch.outer(grad_h, saved_h)      # (2, 2)
W.grad = grad_W                                     # (2, 2)""",
    ),
    "an operation without a formula, called as torch's node": (
        "x = torch.arange(4., requires_grad=True)\ny = x.cumprod(0)\nloss = y.sum()\nloss.backward()",
        """\
grad_loss = torch.ones_like(loss)  # ()
grad_y = grad_loss.expand(4)       # (4,)
grad_x = y.grad_fn(grad_y)         # (4,)
x.grad = grad_x                    # (4,)""",
    ),
    "a write to some entries, broadcast": (
        "x = torch.tensor([2., 5.], requires_grad=True)\no = torch.zeros(2, 3)\n"
        "o[:, torch.tensor([0, 2])] = x\nloss = (o * o).sum()\nloss.backward()",
        "grad_loss = torch.ones_like(loss)             # ()\n",
    ),
    "a Function of the program's own": (
        "class Double(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g * 7\n"
        "x = torch.tensor(1., requires_grad=True)\ny = Double.apply(x)\ny.backward()",
        """\
grad_y = torch.ones_like(y)
grad_x = y.grad_fn.apply(grad_y)
x.grad = grad_x""",
    ),
    "what no name stands for is read from the graph": (
        "net = torch.nn.Linear(2, 1)\nfor step in range(3):\n    net.zero_grad()\n"
        "    (net(torch.ones(4, 2)) - 1).square().mean().backward()",
        "loss = (net(torch.ones(4, 2)) - 1).square().mean()\ngrad_loss = torch.ones_like(loss)                 # ()\n",
    ),
    "autograd.grad": (
        "x = torch.tensor(3., requires_grad=True)\ng, = torch.autograd.grad(x ** 3, x)",
        "loss = x ** 3\ngrad_loss = torch.ones_like(loss)\ngrad_x = grad_loss * (3 * x ** 2)",
    ),
    "autograd.grad of what receives nothing": (
        "class First(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x, y):\n        return x * y\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g, None\n"
        "w = torch.tensor(2., requires_grad=True)\nu = w * 3\ny = First.apply(w, u)\n"
        "torch.autograd.grad(y, (u, w), allow_unused=True)",
        "grad_y = torch.ones_like(y)\ngrad_w = y.grad_fn.apply(grad_y)[0]",
    ),
    "several statements on one line": (
        "w = torch.tensor([1., 2.], requires_grad=True)\nl = (w**2).sum(); l.backward(); w.grad",
        "grad_l = torch.ones_like(l)  # ()\n",
    ),
    "a program that calls no backward": (
        "x = torch.tensor([1., 2.], requires_grad=True)\ny = x.exp()",
        "grad_y = torch.ones_like(y)  # (2,)\ngrad_x = grad_y * y          # (2,)\nx.grad = grad_x              # (2,)",
    ),
}


def checked(program):
    trace = trace_of(program)
    backward = selected_backward(trace)
    return trace, checked_code(trace, backward, "en", lambda changed: execute(changed, options_of(trace)))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_written_code_runs(name):
    program, text = EXAMPLES[name]
    _, found = checked(program)
    assert found.code is not None, found.why
    assert found.code.text.startswith(text) and found.exact


def test_a_changed_line_fails_the_check():
    trace, found = checked(EXAMPLES["a product, broadcast"][0])
    (cell,) = found.program.cells
    assert "grad_w = grad_y * b " in cell.text
    found.program.cells[0] = type(cell)(cell.text.replace("grad_w = grad_y * b ", "grad_w = grad_y * w "))
    run = execute(found.program, trace.options)
    (failure,) = [output for cell in run.cells for output in cell.outputs if isinstance(output, Failure)]
    assert failure.type == "AssertionError" and failure.text.startswith("w.grad: Tensor-likes are not equal!")


ZEROS = """t.norm(3) | t.std() | (t ** 0).sum() | t.norm() | torch.linalg.vector_norm(t, 0.5) | torch.atan2(t, t).sum()
t.view(3, 100).norm(dim=1).sum() | t.view(100, 3).norm(3, dim=1).sum() | t.view(100, 3).std(1).sum()
(t.abs() ** (t > 0).float()).sum() | torch.sinc(t).sum() | torch.dist(t, t.detach()) | F.normalize(t, dim=0).sum()
t.norm(1) | t.norm(float('inf')) | torch.xlogy(t, t.abs() + 1).sum()"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("made", ["torch.zeros(300)", "torch.cat([torch.zeros(100), torch.arange(200.)])"])
@pytest.mark.parametrize("line", [line for row in ZEROS.split("\n") for line in row.split(" | ")])
def test_backward_code_returns_0_like_torch_at_undefined_points(line, made):
    head = "import torch.nn.functional as F\n"
    _, found = checked(f"{head}t = {made}.requires_grad_()\nloss = {line}\nloss.backward()")
    assert found.code is not None, found.why


def test_rounded_results_are_not_marked_exact():
    _, found = checked(
        "x = torch.linspace(-2, 2, 50, requires_grad=True)\ny = torch.tanh(x)\nloss = y.sum()\nloss.backward()"
    )
    assert found.code is not None and not found.exact


@pytest.mark.parametrize(
    "program, why",
    [
        ("x = torch.ones(2)", "none"),
        ("x = torch.ones(2, requires_grad=True)\ny = x.exp()\ny.add_(1)\ny.sum().backward()", "failed"),
        (
            "x = torch.ones(2, requires_grad=True)\ntorch.autograd.functional.hessian(lambda x: (x**3).sum(), x)",
            "place",
        ),
        (
            "x = torch.ones(2, requires_grad=True)\ny = x * 2\nhooks = [lambda g: g * 3, lambda g: g * 5]\n"
            "for hook in hooks:\n    y.register_hook(hook)\ny.sum().backward()",
            "hook",
        ),
        # a backward that draws random numbers differs the second time
        (
            "class Fake(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
            "    @staticmethod\n    def backward(ctx, g):\n        return torch.rand_like(g)\n"
            "x = torch.ones(2, requires_grad=True)\ny = Fake.apply(x).sum()\ny.backward()",
            "differs",
        ),
    ],
)
def test_missing_code_has_a_reason(program, why):
    _, found = checked(program)
    assert found.code is None and found.why == why


def test_a_backward_of_too_many_lines():
    program = "x = torch.ones((), requires_grad=True)\ny = x\n" + "".join(
        f"y = y.{'sin' if i * i % 7 > 2 else 'exp'}() * {i}.5\n" for i in range(200)
    )
    with pytest.raises(Unwritten, match="long"):
        backward_code(trace_of(f"{program}y.backward()"), 0)


def test_a_root_without_a_name_gets_one_in_the_code():
    program = "x = torch.tensor([1., 2.], requires_grad=True)\n(x**2).sum().backward()"
    _, found = checked(program)
    names = {"torch": torch, "x": torch.tensor([1.0, 2.0], requires_grad=True)}
    exec(found.code.text, names)
    assert names["x"].grad.tolist() == [2.0, 4.0]


def test_more_lines_are_written_if_asked_for():
    program = "x = torch.ones((), requires_grad=True)\ny = x\n" + "".join(
        f"y = y.{'sin' if i * i % 7 > 2 else 'exp'}() * 0.{i + 1}\n" for i in range(200)
    )
    trace = trace_of(f"{program}y.backward()")
    with pytest.raises(Unwritten, match="long"):
        backward_code(trace, 0)
    assert len(backward_code(trace, 0, most=2_000).lines) > 300
