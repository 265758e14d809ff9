"""The backward player as a component of the page: it gets all steps once and then runs in the browser alone.

It asks for them when a hand comes near: to tell them takes longer than to draw the picture, and few pictures are ever
played. While Predict is on it gets the steps that were reached, and asks the server for each further one.
"""

from secrets import token_hex
from typing import Any

from explorer.autograd.questions import Question
from explorer.autograd.steps import leaf_steps
from explorer.diagnosed import diagnosed
from explorer.drawing.graph.playing import player_data, sentence_html
from explorer.drawing.marks import quoted
from explorer.picture import Picture
from explorer.sandbox.hosted import hosted
from explorer.text import say
from explorer.text.numbers import shorten
from explorer.ui.components.script import component, told_by
from explorer.ui.pages.autograd.predict import KEY, Prediction, predicting, prediction, steps_of
from explorer.ui.pages.autograd.strip import moment
from explorer.ui.panels.faults import leading
from explorer.ui.session.memo import once

WORDS = ("play", "pause", "first", "back", "next", "last", "speed", "predict", "check", "answer")
GUESS = 24  # cells of an answer that is said again

_player = component("explorer_player", '<section class="player"></section>', "pages/autograd/player.js")


def player(picture: Picture, lang: str, stale: bool) -> None:
    """Draw the player of a whole picture; at rest it says the picture's sentence. `stale`: dimmed."""
    leaves = once("leaf steps", picture, lambda: leaf_steps(picture.trace, picture.view))
    count = len(leaves)
    words = {word: say(lang, f"player-{word}") for word in WORDS}
    words |= {
        "player": say(lang, "player"),
        "ready": say(lang, "player-ready", count=count) if count else "",
        "step": say(lang, "player-step", step="{step}", count=count),
    }
    cards = [card.id for card in picture.view.cards if card.kind != "data"]
    data: dict[str, Any] = {"cards": cards, "words": words, "stale": stale, "predict": None, "key": ""}
    if predicting():
        found = steps_of(picture)
        now, number = prediction(picture)
        question = found.steps[now.reached].question if now.asking else None
        asked = _asked(question, now, found.steps[now.reached].card, lang) if question else None
        data["predict"] = {"number": number, "reached": now.reached, "ask": asked}
        if now.verdict in ("right", "wrong") and (answered := found.steps[now.reached - 1].question):
            data["predict"]["verdict"] = _verdict(now, answered, lang)
        data |= player_data(found, now.reached)
        data["rest"] = quoted(picture.sentence() if now.reached == count else say(lang, "player-predicting"))
    else:
        data |= {"key": once("steps name", picture, lambda: token_hex(8)), "ahead": not hosted()}
        data["told"] = not count or told_by(KEY, "wanted") == data["key"]
        if data["told"]:
            data |= once("steps", picture, lambda: player_data(steps_of(picture)))
        else:
            data |= {"start": (), "steps": [{"leaf": leaf} for leaf in leaves]}
        data["rest"] = lead(picture, lang) or quoted(picture.sentence())
        data["moment"] = moment()
    nothing = {"act": None, "wanted": ""}
    _player(data=data, key=KEY, default=nothing, on_act_change=lambda: None, on_wanted_change=lambda: None)


def lead(picture: Picture, lang: str) -> str:
    """HTML: what is wrong with the program although nothing failed, which goes before every picture's sentence."""
    return quoted(leading(picture.trace, diagnosed(picture.trace), lang))


def _asked(question: Question, now: Prediction, card: str, lang: str) -> dict[str, Any]:
    """A question as the browser shows it: everything but its answer."""
    note = ""
    if now.verdict == "unread":
        words = "player-unread-shape" if isinstance(question.answer, tuple) else "player-unread"
        note = quoted(say(lang, words, guess=shorten(now.guess, GUESS)))
    elif now.tries:
        said = say(lang, "player-hint", guess=shorten(now.guess, GUESS))
        note = f'<b class="wrong">{quoted(said)}</b> {sentence_html(question.hint)}'
    says = sentence_html(question.text)
    return {"says": says, "note": note, "card": card, "wires": question.wires, "at": question.card}


def _verdict(now: Prediction, question: Question, lang: str) -> str:
    said = say(lang, f"player-{now.verdict}", answer=question.shown, guess=shorten(now.guess, GUESS))
    return f'<b class="{now.verdict}">{quoted(said)}</b> '
