"""What stands in for parts of libraries behaves as they do where a program can see it."""

from importlib.util import find_spec

import pytest

from explorer.export import to_json
from explorer.trace import Printed, Refusal, Trace
from tests.traces import trace_of


def printed(trace: Trace) -> str:
    return "".join(output.text for cell in trace.cells for output in cell.outputs if isinstance(output, Printed))


def test_a_scripted_function_computes_line_by_line():
    trace = trace_of(
        """
        import torch
        from torch import nn
        @torch.jit.script
        def double(v):
            return v * 2
        traced = torch.jit.trace(nn.Linear(2, 3), torch.ones(1, 2))
        print(double(torch.ones(2)), traced(torch.ones(1, 2)).shape, torch.jit.is_scripting())
        """
    )
    assert (trace.status, printed(trace)) == ("ok", "tensor([2., 2.]) torch.Size([1, 3]) False\n")
    assert any(row["name"] == "mul" for row in to_json(trace)["operations"])


@pytest.mark.skipif(find_spec("tensorboard") is not None, reason="it is installed")
def test_a_library_that_is_missing_for_a_module_of_torch_is_named():
    trace = trace_of("from torch.utils.tensorboard import SummaryWriter")
    [output] = trace.cells[0].outputs
    assert output.text == "No module named 'tensorboard'"


def test_a_timer_measures_texts_and_functions():
    trace = trace_of(
        """
        import torch
        from torch.utils import benchmark
        x = torch.ones(10)
        by_text = benchmark.Timer("x.sum()", setup="import torch", globals={"x": x}, label="sum", description="text")
        first = by_text.timeit(10)
        by_function = benchmark.Timer(lambda: x.sum(), label="sum", description="function")
        second = by_function.blocked_autorange(min_run_time=0.001)
        print(type(first).__name__, first.median < 1, first.number_per_run)
        benchmark.Compare([first, second]).print()
        """
    )
    assert trace.status == "ok"
    assert printed(trace).startswith("Measurement True 10\n") and "text" in printed(trace)


@pytest.mark.parametrize("text", ["1 +", "return 5 +", "x ="])
def test_a_timed_text_that_is_no_code_is_an_error_as_anywhere(text):
    (failure,) = trace_of(f"import timeit\ntimeit.timeit({text!r}, number=1)").cells[0].outputs
    assert failure.type == "SyntaxError"


def test_a_timed_text_is_refused_with_the_reason_of_a_cell():
    (refusal,) = trace_of("import timeit\ntimeit.timeit('async def f(): pass', number=1)").cells[0].outputs
    assert (refusal.what, refusal.reason) == ("async def", "syntax") and isinstance(refusal, Refusal)


def test_names_put_into_an_object_are_its_own():
    trace = trace_of(
        """
        class A: pass
        a = A()
        d = vars(a)
        d["x"] = 1
        d.update(y=2, z=3)
        d |= {"w": 4}
        print(a.x, a.y, a.w, d.pop("z"), hasattr(a, "z"), d.setdefault("v", 5), a.v, d.popitem()[0])
        d.clear()
        print(vars(a), "x" in d)
        """
    )
    assert printed(trace) == "1 2 4 3 False 5 5 v\n{} False\n"


def test_the_environment_is_the_programs_own():
    import os

    os.environ["SECRET_OF_THE_PARENT"] = "1"
    trace = trace_of("import os\nos.environ['A'] = 'b'\nprint(dict(os.environ), os.getenv('SECRET_OF_THE_PARENT'))")
    assert printed(trace) == "{'A': 'b'} None\n" and "A" not in os.environ
    del os.environ["SECRET_OF_THE_PARENT"]


def test_a_sparse_tensor_keeps_the_places_it_was_checked_with():
    """torch lays it over the tensor of indices it is given, and writes where they say."""
    trace = trace_of(
        "i = torch.tensor([[0]])\ns = torch.sparse_coo_tensor(i, torch.ones(1), (2,))\n"
        "i.fill_(10**12)\nprint(s.to_dense().tolist())"
    )
    assert printed(trace) == "[1.0, 0.0]\n"
