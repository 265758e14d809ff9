"""PyTorch's own samples of its operations and modules, every fortieth: recorded, checked, drawn, sent and read back."""

import sys
import unittest
import warnings
from collections.abc import Iterator
from itertools import islice
from types import ModuleType

import pytest
import torch

import explorer
from explorer.analysis.explain.autograd import graph_view
from explorer.drawing.graph.dot import to_dot
from explorer.trace import decode, encode

pytestmark = pytest.mark.thorough  # torch's samples take seconds to import
EVERY = 40


@pytest.fixture(scope="module")
def databases():
    """Return torch's operations and modules. torch.testing needs a library only for a base class."""
    if "expecttest" not in sys.modules:
        stands_in = ModuleType("expecttest")
        stands_in.TestCase = unittest.TestCase
        sys.modules["expecttest"] = stands_in
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db
        from torch.testing._internal.common_modules import module_db
    return op_db, module_db


def tensors(found: object) -> Iterator[torch.Tensor]:
    """Yield all tensors in a call's result."""
    if isinstance(found, torch.Tensor):
        yield found
    elif isinstance(found, list | tuple | dict):
        for part in found.values() if isinstance(found, dict) else found:
            yield from tensors(part)


def drawn(call) -> bool:
    """Return whether a call that runs plain also runs recorded, with backward. Raises its errors."""
    try:
        expected = [*tensors(call())]
    except Exception:  # a sample for another device or build
        return False
    with explorer.record() as recorded:
        found = [*tensors(call())]
        roots = [one.abs().sum() for one in found if one.requires_grad and one.layout == torch.strided]
        if roots and all(root.requires_grad for root in roots):
            sum(root.double() for root in roots).backward()
    assert [one.shape for one in found] == [one.shape for one in expected]
    trace = recorded.check()
    assert to_dot(graph_view(trace))
    assert len(decode(encode(trace)).nodes) == len(trace.nodes)
    return True


@pytest.mark.filterwarnings("ignore")
def test_every_operation_runs_recorded(databases):
    done = 0
    for op in databases[0][::EVERY]:
        kind = {"requires_grad": op.supports_autograd}
        for sample in islice(op.sample_inputs("cpu", torch.float32, **kind), 2):
            done += drawn(lambda op=op, one=sample: op(one.input, *one.args, **one.kwargs))
    assert done > 25


@pytest.mark.filterwarnings("ignore")
def test_every_module_runs_recorded(databases):
    done = 0
    for info in databases[1][::EVERY]:
        kind = {"device": "cpu", "dtype": torch.float32, "requires_grad": True, "training": True}
        for sample in islice(info.module_inputs_func(info, **kind), 1):
            given, made = sample.forward_input, sample.constructor_input
            module = info.module_cls(*made.args, **made.kwargs)
            done += drawn(lambda module=module, given=given: module(*given.args, **given.kwargs))
    assert done > 2
