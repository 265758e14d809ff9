"""What a parent of one short program preloads, judged by the program's text."""

import pytest

from explorer.program import LEAST, GivenFile, needs, read_text
from explorer.program.needs import COMPILER


@pytest.mark.parametrize(
    "text",
    [
        "x = torch.ones(2)",
        "import torch\nimport torch.nn.functional as F\nfrom torch import nn",
        "import numpy as np, math",
        "important = 5 % 2",
    ],
)
def test_torch_alone_is_enough(text):
    assert needs(read_text(text)) == LEAST


@pytest.mark.parametrize("text", ["torch.optim.SGD([w], 0.1)", "from torch.func import grad"])
def test_optimizers_and_transformed_functions_need_the_compiler(text):
    assert needs(read_text(text)) == COMPILER


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
