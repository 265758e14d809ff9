"""The data with which a page plays a run without a server. Every text of the program is escaped here.

A run that is too long for a page is shortened."""

from collections import defaultdict
from collections.abc import Callable
from html import escape
from typing import Any

from msgspec import Struct, to_builtins

from explorer.analysis.autograd.steps import steps
from explorer.analysis.timeline import Timeline, timeline
from explorer.drawing.graph.player_data import player_words, where_told
from explorer.drawing.graph.reel import packed
from explorer.drawing.marks import quoted
from explorer.drawing.moments import Drawn, line_data
from explorer.drawing.notebook.ghosts import ghosts
from explorer.drawing.notebook.outputs import output_html, visible_lines
from explorer.drawing.notebook.stops import marks_of_stops
from explorer.drawing.plots.programs import picture_html
from explorer.text import say
from explorer.trace import Figure, Trace


def shortened(line: dict[str, Any], most: int, left_out: Callable[[int], str]) -> dict[str, Any]:
    """A time line (of `line_data`) shortened to at most `most` moments.

    A replacement moment contains all changes of the moments that it replaces.

    Args:
        left_out: HTML that states how many moments were left out.
    """
    moments = line["moments"]
    if len(moments) <= most:
        return line
    head, tail = most // 2, most - most // 2 - 1
    end = len(moments) - tail
    scenes = [chapter["scene"] for chapter in line["chapters"] for _ in range(chapter["count"])]
    after = [dict(moment) for moment in moments[end:]]
    drawn: dict[int, dict[str, str | None]] = defaultdict(dict)
    for moment, scene in zip(moments[head:end], scenes[head:], strict=False):
        drawn[scene] |= moment.get("drawn", {})
    for scene, cards in drawn.items():
        if scene != scenes[head] and scene in scenes[end:]:
            first = after[scenes[end:].index(scene)]
            first["drawn"] = cards | first.get("drawn", {})
    gap = _together(moments[head:end]) | {"says": left_out(end - head), "drawn": drawn[scenes[head]]}
    return {
        **line,
        "moments": [*moments[:head], gap, *after],
        "chapters": _chapters(line["chapters"], head, end - head),
        "scenes": [_scene(scene, head, end - head) for scene in line["scenes"]],
    }


def _together(moments: list[dict[str, Any]]) -> dict[str, Any]:
    """The texts beside the lines after these moments: for each place the last."""
    beside: dict[tuple[int, int], Any] = {}
    shown: dict[str, Any] = {}
    for moment in moments:
        beside |= {(cell, text[0]): (cell, text) for cell, text in moment.get("beside", ())}
        shown |= {"out": moment["out"]} if "out" in moment else {}
    return shown | {"beside": list(beside.values())}


def _chapters(chapters: list[dict[str, Any]], head: int, gone: int) -> list[dict[str, Any]]:
    """The chapters without the dropped moments; their replacement takes the place of the first."""
    shorter, at = [], 0
    for chapter in chapters:
        start, at = at, at + chapter["count"]
        lost = max(0, min(at, head + gone) - max(start, head))
        count = chapter["count"] - lost + (lost > 0 and start <= head)
        if count:
            shorter.append(chapter | {"count": count})
    return shorter


def _scene(scene: dict[str, Any], head: int, gone: int) -> dict[str, Any]:
    def moved(positions: dict[str, int]) -> dict[str, int]:
        return {card: min(at, max(head + 1, at - gone + 1)) for card, at in positions.items()}

    return scene | {name: moved(scene[name]) for name in ("born", "settled", "reached")}


MOST_MOMENTS = 4_000  # that a page plays
MOST_LINES = 2_000  # of the program
MOST_IMAGES = 4_000_000  # characters of all plots
KEY = "offline"  # the page's only time line


class Played(Struct, frozen=True):
    """A run, ready for the player of a page.

    Attributes:
        player: the data of the player (player.js).
        line: every moment, packed; "" if nothing can be played.
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
    """The run of a picture, as a page without a server needs it.

    Args:
        trace: the run, or the same run with every statement recorded.
        others: the picture of another backward call.
        sentence: the player's text at rest.
        until: at rest the ends of lines show the texts before this operation; None: those at the end of the run.
    """
    lang = own.lang
    film = timeline(trace, own.view)
    line = line_data(trace, own, film, steps(own.trace, own.view, lang), others, alone=False)
    count = len(line["moments"])
    line = shortened(line, MOST_MOMENTS, lambda gone: quoted(say(lang, "offline-left-out", count=gone)))
    notes = _notes(film, count, lang)
    player = {
        "cards": [card.id for card in own.view.cards if card.kind != "data"],
        "words": player_words(lang, asks=False),
        "chapters": [{key: chapter[key] for key in chapter if key != "scene"} for chapter in line["chapters"]],
        "rest": quoted(sentence) + "".join(f' <span class="quiet">{quoted(note)}</span>' for note in notes),
        "begins": next((moment["at"] for moment in line["moments"] if "at" in moment), None),
        **where_told(own.trace, own.view),
        **{"key": KEY, "stale": False, "predict": None, "alone": True},
    }
    shown = _cells(trace, line)
    ends = _ends(trace, own.view.backward, shown, until, lang)
    return Played(player, packed(line) if count else "", _program(trace, shown, lang), ends)


def _notes(film: Timeline, count: int, lang: str) -> list[str]:
    """What the page does not play."""
    notes = []
    if count and not film.watched:
        notes.append(say(lang, "offline-unwatched"))
    if film.left_out:
        notes.append(say(lang, "offline-statements", count=film.left_out))
    if count > MOST_MOMENTS:
        notes.append(say(lang, "offline-most", most=MOST_MOMENTS - 1, count=count))
    return notes


class _Images:
    """The plots of a run, as many as a page has room for."""

    def __init__(self, lang: str) -> None:
        self.lang, self.room = lang, MOST_IMAGES

    def __call__(self, figure: Figure) -> str:
        drawn = picture_html(figure, self.lang)
        self.room -= len(drawn)
        return drawn if self.room >= 0 else f'<p class="skipped">{quoted(say(self.lang, "offline-plot"))}</p>'


def _cells(trace: Trace, line: dict[str, Any]) -> list[int]:
    """The program's cells, and its files in which a line ran."""
    own = range(len(trace.own_cells)) if trace.cells and not trace.cells[0].name else ()
    return sorted({*own, *(moment["at"][0] for moment in line["moments"] if "at" in moment)})


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
    label = quoted(say(lang, "code-label"))
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
