"""What happens at a moment, in words with its numbers, and where it matters what PyTorch keeps and why."""

from collections.abc import Collection
from itertools import islice

from explorer.analysis.autograd.cells import names_bound
from explorer.analysis.autograd.entry_texts import sum_digits
from explorer.analysis.autograd.steps import steps
from explorer.analysis.autograd.view import GraphView
from explorer.analysis.autograd.written_numbers import as_written
from explorer.analysis.run import run_of
from explorer.analysis.timeline.records import Change, Moment, Stored, Timeline
from explorer.analysis.timeline.sentence_parts import (
    NAMED,
    SHORT,
    amount,
    clauses,
    equation,
    listed,
    short,
    shortened,
    value_before,
)
from explorer.text import code, joined, say
from explorer.text.numbers import approx, number, shape_text, shorten
from explorer.trace import Echo, Printed, Result, Trace, Value, index_at
from explorer.trace.index import names_in

PRINTED, LONGEST, FEW = 60, 300, 20  # of printed text: cells, characters and outputs that are read
LONGEST_LINE = 400  # characters of the program's text that are looked at
_READS = ("grad", "item", "tolist", "__bool__", "size", "dim", "numel", "requires_grad_")
_DETACHES = ("detach", "detach_")


def sentences(
    trace: Trace, line: Timeline, view: GraphView | None, lang: str, positions: Collection[int] | None = None
) -> list[str]:
    """The sentence of each moment; "" for a moment without one, or not in `positions`.

    Texts of the program are between backticks. `view` is the view of the time line.
    """
    narrator = Narrator(trace, line, view, lang)
    texts = []
    for i, moment in enumerate(line.moments):
        texts.append(narrator.tell(i, moment) if positions is None or i in positions else "")
        narrator.pass_by(moment)
    return texts


class Narrator:
    """Describes moments in order, with the state of names and gradients at each.

    Attributes:
        at: the described moment; names: the values of names before it; holding: the names of each tensor, by call.
        stored: `.grad` of leaves before it.
    """

    def __init__(self, trace: Trace, line: Timeline, view: GraphView | None, lang: str) -> None:
        self.trace, self.line, self.lang = trace, line, lang
        self.run = run_of(trace)
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
        return self.trace.text(moment.span)[:LONGEST_LINE]

    def name(self, tensor: int, operation: int | None = None) -> str:
        names = self.run.all_names(tensor)
        return shorten(
            (self.run.name(tensor, operation) if operation is not None else "") or (names[0] if names else ""), SHORT
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
        path = next(iter(self.run.all_names(tensor)), "") if self.trace.tensors.is_parameter[tensor] else ""
        if not self.line.watched:
            path = self.run.name(tensor, moment.operations, self.line_of(moment)) or path
        word = next((name for name in held if name in mentioned), "") or next(iter(held), "") or path
        return word if _is_path(word) else ""

    def held(self, change: Change) -> str:
        """The value of a name, shortened; "" for objects."""
        if change.tensor >= 0:
            row = self.row(change.tensor)
            return amount(as_written(self.trace, self.trace.value_at(row))) if row >= 0 else ""
        return "" if change.text.startswith("<") else shortened(change.text)

    def row(self, tensor: int) -> int:
        """The state of a tensor at the moment."""
        row = self.trace.index.before(tensor, self.line.moments[self.at].operations)
        return -1 if row is None else row

    def values(self, changes: Collection[Change], most: int = NAMED) -> str:
        """`i = 1` and `x = 2`."""
        texts = ((change.name, self.held(change)) for change in changes if not change.gone)
        parts = [code(f"{name} = {text}") for name, text in texts if text]
        return listed(parts, self.lang, most) if parts else ""

    def value_before(self, stored: Stored) -> Value | None:
        """What `.grad` was, None where there was none or it is unknown."""
        last = self.stored.get(stored.leaf)
        return self.trace.value(stored.before if stored.before >= 0 or last is None else last.value)

    def held_before(self, stored: Stored) -> str:
        """What `.grad` was as text, "" where there was none or it is unknown."""
        return amount(self.value_before(stored), signed=True)

    def tell(self, at: int, moment: Moment) -> str:
        """The sentence of a moment."""
        self.at, kind = at, moment.kind
        stores = moment.gradients and kind in ("operation", "write", "statement")
        if stores and (sentence := self.stored_anew(moment)):
            return sentence
        if kind == "show":
            return self.show(at, moment)
        if kind == "statement" and moment.operations > moment.first and not moment.names:
            kind = "operation"  # it only read something
        tellers = {
            "operation": self.operation,
            "write": self.write,
            "update": self.update,
            "clear": self.clear,
            "backward": self.backward,
            "round": self.head,
            "branch": self.head,
            "enter": self.enter,
            "leave": self.leave,
            "raise": self.raised,
        }
        return tellers.get(kind, self.statement)(moment)

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
        sentence = self.found(moment)
        gone = [code(name.name) for name in moment.names if name.gone]
        if gone and word == "del":
            return self.say("gone", name=listed(gone, self.lang))
        values = self.values(moment.names)
        if sentence:
            return sentence
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

    # ---- what torch computed -----------------------------------------------------------------------------------------

    def operation(self, moment: Moment) -> str:
        operation = self.main(moment)
        if operation < 0:
            return self.statement(moment)
        if parameters := self.parameters(moment):
            return self.say("parameters", what=short(self.line_of(moment)), names=listed(parameters, self.lang))
        following = self.line.moments[self.at + 1].kind if self.at + 1 < len(self.line.moments) else ""
        if following == "enter" and self.trace.strings[self.trace.operations.name[operation]].endswith(".apply"):
            return self.say("ran", what=short(self.line_of(moment)))  # what comes of it is not there yet
        what, result = self.what(moment, operation), self.result(operation, moment)
        made = [node for index in range(moment.first, moment.operations) for node in self.made(index)]
        if not made and self.unremembered(moment):
            if self.trace.strings[self.trace.operations.name[operation]] in _DETACHES:
                return self.say("detached", what=what)
            value = equation(self.trace, operation, result) or amount(result)
            return self.say("no-grad", what=what, value=code(value)) if value else self.say("no-grad-silent", what=what)
        read = self.trace.strings[self.trace.operations.function[operation]].endswith("Tensor.grad")
        value = equation(self.trace, operation, result) or amount(result, signed=read)
        if not value:
            return self.statement(moment)
        named = self.named_here(moment, {*self.trace.operations.outputs[operation]})
        if not self.trace.operations.inputs[operation] and len(named) == 1:
            first = self.say("assigned", what=code(f"{named[0]} = {value}"))
        else:
            first = self.say("value", what=what, value=code(value))
        plain_values = self.values([name for name in moment.names if name.tensor < 0])
        also = self.say("assigned", what=plain_values) if plain_values else ""
        return joined(self.lang, [first, also, self.leaf(moment), self.remembers(moment, made)])

    def main(self, moment: Moment) -> int:
        """The last operation of a moment that computed something."""
        o = self.trace.operations
        return next(
            (operation for operation in range(moment.operations - 1, moment.first - 1, -1) if o.outputs[operation]), -1
        )

    def made(self, operation: int) -> list[int]:
        variable = self.trace.nodes.variable
        return [node for node in self.trace.index.made.get(operation, ()) if variable[node] < 0]

    def what(self, moment: Moment, operation: int) -> str:
        """`a = w + x` for an assignment, otherwise the text."""
        text = self.line_of(moment)
        outputs = set(self.trace.operations.outputs[operation])
        bound = [name for name in moment.names if name.tensor >= 0 and name.name != "return"]
        names = self.named_here(moment, outputs) if all(name.tensor in outputs for name in bound) else []
        if names and not text.startswith(f"{names[0]} ="):
            text = f"{', '.join(names)} = {text}"
        return short(text)

    def named_here(self, moment: Moment, outputs: Collection[int]) -> list[str]:
        """The names that the line gives to these tensors; `h = x` further down names one of them too."""
        names = dict.fromkeys(name.name for name in moment.names if name.tensor in outputs)
        if moment.span < 0:
            return list(names)
        place = self.trace.spans[moment.span]
        here = names_bound(self.trace, (place.cell, place.line))
        return [name for name in names if name in here]

    def result(self, operation: int, moment: Moment) -> Value | None:
        outputs = self.trace.operations.outputs[operation]
        return value_before(self.trace, outputs[0], operation + 1) if len(outputs) == 1 else None

    def unremembered(self, moment: Moment) -> bool:
        """Whether an input requires a gradient and nothing was recorded."""
        trace, o = self.trace, self.trace.operations
        rows = (
            (trace.index.before(tensor, operation), tensor, operation)
            for operation in range(moment.first, moment.operations)
            if trace.strings[o.name[operation]] not in _READS
            for tensor in o.inputs[operation]
            if trace.tensors.requires_grad[tensor]
        )
        asks = [
            operation
            for row, tensor, operation in rows
            if trace.tensors.is_leaf[tensor] or (row is not None and trace.versions.node[row] >= 0)
        ]
        names = {trace.strings[o.name[ask]] for ask in asks}
        return bool(asks) and (
            not any(o.grad_enabled[ask] for ask in asks) or not names.isdisjoint(("detach", "detach_"))
        )

    def leaf(self, moment: Moment) -> str:
        """Whether the result is a leaf."""
        t = self.trace.tensors
        for change in moment.names:
            tensor = change.tensor
            if tensor < 0 or not (t.is_leaf[tensor] and t.requires_grad[tensor]):
                continue
            if self.trace.maker(tensor) >= moment.first and not self.required_later(tensor):
                return self.say("leaf", name=code(change.name), gradient=code(f"{change.name}.grad"))
        return ""

    def required_later(self, tensor: int) -> bool:
        """Whether a later call set requires_grad."""
        o, names = self.trace.operations, self.trace.strings
        users = self.trace.index.memoize(
            ("timeline asked",),
            lambda: {
                inputs[0]
                for operation in range(len(o))
                if names[o.name[operation]] in ("requires_grad_", "requires_grad=") and (inputs := o.inputs[operation])
            },
        )
        return tensor in users

    def parameters(self, moment: Moment) -> list[str]:
        """Parameters that a module created, with their shapes."""
        trace, t = self.trace, self.trace.tensors
        fresh = dict.fromkeys(
            tensor for row in moment.versions if t.version_start[tensor := trace.index.tensor_of(row)] == row
        )
        named = {name.tensor for name in moment.names}
        made = [
            tensor
            for tensor in fresh
            if t.is_parameter[tensor]
            and t.requires_grad[tensor]
            and any(
                moment.first <= trace.versions.operation[row] < moment.operations for row in trace.versions_of(tensor)
            )
        ]  # one that nothing filled here may be older and only be read
        if not named.isdisjoint(made):
            return []
        shapes = (shape_text(tuple(trace.shapes[t.shape[tensor]])) for tensor in made)
        return [code(f"{self.name(tensor)} {shape}".strip()) for tensor, shape in zip(made, shapes, strict=True)]

    def remembers(self, moment: Moment, made: list[int]) -> str:
        """What PyTorch saves of a moment's operations, and why."""
        trace = self.trace
        if not made:
            return ""
        nodes = [code(name) for name in dict.fromkeys(trace.strings[trace.nodes.name[node]] for node in made)]
        names: dict[str, None] = {}
        words: dict[str, None] = {}
        for node in made:
            names |= dict.fromkeys(self.asking(node, moment))
            for row in trace.index.saved.get(node, ()):
                word = self.operand(trace.saved.tensor[row], node, moment) if trace.saved.tensor[row] >= 0 else ""
                words |= {word: None} if word else {}
        node_names = listed(nodes, self.lang, 2)
        if not names:
            first = self.say("remembers-alone", nodes=node_names)
        else:
            because = listed([code(name) for name in names], self.lang)
            first = self.say("remembers", nodes=node_names, names=because, count=len(names))
        line = self.line_of(moment)
        ordered = sorted(words, key=lambda name: (at := line.find(name)) < 0 or at)
        keeps = self.say("keeps", names=listed([code(name) for name in ordered], self.lang)) if words else ""
        return joined(self.lang, [first, keeps])

    def operand(self, tensor: int, node: int, moment: Moment) -> str:
        """The word for a tensor that an operation read or made: its name, otherwise the text that made it."""
        if word := self.word(tensor, moment):
            return word
        maker, here = self.trace.maker(tensor), self.trace.nodes.operation[node]
        spans = self.trace.operations.span
        if maker < 0 or (maker != here and spans[maker] == spans[here]):  # a step inside the call
            return ""
        return shorten(self.run.code(maker), SHORT)

    def asking(self, node: int, moment: Moment) -> list[str]:
        """The names of the inputs of an operation that lead further into the graph."""
        trace = self.trace
        operation = trace.nodes.operation[node]
        targets = {target for target in trace.nodes.edges[node] if target >= 0}
        leaves = {trace.nodes.variable[target] for target in targets}
        words = []
        for tensor in trace.operations.inputs[operation] if operation >= 0 else ():
            row = trace.index.before(tensor, operation)
            if tensor in leaves or (row is not None and trace.versions.node[row] in targets):
                words.append(self.operand(tensor, node, moment))
        return [word for word in dict.fromkeys(words) if word]

    # ---- writes, updates and gradients ------------------------------------------------------------------------------

    def write(self, moment: Moment) -> str:
        trace = self.trace
        changed = [row for row in moment.versions if row > trace.tensors.version_start[trace.index.tensor_of(row)]]
        operation = moment.operations - 1
        own = [row for row in changed if moment.first <= trace.versions.operation[row] < moment.operations]
        if not own:
            return self.statement(moment)
        operation = trace.versions.operation[own[-1]]
        given = [*trace.operations.inputs[operation][:1], *trace.operations.outputs[operation]]
        row = next((candidate for candidate in own if trace.index.tensor_of(candidate) in given), own[0])
        tensor = trace.index.tensor_of(row)
        version, earlier = trace.versions.version[row], trace.versions.version[row - 1]
        what = short(self.line_of(moment))
        word = {"what": what, **self.difference(row)}
        if "before" not in word:
            name = self.name(tensor, operation)
            same = "written-same" if word.pop("same", "") else "written-large"
            word.pop("after", "")
            first = self.say(same, **word, name=code(name), version=version) if name and version >= 0 else ""
        elif version < 0:
            first = self.say("written", **word)
        else:
            unseen = version == earlier
            first = self.say("written-unseen" if unseen else "written-version", **word, version=version)
        also = self.also(own, row, operation)
        made = [node for index in range(moment.first, moment.operations) for node in self.made(index)]
        return joined(self.lang, [first or self.say("ran", what=what), also, self.remembers(moment, made)])

    def difference(self, row: int) -> dict[str, str]:
        """A tensor's state before and after a write: a single entry if only that changed; `same` if none did."""
        before, after = self.trace.value_at(row - 1), self.trace.value_at(row)
        if before is None or after is None or before.shape != after.shape:
            return {}
        if before.data is not None and after.data is not None:
            places = [i for i, pair in enumerate(zip(before.data, after.data, strict=True)) if pair[0] != pair[1]]
            if not places:
                return {"same": "same"}
            if len(places) == 1 and len(after.data) > 1:
                index = ", ".join(map(str, index_at(places[0], after.shape)))
                entries = number(before.data[places[0]]), number(after.data[places[0]])
                before_there = self.say("at-entry", value=code(entries[0]), index=code(f"[{index}]"))
                return {"before": before_there, "after": code(entries[1])}
        words = amount(before), amount(after)
        if not all(words) or words[0] == words[1] or len(words[0] + words[1]) > 60:
            return {}
        return {"before": code(words[0]), "after": code(words[1])}

    def also(self, rows: list[int], row: int, operation: int) -> str:
        """Other names of the memory that was written, and whether autograd noticed."""
        trace, own = self.trace, self.name(self.trace.index.tensor_of(row), operation)
        others = [other for other in rows if other != row and "same" not in self.difference(other)]
        unseen = [
            other
            for other in others
            if trace.tensors.requires_grad[trace.index.tensor_of(other)]
            and trace.versions.version[other] == trace.versions.version[other - 1] >= 0
        ]
        names = [self.name(trace.index.tensor_of(other)) for other in (unseen or others)]
        texts = [code(name) for name in dict.fromkeys(names) if name and (name != own or unseen)]
        if not texts:
            return ""
        if unseen:
            return self.say("written-hidden", name=texts[0], version=trace.versions.version[unseen[0]])
        return self.say("written-also", names=listed(texts, self.lang), count=len(texts))

    def found(self, moment: Moment) -> str:
        """A change that no recorded operation wrote."""
        trace = self.trace
        for row in moment.versions:
            tensor = trace.index.tensor_of(row)
            if row > trace.tensors.version_start[tensor] and trace.versions.operation[row] < 0:
                word, name = self.difference(row), self.name(tensor)
                if "before" in word and name:
                    return self.say("found", name=code(name), **word)
        return ""

    def update(self, moment: Moment) -> str:
        trace, parts = self.trace, []
        rows = [row for row in moment.versions if row > trace.tensors.version_start[trace.index.tensor_of(row)]]
        for row in rows:
            tensor = trace.index.tensor_of(row)
            name, before, after = self.name(tensor), amount(trace.value_at(row - 1)), amount(trace.value_at(row))
            if not trace.tensors.requires_grad[tensor] or not name:
                continue
            short_enough = before and after and len(before) + len(after) <= 24
            word = {"name": code(name), "before": code(before), "after": code(after)}
            parts.append(self.say("becomes", **word) if short_enough else code(name))
        if not parts:
            return self.say("ran", what=short(self.line_of(moment)))
        kind = self.optimizer(moment)
        rate = self.rate(moment)
        text = clauses(parts, self.lang)
        if rate is None:
            return self.say("update", kind=kind, parts=text)
        return self.say("update-rate", kind=kind, rate=code(number(rate)), parts=text)

    def optimizer(self, moment: Moment) -> str:
        """The optimizer's class, as code."""
        names = (
            self.trace.strings[self.trace.operations.name[operation]]
            for operation in range(moment.first, moment.operations)
        )
        return next(
            (code(name.partition(".")[0]) for name in names if name.endswith(".step")), short(self.line_of(moment))
        )

    def rate(self, moment: Moment) -> float | None:
        """The learning rate of the step, where all groups have one."""
        log = self.trace.log
        calls = [
            call for call in log.calls if call.kind == "step" and moment.first <= call.operations <= moment.operations
        ]
        if len(calls) != 1 or calls[0].value is None or calls[0].subject < 0:
            return None
        return calls[0].value if len(log.optimizers[calls[0].subject].groups) == 1 else None

    def clear(self, moment: Moment) -> str:
        parts = [self.cleared(stored) for stored in moment.gradients if stored.known]
        if not moment.gradients:
            return self.say("cleared-empty", what=short(self.line_of(moment)))
        parts = [part for part in parts if part]
        names = [code(f"{name}.grad") for name in (self.name(stored.leaf) for stored in moment.gradients) if name]
        if len(names) > 2 and all(stored.known and stored.value < 0 for stored in moment.gradients):
            return self.say("cleared-all", names=listed(names, self.lang))
        return self.say("cleared", parts=clauses(parts, self.lang)) if parts else self.statement(moment)

    def cleared(self, stored: Stored) -> str:
        name = self.name(stored.leaf)
        held = self.held_before(stored)
        if not name:
            return ""
        word, after = code(f"{name}.grad"), amount(self.trace.value(stored.value), signed=True)
        if stored.value < 0:
            return (
                self.say("cleared-none", name=word, before=code(held))
                if held
                else self.say("cleared-set", name=word, after=code("None"))
            )
        if held and held != after:
            return self.say("cleared-zero", name=word, before=code(held), after=code(after))
        return self.say("cleared-set", name=word, after=code(after)) if after else ""

    def stored_anew(self, moment: Moment) -> str:
        """A change of leaves' `.grad` that is neither a clearing nor a backward."""
        last = {stored.leaf: stored for stored in moment.gradients}
        parts = [part for part in map(self.cleared, last.values()) if part]
        what = short(self.line_of(moment))
        return self.say("stored", what=what, parts=clauses(parts, self.lang)) if parts else ""

    def backward(self, moment: Moment) -> str:
        if moment.step >= 0 and self.view is not None:
            if self.steps is None:
                self.steps = steps(self.trace, self.view, self.lang).steps
            return self.steps[moment.step].sentence if moment.step < len(self.steps) else ""
        chapter = self.line.chapters[moment.chapter]
        call = self.trace.backwards[chapter.backward]
        what = short(self.line_of(moment) or "backward()")
        if call.status == "failed":
            return self.say("backward-failed", what=what)
        parts = [part for part in map(self.arrived, moment.gradients) if part[0]]
        values = self.values([name for name in moment.names if not name.gone])
        if not parts:
            return self.say("value", what=what, value=values) if values else self.say("backward-alone", what=what)
        if not any(text for _, text in parts[:NAMED]):
            return self.say("backward-large", what=what, names=listed([word for word, _ in parts], self.lang))
        texts = [text or self.say("arrived-large", name=word) for word, text in parts]
        return self.say("backward", what=what, parts=clauses(texts, self.lang))

    def arrived(self, stored: Stored) -> tuple[str, str]:
        """The `.grad` of a leaf, and what it is now, "" where that is too long; "" twice for an unknown one."""
        name, after = self.name(stored.leaf), amount(self.trace.value(stored.value), signed=True)
        if not name or not after:
            return "", ""
        word, values = code(f"{name}.grad"), [self.value_before(stored), self.trace.value(stored.added)]
        if all(value is not None and value.data is not None for value in values):
            digits, sign = sum_digits(values, self.trace.value(stored.value))
            before, added = (amount(value, digits, True) for value in values)
            if len(before + added + after) <= 40:
                total = approx(sign) + code(after)
                return word, self.say("added", name=word, before=code(before), added=code(added), after=total)
        return word, "" if len(after) > 24 else self.say("arrived", name=word, after=code(after))


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


def _is_path(word: str) -> bool:
    """Whether a word is a name or a path of names."""
    parts = word.replace("[", ".").replace("]", "").split(".")
    return all(part.isidentifier() or part.isdigit() for part in parts)
