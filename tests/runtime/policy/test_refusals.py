"""What a program may not do: each refusal has a place, a name for what it is about, and a reason."""

import pytest

from explorer.reports import refusal_text
from explorer.trace import Failure, Printed, Refusal, Trace
from tests.traces import trace_of


def refusals(trace: Trace) -> list[tuple[str, str, str]]:
    """What was refused, why, and the text it spans."""
    found = [output for cell in trace.cells for output in cell.outputs if isinstance(output, Refusal)]
    return [(one.what, one.reason, trace.text(one.span)) for one in found]


REFUSED = [  # program, what, why, where
    ("import os\nos.system('ls')", "os.system", "process", "os.system"),
    ("from torch import os\nos.system('ls')", "torch.os", "library", "os.system"),
    ("import subprocess\nsubprocess.run('ls')", "subprocess.run", "process", "subprocess.run"),
    ("from threading import Thread\nThread()", "threading.Thread", "process", "Thread()"),
    ("from threading import Thread\nclass A(Thread): pass", "threading.Thread", "process", "Thread"),
    ("import xml.dom as d\nd.Node", "xml", "module", "d.Node"),
    ("import sys\nsys.modules", "sys.modules", "internals", "sys.modules"),
    ("from math import *", "from math import *", "star", "from math import *"),
    ("eval('1 + x')", "eval()", "code", "eval('1 + x')"),
    ("globals()", "globals()", "internals", "globals()"),
    ("input('?')", "input()", "input", "input('?')"),
    ("help(1)", "help()", "internals", "help(1)"),
    ("().__class__.__base__", ".__base__", "internals", "().__class__.__base__"),
    ("def f(): pass\nf.__globals__", ".__globals__", "internals", "f.__globals__"),
    ("getattr((), '__cl' + 'ass__').mro()", "tuple.mro", "attribute", "getattr((), '__cl' + 'ass__').mro"),
    ("'{0.real.__doc__.__self__}'.format(1)", "str.__self__", "internals", "'{0.real.__doc__.__self__}'.format(1)"),
    ("g = (i for i in [1])\ng.gi_frame", "generator.gi_frame", "attribute", "g.gi_frame"),
    ("type('A', (), {})", "type(name, bases, namespace)", "metaclass", "type('A', (), {})"),
    ("def f(): pass\ntype(f)", "type(f)", "internals", "type(f)"),
    ("class A(metaclass=type): pass", "class A(metaclass=...)", "metaclass", "class A(metaclass=type): pass"),
    ("class A:\n    def __del__(self): pass", "__del__", "definition", "def __del__(self): pass"),
    ("class A:\n    def __getattr__(self, n): pass", "__getattr__", "definition", "def __getattr__(self, n): pass"),
    ("class A(torch.Tensor): pass", "class ...(Tensor)", "base", "torch.Tensor"),
    ("async def f(): pass", "async def", "syntax", "async def f(): pass"),
    ("torch.add = 1", "torch.add =", "write", "torch.add"),
    ("torch.nn.Linear.forward = 1", "Linear.forward =", "write", "torch.nn.Linear.forward"),
    ("torch.ones(1).set_()", "Tensor.set_", "memory", "torch.ones(1).set_"),
    ("torch.Tensor(cdata=4096)", "cdata=", "keyword", "cdata=4096"),
    ("torch.Tensor(**{'cdata': 4096})", "cdata=", "keyword", "{'cdata': 4096}"),
    ("torch.load('/elsewhere/x')", "torch.load", "file", "torch.load('/elsewhere/x')"),
    ("torch.fx.wrap(abs)", "torch.fx", "code", "torch.fx"),
    ("import numpy as np\nnp.load('/elsewhere/x')", "numpy.load", "file", "np.load('/elsewhere/x')"),
    ("import numpy as np\nnp.ones(2).ctypes", "ndarray.ctypes", "memory", "np.ones(2).ctypes"),
    ("import pandas as pd\npd.DataFrame().eval('a')", "DataFrame.eval", "code", "pd.DataFrame().eval"),
    ("import time\ntime.sleep(9)", "time.sleep", "wait", "time.sleep"),
    ("x = 1 # \u202e", "U+202E", "bidi", "\u202e"),
]


@pytest.mark.parametrize("source, what, reason, place", REFUSED, ids=[row[1] for row in REFUSED])
def test_a_refusal_says_what_and_where(source, what, reason, place):
    trace = trace_of(source).check()
    assert refusals(trace) == [(what, reason, place)]
    assert trace.status == "refused"


@pytest.mark.parametrize("row", REFUSED, ids=[row[1] for row in REFUSED])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_reason_has_its_sentence(row, lang):
    general = refusal_text(lang, Refusal(row[1], -1))
    assert row[1] in refusal_text(lang, Refusal(row[1], -1, row[2])) != general


def test_a_reason_that_a_child_made_up_reads_as_any_refusal():
    assert refusal_text("en", Refusal("x", -1, "nonsense")) == refusal_text("en", Refusal("x", -1))
    assert refusal_text("en", Refusal("x", -1, "../..")) == refusal_text("en", Refusal("x", -1))


# What is refused through a detour, and what must come of it: nothing.
DETOURS = [
    "import types\ntypes.SimpleNamespace(**{'__array_interface__': {}})",
    "torch.nn.Linear(1, 1)._parameters['x'] = {}",
    "torch.nn.Linear(1, 1)._modules.update({'__array_interface__': None})",
    "torch.nn.Linear(1, 1)._buffers.keys()._mapping",
    "torch.nn.ParameterDict({'__array_interface__': {}})",
    "torch.nn.Linear(1, 1).register_buffer('__array_interface__', None)",
    "class M(torch.nn.Module):\n    def f(self):\n        self._parameters = {}\nM().f()",
    "o = torch.optim.SGD([torch.ones(1, requires_grad=True)])\n"
    "torch.optim.lr_scheduler.StepLR(o, 1).load_state_dict({})",
    "class M(torch.nn.Module):\n    forward = torch.Tensor\ntorch.func.functional_call(M(), {}, (), {'cdata': 4096})",
    "class M(torch.nn.Module):\n    forward = torch.Tensor\nm = M()\n"
    "m.register_forward_pre_hook(lambda m, a, k: ((), {'cdata': 4096}), with_kwargs=True)\nm()",
    "match (i for i in [1]):\n    case object(gi_frame=frame): print('REACHED')",
    "import operator\noperator.attrgetter('__class__')",
    "import functools\nfunctools.update_wrapper",
    "import functools\ndef f(): pass\nfunctools.wraps(f)(torch.nn.functional.relu)",
    "import dataclasses\ndataclasses.dataclass(torch.nn.Linear)",
    "import pandas as pd\npd.DataFrame({'a': [1]}).apply('to_csv', path_or_buf='x')",
    "import pandas as pd\npd.DataFrame({'a': [1]}).groupby('a').agg(x=('a', 'to_pickle'))",
    "import pandas as pd\npd.DataFrame.agg(pd.DataFrame({'a': [1]}), ['to_pickle'])",
    "import pandas as pd\npd.DataFrame({'a': [1]}).to_csv('/elsewhere/x')",
    "import pandas as pd\npd.DataFrame({'a': [1]}).groupby('a').obj",
    "import numpy as np\na = np.ones(3)\na.resize(9, refcheck=False)",
    "import numpy as np\na = np.ones(3)\na.strides = (1000,)",
    "import io\nio.open_code",
    "import contextlib\n@contextlib.contextmanager\ndef f(): yield\nf().gen",
    "x = str.format\nx('{0.__globals__}', print)",
    "list(map('{0.__base__}'.format, [1]))",
    "print(1, file=print)",
    "from abc import ABC\nclass A(ABC): pass\nA.register(int)",
    "with open('x', 'wb') as f:\n    f.write(b'x')\ntorch.load('x')",
    "import random\nrandom._os",
    "get_ipython()._notebook",
    "get_ipython().help('print.__self__')",
    "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    e.with_traceback(None)",
    "import numpy as np, types\ntypes.SimpleNamespace(**{np.str_('__array_interface__'): {}})",
    "import functools\np = functools.partial(torch.Tensor)\np.keywords['cdata'] = 4096",
    "class B: pass\nclass M(B, torch.nn.Module): pass\nmatch M():\n    case B(_parameters=p): print('REACHED')",
    "class B: pass\nclass M(B, torch.nn.Module): pass\nmatch M():\n    case B(compile=c): print('REACHED')",
    "import numbers, numpy as np\nmatch np.float64(1):\n    case numbers.Number(data=d): print('REACHED')",
    "class M(torch.nn.Module): compile = 1\nm = M()\nx = m.compile\ndel M.compile\nm.compile",
    "class B: _parameters = property(print, print)\nclass M(B, torch.nn.Module): pass",
    "class B: pass\nclass M(B, torch.nn.Module): pass\nB._parameters = property(print, print)",
    "import copy\ncopy.deepcopy(torch.nn.Linear(1, 1), {})",
    "import copy\nclass A:\n    def __deepcopy__(self, memo): print('REACHED')\ncopy.deepcopy([get_ipython(), A()])",
    "import pandas as pd\npd.DataFrame({'a': [1]}).agg(('to_json', 'sum'))",
    "import pandas as pd\npd.DataFrame({'a': [1]}).agg({'a': ('to_json', 'sum')})",
    "import numpy as np\ns = np.random.get_state()\nnp.random.set_state((*s[:2], 2**30))",
    "import numpy as np\nnp.random.RandomState(0).set_state(('MT19937', [0] * 624, -9))",
]

LAID = "{'data': (id(len), False), 'shape': (1,), 'typestr': '<f8', 'version': 3}"
# Through what came in by rule: texts that are run, names that are chosen, classes that are called.
DETOURS += [
    "import timeit\ntimeit.timeit('().__class__.__base__', number=1)",
    "import timeit\ntimeit.timeit('x.gi_frame', globals={'$read': lambda o, n: o, 'x': (i for i in [1])}, number=1)",
    "import timeit\nnames = {'__builtins__': {'$read': lambda o, n: o}, 'x': (i for i in [1])}\n"
    "timeit.timeit('x.gi_frame', globals=names, number=1)",
    "import timeit\ntimeit.timeit('import os; os.system(\"ls\")', number=1)",
    "import timeit\ntimeit.timeit('pass', setup='global __builtins__; __builtins__ = {}', number=1)",
    "from torch.utils.benchmark import Timer\nTimer('().__class__.__base__').timeit(1)",
    "eval('__import__(\"os\")')",
    "eval('1 + x')",
    "class A: pass\na = A()\nvars(a)['__array_interface__'] = " + LAID,
    "class A: pass\na = A()\na.__dict__.update({'__array_interface__': " + LAID + "})",
    "class A: pass\na = A()\nd = a.__dict__\nd |= {'__class__': int}",
    "class A: pass\na = A()\na.__dict__.setdefault('__array_interface__', " + LAID + ")",
    "vars(torch.nn.Linear(1, 1))",
    "class M(torch.nn.Module): pass\nM().__dict__",
    "class A: pass\nA.__dict__",
    "vars(torch)",
    "dir(torch)",
    "import subprocess\ndir(subprocess)",
    "import subprocess\nvars(subprocess)",
    "import subprocess\nsubprocess._guards",
    "import subprocess\nsubprocess.x = 1",
    "import subprocess\ntype(subprocess)",
    "import subprocess\nlist(map(subprocess, [1]))",
    "import subprocess\n'{0._guards}'.format(subprocess)",
    "from torch._C import x",
    "from torch import _C",
    "import torch._C",
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('--x', dest='__array_interface__')",
    "import argparse\np = argparse.ArgumentParser()\np.set_defaults(**{'__array_interface__': {}})",
    "import argparse\nargparse.Namespace(**{'__array_interface__': {}})",
    "import argparse\nargparse.FileType('w')",
    "import enum\nenum.Enum('E', {'__array_interface__': " + LAID + "})",
    "import enum\nclass E(enum.Enum): pass\nE('F', [('__array_interface__', " + LAID + "), ('A', 1)])",
    "import collections, functools\nN = collections.namedtuple('__array_interface__', 'a')\n"
    "@functools.wraps(N)\ndef f(self): pass\nclass A: pass\nsetattr(A, f.__name__, f)",
    "from torch.distributions.utils import lazy_property\nlazy_property(1)",
    "from torch.distributions.transforms import lazy_property\nlazy_property(1)",
    "print('a', torch.jit)",
    "f'{torch.jit}'",
    "torch.jit.load('x')",
    "torch.jit._shown",
    "torch.set_default_tensor_type('os.system')",
    "torch.nn.ParameterDict().setdefault('__array_interface__', {})",
    "torch.nn.Linear(1, 1)._forward_pre_hooks[5] = lambda m, a, k: ((), {'cdata': 1})",
    "torch.nn.Linear(1, 1)._forward_pre_hooks.update({5: print})",
    "torch.ones(3).untyped_storage()._storage",
    "torch.ones(3).apply_(lambda v: v)",
    "torch.profiler.profile()",
    "import numpy as np\na = np.ones(4)\na.resize((5,))",
    "import numpy as np\nnp.ndarray.resize(np.ones(4), (9,), refcheck=False)",
    "import numpy as np\nclass A:\n"
    "    def __new__(cls): return np.ndarray.__new__(np.matrix, (1,), 'O', np.ones(1))\nA()",
    "torch.Tensor.__new__(torch.Tensor, 3)",
    "import numpy as np\nnp.array([(len, 1)], [('a', 'O'), ('b', 'i8')]).byteswap()",
    "import numpy as np\nnp.random.PCG64(0).state",
    "import numpy as np\nnp.char.chararray((1,), buffer=b'x')",
    "import numpy as np\nnp.lib.stride_tricks.as_strided",
    "import numpy as np\nnp.nditer",
    "import sys\nsys._getframe",
    "import sys\nsys.stdout._outputs",
    "import sys\nsys.stdout = None",
    "import gc\ngc.get_objects",
    "import inspect\ninspect.currentframe",
    "import inspect\ninspect.getsource(torch.nn.Linear)",
    "import typing\ntyping.get_type_hints",
    "import functools\nfunctools.singledispatch",
    "import importlib\nimportlib.import_module('os')",
    "import logging\nlogging.FileHandler('x')",
    "import logging\nlogging.getLogger().addFilter(print)",
    "import array\narray.array('q', [1]).fromfile",
    "import struct\nstruct.pack_into",
    "torch._zork = 5",
    "import torch.optim._functional",
    "import torch.nn.functional as F\nF.relu = 5",
]

# Where there is simply nothing any more: a plain error, or a value that leads nowhere.
NOTHING_THERE = [
    "import inspect\ninspect.signature(lambda: 0, eval_str=True)",
    "import numpy as np\nobject.__new__(np.matrix)",
    "import numpy as np\nclass B:\n    capsule = lock = None\nnp.random.Generator(B())",
    "t = torch.ones(3)\nn = t.numpy()\nt.resize_(100)",
    "torch.ones(3).untyped_storage()[100] = 3",
    "import logging\nlogging.basicConfig(filename='x')",
    "import functools, pandas as pd\ndef f(): pass\nfunctools.wraps(pd.DataFrame)(f)\nf.eval",
    "import functools\ndef f(): pass\nfunctools.wraps(torch.Tensor)(f)\nf.storage",
    "class M(torch.nn.Module):\n    def forward(self, *a): print('REACHED')\n"
    "m = torch.nn.ModuleDict({'__torch_function__': M()})\ntorch.add(m, 1)",
    "class M(torch.nn.Module):\n    def forward(self, epoch): return 1.0\n"
    "o = torch.optim.SGD([torch.ones(1, requires_grad=True)])\n"
    "torch.optim.lr_scheduler.LambdaLR(o, M()).state_dict()['lr_lambdas'][0]['_parameters']",
    "o = torch.optim.SGD([torch.ones(1, requires_grad=True)])\nL = torch.optim.lr_scheduler\n"
    "s = L.SequentialLR(o, [L.LambdaLR(o, lambda e: 1.0), L.MultiplicativeLR(o, torch.Tensor)], [1])\n"
    "s.state_dict()['_schedulers'][1]['lr_lambdas'][0]['__reduce_ex__']",
    "class D(dict):\n    n = 0\n    def keys(self):\n        D.n += 1\n        return ['cdata'] if D.n > 1 else []\n"
    "    def __iter__(self): return iter(self.keys())\n    def __getitem__(self, k): return 4096\n"
    "class M(torch.nn.Module):\n    def forward(self, **k): assert 'cdata' in k\nm = M()\n"
    "h = m.register_forward_pre_hook(lambda m, a, k: ((), D()), with_kwargs=True)\nm()",
]


@pytest.mark.parametrize("source", NOTHING_THERE)
def test_some_detours_lead_nowhere(source):
    trace = trace_of(source + "\nprint('REACHED')")
    assert trace.status == "error"
    assert not [output for cell in trace.cells for output in cell.outputs if isinstance(output, Printed)]


def test_the_indices_of_a_sparse_tensor_are_a_copy():
    """torch checks them when the tensor is made, and writes where they say."""
    trace = trace_of(
        "s = torch.sparse_coo_tensor([[0]], [1.0], (2,)).coalesce()\n"
        "s.indices().fill_(10**12)\nprint(s.to_dense().tolist(), s.indices().tolist())"
    )
    assert [o.text for o in trace.cells[0].outputs if isinstance(o, Printed)] == ["[1.0, 0.0] [[0]]\n"]


@pytest.mark.parametrize("source", DETOURS)
def test_detours_are_refused_too(source):
    trace = trace_of(source + "\nprint('REACHED')")
    assert trace.status == "refused"
    if "get_ipython().help" not in source:
        assert not [output for cell in trace.cells for output in cell.outputs if isinstance(output, Printed)]


def test_a_refusal_can_be_caught_and_still_stands_there():
    trace = trace_of("try:\n    eval('x')\nexcept Exception as e:\n    print('caught')\nx = torch.ones(1)")
    assert refusals(trace) == [("eval()", "code", "eval('x')")]
    assert trace.status == "refused" and trace.bound("x") is not None
    assert not [output for output in trace.cells[0].outputs if isinstance(output, Failure)]


def test_the_same_place_is_told_once():
    assert (
        len(refusals(trace_of("for i in range(9):\n    try:\n        torch.os\n    except Exception:\n        pass")))
        == 1
    )


def test_later_cells_run():
    trace = trace_of("# %%\nimport subprocess\nsubprocess.run('ls')\n# %%\nx = torch.ones(1)")
    assert trace.status == "refused" and trace.bound("x") is not None


def test_a_module_that_is_not_there_is_an_error_as_anywhere():
    [failure] = [output for output in trace_of("import no_such_module").cells[0].outputs]
    assert (failure.type, failure.text) == ("ModuleNotFoundError", "No module named 'no_such_module'")


def test_an_attribute_that_is_not_there_is_an_error_as_anywhere():
    trace = trace_of("class A: pass\nA().x")
    assert [type(output).__name__ for output in trace.cells[0].outputs] == ["Failure"]


def test_what_the_program_saved_it_may_load():
    trace = trace_of("torch.save({'w': torch.ones(2)}, 'x.pt')\nprint(torch.load('x.pt')['w'].sum())")
    assert trace.cells[0].outputs == [Printed("stdout", "tensor(2.)\n")]


@pytest.mark.parametrize(
    "program, words",
    [
        ("torch.tesnor([1.])", "module 'torch' has no attribute 'tesnor'"),
        ("import os\nos.systen('ls')", "module 'os' has no attribute 'systen'"),
        ("from torch import tesnor", "cannot import name 'tesnor' from 'torch'"),
        ("getattr(torch, 'tes' + 'nor')", "module 'torch' has no attribute 'tesnor'"),
    ],
)
def test_a_slip_is_an_error_in_the_librarys_own_words(program, words):
    (failure,) = [one for cell in trace_of(program).cells for one in cell.outputs if isinstance(one, Failure)]
    assert words in failure.text


@pytest.mark.parametrize(
    "name", ["__class__", "__dict__", "_C", "__loader__", "__reduce_ex__", "package", "os", "onnx"]
)
def test_what_a_module_has_and_may_not_show_is_refused_under_any_name(name):
    for program in (f"torch.{name}", f"getattr(torch, {name[:1]!r} + {name[1:]!r})"):
        assert refusals(trace_of(program)), program
