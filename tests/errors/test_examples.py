"""Every explained kind of error: sentences in every language, and a program that ends with it.

The programs are in `examples/`, one file per catalogue: `=== kind`, then the program. Text before the first is put
before each. `--> line` expects an offered fix that runs and has this line in place of another; `--> nothing` expects
none.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from fluent.syntax import FluentParser
from fluent.syntax import ast as ftl
from msgspec.structs import replace
from torch.distributions import Distribution

from explorer.analysis.diagnose.errors.failure_context import Explanation
from explorer.analysis.diagnose.errors.replies import explain
from explorer.analysis.diagnose.messages import finding_text
from explorer.text import LANGUAGES
from explorer.trace import Failure, Trace
from tests.traces import trace_of

ROOT = Path(__file__).parents[2]
SENTENCES = ROOT / "explorer/text/en"
ROOMS = sorted(path.stem for path in Path(__file__).parent.glob("examples/*.txt"))
# Beyond the limit: tests/workers/test_explanations.py; in a folder: tests/sandbox/test_folder.py.
BEYOND = {"beyond", "file-outside-folder"}


class Example(NamedTuple):
    """A program, the kind of error that ends it, and the line that a change must have."""

    kind: str
    program: str
    fixed: str


def examples(room: str) -> dict[str, Example]:
    """Return the programs of a room by kind and number."""
    text = (Path(__file__).parent / f"examples/{room}.txt").read_text(encoding="utf-8")
    head, *parts = re.split(r"^=== (.*)\n", text, flags=re.MULTILINE)
    found: dict[str, Example] = {}
    for kind, part in zip(parts[::2], parts[1::2], strict=True):
        program, _, fixed = part.rstrip("\n").partition("\n--> ")
        number = sum(example.kind == kind for example in found.values()) + 1
        found[f"{kind} {number}" if number > 1 else kind] = Example(kind, head + program, fixed)
    return found


def kinds_with_sentences(room: str) -> set[str]:
    """Return the kinds that a file of sentences is about."""
    body = FluentParser().parse((SENTENCES / f"explain_{room}.ftl").read_text(encoding="utf-8")).body
    ids = {entry.id.name for entry in body if isinstance(entry, ftl.Message)}
    return {name.removeprefix("error-") for name in ids if name.startswith("error-")}


@cache
def ended(room: str, name: str) -> tuple[Trace, Explanation | None]:
    """Run a program; return its Trace and the explanation of its last error."""
    trace = trace_of(ALL[room, name].program)
    return trace, _last(trace)


def _last(trace: Trace) -> Explanation | None:
    cell, _, failure = trace.shown(Failure)[-1]
    return explain(trace, cell, failure)


@pytest.fixture(scope="module", autouse=True)
def _validated():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Distribution, "_validate_args", True)  # torch.compile in another test switches it off for good
        yield


ALL = {(room, name): example for room in ROOMS for name, example in examples(room).items()}


def test_every_file_of_sentences_has_its_programs():
    assert sorted(path.stem.removeprefix("explain_") for path in SENTENCES.glob("explain_*.ftl")) == ROOMS


@pytest.mark.parametrize("room", ROOMS)
def test_every_kind_has_sentences_and_a_program(room):
    assert {example.kind for example in examples(room).values()} == kinds_with_sentences(room) - BEYOND


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("room", "name"), ALL)
def test_a_program_ends_with_its_kind_and_the_change_that_is_offered_runs(room, name):
    kind, _, fixed = ALL[room, name]
    trace, found = ended(room, name)
    assert found is not None and found.kind == kind
    assert all(finding_text(lang, found, part) for lang in LANGUAGES for part in ("title", "cause", "repair"))
    assert bool(found.repaired_source) is (fixed != "nothing") or not fixed
    if found.repaired_source:
        before, after = trace.cells[found.repairs[0].cell].source.split("\n"), found.repaired_source.split("\n")
        assert not fixed or after.count(fixed) > before.count(fixed)
        assert sum(line in after for line in before) >= len(before) - 3  # the fix keeps the other lines
        cells = [cell.source for cell in trace.cells]
        cells[found.repairs[0].cell] = found.repaired_source
        assert trace_of("\n# %%\n".join(cells)).status == "ok"


@pytest.mark.thorough
@pytest.mark.parametrize(("room", "name"), ALL)
def test_every_rule_works_without_a_place_or_operation(room, name):
    trace, _ = ended(room, name)
    cell, _, failure = trace.shown(Failure)[-1]
    unrecorded = replace(trace, operations=replace(trace.operations, error=[-1] * len(trace.operations)))
    explain(trace, cell, replace(failure, span=-1, frames=[]))
    explain(unrecorded, cell, failure)
