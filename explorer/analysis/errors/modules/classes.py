"""Errors of torch.nn, torch.optim and torch.utils.data classes."""

import re

from explorer.analysis.errors.assignments import Assignment, assignments, made, made_once, with_value
from explorer.analysis.errors.explanations import explanation, known
from explorer.analysis.errors.expressions import shown
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, Rule, rule
from explorer.analysis.errors.source_words import closing, near
from explorer.analysis.errors.text_edits import replaced, with_line_before

LOSSES = r"nn\.(MSELoss|L1Loss|SmoothL1Loss|HuberLoss|CrossEntropyLoss|NLLLoss|BCELoss|BCEWithLogitsLoss|KLDivLoss)"
PLAIN = "ReLU Sigmoid Tanh GELU ELU SiLU LeakyReLU Softplus Softmax Flatten MSELoss L1Loss CrossEntropyLoss BCELoss"
CLASSES = r"((?:torch\.)?nn\.\w+)"


def _class_line(stopped: Stopped, name: str) -> tuple[int, int] | None:
    """The cell and the line of a class statement, None for a class of a library."""
    pattern = re.compile(rf"\s*class {re.escape(name)}\b")
    for cell, cell_run in enumerate(stopped.trace.cells):
        for line, text in enumerate(cell_run.source.split("\n"), 1):
            if pattern.match(text):
                return cell, line
    return None


@rule("AttributeError", r"cannot assign (module|parameters?|buffer)s? before Module\.__init__\(\) call")
def init_before(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A layer is assigned before nn.Module.__init__ has run."""
    if stopped.span is None:
        return None
    lines, at = stopped.source.split("\n"), stopped.span.line - 1
    start = next((i for i in range(at, -1, -1) if re.match(r"\s*def __init__\(", lines[i])), None)
    if start is None:
        return explanation(stopped, "super-init-missing")
    level = len(lines[start]) - len(lines[start].lstrip())
    later = []
    for i in range(at + 1, len(lines)):
        if lines[i].strip() and len(lines[i]) - len(lines[i].lstrip()) <= level:
            break
        if re.fullmatch(r"\s*super\([\w, ]*\)\.__init__\(\)\s*", lines[i]):
            later.append(i)
    called_late = bool(later)
    mended = ""
    if start < at and lines[start].rstrip().endswith(":") and len(later) < 2:
        call = lines.pop(later[0]).strip() if later else "super().__init__()"
        mended = with_line_before("\n".join(lines), start + 2, call)
    kind = "super-init-late" if called_late else "super-init-missing"
    return explanation(stopped, kind, mended)


@rule(
    "AttributeError",
    r"'(\w+)' object has no attribute '(?:_backward_hooks|_parameters|_modules|_forward_hooks|training)'",
)
def init_never(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A module is used whose __init__ never called nn.Module's."""
    place = _class_line(stopped, found[1])
    if place is None:
        return None
    cell, line = place
    lines = stopped.trace.cells[cell].source.split("\n")
    start = next((i for i in range(line, len(lines)) if re.match(r"\s+def __init__\(.*\):\s*$", lines[i])), None)
    other = next((i for i in range(line, len(lines)) if re.match(r"class ", lines[i])), len(lines))
    values = {"class": found[1], "line": line}
    if start is None or start >= other or start + 1 >= len(lines):
        return Explanation("super-init-never", values)
    return Explanation(
        "super-init-never", values, with_line_before("\n".join(lines), start + 2, "super().__init__()"), cell
    )


def _prefixed(stopped: Stopped, missing: str, extra: str) -> Explanation | None:
    """All names of a state_dict have one prefix too many, as from DataParallel, or too few."""
    wanted, given = (re.findall(r'"([\w.]+)"', text) for text in (missing, extra))
    for longer, shorter, kind in ((given, wanted, "state-dict-prefix"), (wanted, given, "state-dict-no-prefix")):
        prefix = longer[0].removesuffix(shorter[0]) if longer and shorter else ""
        if not prefix.endswith(".") or [f"{prefix}{name}" for name in shorter] != longer:
            continue
        call = re.fullmatch(r"([\w.]+\.load_state_dict)\((\w+)\)", stopped.code)
        key = f'key.removeprefix("{prefix}")' if kind == "state-dict-prefix" else f'f"{prefix}{{key}}"'
        mended = ""
        if call and stopped.span:
            new = f"{call[1]}({{{key}: value for key, value in {call[2]}.items()}})"
            mended = replaced(stopped.source, stopped.span, new)
        return explanation(stopped, kind, mended, prefix=prefix, first=longer[0], second=shorter[0])
    return None


@rule("RuntimeError", r"Error\(s\) in loading state_dict for (\w+)")
def state_dict(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A state_dict does not have the module's names or shapes."""
    text = stopped.failure.text[:2_000]
    sizes = re.search(
        r"size mismatch for ([\w.]+): .*?shape torch\.Size\(\[(.*?)\]\) .*?torch\.Size\(\[(.*?)\]\)", text
    )
    if sizes:
        return explanation(stopped, "state-dict-shape", type=found[1], name=shown(sizes[1]),
                    given=f"({sizes[2]})", wanted=f"({sizes[3]})")  # fmt: skip
    missing = re.search(r"Missing key\(s\) in state_dict: (.*?)\. ?(?:\n|$)", text)
    extra = re.search(r"Unexpected key\(s\) in state_dict: (.*?)\. ?(?:\n|$)", text)
    if missing and extra and (prefixed := _prefixed(stopped, missing[1], extra[1])) is not None:
        return prefixed
    if missing and extra:
        return explanation(stopped, "state-dict-names", type=found[1],
                    missing=shown(missing[1].replace('"', "")), extra=shown(extra[1].replace('"', "")))  # fmt: skip
    if missing:
        return explanation(stopped, "state-dict-missing", type=found[1], missing=shown(missing[1].replace('"', "")))
    if extra:
        return explanation(stopped, "state-dict-extra", type=found[1], extra=shown(extra[1].replace('"', "")))
    return None


@rule("NotImplementedError", r"Module \[(\w+)\] is missing the required \"forward\" function")
def forward_missing(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A module without forward is called."""
    place = _class_line(stopped, found[1])
    if place is None:
        return explanation(stopped, "container-called", type=found[1])
    cell, line = place
    lines = stopped.trace.cells[cell].source.split("\n")
    level = len(lines[line - 1]) - len(lines[line - 1].lstrip())
    for i in range(line, len(lines)):
        indent = len(lines[i]) - len(lines[i].lstrip())
        if lines[i].strip() and indent <= level:
            break
        method = re.match(r"(\s*def )(\w+)(\(self\b.*)", lines[i])
        if method and near(method[2], ["forward", "__call__"]) == "forward":
            used = any(f".{method[2]}(" in cell.source for cell in stopped.trace.cells)
            lines[i] = f"{method[1]}forward{method[3]}"
            facts = {"class": found[1], "name": method[2], "line": i + 1}
            return Explanation("forward-misspelt", facts, "" if used else "\n".join(lines), cell)
    return Explanation("forward-missing", {"class": found[1], "line": line, "code": shown(stopped.code)})


@rule("TypeError", r"(\w+)\.forward\(\) missing \d+ required positional arguments?: (.*)")
def forward_arguments(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A module is called with too few inputs."""
    return explanation(
        stopped, "forward-arguments-missing", **{"class": found[1]}, missing=shown(found[2].replace("'", ""))
    )


@rule("TypeError", r"(\w+)\.__init__\(\) missing \d+ required positional arguments?: (.*)")
def layer_arguments(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A layer, an optimizer or a class is made with too few arguments."""
    missing = shown(found[2].replace("'", ""))
    if "params" in missing and re.search(r"optim|SGD|Adam", stopped.code):
        return explanation(stopped, "optimizer-without-parameters", **{"class": found[1]})
    return explanation(stopped, "constructor-arguments-missing", **{"class": found[1]}, missing=missing)


@rule("TypeError", r"(\S+) is not a Module subclass")
def not_a_module(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Sequential or a list of modules is given a function, a class or a list."""
    name = found[1].rsplit(".", 1)[-1]
    code, span = stopped.code, stopped.span
    if span is None:
        return None
    if found[1] in ("list", "tuple"):
        inner = re.fullmatch(r"(.*?Sequential\()\s*\[(.*)\]\s*\)", code, re.DOTALL)
        mended = replaced(stopped.source, span, f"{inner[1]}*[{inner[2]}])") if inner else ""
        return explanation(stopped, "sequential-of-a-list", mended, type=found[1])
    if name[:1].isupper() and (bare := re.findall(rf"{CLASSES}(?=\s*[,)\]])", code)):
        whole = f"{CLASSES[:-1]})(?=\\s*[,)\\]])"
        mended = replaced(stopped.source, span, re.sub(whole, r"\1()", code))
        return explanation(stopped, "layer-without-brackets", mended, name=bare[0])
    layer = {"relu": "nn.ReLU()", "sigmoid": "nn.Sigmoid()", "tanh": "nn.Tanh()", "flatten": "nn.Flatten()"}.get(
        name, ""
    )
    old = rf"(?:torch|F|torch\.nn\.functional)\.{re.escape(name)}(?=\s*[,)])"
    fits = layer and any(assignment.name == "nn" for assignment in assignments(stopped.trace)) and re.search(old, code)
    mended = replaced(stopped.source, span, re.sub(old, layer, code)) if fits else ""
    return explanation(stopped, "function-in-sequential", mended, name=name)


@rule("RuntimeError", r"Boolean value of Tensor with more than one value is ambiguous")
def loss_of_tensors(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """The class of a loss is called with the tensors."""
    call = re.match(rf"(?:torch\.)?{LOSSES}\(", stopped.code)
    if call and stopped.span:
        new = stopped.code[: call.end()] + ")(" + stopped.code[call.end() :]
        plain = (
            _learns(stopped)
            and len(stopped.code) == closing(stopped.code, call.end() - 1) + 1
            and "=" not in stopped.code
        )
        mended = replaced(stopped.source, stopped.span, new) if plain else ""
        return explanation(stopped, "loss-class-given-tensors", mended, name=f"nn.{call[1]}")
    called = re.match(r"(\w+)\(", stopped.code)
    at = made_once(stopped, called[1]) if called else None
    if at and re.fullmatch(rf"(?:torch\.)?{LOSSES}", at.value):
        facts: dict[str, str | int] = {"line": at.line, "name": at.value, "code": shown(stopped.code)}
        return Explanation(
            "loss-class-without-brackets",
            facts,
            with_value(stopped.trace, at, f"{at.value}()") if _learns(stopped) else "",
            at.cell,
        )
    return None


def _learns(stopped: Stopped) -> bool:
    """Whether a backward of the program has a root that requires a gradient."""
    sources = "\n".join(cell.source for cell in stopped.trace.cells)
    return ".backward(" not in sources or "requires_grad" in sources or ".parameters()" in sources


@rule("AttributeError", r"'(\w+)' object has no attribute '(\w+)'")
def layer_for_tensor(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A layer is created with the tensor that should have been its input."""
    if found[1] not in PLAIN.split() or found[2] not in (
        "sum",
        "mean",
        "backward",
        "shape",
        "item",
        "detach",
        "reshape",
        "max",
    ):
        return None
    call = re.match(rf"(?:torch\.)?nn\.{found[1]}\(", stopped.code)
    if not call or stopped.span is None:
        return explanation(stopped, "layer-is-no-tensor", name=found[1])
    new = stopped.code[: call.end()] + ")(" + stopped.code[call.end() :]
    mended = replaced(stopped.source, stopped.span, new) if stopped.code[call.end()] not in ")" else ""
    return explanation(stopped, "layer-is-no-tensor", mended, name=found[1])


@rule("ValueError", r"Expected more than 1 value per channel when training, got input size torch\.Size\(\[(.*?)\]\)")
def one_row(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Batch normalisation in training mode is given one row."""
    if stopped.span is None:
        return None
    mended, cell, at = "", stopped.place, stopped.operation
    outer = stopped.failure.frames[0] if stopped.failure.frames else stopped.failure.span
    called = re.match(r"([A-Za-z_]\w*)\(", stopped.trace.text(outer))
    predicts = at is not None and not stopped.trace.operations.grad_enabled[at]  # in training eval() would be wrong
    direct = re.match(r"(?:torch\.)?nn\.BatchNorm\dd\(", stopped.code)  # certainly never trained
    if direct and (end := closing(stopped.code, direct.end() - 1)) > 0:
        mended = replaced(stopped.source, stopped.span, stopped.code[: end + 1] + ".eval()" + stopped.code[end + 1 :])
    elif predicts and called and (line := made(stopped, called[1]) or _any(stopped, called[1])) and line.value:
        span = stopped.trace.spans[outer]
        cell = span.cell
        source = stopped.trace.cells[cell].source
        mended = with_line_before(source, span.line, f"{called[1]}.eval()") if line.indent == 0 else ""
    values: dict[str, str | int] = {"line": stopped.span.line, "code": shown(stopped.code), "shape": f"({found[1]})"}
    return Explanation("batch-norm-of-one-row", values, mended, cell)


def _any(stopped: Stopped, name: str) -> Assignment | None:
    return next((assignment for assignment in assignments(stopped.trace) if assignment.name == name), None)


@rule("TypeError", r"'(\w+)' object is not subscriptable")
def loader_indexed(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A DataLoader or a layer is indexed."""
    if found[1] == "DataLoader":
        first = re.fullmatch(r"(\w+)\[0\]", stopped.code)
        new = f"next(iter({first[1]}))" if first else ""
        mended = replaced(stopped.source, stopped.span, new) if new and stopped.span else ""
        return explanation(stopped, "loader-indexed", mended)
    base = re.match(r"(\w+)\[", stopped.code)
    at = made(stopped, base[1]) if base else None
    if at and re.match(r"(?:torch\.)?nn\.\w+\(", at.value):
        return explanation(stopped, "layer-indexed", name=base[1], type=found[1])
    return None


@rule("TypeError", r"object of type '(\w+)' has no len\(\)")
def dataset_without_length(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A dataset of the program's own defines no __len__."""
    return explanation(stopped, "no-length", **{"class": found[1]}) if _class_line(stopped, found[1]) else None


RULES: tuple[Rule, ...] = (
    known(
        "RuntimeError",
        r"2D attn_mask is torch\.Size\(\[(?P<given>[\d, ]+)\]\), but should be \((?P<wanted>[\d, ]+)\)",
        "attention-mask-shape",
    ),
    known(
        "TypeError", r"ReduceLROnPlateau\.step\(\) missing 1 required positional argument", "plateau-without-a-value"
    ),
    dataset_without_length,
    init_before,
    init_never,
    state_dict,
    forward_missing,
    forward_arguments,
    layer_arguments,
    not_a_module,
    loss_of_tensors,
    layer_for_tensor,
    one_row,
    loader_indexed,
    known(
        "TypeError",
        r"Expected state_dict to be dict-like, got <class '(?:[\w.]+\.)?(?P<type>\w+)'>",
        "state-dict-wanted",
    ),
    known(
        "ValueError",
        r"Invalid (?P<name>learning rate|momentum value|weight_decay value|beta parameter.*?|epsilon value"
        r"): (?P<value>\S+)",
        "optimizer-value-out-of-range",
    ),
    known("ValueError", r"some parameters appear in more than one parameter group", "parameter-in-two-groups"),
    known("ValueError", r"betas must be either both floats or both Tensors", "betas-of-two-kinds"),
    known(
        "TypeError",
        r"expected Tensor as element \d+ in argument 0, but got (?P<type>list|tuple|int|float)",
        "list-of-lists",
    ),
    known("RuntimeError", r"`lengths` array must be sorted in decreasing order", "lengths-not-sorted"),
    known(
        "RuntimeError",
        r"(?P<method>scatter\w*)\(\): Expected self\.dtype to be equal to src\.dtype",
        "scatter-of-two-kinds",
    ),
    known("TypeError", r"(?P<type>\w+) is not an Optimizer", "scheduler-without-optimizer"),
    known(
        "AttributeError",
        r"'(?P<type>SGD|Adam|AdamW|RMSprop|Adagrad|LBFGS)' object has no attribute 'backward'",
        "optimizer-has-no-backward",
    ),
    known(
        "ValueError", r"dropout probability has to be between 0 and 1, but got (?P<value>\S+)", "dropout-out-of-range"
    ),
    known("ValueError", r"expected (?P<wanted>\S+) input \(got (?P<given>\d+D) input\)", "batch-norm-rank"),
    known(
        "RuntimeError",
        r"running_mean should contain (?P<given>\d+) elements not (?P<wanted>\d+)",
        "batch-norm-features",
    ),
    known(
        "RuntimeError", r"normalized_shape=\[(?P<wanted>.*?)\].*got input of size\[(?P<given>.*?)\]", "layer-norm-shape"
    ),
    known(
        "RuntimeError",
        r"input\.size\(-1\) must be equal to input_size\. Expected (?P<wanted>\d+), got (?P<given>\d+)",
        "recurrent-input-size",
    ),
    known(
        "ValueError|RuntimeError|AssertionError",
        r"(?P<type>LSTM|GRU|RNN)(?:Cell)?: Expected input to be 2D or 3D, got "
        r"(?P<given>\d+)D",
        "recurrent-input-rank",
    ),
    known("AssertionError", r"embed_dim must be divisible by num_heads", "attention-heads"),
    known(
        "AssertionError",
        r"was expecting embedding dimension of (?P<wanted>\d+), but got (?P<given>\d+)",
        "attention-features",
    ),
    known(
        "ValueError",
        r"num_channels \((?P<channels>\d+)\) must be divisible by num_groups \((?P<groups>\d+)\)",
        "group-norm-groups",
    ),
    known("ValueError", r"(?P<side>in_channels|out_channels) must be divisible by groups", "conv-groups"),
    known("ValueError", r"Fan in and fan out can not be computed", "initialiser-of-a-vector"),
    known("AssertionError", r"Size mismatch between tensors", "dataset-lengths"),
    known("ValueError", r"Sum of input lengths does not equal the length", "split-lengths"),
    known(
        "ValueError", r"batch_size should be a positive integer value, but got batch_size=(?P<value>\S+)", "batch-size"
    ),
    known("ValueError", r"num_samples should be a positive integer value, but got num_samples=0", "dataset-is-empty"),
    known(
        "TypeError",
        r"default_collate: batch must contain .*found <class '(?:[\w.]+\.)?(?P<type>\w+)'>",
        "batch-of-unknown-type",
    ),
    known("TypeError", r"cannot assign '[\w.]+' as parameter '(?P<name>\w+)'", "parameter-wanted"),
    known("TypeError", r"cannot assign '[\w.]+' as child module '(?P<name>\w+)'", "module-wanted"),
    known("IndexError", r"^index (?P<index>-?\d+) is out of range$", "layer-number"),
    known(
        "TypeError",
        r"ModuleList\.extend should be called with an iterable, but got (?P<type>\w+)",
        "module-list-of-one",
    ),
)
