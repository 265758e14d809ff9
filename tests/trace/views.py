"""Everything that the server computes from a Trace: every view, drawing and file, by name."""

from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from unittest.mock import patch

from msgspec import structs

from explorer.analysis.diagnose.errors import replies as explaining
from explorer.analysis.diagnose.faults import replies as diagnosing
from explorer.analysis.diagnose.gradcheck.leaf_curve import calls_again, curve_of_calls
from explorer.analysis.diagnose.gradcheck.subjects import CheckedLeaf, subjects
from explorer.analysis.diagnose.gradcheck.verdicts import Found, judged, probe, second_look
from explorer.analysis.diagnose.messages import checked_lines
from explorer.analysis.explain.autograd import (
    NOTHING_OPENED,
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
)
from explorer.analysis.explain.autograd.altered_gradients import altered_by
from explorer.analysis.explain.autograd.backward_steps import steps
from explorer.analysis.explain.autograd.cells import backward_of_cell, made_tensors, own_backward
from explorer.analysis.explain.autograd.frames import module_frames
from explorer.analysis.explain.autograd.gradients import called_backwards
from explorer.analysis.explain.autograd.inspection import card_of_node, inspection
from explorer.analysis.explain.autograd.node_formulas import formulas_of
from explorer.analysis.explain.autograd.partial_runs import ran_until, trace_so_far, view_so_far
from explorer.analysis.explain.autograd.reasons import cut_of
from explorer.analysis.explain.entries.operation_view import call_to_show, operation_view, operations
from explorer.analysis.explain.why import answer, derivation, suggestions, tape, tapes_plain, unfolded
from explorer.analysis.explain.why.derivation import path
from explorer.analysis.explain.why.questions import code_of, coded, nothing_of, subject_of
from explorer.analysis.run.curves import Curves, curves, main_place
from explorer.analysis.views.broadcasting.operation import broadcasts, of_operation
from explorer.analysis.views.comparison import compare
from explorer.analysis.views.comparison.comparison import line_of, unequal_cards
from explorer.analysis.views.comparison.gradient_differences import gradient_pairs
from explorer.analysis.views.comparison.overlay import overlay
from explorer.analysis.views.data.data_gradients import adds_up, loss, weighted
from explorer.analysis.views.tensors.line_picture import line_picture
from explorer.analysis.views.tensors.memory import memory_map, sharing
from explorer.analysis.views.tensors.program_lines import branches_not_run
from explorer.analysis.views.tensors.tensor_list import tensor_list, writes
from explorer.analysis.views.tensors.views import histogram, sheet, tensor_view
from explorer.analysis.views.timeline import Births, sentences, timeline
from explorer.analysis.views.training import step_table
from explorer.analysis.views.training.film import counted_view, end_of_round, film_at, films, start_of_loops, step_view
from explorer.analysis.views.training.strips import MEASURES
from explorer.analysis.views.training.training_view import training_places, training_view, unit_axis
from explorer.api.answers import answering
from explorer.api.pictures import training_picture
from explorer.api.whole_tensors import NotKept
from explorer.cli.main import main
from explorer.drawing.broadcasting.alignment import alignment_html
from explorer.drawing.comparison.overlay import legend_html, overlay_svg
from explorer.drawing.comparison.parameters import parameters_html, verdict_html
from explorer.drawing.data.tables import table_html
from explorer.drawing.data.tensors import pulls_html, tensor_html, weights_html
from explorer.drawing.film import film_frame, inspector_body
from explorer.drawing.graph.badges import legend
from explorer.drawing.graph.dot import to_dot
from explorer.drawing.graph.dotfile import labelled_graph
from explorer.drawing.graph.inspector import inspector_html
from explorer.drawing.graph.player_data import packed_frames, player_data
from explorer.drawing.graph.sizes import room_of
from explorer.drawing.graph.svg import svg_parts
from explorer.drawing.graph.why import path_stops, why_html
from explorer.drawing.moments import line_data
from explorer.drawing.notebook.ghosts import ghosts
from explorer.drawing.notebook.outputs import output_html
from explorer.drawing.operations import curve_chart, operation_html
from explorer.drawing.picture import FORMATS, FilmPictures, Picture, numbered_picture
from explorer.drawing.plots.programs import picture_html
from explorer.drawing.tensors.arrays import histogram_html, numbers_html, sheet_html
from explorer.drawing.tensors.memory import alone_html, sharing_html, storage_svg, writes_html
from explorer.drawing.tensors.tensor_list import facts_html, list_html, title_html
from explorer.drawing.training import plots
from explorer.drawing.training.film import film_data, film_html
from explorer.drawing.training.step import step_html
from explorer.drawing.training.step import table_html as steps_table
from explorer.io.export import to_json
from explorer.io.graph_json import checks_json
from explorer.io.json_values import dumps
from explorer.io.notebook import notebook
from explorer.program.cells import CellSource, Program
from explorer.sandbox.protocol import DIAGNOSIS, EXPLANATION, parts
from explorer.text import SayableError
from explorer.trace import Figure, Probe, ProbeReading, Trace, encode

FLIPPED = bytes(range(255, -1, -1))
Thunk = Callable[[], object]
LANG = "en"


def views(trace: Trace) -> Iterator[tuple[str, Thunk]]:
    """Return every view of a Trace with its drawings, as independent functions."""
    shown = selected_backward(trace)
    yield "graph", lambda: graph_view(trace)
    yield "graph unfolded", lambda: graph_view(trace, fold=False)
    view = graph_view(trace)
    picture = Picture(trace, view, None, LANG)
    yield "svg", picture.svg
    yield "svg of a file", lambda: svg_parts(view, None, LANG, True)
    yield "dot", lambda: (to_dot(view), labelled_graph(view, LANG).source)
    yield "legend", lambda: (legend(view, LANG), picture.sentence())
    yield "frames", lambda: module_frames(view)
    yield "formulas", lambda: [formulas_of(trace, node) for node in range(len(trace.nodes))]
    yield "stopped", lambda: _stopped(trace, len(trace.cells) - 1) if trace.cells else None
    for card in (*view.cards[:2], *view.cards[-2:]):
        yield "inspector", lambda card=card: inspector_html(inspection(trace, view, card.id, LANG), view, LANG)
    for film in films(trace)[:2]:
        yield "film", lambda film=film: _film(trace, film)
    yield "player", lambda: player_data(steps(trace, view, LANG))
    line = timeline(trace, view)
    yield "time line", lambda: (timeline(trace, view), timeline(trace))
    yield "cards in time", lambda: Births(trace, line).of(view)
    yield "sentences of moments", lambda: [sentences(trace, line, view, one) for one in ("en", "zh")]
    told = steps(trace, view, LANG)
    yield "played", lambda: line_data(trace, picture, line, told, lambda other: None, True)
    if shown is not None:
        yield "part of the way", lambda: _part_of_the_way(trace, shown)
    yield (
        "gradients",
        lambda: (
            [tensor_gradient(trace, one, shown) for one in range(len(trace.tensors))],
            node_gradients(trace, shown),
        ),
    )
    yield "contributions", lambda: contributions(trace, shown)
    yield "reasons", lambda: [cut_of(trace, tensor, shown) for tensor in range(len(trace.tensors))]
    yield "altered", lambda: altered_by(trace, shown)
    yield "numbered", lambda: [numbered_backward(trace, number + 1) for number in range(len(trace.backwards))]
    yield "checks", lambda: _checks(trace)
    yield "diagnoses", lambda: diagnosing.read(diagnosing.answer(encode(trace)), trace)
    yield "roots", lambda: possible_roots(trace)
    cells = range(0, len(trace.cells), max(1, len(trace.cells) // 2))
    yield "cells", lambda: [(backward_of_cell(trace, c), own_backward(trace, c)) for c in cells]
    yield "made", lambda: made_tensors(trace)
    yield "lines", lambda: [line_picture(trace, c, None) for c in cells]
    yield "units", lambda: [unit_axis(trace, leaf.tensor) for leaf in trace.steps.leaves]
    yield "steps of training", lambda: [curves(trace), main_place(trace), step_table(trace).to_pandas()]
    yield "calls", lambda: called_backwards(trace)
    yield "beside the lines", lambda: ghosts(trace, shown, LANG)
    yield "tables of data", lambda: [table_html(one, ["drop-rows"], LANG) for one in trace.tables]
    yield "tensors of tables", lambda: [tensor_html(one, (2, 2), "float32", LANG) for one in trace.table_tensors]
    yield "weights of tables", lambda: _weights(trace)
    yield "outputs", lambda: [output_html(trace, c, LANG, True) for c in range(len(trace.cells))]
    yield "figures", lambda: [_figure(figure) for figure in _figures(trace)[:60]]
    yield "tensors", lambda: _list(trace)
    listed = tensor_list(trace)
    for one in (listed[:1], listed[-1:]):
        if one:
            yield "tensor", lambda one=one[0]: _tensor(trace, one)
    yield "memory", lambda: _memory(trace)
    yield "training", lambda: [_training(trace, place) for place in training_places(trace)[:2]]
    yield "writes", lambda: writes_html(writes(trace), True, LANG)
    yield "sharing", lambda: sharing_html(sharing(trace), True, LANG)
    yield "operations", lambda: call_to_show(trace, operations(trace))
    called = operations(trace)
    for one in (*called[:1], *called[-2:]):
        yield "operation", lambda one=one: _operation(trace, one.operation, shown)
    yield "broadcasts", lambda: broadcasts(trace)
    for place in broadcasts(trace)[:2]:
        yield "broadcast", lambda place=place: _broadcast(trace, place)
    yield "compared", lambda: _compared(trace, view)
    names = suggestions(trace)
    for name in (*names[:3], *names[-2:]):
        yield "why", lambda name=name: [str(answer(trace, name, one)) for one in ("en", "zh")]
    for card in (*view.cards[:2], *view.cards[-2:]):
        yield "why, as HTML", lambda card=card: _why(trace, view, card)
    yield "tapes", lambda: tapes_plain(trace)
    yield "file", lambda: dumps(to_json(trace))
    program = Program([CellSource(cell.source) for cell in trace.cells], trace.notes)
    yield "notebook", lambda: notebook(program, trace, "en")
    for card in [card for card in view.cards if card.kind == "leaf"][:2]:
        yield "slope", lambda card=card: _slope(trace, view, card)
    for name in {binding.name for binding in trace.bindings[:2]}:
        yield "named", lambda name=name: (trace.bound(name), trace[name])
    yield "page", lambda: _written(trace)
    yield "answers", lambda: _answers(trace, names[:1])
    yield "command line", lambda: _commands(trace, names[:1])


def _written(trace: Trace) -> object:
    """Return every format of a picture."""
    drawn = numbered_picture(trace, LANG, None, True)
    return [form.written(drawn) for form in FORMATS.values()]


def _answers(trace: Trace, names: list[str]) -> object:
    """Return the answers of `explorer.load`, printed as in a notebook."""
    run = answering(trace)
    with patch("explorer.workers.diagnoses.default_runner", _Here):
        told: list[object] = [run.report(lang="zh")]
    told += [run.parameters(), run.gradients(), run.operations, run.nodes, run.tensors]
    told += [run.cells, run.backwards, run.memory(), *run.nonfinite()]
    for asked in names:
        with suppress(SayableError):
            told.append(run.why(asked, "zh"))
    for name in list(trace.index.bound)[:2]:
        with suppress(NotKept):
            told += [run.gradient(name), run.gradient(name, at_end=True), run.tensor(name)]
    return [(str(one), one._repr_html_() if hasattr(one, "_repr_html_") else None) for one in told]


def _commands(trace: Trace, names: list[str]) -> object:
    """Return the commands that read a saved run."""
    with TemporaryDirectory() as folder, redirect_stdout(StringIO()) as said, redirect_stderr(StringIO()):
        path = str(Path(folder, "run.trace"))
        Path(path).write_bytes(encode(trace))
        for command in (["report", path], ["report", path, "--json"], ["compare", path, path], ["why", path, *names]):
            with patch("explorer.workers.diagnoses.default_runner", _Here):
                main(command)
    return said.getvalue()


class _Here:
    """A runner without other processes: it answers their questions in this process."""

    def __init__(self) -> None:
        self.layouts = self.programs = self

    def call(self, request: bytes, *_order: object) -> SimpleNamespace:
        kind, _asked, recording = parts(request)
        reply = {DIAGNOSIS: diagnosing, EXPLANATION: explaining}[kind].answer(recording)
        return SimpleNamespace(wait=lambda: SimpleNamespace(outcome="reply", reply=reply))

    def ask(self, call: SimpleNamespace, *_turn: object) -> SimpleNamespace:
        return call.wait()


def _why(trace: Trace, view, card) -> object:
    asked = [subject_of(trace, view, card, gradient) for gradient in (True, False)]
    coded_again = [coded(trace, view.backward, code_of(one)) for one in asked if one is not None]
    steps_told = [unfolded(trace, one) for one in coded_again if one is not None]
    none = nothing_of(trace, view, card)
    found = [derivation(trace, one) for one in (*steps_told, *([none] if none else []))]
    return why_html(found, card_of_node(view), LANG), [tape(trace, tensor) for tensor in card.tensors[:1]]


def _slope(trace: Trace, view, card) -> object:
    """Return the curve of a leaf, and the way of its gradient to the root."""
    asked = [one for one in subjects(trace, view.backward, only=(card.tensors[0], 0)) if isinstance(one, CheckedLeaf)]
    calls = [(one, calls_again(trace, one, -2.0, 3.0)) for one in asked]
    curves = [
        curve_of_calls(trace, one, again, ProbeReading((1.0,) * len(again.values), (1.0,)))
        for one, again in calls
        if again is not None
    ]
    gradient = subject_of(trace, view, card, True)
    return curves, [] if gradient is None else path_stops(view, path(trace, gradient), LANG)


def _compared(trace: Trace, view) -> object:
    """Return the Compare page's text for a run and itself, and for a run with other bits in every number."""
    other = structs.replace(trace, values=structs.replace(trace.values, data=trace.values.data.translate(FLIPPED)))
    said: list = [overlaid(trace, view)]
    for right, exact in ((trace, 0.0), (other, None)):
        found = compare(trace, right, rtol=exact, atol=exact)
        first = [one for several in (found.values, found.gradients) for one in several[:1]]
        lines = [(line_of(trace, one, 0), line_of(right, one, 1)) for one in first]
        html = verdict_html(found, exact is None, False, LANG), parameters_html(gradient_pairs(trace, right), LANG)
        said.append((str(found), found.to_json(), lines, html, unequal_cards(right, view, found, 1)))
    return said


def overlaid(trace: Trace, view) -> str:
    """A run's picture laid over one without its last cards."""
    fewer = structs.replace(view, cards=view.cards[:-2], edges=())
    over = overlay((trace, trace), (view, fewer), compare(trace, trace))
    return overlay_svg(over, LANG) + legend_html(over, LANG)


def _weights(trace: Trace) -> object:
    """Return the Data page's text about a step of a model."""
    found = weighted(trace)
    if found is None or found.gradients is None:
        return loss(trace)
    pulled = [(adds_up(one, found.gradients), pulls_html(one, found.columns[0], LANG)) for one in trace.tables]
    return weights_html(found, 0, LANG), pulled, loss(trace)


def _stopped(trace: Trace, cell: int) -> object:
    """Return the page's picture of a stopped cell."""
    good = selected_backward(trace)
    shown, operation = stopped_backward(trace, cell, good), stopped_operation(trace, cell)
    view = graph_view(trace, shown if shown != good else None, stopped=operation)
    stopped = [card for card in view.cards if card.failed]
    told = [inspector_html(inspection(trace, view, card.id, LANG), view, LANG) for card in stopped[-1:]]
    return told, svg_parts(view, None, LANG), stopped_cards(view, trace, cell)


def _part_of_the_way(trace: Trace, shown: int) -> object:
    whole = graph_view(trace, shown)
    found = steps(trace, whole, LANG)
    known = trace_so_far(trace, shown, ran_until(trace, shown, found, len(found.steps) // 2))
    view = view_so_far(whole, graph_view(known, shown))
    return svg_parts(view, None, LANG, room=room_of(whole, LANG)), ghosts(known, shown, LANG)


def _film(trace: Trace, film: Curves) -> object:
    if film.base < 0:
        return None
    base, told = graph_view(trace, film.base), []
    pictures = FilmPictures(trace, film, base, room_of(base, LANG), None, LANG, True, NOTHING_OPENED)
    for position in (0, len(film) // 2, len(film) - 1):
        counted = counted_view(film, position, base)
        for view in (counted, step_view(trace, film, position, base, explained=False) or counted):
            drawn = Picture(trace, view, None, LANG, film=(pictures, position))
            told.append((packed_frames([film_frame(drawn, position)]), inspector_body(drawn, base.cards[0].id, LANG)))
        at = film.graph(position)
        told.append((film_at(trace, at), end_of_round(trace, at), start_of_loops(trace, at)) if at >= 0 else None)
    return told


def _list(trace: Trace) -> object:
    tensors = tensor_list(trace)
    return list_html(trace, tensors, "", branches_not_run(trace), LANG)


def _tensor(trace: Trace, one) -> object:
    view = tensor_view(trace, one.tensor, one.version)
    counts = histogram(view.value, view.picked)
    return (
        title_html(one, view, LANG),
        facts_html(view, (), LANG),
        sheet_html(sheet(view.value), None, LANG, ""),
        numbers_html(view.value, LANG),
        counts and histogram_html(counts, view.value, "values", False, LANG),
        tensor_gradient(trace, one.tensor, selected_backward(trace)),
        trace.picked(one.tensor),
    )


def _memory(trace: Trace) -> object:
    maps = memory_map(trace)
    return [storage_svg(one, LANG) for one in maps[:16]], alone_html(maps, LANG)


def _operation(trace: Trace, operation: int, shown: int | None) -> object:
    view = operation_view(trace, operation, node_gradients(trace, shown), contributions(trace, shown))
    return operation_html(view, LANG), curve_chart(view, False, LANG)


def _broadcast(trace: Trace, place) -> object:
    found = of_operation(trace, place)
    return alignment_html(found.alignment, tuple(part.name for part in found.parts), found.result, LANG)


def _figures(trace: Trace) -> list[Figure]:
    return [output for cell in trace.cells for output in cell.outputs if isinstance(output, Figure)]


def _figure(figure: Figure) -> object:
    return picture_html(figure, "en")


def _checks(trace: Trace) -> object:
    """Return the numeric check's text if every gradient is half of a slope."""
    leaves = [one for one in subjects(trace) if isinstance(one, CheckedLeaf)]
    found = [second_look(Found("doubt", None, 1.0, 2.0), _probe_of(one), _HALF, None) for one in leaves]
    checks = [judged(trace, one, each) for one, each in zip(leaves, found, strict=True)]
    return checks_json(trace, checks, LANG), checked_lines(trace, checks, LANG)


_HALF = ProbeReading((-2.0 * 8e-6, 2.0 * 8e-6, 0.0, 0.0), (1.0,) * 4, (1.0,) * 4)


def _probe_of(leaf: CheckedLeaf) -> Probe:
    return probe([leaf], is_further=True)


def _training(trace: Trace, place: int) -> None:
    view = training_view(trace, place)
    for measure in MEASURES:
        film_html(view, measure, LANG)
    film_data(view, "ratio", LANG)
    step_html(view, len(view.steps) // 2, LANG)
    steps_table(view, "gradient", LANG)
    training_picture(trace).html()
    for one in view.parameters[:3]:
        plots.entries_plot(view, one, False, False, LANG)
        plots.bands_plot(view, one, True, True, LANG)
    plots.rates_plot(view, view, False, LANG, 0)
