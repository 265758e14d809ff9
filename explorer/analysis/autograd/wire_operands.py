"""The text of what runs through a wire, where the program's text shows it."""

from collections import Counter
from collections.abc import Sequence

from explorer.analysis.autograd.view import Card, GraphView, Wire
from explorer.analysis.names import name_of
from explorer.analysis.operations import operation_of
from explorer.analysis.run import run_of
from explorer.analysis.source.code import Code, code_at
from explorer.analysis.source.operands import operand_code, operands_named
from explorer.trace import Trace


def wire_operand(trace: Trace, view: GraphView, wire: Wire) -> Code | None:
    """The operand that a wire carries, in the text of the operation that reads it; None if it has no text there.

    Without a gradient on the wire, or inside a library, there is nothing to cut.
    """
    cards = {card.id: card for card in view.cards}
    source, target = cards[wire.source], cards[wire.target]
    if wire.kind != "plain":
        return None
    operations, carried = trace.operations, set(_results(trace, source))
    for operation in _operations(trace, target):
        inputs = operations.inputs[operation]
        slots = [number for number, tensor in enumerate(inputs) if tensor in carried]
        code = code_at(trace, operations.span[operation])
        if not slots or code is None or not code.is_readable:
            continue
        number = slots[min(_rank(view, cards, wire), len(slots) - 1)]
        arguments, name = trace.arguments(operation), trace.strings[operations.name[operation]]
        if number == 0 and _writes(trace, operation):
            return None
        part = operand_code(code, name, operation_of(name).operator, arguments, len(inputs), number)
        return part or _inner(trace, code, operation, inputs[number]) or _named(trace, code, operation, inputs[number])
    return None


def times_run(trace: Trace, code: Code) -> int:
    """How often the program ran the operation whose text has this operand."""
    spans = [i for i, span in enumerate(trace.spans) if span.contains(code.span)]
    inner = min(spans, key=lambda i: len(Code(code.cell, trace.spans[i]).text), default=-1)
    names = [name for name, span in zip(trace.operations.name, trace.operations.span, strict=True) if span == inner]
    return min(Counter(names).values(), default=1)


def _results(trace: Trace, card: Card) -> Sequence[int]:
    """The tensors that a card made or wrote."""
    tensors = [*card.tensors]
    for operation in _operations(trace, card):
        tensors += trace.operations.outputs[operation]
        tensors += trace.operations.inputs[operation][:1] if _writes(trace, operation) else []
    return tensors


def _writes(trace: Trace, operation: int) -> bool:
    """Whether an operation writes to its first input."""
    name = trace.strings[trace.operations.name[operation]]
    return name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))


def _operations(trace: Trace, card: Card) -> list[int]:
    """The recorded operations of a card's last execution."""
    return sorted({trace.nodes.operation[node] for node in card.executions[-1] if trace.nodes.operation[node] >= 0})


def _rank(view: GraphView, cards: dict[str, Card], wire: Wire) -> int:
    """The position of a wire among those that carry the same tensor into the same card."""
    same = cards[wire.source].tensors
    beside = [one for one in view.wires if one.target == wire.target and cards[one.source].tensors == same]
    return sorted(one.port for one in beside).index(wire.port)


def _inner(trace: Trace, code: Code, operation: int, tensor: int) -> Code | None:
    """The expression within a call whose value the call read."""
    maker = trace.maker(tensor)
    made = code_at(trace, trace.operations.span[maker]) if maker >= 0 else None
    if made is None or made.span == code.span or not code.span.contains(made.span):
        return None
    span = trace.operations.span[maker]
    last = all(trace.operations.span[later] != span for later in range(maker + 1, operation))
    return made if last else None


def _named(trace: Trace, code: Code, operation: int, tensor: int) -> Code | None:
    """The only argument of a call of the program's own that is the tensor's name."""
    operands = operands_named(code, name_of(run_of(trace), tensor, operation, code.text))
    return operands[0] if len(operands) == 1 else None
