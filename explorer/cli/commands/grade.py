"""`grade`: run a folder of submissions, each confined, and judge each by the facts of its Trace.

The checks are those of a file (`[[check]]` tables, facts as in lessons, with `points` and `name`) or of a lesson's
question that asks for a program. What a submission prints or says of itself is no check: its graph, gradients and
values are. No folder of the machine is open to it.
"""

import argparse
import csv
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from explorer.cli.commands.terminal import STATUS, CannotRun, add_command, visible
from explorer.io.json_values import dumps
from explorer.program import Unusable, load_bytes, read_program
from explorer.safe_regex import linear
from explorer.sandbox import default_runner, limits
from explorer.text import say
from explorer.trace import Options

ENDINGS = (".py", ".ipynb", ".md")
# What a program may write into a gradient by itself: then it shows nothing that .grad holds the right number.
_ASSIGNED = linear(r"\.grad(?:\.data)?(?:\[[^\]\n]*\])?\s*[-+*/@]?=\s*([^=\s][^\n]*)")
_IN_PLACE = linear(r"\.grad(?:\.data)?\.(\w+_)\(")
_INDIRECT = linear(r"setattr\(|['\"]grad['\"]")
_FORMULA = ("=", "+", "-", "@")  # with which a spreadsheet begins a formula


@dataclass(frozen=True)
class Judged:
    """One check of a submission. Attributes: name, points: of the check; earned; told: what the program did instead."""

    name: str
    points: float
    earned: float
    told: str


@dataclass(frozen=True)
class Graded:
    """A submission. Attributes: judged: every check; refused: why it was not run, "" for one that was."""

    name: str
    judged: Sequence[Judged]
    refused: str = ""

    @property
    def earned(self) -> float:
        return sum(one.earned for one in self.judged)


def parser(commands, lang: str) -> argparse.ArgumentParser:
    """The parser of `grade`."""
    command = add_command(commands, lang, "grade")
    command.set_defaults(command=run)
    command.add_argument("folder", metavar="DIR", help=say(lang, "help-grade-folder"))
    command.add_argument("checks", metavar="CHECKS", help=say(lang, "help-grade-checks"))
    command.add_argument("--csv", metavar="FILE", help=say(lang, "help-grade-csv"))
    command.add_argument("--results", metavar="DIR", help=say(lang, "help-grade-results"))
    command.add_argument("--otter", metavar="FILE", help=say(lang, "help-grade-otter"))
    command.add_argument("--lessons", default="", metavar="DIR", help=say(lang, "help-lessons"))
    return command


def run(asked: argparse.Namespace) -> int:
    """Print a line for each submission; write the tables and the results that were asked for."""
    try:
        checks = _read(asked.checks, asked.lessons)
        paths = sorted(_submissions(Path(asked.folder)))
    except (OSError, ValueError) as problem:
        raise CannotRun("grade-unread", reason=str(problem)) from None
    points = sum(each for _, each, _ in checks)
    all_graded = []
    for path in paths:
        graded = _judge(path, path.relative_to(asked.folder).as_posix(), checks, asked.lang)
        all_graded.append(graded)
        words = say(asked.lang, "grade-line", name=graded.name, earned=f"{graded.earned:g}", points=f"{points:g}")
        print(visible(words), flush=True)
        if asked.results:
            _write_results(Path(asked.results) / f"{graded.name}.json", graded)
    names = [_cell(name) for name, _, _ in checks]
    if asked.csv:
        rows = [[_cell(one.name), f"{one.earned:g}", f"{points:g}", *_earned(one)] for one in all_graded]
        _write_table(asked.csv, [["submission", "earned", "points", *names], *rows])
    if asked.otter:  # the columns and the first row of `final_grades.csv` of `otter grade`
        possible = ["points-per-question", *(f"{each:g}" for _, each, _ in checks), f"{points:g}", "1", "--"]
        rows = [
            [_cell(one.name), *_earned(one), f"{one.earned:g}", f"{one.earned / points:g}", one.refused or "Completed"]
            for one in all_graded
        ]
        _write_table(
            asked.otter, [["file", *names, "total_points_earned", "percent_correct", "grading_status"], possible, *rows]
        )
    return STATUS["ok"]


def _earned(graded: Graded) -> list[str]:
    return [f"{one.earned:g}" for one in graded.judged]


def _write_table(path: str, rows: list[list[str]]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def _read(said: str, pack: str) -> list[tuple[str, float, Any]]:
    """The name, the points and the fact of every check. Raises OSError and ValueError.

    Args:
        said: a file, or a lesson such as `autograd/leaf`; `autograd/leaf#keep` names one of its questions.
        pack: the folder of a lesson pack, or "".
    """
    from explorer.lessons.asks import Fact
    from explorer.lessons.course import course, read_pack
    from explorer.lessons.flaws import line_of
    from explorer.lessons.runs import pack_flaws

    whole = read_pack(Path(pack))[0] if pack else course()
    if whole is None:
        raise ValueError(pack_flaws(pack))
    id, _, question = said.partition("#")
    if id in whole.lessons:
        return _of_lesson(whole.lessons[id], question)
    path = Path(said)
    text = path.read_text("utf-8")
    checks = []
    for number, table in enumerate(tomllib.loads(text).get("check", []), 1):
        place = f"{path.name}:{line_of(text, f'$.check[{number - 1}]')}"
        try:
            name, points = str(table.pop("name", number)), float(table.pop("points", 1))
            fact = msgspec.convert(table, Fact)
        except (msgspec.ValidationError, TypeError, AttributeError) as problem:
            raise ValueError(f"{place}: {problem}") from problem
        if not fact.subject or not fact.requires or points <= 0:
            raise ValueError(f"{place}: check {name} requires nothing")
        checks.append((name, points, fact))
    if not checks:
        raise ValueError(f"{path.name}: no [[check]]")
    return checks


def _of_lesson(lesson: Any, question: str) -> list[tuple[str, float, Any]]:
    """The checks of a lesson's question that asks for a program, or of its last one, a point each."""
    from explorer.lessons.asks import MakeAsk

    asks = [ask for ask in lesson.data.ask if isinstance(ask, MakeAsk) and question in ("", ask.id)]
    if not asks:
        raise ValueError(f"{lesson.id}: no question {question} of the kind make")
    return [(f"{asks[-1].id} {number}: {fact.subject}", 1.0, fact) for number, fact in enumerate(asks[-1].check, 1)]


def _submissions(folder: Path) -> Iterator[Path]:
    """The programs of a folder, and of each folder in it."""
    for path in folder.iterdir():
        for one in path.iterdir() if path.is_dir() else [path]:
            if one.suffix in ENDINGS and one.is_file() and not one.is_symlink():
                yield one


def _judge(path: Path, of: str, checks: list[tuple[str, float, Any]], lang: str) -> Graded:
    """The judgement of every check; nothing is earned by a file that cannot be run."""
    from explorer.lessons.facts import describe_failed_check, holds
    from explorer.lessons.runs import lesson_run

    try:
        program = read_program(str(path), load_bytes(str(path)))
        trace = default_runner().submit(program, limits().of(Options(full=("*",)))).result()
    except Unusable as problem:
        reason = problem.message.text(lang)
        return Graded(of, [Judged(name, points, 0, reason) for name, points, _ in checks], reason)
    ran, judged = lesson_run(trace), []
    written = not trace.backwards or any(_writes_gradients(cell.source) for cell in trace.cells)
    for name, points, fact in checks:
        if fact.subject == "gradient" and written:
            judged.append(Judged(name, points, 0, say(lang, "grade-no-backward")))
            continue
        right = holds(fact, ran)
        reason = "" if right else " ".join(one.text(lang) for one in describe_failed_check(fact, ran))
        judged.append(Judged(name, points, points if right else 0, reason))
    return Graded(of, judged)


def _writes_gradients(text: str) -> bool:
    """Whether a program sets `.grad` to anything but None or zeros."""
    assigned = (match[1].rpartition("=")[2].partition("#")[0].partition(";")[0] for match in _ASSIGNED.finditer(text))
    return (
        any(value.strip() != "None" for value in assigned)
        or any(match[1] != "zero_" for match in _IN_PLACE.finditer(text))
        or _INDIRECT.search(text) is not None
    )


def _write_results(path: Path, graded: Graded) -> None:
    """The results of one submission as Gradescope reads them, and as `otter run` writes them."""
    tests = [
        {
            "name": one.name,
            "score": one.earned,
            "max_score": one.points,
            "status": "passed" if one.earned else "failed",
            "output": one.told,
        }
        for one in graded.judged
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dumps({"score": graded.earned, "tests": tests}) + "\n", "utf-8")


def _cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text
