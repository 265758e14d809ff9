"""Derivation steps about values: operation, equation and entries read, or a loss term's inputs."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from itertools import chain, islice

import numpy as np
from msgspec.structs import replace

from explorer.analysis.explain.autograd.entry_texts import index_text, place_of, place_text
from explorer.analysis.explain.autograd.gradients import arrivals_of, selected_backward
from explorer.analysis.explain.autograd.node_formulas import atom
from explorer.analysis.explain.autograd.operands import Mention, rounds_of
from explorer.analysis.explain.entries.entry_arithmetic import (
    TERMS,
    factors_of,
    is_too_small,
    largest,
    made_words,
    summands,
)
from explorer.analysis.explain.entries.operation_view import OperationView
from explorer.analysis.explain.why.arrivals import edge_gradients_in
from explorer.analysis.explain.why.derivation_steps import (
    MOST,
    REST,
    Arrived,
    DerivationStep,
    LossTerm,
    Stored,
    Subject,
    Term,
    ValueOf,
    begin_step,
    entry_at,
    largest_first,
    note,
)
from explorer.analysis.explain.why.factors import view_of
from explorer.analysis.explain.why.leaf_history import tapes
from explorer.analysis.explain.why.loss_sums import (
    Loss,
    ignored_label,
    index_of_term,
    is_plain,
    loss_step,
    losses_of,
    of_classes,
)
from explorer.analysis.run.model import one_line, run_of
from explorer.analysis.run.names import is_step, name_of
from explorer.analysis.run.operations import operation_of, overwrites
from explorer.analysis.run.operations.call import CallPart, OperationCall, Reading, calls_of
from explorer.analysis.run.operations.rules import norm_parts, terms_of
from explorer.analysis.run.rounding import EPS
from explorer.text import Message
from explorer.text.numbers import (
    DIGITS,
    Write,
    approx,
    are_exact,
    digits_of_all,
    in_brackets,
    in_full,
    number,
    rounded,
    shorten,
    written_equation,
)
from explorer.trace import Number, Trace, index_at


def normal_words(reading: Reading, numbers: list[np.ndarray], entry: int, made: float) -> str:
    """Write (2 − 0.5) / √(1.25 + 1e−5) · 3 + 1."""
    constants = dict(reading.constants)
    parts = norm_parts(terms_of(reading.picked(np.array([entry])), numbers), constants)

    def computed(quantities: Sequence[Number]) -> float:
        a, m, v, w, b = (float(quantity.real) for quantity in quantities)
        return (a - m) / math.sqrt(v + constants["eps"]) * w + b

    equation = written_equation(computed, [part.item() for part in parts], made)
    shown = in_brackets(equation.operands)
    text = f"{equation.about}({shown[0]} − {shown[1]}) / √({shown[2]} + {number(constants['eps'])})"
    text += f" · {shown[3]}" if "weight" in constants else ""
    return text + (f" + {shown[4]}" if "bias" in constants else "")


CELLS = 40  # longest expression


def value_step(trace: Trace, subject: ValueOf) -> DerivationStep:
    """Derive an entry of a tensor at one of its versions."""
    tensor, versions = trace.index.tensor_of(subject.row), trace.versions
    value, operation, mention = (
        trace.value_at(subject.row),
        versions.operation[subject.row],
        mention_of_row(trace, subject.row),
    )
    step = begin_step(subject, "value", mention, value)
    step = replace(step, line=mention.line, node=versions.node[subject.row], tensor=tensor)
    if step.amount is None:
        return replace(step, note=note("empty" if 0 in step.shape else "no-value"))
    leaf = tapes(trace).gradient_of.get(tensor)
    named_grad = operation >= 0 and trace.strings[trace.operations.name[operation]] == "grad"
    if leaf is not None and (operation < 0 or named_grad):
        return replace(step, note=note("is-grad", grad=_grad_of(trace, leaf)))
    if named_grad:  # torch.autograd.grad: its backward explains the rest
        return _of_grad_call(trace, step, operation)
    if operation < 0:
        if subject.row != trace.versions_of(tensor)[0]:
            return replace(step, note=note("unseen"))
        return replace(step, note=note("unmade"))  # created by a constructor, by torch.func, or before the recording
    text = shorten(one_line(trace.text(trace.operations.span[operation])), CELLS)
    if not _touches(trace, operation, tensor):
        before = _row_that_made(trace, subject, tensor, step.amount)
        if before != subject.row:
            return value_step(trace, ValueOf(before, subject.place))
        return replace(step, note=note("shared", text=text))
    name = trace.strings[trace.operations.name[operation]]
    drawn = operation_of(name).draws
    if not trace.operations.inputs[operation]:
        return replace(step, note=note("drawn" if drawn else "made", text=text))
    if drawn and overwrites(name):
        return replace(step, note=note("drawn", text=text))
    if tapes(trace).stepping(operation):
        return _of_optimizer(trace, step, operation, text)
    if operation in losses_of(trace):
        only = LossTerm(operation, 0)
        return loss_step(trace, step, operation) or _of_term(trace, step, only)
    return _of_operation(trace, step, _view(trace, operation))


def _of_optimizer(trace: Trace, step: DerivationStep, operation: int, text: str) -> DerivationStep:
    """Derive an optimizer's result: entry and gradient before, and plain SGD's equation."""
    assert isinstance(step.subject, ValueOf)
    call, leaves = calls_of(trace, operation)[0], tapes(trace).gradient_of
    own = [part for part in call.operands if part.tensor == step.tensor]
    read = [*own, *(part for part in call.operands if leaves.get(part.tensor) == step.tensor)]
    if len(read) != 2:
        return replace(step, note=_made_by(text))
    read = [_named(trace, part) for part in read]
    terms = [read_term(trace, call, part, step.subject.place) for part in read]
    last = next((one for one in reversed(run_of(trace).log_of("step")) if one.operations <= operation), None)
    rate, kind = None if last is None else last.value, call.name.removesuffix(".step")
    words = {"optimizer": kind, "rate": "" if rate is None else number(rate), "rated": "no" if rate is None else "yes"}
    known = tuple(term for term in terms if term.amount is not None)
    sentence = note("step", **words) if len(known) == 2 else note("operands-large")
    step = replace(step, terms=known, adds=False, note=sentence)
    before, slope = (term.amount for term in terms)
    if kind != "SGD" or before is None or slope is None or step.amount is None or rate is None:
        return step
    # In half precision, momentum or decay could pass for rounding.
    distance = EPS[own[0].dtype] if own[0].dtype in ("float64", "float32") else 0.0
    allowed = 2 * distance * max(abs(before), abs(rate * slope))
    if not abs(_descended((before, rate, slope)) - step.amount) <= allowed:  # momentum, decay, or an ascent
        return step
    equation = written_equation(_descended, (before, rate, slope), step.amount)
    shown = in_brackets(equation.operands)
    entries = [_entry(part.word, step.index) for part in read]
    in_words = f"{entries[0]} − {words['rate']} · {entries[1]}"
    in_numbers = f"{equation.about}{shown[0]} − {shown[1]} · {shown[2]}"
    return replace(step, equation=(in_words, in_numbers), note=note("step-sgd"))


def _descended(numbers: Sequence[Number]) -> Number:
    before, rate, slope = numbers
    return before - rate * slope


def _made_by(text: str) -> Message:
    return note("made", text=shorten(one_line(text), CELLS))


def _touches(trace: Trace, operation: int, tensor: int) -> bool:
    """Return whether an operation read or created a tensor rather than only its memory."""
    return tensor in trace.operations.inputs[operation] or tensor in trace.operations.outputs[operation]


def _row_that_made(trace: Trace, subject: ValueOf, tensor: int, amount: object) -> int:
    """Return the version in which an entry got its number."""
    row, first = subject.row, trace.versions_of(tensor)[0]
    while row > first:
        operation = trace.versions.operation[row]
        if operation < 0 or _touches(trace, operation, tensor):
            break
        if entry_at(trace.value_at(row - 1), subject.place) != amount:
            break
        row -= 1
    return row


def _of_grad_call(trace: Trace, step: DerivationStep, operation: int) -> DerivationStep:
    """Return the result of `torch.autograd.grad`: the gradient that arrived in its backward."""
    assert isinstance(step.subject, ValueOf)
    outputs = trace.operations.outputs[operation]
    span, position = trace.operations.span[operation], outputs.index(step.tensor) if step.tensor in outputs else -1
    call = next(
        (i for i, backward in enumerate(trace.backwards) if backward.kind == "grad" and backward.span == span >= 0), -1
    )
    several = sum(backward.kind == "grad" and backward.span == span for backward in trace.backwards) > 1
    step = replace(step, note=_made_by(trace.text(span)))
    inputs = trace.backwards[call].inputs if call >= 0 else []
    if several or not 0 <= position < len(inputs):
        return step
    for node, output, value in arrivals_of(trace, inputs[position], call):
        if entry_at(value, step.subject.place) == step.amount:
            below = Arrived(call, node, output, step.subject.place)
            mention = mention_of_row(trace, trace.versions_of(inputs[position])[-1])
            term = Term("from", step.amount, mention, step.index, (), below)
            return replace(step, terms=(term,), adds=False)
    return step


def _view(trace: Trace, operation: int) -> OperationView:
    """Return a call's entry map, naming tensors that were `.grad`."""
    view = view_of(trace, operation)
    return dataclasses.replace(view, operands=tuple(map(lambda part: _named(trace, part), view.operands)))


def _named(trace: Trace, part: CallPart) -> CallPart:
    """Name a `.grad` tensor, or one inside a module."""
    leaf = tapes(trace).gradient_of.get(part.tensor)
    if leaf is not None:
        return dataclasses.replace(part, word=_grad_of(trace, leaf))
    operation = trace.versions.operation[part.version] if part.version >= 0 else -1
    inside = operation >= 0 and trace.string(trace.operations.module[operation])
    if inside and not name_of(run_of(trace), part.tensor):
        return dataclasses.replace(part, word=mention_of_row(trace, part.version).word)
    return part


def _called(trace: Trace) -> Mapping[int, str]:
    """Return the picture's words for steps inside modules."""
    backward = selected_backward(trace)
    return {} if backward is None else edge_gradients_in(trace, backward).operands.called


def _grad_of(trace: Trace, leaf: int) -> str:
    return f"{name_of(run_of(trace), leaf) or '·'}.grad"


def mention_of_row(trace: Trace, row: int) -> Mention:
    """Return a version of a tensor as a Mention."""
    tensor, operation = trace.index.tensor_of(row), trace.versions.operation[row]
    run = run_of(trace)
    word = name_of(run, tensor)
    columns = trace.operations
    if not word and operation >= 0:
        module, word = trace.string(columns.module[operation]), one_line(run.text(operation))
        if module:
            is_own = f"{run.names[operation]}(" in word or not word.endswith(")")  # not the module's call
            word = _called(trace).get(operation) or (word if is_own else f"{module}(…)")
        elif is_step(run, operation):
            word = f"{run.names[operation]}(…)"
    loops = rounds_of(trace, operation) if operation >= 0 else ()
    line = trace.line(columns.span[operation]) if operation >= 0 else 0
    over = operation >= 0 and row != trace.versions_of(tensor)[0] and not _as_it_is_made(trace, row)
    if over and not name_of(run, tensor):  # for a view without a name, the expression that made it
        word = one_line(run.text(trace.versions.operation[trace.versions_of(tensor)[0]]))
    word, round_ = shorten(word or "·", CELLS), loops[-1] if loops else 0
    return Mention(word, row, operation, line, round_, loops[:-1], "written" if over else "")


def _as_it_is_made(trace: Trace, row: int) -> bool:
    """Return whether a version was written on the line that created the tensor, as in initialization."""
    operations, now, before = trace.operations, trace.versions.operation[row], trace.versions.operation[row - 1]
    if before < 0:
        return trace.tensors.is_parameter[trace.index.tensor_of(row)]
    if operations.iteration[now] != operations.iteration[before]:
        return False
    return trace.line(operations.span[now]) == trace.line(operations.span[before])


def _of_operation(trace: Trace, step: DerivationStep, view: OperationView) -> DerivationStep:
    assert isinstance(step.subject, ValueOf)
    row, place = step.subject.row, step.subject.place
    number, made = next(
        ((i, outcome) for i, outcome in enumerate(view.outcomes) if outcome.part.version == row), (-1, None)
    )
    if made is None or made.reading is None or made.reading.rule == "cross_entropy":
        return replace(step, terms=tuple(_whole(trace, view, step)), adds=False, note=_made_by(view.text))
    reading = made.reading
    step = _with_equation(step, view, number, place)
    read: list[Term] = []
    seen: set[tuple[int, int]] = set()
    for column in range(reading.reads[0].shape[1] if reading.reads else 0):
        for k in range(len(reading.reads)):
            at = int(reading.reads[k][place, column])
            part = view.operands[k]
            if at >= 0 and part.tensor >= 0 and (part.version, at) not in seen and _wins(step, view, number, k, at):
                seen.add((part.version, at))
                read.append(read_term(trace, view.call, part, at))
    terms = [term for term in read if term.amount is not None]
    if len(terms) < len(read):
        step = replace(step, note=note("operands-large"))
    return replace(largest_first(step, terms), adds=False, rest=0)


def _wins(step: DerivationStep, view: OperationView, number: int, k: int, at: int) -> bool:
    """Return whether an entry won a max or min."""
    reading, entry = view.outcomes[number].reading, entry_at(view.operands[k].value, at)
    if reading is None or entry is None:
        return True
    if reading.rule == "norm" and abs(dict(reading.constants)["p"]) == math.inf:
        return bool(abs(entry) == step.amount)
    if reading.rule not in ("max", "min", "maximum", "minimum"):
        return True
    return bool(entry == step.amount) or step.amount != step.amount


def _with_equation(step: DerivationStep, view: OperationView, number: int, place: int) -> DerivationStep:
    """Add the equation in words and numbers. A long sum shows its largest summands."""
    source, reading = view.operands[0], view.outcomes[number].reading
    own = view.call.in_place and source.tensor == step.tensor
    copied = reading is not None and reading.rule == "copy" and 0 in reading.sources
    if own and copied and reading is not None and reading.reads[0][place, 0] == place:
        return replace(step, note=note("left-as-was", line=view.line))
    if reading is not None and reading.rule == "normalised":
        return _of_norm(step, view, reading, place)
    where, numbers, sign = made_words(view, number, place)
    terms = summands(view, number, place) or []
    if len(terms) > TERMS:
        shown = largest([size for _, size in terms], TERMS - 1)
        digits, sign, write = _precision(step, view, number, place, shown)
        terms = summands(view, number, place, (digits, write)) or terms
        text = " + ".join(in_brackets(terms[i][0] for i in shown))
        reading = view.outcomes[number].reading
        mean = reading is not None and reading.rule == "mean"
        numbers = f"({text} + {REST}) / {len(terms)}" if mean else f"{text} + {REST}"
        rest = sum(size for i, (_, size) in enumerate(terms) if i not in shown)
        step = replace(step, hidden=len(terms) - len(shown), hidden_sum=write(rest, False, digits))
    if step.amount == 0 and where and is_too_small(view, number, place):
        where, sign = approx("≈") + where, "="
        step = replace(step, note=note("underflow", dtype=view.outcomes[number].part.dtype))
    numbers = numbers and approx(sign) + numbers
    return replace(step, equation=tuple(part for part in (where, numbers) if part))


def _precision(
    step: DerivationStep, view: OperationView, outcome: int, place: int, shown: list[int]
) -> tuple[int, str, Write]:
    """Find one precision with which all summands add up: digits, = or ≈, and the function that writes them."""
    terms, reading = summands(view, outcome, place) or [], view.outcomes[outcome].reading
    if reading is None or step.amount is None or isinstance(step.amount, complex):
        return DIGITS, "=", number
    total = step.amount * len(terms) if reading.rule == "mean" else step.amount
    every = factors_of(view, outcome, place)
    factors, rest = [every[i] for i in shown], sum(size for i, (_, size) in enumerate(terms) if i not in shown)

    def added(entries: Sequence[Number]) -> Number:
        left = iter(entries)
        return sum(math.prod(islice(left, len(some))) for some in factors) + next(left)

    operands = [*chain.from_iterable(factors), rest]
    is_exact = reading.rule == "products" or are_exact([*operands, step.amount])
    exact = [is_exact] * len(operands)
    return *digits_of_all([(added, operands, total)], exact=exact), number if is_exact else rounded


def _of_norm(step: DerivationStep, view: OperationView, reading: Reading, place: int) -> DerivationStep:
    """Derive a norm's entry: the formula in words and with numbers."""
    numbers = [part.numbers for part in view.operands]
    arrays = [flat for flat in numbers if flat is not None]
    if len(arrays) < len(numbers) or step.amount is None or isinstance(step.amount, complex):
        return replace(step, note=_made_by(view.text))
    sentence = normal_words(reading, arrays, place, float(step.amount))
    return replace(step, equation=(sentence,), note=note("normalised"))


def _whole(trace: Trace, view: OperationView, step: DerivationStep) -> list[Term]:
    """Return inputs that a call certainly read although its entries are not listed.

    These are single numbers, and for an entrywise function the entry at the same position.
    """
    assert isinstance(step.subject, ValueOf)
    terms: dict[int, Term] = {}
    for part in view.call.operands if len(view.call.results) < 2 and not view.call.name.startswith("_") else ():
        if part.version < 0 or part.version in terms or len(terms) >= MOST:
            continue
        if math.prod(part.shape) == 1:
            terms[part.version] = read_term(trace, view.call, part, 0)
        elif part.shape == step.shape and operation_of(view.call.name).entrywise:
            terms[part.version] = read_term(trace, view.call, part, step.subject.place)
    return list(terms.values())


def read_term(trace: Trace, call: OperationCall, part: CallPart, place: int) -> Term:
    """Return an entry that a call read, as a part of its result."""
    operation = call.operation
    leaf = tapes(trace).gradient_of.get(part.tensor)
    below: Subject = ValueOf(part.version, place) if leaf is None else Stored(leaf, place, operation)
    mention = replace(mention_of_row(trace, part.version), word=part.word or "·")
    amount = entry_at(part.value, place)
    return Term("read", amount, mention, place_text(part.shape, place), (), below, ("", 0), mention.line)


_NOTATION = {"mse_loss": "({0} − {1})²", "l1_loss": "|{0} − {1}|"}


def loss_term_step(trace: Trace, subject: LossTerm) -> DerivationStep:
    """Derive one term of a loss and its recorded inputs."""
    loss, call = losses_of(trace)[subject.operation], calls_of(trace, subject.operation)[0]
    amount = next((amount for place, amount, _ in loss.terms if place == subject.place), None)
    line = trace.line(trace.operations.span[subject.operation])
    mention = mention_of_row(trace, call.results[0].version)
    step = DerivationStep(subject, "value", amount, mention, index_of_term(loss, subject.place), line=line)
    return replace(step, note=note("term-not-kept")) if amount is None else _of_term(trace, step, subject)


def _of_term(trace: Trace, step: DerivationStep, subject: LossTerm) -> DerivationStep:
    """Add a loss term's equation and inputs to a step."""
    loss, call = losses_of(trace)[subject.operation], calls_of(trace, subject.operation)[0]
    parts, settings = call.operands, _settings(call)
    label = next((label for place, _, label in loss.terms if place == subject.place), -1)
    if label >= 0 and of_classes(call):
        return _labelled(trace, step, call, loss, subject.place, label)
    if len(parts) != 2 or settings is None or any(tuple(part.shape) != loss.shape for part in parts):
        return replace(step, note=note("made", text=one_line(run_of(trace).text(subject.operation))))
    words = [_entry(part.word, index_of_term(loss, subject.place)) for part in parts]
    pattern = _NOTATION.get(call.name, f"{call.name}({{0}}, {{1}}{settings})")
    equation = [pattern.format(*words)]
    numbers = [one for part in parts if isinstance(one := entry_at(part.value, subject.place), float | int)]
    if call.name in _NOTATION and len(numbers) == 2 and step.amount is not None:
        power = 2 if call.name == "mse_loss" else 1
        made = written_equation(lambda pair: abs(pair[0] - pair[1]) ** power, numbers, step.amount)
        equation.append(made.about + pattern.format(*in_brackets(made.operands)))
    terms = [read_term(trace, call, part, subject.place) for part in parts]
    return replace(step, equation=tuple(equation), terms=tuple(t for t in terms if t.amount is not None), adds=False)


_OF_ALL = ("input", "target", "reduction", "size_average", "reduce")  # don't change a term, or are operands


def _settings(call: OperationCall) -> str | None:
    """Write a loss's named settings, such as ", delta=1.5"."""
    if len(call.arguments.positional) > 2:
        return None
    text = ""
    for name, value in call.arguments.named.items():
        if name in _OF_ALL or value is None:
            continue
        if not isinstance(value, int | float):
            return None
        text += f", {name}={value if isinstance(value, bool) else in_full(value)}"
    return text


def _entry(word: str, index: str) -> str:
    """Return an entry of an expression: (b + 1)[0]."""
    return (atom(word) if word and index else word or "·") + index


def _labelled(
    trace: Trace, step: DerivationStep, call: OperationCall, loss: Loss, place: int, label: int
) -> DerivationStep:
    """Derive a row of a class loss: its score at the label."""
    scores, at = call.operands[0], list(index_at(place, loss.shape))
    if label == ignored_label(call):
        return replace(step, note=note("row-ignored", label=label))
    step = replace(step, note=note("row", label=label))
    axis = 1 if len(scores.shape) > 1 else 0
    index = [*at[:axis], label, *at[axis:]]
    if len(index) != len(scores.shape) or not all(0 <= i < size for i, size in zip(index, scores.shape, strict=True)):
        return step
    if is_plain(call):
        row = _entry(scores.word, index_of_term(loss, place) if axis and len(scores.shape) == 2 else "")
        its = f"[{label}]" if len(scores.shape) <= 2 else index_text(tuple(index))
        row = f"log softmax({row})" if call.name == "cross_entropy" else _entry(row, its)[: -len(its)]
        step = replace(step, equation=(f"−{row}{its}",))
    term = read_term(trace, call, scores, place_of(index, scores.shape))
    return replace(step, terms=(term,) if term.amount is not None else (), adds=False)
