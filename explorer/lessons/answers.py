"""Judge answers to questions, and recognize known mistakes, without evaluating anything."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import eq
from typing import Any

from explorer.analysis.explain.autograd.guesses import is_number, read_numbers, read_shape
from explorer.analysis.views.broadcasting.alignment import align
from explorer.lessons.asks import Ask, AxesAsk, CardAsk, CardName, ChoiceAsk, MakeAsk, NumberAsk, PrintsAsk, ShapeAsk
from explorer.lessons.facts import Answer, LessonRun, Reply, flat, found, holds
from explorer.trace import Trace


@dataclass(frozen=True)
class AskKind:
    """How answers to one kind of question are judged.

    Attributes:
        right: returns the right answer, or None.
        read: returns the answers that a learner may mean, none if unreadable.
        lacking: for a lesson without a right answer, or with an impossible mistake, the key at fault and kind of
            flaw.
        means: returns the answer of a mistake in lesson.toml, or None.
        same: returns whether two answers are equal.
    """

    right: Callable[[Any, LessonRun | None], Any]
    read: Callable[[Any], Sequence[Any]]
    lacking: tuple[str, str] = ("expect", "no-fact")
    means: Callable[[Any, LessonRun | None], Any] = lambda says, _: says
    same: Callable[[Any, Any], bool] = eq


def right_answer(ask: Ask, ran: LessonRun | None) -> Any:
    """Return the right answer from the shown program's run, or None."""
    return KINDS[type(ask)].right(ask, ran)


def judge(ask: Ask, given: Any, ran: LessonRun | None = None) -> Reply:
    """Judge an answer (text, card's nodes, or axes from the last) by a run."""
    kind = KINDS[type(ask)]
    right, answers = kind.right(ask, ran), kind.read(given)
    if right is None or not answers:
        return Reply(None)
    return _reply(any(kind.same(answer, right) for answer in answers), known_mistakes(ask, answers, ran))


def nearness(ask: Ask, given: str, ran: LessonRun | None) -> str:
    """Return how a number or shape is wrong, or ""."""
    answers = KINDS[type(ask)].read(given) if isinstance(ask, NumberAsk | ShapeAsk) else ()
    right = right_answer(ask, ran) if answers else None
    if isinstance(right, list):
        return "sizes" if len(answers[0]) == len(right) else "axes"
    if not right or not math.isfinite(right) or not math.isfinite(answers[0]):
        return ""
    if answers[0] * right < 0:
        return "sign"
    beyond = abs(answers[0]) > abs(right)
    return ("large" if beyond else "small") if right > 0 else "far" if beyond else "close"


def known_mistakes(ask: Any, answers: Sequence[Any], ran: LessonRun | None) -> Iterable[str]:
    """Yield the replies to known mistakes in lesson.toml that the answers match, in order."""
    kind = KINDS[type(ask)]
    for mistake in ask.wrong:
        means = kind.means(mistake.says, ran)
        if means is not None and any(kind.same(answer, means) for answer in answers):
            yield mistake.reply


def _reply(right: bool, replies: Iterable[str]) -> Reply:
    """Build a judgement with the reply to its known mistake."""
    return Reply(True) if right else Reply(False, next(iter(replies), ""))


def _number(ask: NumberAsk, ran: LessonRun | None) -> Answer:
    answer = _find(ask, ran)
    if isinstance(answer, str):
        answer = next(iter(read_numbers(answer)), None)
    several = isinstance(answer, list) and ask.expect.subject not in ("error", "diagnosis", "raises")
    if several and len({*flat(answer)}) == 1:
        answer = flat(answer)[0]
    return answer if isinstance(answer, int | float) and not isinstance(answer, bool) else None


def _shape(ask: ShapeAsk, ran: LessonRun | None) -> Answer:
    answer = _find(ask, ran)
    return answer if isinstance(answer, list) and all(isinstance(size, int) for size in answer) else None


def _print(ask: PrintsAsk, ran: LessonRun | None) -> Answer:
    answer = _find(ask, ran)
    return str(answer) if isinstance(answer, str | int | float) and str(answer).strip() else None


def _find(ask: NumberAsk | ShapeAsk | PrintsAsk, ran: LessonRun | None) -> Answer:
    return None if ran is None else found(ask.expect, ran)


def same_print(printed: str, other: str) -> bool:
    """Return whether two printed texts agree apart from blanks and quote style.

    >>> same_print("tensor([1., 2.])", "tensor([1.,2.])"), same_print("5.", "5")
    (True, False)
    """
    return _bare(printed) == _bare(other)


def _bare(text: str) -> str:
    return "".join(text.replace("−", "-").replace("，", ",").replace('"', "'").split())


def node_of(trace: Trace, name: CardName) -> int | None:
    """Return a card's node, for a leaf its AccumulateGrad, or None."""
    nodes = trace.nodes
    if name.leaf is not None:
        tensor = trace.bound(name.leaf)
        return next((node for node, of in enumerate(nodes.variable) if of == tensor and of >= 0), None)
    named = [
        node for node, string in enumerate(nodes.name) if trace.strings[string] == name.node and nodes.made_by[node] < 0
    ]
    return named[name.which] if name.which < len(named) else None


def stretched(ask: AxesAsk, ran: LessonRun) -> list[list[int]] | None:
    """Return each tensor's broadcast axes (−1: last), None if shapes clash."""
    bound = [ran.trace.bound(name) for name in ask.tensors]
    if any(tensor is None for tensor in bound):
        return None
    shapes = [tuple(ran.trace.shapes[ran.trace.tensors.shape[tensor]]) for tensor in bound if tensor is not None]
    aligned = align(shapes)
    if aligned.result is None:
        return None
    return [
        [axis.dim for axis in aligned.columns if axis.sizes[number] is None or axis.stretched(number)]
        for number in range(len(shapes))
    ]


def judge_make(ask: MakeAsk, ran: LessonRun) -> Reply:
    """Judge a changed program."""
    replies = (tried.reply for tried in ask.wrong if holds(tried.when, ran))
    return _reply(not failing(ask, ran), replies)


def failing(ask: MakeAsk, ran: LessonRun) -> list:
    """Return the checks that fail."""
    return [fact for fact in ask.check if not holds(fact, ran)]


def _card(name: CardName, ran: LessonRun | None) -> int | None:
    return None if ran is None else node_of(ran.trace, name)


KINDS: dict[type, AskKind] = {
    NumberAsk: AskKind(_number, read_numbers, means=lambda says, _: float(says), same=is_number),
    ShapeAsk: AskKind(_shape, lambda given: [[*shape] for shape in [read_shape(given)] if shape is not None]),
    PrintsAsk: AskKind(_print, lambda given: [given] if given.strip() else [], same=same_print),
    ChoiceAsk: AskKind(lambda ask, _: ask.right, lambda given: [given]),
    CardAsk: AskKind(lambda ask, ran: _card(ask.right, ran), list, ("right", "no-card"), _card),
    AxesAsk: AskKind(
        lambda ask, ran: None if ran is None else stretched(ask, ran),
        lambda marked: [[sorted(axes) for axes in marked]],
        ("tensors", "no-broadcast"),
    ),
}
