"""The command line in this process; the last test starts it as a user does."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import torch

from explorer import __version__
from explorer.cli.commands.doctor import built_for_cuda
from explorer.cli.commands.terminal import STATUS
from explorer.cli.main import main, visible
from explorer.drawing.picture import FORMATS
from explorer.program.given_files import MAX_FILE

ROOT = Path(__file__).parents[2]
SQUARE = "a = torch.tensor(3., requires_grad=True)\nb = a * a\nb.backward()\nprint(a.grad)\n"


@pytest.fixture
def program(tmp_path):
    """Writes a program's text, or bytes, and returns its path."""

    def write(text, name="program.py"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write


def test_run_prints_what_jupyter_shows(tmp_path, capsys):
    path = tmp_path / "values.py"
    path.write_text("import torch\ntorch.manual_seed(0)\nx = torch.ones(2)\nx\ndisplay(x + 1)\nx.shape\n")
    assert main(["run", str(path)]) == 0
    assert capsys.readouterr().out == "tensor([2., 2.])\ntorch.Size([2])\n"


def test_programs_can_open_given_files(program, capsys):
    names = program("ann\n", "names.txt")
    asked = program("print(open('data/names.txt').read())")
    assert main(["run", asked, "--file", names]) == 0
    assert capsys.readouterr().out == "ann\n\n"
    assert main(["run", "--no-folder", asked]) == 1
    assert "--file" in capsys.readouterr().out
    assert main(["run", asked, "--file", names, "--json"]) == 0
    assert "ann" not in json.loads(capsys.readouterr().out)["cells"][0]["source"]
    large = program(bytes(MAX_FILE + 1), "large.bin")
    for command, path in (("run", large), ("run", names + "x"), ("draw", large)):
        output = [] if command == "run" else ["-o", names + ".svg"]
        assert main([command, asked, "--file", path, *output]) == 2
        assert path in capsys.readouterr().err


def test_a_skipped_shell_line_is_a_warning_in_the_json(program, capsys):
    assert main(["run", program("!pip install torch\n1"), "--json"]) == 0
    outputs = json.loads(capsys.readouterr().out)["cells"][0]["outputs"]
    told = {"kind": "warning", "text": "not run here: !pip install torch\n", "span": [1, 0, 1, 18]}
    assert outputs[0] == told and outputs[1]["kind"] == "echo"


SEVERAL = ["a = torch.tensor([3., 4.], requires_grad=True)\nL = a * a", "# of two numbers\nL.backward()"]
FILES = {
    "several.py": "# %% [markdown]\n# Several.\n\n# %%\n" + "\n\n# %%\n".join(SEVERAL) + "\n",
    "several.md": "Several.\n\n```python\n" + "\n```\n\nand\n\n```python\n".join(SEVERAL) + "\n```\n",
    "several.ipynb": json.dumps(
        {
            "cells": [
                {
                    "cell_type": "code",
                    "id": f"c{i}",
                    "metadata": {},
                    "source": text,
                    "outputs": [],
                    "execution_count": None,
                }
                for i, text in enumerate(SEVERAL)
            ],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )
    + "\n",
}


@pytest.mark.parametrize("name", FILES)
def test_an_error_has_a_fix_for_the_whole_file(program, capsys, name):
    assert main(["run", program(FILES[name], name), "--json"]) == 1
    (error,) = [o for c in json.loads(capsys.readouterr().out)["cells"] for o in c["outputs"] if o["kind"] == "error"]
    assert "shape (2,)" in error["cause"] and "L.sum().backward()" in error["repair"]
    assert error["repaired_source"] == FILES[name].replace("L.backward()", "L.sum().backward()")
    assert main(["run", program(error["repaired_source"], name)]) == 0


def test_an_error_is_explained_in_words_without_json(program, capsys):
    assert main(["run", program("\n".join(SEVERAL)), "--lang", "zh"]) == 1
    first, cause, repair, gone, new, shown = capsys.readouterr().out.splitlines()
    assert first.startswith("第 4 行：RuntimeError: grad can be implicitly created")
    assert "(2,)" in cause and "L.sum().backward()" in repair
    assert gone.startswith("  - ") and new.startswith("  + ") and shown.startswith("  这样修改后可运行：")


def test_json_is_one_object_per_path_in_order(program, capsys):
    paths = [program(f"n = torch.tensor({i})\n", f"{i}.py") for i in range(3)]
    assert main(["run", *paths, "--json"]) == 0
    objects = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [obj["path"] for obj in objects] == paths
    assert [obj["tensors"][0]["value"]["data"] for obj in objects] == [0, 1, 2]


def test_an_error_is_status_1_with_its_line(program, capsys):
    assert main(["run", program("a = 1\na.nothing\n")]) == 1
    assert capsys.readouterr().out == "line 2: AttributeError: 'int' object has no attribute 'nothing'\n"
    assert main(["run", program("import torch\na = torch.ones(2)\na.copy()\n")]) == 1
    error, cause, repair, *_ = capsys.readouterr().out.splitlines()
    assert error.startswith("line 3: AttributeError: 'Tensor' object has no attribute 'copy'")
    assert ".clone" in cause and ".clone" in repair


def test_invalid_python_is_status_1_with_its_line(program, capsys):
    assert main(["run", program("a = 1\nb = = 2\n")]) == 1
    assert capsys.readouterr().out.startswith("line 2: SyntaxError: ")


@pytest.mark.parametrize(
    ("data", "words"), [(b"a = '\xff'\n", "UTF-8"), (b"a = 1\0\n", "NUL"), (b"#" * 200_001, "200")]
)
def test_an_unusable_program_is_status_2_and_not_run(data, words, program, capsys):
    path = program(data)
    assert main(["run", path, "--json"]) == 2
    obj = json.loads(capsys.readouterr().out)
    assert (obj["status"], obj["cells"], obj["torch"]) == ("unusable", [], None)
    assert words in obj["message"]


def test_a_missing_file_is_unusable(tmp_path, capsys):
    assert main(["run", str(tmp_path / "missing.py")]) == 2
    assert "missing.py" in capsys.readouterr().err


@pytest.mark.thorough
def test_limits_are_set_by_option_or_environment(program, capsys, monkeypatch):
    big = program("x = torch.ones(100_000_000)\n")
    assert main(["run", big, "--memory-limit", "200"]) == 4
    assert "line 1: The program tried to use more than 200 MB." in capsys.readouterr().out
    assert main(["run", big, "--memory-limit", "600"]) == 0
    monkeypatch.setenv("EXPLORER_MEMORY_LIMIT", "200")
    assert main(["run", big]) == 4
    assert main(["run", program("print('x' * 3000)"), "--output-limit", "2", "--json"]) == 4
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["cells"][0]["outputs"][1]["kind"] == "limit"


def test_a_sound_program_that_prints_more_than_is_kept_is_sound(program, capsys):
    printing = program(
        "import torch\nw = torch.ones(2, requires_grad=True)\nprint('x' * 3000)\n(w**2).sum().backward()"
    )
    assert main(["check", printing, "--output-limit", "2"]) == 0
    assert main(["report", printing, "--output-limit", "2"]) == 0
    assert "stopped by a limit" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "option, given, said",
    [
        ("--time-limit", "x", "--time-limit must be a number from 0.05 to 86400, not x"),
        ("--memory-limit", "1", "--memory-limit must be a number from 50 to 1000000, not 1"),
        ("--output-limit", "nan", "--output-limit must be a number from 1 to 1000, not nan"),
    ],
)
def test_an_invalid_limit_runs_nothing(program, capsys, option, given, said):
    assert main(["run", program("print(1)"), option, given]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", said + "\n")


def test_an_endless_loop_is_limited_with_its_line(program, capsys):
    assert main(["run", program("a = 1\nwhile True:\n    a += 1\n"), "--time-limit", "0.5"]) == 4
    assert "was stopped after 0.5 s" in capsys.readouterr().out


def test_the_most_severe_status_of_several_paths_counts(program):
    assert main(["run", program(SQUARE, "a.py"), program("1 / 0\n", "b.py"), program(b"\xff", "c.py"), "--json"]) == 2


def test_a_nonexistent_backward_is_reported(program, capsys):
    assert main(["run", program(SQUARE), "--backward", "2", "--json"]) == 0
    assert (
        json.loads(capsys.readouterr().out)["message"]
        == "There is no backward call 2: the program calls backward once."
    )


WRONG_BACKWARD = """
import torch

class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, b):
        ctx.save_for_backward(b)
        return b ** 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2  # forgot b

w = torch.tensor([3.0, 5.0], requires_grad=True)
Square.apply(w).sum().backward()
"""


def test_a_report_names_a_wrong_leaf_and_does_not_call_the_program_sound(program, capsys):
    assert main(["report", program(WRONG_BACKWARD)]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"\bw\b.* differ", printed)
    assert "No problem" not in printed


def test_of_rejects_a_name_that_is_not_a_tensor(program, capsys):
    main(["run", program(SQUARE), "--of", "nothing", "--json"])
    assert "nothing" in json.loads(capsys.readouterr().out)["message"]


def test_gradients_of_another_root_are_printed(program, capsys):
    source = "x = torch.tensor(2., requires_grad=True)\nh = x * x\ny = h * 3\ny.backward()\n"
    main(["run", program(source), "--of", "h", "--json"])
    tensors = json.loads(capsys.readouterr().out)["tensors"]
    x = next(t for t in tensors if any(n["name"] == "x" for n in t["names"]))
    assert x["gradient"]["data"] == 4.0


def test_the_seed_is_fixed(program, capsys):
    path = program("print(torch.rand(1))\n")
    main(["run", path, path])
    main(["run", path, "--seed", "1"])
    _, first, _, second, other = capsys.readouterr().out.splitlines()
    assert first == second != other


def test_a_program_cannot_steer_the_terminal(program, capsys):
    main(["run", program(r"print('\x1b[31mred\ta\x1b[2J')")])  # a colour is removed, a cursor movement is shown
    assert capsys.readouterr().out == "red\ta\\x1b[2J\n"
    assert visible("中文\u202e\x07") == "中文\\u202e\\x07"


@pytest.mark.parametrize("suffix", FORMATS)
def test_draw_writes_each_format(suffix, program, tmp_path, capsys):
    target = tmp_path / f"graph{suffix}"
    assert main(["draw", program(SQUARE), "-o", str(target)]) == 0
    text = target.read_text(encoding="utf-8")
    if suffix == ".svg":
        cards = [
            g for g in ET.fromstring(text).iter("{http://www.w3.org/2000/svg}g") if "node" in g.get("class", "").split()
        ]
        assert len(cards) == 2
    else:
        assert ("digraph" in text) == (suffix == ".dot")
    assert "2 cards" in capsys.readouterr().out


def test_a_drawn_page_plays_each_statement(program, tmp_path):
    target = tmp_path / "run.html"
    assert main(["draw", program("n = 3\n" + SQUARE), "-o", str(target), "--lang", "en"]) == 0
    text = target.read_text(encoding="utf-8")
    assert 'class="program' in text and "were not recorded" not in text


def test_draw_lists_its_formats(program, tmp_path, capsys):
    assert main(["draw", program(SQUARE), "-o", str(tmp_path / "graph.png")]) == 2
    assert ".svg, .html, .dot" in capsys.readouterr().err


def test_draw_opens_a_module_or_lists_the_modules(program, tmp_path, capsys):
    layers = "*(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh()) for _ in range(12))"
    path = program(f"net = torch.nn.Sequential({layers})\nnet(torch.ones(1, 2)).sum().backward()\n")
    target = tmp_path / "graph.svg"
    assert main(["draw", path, "-o", str(target), "--open", "7"]) == 0
    assert 'data-module="net.7.0"' in target.read_text(encoding="utf-8")
    assert main(["draw", path, "-o", str(target), "--open", "net.77"]) == 2
    assert "Module net.77 did not run. These did: net.7" in capsys.readouterr().err


def test_draw_of_a_failing_program_reports_the_error_line(program, tmp_path, capsys):
    assert main(["draw", program(SQUARE + "1 / 0\n"), "-o", str(tmp_path / "g.svg")]) == 1
    assert "line 5: ZeroDivisionError" in capsys.readouterr().err
    assert (tmp_path / "g.svg").exists()


def test_doctor_lists_available_features(capsys):
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    assert f"Autograd Explorer: {__version__}" in text
    assert f"torch: {torch.__version__.partition('+')[0]}" in text and "runs programs: yes" in text
    on_linux = sys.platform == "linux"
    assert ("no_new_privs: yes" in text) == on_linux and ("Only Linux confines programs" in text) == (not on_linux)
    assert ("can't read files on this machine" in text) == on_linux


def test_doctor_reads_the_kind_of_pytorch_from_its_files():
    assert built_for_cuda() == (torch.version.cuda or "")


def test_write_access_that_cannot_be_confined_is_refused(program, monkeypatch, capsys):
    monkeypatch.setattr("explorer.sandbox.access.confines", lambda: False)  # as on Windows
    assert main(["run", program("x = 1"), "--write"]) == STATUS["unusable"]
    assert "Nothing was opened" in capsys.readouterr().err


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert not ended.value.code and capsys.readouterr().out == f"Autograd Explorer {__version__}\n"


@pytest.mark.thorough
def test_a_program_from_standard_input_runs():
    done = subprocess.run(
        [sys.executable, "-m", "explorer", "run", "-"],
        input=SQUARE,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    assert done.stdout == "tensor(6.)\n"


def test_json_takes_no_value_in_any_position(program, capsys):
    path = program("import torch\nw = torch.ones(2, requires_grad=True)\nfor _ in range(300):\n    (w * w).sum()\n")
    for arguments, is_whole in (
        (["run", "--json", path], False),
        (["run", path, "--json"], False),
        (["run", "--json=full", path], True),
        (["run", path, "--json", "--json=full"], True),
    ):
        assert main(arguments) == 0
        told = json.loads(capsys.readouterr().out)
        assert (told["left_out"] is None, bool(told["operations"])) == (is_whole, is_whole)


def test_importing_explorer_imports_nothing_slow():
    slow = {"torch", "streamlit", "numpy", "fluent"}
    code = f"import sys, explorer, explorer.cli.main; print({slow} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "set()\n"


def test_an_expression_of_any_length_that_fails_ends_no_batch(program, capsys):
    long = program(f"import torch\ntorch.ones(3) + torch.ones(2{' ' * 9_000})\n")
    short = program("x = 1\nx\n", "short.py")
    assert main(["run", long, short]) == 1
    assert capsys.readouterr().out.endswith("1\n")
    assert main(["run", program(f"import torch\ntorch.exp([{'1, ' * 9_000}])\n"), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["cells"][0]["outputs"][0]["cause"]


def test_why_explains_how_a_number_was_computed(program, capsys):
    path = program(SQUARE)
    assert main(["why", path, "a.grad", "b"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (
        lines[0] == "a.grad = 6 = 3 (via the first factor of b: 1 · 3) + 3 (via the second factor of b: 1 · 3) · line 3"
    )
    assert "b = 9 = a · a = 3 · 3 · line 2" in lines
    large = program(
        "import torch\nw = torch.ones(20, 10, requires_grad=True)\n(torch.ones(30, 20) @ w).sum().backward()",
        "large.py",
    )
    assert main(["why", large, "w.grad[3, 4]"]) == 0  # the program runs a second time
    assert "w.grad[3, 4] = 30 · line 3\n  = 1 (via (torch.ones(…) @ w)[0, 4]: 1 · 1" in capsys.readouterr().out
    assert main(["why", path]) == 0
    assert capsys.readouterr().out.split() == ["a", "b", "a.grad", "b.grad"]
    assert main(["why", path, "a.grad", "--json", "--lang", "zh", "--backward", "1"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["amount"] == 6.0 and [part["factors"] for part in told["derivation"]["parts"]] == [[1.0, 3.0]] * 2
    assert main(["why", path, "a.gard"]) == 2
    assert "a.grad?" in capsys.readouterr().err
    assert main(["why", path, "a", "--backward", "2"]) == 2
