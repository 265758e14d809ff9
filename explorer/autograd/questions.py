"""What Predict asks before a step, which rule answers it, and whether an answer is right."""

import math
from collections.abc import Sequence

from msgspec import Struct

from explorer.autograd.amounts import index_of, index_text, is_listed, listed
from explorer.autograd.guesses import is_number, read_number, read_shape
from explorer.autograd.passing import Passed
from explorer.text import joined, say
from explorer.text.numbers import number, shape_text, shorten
from explorer.trace import Value, real

ROUNDS = 2  # of a loop that are asked for, beside the last one
PARTS = 5  # of a sum that a hint lists
FORMULA = 64  # cells of a formula in a hint


class Question(Struct, frozen=True):
    """One question; texts of the program stand between backticks.

    Attributes:
        text: the question; hint: the rule that answers it.
        answer: a number, or the sizes of a shape; shown: it as a text.
        wires: ids of the wires that bring what is asked for; card: the card it arrives at.
        plain: whether the answer is what the reader sees already.
    """

    text: str
    hint: str
    answer: float | tuple[int, ...]
    shown: str
    wires: tuple[str, ...] = ()
    card: str = ""
    plain: bool = False

    def judge(self, guess: str) -> bool | None:
        """Whether an answer is right, None when it says no number, or no shape."""
        if isinstance(self.answer, tuple):
            sizes = read_shape(guess)
            return None if sizes is None else sizes == self.answer
        found = read_number(guess)
        return None if found is None else is_number(found, self.answer)


class Delivery(Struct, frozen=True):
    """What an operation passes on to one receiver, over one wire or several.

    Attributes:
        card: what the program calls the operation; to: the receiver.
        arrived: the gradient of the operation, None when it is not known.
        inside: whether it left from another node of the operation than the one that gradient arrived at.
        edges: what goes over each wire, of equal shape.
        wires, receiver: their ids, and that of the receiver's card.
    """

    card: str
    to: str
    arrived: Value | None
    edges: tuple[Passed, ...]
    wires: tuple[str, ...]
    receiver: str
    inside: bool = False


def about_operation(choices: Sequence[Delivery], lang: str) -> Question | None:
    """The question about what one operation passes on: of several receivers the one with most to think about."""
    asked = [question for one in choices if (question := _about_sent(one, lang)) is not None]
    return max(asked, key=_worth, default=None)


class Leaf(Struct, frozen=True):
    """What a leaf gets.

    Attributes:
        name: what the program calls it.
        is_stored: whether it goes into `.grad`.
        total: what that holds then, or what arrived in all; before: what it held.
        parts: what each wire brought; senders: how many cards they come from.
        complete: whether these are all the parts: a wire of a loop tells only what its last round brought.
    """

    name: str
    is_stored: bool
    total: Value
    before: Value | None
    parts: tuple[Value | None, ...]
    senders: int
    complete: bool = True


def about_leaf(leaf: Leaf, lang: str) -> Question | None:
    """The question about what a leaf holds after its step."""
    name, is_stored, total = leaf.name, leaf.is_stored, leaf.total
    held = leaf.before if leaf.before is not None and (leaf.before.norm or leaf.before.nonfinite) else None
    given = [*leaf.parts, held] if held is not None else list(leaf.parts)
    adds_up = _add_up(given, total)
    if leaf.complete and _added(given) is not None and not adds_up:
        return None  # a hook changed it on the way
    plain = held is None and leaf.senders < 2 and adds_up
    to = _code(f"{name}.grad") if is_stored else _code(name)
    at = _place(total)
    if at is None:
        if not total.shape:
            return None
        message = "step-ask-leaf-shape" if is_stored else "step-ask-result-shape"
        hint = say(lang, "hint-shape", to=_code(name))
        return Question(say(lang, message, name=to), hint, total.shape, _shape(total), plain=True)
    entry = index_text(index_of(total, at))
    to = _code(f"{name}.grad{entry}") if is_stored else _code(f"{name}{entry}")
    message = "step-ask-leaf" if is_stored else "step-ask-result"
    numbers = [_code(number(one.entries[at], True)) for one in given] if adds_up and 1 < len(given) <= PARTS else []
    hint = say(lang, "hint-sum", parts=_listed(numbers, lang)) if numbers else say(lang, "hint-sum-unnamed")
    if held is not None:
        hint = joined(lang, [hint, say(lang, "hint-held", name=_code(f"{name}.grad"))])
    answer = float(real(total.entries[at]))
    return Question(say(lang, message, name=to), hint, answer, number(answer, True), plain=plain)


def about_card(name: str, gradient: Value, lang: str) -> Question | None:
    """The question about one gradient as a whole: its number, an entry of it, or its shape."""
    at = _place(gradient)
    if at is None:
        if not gradient.shape:
            return None
        asked, hint = say(lang, "step-ask-result-shape", name=_code(name)), say(lang, "hint-shape", to=_code(name))
        return Question(asked, hint, gradient.shape, _shape(gradient))
    answer = float(real(gradient.entries[at]))
    asked = say(lang, "step-ask-result", name=_code(f"{name}{index_text(index_of(gradient, at))}"))
    return Question(asked, "", answer, number(answer, True))


def worth_asking(asked: Sequence[tuple[str, Question | None]]) -> list[Question | None]:
    """The questions that are asked, of those that could be: by card, in the order of the steps.

    Of what is to be seen already one is asked, of the rounds of a loop the first ones and the last. A backward about
    which nothing else could be asked asks for what its last leaf holds.
    """
    rounds: dict[str, list[int]] = {}
    for i, (card, question) in enumerate(asked):
        if question is not None:
            rounds.setdefault(card, []).append(i)
    kept = {i for places in rounds.values() for i in (*places[:ROUNDS], places[-1])}
    found = [question if i in kept else None for i, (_, question) in enumerate(asked)]
    leaves = {i for i, (card, one) in enumerate(asked) if one is not None and one.card == card}
    passed_on = next((i for i, one in enumerate(found) if one is not None and one.plain and i not in leaves), -1)
    told = [one if one is None or not one.plain or i == passed_on else None for i, one in enumerate(found)]
    if not any(told):
        last = max((i for i, one in enumerate(found) if one is not None), default=-1)
        told = [one if i == last else None for i, one in enumerate(found)]
    return told


def _about_sent(sent: Delivery, lang: str) -> Question | None:
    results = [one.result for one in sent.edges]
    shape = results[0].shape
    known: dict[str, str | int] = {"card": _code(sent.card), "to": _code(sent.to), "count": len(results)}
    several = "-several" if len(results) > 1 else ""
    total = _added(results)
    at = None if total is None else _place_among(total)
    unchanged = len(results) == 1 and not sent.inside and sent.arrived is not None and _equal(sent.arrived, results[0])
    if at is None:
        if not shape:
            return None
        same = sent.arrived is not None and sent.arrived.shape == shape
        hint = say(lang, "hint-shape", to=_code(sent.to))
        asked = say(lang, "step-ask-shape", **known)
        return Question(asked, hint, shape, _shape(results[0]), sent.wires, sent.receiver, same)
    answer, index = total[at], index_text(index_of(results[0], at))
    asked = say(lang, f"step-ask{several}", **known)
    if index:
        asked = say(lang, f"step-ask{several}-entry", entry=_code(index), **known)
    hint = _rule(sent, unchanged, at, lang)
    return Question(asked, hint, answer, number(answer, True), sent.wires, sent.receiver, unchanged)


def _worth(question: Question) -> tuple[bool, ...]:
    """How much there is to think about: more than what stands there already, a number, one that is not 0 or 1."""
    found = question.answer
    if isinstance(found, tuple):
        return not question.plain, False, False
    return not question.plain, True, abs(found) not in (0.0, 1.0)


def _rule(sent: Delivery, unchanged: bool, at: int, lang: str) -> str:
    """The rule that gives the number: what arrived, times the local derivative, over each of the wires."""
    if unchanged:
        return say(lang, "hint-unchanged", card=_code(sent.card))
    arrived = sent.arrived
    amount = ""
    if arrived is not None and arrived.entries:
        if len(arrived.entries) == 1:
            amount = number(arrived.entries[0], True)
        elif arrived.shape == sent.edges[0].result.shape:
            amount = number(arrived.entries[at], True)
        elif is_listed(arrived):
            amount = listed(arrived)
    known = {"card": _code(sent.card), "to": _code(sent.to)}
    arrives = say(lang, "hint-arrived", gradient=_code(amount), **known) if amount else ""
    rules = list(dict.fromkeys(_formula(one) for one in sent.edges))
    kinds = {one.formula.kind for one in sent.edges}
    shapes = {one.result.shape for one in sent.edges}
    summed = ""
    if kinds == {"words"} and len(rules) == 1 and not sent.inside:
        rule = say(lang, "hint-words", rule=sent.edges[0].equals[0])
    elif sent.inside or not all(rules) or kinds.isdisjoint({"local", "whole"}):
        rule = say(lang, "hint-other", **known)
    else:
        message = "hint-whole" if kinds == {"whole"} else "hint-local"
        rule = say(lang, message, rules=_listed([_code(one) for one in rules], lang), **known)
        elementwise = kinds == {"local"} or rules == ["G"]
        if elementwise and arrived is not None and any(_is_smaller(one, arrived.shape) for one in shapes):
            summed = say(lang, "hint-summed", **known)
    added = say(lang, "hint-added", count=len(sent.edges)) if len(sent.edges) > 1 else ""
    return joined(lang, [arrives, rule, summed, added])


def _formula(one: Passed) -> str:
    if not one.left or not one.equals:
        return ""
    return shorten(f"{one.left} = {one.equals[0]}" if one.formula.kind == "local" else one.equals[0], FORMULA)


def _is_smaller(shape: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return math.prod(shape) < math.prod(other)


def _added(values: Sequence[Value | None]) -> list[float] | None:
    """Entry by entry the sum of real values of one shape, None where not all entries are at hand."""
    if not values or any(value is None or value.data is None or value.shape != values[0].shape for value in values):
        return None
    if any(isinstance(entry, complex) for value in values for entry in value.data):
        return None
    return [float(sum(map(real, entries))) for entries in zip(*(value.data for value in values), strict=True)]


def _add_up(parts: Sequence[Value | None], total: Value) -> bool:
    """Whether these are all the parts of a sum."""
    found, whole = _added(parts), _added([total])
    if found is None or whole is None or parts[0].shape != total.shape:
        return False
    return all(math.isclose(one, other, rel_tol=1e-4, abs_tol=1e-6) for one, other in zip(found, whole, strict=True))


def _place(value: Value) -> int | None:
    total = _added([value])
    return None if total is None else _place_among(total)


def _place_among(entries: Sequence[float]) -> int | None:
    """The entry to ask for: the only one, otherwise one that can be worked out in the head, rather not 0 or 1."""
    if len(entries) == 1:
        return 0 if math.isfinite(entries[0]) else None
    easy = [i for i, entry in enumerate(entries) if math.isfinite(entry) and _is_easy(entry)]
    if 2 * len(easy) < len(entries):  # the few are so by chance
        return None
    return max(easy, key=lambda i: (entries[i] != 0, abs(entries[i]) != 1), default=None)


def _is_easy(entry: float) -> bool:
    """Whether a number has at most three digits, or is a fraction with a small denominator."""
    near = 1e-6 * abs(entry)
    if abs(float(f"{entry:.2e}") - entry) <= near:
        return True
    return any(abs(round(entry * below) / below - entry) <= near for below in (3, 6, 7, 9, 11, 12))


def _equal(one: Value, other: Value) -> bool:
    return one.shape == other.shape and one.data is not None and one.data == other.data


def _shape(value: Value) -> str:
    return shape_text(value.shape) or "()"


def _listed(parts: Sequence[str], lang: str) -> str:
    return say(lang, "list-separator").replace("_", " ").join(parts)


def _code(text: str) -> str:
    return f"`{text.replace('`', chr(0x2BC))}`"
