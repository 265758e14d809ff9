"""Lesson files: the documented examples are valid, and every possible flaw is reported with its line."""

import re
from functools import cache
from pathlib import Path

import pytest

from explorer.analysis.diagnose.errors.replies import explain
from explorer.analysis.diagnose.faults.diagnosis import diagnose
from explorer.lessons.facts import LessonRun
from explorer.lessons.lesson import read_lesson
from explorer.lessons.runs import flaw_text, played
from explorer.trace import Failure, Trace
from tests.measured import grows_in_proportion
from tests.traces import trace_of

DOCS = Path(__file__).parents[2] / "docs" / "lessons.md"


def example(number: int) -> dict[str, bytes]:
    """Return the files of an example in docs/lessons.md."""
    part = re.split(r"^## An example: .*$", DOCS.read_text(), flags=re.M)[number]
    return {name: body.encode() for name, body in re.findall(r"^`([\w.]+)`\n\n```\w+\n(.*?)^```$", part, re.M | re.S)}


def error_kinds(trace: Trace) -> list[str]:
    failed = [(i, one) for i, cell in enumerate(trace.cells) for one in cell.outputs if isinstance(one, Failure)]
    return [told.kind for cell, one in failed if (told := explain(trace, cell, one))]


@cache
def play(program: str) -> LessonRun:
    """Return a program of a lesson, run in this process."""
    trace = trace_of(program, full=("*",))
    return LessonRun(trace, lambda: error_kinds(trace), lambda: [one.kind for one in diagnose(trace)])


def flaws(files: dict[str, bytes], lang: str = "en") -> list[str]:
    lesson, found = read_lesson(files)
    found = found or (played(lesson, play) if lesson else [])
    return [flaw_text(lang, one) for one in found]


@pytest.mark.parametrize("number", [1, 2])
def test_the_documented_examples_are_sound(number):
    files = example(number)
    assert len(files) == 4
    assert flaws(files) == []


# Changes to the first example (file, from, to), and the reported flaw.
WRONG = [
    ("lesson.toml", 'kind = "number"', 'kind = "guess"', r"^lesson.toml:6: .*'guess'"),
    ("lesson.toml", 'gradient = "x" }', 'gradeint = "x" }', r"^lesson.toml:7: .*gradeint"),
    ("lesson.toml", 'concepts = ["gradient"', 'concepts = ["gradient', r"^lesson.toml:1: This is not valid TOML"),
    ("lesson.toml", '{ gradient = "x" }', '{ gradient = "z" }', r"^lesson.toml:7: .*has no answer"),
    ("lesson.toml", '{ gradient = "x" }', '{ gradient = "x", value = "x" }', r"^lesson.toml:7: .*exactly one"),
    ("lesson.toml", "says = 9", "says = 6", r"^lesson.toml:8: .*calls a right answer wrong: 6"),
    ("lesson.toml", "equals = 12 }, { backwards = 1 }", "equals = 6 }", r"^lesson.toml:13: .*pass before"),
    ("lesson.toml", "equals = 12 }, ", "equals = 12, entry = [5] }, ", r"^lesson.toml:14: .*does not satisfy"),
    ("lesson.toml", ", equals = 12 }, ", " }, ", r"^lesson.toml:13: .*without a required value"),
    ("lesson.toml", "equals = 24", "equals = 25", r"^lesson.toml:\d+: .*its own `when`"),
    ("lesson.toml", 'reply = "no-factor"', 'reply = "other"', r"^en.md:5: .*### wrong other” is missing"),
    ("program.py", "y.backward()", "y.backwards()", r"^program.py:5: The program stops here: AttributeError"),
    ("program.py", "import torch\n", "\n" * 30_000, r"^program.py: The file has 30,\d+ bytes"),
    ("en.md", "### right\n$2", "### correct\n$2", r"^en.md:9: “### correct” is not a lesson heading"),
    ("en.md", "What will", "What <b>will", r"^en.md:6: HTML is not rendered: <b>"),
    ("en.md", "# The slope", "The slope", r"^en.md:1: .*one title"),
    ("zh.md", "$2x$ 是多少", "$3x$ 是多少", r"^zh.md:5: .*\$3x\$ here, \$2x\$ in the other"),
    ("zh.md", "## ask twelve", "## ask eleven", r"^zh.md:1: The text asks slope, eleven, lesson.toml slope, twelve"),
    ("zh.md", "### hint\n$2x$ 在哪里等于 12？\n", "", r"^zh.md:\d+: .*0 hints here, 1"),
]


@pytest.mark.parametrize(("file", "text", "instead", "told"), WRONG)
def test_a_flaw_is_named_with_its_place(file, text, instead, told):
    files = example(1)
    assert text.encode() in files[file]
    files[file] = files[file].replace(text.encode(), instead.encode(), 1)
    said = flaws(files)
    assert any(re.search(told, one) for one in said), said
    assert len(flaws(files, "zh")) == len(said)


def test_missing_files_and_texts_are_named():
    files = example(1)
    assert [one.partition(":")[0] for one in flaws({})] == ["lesson.toml"]
    assert [one.partition(":")[0] for one in flaws(files | {"zh.md": b"\xff"})] == ["zh.md"]
    del files["program.py"]
    assert flaws(files)[0].startswith("program.py: The file is missing")


HOSTILE = {
    "many lines": lambda n: b"a = 1\n" * (n // 6),
    "nested lists": lambda n: b"a = " + b"[" * (n // 2),
    "nested tables": lambda n: b"a = " + b"{a=" * (n // 3),
    "dotted": lambda n: b"a" + b".a" * (n // 2) + b" = 1",
    "dotted, many lines": lambda n: b"\n".join(b"a" + b".a" * 99 + b".b%d = 1" % i for i in range(n // 210)),
    "headers": lambda n: b"".join(b"[[a.b.c%d]]\n" % (i % 7) for i in range(n // 12)),
    "open text": lambda n: b'a = """' + b"x\n" * (n // 2),
    "escapes": lambda n: b'a = "' + b"\\\\" * (n // 2),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_in_proportion_to_their_length(name):
    def refuse(length: int) -> None:
        text = HOSTILE[name](length)
        lesson, found = read_lesson({"lesson.toml": text})
        assert lesson is None and found
        texts = {"en.md": text[: length // 2].replace(b"a", b"`$<"), "zh.md": b"## ask a\n" * (length // 16)}
        read_lesson(example(1) | texts)

    assert grows_in_proportion(refuse, 12_000)


def test_a_file_of_five_megabytes_is_refused():
    lesson, found = read_lesson({"lesson.toml": b"a = 1\n" * 900_000})
    assert lesson is None and found
