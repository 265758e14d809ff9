"""Python files sent along with a program, and what its parent preloads, both determined from the text."""

import json

import pytest

from explorer.cli.main import main
from explorer.program import LEAST, GivenFile, needs, read_text
from explorer.program.given_files import MAX_NEIGHBOURS
from explorer.program.needs import COMPILER, TABLES
from explorer.program.neighbour_files import MOST_BYTES, beside, folder_files, imported

TRAIN = "from models import *\nloss = net(torch.ones(1, 2)).sum()\nloss.backward()\nprint(net.weight.grad.shape)\n"


def lay(folder, files: dict[str, str]) -> str:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(folder)


def names(found) -> list[str]:
    return [one.name for one in found.files]


def test_packages_that_were_installed_into_the_folder_stay_libraries(tmp_path):
    files = {"torch/__init__.py": "", "nets.py": "import torch", "torch-2.dist-info/RECORD": "torch/__init__.py,,\n"}
    assert names(beside(lay(tmp_path, files), ["import torch, nets"])) == ["nets.py"]


def test_imports_of_imported_files_are_included(tmp_path):
    folder = lay(
        tmp_path,
        {
            "models.py": "import nets.blocks as b, data",
            "nets/blocks.py": "from .acts import act",
            "nets/acts.py": "",
            "nets/deep/more.py": "import late",
            "nets/.hidden/x.py": "",
            "nets/weights.pt": "",
            "data.py": "",
            "late.py": "import models",
            "unasked.py": "",
        },
    )
    expected = ["models.py", "nets/acts.py", "nets/blocks.py", "nets/deep/more.py", "data.py", "late.py"]
    assert names(beside(folder, ["if x:\n    from models import Net", "import torch, numpy as np"])) == expected
    assert names(folder_files(str(tmp_path / "nets"))) == ["nets/acts.py", "nets/blocks.py", "nets/deep/more.py"]


def test_texts_are_searched_not_parsed():
    assert imported("from a.b import (c,\n  d)\nimport e . f, g as h;import i\nx = '''\nimport j") == [
        "a",
        "e",
        "g",
        "j",
    ]
    assert imported("# import a\nimportant = 1\nfrom . import b\nprint('from c import d')") == []


def test_number_and_size_of_files_are_limited(tmp_path):
    folder = lay(tmp_path, {f"many/m{i:03}.py": "" for i in range(MAX_NEIGHBOURS + 5)})
    found = beside(folder, ["import many"])
    assert (len(found.files), len(found.left_out), found.left_out[0]) == (MAX_NEIGHBOURS, 5, "many/m100.py")
    folder = lay(tmp_path, {f"large/m{i}.py": "#" * 150_000 for i in range(8)} | {"large/x.py": "#" * 200_001})
    found = beside(folder, ["import large"])
    assert sum(len(one.content) for one in found.files) <= MOST_BYTES
    assert found.left_out == ["large/m6.py", "large/m7.py", "large/x.py"]


def test_a_program_runs_with_the_files_of_its_folder(tmp_path, capsys):
    lay(tmp_path, {"train.py": TRAIN, "models.py": "import torch\nnet = torch.nn.Linear(2, 1)\n"})
    train, models = str(tmp_path / "train.py"), tmp_path / "models.py"
    assert main(["run", train, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [cell.get("name") for cell in found["cells"]] == [None, "models.py"]
    assert {"net.weight", "net.bias"} <= {name["name"] for tensor in found["tensors"] for name in tensor["names"]}

    models.write_text("import torch\ndef net(x):\n    w = torch.ones(2, 2, requires_grad=True)\n    return x @ w\n")
    assert main(["run", train]) == 1
    models.write_text("import torch\ndef net(x):\n    return (x * 2).backward()\n")
    assert main(["run", train, "--lang", "en"]) == 1
    assert "models.py:3: RuntimeError" in capsys.readouterr().out

    elsewhere = tmp_path / "elsewhere" / "train.py"
    lay(tmp_path, {"elsewhere/train.py": TRAIN})
    assert main(["run", str(elsewhere)]) == 1
    models.write_text("import torch\nnet = torch.nn.Linear(2, 1)\n")
    assert main(["run", str(elsewhere), "--file", str(models)]) == 0


@pytest.mark.parametrize(
    "text",
    [
        "x = torch.ones(2)",
        "import torch\nimport torch.nn.functional as F\nfrom torch import nn",
        "import numpy as np, math",
        "important = 5 % 2",
    ],
)
def test_torch_is_the_only_requirement(text):
    assert needs(read_text(text)) == LEAST


@pytest.mark.parametrize("text", ["torch.optim.SGD([w], 0.1)", "from torch.func import grad"])
def test_optimizers_and_transformed_functions_need_the_compiler(text):
    assert needs(read_text(text)) == COMPILER


def test_tables_need_pandas():
    assert needs(read_text("import pandas as pd")) == TABLES
    assert needs(read_text("frame = pandas.DataFrame()\ntorch.optim.SGD")) == TABLES | COMPILER


@pytest.mark.parametrize(
    "text",
    [
        "import matplotlib.pyplot as plt",
        "import math, sklearn",
        "from PIL import Image",
        "if True: import sympy",
        "frame.plot()",
        "%timeit 1",
        "!ls",
        "len?",
        "__import__('sympy')",
    ],
)
def test_everything_else_needs_all(text):
    assert needs(read_text(text)) is None


def test_files_given_to_a_program_count():
    def beside(content: bytes):
        program = read_text("x = 1")
        return type(program)(program.cells, files=(GivenFile("own.py", content, beside=True),))

    assert needs(beside(b"y = 2")) == LEAST
    assert needs(beside(b"import seaborn")) is None
