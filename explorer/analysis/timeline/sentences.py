"""What happens at a moment, in words with its numbers, and where it matters what PyTorch keeps and why."""

from collections.abc import Collection

from explorer.analysis.autograd.view import GraphView
from explorer.analysis.timeline.records import Moment, Timeline
from explorer.analysis.timeline.sentence_parts import code, listed, short
from explorer.analysis.timeline.write_words import WriteWords
from explorer.text.numbers import shorten
from explorer.trace import Echo, Printed, Result, Trace
from explorer.trace.index import names_in

PRINTED, LONGEST, FEW = 60, 300, 20  # of printed text: cells, characters and outputs that are read


def sentences(
    trace: Trace, line: Timeline, view: GraphView | None, lang: str, positions: Collection[int] | None = None
) -> list[str]:
    """The sentence of each moment; "" for a moment without one, or not in `positions`.

    Texts of the program are between backticks. `view` is the view of the time line.
    """
    teller = Teller(trace, line, view, lang)
    found = []
    for i, moment in enumerate(line.moments):
        found.append(teller.tell(i, moment) if positions is None or i in positions else "")
        teller.pass_by(moment)
    return found


class Teller(WriteWords):
    """Every kind of moment."""

    def tell(self, at: int, moment: Moment) -> str:
        """The sentence of a moment."""
        self.at = at
        sentence_of = {
            "operation": self.operation,
            "write": self.write,
            "update": self.update,
            "clear": self.clear,
            "round": self.head,
            "branch": self.head,
            "enter": self.enter,
            "leave": self.leave,
            "raise": self.raised,
        }.get(moment.kind)
        if moment.kind == "backward":
            return self.backward(moment)
        if moment.kind == "show":
            return self.show(at, moment)
        if (
            moment.gradients
            and moment.kind in ("operation", "write", "statement")
            and (sentence := self.stored_anew(moment))
        ):
            return sentence
        if moment.kind == "statement" and moment.operations > moment.first and not moment.names:
            return self.operation(moment)  # it only read something
        return sentence_of(moment) if sentence_of else self.statement(moment)

    def head(self, moment: Moment) -> str:
        text = " ".join(self.line_of(moment).split())
        values = self.values(moment.names)
        if moment.kind == "round" and text.startswith(("for", "async")):
            message = "round-first" if self.is_first_round(moment) else "round"
            return self.say(message, what=short(text), values=values) if values else self.say("ran", what=short(text))
        condition = text.split(" ", 1)[-1]
        held = [
            self.names[call, name]
            for name in sorted(names_in(condition), key=lambda name: (condition.find(name), name))
            for call in ((moment.call, 0) if moment.call else (0,))
            if (call, name) in self.names and not self.names[call, name].gone
        ]
        amounts = self.values([binding for binding in held if binding.name != condition][:2])
        loops = text.startswith("while")
        name = "round" if moment.kind == "round" else "true" if moment.truth else "loop-ends" if loops else "false"
        if amounts:
            return self.say(f"{name}-values", what=short(condition), values=amounts)
        return self.say("round-on" if name == "round" else name, what=short(condition))

    def is_first_round(self, moment: Moment) -> bool:
        """Whether a loop begins: what ran before in its function stands above it."""
        head = self.trace.spans[moment.span]
        for before in reversed(self.line.moments[: self.at]):
            if before.call != moment.call or before.span < 0:
                continue
            span = self.trace.spans[before.span]
            if before.kind == "round" and before.span == moment.span:
                return False
            if (span.cell, span.line) < (head.cell, head.line):
                return True
        return True

    def enter(self, moment: Moment) -> str:
        name = code(self.line.calls[moment.call].function)
        if self.line_of(moment).startswith("yield"):
            return self.say("goes-on", name=name)
        values = self.values(moment.names)
        return self.say("enter-with", name=name, values=values) if values else self.say("enter", name=name)

    def leave(self, moment: Moment) -> str:
        name = code(self.line.calls[moment.call].function)
        given = next((self.held(name) for name in moment.names if name.name == "return"), "")
        if "yield" in self.line_of(moment).split():
            return self.say("yield", name=name, value=code(given)) if given else self.say("leave", name=name)
        if given and given != "None":
            return self.say("leave-with", name=name, value=code(given))
        return self.say("leave", name=name)

    def raised(self, moment: Moment) -> str:
        return self.say("raise", what=short(self.line_of(moment)), type=code(moment.text))

    def show(self, at: int, moment: Moment) -> str:
        before = self.line.moments[at - 1].shown if at else (0, 0, 0)
        text = _printed(self.trace, before, moment.shown)
        what = short(self.line_of(moment))
        if not text:
            return self.say("shown", what=what)
        cell, outputs, characters = moment.shown
        shown = self.trace.cells[cell].outputs
        last = shown[outputs - 1] if 0 < outputs <= len(shown) and not characters else None
        if isinstance(last, Echo | Result) and text.startswith("<"):  # an object and its address
            return self.say("ran", what=what)
        name = "gives" if isinstance(last, Echo | Result) else "shows"
        return self.say(name, what=what, text=code(shorten(text, PRINTED)))

    def statement(self, moment: Moment) -> str:
        text = " ".join(self.line_of(moment).split())
        word = text.partition(" ")[0]
        if word in ("import", "from"):
            return self.say("imported", what=short(text))
        if word == "class":
            return self.say("class", name=code(text.split(" ")[-1]))
        if word == "def" or text.startswith("async def"):
            return self.say("defined", name=code(text.split(" ")[-1]))
        if text in ("continue", "break", "pass"):
            return self.say(text)
        if word == "with" and moment.truth is not None:
            quiet = text[5:].lstrip("( ").startswith(("torch.no_grad()", "torch.inference_mode()", "no_grad()"))
            name = "with-ends" if not moment.truth else "no-grad-begins" if quiet else "with"
            return self.say(name, what=short(text))
        found = self.found(moment)
        gone = [code(name.name) for name in moment.names if name.gone]
        if gone and word == "del":
            return self.say("gone", name=listed(gone, self.lang))
        values = self.values(moment.names)
        if found:
            return found
        if not text:
            return ""
        made = [name for name in moment.names if name.text.startswith("<") and not name.gone]
        if not values and len(made) == 1:
            return self.say("object", name=code(made[0].name), kind=code(made[0].text.strip("<>").split(" ")[0]))
        if not values:
            return self.say("ran", what=short(text))
        plain_one = [name for name in moment.names if not name.gone]
        if len(plain_one) == 1 and text == f"{plain_one[0].name} = {self.held(plain_one[0])}":
            return self.say("assigned", what=values)
        return self.say("value", what=short(text), value=values)


def _printed(trace: Trace, before: tuple[int, int, int], after: tuple[int, int, int]) -> str:
    """The beginning of the text that a cell printed between two positions, on one line."""
    cell, outputs, characters = after
    if cell >= len(trace.cells):
        return ""
    begin, skip = (before[1], before[2]) if before[0] == cell else (0, 0)
    shown, printed = trace.cells[cell].outputs, ""
    for i in range(begin, min(outputs + 1, len(shown), begin + FEW)):
        output = shown[i]
        text = output.text if isinstance(output, Printed | Echo | Result) else ""
        first, last = (skip if i == begin else 0), len(text)
        if i == outputs:
            last = characters if isinstance(output, Printed) else 0
        printed += text[first : min(last, first + LONGEST)]
    return " ".join(printed[:LONGEST].split())
