"""No object by its address, no write into what cannot change, no place that is used unchecked: by no way through."""

import importlib

import pytest

from explorer.runtime.policy.chosen_names import NAMED
from explorer.runtime.policy.table_types import TYPES
from explorer.trace import Failure, Printed, Refusal, Trace
from tests.traces import trace_of

# These find what they have by themselves, not what a program put in.
ANSWER_THEMSELVES = ("torch.utils.benchmark.utils.common.Measurement",)

FORGED = "import numpy as np\nforged = (1,), 'O', np.array([id(len)])\n"
KEYWORDS = "class M(torch.nn.Module):\n    forward = torch.Tensor\n"


def printed(trace: Trace) -> str:
    return "".join(output.text for cell in trace.cells for output in cell.outputs if isinstance(output, Printed))


@pytest.mark.parametrize(
    "source",
    [
        FORGED + "np.ndarray((1,), 'O', buffer=np.array([id(len)]))",
        FORGED + "np.ndarray(*forged)",
        FORGED + "type(np.ones(1))(*forged)",
        FORGED + "np.ones(1).__class__(*forged)",
        FORGED + "getattr(np.ones(1), '__cl' + 'ass__')(*forged)",
        FORGED + "import numpy.typing\nnp.typing.NDArray[float](*forged)",
        FORGED + "list(map(np.ndarray, *([one] for one in forged)))",
        FORGED + "import functools\nfunctools.partial(np.ndarray, *forged)()",
        FORGED + "match np.ones(1):\n    case np.ndarray(__class__=kind): kind(*forged)",
        FORGED + "class A(np.ndarray): pass",
        "import struct, numpy as np\nstruct.pack_into('q', np.empty(1, object), 0, id(len))",
        "import numpy as np\nwith open('x', 'wb', buffering=0) as f: f.readinto(np.empty(1, object))",
        "import io, numpy as np\nio.BytesIO(b'12345678').readinto(np.empty(1, object))",
        "import numpy as np\nnp.rec.fromstring(b'12345678', dtype=[('a', 'O')])",
        "torch.asarray(b'a constant of the code')",
        "torch.asarray(memoryview(b'abc'))",
        KEYWORDS + "import pandas as pd\npd.Series([1., 2.]).rolling(2).apply(M(), kwargs={'cdata': 16})",
        KEYWORDS
        + "import pandas as pd\npd.Series([1., 2.]).rolling(2).apply(M(), False, None, None, None, {'cdata': 16})",
        KEYWORDS + "class N(M): _forward_pre_hooks = {1: lambda m, a, k: ((), {'cdata': 16})}",
        KEYWORDS + "setattr(M, '_forward_pre_hooks', {})",
        "class A:\n    def __index__(self): return 1",
        "import pandas as pd\nk = {'check_invariants': False}\n"
        "pd.Series([1., 2.]).rolling(2).apply(torch.sparse_coo_tensor, kwargs=k)",
        "import numpy as np\nnp.random.set_state(('MT19937', [0] * 623, 0))",
        "import numpy as np\nstate = {'bit_generator': 'MT19937', 'state': {'key': [1], 'pos': 3}}\n"
        "np.random.RandomState(0).set_state(state)",
        "import numpy as np\nnp.random.default_rng(0).bit_generator.state = {}",
    ],
)
def test_nothing_is_forged(source):
    trace = trace_of(source)
    assert trace.status == "refused" and any(isinstance(output, Refusal) for output in trace.cells[0].outputs)


def test_a_state_is_read_once():
    trace = trace_of(
        "import numpy as np\n"
        "class Place:\n    reads = 0\n    def __int__(self):\n        Place.reads += 1\n        return 0\n"
        "np.random.set_state((*np.random.get_state()[:2], Place()))\nprint(Place.reads)"
    )
    assert printed(trace) == "1\n"


@pytest.mark.parametrize(
    "source",
    [
        "import pandas as pd\n"
        "row = {'data': (id(len), False), 'shape': (1,), 'typestr': '<f8', 'version': 3}\n"
        "print(np.asarray(pd.Series([row], index=['__array_interface__'])))",
        "import pandas as pd\ntable = pd.DataFrame({'__array_interface__': [{'data': (id(len), False)}]})\n"
        "print(np.asarray(table.iloc[0]))",
    ],
)
def test_a_label_of_a_table_is_no_address(source):
    """NumPy asks whatever it is given for `__array_interface__`, and pandas answers with the row of that name."""
    assert "'data'" in printed(trace_of("import numpy as np\n" + source))


def test_every_type_that_answers_to_names_of_the_program_is_known():
    for name in TYPES:
        module, _, kind = name.rpartition(".")
        if module.partition(".")[0] not in ("torch", "pandas") or "*" in name:
            continue
        found = getattr(importlib.import_module(module), kind, object)
        answering = {f"{base.__module__}.{base.__qualname__}" for base in found.__mro__ if "__getattr__" in vars(base)}
        assert answering <= {*NAMED, *ANSWER_THEMSELVES}, name


@pytest.mark.parametrize(
    "source, ends",
    [
        ("x = np.broadcast_to(np.ones(1), (3,))\ntorch.from_numpy(x)[0] = 5\nprint(x)", "[1. 1. 1.]\n"),
        (
            "import pandas as pd\nc = pd.Categorical(['a', 'b'])\ntorch.as_tensor(c.codes)[0] = 9\nprint(list(c))",
            "['a', 'b']\n",
        ),
        ("a = torch.ones(3).numpy()\na.base.data = torch.zeros(1)\nprint(a)", "[1. 1. 1.]\n"),
        ("x = np.ones(2)\nt = torch.from_numpy(x)\nt[0] = 5\nprint(x)", "[5. 1.]\n"),
    ],
)
def test_memory_is_shared_only_where_it_may_be_written(source, ends):
    assert printed(trace_of("import numpy as np\n" + source)).endswith(ends)


POOL = (
    "x = torch.rand(1, 1, 4, 4, requires_grad=True)\ny, i = torch.nn.functional.max_pool2d(x, 2, return_indices=True)\n"
)


@pytest.mark.parametrize(
    "source",
    [
        POOL + "i.data.fill_(10**12)\ny.sum().backward()\nprint('done', x.grad.sum())",
        POOL + "y.grad_fn._saved_result1.data.fill_(10**12)\ny.sum().backward()\nprint('done')",
        "w, i = torch.rand(3, 4, requires_grad=True), torch.zeros(2, 4, dtype=torch.long)\n"
        "o = w.gather(0, i, sparse_grad=True)\ni.data.fill_(10**9)\n"
        "o.sum().backward()\nprint('done', w.grad.to_dense())",
        "e, i = torch.nn.EmbeddingBag(3, 2, mode='sum'), torch.tensor([0, 1])\n"
        "o = e(i, torch.tensor([0, 1]), per_sample_weights=torch.ones(2, requires_grad=True))\n"
        "i.data.fill_(10**12)\no.sum().backward()\nprint('done')",
        "x, t = torch.rand(50, 1, 5, requires_grad=True), torch.tensor([[1, 2]])\n"
        "l = torch.nn.functional.ctc_loss(x.log_softmax(-1), t, (50,), (2,))\n"
        "t.data.fill_(10**12)\nl.backward()\nprint('done')",
        "class E:\n    def __float__(self):\n        l.clear()\n        return 1.0\nl = [E()] + [2.0]\n"
        "print('done', torch.nn.functional.interpolate(torch.ones(1, 1, 4, 4), scale_factor=l).shape)",
        "e, i = torch.nn.Embedding(3, 2, sparse=True), torch.tensor([1])\n"
        "o = e(i)\ni.data.fill_(10**9)\no.sum().backward()\nprint('done', e.weight.grad.to_dense())",
    ],
)
def test_places_that_the_way_back_uses_are_its_own(source):
    assert printed(trace_of(source)).startswith("done")


def test_an_unpack_hook_gives_back_the_places_that_were_packed():
    trace = trace_of(
        "F, x = torch.nn.functional, torch.rand(1, 1, 4, 4, requires_grad=True)\n"
        "with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: torch.full_like(t, 10**12)):\n"
        "    F.max_pool2d(x, 2, return_indices=True)[0].sum().backward()"
    )
    assert [one.text for one in trace.cells[0].outputs if isinstance(one, Failure)] == [
        "an unpack hook must return the same integers that were packed"
    ]


@pytest.mark.parametrize("loss", ["F.ctc_loss", "torch.ctc_loss", "torch.nn.CTCLoss()"])
def test_labels_beyond_the_classes_are_an_error(loss):
    start = "F, p = torch.nn.functional, torch.randn(50, 2, 5).log_softmax(-1)\n"
    given = "({targets}, torch.tensor([50, 50]), torch.tensor([2, 2]))"
    wrong, filled = "torch.full((2, 2), 10**9)", "torch.tensor([[1, 2, -1], [3, 4, 99]])"
    call = start + loss + given.replace("(", "(p, ", 1)
    (failure,) = trace_of(call.replace("{targets}", wrong)).cells[0].outputs
    assert failure.text == "ctc_loss: labels from 1000000000 to 1000000000, but 5 classes, 0 to 4"
    assert trace_of(call.replace("{targets}", filled)).status == "ok"
