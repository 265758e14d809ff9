"""A Trace and a view with only the gradients reached so far, while a backward is stepped through.

Every view of a page that asks for a gradient is made from this Trace, so the page contains the answer nowhere.
"""

from collections import defaultdict
from collections.abc import Set

from msgspec.structs import replace

from explorer.analysis.autograd.steps import BackwardSteps
from explorer.analysis.autograd.view import Card, GraphView, Wire
from explorer.trace import Backward, Cell, Failure, Limit, Lists, Refusal, Skipped, Trace


def ran_until(trace: Trace, backward: int, found: BackwardSteps, count: int) -> frozenset[int]:
    """The nodes that ran in the first `count` steps of a backward, with earlier ones that no card shows."""
    shown = {node for step in found.steps for node in step.nodes}
    ran = {node for step in found.steps[:count] for node in step.nodes}
    last = max((i for i, node in enumerate(trace.backwards[backward].order) if node in ran), default=-1)
    return frozenset(ran.union(node for node in trace.backwards[backward].order[: last + 1] if node not in shown))


def trace_so_far(trace: Trace, backward: int, ran: Set[int], shown: Set[int] = frozenset()) -> Trace:
    """A Trace as if only these nodes of this backward had run; later backwards and everything after it are removed.

    The gradient of a node is known once all its senders ran; the sum at a leaf once the leaf's node ran too.

    Args:
        shown: nodes whose gradient is known anyway, but not what they pass on.
    """
    calls = [
        call
        if i < backward
        else _call_so_far(trace, call, *((ran, shown) if i == backward else (frozenset(), frozenset())))
        for i, call in enumerate(trace.backwards)
    ]
    until, cell = _moment(trace, trace.backwards[backward])
    tensors = replace(trace.tensors, grad=[-1] * len(trace.tensors))
    return replace(
        trace,
        backwards=calls,
        tensors=tensors,
        versions=replace(trace.versions, value=values_before(trace, until)),
        cells=cells_before(trace, cell),
    )


def view_so_far(whole: GraphView, known: GraphView) -> GraphView:
    """A view with only the gradients reached in another view of the same graph; everything else stays."""
    cards = {card.id: card for card in known.cards}
    wires = {wire.id: wire for wire in known.wires}
    return replace(
        whole,
        cards=tuple(_card_so_far(card, cards.get(card.id)) for card in whole.cards),
        wires=tuple(_wire_so_far(wire, wires.get(wire.id)) for wire in whole.wires),
    )


def _call_so_far(trace: Trace, call: Backward, ran: Set[int], shown: Set[int]) -> Backward:
    edges = trace.nodes.edges
    givers: dict[int, list[int]] = defaultdict(list)
    for node in call.order:
        for target in edges[node]:
            if target >= 0:
                givers[target].append(node)

    def known(node: int) -> bool:
        if node in ran or node in shown or (node in call.roots and node not in givers):
            return True
        adds = trace.nodes.variable[node] >= 0 and len(givers[node]) > 1
        return bool(givers[node]) and not adds and ran >= set(givers[node])

    starts, arrived = call.arrived.starts, list(call.arrived.items)
    for step, node in enumerate(call.order):
        if not known(node):
            arrived[starts[step] : starts[step + 1]] = [-1] * (starts[step + 1] - starts[step])
    sent = [
        contribution if contribution[0] in ran else (*contribution[:2], -1)
        for contribution in zip(call.contribution_from, call.contribution_edge, call.contribution_value, strict=True)
    ]
    stored = {trace.nodes.variable[node] for node in ran | shown}
    kept = [i for i, leaf in enumerate(call.accumulated) if leaf in stored]
    return replace(
        call,
        arrived=Lists(starts, arrived),
        contribution_value=[value for _, _, value in sent],
        accumulated=[call.accumulated[i] for i in kept],
        before=[call.before[i] for i in kept],
        after=[call.after[i] for i in kept],
    )


def _moment(trace: Trace, call: Backward) -> tuple[int, int]:
    """When the program began to know the gradients: the number of operations before, and the cell.

    For a side pass that is the program's first own backward, which may have had the same root.
    """
    own = (
        [backward for backward in trace.backwards if backward.kind != "implicit"] if call.kind == "implicit" else [call]
    )
    cells = [trace.spans[backward.span].cell for backward in own if backward.span >= 0]
    operations = [_before(trace, backward) for backward in own]
    return min(operations, default=len(trace.operations)), min(cells, default=len(trace.cells))


def _before(trace: Trace, call: Backward) -> int:
    """How many operations ran before a call; `torch.autograd.grad` is one itself, and its result a gradient."""
    count, spans = call.operations, trace.operations.span
    while count and call.span >= 0 and spans[count - 1] == call.span:
        count -= 1
    return count


def values_before(trace: Trace, until: int) -> list[int]:
    """The values of all versions; -1 for those written from operation `until` on, and of tensors named later."""
    named: dict[int, int] = {}
    for binding in trace.bindings:
        named[binding.tensor] = min(binding.start, named.get(binding.tensor, binding.start))
    values, times = list(trace.versions.value), trace.index.times
    for tensor in range(len(trace.tensors)):
        late = named.get(tensor, -1) >= until
        for row in trace.versions_of(tensor):
            if times[row] >= until or (late and times[row] < 0):
                values[row] = -1
    return values


def cells_before(trace: Trace, cell: int) -> list[Cell]:
    """The cells, from this one on without what they showed."""
    return [run if number < cell else _without_results(run) for number, run in enumerate(trace.cells)]


def _without_results(cell: Cell) -> Cell:
    """A cell with only its errors: a result or a plot may show a gradient."""
    kept = [output for output in cell.outputs if isinstance(output, Failure | Refusal | Skipped | Limit)]
    return replace(cell, outputs=kept)


def _card_so_far(card: Card, known: Card | None) -> Card:
    backward = known is not None and known.gradient is not None
    notes = tuple(note for note in card.notes if not note.backward or (known is not None and note in known.notes))
    gradients = known.fold.gradients if known is not None and known.fold else ()
    if card.fold:
        gradients = gradients if len(gradients) == len(card.fold.gradients) else (None,) * len(card.fold.gradients)
    return replace(
        card,
        gradient=card.gradient if backward else None,
        hidden=card.gradient is not None and not backward,
        notes=notes,
        fold=replace(card.fold, gradients=gradients) if card.fold else None,
        module=known.module if known is not None and card.module else card.module,
        stored=known.stored if known is not None else None,
    )


def _wire_so_far(wire: Wire, known: Wire | None) -> Wire:
    return replace(wire, contribution=known.contribution if known is not None else None)
