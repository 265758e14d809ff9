"""States of another batch for recurrent layers, and results of several tensors where one is wanted."""

import re

from explorer.explain.editing import replaced
from explorer.explain.expressions import called, shown
from explorer.explain.rule import Explanation, Rule, rule
from explorer.explain.stopped import Stopped
from explorer.explain.telling import told
from explorer.explain.words import made_once

RECURRENT = ("lstm", "gru", "rnn_tanh", "rnn_relu")


@rule("RuntimeError", r"Expected hidden(?:\[\d\])? size \((.*?)\), got \[(.*?)\]")
def state_size(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A hidden state that was made for another number of examples, or of another size."""
    wanted, given = ([one.strip() for one in text.split(",")] for text in found.groups())
    values = {"wanted": found[1], "given": found[2]}
    if len(wanted) == len(given) == 3 and wanted[::2] == given[::2]:
        loads = any("DataLoader(" in one.source for one in stopped.trace.cells)
        kind = "recurrent-state-of-another-batch" if loads else "recurrent-batch"
        return told(stopped, kind, batch=wanted[1], made=given[1])
    return told(stopped, "recurrent-hidden-size", **values)


@rule("TypeError|AttributeError", r"\btuple\b")
def result_is_a_tuple(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """What a recurrent layer gives, (output, state), is used as one tensor."""
    layer = _layer(stopped)
    if layer is None:
        return None
    name, text = layer
    call, mended = called(stopped.code), ""
    used = call.value(0) if call and len(call.arguments) == 1 else re.split(r"\.", stopped.code)[0]
    at = made_once(stopped, used) if used.isidentifier() else None
    if at and at.value == text and stopped.span:
        mended = replaced(stopped.source, stopped.span, re.sub(rf"(?<![\w.]){used}(?!\w)", f"{used}[0]", stopped.code))
    elif not text or text == stopped.code:
        used = ""
    elif at is None or at.value != text:
        return None
    return told(stopped, "recurrent-gives-two" if used else "recurrent-gives-two-inside", mended, layer=shown(name))


@rule("AttributeError|TypeError", r"torch\.return_types\.(\w+)")
def result_is_a_pair(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """max, sort and their like give entries and positions; the pair is used as one tensor."""
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
            return told(stopped, "reduction-gives-two", mended, made=shown(text), name=name)
    return told(stopped, "reduction-gives-two", made=shown(text), name=shown(text))


def _layer(stopped: Stopped) -> tuple[str, str] | None:
    """The last layer that ran, if it was a recurrent one: its name, and the program's text of the call."""
    operations, trace = stopped.trace.operations, stopped.trace
    for i in range(len(operations) - 1, -1, -1):
        if operations.module[i] >= 0 and operations.outputs[i]:
            if trace.string(operations.name[i]) not in RECURRENT:
                return None
            return trace.string(operations.module[i]) or "", trace.text(operations.span[i])
    return None


RULES: tuple[Rule, ...] = (state_size, result_is_a_pair, result_is_a_tuple)
