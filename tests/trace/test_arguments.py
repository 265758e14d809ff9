"""A call's arguments: read back from the recorder's text, and from untrusted text."""

import pytest
from msgspec.structs import replace

from explorer.program import read_program
from explorer.runtime.execute import execute
from explorer.trace import Arguments, Dtype, InputTensor, InvalidTrace, Lists, Options, Other, Trace, decode, encode
from tests.trace.views import views
from tests.traces import trace_of

A, B = InputTensor(0), InputTensor(1)


@pytest.mark.parametrize(
    "line, positional, named",
    [
        ("a.sum(0, keepdim=True)", (A, 0), {"keepdim": True}),
        ("a[0:2, ..., None]", (A, (slice(0, 2, None), ..., None)), {}),
        ("a[[0, 2]]", (A, [0, 2]), {}),
        ("a[:, b]", (A, (slice(None, None, None), B)), {}),
        ("torch.cat([a, a], dim=1)", ([A, B],), {"dim": 1}),
        ("a.clamp(min=float('-inf'))", (A,), {"min": float("-inf")}),
        ("a.to(torch.int32)", (A, Dtype("int32")), {}),
        ("torch.einsum('ij->ji', a)", ("ij->ji", A), {}),
        ("a * 2j", (A, Other("complex")), {}),
        ("torch.full((2,), 1 << 60)", ((2,), Other("int")), {}),
        ("a * 1e-7", (A, 1e-7), {}),
        ("a + a", (A, B), {}),
    ],
)
def test_arguments_are_read_back(line, positional, named):
    trace = trace_of(f"import torch\na, b = torch.ones(3, 4), torch.tensor(1)\n{line}").check()
    found = trace.arguments(len(trace.operations) - 1)
    assert (found.positional, found.named) == (positional, named)


def test_an_argument_is_found_by_name_or_by_position():
    given = Arguments((A, 1), {"dim": 0})
    assert given.get(1, "dim", default=None) == 0
    assert given.get(1, "axis", default=None) == 1
    assert given.get(-1, "axis", default="none") == "none"


def forged(trace: Trace, text: str) -> Trace:
    """Return a Trace in which every operation has these arguments."""
    arguments = [len(trace.strings)] * len(trace.operations)
    operations = replace(trace.operations, arguments=arguments)
    return replace(trace, strings=[*trace.strings, text], operations=operations)


@pytest.fixture(scope="module")
def trace() -> Trace:
    return trace_of(
        """
        import torch
        from torch.nn import functional as F
        a, b = torch.ones(2, 3, 8, requires_grad=True), torch.ones(2)
        c = a.narrow(2, 1, 3) + F.max_pool1d(a, 2, 3) * torch.add(b[0], b[1], alpha=2)
        d = F.scaled_dot_product_attention(a, a, a, attn_mask=None)
        torch.where(a > 0, a, 0.0).repeat_interleave(2).diff()
        (c.sum() + d.sum()).backward()
        b.view(3)
        """,
        statements=True,
    )


@pytest.mark.parametrize(
    "text",
    [
        *("x", "1", "[1]", "[5,{}]", "[null,null]", '["abc",0]', "[[],{},1]", "[" * 200, "[[NaN,1],{}]"),
        *('[[{"tensor":"a"}],{}]', '[[{"tensor":-9}],{}]', '[[{"tensor":true}],{}]', '[[{"tensor":0,"x":1}],{}]'),
        *('[[{"slice":[0]}],{}]', '[[{"tuple":1}],{}]', "[[{}],{}]", '[[{"float":"1"}],{}]', '[["\\ud800"],{}]'),
        *(f"[[{1 << 53}],{{}}]", "[[1" + "0" * 200 + "],{}]", "[[1e999],{}]"),
        *("[[" + "[" * 40 + "]" * 40 + "],{}]", "[[" + "1," * 100_000 + "1],{}]"),
    ],
)
def test_malformed_arguments_are_refused(trace, text):
    with pytest.raises(InvalidTrace, match="arguments"):
        decode(encode(forged(trace, text)))


HUGE = (1 << 53) - 1
FORMS = [
    '[["a",null,[[]],{"tuple":[]}],{}]',
    '[[{"tensor":0},{"other":"list"},{"dtype":"x"},{"dots":true}],{"dim":{"slice":[null,"a",0]}}]',
    '[[{"tensor":0},{"tuple":[[true,1],[[1]],null]}],{"attn_mask":[1],"scale":"x"}]',
    *(f'[[{{"tensor":0}},{x},{y},{z}],{{}}]' for x in (-1, 0, 1, 2, HUGE) for y, z in ((1, 1), (0, HUGE), (HUGE, -2))),
    '[[{"tensor":0}],{"dim":{"float":"nan"},"alpha":{"float":"inf"},"training":1}]',
]


@pytest.mark.sampled(9)
@pytest.mark.parametrize("text", FORMS)
def test_no_view_raises_on_impossible_arguments(trace, text):
    for what, view in views(decode(encode(forged(trace, text)))):
        try:
            view()
        except Exception as problem:
            raise AssertionError(what) from problem


LOOP = """
import torch
a, b, x = torch.ones(2), torch.zeros(2), torch.ones(2)
for i in range(900):
    x = torch.add(x, a, alpha=1)
    x = torch.lerp(x, b, 0.5)
"""


def test_a_call_with_dropped_tensors_keeps_no_numbered_arguments():
    trace = execute(read_program("-", LOOP.encode()), Options(), operation_cap=400).check()
    assert any(bound.kind == "operations" for bound in trace.limits)
    for operation in range(len(trace.operations)):
        assert trace.arguments(operation).tensors == len(trace.operations.inputs[operation])


def test_a_row_of_an_older_file_may_name_more_tensors_than_it_has():
    trace = trace_of("import torch\na = torch.ones(2)\nb = torch.add(a, a, alpha=2)")
    o = trace.operations
    fewer = Lists([*o.inputs.starts[:-1], o.inputs.starts[-1] - 1], o.inputs.items[:-1])
    versions = Lists(fewer.starts, o.input_versions.items[:-1])
    older = decode(encode(replace(trace, operations=replace(o, inputs=fewer, input_versions=versions))))
    assert older.arguments(len(o) - 1) == Arguments((A,), {}, 1)
