"""Calls with several results or none, and states of recurrent layers."""

import re

from explorer.analysis.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.operations import RECURRENT
from explorer.analysis.source.assignments import Assignment, all_assignments
from explorer.analysis.source.code import Code, find_lines
from explorer.analysis.source.expressions import closing, parse_call, replace_word, shorten_code
from explorer.trace import Operand

_RECURRENT = ("LSTM", "GRU", "RNN")
_FIRST_IS_WANTED = (*_RECURRENT, "MultiheadAttention", "LSTMCell")  # layers whose first result is the output
_COMMA = re.compile(r"return\s+(?!\()[^#]*,|return\s+\(.*,.*\)\s*(?:#.*)?$")
_LOOP = re.compile(r"(?:async )?for\b.*\bin\b|next\(|list\(|iter\(|\[?.*\bfor\b.*\bin\b", re.DOTALL)

RULES = Rules()


@RULES.rule(r"RuntimeError: Expected hidden(?:\[\d\])? size \((?P<wanted>.*?)\), got \[(?P<given>.*?)\]")
def state_size(at: FailureContext) -> Explanation:
    """Explain a hidden state with a wrong batch size or hidden size."""
    wanted, given = ([size.strip() for size in at[group].split(",")] for group in ("wanted", "given"))
    if len(wanted) == len(given) == 3 and wanted[::2] == given[::2]:
        kind = "recurrent-state-of-another-batch" if "DataLoader(" in at.sources else "recurrent-batch"
        return at.explain(kind, batch=wanted[1], made=given[1])
    return at.explain("recurrent-hidden-size")


@RULES.rule(r"IndexError: index 1 is out of bounds for dimension 0 with size 1")
def state_without_cell(at: FailureContext) -> Explanation | None:
    """Explain an LSTM with a single state instead of a pair."""
    call = at.call
    if not call or len(call.arguments) != 2:
        return None
    if not re.search(rf"(?m)\b{re.escape(call.head)}\s*=\s*(?:\w+\.)*LSTM\(", at.sources):
        return None
    return at.explain("lstm-state-alone", layer=shorten_code(call.head), state=shorten_code(call.value(1)))


@RULES.rule(r"AttributeError|TypeError: torch\.return_types\.(?P<function>\w+)")
def result_is_a_pair(at: FailureContext) -> Explanation | None:
    """Explain a pair of entries and positions used as a tensor."""
    operations = at.trace.operations
    made = [i for i in range(len(operations)) if at.run.names[i] == at["function"] and operations.span[i] >= 0]
    if not made:
        return None
    text = at.written(made[-1])
    for name in re.findall(r"(?<![\w.])[A-Za-z_]\w*", at.code):
        only = at.only_assignment(name)
        if only and only.value == text:
            return at.explain("reduction-gives-two", made=shorten_code(text), name=name)
    return at.explain("reduction-gives-two", made=shorten_code(text), name=shorten_code(text))


@RULES.rule(r"TypeError|AttributeError: \btuple\b")
def result_is_a_tuple(at: FailureContext) -> Explanation | None:
    """Explain a recurrent layer's (output, state) used as a tensor."""
    layer = _layer(at)
    if layer is None:
        return None
    name, text = layer
    written = [at.call.value(i) for i in range(len(at.call.arguments))] if at.call else []

    def holds(word: str) -> bool:
        """Return whether a name holds the layer's result."""
        only = at.only_assignment(word) if word.isidentifier() else None
        return bool(only and only.value == text)

    used = written[0] if len(written) == 1 else next(filter(holds, written), at.code.split(".")[0])
    if text and used == text:  # for example fc(gru(x))
        return at.explain("recurrent-gives-two", at.code.replace(text, f"{text}[0]", 1), layer=shorten_code(name))
    if holds(used):
        return at.explain("recurrent-gives-two", replace_word(at.code, used, f"{used}[0]"), layer=shorten_code(name))
    if text and text != at.code:
        return None
    return at.explain("recurrent-gives-two-inside", layer=shorten_code(name))


def _layer(at: FailureContext) -> tuple[str, str] | None:
    """Return the name and call of the last layer, if recurrent."""
    operations, trace = at.trace.operations, at.trace
    for i in range(len(operations) - 1, -1, -1):
        recurrent = at.run.names[i] in RECURRENT
        if operations.outputs[i] and (operations.module[i] >= 0 or recurrent):
            text = at.written(i)
            call = parse_call(text)
            return (trace.string(operations.module[i]) or (call.head if call else text), text) if recurrent else None
    return None


@RULES.rule(r"TypeError|AttributeError: \btuple\b|multiply sequence")
def tuple_as_tensor(at: FailureContext) -> Explanation | None:
    """Explain a name or call with several tensors, used as a tensor."""
    tuples = [operand for operand in at.failure.operands if operand.type == "tuple" and _has_tensors(operand)]
    if len(tuples) == 1:
        return _held(at, tuples[0])
    results = [text for text in _calls(at) if _gives_several(at, text)]
    if tuples or len(results) != 1:
        return None
    call, layer = results[0], _layer_of(at, results[0])
    return at.explain("call-gives-several", call=shorten_code(call), layer=layer)


def _held(at: FailureContext, operand: Operand) -> Explanation:
    """Return a tuple's items and the line that named it."""
    above = _assigned(at, operand.name)
    values: dict[str, str | int] = {"name": operand.name, "count": operand.count, "parts": _parts(operand)}
    values |= {"where": above.line if above else 0, "made": shorten_code(above.value) if above else ""}
    scalars = "backward" in at.failure.text and all(part == "()" for part in operand.parts)
    return at.explain("loss-is-a-tuple" if scalars else "tuple-for-one-tensor", **values)


def _parts(operand: Operand) -> str:
    """Write the items of a collection for a sentence."""
    return ", ".join([*operand.parts, "…"] if operand.count > len(operand.parts) else operand.parts)


def _assigned(at: FailureContext, name: str) -> Assignment | None:
    """Return the line that assigned a name."""
    return at.last_assignment(name) if name.isidentifier() else None


def _has_tensors(operand: Operand) -> bool:
    """Return whether a tuple holds a tensor, nested or not."""
    return any(part.startswith("(") or part == "tuple" for part in operand.parts)


def _calls(at: FailureContext) -> list[str]:
    """Return the program's calls whose results the failing expression uses."""
    calls = []
    for operand in at.failure.operands:
        for begin in re.finditer(rf"(?<![\w.]){re.escape(operand.name)}\(", at.code) if operand.called else ():
            end = closing(at.code, begin.end() - 1)
            text = at.code[begin.start() : end + 1]
            if end > 0 and text != at.code:
                calls.append(text)
    return calls


def _gives_several(at: FailureContext, call: str) -> bool:
    """Return whether a call returns a tuple."""
    kind = _layer_of(at, call)
    if kind in _FIRST_IS_WANTED:
        return True
    head = call.partition("(")[0].strip()
    body = _body_of(at, head) if kind in ("", "function") else _body_of(at, "forward", kind)
    returns = [line.strip() for line in body.block if re.match(r"\s*return\b", line)] if body else []
    return bool(returns) and all(_COMMA.match(line) for line in returns)


def _layer_of(at: FailureContext, call: str) -> str:
    """Return the class of the called layer, "" if unknown."""
    head = call.partition("(")[0].strip()
    layer = next((operand.type for operand in at.failure.operands if operand.name == head), "")
    made_by = {match[1] for _, match in find_lines(at.trace, rf"^\s*{re.escape(head)}\s*=\s*(?:\w+\.)*(\w+)\(")}
    return layer or (made_by.pop() if len(made_by) == 1 else "")


def _body_of(at: FailureContext, function: str, within: str = "") -> Code | None:
    """Return the line of a function, or of a class's method."""
    for line, head in find_lines(at.trace, rf"^(\s*)def {re.escape(function)}\("):
        outer = list(line.headers.values())[-1:]
        if bool(head[1]) == bool(within) and (
            not within or (outer and re.match(rf"class {re.escape(within)}\b", outer[0]))
        ):
            return line
    return None


@RULES.rule(r"TypeError: must be Tensor, not (list|dict)\b|invalid combination of arguments - got \((list|dict)\b")
def batch_as_tensor(at: FailureContext) -> Explanation | None:
    """Explain a whole batch of a DataLoader used as a tensor."""
    kind = at.found[1] or at.found[2]
    batches = [operand for operand in at.failure.operands if operand.type == kind and not operand.called]
    if len(batches) != 1 or not batches[0].parts:
        return None
    batch = batches[0]
    if kind == "dict":
        return at.explain("dict-for-one-tensor", name=batch.name, parts=_parts(batch), key=batch.parts[0])
    above = _assigned(at, batch.name)
    if above is None or above.value or not _has_tensors(batch):  # a loop assigns its name no value in the text
        return None
    return at.explain("batch-for-one-tensor", name=batch.name, count=batch.count, parts=_parts(batch), where=above.line)


@RULES.rule(r"AttributeError: '(?:collections\.)?OrderedDict' object has no attribute '(?P<method>\w+)'")
def state_as_module(at: FailureContext) -> Explanation | None:
    """Explain a state_dict used as the module that it was saved from."""
    name = re.sub(r"\.\w+$", "", at.code)
    above = _assigned(at, name)
    if above is None or not re.search(r"\bload\(|state_dict\(", above.value):
        return None
    return at.explain("state-dict-as-module", name=name, where=above.line, made=shorten_code(above.value))


@RULES.rule(r"TypeError: '(?P<type>\w+)' object is not an iterator")
def not_an_iterator(at: FailureContext) -> Explanation:
    """Explain next() of an iterable that is not an iterator, such as a DataLoader."""
    call = at.call
    written = call.value(0) if call and call.name == "next" and call.arguments else "..."
    return at.explain("next-without-iter", right=shorten_code(f"next(iter({written}))"))


@RULES.rule(r"TypeError: 'Tensor' object is not callable")
def name_of_result(at: FailureContext) -> Explanation | None:
    """Explain a module's or function's name that was reassigned to its result."""
    call = re.match(r"([A-Za-z_]\w*)\(", at.code)
    given = [one for one in all_assignments(at.trace) if call and one.name == call[1] and one.value.startswith(call[0])]
    if len(given) != 1:
        return None
    return at.explain("name-given-to-result", name=call[1], where=given[0].line, made=shorten_code(given[0].value))


@RULES.rule(r"AttributeError: 'bool' object has no attribute '(\w+)'")
def pair_compared(at: FailureContext) -> Explanation | None:
    """Explain comparing the pair from max(dim) with a tensor."""
    pairs = [operand for operand in at.failure.operands if operand.type.startswith("return_types.")]
    if len(pairs) != 1 or "==" not in at.code:
        return None
    name, above = pairs[0].name, _assigned(at, pairs[0].name)
    made, where = (shorten_code(above.value), above.line) if above else ("", 0)
    return at.explain("pair-compared", name=name, made=made, where=where)


@RULES.rule(r"TypeError|AttributeError: None(?:Type)?\b")
def nothing_returned(at: FailureContext) -> Explanation | None:
    """Explain None from a module or function without a return."""
    nothing = [operand.name for operand in at.failure.operands if operand.type == "NoneType"]
    calls = _calls(at) + [above.value for name in nothing if (above := _assigned(at, name))]
    if "unpack" in at.failure.text:
        calls = [at.here.whole_line.partition("=")[2].strip()]
    base = parse_call(re.sub(r"\.\w+$", "", at.code))
    calls += [f"{base.head}()"] if base and base.head not in (call.partition("(")[0] for call in calls) else []
    for call in calls:
        head, kind = call.partition("(")[0].strip(), _layer_of(at, call)
        made_here = re.match(r"[A-Za-z_]\w*\(", call) and _body_of(at, "forward", head) is not None
        owner = head if made_here else kind if kind not in ("", "function") else ""
        body = _body_of(at, "forward", owner) if owner else _body_of(at, head)
        if body is None or any(re.search(r"\breturn\s+\S|\byield\b", line) for line in body.block):
            continue
        last = next((line.strip() for line in reversed(body.block) if line.strip()), "")
        function = f"{owner}.forward" if owner else head
        return at.explain("nothing-returned", function=function, where=body.line, last=shorten_code(last) or "none")
    return None


@RULES.rule(
    r"TypeError: object of type 'NoneType' has no len\(\)|default_collate: batch must contain .*NoneType"
    r"|'NoneType' object is not (?:iterable|subscriptable)"
)
def example_is_none(at: FailureContext) -> Explanation | None:
    """Explain a `__getitem__` that returns None for some index."""
    classes = re.findall(r"^class (\w+)\b(?:(?!\nclass )[\s\S])*?def __getitem__\(", at.sources, re.MULTILINE)
    if len(classes) != 1 or "DataLoader(" not in at.sources or not _LOOP.match(at.code):
        return None
    return at.explain("example-is-none", **{"class": classes[0]})
