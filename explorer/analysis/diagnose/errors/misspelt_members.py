"""Attributes, keywords and arguments that an object or function does not have."""

import ast
import re

from explorer.analysis.diagnose.errors.evidence import LSTM, MODULE, Evidence
from explorer.analysis.diagnose.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.run.operations.signatures import find_signature, names_of
from explorer.analysis.run.source.assignments import all_assignments, span_of, trees
from explorer.analysis.run.source.code import code_at
from explorer.analysis.run.source.definitions import classes, methods, parameters
from explorer.analysis.run.source.expressions import near, parse_call, replace_word, shorten_code

RULES = Rules()
# Keywords of other libraries, and torch's.
_KEYWORDS = {"learning_rate": "lr", "axis": "dim", "axes": "dim", "keepdims": "keepdim", "batchsize": "batch_size"}
_KEYWORDS |= {"hidden_dim": "hidden_size", "input_dim": "input_size"}
_KEYWORDS |= {"in_dim": "in_features", "out_dim": "out_features"}
_OWNERS = ("torch.optim", "torch.nn", "torch.optim.lr_scheduler", "torch.utils.data", "torch.nn.functional", "torch")


@RULES.rule(
    r"AttributeError|ImportError: ^module '(?P<module>torch[\w.]*)' has no attribute '(?P<name>\w+)'"
    r"|^cannot import name '(?P<imported>\w+)' from '(?P<of>torch[\w.]*)'"
)
def attribute_of_torch(at: FailureContext) -> Explanation | None:
    """Explain a name that a module of torch does not have."""
    name, module = at["name"] or at["imported"], at["module"] or at["of"]
    right = near(name, names_of(module))
    if right and at["imported"]:
        new = replace_word(at.code, name, right)
        return at.explain("attribute-misspelt", new, name=name, right=right, base=module)
    if right:
        return _similar(at, name, right, module)
    made = {
        one.name
        for one in all_assignments(at.trace)
        if (call := parse_call(one.value)) and call.name in names_of(module)
    }
    if module != "torch.optim" or len(made) != 1 or name not in names_of("torch.optim.Optimizer"):
        return None
    own, new = made.pop(), at.code.removesuffix(f".{name}")
    return at.explain("module-for-optimizer", f"{own}.{name}", module=module, base=new, own=own)


@RULES.rule(r"AttributeError: has no attribute '(?P<name>\w+)'\. Did you mean: '(?P<right>\w+)'\?$")
def attribute_misspelt(at: FailureContext) -> Explanation | None:
    """Explain an attribute for which Python knows a similar one."""
    right = near(at["name"], [at["right"]])
    return _similar(at, at["name"], right, at.before_attribute(at["name"])) if right else None


def _similar(at: FailureContext, name: str, right: str, base: str) -> Explanation:
    """Explain a member whose similar name exists."""
    ends = at.code.endswith(f".{name}")
    new = at.before_attribute(name) + f".{right}" if ends else None
    return at.explain("attribute-misspelt", new, name=name, right=right, base=shorten_code(base))


@RULES.rule(
    r"TypeError: ^(?P<function>[\w.]+)\(\) (?:got an unexpected keyword argument '(?P<name>\w+)'"
    r"|missing 1 required positional arguments?: \"(?P<missing>\w+)\")"
)
def keyword_unknown(at: FailureContext) -> Explanation | None:
    """Explain a keyword that the called function does not take."""
    taken, called = _parameters(at), at.callee
    named = [part.of.keyword for part in at.given if part.of.keyword]
    if not taken or called is None or called.text.rpartition(".")[2] not in (*at["function"].split("."), called.name):
        return None
    unknown = [name for name in named if name not in taken]
    name = at["name"] or (unknown[0] if len(unknown) == 1 else "")
    if name not in unknown:
        return None
    other = _KEYWORDS.get(name.lower(), "")
    longer = [one for one in taken if one.startswith(f"{name}_")]
    right = other if other in taken else longer[0] if len(longer) == 1 else near(name, taken)
    place = re.findall(rf"\b{name}\s*=(?!=)", at.code)
    new = re.sub(rf"\b{name}(\s*=(?!=))", rf"{right}\1", at.code) if right and len(place) == 1 else None
    names = ", ".join(taken) if len(taken) < 12 else f"{', '.join(taken[:11])}, …"
    return at.explain("keyword-unknown", new, function=called.text, name=name, right=right or "none", names=names)


def _parameters(at: FailureContext) -> list[str]:
    """Return the parameters of the called function, as torch's documentation or the program names them."""
    called = at.callee
    if called is None:
        return []
    own = called.function or methods(classes(at.trace).get(called.name, ast.ClassDef("", [], [], [], []))).get(
        "__init__"
    )
    if own is not None and called.package in ("__main__", ""):
        return [] if own.args.kwarg else [one.arg for one in parameters(own) if one.arg != "self"]
    found = [find_signature(f"{owner}.{called.name}") for owner in _OWNERS if called.package == "torch"]
    text = next((one.signature for one in found if one), "").partition(" -> ")[0]
    return [] if "**" in text else re.findall(r"(?<=[(\s])([a-z]\w*)", text)


@RULES.rule(
    r"TypeError: ^(?P<class>\w+)\.(?P<method>\w+)\(\) takes (?P<takes>\d+) positional arguments? but (?P<given>\d+) w"
)
def method_without_self(at: FailureContext) -> Explanation | None:
    """Explain a method whose first parameter is not the object, or a call of a class in place of its object."""
    called, own = at.callee, classes(at.trace).get(at["class"])
    is_data = at.given and (at.given[0].thing.is_a("torch.Tensor") or at.given[0].producer.startswith("torch."))
    if called and called.thing.is_class_of(MODULE) and called.made and "(" not in called.made and is_data:
        return at.explain("class-without-brackets", name=called.text, where=called.where, **{"class": called.made})
    method = methods(own).get(at["method"]) if own else None
    if method is None or method.args.vararg or method.decorator_list or int(at["given"]) - int(at["takes"]) != 1:
        return None
    names = [one.arg for one in parameters(method)]
    if names[:1] in (["self"], ["cls"]):
        return None
    found = at.explain("method-without-self", method=method.name, **{"class": at["class"]}, where=method.lineno)
    for cell, tree in enumerate(trees(at.trace)):
        if tree and any(node is method for node in ast.walk(tree)):
            code = code_at(at.trace, span_of(at.trace, cell, method))
            line = code.whole_line.replace(f"def {method.name}(", f"def {method.name}(self{', ' * bool(names)}", 1)
            return found.repaired_by(code.replace_lines(line, first=code.line, last=code.line))
    return None


@RULES.rule(r"TypeError: (?:'builtin_function_or_method'|'method')")
def method_in_a_calculation(at: FailureContext) -> Explanation | None:
    """Explain a tensor's method that is used like its result."""
    found = [part for part in at.used if _is_method(part)]
    if len(found) != 1 or at.code.count(found[0].text) != 1:
        return None
    piece = found[0].text
    return at.explain("method-not-called", at.code.replace(piece, f"{piece}()"), piece=piece)


def _is_method(part: Evidence) -> bool:
    """Return whether an expression is a method of a tensor."""
    of, name = part.receiver, part.text.rpartition(".")[2]
    signature = find_signature(f"torch.Tensor.{name}") if of and of.thing.is_a("torch.Tensor") else None
    return signature is not None and part.text.endswith(f".{name}")


@RULES.rule(r"ValueError: ^not enough values to unpack \(expected (?P<wanted>\d+), got (?P<given>\d+)\)")
def batch_unpacked(at: FailureContext) -> Explanation | None:
    """Explain a loop over a DataLoader that unpacks more than a batch has."""
    loader = at.whole
    is_loader = loader is not None and loader.thing.is_a("torch.utils.data.dataloader.DataLoader")
    return at.explain("batch-of-fewer", name=loader.text, given=int(at["given"])) if is_loader else None


@RULES.rule(r"AttributeError: ^'dict' object has no attribute '(?P<name>\w+)'")
def key_as_attribute(at: FailureContext) -> Explanation | None:
    """Explain a dict's key that is written as an attribute."""
    name, held = at["name"], at.whole.receiver if at.whole else None
    if held is None or name not in held.thing.entries or at.code != f"{held.text}.{name}":
        return None
    return at.explain("key-as-attribute", f'{held.text}["{name}"]', name=name, base=held.text)


@RULES.rule(r"ValueError: ^not enough values to unpack \(expected 3, got 2\)")
def lstm_unpacked(at: FailureContext) -> Explanation | None:
    """Explain an LSTM's output and states that are unpacked as three results."""
    layer = at.whole.callee if at.whole else None
    if layer is None or not layer.thing.is_a(LSTM):
        return None
    return at.explain("lstm-gives-a-pair", layer=shorten_code(layer.text))
