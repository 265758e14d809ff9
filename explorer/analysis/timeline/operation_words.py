"""Operations in words: their numbers, and what PyTorch saves for backward and why."""

from explorer.analysis.timeline.equations import equation, value_before
from explorer.analysis.timeline.records import Moment
from explorer.analysis.timeline.sentence_context import Telling
from explorer.analysis.timeline.sentence_parts import SHORT, amount, code, listed, short
from explorer.text import joined
from explorer.text.numbers import shape_text, shorten
from explorer.trace import Value

_READS = ("grad", "item", "tolist", "__bool__", "size", "dim", "numel", "requires_grad_")
_DETACHES = ("detach", "detach_")


class OperationWords(Telling):
    """What torch computed."""

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
        value = equation(self.trace, operation, result) or amount(result)
        if not value:
            return self.statement(moment)
        named = [name.name for name in moment.names if name.tensor in self.trace.operations.outputs[operation]]
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
        names = [name.name for name in bound] if all(name.tensor in outputs for name in bound) else []
        if names and not text.startswith(f"{names[0]} ="):
            text = f"{', '.join(names)} = {text}"
        return short(text)

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
        made = [tensor for tensor in fresh if t.is_parameter[tensor] and t.requires_grad[tensor]]
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
        kept: dict[str, None] = {}
        for node in made:
            names |= dict.fromkeys(self.asking(node, moment))
            for row in trace.index.saved.get(node, ()):
                word = self.operand(trace.saved.tensor[row], node, moment) if trace.saved.tensor[row] >= 0 else ""
                kept |= {word: None} if word else {}
        node_names = listed(nodes, self.lang, 2)
        if not names:
            first = self.say("remembers-alone", nodes=node_names)
        else:
            because = listed([code(name) for name in names], self.lang)
            first = self.say("remembers", nodes=node_names, names=because, count=len(names))
        line = self.line_of(moment)
        ordered = sorted(kept, key=lambda name: (at := line.find(name)) < 0 or at)
        keeps = self.say("keeps", names=listed([code(name) for name in ordered], self.lang)) if kept else ""
        return joined(self.lang, [first, keeps])

    def operand(self, tensor: int, node: int, moment: Moment) -> str:
        """The word for a tensor that an operation read or made: its name, otherwise the text that made it."""
        if word := self.word(tensor, moment):
            return word
        maker, here = self.trace.maker(tensor), self.trace.nodes.operation[node]
        spans = self.trace.operations.span
        if maker < 0 or (maker != here and spans[maker] == spans[here]):  # a step inside the call
            return ""
        return shorten(self.titles.text(maker), SHORT)

    def asking(self, node: int, moment: Moment) -> list[str]:
        """The names of the inputs of an operation that lead further into the graph."""
        trace = self.trace
        operation = trace.nodes.operation[node]
        targets = {target for target in trace.nodes.edges[node] if target >= 0}
        leaves = {trace.nodes.variable[target] for target in targets}
        found = []
        for tensor in trace.operations.inputs[operation] if operation >= 0 else ():
            row = trace.index.before(tensor, operation)
            if tensor in leaves or (row is not None and trace.versions.node[row] in targets):
                found.append(self.operand(tensor, node, moment))
        return [word for word in dict.fromkeys(found) if word]
