"""The strip `backward 1 … n`, which selects the shown backward call."""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from explorer.analysis.diagnose.findings import Finding
from explorer.analysis.diagnose.messages import place_text
from explorer.analysis.explain.autograd.gradients import called_backwards
from explorer.analysis.run.curves import Curves
from explorer.analysis.views.training.film import film_at, films
from explorer.drawing.picture import Picture
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.components.script import component, component_state
from explorer.ui.pages.autograd.strip import film_title, last_choice, strip

KEY = "backwards"
LINKED = "_linked"  # session state: the backward that an address requested, and its run

_chips = component("explorer_chips", '<div class="chips" role="group"></div>', "pages/autograd/chips.js")


class ShownStep(NamedTuple):
    """The shown step. Attributes: backward: its index. film, position: of a film step, or -1."""

    backward: int
    film: int = -1
    position: int = -1


def chosen(trace: Trace, run: str, cell: int | None) -> ShownStep | None:
    """Return the user's choice for this run and cell."""
    on_strip = component_state(KEY, "chosen")
    picked = [
        choice
        for choice in (on_strip, last_choice())
        if isinstance(choice, dict) and (choice.get("run"), choice.get("cell")) == (run, cell)
    ]
    latest = max(picked, key=lambda choice: _whole(choice.get("at")) or 0, default={})
    calls, made = _calls(trace), films(trace)
    match latest:
        case {"film": int(film), "position": int(position)} if 0 <= film < len(made):
            return of_step(made, film, position)
        case {"number": int(number)} if 0 <= number < len(calls):
            return of_backward(trace, calls[number])
    linked_to, step = linked(run)
    if linked_to not in calls:
        return None
    shown = of_backward(trace, linked_to)
    if step and shown.film >= 0:
        return of_step(made, shown.film, made[shown.film].numbered(step)) or shown
    return shown


def of_backward(trace: Trace, backward: int) -> ShownStep:
    """Return a backward with its film position."""
    place, made = film_at(trace, backward), films(trace)
    if place is not None:
        return ShownStep(backward, made.index(place[0]), place[1])
    span = trace.backwards[backward].span  # a film's call, between recorded steps
    return ShownStep(backward, next((i for i, film in enumerate(made) if film.span == span >= 0), -1))


def of_step(made: Sequence[Curves], film: int, position: int) -> ShownStep | None:
    """Return a film step, None without a picture."""
    if not 0 <= position < len(made[film]) or made[film].base < 0:
        return None
    backward = made[film].graph(position)
    return ShownStep(backward if backward >= 0 else made[film].base, film, position)


def of_picture(trace: Trace, drawn: Picture | None, backward: int | None) -> ShownStep | None:
    """Return the step that a picture of this run shows."""
    if drawn is not None and drawn.film is not None and drawn.trace is trace:
        pictures, position = drawn.film
        return of_step(films(trace), films(trace).index(pictures.film), position)
    return None if backward is None else of_backward(trace, backward)


def is_counted(trace: Trace, choice: ShownStep | None) -> bool:
    """Return whether a choice is a step whose operations were only counted."""
    return choice is not None and choice.position >= 0 and films(trace)[choice.film].graph(choice.position) < 0


def step_number(trace: Trace, choice: ShownStep) -> int:
    """Return a counted step's number for an address, otherwise 0."""
    return int(films(trace)[choice.film].number[choice.position]) + 1 if is_counted(trace, choice) else 0


def link(number: int | None, step: int, run: str) -> None:
    """Show this backward until another is chosen."""
    st.session_state[LINKED] = (number, step, run)


def linked(run: str) -> tuple[int | None, int]:
    """Return the backward in an address, if any, and its step."""
    number, step, of = st.session_state.get(LINKED, (None, 0, ""))
    return (number, step) if of == run else (None, 0)


def chips(
    trace: Trace, run: str, cell: int | None, shown: ShownStep | None, key: str, findings: Sequence[Finding], lang: str
) -> None:
    """Draw the strip if useful, and send the shown film's rounds to the player.

    Args:
        run: name of this run. Choices of other runs are forgotten.
        shown: the shown step.
        key: identifies the layout of the picture.
        findings: the diagnoses.
    """
    calls, made = _calls(trace), films(trace)
    filmed = {row for film in made for row in film.backward.tolist()}
    backwards = [i for i in calls if i not in filmed and not _within(trace, made, i)]
    entries = [
        (calls.index(i), *_titles(trace, i, calls.index(i) + 1, lang), i == (shown and shown.backward))
        for i in backwards
    ]
    for number, film in enumerate(made):
        if film.base >= 0:
            titles = film_title(trace, film, lang)
            entries.append((calls.index(film.base), *titles, film.span, shown is not None and shown.film == number))
    if calls and (len(entries) > 1 or (len(trace.own_cells) > 1 and entries)):
        data = {
            "chips": [[title, where, _place(trace, span), number] for number, title, where, span, _ in entries],
            "shown": next((i for i, entry in enumerate(entries) if entry[-1]), -1),
            "run": run,
            "cell": cell,
            "label": say(lang, "backwards"),
        }
        _chips(data=data, key=KEY, default={"chosen": None})
    if shown is not None and shown.film >= 0:
        strip(trace, shown.film, shown.position, run, cell, key, findings, lang)


def _within(trace: Trace, made: Sequence[Curves], backward: int) -> bool:
    """Return whether a call belongs to a film whose thinned record skipped it."""
    return any(film.span >= 0 and film.span == trace.backwards[backward].span for film in made)


def _titles(trace: Trace, backward: int, number: int, lang: str) -> tuple[str, str, int]:
    """Return a call's title, place in words, and place."""
    span = trace.backwards[backward].span
    where = place_text(trace, trace.spans[span].cell, trace.spans[span].line, lang) if span >= 0 else ""
    return f"{trace.backwards[backward].kind} {number}", where, span


def _place(trace: Trace, span: int) -> list[int] | None:
    """Return cell, line, column, end line and end column, or None."""
    if span < 0:
        return None
    at = trace.spans[span]
    return [at.cell, at.line, at.column, at.end_line, at.end_column]


def _calls(trace: Trace) -> list[int]:
    """Return the program's own calls."""
    return [i for i in called_backwards(trace) if trace.backwards[i].kind != "implicit"]


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) else None
