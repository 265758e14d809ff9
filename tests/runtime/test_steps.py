"""Every step of a training loop: the Trace equals the program's own log."""

import json
from functools import cache

import numpy as np
import pytest

from explorer.analysis.run.curves import Curves, curves
from explorer.program import read_program
from explorer.runtime.execute import execute
from explorer.trace import Options, Trace, decode, encode
from tests.programs import printed

CAP = 400  # beyond this many operations, the middle of a loop is only counted

# `note(k, loss, w=w)` right after the k-th place's backward logs the expected step.
LOG = """
import json, math
log = {}
def flat(t):
    return None if t is None else t.detach().reshape(-1).tolist()
def note(k, loss, **leaves):
    log.setdefault(k, []).append([
        loss.detach().double().mean().item(), {n: [flat(v), flat(v.grad)] for n, v in leaves.items()}])
"""
END = "\nprint('LOG', json.dumps(log))\n"

DATA = "torch.manual_seed(0)\nX = torch.randn(20, 2)\ny = X @ torch.tensor([2., -3.4]) + 4.2\n"


def one_leaf(update: str, loss: str = "((X @ w - y) ** 2).mean()", given: str = "", of: str = "") -> str:
    """Return a loop that trains one leaf with this line after each backward."""
    return f"""
w = torch.zeros(2, {of}requires_grad=True)
for step in range(120):
    loss = {loss}
    loss.backward({given})
    note(0, loss, w=w)
    {update}
"""


LOOPS = {
    "by hand": """
w, b = torch.zeros(2, requires_grad=True), torch.zeros(1, requires_grad=True)
for epoch in range(6):
    for step in range(20):
        loss = ((X @ w + b - y) ** 2).mean()
        loss.backward()
        note(0, loss, w=w, b=b)
        with torch.no_grad():
            for p in (w, b):
                p -= 0.05 * p.grad
                p.grad.zero_()
""",
    "through data": one_leaf("w.data = w.data - 0.05 * w.grad; w.grad = None"),
    "subtracted from data": one_leaf("w.data -= 0.05 * w.grad; w.grad.data.zero_()"),
    "a new leaf each time": """
w, b = torch.zeros(2, requires_grad=True), torch.zeros(2, requires_grad=True)
for step in range(120):
    loss = ((X @ w + b.sum() - y) ** 2).mean()
    loss.backward()
    note(0, loss, w=w, b=b)
    with torch.no_grad():
        w, b = w - 0.01 * w.grad, b - 0.01 * b.grad
    w.requires_grad_(); b.requires_grad_()
""",
    "new leaves in a list": """
params = [torch.zeros(2, requires_grad=True), torch.zeros(2, requires_grad=True)]
for step in range(120):
    loss = ((X @ params[0] + params[1].sum() - y) ** 2).mean()
    loss.backward()
    note(0, loss, **{"params[0]": params[0], "params[1]": params[1]})
    params = [(p - 0.01 * p.grad).detach().requires_grad_() for p in params]
""",
    "in a function": """
def train(w, n):
    for step in range(n):
        loss = ((X @ w - y) ** 2).mean()
        loss.backward()
        note(0, loss, w=w)
        with torch.no_grad():
            w -= 0.05 * w.grad
        w.grad.zero_()
train(torch.zeros(2, requires_grad=True), 120)
""",
    "while": """
w = torch.zeros(2, requires_grad=True)
i = 0
while i < 120:
    loss = ((X @ w - y) ** 2).mean()
    loss.backward()
    note(0, loss, w=w)
    with torch.no_grad():
        w -= 0.05 * w.grad
    w.grad = None
    i += 1
""",
    "a comprehension": """
w = torch.zeros(2, requires_grad=True)
def step():
    w.grad = None
    loss = ((X @ w - y) ** 2).mean()
    loss.backward()
    note(0, loss, w=w)
    with torch.no_grad():
        w.sub_(0.05 * w.grad)
    return loss.item()
losses = [step() for _ in range(120)]
""",
    "accumulated": """
w = torch.zeros(2, requires_grad=True)
for step in range(40):
    for part in range(4):
        loss = ((X[part::4] @ w - y[part::4]) ** 2).mean() / 4
        loss.backward()
        note(0, loss, w=w)
    with torch.no_grad():
        w -= 0.05 * w.grad
    w.grad = None
""",
    "different graphs": """
w, v = torch.zeros(2, requires_grad=True), torch.zeros(2, requires_grad=True)
for step in range(120):
    out = X @ w if step % 3 else X @ w + X @ v
    loss = ((out - y) ** 2).mean()
    loss.backward()
    note(0, loss, **({"w": w} if step % 3 else {"w": w, "v": v}))
    with torch.no_grad():
        for p in (w, v):
            if p.grad is not None:
                p -= 0.05 * p.grad
                p.grad = None
""",
    "NaN everywhere": one_leaf(
        "with torch.no_grad(): w -= 0.5 * w.grad; w.grad = None", "(((X @ w - y) ** 2) * (10.0 ** step)).mean()"
    ),
    "ended by an error": """
w = torch.zeros(2, requires_grad=True)
try:
    for step in range(120):
        loss = ((X @ w - y) ** 2).mean()
        loss.backward()
        note(0, loss, w=w)
        with torch.no_grad():
            w -= 0.05 * w.grad
        w.grad = None
        if step == 77:
            raise ValueError("enough")
except ValueError:
    pass
""",
    "not a scalar": one_leaf(
        "with torch.no_grad(): w -= 0.002 * w.grad; w.grad = None", "(X @ w - y) ** 2", "torch.ones(20)"
    ),
    "double": one_leaf(
        "w.data.sub_(w.grad, alpha=0.05); w.grad = None",
        "((X.double() @ w - y) ** 2).mean()",
        of="dtype=torch.float64, ",
    ),
    "two places": """
w = torch.zeros(2, requires_grad=True)
for step in range(60):
    loss = ((X[:10] @ w - y[:10]) ** 2).mean()
    loss.backward()
    note(0, loss, w=w)
    w.data.sub_(w.grad, alpha=0.05); w.grad = None
    loss = ((X[10:] @ w - y[10:]) ** 2).mean()
    loss.backward()
    note(1, loss, w=w)
    w.data.sub_(w.grad, alpha=0.05); w.grad = None
""",
}


@cache
def run(source: str, cap: int | None = CAP) -> tuple[Trace, dict]:
    """Return a program's Trace and its log."""
    program = read_program("-", ("import torch\n" + LOG + DATA + source + END).encode())
    trace = execute(program, Options(output_limit=5_000), operation_cap=cap).check()
    said = printed(trace).partition("LOG ")[2]
    return decode(encode(trace)), json.loads(said)


def same(found: np.ndarray, told: list | None) -> bool:
    """Return whether entries equal the logged ones; NaN equals NaN."""
    kept = np.asarray([np.nan] * found.size if told is None else told, float)
    return np.array_equal(found, kept, equal_nan=True)


def assert_equals_log(found: Curves, log: list) -> None:
    """Assert that loss, values, gradients and updates of every kept step equal the log."""
    assert found.calls == len(log)
    assert found.number[0] == 0 and found.number[-1] == len(log) - 1
    for at, number in enumerate(found.number):
        loss, leaves = log[number]
        assert found.loss[at] == pytest.approx(loss, rel=1e-7, nan_ok=True)
        there = [leaf for leaf in found.leaves if at in leaf.at]
        assert {leaf.name for leaf in there} == set(leaves)
        for leaf in there:
            value, gradient = leaves[leaf.name]
            row = int(np.searchsorted(leaf.at, at))
            assert same(leaf.values[row], value), (leaf.name, number)
            assert same(leaf.gradients[row], gradient), (leaf.name, number)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", LOOPS)
def test_every_number_equals_the_programs(kind):
    trace, log = run(LOOPS[kind])
    assert len(trace.steps.places) == len(log)
    for place, told in enumerate(log.values()):
        found = curves(trace, place)
        assert len(found) == len(told)
        assert_equals_log(found, told)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", ["by hand", "through data", "a new leaf each time", "new leaves in a list", "while"])
def test_an_update_is_the_difference_to_the_next_value(kind):
    trace, log = run(LOOPS[kind])
    for leaf in curves(trace).leaves:
        values = np.array([leaves[leaf.name][0] for _, leaves in log["0"]])
        assert np.array_equal(leaf.updates[:-1], np.diff(values, axis=0).astype(np.float32))
        assert 0 < np.abs(leaf.updates[-1]).max() < np.abs(leaf.updates[-2]).max() * 1.01  # until the end of the run


def test_a_step_knows_the_rounds_of_its_loops():
    trace, _ = run(LOOPS["by hand"])  # the body is so long that jumps around it need a second byte
    assert curves(trace).rounds[-1] == (("epoch", "5"), ("step", "19"))
    trace, _ = run(LOOPS["while"])
    assert curves(trace).rounds[7] == (("i", "7"),)
