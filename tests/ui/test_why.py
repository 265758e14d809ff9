"""*Why?* on the page, about a weight in a network with tensors too large to record in full."""

import time

import explorer
from explorer.analysis.explain.autograd import graph_view
from explorer.analysis.explain.why.derivation_steps import Arrived
from explorer.drawing.graph.why import cards_showing
from explorer.ui.pages.autograd.why import SECOND
from tests.patience import PATIENT
from tests.ui.pages import type_program

NETWORK = """import torch
import torch.nn as nn
model = nn.Sequential(nn.Linear(12, 20), nn.Tanh(), nn.Linear(20, 6))
loss = model(torch.randn(30, 12)).square().mean()
loss.backward()
"""


def test_a_weight_is_explained_by_a_second_run(app):
    trace = explorer.run(NETWORK)
    leaf = trace.nodes.variable.index(trace.bound("model.0.weight"))
    type_program(app, NETWORK)
    view = graph_view(trace, 0)
    card = min(cards_showing(trace, view, Arrived(0, leaf, 0, 100)))
    app.session_state["picture"] = {"selected": card, "fold": None, "root": None, "module": None}
    app.session_state["inspector_events"] = {"asked": {"code": f"g{leaf}.0.100", "count": 1}}
    app.run()
    _, _, answer = app.session_state[SECOND]
    until = time.monotonic() + PATIENT
    while not answer.done() and time.monotonic() < until:
        time.sleep(0.1)
    app.run()
    assert not app.exception
    [told] = [html.proto.body for html in app.get("html") if 'class="why"' in html.proto.body]
    assert "model.0(…)[" in told and "(22 more)" in told
