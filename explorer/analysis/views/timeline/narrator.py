"""Describe moments in words with numbers, and PyTorch's saved tensors where they matter."""

from collections.abc import Callable, Collection, Iterable
from functools import cached_property
from itertools import islice

from explorer.analysis.explain.autograd.backward_steps import steps
from explorer.analysis.explain.autograd.cells import names_bound
from explorer.analysis.explain.autograd.sum_texts import change_text, sum_clause
from explorer.analysis.explain.autograd.view_records import GraphView
from explorer.analysis.run.model import one_line, run_of
from explorer.analysis.run.names import name_of, names_of
from explorer.analysis.views.timeline.records import Change, GradState, Moment, MomentKind, Timeline
from explorer.analysis.views.timeline.sentence_parts import (
    SHORT,
    amount,
    clauses,
    equation,
    listed,
    short,
    shortened,
    value_before,
)
from explorer.text import as_sentence, code, joined, say
from explorer.text.numbers import number, shape_text, shorten
from explorer.trace import Echo, Printed, Result, Trace, Value, index_at
from explorer.trace.index import names_in

PRINTED, LONGEST, FEW = 60, 300, 20  # printed text: cells, characters and outputs read
LONGEST_SUM = 58  # longest sum that is written out, without its words
LONGEST_LINE = 400  # most characters of a line examined
_READS = ("grad", "item", "tolist", "__bool__", "size", "dim", "numel", "requires_grad_")
_DETACHES = ("detach", "detach_")
_QUIET = ("torch.no_grad()", "torch.inference_mode()", "no_grad()")
_BY_FIRST_WORD = {"import": "imported", "from": "imported", "class": "class", "def": "defined"}
_BY_FIRST_WORD |= {"continue": "continue", "break": "break", "pass": "pass"}


def sentences(
    trace: Trace, line: Timeline, view: GraphView | None, lang: str, positions: Collection[int] | None = None
) -> list[str]:
    """Return a sentence for each moment, "" if none or not in `positions`.

    Program text is in backticks. `view` is the timeline's view.
    """
    narrator = Narrator(trace, line, view, lang)
    texts = []
    for i, moment in enumerate(line.moments):
        texts.append(narrator.describe(i, moment) if positions is None or i in positions else "")
        narrator.apply(moment)
    return texts


class Narrator:
    """Describes moments in order, with the state of names and gradients at each.

    Attributes:
        at: described moment. names: values of names before it. holding: names of each tensor, by call.
        stored: `.grad` of leaves before it.
    """

    def __init__(self, trace: Trace, line: Timeline, view: GraphView | None, lang: str) -> None:
        self.trace, self.line, self.lang = trace, line, lang
        self.run = run_of(trace)
        self.names: dict[tuple[int, str], Change] = {}
        self.holding: dict[tuple[int, int], dict[str, None]] = {}  # (call, tensor) → its names
        self.stored: dict[int, GradState] = {}
        self.view, self.at = view, 0

    def apply(self, moment: Moment) -> None:
        """Apply the changes of a moment."""
        for change in moment.names:
            key = change.call, change.name
            before = self.names.get(key)
            if before is not None and before.tensor >= 0:
                self.holding.get((change.call, before.tensor), {}).pop(change.name, None)
            self.names[key] = change
            if change.tensor >= 0 and not change.gone and change.name != "return":
                self.holding.setdefault((change.call, change.tensor), {})[change.name] = None
        self.stored |= {stored.leaf: stored for stored in moment.gradients}

    def describe(self, at: int, moment: Moment) -> str:
        """Return the sentence of a moment."""
        self.at, kind = at, moment.kind
        stores = moment.gradients and kind in ("operation", "write", "statement")
        if stores and (sentence := self.stored_anew(moment)):
            return sentence
        if kind == "statement" and moment.operations > moment.first and not moment.names:
            kind = "operation"  # it only read a value
        return _DESCRIBE[kind](self, moment)

    def say(self, message: str, **values: str | int) -> str:
        """Return a message in the reader's language."""
        return say(self.lang, f"timeline-{message}", **values)

    def sentence(self, text: str, parts: str = "") -> str:
        """End a text as a sentence, with its parts after a colon."""
        return as_sentence(self.lang, text, parts)

    def ran(self, moment: Moment) -> str:
        """State only that the line ran."""
        return self.say("ran", what=short(self.line_of(moment)))

    def line_of(self, moment: Moment) -> str:
        """Return the executed program text, cut if very long."""
        return self.trace.text(moment.span)[:LONGEST_LINE]

    def name(self, tensor: int, operation: int | None = None) -> str:
        named = name_of(self.run, tensor, operation) if operation is not None else ""
        return shorten(named or next(iter(names_of(self.run, tensor)), ""), SHORT)

    def word(self, tensor: int, moment: Moment) -> str:
        """Return a tensor's name at a moment, preferably one on the line, or ""."""
        mentioned = names_in(self.line_of(moment))
        held: dict[str, None] = {}
        for call in dict.fromkeys((moment.call, 0)):
            names = self.holding.get((call, tensor), {})
            held |= dict.fromkeys(sorted(name for name in mentioned if name in names))
            held |= dict.fromkeys(islice(names, 1))
        held |= dict.fromkeys(name.name for name in moment.names if name.tensor == tensor and name.name != "return")
        path = next(iter(names_of(self.run, tensor)), "") if self.trace.tensors.is_parameter[tensor] else ""
        if not self.line.watched:
            path = name_of(self.run, tensor, moment.operations, self.line_of(moment)) or path
        word = next((name for name in held if name in mentioned), "") or next(iter(held), "") or path
        return word if _is_path(word) else ""

    def held(self, change: Change) -> str:
        """Return a name's value, shortened, or "" for objects."""
        if change.tensor >= 0:
            return amount(value_before(self.trace, change.tensor, self.line.moments[self.at].operations))
        return "" if change.text.startswith("<") else shortened(change.text)

    def values(self, changes: Iterable[Change]) -> str:
        """Write `i = 1` and `x = 2`."""
        texts = ((change.name, self.held(change)) for change in changes if not change.gone)
        parts = [code(f"{name} = {text}") for name, text in texts if text]
        return listed(parts, self.lang) if parts else ""

    def called(self, operation: int) -> str:
        """Return torch's name of an operation."""
        return self.trace.strings[self.trace.operations.name[operation]]

    def head(self, moment: Moment) -> str:
        """Describe a loop's next value or a tested condition."""
        text, values = " ".join(self.line_of(moment).split()), self.values(moment.names)
        if moment.kind == "round" and text.startswith(("for", "async")):
            message = ("round-first" if self.is_first_round(moment) else "round") if values else "ran"
            return self.say(message, what=short(text), values=values)
        condition = text.split(" ", 1)[-1]
        held = [
            self.names[call, name]
            for name in sorted(names_in(condition), key=lambda name: (condition.find(name), name))
            for call in dict.fromkeys((moment.call, 0))
            if (call, name) in self.names and not self.names[call, name].gone
        ]
        values = self.values([binding for binding in held if binding.name != condition][:2])
        truth = self.say("truth", what=short(condition), values=values or "none", truth="yes" if moment.truth else "no")
        if moment.kind == "round":
            return self.sentence(truth, self.say("another-round"))
        ends = self.say("loop-ends" if text.startswith("while") else "skipped")
        return self.sentence(truth, "" if moment.truth else ends)

    def is_first_round(self, moment: Moment) -> bool:
        """Return whether a loop begins, judged by what ran before in its function."""
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
        values, resumed = self.values(moment.names), self.line_of(moment).startswith("yield")
        name = code(self.line.calls[moment.call].function)
        return self.say("goes-on", name=name) if resumed else self.sentence(self.say("enter", name=name), values)

    def leave(self, moment: Moment) -> str:
        given = next((self.held(name) for name in moment.names if name.name == "return"), "")
        message = "leave-with" if given not in ("", "None") else "leave"
        if given and "yield" in self.line_of(moment).split():
            message = "yield"
        return self.say(message, name=code(self.line.calls[moment.call].function), value=code(given))

    def raised(self, moment: Moment) -> str:
        return self.say("raise", what=short(self.line_of(moment)), type=code(moment.text))

    def show(self, moment: Moment) -> str:
        text = _printed(self.trace, self.line.moments[self.at - 1].shown if self.at else (0, 0, 0), moment.shown)
        cell, outputs, characters = moment.shown
        shown = self.trace.cells[cell].outputs if text else ()
        last = shown[outputs - 1] if 0 < outputs <= len(shown) and not characters else None
        is_echo = isinstance(last, Echo | Result)
        if is_echo and text.startswith("<"):  # the echo of an object's address
            return self.ran(moment)
        message = "shown" if not text else "leave-with" if is_echo else "shows"
        return self.say(message, name=short(self.line_of(moment)), value=code(shorten(text, PRINTED)))

    def statement(self, moment: Moment) -> str:
        text = " ".join(self.line_of(moment).split())
        word, what = text.removeprefix("async ").partition(" ")[0], short(text)
        if word in _BY_FIRST_WORD:
            return self.say(_BY_FIRST_WORD[word], what=what, name=code(text.split(" ")[-1]))
        if text.startswith("with ") and moment.truth is not None:
            begins = "no-grad-begins" if text[5:].lstrip("( ").startswith(_QUIET) else "with"
            return self.say(begins if moment.truth else "with-ends", what=what)
        gone = [code(name.name) for name in moment.names if name.gone]
        if gone and word == "del":
            return self.say("gone", name=listed(gone, self.lang))
        if (sentence := self.found(moment)) or not text:
            return sentence
        kept = [name for name in moment.names if not name.gone]
        if values := self.values(kept):
            is_plain = len(kept) == 1 and text == f"{kept[0].name} = {self.held(kept[0])}"
            return self.sentence(values) if is_plain else self.sentence(what, values)
        made = [name for name in kept if name.text.startswith("<")]
        if len(made) != 1:
            return self.say("ran", what=what)
        return self.say("object", name=code(made[0].name), kind=code(made[0].text.strip("<>").split(" ")[0]))

    def operation(self, moment: Moment) -> str:
        operation = self.main(moment)
        if operation < 0:
            return self.statement(moment)
        if parameters := self.parameters(moment):
            return self.say("parameters", what=short(self.line_of(moment)), names=listed(parameters, self.lang))
        following = self.line.moments[self.at + 1 : self.at + 2]
        if following and following[0].kind == "enter" and self.called(operation).endswith(".apply"):
            return self.ran(moment)  # the result does not exist yet
        what, result, made = self.what(moment, operation), self.result(operation, moment), self.made(moment)
        quiet = not made and self.unremembered(moment)
        if quiet and self.called(operation) in _DETACHES:
            return self.say("detached", what=what)
        read = self.trace.strings[self.trace.operations.function[operation]].endswith("Tensor.grad")
        value = equation(self.trace, operation, result) or amount(result, signed=read and not quiet)
        if quiet:
            return joined(self.lang, [self.sentence(what, code(value) if value else ""), self.say("no-grad")])
        if not value:
            return self.statement(moment)
        named = self.named_here(moment, self.trace.operations.outputs[operation])
        if not self.trace.operations.inputs[operation] and len(named) == 1:
            first = self.sentence(code(f"{named[0]} = {value}"))
        else:
            first = self.sentence(what, code(value))
        plain_values = self.values(name for name in moment.names if name.tensor < 0)
        also = self.sentence(plain_values) if plain_values else ""
        return joined(self.lang, [first, also, self.leaf(moment), self.remembers(moment, made)])

    def main(self, moment: Moment) -> int:
        """Return the last computing operation of a moment, or -1."""
        outputs = self.trace.operations.outputs
        return next((at for at in range(moment.operations - 1, moment.first - 1, -1) if outputs[at]), -1)

    def made(self, moment: Moment) -> list[int]:
        """Return the nodes that its operations created."""
        index, variable = self.trace.index.made, self.trace.nodes.variable
        ran = range(moment.first, moment.operations)
        return [node for operation in ran for node in index.get(operation, ()) if variable[node] < 0]

    def what(self, moment: Moment, operation: int) -> str:
        """Return `a = w + x` for an assignment, otherwise the text."""
        text, outputs = self.line_of(moment), self.trace.operations.outputs[operation]
        bound = [name for name in moment.names if name.tensor >= 0 and name.name != "return"]
        names = self.named_here(moment, outputs) if all(name.tensor in outputs for name in bound) else []
        if names and not text.startswith(f"{names[0]} ="):
            text = f"{', '.join(names)} = {text}"
        return short(text)

    def named_here(self, moment: Moment, outputs: Collection[int]) -> list[str]:
        """Return the names that the line assigns to these tensors, without later ones."""
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
        """Return whether an input requires grad although nothing was recorded."""
        columns, recorded = self.trace.tensors, self.trace.operations.grad_enabled
        asks = [
            operation
            for operation in range(moment.first, moment.operations)
            if self.called(operation) not in _READS
            for tensor in self.trace.operations.inputs[operation]
            if columns.requires_grad[tensor] and (columns.is_leaf[tensor] or self.node(tensor, operation) >= 0)
        ]
        cut = any(self.called(operation) in _DETACHES for operation in asks)
        return cut or (bool(asks) and not any(recorded[operation] for operation in asks))

    def node(self, tensor: int, operation: int) -> int:
        """Return a tensor's node when an operation began, or -1."""
        row = self.trace.index.before(tensor, operation)
        return -1 if row is None else self.trace.versions.node[row]

    def leaf(self, moment: Moment) -> str:
        """Describe whether the result is a leaf, unless a later call sets requires_grad."""
        later = self.trace.index.memoize(
            ("timeline asked",),
            lambda: {call.inputs[0].id for call in self.run.calls(("requires_grad_", "requires_grad=")) if call.inputs},
        )
        for change in moment.names:
            made = change.tensor >= 0 and self.trace.maker(change.tensor) >= moment.first
            if made and self.run.tensor(change.tensor).gets_grad and change.tensor not in later:
                return self.say("leaf", name=code(change.name), gradient=code(f"{change.name}.grad"))
        return ""

    def parameters(self, moment: Moment) -> list[str]:
        """Return the parameters that a module created, with shapes, unless the line names one."""
        trace, ran = self.trace, range(moment.first, moment.operations)
        rows = (row for row in moment.versions if trace.tensors.version_start[trace.index.tensor_of(row)] == row)
        fresh = (self.run.tensor(tensor) for tensor in dict.fromkeys(map(trace.index.tensor_of, rows)))
        made = [  # a tensor not filled here may be older and only read
            tensor
            for tensor in fresh
            if tensor.is_parameter
            and tensor.requires_grad
            and any(trace.versions.operation[row] in ran for row in trace.versions_of(tensor.id))
        ]
        if not {tensor.id for tensor in made}.isdisjoint(name.tensor for name in moment.names):
            return []
        return [code(f"{self.name(tensor.id)} {shape_text(tensor.shape)}".strip()) for tensor in made]

    def remembers(self, moment: Moment, made: list[int]) -> str:
        """Describe which tensors PyTorch saves for a moment's operations, and why."""
        trace, line = self.trace, self.line_of(moment)
        if not made:
            return ""
        kinds = dict.fromkeys(trace.strings[trace.nodes.name[node]] for node in made)
        nodes = listed([code(name) for name in kinds], self.lang, 2)
        names = dict.fromkeys(name for node in made for name in self.asking(node, moment))
        of = trace.nodes.operation
        saved = ((trace.saved.tensor[row], of[node]) for node in made for row in trace.index.saved.get(node, ()))
        words = dict.fromkeys(self.operand(tensor, operation, moment) for tensor, operation in saved if tensor >= 0)
        because = listed([code(name) for name in names], self.lang) if names else ""
        first = self.say("remembers", nodes=nodes, names=because, count=len(names))
        ordered = sorted(filter(None, words), key=lambda name: (at := line.find(name)) < 0 or at)
        keeps = self.say("keeps", names=listed([code(name) for name in ordered], self.lang)) if ordered else ""
        return joined(self.lang, [first, keeps])

    def operand(self, tensor: int, here: int, moment: Moment) -> str:
        """Return a tensor's name in an operation, or its text."""
        maker, spans = self.trace.maker(tensor), self.trace.operations.span
        inside = maker < 0 or (maker != here and spans[maker] == spans[here])  # a step inside the call
        return self.word(tensor, moment) or ("" if inside else shorten(one_line(self.run.text(maker)), SHORT))

    def asking(self, node: int, moment: Moment) -> list[str]:
        """Return the names of an operation's inputs that continue the graph."""
        nodes, operation = self.trace.nodes, self.trace.nodes.operation[node]
        targets = {target for target in nodes.edges[node] if target >= 0}
        leaves = {nodes.variable[target] for target in targets}
        inputs = self.trace.operations.inputs[operation] if operation >= 0 else ()
        leading = (tensor for tensor in inputs if tensor in leaves or self.node(tensor, operation) in targets)
        return [word for tensor in leading if (word := self.operand(tensor, operation, moment))]

    def changed(self, moment: Moment) -> list[int]:
        """Return a moment's new states of existing tensors."""
        start, owner = self.trace.tensors.version_start, self.trace.index.tensor_of
        return [row for row in moment.versions if row > start[owner(row)]]

    def write(self, moment: Moment) -> str:
        trace, times = self.trace, self.trace.versions.operation
        own = [row for row in self.changed(moment) if moment.first <= times[row] < moment.operations]
        if not own:
            return self.statement(moment)
        operation = times[own[-1]]
        given = [*trace.operations.inputs[operation][:1], *trace.operations.outputs[operation]]
        row = next((candidate for candidate in own if trace.index.tensor_of(candidate) in given), own[0])
        name, version = self.name(trace.index.tensor_of(row), operation), trace.versions.version[row]
        word = self.difference(row)
        if "before" in word:
            seen = "no" if version == trace.versions.version[row - 1] else "yes"
            message, word = "written", word | {"seen": "unknown" if version < 0 else seen}
        else:
            message = ("written-same" if "same" in word else "written-large") if name and version >= 0 else "ran"
        first = self.say(message, what=short(self.line_of(moment)), name=code(name), version=version, **word)
        also = self.also(own, row, operation)
        return joined(self.lang, [first, also, self.remembers(moment, self.made(moment))])

    def difference(self, row: int) -> dict[str, str]:
        """Describe a tensor before and after a write: the changed entry, or `same`."""
        before, after = self.trace.value_at(row - 1), self.trace.value_at(row)
        if before is None or after is None or before.shape != after.shape:
            return {}
        if before.data is not None and after.data is not None:
            places = [i for i, pair in enumerate(zip(before.data, after.data, strict=True)) if pair[0] != pair[1]]
            if not places:
                return {"same": "same"}
            if len(places) == 1 and len(after.data) > 1:
                index = ", ".join(map(str, index_at(places[0], after.shape)))
                was, now = (code(number(data[places[0]])) for data in (before.data, after.data))
                return {"before": self.say("at-entry", value=was, index=code(f"[{index}]")), "after": now}
        words = amount(before), amount(after)
        if not all(words) or words[0] == words[1] or len(words[0] + words[1]) > 60:
            return {}
        return {"before": code(words[0]), "after": code(words[1])}

    def also(self, rows: list[int], row: int, operation: int) -> str:
        """Describe other names of the written memory, and whether autograd noticed."""
        trace, owner, versions = self.trace, self.trace.index.tensor_of, self.trace.versions.version
        own = self.name(owner(row), operation)
        others = [other for other in rows if other != row and "same" not in self.difference(other)]
        asking = (other for other in others if trace.tensors.requires_grad[owner(other)])
        unseen = [other for other in asking if versions[other] == versions[other - 1] >= 0]
        names = dict.fromkeys(self.name(owner(other)) for other in (unseen or others))
        texts = [code(name) for name in names if name and (name != own or unseen)]
        if unseen and texts:
            return self.say("written-hidden", name=texts[0], version=versions[unseen[0]])
        return self.say("written-also", names=listed(texts, self.lang), count=len(texts)) if texts else ""

    def found(self, moment: Moment) -> str:
        """Describe a change without a recorded write."""
        for row in self.changed(moment):
            if self.trace.versions.operation[row] < 0:
                word, name = self.difference(row), self.name(self.trace.index.tensor_of(row))
                if "before" in word and name:
                    return self.say("found", name=code(name), **word)
        return ""

    def update(self, moment: Moment) -> str:
        trace, parts = self.trace, []
        for row in self.changed(moment):
            tensor = trace.index.tensor_of(row)
            name, before, after = self.name(tensor), amount(trace.value_at(row - 1)), amount(trace.value_at(row))
            if trace.tensors.requires_grad[tensor] and name:
                is_short = before and after and len(before) + len(after) <= 24
                parts.append(change_text(name, before, after) if is_short else code(name))
        if not parts:
            return self.ran(moment)
        stepped = (name for at in range(moment.first, moment.operations) if (name := self.called(at)).endswith(".step"))
        kind = next((code(name.partition(".")[0]) for name in stepped), short(self.line_of(moment)))
        calls = [call for call in self.run.log_of("step") if moment.first <= call.operations <= moment.operations]
        rate = calls[0].value if len(calls) == 1 and calls[0].subject >= 0 else None
        if rate is not None and len(trace.log.optimizers[calls[0].subject].groups) != 1:
            rate = None  # parameter groups may have different rates
        head = self.say("update", kind=kind, rate="none" if rate is None else code(number(rate)))
        return self.sentence(head, clauses(parts, self.lang))

    def clear(self, moment: Moment) -> str:
        what = short(self.line_of(moment))
        if not moment.gradients:
            return self.say("cleared-empty", what=what)
        names = [code(f"{name}.grad") for name in (self.name(stored.leaf) for stored in moment.gradients) if name]
        if len(names) > 2 and all(stored.known and stored.value < 0 for stored in moment.gradients):
            return self.say("cleared-all", names=listed(names, self.lang))
        return self.stored_anew(moment) or self.statement(moment)

    def value_before(self, stored: GradState) -> Value | None:
        """Return the previous `.grad`, None if empty or unknown."""
        last = self.stored.get(stored.leaf)
        return self.trace.value(stored.before if stored.before >= 0 or last is None else last.value)

    def changed_grad(self, stored: GradState) -> str:
        """Write a leaf's `.grad` before and after, "" if unknown."""
        name, held = self.name(stored.leaf), amount(self.value_before(stored), signed=True)
        after = amount(self.trace.value(stored.value), signed=True) if stored.value >= 0 else "None"
        if not name or not after or not stored.known:
            return ""
        if held in ("", after):  # empty before, or unknown
            return f"{code(f'{name}.grad')} = {code(after)}"
        return change_text(f"{name}.grad", held, after)

    def stored_anew(self, moment: Moment) -> str:
        """Describe a change of `.grad` other than by a backward, "" if unknown."""
        last = {stored.leaf: stored for stored in moment.gradients}
        parts = [part for part in map(self.changed_grad, last.values()) if part]
        what = short(self.line_of(moment))
        return self.sentence(what, clauses(parts, self.lang)) if parts else ""

    @cached_property
    def steps(self) -> list[str]:
        """Sentences of the steps of the view's backward."""
        view = self.view
        return [] if view is None else [step.sentence for step in steps(self.trace, view, self.lang).steps]

    def backward(self, moment: Moment) -> str:
        if moment.step >= 0 and self.view is not None:
            return next(iter(self.steps[moment.step : moment.step + 1]), "")
        what = short(self.line_of(moment) or "backward()")
        if self.trace.backwards[self.line.chapters[moment.chapter].backward].status == "failed":
            return self.say("backward-failed", what=what)
        parts = [part for part in map(self.arrived, moment.gradients) if part]
        values = self.values(moment.names)
        if values and not parts:
            return self.sentence(what, values)
        return self.sentence(self.say("backward", what=what), clauses(parts, self.lang) if parts else "")

    def arrived(self, stored: GradState) -> str:
        """Write a leaf's `.grad` as a sum, or only its name."""
        total = self.trace.value(stored.value)
        name, after = self.name(stored.leaf), amount(total, signed=True)
        if not name or not after:
            return ""
        word, before, added = code(f"{name}.grad"), self.value_before(stored), self.trace.value(stored.added)
        if total is not None and before is not None and added is not None and None not in (before.data, added.data):
            earlier = say(self.lang, "why-term-before")
            summed = sum_clause(word, [(before, earlier), (added, "")], total, None, self.lang, coded=True)
            if len(summed) - len(word) - len(earlier) <= LONGEST_SUM:
                return summed
        return word if len(after) > 24 else f"{word} = {code(after)}"


# The sentence of each kind of moment.
_DESCRIBE: dict[MomentKind, Callable[[Narrator, Moment], str]] = {
    "statement": Narrator.statement,
    "round": Narrator.head,
    "branch": Narrator.head,
    "enter": Narrator.enter,
    "leave": Narrator.leave,
    "raise": Narrator.raised,
    "show": Narrator.show,
    "operation": Narrator.operation,
    "write": Narrator.write,
    "update": Narrator.update,
    "clear": Narrator.clear,
    "backward": Narrator.backward,
}


def _printed(trace: Trace, before: tuple[int, int, int], after: tuple[int, int, int]) -> str:
    """Return the text a cell printed between positions, shortened."""
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
    """Return whether a word is a name or dotted path."""
    parts = word.replace("[", ".").replace("]", "").split(".")
    return all(part.isidentifier() or part.isdigit() for part in parts)
