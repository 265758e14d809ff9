"""Plots work at every level of confinement that can open fonts, and otherwise report the reason."""

from functools import partial

import pytest

from explorer.program import CellSource, Program
from explorer.sandbox import Runner, probe
from explorer.sandbox.parent import Parent
from explorer.trace import Figure, Options, Refusal, Skipped
from tests.patience import PATIENT

PROGRAM = Program(
    [
        CellSource("import matplotlib.pyplot as plt\nplt.plot([1, 2]), plt.title('损失 $x^2$')\nplt.show()"),
        CellSource("plt.plot([1])\nplt.tight_layout()"),
        CellSource("from tqdm import tqdm\nsum(tqdm([1, 2]))"),
    ]
)
needs_landlock = pytest.mark.skipif(not probe().landlock, reason="this kernel has no Landlock")


def shown(*without: str) -> list[list]:
    runner = Runner("explorer.runtime.child", make=partial(Parent, without=set(without)), least="limits")
    try:
        return [cell.outputs for cell in runner.submit(PROGRAM, Options()).result(PATIENT).cells]
    finally:
        runner.close()


@pytest.mark.thorough
@needs_landlock
def test_without_namespaces_figures_are_drawn():
    first, second, third = shown("namespaces")
    assert [type(one) for one in (*first, *second)] == [Figure, Figure] and third[-1].text == "3"


@pytest.mark.thorough
@needs_landlock
def test_missing_landlock_reports_that_fonts_cannot_be_opened():
    first, second, third = shown("namespaces", "landlock")
    assert [one.reason for one in first if isinstance(one, Skipped)] == ["font"]
    assert [one.reason for one in second if isinstance(one, Refusal)] == ["font"] and third[-1].text == "3"
