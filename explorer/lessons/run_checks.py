"""Find faults of a lesson by running its programs: missing facts, checks that hold too early or never, wrong answers
that are right, replies that no answer leads to.
"""

from collections.abc import Callable, Iterator
from typing import Any

from explorer.lessons.answers import KINDS, failing, judge_make, known_mistakes, node_of, right_answer
from explorer.lessons.asks import (
    AxesAsk,
    CardName,
    ChoiceAsk,
    LineAsk,
    MakeAsk,
    NumberAsk,
    PrintsAsk,
    ShapeAsk,
    WireAsk,
)
from explorer.lessons.facts import LessonRun, found, holds
from explorer.lessons.flaws import Flaw, line_of
from explorer.lessons.lesson import PROGRAM, TOML, Lesson
from explorer.text.numbers import shape_text
from explorer.trace import Failure, goes_wrong

Play = Callable[[str], LessonRun]


def programs(lesson: Lesson) -> list[str]:
    """Every program that checking a lesson runs, each once."""
    found_ones = [lesson.program]
    for ask in lesson.data.ask:
        found_ones.append(lesson.program_of(ask))
        if isinstance(ask, MakeAsk):
            found_ones += [ask.solution, *(tried.program for tried in ask.wrong)]
    return [*dict.fromkeys(found_ones)]


def played(lesson: Lesson, play: Play) -> list[Flaw]:
    """The faults of a lesson whose files are valid. `play` runs a program."""
    flaws = []
    for number, ask in enumerate(lesson.data.ask):
        for key, kind, values in _wrong(lesson, ask, play):
            where = line_of(lesson.files[TOML], f"$.ask[{number}].{key}")
            flaws.append(Flaw(TOML, where, kind, {"name": ask.id, **values}))
    return _broken(lesson, play) + flaws


def _broken(lesson: Lesson, play: Play) -> list[Flaw]:
    """A shown program that fails, unless a question is about its error."""
    trace = play(lesson.program).trace
    wanted = not {"error", "raises"}.isdisjoint(_about_errors(lesson))
    for cell, cell_run in enumerate(trace.cells):
        for output in cell_run.outputs:
            if goes_wrong(output) and not wanted:
                span = getattr(output, "span", -1)
                line = trace.line(span) + trace.cells[cell].first_line - 1 if span >= 0 else 0
                words = f"{output.type}: {output.text}" if isinstance(output, Failure) else type(output).__name__
                return [Flaw(PROGRAM, line, "program-fails", {"words": words[:300]})]
    return []


def _about_errors(lesson: Lesson) -> Iterator[str]:
    """The subjects of facts that are about errors; choices and lines may be too."""
    for ask in lesson.data.ask:
        if isinstance(ask, ChoiceAsk | LineAsk):
            yield "error"
        elif isinstance(ask, MakeAsk):
            yield from (fact.subject for fact in ask.check if fact.error or fact.raises)
        elif isinstance(ask, NumberAsk | ShapeAsk | PrintsAsk):
            yield ask.expect.subject


def _wrong(lesson: Lesson, ask: Any, play: Play) -> Iterator[tuple[str, str, dict[str, str | int]]]:
    """The key that is to blame, the kind, and the values of its sentence."""
    program = lesson.program_of(ask)
    ran = play(program)
    if isinstance(ask, MakeAsk):
        yield from _make(ask, ran, play)
    elif isinstance(ask, WireAsk):
        for name, key in ((ask.begin, "from"), (ask.end, "to")):
            if node_of(ran.trace, name) is None:
                yield key, "no-card", {"said": _words(name)}
    elif kind := KINDS.get(type(ask)):
        right, (key, flaw) = right_answer(ask, ran, program), kind.lacking
        if right is None and flaw == "no-fact":
            yield key, flaw, {"subject": ask.expect.subject}
            return
        if right is None:
            yield key, flaw, {"said": ", ".join(ask.tensors) if isinstance(ask, AxesAsk) else _words(ask.right)}
        for mistake in ask.wrong:
            said, means = _words(mistake.says), kind.means(mistake.says, (ran, program))
            if means is None:
                yield "wrong", flaw, {"said": said}
            elif right is not None and kind.same(means, right):
                yield "wrong", "wrong-is-right", {"said": said}
            elif next(iter(known_mistakes(ask, [means], (ran, program))), "") != mistake.reply:
                yield "wrong", "wrong-taken", {"said": said, "reply": mistake.reply}


def _words(says: object) -> str:
    """What lesson.toml says an answer is."""
    if isinstance(says, CardName):
        return says.leaf or says.node or "–"
    return shape_text(tuple(says)) or "()" if isinstance(says, list) else str(says)


def _make(ask: MakeAsk, ran: LessonRun, play: Play) -> Iterator[tuple[str, str, dict[str, str | int]]]:
    if all(holds(fact, ran) for fact in ask.check):
        yield "check", "already-holds", {}
    solved = play(ask.solution)
    for fact in failing(ask, solved):
        yield "solution", "never-holds", {"subject": fact.subject, "found": str(found(fact, solved))[:80]}
    for mistake in ask.wrong:
        tried = play(mistake.program)
        reply = judge_make(ask, tried)
        if reply.right:
            yield "wrong", "wrong-is-right", {"said": mistake.reply}
        elif not holds(mistake.when, tried):
            found_words = str(found(mistake.when, tried))[:80]
            yield "wrong", "when-fails", {"reply": mistake.reply, "found": found_words}
        elif reply.known != mistake.reply:
            yield "wrong", "wrong-taken", {"said": mistake.reply, "reply": mistake.reply}
