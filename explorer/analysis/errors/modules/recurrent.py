"""Recurrent layers: states of a wrong batch size, and (output, state) used as one tensor."""

import re

from explorer.analysis.errors.assignments import made_once
from explorer.analysis.errors.explanations import explanation
from explorer.analysis.errors.expressions import called, shown
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, Rule, rule
from explorer.analysis.errors.text_edits import replaced

RECURRENT = ("lstm", "gru", "rnn_tanh", "rnn_relu")


@rule("RuntimeError", r"Expected hidden(?:\[\d\])? size \((.*?)\), got \[(.*?)\]")
def state_size(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A hidden state with a wrong batch size or hidden size."""
    wanted, given = ([number.strip() for number in text.split(",")] for text in found.groups())
    values = {"wanted": found[1], "given": found[2]}
    if len(wanted) == len(given) == 3 and wanted[::2] == given[::2]:
        loads = any("DataLoader(" in cell.source for cell in stopped.trace.cells)
        kind = "recurrent-state-of-another-batch" if loads else "recurrent-batch"
        return explanation(stopped, kind, batch=wanted[1], made=given[1])
    return explanation(stopped, "recurrent-hidden-size", **values)


@rule("IndexError", r"index 1 is out of bounds for dimension 0 with size 1")
def state_without_cell(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An LSTM gets a single state; it expects the pair of hidden state and cell state."""
    call = called(stopped.code)
    lines = "\n".join(cell_run.source for cell_run in stopped.trace.cells)[:100_000]
    made_lstm = call and re.search(rf"(?m)\b{re.escape(call.head)}\s*=\s*(?:\w+\.)*LSTM\(", lines)
    if not call or not made_lstm or len(call.arguments) != 2:
        return None
    return explanation(stopped, "lstm-state-alone", layer=shown(call.head), state=shown(call.value(1)))


@rule("TypeError|AttributeError", r"\btuple\b")
def result_is_a_tuple(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """The (output, state) of a recurrent layer is used as one tensor."""
    layer = _layer(stopped)
    if layer is None:
        return None
    name, text = layer
    call, mended = called(stopped.code), ""
    written = [call.value(i) for i in range(len(call.arguments))] if call else []
    bound = [
        argument
        for argument in written
        if argument.isidentifier() and (at := made_once(stopped, argument)) and at.value == text
    ]
    used = written[0] if len(written) == 1 else bound[0] if bound else re.split(r"\.", stopped.code)[0]
    at = made_once(stopped, used) if used.isidentifier() else None
    if text and used == text and stopped.span:  # as fc(gru(x))
        mended = replaced(stopped.source, stopped.span, stopped.code.replace(text, f"{text}[0]", 1))
    elif at and at.value == text and stopped.span:
        mended = replaced(stopped.source, stopped.span, re.sub(rf"(?<![\w.]){used}(?!\w)", f"{used}[0]", stopped.code))
    elif not text or text == stopped.code:
        used = ""
    elif at is None or at.value != text:
        return None
    return explanation(
        stopped, "recurrent-gives-two" if used else "recurrent-gives-two-inside", mended, layer=shown(name)
    )


@rule("AttributeError|TypeError", r"torch\.return_types\.(\w+)")
def result_is_a_pair(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """max, sort and the like return entries and positions; the pair is used as one tensor."""
    operations, trace = stopped.trace.operations, stopped.trace
    made = [
        i for i in range(len(operations)) if trace.string(operations.name[i]) == found[1] and operations.span[i] >= 0
    ]
    if not made:
        return None
    text = trace.text(operations.span[made[-1]])
    for name in re.findall(r"(?<![\w.])[A-Za-z_]\w*", stopped.code):
        at = made_once(stopped, name)
        if at and at.value == text and stopped.span:
            new = re.sub(rf"(?<![\w.]){name}(?!\w)", f"{name}.values", stopped.code)
            mended = replaced(stopped.source, stopped.span, new)
            return explanation(stopped, "reduction-gives-two", mended, made=shown(text), name=name)
    return explanation(stopped, "reduction-gives-two", made=shown(text), name=shown(text))


def _layer(stopped: Stopped) -> tuple[str, str] | None:
    """The last layer that ran, if it was recurrent: its name, and the text of the call."""
    operations, trace = stopped.trace.operations, stopped.trace
    for i in range(len(operations) - 1, -1, -1):
        recurrent = trace.string(operations.name[i]) in RECURRENT
        if operations.outputs[i] and (operations.module[i] >= 0 or recurrent):
            text = trace.text(operations.span[i])
            return (trace.string(operations.module[i]) or called_name(text), text) if recurrent else None
    return None


def called_name(text: str) -> str:
    """The function in a call."""
    call = called(text)
    return call.head if call else text


RULES: tuple[Rule, ...] = (state_size, state_without_cell, result_is_a_pair, result_is_a_tuple)
