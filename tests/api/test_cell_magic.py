"""%%explore in a real shell of IPython."""

import pytest
from IPython.core.interactiveshell import InteractiveShell


@pytest.fixture
def shell():
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "explorer")
    yield shell
    InteractiveShell.clear_instance()


def test_a_recorded_cell_keeps_its_names(shell, capsys):
    shell.run_cell("import torch\nw = torch.tensor(3., requires_grad=True)")
    done = shell.run_cell("%%explore\nloss = w * w\nloss.backward()\nw.grad")
    done.raise_error()
    trace = shell.user_ns["trace"]
    assert done.result is trace
    assert "tensor(6.)" in capsys.readouterr().out
    assert trace["loss"].data == (9.0,)
    assert trace.operations[0].code == "w * w"
    assert trace.operations[0].line == 1
    assert trace.gradient("w").item() == 6
    assert shell.user_ns["loss"].item() == 9
    assert "w * w" in trace._repr_html_()


def test_the_magic_accepts_a_name_and_reports_an_error(shell):
    shell.run_cell("import torch\nw = torch.ones(2, requires_grad=True)")
    done = shell.run_cell("%%explore first\ny = w * 2\ny + torch.ones(3)")
    assert isinstance(done.error_in_exec, RuntimeError)
    assert shell.user_ns["first"].status == "error"
    assert "y = w * 2" in shell.user_ns["first"].cells[0].source
    done = shell.run_cell("%%explore two names\n1")
    assert "takes one name" in str(done.error_in_exec)
