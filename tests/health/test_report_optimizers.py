"""Optimizers, learning rates and modes in reports."""

import torch

import explorer
from explorer.analysis.diagnose.health.report import report as reported
from explorer.api.answers import answering
from tests.traces import trace_of


def test_eval_mode_is_printed():
    net = torch.nn.Linear(2, 1)

    def told():
        with explorer.record() as trace:
            net(torch.ones(1, 2)).sum().backward()
        return trace.report()

    assert "Mode" not in str(told()) and told().to_json()["modes"]
    net.eval()
    assert "net eval" in str(told())


def test_an_optimizer_trains_tensors_whose_grad_the_program_sets():
    line = "for _ in range(2):\n    w.grad = x.T @ (x @ w)\n    opt.step()"
    trace = trace_of(f"import torch\nx, w = torch.ones(3, 2), torch.ones(2)\nopt = torch.optim.SGD([w], 0.1)\n{line}")
    assert reported(trace).optimizers.optimizers[0].groups[0].trains == ("w",)


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
    assert (group.rate, group.last_rate) == (0.25, 1.0)  # the schedule has already set the rate for a fourth step


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
    assert "The learning rate falls from 0.1 to 1e−26" in said


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


def test_optimizers_of_two_stages_do_not_share_their_parameters():
    stage = "opt = torch.optim.SGD([w], lr=0.1)\nfor _ in range(2):\n    (w * w).sum().backward(); opt.step()\n"
    program = "import torch\nw = torch.ones(2, requires_grad=True)\n" + 2 * stage
    assert answering(trace_of(program)).report().optimizers.in_several == ()


def test_a_parameter_skipped_by_a_fast_path_is_not_counted_with_gradients():
    text = str(
        answering(
            trace_of("""
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
        ).report()
    )
    assert "layer.linear1.scale" in text and "2 of 3 parameters have finite gradients" in text


def test_clearing_gradients_takes_no_number_out_of_torch():
    source = """
from torch.func import functional_call, stack_module_state, vmap
models = [torch.nn.Linear(2, 1) for _ in range(2)]
held, _ = stack_module_state(models)
params = {name: stacked.detach().requires_grad_() for name, stacked in held.items()}
optimizer = torch.optim.SGD(params.values(), 0.1)
x = torch.ones(4, 2)
for _ in range(2):
    loss = vmap(lambda p: functional_call(models[0], p, (x,)).square().mean())(params).sum()
    optimizer.zero_grad(); loss.backward(); optimizer.step()
"""
    report = answering(trace_of(source)).report()
    assert report.sound and "zero_grad" not in str(report)
