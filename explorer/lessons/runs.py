"""Run a lesson's programs, each in a child, and describe the faults of a lesson or a course."""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from explorer.lessons import Flaw, Lesson, LessonRun, read_course, read_lesson
from explorer.lessons.course import COURSE, HERE, MOST_FILE, own_course, read_folder, read_pack
from explorer.lessons.lesson import TOML, program_of
from explorer.lessons.run_checks import played, programs
from explorer.program import Unusable
from explorer.sandbox import Runner
from explorer.text import say
from explorer.trace import Options, Trace
from explorer.workers.diagnoses import diagnoses_of
from explorer.workers.explanations import explanations_of

FULL = Options(full=("*",))  # questions may ask about every entry of every tensor


def lesson_run(trace: Trace) -> LessonRun:
    """A run with its Trace, and with the kinds of its errors and diagnoses when asked for."""
    return LessonRun(trace, partial(_error_kinds, trace), partial(_diagnosis_kinds, trace))


def _error_kinds(trace: Trace) -> tuple[str, ...]:
    return tuple(explanation.kind for explanation in explanations_of(trace).found.values())


def _diagnosis_kinds(trace: Trace) -> tuple[str, ...]:
    return tuple(finding.kind for finding in diagnoses_of(trace))


def flaws_of(lesson: Lesson, runner: Runner, options: Options = FULL) -> list[Flaw]:
    """The faults of a lesson that running its programs shows."""
    runs = {}
    for text in programs(lesson):
        try:
            runs[text] = runner.submit(program_of(text), options)
        except Unusable:
            return [Flaw(TOML, 1, "program-unread")]
    known = {text: lesson_run(run.result()) for text, run in runs.items()}
    return played(lesson, known.__getitem__)


def flaws_at(path: Path, runner: Runner, options: Options = FULL) -> Iterator[tuple[str, list[Flaw]]]:
    """The faults of a lesson (a folder, or one .toml file) or a course, by lesson; "" for the whole.

    Raises OSError if nothing can be read.
    """
    if (path / COURSE).is_file():
        course, named = read_course(path, None if path.resolve() == HERE.resolve() else own_course())
        by: dict[str, list[Flaw]] = {id: [] for id in ("", *(course.lessons if course else ()))}
        for id, flaw in named:
            by.setdefault(id, []).append(flaw)
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


def pack_flaws(pack: str) -> str:
    """The faults of the files of a lesson pack, one in each line; "" for none."""
    lines = [(id, flaw_text("en", flaw)) for id, flaw in read_pack(Path(pack))[1]]
    return "\n".join(f"{pack}/{id}/{line}" if id else f"{pack}/{line}" for id, line in lines)


def flaw_text(lang: str, flaw: Flaw) -> str:
    """A fault with its file and line, as a compiler prints it."""
    place = f"{flaw.file}:{flaw.line}" if flaw.line else flaw.file
    return f"{place}: {say(lang, f'lesson-flaw-{flaw.kind}', **flaw.values)}"


def flaw_texts(lang: str, flaws: Iterable[Flaw]) -> list[str]:
    """The same of several."""
    return [flaw_text(lang, flaw) for flaw in flaws]
