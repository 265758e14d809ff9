"""A drawing as a self-contained page with panning, zooming, clicks and keys."""

from collections.abc import Mapping
from pathlib import Path

from explorer.drawing.graph.player_data import packed
from explorer.drawing.graph.svg import style
from explorer.drawing.marks import quoted
from explorer.drawing.offline.run_data import Played
from explorer.drawing.scripts import saved_page
from explorer.drawing.style import sheet
from explorer.text import say

HERE = Path(__file__).parent
WORDS = {"bigger": "bigger", "smaller": "smaller", "fit": "fit", "fitWord": "graph-fit-word"}
WORDS |= {"leaves": "graph-leaves", "output": "output"}
WORDS |= {"search": "graph-search", "searchWord": "graph-search-word"}
WORDS |= {"closeModules": "graph-modules-close-all"}

# The page fills the window or iframe.
_PAGE = sheet("inspector") + sheet("player") + sheet("program") + (HERE / "page.css").read_text(encoding="utf-8")


def page_words(lang: str) -> dict[str, str]:
    """Return the labels of the buttons around a picture."""
    labels = {name: say(lang, message) for name, message in WORDS.items()}
    labels["more"] = say(lang, "graph-more", seen="{seen}", all="{all}")
    labels["missing"] = say(lang, "graph-module-missing", module="{module}")
    return labels


def html_page(
    svg: str,
    lang: str,
    title: str = "Autograd Explorer",
    legend: str = "",
    sentence: str = "",
    cards: Mapping[str, str] | None = None,
    root: str = "",
    openings: str = "",
    film: Played | None = None,
) -> str:
    """Build an HTML page with the SVG that follows the system's theme.

    Args:
        svg, legend: output of `svg_parts` and `legend`, inserted unchanged.
        title, sentence: plain text, escaped here.
        cards: HTML of each card by id, from `inspector_html`.
        root: card shown initially.
        openings: pictures of opened modules, from `packed_openings`.
        film: the run to play, and its program.
    """
    words = f'<p class="sentence">{quoted(sentence)}</p>' if sentence else ""
    if film is not None:
        words = f'<section class="player">{words}</section>'
    data = {"words": page_words(lang), "root": root, "foldable": False}
    data |= {"title": quoted(title), "fold": True}
    data |= {"player": film and film.player, "cells": film.cells if film else []}
    full = "".join(
        f'<section data-card="{quoted(name)}"{"" if name == root else " hidden"}>{html}</section>'
        for name, html in (cards or {}).items()
    )
    body = f'<body class="plays">{film.program}' if film else "<body>"
    aside = f"<aside>{full}</aside>" if full else ""
    body += (
        f'<main><div class="stage">{svg}</div><p class="missing" role="status" hidden></p>'
        f'<div class="legend-place">{legend}</div>'
        f"{'' if film else words}</main>{aside}{words if film else ''}"
        f'<script type="text/plain" id="openings">{openings}</script>'
        f'<script type="text/plain" id="line">{film.line if film else ""}</script>'
    )
    return saved_page(HERE / "page.js", title, lang, style() + _PAGE, body, data)


def packed_openings(pictures: Mapping[str, Mapping[str, str]], cards: Mapping[str, str]) -> str:
    """Pack pictures with an opened module as compressed text, "" if there is none.

    Args:
        pictures: `svg`, `root` (the initial card) and `within` (the path that closing leads to), by module path.
        cards: HTML of further cards, by id.
    """
    if not pictures:
        return ""
    return packed({"pictures": {path: dict(openings) for path, openings in pictures.items()}, "cards": dict(cards)})
