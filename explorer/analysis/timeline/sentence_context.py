"""The state from which the sentences of the time line are written: a Trace, its time line, the values at a moment."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from itertools import islice

from explorer.analysis.autograd.titles import titles_of
from explorer.analysis.autograd.view import GraphView
from explorer.analysis.timeline.records import Change, Moment, Stored, Timeline
from explorer.analysis.timeline.sentence_parts import NAMED, SHORT, amount, code, listed, shortened
from explorer.text import say
from explorer.text.numbers import shorten
from explorer.trace import Trace, Value
from explorer.trace.index import names_in

LONGEST = 400  # characters of the program's text that are looked at


class Telling(ABC):
    """The state of names and gradients while moments are described in order.

    Attributes:
        at: the described moment; names: the values of names before it; holding: the names of each tensor, by call.
        stored: `.grad` of leaves before it.
    """

    def __init__(self, trace: Trace, line: Timeline, view: GraphView | None, lang: str) -> None:
        self.trace, self.line, self.lang = trace, line, lang
        self.titles = titles_of(trace)
        self.names: dict[tuple[int, str], Change] = {}
        self.holding: dict[tuple[int, int], dict[str, None]] = {}  # by call and tensor its names
        self.stored: dict[int, Stored] = {}
        self.steps: tuple | None = None
        self.view, self.at = view, 0

    def pass_by(self, moment: Moment) -> None:
        """Apply the changes of a moment."""
        for change in moment.names:
            key = change.call, change.name
            before = self.names.get(key)
            if before is not None and before.tensor >= 0:
                self.holding.get((change.call, before.tensor), {}).pop(change.name, None)
            self.names[key] = change
            if change.tensor >= 0 and not change.gone and change.name != "return":
                self.holding.setdefault((change.call, change.tensor), {})[change.name] = None
        for stored in moment.gradients:
            self.stored[stored.leaf] = stored

    def say(self, message: str, **values: str | int) -> str:
        """A message in the reader's language."""
        return say(self.lang, f"timeline-{message}", **values)

    def line_of(self, moment: Moment) -> str:
        """The program's text that runs; of a very long one the beginning."""
        return self.trace.text(moment.span)[:LONGEST]

    def name(self, tensor: int, operation: int | None = None) -> str:
        names = self.titles.names(tensor)
        return shorten(
            (self.titles.name(tensor, operation) if operation is not None else "") or (names[0] if names else ""), SHORT
        )

    def word(self, tensor: int, moment: Moment) -> str:
        """The name of a tensor at a moment: one in the line's text, otherwise any; "" if it has none."""
        mentioned = names_in(self.line_of(moment))
        held: dict[str, None] = {}
        for call in (moment.call, 0) if moment.call else (0,):
            names = self.holding.get((call, tensor), {})
            held |= dict.fromkeys(sorted(name for name in mentioned if name in names))
            held |= dict.fromkeys(islice(names, 1))
        held |= dict.fromkeys(name.name for name in moment.names if name.tensor == tensor and name.name != "return")
        path = next(iter(self.titles.names(tensor)), "") if self.trace.tensors.is_parameter[tensor] else ""
        if not self.line.watched:
            path = self.titles.name_in(tensor, self.line_of(moment), moment.operations) or path
        word = next((name for name in held if name in mentioned), "") or next(iter(held), "") or path
        return word if _is_path(word) else ""

    def held(self, change: Change) -> str:
        """The value of a name, shortened; "" for objects."""
        if change.tensor >= 0:
            row = self.row(change.tensor)
            return amount(self.trace.value_at(row)) if row >= 0 else ""
        return "" if change.text.startswith("<") else shortened(change.text)

    def row(self, tensor: int) -> int:
        """The state of a tensor at the moment."""
        row = self.trace.index.before(tensor, self.line.moments[self.at].operations)
        return -1 if row is None else row

    def values(self, changes: Collection[Change], most: int = NAMED) -> str:
        """`i = 1` and `x = 2`."""
        parts = []
        for change in changes:
            text = self.held(change)
            if text and not change.gone:
                parts.append(code(f"{change.name} = {text}"))
        return listed(parts, self.lang, most) if parts else ""

    def value_before(self, stored: Stored) -> Value | None:
        """What `.grad` was, None where there was none or it is unknown."""
        last = self.stored.get(stored.leaf)
        return self.trace.value(stored.before if stored.before >= 0 or last is None else last.value)

    def held_before(self, stored: Stored) -> str:
        """What `.grad` was as text, "" where there was none or it is unknown."""
        return amount(self.value_before(stored))

    @abstractmethod
    def statement(self, moment: Moment) -> str:
        """The sentence for a statement that has no other sentence."""


def _is_path(word: str) -> bool:
    """Whether a word is a name or a path of names."""
    parts = word.replace("[", ".").replace("]", "").split(".")
    return all(part.isidentifier() or part.isdigit() for part in parts)
