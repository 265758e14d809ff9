"""The record of a backward: steps, contributions, sums, freed tensors, failures."""

from collections import defaultdict
from functools import partial

import numpy as np
import pytest

from explorer.analysis.explain.autograd import contributions
from explorer.trace import Backward, Trace
from tests.corpus import facts_beside
from tests.programs import (
    accumulations,
    bound,
    entries,
    failure,
    grad,
    gradient,
    leaf_node,
    near,
    node_names,
    node_of,
    plain,
    printed,
    traced,
    value,
)

LEAVES = "a = torch.tensor([[1.], [2.]], requires_grad=True)\nb = torch.tensor([[3., 4., 5.]], requires_grad=True)\n"
FAN_OUT = LEAVES + "s = a + b\np = s * a\nq = p - s / b\ny = (q * p).mean() + a.sum()\n"
NETWORK = """
layer = torch.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)
x = torch.randn(1, 3, 4, requires_grad=True)
y = layer(x).sum() + x.sum()
"""


def step(trace: Trace, call: Backward, node: int) -> list[np.ndarray | None]:
    """Return the gradients that arrived at a node's outputs."""
    return [entries(trace, value) for value in call.arrived[call.order.index(node)]]


def kinds(trace: Trace) -> list[tuple[str, str]]:
    return [(call.kind, call.status) for call in trace.backwards]


# ---- steps ----------------------------------------------------------------------------------------------------------


def passed(order: list[str], name: str, _gradients: tuple) -> None:
    order.append(name)


@pytest.mark.parametrize("source", [FAN_OUT, NETWORK], ids=["fan-out", "transformer"])
def test_steps_are_in_the_engines_order(source):
    scope = plain(source)
    order, seen, stack = [], set(), [scope["y"].grad_fn]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            node.register_prehook(partial(passed, order, node.name().rpartition("::")[2]))
            stack += [below for below, _ in node.next_functions if below is not None]
    scope["y"].backward()
    trace = traced(source + "y.backward()")
    assert node_names(trace, trace.backwards[0].order) == order


@pytest.mark.parametrize("source", [FAN_OUT, NETWORK], ids=["fan-out", "transformer"])
def test_contributions_add_up_to_the_gradient(source):
    trace = traced(source + "y.backward()")
    [call] = trace.backwards
    sums, counted = {}, defaultdict(int)
    for (node, edge), given in contributions(trace, 0).items():
        target = trace.nodes.edges[node][edge], trace.nodes.edge_inputs[node][edge]
        found = trace.value(given)
        if found.data is not None:
            sums[target] = sums.get(target, 0) + entries(trace, given)
            counted[target] += 1
    assert max(counted.values()) >= 3  # the graphs contain fan-outs
    assert len(sums) >= 5
    for (node, output), total in sums.items():
        assert near(total, step(trace, call, node)[output])


def test_a_contribution_has_the_shape_of_its_target():
    trace = traced(FAN_OUT + "y.backward()")
    [call] = trace.backwards
    into_a = [
        trace.value(given).shape
        for node, edge, given in zip(
            call.contribution_from, call.contribution_edge, call.contribution_value, strict=True
        )
        if trace.nodes.edges[node][edge] == leaf_node(trace, "a")
    ]
    assert into_a == [(2, 1)] * 3


# ---- accumulations --------------------------------------------------------------------------------------------------


def test_gradients_of_a_network_equal_an_unrecorded_run():
    trace = traced(NETWORK + "y.backward()")
    scope = plain(NETWORK + "y.backward()")
    names = [name for name, parameter in scope["layer"].named_parameters() if parameter.numel() <= 64]
    assert len(names) > 10
    for name in names:
        truth = scope["layer"].get_parameter(name).grad.numpy()
        assert near(grad(trace, f"layer.{name}"), truth, 1e-3) and near(gradient(trace, f"layer.{name}"), truth, 1e-3)


CLEARED_BY_EACH_OTHER = """
def clearing(other):
    def clear(leaf):
        if other.grad is not None:
            other.grad.zero_()
    return clear
a, b = torch.ones(2, requires_grad=True), torch.full((2,), 2., requires_grad=True)
a.register_post_accumulate_grad_hook(clearing(b))
b.register_post_accumulate_grad_hook(clearing(a))
(a * b).sum().backward()
"""


def test_a_sum_keeps_its_value_if_another_leafs_hook_clears_it():
    trace = traced(CLEARED_BY_EACH_OTHER)
    [(_, of_a)], [(_, of_b)] = accumulations(trace, "a"), accumulations(trace, "b")
    assert of_a.tolist() == [2, 2] and of_b.tolist() == [1, 1]


def test_a_node_hook_changes_outgoing_gradients_after_recording():
    source = "x = torch.ones(1, requires_grad=True)\ny = x * 2\nz = y.exp() + y\n{}z.sum().backward()"
    hook = "y.grad_fn.register_hook(lambda leaving, arrived: (leaving[0] * 3, None))\n"
    before, after = traced(source.format("")), traced(source.format(hook))
    assert near(gradient(before, "y"), gradient(after, "y")) and near(grad(before, "x") * 3, grad(after, "x"))


# ---- freed tensors, failures -----------------------------------------------------------------------------------------


def freed(trace: Trace, backward: int = 0) -> list[str]:
    return node_names(trace, trace.backwards[backward].freed)


def test_backward_frees_saved_tensors():
    source = "x = torch.tensor(2., requires_grad=True)\ny = (x + 1).exp().square()\n"
    assert freed(traced(source + "y.backward()")) == ["PowBackward0", "ExpBackward0"]
    assert freed(traced(source + "y.backward(retain_graph=True)")) == []
    assert freed(traced(source + "torch.autograd.grad(y, x)")) == ["PowBackward0", "ExpBackward0"]


@pytest.mark.parametrize("detail", ["complete", "light"])
@pytest.mark.parametrize(
    "source, node",
    [
        ("h = x.exp()\ny = (h + 0).square()\ny.backward()\ny.backward()", "PowBackward0"),
        ("h = x.exp()\ny = (h * 3).exp()\nh.add_(1)\ny.backward()", "ExpBackward0"),
        ("y = Failing.apply(x) + 1\ny.backward()", "FailingBackward"),
    ],
    ids=["second backward", "in place", "custom"],
)
def test_a_failed_backward_is_located(source, node, detail):
    trace = traced(
        "class Failing(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
        "    @staticmethod\n    def backward(ctx, upstream):\n        raise RuntimeError('no way back')\n"
        f"x = torch.tensor(0.5, requires_grad=True)\n{source}",
        detail=detail,
    )
    last = trace.backwards[-1]
    assert last.status == "failed" and node_names(trace, [last.failed_node]) == [node]
    assert trace.strings[last.error] == failure(trace)[1]
    assert last.failed_node not in last.freed


@pytest.mark.parametrize(
    "call, kind",
    [
        ("y.backward()", "backward"),
        ("torch.autograd.backward([y])", "backward"),
        ("y.backward(torch.ones(3))", "backward"),
        ("torch.autograd.grad(y, x)", "grad"),
    ],
)
def test_a_backward_refused_before_the_engine_starts_is_recorded(call, kind):
    trace = traced(f"x = torch.arange(4., requires_grad=True)\ny = x * x\n{call}\n")
    (one,) = trace.backwards
    assert (one.kind, one.status, trace.text(one.span)) == (kind, "failed", call)
    assert one.roots == [node_of(trace, "y")] and len(one.order) == 0 and one.failed_node == -1
    assert trace.strings[one.error] == failure(trace)[1]


# ---- implicit gradients ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("looked_at", ["print(loss)", "print(loss.item())", "f'{loss:.2f}'", "loss.detach().numpy()"])
def test_inspecting_a_tensor_does_not_count_as_use(looked_at):
    trace = traced(f"x = torch.tensor([1., 2.], requires_grad=True)\nloss = (x * x).sum()\n{looked_at}")
    assert trace.backwards[0].root_tensors == [bound(trace, "loss")]


@pytest.mark.parametrize(
    "use",
    [
        "h = x * 2\nh.register_hook(lambda g: print('hook'))\ny = h.sum()",
        "x.register_hook(lambda g: print('hook'))\ny = x.sum()",
        "x.register_post_accumulate_grad_hook(lambda p: print('hook'))\ny = x.sum()",
        "y = Custom.apply(x).sum()",
        "import torch.utils.checkpoint as c\ny = c.checkpoint(lambda t: t.sin(), x, use_reentrant=False).sum()",
        "import torch.utils.checkpoint as c\ny = c.checkpoint(lambda t: t.sin(), x, use_reentrant=True).sum()",
        "y = x.sum()\ny.grad_fn.register_hook(lambda *g: print('hook'))",
        "y = x.sum()\ny.grad_fn.register_prehook(lambda *g: print('hook'))",
        "net = torch.nn.Linear(2, 1)\nnet.register_full_backward_hook(lambda *g: print('hook'))\ny = net(x).sum()",
    ],
)
def test_unrequested_gradients_never_run_the_programs_code(use):
    trace = traced(
        "class Custom(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
        "    @staticmethod\n    def backward(ctx, upstream):\n        print('backward')\n        return upstream * 2\n"
        f"x = torch.tensor([1., 2.], requires_grad=True)\n{use}"
    )
    assert (trace.status, printed(trace), trace.backwards) == ("ok", "", [])
    assert [diagnosis.kind for diagnosis in trace.diagnoses] == ["implicit_not_made"]


def test_a_program_without_gradients_has_no_implicit_backward():
    assert traced("x = torch.ones(2)\ny = x.sum()").backwards == []


def test_the_implicit_pass_has_no_side_effects():
    source = "w = torch.rand(2, requires_grad=True)\ny = torch.nn.functional.dropout(w).sum()"
    trace, again = traced(source), traced(source + "\nafter = torch.rand(1)")
    assert near(value(trace, "w"), value(again, "w")) and kinds(trace) == [("implicit", "ok")]


# ---- another root ---------------------------------------------------------------------------------------------------


def test_another_root_is_differentiated_before_the_graph_is_freed():
    source = """
x = torch.tensor([1., 2.], requires_grad=True)
h = x * x
y = (h * h).sum()
y.backward(retain_graph=True)
y.backward()
"""
    trace = traced(source, of="h")
    asked = [call for call in trace.backwards if call.kind == "implicit"]
    assert [call.root_tensors for call in asked] == [[bound(trace, "h")]]
    assert kinds(trace) == [("backward", "ok"), ("implicit", "ok"), ("backward", "ok")]
    assert near(gradient(trace, "h"), [1, 1]) and near(gradient(trace, "x"), [2, 4])
    assert near(grad(trace, "x"), grad(traced(source), "x"))


def test_another_root_works_without_backward():
    trace = traced("x = torch.tensor(3., requires_grad=True)\nh = x * x\ny = h * 2", of="h")
    assert kinds(trace) == [("implicit", "ok")] and gradient(trace, "x") == 6


def test_another_root_may_be_created_after_the_first_backward():
    trace = traced(
        """
        x = torch.tensor(3., requires_grad=True)
        (x * x).backward()
        late = x * 5
        late.backward()
        """,
        of="late",
    )
    assert [call.kind for call in trace.backwards].count("implicit") == 1 and gradient(trace, "x") == 5
    assert grad(trace, "x") == 11


test_facts = facts_beside(__file__, globals())
