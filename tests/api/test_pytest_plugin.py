"""The pytest plugin, in a pytest of its own: what is recorded, and what a failing test leaves."""

import pytest
import torch  # noqa: F401  loaded here, so that no pytest inside of this one loads it again

import explorer

pytest_plugins = ["pytester"]

MODEL = """
import pytest
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(9, 9)
"""


@pytest.fixture
def plugged(pytester):
    """Write a test file behind MODEL and run it with the plugin; returns the result."""

    def run(text, *options):
        pytester.makepyfile(test_it=MODEL + text)
        return pytester.runpytest_inprocess("-p", "explorer.pytest_plugin", "-p", "no:cacheprovider", *options)

    return run


def test_a_marked_test_is_recorded_and_must_be_sound(plugged, pytester):
    result = plugged("""
@pytest.mark.gradients
def test_good():
    net(torch.ones(2, 9)).sum().backward()

@pytest.mark.gradients
def test_bad():
    w = torch.zeros(2, requires_grad=True)
    (w.sqrt() * 0).sum().backward()

@pytest.mark.gradients(allow=["nonfinite", "nan_backward"])
def test_allowed():
    w = torch.zeros(2, requires_grad=True)
    (w.sqrt() * 0).sum().backward()

@pytest.mark.gradients
def test_nothing():
    net(torch.ones(2, 9)).sum()

def test_plain():
    assert True
""")
    result.assert_outcomes(passed=3, failed=2)
    result.stdout.fnmatch_lines(["*SqrtBackward0*", "FAILED *test_bad*Fault: *", "FAILED *test_nothing*"])
    names = sorted(path.name for path in (pytester.path / "explorer-failures").iterdir())
    assert names == [f"test_it.py_test_{name}.{kind}" for name in ("bad", "nothing") for kind in ("html", "trace")]


@pytest.mark.thorough
def test_a_failing_test_names_the_files_it_left(plugged, pytester):
    result = plugged(
        """
def test_a_step(recorded):
    with recorded(full=["net.weight.grad"]) as trace:
        net(torch.ones(2, 9)).sum().backward()
    with recorded():
        net(torch.ones(2, 9)).sum().backward()
    assert torch.equal(trace.gradient("net.weight").tensor, net.weight.grad / 2)
    assert False, "for another reason"
""",
        "--explorer-output=kept",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*kept/test_it.py_test_a_step.trace", "*kept/test_it.py_test_a_step.html"])
    assert explorer.load(pytester.path / "kept" / "test_it.py_test_a_step-2.trace").report().sound
