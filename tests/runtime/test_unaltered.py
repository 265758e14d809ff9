"""Recording changes nothing: prints, exceptions and side effects are the same with and without it."""

import contextlib
import gc
import io
import random
import sys
import types
import warnings
import weakref
from textwrap import dedent

import numpy
import pytest
import torch

import explorer
from explorer.runtime.recorder import training_call, training_steps
from explorer.trace import Failure, Printed, decode, encode
from tests.corpus import EVERYDAY, RARE
from tests.programs import failure, gradient, printed, traced, unattributed, value, warned

PROGRAMS = EVERYDAY | RARE


def plain(source: str) -> str:
    """Return a program's output without a recorder, and the exception that ended it."""
    torch.manual_seed(0), numpy.random.seed(0), random.seed(0)
    written = io.StringIO()
    with contextlib.redirect_stdout(written), warnings.catch_warnings(), torch.enable_grad():
        warnings.simplefilter("ignore")
        try:
            exec(compile(source, "<program>", "exec"), {"__name__": "__main__", "torch": torch})
        except Exception as problem:
            written.write(f"{type(problem).__name__}: {problem}")
    return written.getvalue()


@pytest.mark.sampled(6)
@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_a_recorded_program_prints_the_same_output(source):
    expected = plain(source)
    for detail in ("complete", "light"):
        trace = traced(source, detail=detail)
        ends = [
            f"{part.type}: {part.text}" for cell in trace.cells for part in cell.outputs if isinstance(part, Failure)
        ]
        assert printed(trace) + "".join(ends) == expected
        strays = {"UndefinedGradBackward"} if "gradcheck" in source else set()  # from a C function in gradcheck
        assert {*unattributed(trace)} == strays
        decode(encode(trace))


# ---- warnings -------------------------------------------------------------------------------------------------------


def test_a_warning_is_shown_once_per_line():
    trace = traced("""
        x = torch.ones(2, requires_grad=True)
        y = x * 2
        for i in range(3):
            y.grad
        """)
    [warning] = warned(trace)
    assert "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed" in warning


def test_two_lines_have_two_warnings():
    trace = traced("x = torch.ones(2, requires_grad=True)\ny = x * 2\ny.grad\ny.grad")
    assert [text.count("The .grad attribute") for text in warned(trace)] in ([1, 1], [2])


def test_the_programs_own_warning_is_shown():
    trace = traced("import warnings\nfor i in range(2):\n    warnings.warn('mind the gap')")
    [warning] = warned(trace)
    assert "UserWarning: mind the gap" in warning


QUIET = {
    "a complex root": """
        z = torch.tensor([1 + 1j, 2 - 1j], requires_grad=True)
        w = z * z
        w.backward(torch.ones_like(w))
        """,
    "many complex entries": "z = torch.ones(300, 200, dtype=torch.cfloat, requires_grad=True)\n(z * z).backward(z)",
    "complex parameters": """
        z = torch.nn.Parameter(torch.tensor([1 + 1j, 2 - 1j]))
        optimizer = torch.optim.Adam([z], lr=0.1)
        for step in range(4):
            optimizer.zero_grad()
            (z.abs() ** 2).sum().backward()
            torch.nn.utils.clip_grad_norm_([z], 1.0)
            optimizer.step()
        """,
    "numbers that overflow": """
        w = torch.nn.Parameter(torch.full((100,), 1e200, dtype=torch.float64))
        optimizer = torch.optim.SGD([w], lr=1e200)
        for step in range(3):
            optimizer.zero_grad()
            (w**2).sum().backward()
            optimizer.step()
        """,
}


@pytest.mark.parametrize("detail", ["complete", "light"])
@pytest.mark.parametrize("source", QUIET.values(), ids=QUIET)
def test_the_recorder_computes_without_a_warning(source, detail):
    trace = traced(f"import numpy, warnings\nwarnings.simplefilter('error')\n{dedent(source)}", detail=detail)
    assert trace.limits == [] and warned(trace) == [] and trace.end == "ok"
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        assert warned(traced(dedent(source), detail=detail)) == []
    assert heard == []


def test_the_recorders_warnings_are_not_the_programs(monkeypatch):
    def read(outputs) -> float:
        warnings.warn("of a loss that the recorder reads", stacklevel=1)
        return 0.0

    read.__code__ = read.__code__.replace(co_filename=training_call.__file__)
    monkeypatch.setattr(training_steps, "loss_of", read)
    trace = traced("""
        import warnings
        warnings.simplefilter('always')
        x = torch.ones(2, requires_grad=True)
        x.register_hook(lambda g: warnings.warn('of a hook'))
        (x * x).sum().backward()
        torch.nn.functional.l1_loss(x, torch.ones(1, 2))
        """)
    assert [text[:33].strip() for text in warned(trace)] == [
        "UserWarning: of a hook",
        "UserWarning: Using a target size",
    ]


def test_a_program_without_warnings_gets_none():
    trace = traced("""
        x = torch.tensor([1., 2.], requires_grad=True)
        h = x * 2
        loss = (h * h).sum()
        loss.backward()
        z = torch.tensor([1 + 2j]) * 2
        """)
    assert [part for cell in trace.cells for part in cell.outputs if isinstance(part, Printed)] == []


# ---- torch.func is opaque --------------------------------------------------------------------------------------------


def test_the_transforms_graph_is_recorded_inside_func():
    trace = traced("x = torch.tensor([1., 2.])\ng = torch.func.grad(lambda t: (t * t).sum())(x)")
    assert value(trace, "g").tolist() == [2, 4]
    [call] = trace.backwards
    assert [trace.strings[trace.nodes.name[node]] for node in call.order] == [
        "SumBackward0", "MulBackward0", "AccumulateGrad"
    ]  # fmt: skip
    assert trace.value(call.arrived[2][0]).data == (2, 4)


# ---- side effects ----------------------------------------------------------------------------------------------------


@pytest.fixture
def handed(monkeypatch):
    """Return a module that a test's program can import, and through which it hands things out."""
    module = types.ModuleType("handed")
    monkeypatch.setitem(sys.modules, "handed", module)
    return module


def test_the_programs_objects_are_freed(handed):
    handed.out = weakref.WeakSet()
    trace = traced("""
        import handed
        net = torch.nn.Linear(2, 2)
        x = torch.ones(1, 2)
        y = net(x)
        y.sum().backward()
        handed.out.update([x, y, net, net.weight, net.weight.grad, y.untyped_storage()])
        """)
    gc.collect()
    assert trace.status == "ok" and list(handed.out) == []


def test_torch_is_restored():
    def state():
        return (
            torch.autograd._engine_run_backward.__code__,
            torch.autograd._make_grads.__code__,
            getattr(torch.autograd.Function.apply, "__code__", vars(torch.autograd.Function).get("apply")),
            torch.nn.Module.__call__,
            torch.nn.Module.__dict__.get("_call_impl"),
            torch.is_grad_enabled(),
            torch.get_default_dtype(),
            torch._C._len_torch_function_stack(),
            torch.nn.modules.module._global_forward_hooks.copy(),
            torch.nn.modules.module._global_forward_pre_hooks.copy(),
            torch.initial_seed(),
            gc.isenabled(),
            warnings._showwarnmsg.__code__,
        )

    before, random_state = state(), torch.get_rng_state()
    traced("torch.set_grad_enabled(False)\ntorch.set_default_dtype(torch.float64)\ntorch.rand(3)\nraise ValueError")
    traced("net = torch.nn.Linear(1, 1)\nnet(torch.rand(1)).backward()\ntorch.rand(1) + torch.rand(1, 2, 3).q")
    assert state() == before and torch.equal(torch.get_rng_state(), random_state)


def test_hooks_on_a_surviving_graph_do_nothing(handed):
    trace = traced("""
        import handed
        x = torch.tensor([1., 2.], requires_grad=True)
        y = (x * x + x).sum()
        y.backward(retain_graph=True)
        handed.out = x, y
        """)
    x, y = handed.out
    before = encode(trace)
    y.backward()
    assert x.grad.tolist() == [6, 10] and encode(trace) == before


def test_a_surviving_graph_can_be_recorded_again(handed):
    traced("import handed\nx = torch.tensor([1., 2.], requires_grad=True)\nhanded.out = x, (x * x).sum()")
    again = traced("from handed import out\nx, y = out\nz = y * 2\nz.backward()")
    assert gradient(again, "x").tolist() == [4, 8] and gradient(again, "y") == 2


def test_a_failing_program_fails_the_same_way():
    source = "x = torch.ones(2, 3)\nx.view(4)"
    kind, text, place = failure(traced(source))
    assert f"{kind}: {text}" == plain(source) and place == "x.view(4)"


def test_leaves_of_earlier_rounds_are_released():
    with explorer.record():
        leaves = []
        for _ in range(3):
            x = torch.ones(10_000, requires_grad=True)
            x.sum().backward()
            leaves.append(weakref.ref(x))
        assert [leaf() is None for leaf in leaves] == [True, True, False]
