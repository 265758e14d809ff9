"""What is written down of a backward: its steps, what arrived and was added where, what it freed, where it failed."""

from collections import defaultdict
from functools import partial

import numpy as np
import pytest

from explorer.analysis.autograd import contributions
from explorer.trace import Backward, Trace
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
    """What arrived at the outputs of a node."""
    return [entries(trace, value) for value in call.arrived[call.order.index(node)]]


def kinds(trace: Trace) -> list[tuple[str, str]]:
    return [(call.kind, call.status) for call in trace.backwards]


# ---- steps ----------------------------------------------------------------------------------------------------------


def passed(order: list[str], name: str, _gradients: tuple) -> None:
    order.append(name)


@pytest.mark.parametrize("source", [FAN_OUT, NETWORK], ids=["fan-out", "transformer"])
def test_steps_come_in_the_engines_order(source):
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
def test_contributions_sum_to_what_arrives(source):
    trace = traced(source + "y.backward()")
    [call] = trace.backwards
    sums, counted = {}, defaultdict(int)
    for (node, edge), given in contributions(trace, 0).items():
        target = trace.nodes.edges[node][edge], trace.nodes.edge_inputs[node][edge]
        found = trace.value(given)
        if found.data is not None:
            sums[target] = sums.get(target, 0) + entries(trace, given)
            counted[target] += 1
    assert max(counted.values()) >= 3  # there are fan-outs
    assert len(sums) >= 5
    for (node, output), total in sums.items():
        assert near(total, step(trace, call, node)[output])


def test_a_contribution_has_the_shape_of_what_it_is_added_to():
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


def test_the_root_starts_from_one_and_the_seed_is_written_down():
    trace = traced("x = torch.tensor(3., requires_grad=True)\ny = x * x\ny.backward()")
    [call] = trace.backwards
    assert call.roots == [node_of(trace, "y")] and call.root_tensors == [bound(trace, "y")]
    assert trace.text(call.span) == "y.backward()" and call.operations == 2
    assert [entries(trace, seed) for seed in call.seeds] == [1.0] and step(trace, call, call.roots[0]) == [1.0]


def test_several_roots_in_the_order_of_the_call():
    trace = traced("""
        x = torch.tensor([1., 2.], requires_grad=True)
        p = x * 2
        q = (x * x).sum()
        torch.autograd.backward([q, p], [None, torch.tensor([1., 10.])])
        """)
    [call] = trace.backwards
    assert call.roots == [node_of(trace, "q"), node_of(trace, "p")]
    assert [entries(trace, seed).tolist() for seed in call.seeds] == [1.0, [1, 10]]
    assert near(gradient(trace, "x"), [4, 24])


def test_an_output_to_which_nothing_arrives():
    trace = traced("x = torch.tensor([1., 5., 2.], requires_grad=True)\np, q = x.split([1, 2])\nq.sum().backward()")
    arrived = step(trace, trace.backwards[0], node_of(trace, "q"))
    assert arrived[1].tolist() == [1, 1] and (arrived[0] is None or not arrived[0].any())
    assert near(gradient(trace, "x"), [0, 1, 1])


# ---- accumulations --------------------------------------------------------------------------------------------------


def test_every_call_adds_to_what_the_last_one_left():
    trace = traced("x = torch.tensor([1., 2.], requires_grad=True)\nfor i in range(3):\n    (x * x).sum().backward()")
    assert [None if before is None else before.tolist() for before, _ in accumulations(trace, "x")] == [
        None,
        [2, 4],
        [4, 8],
    ]
    assert [after.tolist() for _, after in accumulations(trace, "x")] == [[2, 4], [4, 8], [6, 12]]
    assert near(grad(trace, "x"), [6, 12]) and [near(gradient(trace, "x", n), [2, 4]) for n in (1, 2, 3)] == [True] * 3


def test_gradients_of_a_network_equal_those_of_a_plain_run():
    trace = traced(NETWORK + "y.backward()")
    scope = plain(NETWORK + "y.backward()")
    names = [name for name, parameter in scope["layer"].named_parameters() if parameter.numel() <= 64]
    assert len(names) > 10
    for name in names:
        truth = scope["layer"].get_parameter(name).grad.numpy()
        assert near(grad(trace, f"layer.{name}"), truth, 1e-3) and near(gradient(trace, f"layer.{name}"), truth, 1e-3)


# ---- what is freed, what fails --------------------------------------------------------------------------------------


def freed(trace: Trace, backward: int = 0) -> list[str]:
    return node_names(trace, trace.backwards[backward].freed)


def test_a_backward_frees_what_nodes_saved():
    source = "x = torch.tensor(2., requires_grad=True)\ny = (x + 1).exp().square()\n"
    assert freed(traced(source + "y.backward()")) == ["PowBackward0", "ExpBackward0"]
    assert freed(traced(source + "y.backward(retain_graph=True)")) == []
    assert freed(traced(source + "torch.autograd.grad(y, x)")) == ["PowBackward0", "ExpBackward0"]


def test_what_was_not_run_is_not_freed():
    trace = traced("""
        x = torch.tensor(2., requires_grad=True)
        h = x.exp()
        y = h.square()
        g, = torch.autograd.grad(y, h)
        h.backward(g)
        """)
    assert trace.status == "ok" and freed(trace) == ["PowBackward0"] and freed(trace, 1) == ["ExpBackward0"]


def test_a_graph_kept_twice_gives_its_gradient_three_times():
    trace = traced("""
        x = torch.tensor(2., requires_grad=True)
        y = x ** 3
        y.backward(retain_graph=True)
        y.backward(retain_graph=True)
        y.backward()
        """)
    assert [call.retain_graph for call in trace.backwards] == [True, True, False]
    assert [len(call.order) for call in trace.backwards] == [2, 2, 2]
    assert grad(trace, "x") == 36 and [gradient(trace, "x", n) for n in (1, 2, 3)] == [12, 12, 12]


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
def test_where_a_backward_failed(source, node, detail):
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


def test_no_gradient_anywhere():
    trace = traced("x = torch.ones(2)\nx.sum().backward()")
    assert "does not require grad" in failure(trace)[1]
    assert [(call.status, call.failed_node, call.roots) for call in trace.backwards] == [("failed", -1, [-1])]


@pytest.mark.parametrize(
    "call, kind",
    [
        ("y.backward()", "backward"),
        ("torch.autograd.backward([y])", "backward"),
        ("y.backward(torch.ones(3))", "backward"),
        ("torch.autograd.grad(y, x)", "grad"),
    ],
)
def test_a_call_that_torch_refuses_before_its_engine_begins_is_written_down(call, kind):
    trace = traced(f"x = torch.arange(4., requires_grad=True)\ny = x * x\n{call}\n")
    (one,) = trace.backwards
    assert (one.kind, one.status, trace.text(one.span)) == (kind, "failed", call)
    assert one.roots == [node_of(trace, "y")] and len(one.order) == 0 and one.failed_node == -1
    assert trace.strings[one.error] == failure(trace)[1]


def test_a_program_goes_on_after_a_failed_backward():
    trace = traced("""
        x = torch.tensor(2., requires_grad=True)
        try:
            (x * torch.ones(2)).backward()
        except RuntimeError:
            pass
        (x * 3).backward()
        """)
    assert trace.status == "ok" and gradient(trace, "x") == 3 and kinds(trace)[-1] == ("backward", "ok")


# ---- autograd.grad and inputs= --------------------------------------------------------------------------------------


def test_the_gradient_of_leaves_and_intermediates():
    trace = traced("""
        x = torch.tensor([1., 2.], requires_grad=True)
        h = x * 3
        y = (h * h).sum()
        gh, gx = torch.autograd.grad(y, [h, x])
        """)
    [call] = trace.backwards
    assert call.kind == "grad" and call.inputs == [bound(trace, "h"), bound(trace, "x")] and call.accumulated == []
    assert near(value(trace, "gh"), [6, 12]) and near(value(trace, "gx"), [18, 36]) and grad(trace, "x") is None
    assert near(gradient(trace, "h"), [6, 12]) and near(gradient(trace, "x"), [18, 36])


def test_the_gradient_of_an_intermediate_alone():
    trace = traced("x = torch.tensor([1., 2.], requires_grad=True)\nh = x * 3\ntorch.autograd.grad((h * h).sum(), h)")
    assert near(gradient(trace, "h"), [6, 12]) and gradient(trace, "x") is None


def test_an_unused_input_has_no_gradient():
    trace = traced("""
        x = torch.tensor(1., requires_grad=True)
        other = torch.tensor(1., requires_grad=True)
        g, none = torch.autograd.grad(x * 2, [x, other], allow_unused=True)
        print(none)
        """)
    assert printed(trace) == "None\n" and gradient(trace, "x") == 2 and gradient(trace, "other") is None


def test_an_unused_input_that_is_not_allowed():
    trace = traced(
        "x = torch.tensor(1., requires_grad=True)\nu = torch.ones(1, requires_grad=True)\n"
        "torch.autograd.grad(x * 2, [x, u])"
    )
    assert "appears to not have been used in the graph" in failure(trace)[1] and kinds(trace) == [("grad", "failed")]


def test_backward_into_some_leaves_only():
    trace = traced("""
        a = torch.tensor(2., requires_grad=True)
        b = torch.tensor(3., requires_grad=True)
        (a * b).backward(inputs=[a])
        """)
    assert trace.backwards[0].inputs == [bound(trace, "a")]
    assert (grad(trace, "a"), grad(trace, "b"), gradient(trace, "a"), gradient(trace, "b")) == (3, None, 3, None)


def test_a_batch_of_starting_gradients_is_opaque_and_right():
    trace = traced("""
        x = torch.tensor([1., 2.], requires_grad=True)
        J, = torch.autograd.grad(x ** 2, x, torch.eye(2), is_grads_batched=True)
        """)
    assert near(value(trace, "J"), [[2, 0], [0, 4]])
    assert all(trace.value(seed).data is None for seed in trace.backwards[0].seeds)


# ---- a backward inside a backward -----------------------------------------------------------------------------------


def test_a_reentrant_checkpoint_is_a_backward_inside_a_backward():
    trace = traced("""
        from torch.utils.checkpoint import checkpoint
        x = torch.tensor([1., 2.], requires_grad=True)
        h = checkpoint(lambda t: t.sin(), x * 1, use_reentrant=True)
        (h * 2).sum().backward()
        """)
    outer, inner = trace.backwards
    assert trace.text(outer.span) == "(h * 2).sum().backward()"
    assert "SinBackward0" in node_names(trace, inner.order) and "SinBackward0" not in node_names(trace, outer.order)
    assert near(gradient(trace, "x", 1), 2 * np.cos([1.0, 2.0])) and near(gradient(trace, "h", 1), [2, 2])


def test_shown_is_the_programs_own_backward_not_one_inside_it():
    trace = traced("""
        from torch.utils.checkpoint import checkpoint
        x = torch.tensor([1., 2.], requires_grad=True)
        h = checkpoint(lambda t: t.sin(), x * 1, use_reentrant=True)
        (h * 2).sum().backward()
        """)
    assert near(gradient(trace, "x"), 2 * np.cos([1.0, 2.0]))


def test_a_hook_that_itself_calls_backward():
    trace = traced("""
        x = torch.tensor(1., requires_grad=True)
        w = torch.tensor(5., requires_grad=True)
        h = x * 2
        def hook(g):
            with torch.enable_grad():
                (w * w).backward()
        h.register_hook(hook)
        (h * 3).backward()
        """)
    assert trace.status == "ok" and (grad(trace, "x"), grad(trace, "w")) == (6, 10)
    assert gradient(trace, "x", 1) == 6 and gradient(trace, "w", 2) == 10 and len(trace.backwards[0].order) == 3


# ---- the gradient nobody asked for ----------------------------------------------------------------------------------


def test_without_a_backward_the_last_scalar_is_the_root():
    trace = traced("x = torch.tensor([1., 2.], requires_grad=True)\ny = x * x\nloss = y.sum()\nz = y * 3")
    [call] = trace.backwards
    assert (call.kind, call.root_tensors, call.span) == ("implicit", [bound(trace, "loss")], -1)
    assert near(gradient(trace, "x"), [2, 4]) and grad(trace, "x") is None and call.accumulated == []


def test_without_a_scalar_the_last_tensor_is_the_root():
    trace = traced("x = torch.tensor([1., 2.], requires_grad=True)\ny = x * x\nz = x * 3")
    assert trace.backwards[0].root_tensors == [bound(trace, "z")] and near(gradient(trace, "x"), [3, 3])


def test_an_echoed_tensor_can_be_the_root():
    trace = traced("x = torch.tensor([1., 2.], requires_grad=True)\n(x * x).sum()")
    assert trace.backwards[0].kind == "implicit" and near(gradient(trace, "x"), [2, 4])


@pytest.mark.parametrize("looked_at", ["print(loss)", "print(loss.item())", "f'{loss:.2f}'", "loss.detach().numpy()"])
def test_looking_at_a_tensor_is_no_use_of_it(looked_at):
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
def test_code_of_the_program_is_never_run_for_a_gradient_nobody_asked_for(use):
    trace = traced(
        "class Custom(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
        "    @staticmethod\n    def backward(ctx, upstream):\n        print('backward')\n        return upstream * 2\n"
        f"x = torch.tensor([1., 2.], requires_grad=True)\n{use}"
    )
    assert (trace.status, printed(trace), trace.backwards) == ("ok", "", [])
    assert [diagnosis.kind for diagnosis in trace.diagnoses] == ["implicit_not_made"]


def test_a_program_that_calls_backward_gets_no_other():
    trace = traced("x = torch.tensor(1., requires_grad=True)\n(x * 2).backward()\ny = x * 3")
    assert kinds(trace) == [("backward", "ok")]


def test_a_program_without_gradients_gets_none():
    assert traced("x = torch.ones(2)\ny = x.sum()").backwards == []


def test_the_side_pass_uses_no_random_numbers_and_leaves_the_program_as_it_was():
    source = "w = torch.rand(2, requires_grad=True)\ny = torch.nn.functional.dropout(w).sum()"
    trace, again = traced(source), traced(source + "\nafter = torch.rand(1)")
    assert near(value(trace, "w"), value(again, "w")) and kinds(trace) == [("implicit", "ok")]


# ---- another root ---------------------------------------------------------------------------------------------------


def test_another_root_is_taken_before_the_graph_is_freed():
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


def test_another_root_without_any_backward():
    trace = traced("x = torch.tensor(3., requires_grad=True)\nh = x * x\ny = h * 2", of="h")
    assert kinds(trace) == [("implicit", "ok")] and gradient(trace, "x") == 6


def test_another_root_that_is_made_only_after_the_first_backward():
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
