"""Every step of hundreds of derivations: numbers equal torch's, sums hold, and listed terms matter."""

import math
import re

import pytest

from explorer.analysis.explain.autograd.gradients import contributions
from explorer.analysis.explain.why import Derivation, answer
from explorer.analysis.explain.why.derivation_steps import Arrived, PassedOn, entry_at
from explorer.analysis.explain.why.derivation_text import amount_text, derivation_lines, product_text
from explorer.text.numbers import holds, number, read
from explorer.trace import Trace
from tests.traces import trace_of

LEAVES = """
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
x = torch.randn(3, 4, requires_grad=True)
w = torch.randn(4, requires_grad=True)
b = torch.randn(4, requires_grad=True)
image = torch.randn(1, 2, 4, 4, requires_grad=True)
kernel = torch.randn(2, 2, 2, 2, requires_grad=True)
table = torch.randn(5, 3, requires_grad=True)
words = torch.tensor([[0, 1, 1], [4, 0, 1]])
places = torch.tensor([[0, 1], [3, 3], [2, 0]])
labels = torch.tensor([0, 2, 2])
four = torch.tensor([0.5, 1., 2., 3.])
linear, norm, batch = nn.Linear(4, 2), nn.LayerNorm(4), nn.BatchNorm1d(4)
attention, memory = nn.MultiheadAttention(4, 2, batch_first=True), nn.LSTM(4, 2)
"""
CALLS = """
F.layer_norm(x, (4,), w, b) | norm(linear(x).sum() * x) | batch(x) | batch.eval()(x) | F.group_norm(image, 2)
F.conv2d(image, kernel, stride=2, padding=1) | F.conv_transpose2d(image[:, :, :2, :2], kernel, stride=2)
F.max_pool2d(image, 2) | F.max_pool1d(image[0], 2) | F.avg_pool2d(image, 2) | F.adaptive_avg_pool2d(image, 1)
F.embedding(words, table, padding_idx=0) | x.cumsum(1) | x.cumprod(0) | x.gather(1, places) | x[[0, 0, 2]]
x.index_select(1, labels) | x.sort(1)[0] | x.topk(2)[0] | x.max(1).values | x.median(1)[0] | x.amax(0) | x.norm(dim=1)
x.norm(p=float('inf')) | x.std(1) | x.var(0, unbiased=False) | x.softmax(1) | x.log_softmax(0) | x.logsumexp(1)
F.cross_entropy(x, labels) | F.cross_entropy(x, labels, weight=four, reduction='sum') | F.nll_loss(x, labels)
F.cross_entropy(x, labels, reduction='none') | F.cross_entropy(x, labels, ignore_index=2) | x.prod(1) | x.prod()
F.cross_entropy(x, labels, label_smoothing=0.1) | F.mse_loss(x, b.expand(3, 4)) | F.smooth_l1_loss(x, x * 2)
F.binary_cross_entropy_with_logits(x, x.detach().sigmoid()) | F.huber_loss(x, b.expand(3, 4)) | F.normalize(x)
linear(x).relu() | F.gelu(x, approximate='tanh') | F.selu(x) | F.softplus(x) | F.leaky_relu(x, 0.2) | x.clamp(-0.5, 0.5)
x @ x.T | torch.einsum('ij,kj->ik', x, x) | torch.outer(w, b) | x.T[1:, ::2] | x.view(2, 6).flip(0) | x[1] * x[:, :1]
torch.cat([x, x * 2]) | torch.stack([w, b]).sum(0) | x.unbind(0)[1] | torch.where(x > 0, x, w) | torch.maximum(x, w)
F.scaled_dot_product_attention(x, x, x) | attention(x, x, x)[0] | memory(x)[0] | F.cosine_similarity(x, w[None])
x.double() * 2 | x.half() + w.half() | torch.cdist(x, x.flip(0)) | F.glu(x) | torch.linalg.inv(x[:, :3])
x.pow(3).mean() | F.instance_norm(image) | F.dropout(x, 0.5) | x.tril() | F.pad(x, (1, 1)) | x.roll(1, 0)
x.repeat(2, 1)
x.expand(2, 3, 4)
"""
EACH = [call.strip() for row in CALLS.strip().splitlines() for call in row.split("|")]


@pytest.fixture(scope="module")
def ran() -> tuple[Trace, list[str]]:
    lines, names = [LEAVES], []
    for i, call in enumerate(EACH):
        lines += [f"y{i} = {call}", f"s{i} = (y{i} * torch.linspace(0.5, 1.5, y{i}.numel()).reshape(y{i}.shape)).sum()"]
        names.append(f"y{i}")
    total = " + ".join(f"s{i}.float()" for i in range(len(EACH)))
    trace = trace_of("\n".join([*lines, f"({total}).backward()"]))
    assert [one.kind for one in trace.backwards] == ["backward"], [cell.outputs for cell in trace.cells]
    return trace, names


def steps_of(found: Derivation) -> list[Derivation]:
    return [found, *(one for below in found.below if below is not None for one in steps_of(below))]


@pytest.mark.thorough
def test_every_step_of_the_battery_is_true(ran):
    trace, names = ran
    asked = [*names, *(f"{name}.grad" for name in ("x", "w", "b", "image", "kernel", "table"))]
    asked += [f"x.grad[{i}, {j}]" for i in range(3) for j in range(4)] + ["linear.weight.grad", "norm.weight.grad"]
    asked += [f"table.grad[{i}, 1]" for i in range(4)] + ["image.grad[0, 1, 2, 3]", "kernel.grad[1, 0, 1, 1]"]
    known: set[object] = set()
    wrong = []
    for name in asked:
        found = answer(trace, name)
        for one in steps_of(found.derivation):
            if one.step.subject not in known:
                known.add(one.step.subject)
                wrong += [f"{name}: {fault}: {one.step}" for fault in _faults(trace, one)]
        for lang in ("en", "zh"):
            assert all(line.strip() and "\ufdd2" not in line for line in derivation_lines(found.derivation, lang))
    assert not wrong, "\n".join(one[:300] for one in wrong[:9])
    assert len(known) > 500


def _faults(trace: Trace, one: Derivation):
    step = one.step
    inside = isinstance(step.subject, Arrived | PassedOn) and step.amount is not None
    if inside and step.amount != _recorded(trace, step.subject):
        yield "not the number of the Trace"
    amounts = [term.amount for term in step.terms]
    if step.adds and step.terms and None not in amounts and step.amount is not None:
        made = step.written
        parts = [read(part) for part in made.operands]
        if step.kind != "value" and made.sign == "=" and not _rounds(sum(parts), made.result, parts):
            yield f"the parts {parts} are written as {amount_text(step)}"
    for term, below in zip(step.terms, one.below, strict=True):
        if term.factors and below is not None and below.step.amount != term.factors[0]:
            yield "another gradient was multiplied than the one below"
        if isinstance(term.subject, PassedOn) and below is not None and below.step.amount != term.amount:
            yield "another number than the one below"
        if len(term.factors) == 2:
            digits = step.written.digits
            product = product_text(term, digits)
            said = [read(part.strip("()")) for part in product.removeprefix("≈ ").split(" · ")]
            if product[0] != "≈" and not holds(math.prod(said), term.amount, digits):
                yield f"the product {said} is written as {number(term.amount, digits=digits)}"
            if term.amount == 0 and len(step.terms) > 1:
                yield "a part that counts nothing"
        if term.kind == "from" and step.noted in ("no-factors", "not-kept") and not (step.amount and term.amount):
            yield "an entry that does not reach it"


def _rounds(total: float, written: str, parts: list[float]) -> bool:
    """Return whether a total rounds to a result as it is written: 48.02 to 48.0, which is no whole number."""
    decimals = re.fullmatch(r"[−\d]+\.(\d+)", written)
    return holds(total, read(written), operands=parts) or bool(
        decimals and abs(total - read(written)) <= 0.5 * 10.0 ** -len(decimals[1])
    )


def _recorded(trace: Trace, subject: Arrived | PassedOn):
    call = trace.backwards[subject.backward]
    if isinstance(subject, Arrived):
        return entry_at(trace.value(call.arrived[call.order.index(subject.node)][subject.output]), subject.place)
    return entry_at(trace.value(contributions(trace, subject.backward)[subject.node, subject.edge]), subject.place)
