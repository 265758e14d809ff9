"""Which runs serve all sessions."""

import pytest
from msgspec.structs import replace

from explorer.program import GivenFile, read_text
from explorer.trace import Options
from explorer.ui.session import offered_runs
from explorer.ui.session.examples import EXAMPLES, FIRST_SIGHT
from explorer.ui.session.offered_runs import keep_offered, offered_result
from tests.programs import traced

FIRST = read_text(FIRST_SIGHT)


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    """What other tests left is not there, and what is kept here goes with the test."""
    monkeypatch.setattr(offered_runs, "_kept", {})


def test_the_first_run_of_an_offered_program_serves_those_who_ask_for_the_very_same():
    trace = traced(FIRST_SIGHT)
    keep_offered(FIRST, Options(), trace)
    assert offered_result(read_text(FIRST_SIGHT), Options()) is trace
    assert offered_result(FIRST, Options(seed=8)) is None
    assert offered_result(replace(FIRST, files=(GivenFile("a.csv", b"1"),)), Options()) is None


@pytest.mark.parametrize(
    ("asked", "ran"), [(FIRST_SIGHT + "print(1)\n", FIRST_SIGHT + "print(1)\n"), (EXAMPLES[1].program, "1 / 0")]
)
def test_what_somebody_wrote_or_what_failed_is_kept_for_nobody(asked, ran):
    keep_offered(read_text(asked), Options(), traced(ran))
    assert offered_result(read_text(asked), Options()) is None
