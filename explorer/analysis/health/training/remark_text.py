"""Remarks in words."""

from collections.abc import Iterator

from explorer.analysis.health.training.remark import Moment, TrainingRemark
from explorer.text import KNOWN, say
from explorer.text.numbers import visible
from explorer.trace import Trace

Message = tuple[str, dict[str, str | int]]


def clauses(trace: Trace, remark: TrainingRemark, lang: str) -> Iterator[Message]:
    """The messages of a remark with their values, each a sentence."""
    for clause in remark.clauses:
        values = {
            name: moment_text(trace, value.row, lang) if isinstance(value, Moment) else value
            for name, value in clause.values.items()
        }
        yield f"remark-{clause.id}", values


def remark_text(trace: Trace, remark: TrainingRemark, lang: str) -> str:
    """A remark as plain text."""
    return KNOWN[lang].gap.join(say(lang, message, **values) for message, values in clauses(trace, remark, lang))


def moment_text(trace: Trace, row: int, lang: str) -> str:
    """A step as the pages number it, from 1, with the variables of its loops."""
    rounds, number = _rounds(trace, row), trace.steps.number[row] + 1
    if not rounds:
        return say(lang, "remark-call", number=number)
    return say(lang, "remark-round-and-call", rounds=rounds, number=number)


def _rounds(trace: Trace, row: int) -> str:
    texts = [visible(trace.strings[string]) for string in trace.steps.rounds[row]]
    return ", ".join(f"{name} = {value}" for name, value in zip(texts[::2], texts[1::2], strict=True))
