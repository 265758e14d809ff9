"""Diagnoses from a training's steps: one for each broken loop, none for sound ones."""

import itertools
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from msgspec.structs import replace

import explorer
from explorer.analysis.diagnose.faults.diagnosis import diagnose
from explorer.analysis.diagnose.findings import Finding
from explorer.analysis.diagnose.health.report import report
from explorer.analysis.diagnose.messages import finding_text
from explorer.analysis.run.curves import curves
from explorer.lessons.gallery import gallery
from explorer.text import LANGUAGES
from explorer.trace import Span, Trace
from explorer.trace.steps import STATISTICS, StepLeaf, StepPlace, Steps
from explorer.ui.session.examples import FIRST_TRAINING
from explorer.workers import second_run
from explorer.workers.diagnoses import diagnose_with_verified_fixes
from tests.patience import PATIENT
from tests.traces import trace_of


def remarks(trace: Trace) -> list[Finding]:
    """Return the diagnoses from a program's steps."""
    return [finding for finding in diagnose(trace) if finding.step]


def told(source: str) -> list[str]:
    """Return the diagnoses from a program's steps, with lines."""
    return [f"{one.place.line}: {finding_text('en', one, 'cause')}" for one in remarks(trace_of(source).check())]


@cache
def example(id: str) -> Trace:
    return trace_of(gallery().examples[id].program)


LINE = """
x = torch.linspace(-1, 1, 10)
y = 2 * x + 1
w = torch.tensor(0.0, requires_grad=True)
b = torch.tensor(0.0, requires_grad=True)
for step in range(20):
    loss = ((w * x + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
    w.grad = b.grad = None
"""
NN = """
torch.manual_seed(0)
x = torch.randn(32, 3)
y = x.sum(1, keepdim=True)
net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for step in range(20):
    loss = ((net(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def changed(source: str, *changes: tuple[str, str]) -> str:
    for before, after in changes:
        assert source.count(before) == 1
        source = source.replace(before, after)
    return source


def test_unchanged_examples_are_sound():
    assert told(LINE) == told(NN) == []


LOGARITHM = """
w = torch.tensor(0.5, requires_grad=True)
for step in range(12):
    loss = torch.log(0.95 - 0.1 * step + 0 * w)
    loss.backward()
    w.grad = None
"""
NESTED = """
w = torch.tensor(1.0, requires_grad=True)
for epoch in range(4):
    for i in range(5):
        loss = torch.sqrt(w) / (torch.ones(()) if (epoch, i) < (2, 3) else torch.zeros(()))
        loss.backward()
        w.grad = None
"""
LEAP = """
w = torch.tensor(1.0, requires_grad=True)
for step in range(12):
    loss = (w - 3) ** 2
    loss.backward()
    with torch.no_grad():
        w -= (0.1 if step != 7 else 3e38) * w.grad * (1 if step != 7 else 100)
    w.grad = None
"""
GROUPS = '[{"params": net[0].parameters(), "lr": 0.0}, {"params": net[2:].parameters()}], lr'
SICK = [  # program and change, line and kind of the diagnosis, and words in its sentence
    (LINE, [("        b -= 0.1 * b.grad\n", "")], 8, "unmoved", ["b"]),
    (NN, [("net.parameters(), lr", GROUPS)], 10, "unmoved", ["net.0.weight, net.0.bias", "rate is 0"]),
    (NN, [("    optimizer.step()\n", "")], 10, "unmoved", ["all 4"]),
    (NESTED, [], 5, "loss_nonfinite", ["∞ from step 14 (epoch = 2, i = 3)", "torch.sqrt(w) / "]),
    (NN, [("optimizer =", "torch.nn.init.constant_(net[0].bias, -20)\noptimizer =")], 9, "zero",
     ["net.0.weight, net.0.bias, net.2.weight", "net.1"]),
    (NN, [("optimizer =", "torch.nn.init.constant_(net[0].bias[:6], -20)\noptimizer =")], 11, "dead_units",
     ["6 of 8", "net.0"]),
]  # fmt: skip


BIDIRECTIONAL = """
torch.manual_seed(0)
lstm = torch.nn.LSTM(3, 4, batch_first=True, bidirectional=True)
head = torch.nn.Linear(8, 1)
optimizer = torch.optim.Adam([*lstm.parameters(), *head.parameters()])
x, y = torch.randn(6, 5, 3), torch.randn(6, 1)
for step in range(12):
    out, (h, c) = lstm(x)
    loss = torch.nn.functional.mse_loss(head(out[:, -1]), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_reading_the_last_step_of_a_bidirectional_layer_is_reported():
    (one,) = remarks(trace_of(BIDIRECTIONAL).check())
    assert one.kind == "zero" and "out[:, -1] takes the step" in finding_text("en", one, "cause")
    assert not remarks(trace_of(BIDIRECTIONAL.replace("out[:, -1]", "torch.cat((h[0], h[1]), 1)")).check())


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("source", "changes", "line", "kind", "named"), SICK, ids=[f"{one[3]}-{i}" for i, one in enumerate(SICK)]
)
def test_a_broken_loop_has_exactly_one_diagnosis(source, changes, line, kind, named):
    (one,) = remarks(trace_of(changed(source, *changes)).check())
    assert (one.place.line, one.kind) == (line, kind)
    said = f"{finding_text('en', one, 'title')} {finding_text('en', one, 'cause')}"
    assert [words for words in named if words not in said] == []


@pytest.mark.parametrize(
    ("source", "line"),
    [(LOGARITHM, 4), (LOGARITHM.replace("0.95 - 0.1 * step", "(-0.5 if step == 9 else 0.5)"), 4), (LEAP, 7)],
)
def test_a_nonfinite_loss_is_reported_once_at_its_origin(source, line):
    (one,) = diagnose(trace_of(source))
    assert (one.kind, one.place.line) == ("nan_forward", line)


@pytest.mark.parametrize(
    "change",
    [
        [("w -= 0.1", "w += 0.1"), ("b -= 0.1", "b += 0.1")],  # gradient ascent is intended
        [("    w.grad = b.grad = None\n", "    w.grad *= 0.5\n    b.grad *= 0.5\n")],
    ],
)
def test_an_intended_loop_has_no_diagnosis(change):
    assert told(changed(LINE, *change)) == []


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ([("    optimizer.zero_grad()\n", ""),
          ("    optimizer.step()\n", "    optimizer.zero_grad()\n    optimizer.step()\n")], "step_without_gradient"),
        ([("    optimizer.zero_grad()\n", "")], "gradient_stale"),
    ],
)  # fmt: skip
def test_each_fault_is_diagnosed_once(changes, kind):
    trace = trace_of(changed(NN, *changes))
    kinds = [one.kind for one in diagnose(trace)]
    assert kinds == [kind]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "id, begins",
    [
        ("rnn-vanishes", "The gradient of into is below 1e−7 in every step"),
        ("rnn-explodes", "h @ again overflows"),
        (
            "dead-relu",
            "From step 15 (step = 14) on, the gradients of net.0.weight, net.0.bias, net.2.weight are exactly 0.",
        ),
        ("rate-too-large", "The parameters have grown more than a thousandfold. Use smaller steps"),
        ("diverge", "[41, 56.2"),
    ],
)
def test_an_example_of_the_gallery_shows_its_point(id, begins):
    trace = example(id)
    texts = [finding_text("en", one, part) for one in diagnose(trace) for part in ("cause", "repair")]
    assert any(text.startswith(begins) for text in texts)


@pytest.mark.parametrize(
    "id",
    [
        id
        for id in gallery().subjects["training-steps"]
        if id not in ("rnn-vanishes", "rnn-explodes", "dead-relu", "rate-too-large")
    ],
)
@pytest.mark.thorough
def test_other_gallery_examples_have_no_diagnosis(id):
    trace = example(id)
    assert len(trace.steps) and remarks(trace) == []


@pytest.mark.thorough
def test_the_examples_steps_support_their_claims():
    plain, heavy = curves(example("momentum")).leaves
    assert plain.value_norm[-1] > 20 * heavy.value_norm[-1]
    vanishing = {leaf.name: leaf.gradient_norm for leaf in curves(example("rnn-vanishes")).leaves}
    assert max(vanishing.pop("into")) < 1e-7 and min(map(min, vanishing.values())) > 1e-3
    rates = curves(example("schedule")).rate
    assert np.allclose(rates[[0, 30, 60, 90]], [0.4, 0.08, 0.016, 0.0032])
    weights = curves(example("schedule")).leaves[0].values[:, 0]
    assert weights[10:30].std() > 5 * weights[90:].std()
    norm = gallery().examples["batch-norm"].program
    off = curves(trace_of(changed(norm, ("norm = True", "norm = False"))))
    assert off.loss[-1] > 0.68 and off.leaves[0].gradient_norm.max() < 1e-3
    assert curves(example("batch-norm")).leaves[0].gradient_norm.max() > 0.1


@pytest.mark.thorough
def test_the_report_states_a_step_diagnosis_once():
    trace = example("dead-relu")
    found = report(trace, diagnose(trace))
    (plain,) = found.to_json()["diagnoses"]
    assert (plain["kind"], plain["level"], plain["span"][0], plain["step"]) == ("zero", "fault", 7, 15)
    assert "From step 15 (step = 14) on" in str(found) and "From step 15 (step = 14) on" in found._repr_html_()
    assert "has slope 0" in plain["text"] and not found.sound


def test_a_thinned_loops_step_is_reported_as_approximate():
    trace = trace_of(changed(LINE, ("w -= 0.1", "w -= (0.1 if step < 5 else 6.1)")))
    (place,) = trace.steps.places
    every_second = replace(
        trace.steps,
        places=[replace(place, stride=2, calls=2 * place.calls)],
        number=[2 * number for number in trace.steps.number],
    )
    thinned = replace(trace, steps=every_second).check()
    (said,) = (finding_text("en", one, "cause") for one in remarks(thinned))
    assert said.startswith("From step 11 (step = 5) on, the loss grows at every step")
    assert said.endswith("One step in 2 of this loop was kept, so it may have started slightly earlier.")


@pytest.mark.parametrize(
    "body",
    [
        "loss = (w ** 2).sum()\n    total = loss.item()",  # no backward at all
        "loss = (w ** 2).sum()\n    loss.backward()\n    if step == 14:\n        raise ValueError('enough')",
        "loss = (w[step % 2] ** 2).sum() if step % 3 else (v ** 2).sum()\n    loss.backward()",
        "loss = (w * float('nan')).sum()\n    loss.backward()\n    w.data -= w.grad",
        "torch.autograd.grad((w ** 2).sum() * (v if step % 2 else 1), w)",
        "loss = (w.to(torch.complex64) ** 2).sum().abs()\n    loss.backward()",
        "loss = torch.stack([w.sum(), v])\n    loss.backward(torch.ones(2))",
    ],
)
def test_odd_loops_do_not_break_the_diagnosis(body):
    start = "w = torch.tensor([1.0, 2.0], requires_grad=True)\nv = torch.tensor(1.0, requires_grad=True)\n"
    trace = trace_of(f"{start}for step in range(20):\n    {body}\n").check()
    for lang in LANGUAGES:
        assert isinstance([finding_text(lang, one, "cause") for one in remarks(trace)], list)
        assert isinstance(str(report(trace, lang=lang)), str)


EMPTY = replace(trace_of("n = 1"), spans=[Span(0, 1, 0, 1, 5)])
NUMBERS = some.sampled_from([0.0, 1.0, -1.0, 1e-9, 1e-3, 50.0, 1e30, float("nan"), float("inf"), -float("inf")])


@some.composite
def step_tables(draw) -> Steps:
    """Draw arbitrary steps that pass the check, even if no program produces them."""
    count = draw(some.integers(1, 14))
    place = draw(some.lists(some.integers(0, 1), min_size=count, max_size=count))
    number = [place[:at].count(one) for at, one in enumerate(place)]
    calls = [max(1, place.count(one)) for one in (0, 1)]
    kinds = draw(some.tuples(some.sampled_from(["backward", "grad"]), some.sampled_from(["backward", "grad"])))

    def column(entries: int, kind: str) -> bytes:
        return np.array(draw(some.lists(NUMBERS, min_size=entries, max_size=entries)), kind).tobytes()

    leaves = []
    for _ in range(draw(some.integers(0, 3))):
        rows = sorted(draw(some.sets(some.integers(0, count - 1), min_size=1)))
        whole = draw(some.booleans())
        n = len(rows)
        leaves.append(
            StepLeaf(
                **{"name": draw(some.sampled_from(["", "w", "net.0.weight", "net.0.bias"])), "tensor": -1},
                **{
                    "shape": draw(some.sampled_from([0, 2])) if whole else 1,
                    "dtype": "float64",
                    "count": 2,
                    "pick": 1 if whole else 3,
                },
                **{"optimizer": draw(some.sampled_from(["", "SGD"])), "steps": np.array(rows, "<i4").tobytes()},
                **{"values": column(2 * n, "<f8"), "gradients": column(2 * n, "<f8")},
                updates=column(2 * n, "<f8") if whole else b"",
                has_gradient=np.array(draw(some.lists(some.booleans(), min_size=n, max_size=n)), np.uint8).tobytes(),
                statistics=b"" if whole else column(len(STATISTICS) * n, "<f8"),
                **{"before": column(n, "<f8"), "used": column(n, "<f8"), "rate": column(n, "<f8")},
            )
        )
    return Steps(
        places=[StepPlace(0, kind, called, 1) for kind, called in zip(kinds, calls, strict=True)],
        **{"place": place, "number": number, "backward": [-1] * count, "rounds": [[] for _ in place]},
        loss=column(count, "<f8"),
        leaves=leaves,
    )


@pytest.mark.thorough
@settings(max_examples=150, deadline=None)
@given(step_tables())
def test_no_step_table_makes_the_diagnosis_raise(steps):
    trace = replace(EMPTY, steps=steps, shapes=[[2], [7], [2, 1]]).check()
    for lang, part in itertools.product(LANGUAGES, ("title", "cause", "repair")):
        assert all(finding_text(lang, one, part) for one in remarks(trace))


DESCENT = """\
x = torch.linspace(0, 10, 20)
y = 3 * x + 1
w = torch.zeros(1, requires_grad=True)
for i in range(12):
    loss = ((w * x - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
"""


@pytest.fixture
def patient(monkeypatch):
    monkeypatch.setattr(second_run, "PATIENCE", PATIENT)


@pytest.mark.thorough
def test_a_verified_smaller_rate_is_offered_with_its_losses(patient):
    (one,) = diagnose_with_verified_fixes(explorer.run("import torch\n" + DESCENT))
    assert one.kind == "loss_grows" and "w -= 0.01 * w.grad" in one.offered.source
    name, before, _, after = one.proof.split()
    assert name == "loss" and float(after) < 1 < float(before)


@pytest.mark.thorough
@pytest.mark.parametrize("change", [("y = 3 * x + 1", "y = 3 * x + 1e30"), ("0.1 * w.grad", "-0.1 * w.grad")])
def test_no_fix_is_offered_if_no_rate_helps(change, patient):
    found = diagnose_with_verified_fixes(explorer.run("import torch\n" + changed(DESCENT, change)))
    assert [one.offered for one in found if one.step and one.offered] == []


@pytest.mark.thorough
def test_a_smaller_rate_keeps_relus_alive(patient):
    dead = FIRST_TRAINING.replace("Tanh", "ReLU").replace("lr = 0.03", "lr = 1.0")
    found = diagnose_with_verified_fixes(explorer.run(dead))
    assert any(one.step and one.offered for one in found)
    assert diagnose(trace_of(FIRST_TRAINING)) == []


def test_a_vanishing_gradient_behind_a_normalisation_is_not_fixed_by_normalising():
    attention = """
        import torch
        from torch import nn
        torch.manual_seed(0)
        x, y = torch.randn(4, 1, 8) + 1e-6 * torch.randn(4, 6, 8), torch.randn(4, 1)
        q, k, v, norm, out = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8), nn.LayerNorm(8), nn.Linear(8, 1)
        optimizer = torch.optim.SGD(nn.ModuleList([q, k, v, norm, out]).parameters(), 1e-3)
        for i in range(12):
            h = norm(x + torch.softmax(q(x) @ k(x).transpose(1, 2), -1) @ v(x))
            optimizer.zero_grad()
            ((out(h).mean(1) - y) ** 2).mean().backward()
            optimizer.step()
        """
    [finding] = remarks(trace_of(attention))
    assert finding.kind == "vanishing" and "ormaliz" not in finding_text("en", finding, "repair")
