"""The player component: gets a run's timeline once and then plays in the browser.

It requests the timeline when a pointer, touch or focus approaches, because few pictures are played. With Predict on, it
gets the steps reached so far, and requests each further step from the server.
"""

from collections.abc import Callable
from secrets import token_hex
from typing import Any

from msgspec.structs import replace

from explorer.analysis.explain.autograd.gradient_questions import Question
from explorer.analysis.views.timeline import timeline
from explorer.analysis.views.timeline.forward_steps import ForwardSteps
from explorer.drawing.graph.player_data import packed, player_data, player_words, result_lines, sentence_html
from explorer.drawing.marks import quoted
from explorer.drawing.moments import chapter_data, line_data
from explorer.drawing.picture import Picture
from explorer.drawing.picture import picture as drawn_anew
from explorer.program import Unusable
from explorer.text import say
from explorer.text.numbers import shorten
from explorer.trace import Trace
from explorer.ui.components.script import component, component_state
from explorer.ui.pages.autograd.predict import KEY, Prediction, predicted, predicting, prediction, steps_of
from explorer.ui.pages.autograd.strip import reel_key, send_reel
from explorer.ui.panels.problems import leading
from explorer.ui.session.memo import memoize
from explorer.ui.session.program_run import computed, session_runs
from explorer.ui.session.saved_run import is_saved
from explorer.ui.session.state import document
from explorer.workers.diagnoses import diagnoses_of
from explorer.workers.second_run import is_same

GUESS = 24  # widest repeated answer

_player = component("explorer_player", '<section class="player"></section>', "../drawing/player/player.js")


def player(picture: Picture, lang: str, stale: bool) -> None:
    """Draw a whole picture's player, with its sentence when stopped. `stale`: dimmed."""
    data = _data(picture, stale) | {"words": player_words(lang, asks=True), "addressed": True}
    data["film"] = "" if stale else reel_key(picture, lang)
    if predicting():
        data |= _asking(picture, lang)
    else:
        data["chapters"] = [] if stale else memoize("chapters", picture, lambda: _chapters(picture))
        data["rest"] = render_diagnosis(picture, lang) or quoted(picture.sentence())
    _draw(picture, data, KEY, lambda: with_statements(picture.trace, lang))


def plain_player(picture: Picture, lang: str, key: str, watched: Callable[[], Trace]) -> None:
    """Draw a player without questions and without its moment in the address.

    Args:
        key: key of the component.
        watched: returns the same run with every statement recorded.
    """
    data = _data(picture, False) | {"words": player_words(lang, asks=False)}
    data["chapters"] = memoize("chapters", picture, lambda: _chapters(picture))
    _draw(picture, data | {"rest": quoted(picture.sentence())}, key, watched)


def _data(picture: Picture, stale: bool) -> dict[str, Any]:
    """Return a picture's data for every player."""
    cards = [card.id for card in picture.view.cards if card.kind != "data"]
    key = memoize("line name", picture, lambda: token_hex(8))
    lines = memoize("result lines", picture, lambda: result_lines(picture.view))
    return {"cards": cards, "stale": stale, "predict": None, "key": key, "lines": lines}


def _draw(picture: Picture, data: dict[str, Any], key: str, watched: Callable[[], Trace]) -> None:
    """Draw the component, and send the timeline once requested."""
    _player(data=data, key=key, default={"act": None, "wanted": ""})
    if not data["predict"] and not data["stale"] and component_state(key, "wanted") == data["key"]:
        trace = watched()
        line = memoize(
            "line", (trace, picture.view, picture.positions), lambda: _packed_line(picture, trace), picture.lang
        )
        send_reel("line", data["key"], line)


def _chapters(picture: Picture) -> list[dict[str, Any]]:
    """Return the chapters that depend only on the run."""
    return chapter_data(picture.trace, picture, timeline(picture.trace, picture.view))


def _packed_line(picture: Picture, trace: Trace) -> str:
    """Return the whole timeline, packed."""

    def other(backward: int) -> Picture | None:
        if picture.film is not None and (position := picture.film[0].film.at(backward)) >= 0:
            return picture.film[0].at(position, explained=False)
        options = picture.fold, picture.opened
        return drawn_anew(picture.trace, picture.lang, backward, *options)

    film, alone = timeline(trace, picture.view), len(trace.own_cells) == 1
    return packed(line_data(trace, picture, film, steps_of(picture), other, alone))


def with_statements(trace: Trace, lang: str) -> Trace:
    """Rerun the page's program with recorded statements, or return the run if they differ."""
    shown = session_runs.get().shown
    if shown is None or shown.result is not trace or is_saved(trace):
        return trace
    options = replace(shown.options, statements=True)
    try:
        program = document().program(len(shown.texts) - 1)
    except Unusable:
        return trace
    result = computed(program, lang, options, like=trace)
    return result if isinstance(result, Trace) and is_same(result, trace) else trace


def _asking(picture: Picture, lang: str) -> dict[str, Any]:
    """Return Predict's player data: steps reached so far, and the open question."""
    walk, (now, number) = predicted(picture), prediction(picture)
    forward, count = walk.forward, len(walk.steps)
    begin = len(forward.steps)
    fields: dict[str, Any] = {"number": number, "reached": now.reached, "begin": begin, "ask": None}
    fields |= {"born": forward.born, "settled": forward.settled}
    question = walk.steps[now.reached].question if now.asking else None
    if question is not None:
        fields["ask"] = _question_data(question, now, walk.steps[now.reached].card, lang)
        fields["ask"]["line"] = _place(picture, forward, now.reached)
    if now.verdict in ("right", "wrong") and (answered := walk.steps[now.reached - 1].question):
        fields["verdict"] = _verdict(now, answered, lang)
    data = player_data(walk.backward, max(0, now.reached - begin))
    ran = [
        {"card": step.card, "edges": (), "arrived": (), "leaf": False, "says": sentence_html(step.sentence)}
        | {"at": _place(picture, forward, i)}
        for i, step in enumerate(forward.steps[: now.reached])
    ]
    fields |= {"start": data["start"], "steps": [*ran, *data["steps"][: max(0, now.reached - begin)]]}
    rest = (
        picture.sentence()
        if now.reached == count
        else say(lang, "player-predicting-all" if begin else "player-predicting")
    )
    chapters = [
        {"kind": kind, "count": length, "round": -1, "backward": picture.view.backward}
        for kind, length in (("forward", begin), ("backward", count - begin))
        if length
    ]
    return {"predict": fields, "rest": quoted(rest), "chapters": chapters}


def _place(picture: Picture, forward: ForwardSteps, step: int) -> tuple[int, int] | None:
    """Return cell and line of a forward step, otherwise None."""
    span = forward.steps[step].span if step < len(forward.steps) else -1
    return (picture.trace.spans[span].cell, picture.trace.spans[span].line) if span >= 0 else None


def render_diagnosis(picture: Picture, lang: str) -> str:
    """Render the gravest diagnosis, which replaces the picture's sentence."""
    return quoted(leading(picture.trace, diagnoses_of(picture.trace), lang))


def _question_data(question: Question, now: Prediction, card: str, lang: str) -> dict[str, Any]:
    """Return a question for the browser, without its answer."""
    note = ""
    if now.verdict == "unread":
        words = "player-unread-shape" if isinstance(question.answer, tuple) else "player-unread"
        note = quoted(say(lang, words, guess=shorten(now.guess, GUESS)))
    elif now.tries:
        hint = say(lang, "player-hint", guess=shorten(now.guess, GUESS))
        note = f'<b class="wrong">{quoted(hint)}</b> {sentence_html(question.hint)}'
    says = sentence_html(question.text)
    return {"says": says, "note": note, "card": card, "edges": question.edges, "at": question.card}


def _verdict(now: Prediction, question: Question, lang: str) -> str:
    sentence = say(lang, f"player-{now.verdict}", answer=question.shown, guess=shorten(now.guess, GUESS))
    return f'<b class="{now.verdict}">{quoted(sentence)}</b> '
