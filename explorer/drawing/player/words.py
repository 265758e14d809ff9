"""The player's own words."""

from explorer.text import say

WORDS = (
    *("play", "pause", "first", "back", "next", "last", "speed", "keys", "end", "elsewhere"),
    *("forward", "backward", "update", "after", "loss", "log"),
)
ASKING = ("predict", "check", "answer")  # only where a server keeps the answers


def player_words(lang: str, asks: bool) -> dict[str, str]:
    """By name the words of its buttons and of its track. `asks`: with those of Predict."""
    words = {word: say(lang, f"player-{word}") for word in WORDS + (ASKING if asks else ())}
    return words | {
        "player": say(lang, "player"),
        "ready": say(lang, "player-ready", count="{count}"),
        "step": say(lang, "player-step", step="{step}", count="{count}"),
        "round": say(lang, "player-round", round="{round}"),
    }
