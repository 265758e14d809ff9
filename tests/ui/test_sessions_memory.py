"""Sessions keep a fixed number of runs while editing, and nothing once closed."""

import gc
from collections import Counter

import pytest
from streamlit.testing.v1 import AppTest

from explorer.drawing.picture import Picture
from explorer.trace import Trace
from tests.ui.pages import new_page, type_program, words

EDITS = 5


@pytest.fixture
def kept():
    """Return a function that counts the Traces and pictures of programs with a name, in the whole process."""

    def count(name: str) -> Counter[type]:
        gc.collect()
        found: Counter[type] = Counter()
        for one in gc.get_objects():
            if type(one) in (Trace, Picture):
                trace = one if type(one) is Trace else one.trace
                found[type(one)] += any(name in cell.source for cell in trace.cells)
        return found

    return count


def edit(app: AppTest, name: str, number: int) -> None:
    type_program(
        app, f"{name} = torch.tensor({number}.5, requires_grad=True)\n({name} * {name}).backward()", count=number
    )
    assert name in words(app)


def test_a_session_that_edits_does_not_keep_more(kept):
    app = new_page().run()
    counts = []
    for number in range(1, 2 * EDITS + 1):
        edit(app, "edited_leaf", number)
        counts.append(kept("edited_leaf"))
    assert counts[0][Trace] and counts[0][Picture]
    assert counts[-1] == counts[EDITS - 1] and counts[-1][Trace] <= 3, counts


def test_closed_sessions_keep_nothing(kept):
    for number in range(1, 4):
        app = new_page().run()
        edit(app, "closed_leaf", number)
        assert kept("closed_leaf")[Trace]
        del app
        assert not kept("closed_leaf").total()
