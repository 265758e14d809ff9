"""Random straight-line programs: values, gradients, nodes and edges equal torch's; the Trace survives encoding."""

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from explorer.trace import decode, encode
from tests.programs import gradient, graph_difference, near, node_of, plain, reached, traced, unattributed, value

UNARY = ["torch.exp({a} * 0.1)", "torch.tanh({a})", "{a}.relu()", "{a} ** 2", "-{a}", "{a}.sigmoid()", "{a}.abs()"]
UNARY += ["torch.sin({a})", "{a}.clone()", "{a}.reshape(-1, 1)", "{a}.T", "{a}[0:1]", "{a}.sum(dim=0, keepdim=True)"]
UNARY += [
    "{a}.mean(dim=-1, keepdim=True)",
    "torch.cat([{a}, {a}], dim=0)",
    "torch.softmax({a}, dim=-1)",
    "{a}.detach()",
]
UNARY += ["{a}.unbind(0)[0].unsqueeze(0)", "{a}.max(dim=1, keepdim=True).values", "{a}.flatten().view(1, -1)"]
BINARY = ["{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} / ({b} ** 2 + 1)", "torch.maximum({a}, {b})", "{a} @ {b}"]
BINARY += ["torch.where({a} > 0, {a}, {b})", "{a} @ {b}.T"]
WRITES = ["{t}.mul_(2)", "{t} += {b}", "{t}[0] = 0.5", "{t}[0:1].neg_()", "{t}.add_(1).tanh_()"]
ENTRY = st.floats(-2, 2, width=16).map(lambda number: round(number, 2))
SIZE = st.integers(1, 3)


@st.composite
def programs(draw) -> str:
    """Return a program with named 2-D tensors, some changed in place, that ends with a scalar `loss`."""
    lines, names, made = [], [], []
    for i in range(draw(st.integers(2, 4))):
        rows, columns = draw(SIZE), draw(SIZE)
        data = draw(st.lists(st.lists(ENTRY, min_size=columns, max_size=columns), min_size=rows, max_size=rows))
        lines.append(f"w{i} = torch.tensor({data}, requires_grad={i != 3})")
        names.append(f"w{i}")
    scope = plain("\n".join(lines))
    for i in range(draw(st.integers(4, 20))):
        a, b = draw(st.sampled_from(names)), draw(st.sampled_from(names))
        if made and draw(st.integers(0, 5)) == 0:
            line = draw(st.sampled_from(WRITES)).format(t=draw(st.sampled_from(made)), b=b)
        else:
            line = f"t{i} = " + draw(st.sampled_from(UNARY + BINARY)).format(a=a, b=b)
        tried = [*lines, line]
        if not runs("\n".join(tried), f"t{i}"):
            continue
        lines = tried
        scope = plain("\n".join(lines))
        if f"t{i}" in scope:
            names.append(f"t{i}"), made.append(f"t{i}")
    lines.append("loss = " + " + ".join(f"{name}.mean()" for name in (made or names)[-3:]) + " + w0.sum()")
    return "\n".join(lines) + "\n"


def runs(source: str, name: str) -> bool:
    """Return whether torch runs a program and its backward with small finite results."""
    try:
        scope = plain(source)
        made = scope.get(name, torch.zeros(1, 1))
        tensors = [tensor for tensor in scope.values() if isinstance(tensor, torch.Tensor)]
        sum(tensor.mean() for tensor in tensors).backward()
    except RuntimeError:
        return False
    return made.dim() == 2 and made.numel() <= 36 and all(bool(torch.isfinite(tensor).all()) for tensor in tensors)


@pytest.mark.thorough
@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],  # a program is short enough to be read as it is
    suppress_health_check=list(HealthCheck),
)
@given(programs())
def test_values_gradients_nodes_and_edges_are_torchs_own(source):
    scope = plain(source)
    tensors = {name: tensor for name, tensor in scope.items() if isinstance(tensor, torch.Tensor)}
    for tensor in tensors.values():
        if tensor.requires_grad:
            tensor.retain_grad()
    scope["loss"].backward()
    trace = traced(source + "loss.backward()")
    assert trace.status == "ok" and unattributed(trace) == []
    for name, tensor in tensors.items():
        assert near(value(trace, name), tensor.detach().numpy()), name
        shown, truth = gradient(trace, name), tensor.grad
        if truth is not None:
            assert near(np.zeros(truth.shape) if shown is None else shown, truth.numpy()), name
        elif tensor._version == 0:  # an earlier version of a written tensor may have one
            assert shown is None or not shown.any(), name
    root = node_of(trace, "loss")
    difference, count = graph_difference(trace, root, plain(source)["loss"].grad_fn)
    assert difference == "" and count == len(reached(trace, root))
    assert decode(encode(trace)) == trace
