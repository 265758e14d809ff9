"""A Trace and a view as they were before an operation, while the forward pass is stepped through.

Every view of a page that asks for a value is made from this Trace, so the page contains the answer nowhere.
"""

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from explorer.analysis.autograd.partial_backward import cells_before, values_before
from explorer.analysis.autograd.view import Card, Fold, GraphView
from explorer.trace import Backward, Lists, Trace
from explorer.trace.full import FullTensors
from explorer.trace.statements import Statements
from explorer.trace.steps import Steps
from explorer.trace.training_log import TrainingLog


def trace_before(trace: Trace, operation: int) -> Trace:
    """A Trace without what this operation and everything after it made: values, shapes, gradients, names, outputs.

    What the program's text says stays: its operations, their places, and the structure of the graph.
    """
    values, count = values_before(trace, operation), len(trace.tensors)
    unborn = [_is_unborn(trace, tensor, operation, values) for tensor in range(count)]
    shapes = [*trace.shapes, []]
    t, o, nodes, saved = trace.tensors, trace.operations, trace.nodes, trace.saved
    late = [made >= operation or by >= 0 for made, by in zip(nodes.operation, nodes.made_by, strict=True)]
    kept = [row for row, node in enumerate(saved.node) if not late[node]]
    outputs = [-1 if late[node] else item for node in range(len(nodes)) for item in nodes.values[node]]
    cell = trace.spans[o.span[operation]].cell if o.span[operation] >= 0 else 0
    return replace(
        trace,
        shapes=shapes,
        operations=replace(o, arguments=[told if i < operation else -1 for i, told in enumerate(o.arguments)]),
        tensors=replace(
            t,
            shape=[len(shapes) - 1 if gone else shape for gone, shape in zip(unborn, t.shape, strict=True)],
            stride=[len(shapes) - 1 if gone else stride for gone, stride in zip(unborn, t.stride, strict=True)],
            storage=[-1 if gone else storage for gone, storage in zip(unborn, t.storage, strict=True)],
            grad=[-1] * count,
        ),
        versions=replace(trace.versions, value=values),
        bindings=[binding for binding in trace.bindings if binding.start < operation],
        nodes=replace(nodes, values=Lists(nodes.values.starts, outputs)),
        saved=replace(saved, **{name: _rows(getattr(saved, name), kept) for name in saved.__struct_fields__}),
        backwards=[call if call.operations <= operation else _without_numbers(call) for call in trace.backwards],
        arrays=[array for array in trace.arrays if array.start < operation],
        cells=cells_before(trace, cell),
        diagnoses=[],
        strided=[],
        readings=[],
        table_steps=[],
        tables=[],
        table_tensors=[],
        steps=Steps(),
        log=TrainingLog(),
        statements=Statements(),
        full=FullTensors(),
    )


def view_before(
    view: GraphView, trace: Trace, operation: int, unborn: Collection[str], growing: Collection[str]
) -> GraphView:
    """A view without the numbers that come later; its cards and wires stay.

    Args:
        trace: the whole run.
        unborn: ids of the cards whose operation has not run.
        growing: ids of the folded cards of which only some executions have run.
    """
    cards = tuple(
        _unknown(card)
        if card.id in unborn
        else _without_value(card)
        if card.id in growing
        else _card_before(card, trace, operation)
        for card in view.cards
    )
    wires = tuple(replace(wire, contribution=None) for wire in view.wires)
    return replace(view, cards=cards, wires=wires, entry=None, altered="", start=None)


def _is_unborn(trace: Trace, tensor: int, operation: int, values: list[int]) -> bool:
    """Whether a tensor's first state comes with this operation or later."""
    rows = trace.versions_of(tensor)
    if not rows:
        return False
    first = rows[0]
    return trace.index.times[first] >= operation or (values[first] < 0 <= trace.versions.value[first])


def _rows(column: list[int], kept: list[int]) -> list[int]:
    """The entries of a column in these rows; older files have empty columns."""
    return [column[row] for row in kept] if column else []


def _without_numbers(call: Backward) -> Backward:
    return replace(
        call,
        seeds=[-1] * len(call.seeds),
        arrived=Lists(call.arrived.starts, [-1] * len(call.arrived.items)),
        contribution_value=[-1] * len(call.contribution_value),
        accumulated=[],
        before=[],
        after=[],
    )


def _card_before(card: Card, trace: Trace, operation: int) -> Card:
    """A card that exists: a leaf with the value that it had then, and no gradient."""
    found = _without_gradient(card)
    if card.kind not in ("leaf", "data") or not card.tensors:
        return found
    row = trace.index.before(card.tensors[-1], operation)
    return found if row is None else replace(found, value=trace.value_at(row))


def _without_value(card: Card) -> Card:
    found = _without_gradient(card)
    fold = found.fold and replace(found.fold, values=(None,) * len(found.fold.values))
    return replace(found, value=None, saved=(), notes=(), fold=fold)


def _unknown(card: Card) -> Card:
    found = _without_value(card)
    module = found.module and replace(found.module, inputs=())
    return replace(found, shape=(), dtype="", module=module)


def _without_gradient(card: Card) -> Card:
    fold: Fold | None = card.fold and replace(card.fold, gradients=(None,) * len(card.fold.gradients))
    module = card.module and replace(card.module, gradients=0, least=None, greatest=None, norm=None, nonfinite=0)
    notes = tuple(note for note in card.notes if not note.backward)
    hidden = card.gradient is not None
    known: Mapping[str, None] = dict.fromkeys(("gradient", "stored", "held", "cut"))
    return replace(card, **known, hidden=hidden, notes=notes, fold=fold, module=module)
