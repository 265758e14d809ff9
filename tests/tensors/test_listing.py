"""The list of a program's tensors, and one in full."""

import numpy as np
import pytest
from msgspec import structs

from explorer.analysis.views.tensors.line_picture import is_about_memory, line_picture
from explorer.analysis.views.tensors.memory import sharing
from explorer.analysis.views.tensors.program_lines import branches_not_run, value_of
from explorer.analysis.views.tensors.tensor_list import tensor_list
from explorer.analysis.views.tensors.views import tensor_view
from explorer.program import CellSource, Program
from explorer.runtime.execute import execute
from explorer.sandbox import default_runner
from explorer.trace import Options, Trace
from tests.measured import grows_in_proportion
from tests.traces import trace_of

CELLS = (
    "import torch",
    "x = torch.arange(12)\nx.shape  # 12\n\nX = x.reshape(3, 4)\nX",
    "def twice(x):\n    return 2 * x\n\nprint(twice(X).sum(), x)",
    "x += 1\nlen(x)",
    "x",
    "'nothing of it: ' + str(1)",
    "y = torch.ones(2)\ndef other():\n    y = torch.zeros(3)\n    return y\nz = other()\ny",
    "y = 'a word'\ny",
)


def rows(source: str) -> list[tuple]:
    return [(one.place.line, one.name, one.shape) for one in tensor_list(trace_of(source))]


def test_names_are_listed_at_their_lines_and_results_by_their_expressions():
    assert rows("x = torch.arange(6)\nX = x.reshape(2, 3)\nX.T\nX.sum().item()") == [
        (1, "x", (6,)),
        (2, "X", (2, 3)),
        (3, "X.T", (3, 2)),
        (4, "X.sum()", ()),
    ]


def test_intermediate_results_are_not_listed():
    assert rows("x = torch.ones(3)\ny = (x * 2 + 1).sum()") == [(1, "x", (3,)), (2, "y", ())]


def test_a_line_shows_the_tensor_after_the_line():
    trace = trace_of("x = torch.zeros(2)\nx += 1\nx[0] = 5\nx = x * 2")
    assert [(one.place.line, value_of(trace, one.version).data) for one in tensor_list(trace)] == [
        (1, (0, 0)),
        (2, (1, 1)),
        (3, (5, 1)),
        (4, (10, 2)),
    ]


def test_a_write_through_numpy_is_listed_at_its_line():
    trace = trace_of("import numpy as np\na = np.ones(2)\nb = torch.from_numpy(a)\na += 1")
    found = [(one.place.line, one.name, value_of(trace, one.version).data) for one in tensor_list(trace)]
    assert found == [(3, "b", (1, 1)), (4, "b", (2, 2))]


def test_parameters_are_listed_where_their_module_was_created():
    found = rows("net = torch.nn.Linear(2, 1)\nnet(torch.ones(1, 2))")
    assert found == [(1, "net.weight", (1, 2)), (1, "net.bias", (1,)), (2, "net(torch.ones(1, 2))", (1, 1))]


def test_arguments_are_listed_at_their_introduction():
    assert rows("def f(a):\n    q = a * 2\n    return q + 1\nr = f(torch.ones(2))") == [
        (1, "a", (2,)),
        (2, "q", (2,)),
        (4, "r", (2,)),
    ]


def test_a_view_knows_names_versions_and_autograd():
    trace = trace_of("w = torch.ones(2, requires_grad=True)\nv = w\ny = (w * 3).sum()\ny.backward()\nw.data *= 2")
    view = tensor_view(trace, trace.bound("w"))
    assert [(one.name, one.place.line) for one in view.names] == [("w", 1), ("v", 2)]
    assert (view.requires_grad, view.is_leaf, view.grad.data, view.value.data) == (True, True, (3, 3), (2, 2))
    assert [(state.place.line, state.text) for state in view.states] == [
        (1, "torch.ones(2, requires_grad=True)"),
        (5, "w.data *= 2"),
    ]


def test_every_type_has_its_size_and_kind():
    for dtype, size in (("bfloat16", 2), ("float64", 8), ("bool", 1), ("complex64", 8), ("int16", 2)):
        view = tensor_view(trace := trace_of(f"x = torch.ones(3, dtype=torch.{dtype})"), trace.bound("x"))
        assert (view.dtype, view.size, view.entries) == (dtype, 3 * size, 3)


def test_a_parameter_made_in_a_class_is_listed_with_the_entries_that_it_got_there():
    trace = trace_of("""
        from torch import nn
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 2)
        net = Model()
        """)
    listed = [one for one in tensor_list(trace) if one.name == "net.layer.weight"]
    assert [trace.value_at(one.version) for one in listed] == [trace["net.layer.weight"]]


def test_a_sparse_tensor_has_a_shape_but_no_strides():
    view = tensor_view(trace := trace_of("s = torch.eye(3).to_sparse()"), trace.bound("s"))
    assert (view.shape, view.strided, view.stride) == ((3, 3), False, ())
    assert view.value.data == (1, 0, 0, 0, 1, 0, 0, 0, 1)


def test_a_branch_for_a_missing_device_is_found():
    source = "x = torch.ones(2)\nif torch.cuda.is_available():\n    y = x.cuda()\n    y + 1\nz = x + 1"
    (branch,) = branches_not_run(trace_of(source))
    assert (branch.place.line, branch.last) == (2, 4)


def test_the_alternative_branch_that_ran_is_not_reported_as_skipped():
    source = "if not torch.cuda.is_available():\n    y = torch.ones(2)"
    assert not branches_not_run(trace_of(source))


def test_long_blank_lines_do_not_delay_the_server():
    def padded(size: int) -> Trace:
        nothing = f"#{' ' * size}\n#{', ' * (size // 2)}"
        return trace_of(f"import numpy as np\nn = np.ones(2)\n{nothing}\nx = torch.from_numpy(n)\nn += 1")

    def look(size: int) -> None:
        trace = structs.replace(traces[size])  # a copy without cached results
        assert len(tensor_list(trace)) == 2 and not branches_not_run(trace) and sharing(trace)

    traces = {size: padded(size) for size in (10_000, 80_000)}
    assert grows_in_proportion(look, 10_000)


def test_the_source_of_a_write_is_not_listed_as_a_result():
    tensors = tensor_list(trace_of("x = torch.ones(2)\nx[:] = x + 1\nx * 2"))
    assert [(one.name, one.place.line) for one in tensors] == [("x", 1), ("x", 2), ("x * 2", 3)]


def test_an_unpacked_result_is_from_the_last_round_despite_an_equal_name_in_a_function():
    trace = trace_of(
        "import torch\nw = torch.tensor(2., requires_grad=True)\nloss = 0\n"
        "def two(x):\n    o = x * w\n    return o + 1, x\n"
        "for i in range(3):\n    o, x = two(torch.tensor(float(i)))\n    loss = loss + o\nloss.backward()\n"
    )
    o = next(one for one in tensor_list(trace) if one.key == "o@0.8")
    assert value_of(trace, o.version).data == (5.0,)


@pytest.mark.parametrize(
    "step",
    [
        "    opt.step()",
        "    with torch.no_grad():\n        w -= 0.1 * w.grad\n        b -= 0.1 * b.grad",
        "    with torch.no_grad():\n        for p in [w, b]:\n            p -= 0.1 * p.grad",
    ],
)
def test_every_parameter_that_a_training_changed_is_listed_with_its_last_value(step):
    trace = trace_of(
        "w = torch.ones(2, requires_grad=True)\nb = torch.zeros(1, requires_grad=True)\n"
        "opt = torch.optim.SGD([w, b], lr=0.1)\n"
        f"for k in range(3):\n    opt.zero_grad()\n    ((w * 2).sum() + b).backward()\n{step}"
    )
    listed = {one.name: value_of(trace, one.version) for one in tensor_list(trace)}
    assert {name: listed[name] for name in "wb"} == {name: trace.latest(trace.bound(name)) for name in "wb"}


def test_a_later_backward_writes_a_read_gradient():
    trace = trace_of("""
        w = torch.tensor([1., 2.], requires_grad=True)
        (w * 3).sum().backward()
        g = w.grad
        (w * w).sum().backward()
    """)
    states = tensor_view(trace, trace.bound("g")).states
    assert [(state.by, state.place.line) for state in states] == [("operation", 4), ("backward", 5)]
    listed = [(one.place.line, value_of(trace, one.version).data) for one in tensor_list(trace) if one.name == "g"]
    assert listed == [(4, (3, 3)), (5, (5, 7))]


def test_a_gradient_read_in_a_loop_is_listed_as_last_read():
    trace = trace_of("""
        w = torch.tensor([1., 2.], requires_grad=True)
        for k in range(3):
            (w * 3).sum().backward()
            w.grad
    """)
    (row,) = [one for one in tensor_list(trace) if one.name == "w.grad"]
    assert value_of(trace, row.version).data == (9, 9)


def test_batch_norm_writes_its_running_averages():
    trace = trace_of("""
        x = torch.tensor([[1., 4.], [3., 8.]])
        norm = torch.nn.BatchNorm1d(2)
        out = norm(x)
        norm.eval()
        out = norm(x)
    """)
    mean = trace.bound("norm.running_mean")
    states = tensor_view(trace, mean).states
    assert [(state.by, state.place.line) for state in states][-1] == ("operation", 4)
    (row,) = [one for one in tensor_list(trace) if one.tensor == mean and one.place.line == 4]
    assert np.allclose(value_of(trace, row.version).data, (0.2, 0.6))


def test_the_result_of_unrecorded_rounds_is_listed_last():
    program = """
import torch
w = torch.tensor([1., 2.], requires_grad=True)
for k in range(3000):
    loss = (w * w).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.001 * w.grad
    w.grad = None
"""
    trace = execute(Program([CellSource(program)]), Options(), operation_cap=400)
    last = tensor_list(trace)[-1]
    assert (last.name, last.place) == ("w", None)
    assert np.allclose(value_of(trace, last.version).data, np.array([1, 2]) * 0.998**3000, rtol=1e-3)
    assert tensor_view(trace, last.tensor).states[-1].by == "counted"


def test_a_tensor_written_through_another_name_is_listed_last():
    trace = trace_of("w = torch.ones(2, requires_grad=True)\nraw = w.data\nraw *= 100")
    listed = [(one.place and one.place.line, one.name, value_of(trace, one.version).data) for one in tensor_list(trace)]
    assert listed == [(1, "w", (1, 1)), (2, "raw", (1, 1)), (3, "raw", (100, 100)), (None, "w", (100, 100))]


@pytest.fixture(scope="module")
def trace():
    return default_runner().submit(Program([CellSource(cell) for cell in CELLS])).result()


def seen(trace, cell: int, line: int | None) -> tuple[int, str, int] | None:
    """Return the shown line and view, and for a tensor its last writing line."""
    shown = line_picture(trace, cell, line)
    if shown is None:
        return None
    if shown.call is not None:
        return shown.line, shown.call.text, shown.call.line
    return shown.line, shown.tensor.name, shown.tensor.place.line


@pytest.mark.parametrize(
    "cell, line, picture",
    [
        (0, None, None),
        (1, 1, (1, "x", 1)),
        (1, 2, (2, "x", 1)),  # reads it
        (1, 3, (2, "x", 1)),  # for an empty line, the nearest line above
        (1, 4, (4, "x.reshape(3, 4)", 4)),
        (1, 5, (5, "X", 4)),
        (2, 1, (2, "2 * x", 2)),  # nothing above, so the nearest line below
        (2, None, (4, "twice(X).sum()", 4)),
        (3, 1, (1, "x += 1", 1)),
        (3, 2, (2, "x", 1)),
        (4, None, (1, "x", 1)),  # the state that cell 4 left
        (5, None, None),
        (6, 6, (6, "y", 1)),  # the function's y is another tensor
        (7, None, None),  # no longer a tensor
    ],
)
def test_a_line_shows_its_graph_values_or_memory(trace, cell, line, picture):
    assert seen(trace, cell, line) == picture


def test_memory_is_preselected_if_a_write_changes_several_names():
    program = Program([CellSource("x = torch.arange(6)\nX = x.view(2, 3)\nT = torch.ones(2, 2).T\nX[0] = 1\nT + 1")])
    trace = default_runner().submit(program).result()
    assert [line for line in range(1, 6) if is_about_memory(trace, 0, line)] == [2, 4]
