"""Recorded arguments other than tensors: short, plain, the same in each run."""

import pytest

from tests.traces import trace_of


def kept(line: str) -> str | None:
    """Return the arguments of the last call of a line."""
    trace = trace_of(f"import torch\na = torch.ones(3, 4)\n{line}")
    return trace.string(trace.operations.arguments[-1])


@pytest.mark.parametrize(
    "line, text",
    [
        ("a.sum(0, keepdim=True)", '[[{"tensor":0},0],{"keepdim":true}]'),
        ("a[0:2, ..., 1]", '[[{"tensor":0},{"tuple":[{"slice":[0,2,null]},{"dots":true},1]}],{}]'),
        ("a[[0, 2]]", '[[{"tensor":0},[0,2]],{}]'),
        ("torch.cat([a, a], dim=1)", '[[[{"tensor":0},{"tensor":1}]],{"dim":1}]'),
        ("a.clamp(min=float('-inf'))", '[[{"tensor":0}],{"min":{"float":"-inf"}}]'),
        ("a.to(torch.int32)", '[[{"tensor":0},{"dtype":"int32"}],{}]'),
        ("a * 1e-7", '[[{"tensor":0},1e-07],{}]'),
        ("a ** -2", '[[{"tensor":0},-2],{}]'),
        ("a * float('nan')", '[[{"tensor":0},{"float":"nan"}],{}]'),
        ("a * 2j", '[[{"tensor":0},{"other":"complex"}],{}]'),
        ("torch.einsum('ij->ji', a)", '[["ij->ji",{"tensor":0}],{}]'),
        ("a + a", None),
        ("torch.tensor([0.5] * 200)", None),
        ("torch.full((2,), 1 << 60)", '[[{"tuple":[2]},{"other":"int"}],{}]'),
    ],
)
def test_plain_arguments_are_kept(line, text):
    assert kept(line) == text


@pytest.mark.parametrize("change", ["size.append(2)", "size[0] = 6", "size.clear()"])
def test_a_list_is_recorded_as_the_call_got_it(change):
    trace = trace_of(f"import torch\na = torch.ones(3, 4)\nsize = [4, 3]\nb = a.view(size)\n{change}")
    assert trace.string(trace.operations.arguments[-1]) == '[[{"tensor":0},[4,3]],{}]'


def test_unrecordable_arguments_are_omitted():
    odd = """
        import torch
        inner = []
        inner.append(inner)
        for argument in (inner, '\\ud800', {'a': 1}, print):
            try:
                torch.ones(2).sum(argument)
            except Exception:
                pass
        x = torch.ones(2) + 1
    """
    trace = trace_of(odd)
    assert trace.status == "ok" and trace["x"].data == (2, 2)
    assert trace.string(trace.operations.arguments[-1]) == '[[{"tensor":0},1],{}]'


def test_light_traces_keep_no_arguments():
    trace = trace_of("import torch\ntorch.ones(3).sum(0)", detail="light")
    assert set(trace.operations.arguments) == {-1}
