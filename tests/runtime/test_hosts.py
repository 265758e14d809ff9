"""Recording leaves the host process unchanged, however it begins and ends."""

import collections
import contextlib
import gc
import signal
import threading
import types
import warnings

import numpy as np
import pytest
import torch

import explorer
from explorer.runtime.recorder import calls, recorder, roots, torch_patches
from tests.patience import PATIENT


def places():
    """Return the attributes that a recording replaces."""
    return (
        torch.autograd._engine_run_backward.__code__,
        torch.autograd._make_grads.__code__,
        getattr(torch.autograd.Function.apply, "__code__", vars(torch.autograd.Function).get("apply")),
        vars(torch.autograd.Function).get("_register_hook"),
        threading.Thread.start.__code__,
        warnings._showwarnmsg.__code__,
        len(torch.nn.modules.module._global_forward_pre_hooks),
        len(torch.nn.modules.module._global_forward_hooks),
        len(torch.overrides._get_current_function_mode_stack()),
        gc.isenabled(),
    )


@pytest.fixture(autouse=True)
def as_it_was():
    before = places()
    yield
    assert places() == before


def square(trace=None):
    x = torch.tensor(3.0, requires_grad=True)
    (x * x).backward()
    return x.grad.item()


def names():
    replaced = torch.autograd.Function.apply, torch.autograd._engine_run_backward, threading.Thread.start, warnings.warn
    return [(function.__name__, getattr(function, "__qualname__", "")) for function in replaced]


def test_replaced_functions_keep_their_names():
    before = names()
    with explorer.record():
        assert names() == before


def test_a_recording_that_cannot_start_has_no_side_effects(monkeypatch):
    def refuse(*_, **__):
        raise RuntimeError("no more hooks")

    before = places()
    monkeypatch.setattr(roots, "hook_into", refuse)
    with pytest.raises(RuntimeError, match="no more hooks"):
        explorer.record().__enter__()
    monkeypatch.undo()
    left = len(torch.nn.modules.module._global_forward_pre_hooks) - before[6]
    assert places()[:6] == before[:6] and left == 0
    assert square() == 6


def test_recordings_may_end_in_any_order():
    first, second = explorer.record(), explorer.record()
    first.__enter__()
    second.__enter__()
    x = torch.tensor(2.0, requires_grad=True)
    first.__exit__(None, None, None)
    (x * x).backward()
    second.__exit__(None, None, None)
    assert x.grad == 4 and square() == 6
    assert [len(first.backwards), len(second.backwards)] == [0, 1]


def test_each_thread_has_its_own_record():
    traces, begun = {}, threading.Barrier(2)

    def work(name, rounds):
        with explorer.record() as trace:
            begun.wait(PATIENT)
            for _ in range(rounds):
                square()
            begun.wait(PATIENT)
        traces[name] = trace

    threads = [threading.Thread(target=work, args=(rounds, rounds)) for rounds in (2, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {name: len(trace.backwards) for name, trace in traces.items()} == {2: 2, 5: 5}


def test_a_surviving_leaf_keeps_no_hook():
    w = torch.ones(3, requires_grad=True)
    net = torch.nn.Linear(3, 1)
    for _ in range(3):
        with explorer.record():
            net(w).sum().backward()
    for leaf in (w, *net.parameters()):
        node = torch.autograd.graph._get_grad_fn_or_grad_acc(leaf)
        assert hooks_of(node) == 0


def hooks_of(node) -> int:
    """Count a node's prehooks: the dictionary that a new one would join."""
    seen = []
    before = torch.autograd.Function._register_hook

    def look(hooks, hook):
        seen.append(0 if hooks is None else len(hooks))
        return before(hooks, hook)

    torch.autograd.Function._register_hook = staticmethod(look)
    try:
        node.register_prehook(lambda *_: None).remove()
    finally:
        del torch.autograd.Function._register_hook
    return seen[0]


def test_a_patch_placed_over_ours_stays():
    original = torch.autograd._engine_run_backward
    with explorer.record():
        ours = torch.autograd._engine_run_backward
        torch.autograd._engine_run_backward = lambda *args, **kwargs: ours(*args, **kwargs)
    assert square() == 6
    torch.autograd._engine_run_backward = original


def test_a_custom_backward_is_restored():
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2

    before = vars(Twice)["backward"]
    first, second = explorer.record(), explorer.record()
    first.__enter__()
    second.__enter__()
    x = torch.tensor(1.0, requires_grad=True)
    Twice.apply(x).backward()
    first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    assert vars(Twice)["backward"] is before and x.grad == 2
    assert not torch_patches.begun()


def test_a_graph_still_works_after_its_recording():
    x = torch.tensor(3.0, requires_grad=True)
    with explorer.record() as trace:
        y = x * x
    y.backward()
    assert x.grad == 6 and trace.backwards[0].kind == "implicit"


def raising() -> int:
    """Return the line of this file with the product that fails."""
    return 1 + next(i for i, line in enumerate(open(__file__)) if "torch.ones(2, 3) @" in line)


@pytest.mark.parametrize("count", [3, 5_000])
def test_overflowing_numbers_are_recorded_even_if_numpy_raises(count):
    x = torch.full((count,), 1e200, dtype=torch.float64, requires_grad=True)
    with np.errstate(all="raise"), explorer.record() as trace:
        (x * x).sum().backward()
    assert trace.gradient("x").maximum == 2e200


def names_of(trace) -> list[str]:
    return [trace.strings[name] for name in trace.operations.name]


def doubling(graph, _inputs):
    """Return a compiler whose code returns twice the function's result."""
    return lambda *inputs: tuple(2 * output for output in graph.forward(*inputs))


@pytest.mark.parametrize("compiled_inside", [False, True])
def test_a_compiled_function_runs_compiled_and_is_one_operation(compiled_inside):
    def step(x):
        return (x.sin() * 2).sum()

    x = torch.ones(3, requires_grad=True)
    before = torch.compile(step, backend=doubling)
    with explorer.record() as trace:
        loss = (torch.compile(step, backend=doubling) if compiled_inside else before)(x)
        loss.backward()
    assert loss.item() == trace["loss"].item() == before(x).item()
    assert names_of(trace) == ["compiled step"]
    assert torch.equal(trace.gradient("x").tensor, x.grad) and torch.allclose(x.grad, 4 * torch.cos(torch.ones(3)))


def test_recording_does_not_change_compilation():
    graphs = []

    def counted(graph, _inputs):
        graphs.append([str(node.target) for node in graph.graph.nodes])
        return graph.forward

    model = torch.compile(torch.nn.Linear(2, 1), backend=counted)
    for _ in range(3):
        model(torch.ones(3, 2)).sum().backward()
        with explorer.record() as trace:
            model(torch.ones(3, 2)).sum().backward()
    assert len(graphs) == 1 and names_of(trace) == ["ones", "compiled Linear", "sum"]
    assert trace.gradient("model._orig_mod.weight").tolist() == [[3, 3]]


def test_compiled_parts_of_a_model_are_operations_among_the_others():
    part = torch.nn.Linear(2, 2)
    part.compile(backend="eager")
    model = torch.nn.Sequential(part, torch.nn.ReLU())
    with explorer.record() as trace:
        model(torch.ones(3, 2)).sum().backward()
    assert names_of(trace) == ["ones", "compiled Linear", "relu", "sum"]


def test_a_function_run_uncompiled_is_recorded_by_its_code():
    with explorer.record() as trace, torch.compiler.set_stance("force_eager"):
        torch.compile(lambda x: x.sin() * 2, backend="eager")(torch.ones(3))
    assert names_of(trace)[-2:] == ["sin", "mul"]


def test_an_error_in_compiled_code_belongs_to_the_program():
    def broken(x):
        raise KeyError("own")

    with pytest.raises(KeyError, match="own"), explorer.record() as trace:
        torch.compile(broken, backend="eager")(torch.ones(3))
    assert trace.status == "error"
    with explorer.record() as trace:
        torch.ones(3).sin()
    assert names_of(trace) == ["ones", "sin"]


def test_a_compiled_model_does_not_warn_about_recorder_hooks():
    model = torch.compile(torch.nn.Linear(2, 1), backend="eager")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with explorer.record() as trace:
            model(torch.ones(3, 2)).sum().backward()
    assert not caught and not trace.report().warnings


def test_a_function_compiled_by_torch_is_one_operation():
    x = torch.ones(3, requires_grad=True)
    with explorer.record() as trace:
        torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,)).sum().backward()
    assert torch.allclose(x.grad, torch.cos(torch.ones(3)))
    assert len(names_of(trace)) == 4 and any("Cond" in trace.strings[name] for name in trace.nodes.name)


def test_nested_tensors_are_saved_and_drawn(tmp_path):
    parts = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(4, 3)], layout=torch.jagged, requires_grad=True)
    with explorer.record() as trace:
        (parts * 2).values().sum().backward()
    explorer.save(trace, tmp_path / "trace.json")
    assert explorer.draw(trace.trace).svg().startswith("<svg")


class Unreadable:
    """A host's object whose class cannot be read, like a dead weak proxy or a lazy importer."""

    @property
    def __class__(self):
        raise KeyboardInterrupt


class OwnNames(dict):
    """A namespace of the program's own."""

    def items(self):
        raise ValueError("items")

    keys = __iter__ = values = items


BLOCK = "with record():\n    w = torch.ones(2, requires_grad=True)\n    (w * w).sum().backward()\n"


@pytest.mark.parametrize("names", [dict, OwnNames])
@pytest.mark.parametrize("detail", ["light", "complete"])
def test_objects_of_the_program_are_not_inspected(names, detail):
    trace = explorer.record(detail=detail)
    variables = names(torch=torch, record=lambda: trace, strange=Unreadable(), held=[Unreadable()])
    exec(BLOCK, variables)
    assert dict.__getitem__(variables, "w").grad.tolist() == [2, 2] == trace.gradient("w").tolist()


@pytest.mark.parametrize("detail", ["light", "complete"])
def test_the_programs_exception_passes_through_with_odd_names(detail):
    variables = OwnNames(torch=torch, record=lambda: explorer.record(detail=detail), strange=Unreadable())
    with pytest.raises(LookupError, match="own"):
        exec(BLOCK + "    raise LookupError('own')", variables)


def test_a_warning_is_only_printed_if_warnings_are_errors(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with explorer.record():
            thread = threading.Thread(target=square)
            thread.start()
            thread.join()
    assert "thread" in capsys.readouterr().err


def test_a_program_without_standard_error_gets_nothing_on_standard_output(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr", None)
    with explorer.record(max_bytes=1):
        for _ in range(5_100):
            torch.ones(1)
    assert not capsys.readouterr().out


class Counting:
    """An unnamed replacement of a torch function that counts its calls."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, *args, **kwargs):
        self.calls += 1
        return self.function(*args, **kwargs)


def in_python(stand_in):
    return lambda *args, **kwargs: stand_in(*args, **kwargs)


@pytest.mark.parametrize("inside", [True, False])
def test_a_function_of_torch_that_the_program_replaced_is_called_once(monkeypatch, inside):
    calls.names_of_functions.cache_clear()
    softmax, backward = Counting(torch.nn.functional.softmax), Counting(torch.Tensor.backward)

    def patch():
        monkeypatch.setattr(torch.nn.functional, "softmax", softmax)
        monkeypatch.setattr(torch.Tensor, "backward", in_python(backward))

    if not inside:
        patch()
    with explorer.record() as trace:
        if inside:
            patch()
        x = torch.ones(2, requires_grad=True)
        (torch.nn.functional.softmax(x, 0) * x).sum().backward()
    calls.names_of_functions.cache_clear()
    assert softmax.calls == backward.calls == len(trace.backwards) == 1
    assert names_of(trace)[1] == "softmax" and x.grad.tolist() == pytest.approx([0.5, 0.5])


def counted_calls(monkeypatch, program, **options):
    """Count the calls of torch's public functions and methods of tensors and modules, except grad mode."""
    counts: collections.Counter = collections.Counter()

    def counting(name, function):
        def call(*args, **kwargs):
            counts[name] += 1
            return function(*args, **kwargs)

        return call

    kinds = (types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)
    own = {"__torch_function__", "__getattribute__", "__setattr__", "__init__", "__new__", "is_grad_enabled"}
    own |= {"__getitem__", "__setitem__"}  # once set, they would make every number a sequence for torch
    recorded = explorer.record(**options) if options else contextlib.nullcontext()
    with recorded, monkeypatch.context() as patches:
        for owner in (torch, torch.Tensor, torch.nn.Module, torch.linalg):
            for name in dir(owner):
                public = not name.startswith("_") or (owner is torch.Tensor and name.startswith("__"))
                if public and name not in own and isinstance(found := getattr(owner, name), kinds):
                    patches.setattr(owner, name, counting(f"{owner.__name__}.{name}", found))
        program()
    return counts


@pytest.mark.parametrize("options", [{"detail": "light"}, {"detail": "complete"}, {"full": True}])
def test_the_recorder_calls_nothing_that_the_program_may_have_replaced(monkeypatch, options):
    net = torch.nn.Sequential(torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), torch.nn.Linear(8, 3))
    optimizer, big = torch.optim.SGD(net.parameters(), 0.0), torch.ones(200, 200, requires_grad=True)

    def program():
        for _ in range(2):
            optimizer.zero_grad()
            net(torch.ones(2, 3, 8)).relu().sum().backward()
            optimizer.step()
        (big @ big * torch.ones(3, dtype=torch.complex64).abs().sum()).mean().backward()
        (big.detach().bfloat16() * float("nan")).to_sparse()

    program()
    plain = counted_calls(monkeypatch, program)
    assert counted_calls(monkeypatch, program, **options) == plain and plain["Tensor.add_"]


class Alarm(Exception):
    """Raised by a signal handler of the program."""


def alarm(*_):
    raise Alarm


@pytest.fixture
def handled():
    before = signal.signal(signal.SIGTERM, alarm)
    yield
    assert signal.getsignal(signal.SIGTERM) is alarm
    signal.signal(signal.SIGTERM, before)


def with_signal(monkeypatch, owner, name):
    """Deliver a signal in the next call of one of our functions."""
    function = getattr(owner, name)

    def signalled(*args, **kwargs):
        monkeypatch.undo()
        signal.raise_signal(signal.SIGTERM)
        return function(*args, **kwargs)

    monkeypatch.setattr(owner, name, signalled)


def test_a_signal_at_the_start_of_a_recording_has_no_side_effects(monkeypatch, handled):
    trace = explorer.record()
    with_signal(monkeypatch, roots, "hook_into")
    with pytest.raises(Alarm), trace:
        pass
    assert square() == 6 and trace.trace is None
    with trace:
        square()
    assert len(trace.backwards) == 1


def test_a_signal_during_the_end_of_a_recording_is_delivered_after_it(monkeypatch, handled):
    with pytest.raises(Alarm) as raised, explorer.record() as trace:
        square()
        with_signal(monkeypatch, recorder, "name_all")
        raise LookupError("own")
    assert isinstance(raised.value.__context__, LookupError) and len(trace.backwards) == 1


@pytest.mark.parametrize("name", ["kept_arguments", "tensors_in"])
def test_an_exception_of_a_signal_handler_inside_our_code_reaches_the_program(monkeypatch, handled, name):
    with explorer.record():
        with_signal(monkeypatch, recorder, name)
        with pytest.raises(Alarm):
            square()
        monkeypatch.undo()
        assert square() == 6


def test_functions_are_transformed_like_without_a_recording():
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, arrived):
            return 2 * ctx.saved_tensors[0] * arrived

    with explorer.record():
        assert torch.func.grad(Square.apply)(torch.tensor(3.0)) == 6
