"""Errors of torch.nn and torch.utils.data classes, and of torch.linalg."""

import ast
import re

from explorer.analysis.diagnose.errors.evidence import LOSS, MODULE, OPTIMIZER
from explorer.analysis.diagnose.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.run.source.definitions import classes, methods, methods_around, stores
from explorer.analysis.run.source.expressions import near, shorten_code

INIT = {"init", "int", "inti", "intit", "ini"}  # between underscores

RULES = Rules()


@RULES.rule(r"AttributeError: cannot assign (?:module|parameters?|buffer)s? before Module\.__init__\(\) call")
def init_before(at: FailureContext) -> Explanation:
    """Explain a layer assigned before nn.Module.__init__ has run."""
    around = methods_around(at.trace, at.line, "__init__")
    called = (node for one in around for node in ast.walk(one) if isinstance(node, ast.Call) and node.lineno > at.line)
    late = any(isinstance(node.func, ast.Attribute) and node.func.attr == "__init__" for node in called)
    return at.explain("super-init-late" if late else "super-init-missing")


@RULES.rule(
    r"AttributeError: '(?P<class>\w+)' object has no attribute "
    r"'(?:_backward_hooks|_parameters|_modules|_forward_hooks|training)'"
)
def init_never(at: FailureContext) -> Explanation | None:
    """Explain a module whose __init__ never calls nn.Module's."""
    own = classes(at.trace).get(at["class"])
    return at.explain("super-init-never", line=own.lineno) if own else None


@RULES.rule(r"AttributeError: '(?P<class>\w+)' object has no attribute '(?P<name>\w+)'")
def init_misspelt(at: FailureContext) -> Explanation | None:
    """Explain a misspelt __init__, which Python never runs."""
    own = classes(at.trace).get(at["class"])
    defined = methods(own) if own else {}
    wrong = next((one for name, one in defined.items() if name != "__init__" and name.strip("_") in INIT), None)
    if wrong is None or "__init__" in defined or not any(stores(wrong, at["name"])):
        return None
    return at.explain("init-misspelt", written=wrong.name, line=wrong.lineno)


@RULES.rule(
    r"TypeError|AttributeError: missing \d+ required positional arguments?: 'self'|object has no attribute '_apply'"
)
def class_without_brackets(at: FailureContext) -> Explanation | None:
    """Explain a method called on the class itself: model = Net."""
    of = at.callee.receiver if at.callee else None
    if of is None or not of.thing.is_class or not of.made:
        return None
    named = of.made.rpartition(".")[2] == of.thing.type
    return at.explain(
        "class-without-brackets", name=of.text, where=of.where, **{"class": of.made if named else of.thing.type}
    )


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
    own = classes(at.trace).get(at["type"])
    if own is None:
        return at.explain("container-called")
    for name, method in methods(own).items():
        if near(name, ["forward", "__call__"]) == "forward":
            return at.explain("forward-misspelt", name=name, line=method.lineno, **{"class": at["type"]})
    return at.explain("forward-missing", line=own.lineno, **{"class": at["type"]})


@RULES.rule(
    r"TypeError: (?P<class>\w+)\.(?:__init__|(?P<method>forward))\(\) missing \d+ required positional arguments?: "
    r"(?P<missing>.*)"
)
def arguments_missing(at: FailureContext) -> Explanation:
    """Explain too few arguments for a layer, an optimizer, a class or a module."""
    if "params" in at["missing"] and at.callee and at.callee.thing.is_class_of(OPTIMIZER):
        return at.explain("optimizer-without-parameters")
    kind = "forward-arguments-missing" if at["method"] else "constructor-arguments-missing"
    return at.explain(kind, missing=shorten_code(at["missing"].replace("'", "")))


@RULES.rule(r"TypeError: ^(?P<type>(?!list |tuple )\S+) is not a Module subclass")
def not_a_module(at: FailureContext) -> Explanation:
    """Explain a function or class passed to Sequential or a list of modules."""
    given = (part for part in at.parts if part.of.role != "callee" and part.thing.is_class_of(MODULE))
    if bare := next(given, None):
        return at.explain("layer-without-brackets", name=bare.text)
    return at.explain("function-in-sequential", name=at["type"].rsplit(".", 1)[-1])


@RULES.rule(r"RuntimeError: Boolean value of Tensor with more than one value is ambiguous")
def loss_of_tensors(at: FailureContext) -> Explanation | None:
    """Explain calling the class of a loss with the tensors."""
    called = at.callee
    if called is None or not called.thing.is_class_of(LOSS):
        return None
    if called.made:
        return at.explain("loss-class-without-brackets", line=called.where, name=called.made)
    alone = at.whole.text == at.code and not any(one.of.keyword for one in at.given)
    new = f"{called.text}()({at.code[len(called.text) + 1 :]}" if alone and _learns(at) else None
    return at.explain("loss-class-given-tensors", new, name=f"nn.{called.thing.type}")


def _learns(at: FailureContext) -> bool:
    """Return whether some backward has a root that requires a gradient."""
    return ".backward(" not in at.sources or "requires_grad" in at.sources or ".parameters()" in at.sources


@RULES.rule(r"TypeError: '(?P<type>\w+)' object is not subscriptable")
def layer_indexed(at: FailureContext) -> Explanation | None:
    """Explain indexing a layer."""
    layer = at.whole.receiver if at.whole else None
    return at.explain("layer-indexed", name=layer.text) if layer and layer.thing.is_a(MODULE) else None


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
    if at.call and at.call.name == "solve":
        return at.explain("system-singular")
    new = re.sub(r"^(torch|np|numpy)\.(?:linalg\.inv|(?<=torch\.)inverse)\(", r"\1.linalg.pinv(", at.code)
    new = re.sub(r"\.inverse\(\)$", ".pinverse()", new)
    if batch := re.search(r"Batch element (\d+)", at.failure.text):
        return at.explain("matrix-singular-in-batch", new, index=batch[1])
    if diagonal := re.search(r"diagonal element (\d+)", at.failure.text):
        return at.explain("matrix-singular", new, index=diagonal[1])
    return at.explain("array-singular", new)


RULES.rule(r"TypeError: object of type '(?P<class>\w+)' has no len\(\)")(
    lambda at: at.explain("no-length") if at["class"] in classes(at.trace) else None
)
