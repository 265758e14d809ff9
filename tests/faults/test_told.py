"""Programs that raise nothing and whose gradient, or its use, is wrong are told at their line; others are not."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from explorer.analysis.faults.diagnosis import diagnose
from explorer.analysis.levels import LEVELS
from explorer.text import LANGUAGES, say
from tests.programs import traced

CASES = json.loads(Path(__file__).with_name("programs.json").read_text(encoding="utf-8"))
FURTHER = Path(__file__).with_name("further.txt").read_text(encoding="utf-8")  # === kind line name, or === fine name


def further():
    for part in re.split(r"(?m)^=== ", FURTHER)[1:]:
        head, _, source = part.partition("\n")
        kind, *line, name = head.split()
        yield pytest.param([(kind, int(line[0]))] if line else [], source, id=name)


@cache
def diagnosed(source):
    return diagnose(traced(source))


def found(source):
    return [(one.kind, one.place.line) for one in diagnosed(source)]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("case", [case for case in CASES if case["expect"]], ids=lambda case: case["name"])
def test_a_silent_fault_is_told_at_its_line_and_nothing_else_is(case):
    assert found(case["source"]) == [(case["expect"], case["line"])]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("case", [case for case in CASES if not case["expect"]], ids=lambda case: case["name"])
def test_a_sound_program_is_told_nothing(case):
    assert found(case["source"]) == []


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("told", "source"), list(further()))
def test_what_looks_alike_is_told_apart(told, source):
    assert found(source) == told


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_kind_has_its_sentences_with_the_numbers_of_the_program(lang):
    kinds = set()
    for case in CASES:
        for one in diagnosed(case["source"]) if case["expect"] else ():
            kinds.add(one.kind)
            name = f"diagnosis-{one.kind.replace('_', '-')}"
            told = [say(lang, name + part, **one.values) for part in ("", ".cause", ".repair")]
            assert all(told) and "{" not in "".join(told)
    assert len(kinds) == 28 and kinds <= set(LEVELS)


def test_a_line_can_be_silenced_for_one_kind():
    program = "import torch\nweights = torch.tensor([1, 2])\nweights[0] = 0.7  # fine: {}\n"
    assert found(program.format("truncated")) == []
    assert found(program.format("gradient_cut")) == [("truncated", 3)]
    assert found(program.format("gradient_cut, truncated")) == []


def test_beside_an_error_what_is_missing_is_missing_because_of_it():
    assert found("import torch\nw = torch.tensor([1, 2])\nw[0] = 0.5\nraise ValueError\n") == []
