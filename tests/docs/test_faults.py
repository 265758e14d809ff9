"""docs/faults.md documents every kind, with the report of its example as it is today."""

import re

import pytest

from explorer.analysis.diagnose.kinds import KINDS
from tools.generate_faults import DOCUMENT, INTRODUCTION, section


def test_the_page_has_a_section_for_every_kind():
    page = DOCUMENT.read_text("utf-8")
    assert page.startswith(INTRODUCTION)
    assert sorted(re.findall(r"(?m)^### (\w+)$", page)) == sorted(KINDS)  # the page has the order of the imports


@pytest.mark.sampled(12)
@pytest.mark.parametrize("kind", KINDS)
def test_a_section_is_what_the_rule_and_its_example_say(kind):
    page = DOCUMENT.read_text("utf-8")
    assert section(kind) in page, "run python -m tools.generate_faults"
