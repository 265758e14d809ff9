"""Timeline frames for the browser, as many as time and room allow."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from explorer.analysis.explain.autograd.inspection import inspection
from explorer.analysis.views.training.film import end_of_round, start_of_loops
from explorer.drawing.graph.inspector import inspector_parts
from explorer.drawing.graph.player_data import FilmFrame, packed, packed_frames, sentence_html
from explorer.drawing.notebook.ghosts import counted_ghosts, ghosts
from explorer.drawing.picture import FilmPictures, Picture
from explorer.trace import thinned

MOST = 160  # frames of a film
SECONDS = 1.0  # CPU seconds for drawing frames; the inspector's numbers get a third
CHARACTERS = 16_000_000  # characters of all frames before packing


@dataclass(frozen=True)
class Frames:
    """Frames for the browser. Attributes: pictures: by film position, in order."""

    pictures: Mapping[int, Picture]
    packed: str


def frames(pictures: FilmPictures, lead: str = "") -> Frames:
    """Draw evenly spread frames of a film, without steps of another graph.

    Args:
        lead: HTML that replaces every picture's sentence, or "".
    """
    until, room = time.thread_time() + SECONDS, CHARACTERS
    drawings: dict[int, tuple[Picture, FilmFrame]] = {}
    for position in halved(thinned(len(pictures.film), MOST)):
        drawn = pictures.shared(position, explained=False)
        if drawn is None:
            continue
        frame = film_frame(drawn, position, lead)
        room -= sum(map(len, frame.svg)) + len(frame.beside) + len(frame.legend)
        if room < 0 or (drawings and time.thread_time() > until):
            break
        drawings[position] = drawn, frame
    ordered = sorted(drawings)
    encoded = packed_frames([drawings[position][1] for position in ordered])
    return Frames({position: drawings[position][0] for position in ordered}, encoded)


def bodies(pictures: Mapping[int, Picture], card: str, lang: str) -> str:
    """Pack one card's inspector content for these pictures, or fewer if time is short."""
    until = time.thread_time() + SECONDS / 3
    texts: dict[int, str] = {}
    for position in halved(list(pictures)):
        if time.thread_time() > until:
            break
        texts[position] = inspector_body(pictures[position], card, lang)
    ordered = sorted(texts)
    if not ordered:
        return ""
    return packed({"positions": ordered, "body": [texts[position] for position in ordered]})


def inspector_body(drawn: Picture, card: str, lang: str) -> str:
    """Render a card's numbers as in a page's inspector."""
    view, trace = drawn.view, drawn.trace
    span = -1 if view.backward is None else trace.backwards[view.backward].span
    facts = inspection(trace, view, card, lang)
    return inspector_parts(facts, view, lang, True, trace.line(span), asks=view.kind != "counted")[1]


def beside(drawn: Picture) -> list:
    """Return the line-end annotations after a picture's step."""
    trace, lang, backward = drawn.trace, drawn.lang, drawn.view.backward
    if backward is None:
        calls = [row for row in drawn.film[0].film.backward.tolist() if row >= 0] if drawn.film else []
        return counted_ghosts(trace, drawn.view, lang, start_of_loops(trace, calls[0]) if calls else 0)
    last = drawn.film is None or drawn.film[1] == len(drawn.film[0].film) - 1
    return ghosts(trace, backward, lang, None if last else end_of_round(trace, backward))


def halved(items: Sequence[int]) -> Iterator[int]:
    """Yield items so that every prefix is evenly spread: ends, middle, quarters.

    >>> list(halved(range(5)))
    [0, 4, 2, 1, 3]
    """
    last = len(items) - 1
    seen: set[int] = set()
    step = max(last, 1)
    while len(seen) < len(items):
        for at in range(0, last + 1, step):
            if at not in seen:
                seen.add(at)
                yield items[at]
        if last not in seen and last >= 0:
            seen.add(last)
            yield items[last]
        step = max(1, step // 2)


def film_frame(drawn: Picture, position: int, lead: str = "") -> FilmFrame:
    """Build the frame of one step. Arguments as in `frames`."""
    lines = msgspec.json.encode(beside(drawn), enc_hook=int).decode()  # a line that knows its file is an int
    return FilmFrame(position, drawn.svg_parts(), drawn.legend(), lead or sentence_html(drawn.sentence()), lines)
