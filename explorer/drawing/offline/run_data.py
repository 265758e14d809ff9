"""Data for playing a run offline, with escaped program text.

Runs that are too long for a page are not played.
"""

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from msgspec import Struct, to_builtins

from explorer.analysis.explain.autograd.backward_steps import steps
from explorer.analysis.views.timeline import Timeline, timeline
from explorer.drawing.graph.player_data import packed, player_words, result_lines
from explorer.drawing.marks import quoted
from explorer.drawing.moments import Drawn, line_data
from explorer.drawing.notebook.ghosts import ghosts
from explorer.drawing.notebook.outputs import marks_of_stops, output_html, visible_lines
from explorer.drawing.plots.programs import picture_html
from explorer.text import say
from explorer.trace import Figure, Trace

MOST_MOMENTS = 4_000  # limit for a run that a page plays
MOST_LINES = 2_000  # lines of the program
MOST_IMAGES = 4_000_000  # characters of all plots
KEY = "offline"  # the page's only time line


class Played(Struct, frozen=True):
    """A run, ready for the player of a page.

    Attributes:
        player: the data of the player (player.js).
        line: every moment, packed, or "" if nothing can be played.
        program: HTML of the program with its outputs, "" for none.
        cells: the texts at the ends of its lines after the run.
    """

    player: dict[str, Any]
    line: str
    program: str
    cells: list[dict[str, Any]]


def played(
    trace: Trace, own: Drawn, others: Callable[[int], Drawn | None], sentence: str, until: int | None = None
) -> Played:
    """Collect a picture's run for an offline page.

    Args:
        trace: the run, or the same run with every statement recorded.
        others: returns the picture of another backward.
        until: when stopped, line ends show texts before this operation. None: final texts.
    """
    lang = own.lang
    film = timeline(trace, own.view)
    count = len(film.moments)
    plays, notes = 0 < count <= MOST_MOMENTS, _notes(film, count, lang)
    line = line_data(trace, own, film, steps(own.trace, own.view, lang), others, alone=False) if plays else None
    spans = [trace.spans[one.span] for one in film.moments if one.span >= 0]
    places = [(span.cell, span.line) for span in spans]
    player = {
        "cards": [card.id for card in own.view.cards if card.kind != "data"],
        "words": player_words(lang, asks=False),
        "chapters": [
            {key: chapter[key] for key in chapter if key != "scene"} for chapter in (line["chapters"] if line else ())
        ],
        "rest": quoted(sentence) + "".join(f' <span class="quiet">{quoted(note)}</span>' for note in notes),
        "begins": places[0] if places else None,
        "lines": result_lines(own.view),
        **{"key": KEY, "stale": False, "predict": None, "alone": True},
    }
    shown = _cells(trace, places)
    ends = _ends(trace, own.view.backward, shown, until, lang)
    return Played(player, packed(line) if line else "", _program(trace, shown, lang), ends)


def _notes(film: Timeline, count: int, lang: str) -> list[str]:
    """Describe the parts that the page does not play."""
    notes = []
    if 0 < count <= MOST_MOMENTS and not film.watched:
        notes.append(say(lang, "offline-unwatched"))
    if film.left_out:
        notes.append(say(lang, "offline-statements", count=film.left_out))
    if count > MOST_MOMENTS:
        notes.append(say(lang, "offline-most", most=MOST_MOMENTS, count=count))
    return notes


class _Images:
    """Plots of a run, as many as fit on a page."""

    def __init__(self, lang: str) -> None:
        self.lang, self.room = lang, MOST_IMAGES

    def __call__(self, figure: Figure) -> str:
        drawn = picture_html(figure, self.lang)
        self.room -= len(drawn)
        return drawn if self.room >= 0 else f'<p class="skipped">{quoted(say(self.lang, "offline-plot"))}</p>'


def _cells(trace: Trace, places: Iterable[tuple[int, int]]) -> list[int]:
    """Return the program's cells and its executed files."""
    own = range(len(trace.own_cells)) if trace.cells and not trace.cells[0].name else ()
    return sorted({*own, *(cell for cell, _ in places)})


def _program(trace: Trace, shown: list[int], lang: str) -> str:
    images, left, parts = _Images(lang), MOST_LINES, []
    for number in shown:
        cell = trace.cells[number]
        lines = cell.source.rstrip().split("\n")
        title = ""
        if len(shown) > 1 or cell.name:
            title = f'<p class="cell-name">{quoted(cell.name or say(lang, "tensors-cell", cell=number + 1))}</p>'
        text = escape(visible_lines("\n".join(lines[:left])))
        out = output_html(trace, number, lang, alone=False, image=images)
        parts.append(
            f'<div class="cell" data-cell="{number}">{title}<div class="pad"><pre class="paint">{text}</pre></div>'
            f'{_more(lines, left, lang)}<div class="outs">{out}</div></div>'
        )
        left = max(0, left - len(lines))
    label = quoted(say(lang, "program"))
    return f'<section class="program code-editor" aria-label="{label}">{"".join(parts)}</section>' if parts else ""


def _more(lines: list[str], left: int, lang: str) -> str:
    gone = max(0, len(lines) - left)
    return f'<p class="quiet">{quoted(say(lang, "code-more", count=gone))}</p>' if gone else ""


def _ends(trace: Trace, backward: int | None, shown: list[int], until: int | None, lang: str) -> list[dict[str, Any]]:
    beside = ghosts(trace, backward, lang, until)
    return [
        {"cell": cell, "ghosts": to_builtins(beside[cell]), "faults": marks_of_stops(trace, cell, lang)}
        for cell in shown
    ]
