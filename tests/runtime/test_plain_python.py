"""A program is plain Python: whatever the language, the libraries and tutorials of torch have works as anywhere."""

from importlib.util import find_spec

import pytest

from explorer.trace import Printed, Trace
from tests.corpus import TUTORIALS
from tests.patience import PATIENT
from tests.programs import gradient, traced
from tests.traces import trace_of


def printed(trace: Trace) -> str:
    return "".join(output.text for cell in trace.cells for output in cell.outputs if isinstance(output, Printed))


LANGUAGE = {
    "exec and eval": "exec('y = 1 + 1')\nprint(eval('y + 1'))",
    "frames": "import sys\ndef f():\n    n = 3\n    return sys._getframe().f_locals['n']\nprint(f())",
    "a patched library": "import torch.nn.functional as F\nF.three = lambda: 3\nprint(torch.nn.functional.three())",
    "a tensor subclass": "class T(torch.Tensor): pass\nprint(torch.ones(3).as_subclass(T).shape[0])",
    "source": "def f():\n    return 1\nimport inspect\nprint(len(inspect.getsource(f).split('\\n')))",
}  # fmt: skip


@pytest.mark.parametrize("source", LANGUAGE.values(), ids=LANGUAGE)
def test_plain_python_works(source):
    trace = trace_of(source)
    assert (printed(trace), trace.status) == ("3\n", "ok"), trace.cells[0].outputs


def test_gradients_go_through_scripted_code():
    trace = traced(
        """
        import torch
        @torch.jit.script
        def double(v):
            return v * 2
        x = torch.ones(2, requires_grad=True)
        double(x).sum().backward()
        """
    )
    assert trace.status == "ok" and gradient(trace, "x").tolist() == [2.0, 2.0]


@pytest.mark.skipif(find_spec("tensorboard") is not None, reason="it is installed")
def test_a_library_missing_for_a_torch_module_is_named():
    trace = trace_of("from torch.utils.tensorboard import SummaryWriter")
    [output] = trace.cells[0].outputs
    assert output.text == "No module named 'tensorboard'"


@pytest.mark.parametrize("text", ["1 +", "return 5 +", "x ="])
def test_invalid_timed_code_is_a_syntax_error(text):
    (failure,) = trace_of(f"import timeit\ntimeit.timeit({text!r}, number=1)").cells[0].outputs
    assert failure.type == "SyntaxError"


SPOILING = [
    "import builtins\ndel builtins.len, builtins.isinstance, builtins.print",
    "import sys\nsys.modules.clear()",
    "import torch\ntorch.Tensor.sum = torch.Tensor.backward = torch.add = None",
    "import sys\nfor name in list(sys.modules):\n    if name.startswith('explorer'): vars(sys.modules[name]).clear()",
    "import gc\nfor one in gc.get_objects():\n    if type(one).__name__ == 'Recorder': vars(one).clear()",
    "import os, warnings\nos.environ.clear()\nwarnings.showwarning = None\nwarnings.warn('x')",
    "import sys\nsys.stdout = sys.stderr = None\nprint(1)",
    "import sys\nsys.setrecursionlimit(60)\ndef f(): f()\nf()",
    "import sys\nsys.meta_path.clear(), sys.path.clear()",
    "import os\nos._exit(0)",
    "import os\nos.abort()",
    "class A(BaseException):\n    def __str__(self): raise self\nraise A",
    "import sys\nsys.settrace(lambda *a: 1 / 0)\nx = 1\ndef f(): pass\nf()",
    "import signal\nsignal.raise_signal(signal.SIGALRM)",
]


@pytest.mark.thorough
def test_a_program_that_corrupts_its_process_affects_only_itself():
    from explorer.program import read_text
    from explorer.sandbox import default_runner
    from explorer.trace import Options

    sound = "import torch\nprint(torch.ones(2).sum())"
    for source in SPOILING:
        runs = [default_runner().submit(read_text(text), Options()) for text in (source, sound)]
        spoilt, after = (run.result(PATIENT) for run in runs)
        assert (after.status, printed(after)) == ("ok", "tensor(2.)\n")
        told = [one for cell in spoilt.cells for one in cell.outputs if not isinstance(one, Printed)]
        assert "explorer/" not in str(told), (source, told)
        spoilt.check()


@pytest.mark.parametrize("source", TUTORIALS.values(), ids=TUTORIALS)
def test_typical_tutorial_code_runs(source):
    assert trace_of(source).status == "ok"
