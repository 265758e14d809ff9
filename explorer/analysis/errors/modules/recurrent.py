"""Recurrent layers: states of a wrong batch size, and (output, state) used as one tensor."""

import re

from explorer.analysis.errors.explanation import Explanation
from explorer.analysis.errors.failure_context import FailureContext
from explorer.analysis.errors.rule import Rules
from explorer.analysis.source import parse_call, replace_word, shorten_code

RECURRENT = ("lstm", "gru", "rnn_tanh", "rnn_relu")

RULES = Rules()


@RULES.rule("RuntimeError", r"Expected hidden(?:\[\d\])? size \((?P<wanted>.*?)\), got \[(?P<given>.*?)\]")
def state_size(at: FailureContext) -> Explanation:
    """A hidden state with a wrong batch size or hidden size."""
    wanted, given = ([size.strip() for size in at[group].split(",")] for group in ("wanted", "given"))
    if len(wanted) == len(given) == 3 and wanted[::2] == given[::2]:
        kind = "recurrent-state-of-another-batch" if "DataLoader(" in at.sources else "recurrent-batch"
        return at.explain(kind, batch=wanted[1], made=given[1])
    return at.explain("recurrent-hidden-size")


@RULES.rule("IndexError", r"index 1 is out of bounds for dimension 0 with size 1")
def state_without_cell(at: FailureContext) -> Explanation | None:
    """An LSTM gets a single state; it expects the pair of hidden state and cell state."""
    call = at.call
    if not call or len(call.arguments) != 2:
        return None
    if not re.search(rf"(?m)\b{re.escape(call.head)}\s*=\s*(?:\w+\.)*LSTM\(", at.sources):
        return None
    return at.explain("lstm-state-alone", layer=shorten_code(call.head), state=shorten_code(call.value(1)))


@RULES.rule("AttributeError|TypeError", r"torch\.return_types\.(?P<function>\w+)")
def result_is_a_pair(at: FailureContext) -> Explanation | None:
    """max, sort and the like return entries and positions; the pair is used as one tensor."""
    operations = at.trace.operations
    made = [i for i in range(len(operations)) if at.operation_names(i) == at["function"] and operations.span[i] >= 0]
    if not made:
        return None
    text = at.written(made[-1])
    for name in re.findall(r"(?<![\w.])[A-Za-z_]\w*", at.code):
        only = at.only_assignment(name)
        if only and only.value == text:
            new = replace_word(at.code, name, f"{name}.values")
            return at.explain("reduction-gives-two", new, made=shorten_code(text), name=name)
    return at.explain("reduction-gives-two", made=shorten_code(text), name=shorten_code(text))


@RULES.rule("TypeError|AttributeError", r"\btuple\b")
def result_is_a_tuple(at: FailureContext) -> Explanation | None:
    """The (output, state) of a recurrent layer is used as one tensor."""
    layer = _layer(at)
    if layer is None:
        return None
    name, text = layer
    written = [at.call.value(i) for i in range(len(at.call.arguments))] if at.call else []

    def holds(word: str) -> bool:
        """Whether a name was given the layer's result."""
        only = at.only_assignment(word) if word.isidentifier() else None
        return bool(only and only.value == text)

    used = written[0] if len(written) == 1 else next(filter(holds, written), at.code.split(".")[0])
    if text and used == text:  # as fc(gru(x))
        return at.explain("recurrent-gives-two", at.code.replace(text, f"{text}[0]", 1), layer=shorten_code(name))
    if holds(used):
        return at.explain("recurrent-gives-two", replace_word(at.code, used, f"{used}[0]"), layer=shorten_code(name))
    if text and text != at.code:
        return None
    return at.explain("recurrent-gives-two-inside", layer=shorten_code(name))


def _layer(at: FailureContext) -> tuple[str, str] | None:
    """The last layer that ran, if it was recurrent: its name, and the text of the call."""
    operations, trace = at.trace.operations, at.trace
    for i in range(len(operations) - 1, -1, -1):
        recurrent = at.operation_names(i) in RECURRENT
        if operations.outputs[i] and (operations.module[i] >= 0 or recurrent):
            text = at.written(i)
            call = parse_call(text)
            return (trace.string(operations.module[i]) or (call.head if call else text), text) if recurrent else None
    return None
