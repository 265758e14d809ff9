"""The story of a small graph as a paragraph in which every number leads to its card."""

from html import escape

from explorer.analysis.autograd.story import LeafStory, Story, Way
from explorer.drawing.marks import quoted
from explorer.safe_regex import plain
from explorer.text import say, separated
from explorer.text.numbers import DIGITS, approx, chain, digits_of, number, shorten

NAME = 30  # characters of a name or an expression
_PLACE = plain(
    "\ue100([0-9]{1,3}+)\ue101([,.;:，。；：]?)"
)  # where a value goes; private characters, which no catalogue uses


class _Places:
    """The HTML of the values of a story, and texts that stand for them until all is escaped."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def put(self, html: str) -> str:
        """A text that stands for this HTML."""
        self.parts.append(html)
        return f"\ue100{len(self.parts) - 1}\ue101"

    def filled(self, text: str) -> str:
        """An escaped text with the HTML in its places."""
        return _PLACE.sub(lambda match: self._with_sign(self.parts[int(match[1])], match[2]), escape(text))

    @staticmethod
    def _with_sign(html: str, sign: str) -> str:
        """A value and the punctuation behind it on one line."""
        return f'<span class="keep">{html}{sign}</span>' if sign else html


def story_html(narrative: Story, lang: str) -> str:
    """The story with its heading."""
    places = _Places()
    ways = [*narrative.passed, *(way for leaf in narrative.leaves for way in leaf.ways)]
    pairs = [(narrative.card, narrative.name), *((one.card, one.name) for one in narrative.leaves)]
    names = {card: shorten(name, NAME) for card, name in [*((way.card, way.name) for way in ways), *pairs]}

    def amounts(card: str, numbers: tuple[float, ...], gradient: bool = True, digits: int = DIGITS) -> str:
        leads = say(lang, "why-goto", word=names[card])
        words = [number(each, gradient, digits) for each in numbers]
        words[1:] = [f"{word[0]} {word[1:]}" if word != "0" else "+ 0" for word in words[1:]]  # a sum: +1 − 2
        links = zip(words, numbers, strict=True)
        return " ".join(_link(places, card, word, each if gradient else 0, leads) for word, each in links)

    root = _code(places, narrative.name)
    values = {
        "root": root,
        "value": amounts(narrative.card, (narrative.value,), False),
        "seed": amounts(narrative.card, (narrative.seed,)),
        "ran": "yes" if narrative.ran else "no",
    }
    if narrative.passed:
        parts = [
            say(lang, "story-part", amount=amounts(to.card, to.amounts), card=_code(places, to.name))
            for to in narrative.passed
        ]
        said = [say(lang, "story-passes", parts=separated(lang, parts), **values)]
    else:
        said = [say(lang, "story-root", **values)]
    for leaf in narrative.leaves:
        said.append(_leaf_sentence(leaf, root, places, amounts, lang))
    text = places.filled("\n".join(said))
    lines = "".join(f"<p>{line}</p>" for line in text.split("\n"))
    return f'<div class="story"><h3>{quoted(say(lang, "story"))}</h3>{lines}</div>'


def _leaf_sentence(leaf: LeafStory, root: str, places: _Places, amounts, lang: str) -> str:
    stored = leaf.stored or (0.0, leaf.total)
    after, nearly = digits_of(sum, (stored[0], leaf.total), stored[1]) if stored[0] else (DIGITS, "=")
    digits, sign = digits_of(sum, [amount for way in leaf.ways for amount in way.amounts], leaf.total, after)

    def way(at: int, to: Way) -> str:
        message = "story-way-next" if at else "story-way"
        return say(lang, message, card=_code(places, to.name), amount=amounts(to.card, to.amounts, digits=digits))

    ways = separated(lang, [way(at, to) for at, to in enumerate(leaf.ways)])
    values = {"leaf": _code(places, leaf.name), "grad": _code(places, f"{leaf.name}.grad")}
    values["total"] = approx(sign) + amounts(leaf.card, (leaf.total,), digits=after)
    if leaf.stored is None:
        so = say(lang, "story-gradient", **values)
    elif leaf.stored[0]:
        becomes = approx(nearly) + amounts(leaf.card, (leaf.stored[1],))
        so = say(lang, "story-added", before=number(leaf.stored[0], True, after), after=becomes, **values)
    else:
        so = say(lang, "story-stored", **values)
    count = sum(len(way.amounts) for way in leaf.ways)
    return chain([say(lang, "story-leaf", count=count, root=root, ways=ways, so=so, **values)])


def _link(places: _Places, card: str, words: str, gradient: float, leads: str) -> str:
    sign = "gp" if gradient > 0 else "gn" if gradient < 0 else ""
    words = quoted(words)
    says = f"{words}, {quoted(leads)}"
    return places.put(
        f'<button type="button" class="{sign}" aria-label="{says}" data-pick="{quoted(card)}">{words}</button>'
    )


def _code(places: _Places, name: str) -> str:
    return places.put(f"<code>{quoted(shorten(name, NAME))}</code>")
