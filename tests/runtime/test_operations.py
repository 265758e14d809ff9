"""The record of an operation: place, name, and the tensors it read and wrote."""

import pytest

from explorer.program import CellSource, Program
from explorer.runtime.execute import execute
from explorer.trace import Options, Trace
from tests.corpus import facts_beside
from tests.programs import bound, entries, failure, near, operation_names, states, texts, traced, value


def cells(*sources: str, **options) -> Trace:
    return execute(Program([CellSource(source) for source in sources]), Options(**options)).check()


def rounds(trace, name: str) -> list[tuple[int, ...]]:
    """Return the iteration of every operation with a name."""
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
def test_operations_are_located_in_the_users_text(program, texts_in_order):
    assert texts(traced(program)) == texts_in_order


# ---- names ----------------------------------------------------------------------------------------------------------


def test_a_walrus_binds_too():
    assert value(traced("if (y := torch.ones(1) * 3).sum() > 0: pass"), "y") == 3


def test_a_name_refers_to_its_tensor_during_its_use():
    trace = traced("for p, q in zip(torch.ones(2), torch.zeros(2)):\n    r = p + q")
    for operation in (i for i, name in enumerate(operation_names(trace)) if name == "add"):
        [p] = [b.tensor for b in bindings(trace, "p") if b.start <= operation and (b.until > operation or b.until < 0)]
        assert p == trace.operations.inputs[operation][0]


# ---- cells ----------------------------------------------------------------------------------------------------------


def test_cells_share_names_and_have_separate_places():
    trace = cells("def f(t):\n    return t * 2\nx = torch.ones(1)", "y = f(x)\nx = y + 1")
    assert [(trace.text(span), trace.spans[span].cell) for span in trace.operations.span] == [
        ("torch.ones(1)", 0),
        ("t * 2", 0),
        ("y + 1", 1),
    ]
    assert (value(trace, "y"), value(trace, "x")) == (2, 3)


@pytest.mark.parametrize("stop, last", [(False, 4), (True, None)])
def test_a_failing_cell_stops_later_cells_only_on_request(stop, last):
    trace = cells("x = torch.ones(2)", "z = x.view(3)\nz = 1", "y = x.sum() * 2", stop_on_error=stop)
    assert [len(cell.outputs) for cell in trace.cells] == [0, 1, int(stop)] and trace.status == "error"
    assert (value(trace, "y") if trace.bound("y") is not None else None) == last


def test_a_cell_that_does_not_compile_has_an_error():
    trace = cells("x = torch.ones(2)", "y = = 2", "y = x * 4")
    assert failure(trace)[0] == "SyntaxError" and near(value(trace, "y"), [4, 4])


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
        ("x.data = torch.zeros(2, 2)", "data=", [[0, 0], [0, 0]]),
        ("torch.add(x, 1, out=x)", "add", [[2, 3], [4, 5]]),
        ("torch.nn.functional.relu(x.neg_(), inplace=True)", "relu", [[0, 0], [0, 0]]),
        ("x.copy_(torch.zeros(2, 2))", "copy_", [[0, 0], [0, 0]]),
    ],
)
def test_a_write_makes_a_version(write, writer, after):
    trace = traced(f"x = torch.tensor([[1., 2.], [3., 4.]])\n{write}")
    assert near(entries(trace, states(trace, "x")[0]), [[1, 2], [3, 4]]) and near(value(trace, "x"), after)
    assert versions(trace, "x")[-1][1] == writer


@pytest.mark.parametrize("detail", ["complete", "light"])
def test_a_write_through_numpy_is_detected_by_comparison(detail):
    trace = traced("x = torch.ones(2)\na = x.numpy()\ny = x * 2\na[0] = 9\nz = x * 2", detail=detail)
    assert versions(trace, "x") == [(0, "ones"), (0, None)]
    assert near(value(trace, "x"), [9, 1]) and near(value(trace, "y"), [2, 2]) and near(value(trace, "z"), [18, 2])


# ---- errors ---------------------------------------------------------------------------------------------------------


def test_every_example_inside_vmap_is_recorded():
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


DOUBLE = """\
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
"""
test_facts = facts_beside(__file__, globals())


@pytest.mark.parametrize(
    "body",
    [
        "for _ in range(3):\n    for _ in range(2):\n        x * 2",
        "for y in [x, x, x]:\n    for k in range(2):\n        y = x * k",
        "def f():\n    for _ in range(3):\n        for _ in [x, x]:\n            x * 2\n        x + 1\nf()",
        "for i in range(3):\n    y = torch.zeros(2)\n    for k in range(2):\n        y = y + x * k\n    y.sum()",
        "for i in range(3):\n    for k in range(2):\n        Double.apply(x)",
    ],
    ids=["one variable", "rebound", "in a function", "a line before the inner loop", "a function of one's own"],
)
def test_a_round_is_counted_once(body):
    trace = traced(f"{DOUBLE}x = torch.ones(2)\n{body}")
    assert rounds(trace, "mul") == [(i, k) for i in range(3) for k in range(2)]
