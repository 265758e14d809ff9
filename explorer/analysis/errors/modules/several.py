"""Calls that give several results where one tensor is wanted, and calls that give none."""

import re

from explorer.analysis.errors.assignments import Assignment, assignments, made
from explorer.analysis.errors.explanations import explanation
from explorer.analysis.errors.expressions import called, shown
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, Rule, rule
from explorer.analysis.errors.source_words import closing
from explorer.analysis.errors.text_edits import replaced
from explorer.trace import Operand

_RECURRENT = ("LSTM", "GRU", "RNN")
_FIRST_IS_WANTED = (*_RECURRENT, "MultiheadAttention", "LSTMCell")  # layers whose first result is the output
_COMMA = re.compile(r"return\s+(?!\()[^#]*,|return\s+\(.*,.*\)\s*(?:#.*)?$")


@rule("TypeError|AttributeError", r"\btuple\b|multiply sequence")
def tuple_as_tensor(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A name that holds several tensors, or a call that gives several, is used as one tensor."""
    tuples = [operand for operand in stopped.failure.operands if operand.type == "tuple" and _has_tensors(operand)]
    if len(tuples) == 1:
        return _held(stopped, tuples[0])
    results = [text for text in _calls(stopped) if _gives_several(stopped, text)]
    if tuples or len(results) != 1:
        return None
    mended = ""
    if _layer_of(stopped, results[0]) in _FIRST_IS_WANTED and stopped.span and stopped.code.count(results[0]) == 1:
        mended = replaced(stopped.source, stopped.span, stopped.code.replace(results[0], f"{results[0]}[0]"))
    return explanation(
        stopped, "call-gives-several", mended, call=shown(results[0]), layer=_layer_of(stopped, results[0])
    )


def _held(stopped: Stopped, operand: Operand) -> Explanation | None:
    """The items of a tuple, and the line that named it."""
    at = _value_of(stopped, operand.name)
    layer = _layer_of(stopped, at.value) if at else ""
    values: dict[str, str | int] = {
        "name": operand.name,
        "count": operand.count,
        "parts": ", ".join([*operand.parts, "…"] if operand.count > len(operand.parts) else operand.parts),
        "where": at.line if at else 0,
        "made": shown(at.value) if at and at.value else "",
    }
    mended = ""
    if at and at.alone and layer in _FIRST_IS_WANTED and stopped.span and "\n" not in stopped.code:
        new = re.sub(rf"(?<![\w.]){re.escape(operand.name)}(?!\w)", f"{operand.name}[0]", stopped.code)
        mended = replaced(stopped.source, stopped.span, new)
    scalars = "backward" in stopped.failure.text and all(part == "()" for part in operand.parts)
    return explanation(stopped, "loss-is-a-tuple" if scalars else "tuple-for-one-tensor", mended, **values)


def _value_of(stopped: Stopped, name: str) -> Assignment | None:
    """The line that gave a name its value."""
    return made(stopped, name) if name.isidentifier() else None


def _has_tensors(operand: Operand) -> bool:
    """Whether a tuple holds a tensor, itself or in a tuple: `()` and `(2, 3)` are shapes of tensors."""
    return any(part.startswith("(") or part == "tuple" for part in operand.parts)


def _calls(stopped: Stopped) -> list[str]:
    """The calls of the program's names whose results the failing expression uses, as written."""
    found = []
    for operand in stopped.failure.operands:
        for begin in re.finditer(rf"(?<![\w.]){re.escape(operand.name)}\(", stopped.code) if operand.called else ():
            end = closing(stopped.code, begin.end() - 1)
            text = stopped.code[begin.start() : end + 1]
            if end > 0 and text != stopped.code:
                found.append(text)
    return found


def _gives_several(stopped: Stopped, call: str) -> bool:
    """Whether a call returns a tuple: every return of its function has a comma, or it is a torch layer that does."""
    if _layer_of(stopped, call) in _FIRST_IS_WANTED:
        return True
    returns = returns_of(stopped, call)
    return bool(returns) and all(_COMMA.match(line) for line in returns)


def _layer_of(stopped: Stopped, call: str) -> str:
    """The class of the called layer, from the failing expression or the line that made it; "" if unknown."""
    head = call.partition("(")[0].strip()
    known = next((operand.type for operand in stopped.failure.operands if operand.name == head), "")
    if known:
        return known
    lines = [line for cell in stopped.trace.cells for line in cell.source.split("\n")]
    made_by = [
        found[1] for line in lines if (found := re.match(rf"\s*{re.escape(head)}\s*=\s*(?:\w+\.)*(\w+)\(", line))
    ]
    return made_by[0] if len(set(made_by)) == 1 else ""


def returns_of(stopped: Stopped, call: str) -> list[str] | None:
    """The return lines of the function, or of the class's forward, that a call runs; None if it is not found."""
    head = call.partition("(")[0].strip()
    kind = _layer_of(stopped, call)
    body = body_of(stopped, head) if kind in ("", "function") else body_of(stopped, "forward", kind)
    return None if body is None else [line.strip() for line in body[1] if re.match(r"\s*return\b", line)]


def body_of(stopped: Stopped, function: str, within: str = "") -> tuple[int, list[str]] | None:
    """The line on which a function of the program, or a method of a class, begins, and its lines below."""
    for cell in stopped.trace.cells:
        lines = cell.source.split("\n")
        if within:
            begin = next((i for i, line in enumerate(lines) if re.match(rf"class {re.escape(within)}\b", line)), None)
            found = _block(lines, begin) if begin is not None else []
        else:
            begin, found = -1, lines
        for i, line in enumerate(found):
            head = re.match(rf"(\s*)def {re.escape(function)}\(", line)
            if begin is not None and head and bool(head[1]) == bool(within):
                return begin + i + 2, _block(found, i)
    return None


def _block(lines: list[str], begin: int) -> list[str]:
    """The lines below a head that are indented deeper than it; a body on the head's own line is one of them."""
    level = len(lines[begin]) - len(lines[begin].lstrip())
    inline = re.match(r"\s*(?:def|class)\b.*?\)?(?:\s*->[^:]*)?:\s*(\S.*)", lines[begin])
    body = [inline[1]] if inline and not inline[1].startswith("#") and lines[begin].rstrip()[-1] != ":" else []
    for line in lines[begin + 1 :]:
        if line.strip() and len(line) - len(line.lstrip()) <= level:
            break
        body.append(line)
    return body


@rule("TypeError", r"must be Tensor, not (list|dict)\b|invalid combination of arguments - got \((list|dict)\b")
def batch_as_tensor(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A whole batch of a DataLoader, a list or a dict of tensors, is used as one tensor."""
    kind = found[1] or found[2]
    batches = [operand for operand in stopped.failure.operands if operand.type == kind and not operand.called]
    if len(batches) != 1 or not batches[0].parts:
        return None
    batch = batches[0]
    parts = ", ".join([*batch.parts, "…"] if batch.count > len(batch.parts) else batch.parts)
    if kind == "dict":
        return explanation(stopped, "dict-for-one-tensor", name=batch.name, parts=parts, key=batch.parts[0])
    at = _value_of(stopped, batch.name)
    if at is None or at.value or not _has_tensors(batch):  # a loop gives its name no value in the text
        return None
    return explanation(stopped, "batch-for-one-tensor", name=batch.name, count=batch.count, parts=parts, where=at.line)


@rule("AttributeError", r"'(?:collections\.)?OrderedDict' object has no attribute '(\w+)'")
def state_as_module(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A state_dict is used as the module that it was saved from."""
    name = re.sub(r"\.\w+$", "", stopped.code)
    at = _value_of(stopped, name)
    if at is None or not re.search(r"\bload\(|state_dict\(", at.value):
        return None
    return explanation(stopped, "state-dict-as-module", name=name, method=found[1], where=at.line, made=shown(at.value))


@rule("TypeError", r"'(\w+)' object is not an iterator")
def not_an_iterator(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """next() of something that a loop can go through, as a DataLoader."""
    call = called(stopped.code)
    new = f"next(iter({call.value(0)}))" if call and call.name == "next" and call.arguments else ""
    mended = replaced(stopped.source, stopped.span, new) if new and stopped.span else ""
    return explanation(stopped, "next-without-iter", mended, type=found[1], right=shown(new or "next(iter(...))"))


@rule("TypeError", r"'Tensor' object is not callable")
def name_of_result(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A module's or function's name was reassigned to its result."""
    call = re.match(r"([A-Za-z_]\w*)\(", stopped.code)
    if call is None:
        return None
    given = [at for at in assignments(stopped.trace) if at.name == call[1] and at.value.startswith(f"{call[1]}(")]
    if len(given) != 1:
        return None
    return explanation(stopped, "name-given-to-result", name=call[1], where=given[0].line, made=shown(given[0].value))


@rule("AttributeError", r"'bool' object has no attribute '(\w+)'")
def pair_compared(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """What max(dim) gives is compared with a tensor: Python compares the pair as a whole."""
    pairs = [operand for operand in stopped.failure.operands if operand.type.startswith("return_types.")]
    if len(pairs) != 1 or stopped.span is None or "==" not in stopped.code:
        return None
    name = pairs[0].name
    new = re.sub(rf"(?<![\w.]){re.escape(name)}(?![\w.])", f"{name}.indices", stopped.code)
    at = _value_of(stopped, name)
    values: dict[str, str | int] = {"name": name, "made": shown(at.value) if at else "", "where": at.line if at else 0}
    return explanation(stopped, "pair-compared", replaced(stopped.source, stopped.span, new), **values)


@rule("TypeError|AttributeError", r"None(?:Type)?\b")
def nothing_returned(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """None comes from a module, or a function, whose code does not return anything."""
    operands = stopped.failure.operands
    nothing = [operand.name for operand in operands if operand.type == "NoneType"]
    calls = _calls(stopped) + [at.value for name in nothing if (at := _value_of(stopped, name))]
    if "unpack" in stopped.failure.text and stopped.span:
        calls = [stopped.source.split("\n")[stopped.span.line - 1].partition("=")[2].strip()]
    base = called(re.sub(r"\.\w+$", "", stopped.code))
    calls += [f"{base.head}()"] if base and base.head not in (call.partition("(")[0] for call in calls) else []
    for call in calls:
        head = call.partition("(")[0].strip()
        kind = _layer_of(stopped, call)
        made_here = re.match(r"[A-Za-z_]\w*\(", call) and body_of(stopped, "forward", head) is not None
        owner = head if made_here else kind if kind not in ("", "function") else ""
        body = body_of(stopped, "forward", owner) if owner else body_of(stopped, head)
        if body is None or any(re.search(r"\breturn\s+\S|\byield\b", line) for line in body[1]):
            continue
        last = next((line.strip() for line in reversed(body[1]) if line.strip()), "")
        function = f"{owner}.forward" if owner else head
        return explanation(stopped, "nothing-returned", function=function, where=body[0], last=shown(last) or "none")
    return None


RULES: tuple[Rule, ...] = (
    tuple_as_tensor,
    batch_as_tensor,
    state_as_module,
    not_an_iterator,
    name_of_result,
    pair_compared,
    nothing_returned,
)
