"""Attributes and methods that a value does not have: slips, names of NumPy, numbers and lists in place of tensors."""

import re

from explorer.analysis.errors.language.arguments import class_without_brackets
from explorer.analysis.errors.language.names import MODULES
from explorer.analysis.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.operations import NAMES
from explorer.analysis.operations.signatures import homes_of, names_of, needs_no_argument
from explorer.analysis.source.assignments import replace_value
from explorer.analysis.source.code import find_lines
from explorer.analysis.source.expressions import near, shorten_code

# Methods and attributes of tensors that programs use: the known operations, and the rest.
TENSOR = names_of("torch.Tensor") & NAMES | set(
    """backward copy_ cpu data detach_ device dim dtype fill_ grad grad_fn is_leaf item ndim numel numpy requires_grad
    requires_grad_ retain_grad shape size tolist type unique zero_""".split()
)
MODULE = """weight bias parameters named_parameters state_dict load_state_dict zero_grad train eval forward to children
modules apply double float register_buffer requires_grad_ in_features out_features training append""".split()
OPTIMIZER = "zero_grad step param_groups state_dict load_state_dict add_param_group".split()
METHODS = {
    "list": "append extend insert remove pop sort reverse index count copy clear".split(),
    "str": "split join strip lower upper replace format startswith endswith find title count encode".split(),
    "dict": "keys values items get update pop setdefault copy clear".split(),
    "set": "add remove discard union update pop".split(),
}
# What other libraries call an attribute of tensors, and where only the name differs.
SAME = {"copy": "clone", "average": "mean", "gradient": "grad", "to_numpy": "numpy", "power": "pow", "ndims": "ndim"}
SAME |= {"dims": "ndim", "requires_gradient": "requires_grad", "to_list": "tolist", "get_shape": "size"}
OTHER_NAME = {
    "astype": ".to",
    "as_type": ".to",
    "zero_grad": ".grad.zero_",
    "values": ".detach",
    "stack": "torch.stack",
}
OTHER_NAME |= {"concat": "torch.cat", "append": "torch.cat", "concatenate": "torch.cat"}
RETURNS_NOTHING = "append|extend|sort|reverse|backward|step|zero_grad|insert|update|manual_seed"
OPTIMIZERS = ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "LBFGS")
INIT = r"_init_|__init_|_init__|__int__|__inti__|__intit__|__ini__|init"

RULES = Rules()


def _other(at: FailureContext, new: str) -> str:
    """The failing code with another attribute at its end, "" if it does not end with the missing one."""
    return at.before_attribute(at["name"]) + f".{new}" if at.code.endswith(f".{at['name']}") else ""


def _base(at: FailureContext) -> str:
    return shorten_code(at.before_attribute(at["name"]))


@RULES.rule(r"AttributeError: '(?:Tensor|Parameter)' object has no attribute '(?P<name>\w+)'")
def tensor_attribute(at: FailureContext) -> Explanation:
    """A tensor has no such attribute; NumPy, or another spelling, has it."""
    name, base = at["name"], _base(at)
    bound = at.trace.bound(at.before_attribute(name))
    if name == "zero_grad" and bound is not None and not at.trace.tensors.is_leaf[bound]:
        return at.explain("zero-grad-of-a-result", base=base)
    if name in ("len", "length"):
        return at.explain("tensor-attribute-of-another-library", instead=f"len({base})", base=base)
    if name in SAME or name in OTHER_NAME:
        instead = OTHER_NAME.get(name) or f".{SAME[name]}"
        repair = _other(at, SAME[name]) if name in SAME else None
        return at.explain("tensor-attribute-of-another-library", repair, instead=instead, base=base)
    if right := near(name, TENSOR):
        return at.explain("tensor-attribute-near", _other(at, right), right=right)
    return at.explain("tensor-attribute-missing", base=base)


@RULES.rule(r"AttributeError: '(?P<type>int|float|bool)' object has no attribute '(?P<name>\w+)'")
def number_attribute(at: FailureContext) -> Explanation | None:
    """A number of Python in place of a tensor."""
    name, base = at["name"], at.before_attribute(at["name"])
    if at["type"] == "bool" and (sides := re.fullmatch(r"\(\s*(\w+)\s*==\s*(\w+)\s*\)", base)):
        made = [at.last_assignment(side) for side in sides.groups()]
        if all(each and re.match(r"\[|list\(|.*\.tolist\(\)$", each.value) for each in made):
            new = f"(torch.tensor({sides[1]}) == torch.tensor({sides[2]})).{name}"
            return at.explain(
                "values-compared-as-wholes", new if at.assigns("torch") else None, left=sides[1], right=sides[2]
            )
    above = at.last_assignment(base)
    if above and above.value.endswith(".item()"):
        learns = name != "backward" or re.search(r"requires_grad|nn\.[A-Z]", at.sources)
        only = at.only_assignment(base) if learns and above.cell == at.here.span.cell else None
        repair = replace_value(at.trace, only, only.value.removesuffix(".item()")) if only else None
        return at.explain("number-from-item", repair, base=_base(at), where=above.line)
    return at.explain("number-is-no-tensor", base=_base(at)) if name in TENSOR else None


@RULES.rule(r"AttributeError: object has no attribute '_apply'")
def module_class(at: FailureContext) -> Explanation:
    """to(), double() or cuda() of a class of modules: Python takes the argument for self."""
    if explanation := class_without_brackets(at):
        return explanation
    return at.explain("called-on-the-class", function=shorten_code(at.code.partition("(")[0]), missing="self")


@RULES.rule(r"AttributeError: '(?P<type>list|tuple|str|dict|set)' object has no attribute '(?P<name>\w+)'")
def collection_attribute(at: FailureContext) -> Explanation:
    """An attribute of tensors read from a list or a text, or a misspelt one."""
    kind, name, base = at["type"], at["name"], at.before_attribute(at["name"])
    if kind in ("list", "tuple") and name in TENSOR:
        return at.explain("list-is-no-tensor", base=_base(at))
    if kind == "dict" and re.search(rf"(['\"]){name}\1|\b{name}=", at.sources):
        return at.explain("key-read-as-attribute", base=_base(at), right=shorten_code(f'{base}["{name}"]'))
    if right := near(name, METHODS.get(kind, ()), 0.65):
        return at.explain("method-near", _other(at, right), right=right)
    return at.explain("attribute-missing", base=_base(at))


@RULES.rule(r"AttributeError: 'NoneType' object has no attribute '(?P<name>\w+)'")
def none_attribute(at: FailureContext) -> Explanation:
    """None in place of a result."""
    base = at.before_attribute(at["name"])
    above = at.last_assignment(base)
    if above and (method := re.search(rf"\.({RETURNS_NOTHING})\(", above.value)):
        return at.explain("method-returns-nothing", base=_base(at), method=method[1], where=above.line)
    if first := at.set_to_none(base):
        return at.explain("none-since", piece=_base(at), where=first.line)
    if base.startswith("torch.") and re.fullmatch(r"[\w.]+", base):
        return at.explain("none-of-the-library", piece=base)
    return at.explain("none-used", piece=_base(at))


@RULES.rule(r"AttributeError: module '(?P<module>[\w.]+)' has no attribute '(?P<name>\w+)'")
def module_attribute(at: FailureContext) -> Explanation:
    """A module has no such name; the slip of a common one is seen."""
    if right := near(at["name"], MODULES.get(at["module"], ())):
        return at.explain("module-lacks-near", _other(at, right), right=right)
    homes = homes_of(at["name"]) if at["module"].startswith("torch") else []
    if len(homes) == 1:
        base, right = at.before_attribute(at["name"]), f"{homes[0]}.{at['name']}"
        new = at.code.replace(f"{base}.{at['name']}", right, 1) if base else None
        return at.explain("module-lacks-name", new, right=right)
    if at["module"] == "torch._C" and "cuda" in at["name"]:
        return at.explain("module-lacks-cuda")
    return at.explain("module-lacks-name", right="none")


@RULES.rule(r"AttributeError: '(?:method|builtin_function_or_method|function)' object has no attribute '(?P<name>\w+)'")
def method_attribute(at: FailureContext) -> Explanation:
    """An attribute of a method's result, and the method was not called."""
    base = at.before_attribute(at["name"])
    above = at.last_assignment(base)
    if above and at.stopped_before(above):
        return at.explain("name-not-rebound", piece=shorten_code(base), cell=above.cell + 1)
    only = at.only_assignment(base)
    if only and _is_uncalled(only.value):
        repair = replace_value(at.trace, only, f"{only.value}()") if only.cell == at.here.span.cell else None
        return at.explain("method-not-called", repair, piece=shorten_code(only.value))
    called = f"{base}().{at['name']}" if _is_uncalled(base) else None
    return at.explain("method-not-called", called, piece=shorten_code(base))


def _is_uncalled(code: str) -> bool:
    """Whether an expression ends with a method that only lacks its brackets."""
    owner, _, method = code.rpartition(".")
    return bool(owner) and (needs_no_argument(method) or method == "parameters")


@RULES.rule(r"AttributeError: '(?P<type>(?!DataFrame|Series)\w+)' object has no attribute '(?P<name>\w+)'")
def object_attribute(at: FailureContext) -> Explanation:
    """An object of a class, a layer or an optimizer has no such attribute; the rules of tables know more of theirs."""
    kind, name = at["type"], at["name"]
    if re.search(rf"class {kind}\b", at.sources):
        return _of_a_class(at, kind, name)
    right = near(name, OPTIMIZER if kind in OPTIMIZERS else MODULE)
    if right:
        return at.explain("attribute-near", _other(at, right), right=right)
    return at.explain("attribute-missing", base=_base(at))


def _of_a_class(at: FailureContext, kind: str, name: str) -> Explanation:
    """An attribute that a class of the program's own never sets, sets later, or spells in another way."""
    own = re.findall(r"self\.(\w+)\s*(?::[^=\n]{1,40})?=(?!=)", at.sources) + re.findall(
        r"\bdef (\w+)\(self", at.sources
    )
    if name in own:
        return _init_misspelt(at, kind) or at.explain("attribute-set-later", **{"class": kind})
    if right := near(name, own + (MODULE if "Module" in at.sources else []), 0.65):
        return at.explain("attribute-near", _other(at, right), right=right)
    for line, _ in find_lines(at.trace, rf"^\s+{re.escape(name)} = "):
        headers = list(line.headers.values())
        if any("__init__" in header for header in headers) and re.match(rf"class {kind}\b", headers[-1]):
            return at.explain("attribute-kept-local", line=line.line, **{"class": kind})
    return at.explain("attribute-never-set", **{"class": kind})


def _init_misspelt(at: FailureContext, kind: str) -> Explanation | None:
    """The method that assigns an attribute has a misspelt __init__: Python never runs it."""
    for start, _ in find_lines(at.trace, rf"^class {kind}\b"):
        body = "\n".join(start.block)
        written = re.search(rf"(?:^|\n)\s+def ({INIT})\(self", body)
        if written and not re.search(r"\bdef __init__\(", body):
            right = re.sub(rf"(?<!\w){written[1]}(?=\()", "__init__", body).split("\n")
            repair = start.replace_lines(*right, first=start.line + 1, last=start.end_of_block)
            line = start.line + 1 + body[: written.start(1)].count("\n")
            return at.explain("init-misspelt", repair, written=written[1], line=line, **{"class": kind})
    return None


RULES.message_rules(
    {
        r"AttributeError: type object '(?P<class>\w+)' has no attribute '(?P<name>\w+)'": "class-attribute-missing",
        r"AttributeError: property '(?P<name>\w+)' of '(?P<class>\w+)' object has no setter": "attribute-read-only",
    }
)
