"""Arguments that a function does not take: another type, another name, too many or too few."""

import re

from explorer.analysis.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.source.assignments import replace_value
from explorer.analysis.source.code import find_lines
from explorer.analysis.source.expressions import near, replace_word, shorten_code

NUMBERS = r"-?\d++(?:\.\d*+)?(?:[eE]-?\d++)?"  # one way to read each, so nothing is tried twice
KEYWORDS = """requires_grad dtype device dim keepdim lr momentum weight_decay bias batch_size shuffle retain_graph
create_graph reduction p size sep header index_col columns axis""".split()
OTHER_KEYWORD = {"learning_rate": "lr", "required_grad": "requires_grad", "require_grad": "requires_grad"}
OTHER_KEYWORD |= {"grad": "requires_grad", "keepdims": "keepdim", "seperator": "sep", "delimeter": "sep", "dims": "dim"}
OTHER_KEYWORD |= {"type": "dtype", "data_type": "dtype", "batchsize": "batch_size", "retain_grad": "retain_graph"}

RULES = Rules()
INSTEAD_OF_A_TENSOR = {"list": "list-for-tensor", "tuple": "tuple-for-tensor", "numpy.ndarray": "array-for-tensor"}
INSTEAD_OF_A_TENSOR |= {"float": "number-for-tensor", "int": "number-for-tensor", "NoneType": "none-for-tensor"}


@RULES.rule(
    r"TypeError: (?:linalg_)?(?P<function>\w+)\(\): argument '(?P<name>\w+)' (?:\(position \d+\) )?must "
    r"be (?P<wanted>[\w ]+?),? "
    r"(?:but found |not )(?P<given>\w[\w.]*)"
)
def argument_type(at: FailureContext) -> Explanation | None:
    """An argument of a torch function has a wrong type."""
    if at["wanted"] == "Tensor":
        kind = INSTEAD_OF_A_TENSOR.get(at["given"])
        return at.explain(kind) if kind else None
    if at["wanted"] == "int" or "ints" in at["wanted"]:
        return at.explain("whole-number-wanted" if at["wanted"] == "int" else "sizes-wanted")
    return None


@RULES.rule(
    r"TypeError: (?P<function>\w+)\(\) received an invalid combination of arguments - got "
    r"\((?P<given>.*?)\), but expected"
)
def arguments_do_not_fit(at: FailureContext) -> Explanation | None:
    """torch's long message: no form of the function takes these arguments."""
    forms = re.findall(r"^ [*] \((.*?)\)\s*$", at.failure.text[:2_000], re.MULTILINE)
    given = at["given"].strip(", ")
    for name in re.findall(r"(\w+)=", given):
        right = OTHER_KEYWORD.get(name) or near(name, KEYWORDS, 0.75)
        if right and not any(re.search(rf"\b{name}\b", form) for form in forms):
            return _other_keyword(at, at["function"], name, right)
    if not forms:
        return None
    wanted = max(forms, key=lambda form: _alike(given, form)).split(", *")[0]
    return at.explain("arguments-do-not-fit", given=shorten_code(given), wanted=shorten_code(wanted))


def _alike(given: str, form: str) -> int:
    """How many arguments have the type that this form of the function expects."""
    pairs = zip(given.split(", "), form.split(", "), strict=False)
    fitting = {"int": ("int", "Number", "float", "Scalar"), "float": ("float", "Number", "Scalar")}
    return sum(want.split(" ")[0] in fitting.get(kind, (kind,)) for kind, want in pairs)


@RULES.rule(r"TypeError: (?:(?P<function>\w[\w.]*)\(\) )?got an unexpected keyword argument '(?P<name>\w+)'")
def keyword_unknown(at: FailureContext) -> Explanation | None:
    """A keyword argument that the function does not have."""
    name = at["name"]
    if name in ("axis", "dtype", "out") and re.match(r"(?:np|numpy)\.\w+\(", at.code) and name not in at.code:
        return at.explain("array-function-of-tensor")
    function = at["function"].removesuffix(".__init__") or shorten_code(at.code.split("(")[0])
    right = OTHER_KEYWORD.get(name) or near(name, KEYWORDS, 0.75)
    return _other_keyword(at, function, name, right) if right else None


def _other_keyword(at: FailureContext, function: str, name: str, right: str) -> Explanation:
    once = len(re.findall(rf"(?<![\w.]){name}\s*=", at.code)) == 1 and not re.search(rf"(?<!\w){right}\s*=", at.code)
    repair = replace_word(at.code, name, right) if once else None
    return at.explain("keyword-near", repair, function=function, name=name, right=right)


@RULES.rule(
    r"TypeError: (?P<function>\w[\w.]*)\(\) takes (?:from )?(?P<least>\d+)(?: to (?P<most>\d+))? "
    r"positional arguments? but "
    r"(?P<given>\d+) (?:was|were) given"
)
def too_many_arguments(at: FailureContext) -> Explanation:
    """More arguments than a function accepts; often self is missing."""
    name = at["function"].rpartition(".")[2]
    most, given = int(at["most"] or at["least"]), int(at["given"])
    if name == "tensor" and re.fullmatch(rf"torch\.tensor\({NUMBERS}(?:, ?{NUMBERS})++\)", at.code):
        return at.explain("tensor-of-several-values", at.code.replace("(", "([", 1)[:-1] + "])")
    for line, method in find_lines(at.trace, rf"^(\s+def {re.escape(name)}\()(?!self\b|cls\b)(.*)"):
        decorated = line.line > 1 and line.lines[line.line - 2].lstrip().startswith("@")
        if "." in at["function"] and not decorated:
            rest = method[2] if method[2].startswith(")") else f", {method[2]}"
            repair = line.replace_lines(f"{method[1]}self{rest}") if given == most + 1 else None
            return at.explain("self-missing", repair, line=line.line, name=name)
    if at["function"] == "Sequential.forward":
        return at.explain("sequential-of-several", given=given - 1)
    own = 1 if "." in at["function"] else 0  # Python counts self
    function = at["function"].removesuffix(".__init__")
    return at.explain("too-many-arguments", function=function, most=most - own, given=given - own)


@RULES.rule(
    r"TypeError: (?P<function>\w[\w.]*)\(\) missing \d+ required (?:positional|keyword-only) arguments?: "
    r"(?P<missing>.*)"
)
def too_few_arguments(at: FailureContext) -> Explanation | None:
    """Fewer arguments than a function needs, where more is known than Python says."""
    missing = re.sub("['\"]", "", at["missing"])
    if missing == "closure":
        return at.explain("closure-missing")
    if missing == "self" and (explanation := class_without_brackets(at)):
        return explanation
    if missing in ("self", "input") and re.search(r"[A-Z]\w*\.\w+\(", at.code):
        return at.explain("called-on-the-class", missing=missing)
    return None


def class_without_brackets(at: FailureContext) -> Explanation | None:
    """A method of a name that holds the class itself: model = Net."""
    only = at.only_assignment(at.call.receiver) if at.call else None
    classes = only and re.fullmatch(r"(?:\w+\.)*([A-Z]\w*)", only.value)
    if not classes:
        return None
    repair = replace_value(at.trace, only, f"{only.value}()")
    return at.explain("class-without-brackets", repair, name=only.name, where=only.line, **{"class": only.value})
