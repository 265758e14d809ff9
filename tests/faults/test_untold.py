"""Silent bugs of training in many styles, each told at the line that says `# <- kind`, and sound kin."""

import re
from pathlib import Path

import pytest

from explorer.analysis.faults.diagnosis import diagnose
from explorer.analysis.levels import LEVELS
from explorer.text import LANGUAGES, say
from tests.programs import traced

BEGIN = "import copy, torch; from torch import nn; from torch.nn import functional as F; torch.manual_seed(0)\n"
PROGRAMS = Path(__file__).with_name("untold.txt").read_text(encoding="utf-8")  # === name, or === sound name


def programs():
    for part in re.split(r"(?m)^=== ", PROGRAMS)[1:]:
        name, _, source = part.partition("\n")
        yield pytest.param(BEGIN + source, id=name)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("source", list(programs()))
def test_a_silent_bug_is_told_at_its_line_and_sound_kin_is_not(source):
    marked = [
        (found[1], at) for at, line in enumerate(source.split("\n"), 1) if (found := re.search("# <- (.*)", line))
    ]
    findings = diagnose(traced(source))
    assert sorted((one.kind, one.place.line) for one in findings) == sorted(marked)
    for one in findings:
        assert one.kind in LEVELS
        name = f"diagnosis-{one.kind.replace('_', '-')}"
        for lang in LANGUAGES:
            told = [say(lang, name + part, **one.values) for part in ("", ".cause", ".repair")]
            assert all(told) and "{" not in "".join(told)
