"""Run a lesson's programs in child processes, and find faults of lessons and courses.

These are missing facts, checks that hold too early or never, wrong answers that are right, and unreachable replies.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from explorer.lessons.answers import KINDS, failing, judge_make, known_mistakes, right_answer
from explorer.lessons.asks import AxesAsk, CardName, ChoiceAsk, MakeAsk, NumberAsk, PrintsAsk, ShapeAsk
from explorer.lessons.course import COURSE, HERE, own_course, read_course, read_folder, read_pack
from explorer.lessons.facts import LessonRun, found, holds
from explorer.lessons.flaws import Flaw, line_of
from explorer.lessons.lesson import PROGRAM, TOML, Lesson, program_of, read_lesson
from explorer.program import Unusable
from explorer.sandbox import Runner
from explorer.text import say
from explorer.text.numbers import sizes
from explorer.trace import Failure, Options, Trace, ends_cell
from explorer.workers.diagnoses import diagnoses_of
from explorer.workers.explanations import explanations_of

FULL = Options(full=("*",))  # questions may ask about every entry of every tensor


def lesson_run(trace: Trace) -> LessonRun:
    """Build a lesson's run with lazy kinds of errors and diagnoses."""
    return LessonRun(
        trace,
        lambda: [explanation.kind for explanation in explanations_of(trace).found.values()],
        lambda: [finding.kind for finding in diagnoses_of(trace)],
    )


def flaws_of(lesson: Lesson, runner: Runner) -> list[Flaw]:
    """Find a lesson's faults by running its programs."""
    runs = {}
    for text in programs(lesson):
        try:
            runs[text] = runner.submit(program_of(text), FULL)
        except Unusable:
            return [Flaw(TOML, 1, "program-unread")]
    results = {text: lesson_run(run.result()) for text, run in runs.items()}
    return played(lesson, results.__getitem__)


def flaws_at(path: Path, runner: Runner) -> Iterator[tuple[str, list[Flaw]]]:
    """Yield a folder's faults by lesson. Raises OSError."""
    if (path / COURSE).is_file():
        course, named = read_course(path, None if path.resolve() == HERE.resolve() else own_course())
        by: dict[str, list[Flaw]] = {id: [] for id in ("", *(course.lessons if course else ()))}
        for id, flaw in named:
            by.setdefault(id, []).append(flaw)
        for id, own in by.items():
            if not id and not own:
                continue
            lesson = course.lessons.get(id) if course else None
            yield id, own or (flaws_of(lesson, runner) if lesson is not None else [])
        return
    if not path.is_dir():
        raise NotADirectoryError(f"{path} is no folder")
    lesson, flaws = read_lesson(read_folder(path))
    yield "", flaws or (flaws_of(lesson, runner) if lesson is not None else [])


def pack_flaws(pack: str) -> str:
    """List the faults of a lesson pack's files, one per line, or ""."""
    lines = [(id, flaw_text("en", flaw)) for id, flaw in read_pack(Path(pack))[1]]
    return "\n".join(f"{pack}/{id}/{line}" if id else f"{pack}/{line}" for id, line in lines)


def flaw_text(lang: str, flaw: Flaw) -> str:
    """Format a fault with file and line, like a compiler."""
    place = f"{flaw.file}:{flaw.line}" if flaw.line else flaw.file
    return f"{place}: {say(lang, f'lesson-flaw-{flaw.kind}', **flaw.values)}"


Play = Callable[[str], LessonRun]


def programs(lesson: Lesson) -> list[str]:
    """List every program that checking a lesson runs, once each."""
    found_ones = [lesson.program]
    for ask in lesson.data.ask:
        found_ones.append(lesson.program_of(ask))
        if isinstance(ask, MakeAsk):
            found_ones += [ask.solution, *(tried.program for tried in ask.wrong)]
    return [*dict.fromkeys(found_ones)]


def played(lesson: Lesson, play: Play) -> list[Flaw]:
    """Find faults of a lesson with valid files. `play` runs a program."""
    flaws = []
    for number, ask in enumerate(lesson.data.ask):
        for key, kind, values in _wrong(lesson, ask, play):
            where = line_of(lesson.files[TOML], f"$.ask[{number}].{key}")
            flaws.append(Flaw(TOML, where, kind, {"name": ask.id, **values}))
    return _broken(lesson, play) + flaws


def _broken(lesson: Lesson, play: Play) -> list[Flaw]:
    """Find a failing program, unless a question is about its error."""
    trace = play(lesson.program).trace
    wanted = not {"error", "raises"}.isdisjoint(_about_errors(lesson))
    for cell, cell_run in enumerate(trace.cells):
        for output in cell_run.outputs:
            if ends_cell(output) and not wanted:
                span = getattr(output, "span", -1)
                line = trace.line(span) + trace.cells[cell].first_line - 1 if span >= 0 else 0
                words = f"{output.type}: {output.text}" if isinstance(output, Failure) else type(output).__name__
                return [Flaw(PROGRAM, line, "program-fails", {"words": words[:300]})]
    return []


def _about_errors(lesson: Lesson) -> Iterator[str]:
    """Yield the subjects of facts about errors. Choices may be too."""
    for ask in lesson.data.ask:
        if isinstance(ask, ChoiceAsk):
            yield "error"
        elif isinstance(ask, MakeAsk):
            yield from (fact.subject for fact in ask.check if fact.error or fact.raises)
        elif isinstance(ask, NumberAsk | ShapeAsk | PrintsAsk):
            yield ask.expect.subject


def _wrong(lesson: Lesson, ask: Any, play: Play) -> Iterator[tuple[str, str, dict[str, str | int]]]:
    """Yield the key at fault, the kind, and the message values."""
    ran = play(lesson.program_of(ask))
    if isinstance(ask, MakeAsk):
        yield from _make(ask, ran, play)
    elif kind := KINDS.get(type(ask)):
        right, (key, flaw) = right_answer(ask, ran), kind.lacking
        if right is None and flaw == "no-fact":
            yield key, flaw, {"subject": ask.expect.subject}
            return
        if right is None:
            yield key, flaw, {"answer": ", ".join(ask.tensors) if isinstance(ask, AxesAsk) else _words(ask.right)}
        for mistake in ask.wrong:
            text, means = _words(mistake.says), kind.means(mistake.says, ran)
            if means is None:
                yield "wrong", flaw, {"answer": text}
            elif right is not None and kind.same(means, right):
                yield "wrong", "wrong-is-right", {"answer": text}
            elif next(iter(known_mistakes(ask, [means], ran)), "") != mistake.reply:
                yield "wrong", "wrong-taken", {"answer": text, "reply": mistake.reply}


def _words(says: object) -> str:
    """Write an answer from lesson.toml."""
    if isinstance(says, CardName):
        return says.leaf or says.node or "–"
    return sizes(tuple(says)) if isinstance(says, list) else str(says)


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
            yield "wrong", "wrong-is-right", {"answer": mistake.reply}
        elif not holds(mistake.when, tried):
            found_words = str(found(mistake.when, tried))[:80]
            yield "wrong", "when-fails", {"reply": mistake.reply, "found": found_words}
        elif reply.known != mistake.reply:
            yield "wrong", "wrong-taken", {"answer": mistake.reply, "reply": mistake.reply}
