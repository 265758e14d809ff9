"""Make cards from parts: the content of each box."""

from collections import Counter
from collections.abc import Iterable
from typing import Literal, TypeVar

from msgspec.structs import replace

from explorer.analysis.explain.autograd.entry_texts import as_written
from explorer.analysis.explain.autograd.folds import module_pattern
from explorer.analysis.explain.autograd.gradient_cuts import DataInput
from explorer.analysis.explain.autograd.gradients import accumulations, contributions, version_place
from explorer.analysis.explain.autograd.graph_parts import Edge, GraphPart, NodeOutputs, results_of, saved_tags
from explorer.analysis.explain.autograd.nonfinite_notes import NonfiniteNotes
from explorer.analysis.explain.autograd.operands import Operands
from explorer.analysis.explain.autograd.reasons import constant_of, cut_of, node_reason, tensor_gradient, zero_reason
from explorer.analysis.explain.autograd.view_records import CallResult, Card, Fold
from explorer.analysis.run.model import Run, one_line, run_of
from explorer.analysis.run.names import hidden_in, is_step, library_call, name_of, names_of, result_of
from explorer.analysis.run.source.code import code_at
from explorer.safe_regex import linear, plain
from explorer.trace import Trace, Value, thinned

_STATEMENT = linear(r"[\w.\[\], :]+\s*(?:\+|-|\*\*?|//?|@|%|&|\||\^|<<|>>)?=(?:[^=]|$)")
_KIND = plain(r"Backward\d*$")


class CardWords:
    """The words on the cards of one picture."""

    def __init__(self, trace: Trace, run: Run, parts: list[GraphPart]) -> None:
        self.trace, self.run = trace, run
        self._composed: set[str] = set()  # texts of operations that libraries called
        self._shared = shared_spans(trace, parts)
        self._calls = Counter(
            (trace.operations.span[p.operation], trace.operations.module[p.operation])
            for p in parts
            if p.operation >= 0
        )
        called = {trace.string(trace.operations.module[p.operation]) or "" for p in parts if p.operation >= 0}
        self._around = {path.rpartition(".")[0] for path in called}  # modules that call others

    def of(self, part: GraphPart, folded: bool = False) -> dict:
        """Name, expression and place of an operation."""
        operation = part.operation
        if operation < 0:
            return {"name": "", "expression": "", "span": -1}
        operations = self.trace.operations
        span = operations.span[operation]
        text, name = one_line(self.run.text(operation)), result_of(self.run, operation)
        module = self.trace.string(operations.module[operation])
        if (span, tuple(operations.iteration[operation])) in self._shared or (
            not name and is_step(self.run, operation)
        ):
            called = self.trace.strings[operations.name[operation]]
            alone = module and module not in self._around and self._calls[span, operations.module[operation]] < 2
            module = module_pattern(module) if module and folded else module
            if module or called != "__getitem__" or text[-1:] != "]":  # in `for v in x[1]`, v is not the name of x[1]
                text = f"{module}(…)" if alone else f"{module}: {called}" if module else f"{called}(…)"
            self._composed.add(text)
        elif not name:
            text = library_call(self.run, operation) or text
        if is_statement(text):
            name = ""
        return {"name": name, "expression": text, "span": span}

    def of_step(self, part: GraphPart, node: int) -> dict:
        """Return the same for a node created by a backward inside a call."""
        operations, nodes = self.trace.operations, self.trace.nodes
        called, kind = operations.name[part.operation], _KIND.sub("", self.trace.strings[nodes.name[node]])
        text = f"{self.trace.strings[called]}(…): {kind}"
        self._composed.add(text)
        return {"name": "", "expression": text, "span": operations.span[part.operation]}

    def of_inner(self, part: GraphPart, word: str, folded: bool) -> dict:
        """Return the texts of a step inside a call whose result this backward does not reach."""
        words = self.of(part, folded)
        text = f"{words['expression']}: {word}"
        self._composed.add(text)
        return {**words, "name": "", "expression": text}

    def disambiguate(self, cards: Iterable[Card]) -> list[Card]:
        """Number the cards of library operations that share a title."""
        cards = list(cards)
        alike = {title for title, count in Counter(card.title for card in cards).items() if count > 1} & self._composed
        seen: Counter[str] = Counter()
        for at, card in enumerate(cards):
            if card.title in alike:
                seen[card.title] += 1
                cards[at] = replace(card, expression=f"{card.expression} ({seen[card.title]})")
        return cards

    def made_by(self, tensor: int) -> str:
        """Return the expression that created an unnamed tensor, "·" if unknown."""
        maker = self.trace.versions.operation[self.trace.versions_of(tensor)[0]]
        return one_line(self.run.text(maker)) or "·"

    def torch_names(self, nodes: tuple[int, ...]) -> str:
        """Return the names of an operation's nodes, repeated ones counted."""
        names = [self.trace.strings[self.trace.nodes.name[node]] for node in nodes]
        if len(names) == 1:
            return names[0]
        short = [_KIND.sub("", name) for name in names]
        distinct = list(dict.fromkeys(short))
        counted = [name if short.count(name) == 1 else f"{name} × {short.count(name)}" for name in distinct]
        return " + ".join(counted) if len(counted) <= 3 else f"{' + '.join(counted[:2])} + … ({len(names)})"


def is_statement(text: str) -> bool:
    """Return whether a line assigns, so its card needs no name."""
    return _STATEMENT.match(text) is not None


def shared_spans(trace: Trace, parts: list[GraphPart]) -> set[tuple[int, tuple[int, ...]]]:
    """Return (span, round) of places where one call created different operations."""
    operations = trace.operations
    first: dict[tuple[int, tuple[int, ...]], tuple[int, int]] = {}
    shared = set()
    for part in parts:
        if part.operation >= 0:
            key = (operations.span[part.operation], tuple(operations.iteration[part.operation]))
            what = (operations.module[part.operation], operations.name[part.operation])
            if first.setdefault(key, what) != what:
                shared.add(key)
    return shared


def common_name(names: list[str]) -> str:
    """Return one name for several leaves, with * for parts that differ.

    >>> common_name(["net.0.weight", "net.1.weight"])
    'net.*.weight'
    """
    distinct = list(dict.fromkeys(filter(None, names)))
    if len(distinct) < 2:
        return "".join(distinct) + (" …" if distinct and "" in names else "")
    if "" in names:
        return f"{distinct[0]} … {distinct[-1]} …"
    rows = [name.split(".") for name in distinct]
    if len({len(row) for row in rows}) > 1:
        return f"{distinct[0]} … {distinct[-1]}"
    columns = [words[0] if len(set(words)) == 1 else "*" for words in zip(*rows, strict=True)]
    return ".".join(columns) if any(word != "*" for word in columns) else f"{distinct[0]} … {distinct[-1]}"


BARS = 12  # executions whose values a folded card keeps

Member = TypeVar("Member")


class CardMaker:
    """Makes the cards of one picture of one Trace.

    Args:
        explained: whether cards explain missing gradients and lost paths, which takes a pass over the whole run.
    """

    def __init__(
        self, trace: Trace, shown: int | None, parts: list[GraphPart], edges: list[Edge], explained: bool = True
    ):
        self.trace, self.shown, self.explained = trace, shown, explained
        self.run = run_of(trace)
        self._first_use: dict[int, int] = {}  # leaf → first drawn operation that reads it
        for edge in edges:
            leaf, operation = parts[edge.source].leaf, parts[edge.target].operation
            if leaf >= 0 and operation >= 0:
                self._first_use[leaf] = min(operation, self._first_use.get(leaf, operation))
        self.operands = Operands(trace, self.run)
        self.outputs, self.passed = NodeOutputs(trace, shown), contributions(trace, shown)
        self.words = CardWords(trace, self.run, parts)
        nodes = [node for part in parts for node in part.nodes]
        self.nonfinite = NonfiniteNotes(trace, shown, nodes)
        self.failed = {b.failed_node for b in trace.backwards[shown or 0 :] if b.status == "failed"}

    def card(self, members: list[GraphPart], is_root: bool, within: str = "") -> Card:
        """Build the card for executions of a leaf, an operation or plain data."""
        last = members[-1]
        if last.leaf >= 0:
            return self._leaf(members)
        if not last.nodes:
            return self._plain(members)
        node, output = self.outputs.main(last)
        operation = last.operation
        tensors = self.trace.operations.outputs[operation] if operation >= 0 else []
        value = as_written(self.trace, self.outputs.value(node, output))
        nodes = dict.fromkeys(node for part in members for node in part.nodes)
        fold = self._fold(members)
        repeats = fold is not None and fold.kind != "chain"
        words = self._words(last, node, repeats)
        results = self._results(last)
        if not results:
            words["name"] = self._shown(words["name"], operation, (node, output))
        shapes = {result.value.shape for result in results if result.value is not None}
        return Card(
            id=f"n{min(last.nodes)}",
            kind="out" if is_root else "op",
            torch=self.words.torch_names(last.nodes if repeats or not fold else tuple(nodes)),
            value=value,
            gradient=self.outputs.gradient(node, output),
            **self.why_none(node, output, operation),
            saved=saved_tags(self.trace, last),
            notes=self.nonfinite.of_nodes(nodes),
            fold=fold,
            failed=not self.failed.isdisjoint(nodes),
            layer=self.trace.nodes.made_by[node] + 1,
            nodes=last.nodes,
            tensors=tuple(tensors),
            main=(node, output),
            results=results,
            within=within or self._module(operation),
            **words,
            **(_form(value) if len(shapes) < 2 else {}),  # results of different shapes have no common shape
        )

    def is_inner(self, part: GraphPart) -> bool:
        """Return whether a part contains only inner steps of a call whose result the backward does not reach."""
        return self.outputs.is_inside(part) and not self.operands.is_overwritten(self.outputs.main(part)[0])

    def _words(self, part: GraphPart, node: int, repeats: bool) -> dict:
        """Return name, expression and place. Steps inside a call do not have its result's name."""
        if not self.is_inner(part):
            return self.words.of(part, repeats)
        if self.trace.nodes.made_by[node] >= 0:
            return self.words.of_step(part, node)
        return self.words.of_inner(part, self.operands.word_of_step(node), repeats)

    def _module(self, operation: int) -> str:
        """Return the path of the module that ran an operation, or ""."""
        return self.trace.string(self.trace.operations.module[operation]) or "" if operation >= 0 else ""

    def _shown(self, name: str, operation: int, main: tuple[int, int]) -> str:
        """Return the names of a call's results, … for results that are not shown."""
        names = name.split(", ")
        position = results_of(self.trace, operation).get(main) if len(names) > 1 else None
        if position is None:
            return name
        tensor = self.trace.operations.outputs[operation][position]
        at = next((at for at, one in enumerate(names) if one in names_of(self.run, tensor)), -1)
        return name if at < 0 else ", ".join(["…"] * (at > 0) + [names[at]] + ["…"] * (at + 1 < len(names)))

    def _results(self, part: GraphPart) -> tuple[CallResult, ...]:
        """Return the results that got a gradient, () if there is only one."""
        arrived = self.outputs.arrived(part)
        if len(arrived) < 2:
            return ()
        made = self.trace.operations.outputs[part.operation]
        names = [name_of(self.run, made[position]) for position in arrived.values()]
        return tuple(
            CallResult(
                name if name and names.count(name) == 1 else f"[{position}]",
                place,
                self.outputs.value(*place),
                self.outputs.gradient(*place),
            )
            for (place, position), name in zip(arrived.items(), names, strict=True)
        )

    def data_card(self, data: DataInput) -> Card:
        """Return the card of a named constant, or of a number taken from a tensor."""
        value = as_written(self.trace, self.trace.value_at(data.row)) if data.row >= 0 else None
        if data.key < 0:
            operation = -1 - data.key
            span = self.trace.operations.span[operation]
            text = one_line(self.run.text(operation))
            return Card(f"v{operation}", "data", "", text, value=value, span=span)
        maker = self.trace.versions.operation[data.row] if data.row >= 0 else -1
        computed = maker >= 0 and data.source_row >= 0
        name = name_of(self.run, data.key)
        expression = one_line(self.run.text(maker)) if computed or not name else ""
        span = self.trace.operations.span[maker] if maker >= 0 else -1
        return Card(
            id=f"d{data.key}_{data.row}",
            kind="data",
            name="" if is_statement(expression) else name,
            expression=expression,
            value=value,
            reason="no_grad",
            span=span,
            tensors=(data.key,),
            within=self._module(maker),
            **_form(value),
        )

    def outside_card(self, tensor: int, row: int) -> Card:
        """Return the card of a tensor above a cut."""
        value = as_written(self.trace, self.trace.value_at(row))
        maker, node = self.trace.versions.operation[row], self.trace.versions.node[row]
        leaf = node < 0
        span = self.trace.operations.span[maker] if maker >= 0 else -1
        return Card(
            id=f"t{tensor}" if leaf else f"n{node}",
            kind="leaf" if leaf else "op",
            name=name_of(self.run, tensor) or ("" if not leaf else self.words.made_by(tensor)),
            expression="" if leaf or maker < 0 else one_line(self.run.text(maker)),
            torch="" if leaf else self.trace.strings[self.trace.nodes.name[node]],
            value=value,
            **self.why_unreached(tensor),
            span=span,
            nodes=() if leaf else (node,),
            tensors=(tensor,),
            **_form(value),
        )

    def stopped_card(self, operation: int) -> Card:
        """Return the card of an operation that raised, or whose result has no history."""
        says = self.words.of(GraphPart(operation, -1, ()))
        torch = self.trace.strings[self.trace.operations.name[operation]]
        within = says["expression"].endswith("(…)")  # a module inside the call that returned the named result
        code = code_at(self.trace, self.trace.operations.span[operation])
        says["name"] = "" if code is None or within or is_statement(says["expression"]) else code.binds
        made = self.trace.operations.outputs[operation]
        if made:
            value = self.trace.value(self.trace.versions.value[self.trace.versions_of(made[0])[-1]])
            facts = {"value": value, "reason": "no_grad", "tensors": tuple(made), **_form(value)}
            return Card(f"o{operation}", "data", torch=torch, failed=True, **facts, **says)
        return Card(f"o{operation}", "op", torch=torch, reason="stopped", failed=True, **says)

    def position(self, part: GraphPart, edge: Edge) -> int:
        """Return an edge's position among the operation's inputs, after all inputs if unknown."""
        if edge.node < 0 or part.operation < 0:
            return edge.slot[1]
        operations, nodes = self.trace.operations, self.trace.nodes
        at = nodes.edges.starts[edge.node] + edge.slot[1]
        below, output = nodes.edges.items[at], nodes.edge_inputs.items[at]
        read = zip(operations.inputs[part.operation], self.trace.index.rows_read(part.operation), strict=True)
        matches = [
            position
            for position, (tensor, row) in enumerate(read)
            if nodes.variable[below] == tensor or version_place(self.trace, row) == (below, output)
        ]
        return edge.slot[1] if edge.slot[1] in matches or not matches else matches[0]

    def _leaf(self, members: list[GraphPart]) -> Card:
        part = members[-1]
        value = self._leaf_value(part)
        names = [name_of(self.run, member.leaf) for member in members]
        also = tuple(name for name in names_of(self.run, part.leaf) if name != names[0]) if len(members) == 1 else ()
        gradient = self.leaf_gradient(part)
        left = {"cut": constant_of(self.trace, part.leaf, self.shown)} if gradient and self.explained else {}
        span = next((b.span for b in self.trace.bindings if b.tensor == part.leaf), -1)
        hidden, call = hidden_in(self.run, part.leaf)
        return Card(
            id=f"t{part.leaf}",
            kind="leaf",
            name=common_name(names) or hidden or self.words.made_by(part.leaf),
            call=call,
            also=also,
            expression="",
            value=value,
            gradient=gradient,
            **(left if gradient else self.why_unreached(part.leaf)),
            held=self.trace.value(self.trace.tensors.grad[part.leaf]),
            fold=self._leaf_fold(members),
            stored=self._stored(part.leaf),
            zero=zero_reason(self.trace, self.shown, part.leaf, gradient) if self.explained else None,
            span=span,
            nodes=part.nodes,
            tensors=(part.leaf,),
            main=(part.nodes[-1], 0),
            **_form(value),
        )

    def _stored(self, leaf: int) -> tuple[Value | None, Value | None] | None:
        if self.shown is None:
            return None
        around = accumulations(self.trace, self.shown).get(leaf)
        return None if around is None else (self.trace.value(around[0]), self.trace.value(around[1]))

    def _leaf_fold(self, members: list[GraphPart]) -> Fold | None:
        if len(members) < 2:
            return None
        picked = spread(members)
        values = tuple(self._leaf_value(part) for part in picked)
        executions = tuple(part.nodes for part in members)
        return Fold(len(members), "leaves", values, tuple(map(self.leaf_gradient, picked)), executions)

    def leaf_gradient(self, part: GraphPart) -> Value | None:
        """Return the gradient that arrived at a leaf."""
        return self.trace.value(next((g for node in part.nodes for g in self.outputs.gradients[node] if g >= 0), -1))

    def _leaf_value(self, part: GraphPart) -> Value | None:
        """Return the leaf's entries at its first use in the picture."""
        operation = self._first_use.get(part.leaf, -1)
        if operation < 0:
            return as_written(self.trace, self.trace.value(self.trace.nodes.values[part.nodes[0]][0]))
        operations = self.trace.operations
        read = dict(zip(operations.inputs[operation], operations.input_versions[operation], strict=False))
        row = self.trace.index.read(part.leaf, operation, read.get(part.leaf, -1))
        return as_written(self.trace, self.trace.value_at(row))

    def _plain(self, members: list[GraphPart]) -> Card:
        """Return the card of an operation in a program without gradients."""
        operation = members[-1].operation
        operations = self.trace.operations
        tensors = operations.outputs[operation]
        starts, versions = self.trace.tensors.version_start, self.trace.versions

        def value_of(part: GraphPart) -> Value | None:
            tensor = operations.outputs[part.operation][0]
            rows = range(starts[tensor], starts[tensor + 1])
            row = next((row for row in rows if versions.operation[row] == part.operation), rows[0])
            return as_written(self.trace, self.trace.value(versions.value[row]))

        value = value_of(members[-1])
        says = self.words.of(members[-1])
        made = operations.inputs[operation]
        if not made and says["name"]:
            says["expression"] = ""
        leaf = any(self.trace.tensors.requires_grad[tensor] for tensor in tensors)
        fold = None
        if len(members) > 1:
            fold = Fold(len(members), self._fold_kind(members), tuple(map(value_of, spread(members))))
        return Card(
            id=f"o{operation}",
            kind="leaf" if leaf else "data",
            torch=self.trace.strings[operations.name[operation]] if made else "",
            value=value,
            reason="not_taken" if leaf else "no_grad",
            fold=fold,
            tensors=tuple(tensors),
            **says,
            **_form(value),
        )

    def why_none(self, node: int, output: int, operation: int) -> dict:
        """Return why a node's output has no gradient."""
        gradients = self.outputs.gradients[node]
        if not self.explained or (output < len(gradients) and gradients[output] >= 0):
            return {}
        if self.shown is None:
            return {"reason": "not_taken"}
        versions, tensors = self.trace.versions, self.trace.operations.outputs[operation] if operation >= 0 else []
        of = (t for t in tensors for row in self.trace.versions_of(t) if versions.node[row] == node)
        tensor = next(of, -1)
        if tensor >= 0 and tensor_gradient(self.trace, tensor, self.shown)[1]:
            return self.why_unreached(tensor)
        return {"reason": node_reason(self.trace, node, self.shown)}

    def why_unreached(self, tensor: int) -> dict:
        """Return why a tensor has no gradient, and where it was lost."""
        reason = tensor_gradient(self.trace, tensor, self.shown)[1] if self.explained else None
        return {"reason": reason, "cut": cut_of(self.trace, tensor, self.shown)} if reason is not None else {}

    def _fold(self, members: list[GraphPart]) -> Fold | None:
        if len(members) < 2:
            return None
        mains = [self.outputs.main(part) for part in spread(members)]
        values, gradients = ([of(*main) for main in mains] for of in (self.outputs.value, self.outputs.gradient))
        executions = tuple(part.nodes for part in members)
        return Fold(len(members), self._fold_kind(members), tuple(values), tuple(gradients), executions)

    def _fold_kind(self, members: list[GraphPart]) -> Literal["loop", "calls", "chain"]:
        operations, names = self.trace.operations, self.trace.nodes.name
        if len({(operations.span[part.operation], *(names[node] for node in part.nodes)) for part in members}) > 1:
            return "chain"
        ends = (members[0].operation, members[-1].operation)
        return "loop" if all(one >= 0 and operations.iteration[one] for one in ends) else "calls"


def spread(members: list[Member]) -> list[Member]:
    """Pick at most BARS members, evenly spread, including the first and last."""
    return [members[at] for at in thinned(len(members), BARS)]


def placed(trace: Trace, card: Card) -> Card:
    """Return a card with its place and line in the program."""
    return replace(card, place=trace.spans[card.span], line=trace.line(card.span)) if card.span >= 0 else card


def _form(value: Value | None) -> dict:
    return {"shape": value.shape, "dtype": value.dtype} if value else {}
