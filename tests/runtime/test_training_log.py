"""Training calls that are not operations: optimizers with their groups, clipping, schedulers, hooks."""

import torch
from torch import nn

import explorer
from tests.programs import traced

TRAINS = """
import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
net[0].weight.register_hook(lambda g: g)
opt = torch.optim.AdamW([{"params": net[0].parameters()}, {"params": [net[1].weight], "lr": 0.5}], lr=0.1)
sched = torch.optim.lr_scheduler.StepLR(opt, 1, 0.1)
x = torch.randn(4, 2)
for epoch in range(3):
    opt.zero_grad()
    net(x).square().mean().backward()
    clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    sched.step()
"""


def test_the_log_records_training_without_operations():
    trace = explorer.run(TRAINS)
    log = trace.log
    (optimizer,) = log.optimizers
    assert (optimizer.kind, trace.line(optimizer.span)) == ("AdamW", 8)
    assert [(group.count, group.rate, group.weight_decay) for group in optimizer.groups] == [
        (2, 0.1, 0.01),
        (1, 0.5, 0.01),
    ]
    assert [len(group.tensors) for group in optimizer.groups] == [2, 1]
    assert [(call.kind, trace.line(call.span)) for call in log.calls[:6]] == [
        *(("hook", 7), ("scheduler", 9), ("backward", 13), ("clip", 14), ("step", 15), ("schedule", 16))
    ]
    steps = [call for call in log.calls if call.kind == "step"]
    assert [round(call.value, 6) for call in steps] == [0.5, 0.05, 0.005]
    assert [list(call.iteration) for call in steps] == [[0], [1], [2]]
    clip = log.calls[3]
    assert len(log.sets[clip.subject]) == 4 and clip.value == 1.0 and clip.before > 0
    assert {call.name for call in log.calls} == {"", "net train", "clip_grad_norm_", "StepLR"}


def test_record_logs_training_and_restores_torch():
    before = [
        torch.optim.Optimizer.__init__,
        torch.nn.utils.clip_grad_value_,
        torch.optim.lr_scheduler.LRScheduler.step,
    ]
    net = nn.Linear(2, 1)
    earlier = torch.optim.SGD(net.parameters(), 0.1)
    with explorer.record() as trace:
        for _ in range(2):
            net(torch.ones(1, 2)).sum().backward()
            torch.nn.utils.clip_grad_value_(net.parameters(), 0.5)
            earlier.step()
    assert before == [
        torch.optim.Optimizer.__init__,
        torch.nn.utils.clip_grad_value_,
        torch.optim.lr_scheduler.LRScheduler.step,
    ]
    assert [call.kind for call in trace.log.calls] == ["backward", "clip", "step"] * 2
    assert [(one.kind, one.span, len(one.groups[0].tensors)) for one in trace.log.optimizers] == [("SGD", -1, 2)]


def test_a_report_lists_each_optimizers_parameters_and_those_in_none():
    net, other = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1)), nn.Linear(1, 1)
    net[0].requires_grad_(False)
    with explorer.record() as trace:
        opt = torch.optim.Adam(net.parameters(), 1e-3)
        for _ in range(2):
            opt.zero_grad()
            other(net(torch.ones(4, 2))).sum().backward()
            opt.step()
    told = trace.report().to_json()
    (group,) = told["optimizers"][0]["groups"]
    assert (told["optimizers"][0]["name"], group["trains"]) == ("opt", ["net.1.weight", "net.1.bias"])
    assert group["frozen"] == ["net.0.weight", "net.0.bias"] and not told["in_several"]
    assert told["in_none"] == ["other.weight", "other.bias"]


def test_the_mode_at_each_backward_and_the_last_rate_of_each_group_are_known():
    net, head = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(0.1)), torch.nn.Linear(2, 1)
    groups = [{"params": net.parameters(), "lr": 0.1}, {"params": head.parameters(), "lr": 0.2}]
    optimizer = torch.optim.SGD(groups)
    with explorer.record() as trace:
        for epoch in range(3):
            net.train(epoch < 2)
            optimizer.param_groups[1]["lr"] = 0.2 / (epoch + 1)
            torch.nn.MSELoss()(head(net(torch.ones(3, 2))), torch.zeros(3, 1)).backward()
            optimizer.step()
        net[1].train()
        head(net(torch.ones(3, 2))).sum().backward()
    audited = trace.report().optimizers
    assert [(mode.modes, mode.calls) for mode in audited.modes] == [
        ("net train, head train", 2),
        ("net eval, head train", 1),
        ("net mixed, head train", 1),
    ]
    assert [(group.rate, round(group.last_rate, 6)) for group in audited.optimizers[0].groups] == [
        (0.1, 0.1),
        (0.2, round(0.2 / 3, 6)),
    ]
    assert "net eval" in str(trace.report()) and "net eval" in str(trace.report(lang="zh"))
    assert trace.report().to_json()["modes"][1]["modes"] == "net eval, head train"


def test_an_optimizer_in_a_list_is_named_by_it_and_not_by_the_loop():
    w, bias = torch.zeros(2, requires_grad=True), torch.zeros(2, requires_grad=True)
    optimizers = [torch.optim.SGD([w], 0.1), torch.optim.SGD([bias], 0.1)]
    alone = torch.optim.SGD([w], 0.2)
    with explorer.record() as trace:
        for optimizer in optimizers:
            optimizer.zero_grad()
            (w + bias - 1).square().sum().backward()
            optimizer.step()
        alone.step()
    assert [optimizer.name for optimizer in trace.log.optimizers] == ["optimizers[0]", "optimizers[1]", "alone"]


def test_zero_grad_is_one_operation_on_the_leaves_that_have_a_gradient():
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD([*net.parameters(), torch.ones(2, requires_grad=True)], 0.1)
    with explorer.record() as trace:
        net(torch.ones(1, 2)).sum().backward()
        optimizer.zero_grad()
    names = [trace.strings[name] for name in trace.operations.name]
    at = names.index("zero_grad")
    assert names.count("zero_grad") == 1 and len(trace.operations.inputs[at]) == 2
    assert "cleared" in str(trace.why("net.weight.grad"))


def test_a_load_is_logged_with_the_entries_that_were_given_and_loaded():
    source = """
import torch
net = torch.nn.Linear(2, 1)
for state in ({"weight": torch.ones(1, 2), "more": torch.ones(1)}, net.state_dict(), {"module.weight": torch.ones(1)}):
    net.load_state_dict(state, strict=False)
"""
    loads = [call for call in traced(source).log.calls if call.kind == "load"]
    assert [(call.value, call.before) for call in loads] == [(1, 2), (2, 2), (0, 1)]
