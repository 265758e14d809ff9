"""Names without a value: variables, functions, libraries without their import."""

import re

from explorer.analysis.errors.assignments import Assignment, assignments, made
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.language.unassigned_names import not_assigned, perhaps_imported
from explorer.analysis.errors.rule import Explanation, rule
from explorer.analysis.errors.source_words import near, renamed
from explorer.analysis.errors.text_edits import with_line_before

IMPORTS = {
    "np": "import numpy as np",
    "numpy": "import numpy",
    "pd": "import pandas as pd",
    "pandas": "import pandas",
    "plt": "import matplotlib.pyplot as plt",
    "torch": "import torch",
    "nn": "from torch import nn",
    "optim": "from torch import optim",
    "F": "import torch.nn.functional as F",
    "math": "import math",
    "random": "import random",
    "time": "import time",
    "os": "import os",
    "DataLoader": "from torch.utils.data import DataLoader",
    "TensorDataset": "from torch.utils.data import TensorDataset",
    "Dataset": "from torch.utils.data import Dataset",
    "random_split": "from torch.utils.data import random_split",
    "grad": "from torch.autograd import grad",
    "Variable": "from torch.autograd import Variable",
    "defaultdict": "from collections import defaultdict",
    "Counter": "from collections import Counter",
    "partial": "from functools import partial",
    "deepcopy": "from copy import deepcopy",
    "copy": "import copy",
    "dataclass": "from dataclasses import dataclass",
}
SPELT = {"true": "True", "TRUE": "True", "false": "False", "FALSE": "False"}
SPELT |= {"none": "None", "null": "None", "NULL": "None", "nil": "None", "NaN": 'float("nan")', "nan": 'float("nan")'}
SPELT |= {"inf": 'float("inf")', "Inf": 'float("inf")'}
TORCH = """tensor Tensor zeros ones randn rand eye arange linspace full empty zeros_like ones_like randn_like randint
cat stack matmul sigmoid tanh relu softmax exp log sin cos sqrt mean no_grad manual_seed float32 float64 int64
from_numpy
logsumexp einsum""".split()
NN = """Linear Module Sequential ReLU Tanh Sigmoid Parameter MSELoss CrossEntropyLoss BCELoss BCEWithLogitsLoss Conv2d
Dropout BatchNorm1d BatchNorm2d Embedding LSTM GRU Flatten ModuleList Softmax""".split()
OPTIM = "SGD Adam AdamW RMSprop Adagrad LBFGS".split()
FUNCTIONAL = "mse_loss cross_entropy nll_loss binary_cross_entropy one_hot log_softmax".split()
OWNERS = {"torch": TORCH, "nn": NN, "optim": OPTIM, "F": FUNCTIONAL}
NUMPY = """array arange linspace zeros ones eye full random mean sum std exp log sqrt dot matmul concatenate stack
reshape
float32 float64 int64 allclose argmax where maximum isnan ndarray""".split()
PANDAS = "DataFrame Series read_csv get_dummies concat merge to_numeric isna".split()
MODULES = {"torch": TORCH, "torch.nn": NN, "torch.optim": OPTIM, "torch.nn.functional": FUNCTIONAL}
MODULES |= {"numpy": NUMPY, "pandas": PANDAS}
BUILTINS = """print range len enumerate zip sum min max abs float int str list dict tuple set sorted reversed isinstance
round
True False None map filter open input type super""".split()


def _at_top(stopped: Stopped, line: str) -> str:
    """The text of the place's cell with a line inserted first, "" if a cell magic has to stay first."""
    return "" if stopped.source.lstrip().startswith("%%") else f"{line}\n{stopped.source}"


def _function_around(stopped: Stopped, at: Assignment) -> str:
    """The function that contains an assignment, or ""."""
    lines = stopped.trace.cells[at.cell].source.split("\n")
    for text in reversed(lines[: at.line - 1]):
        indent = len(text) - len(text.lstrip())
        if text.strip() and indent < at.indent and (found := re.match(r"\s*def (\w+)", text)):
            return found[1]
        if text.strip() and indent == 0:
            return ""
    return ""


@rule("NameError", r"name '(\w+)' is not defined")
def name_unknown(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A name without a value at the time it is read."""
    name = found[1]
    if stopped.span is None:
        return None
    values = {"name": name, "line": stopped.span.line}
    made_at = [assignment for assignment in assignments(stopped.trace) if assignment.name == name]
    if made_at:
        return _made_elsewhere(stopped, name, made_at)
    if (perhaps := perhaps_imported(stopped, name)) is not None:
        return perhaps
    if name in SPELT:
        return Explanation(
            "constant-spelt-otherwise", values | {"right": SPELT[name]}, *_all(stopped, name, SPELT[name])
        )
    if name in IMPORTS:
        text = _at_top(stopped, IMPORTS[name])
        return Explanation("import-missing", values | {"import": IMPORTS[name]}, text, stopped.place)
    for owner, names in OWNERS.items():
        if name in names:
            full = f"{owner}.{name}"
            known = any(assignment.name == owner for assignment in assignments(stopped.trace))
            mended = _all(stopped, name, full) if known else ("", 0)
            return Explanation("name-of-a-library", values | {"full": full}, *mended)
    if (method := _method_around(stopped)) and any(
        re.search(rf"\bself\.{re.escape(name)}\s*(?::[^=\n]*)?=(?!=)", cell.source) for cell in stopped.trace.cells
    ):
        lines, at = stopped.source.split("\n"), stopped.span.line - 1
        lines[at] = re.sub(rf"(?<![\w.]){re.escape(name)}(?!\w)", f"self.{name}", lines[at])
        return Explanation("self-forgotten", values | {"method": method}, "\n".join(lines), stopped.place)
    return _parameter(stopped, name, values) or _slip(stopped, name, values)


def _parameter(stopped: Stopped, name: str, values: dict[str, str | int]) -> Explanation | None:
    """A parameter is read outside its function."""
    for cell, cell_run in enumerate(stopped.trace.cells):
        lines = cell_run.source.split("\n")
        for i, line in enumerate(lines):
            head = re.match(r"(\s*)def (\w+)\((.*)\)", line[:400])
            if not head or not re.search(rf"(?<![\w.=]){re.escape(name)}\s*(?=[,:=]|$)", head[3]):
                continue
            facts = values | {"function": head[2], "where": i + 1}
            if head[2] != "__init__" or not _method_around(stopped):
                return Explanation("parameter-of-a-function", facts)
            mended = ""
            if cell == stopped.place and i + 1 < len(lines) and "__init__()" in lines[i + 1] and head[1]:
                pattern = rf"(?<![\w.]){re.escape(name)}(?!\w)"
                at = stopped.span.line - 1
                lines[at] = re.sub(pattern, f"self.{name}", lines[at])
                lines.insert(i + 2, f"{head[1]}    self.{name} = {name}")
                mended = "\n".join(lines)
            return Explanation("parameter-of-init", facts, mended, cell)
    return None


def _all(stopped: Stopped, old: str, new: str) -> tuple[str, int]:
    return renamed(stopped.source, old, new), stopped.place


def _slip(stopped: Stopped, name: str, values: dict) -> Explanation:
    known: dict[str, Assignment] = {}
    for assignment in assignments(stopped.trace):
        known.setdefault(assignment.name, assignment)
    right = near(name, known)
    if right and (made_at := made(stopped, right)):
        mended = _all(stopped, name, right) if made_at.indent == 0 else ("", 0)
        return Explanation("name-near", values | {"right": right, "where": made_at.line}, *mended)
    if right := near(name, BUILTINS):
        return Explanation("name-near-builtin", values | {"right": right}, *_all(stopped, name, right))
    owned = {name: owner for owner, names in OWNERS.items() for name in names}
    if (right := near(name, owned, 0.85)) and owned[right] in known:
        full = f"{owned[right]}.{right}"
        return Explanation("name-of-a-library", values | {"full": full}, *_all(stopped, name, full))
    return Explanation("name-unknown", values)


def _method_around(stopped: Stopped) -> str:
    """The method that contains the failing line, "" outside of one."""
    lines = stopped.source.split("\n")
    here = lines[stopped.span.line - 1]
    for text in reversed(lines[: stopped.span.line - 1]):
        if found := re.match(r"(\s+)def (\w+)\(self\b", text):
            return found[2] if len(found[1]) < len(here) - len(here.lstrip()) else ""
        if text.strip() and not text[0].isspace():
            return ""
    return ""


def _without_self(stopped: Stopped, at: Assignment, name: str, values: dict[str, str | int]) -> Explanation:
    """A name of __init__ is read in another method: it should be an attribute."""
    lines = stopped.trace.cells[at.cell].source.split("\n")
    pattern = rf"(?<![\w.]){re.escape(name)}(?!\w)"
    mended = ""
    if at.cell == stopped.place and at.alone:
        lines[at.line - 1] = re.sub(pattern, f"self.{name}", lines[at.line - 1], count=1)
        begin = stopped.span.line - 1
        end = next((i for i in range(begin, len(lines)) if re.match(r"\s*(?:def|class)\b|\S", lines[i])), len(lines))
        lines[begin:end] = [re.sub(pattern, f"self.{name}", line) for line in lines[begin:end]]
        mended = "\n".join(lines)
    return Explanation("attribute-without-self", values, mended, at.cell)


def _made_elsewhere(stopped: Stopped, name: str, made_at: list[Assignment]) -> Explanation | None:
    """The text does assign the name, on a line that did not run or that belongs to another scope."""
    outside = [assignment for assignment in made_at if not _function_around(stopped, assignment)]
    if (unfinished := not_assigned(stopped, name, outside)) is not None:
        return unfinished
    span, first = stopped.span, made_at[0]
    values: dict[str, str | int] = {"name": name, "line": span.line, "where": first.line}
    here = (stopped.place, span.line)
    for at in made_at:
        function = _function_around(stopped, at)
        if function == "__init__" and (method := _method_around(stopped)):
            return _without_self(stopped, at, name, values | {"where": at.line, "method": method})
        if function == "__init__" and all(_function_around(stopped, other) for other in made_at):
            return Explanation("name-of-init", values | {"where": at.line})
        if function and all(_function_around(stopped, other) for other in made_at):
            return Explanation("name-of-a-function", values | {"where": at.line, "function": function})
    deleted = re.compile(rf"\s*del\b[^\n]*(?<!\w){re.escape(name)}(?!\w)")
    for cell, cell_run in enumerate(stopped.trace.cells[: stopped.place + 1]):
        for line, text in enumerate(cell_run.source.split("\n"), 1):
            if deleted.match(text) and (cell, line) < here:
                return Explanation("name-deleted", values | {"where": line})
    if (first.cell, first.line) == here:
        return Explanation("name-needs-itself", values)
    if (first.cell, first.line) > here:
        kind = "name-made-below" if first.cell == stopped.place else "name-made-in-a-later-cell"
        return Explanation(kind, values | {"cell": first.cell + 1})
    return Explanation("name-not-reached", values)


@rule("UnboundLocalError", r"local variable '(\w+)'")
def read_before_local(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A function reads a local name before assigning it."""
    name = found[1]
    if stopped.span is None:
        return None
    lines = stopped.source.split("\n")
    at = stopped.span.line - 1
    defined = next((i for i in range(at, -1, -1) if re.match(r"\s*def \w+", lines[i])), None)
    if defined is None:
        return None
    outside = [
        assignment for assignment in assignments(stopped.trace) if assignment.name == name and assignment.indent == 0
    ]
    values = {"name": name, "line": stopped.span.line, "function": re.match(r"\s*def (\w+)", lines[defined])[1]}
    if not outside:
        return Explanation("local-read-early", values)
    one_line = re.search(r":\s*(#.*)?$", lines[defined]) and defined < at
    text = with_line_before(stopped.source, defined + 2, f"global {name}") if one_line else ""
    return Explanation("local-hides-global", values | {"where": outside[0].line}, text, stopped.place)


RULES = (name_unknown, read_before_local)
