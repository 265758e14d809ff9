"""`grade`: run a folder of submissions, each confined, and judge each by the facts of its Trace.

The checks are those of a file (`[[check]]` tables, facts as in lessons, with `points` and `name`). What a submission
prints or says of itself is no check: its graph, gradients and values are. No folder of the machine is open to it.
"""

import argparse
import csv
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from explorer.analysis.messages import unusable_text
from explorer.cli.commands.terminal import STATUS, add_command, visible
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


def parser(commands, lang: str) -> argparse.ArgumentParser:
    """The parser of `grade`."""
    found = add_command(commands, lang, "grade")
    found.set_defaults(command=run)
    found.add_argument("folder", metavar="DIR", help=say(lang, "help-grade-folder"))
    found.add_argument("checks", metavar="CHECKS", help=say(lang, "help-grade-checks"))
    found.add_argument("--csv", metavar="FILE", help=say(lang, "help-grade-csv"))
    found.add_argument("--results", metavar="DIR", help=say(lang, "help-grade-results"))
    return found


def run(asked: argparse.Namespace) -> int:
    """Print a line for each submission; write the table and the results that were asked for."""
    try:
        checks = _read(Path(asked.checks))
        paths = sorted(_submissions(Path(asked.folder)))
    except (OSError, ValueError) as problem:
        print(visible(say(asked.lang, "grade-unread", reason=str(problem))), file=sys.stderr)
        return STATUS["unusable"]
    table = []
    for path in paths:
        name = path.relative_to(asked.folder).as_posix()
        judged = _judge(path, checks, asked.lang)
        earned, points = sum(one.earned for one in judged), sum(one.points for one in judged)
        print(visible(say(asked.lang, "grade-line", name=name, earned=f"{earned:g}", points=f"{points:g}")), flush=True)
        table.append([_cell(name), f"{earned:g}", f"{points:g}", *(f"{one.earned:g}" for one in judged)])
        if asked.results:
            _write_results(Path(asked.results) / f"{name}.json", judged)
    if asked.csv:
        with open(asked.csv, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(
                [["submission", "earned", "points", *(_cell(name) for name, _, _ in checks)], *table]
            )
    return STATUS["ok"]


def _read(path: Path) -> list[tuple[str, float, Any]]:
    """The checks of a file: the name, the points and the fact of each. Raises OSError and ValueError."""
    from explorer.lessons.asks import Fact

    tables = tomllib.loads(path.read_text("utf-8")).get("check", [])
    found = []
    for number, table in enumerate(tables, 1):
        name, points = str(table.pop("name", number)), float(table.pop("points", 1))
        fact = msgspec.convert(table, Fact)
        if not fact.subject or not fact.requires or points <= 0:
            raise ValueError(f"{path.name}: check {name}")
        found.append((name, points, fact))
    if not found:
        raise ValueError(f"{path.name}: no [[check]]")
    return found


def _submissions(folder: Path) -> Iterator[Path]:
    """The programs of a folder, and of each folder in it."""
    for path in folder.iterdir():
        for one in path.iterdir() if path.is_dir() else [path]:
            if one.suffix in ENDINGS and one.is_file() and not one.is_symlink():
                yield one


def _judge(path: Path, checks: list[tuple[str, float, Any]], lang: str) -> list[Judged]:
    """The judgement of every check; nothing is earned by a file that cannot be run."""
    from explorer.lessons.facts import describe_failed_check, holds
    from explorer.lessons.runs import lesson_run

    try:
        program = read_program(str(path), load_bytes(str(path)))
        trace = default_runner().submit(program, limits().of(Options(full=("*",)))).result()
    except Unusable as problem:
        return [Judged(name, points, 0, unusable_text(lang, problem)) for name, points, _ in checks]
    ran, judged = lesson_run(trace), []
    written = not trace.backwards or any(_writes_gradients(cell.source) for cell in trace.cells)
    for name, points, fact in checks:
        if fact.subject == "gradient" and written:
            judged.append(Judged(name, points, 0, say(lang, "grade-no-backward")))
            continue
        right = holds(fact, ran)
        told = "" if right else " ".join(one.text(lang) for one in describe_failed_check(fact, ran))
        judged.append(Judged(name, points, points if right else 0, told))
    return judged


def _writes_gradients(text: str) -> bool:
    """Whether a program sets `.grad` to anything but None or zeros."""
    assigned = (found[1].rpartition("=")[2].partition("#")[0].partition(";")[0] for found in _ASSIGNED.finditer(text))
    return (
        any(value.strip() != "None" for value in assigned)
        or any(found[1] != "zero_" for found in _IN_PLACE.finditer(text))
        or _INDIRECT.search(text) is not None
    )


def _write_results(path: Path, judged: list[Judged]) -> None:
    """The results of one submission as Gradescope reads them, which otter-grader writes too."""
    tests = [
        {
            "name": one.name,
            "score": one.earned,
            "max_score": one.points,
            "status": "passed" if one.earned else "failed",
            "output": one.told,
        }
        for one in judged
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dumps({"score": sum(one.earned for one in judged), "tests": tests}) + "\n", "utf-8")


def _cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text
