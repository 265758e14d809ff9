"""Programs that raise nothing and whose gradient, or its use, is wrong are told at their line; others are not."""

import json
from functools import cache
from pathlib import Path

import pytest

import explorer
from explorer.diagnose import diagnose
from explorer.diagnose.diagnosing import LEVELS
from explorer.text import LANGUAGES, say

CASES = json.loads(Path(__file__).with_name("programs.json").read_text(encoding="utf-8"))
UNTOLD = {"numpy_write_before_backward"}  # when a write past torch happened is not recorded


@cache
def diagnosed(source):
    return diagnose(explorer.run(source))


def found(source):
    return [(one.kind, one.place.line) for one in diagnosed(source)]


@pytest.mark.parametrize("case", [case for case in CASES if case["expect"]], ids=lambda case: case["name"])
def test_a_silent_fault_is_told_at_its_line_and_nothing_else_is(case):
    expected = [] if case["name"] in UNTOLD else [(case["expect"], case["line"])]
    assert found(case["source"]) == expected


@pytest.mark.parametrize("case", [case for case in CASES if not case["expect"]], ids=lambda case: case["name"])
def test_a_sound_program_is_told_nothing(case):
    assert found(case["source"]) == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_kind_has_its_sentences_with_the_numbers_of_the_program(lang):
    kinds = set()
    for case in CASES:
        for one in diagnosed(case["source"]) if case["expect"] else ():
            kinds.add(one.kind)
            name = f"diagnosis-{one.kind.replace('_', '-')}"
            told = [say(lang, name + part, **one.values) for part in ("", ".cause", ".repair")]
            assert all(told) and "{" not in "".join(told)
    assert len(kinds) == 28 and set(LEVELS) < kinds


def test_a_line_can_be_silenced_for_one_kind():
    program = "import torch\nweights = torch.tensor([1, 2])\nweights[0] = 0.7  # fine: {}\n"
    assert found(program.format("truncated")) == []
    assert found(program.format("gradient_cut")) == [("truncated", 3)]
    assert found(program.format("gradient_cut, truncated")) == []


def test_beside_an_error_what_is_missing_is_missing_because_of_it():
    assert found("import torch\nw = torch.tensor([1, 2])\nw[0] = 0.5\nraise ValueError\n") == []
