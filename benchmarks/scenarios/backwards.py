"""Backward calls: overwritten values, several calls, gradients of gradients, own Functions, hooks, leaves."""

import torch

from benchmarks.scenarios import data, kinds, mlp, scenario, states, told


@scenario
def overwritten_before_backward(record):
    """An in-place write to a saved tensor: torch raises, the report names the line that wrote."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    try:
        with record() as trace:
            y = w.exp()
            y += 1
            y.sum().backward()
    except RuntimeError:
        pass

    def facts():
        assert trace.report().status == "error"
        assert "y += 1" in str(trace.report())

    return None, facts


@scenario
def overwritten_through_data(record):
    """A write through `.data` is not noticed by torch: the report says that the gradient is false."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    with record() as trace:
        y = w.square()
        y.data.mul_(10)
        z = w.exp()
        z.data.zero_()
        (y.sum() + z.sum()).backward()

    def facts():
        assert "gradient_falsified" in kinds(trace, "fault")
        assert not trace.report().sound

    return w, facts


@scenario
def backward_twice(record):
    """A second backward without retain_graph raises; the report says where the first was."""
    w = torch.tensor(2.0, requires_grad=True)
    try:
        with record() as trace:
            loss = w**3
            loss.backward()
            loss.backward()
    except RuntimeError:
        pass

    def facts():
        assert trace.report().status == "error" and "retain_graph" in str(trace.report())
        assert trace.grad("w").item() == 12

    return w, facts


@scenario
def backward_twice_retained(record):
    """With retain_graph the gradients add up: each backward's own is 12, `.grad` is 24."""
    w = torch.tensor(2.0, requires_grad=True)
    with record() as trace:
        loss = w**3
        loss.backward(retain_graph=True)
        loss.backward()

    def facts():
        assert [float(trace.gradient("w", backward=n).item()) for n in (1, 2)] == [12, 12]
        assert trace.grad("w").item() == 24 and "24" in str(trace.why("w.grad"))

    return w, facts


@scenario
def double_backward(record):
    """A Hessian-vector product by create_graph: 6w·v, and the second call's graph has nodes of the first."""
    w, v = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([1.0, 0.5])
    with record() as trace:
        (slope,) = torch.autograd.grad((w**3).sum(), w, create_graph=True)
        (product,) = torch.autograd.grad((slope * v).sum(), w)

    def facts():
        assert trace["product"].numpy().tolist() == [6.0, 6.0]
        assert len(trace.backwards) == 2
        assert trace.gradient("w", backward=2).tolist() == [6.0, 6.0]
        assert trace.report().sound

    return (w, product), facts


@scenario
def gradient_penalty(record):
    """WGAN-GP: the penalty's gradient reaches every weight of the critic."""
    critic, real, fake = mlp(3, 8, 1), data(4, 3), data(4, 3) + 1
    mixed = (0.5 * real + 0.5 * fake).requires_grad_()
    with record() as trace:
        (slopes,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
        penalty = (slopes.norm(dim=1) - 1).square().mean()
        loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
        loss.backward()

    def facts():
        found = states(trace)
        assert all(found[f"critic.{name}"] in ("flows", "zero") for name, _ in critic.named_parameters())
        assert trace.report().sound and trace["penalty"].item() > 0

    return critic, facts


class _Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, arriving):
        (x,) = ctx.saved_tensors
        return arriving * 3 * x**2


class _WrongCube(_Cube):
    @staticmethod
    def backward(ctx, arriving):
        (x,) = ctx.saved_tensors
        return arriving * 2 * x**2


@scenario
def own_function(record):
    """A custom Function is a node of its own, and its saved tensor and gradient are there."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    with record() as trace:
        y = _Cube.apply(w)
        loss = y.sum()
        loss.backward()

    def facts():
        assert len(trace.nodes.where(name="_CubeBackward")) == 1
        assert trace.gradient("w").tolist() == [3.0, 12.0] and trace.report().sound
        assert "_Cube" in str(trace.why("w.grad"))

    return w, facts


@scenario
def own_function_with_wrong_backward(record):
    """A wrong backward: recorded as it is; `--check` in a child says that the slope differs."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    with record() as trace:
        _WrongCube.apply(w).sum().backward()

    def facts():
        import json
        import subprocess
        import sys

        program = (
            "class Cube(torch.autograd.Function):\n"
            "    @staticmethod\n    def forward(ctx, x):\n        ctx.save_for_backward(x)\n        return x**3\n"
            "    @staticmethod\n    def backward(ctx, g):\n        return g * 2 * ctx.saved_tensors[0]**2\n"
            "w = torch.tensor([1., 2.], requires_grad=True)\nCube.apply(w).sum().backward()\n"
        )
        command = [sys.executable, "-m", "explorer", "run", "-", "--json", "--check"]
        done = subprocess.run(command, input=program, capture_output=True, text=True)
        checks = json.loads(done.stdout)["checks"]
        assert [check["verdict"] for check in checks] == ["differs"], (checks, done.stderr)
        assert trace.gradient("w").tolist() == [2.0, 8.0]

    return w, facts


@scenario
def hook_that_alters(record):
    """A tensor hook that halves: the gradient recorded is the halved one, and why names the hook."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    with record() as trace:
        y = w * 4
        y.register_hook(lambda gradient: gradient / 2)
        y.sum().backward()

    def facts():
        assert trace.gradient("w").tolist() == [2.0, 2.0]
        assert trace.gradient("y").tolist() == [0.5, 0.5]
        assert "hook" in str(trace.why("w.grad"))

    return w, facts


@scenario
def hook_that_zeroes(record):
    """A parameter's hook that returns zeros is found."""
    net, x = mlp(3, 4, 1), data(5, 3)
    with record() as trace:
        net[0].weight.register_hook(torch.zeros_like)
        loss = net(x).square().mean()
        loss.backward()

    def facts():
        assert states(trace)["net.0.weight"] == "zero"
        assert "hook_zeroes" in kinds(trace)

    return net, facts


@scenario
def module_backward_hook(record):
    """A full backward hook on a module that scales grad_input."""
    net, x = mlp(3, 4, 1), data(5, 3)
    net[1].register_full_backward_hook(lambda module, inward, outward: (inward[0] * 0.1,))
    with record() as trace:
        loss = net(x).square().mean()
        loss.backward()

    def facts():
        assert states(trace)["net.0.weight"] == "flows" and trace.report().sound
        assert abs(trace.grad("net.0.weight").norm - float(net[0].weight.grad.norm())) < 1e-6

    return net, facts


@scenario
def requires_grad_too_late(record):
    """requires_grad_() after the forward: the leaf gets nothing, and the report says why."""
    w = torch.tensor([1.0, 2.0])
    b = torch.tensor([0.0, 0.0], requires_grad=True)
    with record() as trace:
        loss = (w * 3 + b).sum()
        w.requires_grad_()
        loss.backward()

    def facts():
        assert states(trace)["w"] == "none" and "asked_too_late" in kinds(trace, "fault")

    return (w, b), facts


@scenario
def grad_of_a_result(record):
    """`.grad` of a non-leaf is None; the recording has its gradient all the same."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    with record() as trace:
        hidden = w * 2
        hidden.square().sum().backward()
        missing = hidden.grad

    def facts():
        assert missing is None and trace.gradient("hidden").tolist() == [4.0, 8.0]
        assert "grad_of_result" in kinds(trace)

    return w, facts


@scenario
def requires_grad_of_result(record):
    """requires_grad_(False) on a result raises; the report tells the line."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    try:
        with record() as trace:
            hidden = w * 2
            hidden.requires_grad_(False)
    except RuntimeError:
        pass

    def facts():
        report = trace.report()
        assert report.status == "error" and "hidden.requires_grad_(False)" in str(report)

    return None, facts


@scenario
def integer_leaf(record):
    """An integer tensor cannot require a gradient: torch's error is in the report with its line."""
    try:
        with record() as trace:
            w = torch.tensor([1, 2], requires_grad=True)
            w.sum().backward()
    except RuntimeError:
        pass

    def facts():
        assert "floating" in str(trace.report()) and not trace.report().sound
        assert "no tensor" in told(lambda: trace.why("w.grad"), LookupError)

    return None, facts
