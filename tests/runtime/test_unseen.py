"""A recording's own reads are invisible, and never read freed memory."""

import warnings

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.overrides import TorchFunctionMode
from torch.profiler import profile
from torch.utils import swap_tensors
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode
from torch.utils.hooks import RemovableHandle

import explorer

DETAILS = ["light", "complete"]


def network():
    """Return a small one, always the same."""
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))


def a_bit_of_everything():
    """Views, transposes, conversions, sparse and complex numbers, attention, an optimizer."""
    big = torch.randn(150, 150, requires_grad=True)
    (big @ big.T).relu().mean().backward()
    big.grad.zero_()
    torch.randn(50, 50)[:, ::2].mul_(2).to(torch.bfloat16)
    (torch.randn(80, dtype=torch.complex64).conj() * 2).imag.sum()
    torch.eye(5).to_sparse() * 2
    net = nn.TransformerEncoderLayer(8, 2, 16)
    optimizer = torch.optim.AdamW(net.parameters())
    net(torch.randn(3, 2, 8)).sum().backward()
    optimizer.step()


# ---- memory that is not there ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("detail", DETAILS)
def test_freed_memory_is_not_read(detail):
    before, within = torch.randn(300, 300), torch.randn(40, requires_grad=True)
    view = before[7:]
    before.untyped_storage().resize_(0)
    with explorer.record(detail=detail) as trace:
        assert view.shape == (293, 300) and before.detach().shape == (300, 300)
        loss = (within * 2).sum()
        loss.backward()
        within.grad.untyped_storage().resize_(0)
        within.data.untyped_storage().resize_(8)
        same = within.grad.view(40)
    assert trace["before"].norm is trace["same"].data is None and trace["loss"].data is not None
    assert same.untyped_storage().nbytes() == 0 and trace.report()


@pytest.mark.parametrize("detail", DETAILS)
def test_tensors_without_entries_have_shapes(detail):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # torch warns when the address of a fake tensor is read
        with explorer.record(detail=detail) as trace, FakeTensorMode():
            net, x = network(), torch.randn(3, 4)
            loss = net(x).sum()
            loss.backward()
            torch.optim.Adam(net.parameters()).step()
        with explorer.record(detail=detail) as second, torch.device("meta"):
            layer = nn.Linear(3, 4)
            layer(torch.ones(2, 3)).sum().backward()
            torch.optim.SGD(layer.parameters(), 0.1).step()
    assert trace["x"].shape == (3, 4) and trace["x"].data is None
    assert second.gradients()["layer.weight"].shape == (4, 3) and not trace.limits and not second.limits


def test_a_fake_tensor_is_not_read_by_the_layout_of_a_real_one():
    with Calls(), explorer.record() as real:  # the layouts are those inside a dispatch mode
        weight = torch.randn(8, 4, requires_grad=True).t()
        again = weight.view_as(weight)
    assert again.shape == (4, 8) and real["again"].data is not None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with explorer.record() as trace, FakeTensorMode():
            network()(torch.randn(3, 4)).sum().backward()
    assert trace.operations and not trace.limits


# ---- who looks on ---------------------------------------------------------------------------------------------------


class Calls(TorchDispatchMode):
    """A dispatch mode that logs its calls."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        """Called by torch."""
        self.seen.append(str(function))
        return function(*args, **(kwargs or {}))


class Functions(TorchFunctionMode):
    """A function mode that logs its calls."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        """Called by torch."""
        self.seen.append(getattr(function, "__name__", str(function)))
        return function(*args, **(kwargs or {}))


def observed(kind, recorded=lambda work: work()):
    """Return what a mode or profiler around or inside a recording sees."""
    torch.manual_seed(0)
    with kind() as observer:
        recorded(a_bit_of_everything)
    if isinstance(observer, profile):
        return sorted((event.key, event.count) for event in observer.key_averages())
    return observer.get_total_flops() if isinstance(observer, FlopCounterMode) else observer.seen


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", [Calls, Functions, profile, lambda: FlopCounterMode(display=False)])
@pytest.mark.parametrize("detail", DETAILS)
def test_observers_see_only_the_program(kind, detail):
    def recorded(work):
        with explorer.record(detail=detail):
            work()

    expected = observed(kind)
    with explorer.record(detail=detail) as trace:
        within = observed(kind)
    assert within == expected and len(trace.operations) > 10
    assert observed(kind, recorded) == expected


# ---- programs that are traced ---------------------------------------------------------------------------------------


def gradient(x):
    """Return a function that calls backward itself."""
    x = x.detach().requires_grad_()
    x.sin().sum().backward()
    return x.grad


def powers(x):
    total = x * 2
    for _ in range(2):
        square = total * total
        total = total + square.relu()
    return total


TRACED = {
    "export": lambda: torch.export.export(network(), (torch.ones(3, 4),)).graph_module.code,
    "exported": lambda: torch.export.export(network(), (torch.ones(3, 4),)).module()(torch.ones(3, 4)).tolist(),
    "export, strict": lambda: torch.export.export(network(), (torch.ones(3, 4),), strict=True).graph_module.code,
    "fx": lambda: torch.fx.symbolic_trace(network()).code,
    "make_fx": lambda: make_fx(gradient)(torch.ones(3)).code,
    "make_fx, fake": lambda: make_fx(gradient, tracing_mode="fake")(torch.ones(3)).code,
    "make_fx, symbolic": lambda: make_fx(gradient, tracing_mode="symbolic")(torch.ones(3)).code,
    "jit.trace": lambda: torch.jit.trace(network(), torch.ones(3, 4)).code,
    "jit.trace, names": lambda: torch.jit.trace(powers, torch.ones(3)).code,
    "jit.script": lambda: torch.jit.script(network()).code,
    "functionalize": lambda: make_fx(torch.func.functionalize(lambda x: x.clone().add_(1)))(torch.ones(3)).code,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", TRACED)
def test_a_traced_program_is_the_same(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = TRACED[name]()
        for detail in DETAILS:
            with explorer.record(detail=detail) as trace:
                assert TRACED[name]() == expected
                w = torch.ones(2, requires_grad=True)
                (w * w).sum().backward()
            assert trace.gradient("w").tolist() == [2, 2] and not trace.limits


# ---- torch's counters ------------------------------------------------------------------------------------------------


def hook_ids():
    """Return the ids that hooks of every kind get."""
    net, x, ids = nn.Linear(2, 1), torch.ones(2, requires_grad=True), []
    ids += [net.register_forward_hook(lambda *_: None).id, x.register_hook(lambda _: None).id]
    net(x).sum().backward()
    torch.optim.Adam(net.parameters()).step()
    ids.append(net.register_full_backward_hook(lambda *_: None).id)
    y = net(x).sum()
    ids += [y.grad_fn.register_hook(lambda *_: None).id, y.grad_fn.register_prehook(lambda *_: None).id]
    ids.append(net.weight.register_post_accumulate_grad_hook(lambda _: None).id)
    y.backward()
    return [one - ids[0] for one in ids], RemovableHandle.next_id - ids[0]


def test_hooks_get_the_same_ids():
    expected = hook_ids()
    before = RemovableHandle.next_id
    with explorer.record():
        assert RemovableHandle.next_id == before
        assert hook_ids() == expected


def test_tensors_can_be_swapped():
    with explorer.record() as trace:
        one, other = nn.Parameter(torch.ones(3)), nn.Parameter(torch.zeros(2))
        (one * 2).sum().backward()
        swap_tensors(one, other)
        (other * other).sum().backward()
        net = nn.Linear(3, 2)
        weight = net.weight
        torch.__future__.set_swap_module_params_on_conversion(True)
        try:
            net(torch.ones(3)).sum().backward()
            net.double()
            net.load_state_dict(nn.Linear(3, 2).state_dict())
        finally:
            torch.__future__.set_swap_module_params_on_conversion(False)
        net(torch.ones(3, dtype=torch.float64)).sum().backward()
    assert weight is net.weight and weight.dtype is torch.float64
    assert (trace["one"].data, trace["other"].data) == ((0, 0), (1, 1, 1))
    assert trace.gradient("other", 2).tolist() == [2, 2, 2] and bool((trace.gradient("net.weight").tensor == 1).all())
    assert not trace.limits


def test_tensors_with_the_programs_weak_references_are_not_swapped():
    import weakref

    one, other = torch.ones(3), torch.zeros(3)
    kept = weakref.ref(one, lambda _: None)
    with explorer.record(), pytest.raises(RuntimeError, match="weakref"):
        one * other
        swap_tensors(one, other)
    assert kept() is one
