"""The backward player as a component of the page: it gets all steps once and then runs in the browser alone."""

from explorer.autograd.steps import steps
from explorer.drawing.marks import quoted
from explorer.drawing.playing import player_data
from explorer.picture import Picture
from explorer.text import say
from explorer.ui.once import once
from explorer.ui.script import component

WORDS = ("play", "pause", "first", "back", "next", "last", "speed", "predict", "check")

_player = component("explorer_player", '<section class="player"></section>', "player.js")


def player(picture: Picture, lang: str, stale: bool) -> None:
    """Draw the player of a picture; at rest it says the picture's sentence. `stale`: dimmed."""
    told = once("steps", picture, lambda: player_data(steps(picture.trace, picture.view, lang)))
    count = len(told["steps"])
    words = {word: say(lang, f"player-{word}") for word in WORDS}
    words |= {
        "player": say(lang, "player"),
        "ready": say(lang, "player-ready", count=count) if count else "",
        "step": say(lang, "player-step", step="{step}", count=count),
        "right": say(lang, "player-right", answer="{answer}"),
        "wrong": say(lang, "player-wrong", answer="{answer}", guess="{guess}"),
    }
    cards = [card.id for card in picture.view.cards if card.kind != "data"]
    _player(
        data={**told, "cards": cards, "rest": quoted(picture.sentence()), "words": words, "stale": stale}, key="player"
    )
