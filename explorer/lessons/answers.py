"""Whether an answer to a question is right, and which known mistake is behind a wrong one. Nothing is evaluated."""

from collections.abc import Iterable, Sequence

from explorer.analysis.autograd.guesses import is_number, read_numbers, read_shape
from explorer.analysis.broadcasting import align
from explorer.lessons.asks import (
    AxesAsk,
    CardAsk,
    CardName,
    ChoiceAsk,
    LineAsk,
    MakeAsk,
    NumberAsk,
    PrintsAsk,
    ShapeAsk,
    WireAsk,
)
from explorer.lessons.facts import Answer, LessonRun, Reply, flat, found, holds
from explorer.trace import Trace

Typed = NumberAsk | ShapeAsk | PrintsAsk


def right_answer(ask: Typed, ran: LessonRun) -> Answer:
    """What the Trace of the shown program answers; None where it has no answer of that kind."""
    answer = found(ask.expect, ran)
    match ask:
        case NumberAsk():
            if isinstance(answer, str):
                answer = next(iter(read_numbers(answer)), None)
            several = isinstance(answer, list) and ask.expect.subject not in ("error", "diagnosis", "raises")
            if several and len({*flat(answer)}) == 1:
                answer = flat(answer)[0]
            usable = isinstance(answer, int | float) and not isinstance(answer, bool)
            return answer if usable else None
        case ShapeAsk():
            return answer if isinstance(answer, list) and all(isinstance(size, int) for size in answer) else None
        case PrintsAsk():
            return str(answer) if isinstance(answer, str | int | float) and str(answer).strip() else None


def judge(ask: Typed, ran: LessonRun, said: str) -> Reply:
    """Judge a typed number, shape or printed text."""
    answer = right_answer(ask, ran)
    match ask:
        case NumberAsk(wrong=wrong):
            numbers = read_numbers(said)
            if not numbers or answer is None:
                return Reply(None)
            known = (one.reply for one in wrong if any(is_number(number, float(one.says)) for number in numbers))
            return _reply(any(is_number(number, answer) for number in numbers), known)  # type: ignore[arg-type]
        case ShapeAsk(wrong=wrong_shapes):
            shape = read_shape(said)
            if shape is None or answer is None:
                return Reply(None)
            return _reply([*shape] == answer, (one.reply for one in wrong_shapes if one.says == [*shape]))
        case PrintsAsk(wrong=wrong_texts):
            if not said.strip():
                return Reply(None)
            return _reply(
                same_print(said, str(answer)), (one.reply for one in wrong_texts if same_print(said, one.says))
            )


def _reply(right: bool, known: Iterable[str]) -> Reply:
    """The judgement of an answer, with the reply to the known mistake that it makes."""
    return Reply(True) if right else Reply(False, next(iter(known), ""))


def same_print(printed: str, other: str) -> bool:
    """Whether two printed texts are the same but for blanks, and quotation marks of a kind.

    >>> same_print("tensor([1., 2.])", "tensor([1.,2.])"), same_print("5.", "5")
    (True, False)
    """
    return _bare(printed) == _bare(other)


def _bare(text: str) -> str:
    return "".join(text.replace("−", "-").replace("，", ",").replace('"', "'").split())


def judge_choice(ask: ChoiceAsk, letter: str) -> Reply:
    """Judge a choice."""
    return _reply(letter == ask.right, (text.reply for text in ask.wrong if text.says == letter))


def line_with(program: Sequence[str], text: str) -> int:
    """The line, counted from 1 over all cells, that holds a text; 0 when none or several do."""
    found_at = [number for number, line in enumerate(program, 1) if text in line]
    return found_at[0] if len(found_at) == 1 else 0


def judge_line(ask: LineAsk, program: Sequence[str], line: int) -> Reply:
    """Judge a line (from 1) of the lesson's program."""
    known = (text.reply for text in ask.wrong if line_with(program, text.says) == line)
    return _reply(line == line_with(program, ask.right), known)


def node_of(trace: Trace, name: CardName) -> int | None:
    """The node of a card, for a leaf its AccumulateGrad, or None."""
    nodes = trace.nodes
    if name.leaf is not None:
        tensor = trace.bound(name.leaf)
        return next((node for node, of in enumerate(nodes.variable) if of == tensor and of >= 0), None)
    named = [
        node for node, string in enumerate(nodes.name) if trace.strings[string] == name.node and nodes.made_by[node] < 0
    ]
    return named[name.which] if name.which < len(named) else None


def judge_card(ask: CardAsk, trace: Trace, nodes: Sequence[int]) -> Reply:
    """Judge a card, given by the nodes it shows."""
    known = (card.reply for card in ask.wrong if node_of(trace, card.says) in nodes)
    return _reply(node_of(trace, ask.right) in nodes, known)


def judge_wire(ask: WireAsk, trace: Trace, begin: Sequence[int], end: Sequence[int]) -> Reply:
    """Judge a wire between two cards."""
    return Reply(node_of(trace, ask.begin) in begin and node_of(trace, ask.end) in end)


def stretched(ask: AxesAsk, ran: LessonRun) -> list[list[int]] | None:
    """Per tensor the axes, counted from the last (−1), that are stretched or missing; None where they do not fit."""
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


def judge_axes(ask: AxesAsk, ran: LessonRun, marked: Sequence[Sequence[int]]) -> Reply:
    """Judge the marked axes: per tensor, counted from the last."""
    right = stretched(ask, ran)
    return Reply(None) if right is None else Reply([sorted(axes) for axes in marked] == right)


def judge_make(ask: MakeAsk, ran: LessonRun) -> Reply:
    """Judge a changed program."""
    known = (tried.reply for tried in ask.wrong if holds(tried.when, ran))
    return _reply(not failing(ask, ran), known)


def failing(ask: MakeAsk, ran: LessonRun) -> list:
    """The checks that do not hold."""
    return [fact for fact in ask.check if not holds(fact, ran)]
