"""Tensors that refuse some requests: recording them ends no program, and unreadable facts are left out."""

from textwrap import dedent

import pytest

from explorer.program import read_program
from explorer.runtime.execute import execute
from explorer.runtime.recorder import faults
from explorer.runtime.recorder.assemble import _Assembly
from explorer.runtime.recorder.recorder import Recorder
from explorer.runtime.recorder.states import TensorStates
from explorer.trace import Options, decode, encode
from tests.programs import failure, gradient, node_names, printed, traced, value

WILD = {
    "a view written to without gradients": """
        w = torch.ones(3, requires_grad=True)
        (w * 2).sum().backward()
        with torch.no_grad():
            w[0] -= 0.1 * w.grad[0]
            first = w[0]
            first += 1
        """,
    "rows filled one by one": """
        w = torch.ones(3, 2, requires_grad=True)
        with torch.no_grad():
            for row in w:
                row.fill_(1.0)
        """,
    "an output of several, written to": """
        w = torch.ones(3, requires_grad=True)
        one, two, three = (w * 2).unbind(0)
        with torch.no_grad():
            one.add_(1)
        print(two.requires_grad)
        """,
    "an embedding with padding": "e = torch.nn.Embedding(4, 3, padding_idx=1)\nprint(e(torch.tensor([1])))",
    "an orthogonal start": "lin = torch.nn.Linear(3, 3)\ntorch.nn.init.orthogonal_(lin.weight)",
    "inference mode": """
        with torch.inference_mode():
            x = torch.ones(3)
            y = x[0]
            y += 1
        print(x)
        """,
    "nested": "n = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])\nprint(n.unbind()[1] * 2)",
    "nested beside a number": """
        s = torch.ones((), requires_grad=True)
        n = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(4, 3)], requires_grad=True)
        sum((part * s).sum() for part in n.unbind()).backward()
        print(s.grad)
        """,
    "sparse": "s = torch.eye(3).to_sparse()\nr = torch.eye(3).to_sparse_csr()\nprint((s @ torch.ones(3, 1)).T, r)",
    "without entries": "m = torch.ones(3, device='meta') * 2\nprint(m.shape)",
    "not initialised yet": "lin = torch.nn.LazyLinear(2)\nw = lin.weight\nprint(lin(torch.ones(1, 3)).shape)",
    "conjugated and negated": "c = torch.ones(2, dtype=torch.cfloat).conj()\nprint(c.imag, c * 2)",
    "quantized": "q = torch.quantize_per_tensor(torch.ones(3), 0.5, 0, torch.qint8)\nprint(q, q.dequantize())",
    "escaped from vmap": """
        kept = []
        print(torch.func.vmap(lambda x: (kept.append(x), x * 2)[1])(torch.ones(3)))
        dead = kept[0]
        """,
    "escaped from grad": """
        kept = []
        print(torch.func.grad(lambda x: (kept.append(x), (x * 2).sum())[1])(torch.ones(3)))
        dead = kept[0]
        """,
    "a class that answers nothing": """
        class Mute(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                raise ValueError("not to be asked")
        mute = torch.ones(3).as_subclass(Mute)
        """,
    "a class that tells what it is asked": """
        class Told(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                print(function.__name__)
                return super().__torch_function__(function, types, args, kwargs)
        told = torch.ones(3).as_subclass(Told)
        twice = told * 2
        """,
    "memory taken away": "x = torch.ones(100)\nx.untyped_storage().resize_(0)\ny = torch.ones(2)",
    "memory cut short": "x = torch.ones(100)\nx.untyped_storage().resize_(8)\ny = x.detach()",
    "a zero without memory": "z = torch._efficientzerotensor((3,))\nprint(z.shape)",
    "fake": """
        from torch._subclasses.fake_tensor import FakeTensorMode
        with FakeTensorMode():
            f = torch.ones(3) * 2
        print(f.shape)
        """,
    "of no derivative": """
        t = torch.arange(5.0, requires_grad=True)
        counts, edges = torch.histogram(t, density=True)
        shown = counts * 2
        """,
    "a gradient of a gradient that is forbidden": """
        class Once(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2
            @staticmethod
            @torch.autograd.function.once_differentiable
            def backward(ctx, g):
                return g * 2
        x = torch.ones(2, requires_grad=True)
        g, = torch.autograd.grad(Once.apply(x).sum(), x, create_graph=True)
        print(g)
        """,
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("options", [{}, {"detail": "light"}, {"full": ("*",)}], ids=["complete", "light", "full"])
@pytest.mark.parametrize("source", WILD.values(), ids=WILD)
def test_no_tensor_breaks_the_recorder(source, options):
    trace = traced(dedent(source) + "\nprint('to the end')", **options)
    assert trace.status == "ok" and printed(trace).endswith("to the end\n")
    assert [bound for bound in trace.limits if bound.kind == "lost"] == []
    assert decode(encode(trace)) == trace


def test_the_recorder_calls_no_methods_of_custom_classes():
    assert printed(traced(WILD["a class that tells what it is asked"])) == "mul\n"


def test_a_view_written_to_without_gradients_keeps_its_value_and_the_gradient():
    trace = traced(WILD["a view written to without gradients"])
    assert value(trace, "w").tolist() == pytest.approx([1.8, 1, 1])
    assert gradient(trace, "w").tolist() == [2, 2, 2]


def test_tensors_with_truncated_memory_show_no_entries():
    trace = traced(WILD["memory cut short"])
    assert trace["y"].data is None and trace["y"].shape == (100,)


def test_a_nondifferentiable_node_is_in_the_graph_and_ends_backward():
    trace = traced(dedent(WILD["of no derivative"]) + "shown.sum().backward()")
    assert "NotImplemented" in node_names(trace)
    kind, text, _ = failure(trace)
    assert kind == "RuntimeError" and "histogram" in text


def test_many_views_of_one_array_share_one_storage():
    trace = traced("""
        import numpy as np
        x = np.ones(3)
        for i in range(100):
            y = torch.from_numpy(x) - torch.from_numpy(x)
        one, two, other = torch.from_numpy(x), torch.from_numpy(x), torch.ones(3)
        x[0] = 5
        one + two
        """)
    storage = trace.tensors.storage
    assert storage[trace.bound("one")] == storage[trace.bound("two")] != storage[trace.bound("other")]
    assert value(trace, "one").tolist() == value(trace, "two").tolist() == [5, 1, 1]


@pytest.mark.parametrize(
    "room, fault", [(Recorder, "_change"), (Recorder, "seen"), (TensorStates, "read"), (TensorStates, "made")]
)
def test_a_recorder_failure_is_counted_without_ending_the_program(monkeypatch, room, fault):
    def fail(*_args, **_kwargs):
        raise AttributeError("a fault")

    monkeypatch.setattr(room, fault, fail)
    trace = traced("""
        x = torch.ones(2, requires_grad=True)
        y = (x * 3).sum()
        y.backward()
        print(x.grad)
        """)
    assert printed(trace) == "tensor([3., 3.])\n" and trace.status == "ok"
    assert [bound.count > 0 for bound in trace.limits if bound.kind == "lost"] == [True]
    assert decode(encode(trace)) == trace


@pytest.mark.parametrize(
    "room, fault",
    [
        ("tensors.TensorBook", "compare"),
        ("storages.Storages", "enter"),
        ("source_map.SourceMap", "locate"),
        ("names.NameBook", "bind"),
        ("nodes.NodeBook", "_write"),
        ("nodes.NodeBook", "hook_below"),
        ("gradient_hooks.Sink", "accumulates"),
        ("gradient_hooks.Sink", "accumulated"),
    ],
)
def test_a_recorder_bug_does_not_change_gradients(monkeypatch, room, fault):
    def fail(*_args, **_kwargs):
        raise AttributeError("a fault")

    monkeypatch.setattr(f"explorer.runtime.recorder.{room}.{fault}", fail)
    program = read_program("-", b"x = torch.ones(2, requires_grad=True)\n(x * 3 + x).sum().backward()\nprint(x.grad)")
    trace = execute(program, Options(), operation_cap=1000).check()  # as a child does
    assert printed(trace) == "tensor([4., 4.])\n" and trace.status == "ok"
    assert [bound.count > 0 for bound in trace.limits if bound.kind == "lost"] == [True]
    assert decode(encode(trace)) == trace


def test_an_inconsistent_record_keeps_printed_output(monkeypatch):
    bindings = _Assembly.bindings

    def fail(assembly):
        if assembly.rows.bindings:
            raise KeyError("a fault")
        return bindings(assembly)

    monkeypatch.setattr(_Assembly, "bindings", fail)
    trace = traced("x = torch.ones(2)\ny = x * 2\nprint(y)")
    assert printed(trace) == "tensor([2., 2.])\n" and len(trace.operations) == 0
    assert [bound.kind for bound in trace.limits] == ["lost"]
    assert decode(encode(trace)) == trace


def test_a_recorder_failure_fails_a_test(monkeypatch):
    monkeypatch.setattr(faults, "STRICT", True)
    monkeypatch.setattr(Recorder, "_change", None)
    assert failure(traced("x = torch.ones(2)\nx += 1"))[0] == "Fault"


def test_outside_tests_a_recorder_failure_is_counted(monkeypatch):
    monkeypatch.setattr(faults, "STRICT", False)
    monkeypatch.setattr(Recorder, "_change", None)
    trace = traced("x = torch.ones(2)\nx += 1")
    assert trace.status == "ok" and [bound.kind for bound in trace.limits] == ["lost"]
