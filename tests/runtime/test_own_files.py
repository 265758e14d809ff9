"""A program in several files: each operation is located at the user's own line."""

import importlib.util
import linecache
import os
import sys

import pytest
import torch

import explorer
from explorer.runtime.recorder import own_files
from explorer.testing import assert_gradients_flow
from tests.programs import texts

MODELS = """\
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up = torch.nn.Linear(2, 2)

    def forward(self, x):
        return cube(self.up(x))

def cube(t):
    return t * t * t

def refuse(t):
    return t @ torch.ones(5)

class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    return imported(tmp_path_factory.mktemp("project") / "models.py", MODELS)


def imported(path, text):
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def places(trace):
    """Return each operation's file and line."""
    spans = [trace.spans[i] for i in trace.operations.span]
    return [f"{trace.cells[span.cell].name}:{span.line}" for span in spans]


def test_an_operation_is_located_in_the_users_own_file(models):
    net = models.Net()
    with explorer.record() as trace:
        loss = net(torch.ones(1, 2)).sum()
        loss.backward()
    trace.trace.check()
    here = places(trace)[0].partition(":")[0]
    assert here == "test_own_files.py"
    assert places(trace)[1:4] == ["models.py:9", "models.py:12", "models.py:12"]
    assert texts(trace)[1:4] == ["self.up(x)", "t * t", "t * t * t"]
    assert trace.cells[1].source == MODELS and trace.string(trace.operations.frames[2]) is None


def test_an_error_in_another_file_has_its_line(models):
    with pytest.raises(RuntimeError), explorer.record() as trace:
        models.refuse(torch.ones(2))
    [failed] = trace.cells[0].outputs
    span = trace.spans[failed.span]
    assert (trace.cells[span.cell].name, span.line, len(failed.frames)) == ("models.py", 15, 2)


def test_a_backward_in_another_file_is_recorded(models):
    x = torch.ones(1, requires_grad=True)
    with explorer.record() as trace:
        models.Twice.apply(x).backward()
    assert "models.py:24" in places(trace) and trace.operations.in_backward[-1] == 0


def test_earlier_notebook_cells_belong_to_the_user(monkeypatch):
    cells = {"<ipython-input-1-a>": "def half(t):\n    return t / 2\n", "<ipython-input-2-b>": "y = half(x)\n"}
    scope = {"x": torch.ones(2)}
    for name, text in cells.items():
        monkeypatch.setitem(linecache.cache, name, (len(text), None, text.splitlines(True), name))
    exec(compile(cells["<ipython-input-1-a>"], "<ipython-input-1-a>", "exec"), scope)
    with explorer.record() as trace:
        exec(compile(cells["<ipython-input-2-b>"], "<ipython-input-2-b>", "exec"), scope)
    assert texts(trace) == ["t / 2"] and places(trace) == ["<ipython-input-1-a>:2"]


def test_sentences_and_cards_name_the_file(models, tmp_path):
    w = torch.ones(1, 2, requires_grad=True)
    net = models.Net()
    with explorer.record() as trace:
        net(w).detach().sum()
        loss = net(w).log().sum()
        loss.backward()
    assert loss.shape == () and " models.py:9" in explorer.draw(trace.trace).svg()
    assert any("models.py:12" in line for line in trace.why("loss").lines)
    explorer.save(trace, tmp_path / "trace.json")
    assert [cell["name"] for cell in explorer.load(tmp_path / "trace.json").cells] == ["test_own_files.py", "models.py"]


def test_the_explorers_files_are_not_user_files():
    model = torch.nn.Linear(2, 1)
    with explorer.record() as trace:
        loss = model(torch.ones(3, 2)).sum()
        assert_gradients_flow(model, loss)
    assert not any(trace.string(frames) for frames in trace.trace.operations.frames)


def test_a_recording_of_one_file_omits_its_name():
    with explorer.record() as trace:
        torch.ones(1)
    assert [cell.name for cell in trace.cells] == [""]


@pytest.mark.parametrize("bound", ["MOST_TEXT", "MOST_FILES"])
def test_beyond_the_limits_an_operation_is_located_at_the_users_call(models, monkeypatch, bound):
    with monkeypatch.context() as patch:
        patch.setattr(own_files, bound, 1)
        with explorer.record() as trace:
            models.cube(torch.ones(1))
    assert texts(trace)[-1] == "models.cube(torch.ones(1))"
    assert trace.string(trace.operations.frames[-1]) == "models.py:12 cube"
    assert ("files", 1) in [(limit.kind, limit.count) for limit in trace.limits]


def test_user_files_and_libraries_are_distinguished():
    own = ["/home/ada/net.py", "models/net.py", "<ipython-input-3-x>", __file__]
    installed = [torch.__file__, importlib.util.__file__, "/env/lib/python3/site-packages/timm/vit.py", "<string>"]
    assert not any(map(own_files.is_library, own))
    assert all(map(own_files.is_library, [*installed, own_files.__file__, explorer.__file__]))


@pytest.fixture
def target(tmp_path, monkeypatch):
    """Yield a folder of the user's that `pip install --target` has put a package into."""
    lay(tmp_path, "trainer/__init__.py", "def train(loss):\n    return loss.backward()\n")
    lay(tmp_path, "lone.py", "def half(x):\n    return x / 2\n")
    lay(tmp_path, "mine.py", "import trainer\n\ndef train(loss):\n    return trainer.train(loss)\n")
    names = ("trainer/__init__.py", "lone.py", "../../bin/train", "trainer-1.0.dist-info/RECORD")
    lay(tmp_path, "trainer-1.0.dist-info/RECORD", "".join(f"{name},sha256=x,1\n" for name in names))
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in ("trainer", "lone", "mine"):
        sys.modules.pop(name, None)


def lay(folder, name, text):
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text)


def test_packages_in_a_target_folder_are_libraries_and_neighbouring_files_are_not(target):
    names = ["trainer/__init__.py", "trainer/deep/net.py", "lone.py", "mine.py", "trainer.py"]
    found = [own_files.is_library(str(target / name)) for name in names]
    assert found == [True, True, True, False, False]
    assert own_files.is_library(os.path.join(os.path.dirname(torch.__file__), "nn", "modules", "linear.py"))


def test_a_backward_in_such_a_package_is_located_at_the_users_line(target):
    import lone
    import mine

    w = torch.ones(2, requires_grad=True)
    with explorer.record() as trace:
        mine.train(lone.half(w).sum())
    assert [cell.name for cell in trace.cells] == ["test_own_files.py", "mine.py"]
    assert trace.line(trace.backwards[0].span) == 4 and trace.gradient("w").tolist() == [0.5, 0.5]


def test_a_file_is_named_relative_to_the_working_directory():
    assert own_files.called("/home/ada/train/models/net.py", "/home/ada/train") == "models/net.py"
    assert own_files.called("/opt/shared/net.py", "/home/ada/train") == "net.py"


TYPED = """import torch, explorer
w = torch.nn.Parameter(torch.ones(3, 1))
opt = torch.optim.SGD([w], lr=0.1)
x, y = torch.arange(12.0).view(4, 3), torch.ones(4)
with explorer.record() as trace:
    for _ in range(3):
        loss = torch.nn.functional.l1_loss(x @ w, y{})
        opt.zero_grad()
        loss.backward()
        opt.step()
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("given", "told"), [("", [("loss_broadcast", 7)]), ("[:, None]", [])])
def test_code_without_text_has_lines_and_text_free_diagnoses(given, told):
    """As of `python -c`, standard input, exec and a terminal."""
    scope = {}
    exec(compile(TYPED.format(given), "<string>", "exec"), scope)
    report = scope["trace"].report()
    assert [(found.kind, found.place.line) for found in report.diagnoses] == told
    assert report.sound is (not told)
