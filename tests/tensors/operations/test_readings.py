"""A picture's sources of each entry, applied to the operands' numbers, reproduce torch's numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysis.explain.entries.operation_view import operation_view, operations
from explorer.analysis.run.operations.rules import applied
from tests.traces import trace_of

HEAD = "import torch\nimport torch.nn.functional as F\n"
A = "a = torch.tensor([[3., -1., 2., 0.], [0.5, 4., -2., 1.], [-3., 1.5, 6., -0.5]])\n"
I = "i = torch.tensor([[0, 2, 1, 1]])\nj = torch.tensor([2, 0, 2])\n"  # noqa: E741
B = "b = torch.tensor([[1., 2.], [0., -1.], [3., 1.], [-2., 0.5]])\nv = torch.tensor([1., -2., 0.5, 3.])\n"

# One line each; the last call of the line is examined.
LINES = {
    "index": """a[1] | a[-1, 2] | a[0:2, 1:] | a[::2] | a[..., 1] | a[None, :, 0] | a[[0, 2]] | a[:, [3, 0]] | a[j]
        | a[j, 1:]
        | a[j, j] | a[a > 1] | a[:, torch.tensor([True, False, True, False])] | a[1][None] | a[j][:, j] | a[0, j]
        | a.unsqueeze(0)[0, :, j] | a.unsqueeze(0)[:, 1, j] | a[torch.tensor(1)] | a[torch.tensor([[0, 1], [2, 0]])]
        | a[a.sum(1) > 2] | a[torch.tensor([True, False, True]), 1:3]""",
    "picking": """a.index_select(0, j) | a.index_select(1, j) | a.gather(0, i) | torch.gather(a, 1, i) | a.take(j)
        | a.masked_select(a > 0) | torch.where(a > 0, a, -a) | torch.where(a > 0, a, 7.) | a.where(a > 0, -a)
        | a.nonzero() | a.masked_fill(a > 1, 9.) | a.scatter(0, i, 5.) | a.scatter(1, i, torch.ones(1, 4))
        | a.scatter_add(0, i, torch.ones(1, 4)) | a.index_add(0, j, torch.ones(3, 4)) | torch.argwhere(a > 0)
        | a.narrow(1, 1, 2) | torch.narrow(a, 0, -2, 2) | a.select(0, 1) | a.select(1, -1) | a.select(dim=1, index=0)
        | torch.take_along_dim(a, i, 1) | torch.take_along_dim(a, i, dim=0) | a.take_along_dim(a.argmax(1, True), 1)
        | torch.take_along_dim(a, j) | a.index_put((j,), torch.zeros(4)) | a.index_put((j, j), torch.tensor(7.))
        | a.index_put((j,), torch.ones(3, 4), accumulate=True)""",
    "writing": """a[1] = 5 | a[:, 1] = torch.tensor([1., 2., 3.]) | a[a < 0] = 0. | a[j] = torch.zeros(4)
        | a[0:2, ::2] += 1
        | a.index_put_((torch.tensor([0, 2]), torch.tensor([1, 3])), torch.tensor([8., 9.]))
        | a.fill_(3.) | a.zero_() | a.masked_fill_(a > 0, 1.) | a.copy_(-a) | a.clamp_(0, 1) | a.t_() | a.mul_(2)""",
    "moving": """a.T | a.t() | a.transpose(0, 1) | a.permute(1, 0) | a.permute((1, 0)) | a.reshape(2, 6) | a.view(-1)
        | a.flatten() | a.unsqueeze(1) | a[None].squeeze(0) | a[:, :1].expand(3, 4) | a[:, :1].expand(2, -1, 4)
        | a.repeat(2, 1) | torch.tile(a, (1, 2)) | a.repeat_interleave(2, dim=1) | torch.cat([a, a[:1]])
        | torch.cat((a, -a), dim=-1) | torch.stack([a, a], 1) | torch.hstack([a, a]) | torch.vstack([a, a])
        | a.split(2, dim=1) | a.chunk(2) | a.unbind(1) | a.flip(0) | torch.flip(a, [0, 1]) | a.roll(1, 0) | a.roll(3)
        | torch.rot90(a) | a.triu() | a.tril(-1) | a.diag() | torch.diag(v) | torch.diagonal(a, 1) | a.movedim(0, 1)
        | a.clone() | a.double() | a.long() | a.mT | a[None].swapaxes(0, 2)""",
    "reducing": """a.sum() | a.sum(0) | a.sum(dim=(0, 1)) | a.sum(1, keepdim=True) | torch.sum(a, -1) | a.mean()
        | a.mean(0)
        | a.prod(1) | a.max() | a.max(1) | a.min(dim=0) | torch.amax(a, 0) | a.argmax() | a.argmax(1) | a.argmin(0)
        | (a > 0).any() | (a > 0).all(1) | a.std() | a.std(0) | a.var(0, correction=0.5) | v[:1].var()
        | v.std(correction=5) | torch.ones(3).var(correction=4) | a.var(0, correction=None) | a.var(1, unbiased=False)
        | a.norm() | a.norm(1) | torch.norm(a, dim=1) | torch.linalg.norm(a) | torch.linalg.norm(v, 1)
        | torch.linalg.vector_norm(a, 3) | torch.linalg.norm(v, float('inf')) | a.cumsum(0) | a.cumsum(-1)
        | a.cumprod(1) | a.cummax(1)
        | a.softmax(1) | torch.softmax(a, 0) | F.log_softmax(a, -1) | a.logsumexp(0) | a.sort() | a.sort(0, True)
        | a.topk(2) | a.argsort(1) | v.sum(0) | a.median() | a.count_nonzero() | torch.tensor(3.).sum()""",
    "elementwise": """a + 1 | 2 - a | a - v | a * v | a / 2 | 1 / (a + 10) | a ** 2 | 2 ** a | -a | a.abs()
        | a.exp() | a.relu()
        | F.relu(a) | F.leaky_relu(a) | torch.sigmoid(a) | a.tanh() | a.sin() | a.cos() | a.clamp(-1, 1)
        | a.clamp(max=2) | torch.clamp(a, min=0) | a > 0 | a == a | a != v | a <= 1 | torch.maximum(a, v)
        | torch.max(a, v) | torch.minimum(a, v) | torch.add(a, v, alpha=2) | torch.sub(a, v, alpha=3) | a // 2 | a % 2
        | (a > 0) & (a < 2) | ~(a > 0) | (a > 0) | (a < 0) | a.sqrt() | a.log() | a.round() | a.sign() | F.gelu(a)
        | F.silu(a) | F.softplus(a) | a.square() | a.reciprocal() | torch.logical_not(a > 0) | a.floor() | j + a[:, 0]
        | torch.isclose(a, a) | j * 2 | a.add_(1) | a.pow(3) | torch.eq(a, a)""",
    "products": """a @ b | torch.mm(a, b) | a.matmul(v) | a.mv(v) | v.dot(v) | torch.outer(v, v) | v @ b | a[None] @ b
        | torch.bmm(a[None], b[None]) | torch.einsum('ij,jk->ik', a, b) | torch.einsum('ij->ji', a) | F.linear(a, b.T)
        | torch.einsum('ij,kj', a, a) | torch.einsum('ij,ij->', a, a) | F.linear(a, b.T, torch.ones(2)) | a.trace()
        | torch.einsum('ij->j', a) | torch.inner(v, v) | torch.inner(a, a) | torch.stack([a, a]) @ b | torch.ger(v, v)
        | torch.cross(a[:, :3], b[:3, :1].expand(3, 3), dim=1) | torch.linalg.cross(v[:3], j.float()) | v @ v
        | torch.trace(b) | torch.einsum('i,i->i', v, v) | torch.inner(a[None], v) | torch.inner(a, a[None, :2])
        | torch.zeros(2, 0) @ torch.zeros(0)""",
    "windows": """F.conv2d(a.reshape(2, 1, 2, 3), b[:2].reshape(2, 1, 2, 1), v[:2], padding=1)
        | F.conv1d(a[:2], b[:2, :, None].transpose(1, 2), groups=2)
        | F.conv1d(a[:2], torch.stack([b[:2].T]), stride=2) | F.conv1d(a, a[:, :3, None])
        | F.conv1d(a[:2], torch.stack([b[:2], b[2:]]), dilation=3) | F.max_pool2d(a.reshape(2, 1, 2, 3), 2, 1, 1)
        | F.avg_pool1d(a, 2, 1) | F.adaptive_avg_pool2d(a[None], (2, 3)) | F.adaptive_max_pool1d(a, 3)""",
}


def split_lines(text: str) -> list[str]:
    return [line.strip() for line in text.replace("\n        |", "\n|").split(" | ") for line in line.split("\n|")]


CASES = [line for lines in LINES.values() for line in split_lines(lines)]


def last_view(program: str):
    """Return the view of the last call that has a picture."""
    trace = trace_of(HEAD + program)
    assert trace.status == "ok", program
    return operation_view(trace, max(one.operation for one in operations(trace)))


def assert_retold(view):
    """Assert that every result follows from the operands as the picture describes."""
    assert view.missing == "" and view.outcomes, view.text
    for outcome in view.outcomes:
        reading, result = outcome.reading, outcome.part
        assert reading is not None, view.text
        assert all(len(read) == result.size for read in reading.reads)
        if reading.rule == "position":
            assert_positions(view, reading, result)
        else:
            told = applied(reading, [part.numbers for part in view.operands])
            np.testing.assert_allclose(told.astype(result.numbers.dtype), result.numbers, 1e-5, 1e-6)


def assert_positions(view, reading, result):
    """Assert that result numbers are positions of entries, along an axis or in the whole tensor."""
    part = view.operands[0]
    for entry, place in enumerate(reading.reads[0][:, 0]):
        coordinates = np.unravel_index(place, part.shape) if part.shape else (0,)
        assert result.numbers[entry] in (place, *coordinates)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("line", CASES)
def test_a_line_is_reproduced_from_its_picture(line):
    assert_retold(last_view(A + I + B + line))


SIZES = st.lists(st.integers(1, 3), min_size=1, max_size=3)


def tensor_text(shape: list[int]) -> str:
    return f"(torch.arange({int(np.prod(shape))}.).reshape({shape}) * 7 % 11 - 5)"


@st.composite
def indexed(draw):
    """Return a tensor of any rank read by numbers, slices, lists, None and dots, in any order."""
    shape = draw(SIZES)
    parts, dotted, lists = [], False, 0
    for size in shape:
        if draw(st.integers(0, 5)) == 0:
            parts.append("None")
        kind = draw(st.sampled_from(["number", "slice", "list", "tensor", "dots"]))
        if kind == "dots" and not dotted:
            parts.append("...")
            dotted = True
            break
        if kind == "number":
            parts.append(str(draw(st.integers(-size, size - 1))))
        elif kind in ("list", "tensor"):
            lists += 1
            chosen = [draw(st.integers(0, size - 1)) for _ in range(2)]
            parts.append(str(chosen) if kind == "list" else f"torch.tensor({chosen})")
        else:
            start, stop = (draw(st.one_of(st.just(""), st.integers(-size, size).map(str))) for _ in range(2))
            parts.append(f"{start}:{stop}:{draw(st.integers(1, 2))}")
    return f"a = {tensor_text(shape)}\na[{', '.join(parts)}{',' if len(parts) == 1 else ''}]"


@pytest.mark.thorough
@settings(max_examples=150, deadline=None)
@given(indexed())
def test_any_index_is_reproduced(program):
    view = last_view(program)
    if view.outcomes[0].part.size:
        assert_retold(view)


@pytest.mark.thorough
@settings(max_examples=150, deadline=None)
@given(SIZES, st.data())
def test_any_axis_is_reproduced(shape, data):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    other = data.draw(st.integers(-len(shape), len(shape) - 1))
    keep = data.draw(st.booleans())
    call = data.draw(
        st.sampled_from(
            [
                f"a.sum({axis}, keepdim={keep})",
                f"a.mean(dim={axis}, keepdim={keep})",
                f"a.max({axis})",
                f"a.amin({axis})",
                f"a.norm(dim={axis})",
                f"a.cumsum({axis})",
                f"a.softmax({axis})",
                f"a.transpose({axis}, {other})",
                f"a.flip({axis})",
                f"torch.cat([a, -a], {axis})",
                f"torch.stack([a, -a], {axis})",
                f"a.unbind({axis})",
                f"a.unsqueeze({axis})",
                f"a.sort({axis})",
                f"a.index_select({axis}, torch.tensor([0, 0]))",
                f"a.gather({axis}, torch.zeros_like(a, dtype=torch.long))",
            ]
        )
    )
    assert_retold(last_view(f"a = {tensor_text(shape)}\n{call}"))


@pytest.mark.thorough
@settings(max_examples=80, deadline=None)
@given(SIZES, st.integers(1, 3), st.data())
def test_any_matrix_product_is_reproduced(shape, columns, data):
    batch = data.draw(st.sampled_from([[], shape[:-2], [1] * len(shape[:-2])]))
    right = [*batch, shape[-1], columns] if data.draw(st.booleans()) else [shape[-1]]
    assert_retold(last_view(f"a = {tensor_text(shape)}\nb = {tensor_text(right)}\na @ b"))


@pytest.mark.thorough
@settings(max_examples=80, deadline=None)
@given(SIZES, st.data())
def test_any_pair_of_operands_is_reproduced(shape, data):
    other = [1 if data.draw(st.booleans()) else size for size in shape][data.draw(st.integers(0, len(shape) - 1)) :]
    operator = data.draw(st.sampled_from(["+", "-", "*", ">", "=="]))
    assert_retold(last_view(f"a = {tensor_text(shape)}\nb = {tensor_text(other)}\na {operator} b"))


def test_an_operation_uses_the_values_before_numpys_write():
    trace = trace_of("x = torch.arange(3.)\ny = x.flip(0)\nA = x.numpy()\nA[0] = 9\nz = x.flip(0)\nb = x > 1")
    read = {one.line: operation_view(trace, one.operation) for one in operations(trace)}
    assert {line: view.operands[0].numbers.tolist() for line, view in read.items() if line > 1} == {
        2: [0, 1, 2],
        5: [9, 1, 2],
        6: [9, 1, 2],
    }
    assert [view.missing for view in read.values()] == ["", "", "", ""]
