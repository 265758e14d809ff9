"""The size of the gradient in each layer of a deep network."""

import math

from explorer.analysis.health.module_table import decades, layers
from tests.traces import trace_of
from tests.ui.pages import component, linked, new_page, put_program, told, words

DEEP = """\
torch.manual_seed(0)
net = torch.nn.Sequential(*(layer for _ in range(14) for layer in (torch.nn.Linear(4, 4), torch.nn.Sigmoid())))
loss = net(torch.ones(2, 4)).sum()
loss.backward()
"""


def test_a_gradient_that_vanishes_is_small_in_the_first_layers():
    trace = trace_of(DEEP + "size = torch.cat([p.grad.flatten() for p in net[26].parameters()]).square().mean().sqrt()")
    sizes = layers(trace, 1)
    assert [layer.path for layer in sizes] == [f"net.{2 * k}" for k in range(14)]
    assert sizes[0].size < 1e-6 * sizes[-1].size
    assert math.isclose(sizes[-1].size, trace["size"].data[0], rel_tol=1e-5)
    low, high = decades(sizes)
    assert 10**low <= sizes[0].size < sizes[-1].size <= 10**high


def test_layers_without_a_gradient_with_zeros_and_with_nan():
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
    assert "Smallest: net.0" in words(app, linked(app))  # not a number alone
    (run,) = [one["run"] for one in told(app, "linked") if "layer-bars" in one["html"]]
    assert 'data-within="net.12"' not in component(app, "graph")["svg"]
    app.session_state["layers"] = {"chosen": {"key": "net.12", "run": run, "at": 1}}
    app.run()
    assert 'data-open="net.12"' in component(app, "graph")["svg"] and component(app, "graph")["came"]


def test_a_small_network_has_no_strip():
    app = put_program(new_page().run(), DEEP.replace("14", "4"))
    assert not [one for one in told(app, "linked") if "layer-bars" in one["html"]]
