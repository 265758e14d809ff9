"""The questions of Predict: question, hint, and checking of an answer."""

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from explorer.analysis.explain.autograd.edge_gradients import EdgeGradient
from explorer.analysis.explain.autograd.entry_texts import index_of, index_text, is_listed, listed
from explorer.analysis.explain.autograd.guesses import is_number, read_numbers, read_shape
from explorer.analysis.explain.autograd.node_formulas import atom
from explorer.analysis.run import rounding
from explorer.analysis.run.rounding import same_value
from explorer.text import as_sentence, code, joined, say, separated
from explorer.text.numbers import number, shorten, sizes
from explorer.trace import Value, real

ROUNDS = 2  # loop rounds with questions, in addition to the last
PARTS = 5  # terms of a sum listed in a hint
FEW = 6  # most operand entries that a user can compute with
FORMULA = 64  # widest formula in a hint


class Question(Struct, frozen=True):
    """One question, with program text in backticks.

    Attributes:
        text: the question. hint: the rule that leads to the answer.
        answer: a number, or the sizes of a shape. shown: the answer as text.
        edges: ids of the edges in question. card: the receiving card.
        plain: whether the answer is already visible.
    """

    text: str
    hint: str
    answer: float | tuple[int, ...]
    shown: str
    edges: tuple[str, ...] = ()
    card: str = ""
    plain: bool = False

    def judge(self, guess: str) -> bool | None:
        """Return whether an answer is right, None if it contains no number or shape."""
        if isinstance(self.answer, tuple):
            sizes = read_shape(guess)
            return None if sizes is None else sizes == self.answer
        numbers = read_numbers(guess)
        return any(is_number(number, self.answer) for number in numbers) if numbers else None


class Delivery(Struct, frozen=True):
    """The gradient that an operation passes to one receiver over all edges.

    Attributes:
        card: word for the operation. to: for the receiver.
        arrived: gradient of the operation, None if unknown.
        inside: whether it left from a different node of the operation.
        edges: gradient on each edge, all of one shape.
        drawn_edges, receiver: ids of the edges and of the receiver's card.
    """

    card: str
    to: str
    arrived: Value | None
    edges: tuple[EdgeGradient, ...]
    drawn_edges: tuple[str, ...]
    receiver: str
    inside: bool = False


def about_operation(choices: Sequence[Delivery], lang: str) -> Question | None:
    """Return the question about the passed gradient that needs most thought."""
    asked = [question for choice in choices if (question := _about_sent(choice, lang)) is not None]
    return max(asked, key=_worth, default=None)


class Leaf(Struct, frozen=True):
    """Gradient that a leaf receives.

    Attributes:
        name: name in the program.
        is_stored: whether it is stored in `.grad`.
        total: value afterwards, or the sum that arrived. before: value before.
        parts: contribution of each edge. senders: number of sending cards.
        complete: whether these are all the parts, since an edge of a loop has only the last round's contribution.
    """

    name: str
    is_stored: bool
    total: Value
    before: Value | None
    parts: tuple[Value | None, ...]
    senders: int
    complete: bool = True


def about_leaf(leaf: Leaf, lang: str) -> Question | None:
    """Return the question about a leaf after its step."""
    name, is_stored, total = leaf.name, leaf.is_stored, leaf.total
    held = leaf.before if leaf.before is not None and (leaf.before.norm or leaf.before.nonfinite) else None
    given = [*leaf.parts, held] if held is not None else list(leaf.parts)
    known = _added(given) is not None and _added([total]) is not None and given[0].shape == total.shape
    parts, whole = [np.array(one.data, float) for one in given if known], np.array(total.data if known else (), float)
    adds_up = known and rounding.adds_up(np.array(parts), whole, total.dtype)
    if leaf.complete and _added(given) is not None and not adds_up:
        return None  # a hook changed the gradient
    plain = held is None and leaf.senders < 2 and adds_up
    to = code(f"{name}.grad") if is_stored else code(name)
    at = _place(total)
    if at is None:
        message = "step-ask-value-shape" if is_stored else "step-ask-result-shape"
        return _about_shape(say(lang, message, name=to), say(lang, "hint-shape", to=code(name)), total, plain=True)
    entry = index_text(index_of(total, at))
    to = code(f"{name}.grad{entry}") if is_stored else code(f"{name}{entry}")
    message = "step-ask-leaf" if is_stored else "step-ask-result"
    numbers = [code(number(value.entries[at], True)) for value in given] if adds_up and 1 < len(given) <= PARTS else []
    hint = as_sentence(lang, say(lang, "hint-sum"), separated(lang, numbers))
    if held is not None:
        hint = joined(lang, [hint, say(lang, "hint-held", name=code(f"{name}.grad"))])
    answer = float(real(total.entries[at]))
    return Question(say(lang, message, name=to), hint, answer, number(answer, True), plain=plain)


def _about_shape(
    asked: str, hint: str, value: Value, edges: tuple[str, ...] = (), card: str = "", plain: bool = False
) -> Question | None:
    """Ask for a shape if no entry suits. Returns None for a single number."""
    return Question(asked, hint, value.shape, sizes(value.shape), edges, card, plain) if value.shape else None


def about_card(name: str, gradient: Value, lang: str) -> Question | None:
    """Ask for a gradient as a whole: its number, an entry, or its shape."""
    at = _place(gradient)
    if at is None:
        asked, hint = say(lang, "step-ask-result-shape", name=code(name)), say(lang, "hint-shape", to=code(name))
        return _about_shape(asked, hint, gradient)
    answer = float(real(gradient.entries[at]))
    asked = say(lang, "step-ask-result", name=code(f"{name}{index_text(index_of(gradient, at))}"))
    return Question(asked, "", answer, number(answer, True))


def about_value(name: str, value: Value, before: Sequence[Value], lang: str) -> Question | None:
    """Ask for an operation's result: number, entry or shape, without a hint.

    Args:
        before: the operation's inputs. A result or shape that equals an input's is not asked. If an input is
            large, only the shape can be known.
    """
    if value.dtype == "bool" or value.dtype.startswith("complex") or any(same_value(value, one) for one in before):
        return None
    at = _place(value) if all(math.prod(one.shape) <= FEW for one in before) else None
    if at is None:
        if any(one.shape == value.shape for one in before):
            return None
        return Question(say(lang, "step-ask-value-shape", name=code(name)), "", value.shape, sizes(value.shape))
    answer, entry = float(real(value.entries[at])), index_text(index_of(value, at))
    name = f"{atom(name)}{entry}" if entry else name
    return Question(say(lang, "step-ask-value", name=code(name)), "", answer, number(answer))


def worth_asking(asked: Sequence[tuple[str, Question | None]]) -> list[Question | None]:
    """Select the questions to ask, by card in step order.

    Only one question with a visible answer is asked, and only the first and last rounds of a loop. A backward without
    other questions asks about its last leaf.
    """
    questions = in_few_rounds(asked)
    leaves = {i for i, (card, question) in enumerate(asked) if question is not None and question.card == card}
    passed_on = next(
        (i for i, question in enumerate(questions) if question is not None and question.plain and i not in leaves), -1
    )
    chosen = [
        question if question is None or not question.plain or i == passed_on else None
        for i, question in enumerate(questions)
    ]
    if not any(chosen):
        last = max((i for i, question in enumerate(questions) if question is not None), default=-1)
        chosen = [question if i == last else None for i, question in enumerate(questions)]
    return chosen


def in_few_rounds(asked: Sequence[tuple[object, Question | None]]) -> list[Question | None]:
    """Keep the first and last questions about the same subject."""
    rounds: dict[object, list[int]] = {}
    for i, (subject, question) in enumerate(asked):
        if question is not None:
            rounds.setdefault(subject, []).append(i)
    picks = {i for places in rounds.values() for i in (*places[:ROUNDS], places[-1])}
    return [question if i in picks else None for i, (_, question) in enumerate(asked)]


def _about_sent(sent: Delivery, lang: str) -> Question | None:
    results = [edge.result for edge in sent.edges]
    words: dict[str, str | int] = {"card": code(sent.card), "to": code(sent.to), "count": len(results)}
    several = "-several" if len(results) > 1 else ""
    total = _added(results)
    at = None if total is None else _place_among(total)
    unchanged = (
        len(results) == 1 and not sent.inside and sent.arrived is not None and same_value(sent.arrived, results[0])
    )
    if at is None:
        same = sent.arrived is not None and sent.arrived.shape == results[0].shape
        hint = say(lang, "hint-shape", to=code(sent.to))
        return _about_shape(
            say(lang, "step-ask-shape", **words), hint, results[0], sent.drawn_edges, sent.receiver, same
        )
    answer, index = total[at], index_text(index_of(results[0], at))
    asked = say(lang, f"step-ask{several}", **words)
    if index:
        asked = say(lang, f"step-ask{several}-entry", entry=code(index), **words)
    hint = _rule(sent, unchanged, at, lang)
    return Question(asked, hint, answer, number(answer, True), sent.drawn_edges, sent.receiver, unchanged)


def _worth(question: Question) -> tuple[bool, ...]:
    """Rank a question: hidden answers first, then telling numbers."""
    is_number = not isinstance(question.answer, tuple)
    return not question.plain, is_number, is_number and question.answer not in (0, 1, -1)


def _rule(sent: Delivery, unchanged: bool, at: int, lang: str) -> str:
    """Return the rule for the number: arriving gradient times local derivative, for each edge."""
    if unchanged:
        return say(lang, "hint-unchanged", card=code(sent.card))
    arrived = sent.arrived
    amount = ""
    if arrived is not None and arrived.entries:
        if len(arrived.entries) == 1:
            amount = number(arrived.entries[0], True)
        elif arrived.shape == sent.edges[0].result.shape:
            amount = number(arrived.entries[at], True)
        elif is_listed(arrived):
            amount = listed(arrived)
    words = {"card": code(sent.card), "to": code(sent.to)}
    arrives = say(lang, "hint-arrived", gradient=code(amount), **words) if amount else ""
    rules = list(dict.fromkeys(_formula(edge) for edge in sent.edges))
    kinds = {edge.formula.kind for edge in sent.edges}
    shapes = {edge.result.shape for edge in sent.edges}
    summed = ""
    if kinds == {"words"} and len(rules) == 1 and not sent.inside:
        rule = say(lang, "hint-words", rule=sent.edges[0].equals[0])
    elif sent.inside or not all(rules) or kinds.isdisjoint({"local", "whole"}):
        rule = say(lang, "hint-other", **words)
    else:
        message = "hint-whole" if kinds == {"whole"} else "hint-local"
        rule = say(
            lang,
            message,
            rules=separated(lang, [code(rule) for rule in rules]),
            gradient=sent.edges[0].arrived,
            **words,
        )
        elementwise = kinds == {"local"} or rules == [sent.edges[0].arrived]
        if elementwise and arrived is not None and any(math.prod(shape) < math.prod(arrived.shape) for shape in shapes):
            summed = say(lang, "hint-summed", **words)
    added = say(lang, "hint-added", count=len(sent.edges)) if len(sent.edges) > 1 else ""
    return joined(lang, [arrives, rule, summed, added])


def _formula(passed: EdgeGradient) -> str:
    if not passed.left or not passed.equals:
        return ""
    return shorten(
        f"{passed.left} = {passed.equals[0]}" if passed.formula.kind == "local" else passed.equals[0], FORMULA
    )


def _added(values: Sequence[Value | None]) -> list[float] | None:
    """Add real values of one shape entrywise. Returns None if entries are missing."""
    if not values or any(value is None or value.data is None or value.shape != values[0].shape for value in values):
        return None
    if any(isinstance(entry, complex) for value in values for entry in value.data):
        return None
    return [float(sum(map(real, entries))) for entries in zip(*(value.data for value in values), strict=True)]


def _place(value: Value) -> int | None:
    total = _added([value])
    return None if total is None else _place_among(total)


def _place_among(entries: Sequence[float]) -> int | None:
    """Pick an easy entry to ask about, preferably not 0 or 1."""
    if len(entries) == 1:
        return 0 if math.isfinite(entries[0]) else None
    easy = [i for i, entry in enumerate(entries) if math.isfinite(entry) and _is_easy(entry)]
    if 2 * len(easy) < len(entries):  # a few easy numbers can be a coincidence
        return None
    return max(easy, key=lambda i: (entries[i] != 0, abs(entries[i]) != 1), default=None)


def _is_easy(entry: float) -> bool:
    """Return whether a number has at most three digits or a small denominator."""
    near = 1e-6 * abs(entry)
    if abs(float(f"{entry:.2e}") - entry) <= near:
        return True
    return any(abs(round(entry * below) / below - entry) <= near for below in (3, 6, 7, 9, 11, 12))
