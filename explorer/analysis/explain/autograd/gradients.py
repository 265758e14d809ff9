"""Look up the gradient of a node or tensor (`reasons` explains a missing one).

A gradient belongs to (tensor, version, backward). The last version on which the backward's root depends is shown. A
backward is an index into `Trace.backwards`, or None. Answers are cached with the Trace and must not be changed.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from struct import unpack_from

from explorer.analysis.run.model import run_of
from explorer.analysis.run.names import name_of
from explorer.text import say
from explorer.trace import Failure, Limit, Trace, Value, memoized


class NoSuchBackward(IndexError):
    """Raised if a program has no backward of a number."""


class NoBackwardNumber(TypeError):
    """Raised if a backward number is not an integer."""


def numbered_backward(trace: Trace, number: int | None) -> int | None:
    """Return the index of the `number`th backward, counted from 1.

    Raises NoSuchBackward or NoBackwardNumber.
    """
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, int):
        raise NoBackwardNumber(say("en", "api-value", name="backward", must="backward", given=repr(number)[:80]))
    if not 1 <= number <= len(trace.backwards):
        raise NoSuchBackward(say("en", "no-such-backward", number=number, count=len(trace.backwards)))
    return number - 1


def is_hypothetical(trace: Trace) -> bool:
    """Return whether the gradients come from an implicit backward that no user requested."""
    return bool(trace.backwards) and trace.backwards[-1].kind == "implicit" and not trace.options.of


def called_backwards(trace: Trace) -> list[int]:
    """Return the indices of the selectable backward calls: those not inside another."""
    return [i for i, call in enumerate(trace.backwards) if call.inside < 0]


def selected_backward(trace: Trace) -> int | None:
    """Return the backward shown by default, or None if none produced a gradient.

    It is the last successful one, preferably not starting from zeros. One that stopped later is shown with its
    gradients if it ended the run in a graph of its own, or if none succeeded. A run with `Options.of` shows the
    requested backward.
    """
    outermost = called_backwards(trace)
    succeeded = [i for i in outermost if trace.backwards[i].status == "ok"]
    if trace.options.of:  # the requested pass replaces the program's own calls
        succeeded = [i for i in succeeded if trace.backwards[i].kind == "implicit"] or succeeded
    asking = [i for i in succeeded if not starts_with_zeros(trace, i)] or succeeded
    good = asking[-1] if asking else None
    brought = [i for i in outermost if trace.backwards[i].status == "failed" and trace.backwards[i].order]
    if good is None:
        return brought[-1] if brought else None
    ended = [i for i in brought if i > good and trace.backwards[i].span in ending_spans(trace)]
    return ended[-1] if ended and not trace.options.of and _has_own_graph(trace, ended[-1], good) else good


def starts_with_zeros(trace: Trace, number: int) -> bool:
    """Return whether a call of autograd.grad starts with zeros, as gradcheck's last does."""
    call = trace.backwards[number]
    seeds = [trace.value(seed) for seed in call.seeds] if call.kind == "grad" else []
    return bool(seeds) and all(seed is not None and seed.is_zero for seed in seeds)


def stopped_backward(trace: Trace, cell: int, good: int | None) -> int | None:
    """Return the backward that ended a cell, `good` if both share a graph."""
    failed = ending_backwards(trace, cell)
    return failed[-1] if failed and (good is None or _has_own_graph(trace, failed[-1], good)) else good


def ending_backwards(trace: Trace, cell: int) -> list[int]:
    """Return the backward calls that ended a cell."""
    spans = ending_spans(trace, cell)
    return [i for i, call in enumerate(trace.backwards) if call.status == "failed" and call.span in spans]


def ending_spans(trace: Trace, cell: int | None = None) -> set[int]:
    """Return the places where a cell (None: any) ended."""
    outputs = [output for one in trace.cells[slice(cell, None if cell is None else cell + 1)] for output in one.outputs]
    ended = [(output.span, *output.frames) for output in outputs if isinstance(output, Failure)]
    ended += [(output.span,) for output in outputs if isinstance(output, Limit) and not output.folds]
    return {span for spans in ended for span in spans if span >= 0}


def _has_own_graph(trace: Trace, backward: int, other: int) -> bool:
    """Return whether a backward began at a node that another did not reach."""
    return bool(set(trace.backwards[backward].roots) - {-1} - below_roots(trace, other))


def call_of_place(trace: Trace, backward: int) -> tuple[int, int]:
    """Return a backward's call number at its place, from 1, and the place's total.

    (0, 0) if the place has no training steps, or this step was not kept.
    """
    steps = trace.steps
    if backward not in steps.backward:
        return 0, 0
    row = steps.backward.index(backward)
    return steps.number[row] + 1, steps.places[steps.place[row]].calls


def calls_of_place(trace: Trace, backward: int) -> int:
    """Return how often a backward's place called backward, or 0 without training steps."""
    place = place_of(trace, backward)
    return 0 if place is None else trace.steps.places[place].calls


def place_of(trace: Trace, backward: int) -> int | None:
    """Return the training place (in Trace.steps.places) of a backward, or None."""
    span = trace.backwards[backward].span
    return next((at for at, place in enumerate(trace.steps.places) if place.span == span), None)


def last_recorded_call(trace: Trace, backward: int | None) -> tuple[int, int]:
    """Return `call_of_place` if all later calls there were only counted, else (0, 0)."""
    if backward is None or not any(bound.kind == "backwards" for bound in trace.limits):
        return 0, 0
    span, later = trace.backwards[backward].span, trace.backwards[backward + 1 :]
    call, calls = call_of_place(trace, backward)
    return (0, 0) if call == calls or any(one.span == span for one in later) else (call, calls)


def has_counted_later(trace: Trace, backward: int) -> bool:
    """Return whether later calls at a backward's place were only counted.

    Long trainings omit even the numbers of most calls.
    """
    span, (call, calls) = trace.backwards[backward].span, call_of_place(trace, backward)
    recorded = trace.backwards[backward + 1 :] if call else trace.backwards
    return (calls or calls_of_place(trace, backward)) - call > sum(one.span == span for one in recorded)


def loss_at_end(trace: Trace, backward: int, last: bool) -> float | None:
    """Return the first or last loss at a backward's place.

    None if unknown.
    """
    steps, place = trace.steps, place_of(trace, backward)
    if place is None or place not in steps.place:
        return None
    rows = [row for row, where in enumerate(steps.place) if where == place]
    row, number = (max(rows), steps.places[place].calls - 1) if last else (min(rows), 0)
    return unpack_from("<d", steps.loss, 8 * row)[0] if steps.number[row] == number else None


class NodeGradients(dict[int, tuple[int, ...]]):
    """Gradients by node, storing only nodes that the backward reached."""

    def __missing__(self, node: int) -> tuple[int, ...]:
        return ()


@memoized
def node_gradients(trace: Trace, backward: int | None) -> "NodeGradients":
    """Return the gradients of each node's outputs as value ids, () if not reached.

    -1 means none. Nested backward calls, as in a reentrant checkpoint, count too.
    """
    gradients = NodeGradients()
    calls = with_inner(trace, backward)
    for call in (trace.backwards[number] for number in calls):
        for step, node in enumerate(call.order):
            gradients[node] = tuple(call.arrived[step])
    if len(calls) > 1:
        times = Counter(node for number in calls for node in trace.backwards[number].order)
        around, variable = accumulations(trace, backward), trace.nodes.variable
        for node in (node for node, count in times.items() if count > 1):
            before, after = around.get(variable[node], (0, -1))
            gradients[node] = (after if before < 0 else -1,)  # the sum, if `.grad` was empty before it
    return gradients


@memoized
def _inner(trace: Trace) -> Mapping[int, list[int]]:
    """Map each backward to the calls made directly inside it."""
    inner: dict[int, list[int]] = {}
    for number, call in enumerate(trace.backwards):
        if 0 <= call.inside < number:
            inner.setdefault(call.inside, []).append(number)
    return inner


def with_inner(trace: Trace, backward: int | None) -> list[int]:
    """Return a backward and all nested in it, [] for None."""
    found = [] if backward is None else [backward]
    for number in found:
        found += _inner(trace).get(number, ())
    return found


def outermost(trace: Trace, backward: int) -> int:
    """Return the outermost backward around this one, or itself."""
    while 0 <= (outer := trace.backwards[backward].inside) < backward:
        backward = outer
    return backward


@memoized
def accumulations(trace: Trace, backward: int | None) -> Mapping[int, tuple[int, int]]:
    """Map leaves to `.grad` before and after a backward (value ids)."""
    found: dict[int, tuple[int, int]] = {}
    for number in sorted(with_inner(trace, backward)):
        call = trace.backwards[number]
        for leaf, before, after in zip(call.accumulated, call.before, call.after, strict=True):
            found[leaf] = found.get(leaf, (before, after))[0], after
    return found


@memoized
def contributions(trace: Trace, backward: int | None) -> Mapping[tuple[int, int], int]:
    """Map each edge (node, position) to its contribution to the target's gradient.

    Values are ids. If only one edge of the backward leads to an output, its contribution is the whole gradient, unless
    recorded as unknown.
    """
    values: dict[tuple[int, int], int] = {}
    for number in with_inner(trace, backward):
        values.update(_contributions(trace, number, node_gradients(trace, backward)))
    return values


@memoized
def senders(trace: Trace, backward: int) -> Mapping[tuple[int, int], list[tuple[int, int, int]]]:
    """Map each output (node, number) to the edges that lead there: node, position, value (-1: unknown)."""
    found, passed = defaultdict(list), contributions(trace, backward)
    for node in trace.backwards[backward].order:
        for edge, target in enumerate(zip(trace.nodes.edges[node], trace.nodes.edge_inputs[node], strict=True)):
            found[target].append((node, edge, passed.get((node, edge), -1)))
    return found


def _contributions(trace: Trace, number: int, gradients: NodeGradients) -> dict[tuple[int, int], int]:
    call, nodes = trace.backwards[number], trace.nodes
    starts, targets, outputs = nodes.edges.starts, nodes.edges.items, nodes.edge_inputs.items
    leading: dict[int, int] = {}  # output k of node n, as n · 2²⁰ + k, to the edge that leads there (-1: several)
    source: dict[int, int] = {}
    for node in call.order:
        for edge in range(starts[node], starts[node + 1]):
            target = targets[edge]
            if target >= 0 and gradients[target]:
                slot = target << 20 | outputs[edge]
                leading[slot] = -1 if slot in leading else edge
                source[edge] = node
    values: dict[tuple[int, int], int] = {}
    for edge in leading.values():
        if edge < 0:
            continue
        target, output = targets[edge], outputs[edge]
        if target not in call.roots and output < len(gradients[target]) and gradients[target][output] >= 0:
            values[source[edge], edge - starts[source[edge]]] = gradients[target][output]
    for node, position, value in zip(
        call.contribution_from, call.contribution_edge, call.contribution_value, strict=True
    ):
        if value >= 0:
            values[node, position] = value
        else:  # recorded as unknown because other edges lead there too
            values.pop((node, position), None)
    return values


def version_gradient(trace: Trace, row: int, backward: int | None) -> int:
    """Return a tensor version's gradient id, or -1."""
    node, output, tensor = trace.versions.node[row], trace.versions.output[row], trace.index.tensor_of(row)
    of_leaf = [place for place in tensor_places(trace)[tensor] if trace.nodes.variable[place[0]] == tensor]
    return latest_arrived([(node, max(output, 0))] if node >= 0 else of_leaf, node_gradients(trace, backward))


def output_gradient(trace: Trace, backward: int | None, node: int, output: int) -> Value | None:
    """Return the kept gradient of a node's output, or None."""
    gradients = node_gradients(trace, backward)
    ids = gradients[node]
    return trace.value(ids[output]) if 0 <= output < len(ids) else None


def arrivals_of(trace: Trace, tensor: int, backward: int | None) -> Iterator[tuple[int, int, Value]]:
    """Yield the gradients of a tensor's versions, last first: node, output, value."""
    for node, output in reversed(tensor_places(trace)[tensor]):
        if (value := output_gradient(trace, backward, node, output)) is not None:
            yield node, output, value


def latest_arrived(places: list[tuple[int, int]], gradients: NodeGradients) -> int:
    return next((gradients[n][k] for n, k in reversed(places) if k < len(gradients[n]) and gradients[n][k] >= 0), -1)


@memoized
def tensor_places(trace: Trace) -> list[list[tuple[int, int]]]:
    """Return the (node, output) pairs where each tensor's gradient arrives, in version order.

    For a leaf these are its AccumulateGrad nodes.
    """
    places: list[list[tuple[int, int]]] = [[] for _ in range(len(trace.tensors))]
    starts, nodes, outputs = trace.tensors.version_start, trace.versions.node, trace.versions.output
    for tensor, own in enumerate(places):
        for version in range(starts[tensor], starts[tensor + 1]):
            if nodes[version] >= 0:
                own.append((nodes[version], max(outputs[version], 0)))
    for node, variable in enumerate(trace.nodes.variable):
        if variable >= 0 and (node, 0) not in places[variable]:
            places[variable].append((node, 0))
    return places


@memoized
def gradient_leaves(trace: Trace) -> Mapping[int, int]:
    """Map tensors that were a `.grad` to their leaf."""
    operations, leaves = trace.operations, {}
    for operation, name in enumerate(run_of(trace).names):
        inputs = operations.inputs[operation]
        if name == "grad" and inputs:
            leaves.update(dict.fromkeys(operations.outputs[operation], inputs[0]))
        elif name == "grad=" and len(inputs) == 2:
            leaves[inputs[1]] = inputs[0]
    return leaves


def version_place(trace: Trace, row: int) -> tuple[int, int]:
    """Return the (node, output) where a version's gradient arrives, node -1 if none."""
    if row < 0:
        return -1, 0
    if trace.versions.node[row] >= 0:
        return trace.versions.node[row], max(trace.versions.output[row], 0)
    leaves = trace.index.memoize(("leaf nodes",), lambda: _leaf_nodes(trace))
    return leaves.get(trace.index.tensor_of(row), -1), 0


def _leaf_nodes(trace: Trace) -> dict[int, int]:
    nodes: dict[int, int] = {}
    for node, variable in enumerate(trace.nodes.variable):
        if variable >= 0:
            nodes.setdefault(variable, node)
    return nodes


@memoized
def below_roots(trace: Trace, backward: int) -> set[int]:
    """Return all nodes reachable from a backward's roots, nested calls included."""
    if not (inputs := recomputed_inputs(trace)):
        return nodes_below(trace, trace.backwards[backward].roots)
    roots = [root for number in with_inner(trace, backward) for root in trace.backwards[number].roots]
    return {node for node in nodes_below(trace, roots) if trace.nodes.variable[node] not in inputs}


@memoized
def recomputed_inputs(trace: Trace) -> frozenset[int]:
    """Return unnamed leaves that only nested backward calls reached, as in a reentrant checkpoint."""
    if not _inner(trace):
        return frozenset()
    inner = {leaf for call in trace.backwards if call.inside >= 0 for leaf in call.accumulated}
    outer = {leaf for call in trace.backwards if call.inside < 0 for leaf in call.accumulated}
    run, parameter = run_of(trace), trace.tensors.is_parameter
    return frozenset(leaf for leaf in inner - outer if not parameter[leaf] and not name_of(run, leaf))


def nodes_below(trace: Trace, nodes: Iterable[int]) -> set[int]:
    """Return all nodes reachable from `nodes`, these included; -1 is skipped."""
    seen = {node for node in nodes if node >= 0}
    todo = list(seen)
    starts, items = trace.nodes.edges.starts, trace.nodes.edges.items
    while todo:
        node = todo.pop()
        for target in items[starts[node] : starts[node + 1]]:
            if target >= 0 and target not in seen:
                seen.add(target)
                todo.append(target)
    return seen


def kept_rounds(trace: Trace) -> str:
    """Return whether all rounds of the loops were recorded: "all" or "some"."""
    return "some" if any(bound.kind == "operations" for bound in trace.limits) else "all"
