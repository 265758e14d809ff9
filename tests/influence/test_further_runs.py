"""Further runs find functions that are never called and entries that change nothing."""

import json

import pytest

from explorer.analysis.diagnose.influence.influence_view import influence
from explorer.cli.main import main
from explorer.program import CellSource, Program
from explorer.runtime.execute import execute, execute_encoded
from explorer.trace import MAX_BYTES, Options, read

START = """
import torch
from torch import nn
torch.manual_seed(0)
net, x, y = nn.Linear(4, 1), torch.randn(6, 5, 4), torch.randn(6, 4)
opt = torch.optim.SGD(net.parameters(), 0.1)
"""
LOOP = "for _ in range(3):\n    loss = {}\n    opt.zero_grad(); loss.backward(); opt.step()\n"


def known(source: str):
    program = Program([CellSource(source)])
    trace = execute(program, Options())
    effects = read(execute_encoded(program, Options(effects=True), False, MAX_BYTES, 10_000)).effects
    return influence(trace, effects)


def idle(loss: str) -> list[tuple[str, str]]:
    return [(one.name, one.where) for one in known(START + LOOP.format(loss)).idle]


def test_entries_that_no_loss_depends_on_are_found():
    assert idle("(net(x[:, :4]).squeeze(2) - y).square().mean()") == [("x", "[:, 4]")]
    assert idle("(net(x[1:, :4]).squeeze(2) - y[1:]).square().mean()") == [("x", "[0]"), ("x", "[:, 4]"), ("y", "[0]")]


def test_entries_that_only_a_target_without_gradients_depends_on_have_an_effect():
    assert idle("(net(x[:, :4]).squeeze(2) - y - net(x[:, 1:]).detach().squeeze(2)).square().mean()") == []


def test_entries_that_only_reach_what_is_printed_have_an_effect():
    assert idle("(net(x[:, :4]).squeeze(2) - y).square().mean(); print(x[:, 4].sum())") == []


TOKENS = """
emb, head = nn.Embedding(5, 4), nn.Linear(4, 5)
ids, mask = torch.randint(0, 5, (6, 7)), torch.rand(6, 7) < 0.5
opt = torch.optim.SGD([*emb.parameters(), *head.parameters()], 0.1)
error = nn.functional.cross_entropy
"""


@pytest.mark.parametrize(
    ("loss", "found"),
    [
        ("error(head(emb(ids[:, :-2])).mT, ids[:, 1:-1])", [("ids", "[:, 6]")]),
        ("error(head(emb(ids[:, :-1])).mT, ids[:, 1:])", []),
        ("(head(emb(ids)) * mask[:, 1:, None].int().sum(1, keepdim=True)).mean()", [("mask", "[:, 0]")]),
        ("(head(emb(ids)) * mask[..., None]).mean()", []),
        ("error(head(emb(ids[:, 0])), ids[:, 1]); print((head(emb(ids[:, 0])).argmax(1) == ids[:, 6]).sum())", []),
        ("error(head(emb(ids[:, 0])), ids[:, 1]); print(ids[:, 6].tolist() == [9] * 6)", []),
        ("head(emb(ids[torch.randperm(6)[:2]])).mean()", []),
        ("(labels := ids.clone()); loss = error(head(emb(ids[:, :-1])).mT, labels[:, 1:])", []),
    ],
)
def test_tokens_and_masks_that_change_no_loss_are_found(loss, found):
    assert [(one.name, one.where) for one in known(START + TOKENS + LOOP.format(loss)).idle] == found


def test_padding_is_no_entry_without_effect():
    assert idle("(net((x * torch.tensor([1.0, 1, 1, 1, 0])[:, None])[:, :4]).squeeze(2) - y).square().mean()") != []
    source = START + "x[:, 4] = 0\n" + LOOP.format("(net(x[:, :4]).squeeze(2) - y).square().mean()")
    assert known(source).idle == ()


@pytest.mark.parametrize(
    ("model", "orders"),
    [
        ("net(x).mean(1)", [("x", 1, 5)]),
        ("net(x)[:, -1]", []),
        ("(net(x) * torch.linspace(1, 2, 5)[:, None]).mean(1)", []),
        ("net(x).mean(1) + x[:, 0, :1]", []),  # also read elsewhere
    ],
)
def test_sequences_whose_order_has_no_effect_are_found(model, orders):
    found = known(START + LOOP.format(f"({model} - y[:, :1]).square().mean()")).orders
    assert [(one.name, one.axis, one.size) for one in found] == orders


def test_indices_are_reversed_where_they_meet_their_table():
    table = "table, ids = nn.Embedding(9, 4), torch.arange(30).reshape(6, 5) % 9\n"
    for pool, found in (("mean(1)", 1), ("cumsum(1).square().mean(1)", 0)):
        source = START + table + LOOP.format(f"(net(table(ids).{pool}) - y[:, :1]).square().mean()")
        assert len(known(source).orders) == found


@pytest.mark.parametrize(
    ("model", "mixed_by", "is_by_design"),
    [
        ("net(x).mean(1)", "", False),
        ("net(x.transpose(0, 1).reshape(30, 4)).reshape(5, 6, 1).mean(0)", "", False),
        ("(net(x).softmax(0) * net(x)).mean(1)", "net(x).softmax(0)", False),
        ("net(x.transpose(0, 1)).reshape(6, 5).sum(1, keepdim=True)", "net(x.transpose(0, 1)).reshape(6, 5)", False),
        ("(z := net(x).mean(1)) - z.mean(0)", "z.mean(0)", False),
        ("nn.functional.batch_norm(net(x).mean(1), None, None, training=True)", "nn.functional.batch_norm(", True),
        ("nn.functional.layer_norm(net(x), (1,)).mean(1)", "", False),
        ("nn.functional.dropout(net(x), 0.5).mean(1)", "", False),
    ],
)
def test_the_operation_that_combines_rows_of_a_batch_is_named(model, mixed_by, is_by_design):
    batch = known(START + LOOP.format(f"({model} - y[:, :1]).square().mean()")).batch
    assert (batch.name, batch.rows) == ("x", 6) or "transpose" in model
    assert batch.mixed_by.startswith(mixed_by) and bool(batch.mixed_by) == bool(mixed_by)
    assert batch.is_by_design == is_by_design


@pytest.mark.parametrize(
    ("loss", "is_mean"),
    [
        ("(net(x).mean(1) - y[:, :1]).square().mean()", True),
        ("(net(x).mean(1) - y[:, :1]).square().sum()", True),
        ("(net(x).mean(1) - y[:, :1]).square().mean().sqrt()", False),
        ("((net(x)[..., 0] - y[:, :1]).square() * (m := (x[..., 0] > 0))).sum() / m.sum()", False),
        ("(nn.functional.dropout(net(x)).mean(1) - y[:, :1]).square().mean().sqrt()", True),  # unknown
    ],
)
def test_a_loss_that_is_not_the_mean_of_its_halves_is_found(loss, is_mean):
    batch = known(START + LOOP.format(loss)).batch
    assert (batch.loss is None) == is_mean
    assert is_mean or abs(batch.loss - batch.mean) > 1e-4


def test_a_program_that_accumulates_gradients_is_told_that_its_loss_is_not_a_mean():
    lines = "for i in range(4):\n    loss = (net(x).mean(1) - y[:, :1]).square().mean(){}\n    loss.backward()\n"
    step = "    if i % 2: opt.step(); opt.zero_grad()\n"
    for root in ("", ".sqrt()"):
        kinds = [one.id for one in known(START + lines.format(root) + step).messages()]
        assert ("influence-halves" in kinds) == bool(root)


def test_a_hook_that_is_never_called_is_found_with_the_line_that_names_it():
    hook = "def keep(module, inputs, output):\n    print(output.shape)\n{}.register_forward_hook(keep)\n"
    loss = LOOP.format("(net(x[:, :4]).squeeze(2) - y).square().mean()")
    other = "other = nn.Linear(2, 2)\n"
    assert [(one.name, one.line, one.named) for one in known(START + other + hook.format("other") + loss).uncalled] == [
        ("keep", 8, 10)
    ]
    assert known(START + other + hook.format("net") + loss).uncalled == ()


def test_a_function_that_is_compiled_from_its_text_is_called():
    source = (
        "import torch\ndef f(x):\n    return x.sqrt()\ndef g(x):\n    return x\ncompiled = torch.jit.script(f), [g]\n"
    )
    assert [one.name for one in known(source + "print(compiled[0](torch.ones(2)))").uncalled] == ["g"]


def test_an_argument_that_is_never_read_is_found():
    define = "def error(out, target, mask):\n    return (out - target{}).square().mean()\n"
    loss = LOOP.format("error(net(x[:, :4]).squeeze(2), y, torch.ones(4))")
    assert [(one.function, one.name) for one in known(START + define.format("") + loss).unread] == [("error", "mask")]
    assert known(START + define.format(" * mask") + loss).unread == ()


def test_the_context_of_an_autograd_function_may_stay_unread():
    define = (
        "class Twice(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return 2 * x\n"
        "    @staticmethod\n    def backward(ctx, grad):\n        return 2 * grad\n"
    )
    assert known(START + define + LOOP.format("Twice.apply(net(x)).mean()")).unread == ()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_report_names_what_has_no_effect(tmp_path, capsys, lang):
    path = tmp_path / "program.py"
    path.write_text(START + LOOP.format("(net(x[:, :4]).squeeze(2) - y).square().mean()"))
    main(["report", str(path), "--lang", lang])
    assert "x[:, 4]" in capsys.readouterr().out
    main(["report", str(path), "--json"])
    found = json.loads(capsys.readouterr().out)["influence"]
    assert [(one["name"], one["where"], one["line"]) for one in found["idle"]] == [("x", "[:, 4]", 5)]


@pytest.mark.parametrize(("size", "is_bounded"), [(4, False), (1500, True)])
def test_a_report_spends_less_time_on_the_further_runs_of_a_large_program(tmp_path, monkeypatch, size, is_bounded):
    given = []

    def measured(trace, files, seconds):
        given.append(seconds)

    monkeypatch.setattr("explorer.workers.influence.measured_effects", measured)
    path = tmp_path / "program.py"
    start = f"import torch\nw = torch.ones({size}, {size}, requires_grad=True)\n"
    path.write_text(start + "for _ in range(5):\n    (w + 1).sum().backward()\n")
    main(["report", str(path)])
    assert [seconds <= 0.5 for seconds in given] == [is_bounded]


def test_functions_of_later_cells_and_inside_others_are_counted_too():
    first = (
        START
        + "def loss():\n    def spare():\n        return 0\n    return (net(x).squeeze(2)[:, :4] - y).square().mean()\n"
    )
    second = "loss().backward()\n"
    third = "def shows():\n    print(1)\n@torch.no_grad()\ndef shows_more():\n    shows()\nhandler = shows_more\n"
    program = Program([CellSource(one) for one in (first, second, third)])
    effects = read(execute_encoded(program, Options(effects=True), False, MAX_BYTES, 10_000)).effects
    counts = {one.name: (one.cell, one.calls > 0) for one in effects.functions}
    assert counts == {"loss": (0, True), "spare": (0, False), "shows": (2, False), "shows_more": (2, False)}


def test_counting_ends_when_every_function_has_been_entered():
    uses = "def double(one):\n    return 2 * one\ny = double(y)\nimport sys\nassert sys.getprofile() is None\n"
    assert [one.name for one in known(START + uses + LOOP.format("(net(x[:, :4]).squeeze(2) - y).mean()")).data]
