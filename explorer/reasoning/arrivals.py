"""One step of a gradient: what arrived at an output of a node, and what a node passed on over one edge."""

import math
from collections.abc import Iterable

import numpy as np
from msgspec.structs import replace

from explorer.autograd.altered import altered_outputs
from explorer.autograd.amounts import index_text
from explorer.autograd.apart import Mention
from explorer.autograd.formulas import formulas, stem_of
from explorer.autograd.gradients import node_gradients
from explorer.autograd.graph import graph_view
from explorer.autograd.inspection import passing_of
from explorer.autograd.operands import array_of
from explorer.autograd.passing import Passing, evaluated
from explorer.reasoning.entries import adds_up, entry_at, telling_place
from explorer.reasoning.steps import MOST, Arrived, DerivationStep, PassedOn, Term, size_of
from explorer.tensors.operations.back import factors, sent
from explorer.tensors.operations.view import OperationView, operation_view
from explorer.trace import FULL, Number, Trace, Value, index_at

_RESHAPED = ("View", "UnsafeView", "ReshapeAlias", "Squeeze", "Unsqueeze")  # the order of entries stays
_ENTRYWISE = ("Elu", "Gelu", "NativeDropout", "Hardtanh", "Hardswish", "Selu", "Mish")  # entry i depends on entry i


def passing_in(trace: Trace, backward: int) -> Passing:
    """The edges of a backward with the program's own words, kept with the Trace."""
    return trace.index.once(("why passing", backward), lambda: passing_of(trace, graph_view(trace, backward, False)))


def arrived(trace: Trace, subject: Arrived) -> DerivationStep:
    """What a gradient was added up from: the contributions of those that read its tensor, and the starting gradient."""
    passing, (node, output) = passing_in(trace, subject.backward), (subject.node, subject.output)
    value = gradient_at(trace, subject.backward, node, output)
    step = _begun(trace, passing, subject, value)
    if value is None or step.amount is None:
        return replace(step, note="" if step.note else "unknown")
    parts = [*_starts(trace, subject), *_through(trace, passing, subject, value)]
    if any(part.amount is None for part in parts):
        return replace(step, note="unknown-parts")
    parts = [part for part in parts if part.amount != 0] or parts[:1]
    total, amounts = step.amount, [part.amount for part in parts if part.amount is not None]
    if not adds_up(amounts, total, value.dtype):
        hooked = (node, output) in altered_outputs(trace, subject.backward)
        return _told(replace(step, note="hooked" if hooked else "unknown-parts"), parts if hooked else [])
    if len(parts) == 1 and isinstance(parts[0].subject, PassedOn):
        single = passed_on(trace, parts[0].subject)
        only = single.terms[0] if single.terms else None
        if only is None or only.kind == "from":  # its factors are not told
            through = parts[0] if only is None else replace(parts[0], subject=only.subject)
            return replace(step, terms=(through,), note=single.note, values=single.values)
        return replace(step, terms=single.terms, left=single.left, rest=single.rest)
    return _told(step, parts)


def passed_on(trace: Trace, subject: PassedOn) -> DerivationStep:
    """What a node passed on over an edge: the gradient of its result times the local derivative, entry by entry."""
    passing = passing_in(trace, subject.backward)
    nodes, node = trace.nodes, subject.node
    target, output = nodes.edges[node][subject.edge], nodes.edge_inputs[node][subject.edge]
    value = trace.value(passing.passed.get((node, subject.edge), -1))
    step = DerivationStep(
        subject, "passed", entry_at(value, subject.place), mention_of(trace, passing, target, output),
        _index(value, subject.place), "", () if value is None else value.shape, line=_line(trace, node), node=node,
    )  # fmt: skip
    if value is None or step.amount is None:
        return replace(step, note="unknown")
    found = _products(trace, passing, subject, value)
    if found is None:
        return _unproven(trace, passing, subject, step)
    above, output, pairs = found
    gradient = gradient_at(trace, subject.backward, above, output)
    said, role = mention_of(trace, passing, above, output), _role(trace, node, subject.edge)
    terms = [
        Term(
            "product", times(g, factor), said, _index(gradient, place), (g, factor),
            Arrived(subject.backward, above, output, place), role, _line(trace, above),
        )
        for place, g, factor in pairs
    ]  # fmt: skip
    telling = [term for term in terms if term.amount != 0] or terms[:1]
    return _told(step, telling)


def gradient_at(trace: Trace, backward: int, node: int, output: int) -> Value | None:
    """The gradient of an output of a node, None where nothing arrived or was kept."""
    found = node_gradients(trace, backward)
    ids = found[node] if 0 <= node < len(found) else ()
    return trace.value(ids[output]) if output < len(ids) else None


def mention_of(trace: Trace, passing: Passing, node: int, output: int) -> Mention:
    """An output of a node as a sentence names it."""
    operands = passing.operands
    word = operands.word_of_node(node, -1) if trace.nodes.variable[node] >= 0 else operands.word_of_result(node)
    return passing.operands.mention(node, output, word)


def times(one: Number, other: Number) -> Number:
    """A product as a gradient is passed on: of a local derivative 0 nothing but NaN comes of infinity."""
    return one * other


def _begun(trace: Trace, passing: Passing, subject: Arrived, value: Value | None) -> DerivationStep:
    leaf = trace.nodes.variable[subject.node]
    return DerivationStep(
        subject, "gradient", entry_at(value, subject.place),
        mention_of(trace, passing, subject.node, subject.output), _index(value, subject.place), "",
        () if value is None else value.shape,
        line=_line(trace, subject.node), node=subject.node, tensor=leaf,
    )  # fmt: skip


def _starts(trace: Trace, subject: Arrived) -> list[Term]:
    """The starting gradients that the backward gave this output itself."""
    call, found = trace.backwards[subject.backward], []
    for position, root in enumerate(call.roots):
        if root != subject.node or position >= len(call.seeds):
            continue
        tensor = call.root_tensors[position] if position < len(call.root_tensors) else -1
        rows = trace.versions_of(tensor) if tensor >= 0 else ()
        output = next((max(trace.versions.output[row], 0) for row in rows if trace.versions.node[row] == root), 0)
        if output == subject.output:
            amount = entry_at(trace.value(call.seeds[position]), subject.place)
            line = 0 if call.kind == "implicit" else trace.line(call.span)
            found.append(Term("start", amount, Mention("", "start"), line=line))
    return found


def _through(trace: Trace, passing: Passing, subject: Arrived, total: Value) -> list[Term]:
    """One part per edge that leads to this output; a part of a single product says its factors itself."""
    found = []
    edges = passing.into.get((subject.node, subject.output), ())
    for node, edge, value in edges:
        sent_value = trace.value(value)
        same = sent_value is not None and sent_value.shape == total.shape
        amount = entry_at(sent_value, subject.place) if same else None
        below = PassedOn(subject.backward, node, edge, subject.place)
        mention = mention_of(trace, passing, node, 0)
        line, role = _line(trace, node), _role(trace, node, edge)
        found.append(Term("through", amount, mention, "", (), below, role, line))
    if len(edges) < 2:
        return found
    found.sort(key=lambda term: -size_of(term.amount))
    return [_shortcut(trace, term) for term in found[:MOST]] + found[MOST:]


def _shortcut(trace: Trace, term: Term) -> Term:
    """A part of one product alone says its factors, and unfolds to the gradient that was multiplied."""
    assert isinstance(term.subject, PassedOn)
    step = passed_on(trace, term.subject)
    if len(step.terms) == 1 and not step.left and step.terms[0].kind == "product":
        only = step.terms[0]
        return replace(term, index=only.index, factors=only.factors, subject=only.subject)
    return term


def _products(
    trace: Trace, passing: Passing, subject: PassedOn, value: Value
) -> tuple[int, int, list[tuple[int, Number, Number]]] | None:
    """The node and output whose gradient was multiplied, and per entry of it: its place, itself, the local derivative.

    None where that is not told, or does not give what torch passed on.
    """
    amount = entry_at(value, subject.place)
    for found in (_by_operation, _by_formula, _by_one_number):
        told = found(trace, passing, subject, value)
        if told is None or amount is None or not told[2]:
            continue
        products = [times(g, factor) for _, g, factor in told[2]]
        if adds_up(products, amount, value.dtype):
            return told
    return None


def _by_operation(trace: Trace, passing: Passing, subject: PassedOn, value: Value):
    """By the map of the whole call from entries to entries."""
    operation = trace.nodes.operation[subject.node]
    view = None if operation < 0 else view_of(trace, operation)
    if view is None or not view.outcomes:
        return None
    result, reading = view.outcomes[0].part, view.outcomes[0].reading
    if reading is None or result.version < 0:
        return None
    above, output = trace.versions.node[result.version], max(trace.versions.output[result.version], 0)
    if above < 0 or trace.nodes.operation[above] != operation:
        return None
    gradient = gradient_at(trace, subject.backward, above, output)
    k = _operand(trace, view, subject)
    if gradient is None or gradient.shape != result.shape or k is None or k >= len(reading.reads):
        return None
    entries, terms = np.nonzero(reading.reads[k] == subject.place)
    told = factors(reading, [part.numbers for part in view.operands], result.numbers)
    factor = told[k] if k < len(told) else None
    if view.operands[k].shape != value.shape:
        return None
    if factor is None:  # read by one entry alone: then what came of its gradient tells the derivative
        return (above, output, _alone(gradient, entries, entry_at(value, subject.place))) if len(entries) == 1 else None
    whole, total = array_of(gradient), array_of(value)
    if whole is not None and total is not None and np.isfinite(whole).all() and np.isfinite(total).all():
        promised = sent(reading, k, factor, whole.reshape(-1), total.size)
        if not np.allclose(promised, total.reshape(-1), 2e-3, 1e-6):
            return None
    pairs = []
    for entry, term in zip(entries.tolist(), terms.tolist(), strict=True):
        g = entry_at(gradient, entry)
        if g is None:
            return None
        pairs.append((entry, g, float(factor[entry, term])))
    return above, output, pairs


def _alone(gradient: Value, entries: np.ndarray, amount: Number | None) -> list[tuple[int, Number, Number]]:
    """The product of one entry of a gradient, its factor by division; nothing where that says nothing."""
    place = int(entries[0])
    g = entry_at(gradient, place)
    if g is None or amount is None or isinstance(g, complex) or isinstance(amount, complex):
        return []
    return [(place, g, amount / g)] if g and math.isfinite(g) and math.isfinite(amount) else []


def _operand(trace: Trace, view: OperationView, subject: PassedOn) -> int | None:
    """Which operand of the call an edge leads to; of several edges to one tensor they count in order."""
    nodes, node = trace.nodes, subject.node
    edges = list(zip(nodes.edges[node], nodes.edge_inputs[node], strict=True))
    target, output = edges[subject.edge]
    rank = edges[: subject.edge].count((target, output))
    leaf = nodes.variable[target]
    fitting = []
    for k, part in enumerate(view.operands):
        if part.version < 0:
            continue
        made = trace.versions.node[part.version], max(trace.versions.output[part.version], 0)
        if (leaf >= 0 and part.tensor == leaf) or made == (target, output):
            fitting.append(k)
    return fitting[rank] if rank < len(fitting) else None


def _by_formula(trace: Trace, passing: Passing, subject: PassedOn, value: Value):
    """By the formula of the node: how much one unit of each entry of its gradient would have given."""
    node = subject.node
    told, (_, _, arrays, gradient) = passing.known(node)
    formula = told[subject.edge]
    if gradient is None or "G" not in arrays or arrays["G"].size > FULL or gradient.data is None:
        return None
    output = next((k for k, one in enumerate(passing.gradients[node]) if one >= 0), 0)
    pairs = []
    for place, g in enumerate(gradient.data):
        unit = np.zeros(arrays["G"].size)
        unit[place] = 1.0
        found = evaluated(formula, arrays | {"G": unit.reshape(arrays["G"].shape)}, value.shape)
        if found is None:
            return None
        factor = float(found.reshape(-1)[subject.place])
        if factor or len(gradient.data) == 1:
            pairs.append((place, g, factor))
    return node, output, pairs or [(0, gradient.data[0], 0.0)]


def _by_one_number(trace: Trace, passing: Passing, subject: PassedOn, value: Value):
    """Where one entry alone was multiplied, the local derivative is what came of it, divided by it.

    True of every derivative, which is linear; not of a backward that the program wrote itself.
    """
    node, nodes = subject.node, trace.nodes
    name = trace.strings[nodes.name[node]]
    formula = formulas(name, len(nodes.edges[node]), nodes.user_code[node])[subject.edge]
    gradient, amount = passing.gradient(node), entry_at(value, subject.place)
    if gradient is None or amount is None or formula.kind == "own" or isinstance(amount, complex):
        return None
    one, stem = math.prod(gradient.shape) == 1, stem_of(name)
    same = stem in _ENTRYWISE and gradient.shape == value.shape
    same = same or (stem in _RESHAPED and math.prod(gradient.shape) == math.prod(value.shape))
    if not one and not same:
        return None
    output = next((k for k, found in enumerate(passing.gradients[node]) if found >= 0), 0)
    return node, output, _alone(gradient, np.array([0 if one else subject.place]), amount)


def _unproven(trace: Trace, passing: Passing, subject: PassedOn, step: DerivationStep) -> DerivationStep:
    """Of a node whose factors are not told: where to go on, and why they are not."""
    node = subject.node
    output = next((k for k, one in enumerate(passing.gradients[node]) if one >= 0), 0)
    gradient = gradient_at(trace, subject.backward, node, output)
    own = trace.nodes.user_code[node]
    said = mention_of(trace, passing, node, output)
    values: dict[str, str | int] = {"node": trace.strings[trace.nodes.name[node]]}
    many = gradient is not None and math.prod(gradient.shape) > 1
    note = (
        ("own-many" if many else "own")
        if own
        else "not-kept"
        if gradient is not None and gradient.data is None
        else "no-factors"
    )
    if gradient is None:
        return replace(step, note=note, values=values)
    place = telling_place(gradient)
    below = Arrived(subject.backward, node, output, place)
    term = Term("from", entry_at(gradient, place), said, "", (), below, ("", 0), _line(trace, node))
    return replace(step, terms=(term,), adds=False, note=note, values=values)


def view_of(trace: Trace, operation: int) -> OperationView:
    """The map of a call from entries to entries, kept with the Trace."""
    return trace.index.once(("why call", operation), lambda: operation_view(trace, operation))


def _told(step: DerivationStep, parts: Iterable[Term]) -> DerivationStep:
    """A step with its parts, the largest first; of many the smaller ones are counted and added."""
    ordered = sorted(parts, key=lambda term: -size_of(term.amount))
    kept, left = ordered[:MOST], ordered[MOST:]
    rest = sum(term.amount for term in left if term.amount is not None)
    return replace(step, terms=tuple(kept), left=len(left), rest=rest)


def _role(trace: Trace, node: int, edge: int) -> tuple[str, int]:
    """Which input of a node an edge is, where another edge leads to the same tensor."""
    nodes = trace.nodes
    edges = list(zip(nodes.edges[node], nodes.edge_inputs[node], strict=True))
    return (trace.strings[nodes.name[node]], edge) if edges.count(edges[edge]) > 1 else ("", 0)


def _line(trace: Trace, node: int) -> int:
    operation = trace.nodes.operation[node]
    return trace.line(trace.operations.span[operation]) if operation >= 0 else 0


def _index(value: Value | None, place: int) -> str:
    """[1, 2] of a tensor with several entries, otherwise ""."""
    if value is None or place < 0 or math.prod(value.shape) == 1:
        return ""
    return index_text(index_at(place, value.shape))
