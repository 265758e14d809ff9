"""The mark *gradients checked* beside the graph."""

import dataclasses

import pytest

from explorer.sandbox import default_runner
from explorer.ui.panels import checked
from explorer.ui.panels.checked import faults_html
from explorer.workers.gradcheck import check_gradients
from tests.programs import traced
from tests.traces import trace_of
from tests.ui.pages import component, new_page, put_program, type_program

SQUARE = "import torch\nw = torch.tensor(3.0, requires_grad=True)\ny = w * w\ny.backward()"
NUMBER = SQUARE.replace("w * w", "w * w.item()")
DETACHED = SQUARE.replace("w * w", "w * w.detach()")
CLOCK = "import time\n" + SQUARE.replace("w * w", "w * w * (1 + time.time() % 1)")


def mark(app):
    return component(app, "checked")


def rested(app):
    """Return the page after the browser has requested the check."""
    app.session_state[checked.KEY] = {"asked": mark(app)["turn"]}
    return app.run()


@pytest.fixture
def runs(monkeypatch):
    """Return the checks that were computed."""
    seen = []

    def checking(trace, *args, **how):
        seen.append(trace)
        return check_gradients(trace, *args, **how)

    check_gradients = checked.check_gradients
    monkeypatch.setattr(checked, "check_gradients", checking)
    return seen


def test_nothing_is_checked_before_the_page_is_drawn(runs):
    app = put_program(new_page(), SQUARE)
    assert mark(app)["turn"] and not mark(app)["html"] and not runs


def test_a_verified_program_is_marked_and_checked_once(runs):
    app = rested(put_program(new_page(), SQUARE))
    assert "✓ gradients checked" in mark(app)["html"] and not mark(app)["turn"]
    app.run()
    type_program(app, SQUARE.replace("3.0", "4.0"))
    assert not mark(app)["html"]
    type_program(app, SQUARE, count=2)
    assert "✓" in mark(app)["html"] and len(runs) == 1


CRASHES = "\ntorch.ones(2) @ torch.ones(3)"
SOFTMAX_TWICE = """
x, labels = torch.randn(4, 3, requires_grad=True), torch.tensor([0, 1, 2, 0])
torch.nn.functional.cross_entropy(torch.softmax(x, 1), labels).backward()"""


@pytest.mark.parametrize("then", [CRASHES, SOFTMAX_TWICE])
def test_a_run_that_failed_or_has_a_fault_has_no_check_mark(then):
    assert "✓" not in mark(rested(put_program(new_page(), SQUARE + then)))["html"]


def test_a_difference_names_leaf_line_and_way():
    shown = mark(rested(put_program(new_page(), NUMBER)))["html"]
    assert "≠ line 3: gradient of w differs" in shown and "w.item() takes numbers out of torch" in shown


def test_a_detached_path_is_meant():
    shown = mark(rested(put_program(new_page(), DETACHED)))["html"]
    assert "✓ gradients checked, except for w" in shown and "w.detach()" in shown


def test_a_straight_through_estimator_is_meant():
    hard = "torch.manual_seed(0)\nw = torch.zeros(3, requires_grad=True)\n"
    hard += "y = torch.nn.functional.gumbel_softmax(w, hard=True)[0]\ny.backward()"
    assert "✓ gradients checked, except for w" in mark(rested(put_program(new_page(), f"import torch\n{hard}")))["html"]


def test_an_unchecked_program_has_no_mark():
    app = rested(put_program(new_page(), CLOCK))
    assert not mark(app)["html"] and not mark(app)["turn"]


def test_a_typed_program_is_checked_after_a_longer_pause():
    app = put_program(new_page(), SQUARE)
    rest = mark(app)["rest"]
    type_program(app, SQUARE.replace("3.0", "5.0"), settled=False)
    assert mark(app)["rest"] > rest
    assert "✓" in mark(rested(app))["html"]


def test_no_check_while_predicting(runs):
    app = new_page(hide="all").run()
    assert not mark(app)["turn"] and not runs


def test_an_edit_ends_the_check(monkeypatch):
    app = put_program(new_page(), f"import time\ntime.sleep(0.5)\n{SQUARE}")
    submitted = []
    submit = default_runner().submit

    def submitting(*of, **how):
        submitted.append(submit(*of, **how))
        return submitted[-1]

    monkeypatch.setattr(default_runner(), "submit", submitting)
    monkeypatch.setattr(checked, "rerun_requested", lambda: bool(submitted))
    app = rested(app)
    assert not mark(app)["html"] and mark(app)["turn"]  # the browser asks again
    assert len(submitted) == 1 and submitted[0].done()


def test_the_mark_names_three_leaves():
    leaves = "".join(f"w{i} = torch.tensor({i}.5, requires_grad=True)\n" for i in range(5))
    loss = f"y = {' + '.join(f'w{i} * w{i}.item()' for i in range(5))}\ny.backward()"
    shown = mark(rested(put_program(new_page(), f"import torch\n{leaves}{loss}")))["html"]
    assert "gradient of w0, w1, w2 … differs" in shown and "w4" in shown


def test_a_leaf_without_a_check_is_not_called_checked():
    trace = traced(
        DETACHED.replace("w = ", "v = torch.tensor(2.0, requires_grad=True)\nw = ").replace("w * w", "v * w * w")
    )
    other, intended = check_gradients(trace)
    assert intended.is_intended and other.verdict == "agrees"
    assert "w, v" not in checked.mark_html(trace, [intended, other], "en")
    late = dataclasses.replace(other, verdict="unchecked", why="time")
    assert "w, v" in checked.mark_html(trace, [intended, late], "en")


def test_a_run_with_faults_says_how_many_instead_of_a_tick():
    trace = trace_of(
        "import torch\nw = torch.ones(2, requires_grad=True)\no = torch.optim.SGD([w], 0.1)\n"
        "for _ in range(3):\n    (w * w).sum().backward()\n    o.step()\n"
    )
    assert "✗ 1 fault<" in faults_html(trace, "en") and "1 个问题" in faults_html(trace, "zh")
    sound = trace_of("import torch\nw = torch.ones(2, requires_grad=True)\n(w * w).sum().backward()")
    assert faults_html(sound, "en") == ""
