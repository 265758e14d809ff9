"""A step about one term of a loss: the score at the label of its row, or the two entries that it compares."""

from msgspec.structs import replace

from explorer.analysis.autograd.entry_texts import index_text, place_of
from explorer.analysis.autograd.formulas import atom
from explorer.analysis.operations.call import OperationCall, calls_of
from explorer.analysis.run import one_line, run_of
from explorer.analysis.why.derivation_steps import DerivationStep, LossTerm, entry_at, note
from explorer.analysis.why.losses import Loss, ignored_label, index_of_term, is_plain, losses_of
from explorer.analysis.why.values import mention_of_row, read_term
from explorer.text.numbers import written_equation
from explorer.trace import Trace, index_at

_NOTATION = {"mse_loss": "({0} − {1})²", "l1_loss": "|{0} − {1}|"}


def loss_term_step(trace: Trace, subject: LossTerm) -> DerivationStep:
    """One term of a loss: how it was computed, and the entries behind it as far as they are recorded."""
    loss, call = losses_of(trace)[subject.operation], calls_of(trace, subject.operation)[0]
    amount, label = next(((a, label) for place, a, label in loss.terms if place == subject.place), (None, -1))
    row = call.results[0].version
    line = trace.line(trace.operations.span[subject.operation])
    mention = mention_of_row(trace, row)
    step = DerivationStep(subject, "value", amount, mention, index_of_term(loss, subject.place), line=line)
    if amount is None:
        return replace(step, note=note("term-not-kept"))
    parts = call.operands[:2]
    if label >= 0:
        return _labelled(trace, step, call, loss, label)
    if len(parts) != 2 or any(tuple(part.shape) != loss.shape for part in parts):
        return replace(step, note=note("by", text=one_line(run_of(trace).text(subject.operation))))
    words = [_entry(part.word, step.index) for part in parts]
    pattern = _NOTATION.get(call.name, call.name + "({0}, {1})")
    equation = [pattern.format(*words)]
    numbers = [one for part in parts if isinstance(one := entry_at(part.value, subject.place), float | int)]
    if call.name in _NOTATION and len(numbers) == 2:
        power = 2 if call.name == "mse_loss" else 1
        made = written_equation(lambda pair: abs(pair[0] - pair[1]) ** power, numbers, amount)
        said = [f"({one})" if i and one.startswith("−") else one for i, one in enumerate(made.operands)]
        equation.append(made.about + pattern.format(*said))
    terms = [read_term(trace, call, part, subject.place) for part in parts]
    return replace(step, equation=tuple(equation), terms=tuple(t for t in terms if t.amount is not None), adds=False)


def _entry(word: str, index: str) -> str:
    """An entry of an expression: (b + 1)[0]."""
    return (atom(word) if word and index else word or "·") + index


def _labelled(trace: Trace, step: DerivationStep, call: OperationCall, loss: Loss, label: int) -> DerivationStep:
    """A row of a loss over classes: its score at the label."""
    scores, at = call.operands[0], list(index_at(step.subject.place, loss.shape))
    if label == ignored_label(call):
        return replace(step, note=note("row-ignored", label=label))
    step = replace(step, note=note("row", label=label))
    axis = 1 if len(scores.shape) > 1 else 0
    index = [*at[:axis], label, *at[axis:]]
    if len(index) != len(scores.shape) or not all(0 <= i < size for i, size in zip(index, scores.shape, strict=True)):
        return step
    if is_plain(call):
        row = _entry(scores.word, step.index if axis and len(scores.shape) == 2 else "")
        place = f"[{label}]" if len(scores.shape) <= 2 else index_text(tuple(index))
        row = f"log softmax({row})" if call.name == "cross_entropy" else _entry(row, place)[: -len(place)]
        step = replace(step, equation=(f"−{row}{place}",))
    term = read_term(trace, call, scores, place_of(index, scores.shape))
    return replace(step, terms=(term,) if term.amount is not None else (), adds=False)
