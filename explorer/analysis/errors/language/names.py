"""Names without a value: variables, functions, libraries without their import."""

import re

from explorer.analysis.errors.language.unassigned_names import not_assigned, perhaps_imported
from explorer.analysis.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.source import Assignment, Code, Repair, all_assignments, find_lines, near, rename
from explorer.analysis.source import at as code_at
from explorer.trace import Span

FROM = """numpy:np pandas:pd matplotlib.pyplot:plt torch.nn.functional:F numpy pandas torch math random time os copy
torch/nn torch/optim torch.utils.data/DataLoader torch.utils.data/TensorDataset torch.utils.data/Dataset
torch.utils.data/random_split torch.autograd/grad torch.autograd/Variable collections/defaultdict collections/Counter
functools/partial copy/deepcopy dataclasses/dataclass""".split()  # library:short name, or library/name
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

RULES = Rules()


def _import_of(name: str) -> str:
    """The line that imports a name that programs often use, "" for another.

    >>> _import_of("np"), _import_of("nn"), _import_of("math")
    ('import numpy as np', 'from torch import nn', 'import math')
    """
    for text in FROM:
        library, short, part = text.partition(":")[0], text.partition(":")[2], text.partition("/")[2]
        if name == (short or part or text):
            owner = text.partition("/")[0]
            return (
                f"import {library} as {short}" if short else f"from {owner} import {part}" if part else f"import {text}"
            )
    return ""


@RULES.rule("NameError", r"name '(?P<name>\w+)' is not defined")
def name_unknown(at: FailureContext) -> Explanation | None:
    """A name without a value at the time it is read."""
    name = at["name"]
    assigned = [assignment for assignment in all_assignments(at.trace) if assignment.name == name]
    if assigned:
        return _assigned_elsewhere(at, name, assigned)
    if (perhaps := perhaps_imported(at, name)) is not None:
        return perhaps
    if name in SPELT:
        return at.explain("constant-spelt-otherwise", _renamed(at, SPELT[name]), right=SPELT[name])
    if line := _import_of(name):
        free = not at.here.source.lstrip().startswith("%%")  # a cell magic has to stay first
        repair = at.here.with_source(f"{line}\n{at.here.source}") if free else None
        return at.explain("import-missing", repair, **{"import": line})
    if owner := next((owner for owner, names in OWNERS.items() if name in names), ""):
        full = f"{owner}.{name}"
        return at.explain("name-of-a-library", _renamed(at, full) if at.assigns(owner) else None, full=full)
    method = _method_around(at)
    if method and re.search(rf"\bself\.{re.escape(name)}\s*(?::[^=\n]*)?=(?!=)", at.sources):
        return at.explain("self-forgotten", method=method)
    return _parameter(at, name, method) or _slip(at, name)


def _renamed(at: FailureContext, new: str) -> Repair | None:
    """The cell with another name in place of the missing one, if that means nothing else there."""
    text = rename(at.here.source, at["name"], new)
    return at.here.with_source(text) if text else None


def _parameter(at: FailureContext, name: str, method: str) -> Explanation | None:
    """A parameter is read outside its function."""
    for line, head in find_lines(at.trace, r"^\s*def (\w+)\((.*)\)"):
        if re.search(rf"(?<![\w.=]){re.escape(name)}\s*(?=[,:=]|$)", head[2]):
            kind = "parameter-of-init" if head[1] == "__init__" and method else "parameter-of-a-function"
            return at.explain(kind, function=head[1], where=line.line)
    return None


def _slip(at: FailureContext, name: str) -> Explanation:
    right = near(name, {assignment.name for assignment in all_assignments(at.trace)})
    if right and (above := at.last_assignment(right)):
        return at.explain("name-near", None if above.indent else _renamed(at, right), right=right, where=above.line)
    if right := near(name, BUILTINS):
        return at.explain("name-near-builtin", _renamed(at, right), right=right)
    owned = {part: owner for owner, parts in OWNERS.items() for part in parts}
    if (right := near(name, owned, 0.85)) and at.assigns(owned[right]):
        full = f"{owned[right]}.{right}"
        return at.explain("name-of-a-library", _renamed(at, full), full=full)
    return at.explain("name-unknown")


def _function_around(code: Code) -> str:
    """The function that contains a line, or ""."""
    heads = (re.match(r"\s*def (\w+)", header) for header in code.headers.values())
    return next((head[1] for head in heads if head), "")


def _method_around(at: FailureContext) -> str:
    """The method that contains the failing line, "" outside of one."""
    heads = (re.match(r"\s+def (\w+)\(self\b", header) for header in at.here.headers.values())
    return next((head[1] for head in heads if head), "")


def _assigned_elsewhere(at: FailureContext, name: str, assigned: list[Assignment]) -> Explanation | None:
    """The text does assign the name, on a line that did not run or that belongs to another scope."""
    functions = [_function_around(code_at(at.trace, Span(each.cell, each.line, 0, each.line, 0))) for each in assigned]
    outside = [each for each, function in zip(assigned, functions, strict=True) if not function]
    if (unfinished := not_assigned(at, name, outside)) is not None:
        return unfinished
    method, first = _method_around(at), assigned[0]
    for each, function in zip(assigned, functions, strict=True):
        if function == "__init__" and method:
            return at.explain("attribute-without-self", where=each.line, method=method)
        if function and not outside:
            kind = "name-of-init" if function == "__init__" else "name-of-a-function"
            return at.explain(kind, where=each.line, function=function)
    here = (at.here.span.cell, at.line)
    for line, _ in find_lines(at.trace, rf"^\s*del\b[^\n]*(?<!\w){re.escape(name)}(?!\w)"):
        if (line.span.cell, line.line) < here:
            return at.explain("name-deleted", where=line.line)
    if (first.cell, first.line) == here:
        return at.explain("name-needs-itself")
    if (first.cell, first.line) > here:
        kind = "name-made-below" if first.cell == at.here.span.cell else "name-made-in-a-later-cell"
        return at.explain(kind, where=first.line, cell=first.cell + 1)
    return at.explain("name-not-reached", where=first.line)


@RULES.rule("UnboundLocalError", r"local variable '(?P<name>\w+)'")
def read_before_local(at: FailureContext) -> Explanation | None:
    """A function reads a local name before assigning it."""
    heads = (re.match(r"\s*def (\w+)", line) for line in reversed(at.here.lines[: at.line]))
    function = next((head[1] for head in heads if head), None)
    if function is None:
        return None
    outside = [each for each in all_assignments(at.trace) if each.name == at["name"] and each.indent == 0]
    if not outside:
        return at.explain("local-read-early", function=function)
    return at.explain("local-hides-global", where=outside[0].line, function=function)
