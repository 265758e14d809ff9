"""Reports of programs: gradients by parameter, origins of NaN, faults."""

import json
import math
from textwrap import dedent

import pytest
import torch

import explorer
from explorer.analysis.health.report import report as reported
from explorer.analysis.messages import limit_text
from explorer.analysis.names import UnknownTensor
from explorer.analysis.training import curves
from explorer.api.answers import answering
from explorer.program import read_program
from explorer.runtime.execute import execute
from explorer.text.numbers import number
from explorer.trace import Limit, Options
from tests.traces import trace_of

STATES = """
    import torch
    torch.manual_seed(0)
    net = torch.nn.Linear(3, 2)
    cut = torch.nn.Linear(3, 2)
    dead = torch.zeros(2, requires_grad=True)
    still = torch.nn.Linear(2, 1).requires_grad_(False)
    x = torch.ones(4, 3)
    c = cut(x).detach()
    loss = still(net(x) + c).sum() + (dead * dead).sum()
    loss.backward()
    """


@pytest.fixture(scope="module")
def report():
    return answering(trace_of(STATES)).report()


def test_every_parameter_has_its_state(report):
    states = {row.name: row.state for row in report.parameters}
    assert states == {
        "net.weight": "flows",
        "net.bias": "flows",
        "cut.weight": "none",
        "cut.bias": "none",
        "dead": "zero",
        "still.weight": "frozen",
        "still.bias": "frozen",
    }
    row = report.parameters["cut.weight"]
    assert (row.reason, row.cut.by, row.cut.line, row.gradient) == ("cut", "detach", 9, None)
    assert report.parameters["net.weight"].backward == 1 and report.sound


def test_the_report_names_each_problem_and_its_place(report):
    text = str(report)
    assert (
        "Gradients of 6 parameters and 1 other tensor: 2 with a gradient, 2 frozen, 2 without one, 1 all zero" in text
    )
    assert "none: cut(x).detach() on line 9 cuts it off" in text and "Note" in text  # a frozen part may be meant
    assert "No problem was found" not in text
    held = "opt = torch.optim.SGD([*net.parameters(), *cut.parameters()], 0.1)\n    x ="
    trained = answering(trace_of(STATES.rstrip().replace("x =", held, 1) + "\n    opt.step()\n")).report()
    assert not trained.sound and "Fault" in str(trained)  # an optimizer's parameters should be trained
    assert "6 个参数和 1 个其他张量的梯度" in str(answering(trace_of(STATES)).report(lang="zh"))


def test_the_report_converts_to_plain_data_and_html(report):
    plain = json.loads(json.dumps(report.to_json(), allow_nan=False))
    assert [one["state"] for one in plain["parameters"]].count("none") == 2
    assert plain["losses"][0]["name"] == "loss" and plain["diagnoses"]
    assert "cut.weight" in report._repr_html_() and "<script" not in report._repr_html_()


def test_gradients_as_a_table(report):
    table = report.parameters
    frame = table.to_pandas()
    assert list(frame.index) == [row.name for row in table] and frame.loc["dead", "norm"] == 0
    assert frame.loc["cut.bias", "why"].startswith("none: ")
    assert [row.name for row in table.having("zero")] == ["dead"] and len(table[:2]) == 2
    with pytest.raises(KeyError, match=r"Did you mean net\.weight"):
        table["net.wieght"]


def test_a_parameter_without_a_name_has_its_layer_and_role():
    trace = trace_of("import torch\nx = torch.ones(2, 3)\ntorch.nn.Linear(3, 1)(x).sum().backward()")
    assert [row.name for row in reported(trace).rows] == ["torch.nn.Linear(3, 1).weight", "torch.nn.Linear(3, 1).bias"]


def test_a_parameter_is_not_named_after_the_call_that_reads_it():
    trace = trace_of("""
        import torch
        layer = torch.nn.Linear(2, 2, bias=False)
        total = 0
        for _ in range(2):
            layer.weight = torch.nn.Parameter(layer.weight * 2)
            total = total + layer(torch.ones(2)).sum()
        total.backward()
        """)
    assert not [row.name for row in reported(trace).rows if "layer(" in row.name]


def test_a_training_loop_is_reported_once():
    told = answering(
        trace_of("""
        import torch
        w = torch.tensor([2.0], requires_grad=True)
        for _ in range(3):
            loss = (w * w).sum()
            loss.backward()
            w.data -= 0.1 * w.grad
        """)
    ).report()
    assert "loss: 4 → " in str(told) and "over 3 backward calls" in str(told)
    row = told.parameters["w"]
    assert row.backward == 3 and row.held.norm > 0 and "added to an existing .grad of norm" in str(told)


def test_two_losses_of_two_models_keep_the_gradients_of_both():
    told = answering(
        trace_of("""
        import torch
        a = torch.tensor(2.0, requires_grad=True)
        b = torch.tensor(3.0, requires_grad=True)
        (a * a).backward()
        (b * b).backward()
        """)
    ).report()
    assert {row.name: (row.backward, row.gradient.data) for row in told.parameters} == {"a": (1, (4,)), "b": (2, (6,))}
    assert [one.state for one in answering(trace_of("a = 1")).parameters()] == []


ASKING = "x = torch.tensor([{}], requires_grad=True)\n"


@pytest.mark.parametrize(
    ("entries", "rest", "expected"),
    [
        ("1., 0.", "x.log().sum().backward()", ("forward", "-inf", "x.log()", True)),
        ("0., 4.", "(x.sqrt() * 0).sum().backward()", ("backward", "nan", "x.sqrt()", True)),
        ("1., 2.", "big = x * 1e38 * 10\nx.sum().backward()", ("forward", "inf", "x * 1e38 * 10", False)),
        ("1., 0.", "(0 / x).sum().backward()", ("forward", "nan", "0 / x", True)),
    ],
)
def test_the_first_nonfinite_value_is_located(entries, rest, expected):
    found = answering(trace_of(ASKING.format(entries) + rest)).nonfinite()
    assert [(one.phase, one.kind, one.code, one.reaches) for one in found] == [expected]


def test_a_written_mask_is_not_an_origin_and_an_earlier_nan_is_an_input():
    masked = "s = torch.ones(3, requires_grad=True)\nm = torch.tensor([0., float('-inf'), 0.])\n"
    assert answering(trace_of(masked + "(s + m).softmax(0).square().sum().backward()")).nonfinite() == ()
    weight = torch.tensor([1.0, float("nan")], requires_grad=True)
    with explorer.record() as trace:
        loss = (weight * 2).sum()
        loss.backward()
    (origin,) = trace.nonfinite()
    assert (origin.phase, origin.name, origin.count, origin.entries) == ("given", "weight", 1, 2) and origin.reaches
    assert "weight when it was first recorded: 1 of 2 entries, first at [1]" in str(trace.report())


def _nan_and_zero(gradient):
    return torch.tensor([float("nan"), 0.0])


def _stored(weight):
    weight.grad = _nan_and_zero(weight.grad)


@pytest.mark.parametrize("detail", ["light", "complete"])
@pytest.mark.parametrize("add", [torch.Tensor.register_hook, torch.Tensor.register_post_accumulate_grad_hook])
@pytest.mark.parametrize("inside", [False, True])
def test_a_hook_that_makes_nan_is_named_and_norms_include_the_nan(detail, add, inside):
    weight, arrives = torch.tensor([1.0, 2.0], requires_grad=True), add is torch.Tensor.register_hook
    hook = _nan_and_zero if arrives else _stored
    if not inside:
        add(weight, hook)
    with explorer.record(detail=detail) as trace:
        if inside:
            add(weight, hook)
        (weight * 3).sum().backward()
    assert [(one.phase, one.name, one.kind, one.backward) for one in trace.nonfinite()] == [
        ("hook", "weight", "nan", 1)
    ]
    assert math.isnan(trace.grad("weight").norm) and trace.grad("weight").finite_norm == 0
    (row,) = trace.parameters()
    assert row.changed is not arrives  # NaN equals NaN


def test_a_destructive_step_is_reported_once_at_its_origin():
    found = answering(
        trace_of("""
        import torch
        w = torch.tensor([0.0], requires_grad=True)
        opt = torch.optim.SGD([w], lr=0.1)
        for _ in range(3):
            opt.zero_grad()
            loss = w.sqrt().sum()
            loss.backward()
            opt.step()
        """)
    ).nonfinite()
    assert (found[0].phase, found[0].backward, found[0].code) == ("backward", 1, "w.sqrt()")


def test_an_error_is_in_the_report():
    told = answering(trace_of("import torch\na = torch.ones(2) @ torch.ones(3)")).report()
    assert told.status == "error" and told.stops[0].line == 2 and "line 2" in str(told) and not told.sound


def overwrites() -> None:
    a = torch.ones(2, requires_grad=True)
    kept = a.exp()
    kept += 1
    kept.sum().backward()


def test_the_report_explains_why_the_run_stopped():
    program = "import torch\na = torch.ones(2, requires_grad=True)\nkept = a.exp()\nkept += 1\nkept.sum().backward()"
    recording = explorer.record()
    with pytest.raises(RuntimeError), recording:
        overwrites()
    for told in (answering(trace_of(program)).report(), recording.report()):
        error = told.to_json()["errors"][0]
        assert "kept += 1" in error["cause"] and error["cause"] in str(told) and error["repair"] in str(told)


def test_a_mistyped_name_gets_a_suggestion():
    with explorer.record() as trace:
        weight = torch.ones(2, requires_grad=True)
        weight.sum().backward()
    with pytest.raises(UnknownTensor, match="Did you mean weight"):
        trace["weigth"]
    with pytest.raises(KeyError, match="Did you mean weight"):
        trace.gradient("weigth")
    assert trace.gradient("weight", backward=1).numpy().tolist() == [1, 1]
    assert trace["weight"].numpy().dtype == "float32"
    assert {"report", "gradients", "nodes", "operations"} <= set(dir(trace))
    assert trace._ipython_key_completions_() == ["weight"]
    with pytest.raises(IndexError):
        trace.gradient("weight", backward=2)


def test_numpy_of_a_sampled_value_reports_the_sample():
    with explorer.record() as trace:
        large = torch.ones(100, 100)
    with pytest.raises(ValueError, match=r"a sample of 64 entries is kept"):
        trace["large"].numpy()
    assert large.shape == (100, 100)


def test_an_untouched_nan_gradient_is_not_called_changed():
    with explorer.record() as trace:
        w = torch.zeros(2, requires_grad=True)
        (w.sqrt() * 0).sum().backward()
    assert not trace.parameters()["w"].changed


def test_implicit_gradients_are_reported_as_hypothetical():
    """The report computes them itself: nothing of the program got a gradient."""
    told = answering(trace_of("import torch\nnet = torch.nn.Linear(2, 1)\nloss = net(torch.ones(3, 2)).sum()")).report()
    assert told.implicit and told.sound and "would be" in str(told)
    assert "got a finite gradient" not in str(told) and "会是" in str(told.__class__(**vars(told) | {"lang": "zh"}))


def test_eval_mode_is_printed():
    net = torch.nn.Linear(2, 1)

    def told():
        with explorer.record() as trace:
            net(torch.ones(1, 2)).sum().backward()
        return trace.report()

    assert "Mode" not in str(told()) and told().to_json()["modes"]
    net.eval()
    assert "net eval" in str(told())


def told(program):
    return str(answering(trace_of(program)).report())


def test_a_name_rebound_in_each_round_is_listed_once():
    text = told("""
        import torch
        w = torch.tensor(2., requires_grad=True)
        for i in range(20):
            x = torch.ones(3, requires_grad=True)
            (w * x).sum().backward()
    """)
    rows = [line.split() for line in text.split("\n") if line.startswith("  ")]
    assert [row[0] for row in rows] == ["w", "x"]
    assert "20" in rows[1]


def test_a_backward_of_a_librarys_own_tensor_is_named_by_its_call():
    text = told("""
        import torch
        x = torch.tensor([0.2, 0.5], dtype=torch.double, requires_grad=True)
        torch.autograd.functional.jacobian(torch.exp, x)
    """)
    assert "a result inside torch.autograd.functional.jacobian(torch.exp, x): 1.22 → 1.65" in text


def test_a_returned_gradient_does_not_change_the_stored_one():
    lines = "y = (w * w).sum()\ny.backward(retain_graph=True)\n(g,) = torch.autograd.grad(3 * y, w)"
    row = reported(trace_of(f"import torch\nw = torch.ones(2, requires_grad=True)\n{lines}")).rows[0]
    assert row.gradient.entries == (6.0, 6.0) and row.grad.entries == (2.0, 2.0) and not row.changed


def test_an_optimizer_trains_tensors_whose_grad_the_program_sets():
    line = "for _ in range(2):\n    w.grad = x.T @ (x @ w)\n    opt.step()"
    trace = trace_of(f"import torch\nx, w = torch.ones(3, 2), torch.ones(2)\nopt = torch.optim.SGD([w], 0.1)\n{line}")
    assert reported(trace).optimizers.optimizers[0].groups[0].trains == ("w",)


def test_tensors_of_one_name_are_listed_once_per_reason():
    rounds = "for i in range(8):\n    s = torch.ones(2, requires_grad=True)\n    h = s.detach() if i < 4 else s.data\n"
    lines = f"import torch\nw = torch.ones(2, requires_grad=True)\n{rounds}    (h * w).sum().backward()"
    told = str(reported(trace_of(lines)))
    assert told.count("(the last of 4 of this name)") == 2 and "s.detach()" in told and "s.data" in told


def test_an_inner_loop_is_not_blamed_for_the_running_time():
    lines = ("import torch", "x = torch.ones(1)", "for i in range({}):", "    for k in range(2):", "        x = x * 1")
    for rounds, line in ((1, 4), (2, 3)):
        trace = trace_of("\n".join(lines).format(rounds))
        limit = Limit("time", 1.0, trace.operations.span[-1])
        assert f"The loop on line {line} was still running" in limit_text("en", limit, trace)


def test_final_zeros_of_gradcheck_are_not_its_inputs_gradient():
    lines = "import torch\nx = torch.ones(2, dtype=torch.double, requires_grad=True)\n"
    told = reported(trace_of(lines + "torch.autograd.gradcheck(lambda x: x ** 2, x)"))
    assert [row.state for row in told.rows] == ["flows"]


def test_losses_of_models_trained_in_turn_are_not_one_curve():
    told = str(
        reported(
            trace_of("""
            import torch
            def train(start, rate):
                w = torch.tensor(start, requires_grad=True)
                for i in range(3):
                    loss = w ** 2
                    loss.backward()
                    w.data -= rate * w.grad
                    w.grad = None
            for start, rate in ((2., 0.5), (4., 0.)):
                train(start, rate)
            """)
        )
    )
    assert "loss: 4 → 0, 16 → 16 over 6 backward calls on line 7, each for its own leaves" in told


def test_a_last_call_that_was_only_counted_is_not_shown_as_the_last():
    loop = """
        import torch
        w = torch.tensor(1., requires_grad=True)
        for i in range(3_000):
            loss = (w - 3) ** 2
            loss.backward()
            w.data -= 0.0001 * w.grad
            w.grad = None
        """
    trace = execute(read_program("-", dedent(loop).encode()), Options(), operation_cap=400)
    told = str(reported(trace))
    last = reported(trace).losses[-1].value
    assert f"loss: 4 → {number(last.item())} in the last recorded of 3,000 backward calls on line 6" in told
    assert trace["loss"].item() < last.item()


def test_nan_is_counted_separately_from_infinities():
    w = torch.tensor([1.0, 0.0, -1.0], requires_grad=True)
    with explorer.record() as trace:
        (w / w.sum()).sum().backward()
    assert "NaN starts here: 1 of 3 entries, first at [1]" in str(trace.report())


def test_a_failed_backward_is_the_reason_for_its_own_leaves():
    c, d = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="modified by an inplace"), explorer.record() as trace:
        (c * 2).sum().backward()
        h = d.exp()
        squares = (h * h).sum()
        with torch.no_grad():
            h.mul_(2)
        squares.backward()
    rows = {row.name: row for row in trace.report().parameters}
    assert rows["c"].gradient is not None and "backward stopped before it" in rows["d"].why()


def test_an_optimizer_that_steps_within_backward_trains():
    """A hook steps as soon as a gradient arrives and frees it to save memory."""
    model = torch.nn.Linear(2, 1)
    optimizers = {leaf: torch.optim.SGD([leaf], 0.1) for leaf in model.parameters()}

    def step(leaf):
        optimizers[leaf].step()
        optimizers[leaf].zero_grad()

    for leaf in model.parameters():
        leaf.register_post_accumulate_grad_hook(step)
    with explorer.record() as trace:
        for _ in range(3):
            model(torch.randn(4, 2)).square().mean().backward()
    report = trace.report()
    assert report.sound and not report.findings
    trained = {group.trains for one in report.optimizers.optimizers for group in one.groups}
    assert trained == {("model.weight",), ("model.bias",)}
    assert trace.why("model.weight.grad").derivation.step.noted == "reason-emptied"


def test_a_line_of_a_notebook_names_its_cell():
    source = """
    import torch
    w = torch.ones(2, requires_grad=True)
    # %%
    loss = (w * 2).sum()
    loss.backward()
    # %%
    loss = (w * 3).sum()
    loss.backward()
    w + torch.ones(3)
    """
    said = str(answering(trace_of(source)).report())
    assert "loss = 4 (backward on line 2 of cell 2)" in said and "loss = 6 (backward on line 2 of cell 3)" in said
    assert "(line 3 of cell 3, w + torch.ones(3))" in said
    assert "单元格 3 第 2 行" in str(answering(trace_of(source)).report(lang="zh"))


def test_many_unreached_parameters_are_only_counted():
    said = str(answering(trace_of("import torch\nnet = torch.nn.TransformerEncoderLayer(8, 2)\n")).report())
    assert "12 without one" in said and "net.norm1" not in said


def test_a_failing_backward_of_the_last_result_is_reported():
    source = """
    import torch
    w = torch.ones(2, requires_grad=True)
    y = w.exp()
    y /= 2
    y.sum()
    """
    said = str(answering(trace_of(source)).report())
    assert "a backward of y.sum() fails: tensors that it needs were freed or changed in place." in said
    assert "the last result would compute" not in said


def test_a_container_may_name_its_own_layers():
    source = """
    import torch
    class Chain(torch.nn.Sequential):
        def add_module(self, layer):
            self._modules[layer] = layer
    net = Chain()
    net.add_module(torch.nn.Linear(2, 3))
    net.add_module(torch.nn.Linear(3, 1))
    net(torch.ones(1, 2)).sum().backward()
    """
    report = answering(trace_of(source)).report()
    assert [row.name for row in report.parameters] == ["net.0.weight", "net.0.bias", "net.1.weight", "net.1.bias"]
    assert not report.limits


def test_a_tensor_is_named_by_its_assignment_instead_of_a_loop():
    trace = trace_of(
        "import torch\n"
        "def make(): return torch.autograd.Variable(torch.randn(3), requires_grad=True)\n"
        "w = make()\n"
        "def clear():\n"
        "    for p in [w]:\n"
        "        if p.grad is not None: p.grad = None\n"
        "a, b = torch.optim.Adam([w]), torch.optim.SGD([w], lr=0.1)\n"
        "for _ in range(3):\n"
        "    (w**2).sum().backward(); a.step(); b.step(); clear()"
    )
    assert answering(trace).report().optimizers.in_several == ("w",)


def test_replaced_parameters_keep_their_first_names():
    source = """
    import torch
    from torch import nn
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
    model(torch.ones(2, 3)).sum().backward()
    model[1] = nn.Linear(4, 1)  # a new head
    model(torch.ones(2, 3)).sum().backward()
    """
    trace = trace_of(source)
    rows = [(row.name, row.shape) for row in reported(trace).rows]
    assert rows.count(("model.1.weight", (2, 4))) == rows.count(("model.1.weight", (1, 4))) == 1 and len(rows) == 6
    assert answering(trace).gradient("model.1.weight").shape == (1, 4)


def test_losses_of_one_line_form_one_curve_even_if_earlier_results_are_freed():
    text = told("""
        import torch
        class Output(dict):
            def __getattr__(self, name): return self[name]
        w = torch.ones(3, requires_grad=True)
        for _ in range(4):
            out = Output(loss=(w * w).sum())
            out.loss.backward()
    """)
    assert "out.loss: 3 → 3 over 4 backward calls" in text


def test_a_target_networks_parameters_share_one_line():
    said = str(
        answering(
            trace_of("""
                import torch
                from torch import nn
                def network():
                    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
                online, target = network(), network()
                x = torch.ones(2, 3)
                with torch.no_grad():
                    wanted = 1 + target(x)
                (online(x) - wanted).square().mean().backward()
                """)
        ).report()
    )
    [line] = [line for line in said.splitlines() if line.startswith("  target.")]
    assert "ran with gradients off" in line and line.endswith("the same for 5 more of target")
    assert sum(line.startswith("  online.") for line in said.splitlines()) == 6


GAN = """
    import torch
    torch.manual_seed(0)
    G, D = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
    g_opt, d_opt = (torch.optim.SGD(net.parameters(), lr=0.1) for net in (G, D))
    for step in range(3):
        for p in D.parameters():
            p.requires_grad = True
        fake = G(torch.randn(4, 2))
        d_opt.zero_grad()
        (D(fake.detach()).square().mean() + (D(torch.ones(4, 2)) - 1).square().mean()).backward()
        d_opt.step()
        for p in D.parameters():
            p.requires_grad = {}
        g_opt.zero_grad()
        (D(fake) - 1).square().mean().backward()
        g_opt.step()
    """


def test_both_networks_of_a_gan_have_their_own_loss_gradients():
    rows = answering(trace_of(GAN.format("True"))).report().parameters
    assert [rows[name].backward for name in ("D.weight", "D.bias", "G.weight", "G.bias")] == [5, 5, 6, 6]
    assert rows["D.bias"].brought_again == 16  # the line of the other backward, which added to it


def test_a_step_before_freezing_is_not_a_later_change():
    rows = answering(trace_of(GAN.format("False"))).report().parameters
    assert {(row.state, row.moved) for row in rows if row.name.startswith("D")} == {("frozen", 0)}


def test_restoring_frozen_weights_is_not_a_step():
    program = """
        import torch
        net = torch.nn.Linear(2, 1)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        net(torch.ones(1, 2)).sum().backward()
        opt.step()
        best = {k: v.clone() for k, v in net.state_dict().items()}
        net.requires_grad_(False)
        net(torch.ones(1, 2, requires_grad=True)).sum().backward()
        net.load_state_dict(best)
        """
    rows = answering(trace_of(program)).report().parameters
    assert [(row.name, row.state, row.moved) for row in rows][:1] == [("net.weight", "frozen", 0)]


def test_modes_of_several_models_with_one_name_are_not_reported():
    program = """
        import torch
        kept = []
        for fold in range(2):
            net = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.Dropout())
            kept.append(net)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for _ in range(2):
                net.train()
                net(torch.ones(3, 2)).sum().backward()
                opt.step()
                net.eval()
        """
    assert {mode.modes for mode in answering(trace_of(program)).report().optimizers.modes} == {"net train"}


def test_the_rate_of_a_warm_up_is_from_the_first_step():
    program = """
        import torch
        w = torch.ones(2, requires_grad=True)
        opt = torch.optim.SGD([w], lr=1.0)
        schedule = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: (step + 1) / 4)
        for _ in range(3):
            opt.zero_grad()
            (w * w).sum().backward()
            opt.step()
            schedule.step()
        """
    (group,) = answering(trace_of(program)).report().optimizers.optimizers[0].groups
    assert (group.rate, group.last_rate) == (0.25, 1.0)  # the schedule has set the rate of a fourth step


def test_a_falling_rate_is_the_schedulers_last():
    said = str(
        answering(
            trace_of("""
        import torch
        w = torch.ones(2, requires_grad=True)
        opt = torch.optim.SGD([w], lr=0.1)
        schedule = torch.optim.lr_scheduler.StepLR(opt, step_size=2, gamma=0.1)
        for _ in range(50):
            opt.zero_grad()
            (w * w).sum().backward()
            opt.step()
            schedule.step()
        """)
        ).report()
    )
    assert "The learning rate falls from 0.1 to 1e−26" in said and "learning rate 0.1 → 1e−26" in said


def test_each_group_has_the_rates_of_the_first_and_the_last_step():
    program = """
        import torch
        w, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        opt = torch.optim.SGD([{"params": [w], "lr": 1.0}, {"params": [b], "lr": 8.0}])
        for step in range(3):
            for group, rate in zip(opt.param_groups, (0.25, 2.0)):
                group["lr"] = rate * (step + 1)
            opt.zero_grad()
            (w * b).sum().backward()
            opt.step()
        """
    groups = answering(trace_of(program)).report().optimizers.optimizers[0].groups
    assert [(group.rate, group.last_rate) for group in groups] == [(0.25, 0.75), (2.0, 6.0)]


def test_a_refused_backwards_own_error_is_quoted():
    program = "import torch\nx = torch.ones(3, requires_grad=True)\ny = x.argmax()\ny.backward()"
    (stop,) = answering(trace_of(program)).report().stops
    assert (stop.line, stop.code) == (4, "y.backward()")


def test_optimizers_of_two_stages_do_not_share_their_parameters():
    stage = "opt = torch.optim.SGD([w], lr=0.1)\nfor _ in range(2):\n    (w * w).sum().backward(); opt.step()\n"
    program = "import torch\nw = torch.ones(2, requires_grad=True)\n" + 2 * stage
    assert answering(trace_of(program)).report().optimizers.in_several == ()


def test_leaves_made_on_one_line_are_named_by_their_list():
    program = """
        import torch
        def layers(*sizes):
            found = []
            for i, o in zip(sizes, sizes[1:]):
                w = torch.ones(i, o, requires_grad=True)
                found.append(w)
            return found
        weights = layers(2, 3, 1)
        for _ in range(2):
            (torch.ones(1, 2) @ weights[0] @ weights[1]).sum().backward()
        """
    trace = trace_of(program)
    assert [row.name for row in answering(trace).report().parameters] == ["weights[0]", "weights[1]"]
    assert [leaf.name for leaf in curves(trace).leaves] == ["weights[0]", "weights[1]"]


def test_the_loss_of_a_training_without_recorded_graphs_is_reported():
    program = """
        import torch
        for i in range(60):
            torch.ones(()) + i
        w = torch.ones(2, requires_grad=True)
        for i in range(4):
            loss = (w * w).sum()
            loss.backward()
            with torch.no_grad():
                w -= 0.25 * w.grad
            w.grad = None
        for i in range(60):
            torch.ones(()) + i
        """
    trace = execute(read_program("-", dedent(program).encode()), Options(), operation_cap=100)
    assert not trace.backwards and "loss: 2 → 0.03125 over 4 backward calls" in str(reported(trace))


def test_a_parameter_skipped_by_a_fast_path_is_not_counted_with_gradients():
    text = told("""
        import torch
        from torch import nn
        class Adapted(nn.Linear):
            def __init__(self, *sizes):
                super().__init__(*sizes)
                self.scale = nn.Parameter(torch.ones(()))
            def forward(self, x): return super().forward(x) * self.scale
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        layer.linear1 = Adapted(8, 16)
        layer.requires_grad_(False).eval()
        layer.linear1.scale.requires_grad_(True)
        head = nn.Linear(8, 1)
        optimizer = torch.optim.SGD([*layer.parameters(), *head.parameters()], 0.1)
        for _ in range(2):
            loss = head(layer(torch.rand(2, 3, 8))).square().mean()
            optimizer.zero_grad(); loss.backward(); optimizer.step()
    """)
    assert "without a gradient: layer.linear1.scale" in text and "got a finite gradient" not in text


LIBRARY = """
import torch
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w, x):
        ctx.save_for_backward(w, x)
        return w * x
    @staticmethod
    def backward(ctx, g):
        w, x = ctx.saved_tensors
        with torch.enable_grad():
            y = x.detach().requires_grad_()
            torch.autograd.grad((w.detach() * y * y).sum(), y)
        return g * x, None
class Quantizer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("no" + "thing", torch.tensor(0.0))  # no text of the program has its name
    def forward(self, x):
        return x, self.get_buffer("no" + "thing").requires_grad_()
class Trainer:
    def __init__(self, net):
        self.net = net
    def step(self, batch):
        optimizer = torch.optim.SGD(self.net.parameters(), 0.1)
        self.net(batch).sum().backward()
        optimizer.step()
"""
IMPORTED = f"""
import types, torch
library = types.ModuleType("library")
exec(compile({LIBRARY!r}, "/usr/lib/python3/site-packages/library.py", "exec"), library.__dict__)
net, x = torch.nn.Linear(2, 1), torch.ones(1, 2)
"""


def test_leaves_created_in_a_librarys_backward_have_no_rows():
    rounds = "for _ in range(3):\n    library.Product.apply(net.weight, x).sum().backward()\n"
    assert [row.name for row in reported(trace_of(IMPORTED + rounds)).rows] == ["net.weight", "net.bias"]


def test_an_argument_of_a_trainer_does_not_name_its_optimizer():
    told = reported(trace_of(f"{IMPORTED}trainer = library.Trainer(net)\ntrainer.step(x)\n"))
    assert [optimizer.name for optimizer in told.optimizers.optimizers] == ["SGD"]


def test_a_buffer_returned_as_a_librarys_loss_is_not_a_missing_weight():
    rounds = (
        "net = torch.nn.Sequential(net, library.Quantizer())\n"
        "optimizer = torch.optim.SGD(net.parameters(), 0.1)\n"
        "for _ in range(4):\n    optimizer.zero_grad()\n    y, loss = net(x)\n"
        "    (y.sum() + loss).backward()\n    optimizer.step()\n"
    )
    assert answering(trace_of(IMPORTED + rounds)).report().sound
