"""Views of a program line: the graph, its values, its memory."""

import math

import pytest

from explorer.analysis.diagnose.health.module_table import decades, layers
from explorer.program import CellSource, Program
from explorer.sandbox import default_runner
from explorer.trace import Options
from explorer.ui.session.program_run import RunResult
from explorer.ui.session.shown_picture import has_no_gradient
from tests.traces import trace_of
from tests.ui.pages import component, linked, new_page, put_program, told, words

VIEW = "x = torch.arange(6)\nX = x.view(2, 3)\ny = x * 2\nX[0, 0] = 100\ny + 1\n"
DEEP = """\
torch.manual_seed(0)
net = torch.nn.Sequential(*(layer for _ in range(14) for layer in (torch.nn.Linear(4, 4), torch.nn.Sigmoid())))
loss = net(torch.ones(2, 4)).sum()
loss.backward()
"""


@pytest.fixture
def app():
    """Return the page, run once its programs can run."""
    return new_page().run()


def at_line(app, line: int, at: int = 1):
    """Put the caret on this line."""
    app.session_state["caret"] = {"place": {"cell": 0, "line": line, "at": at}}
    return app.run()


def seen(app) -> str:
    return app.segmented_control(key="seen_as").value


def press(app, view: str):
    return app.segmented_control(key="seen_as").set_value(view).run()


def test_a_line_that_changes_two_names_shows_memory(app):
    assert seen(app) == "graph"  # of the session's first program, which has a backward
    put_program(app, VIEW)
    assert seen(app) == "values" and told(app, "operation")
    at_line(app, 4)
    assert seen(app) == "memory"
    assert "Written to the storage of X. x changed too." in words(app, linked(app))
    at_line(app, 3, at=2)
    assert seen(app) == "values"


def test_a_choice_lasts_until_the_kind_of_picture_changes(app):
    put_program(app, VIEW)
    press(app, "memory")
    at_line(app, 3)
    assert seen(app) == "memory" and "after line 3" in words(app, linked(app))
    put_program(app, "w = torch.ones(2, requires_grad=True)\n(w * w).sum().backward()")
    assert seen(app) == "graph"
    press(app, "values")
    assert told(app, "operation") and not told(app, "graph")
    press(app, "graph")
    assert told(app, "graph")


def test_the_view_is_set_by_the_address():
    app = new_page(seen="memory").run()
    assert seen(app) == "memory" and not told(app, "graph")


def test_a_choice_from_another_page_applies_to_other_programs(app):
    assert seen(app) == "graph"
    put_program(app, VIEW)
    app.switch_page("pages/operations.py").run()
    app.session_state["_sent"] = ("autograd", {"seen": "memory"})
    app.switch_page("pages/autograd.py").run()
    assert seen(app) == "memory"


def test_without_tensors_there_is_no_switch(app):
    put_program(app, "n = 3")
    assert not [one for one in app.segmented_control if one.key == "seen_as"]


def test_memory_shows_changes_by_a_write_through_numpy(app):
    put_program(app, "a = torch.zeros(3)\nn = a.numpy()\nn[0] = 10\ncopied = torch.tensor(n)\nprint(a)")
    press(app, "memory")
    text = words(app, linked(app))
    assert "The NumPy array n changed too" in text or "The NumPy array n uses the same storage." in text
    assert "n[0] = 10" in text and "copied is a copy" in text


@pytest.mark.parametrize(
    "cell, lines",
    [
        ("x = torch.arange(3)\nx + 1", True),
        ("import nothing_of_this_name", True),  # no torch operation ended it: its picture is not cell 1's
        ("w + torch.ones(5)", False),  # its picture has the card that failed
        ("w.sum().backward()", False),
        ("(w * 2).backward()", False),  # its picture has the card that backward refused
        ("try:\n    (w * 2).backward()\nexcept RuntimeError:\n    pass", True),  # the exception was caught
    ],
)
def test_a_cell_without_its_own_picture_is_shown_by_its_lines(cell, lines):
    texts = ("w = torch.ones(2, requires_grad=True)\n(w * w).sum().backward()", cell)
    trace = default_runner().submit(Program([CellSource(text) for text in texts])).result()
    assert has_no_gradient(RunResult(texts, Options(), trace), 1, None) is lines


def test_a_gradient_that_vanishes_is_small_in_the_first_layers():
    trace = trace_of(DEEP + "size = torch.cat([p.grad.flatten() for p in net[26].parameters()]).square().mean().sqrt()")
    sizes = layers(trace, 1)
    assert [layer.path for layer in sizes] == [f"net.{2 * k}" for k in range(14)]
    assert sizes[0].size < 1e-6 * sizes[-1].size
    assert math.isclose(sizes[-1].size, trace["size"].data[0], rel_tol=1e-5)
    low, high = decades(sizes)
    assert 10**low <= sizes[0].size < sizes[-1].size <= 10**high


def test_layers_without_gradient_zero_and_nan_are_marked():
    trace = trace_of("""\
        net = torch.nn.Sequential(*(torch.nn.Linear(2, 2) for _ in range(3)))
        net[0].requires_grad_(False)
        torch.nn.init.zeros_(net[2].weight)
        (net(torch.ones(1, 2)) * 0).sum().backward()""")
    assert [layer.size for layer in layers(trace, 1)] == [None, 0, 0] and decades(layers(trace, 1)) is None
    trace = trace_of(
        "net = torch.nn.Linear(2, 2)\n(net(torch.ones(1, 2)) * float('nan')).sum().backward()\nnet = [net]"
    )
    assert all(math.isnan(layer.size) for layer in layers(trace, 1))


def test_a_press_on_a_layer_opens_it_in_the_graph():
    app = put_program(new_page().run(), DEEP)
    assert "Gradient of each layer" in words(app, linked(app))
    assert "Smallest: net.0" in words(app, linked(app))  # more than a number
    (run,) = [one["run"] for one in told(app, "linked") if "layer-bars" in one["html"]]
    assert 'data-within="net.12"' not in component(app, "graph")["svg"]
    app.session_state["layers"] = {"chosen": {"key": "net.12", "run": run, "at": 1}}
    app.run()
    assert 'data-open="net.12"' in component(app, "graph")["svg"] and component(app, "graph")["came"]


def test_a_small_network_has_no_strip():
    app = put_program(new_page().run(), DEEP.replace("14", "4"))
    assert not [one for one in told(app, "linked") if "layer-bars" in one["html"]]
