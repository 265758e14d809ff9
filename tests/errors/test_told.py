"""Sentences of explanations, and which fix is offered."""

from explorer.analysis.diagnose.errors.failure_context import Explanation
from explorer.analysis.diagnose.errors.replies import explain
from explorer.analysis.diagnose.errors.tensors.making import on_cpu
from explorer.text import say
from explorer.trace import Failure
from tests.traces import trace_of

HEAD = "import torch\nfrom torch import nn\na = torch.tensor([1., 2., 3.], requires_grad=True)\n"


def told(program: str) -> Explanation:
    """Return the explanation of a program's first error."""
    trace = trace_of(HEAD + program)
    outputs = ((i, one) for i, cell in enumerate(trace.cells) for one in cell.outputs)
    return next(explain(trace, i, one) for i, one in outputs if isinstance(one, Failure))


def cause(program: str) -> str:
    found = told(program)
    return say("en", f"error-{found.kind}.cause", **found.values)


def test_the_cause_names_the_saving_operation_and_the_overwriting_line():
    assert cause("y = a.exp()\ny += 1\ny.sum().backward()") == (
        "a.exp() on line 4 keeps its result y for the backward pass. "
        "y += 1 on line 5 overwrote it before y.sum().backward() could use it."
    )


def test_the_cause_names_axes_from_the_right():
    assert "At axis −1, A (2, 3) has 3 and b (4,) has 4" in cause("A = torch.ones(2, 3)\nb = torch.ones(4)\nA + b")


def test_the_cause_names_both_dtypes():
    program = "l = nn.Linear(2, 1)\nl(torch.tensor([[1, 2]]))"
    assert cause(program) == "The weights of l are float32, but its input is int64."


def test_the_suggested_transposition_shows_the_factors_shapes():
    for program, words in {
        "A = torch.ones(4, 5)\nB = torch.ones(7, 5)\nA @ B": "Transpose B: .T turns (7, 5) into (5, 7)",
        "A = torch.ones(4, 5)\nB = torch.ones(4, 6)\nA @ B": "Transpose A: .T turns (4, 5) into (5, 4)",
        "A = torch.ones(4, 5)\nB = torch.ones(7, 4)\nA @ B": "Swap the two factors",
        "v = torch.ones(4)\nB = torch.ones(7, 5)\nv @ B": "Choose sizes",
    }.items():
        found = told(program)
        assert words in say("en", f"error-{found.kind}.repair", **found.values)


def test_an_error_in_a_function_is_fixed_in_the_function():
    found = told("def f(A):\n    return A / A.sum(dim=1)\nf(torch.ones(2, 3))")
    assert "    return A / A.sum(dim=1, keepdim=True)" in found.repaired_source.split("\n")


def test_no_fix_is_offered_for_a_mismatched_state_dict():
    for given in ("{'weight': torch.ones(1, 2)}", "nn.Linear(3, 1).state_dict()", "nn.Linear(2, 4).state_dict()"):
        found = told(f"nn.Linear(2, 1).load_state_dict({given})")
        assert found.kind.startswith("state-dict-") and not found.repaired_source


def test_a_device_chosen_by_a_condition_stays():
    source = "device = 'cuda' if torch.cuda.is_available() else 'cpu'"
    assert on_cpu(source) == source


def test_the_tensor_that_carries_a_graph_over_has_the_name_that_it_had_then():
    added = "total = loss if i == 0 else total + loss"
    found = told(f"for i in range(2):\n    loss = (a * a).sum()\n    {added}\n    total.backward()")
    assert (found.kind, found.values["name"]) == ("graph-carried-over", "total")
