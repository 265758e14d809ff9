"""A Trace and a view at one step of a forward or backward pass.

A page's views are made from this Trace, so the page contains no later answer.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Set

from msgspec.structs import replace

from explorer.analysis.explain.autograd.backward_steps import BackwardSteps
from explorer.analysis.explain.autograd.view_records import Card, Fold, GraphView
from explorer.trace import Backward, Cell, Failure, Limit, Lists, Refusal, Skipped, Trace
from explorer.trace.asked import FullTensors
from explorer.trace.statements import Statements
from explorer.trace.steps import Steps
from explorer.trace.training_log import TrainingLog


def ran_until(trace: Trace, backward: int, walk: BackwardSteps, count: int) -> frozenset[int]:
    """Return the nodes that ran in the first `count` steps."""
    shown = {node for step in walk.steps for node in step.nodes}
    ran = {node for step in walk.steps[:count] for node in step.nodes}
    last = max((i for i, node in enumerate(trace.backwards[backward].order) if node in ran), default=-1)
    return frozenset(ran.union(node for node in trace.backwards[backward].order[: last + 1] if node not in shown))


def trace_so_far(trace: Trace, backward: int, ran: Set[int], shown: Set[int] = frozenset()) -> Trace:
    """Return a Trace in which only these nodes have run.

    A node's gradient is known once all its senders ran. A leaf's sum needs the leaf's node too.

    Args:
        shown: nodes whose gradient is known anyway, but not the gradients they pass on.
    """
    calls = [
        call
        if i < backward
        else _call_so_far(trace, call, *((ran, shown) if i == backward else (frozenset(), frozenset())))
        for i, call in enumerate(trace.backwards)
    ]
    until, cell = _known_since(trace, trace.backwards[backward])
    tensors = replace(trace.tensors, grad=[-1] * len(trace.tensors))
    return replace(
        trace,
        backwards=calls,
        tensors=tensors,
        versions=replace(trace.versions, value=values_before(trace, until)),
        cells=cells_before(trace, cell),
    )


def view_so_far(whole: GraphView, partial: GraphView) -> GraphView:
    """Keep only the gradients that another view of the same graph has reached."""
    cards = {card.id: card for card in partial.cards}
    edges = {edge.id: edge.contribution for edge in partial.edges}
    return replace(
        whole,
        cards=tuple(_card_so_far(card, cards.get(card.id)) for card in whole.cards),
        edges=tuple(replace(edge, contribution=edges.get(edge.id)) for edge in whole.edges),
    )


def _call_so_far(trace: Trace, call: Backward, ran: Set[int], shown: Set[int]) -> Backward:
    edges = trace.nodes.edges
    givers: dict[int, list[int]] = defaultdict(list)
    for node in call.order:
        for target in edges[node]:
            if target >= 0:
                givers[target].append(node)

    def is_known(node: int) -> bool:
        if node in ran or node in shown or (node in call.roots and node not in givers):
            return True
        adds = trace.nodes.variable[node] >= 0 and len(givers[node]) > 1
        return bool(givers[node]) and not adds and ran >= set(givers[node])

    starts, arrived = call.arrived.starts, list(call.arrived.items)
    for step, node in enumerate(call.order):
        if not is_known(node):
            arrived[starts[step] : starts[step + 1]] = [-1] * (starts[step + 1] - starts[step])
    sent = [
        contribution if contribution[0] in ran else (*contribution[:2], -1)
        for contribution in zip(call.contribution_from, call.contribution_edge, call.contribution_value, strict=True)
    ]
    stored = {trace.nodes.variable[node] for node in ran | shown}
    places = [i for i, leaf in enumerate(call.accumulated) if leaf in stored]
    return replace(
        call,
        arrived=Lists(starts, arrived),
        contribution_value=[value for _, _, value in sent],
        accumulated=[call.accumulated[i] for i in places],
        before=[call.before[i] for i in places],
        after=[call.after[i] for i in places],
    )


def _known_since(trace: Trace, call: Backward) -> tuple[int, int]:
    """Return when the gradients became known: operations before, and the cell.

    An implicit backward counts as the program's first own backward, which may share its root.
    """
    own = (
        [backward for backward in trace.backwards if backward.kind != "implicit"] if call.kind == "implicit" else [call]
    )
    cells = [trace.spans[backward.span].cell for backward in own if backward.span >= 0]
    operations = [_before(trace, backward) for backward in own]
    return min(operations, default=len(trace.operations)), min(cells, default=len(trace.cells))


def _before(trace: Trace, call: Backward) -> int:
    """Return how many operations ran before a call. `torch.autograd.grad` is an operation too."""
    count, spans = call.operations, trace.operations.span
    while count and call.span >= 0 and spans[count - 1] == call.span:
        count -= 1
    return count


def values_before(trace: Trace, until: int) -> list[int]:
    """Return versions' values, -1 for those from operation `until` on."""
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
    """Return the cells. This one and later ones keep only errors."""
    errors = Failure | Refusal | Skipped | Limit
    shown = [
        replace(run, outputs=[one for one in run.outputs if isinstance(one, errors)]) for run in trace.cells[cell:]
    ]
    return [*trace.cells[:cell], *shown]


def _card_so_far(card: Card, partial: Card | None) -> Card:
    backward = partial is not None and partial.gradient is not None
    notes = tuple(
        note for note in card.notes if note.phase != "backward" or (partial is not None and note in partial.notes)
    )
    gradients = partial.fold.gradients if partial is not None and partial.fold else ()
    if card.fold:
        gradients = gradients if len(gradients) == len(card.fold.gradients) else (None,) * len(card.fold.gradients)
    arrived = {partial.main, *(one.main for one in partial.results)} if partial is not None and backward else set()
    return replace(
        card,
        gradient=card.gradient if backward else None,
        results=tuple(result if result.main in arrived else replace(result, gradient=None) for result in card.results),
        hidden=card.gradient is not None and not backward,
        notes=notes,
        fold=replace(card.fold, gradients=gradients) if card.fold else None,
        module=partial.module if partial is not None and card.module else card.module,
        stored=partial.stored if partial is not None else None,
    )


def trace_before(trace: Trace, operation: int) -> Trace:
    """Return a Trace without anything that this operation or later ones made.

    The program's text stays, and so do its operations, their places and the graph's structure.
    """
    values, count = values_before(trace, operation), len(trace.tensors)
    unborn = [_is_created_later(trace, tensor, operation, values) for tensor in range(count)]
    shapes = [*trace.shapes, []]
    t, o, nodes, saved = trace.tensors, trace.operations, trace.nodes, trace.saved
    late = [made >= operation or by >= 0 for made, by in zip(nodes.operation, nodes.made_by, strict=True)]
    rows = [row for row, node in enumerate(saved.node) if not late[node]]
    outputs = [-1 if late[node] else item for node in range(len(nodes)) for item in nodes.values[node]]
    cell = trace.spans[o.span[operation]].cell if o.span[operation] >= 0 else 0
    return replace(
        trace,
        shapes=shapes,
        operations=replace(o, arguments=[given if i < operation else -1 for i, given in enumerate(o.arguments)]),
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
        saved=replace(saved, **{name: _rows(getattr(saved, name), rows) for name in saved.__struct_fields__}),
        backwards=[call if call.operations <= operation else _without_numbers(call) for call in trace.backwards],
        arrays=[array for array in trace.arrays if array.start < operation],
        cells=cells_before(trace, cell),
        diagnoses=[],
        strided=[],
        readings=[],
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
    """Remove later numbers from a view. Cards and edges stay.

    Args:
        unborn: ids of cards whose operation has not run.
        growing: ids of folded cards with only some executions done.
    """
    late = {**dict.fromkeys(growing, False), **dict.fromkeys(unborn, True)}  # card → whether it is entirely unknown
    cards = tuple(
        _without_value(card, late[card.id]) if card.id in late else _card_before(card, trace, operation)
        for card in view.cards
    )
    edges = tuple(replace(edge, contribution=None) for edge in view.edges)
    return replace(view, cards=cards, edges=edges, entry=None, altered="", start=None)


def _is_created_later(trace: Trace, tensor: int, operation: int, values: list[int]) -> bool:
    """Return whether a tensor's first state comes with this operation or later."""
    rows = trace.versions_of(tensor)
    if not rows:
        return False
    first = rows[0]
    return trace.index.times[first] >= operation or (values[first] < 0 <= trace.versions.value[first])


def _rows(column: list[int], rows: list[int]) -> list[int]:
    """Return a column's entries in these rows. Older files have empty columns."""
    return [column[row] for row in rows] if column else []


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
    """Return an existing card at that time, without a gradient."""
    bare = _without_gradient(card)
    if card.kind not in ("leaf", "data") or not card.tensors:
        return bare
    row = trace.index.before(card.tensors[-1], operation)
    return bare if row is None else replace(bare, value=trace.value_at(row))


def _without_value(card: Card, unborn: bool) -> Card:
    bare = _without_gradient(card)
    fold = bare.fold and replace(bare.fold, values=(None,) * len(bare.fold.values))
    results = tuple(replace(result, value=None) for result in bare.results)
    bare = replace(bare, value=None, results=results, saved=(), notes=(), fold=fold)
    module = bare.module and replace(bare.module, inputs=())
    return replace(bare, shape=(), dtype="", module=module) if unborn else bare


def _without_gradient(card: Card) -> Card:
    fold: Fold | None = card.fold and replace(card.fold, gradients=(None,) * len(card.fold.gradients))
    module = card.module and replace(card.module, gradients=0, norm=None, nonfinite=0)
    notes = tuple(note for note in card.notes if note.phase != "backward")
    hidden = card.gradient is not None
    empty: Mapping[str, None] = dict.fromkeys(("gradient", "stored", "held", "cut"))
    results = tuple(replace(result, gradient=None) for result in card.results)
    return replace(card, **empty, results=results, hidden=hidden, notes=notes, fold=fold, module=module)
