"""`explorer.record()`: the caller's own code in its own process, in a script or a notebook."""

import contextlib
import gc
import os
import resource
import subprocess
import sys
import threading
import warnings
import weakref
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest
import torch

import explorer
from explorer.runtime.recorder import calls
from explorer.runtime.recorder.engine import EnginePatch
from explorer.runtime.recorder.recorder import Recorder
from explorer.runtime.recorder.source_map import SourceMap
from explorer.trace import decode, encode
from tests.patience import PATIENT
from tests.programs import grad, near, node_names, operation_names, texts, unattributed

ROOT = Path(__file__).parents[2]


def test_the_callers_variables_are_recorded():
    with explorer.record() as trace:
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        y = (w * w).sum()
        y.backward()
    assert (trace["w"].data, trace["y"].data, trace.gradient("w").tolist()) == ((1, 2), (5,), [2, 4])
    assert w.grad.tolist() == [2, 4] and near(grad(trace, "w"), [2, 4])
    assert node_names(trace) == ["AccumulateGrad", "MulBackward0", "SumBackward0"] and trace.status == "ok"


def test_places_refer_to_the_callers_file():
    with explorer.record() as trace:
        a = torch.ones(2)
        b = (a * 3).sum()
    assert texts(trace) == ["torch.ones(2)", "a * 3", "(a * 3).sum()"] and b == 6
    assert trace.cells[0].source == Path(__file__).read_text(encoding="utf-8")
    line = trace.spans[trace.operations.span[1]].line
    assert trace.cells[0].source.split("\n")[line - 1].strip() == "b = (a * 3).sum()"


def test_tensors_and_modules_from_before_the_recording_are_named():
    net = torch.nn.Linear(2, 1)
    x = torch.ones(1, 2, requires_grad=True)
    h = x * 2
    with explorer.record() as trace:
        loss = net(h).sum()
        loss.backward()
    assert unattributed(trace) == ["MulBackward0"]  # made before
    assert {"net.weight", "net.bias", "x", "h", "loss"} <= {binding.name for binding in trace.bindings}
    assert torch.equal(trace.gradient("net.weight").tensor, net.weight.grad)


def test_a_function_of_the_same_file_has_its_own_places():
    def double(t):
        inner = t * 2
        return inner

    with explorer.record() as trace:
        y = double(torch.ones(1)) + 1
    assert texts(trace) == ["torch.ones(1)", "t * 2", "double(torch.ones(1)) + 1"]
    assert trace["inner"].data == (2,) and trace["y"].data == (3,) and y == 3


def test_an_exception_propagates_and_leaves_a_trace():
    recording = explorer.record()
    with pytest.raises(RuntimeError, match="must match the size"), recording:
        a = torch.ones(2, requires_grad=True) * 2
        a + torch.ones(3)
    assert recording["a"].data == (2, 2) and recording.backwards == []
    assert recording.string(recording.operations.error[-1]) == "RuntimeError"
    assert torch._C._len_torch_function_stack() == 0


def test_the_frames_of_an_error_are_the_codes_own():
    @explorer.record()
    def fails():
        return torch.ones(2) + torch.ones(3)

    with pytest.raises(RuntimeError) as raised:
        fails()
    assert {Path(str(one.path)).name for one in raised.traceback} == {Path(__file__).name}


def test_a_running_recording_cannot_be_entered_again():
    recording = explorer.record()
    with pytest.raises(RuntimeError, match="running"), recording, recording:
        pass
    assert torch._C._len_torch_function_stack() == 0
    with recording:
        a = torch.ones(2) * 3
    assert recording["a"].data == (3, 3) and a is not None


def test_a_refused_recording_leaves_torch_unchanged():
    engine = torch.autograd._engine_run_backward
    recorder = Recorder(SourceMap(), True)
    with recorder, EnginePatch(recorder) as patch:
        for twice in (recorder, patch):
            with pytest.raises(RuntimeError, match="has begun already"), twice:
                pass
    assert torch.autograd._engine_run_backward is engine and torch._C._len_torch_function_stack() == 0


def test_a_running_recording_has_no_trace():
    with explorer.record() as trace:
        torch.ones(1)
        with pytest.raises(RuntimeError, match="still running"):
            trace["x"]
        with pytest.raises(RuntimeError, match="still running"):
            len(trace.nodes)
    assert len(trace.operations) == 1


def test_an_unknown_detail_is_rejected():
    with pytest.raises(ValueError, match='"light" or "complete", not \'full\''):
        explorer.record(detail="full")


def test_recording_works_without_a_source_file():
    scope = {"explorer": explorer, "torch": torch}
    exec("with explorer.record() as trace:\n    x = torch.ones(2, requires_grad=True)\n    y = (x * 3).sum()", scope)
    trace = scope["trace"].trace.check()
    assert trace["y"].data == (6,) and len(trace.nodes) == 3


def test_a_recording_is_an_ordinary_trace():
    with explorer.record() as trace:
        x = torch.ones(100, requires_grad=True)
        (x * 2).sum().backward()
    assert decode(encode(trace.trace)) == trace.trace and trace["x"].data is None and trace["x"].mean == 1


def test_implicit_gradients_do_not_change_grad():
    with explorer.record() as trace:
        x = torch.tensor(3.0, requires_grad=True)
        y = x * x
    assert trace.gradient("x").item() == 6 and x.grad is None and trace.backwards[0].kind == "implicit"
    y.backward()
    assert x.grad == 6


def test_the_random_numbers_are_the_callers_own():
    torch.manual_seed(5)
    plain = torch.rand(2), torch.rand(2)
    torch.manual_seed(5)
    with explorer.record():
        first = torch.rand(2, requires_grad=True)
        torch.nn.functional.dropout(first.detach())
    torch.manual_seed(5)
    with explorer.record():
        first = torch.rand(2)
    assert torch.equal(first, plain[0]) and torch.equal(torch.rand(2), plain[1])


def test_warnings_are_shown_equally_often_with_a_recording():
    def program():
        w = torch.ones(2, requires_grad=True)
        for i in range(3):
            warnings.warn("once for this line", stacklevel=1)
            y = (w * i).sum()
            y.backward()

    def warned(*kept):
        calls.CALLS.clear()  # so that function names are looked up again
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("default")
            with contextlib.ExitStack() as records:
                for one in kept:
                    records.enter_context(one)
                program()
        return [str(one.message) for one in told]

    with explorer.record():
        pass
    assert warned() == warned(explorer.record()) == ["once for this line"]


def test_the_report_includes_warnings_that_python_hides():
    def program():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.nn.functional.mse_loss(torch.ones(2), torch.ones(1))  # the program hides this warning on purpose
        torch.nn.functional.l1_loss(torch.ones(2), torch.ones(1))
        warnings.warn("the program's own", stacklevel=1)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(2):
            with explorer.record() as trace:
                program()
            [warning] = trace.report().warnings
            assert "target size" in warning.text and warning.line == program.__code__.co_firstlineno + 4


@pytest.mark.parametrize("collecting", [True, False])
def test_the_garbage_collectors_state_belongs_to_the_program(collecting):
    was, threshold = gc.isenabled(), gc.get_threshold()
    try:
        gc.enable() if collecting else gc.disable()
        with explorer.record():
            assert gc.isenabled() is collecting and gc.get_threshold()[0] == 0
            gc.disable() if collecting else gc.enable()
        assert gc.isenabled() is not collecting and gc.get_threshold() == threshold
    finally:
        gc.enable() if was else gc.disable()


@pytest.mark.parametrize("detail", ["light", "complete"])
def test_a_finished_recording_leaves_no_garbage(detail):
    with explorer.record(detail=detail) as trace:
        w = torch.ones(2, requires_grad=True)
        recorder = weakref.ref(trace._recorder)
        for _ in range(50):
            w.square().sum().backward()
        gc.collect()
        gc.disable()
    try:
        assert recorder() is None
    finally:
        gc.enable()


def test_the_recording_releases_its_objects():
    with explorer.record() as trace:
        x = torch.ones(2, requires_grad=True)
        y = (x * 2).exp().sum()
        y.backward()
    there = [weakref.ref(x), weakref.ref(y)]
    del x, y
    assert [reference() for reference in there] == [None, None] and trace["y"].shape == ()


def test_a_warning_points_at_the_callers_line():
    with warnings.catch_warnings(record=True) as caught, explorer.record():
        warnings.simplefilter("always")
        y = torch.ones(2, requires_grad=True) * 2
        y.grad  # noqa: B018
    assert {warning.filename for warning in caught} == {__file__} and len(caught) == 1


def test_warnings_are_counted_by_the_callers_line_and_hidden_by_its_filters():
    def caught():
        y = torch.ones(2, requires_grad=True) * 2
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter("default")
            for _ in range(2):
                y.grad  # noqa: B018
            y.grad  # noqa: B018
            torch.nn.functional.mse_loss(torch.ones(2), torch.ones(2, 1))
            warnings.filterwarnings("ignore", module=__name__)
            y.grad  # noqa: B018
        return [(warning.filename, warning.lineno) for warning in shown]

    unrecorded = caught()
    with explorer.record() as trace:
        assert caught() == unrecorded and len(unrecorded) == 3
    assert len(trace.report().warnings) == 4


def test_other_threads_are_not_recorded_but_reported():
    with explorer.record() as trace:
        x = torch.ones(1)
        done = threading.Event()
        thread = threading.Thread(target=lambda: (torch.zeros(5) + 1, done.wait(PATIENT)))
        thread.start()
    done.set()
    thread.join()
    assert operation_names(trace) == ["ones"] and [limit.kind for limit in trace.limits] == ["threads"] and x == 1


def test_progress_bar_threads_are_not_reported():
    """It draws; nearly every training has one."""
    monitor = type("TMonitor", (threading.Thread,), {"__module__": "tqdm._monitor"})
    of_a_trainer = type("RefreshThread", (monitor,), {"__module__": "trainer.progress"})
    with explorer.record() as trace:
        monitor().start()
        of_a_trainer().start()
    assert not trace.limits


def test_recordings_can_be_nested():
    with explorer.record() as outer:
        x = torch.ones(1, requires_grad=True)
        with explorer.record() as inner:
            y = x * 2
            y.backward()
        z = x * 3
        z.backward()
    assert inner.gradient("x").item() == 2 and outer.gradient("x").item() == 3 and x.grad == 5
    assert texts(inner) == ["x * 2"] and texts(outer)[-1] == "x * 3"
    assert torch._C._len_torch_function_stack() == 0


def test_recording_works_under_no_grad():
    with torch.no_grad(), explorer.record() as trace:
        y = torch.ones(1, requires_grad=True) * 2
    assert not y.requires_grad and trace.nodes.name == [] and trace.operations.grad_enabled == [False, False]


@pytest.mark.parametrize("max_bytes", [90_000, 160_000])
def test_the_size_is_limited(max_bytes):
    with explorer.record(max_bytes=max_bytes) as trace:
        x = torch.ones(20, requires_grad=True)
        y = x
        for _ in range(800):
            y = y * 1.0 + 0.0
        y.sum().backward()
    assert len(encode(trace.trace)) <= max_bytes and trace.limits
    trace.trace.check()
    assert texts(trace)[0] == "torch.ones(20, requires_grad=True)" and texts(trace)[-1] == "y.sum()"
    assert trace["y"].data == (1,) * 20 and near(trace.gradient("x").tolist(), [1] * 20)


def test_operations_beyond_the_cap_are_counted_and_reported_once(capsys):
    w = torch.ones(70, requires_grad=True)

    def train(steps, **options):
        with explorer.record(detail="light", **options) as trace:
            for _ in range(steps):
                loss = (w * 2).sum()
                for _ in range(20):
                    loss = loss + 0.0
                loss.backward()
                w.grad = None
        return trace

    found = train(300, max_bytes=4_000_000)
    counted = sum(limit.count for limit in found.limits if limit.kind == "operations")
    assert counted > 2_000 and len(found.operations) + counted == 300 * 23
    assert found.backwards[0].status == found.backwards[-1].status == "ok" and found.gradient("w").norm
    assert capsys.readouterr().err.count("4 MB") == 1
    whole = train(130, max_bytes=None)
    assert len(whole.operations) == 130 * 23 and not [limit for limit in whole.limits if limit.kind == "operations"]
    assert not capsys.readouterr().err


def test_a_long_run_keeps_its_real_end(capsys):
    w = torch.tensor([4.0], requires_grad=True)
    with explorer.record(detail="light", max_bytes=300_000) as trace:
        for _ in range(1_500):
            loss = (w * w).sum()
            w.grad = None
            loss.backward()
            with torch.no_grad():
                w -= 0.001 * w.grad
    assert trace["loss"].item() == loss.item() and "of round 1,500" in str(trace.why("loss"))
    told = str(trace.report())
    assert f"loss: 16 → {loss.item():.3g} over 1,500 backward calls" in told
    (kept,) = [limit.count for limit in trace.limits if limit.kind == "backwards"]
    assert f"Of 1,500 backward calls {kept:,} were only counted." in told and kept > 500
    (row,) = trace.report().parameters
    assert not row.later and row.gradient.norm == w.grad.norm().item()


DEEP = """
    import os, resource
    import torch
    import explorer
    resource.setrlimit(resource.RLIMIT_STACK, (2 << 20, resource.getrlimit(resource.RLIMIT_STACK)[1]))

    with explorer.record() as trace:
        x = torch.ones(1, requires_grad=True)
        trunk = x
        for _ in range(17_500):
            trunk = trunk * 1.0
        y = trunk
        for _ in range(3_750):
            y = y * 1.0
        z = trunk
        for _ in range(3_750):
            z = z * 1.0
        y.backward(retain_graph=True)
        z.backward()
    assert len(trace.nodes) == 25_001 and trace.gradient("x").item() == 1
    kept = {"trunk": trunk, "y": y, "z": z}
    del trunk, y, z
    for order in ("trunk y z", "y trunk z", "y z trunk"):
        child = os.fork()
        if not child:  # on the copy of everything the record left behind
            for name in order.split():
                kept.pop(name)
            os._exit(0)
        print(order, os.waitpid(child, 0)[1], flush=True)
    del kept, trace
    print("end", 0)
    """


@pytest.mark.thorough
def test_deep_graphs_are_freed_on_an_ordinary_stack():
    """Uses as many nodes for the available stack as 100,000 nodes for 8 MB."""
    done = subprocess.run(
        [sys.executable, "-c", dedent(DEEP)], cwd=ROOT, capture_output=True, text=True, timeout=PATIENT
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 4 and all(line.endswith(" 0") for line in lines), lines


@pytest.mark.thorough
def test_recording_does_not_import_the_sandbox():
    code = (
        "import sys, torch, explorer\nwith explorer.record() as r:\n    torch.ones(1)\n"
        "print(len(r.operations), [name for name in sys.modules if 'explorer.sandbox' in name])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENT, check=True)
    assert done.stdout == "1 []\n"


def test_a_failed_backward_is_not_counted_as_a_missing_step():
    w = torch.ones(2, requires_grad=True)
    with explorer.record() as trace:
        for i in range(4):
            loss = (w * w).sum()
            if i == 1:
                loss.backward()
            with contextlib.suppress(RuntimeError):
                loss.backward()
    assert not any(bound.kind == "steps" for bound in trace.limits)
    assert sum(place.calls for place in trace.steps.places) == len(trace.steps) == 3


def test_uninitialised_bytes_are_not_recorded():
    """A recurrent layer saves a workspace with gaps that hold old memory."""

    def saved(before: float) -> list:
        torch.manual_seed(0)
        layer = torch.nn.LSTM(3, 4)
        freed = [torch.full((size,), before) for size in range(1, 400)]
        del freed
        with explorer.record(detail="complete") as trace:
            outputs, _ = layer(torch.ones(5, 2, 3))
            outputs.sum().backward()
        return [trace.value(value) for value in trace.saved.value if value >= 0]

    assert repr(saved(1.0)) == repr(saved(7.0)) and len(saved(1.0)) > 3


def page_faults_of_a_forked_recording() -> int:
    """Return how many memory pages a forked process touches while recording nothing."""
    end, theirs = os.pipe()
    if not os.fork():
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        with explorer.record():
            pass
        os.write(theirs, str(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before).encode())
        os._exit(0)
    os.close(theirs)
    with open(end) as reply:
        faults = int(reply.read())
    os.wait()
    return faults


def test_a_recording_does_not_touch_the_modules_of_others(monkeypatch):
    with explorer.record():
        pass
    before = page_faults_of_a_forked_recording()
    for name in (f"further{number}" for number in range(20_000)):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    assert page_faults_of_a_forked_recording() < before + 1_000  # a module takes 700 bytes of the parent's memory
