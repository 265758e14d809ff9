"""Derivation steps about `.grad`: additions by backward calls, and later writes."""

from msgspec.structs import replace

from explorer.analysis.explain.autograd.gradients import selected_backward
from explorer.analysis.explain.autograd.operands import Mention
from explorer.analysis.explain.autograd.reasons import cut_of, reason_at_end, reason_message
from explorer.analysis.explain.why.arrivals import arrived
from explorer.analysis.explain.why.derivation_steps import (
    Arrived,
    DerivationStep,
    Stored,
    Term,
    begin_step,
    entry_at,
    largest_first,
    most_informative_entry,
    note,
)
from explorer.analysis.explain.why.leaf_history import Account, TapeEvent, account, tapes
from explorer.analysis.run.model import one_line, run_of
from explorer.analysis.run.names import name_of, word_of
from explorer.analysis.run.rounding import adds_up
from explorer.text.numbers import shorten
from explorer.trace import Trace, Value

CELLS = 40


def stored_step(trace: Trace, subject: Stored) -> DerivationStep:
    """Explain a leaf's `.grad`: its value, or why it is None."""
    leaf = subject.tensor
    history = account(trace, leaf, None if subject.time < 0 else subject.time)
    value = trace.value(history.value)
    mention = Mention(name_of(run_of(trace), leaf) or "·", ("leaf", leaf))
    step = replace(begin_step(subject, "grad", mention, value), node=tapes(trace).collector.get(leaf, -1), tensor=leaf)
    if not history.known:
        return replace(step, note=note("unseen" if value is not None else "unknown"))
    if value is None:
        return _none(trace, step, history)
    if step.amount is None:
        return replace(step, note=note("empty" if 0 in step.shape else "unknown"))
    return _added(trace, step, history, value)


def _added(trace: Trace, step: DerivationStep, history: Account, value: Value) -> DerivationStep:
    """Add the contributions of backward calls to the earlier value."""
    assert isinstance(step.subject, Stored) and step.amount is not None
    leaf, place = step.subject.tensor, step.subject.place
    terms = []
    node = tapes(trace).collector.get(leaf, -1)
    base = history.base
    from_zero = history.rest < 0 if base is None else base.kind in ("zeroed", "cleared")
    if len(history.added) == 1 and from_zero:
        only = history.added[0]  # it all comes from one backward
        whole = arrived(trace, Arrived(only.backward, node, 0, place))
        if whole.amount is not None and adds_up([whole.amount], step.amount, value.dtype):
            line = trace.line(only.span)
            return replace(whole, subject=step.subject, kind="grad", mention=step.mention, line=line, tensor=leaf)
    for event in history.added:
        below = Arrived(event.backward, node, 0, place)
        amount = entry_at(trace.value(event.added), place)
        terms.append(Term("backward", amount, step.mention, step.index, (), below, ("", 0), trace.line(event.span)))
    if history.base is not None:
        if not history.added:
            return _changed(trace, step, history)
        step = _with_base(trace, step, history.base, True)
        if amount := entry_at(trace.value(history.base.after), place):
            after = Stored(leaf, place, history.base_time + 0.25)
            terms.insert(0, Term("before", amount, step.mention, step.index, (), after))
    elif history.rest >= 0:
        terms.insert(0, Term("before", entry_at(trace.value(history.rest), place), step.mention, step.index))
    amounts = [term.amount for term in terms if term.amount is not None]
    whole_amount = entry_at(value, place)
    if len(amounts) < len(terms) or whole_amount is None or not adds_up(amounts, whole_amount, value.dtype):
        return replace(step, note=note("unknown-parts"))
    return largest_first(step, terms)


def _changed(trace: Trace, step: DerivationStep, history: Account) -> DerivationStep:
    """Explain the last change of `.grad` other than a backward, and the value before."""
    assert isinstance(step.subject, Stored) and history.base is not None
    subject, base = step.subject, history.base
    step = _with_base(trace, step, base, False)
    was = entry_at(trace.value(base.before), subject.place)
    if was is None:
        return step
    before = Stored(subject.tensor, subject.place, history.base_time)
    return replace(step, terms=(Term("before", was, step.mention, step.index, (), before),), adds=False)


def _with_base(trace: Trace, step: DerivationStep, base: TapeEvent, added: bool) -> DerivationStep:
    if not (line := trace.line(base.span)):
        return step
    sentence = note(f"base-{base.kind}", line=line, text=shorten(one_line(trace.text(base.span)), CELLS))
    return replace(step, note=note("since", what=sentence, line=line) if added else sentence, line=line)


def _none(trace: Trace, step: DerivationStep, history: Account) -> DerivationStep:
    """Explain why there is no `.grad`."""
    assert isinstance(step.subject, Stored)
    leaf, step = step.subject.tensor, replace(step, literal="None")
    if history.base is not None and history.base.kind == "cleared":
        line = trace.line(history.base.span)
        if not line:
            return step
        text = shorten(one_line(trace.text(history.base.span)), CELLS)
        was, place = account(trace, leaf, history.base_time), step.subject.place
        place = most_informative_entry(trace.value(was.value)) if place < 0 else place
        before = Stored(leaf, place, history.base_time)
        term = Term("before", None, step.mention, subject=before)
        terms = (term,) if was.known and was.value >= 0 else ()
        return replace(step, note=note("cleared", line=line, text=text), line=line, terms=terms, adds=False)
    return without_gradient(trace, step, leaf, run_of(trace).own_backward(leaf, selected_backward(trace)))


def without_gradient(trace: Trace, step: DerivationStep, tensor: int, backward: int | None) -> DerivationStep:
    """Return the step of a tensor without a gradient, with its card's reason."""
    reason, cut = reason_at_end(trace, tensor, backward), cut_of(trace, tensor, backward)
    roots = [] if backward is None else trace.backwards[backward].root_tensors
    root = next((word_of(run_of(trace), root_tensor) for root_tensor in roots if root_tensor >= 0), "")
    why = reason_message(reason, cut, shorten(root or "·", CELLS))
    return replace(step, literal="" if reason == "capped" else "None", note=why, line=cut.line if cut else 0)
