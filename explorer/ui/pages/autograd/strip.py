"""Show a training loop's rounds on the timeline."""

import math
from collections.abc import Sequence
from secrets import token_hex
from typing import Any

from explorer.analysis.diagnose.findings import Finding
from explorer.analysis.diagnose.messages import place_text
from explorer.analysis.explain.autograd.cells import cell_of
from explorer.analysis.run.curves import Curves
from explorer.analysis.views.training.film import films
from explorer.drawing.film import bodies, frames
from explorer.drawing.graph.player_data import packed
from explorer.drawing.marks import messages_html
from explorer.drawing.moments import curve_name, loss_text
from explorer.drawing.picture import Picture
from explorer.sandbox.hosting import hosted
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.components.script import component, component_state
from explorer.ui.pages.autograd.predict import hides_values, predicting
from explorer.ui.session.memo import memoize

KEY = "strip"
REEL = "reel"
FAULTS = 2  # faults shown next to a loop's steps
ROUND, DEEP = 40, 4  # characters of a loop variable's value; number of shown variables

_strip = component(
    "explorer_strip", '<div class="strip" hidden><ul class="remarks"></ul></div>', "pages/autograd/strip.js"
)
_reel = component("explorer_reel", '<i class="reel" hidden></i>', "pages/autograd/reel.js")


def last_choice() -> dict[str, Any]:
    """Return the browser's last timeline choice (film, position, run, cell, time), or {}."""
    event = component_state(KEY, "chosen")
    return event if isinstance(event, dict) else {}


def moment() -> int:
    """Return when the timeline last moved, in ms."""
    at = last_choice().get("at")
    return at if isinstance(at, int) else 0


def strip(
    trace: Trace,
    number_of: int,
    position: int,
    run: str,
    cell: int | None,
    key: str,
    findings: Sequence[Finding],
    lang: str,
) -> None:
    """Send a film's rounds to the player's track, and draw their faults.

    Args:
        number_of: index of the film.
        position: position of the shown step, or -1.
        run, cell: subject of a choice.
        key: key of the picture's layout, for which frames are valid.
        findings: diagnoses, drawn at the step where they begin.
    """
    film = films(trace)[number_of]
    shown = len(film)
    data = {
        "line": memoize(
            "line", trace, lambda: packed(_line(trace, film, hides_values(), lang)), number_of, hides_values(), lang
        ),
        "film": number_of,
        "at": position,
        "key": key,
        "run": run,
        "cell": cell,
        "calls": film.calls,
        "thinned": say(lang, "film-thinned", count=shown, all=film.calls) if shown < film.calls else "",
        "words": {"at": say(lang, "film-at", step="{step}", count="{count}")},
        "ahead": not hosted(),
        "moment": moment(),
        "faults": [] if predicting() else _faults_by_step(film, findings, lang),  # the sentences contain gradients
    }
    _strip(data=data, key=KEY, default={"chosen": None})


def reel_key(drawn: Picture, lang: str) -> str:
    """Return a film's key in a layout and language."""
    if drawn.film is None:
        return ""
    pictures = drawn.film[0]
    laid_out = f"{drawn.fold} {hash(drawn.opened)}"
    run = memoize("reel name", drawn.trace, lambda: token_hex(8))  # a later Trace may reuse this one's memory address
    return f"{run} {pictures.film.place} {lang} {laid_out}"


def reel(drawn: Picture, card: str, lead: str, lang: str) -> None:
    """Send a film's frames, with the inspector's text about a card for each.

    They are sent when the timeline requests them, because they take longer than everything else on the page and most
    users only look at the last step. While Predict is on nothing is sent, since every frame contains gradients.
    """
    if drawn.film is None or predicting():
        return
    pictures, key = drawn.film[0], reel_key(drawn, lang)
    if component_state(REEL, "wanted") != key:
        _draw_reel(key, "")
        return
    film = memoize("frames", drawn.trace, lambda: frames(pictures, lead), key, lead)
    _draw_reel(key, film.packed)
    packed_bodies = memoize("bodies", drawn.trace, lambda: bodies(film.pictures, card, lang), key, card)
    send_reel("bodies", f"{key} {card}", packed_bodies)


def send_reel(what: str, key: str, data: str) -> None:
    """Send packed playback data as a separate message, which is sent only once."""
    _reel(data={"what": what, "key": key, "packed": data}, key=f"reel_{what}")


def _draw_reel(key: str, packed_frames: str) -> None:
    data = {"what": "frames", "key": key, "packed": packed_frames}
    _reel(data=data, key=REEL, default={"wanted": ""})


def film_title(trace: Trace, film: Curves, lang: str) -> tuple[str, str]:
    """Return a film's title among several: call, place and number of steps."""
    line = trace.line(film.span)
    where = place_text(trace, cell_of(trace, film.span), line, lang) if line else ""
    return film.kind, f"{where} · {say(lang, 'film-steps', count=film.calls)}".removeprefix(" · ")


def _faults_by_step(film: Curves, findings: Sequence[Finding], lang: str) -> list[tuple[int, str, str]]:
    """Return faults by their first step: position, label, sentences as HTML."""
    own = [one for one in findings if one.loop == film.place and one.level != "info"][:FAULTS]
    placed = ((film.numbered(one.step), one) for one in own)
    return [
        (at, say(lang, "film-to-step", step=one.step), messages_html(lang, one.messages("cause")))
        for at, one in placed
        if at >= 0
    ]


def _line(trace: Trace, film: Curves, hidden: bool, lang: str) -> dict[str, Any]:
    """Return the steps as display columns for the browser. `hidden`: without values."""
    values = [{name[:ROUND]: text[:ROUND] for name, text in loops[-DEEP:]} for loops in film.rounds]
    names, losses = list(dict.fromkeys(name for value in values for name in value)), film.loss.tolist()
    return {
        "numbers": (film.number + 1).tolist(),
        "losses": [loss if math.isfinite(loss) and not hidden else None for loss in losses],
        "lossTexts": ["" if hidden else loss_text(trace, film.place, loss, lang) for loss in losses],
        "curve": curve_name(trace, film.place, lang),
        "names": names,
        "rounds": [[value.get(name, "–") for value in values] for name in names],
        "backwards": film.backward.tolist(),
    }
