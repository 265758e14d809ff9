"""What is written down of an operation: where it stands, what it is called, which tensors it read and wrote."""

import numpy as np
import pytest

from explorer.program import CellSource, Program
from explorer.runtime.execute import execute
from explorer.trace import Options, Span, Trace
from tests.programs import (
    bound,
    entries,
    failure,
    near,
    node_names,
    node_of,
    operation_names,
    states,
    texts,
    traced,
    value,
)


def cells(*sources: str, **options) -> Trace:
    return execute(Program([CellSource(source) for source in sources]), Options(**options)).check()


def rounds(trace, name: str) -> list[tuple[int, ...]]:
    """The iteration of every operation with a name."""
    return [tuple(trace.operations.iteration[i]) for i, n in enumerate(operation_names(trace)) if n == name]


def bindings(trace, name: str) -> list:
    return [binding for binding in trace.bindings if binding.name == name]


def versions(trace, name: str) -> list[tuple[int, str | None]]:
    """torch's version counter and the writing operation at every state of a named tensor."""
    names = operation_names(trace)
    rows = trace.versions_of(bound(trace, name))
    writers = [trace.versions.operation[row] for row in rows]
    return [
        (trace.versions.version[row], names[op] if op >= 0 else None) for row, op in zip(rows, writers, strict=True)
    ]


def storages(trace, *names: str) -> list[int]:
    return [trace.tensors.storage[bound(trace, name)] for name in names]


# ---- places ---------------------------------------------------------------------------------------------------------


def test_every_part_of_an_expression_has_its_own_place():
    trace = traced("a = b = c = torch.ones(2)\ny = (a*b + c).sum()")
    assert texts(trace) == ["torch.ones(2)", "a*b", "a*b + c", "(a*b + c).sum()"]
    assert operation_names(trace) == ["ones", "mul", "add", "sum"]


@pytest.mark.parametrize(
    "program, texts_in_order",
    [
        ("x = torch.zeros(3)\nx[0] = 1.", ["torch.zeros(3)", "x[0] = 1."]),
        ("x = torch.zeros(3)\nx[0] += 1.", ["torch.zeros(3)", "x[0]", "x[0] += 1.", "x[0] += 1."]),
        ("x = torch.zeros(3)\nx.data = torch.ones(3)", ["torch.zeros(3)", "torch.ones(3)", "x.data = torch.ones(3)"]),
        ("x = torch.ones(2)\na, b = x", ["torch.ones(2)", "x"]),
        ("x = torch.ones(2, 2)\nfor row in x:\n    row + 1", ["torch.ones(2, 2)", "x", "row + 1", "row + 1"]),
        ("x = torch.ones(2)\ny = -x", ["torch.ones(2)", "-x"]),
        ("x = torch.ones(2)\nx += 1", ["torch.ones(2)", "x += 1"]),
        ("x = torch.ones(2)\n[x * i for i in range(2)]", ["torch.ones(2)", "x * i", "x * i"]),
        ("y = [x * i for x in torch.ones(1) for i in range(1)]", ["torch.ones(1)", "torch.ones(1)", "x * i"]),
        ("assert (torch.ones(1) > 0)", ["torch.ones(1)", "torch.ones(1) > 0", "torch.ones(1) > 0"]),
        ("f = lambda t: t + 1\ny = f(torch.ones(2))", ["torch.ones(2)", "t + 1"]),
        (
            "x = torch.ones(2)\nif (x > 0).all(): y = x.T",
            ["torch.ones(2)", "x > 0", "(x > 0).all()", "(x > 0).all()", "x.T"],
        ),
        (
            "y = torch.nn.functional.relu(\n    torch.ones(1)\n)",
            ["torch.ones(1)", "torch.nn.functional.relu(\n    torch.ones(1)\n)"],
        ),
        (
            "x = torch.ones(2)\ny = (x\n     .exp()\n     .sum())",
            ["torch.ones(2)", "x\n     .exp()", "x\n     .exp()\n     .sum()"],
        ),
    ],
)
def test_places_are_what_the_user_wrote(program, texts_in_order):
    assert texts(traced(program)) == texts_in_order


def test_columns_count_code_points():
    trace = traced("π = torch.tensor(3.)\ns = 'é日本'; y = (π*2 + 1).sin()")
    assert texts(trace)[1:] == ["π*2", "π*2 + 1", "(π*2 + 1).sin()"]
    assert trace.spans[trace.operations.span[1]] == Span(0, 2, 16, 2, 19)


def test_a_place_inside_a_called_function():
    trace = traced("def f(t):\n    return t * 2\ny = f(torch.ones(1))")
    assert trace.spans[trace.operations.span[1]] == Span(0, 2, 11, 2, 16)


# ---- names ----------------------------------------------------------------------------------------------------------


def test_a_name_is_bound_to_what_was_assigned():
    trace = traced("a = torch.ones(2)\nb = a * 2")
    [binding] = bindings(trace, "b")
    assert (trace.text(binding.span), trace.text(trace.operations.span[binding.start]), binding.until) == (
        "a * 2",
        "a * 2",
        -1,
    )


def test_a_rebound_name_stands_for_the_new_tensor():
    trace = traced("b = torch.ones(1)\nfirst = b\nb = b * 5\nlast = b + 0")
    old, new = bindings(trace, "b")
    assert old.tensor == bound(trace, "first") != new.tensor
    assert trace.text(trace.operations.span[old.until]) == "b * 5"
    assert trace["b"].data == (5.0,) and trace["first"].data == (1.0,)


def test_a_second_name_for_the_same_tensor():
    trace = traced("a = torch.ones(2)\nb = a\nc = a * 1")
    assert bound(trace, "a") == bound(trace, "b") != bound(trace, "c")


def test_an_augmented_assignment_keeps_tensor_and_name():
    trace = traced("b = torch.ones(2)\nsame = b\nb += 1")
    assert bound(trace, "b") == bound(trace, "same") and len(bindings(trace, "b")) == 1
    assert versions(trace, "b") == [(0, "ones"), (1, "add_")]


def test_a_loop_binds_its_names_in_every_round():
    trace = traced("x = torch.ones(1)\nfor i in range(3):\n    h = x * i\n")
    assert [
        float(trace.value(trace.versions.value[trace.versions_of(b.tensor)[-1]]).data[0]) for b in bindings(trace, "h")
    ] == [0, 1, 2]


def test_unpacking_binds_every_name():
    trace = traced("values, places = torch.tensor([3., 9.]).max(0)\n(a, b), c = torch.ones(2) * 4, torch.zeros(1)")
    assert (value(trace, "values"), value(trace, "places")) == (9, 1)
    assert (value(trace, "a"), value(trace, "b")) == (4, 4) and near(value(trace, "c"), [0])


def test_a_walrus_binds_too():
    assert value(traced("if (y := torch.ones(1) * 3).sum() > 0: pass"), "y") == 3


def test_parameters_and_locals_of_a_function_are_names():
    trace = traced("def f(t):\n    inner = t * 2\n    return inner + 1\nx = torch.ones(1)\ny = f(x)")
    assert bound(trace, "t") == bound(trace, "x") and value(trace, "inner") == 2 and value(trace, "y") == 3


def test_a_local_name_does_not_hide_the_module_levels():
    trace = traced("h = torch.ones(1)\ndef f():\n    h = torch.zeros(1)\n    return h + 1\ny = f()")
    assert value(trace, "h") == 1


def test_a_name_stands_for_its_tensor_while_it_is_used():
    trace = traced("for p, q in zip(torch.ones(2), torch.zeros(2)):\n    r = p + q")
    for operation in (i for i, name in enumerate(operation_names(trace)) if name == "add"):
        [p] = [b.tensor for b in bindings(trace, "p") if b.start <= operation and (b.until > operation or b.until < 0)]
        assert p == trace.operations.inputs[operation][0]


def test_names_of_leaves_that_no_mode_sees():
    trace = traced(
        "import numpy as np\na = torch.from_numpy(np.ones(2))\nb = torch.Tensor([1., 2.])\nc = torch.nn.Parameter(b)"
    )
    assert near(value(trace, "a"), [1, 1]) and near(value(trace, "b"), [1, 2]) and near(value(trace, "c"), [1, 2])
    assert trace.tensors.is_parameter[bound(trace, "c")] and trace.tensors.requires_grad[bound(trace, "c")]


def test_parameters_of_modules_have_paths():
    trace = traced("""
        net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
        net(torch.ones(1, 2)).sum().backward()
        """)
    shapes = {b.name: tuple(trace.shapes[trace.tensors.shape[b.tensor]]) for b in trace.bindings if "." in b.name}
    assert shapes == {"net.0.weight": (3, 2), "net.0.bias": (3,), "net.2.weight": (1, 3), "net.2.bias": (1,)}


def test_the_module_whose_forward_ran():
    trace = traced("""
        class Block(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = torch.nn.Linear(2, 2)
            def forward(self, x):
                return self.inner(x) + 1
        block = Block()
        y = block(torch.ones(1, 2))
        z = y * 2
        """)
    found = dict(zip(operation_names(trace), map(trace.string, trace.operations.module), strict=True))
    assert (found["linear"], found["add"], found["mul"]) == ("block.inner", "block", None)


def test_a_half_built_module_is_no_obstacle():
    trace = traced("""
        class Broken(torch.nn.Module):
            def __init__(self):
                pass
        broken = Broken()
        y = torch.ones(1) + 1
        """)
    assert trace.status == "ok" and value(trace, "y") == 2


# ---- cells ----------------------------------------------------------------------------------------------------------


def test_cells_share_names_and_have_places_of_their_own():
    trace = cells("def f(t):\n    return t * 2\nx = torch.ones(1)", "y = f(x)\nx = y + 1")
    assert [(trace.text(span), trace.spans[span].cell) for span in trace.operations.span] == [
        ("torch.ones(1)", 0),
        ("t * 2", 0),
        ("y + 1", 1),
    ]
    assert (value(trace, "y"), value(trace, "x")) == (2, 3)


@pytest.mark.parametrize("stop, last", [(False, 4), (True, None)])
def test_a_failing_cell_stops_the_later_ones_only_when_asked(stop, last):
    trace = cells("x = torch.ones(2)", "z = x.view(3)\nz = 1", "y = x.sum() * 2", stop_on_error=stop)
    assert [len(cell.outputs) for cell in trace.cells] == [0, 1, int(stop)] and trace.status == "error"
    assert (value(trace, "y") if trace.bound("y") is not None else None) == last


def test_a_cell_that_does_not_compile():
    trace = cells("x = torch.ones(2)", "y = = 2", "y = x * 4")
    assert failure(trace)[0] == "SyntaxError" and near(value(trace, "y"), [4, 4])


# ---- rounds of loops ------------------------------------------------------------------------------------------------


def test_rounds_of_nested_loops():
    trace = traced("x = torch.ones(1)\nfor i in range(2):\n    for j in range(3):\n        y = x * i\n    z = x + i")
    assert rounds(trace, "mul") == [(i, j) for i in range(2) for j in range(3)]
    assert rounds(trace, "add") == [(0,), (1,)] and rounds(trace, "ones") == [()]


def test_rounds_of_a_while_loop():
    trace = traced("x = torch.ones(1)\nn = 0\nwhile n < 3:\n    x = x * 2\n    n += 1")
    assert rounds(trace, "mul") == [(0,), (1,), (2,)]


def test_rounds_of_a_while_loop_with_a_tensor_condition():
    trace = traced("x = torch.ones(1)\nwhile x.sum() < 5:\n    x = x * 2\ny = x + 1")
    assert rounds(trace, "mul") == [(0,), (1,), (2,)] and rounds(trace, "add") == [()]


def test_rounds_count_the_loops_of_the_callers_too():
    trace = traced("""
        def f(t):
            for j in range(2):
                t = t * 2
            return t
        x = torch.ones(1)
        for i in range(2):
            x = f(x)
        """)
    assert rounds(trace, "mul") == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_rounds_that_continue_and_break():
    trace = traced("""
        x = torch.ones(1)
        for i in range(6):
            if i % 2: continue
            if i == 4: break
            y = x * i
        """)
    assert len(rounds(trace, "mul")) == 2 and len(set(rounds(trace, "mul"))) == 2


def test_a_range_that_begins_again_is_a_round_of_the_loop_around_it():
    trace = traced("""
        h, k = torch.ones(2), 0
        while True:
            for j in range(2):
                h = h * 2
            k += 1
            if k == 3: break
        for _ in "ab":
            for i in range(1):
                for j in range(1, 3):
                    h = h + 1
        """)
    assert rounds(trace, "mul") == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
    assert rounds(trace, "add") == [(0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 0, 1)]


def test_an_optimizers_step_is_one_round():
    trace = traced("""
        w = torch.nn.Parameter(torch.ones(2))
        v = torch.nn.Parameter(torch.ones(2))
        opt = torch.optim.SGD([w, v], lr=0.1)
        for i in range(3):
            opt.zero_grad()
            loss = (w * v).sum()
            loss.backward()
            opt.step()
        """)
    steps = {tuple(trace.operations.iteration[i]) for i, text in enumerate(texts(trace)) if text == "opt.step()"}
    assert steps == {(0,), (1,), (2,)}
    assert near(value(trace, "w"), [0.729, 0.729])


# ---- versions and storage -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "write, writer, after",
    [
        ("x[0] = 5.", "__setitem__", [[5, 5], [3, 4]]),
        ("x.t_()", "t_", [[1, 3], [2, 4]]),
        ("x.mul_(2)", "mul_", [[2, 4], [6, 8]]),
        ("torch.relu_(x.neg_())", "relu_", [[0, 0], [0, 0]]),
        ("x[:, 1].zero_()", "zero_", [[1, 0], [3, 0]]),
        ("x.data.fill_(7)", "fill_", [[7, 7], [7, 7]]),
        ("x.detach().add_(1)", "add_", [[2, 3], [4, 5]]),
        ("torch.add(x, 1, out=x)", "add", [[2, 3], [4, 5]]),
        ("torch.nn.functional.relu(x.neg_(), inplace=True)", "relu", [[0, 0], [0, 0]]),
        ("x.copy_(torch.zeros(2, 2))", "copy_", [[0, 0], [0, 0]]),
    ],
)
def test_a_write_makes_a_version(write, writer, after):
    trace = traced(f"x = torch.tensor([[1., 2.], [3., 4.]])\n{write}")
    assert near(entries(trace, states(trace, "x")[0]), [[1, 2], [3, 4]]) and near(value(trace, "x"), after)
    assert versions(trace, "x")[-1][1] == writer


def test_a_write_through_data_is_a_value_without_a_version_of_torchs_counter():
    trace = traced("x = torch.ones(2)\nx.data.mul_(3)\ny = x + 0")
    assert versions(trace, "x") == [(0, "ones"), (0, "mul_")]


@pytest.mark.parametrize("detail", ["complete", "light"])
def test_a_write_through_numpy_is_seen_by_comparison(detail):
    trace = traced("x = torch.ones(2)\na = x.numpy()\ny = x * 2\na[0] = 9\nz = x * 2", detail=detail)
    assert versions(trace, "x") == [(0, "ones"), (0, None)]
    assert near(value(trace, "x"), [9, 1]) and near(value(trace, "y"), [2, 2]) and near(value(trace, "z"), [18, 2])


def test_a_numpy_write_into_what_came_from_numpy():
    trace = traced("import numpy as np\na = np.ones(2)\nx = torch.from_numpy(a)\ny = x + 1\na[:] = 5\nz = x + 1")
    assert near(value(trace, "y"), [2, 2]) and near(value(trace, "z"), [6, 6]) and near(value(trace, "x"), [5, 5])


def test_a_view_sees_the_write_into_its_base_and_the_base_the_views():
    trace = traced("x = torch.zeros(2, 2)\nv = x[0]\nw = x.view(4)\nv.fill_(1.)\nx[1] = 2.")
    assert near(value(trace, "x"), [[1, 1], [2, 2]])
    assert near(value(trace, "v"), [1, 1]) and near(value(trace, "w"), [1, 1, 2, 2])


def test_a_write_into_a_view_rewrites_the_history_of_its_base():
    trace = traced("""
        a = torch.ones(2, 2, requires_grad=True)
        x = a * 1
        v = x[0]
        v.mul_(3)
        x.sum().backward()
        """)
    assert versions(trace, "x") == [(0, "mul"), (1, "mul_")]
    made = [trace.versions.node[version] for version in trace.versions_of(bound(trace, "x"))]
    assert node_names(trace, made) == ["MulBackward0", "CopySlices"]


def test_an_item_assignment_is_copy_slices():
    trace = traced("w = torch.ones(2, requires_grad=True)\nx = torch.zeros(3)\nx[:2] = w\nx.sum().backward()")
    assert node_names(trace, [node_of(trace, "x")]) == ["CopySlices"]
    tensor = bound(trace, "x")
    assert trace.tensors.requires_grad[tensor] and not trace.tensors.is_leaf[tensor]


def test_who_shares_memory():
    trace = traced("""
        import numpy as np
        a = np.zeros((2, 3))
        x = torch.from_numpy(a)
        view, turned, cut, other = x[1], x.T, x.detach(), x.clone()
        again = torch.from_numpy(a)
        """)
    x, view, turned, cut, other = storages(trace, "x", "view", "turned", "cut", "other")
    assert x == view == turned == cut != other
    strides = {name: trace.shapes[trace.tensors.stride[bound(trace, name)]] for name in ("x", "view", "turned")}
    assert strides == {"x": [3, 1], "view": [1], "turned": [1, 3]}
    assert trace.tensors.offset[bound(trace, "view")] == 3


def test_memory_used_again_is_another_storage():
    trace = traced("for i in range(5):\n    x = torch.full((100,), float(i))\n    first = x[0]\n    del x, first")
    made = {binding.tensor for binding in bindings(trace, "x")}
    assert len(made) == 5 and len({trace.tensors.storage[tensor] for tensor in made}) == 5


def test_an_operation_knows_which_version_it_read():
    trace = traced("x = torch.ones(1)\ny = x + 0\nx.add_(1)\nz = x + 0")
    read = [trace.operations.input_versions[i][0] for i, name in enumerate(operation_names(trace)) if name == "add"]
    assert read == [0, 1]


def test_inputs_and_outputs_are_tensors_in_order():
    trace = traced("a = torch.ones(1)\nb = torch.zeros(1)\nc = torch.cat([b, a], dim=0)\np, q = c.unbind()")
    last = operation_names(trace).index("cat")
    assert trace.operations.inputs[last] == [bound(trace, "b"), bound(trace, "a")]
    assert trace.operations.outputs[last] == [bound(trace, "c")]
    assert trace.operations.outputs[last + 1] == [bound(trace, "p"), bound(trace, "q")]


def test_shape_dtype_and_leaf_of_a_tensor():
    trace = traced("x = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)\ny = x.sum(0).long()")
    x, y, t = bound(trace, "x"), bound(trace, "y"), trace.tensors
    assert (trace.shapes[t.shape[x]], trace.strings[t.dtype[x]], t.requires_grad[x], t.is_leaf[x]) == (
        [2, 3],
        "float64",
        True,
        True,
    )
    assert (trace.shapes[t.shape[y]], trace.strings[t.dtype[y]], t.requires_grad[y]) == ([3], "int64", False)


def test_requires_grad_switched_on_later():
    trace = traced(
        "x = torch.ones(2)\nx.requires_grad = True\ny = torch.ones(2).requires_grad_()\n(x * y).sum().backward()"
    )
    assert trace.tensors.requires_grad[bound(trace, "x")] and trace.tensors.requires_grad[bound(trace, "y")]


def test_gradients_switched_off_are_written_down():
    trace = traced("x = torch.ones(1, requires_grad=True)\na = x * 2\nwith torch.no_grad():\n    b = x + 2")
    enabled = dict(zip(operation_names(trace), trace.operations.grad_enabled, strict=True))
    assert (enabled["mul"], enabled["add"]) == (True, False)


# ---- errors ---------------------------------------------------------------------------------------------------------


def test_an_operation_that_raised():
    trace = traced("a = torch.ones(2, 3)\nb = torch.ones(4, 5)\nc = a @ b + 1")
    assert failure(trace) == (
        "RuntimeError",
        "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
        "a @ b",
    )
    assert trace.string(trace.operations.error[-1]) == "RuntimeError" and texts(trace)[-1] == "a @ b"
    assert trace.operations.outputs[len(trace.operations) - 1] == []


def test_a_caught_error_stands_at_its_operation():
    trace = traced("try:\n    torch.ones(2) + torch.ones(3)\nexcept RuntimeError:\n    pass\ny = torch.ones(1)")
    assert trace.status == "ok" and [trace.string(error) for error in trace.operations.error].count("RuntimeError") == 1


def test_what_stands_after_an_error_is_not_run():
    trace = traced("x = torch.ones(2)\ny = x.reshape(5)\nz = x + 1")
    assert trace.bound("z") is None and np.all(value(trace, "x") == 1)


def test_inside_vmap_every_example_is_seen():
    trace = cells(
        "w = torch.tensor([1., 2.], requires_grad=True)\n"
        "def f(x):\n    h = w * x\n    return h.sum()\n"
        "y = torch.func.vmap(f)(torch.tensor([[1., 2.], [3., 4.], [5., 6.]]))\n"
        "z = torch.func.vmap(torch.func.vmap(lambda a: a + 1), in_dims=1)(torch.zeros(2, 3))\n"
        "y.sum().backward()"
    )
    first = trace.versions_of(bound(trace, "h"))[0]
    h = trace.value(trace.versions.value[first])
    assert h.shape == (3, 2) and h.data == (1.0, 4.0, 3.0, 8.0, 5.0, 12.0)
    assert trace.strings[trace.nodes.name[trace.versions.node[first]]] == "MulBackward0"
    shapes = [trace.value(v).shape for v in trace.versions.value if v >= 0]
    assert (3, 2) in shapes and trace.status == "ok"
