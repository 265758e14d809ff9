"""Answers and tapes as plain data, for files and other programs."""

import math
from typing import Any

from explorer.analysis.why.derivation import Derivation
from explorer.analysis.why.derivation_steps import DerivationStep, Term
from explorer.analysis.why.derivation_text import Why, equation_sides, heads, note_text, share_of, step_text
from explorer.analysis.why.leaf_history import TapeEvent, tape
from explorer.text.numbers import Number
from explorer.trace import Trace

LEAVES = 500  # tapes of one program
EVENTS = 20_000  # events of all of them together


def answer_plain(found: Why, lang: str) -> dict[str, Any]:
    """An answer: `amount`, `text` (the first line), `lines`, and its steps, each with its parts."""
    return {
        "amount": _plain(found.amount),
        "text": found.text,
        "lines": list(found.lines),
        "derivation": _derivation(found.derivation, lang),
    }


def _derivation(found: Derivation, lang: str) -> dict[str, Any]:
    """At most `derivation.MOST` steps, so its depth is bounded."""
    words = heads(found.step, lang)
    return {
        **_step(found.step, words[0], lang),
        "parts": [
            {**_term(found.step, term, word), "below": None if below is None else _derivation(below, lang)}
            for term, word, below in zip(found.step.terms, words[1:], found.below, strict=True)
        ],
        "left": found.step.left,
        "rest": _plain(found.step.rest),
    }


def _step(step: DerivationStep, head: str, lang: str) -> dict[str, Any]:
    return {
        "of": head,
        "kind": step.kind,
        "amount": _plain(step.amount),
        "text": step_text(step, lang),
        "equation": equation_sides(step, (), lang),
        "note": note_text(step, lang) or None,
        "line": step.line or None,
        "adds": step.adds and bool(step.terms),
    }


def _term(step: DerivationStep, term: Term, word: str) -> dict[str, Any]:
    return {
        "kind": term.kind,
        "of": word,
        "amount": _plain(term.amount),
        "factors": [_plain(factor) for factor in term.factors],
        "share": share_of(step, term) or None,
        "line": term.line or None,
    }


def tapes_plain(trace: Trace) -> list[tuple[int, list[TapeEvent]]]:
    """The tape of every leaf that requires a gradient, up to EVENTS in all; later leaves have none."""
    columns, left = trace.tensors, EVENTS
    found: list[tuple[int, list[TapeEvent]]] = []
    for tensor in range(len(columns)):
        if not (columns.is_leaf[tensor] and columns.requires_grad[tensor]):
            continue
        if len(found) >= LEAVES or left <= 0:
            break
        events = tape(trace, tensor)
        left -= len(events)
        found.append((tensor, events))
    return found


def _plain(amount: Number | None) -> Any:
    """A number for JSON."""
    if isinstance(amount, complex):
        return str(amount).strip("()")
    if isinstance(amount, float) and not math.isfinite(amount):
        return str(amount)
    return amount
