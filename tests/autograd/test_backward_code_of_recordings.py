"""A recording's backward written out as code, checked against the recorded entries.

The code uses no name that occurs in a recorded file, and this file is recorded: it avoids the names of the expected
texts.
"""

import runpy

import pytest
import torch

import explorer
from explorer.analysis.explain.autograd.backward_code import backward_code
from explorer.runtime.written_backward import NotRun, agrees
from explorer.text import SayableError
from tests.autograd.test_backward_code import EXAMPLES
from tests.traces import trace_of


def recorded(program, path, full=False):
    """Return the recording of a program that is written to a file and runs in this process."""
    lines = [f"    {line}" for line in program.splitlines()]
    path.write_text("\n".join(["import torch, explorer", f"with explorer.record(full={full}) as trace:", *lines]))
    return runpy.run_path(str(path))["trace"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_recording_can_be_written_as_code(name, tmp_path):
    program, text = EXAMPLES[name]
    trace = recorded(program, tmp_path / "program.py")
    if "Function" in program or "hook" in program:
        with pytest.raises(SayableError, match=r"hook|is a Function"):
            trace.backward_code()
    else:
        assert trace.backward_code().startswith(text)


@pytest.mark.parametrize(
    "program",
    [
        "x = torch.arange(4., requires_grad=True)\ntotal = x.clone().mul_(2).exp_().sum()\ntotal.backward()",
        "z = torch.tensor([1 + 2j, 2], requires_grad=True)\ntotal = (z * z).abs().sum()\ntotal.backward()",
        "x = torch.ones(3, dtype=torch.bfloat16, requires_grad=True)\ntotal = (x.exp() * 3).sum()\ntotal.backward()",
        "x = torch.zeros(0, requires_grad=True)\ntotal = (x * 2).sum()\ntotal.backward()",
        "lstm = torch.nn.LSTM(2, 3)\ntotal = lstm(torch.ones(4, 1, 2))[0].sum()\ntotal.backward()",
        "x = torch.tensor([3., 1.], requires_grad=True)\ny = x.sort()[0]\ny.retain_grad()\n(y * y).sum().backward()",
        "x = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([x], 0.1)\nfor _ in range(3):\n"
        "    opt.zero_grad()\n    total = (x ** 3).sum()\n    total.backward()\n    opt.step()",
    ],
)
def test_backward_code_of_a_recording_sets_its_gradients(program, tmp_path):
    assert ".grad = " in recorded(program, tmp_path / "program.py").backward_code()


@pytest.mark.parametrize(
    "write",
    [
        "o[torch.tensor([0, 2])] = x * 3",
        "o[:, torch.tensor([0, 2])] = x[:2] * 3",  # broadcast, and indices with a gap
        "o[o == 0] = x[0]",
        "o[1:, 2] = x[0] * 3",
        "o[0].copy_(x[0])",
        "o = o.index_put((torch.tensor([1]), torch.tensor([0])), x[:1], accumulate=True)",
        "o = x.expand(3, 4) * 2\no[torch.tensor([0, 2])] = x * x",
    ],
)
def test_a_write_to_a_part_is_written_as_code(write, tmp_path):
    program = f"x = torch.arange(1., 5., requires_grad=True)\no = torch.zeros(3, 4)\n{write}\n(o ** 2).sum().backward()"
    assert "x.grad = " in recorded(program, tmp_path / "program.py").backward_code()


LARGE = """net = torch.nn.Sequential(torch.nn.Linear(9, 20), torch.nn.ReLU(), torch.nn.Linear(20, 1))
x = torch.randn(30, 9)
net(x).square().mean().backward()
net(x).square().mean().backward()"""


def test_a_recording_of_large_tensors_needs_all_entries(tmp_path):
    with pytest.raises(SayableError, match=r"needs all entries of .+full=True"):
        recorded(LARGE, tmp_path / "program.py").backward_code()
    code = recorded(LARGE, tmp_path / "program.py", full=True).backward_code()
    assert "net[0].weight.grad = net[0].weight.grad + " in code


STEPS = {
    "SGD": "torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)",
    "AdamW, fused": "torch.optim.AdamW(net.parameters(), fused=True)",
}


@pytest.mark.parametrize("optimizer", STEPS.values(), ids=STEPS)
def test_an_optimizer_may_step_inside_the_recording(optimizer, tmp_path):
    trained = f"{LARGE}\nopt = {optimizer}\nopt.step()\nopt.zero_grad()\n"
    again = "total = net(x).square().mean()\ntotal.backward()\nopt.step()\nnet[0].weight.data.zero_()"
    trace = recorded(trained + again, tmp_path / "program.py", full=True)
    for backward in (1, 2, 3):
        assert "net[0].weight.grad = " in trace.backward_code(backward)
    explorer.save(trace, tmp_path / "kept.trace")
    kept = explorer.load(tmp_path / "kept.trace")
    assert kept.full == trace.full and trace.tensor("net.0.weight").count_nonzero() == 0


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("torch.utils.checkpoint.checkpoint(net, x, use_reentrant=True).sum()", "another backward inside"),
        ("Double.apply(net(x)).sum()", "^Not written out: .*Double is a Function"),
        ("torch.vmap(net)(x).sum()", r"linear\(…\) ran inside vmap"),
        (
            "torch.autograd.grad(net(x).square().sum(), x, create_graph=True)[0].sum()",
            "grad(.+) makes a gradient that is",
        ),
        ("torch.compile(net, backend='aot_eager')(x).sum()", "was compiled by torch.compile"),
    ],
)
def test_a_refusal_has_its_real_reason(call, why, tmp_path):
    program = (
        "import torch.utils.checkpoint\nclass Double(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g * 2\n"
        f"{LARGE}\nx.requires_grad_()\ntotal = {call}\ntotal.backward()"
    )
    with pytest.raises(SayableError, match=why):
        recorded(program, tmp_path / "program.py", full=True).backward_code()


@pytest.mark.parametrize(
    "layers",
    [
        "torch.nn.Linear(9, 20), torch.nn.Dropout(0.3), torch.nn.Linear(20, 20), torch.nn.Dropout(0.2)",
        "torch.nn.Linear(9, 80), torch.nn.BatchNorm1d(80), torch.nn.ReLU(inplace=True)",
    ],
)
def test_draws_and_running_statistics_are_repeated(layers, tmp_path):
    program = (
        f"net = torch.nn.Sequential({layers})\nx, opt = torch.randn(30, 9), torch.optim.SGD(net.parameters(), 0.1)\n"
        "total = net(x).square().mean()\ntotal.backward()\nopt.step()"
    )
    assert "net[0].weight.grad = " in recorded(program, tmp_path / "program.py", full=True).backward_code()


TRAININGS = {
    "three terms added up": (
        "x, w = torch.rand(30, 9) + 1, torch.ones(9, requires_grad=True)\n"
        "total = -0.5 * (0 + (x * w).log().sum() + (x * w).square().sum() + 3) / 20"
    ),
    "attention with a mask and dropout": (
        "emb, out = torch.nn.Embedding(20, 24), torch.nn.Linear(24, 2)\nqkv = torch.nn.Linear(24, 72)\n"
        "mask = torch.ones(3, 1, 7, 7, dtype=torch.bool)\nmask[1, :, :, 4:] = False\n"
        "q, k, v = (h.view(3, 7, 4, 6).transpose(1, 2) for h in qkv(emb(torch.randint(20, (3, 7)))).chunk(3, -1))\n"
        "h = torch.nn.functional.scaled_dot_product_attention(q, k, v, mask, dropout_p=0.1)\n"
        "total = torch.nn.functional.cross_entropy(out(h.transpose(1, 2).flatten(2)[:, 0]), torch.tensor([0, 1, 1]))"
    ),
    "blocks that a checkpoint computes again, with dropout": (
        "from torch.utils.checkpoint import checkpoint\n"
        "blocks = torch.nn.ModuleList(torch.nn.Sequential(torch.nn.LayerNorm(9), torch.nn.Linear(9, 40), "
        "torch.nn.GELU(), torch.nn.Linear(40, 9), torch.nn.Dropout(0.2)) for _ in range(3))\n"
        "h = torch.randn(30, 9)\nfor block in blocks:\n    h = h + checkpoint(block, h, use_reentrant=False)\n"
        "total = h.square().mean()"
    ),
    "a frozen layer with an update of low rank": (
        "base, down = torch.nn.Linear(9, 40).requires_grad_(False), torch.nn.Linear(9, 3, bias=False)\n"
        "up, drop, x = torch.nn.Linear(3, 40, bias=False), torch.nn.Dropout(0.2), torch.randn(30, 9)\n"
        "total = (base(x) + up(down(drop(x))) * 2).relu().square().mean()"
    ),
    "convolutions with a skip and a time": (
        "down, up = torch.nn.Conv2d(1, 8, 3, padding=1), torch.nn.Conv2d(16, 1, 3, padding=1)\n"
        "norm, time = torch.nn.GroupNorm(4, 8), torch.nn.Linear(6, 8)\n"
        "x, act = torch.randn(2, 1, 8, 8), torch.nn.SiLU()\n"
        "h = act(norm(down(x)) + time(torch.randn(2, 6))[:, :, None, None])\n"
        "deep = torch.nn.functional.interpolate(torch.nn.functional.avg_pool2d(h, 2), scale_factor=2.0)\n"
        "total = torch.nn.functional.mse_loss(up(torch.cat([deep, h], 1)), torch.randn(2, 1, 8, 8))"
    ),
    "a packed bidirectional LSTM": (
        "from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence\n"
        "rnn, out = torch.nn.LSTM(5, 8, bidirectional=True, batch_first=True), torch.nn.Linear(16, 3)\n"
        "packed = pack_padded_sequence(torch.randn(4, 7, 5), torch.tensor([7, 5, 3, 2]), batch_first=True)\n"
        "h, _ = pad_packed_sequence(rnn(packed)[0], batch_first=True)\n"
        "total = torch.nn.functional.cross_entropy(out(h).flatten(0, 1), torch.randint(3, (28,)))"
    ),
    "messages along edges": (
        "x, lin, (come, go) = torch.randn(20, 5), torch.nn.Linear(5, 6), torch.randint(20, (2, 60))\n"
        "h = lin(x)\nscore = torch.nn.functional.leaky_relu((h[come] * h[go]).sum(1), 0.2).exp()\n"
        "share = score / torch.zeros(20).index_add(0, go, score)[go]\n"
        "total = torch.zeros(20, 6).index_add(0, go, h[come] * share[:, None]).square().mean()"
    ),
    "experts that see some tokens": (
        "gate, experts = torch.nn.Linear(9, 3), torch.nn.ModuleList(torch.nn.Linear(9, 9) for _ in range(3))\n"
        "x, o = torch.randn(30, 9), torch.zeros(30, 9)\nweight, chosen = gate(x).softmax(-1).topk(2)\n"
        "for number, expert in enumerate(experts):\n    token, rank = torch.where(chosen == number)\n"
        "    o.index_add_(0, token, expert(x[token]) * weight[token, rank, None])\ntotal = o.square().mean()"
    ),
    "a process with a Gaussian likelihood": (
        "length, noise = torch.tensor(0.0, requires_grad=True), torch.tensor(-1.0, requires_grad=True)\n"
        "x = torch.linspace(0, 1, 20)\ny = torch.sin(6 * x)\nsoft = torch.nn.functional.softplus\n"
        "K = torch.exp(-((x[:, None] - x) / soft(length)) ** 2) + soft(noise) * torch.eye(20)\n"
        "L = torch.linalg.cholesky(K)\nhalf = torch.linalg.solve_triangular(L, y[:, None], upper=False)\n"
        "total = half.square().sum() + 2 * L.diagonal().log().sum()"
    ),
}


@pytest.mark.parametrize("training", TRAININGS.values(), ids=TRAININGS)
def test_the_step_of_a_training_is_written(training, tmp_path):
    trace = recorded(f"{training}\ntotal.backward()", tmp_path / "program.py", full=True)
    assert ".grad = " in trace.backward_code(max_lines=1_000)


def test_a_step_under_autocast_is_written_with_its_conversions(tmp_path):
    program = (
        "net = torch.nn.Sequential(torch.nn.Linear(9, 20), torch.nn.ReLU(), torch.nn.Linear(20, 1))\n"
        "opt, scaler = torch.optim.AdamW(net.parameters()), torch.amp.GradScaler('cpu')\n"
        "x = torch.randn(30, 9)\n"
        "with torch.autocast('cpu', torch.bfloat16):\n    total = net(x).float().square().mean()\n"
        "scaler.scale(total).backward()\nscaler.unscale_(opt)\n"
        "torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)\nscaler.step(opt)\nscaler.update()"
    )
    code = recorded(program, tmp_path / "program.py", full=True).backward_code()
    assert ".to(torch.bfloat16)" in code and ".to(torch.float32)" in code


def test_a_program_run_by_exec_is_written_too(tmp_path):
    path = tmp_path / "program.py"
    source = (
        "layers = torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Dropout(0.3), torch.nn.Linear(16, 1)\n"
        "net, x, y = torch.nn.Sequential(*layers), torch.randn(32, 8), torch.randn(32, 1)\n"
        "opt = torch.optim.SGD(net.parameters(), 0.01)\n"
        "gap = torch.nn.functional.mse_loss(net(x), y)\ngap.backward()\nopt.step()"
    )
    path.write_text(source)
    names = {"torch": torch}
    with explorer.record(full=True) as trace:
        exec(compile(source, path, "exec"), names)
    assert ".variable.grad = " in trace.backward_code()


def test_the_limit_of_lines_can_be_raised(tmp_path):
    program = "x = torch.ones((), requires_grad=True)\ny = x\n" + "".join(
        f"y = y.{'sin' if i * i % 7 > 2 else 'exp'}() * 0.{i + 1}\n" for i in range(200)
    )
    trace = recorded(f"{program}y.backward()", tmp_path / "program.py")
    with pytest.raises(SayableError, match="more than 300 lines"):
        trace.backward_code()
    assert len(trace.backward_code(max_lines=2_000).splitlines()) > 300


def test_a_wrong_line_disagrees_with_the_recording():
    trace = trace_of(EXAMPLES["a product, broadcast"][0])
    code, (root,) = backward_code(trace, 0), trace.backwards[0].roots
    for text, same in (code.text, True), (code.text.replace(" * b ", " * w "), False):
        leaves = dict(zip(code.leaves, code.kept, strict=True))
        assert agrees(trace, 0, text, code.tensors, dict.fromkeys(code.roots, root), leaves, ()) is same


def test_no_text_of_the_program_is_evaluated():
    trace = trace_of(EXAMPLES["a product, broadcast"][0])
    code, (root,) = backward_code(trace, 0), trace.backwards[0].roots
    leaves = dict(zip(code.leaves, code.kept, strict=True))
    for hook in "(lambda g: g)", "print", "[g for g in w]":
        with pytest.raises(NotRun, match="own"):
            agrees(trace, 0, f"{code.text}\n{hook}(w)", code.tensors, dict.fromkeys(code.roots, root), leaves, ())


def test_writing_the_code_of_a_recording_does_not_change_its_process():
    called = []
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    w.register_hook(called.append)
    with explorer.record() as trace:
        (w * 3).sum().backward()
    before = torch.get_rng_state(), w.grad, w.grad.clone(), len(called)
    with torch.no_grad():
        assert "w.grad = " in trace.backward_code()
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled() and w.grad is before[1] and w.grad.equal(before[2]) and len(called) == before[3]
    assert torch.get_rng_state().equal(before[0])
