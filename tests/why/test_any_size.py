"""*Why?* about weights of real networks: each answer's numbers equal torch's, and are recomputed."""

import random
import re
from functools import cache

import pytest
import torch

import explorer
from explorer.analysis.explain.why import answer
from explorer.text.numbers import number
from explorer.workers.why import complete_answer, explained
from tests.equations import all_in
from tests.why.networks import HEAD, LSTM, MLP, NETWORKS

ASKED = 10  # entries of each network


@cache
def ran(program: str) -> explorer.Trace:
    return explorer.run(program)


@cache
def trained(program: str) -> tuple[dict[str, torch.Tensor], list[torch.Tensor]]:
    """Return the gradients of a program's parameters without the explorer, and all gradients of its last backward."""
    arrived: list[torch.Tensor] = []

    def backward(loss):
        arrived.clear()
        waiting, seen = [loss.grad_fn], set()
        while waiting:
            node = waiting.pop()
            if node is not None and node not in seen:
                seen.add(node)
                node.register_prehook(lambda given: arrived.extend(one.clone() for one in given if one is not None))
                waiting += [below for below, _ in node.next_functions]
        torch.autograd.backward(loss)

    names: dict = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.Tensor, "backward", backward)
        exec(program, names)
    modules = {name: held for name, held in names.items() if isinstance(held, torch.nn.Module)}
    found = {f"{at}.{name}": one.grad for at, held in modules.items() for name, one in held.named_parameters()}
    return {name: gradient for name, gradient in found.items() if gradient is not None}, arrived


def is_among(gradient: float, place: int, arrived: list[torch.Tensor]) -> bool:
    """Return whether torch had this gradient at this position of some tensor."""
    near = pytest.approx(gradient, rel=1e-3, abs=1e-9)
    return any(one.numel() > place and one.reshape(-1)[place].item() == near for one in arrived)


def steps_of(found):
    """Yield all steps of a derivation."""
    yield found.step
    for below in found.below:
        yield from steps_of(below) if below is not None else ()


@pytest.mark.sampled(24)
@pytest.mark.parametrize(("network", "case"), [(network, case) for network in NETWORKS for case in range(ASKED)])
def test_every_number_about_any_weight_equals_torchs(network, case):
    program = HEAD + NETWORKS[network]
    gradients, arrived = trained(program)
    chance = random.Random(f"{network} {case}")
    name = chance.choice(sorted(gradients))
    place = chance.randrange(gradients[name].numel())
    index = [int(at) for at in torch.unravel_index(torch.tensor(place), gradients[name].shape)]
    found = complete_answer(ran(program), f"{name}.grad{index}")
    amount = gradients[name].reshape(-1)[place].item()
    assert found.amount == pytest.approx(amount, rel=2e-4, abs=1e-7 * float(gradients[name].abs().max()) + 1e-12)
    assert number(found.amount) in found.lines[0]
    products = 0
    for step in steps_of(found.derivation):
        assert step.noted not in ("not-kept", "no-factors", "unknown-parts"), step
        assert step.amount is not None
        parts = [*(term.amount for term in step.terms), step.rest]
        size = sum(map(abs, parts))
        assert not step.terms or sum(parts) == pytest.approx(step.amount, rel=1e-4, abs=1e-4 * size + 1e-12)
        for term in step.terms:
            if term.kind == "product" and network != "gan":  # the last backward of a GAN does not reach every parameter
                assert is_among(term.factors[0], term.subject.place, arrived)
                products += 1
    assert products or network == "gan"
    assert not [one.text for line in found.lines for one in all_in(line) if not one.holds]


def test_a_sum_lists_its_largest_products_and_the_rest_as_one_number():
    trace = ran(HEAD + MLP)
    found = trace.why("model.4.weight.grad[0, 1]").derivation
    step = found.step if len(found.step.terms) > 1 else found.below[0].step
    sizes = [abs(term.amount) for term in step.terms]
    assert len(sizes) == 8 and sizes == sorted(sizes, reverse=True)
    assert step.left == 64 - 8 and all(abs(term.factors[0] * term.factors[1]) <= sizes[0] for term in step.terms)


def test_a_weight_of_a_recurrent_layer_is_explained_by_the_gradients_of_its_outputs():
    found = explorer.why(ran(HEAD + LSTM), "model.lstm.weight_hh_l0.grad[10, 18]")
    assert {term.kind for term in found.derivation.step.terms} == {"product"}
    assert found.derivation.step.left > 0


ACCUMULATED = """
w = torch.randn(20, 10, requires_grad=True)
for step in range(3):
    (torch.randn(30, 20) @ w).relu().sum().backward()
torch.nn.utils.clip_grad_norm_([w], 1e3)
"""


def test_a_grad_of_several_backward_calls_has_the_products_of_each():
    found = explorer.run(HEAD + ACCUMULATED).why("w.grad[19, 9]").derivation
    backwards = [term for step in steps_of(found) for term in step.terms if term.kind == "backward"]
    assert len(backwards) == 3
    products = [step for step in steps_of(found) if step.terms and step.terms[0].kind == "product"]
    assert products and all(step.amount is not None for step in products)


CUSTOM = """
calls = []
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        calls.append(1)
        print("backward", len(calls))
        return g * 2
w = torch.randn(20, 10, requires_grad=True)
(torch.randn(30, 20) @ Double.apply(w)).square().sum().backward()
"""


def test_a_custom_backward_runs_once_and_keeps_its_factors():
    trace = explorer.run(HEAD + CUSTOM)
    found = trace.why("w.grad[3, 4]")
    assert found.derivation.step.noted.startswith("own")
    more = explained(trace, answer(trace, "w.grad[3, 4]").derivation)
    assert more is None or more.cells[0].outputs == trace.cells[0].outputs


LAYERS = "m = nn.Sequential(nn.Linear(12, 20), nn.ReLU(), nn.Linear(20, 6))\nx = torch.randn(32, 12)\n"
WRITTEN_OTHERWISE = {
    "a hook on a result": "h = m[1](m[0](x))\nh.register_hook(lambda g: g * 2)\nloss = m[2](h).square().mean()",
    "a hook on a module": "m[1].register_full_backward_hook(lambda *given: None)\nloss = m(x).square().mean()",
    "a write into a part": "h = m[0](x)\nh[:, :10] = h[:, :10].sigmoid()\nh += 1\nloss = h.cumsum(1).std()",
    "half precision": "with torch.autocast('cpu', dtype=torch.bfloat16):\n    loss = m(x).float().square().mean()",
    "vmap": "loss = torch.func.vmap(lambda row: torch.tanh(row @ m[0].weight.T))(x).sum()",
    "weight norm": "n = nn.utils.parametrizations.weight_norm(nn.Linear(20, 6))\nloss = n(m[0](x)).square().mean()",
    "a gradient in the loss": "x.requires_grad_()\ny = m[0](x).tanh().sum(1)\n"
    "(g,) = torch.autograd.grad(y.sum(), x, create_graph=True)\nloss = y.mean() + (g.norm(dim=1) - 1).square().mean()",
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("how", WRITTEN_OTHERWISE)
def test_products_add_up_for_every_style_of_program(how):
    program = f"{HEAD}{LAYERS}{WRITTEN_OTHERWISE[how]}\nloss.backward()\n"
    names: dict = {}
    exec(program, names)
    found = explorer.run(program).why("m.0.weight.grad[7, 8]")
    assert found.amount == pytest.approx(names["m"][0].weight.grad[7, 8].item(), rel=1e-3)
    assert not any(step.noted in ("unknown", "unknown-parts", "not-kept") for step in steps_of(found.derivation))
    assert not [one.text for line in found.lines for one in all_in(line) if not one.holds]


UNSEEDED = """
import os
noise = torch.tensor([list(os.urandom(20)) for _ in range(30)]).float()
w = torch.randn(20, 10, requires_grad=True)
(noise @ w).square().sum().backward()
"""


def test_a_nondeterministic_program_is_not_explained():
    trace = explorer.run(HEAD + UNSEEDED)
    assert trace.status == "ok"
    assert explained(trace, answer(trace, "w.grad[3, 4]").derivation) is None
    assert "but computed other gradients" in trace.why("w.grad[3, 4]").lines[-1]


AGAIN = """
w = torch.randn(20, 10, requires_grad=True)
loss = (torch.randn(30, 20) @ w).square().sum()
loss.backward()
loss.backward()
"""


def test_keeping_a_graph_for_explanations_changes_no_output():
    trace = explorer.run(HEAD + AGAIN)
    found = trace.why("w.grad[3, 4]")
    assert trace.status == "error" and len(found.derivation.step.terms) == 8


WITHOUT_SECOND_DERIVATIVE = """
w = torch.randn(20, 10, requires_grad=True)
torch.nn.functional.multi_margin_loss(w, torch.arange(20) % 10).backward()
"""


def test_an_operation_without_second_derivative_is_named():
    found = explorer.run(HEAD + WITHOUT_SECOND_DERIVATIVE).why("w.grad[2, 3]")
    assert found.amount is not None and "MultiMarginLossBackward0 passed this on" in found.text


CHECKPOINTED = """
from torch.utils.checkpoint import checkpoint
w = torch.randn(20, 20, requires_grad=True)
y = checkpoint(lambda x: torch.tanh(x @ w), torch.randn(30, 20), use_reentrant=False)
(y @ w).sum().backward()
"""


def test_a_checkpoint_is_not_recomputed():
    trace = explorer.run(HEAD + CHECKPOINTED)
    assert trace.why("w.grad[3, 4]").amount is not None or "not recorded" in str(trace.why("w.grad[3, 4]"))


def test_a_recording_advises_full_tensors_and_uses_them():
    model = torch.nn.Linear(30, 40)

    def train(full=()):
        with explorer.record(full=full) as trace:
            for _ in range(12):
                loss = model(torch.randn(16, 30)).square().mean()
                model.zero_grad()
                loss.backward()
        return trace

    told = train().why("model.weight.grad[3, 5]").lines[-1]
    asked = "model.weight.grad[3, 5]"
    assert f'full=["{asked}"]' in told
    found = train([asked]).why(asked)
    assert found.amount == model.weight.grad[3, 5].item()
    assert [term.kind for term in found.derivation.step.terms] == ["product"] * 8 and found.derivation.step.left == 8


def test_no_other_recording_is_advised_if_it_would_not_help():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with explorer.record() as trace:
        torch.fft.rfft(x).abs().sum().backward()
    told = trace.why("x.grad")
    assert "complex" in told.lines[0] and "full=" not in str(told)


def test_a_saved_run_is_not_run_again_and_reports_it(tmp_path):
    explorer.save(ran(HEAD + MLP), tmp_path / "run.trace")
    told = explorer.load(tmp_path / "run.trace").why("model.0.weight.grad[3, 4]")
    assert "Run the program again" in told.lines[-1]


VALUES = """
fc, conv = nn.Linear(10, 20), nn.Conv2d(3, 8, 3)
x, image = torch.randn(64, 10), torch.randn(4, 3, 16, 16)
h = fc(x)
a, n, s, q = h.relu(), F.layer_norm(h, (20,)), h.softmax(-1), h @ h.T
c = conv(image)
p = F.max_pool2d(c, 2)
"""


@pytest.mark.parametrize("name", ["h", "a", "n", "s", "q", "c", "p", "fc.weight"])
def test_an_entry_of_a_large_value_is_written_as_it_was_computed(name):
    names: dict = {}
    exec(HEAD + VALUES, names)
    tensor = eval(name, names)
    place = random.Random(name).randrange(tensor.numel())
    index = [int(at) for at in torch.unravel_index(torch.tensor(place), tensor.shape)]
    found = ran(HEAD + VALUES).why(f"{name}{index}")
    assert found.amount == pytest.approx(tensor.reshape(-1)[place].item(), rel=1e-4, abs=1e-6)
    assert "not recorded" not in str(found) and "tensors are large" not in str(found)
    assert not [one.text for line in found.lines for one in all_in(line) if not one.holds]


def test_a_shortened_sum_of_products_holds_as_printed():
    trace = ran(HEAD + "h = nn.Linear(10, 30)(torch.randn(1, 10))")
    for at in range(30):
        line = trace.why(f"h[0, {at}]").lines[0].replace("−", "-").replace("·", "*", 8)
        if written := re.fullmatch(r".*? = (\S+) = (.*) \(\d+ more\).*", line):  # the other lines have ≈
            assert float(f"{eval(written[2]):.3g}") == float(written[1]), line
