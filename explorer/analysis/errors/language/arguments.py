"""Arguments that a function does not take: another type, another name, too many or too few."""

import re

from explorer.analysis.errors.assignments import assignments
from explorer.analysis.errors.explanations import explanation
from explorer.analysis.errors.expressions import shown
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, Rule, rule
from explorer.analysis.errors.source_words import closing, near
from explorer.analysis.errors.text_edits import replaced

NUMBERS = r"-?\d++(?:\.\d*+)?(?:[eE]-?\d++)?"  # one way to read each, so nothing is tried twice
ANY_DTYPE = (
    "sum max min abs add mul sub numel flatten reshape sort argmax argmin exp log sqrt sin cos cumsum prod".split()
)
KEYWORDS = """requires_grad dtype device dim keepdim lr momentum weight_decay bias batch_size shuffle retain_graph
create_graph reduction p size sep header index_col columns axis""".split()
OTHER_KEYWORD = {"learning_rate": "lr", "required_grad": "requires_grad", "require_grad": "requires_grad"}
OTHER_KEYWORD |= {
    "grad": "requires_grad",
    "keepdims": "keepdim",
    "seperator": "sep",
    "delimeter": "sep",
    "type": "dtype",
}
OTHER_KEYWORD |= {"dims": "dim", "batchsize": "batch_size", "retain_grad": "retain_graph", "data_type": "dtype"}


def edited(stopped: Stopped, new: str) -> str:
    """The text of the cell with another piece of code at the failing place."""
    return replaced(stopped.source, stopped.span, new) if stopped.span and new and new != stopped.code else ""


@rule(
    "TypeError",
    r"(\w+)\(\): argument '(\w+)' (?:\(position (\d+)\) )?must be ([\w ]+?),? (?:but found |not )(\w[\w.]*)",
)
def argument_type(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An argument of a torch function has a wrong type."""
    function, name, _, wanted, given = found.groups()
    values = {"function": function.removeprefix("linalg_"), "name": name, "wanted": wanted, "given": given}
    if wanted == "Tensor" and given in ("list", "tuple", "float", "int"):
        kind = "list-for-tensor" if given in ("list", "tuple") else "number-for-tensor"
        mended = _tensor_around(stopped, function, given)
        return explanation(stopped, "tuple-for-tensor" if given == "tuple" and not mended else kind, mended, **values)
    if wanted == "Tensor" and given == "numpy.ndarray":
        return explanation(stopped, "array-for-tensor", **values)
    if wanted == "Tensor" and given == "NoneType":
        return explanation(stopped, "none-for-tensor", **values)
    if wanted == "int" or "ints" in wanted:
        quoted = re.findall(r"['\"](-?\d+)['\"]", stopped.code)
        text = re.sub(r"['\"](-?\d+)['\"]", r"\1", stopped.code) if given == "str" and len(quoted) == 1 else ""
        kind = "whole-number-wanted" if wanted == "int" else "sizes-wanted"
        return explanation(stopped, kind, edited(stopped, text) or whole(stopped, given), **values)
    return explanation(stopped, "argument-of-wrong-type", **values)


def whole(stopped: Stopped, given: str) -> str:
    """The text with the only float, or the only division, of the failing call made whole."""
    if given != "float":
        return ""
    points = re.findall(r"(?<![\w.])\d+\.0*(?!\w)", stopped.code)
    if len(points) == 1 and stopped.code.count(".") - stopped.code.count("torch.") <= 2:
        return edited(stopped, re.sub(r"(?<![\w.])(\d+)\.0*(?!\w)", r"\1", stopped.code))
    divided = re.findall(r"(?<![/])/(?![/])", stopped.code)
    if len(divided) == 1 and not points:
        return edited(stopped, re.sub(r" ?(?<!/)/(?!/) ?", " // ", stopped.code))
    return ""


def _tensor_around(stopped: Stopped, function: str, given: str) -> str:
    """The text with torch.tensor around the first argument, if that is a list or number."""
    code = stopped.code
    call = re.match(
        rf"(?:torch|F)\.(?:linalg\.|nn\.functional\.)?{re.escape(function.removeprefix('linalg_'))}\(", code
    )
    if not call or not any(assignment.name == "torch" for assignment in assignments(stopped.trace)):
        return ""
    if given in ("int", "float"):
        literal = re.match(NUMBERS, code[call.end() :])
        end = call.end() + literal.end() if literal else -1
        if literal and code[end : end + 1] not in (",", ")"):
            return ""
    else:
        end = closing(code, call.end()) + 1 if code[call.end() : call.end() + 1] in "[(" else 0
    argument = code[call.end() : end] if end > call.end() else ""
    if not re.fullmatch(rf"[\[(), ]*+{NUMBERS}(?:[\[\](), ]++{NUMBERS})*+[\])]*+", argument):
        return ""
    whole = "." not in argument and function not in ANY_DTYPE
    dtype = ", dtype=torch.float32" if whole else ""
    return edited(stopped, f"{code[: call.end()]}torch.tensor({argument}{dtype}){code[end:]}")


@rule("TypeError", r"(\w+)\(\) received an invalid combination of arguments - got \((.*?)\), but expected")
def arguments_do_not_fit(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """torch's long message: no form of the function takes these arguments."""
    forms = re.findall(r"^ [*] \((.*?)\)\s*$", stopped.failure.text[:2_000], re.MULTILINE)
    given = found[2].strip(", ")
    for name in re.findall(r"(\w+)=", given):
        right = OTHER_KEYWORD.get(name) or near(name, KEYWORDS, 0.75)
        if right and not any(re.search(rf"\b{name}\b", form) for form in forms):
            return _other_keyword(stopped, found[1], name, right)
    if not forms:
        return explanation(stopped, "arguments-do-not-fit-any", function=found[1], given=shown(given or "nothing"))
    wanted = max(forms, key=lambda form: _alike(given, form)).split(", *")[0]
    mended = whole(stopped, "float") if "float" in given else ""
    return explanation(
        stopped, "arguments-do-not-fit", mended, function=found[1], given=shown(given), wanted=shown(wanted)
    )


def _alike(given: str, form: str) -> int:
    """How many arguments have the type that this form of the function expects."""
    pairs = zip(given.split(", "), form.split(", "), strict=False)
    fitting = {"int": ("int", "Number", "float", "Scalar"), "float": ("float", "Number", "Scalar")}
    return sum(want.split(" ")[0] in fitting.get(kind, (kind,)) for kind, want in pairs)


@rule("TypeError", r"(?:(\w[\w.]*)\(\) )?got an unexpected keyword argument '(\w+)'")
def keyword_unknown(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A keyword argument that the function does not have."""
    name = found[2]
    if name in ("axis", "dtype", "out") and re.match(r"(?:np|numpy)\.\w+\(", stopped.code) and name not in stopped.code:
        return explanation(stopped, "array-function-of-tensor", function=found[1] or "", name=name)
    function = (found[1] or "").removesuffix(".__init__") or shown(stopped.code.split("(")[0])
    right = OTHER_KEYWORD.get(name) or near(name, KEYWORDS, 0.75)
    if not right:
        return explanation(stopped, "keyword-unknown", function=function, name=name)
    return _other_keyword(stopped, function, name, right)


def _other_keyword(stopped: Stopped, function: str, name: str, right: str) -> Explanation | None:
    spots = re.findall(rf"(?<![\w.]){re.escape(name)}\s*=", stopped.code)
    sure = len(spots) == 1 and not re.search(rf"(?<!\w){right}\s*=", stopped.code) and _torch_call(stopped.code)
    new = re.sub(rf"(?<![\w.]){re.escape(name)}(\s*=)", rf"{right}\1", stopped.code) if sure else ""
    return explanation(stopped, "keyword-near", edited(stopped, new), function=function, name=name, right=right)


def _torch_call(code: str) -> bool:
    return bool(
        re.match(r"(?:torch|optim|nn|F|pd|np|DataLoader)\b|[\w.]+\.(?:backward|sum|mean|max|min|softmax)\(", code)
    )


@rule(
    "TypeError",
    r"(?:(\w[\w.]*)\(\)) takes (?:from )?(\d+)(?: to (\d+))? positional arguments? but (\d+) (?:was|were) given",
)
def too_many_arguments(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """More arguments than a function accepts; often self is missing."""
    name = found[1].rsplit(".", 1)[-1]
    most, given = found[3] or found[2], found[4]
    if name == "tensor" and re.fullmatch(rf"torch\.tensor\({NUMBERS}(?:, ?{NUMBERS})++\)", stopped.code):
        new = stopped.code.replace("(", "([", 1)[:-1] + "])"
        return explanation(stopped, "tensor-of-several-values", edited(stopped, new))
    for cell, cell_run in enumerate(stopped.trace.cells):
        lines = cell_run.source.split("\n")
        for i, text in enumerate(lines):
            method = re.match(rf"(\s+def {re.escape(name)}\()(?!self\b|cls\b)(.*)", text[:400])
            decorated = i > 0 and lines[i - 1].lstrip().startswith("@")
            if method and "." in found[1] and not decorated:
                rest = method[2] if method[2].startswith(")") else f", {method[2]}"
                lines[i] = f"{method[1]}self{rest}"
                fits = int(given) == int(most) + 1
                facts = {"line": i + 1, "name": name, "code": shown(stopped.code)}
                return Explanation("self-missing", facts, "\n".join(lines) if fits else "", cell)
    own = 1 if "." in found[1] else 0  # Python counts self
    name = found[1].removesuffix(".__init__")
    return explanation(stopped, "too-many-arguments", function=name, most=int(most) - own, given=int(given) - own)


@rule("TypeError", r"(\w[\w.]*)\(\) missing (\d+) required (?:positional|keyword-only) arguments?: (.*)")
def too_few_arguments(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Fewer arguments than a function needs."""
    missing = shown(re.sub("['\"]", "", found[3]))
    if missing == "closure":
        return explanation(stopped, "closure-missing", function=found[1])
    if missing in ("self", "input") and "." in stopped.code and re.search(r"[A-Z]\w*\.\w+\(", stopped.code):
        return explanation(stopped, "called-on-the-class", function=found[1], missing=missing)
    return explanation(stopped, "arguments-missing", function=found[1], missing=missing)


RULES: tuple[Rule, ...] = (
    argument_type,
    arguments_do_not_fit,
    keyword_unknown,
    too_many_arguments,
    too_few_arguments,
)
