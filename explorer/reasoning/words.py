"""A derivation in words with its numbers, as lines of text in both languages."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from explorer.autograd.apart import role, told_apart
from explorer.autograd.expressions import atom
from explorer.reasoning.derivation import Derivation, derivation
from explorer.reasoning.questions import asked_of, is_whole, read
from explorer.reasoning.steps import Arrived, DerivationStep, Term
from explorer.text import say
from explorer.text.numbers import number
from explorer.trace import Number, Trace

SHARED = 3  # parts from which on each says its share
INDENT = "  "


@dataclass(frozen=True)
class Why:
    """Why a number is what it is. `str()` of it is the whole derivation as text.

    Attributes:
        text: the first line.
        lines: all of them, indented.
        amount: the number that was asked for, None where there is none.
        derivation: the steps as data.
    """

    text: str
    lines: tuple[str, ...]
    amount: Number | None
    derivation: Derivation

    def __str__(self) -> str:
        return "\n".join(self.lines)


def answer(trace: Trace, text: str, lang: str = "en", backward: int | None = None) -> Why:
    """Why a number of a program is what it is.

    Args:
        text: what is asked: `w.grad`, `loss`, `w.grad[0, 1]`, `y.requires_grad`.
        backward: whose gradient (from 0); None: `.grad` as it stands at the end.

    Raises:
        UnknownName: no tensor has that name, or it has no such entry.
    """
    question = read(trace, text)
    step = asked_of(trace, question, backward)
    found = derivation(trace, step)
    lines = list(derivation_lines(found, lang))
    if is_whole(question, step) and step.amount is not None:
        finite = math.isfinite(abs(step.amount))
        lines.insert(1, INDENT + say(lang, "why-chosen-largest" if finite else "why-chosen-bad", index=step.index))
    return Why(lines[0], tuple(lines), step.amount, found)


def derivation_lines(found: Derivation, lang: str) -> Iterator[str]:
    """A derivation as lines, each part of a number below it and further in."""
    todo: list[tuple[Derivation, int]] = [(found, 0)]
    while todo:
        node, depth = todo.pop()
        yield INDENT * depth + step_text(node.step, lang)
        if any(one == "more" for one in node.why):
            yield INDENT * (depth + 1) + say(lang, "why-more")
        todo += [(one, depth + 1) for one in reversed(node.below) if one is not None]


def step_text(step: DerivationStep, lang: str) -> str:
    """`w.grad = 5 = 2 (via a: 1 · 2) + 3 (via b: 1 · 3)`, with its note."""
    said = equation_text(step, lang) + place_text(step, lang)
    note = note_text(step, lang)
    return f"{said}{say(lang, 'why-colon').replace('_', ' ')}{note}" if note else said


def equation_text(step: DerivationStep, lang: str) -> str:
    """`w.grad = 5 = 2 (via a: 1 · 2) + 3 (via b: 1 · 3)`."""
    first, *words = heads(step, lang)
    amount = step.literal if step.amount is None else number(step.amount)
    sides = [first, *([amount] if amount else []), *(part for part in step.equation if part not in (first, amount))]
    if step.amount is not None and [term.kind for term in step.terms] == ["start"]:
        return " = ".join(sides) + say(lang, "why-colon").replace("_", " ") + say(lang, "why-term-start")
    if not step.equation and step.terms and step.adds:
        sides.append(sum_text(step, words, lang))
    return " = ".join(sides)


def heads(step: DerivationStep, lang: str) -> list[str]:
    """What a step is of, then whose its parts are, told apart where the program calls several things the same."""
    mentions = [step.mention, *(term.mention for term in step.terms)]
    said = told_apart(mentions, lang, close=False)
    words = [_entry(word, term.mention.word, term.index) for word, term in zip(said[1:], step.terms, strict=True)]
    match step.kind:
        case "grad":
            first = f"{step.mention.word}.grad{step.index}"
        case "asks":
            first = f"{step.mention.word}.requires_grad"
        case "value":
            first = _entry(said[0], step.mention.word, step.index)
        case kind:
            word = _entry(said[0], step.mention.word, step.index)
            first = say(lang, "why-of-gradient" if kind == "gradient" else "why-of-passed", word=word)
    return [first, *words]


def _entry(said: str, word: str, index: str) -> str:
    """(w * x)[0, 1], and x[0, 1] of line 9 where the word was told apart."""
    if not index:
        return said
    return said.replace(word, f"{atom(word)}{index}", 1) if word in said else f"{said} {index}"


def sum_text(step: DerivationStep, words: Sequence[str], lang: str) -> str:
    """The parts of a sum with where each came from: `2 (via a: 1 · 2) + 3 (via b: 1 · 3)`."""
    if len(step.terms) == 1 and not step.left:
        only, via = step.terms[0], term_text(step, step.terms[0], words[0], lang, False)
        product = product_text(only)
        return say(lang, "why-part", amount=product if product else _amount(only), about=via)
    parts: list[str] = []
    for term, word in zip(step.terms, words, strict=True):
        about = term_text(step, term, word, lang)
        amount = _amount(term)
        amount = f"({amount})" if parts and amount.startswith("−") else amount
        parts.append(say(lang, "why-part", amount=amount, about=about) if about else amount)
    if step.left:
        parts.append(say(lang, "why-rest", amount=number(step.rest), count=step.left))
    return " + ".join(parts)


def _amount(term: Term) -> str:
    return "?" if term.amount is None else number(term.amount)


def term_text(
    step: DerivationStep, term: Term, word: str, lang: str, multiplied: bool = True, shared: bool = True
) -> str:
    """Where a part came from: `via a: 1 · 2`; multiplied, shared: with the product, with its share."""
    if term.kind == "start":
        return say(lang, "why-term-start")
    if term.kind == "backward":
        return _backward_text(step, term, lang)
    if term.kind == "before":
        return say(lang, "why-term-before")
    said = word
    if term.role[0]:
        said = say(lang, "why-input", role=role(*term.role, lang), card=word)
    text = say(lang, "why-term-via", word=said) if term.kind in ("through", "product", "from") else said
    product = product_text(term) if multiplied else ""
    share = share_of(step, term) if shared else ""
    text = f"{text}{say(lang, 'why-colon').replace('_', ' ')}{product}" if product else text
    return say(lang, "why-share", about=text, share=share) if share else text


def _backward_text(step: DerivationStep, term: Term, lang: str) -> str:
    """The line of a backward; of several in one line, as in a loop, also which it is, as `--backward` counts them."""
    if not term.line or not isinstance(term.subject, Arrived):
        return say(lang, "why-term-backward-somewhere")
    several = sum(one.kind == "backward" and one.line == term.line for one in step.terms) > 1
    if several:
        return say(lang, "why-term-backward-number", line=term.line, number=term.subject.backward + 1)
    return say(lang, "why-term-backward", line=term.line)


def product_text(term: Term) -> str:
    """`1 · (−2)`, "" for what is no product."""
    return " · ".join(_factor(one, bool(i)) for i, one in enumerate(term.factors))


def share_of(step: DerivationStep, term: Term) -> str:
    """Which part of all that was added a term is, in percent; "" of few parts and of those that are no numbers."""
    amounts = [one.amount for one in step.terms]
    if not step.adds or len(amounts) < SHARED or term.amount is None or any(one is None for one in amounts):
        return ""
    total = sum(abs(one) for one in amounts if one is not None) + (abs(step.rest) if step.left else 0)
    if not math.isfinite(total) or not total:
        return ""
    return f"{abs(term.amount) / total:.0%}"


def place_text(step: DerivationStep, lang: str) -> str:
    """Where the program says it."""
    told = step.note and "line" in step.values
    said = step.mention.line == step.line and heads(step, lang)[0] != _entry(
        step.mention.word, step.mention.word, step.index
    )
    if not step.line or told or (said and step.kind == "value"):
        return ""
    return f" · {say(lang, 'line', line=step.line)}"


def note_text(step: DerivationStep, lang: str) -> str:
    """What a step adds in words, or why it has no parts."""
    if not step.note:
        return ""
    return say(lang, f"why-note-{step.note}", **{"word": step.mention.word, **step.values})


def _factor(amount: Number, bracketed: bool) -> str:
    said = number(amount)
    return f"({said})" if bracketed and said.startswith("−") else said
