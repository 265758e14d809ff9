"""Write derivations with numbers: as text in both languages, HTML and plain data."""

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from explorer.analysis.explain.autograd.gradient_cuts import switched_off
from explorer.analysis.explain.autograd.node_formulas import atom
from explorer.analysis.explain.autograd.operands import disambiguate, role, standalone_word
from explorer.analysis.explain.autograd.sum_texts import sum_text
from explorer.analysis.explain.origins import origins, short_text
from explorer.analysis.explain.why.derivation import Derivation, derivation, known, unfolded
from explorer.analysis.explain.why.derivation_steps import REST, Arrived, DerivationStep, Term, ValueOf
from explorer.analysis.explain.why.leaf_history import TapeEvent, tape, tapes
from explorer.analysis.explain.why.questions import asked_of, is_whole, read
from explorer.text import say
from explorer.text.numbers import (
    DIGITS,
    approx,
    chain,
    in_brackets,
    json_number,
    preformatted,
    written_product,
    written_sum,
)
from explorer.trace import FULL, Number, Trace, sample_shape

MOST_LINES = 12  # most lines of a short answer
LONG = 120  # longest line of a short answer whose parts can have their own lines
PARTS = 3  # terms shown in a short answer, followed by the sum of the rest
WAY = 3  # steps shown; longer paths keep the first and last, and count the rest
LONGEST = 100  # most steps on a path
SHARED = 3  # fewest parts for which shares are shown
INDENT = "  "
_LEAST = 0.01  # smallest share that is written as a number


@dataclass(frozen=True)
class Why:
    """Derivation of a number. `str()` is the short answer, at most MOST_LINES lines.

    Attributes:
        text: first line.
        lines: all lines, indented.
        amount: the number in question, or None.
        derivation: steps as data.
        short: lines of the short answer, () if all lines are short enough.
    """

    text: str
    lines: tuple[str, ...]
    amount: Number | None
    derivation: Derivation
    short: tuple[str, ...] = ()

    def adding(self, line: str) -> "Why":
        """Return the answer with one more line."""
        short = (*self.short[:-1], line, self.short[-1]) if self.short else ()
        return dataclasses.replace(self, lines=(*self.lines, line), short=short)

    def __str__(self) -> str:
        return "\n".join(self.short or self.lines)

    def __repr__(self) -> str:
        return f"<Why: {self.text}>"

    def _repr_html_(self) -> str:
        return preformatted(str(self))


def answer(trace: Trace, text: str, lang: str = "en", backward: int | None = None) -> Why:
    """Explain a number of a program.

    Args:
        text: question such as `w.grad`, `loss`, `w.grad[0, 1]`, `y.requires_grad`.
        backward: index of the backward, from 0. None: `.grad` at the end.

    Raises:
        UnknownName: no such tensor or entry.
    """
    question = read(trace, text)
    step = asked_of(trace, question, backward)
    tree = derivation(trace, step)
    lines, remarks = list(derivation_lines(tree, lang)), []
    if is_whole(question, step) and step.amount is not None:  # the entry was chosen, for a large tensor from a sample
        value = trace.value_at(step.subject.row) if isinstance(step.subject, ValueOf) else None
        sampled = value.data is None if value is not None else math.prod(step.shape) > FULL
        largest = "sample" if sampled else "largest"
        kind = largest if math.isfinite(abs(step.amount)) else "bad"
        count = math.prod(sample_shape(step.shape))
        remarks.append(INDENT + say(lang, "why-chosen", kind=kind, index=step.index, count=count))
    tensor = trace.bound(question.name)
    learned = any(tensor in call.accumulated for call in trace.backwards)
    since = switched_off(trace, tensor) if tensor is not None and learned and question.part != "requires_grad" else -1
    if since >= 0 and tensor is not None:
        line = trace.line(trace.operations.span[since])
        writes = map(trace.versions.operation.__getitem__, trace.versions_of(tensor))
        moved = step.kind == "value" and any(at > since and tapes(trace).stepping(at) for at in writes)
        sentence = say(lang, "why-frozen", word=question.name, line=line, moved="yes" if moved else "no")
        remarks.insert(0, INDENT + sentence)
    begin = _begin_text(trace, step, lang)
    remarks += [INDENT + begin] if begin else []
    lines[1:1] = remarks
    first, *others = short_lines(trace, step, lang, len(lines))
    is_long = len(lines) > MOST_LINES or first != lines[0]
    return Why(lines[0], tuple(lines), step.amount, tree, (first, *remarks, *others) if is_long else ())


def _begin_text(trace: Trace, step: DerivationStep, lang: str) -> str:
    """Name the run's first non-finite number if the requested number is not finite, otherwise ""."""
    if step.amount is None or math.isfinite(abs(step.amount)):
        return ""
    first = next((origin for origin in origins(trace) if origin.reaches), None)
    return "" if first is None else say(lang, "why-begin", text=short_text(lang, first))


def short_lines(trace: Trace, step: DerivationStep, lang: str, count: int) -> list[str]:
    """Return the number, its largest parts, and the way along the largest part, with its middle folded.

    Args:
        count: lines of the whole answer.
    """
    way = list(_way(trace, step))
    ends: list[DerivationStep | None] = [*way] if len(way) <= WAY else [way[0], None, way[-1]]
    fold = INDENT + say(lang, "why-folded", count=len(way) - 2)
    lines = [*_parts_lines(step, lang), *(fold if one is None else INDENT + _brief(one, lang) for one in ends)]
    return [*lines, say(lang, "why-all", count=count)]


def _parts_lines(step: DerivationStep, lang: str) -> list[str]:
    """Write a step: one line if it is short, otherwise its largest parts below each other."""
    text = step_text(step, lang)
    amounts = [term.amount for term in step.terms if term.amount is not None]
    apart = step.adds and len(amounts) == len(step.terms) and len(amounts) + step.left > 1
    if len(text) <= LONG or step.equation or step.amount is None or not apart:
        return [text]
    words = heads(step, lang)[1:]
    order = sorted(range(len(amounts)), key=lambda at: -abs(amounts[at]))
    kept, others = sorted(order[:PARTS]), order[PARTS:]
    about = [_part_text(step, step.terms[at], words[at], lang) for at in kept]
    values = [amounts[at] for at in kept]
    if hidden := len(others) + step.left:
        about.append(say(lang, "why-further", count=hidden))
        values.append(sum((amounts[at] for at in others), step.rest))
    made = written_sum(values, step.amount)
    signs = [approx(made.sign).strip() or "=", *["+"] * (len(values) - 1)]
    written = in_brackets(made.operands)
    parts = [
        f"{INDENT}{sign} {say(lang, 'why-part', amount=amount, about=text)}"
        for sign, amount, text in zip(signs, written, about, strict=True)
    ]
    return [_without_parts(step, lang), *parts]


def _part_text(step: DerivationStep, term: Term, word: str, lang: str) -> str:
    """Write where a part comes from, and its share of the sum."""
    text, share = term_text(step, term, word, lang), share_of(step, term)
    return say(lang, "why-share", about=text, share=share) if share and share not in text else text


def _brief(step: DerivationStep, lang: str) -> str:
    """Write a step in one line, without its parts if they are long."""
    text = step_text(step, lang)
    return text if len(text) <= LONG or step.amount is None else _without_parts(step, lang)


def _way(trace: Trace, step: DerivationStep) -> Iterator[DerivationStep]:
    """Yield the steps to the leaves or the root, always along the largest part."""
    seen = {step.subject}
    while len(seen) <= LONGEST:
        known_parts = [(term, term.subject) for term in step.terms if term.subject is not None]
        parts = [(term, subject) for term, subject in known_parts if subject not in seen]
        if not parts:
            return
        term, subject = max(parts, key=lambda part: _size(part[0]))
        seen.add(subject)
        step = known(unfolded(trace, subject), term.amount)
        yield step


def _size(term: Term) -> float:
    """Return the size of a part for sorting. NaN counts as infinite."""
    size = -1.0 if term.amount is None else abs(term.amount)
    return math.inf if math.isnan(size) else size


def derivation_lines(tree: Derivation, lang: str) -> Iterator[str]:
    """Yield a derivation's lines, with a number's parts indented below it."""
    todo: list[tuple[Derivation, int]] = [(tree, 0)]
    more = False
    while todo:
        node, depth = todo.pop()
        yield INDENT * depth + step_text(node.step, lang)
        more = more or "more" in node.why
        todo += [(node_below, depth + 1) for node_below in reversed(node.below) if node_below is not None]
    if more:
        yield say(lang, "why-more")


def step_text(step: DerivationStep, lang: str) -> str:
    """Write a step's equation, place and note."""
    return _noted(step, equation_text(step, lang), lang)


def _noted(step: DerivationStep, equation: str, lang: str) -> str:
    sentence = equation + place_text(step, lang)
    return f"{sentence}{say(lang, 'why-colon').replace('_', ' ')}{step.note.text(lang)}" if step.note else sentence


def _without_parts(step: DerivationStep, lang: str) -> str:
    """Write a step's number, place and note."""
    return _noted(step, f"{heads(step, lang)[0]} = {amount_text(step)}", lang)


def equation_text(step: DerivationStep, lang: str) -> str:
    """Write a step's equation: `w.grad = 5 = 2 (via a: 1 · 2) + …`."""
    first, *words = heads(step, lang)
    amount = amount_text(step)
    sides = [first, *([amount] if amount else []), *equation_sides(step, (first, amount), lang)]
    if step.amount is not None and step.adds and [term.kind for term in step.terms] == ["start"]:
        return " = ".join(sides) + say(lang, "why-colon").replace("_", " ") + say(lang, "why-term-start")
    if not step.equation and step.terms and step.adds:
        sides.append(terms_text(step, words, lang))
    return chain(sides)


def amount_text(step: DerivationStep, signed: bool = False) -> str:
    """Write a step's number or literal, "" if there is none."""
    if step.amount is None:
        return step.literal
    is_positive = isinstance(step.amount, int | float) and step.amount > 0
    return f"{'+' if signed and is_positive else ''}{step.written.result}"


def equation_sides(step: DerivationStep, shown: Sequence[str], lang: str) -> list[str]:
    """Return the right sides of a value's equation. Omitted summands become one number."""
    sides = [part for part in step.equation if part not in shown]
    if sides and step.hidden:
        amount = f"({step.hidden_sum})" if step.hidden_sum.startswith("−") else step.hidden_sum
        rest = say(lang, "why-part", amount=amount, about=say(lang, "why-further", count=step.hidden))
        sides[-1] = sides[-1].replace(REST, rest)
    return sides


def heads(step: DerivationStep, lang: str) -> list[str]:
    """Return distinct words for a step and its parts."""
    mentions = [step.mention, *(term.mention for term in step.terms)]
    texts = disambiguate(mentions, lang, close=False)
    stored = [step.kind in ("grad", "asks"), *(term.kind in ("backward", "before") for term in step.terms)]
    texts = [
        standalone_word(mention, lang) if word == mention.word and not of_leaf else word
        for mention, word, of_leaf in zip(mentions, texts, stored, strict=True)
    ]
    words = [_entry(word, term.mention.word, term.index) for word, term in zip(texts[1:], step.terms, strict=True)]
    match step.kind:
        case "grad":
            first = f"{step.mention.word}.grad{step.index}"
        case "asks":
            first = f"{step.mention.word}.requires_grad"
        case "value":
            first = _entry(texts[0], step.mention.word, step.index)
        case kind:
            word = _entry(texts[0], step.mention.word, step.index)
            first = say(lang, "inspect-gradient-of" if kind == "gradient" else "why-of-passed", name=word)
    return [first, *words]


def _entry(text: str, word: str, index: str) -> str:
    """Write (w * x)[0, 1], or x[0, 1] of line 9."""
    if not index:
        return text
    return text.replace(word, f"{atom(word)}{index}", 1) if word in text else f"{text} {index}"


def terms_text(step: DerivationStep, words: Sequence[str], lang: str) -> str:
    """Write a sum's parts: `2 (via a: 1 · 2) + …`."""
    made = step.written
    if len(step.terms) == 1 and not step.left:
        only, via = step.terms[0], term_text(step, step.terms[0], words[0], lang, False)
        product = product_text(only if step.amount is None else replace(only, amount=step.amount))
        return say(lang, "why-part", amount=product or made.operands[0], about=via)
    about = [term_text(step, term, word, lang) for term, word in zip(step.terms, words, strict=True)]
    about += [say(lang, "why-further", count=step.left)] if step.left else []
    return made.about + sum_text(list(zip(made.operands, about, strict=True)), lang)


def term_text(
    step: DerivationStep, term: Term, word: str, lang: str, multiplied: bool = True, shared: bool = True
) -> str:
    """Write a part's origin: `via a: 1 · 2`. multiplied, shared: with product, with share."""
    if term.kind == "start":
        return say(lang, "why-term-start")
    if term.kind == "backward":
        return _backward_text(step, term, lang)
    if term.kind == "before":
        return say(lang, "why-term-before")
    sentence = word
    if term.role[0]:
        sentence = say(lang, "why-input", role=role(*term.role, lang), card=word)
    text = say(lang, "why-term-via", word=sentence) if term.kind in ("through", "product", "from") else sentence
    product = product_text(term, step.written.digits) if multiplied else ""
    share = share_of(step, term) if shared else ""
    text = f"{text}{say(lang, 'why-colon').replace('_', ' ')}{product}" if product else text
    return say(lang, "why-share", about=text, share=share) if share else text


def _backward_text(step: DerivationStep, term: Term, lang: str) -> str:
    """Name a backward by its line, and number if needed."""
    if not term.line or not isinstance(term.subject, Arrived):
        return say(lang, "why-term-backward-somewhere")
    several = sum(other.kind == "backward" and other.line == term.line for other in step.terms) > 1
    if several:
        return say(lang, "why-term-backward-number", line=term.line, number=term.subject.backward + 1)
    return say(lang, "line", line=term.line)


def product_text(term: Term, digits: int = DIGITS) -> str:
    """Write `1 · (−2)` with enough digits for the product, "" for another part."""
    if not term.factors or term.amount is None:
        return ""
    product = written_product(term.factors, term.amount, digits=digits)
    return product.about + " · ".join(in_brackets(product.operands))


def share_of(step: DerivationStep, term: Term) -> str:
    """Write a part's share of the sum in percent, or ""."""
    amounts = [term.amount for term in step.terms]
    if not step.adds or len(amounts) < SHARED or term.amount is None or any(amount is None for amount in amounts):
        return ""
    parts = [*(amount for amount in amounts if amount is not None), *([step.rest] if step.left else [])]
    sizes = [part for part in parts if not isinstance(part, complex)]
    if len(sizes) < len(parts) or min(sizes) < 0 < max(sizes):
        return ""
    total = sum(abs(part) for part in parts)
    if not math.isfinite(total) or not total:
        return ""
    share = abs(term.amount) / total
    return f"{share:.0%}" if share >= _LEAST else f"<{_LEAST:.0%}"


def place_text(step: DerivationStep, lang: str) -> str:
    """Return the place of a step."""
    if not step.line or (step.note is not None and step.note.values.get("line")):
        return ""
    apart = say(lang, "line", line=step.line) in heads(step, lang)[0] or step.mention.how in ("written", "read")
    if step.kind in ("value", "gradient") and step.mention.line == step.line and apart:
        return ""  # the name includes the line
    return f" · {say(lang, 'line', line=step.line)}"


LEAVES = 500  # most tapes of one program
EVENTS = 20_000  # most events of all tapes together


def answer_plain(why: Why, lang: str) -> dict[str, Any]:
    """Convert an answer to plain data: `amount`, `text` (first line), `lines`, and nested steps."""
    return {
        "amount": json_number(why.amount),
        "text": why.text,
        "lines": list(why.lines),
        "derivation": _derivation(why.derivation, lang),
    }


def _derivation(tree: Derivation, lang: str) -> dict[str, Any]:
    """Convert a derivation. At most `derivation.MOST` steps bound its depth."""
    words = heads(tree.step, lang)
    return {
        **_step(tree.step, words[0], lang),
        "parts": [
            {**_term(tree.step, term, word), "below": None if below is None else _derivation(below, lang)}
            for term, word, below in zip(tree.step.terms, words[1:], tree.below, strict=True)
        ],
        "left": tree.step.left,
        "rest": json_number(tree.step.rest),
    }


def _step(step: DerivationStep, head: str, lang: str) -> dict[str, Any]:
    return {
        "of": head,
        "kind": step.kind,
        "amount": json_number(step.amount),
        "text": step_text(step, lang),
        "equation": equation_sides(step, (), lang),
        "note": step.note and step.note.text(lang),
        "line": step.line or None,
        "adds": step.adds and bool(step.terms),
    }


def _term(step: DerivationStep, term: Term, word: str) -> dict[str, Any]:
    return {
        "kind": term.kind,
        "of": word,
        "amount": json_number(term.amount),
        "factors": [json_number(factor) for factor in term.factors],
        "share": share_of(step, term) or None,
        "line": term.line or None,
    }


def tapes_plain(trace: Trace) -> list[tuple[int, list[TapeEvent]]]:
    """Return the tape of every leaf that requires grad, up to EVENTS in total."""
    columns, left = trace.tensors, EVENTS
    leaves: list[tuple[int, list[TapeEvent]]] = []
    for tensor in range(len(columns)):
        if not (columns.is_leaf[tensor] and columns.requires_grad[tensor]):
            continue
        if len(leaves) >= LEAVES or left <= 0:
            break
        events = tape(trace, tensor)
        left -= len(events)
        leaves.append((tensor, events))
    return leaves
