"""The timeline contains the changes of each moment."""

from explorer.analysis.explain.autograd import graph_view
from explorer.analysis.views.timeline import Births, sentences, timeline
from tests.corpus import facts_beside
from tests.programs import TWICE
from tests.timeline.states import state
from tests.traces import trace_of

PRODUCT = f"""{TWICE}
print(w.grad)
with torch.no_grad():
    w -= 0.1 * w.grad
w.grad = None
"""


def line_of(source, **options):
    trace = trace_of(source, **options)
    view = graph_view(trace, len(trace.backwards) - 1) if trace.backwards else graph_view(trace)
    return trace, view, timeline(trace, view)


def test_names_and_cards_appear_when_their_operation_has_run():
    trace, view, line = line_of(PRODUCT, statements=True)
    made = {card.name: Births(trace, line).of(view)[card.id].made for card in view.cards}
    assert made == {"w": 1, "x": 2, "a": 3, "b": 4, "y": 5}
    for position, names in enumerate(([], ["w"], ["w", "x"], ["w", "x", "a"])):
        assert list(state(trace, line, position).names[0]) == names


def test_a_gradient_lasts_from_arrival_until_cleared():
    trace, _, line = line_of(PRODUCT, statements=True)
    w = trace.bound("w")

    def gradient(position):
        stored = state(trace, line, position).gradients.get(w)
        return None if stored is None or stored.value < 0 else trace.value(stored.value).data[0]

    seen = [gradient(position) for position in range(len(line.moments) + 1)]
    arrived = seen.index(5.0)
    assert set(seen[:arrived]) == {None} and 6 < arrived <= 10 and seen[-2:] == [5.0, None]


test_facts = facts_beside(__file__, globals(), sentences=sentences)
