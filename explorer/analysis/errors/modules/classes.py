"""Errors of torch.nn and torch.utils.data classes, and of torch.linalg."""

import re

from explorer.analysis.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.source.code import Code, find_lines
from explorer.analysis.source.expressions import closing, near, shorten_code

LOSSES = r"nn\.(MSELoss|L1Loss|SmoothL1Loss|HuberLoss|CrossEntropyLoss|NLLLoss|BCELoss|BCEWithLogitsLoss|KLDivLoss)"
INIT = r"_init_|__init_|_init__|__int__|__inti__|__intit__|__ini__|init"

RULES = Rules()


def _class_line(at: FailureContext, name: str) -> Code | None:
    """Return the line of a class statement, None for a library's class."""
    return next((line for line, _ in find_lines(at.trace, rf"^\s*class {re.escape(name)}\b")), None)


@RULES.rule(r"AttributeError: cannot assign (?:module|parameters?|buffer)s? before Module\.__init__\(\) call")
def init_before(at: FailureContext) -> Explanation:
    """Explain a layer assigned before nn.Module.__init__ has run."""
    lines = at.here.lines
    starts = (n for n in range(at.line, 0, -1) if re.match(r"\s*def __init__\(", lines[n - 1]))
    start = next(starts, 0)
    below = lines[at.line : at.here.line_at(start).end_of_block] if start else ()
    late = any(re.fullmatch(r"\s*super\([\w, ]*\)\.__init__\(\)\s*", line) for line in below)
    return at.explain("super-init-late" if late else "super-init-missing")


@RULES.rule(
    r"AttributeError: '(?P<class>\w+)' object has no attribute "
    r"'(?:_backward_hooks|_parameters|_modules|_forward_hooks|training)'"
)
def init_never(at: FailureContext) -> Explanation | None:
    """Explain a module whose __init__ never called nn.Module's."""
    head = _class_line(at, at["class"])
    return at.explain("super-init-never", line=head.line) if head else None


@RULES.rule(r"AttributeError: '(?P<class>\w+)' object has no attribute '(?P<name>\w+)'")
def init_misspelt(at: FailureContext) -> Explanation | None:
    """Explain a misspelt __init__, which Python never runs."""
    head = _class_line(at, at["class"])
    if head is None:
        return None
    body = "\n".join(head.block)
    written = re.search(rf"(?:^|\n)\s+def ({INIT})\(self", body)
    if not written or re.search(r"\bdef __init__\(", body) or f"self.{at['name']} = " not in body:
        return None
    line = head.line + 1 + body[: written.start(1)].count("\n")
    return at.explain("init-misspelt", written=written[1], line=line)


@RULES.rule(
    r"TypeError|AttributeError: missing \d+ required positional arguments?: 'self'|object has no attribute '_apply'"
)
def class_without_brackets(at: FailureContext) -> Explanation | None:
    """Explain a method called on the class itself: model = Net."""
    only = at.only_assignment(at.call.receiver) if at.call else None
    if only is None or not re.fullmatch(r"(?:\w+\.)*[A-Z]\w*", only.value):
        return None
    return at.explain("class-without-brackets", name=only.name, where=only.line, **{"class": only.value})


@RULES.rule(r"TypeError: Sequential\.forward\(\) takes \d+ positional arguments? but (?P<all>\d+) were given")
def sequential_of_several(at: FailureContext) -> Explanation:
    """Explain Sequential called with several values. Python counts self too."""
    return at.explain("sequential-of-several", given=int(at["all"]) - 1)


def _prefixed(at: FailureContext, missing: str, extra: str) -> Explanation | None:
    """Explain a prefix too many or too few on all names of a state_dict."""
    wanted, given = (re.findall(r'"([\w.]+)"', text) for text in (missing, extra))
    for longer, shorter, kind in ((given, wanted, "state-dict-prefix"), (wanted, given, "state-dict-no-prefix")):
        prefix = longer[0].removesuffix(shorter[0]) if longer and shorter else ""
        if not prefix.endswith(".") or [f"{prefix}{name}" for name in shorter] != longer:
            continue
        return at.explain(kind, prefix=prefix, first=longer[0], second=shorter[0])
    return None


@RULES.rule(r"RuntimeError: Error\(s\) in loading state_dict for (?P<type>\w+)")
def state_dict(at: FailureContext) -> Explanation | None:
    """Explain a state_dict without the module's names or shapes."""
    text = at.failure.text[:2_000]
    shapes = re.search(
        r"size mismatch for ([\w.]+): .*?shape torch\.Size\(\[(.*?)\]\) .*?torch\.Size\(\[(.*?)\]\)", text
    )
    if shapes:
        facts = {"given": f"({shapes[2]})", "wanted": f"({shapes[3]})"}
        others = re.findall(r"size mismatch for ([\w.]+): ", text[shapes.end() :])
        named = shorten_code(", ".join(others))
        name = shorten_code(shapes[1])
        return at.explain("state-dict-shape", name=name, more=len(others), others=named, **facts)
    matches = [
        re.search(rf"{word}\(s\) in state_dict: (.*?)\. ?(?:\n|$)", text) for word in ("Missing key", "Unexpected key")
    ]
    missing, extra = (names[1] if names else "" for names in matches)
    if missing and extra and (prefixed := _prefixed(at, missing, extra)) is not None:
        return prefixed
    kind = "names" if missing and extra else "missing" if missing else "extra"
    names = {"missing": shorten_code(missing.replace('"', "")), "extra": shorten_code(extra.replace('"', ""))}
    return at.explain(f"state-dict-{kind}", **names) if missing or extra else None


@RULES.rule(r"NotImplementedError: Module \[(?P<type>\w+)\] is missing the required \"forward\" function")
def forward_missing(at: FailureContext) -> Explanation:
    """Explain calling a module without forward."""
    head = _class_line(at, at["type"])
    if head is None:
        return at.explain("container-called")
    for number in range(head.line + 1, head.end_of_block + 1):
        method = re.match(r"\s*def (\w+)\(self\b", head.lines[number - 1])
        if method and near(method[1], ["forward", "__call__"]) == "forward":
            return at.explain("forward-misspelt", name=method[1], line=number, **{"class": at["type"]})
    return at.explain("forward-missing", line=head.line, **{"class": at["type"]})


@RULES.rule(
    r"TypeError: (?P<class>\w+)\.(?:__init__|(?P<method>forward))\(\) missing \d+ required positional arguments?: "
    r"(?P<missing>.*)"
)
def arguments_missing(at: FailureContext) -> Explanation:
    """Explain too few arguments for a layer, an optimizer, a class or a module."""
    if not at["method"] and "params" in at["missing"] and re.search(r"optim|SGD|Adam", at.code):
        return at.explain("optimizer-without-parameters")
    kind = "forward-arguments-missing" if at["method"] else "constructor-arguments-missing"
    return at.explain(kind, missing=shorten_code(at["missing"].replace("'", "")))


@RULES.rule(r"TypeError: ^(?P<type>(?!list |tuple )\S+) is not a Module subclass")
def not_a_module(at: FailureContext) -> Explanation:
    """Explain a function or class passed to Sequential or a list of modules."""
    name = at["type"].rsplit(".", 1)[-1]
    bare = re.compile(r"((?:torch\.)?nn\.\w+)(?=\s*[,)\]])")
    if name[:1].isupper() and (first := bare.search(at.code)):
        return at.explain("layer-without-brackets", name=first[1])
    return at.explain("function-in-sequential", name=name)


@RULES.rule(r"RuntimeError: Boolean value of Tensor with more than one value is ambiguous")
def loss_of_tensors(at: FailureContext) -> Explanation | None:
    """Explain calling the class of a loss with the tensors."""
    if call := re.match(rf"(?:torch\.)?{LOSSES}\(", at.code):
        alone = len(at.code) == closing(at.code, call.end() - 1) + 1 and "=" not in at.code
        new = f"{at.code[: call.end()]})({at.code[call.end() :]}" if alone and _learns(at) else None
        return at.explain("loss-class-given-tensors", new, name=f"nn.{call[1]}")
    name = re.match(r"(\w+)\(", at.code)
    only = at.only_assignment(name[1]) if name else None
    if only and re.fullmatch(rf"(?:torch\.)?{LOSSES}", only.value):
        return at.explain("loss-class-without-brackets", line=only.line, name=only.value)
    return None


def _learns(at: FailureContext) -> bool:
    """Return whether some backward has a root that requires a gradient."""
    return ".backward(" not in at.sources or "requires_grad" in at.sources or ".parameters()" in at.sources


@RULES.rule(r"TypeError: '(?P<type>\w+)' object is not subscriptable")
def layer_indexed(at: FailureContext) -> Explanation | None:
    """Explain indexing a layer."""
    base = re.match(r"(\w+)\[", at.code)
    above = at.last_assignment(base[1]) if base and at["type"] != "DataLoader" else None
    made = above and re.match(r"(?:torch\.)?nn\.\w+\(", above.value)
    return at.explain("layer-indexed", name=base[1]) if made else None


@RULES.rule(r"ValueError: expected (?P<wanted>(?:\dD or )?\dD) input \(got (?P<given>\dD) input\)")
def batch_norm_rank(at: FailureContext) -> Explanation:
    """Explain batch normalization of an input with the wrong axes."""
    if at["wanted"] != "4D" or at["given"] != "3D":
        return at.explain("batch-norm-rank")
    alone = at.call and len(at.call.arguments) == 1
    image = at.trace.bound(at.call.value(0)) if alone else None
    single = image is None or len(at.run.shape(image)) == 3
    return at.explain("image-without-a-batch", at.change_argument(0, ".unsqueeze(0)") if alone and single else None)


@RULES.rule(r"_LinAlgError|LinAlgError: [Ss]ingular")
def singular(at: FailureContext) -> Explanation:
    """Explain inverting a singular matrix, or a system without a unique solution."""
    if re.search(r"\bsolve\(", at.code):
        return at.explain("system-singular")
    new = re.sub(r"^(torch|np|numpy)\.(?:linalg\.inv|(?<=torch\.)inverse)\(", r"\1.linalg.pinv(", at.code)
    new = re.sub(r"\.inverse\(\)$", ".pinverse()", new)
    if batch := re.search(r"Batch element (\d+)", at.failure.text):
        return at.explain("matrix-singular-in-batch", new, index=batch[1])
    if diagonal := re.search(r"diagonal element (\d+)", at.failure.text):
        return at.explain("matrix-singular", new, index=diagonal[1])
    return at.explain("array-singular", new)


RULES.rule(r"TypeError: object of type '(?P<class>\w+)' has no len\(\)")(
    lambda at: at.explain("no-length") if _class_line(at, at["class"]) else None
)
