"""All texts with a run's numbers: player, inspector, Why?, story, sentence, report, one entry."""

from collections.abc import Iterator

from explorer.analysis.explain.autograd import GraphView, graph_view, node_gradients, selected_backward
from explorer.analysis.explain.autograd.backward_steps import steps
from explorer.analysis.explain.autograd.gradients import contributions
from explorer.analysis.explain.autograd.inspection import inspection
from explorer.analysis.explain.autograd.node_sentences import sentence
from explorer.analysis.explain.entries.entry_arithmetic import back_words, entry_words
from explorer.analysis.explain.entries.operation_view import operation_view
from explorer.analysis.explain.why import answer, suggestions
from explorer.analysis.views.timeline import sentences, timeline
from explorer.drawing.graph.inspector import inspector_html
from explorer.drawing.graph.why import story_html
from explorer.trace import Trace

MOMENTS, CARDS, ASKED, OPERATIONS, ENTRIES = 400, 30, 12, 40, 4


def texts(trace: Trace, lang: str = "en") -> Iterator[tuple[str, str]]:
    """Yield each text with its source."""
    view = graph_view(trace)
    yield "sentence", sentence(view, lang)
    yield from (("player", text) for text in _played(trace, view, lang))
    yield from (("inspector", text) for text in _inspected(trace, view, lang))
    yield "story", story_html(trace, view, lang)
    yield from (("why", text) for text in _explained(trace, lang))
    yield from (("entries", text) for text in _entries(trace))


def _played(trace: Trace, view: GraphView, lang: str) -> Iterator[str]:
    line = timeline(trace, view)
    if len(line.moments) <= MOMENTS:
        yield from sentences(trace, line, view, lang)
    found = steps(trace, view, lang)
    yield from (step.sentence for step in found.steps[:MOMENTS])
    for step in found.steps[:MOMENTS]:
        if step.question:
            yield from (step.question.text, step.question.hint)


def _inspected(trace: Trace, view: GraphView, lang: str) -> Iterator[str]:
    for card in view.cards[:CARDS]:
        if card.kind != "data":
            yield inspector_html(inspection(trace, view, card.id, lang), view, lang)


def _explained(trace: Trace, lang: str) -> Iterator[str]:
    names = [name + end for name in trace.index.names for end in ("", ".grad")] if hasattr(trace.index, "names") else []
    for question in list(dict.fromkeys([*suggestions(trace)[:ASKED], *names]))[: 2 * ASKED]:
        try:
            yield "\n".join(line.strip() for line in answer(trace, question, lang).lines)
        except KeyError:
            continue


def _entries(trace: Trace) -> Iterator[str]:
    backward = selected_backward(trace)
    known = node_gradients(trace, backward), contributions(trace, backward)
    for operation in range(min(len(trace.operations), OPERATIONS)):
        view = operation_view(trace, operation, *known)
        if view is None:
            continue
        for k, made in enumerate(view.outcomes):
            if made.part.numbers is not None:
                yield from (entry_words(view, k, entry) for entry in range(min(ENTRIES, len(made.part.numbers))))
        for k, part in enumerate(view.operands):
            if part.numbers is not None:
                yield from (back_words(view, k, entry) for entry in range(min(ENTRIES, len(part.numbers))))
