"""Facts about broadcasting and gradients from runs of the page's program and of user programs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysis.explain.autograd.formula_values import reduced
from explorer.analysis.views.broadcasting.alignment import align, readers
from explorer.analysis.views.broadcasting.operation import broadcasts, of_operation, of_program, unfloating
from explorer.analysis.views.broadcasting.question import OPERATORS, BroadcastQuestion, broadcast_program, operand
from tests.traces import trace_of


def asked(*texts, **more):
    """Return the question and the result of its program."""
    question = BroadcastQuestion(tuple(map(operand, texts)), **more)
    return question, of_program(trace_of(broadcast_program(question), full=("*",)), question)


def test_a_sum_of_a_column_and_a_row():
    _, found = asked("3, 1", "1, 2")
    assert found.values.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert found.parts[0].gradient.tolist() == [[2], [2], [2]] and found.parts[1].gradient.tolist() == [[3, 3]]
    assert all(part.stored for part in found.parts)


def test_a_starting_gradient_of_another_shape_is_ignored():
    _, found = asked("3, 1", "1, 2", start="given", given="[1., 2.]")
    assert found.upstream is None and found.values is not None
    assert all(part.gradient is None and part.given is None for part in found.parts)


def test_the_local_derivative_of_a_product_is_the_other_factor():
    _, found = asked("3, 1", "1, 2", operator="mul")
    read = list(readers((1, 0), (3, 1), (3, 2)))
    assert [(found.upstream[at], found.parts[0].local[at]) for at in read] == [(1, 0), (1, 1)]
    assert found.parts[0].gradient.tolist() == [[1], [1], [1]] and found.parts[1].gradient.tolist() == [[3, 3]]


def test_an_accidentally_broadcast_mean_squared_error_is_computed():
    _, found = asked("3, 1", "3", operator="square", start="mean")
    assert found.loss == pytest.approx(1.3333, abs=1e-4) and found.alignment.grown
    assert found.parts[0].gradient.ravel().tolist() == pytest.approx([-0.6667, 0, 0.6667], abs=1e-4)
    assert np.allclose(reduced(found.parts[0].given, (3, 1)), found.parts[0].gradient)


def test_a_mismatch_keeps_the_operands():
    _, found = asked("[[1., 2., 3.], [4., 5., 6.]]", "a.sum(1)", operator="div")
    assert found.values is None and found.alignment.clashes == (-1,)
    assert found.parts[1].values.tolist() == [6, 15]


def test_an_operand_used_twice_shows_its_own_share():
    _, found = asked("[[1., 2.], [3., 5.]]", "a.mean(1, keepdim=True)", operator="sub")
    a, b = found.parts
    assert a.gradient.tolist() == [[1, 1], [1, 1]] and not a.stored  # a.grad itself is 0, because the mean cancels it
    assert b.gradient.tolist() == [[-2], [-2]] and b.given is not None


def test_each_operand_of_a_chain_gets_the_product_of_its_local_derivatives():
    _, found = asked("[[2.], [3.]]", "[5., 7.]", "[[1.], [4.]]", operator="mul")
    assert found.parts[0].local.tolist() == [[5, 7], [20, 28]] and found.parts[0].gradient.tolist() == [[12], [48]]
    assert found.parts[2].local.tolist() == [[10, 14], [15, 21]]


def test_an_empty_result_has_no_entries():
    _, found = asked("3, 1", "1, 0")
    assert found.values.shape == (3, 0) and found.parts[0].gradient.tolist() == [[0], [0], [0]]


def test_all_entries_are_kept_up_to_the_limit():
    _, found = asked("200, 1", "300")
    assert found.values.shape == (200, 300) and found.values[199, 299] == 498
    assert found.parts[0].gradient[7, 0] == 300 and found.upstream.shape == (200, 300)


def test_whole_numbers_are_noticed():
    question = BroadcastQuestion((operand("torch.arange(3)"), operand("torch.ones(3) > 0"), operand("torch.ones(3)")))
    assert unfloating(trace_of(broadcast_program(question)), question) == ("a", "b")


def test_complex_numbers_have_values_and_gradients_but_no_written_sums():
    _, found = asked("torch.ones(2, 1) * 1j", "2", operator="mul")
    assert found.values[1, 1] == 1j and found.parts[0].gradient is not None and found.parts[0].given is None


def test_half_floats_agree_up_to_their_rounding():
    _, found = asked("torch.full((3, 1), 1.1, dtype=torch.bfloat16)", "torch.ones(2, dtype=torch.bfloat16)")
    assert found.parts[0].dtype == "bfloat16" and found.parts[0].given is not None


def test_operands_in_compressed_rows_have_no_plain_entries():
    _, found = asked("torch.eye(2).to_sparse_csr()", "torch.eye(2)")
    assert found.parts[0].opaque and not found.parts[1].opaque


PROGRAM = """
import torch
x = torch.arange(6.).reshape(3, 2).requires_grad_()
w = torch.tensor([1., 2.], requires_grad=True)
b = torch.tensor(3., requires_grad=True)
y = x * w + b
same = y + y
for i in range(3):
    y = y - y.mean(0)
p = x @ w
loss = (y ** 2).sum() + p.sum()
loss.backward()
worse = x / x.sum(1)
"""


def test_broadcasts_in_any_program_are_found():
    trace = trace_of(PROGRAM)
    found = broadcasts(trace)
    assert [(place.line, place.text, place.count) for place in found] == [
        (6, "x * w", 1), (6, "x * w + b", 1), (9, "y - y.mean(0)", 3), (13, "x / x.sum(1)", 1)
    ]  # fmt: skip
    assert found[0].shapes == ((3, 2), (2,)) and found[0].result == (3, 2)
    assert found[-1].result is None


def test_an_operation_in_a_run_shows_its_own_contribution():
    trace = trace_of("import torch\nw = torch.tensor([1., 2.], requires_grad=True)\nx = torch.ones(3, 2)\n"
                     "y = x * w\n(y.sum() + w.sum()).backward()")  # fmt: skip
    found = of_operation(trace, broadcasts(trace)[0])
    x, w = found.parts
    assert (x.name, w.name, found.result) == ("x", "w", "y")
    assert x.gradient is None  # plain data
    assert w.gradient.tolist() == [3, 3] and not w.stored  # w.grad is 4: w.sum() adds 1
    assert w.given.tolist() == [[1, 1]] * 3


def test_values_of_a_tensor_changed_later_are_those_that_were_read():
    trace = trace_of("import torch\na = torch.ones(2, 1)\nc = a + torch.zeros(3)\na.add_(5)")
    found = of_operation(trace, broadcasts(trace)[0])
    assert found.parts[0].values.tolist() == [[1], [1]] and found.parts[1].name == "torch.zeros(3)"


def test_an_operation_without_a_formula_shows_no_sums():
    trace = trace_of("import torch\na = torch.ones(2, 1, requires_grad=True)\n"
                     "c = torch.where(torch.ones(3) > 0, a, torch.zeros(1))\nc.sum().backward()")  # fmt: skip
    found = of_operation(trace, broadcasts(trace)[0])
    assert [part.name for part in found.parts] == ["torch.ones(3) > 0", "a", "torch.zeros(1)"]
    assert found.parts[1].gradient.tolist() == [[3], [3]] and found.parts[1].given is None


def test_a_loss_that_broadcast_its_inputs_is_offered():
    trace = trace_of("import torch\np = torch.ones(3, 1, requires_grad=True)\n"
                     "loss = torch.nn.functional.mse_loss(p, torch.zeros(3))\nloss.backward()")  # fmt: skip
    place = broadcasts(trace)[0]
    assert place.result == (3, 3) and of_operation(trace, place).values is None


SHAPES = st.lists(st.lists(st.sampled_from((1, 1, 2, 3, 0)), max_size=3).map(tuple), min_size=2, max_size=4)


@pytest.mark.thorough
@settings(max_examples=60, deadline=None)
@given(SHAPES, st.sampled_from([key for key, one in OPERATORS.items() if one.chained]), st.integers(0, 2**31))
def test_the_gradients_of_all_reads_sum_up_to_torchs(shapes, operator, seed):
    if align(shapes).result is None:
        return
    texts = [f"torch.rand({shape}, generator=torch.Generator().manual_seed({seed + at})) + 0.5"
             for at, shape in enumerate(shapes)]  # fmt: skip
    _, found = asked(*texts, operator=operator)
    for part in found.parts:
        assert np.allclose(reduced(part.given, part.shape), part.gradient, rtol=1e-4, atol=1e-5)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.integers(0, 3), max_size=3).map(tuple), st.lists(st.integers(1, 3), max_size=2).map(tuple))
def test_an_entrys_readers_are_those_its_gradient_sums_over(shape, more):
    result = align([shape, (*more, *shape)]).result
    given = np.random.default_rng(0).normal(size=result)
    summed = reduced(given, shape)
    for entry in np.ndindex(shape):
        assert sum(given[at] for at in readers(entry, shape, result)) == pytest.approx(summed[entry])
