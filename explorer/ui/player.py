"""The backward player as a component of the page: it gets all steps once and then runs in the browser alone."""

from pathlib import Path

import streamlit as st

from explorer.autograd.steps import steps
from explorer.drawing.marks import quoted
from explorer.drawing.playing import player_data
from explorer.picture import Picture
from explorer.text import say
from explorer.ui.once import once

HERE = Path(__file__).parent
WORDS = ("play", "pause", "first", "back", "next", "last", "speed", "predict", "check")

_player = st.components.v2.component(
    "explorer_player",
    html='<section class="player"></section>',
    js=(HERE / "player.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def player(picture: Picture, lang: str) -> None:
    """Draw the player of a picture into the current container; at rest it says the picture's sentence."""
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
    _player(data={**told, "cards": cards, "rest": quoted(picture.sentence()), "words": words}, key="player")
