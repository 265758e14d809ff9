"""The scenarios of an engineer's day have the expected results on this version of torch."""

import pytest

from benchmarks.scenarios import SCENARIOS, checked

LONG = ("libraries", "tools")  # files that compile, start processes, or need other libraries
LARGE = ("very_long_chain", "own_function_with_wrong_backward")  # they take seconds each


def _cases():
    for file, programs in SCENARIOS.items():
        for name in programs:
            yield pytest.param(name, marks=[pytest.mark.thorough] if file in LONG or name in LARGE else [])


@pytest.mark.sampled(9)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", list(_cases()))
def test_the_scenario_has_the_expected_gradients(name):
    try:
        gradients, equal, fault = checked(name)
    except ImportError as missing:
        pytest.skip(str(missing))
    assert not fault
    assert equal == gradients
