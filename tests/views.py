"""All that the server computes of a Trace: every view, drawing and file, by name, as the pages ask for them."""

from collections.abc import Callable, Iterator

from explorer.autograd import (
    contributions,
    graph_view,
    node_gradients,
    numbered_backward,
    possible_roots,
    selected_backward,
    stopped_backward,
    stopped_cards,
    stopped_operation,
    tensor_gradient,
    tensor_gradients,
)
from explorer.autograd.altered import is_altered
from explorer.autograd.cells import backward_of_cell, called_backwards, made_tensors, records_gradients
from explorer.autograd.inspection import inspection
from explorer.autograd.reached import ran_until, trace_so_far, view_so_far
from explorer.autograd.steps import steps
from explorer.broadcasting.reading import broadcasts, of_operation
from explorer.diagnose import answering as diagnosing
from explorer.drawing import labelled_dot, leaf_table, legend, node_table, to_dot, to_svg
from explorer.drawing.broadcasting.alignment import alignment_html
from explorer.drawing.graph.inspector import inspector_html
from explorer.drawing.graph.playing import player_data
from explorer.drawing.notebook.ghosts import ghosts
from explorer.drawing.operations import charts, operation_html
from explorer.drawing.plots.figures import dot_source, plotly_figure
from explorer.drawing.tensors.arrays import histogram_html, numbers_html, sheet_html
from explorer.drawing.tensors.changes import sharing_html, writes_html
from explorer.drawing.tensors.listing import facts_html, list_html, program_html, title_html
from explorer.drawing.tensors.memory import alone_html, storage_svg
from explorer.drawing.tensors.prints import print_html
from explorer.export import dumps, to_json
from explorer.notebook import notebook
from explorer.picture import Picture
from explorer.program.cells import CellSource, Program
from explorer.tensors.listing import tensor_list
from explorer.tensors.memory import memory_map
from explorer.tensors.operations import operation_view, operations, telling
from explorer.tensors.places import branches_not_run
from explorer.tensors.prints import is_print, read_print
from explorer.tensors.sharing import sharing
from explorer.tensors.sheets import histogram, sheet
from explorer.tensors.views import tensor_view
from explorer.tensors.writes import writes
from explorer.trace import Figure, Trace, encode
from explorer.ui.pages.autograd.made import tensors_html
from explorer.ui.panels.outputs import output_html

Thunk = Callable[[], object]
LANG = "en"


def views(trace: Trace) -> Iterator[tuple[str, Thunk]]:
    """Every view of a Trace with its drawings, each to be called by itself; what one needs of another it makes."""
    shown = selected_backward(trace)
    yield "graph", lambda: graph_view(trace)
    yield "graph unfolded", lambda: graph_view(trace, fold=False)
    view = graph_view(trace)
    picture = Picture(trace, view, None, LANG)
    yield "svg", picture.svg
    yield "svg to the right", lambda: to_svg(view, None, LANG, "LR", True)
    yield "dot", lambda: (to_dot(view), labelled_dot(view, LANG))
    yield "legend", lambda: (legend(view, LANG), picture.sentence())
    yield "tables", lambda: (leaf_table(view, LANG), node_table(view, LANG))
    yield "stopped", lambda: _stopped(trace, len(trace.cells) - 1) if trace.cells else None
    for card in (*view.cards[:2], *view.cards[-2:]):
        yield "inspector", lambda card=card: inspector_html(inspection(trace, view, card.id, LANG), view, LANG)
    yield "player", lambda: player_data(steps(trace, view, LANG))
    if shown is not None:
        yield "part of the way", lambda: _part_of_the_way(trace, shown)
    yield "gradients", lambda: (tensor_gradients(trace, shown), node_gradients(trace, shown))
    yield "contributions", lambda: contributions(trace, shown)
    yield "altered", lambda: is_altered(trace, shown)
    yield "numbered", lambda: [numbered_backward(trace, number + 1) for number in range(len(trace.backwards))]
    yield "diagnoses", lambda: diagnosing.read(diagnosing.answer(encode(trace)), trace)
    yield "roots", lambda: possible_roots(trace)
    cells = range(0, len(trace.cells), max(1, len(trace.cells) // 2))
    yield "cells", lambda: [(backward_of_cell(trace, c), records_gradients(trace, c)) for c in cells]
    yield "made", lambda: [made_tensors(trace, c) for c in (None, *cells)]
    yield "made, as HTML", lambda: [tensors_html(trace, c, LANG) for c in cells]
    yield "calls", lambda: called_backwards(trace)
    yield "beside the lines", lambda: ghosts(trace, shown, LANG)
    yield "outputs", lambda: [output_html(trace, c, LANG, True) for c in range(len(trace.cells))]
    yield "figures", lambda: [_figure(figure) for figure in _figures(trace)[:60]]
    yield "tensors", lambda: _list(trace)
    listed = tensor_list(trace)
    for one in (listed[:1], listed[-1:]):
        if one:
            yield "tensor", lambda one=one[0]: _tensor(trace, one)
    yield "prints", lambda: [_print(o.text) for c in trace.cells for o in c.outputs if is_print(getattr(o, "text", ""))]
    yield "memory", lambda: _memory(trace)
    yield "writes", lambda: writes_html(writes(trace), True, LANG)
    yield "sharing", lambda: sharing_html(sharing(trace), True, LANG)
    yield "operations", lambda: telling(trace, operations(trace))
    called = operations(trace)
    for one in (*called[:1], *called[-2:]):
        yield "operation", lambda one=one: _operation(trace, one.operation, shown)
    yield "broadcasts", lambda: broadcasts(trace)
    for place in broadcasts(trace)[:2]:
        yield "broadcast", lambda place=place: _broadcast(trace, place)
    yield "file", lambda: dumps(to_json(trace))
    yield "page", picture.html
    program = Program([CellSource(cell.source) for cell in trace.cells], trace.notes)
    yield "notebook", lambda: notebook(program, trace, "en")
    for name in {binding.name for binding in trace.bindings[:2]}:
        yield "named", lambda name=name: (trace.bound(name), trace[name])


def _stopped(trace: Trace, cell: int) -> object:
    """What the page draws of a cell that stopped."""
    good = selected_backward(trace)
    shown, operation = stopped_backward(trace, cell, good), stopped_operation(trace, cell)
    view = graph_view(trace, shown if shown != good else None, stopped=operation)
    stopped = [card for card in view.cards if card.failed]
    told = [inspector_html(inspection(trace, view, card.id, LANG), view, LANG) for card in stopped[-1:]]
    return told, to_svg(view, None, LANG), stopped_cards(view, trace, cell)


def _part_of_the_way(trace: Trace, shown: int) -> object:
    whole = graph_view(trace, shown)
    found = steps(trace, whole, LANG)
    known = trace_so_far(trace, shown, ran_until(trace, shown, found, len(found.steps) // 2))
    view = view_so_far(whole, graph_view(known, shown))
    return to_svg(view, None, LANG, whole=whole), ghosts(known, shown, LANG)


def _list(trace: Trace) -> object:
    tensors = tensor_list(trace)
    return list_html(trace, tensors, "", branches_not_run(trace), LANG), program_html(trace, tensors, "", LANG)


def _tensor(trace: Trace, one) -> object:
    view = tensor_view(trace, one.tensor, one.version)
    counts = histogram(view.value, view.picked)
    return (
        title_html(one, view, LANG),
        facts_html(view, (), LANG),
        sheet_html(sheet(view.value), None, LANG, ""),
        numbers_html(view.value, LANG),
        counts and histogram_html(counts, view.entries, LANG),
        tensor_gradient(trace, one.tensor, selected_backward(trace)),
        trace.picked(one.tensor),
    )


def _print(text: str) -> object:
    return print_html(read_print(text), (), LANG)


def _memory(trace: Trace) -> object:
    maps = memory_map(trace)
    return [storage_svg(one, LANG) for one in maps[:16]], alone_html(maps, LANG)


def _operation(trace: Trace, operation: int, shown: int | None) -> object:
    view = operation_view(trace, operation, node_gradients(trace, shown), contributions(trace, shown))
    return operation_html(view, LANG), charts(view, False, LANG)


def _broadcast(trace: Trace, place) -> object:
    found = of_operation(trace, place)
    return alignment_html(found.alignment, tuple(part.name for part in found.parts), found.result, LANG)


def _figures(trace: Trace) -> list[Figure]:
    return [output for cell in trace.cells for output in cell.outputs if isinstance(output, Figure)]


def _figure(figure: Figure) -> object:
    return dot_source(figure) or plotly_figure(figure).to_json()
