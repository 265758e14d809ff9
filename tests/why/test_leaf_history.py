"""The history of a leaf, in order."""

from explorer.analysis.explain.why import answer, tape
from explorer.analysis.explain.why.leaf_history import MOST, account
from explorer.analysis.explain.why.second_run import second_run_options
from explorer.io.export import to_json
from explorer.trace import Trace
from tests.traces import trace_of

TRAINING = """
import torch
w = torch.tensor([3., 4.], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(2):
    opt.zero_grad()
    loss = (w * w).sum() / 2
    loss.backward()
    torch.nn.utils.clip_grad_norm_([w], 1.0)
    opt.step()
print(w.grad)
with torch.no_grad():
    w.grad.zero_()
    w += 1
"""


def lived(trace: Trace, name: str) -> list[tuple[str, int]]:
    """Return the events of a leaf, with their lines."""
    return [(event.kind, trace.line(event.span)) for event in tape(trace, trace.bound(name))]


def test_a_leaf_is_made_used_given_a_gradient_clipped_and_stepped():
    trace = trace_of(TRAINING)
    a_round = [("used", 7), ("backward", 8), ("clipped", 9), ("stepped", 10)]
    ended = [("read", 11), ("read", 13), ("zeroed", 13), ("written", 14)]
    assert lived(trace, "w") == [("created", 3), *a_round, ("cleared", 6), *a_round, *ended]
    events = tape(trace, trace.bound("w"))
    numbers = [trace.value(event.after).data for event in events if event.kind in ("backward", "clipped")][:2]
    assert numbers[0] == (3.0, 4.0) and [round(entry, 3) for entry in numbers[1]] == [0.6, 0.8]
    assert [event.count for event in events if event.kind == "used"] == [1, 1]


def test_the_file_contains_every_leafs_history_and_the_sentence():
    found = to_json(trace_of(TRAINING))
    tapes = {tuple(name["name"] for name in one["names"]): one["tape"] for one in found["tensors"] if one["tape"]}
    assert list(tapes) == [("w",)] and len(tapes["w",]) == 14
    first = next(event for event in tapes["w",] if event["kind"] == "backward")
    assert first["backward"] == 0 and first["before"] is None and first["added"]["data"] == [3.0, 4.0]
    assert found["sentence"].startswith("w.grad[1] = 3.92")


def test_a_hidden_write_leaves_no_account():
    program = (
        "import torch\nx = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward()\ng = x.grad.numpy()\ng[0] = 9"
    )
    trace = trace_of(program)
    held = account(trace, trace.bound("x"))
    assert not held.known and trace.value(held.value).data == (9.0, 2.0)


def test_a_long_history_keeps_both_ends_and_counts_the_middle():
    trace = trace_of("import torch\nx = torch.ones((), requires_grad=True)\nfor i in range(500):\n    x.backward()\n")
    events = tape(trace, trace.bound("x"))
    left = next(event for event in events if event.kind == "left_out")
    assert len(events) == MOST and left.count == 501 - MOST + 1
    assert (events[0].kind, events[-1].kind) == ("created", "backward")


SCALED = """
import torch
w = torch.tensor([3., 4.], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=16.0)
scaler.scale((w * w).sum() / 2).backward()
"""


def test_a_gradient_scalers_division_is_located_at_its_line():
    trace = trace_of(SCALED + "scaler.unscale_(opt)\nscaler.step(opt)")
    changed = [event for event in tape(trace, trace.bound("w")) if event.kind == "changed"]
    assert [(trace.line(event.span), trace.value(event.after).data) for event in changed] == [(7, (3.0, 4.0))]
    trace = trace_of(SCALED + "scaler.step(opt)")
    assert account(trace, trace.bound("w")).known
    assert ("changed", 7) in lived(trace, "w")


def test_a_cleared_gradient_needs_a_second_run():
    """Only a sample of a hundred rows was recorded, so their contributions need a second run."""
    trace = trace_of("""
        import torch
        x, w = torch.arange(200.0).reshape(100, 2) / 100, torch.tensor([[1.0], [2.0]], requires_grad=True)
        b = torch.zeros(1, requires_grad=True)
        opt = torch.optim.SGD([w, b], lr=0.1)
        ((x @ w + b) ** 2).mean().backward()
        opt.step()
        opt.zero_grad()
        """)
    options = second_run_options(trace, answer(trace, "b.grad", "en", None).derivation)
    assert options is not None and [entry.shape for entry in options.asked] == [(1,)]
