"""Derive gradients that arrived at outputs or passed over edges.

Well-known formulas (cross entropy, norms) are shown only if they give what torch passed on.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from msgspec.structs import replace

from explorer.analysis.explain.autograd.altered_gradients import altered_outputs
from explorer.analysis.explain.autograd.edge_gradients import EdgeGradients, is_complex
from explorer.analysis.explain.autograd.entry_texts import place_text
from explorer.analysis.explain.autograd.gradients import output_gradient
from explorer.analysis.explain.autograd.graph import unfolded_view
from explorer.analysis.explain.autograd.inspection import edge_gradients_of
from explorer.analysis.explain.autograd.operands import Mention
from explorer.analysis.explain.autograd.zero_gradients import is_subnormal
from explorer.analysis.explain.why.derivation_steps import (
    MOST,
    Arrived,
    DerivationStep,
    PassedOn,
    Term,
    begin_step,
    entry_at,
    largest_first,
    note,
    size_of,
)
from explorer.analysis.explain.why.factors import products_of
from explorer.analysis.run.operations import stem_of
from explorer.analysis.run.operations.norms import norm_lines
from explorer.analysis.run.rounding import adds_up, agrees
from explorer.text import Message
from explorer.text.numbers import in_brackets, number, written_equation
from explorer.trace import Number, Trace, Value, index_at


def closed_form(passing: EdgeGradients, subject: PassedOn, step: DerivationStep) -> Message | None:
    """Return the closed form of a gradient, None if unknown or not confirmed."""
    stem = stem_of(passing.run.node(subject.node).name)
    try:
        if stem == "LogSoftmax":
            return _entropy(passing, subject, step)
        if stem in ("NativeLayerNorm", "NativeBatchNorm", "NativeGroupNorm") and subject.edge == 0:
            return _norm(passing, subject, stem, step)
    except (KeyError, ValueError, IndexError, TypeError, ArithmeticError):  # a named operand is unavailable
        return None
    return None


def _entropy(passing: EdgeGradients, subject: PassedOn, step: DerivationStep) -> Message | None:
    """Write cross entropy's gradient by a score."""
    run, readers = passing.run, passing.into.get((subject.node, 0), ())
    if len(readers) != 1 or len(step.terms) != 1 or not step.terms[0].factors:
        return None
    loss = run.node(readers[0][0])
    if stem_of(loss.name) != "NllLoss" or loss.call is not run.node(subject.node).call:
        return None
    logs, given = passing.known(subject.node)[1][2]["result"], passing.known(loss.id)[1][2]
    labels, weight, reduction = np.atleast_1d(given["target"]).astype(int), given.get("weight"), int(given["reduction"])
    rows = logs.reshape(len(labels), -1)
    row, column = divmod(subject.place, rows.shape[1])
    label, factor = int(labels[row]), step.terms[0].factors[1]
    if label == int(given["ignore_index"]) or isinstance(factor, complex):
        return None
    share, total = math.exp(rows[row, column]), float(given["total_weight"]) if reduction == 1 else 1.0
    own = 1.0 if weight is None else float(weight[label])

    def computed(parts: list[Number]) -> Number:
        return (parts[0] - (column == label)) * own / total

    if not agrees(computed([share]), factor):
        return None
    equation = written_equation(computed, [share], factor)
    where = f"softmax({step.mention.word})"
    texts = [
        _scaled(f"{written} − 1" if column == label else written, weight is not None, own, total, i > 0)
        for i, written in enumerate((where + step.index, equation.operands[0]))
    ]
    values = {"factor": equation.result, "expression": texts[0], "numbers": equation.about + texts[1]}
    kind = "entropy-label" if column == label else "entropy-other"
    return note(kind, **values, label=label, row=row, rows=len(labels))


def _scaled(text: str, weighted: bool, own: float, total: float, in_numbers: bool) -> str:
    """Write (p − 1) · weight / n."""
    inner = f"({text})" if " − " in text and (weighted or total != 1) else text
    if weighted:
        inner += f" · {number(own)}" if in_numbers else " · weight"
    return f"{inner} / {number(total)}" if total != 1 else inner


def _norm(passing: EdgeGradients, subject: PassedOn, stem: str, step: DerivationStep) -> Message | None:
    """Write (g − mean(g) − x̂ · mean(g · x̂)) / σ with numbers."""
    arrays, amount = passing.known(subject.node)[1][2], step.amount
    if amount is None or isinstance(amount, complex):
        return None
    weighted = arrays.get("weight") is not None
    if stem == "NativeBatchNorm" and not bool(arrays["training"]):
        return _eval(arrays, subject, step, weighted)
    g, normal, rstd, axes = norm_lines(stem, arrays)
    means = np.mean(g, axes, keepdims=True), np.mean(g * normal, axes, keepdims=True)
    terms = (g, *means, normal, 1 / rstd)
    parts = [float(np.broadcast_to(term, g.shape).reshape(-1)[subject.place]) for term in terms]

    def computed(p: Sequence[Number]) -> Number:
        return (p[0] - p[1] - p[3] * p[2]) / p[4]

    if not agrees(computed(parts), amount):
        return None
    equation = written_equation(computed, parts, amount)
    entry, mean, product, normal_entry, deviation = in_brackets(equation.operands)
    numbers = f"{equation.about}({entry} − {mean} − {normal_entry} · {product}) / {deviation}"
    return note("norm", numbers=numbers, weighted="yes" if weighted else "no")


def _eval(arrays: dict[str, np.ndarray], subject: PassedOn, step: DerivationStep, weighted: bool) -> Message | None:
    shape = step.shape
    channel = index_at(subject.place, shape)[1]
    variance, eps = float(arrays["running_var"][channel]), float(arrays["eps"])
    own = float(arrays["weight"][channel]) if weighted else 1.0
    if len(step.terms) != 1 or len(step.terms[0].factors) != 2:
        return None
    factor = step.terms[0].factors[1]
    if isinstance(factor, complex) or not agrees(own / math.sqrt(variance + eps), factor):
        return None
    equation = written_equation(lambda p: p[0] / math.sqrt(p[1].real + eps), [own, variance], factor)
    numbers = f"{equation.about}{equation.operands[0]} / √({equation.operands[1]} + {number(eps)})"
    return note("norm-eval", factor=equation.result, numbers=numbers, weighted="yes" if weighted else "no")


def edge_gradients_in(trace: Trace, backward: int) -> EdgeGradients:
    """Return the edges of a backward in the program's words, cached with the Trace."""
    return edge_gradients_of(trace, unfolded_view(trace, backward))


def arrived(trace: Trace, subject: Arrived) -> DerivationStep:
    """List a gradient's summands: consumers' contributions and the starting gradient."""
    passing, (node, output) = edge_gradients_in(trace, subject.backward), (subject.node, subject.output)
    value = output_gradient(trace, subject.backward, node, output)
    step = begin_step(subject, "gradient", mention_of(passing, node, output), value)
    step = replace(step, line=passing.run.node(node).line, node=node, tensor=trace.nodes.variable[node])
    if value is None or step.amount is None:
        return replace(step, note=note("unknown"))
    parts = [*_starts(trace, subject), *_through(passing, subject, value)]
    if any(part.amount is None for part in parts):
        return replace(step, note=note("unknown-parts"))
    parts = [part for part in parts if part.amount != 0] or parts[:1]
    total, amounts = step.amount, [part.amount for part in parts if part.amount is not None]
    if not adds_up(amounts, total, value.dtype):
        hooked = (node, output) in altered_outputs(trace, subject.backward)
        if not hooked:
            return replace(step, note=note("unknown-parts"))
        given = number(sum(amounts))
        return _with_parts(replace(step, adds=False, note=note("hooked", word=step.mention.word, sum=given)), parts)
    if len(parts) == 1 and isinstance(parts[0].subject, PassedOn):
        single = passed_on(trace, parts[0].subject)
        only = single.terms[0] if single.terms else None
        if only is None or only.kind == "from":  # unknown factors
            through = replace(parts[0], subject=None if only is None else only.subject)
            return replace(step, terms=(through,), note=single.note)
        return replace(step, terms=single.terms, left=single.left, rest=single.rest, note=single.note)
    return _with_parts(step, parts)


def passed_on(trace: Trace, subject: PassedOn) -> DerivationStep:
    """Derive a passed gradient: the result's gradient times the local derivative, by entry."""
    passing = edge_gradients_in(trace, subject.backward)
    nodes, node = trace.nodes, subject.node
    target, output = nodes.edges[node][subject.edge], nodes.edge_inputs[node][subject.edge]
    value = trace.value(passing.passed.get((node, subject.edge), -1))
    step = begin_step(subject, "passed", mention_of(passing, target, output), value)
    step = replace(step, line=passing.run.node(node).line, node=node)
    if value is None or step.amount is None:
        return replace(step, note=note("unknown"))
    products = products_of(passing, subject, value)
    if products is None:
        return _unproven(passing, subject, step)
    role, terms = _role(trace, node, subject.edge), list[Term]()
    mentions = {of: mention_of(passing, *of) for of in {one[:2] for one in products.products}}
    for above, output, place, g, factor in products.products:
        below, mention = Arrived(subject.backward, above, output, place), mentions[above, output]
        whole = output_gradient(trace, subject.backward, above, output)
        index = "" if whole is None else place_text(whole.shape, place)
        line = passing.run.node(above).line
        terms.append(Term("product", g * factor, mention, index, (g, factor), below, role, line))
    telling = [term for term in terms if term.amount != 0] or terms[:1]
    step = _with_parts(step, telling, products.left, products.rest)
    if step.amount:
        return replace(step, note=closed_form(passing, subject, step))
    if not is_subnormal(value.dtype, max((size_of(term.amount) for term in step.terms), default=0.0)):
        return step
    kept = tuple(replace(term, amount=step.amount) for term in step.terms)  # rounded to the dtype
    return replace(step, terms=kept, note=note("underflow", dtype=value.dtype))


def mention_of(passing: EdgeGradients, node: int, output: int) -> Mention:
    """Return an output of a node as a Mention."""
    operands, is_leaf = passing.operands, passing.run.node(node).leaf is not None
    word = operands.word_of_node(node, -1) if is_leaf else operands.word_of_output(node, output)
    return operands.mention(node, output, word or operands.word_of_result(node))


def _starts(trace: Trace, subject: Arrived) -> list[Term]:
    """Return the starting gradients that the backward gave directly to this output."""
    call, terms = trace.backwards[subject.backward], []
    for position, root in enumerate(call.roots):
        if root != subject.node or position >= len(call.seeds):
            continue
        tensor = call.root_tensors[position] if position < len(call.root_tensors) else -1
        rows = trace.versions_of(tensor) if tensor >= 0 else ()
        output = next((max(trace.versions.output[row], 0) for row in rows if trace.versions.node[row] == root), 0)
        if output == subject.output:
            amount = entry_at(trace.value(call.seeds[position]), subject.place)
            line = 0 if call.kind == "implicit" else trace.line(call.span)
            terms.append(Term("start", amount, Mention("", "start"), line=line))
    return terms


def _through(passing: EdgeGradients, subject: Arrived, total: Value) -> list[Term]:
    """Return a part for each edge into this output."""
    trace, terms = passing.trace, []
    edges = passing.into.get((subject.node, subject.output), ())
    for node, edge, value in edges:
        sent_value = trace.value(value)
        same = sent_value is not None and sent_value.shape == total.shape
        amount = entry_at(sent_value, subject.place) if same else None
        below = PassedOn(subject.backward, node, edge, subject.place)
        mention = mention_of(passing, node, 0)
        line, role = passing.run.node(node).line, _role(trace, node, edge)
        terms.append(Term("through", amount, mention, "", (), below, role, line))
    if len(edges) < 2:
        return terms
    terms.sort(key=lambda term: -size_of(term.amount))
    return [_shortcut(trace, term) for term in terms[:MOST]] + terms[MOST:]


def _shortcut(trace: Trace, term: Term) -> Term:
    """Expand a single-product part into its factors, and unfold to the multiplied gradient."""
    assert isinstance(term.subject, PassedOn)
    step = passed_on(trace, term.subject)
    if len(step.terms) == 1 and not step.left and step.terms[0].kind == "product":
        only = step.terms[0]
        return replace(term, mention=only.mention, index=only.index, factors=only.factors, subject=only.subject)
    return term


def _unproven(passing: EdgeGradients, subject: PassedOn, step: DerivationStep) -> DerivationStep:
    """Explain why a node's factors are unknown."""
    trace, node, sender = passing.trace, subject.node, passing.run.node(subject.node)
    output = next((k for k, value_id in enumerate(passing.gradients[node]) if value_id >= 0), 0)
    gradient, own = output_gradient(trace, subject.backward, node, output), sender.is_own
    alone = passing.by_torch(node, subject.edge)
    values: dict[str, str | Message] = {"node": sender.name}
    # A second run recorded every factor, and entries of a nested tensor cannot be read.
    sampled = gradient is not None and gradient.data is None and gradient.sample and not trace.asked.value
    turned = gradient is not None and is_complex(gradient)
    kind = "own" if own else "complex" if turned else "not-kept" if sampled else "no-factors"
    if alone is not None and passing.contradicts(node, subject.edge):
        amount = number(alone.reshape(-1)[subject.place].item(), True)
        kind, values["changed"] = "changed", Message("formula-changed", {"amount": amount})
    elif step.amount == 0 and not own and (gradient is None or not any(gradient.data or (1,))):
        kind = "zero"
    if step.amount == 0 or gradient is None or math.prod(gradient.shape) > 1:
        return replace(step, note=note(kind, **values))
    text, below = mention_of(passing, node, output), Arrived(subject.backward, node, output, 0)
    term = Term("from", entry_at(gradient, 0), text, "", (), below, ("", 0), sender.line)
    return replace(step, terms=(term,), adds=False, note=note(kind, **values))


def _with_parts(step: DerivationStep, parts: Iterable[Term], others: int = 0, rest: Number = 0) -> DerivationStep:
    """Add the largest parts to a step, and sum the others."""
    return largest_first(step, sorted(parts, key=lambda term: -size_of(term.amount)), others, rest)


def _role(trace: Trace, node: int, edge: int) -> tuple[str, int]:
    """Return an edge's input role, if another edge leads to the same tensor."""
    nodes = trace.nodes
    edges = list(zip(nodes.edges[node], nodes.edge_inputs[node], strict=True))
    return (trace.strings[nodes.name[node]], edge) if edges.count(edges[edge]) > 1 else ("", 0)
