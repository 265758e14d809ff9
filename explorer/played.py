"""A lesson's programs run, each in a child, and what is wrong with a lesson or a course said in sentences."""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from explorer.diagnosed import diagnosed
from explorer.explained import explained
from explorer.lessons import Flaw, Lesson, Ran, read_course, read_lesson
from explorer.lessons.checking import played, programs
from explorer.lessons.course import COURSE, MOST_FILE, read_folder
from explorer.lessons.lesson import TOML, program_of
from explorer.program import Unusable
from explorer.sandbox import Runner
from explorer.text import say
from explorer.trace import Options, Trace

FULL = Options(full=("*",))  # every entry of every tensor is asked about


def ran(trace: Trace) -> Ran:
    """A Trace with what its errors and its silent faults are called, as far as somebody asks."""
    return Ran(trace, partial(_error_kinds, trace), partial(_diagnosis_kinds, trace))


def _error_kinds(trace: Trace) -> tuple[str, ...]:
    return tuple(one.kind for one in explained(trace).found.values())


def _diagnosis_kinds(trace: Trace) -> tuple[str, ...]:
    return tuple(one.found.kind for one in diagnosed(trace))


def flaws_of(lesson: Lesson, runner: Runner, options: Options = FULL) -> list[Flaw]:
    """What running a lesson's programs says is wrong with it."""
    runs = {}
    for text in programs(lesson):
        try:
            runs[text] = runner.submit(program_of(text), options)
        except Unusable:
            return [Flaw(TOML, 1, "program-unread")]
    known = {text: ran(run.result()) for text, run in runs.items()}
    return played(lesson, known.__getitem__)


def flaws_at(path: Path, runner: Runner, options: Options = FULL) -> Iterator[tuple[str, list[Flaw]]]:
    """What is wrong with a lesson (a folder, or one .toml file) or a course, by lesson; "" for the whole.

    Raises OSError where nothing can be read.
    """
    if (path / COURSE).is_file():
        course, named = read_course(path)
        by: dict[str, list[Flaw]] = {id: [] for id in ("", *(course.lessons if course else ()))}
        for id, one in named:
            by.setdefault(id, []).append(one)
        for id, found in by.items():
            if not id and not found:
                continue
            lesson = course.lessons.get(id) if course else None
            yield id, found or (flaws_of(lesson, runner, options) if lesson is not None else [])
        return
    lesson, flaws = read_lesson(files_at(path))
    yield "", flaws or (flaws_of(lesson, runner, options) if lesson is not None else [])


def files_at(path: Path) -> dict[str, bytes]:
    """The files of a lesson: those of a folder, or the one file that holds them all. Raises OSError."""
    if path.is_dir():
        return read_folder(path)
    with path.open("rb") as file:
        return {TOML: file.read(MOST_FILE)}


def flaw_text(lang: str, flaw: Flaw) -> str:
    """Where something is wrong and what, as a compiler says it."""
    place = f"{flaw.file}:{flaw.line}" if flaw.line else flaw.file
    return f"{place}: {say(lang, f'lesson-flaw-{flaw.kind}', **flaw.values)}"


def flaw_texts(lang: str, flaws: Iterable[Flaw]) -> list[str]:
    """The same of several."""
    return [flaw_text(lang, one) for one in flaws]
