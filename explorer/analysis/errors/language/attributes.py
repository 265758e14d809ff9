"""Attributes and methods that a value does not have: slips, names of NumPy, numbers and lists in place of tensors."""

import re
from collections.abc import Iterator

from explorer.analysis.errors.assignments import assignments, made, made_once, with_value
from explorer.analysis.errors.explanations import explanation, known
from explorer.analysis.errors.expressions import shown
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.language.names import MODULES
from explorer.analysis.errors.rule import Explanation, Rule, rule
from explorer.analysis.errors.source_words import near
from explorer.analysis.errors.text_edits import replaced

TENSOR = """abs add all any argmax argmin argsort backward bmm bool ceil chunk clamp clone contiguous copy_ cos cpu
cumsum data detach detach_ device diag dim div dot double dtype exp expand fill_ flatten flip float floor gather grad
grad_fn
half index_select int is_leaf item log long masked_fill matmul max mean median min mm mul mv ndim nonzero norm numel
numpy permute pow prod relu repeat requires_grad requires_grad_ reshape retain_grad round scatter shape sigmoid sign sin
size softmax sort split sqrt square squeeze std sub sum tanh tolist topk transpose type unbind unique unsqueeze var view
view_as where zero_""".split()
NUMERIC = """sum mean max min backward shape detach numpy reshape view unsqueeze exp log item requires_grad grad dtype t
size matmul"""
MODULE = """weight bias parameters named_parameters state_dict load_state_dict zero_grad train eval forward to children
modules apply double float register_buffer requires_grad_ in_features out_features training append""".split()
UNCALLED = "sum|mean|exp|log|t|detach|clone|sqrt|item|flatten|squeeze|relu|sigmoid|parameters"
OPTIMIZER = "zero_grad step param_groups state_dict load_state_dict add_param_group".split()
METHODS = {
    "list": "append extend insert remove pop sort reverse index count copy clear".split(),
    "str": "split join strip lower upper replace format startswith endswith find title count encode".split(),
    "dict": "keys values items get update pop setdefault copy clear".split(),
    "set": "add remove discard union update pop".split(),
}
OTHER_NAME = {"astype": "to", "copy": "clone", "length": "len()", "len": "len()", "ndims": "ndim", "dims": "ndim"}
OTHER_NAME |= {"average": "mean", "gradient": "grad", "concat": "torch.cat", "append": "torch.cat", "to_numpy": "numpy"}
OTHER_NAME |= {
    "concatenate": "torch.cat",
    "zero_grad": "grad.zero_",
    "values": "detach",
    "power": "pow",
    "as_type": "to",
}
OTHER_NAME |= {"stack": "torch.stack", "requires_gradient": "requires_grad", "to_list": "tolist", "get_shape": "size"}
AS_THEY_ARE = {
    "copy",
    "average",
    "gradient",
    "to_numpy",
    "power",
    "ndims",
    "dims",
    "requires_gradient",
    "to_list",
    "get_shape",
}


def _at_attribute(stopped: Stopped, old: str, new: str) -> str:
    """The text with another attribute behind the last point of the failing place."""
    if stopped.span is None or not stopped.code.endswith(f".{old}"):
        return ""
    return replaced(stopped.source, stopped.span, stopped.code.removesuffix(old) + new)


def _after(stopped: Stopped) -> str:
    """The text after the failing place on its line."""
    lines = stopped.source.split("\n")
    return lines[stopped.span.end_line - 1][stopped.span.end_column :] if stopped.span else ""


@rule("AttributeError", r"'(Tensor|Parameter)' object has no attribute '(\w+)'")
def tensor_attribute(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A tensor has no such attribute; NumPy, or another spelling, has it."""
    name = found[2]
    base = stopped.code.removesuffix(f".{name}")
    after = _after(stopped)
    mended = ""
    instead = OTHER_NAME.get(name, "")
    bound = stopped.trace.bound(base)
    if name == "zero_grad" and bound is not None and not stopped.trace.tensors.is_leaf[bound]:
        return explanation(stopped, "zero-grad-of-a-result", base=shown(base))
    if instead:
        if name in AS_THEY_ARE:
            fits = after.startswith("()") if name == "copy" else True
            mended = _at_attribute(stopped, name, instead) if fits else ""
        elif name in ("astype", "as_type") and re.match(r"\((?:float|int|bool|torch\.\w+)\)", after):
            mended = _at_attribute(stopped, name, instead)
        elif instead == "len()" and not after.startswith("(") and stopped.span:
            mended = replaced(stopped.source, stopped.span, f"len({base})")
        written = f"len({shown(base)})" if instead == "len()" else instead if "." in instead else f".{instead}"
        return explanation(
            stopped, "tensor-attribute-of-another-library", mended, name=name, instead=written, base=shown(base)
        )
    if right := near(name, TENSOR):
        return explanation(
            stopped, "tensor-attribute-near", _at_attribute(stopped, name, right), name=name, right=right
        )
    return explanation(stopped, "tensor-attribute-missing", name=name, base=shown(base))


@rule("AttributeError", r"'(int|float|bool)' object has no attribute '(\w+)'")
def number_attribute(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A number of Python in place of a tensor."""
    kind, name = found[1], found[2]
    base = stopped.code.removesuffix(f".{name}")
    sides = re.fullmatch(r"\(\s*(\w+)\s*==\s*(\w+)\s*\)", base)
    lists = sides and all(
        (at := made(stopped, side)) and re.match(r"\[|list\(|.*\.tolist\(\)$", at.value) for side in sides.groups()
    )
    torch = any(assignment.name == "torch" for assignment in assignments(stopped.trace))
    if kind == "bool" and lists and torch:
        new = f"(torch.tensor({sides[1]}) == torch.tensor({sides[2]})).{name}"
        mended = replaced(stopped.source, stopped.span, new) if stopped.span else ""
        return explanation(stopped, "values-compared-as-wholes", mended, left=sides[1], right=sides[2], name=name)
    at = made(stopped, base)
    if at and (item := re.fullmatch(r"(.*)\.item\(\)", at.value)):
        once = made_once(stopped, base)
        learns = name != "backward" or re.search(
            r"requires_grad|nn\.[A-Z]", "".join(c.source for c in stopped.trace.cells)
        )
        mended = with_value(stopped.trace, once, item[1]) if once and learns and once.cell == stopped.place else ""
        return explanation(stopped, "number-from-item", mended, base=shown(base), name=name, where=at.line)
    once = made_once(stopped, base)
    number = once and re.fullmatch(r"-?\d+\.?\d*", once.value)
    if (
        number
        and name in NUMERIC.split()
        and any(assignment.name == "torch" for assignment in assignments(stopped.trace))
    ):
        value = once.value if "." in once.value else f"{once.value}.0"
        new = f"torch.tensor({value}, requires_grad=True)" if name in ("backward", "grad") else f"torch.tensor({value})"
        fits = (
            once.cell == stopped.place and once.indent == 0 and name not in ("dtype", "t", "view", "reshape", "matmul")
        )
        mended = with_value(stopped.trace, once, new) if fits else ""
        return explanation(stopped, "number-is-no-tensor", mended, base=shown(base), name=name, type=kind)
    if name not in TENSOR and name not in NUMERIC.split():
        return None
    return explanation(stopped, "number-is-no-tensor", base=shown(base), name=name, type=kind)


@rule("AttributeError", r"object has no attribute '_apply'")
def module_class(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """to(), double() or cuda() of a class of modules: Python takes the argument for self."""
    head = stopped.code.partition("(")[0]
    return explanation(stopped, "called-on-the-class", function=shown(head), missing="self")


@rule("AttributeError", r"'(list|tuple|str|dict|set)' object has no attribute '(\w+)'")
def collection_attribute(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An attribute of tensors read from a list or a text, or a misspelt one."""
    kind, name = found[1], found[2]
    base = stopped.code.removesuffix(f".{name}")
    if kind in ("list", "tuple") and (name in TENSOR or name in NUMERIC.split()):
        once = made_once(stopped, base)
        numbers = once and re.fullmatch(r"\[[-\d., ]*\d[-\d., ]*\]", once.value)
        fits = numbers and (
            "." in once.value or name in ("sum", "shape", "max", "min", "reshape", "size", "view", "abs")
        )
        torch = any(assignment.name == "torch" for assignment in assignments(stopped.trace))
        mended = ""
        if fits and torch and once.cell == stopped.place and name not in ("backward", "grad", "item"):
            mended = with_value(stopped.trace, once, f"torch.tensor({once.value})")
        return explanation(stopped, "list-is-no-tensor", mended, base=shown(base), name=name, type=kind)
    key = kind == "dict" and re.search(rf"(['\"]){name}\1|\b{name}=", "\n".join(c.source for c in stopped.trace.cells))
    if key:
        right = f'{base}["{name}"]'
        new = replaced(stopped.source, stopped.span, right) if stopped.span else ""
        return explanation(stopped, "key-read-as-attribute", new, base=shown(base), name=name, right=shown(right))
    if right := near(name, METHODS.get(kind, ()), 0.65):
        return explanation(
            stopped, "method-near", _at_attribute(stopped, name, right), type=kind, name=name, right=right
        )
    return explanation(stopped, "attribute-missing", base=shown(base), name=name, type=kind)


@rule("AttributeError", r"'NoneType' object has no attribute '(\w+)'")
def none_attribute(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """None in place of a result."""
    name = found[1]
    base = stopped.code.removesuffix(f".{name}")
    at = made(stopped, base)
    if at and (
        method := re.search(
            r"\.(append|extend|sort|reverse|backward|step|zero_grad|insert|update|manual_seed)\(", at.value
        )
    ):
        return explanation(stopped, "method-returns-nothing", base=shown(base), method=method[1], where=at.line)
    if base.startswith("torch.") and re.fullmatch(r"[\w.]+", base):
        return explanation(stopped, "none-of-the-library", piece=base)
    return explanation(stopped, "none-used", piece=shown(base))


@rule("AttributeError", r"module '([\w.]+)' has no attribute '(\w+)'")
def module_attribute(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A module has no such name; the slip of a common one is seen."""
    module, name = found[1], found[2]
    common = [*MODULES.get(module, ()), *(TENSOR if module == "torch" else ())]
    if right := near(name, common):
        mended = _at_attribute(stopped, name, right)
        return explanation(stopped, "module-lacks-near", mended, module=module, name=name, right=right)
    return explanation(stopped, "module-lacks-name", module=module, name=name)


@rule("AttributeError", r"type object '(\w+)' has no attribute '(\w+)'")
def class_attribute(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A class has no such attribute; its objects may have."""
    return explanation(stopped, "class-attribute-missing", **{"class": found[1]}, name=found[2])


@rule("AttributeError", r"'(\w+)' object has no attribute '(\w+)'")
def object_attribute(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An object of a class, a layer or an optimizer has no such attribute."""
    kind, name = found[1], found[2]
    if kind in ("DataFrame", "Series"):
        return None  # the rules of tables know more
    sources = "\n".join(cell.source for cell in stopped.trace.cells)[:100_000]
    if kind in ("method", "builtin_function_or_method", "function"):
        base = stopped.code.removesuffix(f".{name}")
        called = re.search(rf"\.(?:{UNCALLED})$", base)
        mended = replaced(stopped.source, stopped.span, f"{base}().{name}") if called and stopped.span else ""
        once = made_once(stopped, base)
        if once and re.search(rf"\.(?:{UNCALLED})$", once.value):
            mended = with_value(stopped.trace, once, f"{once.value}()") if once.cell == stopped.place else ""
            return explanation(stopped, "method-not-called", mended, piece=shown(once.value))
        return explanation(stopped, "method-not-called", mended, piece=shown(base))
    if kind in ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "LBFGS"):
        candidates = OPTIMIZER
    elif re.search(rf"class {kind}\b", sources):
        own = re.findall(r"self\.(\w+)\s*(?::[^=\n]{1,40})?=(?!=)", sources) + re.findall(r"\bdef (\w+)\(self", sources)
        candidates = own + (MODULE if "Module" in sources else [])
        if name in own and (told_init := _init_misspelt(stopped, kind, name)):
            return told_init
        if name in own:
            return explanation(stopped, "attribute-set-later", **{"class": kind}, name=name)
        right = near(name, candidates, 0.65)
        if not right and (local := _local_in_init(stopped, kind, name)) is not None:
            return local
        if not right:
            return explanation(stopped, "attribute-never-set", **{"class": kind}, name=name)
        sure = near(name, own, 0.65) == right or right in MODULE
        uses = len(re.findall(rf"\.{name}(?!\w)", sources))
        mended = _at_attribute(stopped, name, right) if sure and uses == 1 else ""
        return explanation(stopped, "attribute-near", mended, type=kind, name=name, right=right)
    else:
        candidates = MODULE
    if right := near(name, candidates):
        return explanation(
            stopped, "attribute-near", _at_attribute(stopped, name, right), type=kind, name=name, right=right
        )
    return explanation(
        stopped, "attribute-missing", base=shown(stopped.code.removesuffix(f".{name}")), type=kind, name=name
    )


INIT = r"_init_|__init_|_init__|__int__|__inti__|__intit__|__ini__|init"


def _definitions(stopped: Stopped, kind: str) -> Iterator[tuple[int, list[str], int, int]]:
    """Where a class is defined: the cell, the cell's lines, and the range of the class's lines."""
    for cell, cell_run in enumerate(stopped.trace.cells):
        lines = cell_run.source.split("\n")
        start = next((i for i, line in enumerate(lines) if re.match(rf"class {kind}\b", line)), None)
        if start is not None:
            end = next((i for i in range(start + 1, len(lines)) if lines[i][:1].strip()), len(lines))
            yield cell, lines, start, end


def _local_in_init(stopped: Stopped, kind: str, name: str) -> Explanation | None:
    """A class assigns a name in __init__ without self., and reads it as an attribute."""
    for cell, lines, start, end in _definitions(stopped, kind):
        at = [i for i in range(start, end) if re.match(rf"\s+{re.escape(name)} = ", lines[i])]
        head = next((lines[i] for i in range(at[0], start, -1) if re.match(r"\s+def ", lines[i])), "") if at else ""
        if len(at) != 1 or "__init__" not in head:
            continue
        line = lines[at[0]]
        lines[at[0]] = re.sub(rf"^(\s+){re.escape(name)} = ", rf"\1self.{name} = ", line)
        values: dict[str, str | int] = {"class": kind, "name": name, "line": at[0] + 1}
        return Explanation("attribute-kept-local", values, "\n".join(lines), cell)
    return None


def _init_misspelt(stopped: Stopped, kind: str, name: str) -> Explanation | None:
    """The method that assigns an attribute has a misspelt __init__: Python never runs it."""
    for cell, lines, start, end in _definitions(stopped, kind):
        body = "\n".join(lines[start:end])
        written = re.search(rf"\n\s+def ({INIT})\(self", body)
        if written and not re.search(r"\n\s+def __init__\(", body):
            right = re.sub(rf"(?<!\w){written[1]}(?=\()", "__init__", body)
            mended = "\n".join([*lines[:start], right, *lines[end:]])
            line = start + 1 + body[: written.start(1)].count("\n")
            values: dict[str, str | int] = {"class": kind, "name": name, "written": written[1], "line": line}
            return Explanation("init-misspelt", values, mended, cell)
    return None


RULES: tuple[Rule, ...] = (
    tensor_attribute,
    number_attribute,
    module_class,
    collection_attribute,
    none_attribute,
    module_attribute,
    class_attribute,
    object_attribute,
    known(
        "AttributeError", r"property '(?P<name>\w+)' of '(?P<class>\w+)' object has no setter", "attribute-read-only"
    ),
)
