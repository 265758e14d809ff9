"""Names without a value: variables, functions, modules that are not here, cells that ended before they assigned."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from explorer.analysis.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.operations import NAMES, names_where
from explorer.analysis.operations.signatures import names_of
from explorer.analysis.source.assignments import Assignment, all_assignments
from explorer.analysis.source.code import Code, Repair, code_at, find_lines
from explorer.analysis.source.expressions import near, rename, shorten_code
from explorer.trace import Failure, Limit, Refusal, Span, Trace

RULES = Rules()

HERE = """torch numpy pandas matplotlib sympy math random time os collections itertools functools copy json re csv
dataclasses typing statistics string datetime d2l tqdm plotly""".split()
# Libraries that requirements-extra.txt suggests.
EXTRAS = "sklearn torchvision einops seaborn torchmetrics torchviz tiktoken gymnasium mlxtend scipy".split()
# Other common imports, by what a program can do without them.
OTHERS = {
    "run": """
        tensorflow keras tensorflow_datasets tensorflow_probability jax flax optax haiku mxnet paddle mindspore
        torchtext torchaudio torchdata torcheval torch_geometric torch_scatter torch_sparse dgl
        pytorch_lightning lightning fastai ignite skorch accelerate timm kornia monai segmentation_models_pytorch
        torchinfo torchsummary functorch_utils higher learn2learn pyro gpytorch botorch captum
        xgboost lightgbm catboost shap lime statsmodels networkx triton xformers apex ultralytics
        cupy numba dask cvxpy polars modin pyarrow openpyxl xlrd PIL
        requests urllib3 wget gdown kaggle opendatasets kagglehub bs4 selenium boto3 google datasets transformers
        huggingface_hub tokenizers sentencepiece spacy nltk gensim sacrebleu evaluate peft diffusers
        sentence_transformers openai medmnist torchxrayvision deeplake mnist cv2 skimage imageio librosa soundfile
        pydicom nibabel h5py lmdb zarr netCDF4 geopandas
        gym stable_baselines3 pettingzoo minigrid procgen pygame mujoco dm_control ray deepspeed horovod
        fairscale bitsandbytes onnx onnxruntime tensorrt openvino coremltools optuna hyperopt nevergrad joblib
        """,
    "draw": "bokeh altair pygal ggplot hvplot mplcyberpunk torchvis livelossplot ipympl",
    "print": """
        wandb tensorboard tensorboardX mlflow neptune comet_ml rich loguru absl fire hydra omegaconf click typer
        ipywidgets streamlit gradio line_profiler memory_profiler icecream colorama termcolor prettytable tabulate
        """,
}
_WITHOUT = {name: way for way, names in OTHERS.items() for name in names.split()}
# Packages that are not called as they are imported; "" where no package of an index is what the program means.
_PACKAGES = {
    name: package
    for name, _, package in (
        pair.partition("=")
        for pair in """
        haiku=dm-haiku paddle=paddlepaddle ignite=pytorch-ignite pyro=pyro-ppl absl=absl-py bs4=beautifulsoup4
        cv2=opencv-python skimage=scikit-image PIL=pillow hydra=hydra-core dm_control=dm-control
        torch_geometric=torch-geometric
        apex= google= functorch_utils= torchvis= mindspore= tensorrt= procgen= mnist= ggplot= gym=
        """.split()
    )
}
_SHORTEST = 4  # letters of a name that may be misspelt


def kind_of_module(name: str) -> tuple[str, dict[str, str | int]]:
    """The explanation's kind and values for a module that this place does not have."""
    top = name.partition(".")[0]
    if top in EXTRAS:
        return "module-to-install", {"command": "python -m pip install -r requirements-extra.txt", "without": "run"}
    if top in _WITHOUT:
        package = _PACKAGES.get(top, top)
        command = f"python -m pip install {package}" if package else "none"
        return "module-to-install", {"command": command, "without": _WITHOUT[top]}
    if top in HERE:
        return "module-part-not-here", {"library": top}
    if len(name) >= _SHORTEST and (right := near(name, HERE, 0.8)):
        return "module-near", {"right": right}
    return "module-of-a-file", {}


@RULES.rule(r"ModuleNotFoundError: No module named '(?P<name>[\w.]{1,200})'")
def module_not_here(at: FailureContext) -> Explanation:
    kind, values = kind_of_module(at["name"])
    return at.explain(kind, **values | {"name": at["name"]})


@RULES.rule(r"ImportError: cannot import name '(?P<name>\w{1,200})' from '(?P<module>[\w.]{1,200})'")
def import_of_nothing(at: FailureContext) -> Explanation:
    """A module exists and has no such name."""
    kinds = {"d2l": "book-in-torch", "d2l.torch": "book-lacks-name"}
    return at.explain(kinds.get(at["module"], "name-not-in-module"), name=at["name"], module=at["module"])


RULES.message_rules(
    {
        r"AttributeError: module 'd2l\.torch' has no attribute '(?P<name>\w{1,200})'": "book-lacks-name",
    }
)


_NOT_PYTHON = ("SyntaxError", "IndentationError", "TabError")
_UNKNOWN = re.compile(r"name '(\w+)' is not defined")
_DEEPEST = 50  # cells that failed because of one another


@dataclass(frozen=True)
class Ending:
    """The reason why a cell ended early.

    Attributes:
        how: failed, refused or limited.
        line: of the cell's own text where it ended, 0 where none of it ran or the line is unknown.
        what: the error, what was refused, or the limit.
    """

    how: str
    line: int
    what: str


def ending(trace: Trace, cell: int) -> Ending | None:
    """Why a cell did not run to its end; None if it did, as far as its outputs tell."""
    for output in reversed(trace.cells[cell].outputs):
        if isinstance(output, Failure):
            whole = output.type in _NOT_PYTHON
            text = shorten_code(output.text)
            return Ending("failed", 0 if whole else _line(trace, cell, output), f"{output.type}: {text}".rstrip(": "))
        if isinstance(output, Refusal):
            return Ending("refused", _line(trace, cell, output), shorten_code(output.what))
        if isinstance(output, Limit) and not output.folds:
            return Ending("limited", _line(trace, cell, output), output.limit)
    return None


def _line(trace: Trace, cell: int, output: Failure | Refusal | Limit) -> int:
    """The line in the cell itself: for an error in a function, the line of the call."""
    spans = [*output.frames, output.span] if isinstance(output, Failure) else [output.span]
    own = [trace.spans[span].line for span in spans if span >= 0 and trace.spans[span].cell == cell]
    return own[0] if own else 0


def not_assigned(at: FailureContext, name: str, places: Iterable[Assignment]) -> Explanation | None:
    """A name is missing because the cell that assigns it ended before; None if no such cell is known."""
    cause = _unfinished(at.trace, at.cell, places)
    if cause is None:
        return None
    where, why = cause
    root, first = _root(at.trace, where.cell, why)
    values: dict[str, str | int] = {"where": where.line, "cell": where.cell + 1}
    values |= {"how": first.how, "what": first.what, "stop": first.line, "root": root + 1}
    return at.explain(
        "name-of-a-cell-that-needs-another" if root != where.cell else f"name-of-a-{why.how}-cell", **values
    )


def perhaps_imported(at: FailureContext, name: str) -> Explanation | None:
    """A name of unknown origin, if an earlier cell ended before an import of everything from a module."""
    stars = find_lines(at.trace, r"^\s*(?:from [\w.]+ import \*|%run\b|%load\b)")
    cause = _unfinished(at.trace, at.cell, [Assignment("*", star.span.cell, star.line, star.line) for star, _ in stars])
    if cause is None:
        return None
    where, why = cause
    text = shorten_code(at.trace.cells[where.cell].lines[where.line - 1].strip())
    values: dict[str, str | int] = {"where": where.line, "cell": where.cell + 1, "what": why.what}
    return at.explain("name-of-an-import-that-failed", **values | {"import": text})


def _unfinished(trace: Trace, before: int, places: Iterable[Assignment]) -> tuple[Assignment, Ending] | None:
    """The last of these assignments that an earlier cell did not reach, and why."""
    for at in reversed(list(places)):
        why = ending(trace, at.cell) if at.cell < before else None
        if why is not None and (at.indent or at.last >= why.line):
            return at, why
    return None


def _root(trace: Trace, cell: int, why: Ending) -> tuple[int, Ending]:
    """The cell that a missing name leads back to: one cell fails because another did."""
    for _ in range(_DEEPEST):
        missing = _UNKNOWN.search(why.what) if why.what.startswith("NameError") else None
        cause = missing and _unfinished(
            trace, cell, [each for each in all_assignments(trace) if each.name == missing[1]]
        )
        if not cause:
            break
        cell, why = cause[0].cell, cause[1]
    return cell, why


FROM = """numpy:np pandas:pd matplotlib.pyplot:plt torch.nn.functional:F numpy pandas torch math random time os copy
torch/nn torch/optim torch.utils.data/DataLoader torch.utils.data/TensorDataset torch.utils.data/Dataset
torch.utils.data/random_split torch.autograd/grad torch.autograd/Variable collections/defaultdict collections/Counter
functools/partial copy/deepcopy dataclasses/dataclass""".split()  # library:short name, or library/name
SPELT = {"true": "True", "TRUE": "True", "false": "False", "FALSE": "False"}
SPELT |= {"none": "None", "null": "None", "NULL": "None", "nil": "None", "NaN": 'float("nan")', "nan": 'float("nan")'}
SPELT |= {"inf": 'float("inf")', "Inf": 'float("inf")'}
TORCH = set("Tensor float32 float64 int64 from_numpy no_grad manual_seed".split())  # and its operations
NN = """Linear Module Sequential ReLU Tanh Sigmoid Parameter MSELoss CrossEntropyLoss BCELoss BCEWithLogitsLoss Conv2d
Dropout BatchNorm1d BatchNorm2d Embedding LSTM GRU Flatten ModuleList Softmax""".split()
OPTIM = "SGD Adam AdamW RMSprop Adagrad LBFGS".split()
OWNERS = {"torch": TORCH, "nn": NN, "optim": OPTIM, "F": {"one_hot"}}
OPERATIONS = {"torch": names_of("torch") & NAMES, "F": names_of("torch.nn.functional") & NAMES}
NUMPY = """array arange linspace zeros ones eye full random mean sum std exp log sqrt dot matmul concatenate stack
reshape
float32 float64 int64 allclose argmax where maximum isnan ndarray""".split()
PANDAS = "DataFrame Series read_csv get_dummies concat merge to_numeric isna".split()
OF_ONE = names_where(lambda one: one.subject == "each" and len(one.operands) == 1 and None not in one.options.values())
MODULES = {"torch": TORCH | OPERATIONS["torch"], "torch.nn": NN, "torch.optim": OPTIM}
MODULES |= {"torch.nn.functional": {"one_hot", *OPERATIONS["F"]}, "numpy": NUMPY, "pandas": PANDAS}
BUILTINS = """print range len enumerate zip sum min max abs float int str list dict tuple set sorted reversed isinstance
round
True False None map filter open input type super""".split()


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


@RULES.rule(r"NameError: name '(?P<name>\w+)' is not defined")
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
    method = _method_around(at)
    if method and re.search(rf"\bself\.{re.escape(name)}\s*(?::[^=\n]*)?=(?!=)", at.sources):
        return at.explain("self-forgotten", method=method)
    if parameter := _parameter(at, name, method):
        return parameter
    owners = _owners(at)
    if owner := owners.get(name, ""):
        full = f"{owner}.{name}"
        return at.explain("name-of-a-library", _renamed(at, full) if at.assigns(owner) else None, full=full)
    return _slip(at, name, owners)


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


def _owners(at: FailureContext) -> dict[str, str]:
    """By name the library that it belongs to.

    A variable may have the name of an operation: the missing name counts as one where it is called, and, of a function
    that needs a tensor and nothing else, where it is passed on or assigned.
    """
    after = at.here.after.lstrip()[:1]
    fits = NAMES if after == "(" else OF_ONE if after in ("", ",", ")", "]") else frozenset()
    owned = [(owner, names & fits) for owner, names in OPERATIONS.items()]
    return {name: owner for owner, names in reversed([*owned, *OWNERS.items()]) for name in names}


def _slip(at: FailureContext, name: str, owned: dict[str, str]) -> Explanation:
    right = near(name, {assignment.name for assignment in all_assignments(at.trace)})
    if right and (above := at.last_assignment(right)):
        return at.explain("name-near", None if above.indent else _renamed(at, right), right=right, where=above.line)
    if right := near(name, BUILTINS):
        return at.explain("name-near-builtin", _renamed(at, right), right=right)
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


@RULES.rule(r"UnboundLocalError: local variable '(?P<name>\w+)'")
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
