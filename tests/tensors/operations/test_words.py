"""A picture's words: the arithmetic of an entry, the sentence of the call, why something is not traced."""

import re

import pytest

from explorer.analysis.explain.entries.entry_arithmetic import entry_words
from explorer.analysis.explain.entries.entry_sentences import promotion, sentences
from explorer.analysis.explain.entries.operation_view import call_to_show, curve, operation_view, operations, terms
from explorer.drawing.operations import operation_html
from tests.traces import trace_of


def seen(program: str, **options):
    """Return the view of the last call with a picture."""
    trace = trace_of(f"import torch\n{program}", **options)
    return operation_view(trace, max(one.operation for one in operations(trace)))


A = "a = torch.tensor([[1., 2.], [3., -4.]])\nb = torch.tensor([[5., 6.], [7., 8.]])\n"


@pytest.mark.parametrize(
    "line, entry, words",
    [
        ("c = a @ b", 1, "c[0, 1] = 1·6 + 2·8 = 22"),
        ("c = a @ b", 2, "c[1, 0] = 3·5 + (−4·7) = −13"),
        ("c = a.sum(0)", 1, "c[1] = 2 + (−4) = −2"),
        (
            "r = torch.arange(1., 11.)\nc = torch.nn.functional.linear(r, r[None] % 3, torch.tensor([9.]))",
            *(0, "c[0] = 1·1 + 2·2 + 3·0 + 4·1 + 5·2 + 6·0 + … + 9 = 61"),
        ),
        ("c = a.mean()", 0, "c = (1 + 2 + 3 + (−4)) / 4 = 0.5"),
        ("c, d = a.max(1)", 0, "c[0] = max(1, 2) = 2"),
        ("c = a.T", 1, "c[0, 1] = a[1, 0] = 3"),
        ("c = a + 1", 0, "c[0, 0] = a[0, 0] + 1 = 1 + 1 = 2"),
        ("c = a.relu()", 3, "c[1, 1] = relu(a[1, 1]) = relu(−4) = 0"),
        ("c = a ** 2", 3, "c[1, 1] = a[1, 1]^2 = (−4)^2 = 16"),
        ("c = a.norm()", 0, "c = √(1² + 2² + 3² + (−4)²) = 5.48"),
        ("c = a[1:].var(correction=0.5)", 0, "c = ((3 − (−0.5))² + (−4 − (−0.5))²) / (2 − 0.5) = 16.3"),
        ("c = a > 2", 2, "c[1, 0] = (a[1, 0] > 2) = (3 > 2) = T"),
        ("c = a.argmax(1)", 1, "c[1] = argmax(3, −4) = 0"),
        ("c = torch.add(a, b, alpha=2)", 0, "c[0, 0] = a[0, 0] + 2 · b[0, 0] = 1 + 2 · 5 = 11"),
        ("c = a.cumsum(1)", 1, "c[0, 1] = 1 + 2 = 3"),
        ("c = a.triu()", 2, "c[1, 0] = 0"),
        ("a[0] = 7", 1, "a[0, 1] = 7"),
        ("a[0] = 7", 2, "a[1, 0] = 3"),
        ("z = torch.tensor([1 + 2j])\nc = z * z", 0, "c[0] = z[0] · z[0] = (1+2j) · (1+2j) = −3+4j"),
        ("z = torch.tensor([1 + 2j])\nc = z.dot(z)", 0, "c = z[0] · z[0] = (1+2j)·(1+2j) = −3+4j"),
        ("c = torch.cross(torch.tensor([1., -2, 3]), torch.tensor([4., 5, 6]), 0)", 1, "c[1] = 3·4 − 1·6 = 6"),
        ("c = torch.cross(torch.tensor([1., -2, 3]), torch.tensor([4., 5, 6]), 0)", 2, "c[2] = 1·5 − (−2·4) = 13"),
        ("a.sum(0)", 1, "result[1] = 2 + (−4) = −2"),
        ("e = torch.nn.functional.embedding(torch.tensor([1, 0, 1]), a)", 5, "e[2, 1] = a[1, 1] = −4"),
        ("result = a * 1\nresult.sum(0)", 1, "out[1] = 2 + (−4) = −2"),
    ],
)
def test_an_entry_is_written_in_numbers(line, entry, words):
    assert entry_words(seen(A + line), 0, entry) == words


@pytest.mark.parametrize(
    "line, said",
    [
        ("a.sum(0)", "sum over 2 entries each: (2, 2) → (2,)."),
        ("a.sum(0, keepdim=True)", "keepdim: the axis stays, with size 1."),
        ("a.norm()", "Frobenius norm: the L2 norm of the matrix flattened."),
        ("a.gather(1, torch.tensor([[0, 0], [1, 0]]))", "result[i][j] = a[i][torch.tensor(…)[i][j]]"),
        ("torch.nn.functional.embedding(torch.tensor([1, 0]), a)", "Every index picks a row of a: 2 rows of 2 entries"),
        ("a @ b", "Every entry is a sum of 2 products"),
        ("torch.arange(0, 10, 3)", "4 numbers from 0 in steps of 3. The end 10 is excluded."),
        ("torch.linspace(0, 1, 5)", "5 numbers from 0 to 1, both included. The step is 0.25."),
        ("torch.randn(5)", "5 numbers, normal with mean 0 and deviation 1."),
        ("torch.normal(2., .5, (9,))", "9 numbers, normal with mean 2 and deviation 0.5."),
        ("torch.normal(a, a.abs())", "4 numbers, each with its own mean or deviation."),
        ("torch.normal(a.abs())", "4 numbers, each with its own mean or deviation."),
        ("torch.rand(5)", "5 numbers, uniform from 0 to 1."),
        ("torch.randperm(5)", "The numbers 0 to n − 1 for n = 5"),
        ("torch.empty(2, 2)", "Uninitialized memory"),
        ("torch.zeros_like(a)", "are copied from the given tensor, but not its entries"),
        ("a.new_ones(3)", "float32 is copied from the tensor whose method was called."),
        ("a == a.T", "a differs from its transpose in 2 places"),
        ("b == b", "Equal in 4 of 4 places."),
        ("(a @ a.T) == (a @ a.T)", "Equal in 4 of 4 places."),
        ("a + torch.tensor([1., 2.])", "is stretched to (2, 2)"),
        ("a[:, 1]", "Picks 2 of 4 entries. The result is (2,)."),
        ("a[torch.tensor([1, 1])]", "Picks 2 of 4 entries, some of them several times. The result is (2, 2)."),
        ("a.log_softmax(1)", "the logarithm of each entry’s exp divided by the sum of all exp"),
        ("a.view(2, 2)", "Entries and shape stay the same."),
        ("a.index_put((torch.tensor([0, 0]),), b, accumulate=True)", "Every entry is the sum of the entries"),
        ("a[a > 0]", "The mask is T at 3 entries"),
        ("a.expand(2, 2, 2)", "Every entry is read 2 times, nothing is copied"),
        ("torch.linalg.svd(a)", "a sum of rank-1 matrices"),
        ("a[torch.tensor([True, False])]", "Picks 2 of 4 entries. The result is (1, 2)."),
        ("a.masked_fill(a > 0, 0.)", "In a copy: 3 entries are written, 1 unchanged."),
        ("a.masked_fill_(a > 0, 0.)", "In place: 3 entries are written, 1 unchanged."),
        ("torch.where(a > 0)", "One result per axis"),
        ("torch.nonzero(a, as_tuple=True)", "One result per axis"),
        ("torch.nonzero(a)", "Every row of the result is the index"),
        ("a.diag()", "The entries of a diagonal are picked: (2, 2) → (2,)."),
        ("torch.diag(a[0])", "The entries are put on a diagonal, (2,) → (2, 2)"),
        ("torch.einsum('ij->ji', a)", "Every entry is one entry of the operand"),
        ("torch.einsum('ii', a)", "Every entry is a sum of 2 entries of the operand"),
        ("torch.einsum('ij,ij->ij', a, b)", "Every entry is one product. The result is (2, 2)."),
        ("torch.outer(a[0], b[0])", "each left entry times each right entry"),
        ("torch.nn.functional.linear(a, b, b[0])", "a sum of 2 products and the bias"),
        ("a.argsort()", "that would sort the entries"),
        ("a.kthvalue(1)", "The k-th smallest entry along axis 1"),
        ("a.view(torch.int32)", "The same bytes read as another type, float32 → int32"),
        ("torch.ones_like(a, dtype=torch.int64)", "int64 was requested"),
        ("a.new_ones(3, dtype=torch.int64)", "A new tensor of shape (3,), int64."),
    ],
)
def test_a_call_has_its_sentence(line, said):
    assert said in " ".join(sentences(seen(A + line), "en"))


@pytest.mark.parametrize(
    "line, types",
    [
        ("torch.tensor([1, 2]) + torch.tensor([.5, 1.])", ("int64", "float32", "float32")),
        ("torch.tensor([1, 2]) * 1.5", ("int64", "float", "float32")),
        ("torch.tensor([True]) + torch.tensor([1], dtype=torch.int8)", ("bool", "int8", "int8")),
        ("torch.tensor([1, 2]) / torch.tensor([1, 2])", ("int64", "int64", "float32")),
        ("torch.tensor([1.]) + 1", None),
    ],
)
def test_mixed_dtypes_are_named(line, types):
    assert promotion(seen(line)) == types


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("torch.tensor([1., torch.nan, 2.]).nansum()", "1 + 2 = 3"),
        ("torch.tensor([1. + 1j, 2j]).prod()", "(1+1j) · (0+2j) = −2+2j"),
        ("torch.tensor([1., 2.]).std(correction=3)", "std(1, 2) = ∞"),
        ("torch.tensor([torch.nan, 1.]).argmax()", "argmax(NaN, 1) = 0"),
    ],
)
def test_an_equation_of_many_entries_is_true(line, words):
    view = seen(f"import torch\n{line}")
    assert entry_words(view, 0, 0).endswith(words)


def test_counts_are_not_described_as_entries():
    view = seen("import torch\ntorch.histc(torch.tensor([1., 1., 2.]), 2)")
    assert view.outcomes[0].reading.rule == "depends" and len(sentences(view, "en")) == 1


def test_a_shuffle_takes_each_number_once():
    view = seen("p = torch.randperm(5)")
    first = view.outcomes[0].part.numbers[0]
    assert entry_words(view, 0, 0) == f"p[0] = {first}"
    assert sorted(view.outcomes[0].reading.reads[0][:, 0].tolist()) == [0, 1, 2, 3, 4]


def test_both_products_are_shown_next_to_each_other():
    for line, other in (("a * b", (19, 22, -13, -14)), ("a @ b", (5, 12, 21, -32))):
        assert seen(A + line).beside[1].value.data == other
    assert seen(A + "a @ b[:, :1]").beside is None


def test_a_decomposition_adds_up():
    found = terms(seen(A + "U, S, V = torch.linalg.svd(a)"))
    assert [round(term.sigma, 3) for term in found] == [5.117, 1.954]
    assert found[-1].left < 1e-5 < found[0].left
    assert found[-1].until.value.data == pytest.approx((1, 2, 3, -4), abs=1e-5)


def test_the_curve_of_a_function_passes_through_its_entries():
    shape = curve(seen(A + "c = torch.sigmoid(a)"))
    assert shape.dots_x == (1, 2, 3, -4) and min(shape.xs) < -4 < 3 < max(shape.xs)
    assert 0 < min(shape.ys) < max(shape.ys) < 1
    assert curve(seen(A + "c = a + 1")) is None and curve(seen(A + "c = a > 1")) is None


@pytest.mark.parametrize(
    "line, missing",
    [
        ("c = torch.ones(300, 300) @ torch.ones(300, 300)", "size"),
        ("c = torch.ones(1).expand(10**6)", "size"),
        ("c = torch.zeros(100, 100)[torch.arange(100) % 3]", "values"),
        ("c = torch.linalg.norm(a, 1)", "kind"),
        ("c = a * 2j", "kind"),
    ],
)
def test_an_untraced_call_has_its_reason(line, missing):
    view = seen(A + line)
    assert view.missing == missing and view.outcomes[0].reading is None
    assert sentences(view, "zh")[-1]


def test_unusual_tensors_have_a_picture():
    assert seen("c = torch.tensor([1+2j, 3-1j]) * torch.tensor([2., 1.])").outcomes[0].reading is not None
    assert seen("c = ~torch.tensor([True, False])").outcomes[0].reading.rule == "logical_not"
    assert seen("c = torch.ones(2, 1, 2, 1, 2, 1, 2).sum(3)").outcomes[0].part.shape == (2, 1, 2, 2, 1, 2)
    assert seen("c = torch.eye(2).to_sparse_csr() @ torch.ones(2, 2)").operands[0].numbers is None
    assert seen("c = torch.zeros(0, 3).sum(0)").missing == ""


def test_a_loops_call_is_listed_once_with_its_last_round():
    trace = trace_of("import torch\nx = torch.ones(2)\nfor k in range(5):\n    x = x * 2")
    (one,) = [one for one in operations(trace) if one.name == "mul"]
    assert (one.line, one.runs) == (4, 5)
    assert operation_view(trace, one.operation).outcomes[0].part.numbers.tolist() == [32, 32]


def test_the_root_sum_is_not_shown_first():
    trace = trace_of("import torch\nx = torch.ones(2, requires_grad=True)\ny = x * 2\ny.sum().backward()")
    listed = operations(trace)
    assert listed[call_to_show(trace, listed)].text == "x * 2"


def test_clipping_and_scalars_are_not_shown_first():
    trace = trace_of("""import torch
x = torch.ones(2, requires_grad=True)
(x * 2).sum().backward()
torch.nn.utils.clip_grad_norm_([x], 1.0)
scale = torch.tensor(3.) * 2""")
    listed = operations(trace)
    assert listed[call_to_show(trace, listed)].text == "x * 2"


@pytest.mark.parametrize(
    "program, first",
    [
        ("x = torch.ones(9, 9, requires_grad=True)\ny = x * 2\n(y * y).sum().backward()", "x * 2"),  # y * y has no name
        ("n = torch.nn.Linear(9, 9)\nn(torch.ones(99, 9)).exp().sum().backward()", "n(torch.ones(99, 9)).exp()"),
        ("a = torch.ones(2, 3)\nb = a + 1\nc = a @ b\nd = a * 2", "a @ b"),  # the program stops there
        (
            "a = torch.ones(2, 3) * 2\nb = torch.zeros(3)\ntorch.nn.functional.nll_loss(a, b)",
            "torch.nn.functional.nll_loss(a, b)",
        ),
        ("try:\n    torch.ones(2) @ torch.ones(3)\nexcept RuntimeError:\n    x = torch.ones(2)\ny = x * 3", "x * 3"),
    ],
)
def test_the_failed_or_fully_recorded_operation_is_shown_first(program, first):
    trace = trace_of(f"import torch\n{program}", full=("*",))
    listed = operations(trace)
    assert listed[call_to_show(trace, listed)].text == first


@pytest.mark.parametrize(
    "program, sign",
    [
        ("torch.ones(2) / torch.ones(2)", "÷"),
        ("torch.ones(2, 3) @ torch.ones(2, 3)", "@"),  # raises
        ("3 - torch.ones(2)", "−"),
        ("torch.add(torch.ones(2), torch.ones(2), alpha=2)", ""),
        ("torch.add(torch.ones(999, 999), torch.ones(999, 999), alpha=2)", ""),  # too many entries to trace
        ("torch.div(torch.ones(2), torch.ones(2), rounding_mode='floor')", ""),
        ("torch.stack([torch.ones(2), torch.ones(2)])", ""),
    ],
)
def test_an_operator_is_placed_between_its_operands_if_it_was_computed(program, sign):
    trace = trace_of(f"import torch\nc = {program}")
    drawn = operation_html(operation_view(trace, operations(trace)[-1].operation), "en")
    assert re.findall('"op-sign">(.*?)<', drawn) == ([sign] if sign else [])


def test_an_unknown_operand_has_no_empty_squares():
    drawn = operation_html(seen("c = torch.ones(999, 999).exp().mean()"), "en")
    assert re.findall('data-at="(.*?)"', drawn) == ["r0.0"]


def test_the_norm_of_a_single_entry_is_written_out():
    assert entry_words(seen("a = torch.tensor([-3., 4.])\nb = a[:1].norm()"), 0, 0) == "b = √((−3)²) = 3"
    assert "over 1 entry: (1,) → ()" in " ".join(sentences(seen("a = torch.ones(1)\nb = a.sum()"), "en"))
    assert "over 2 entries each: " in " ".join(sentences(seen("a = torch.ones(2, 2)\nb = a.sum(0)"), "en"))


def test_a_literal_tensor_has_a_picture():
    assert "A new tensor of shape (2,)" in " ".join(sentences(seen("a = torch.tensor([1, 2])"), "en"))


def test_a_layers_output_inside_a_call_is_not_named_by_the_whole_call():
    trace = trace_of("""
        import torch
        head = torch.nn.Sequential(torch.nn.LayerNorm(3), torch.nn.Linear(3, 2))
        y = head(torch.ones(4, 3))
    """)
    linear = next(at for at in range(len(trace.operations)) if trace.strings[trace.operations.name[at]] == "linear")
    operands = [part.word for part in operation_view(trace, linear).operands]
    assert operands == ["layer_norm(…)", "head.1.weight", "head.1.bias"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("c = F.pixel_shuffle(a.view(1, 4, 1, 1), 2)", "c[0, 0, 1, 0] = a.view(1, 4, 1, 1)[0, 2, 0, 0] = 3"),
        ("c = F.pad(a, (1, 0))", "c[0, 2] = a[0, 1] = 2"),
        ("c = torch.special.log_ndtr(a)", "c[1, 0] = −0.00135 ← a[1, 0]"),
        (
            "c = torch.cdist(a, a.detach() + 1)",
            "c[1, 0] = 7.07 ← a[1, 0], a[1, 1], (a.detach() + 1)[0, 0], (a.detach() + 1)[0, 1]",
        ),
    ],
)
def test_entries_of_an_unlisted_operation_are_traced_by_torch(line, words):
    source = f"import torch\nfrom torch.nn import functional as F\na = torch.tensor([[1., 2.], [3., -4.]])\n{line}"
    trace = trace_of(source.replace("-4.]])", "-4.]], requires_grad=True)") + "\nc.sum().backward()")
    view = operation_view(trace, max(one.operation for one in operations(trace) if one.line == 4))
    assert entry_words(view, 0, 2) == words and sentences(view, "zh")
