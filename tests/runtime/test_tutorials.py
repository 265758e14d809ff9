"""What tutorials of torch write runs to its end under the recorder."""

import pytest

from tests.corpus import TUTORIALS
from tests.traces import trace_of


@pytest.mark.parametrize("source", TUTORIALS.values(), ids=TUTORIALS)
def test_what_tutorials_write_runs(source):
    assert trace_of(source).status == "ok"
