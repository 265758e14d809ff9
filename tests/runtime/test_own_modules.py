"""A program's own imported files run and are named in the Trace."""

import pytest
from msgspec import structs

from explorer.program import GivenFile, read_text
from explorer.runtime.execute import execute
from explorer.trace import Failure, Options, Printed, Trace

MODELS = """from torch import nn
from nets.blocks import Block
__all__ = ["Net", "nn"]
_hidden = 3

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block(2)

    def forward(self, x):
        return self.block(x).sum()
"""
BLOCKS = """from torch import nn
from . import acts
from .acts import twice

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width)

    def forward(self, x):
        return acts.twice(self.inner(x))
"""
FILES = {"models.py": MODELS, "nets/blocks.py": BLOCKS, "nets/acts.py": "def twice(x):\n    return x * 2\n"}


def ran(text: str, files: dict[str, str] = FILES, beside: bool = True) -> Trace:
    given = tuple(GivenFile(name, content.encode(), beside) for name, content in files.items())
    return execute(structs.replace(read_text(text), files=given), Options()).check()


def shown(trace: Trace) -> list:
    return [output for cell in trace.own_cells for output in cell.outputs]


def printed(trace: Trace) -> str:
    return "".join(one.text for one in shown(trace) if isinstance(one, Printed))


def test_operations_in_modules_have_their_place_and_parameters_their_name():
    trace = ran("from models import *\nnet = Net()\nnet(torch.ones(1, 2)).backward()")
    assert [cell.name for cell in trace.cells] == ["", "models.py", "nets/blocks.py", "nets/acts.py"]
    assert [len(trace.own_cells), trace.status] == [1, "ok"]
    places = {
        trace.strings[name]: (getattr(trace.line(span), "file", ""), int(trace.line(span)))
        for name, span in zip(trace.operations.name, trace.operations.span, strict=True)
    }
    assert places["linear"] == ("nets/blocks.py", 11)
    assert places["mul"] == ("nets/acts.py", 2)
    assert places["sum"] == ("models.py", 12)
    assert trace.bound("net.block.inner.weight") is not None


@pytest.mark.parametrize(
    "text, said",
    [
        ("import models\nprint(models.__name__, models._hidden, hasattr(models, 'x'))", "models 3 False\n"),
        ("import models\nmodels.extra = 1\nmodels.extra += 1\nprint(models.extra)", "2\n"),
        ("import nets.blocks as b\nimport nets.acts\nprint(nets.acts.twice(b.nn.Linear(1, 1).in_features))", "2\n"),
        ("from models import *\nprint(nn.__name__, 'Block' in dir())", "torch.nn False\n"),
        ("import models\nprint('Net' in dir(models), vars(models)['_hidden'])", "True 3\n"),
        ("def f():\n    from nets.acts import twice\n    return twice(4)\nprint(f())", "8\n"),
        ("open('made.py', 'w').write('a = 5')\nfrom made import a\nprint(a)", "5\n"),
        ("import torch, io\nfrom models import Net\nfile = io.BytesIO()\ntorch.save(Net(), file)\nfile.seek(0)\n"
         "print(type(torch.load(file, weights_only=False)) is Net)", "True\n"),
    ],
)  # fmt: skip
def test_modules_behave_like_pythons(text, said):
    trace = ran(text)
    assert printed(trace) == said, shown(trace)


def test_a_file_uploaded_without_its_folder_is_found_by_name():
    trace = ran("from src.nets.acts import twice\nprint(twice(3))", {"acts.py": FILES["nets/acts.py"]}, beside=False)
    assert printed(trace) == "6\n"


@pytest.mark.parametrize(
    "text, kind, said",
    [
        ("from models import Nett", "ImportError", "cannot import name 'Nett' from 'models' ({home}/models.py)"),
        ("import models\nmodels.Nett", "AttributeError", "module 'models' has no attribute 'Nett'"),
        ("import nets.nothing", "ModuleNotFoundError", "No module named 'nets.nothing'"),
        ("from .models import Net", "ImportError", "attempted relative import with no known parent package"),
        ("from ..x import y", "ImportError", "attempted relative import with no known parent package"),
        ("from nowhere import *", "ModuleNotFoundError", "No module named 'nowhere'"),
    ],
)
def test_a_missing_module_has_pythons_error_message(text, kind, said):
    (failure,) = shown(ran(text))
    assert failure.type == kind and failure.text.startswith(said.partition(" ({home}")[0])


def test_an_error_in_a_file_is_located_there():
    files = {"bad.py": "x = 1\ny = x +\n", "worse.py": "def f():\n    return 1 / 0\n", "loop.py": "import loop\n1 / 0"}
    trace = ran("import bad\n# %%\nfrom worse import f\nf()\n# %%\nimport loop\n# %%\nimport loop", files)
    failures = [one for one in shown(trace) if isinstance(one, Failure)]
    places = [(trace.line(one.span).file, int(trace.line(one.span))) for one in failures]
    assert places == [("bad.py", 2), ("worse.py", 2), ("loop.py", 2), ("loop.py", 2)]
    assert [trace.spans[one].cell for one in failures[1].frames] == [1, trace.spans[failures[1].span].cell]


def test_a_file_cannot_replace_a_library():
    assert printed(ran("import math, torch\nprint(math.pi > 3, torch.ones(1))", {"math.py": "pi = 1", "torch.py": ""}))
    nested = {"torch/secret.py": "x = 1"}
    (failure,) = shown(ran("from torch.secret import x", nested))
    assert failure.type == "ModuleNotFoundError"


def test_too_many_or_too_large_modules_are_refused():
    many = {f"m{i}.py": "" for i in range(101)}
    (failure,) = shown(ran("\n".join(f"import m{i}" for i in range(101)), many))
    assert failure.text == "m100.py is one file too many: 100 are imported already"
    (failure,) = shown(ran("import m", {"m.py": "#" * 200_001}))
    assert "m.py has 200001 bytes" in failure.text


def test_help_shows_the_file_of_an_imported_function():
    trace = ran("from nets.acts import twice\ntwice?")
    [text] = [output.text for output in trace.cells[0].outputs if isinstance(output, Printed)]
    assert "~/nets/acts.py" in text
