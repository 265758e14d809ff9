"""The content of the inspector for one card, as plain data."""

import math
from collections import Counter
from typing import Literal

from msgspec import Struct

from explorer.analysis.explain.autograd.altered_gradients import altered_outputs
from explorer.analysis.explain.autograd.edge_gradients import EdgeGradient, EdgeGradients
from explorer.analysis.explain.autograd.graph_parts import ORDER, results_of
from explorer.analysis.explain.autograd.view_records import Card, GraphView
from explorer.analysis.run.model import one_line, run_of
from explorer.analysis.run.names import name_of, names_of
from explorer.text import say, separated
from explorer.text.numbers import shorten
from explorer.trace import PACKED, RECOMPUTED, SIZES, Trace, Value

CELLS = 32  # longest name of a consumer
ROUNDS = 200  # rounds offered as cards; for more, the user types the number
_TELLING = {"exponent", "min", "max", "negative_slope", "p", "dim", "alpha", "beta", "ord"}  # constants worth a mention
_DEFAULTS = {"alpha": ("1", "1.0"), "beta": ("1", "1.0")}
ARRIVALS = 400  # listed contributions
PARAMETERS = 200  # parameters listed for a closed module
NODES = 8  # nodes listed for one call


class Arrival(Struct, frozen=True):
    """One contribution to a gradient.

    Attributes:
        about: distinguishes several of one sender: "round 3, first factor", or "".
    """

    word: str
    card: str
    value: Value | None
    about: str = ""


class Kept(Struct, frozen=True):
    """A tensor or constant saved for backward.

    Attributes:
        name: torch's name. word: the program's, or "".
        value: entries. constant: text of a constant, or "".
        version: saved version of the tensor, -1 if unknown. now: final version.
        freed: whether the backward released it (tensors only).
    """

    name: str
    word: str
    value: Value | None = None
    constant: str = ""
    version: int = -1
    now: int = -1
    freed: bool = False


class Sent(Struct, frozen=True):
    """Gradients that one node passes on.

    Attributes:
        torch: name of the node. passed: gradients over its edges.
        missing: why its forward result is unknown: inside (its call returned something else), light (not kept at
            this detail), or "".
        call: the call.
    """

    torch: str
    passed: tuple[EdgeGradient, ...]
    missing: Literal["", "inside", "light"] = ""
    call: str = ""


def _missing(trace: Trace, node: int) -> tuple[Literal["", "inside", "light"], str]:
    """Return why a node's value is unknown and its call, or ""."""
    operation = trace.nodes.operation[node]
    if operation < 0 or any(value >= 0 for value in trace.nodes.values[node]):
        return "", ""
    call = trace.strings[trace.operations.function[operation]]
    return ("inside" if trace.options.detail == "complete" else "light"), call


class Inspection(Struct, frozen=True):
    """Inspector content of one card.

    Attributes:
        value, gradient: of the card or the chosen execution.
        arrivals: contributions to that gradient, which add up to it unless it is `hooked`.
        sent: gradients that each node passes on.
        kept: tensors saved for backward. kept_bytes: their size without parameters, each tensor counted once.
        parameters: names and shapes of the parameters that a module's call uses.
        round: execution of a folded card, from 0. -1 for a single one.
        count: number of executions.
        hooked: whether a hook changed the gradient.
        part: result that value and gradient belong to, if the card names several (`p, q = x`).
    """

    card: Card
    module: str
    value: Value | None
    gradient: Value | None
    arrivals: tuple[Arrival, ...]
    sent: tuple[Sent, ...]
    kept: tuple[Kept, ...]
    kept_bytes: int
    parameters: tuple[tuple[str, tuple[int, ...]], ...]
    round: int = -1
    count: int = 1
    hooked: bool = False
    part: str = ""


def inspection(trace: Trace, view: GraphView, card_id: str, lang: str, execution: int | None = None) -> Inspection:
    """Inspect one card.

    Args:
        execution: for a folded card, from 0. None: the last.

    Raises:
        KeyError: no such card.
    """
    card = next((card for card in view.cards if card.id == card_id), None)
    if card is None:
        raise KeyError(card_id)
    return _Reader(trace, view, card, execution).read(lang)


class _Reader:
    """Reads one card of one view."""

    def __init__(self, trace: Trace, view: GraphView, card: Card, execution: int | None):
        self.trace, self.view, self.card = trace, view, card
        self.passing = edge_gradients_of(trace, view)
        self.cards = {card.id: card for card in view.cards}
        self.card_of = card_of_node(view)
        runs = card.fold.executions if card.fold else ()
        last = len(runs) - 1
        self.round = -1 if not runs else last if execution is None else min(max(execution, 0), last)
        self.nodes = runs[self.round] if runs else card.nodes
        self.count = len(runs) or 1

    def read(self, lang: str) -> Inspection:
        card = self.card
        value, gradient = card.value, card.gradient
        main = self._main()
        if main and self.round not in (-1, self.count - 1):
            value = self.passing.operands.output(*main)
            arrived = self.passing.gradients[main[0]]
            gradient = self.trace.value(arrived[main[1]]) if main[1] < len(arrived) else None
        saved, step = [] if self.card.module else self._kept(lang), self.passing.step
        nodes = sorted(self.nodes, reverse=True)
        if self.view.backward is not None:  # in the engine's order
            nodes = sorted((node for node in self.nodes if node in step), key=step.__getitem__)
        strings, names = self.trace.strings, self.trace.nodes.name
        sent = [
            Sent(strings[names[node]], tuple(self.passing.of(node, lang)), *_missing(self.trace, node))
            for node in ([] if self.card.module else nodes[:NODES])
            if self.trace.nodes.variable[node] < 0
        ]
        return Inspection(
            card,
            self._module(),
            value,
            gradient,
            tuple(self._arrivals(main, lang)),
            tuple(sent for sent in sent if sent.passed),
            tuple(saved),
            self._bytes(),
            self._parameters(),
            self.round,
            self.count,
            main in altered_outputs(self.trace, self.view.backward),
            self._part(main),
        )

    def _part(self, main: tuple[int, int] | None) -> str:
        """Return the name of the shown result, "" if the card has only one."""
        names = self.card.name.split(", ")
        if main is None or len(names) == 1:
            return ""
        operation = self.trace.nodes.operation[main[0]]
        position = results_of(self.trace, operation).get(main)
        if position is None:
            return ""
        tensor = self.trace.operations.outputs[operation][position]
        return next((name for name in names_of(run_of(self.trace), tensor) if name in names), "")

    def _main(self) -> tuple[int, int] | None:
        """Return the node and output whose value and gradient the execution shows."""
        if self.card.main is None or not self.nodes:
            return self.card.main
        if self.card.module:
            return self.card.module.mains[self.round]
        node, output = self.card.main
        position = self.card.nodes.index(node) if node in self.card.nodes else 0
        return self.nodes[min(position, len(self.nodes) - 1)], output

    def _arrivals(self, main: tuple[int, int] | None, lang: str) -> list[Arrival]:
        if main is None or self.view.backward is None:
            return []
        trace, call = self.trace, self.trace.backwards[self.view.backward]
        # An implicit backward is placed where the program would call it.
        code = "" if call.kind == "implicit" else shorten(" ".join(trace.text(call.span).split()), CELLS)
        arrivals = [
            Arrival(code, "", trace.value(seed))
            for root, seed in zip(call.roots, call.seeds, strict=False)
            if root == main[0] and seed >= 0
        ]
        arrived = self.passing.into.get(main, ())[:ARRIVALS]
        senders = [self._sender(node) for node, *_ in arrived]
        roles = {node: self.passing.roles(node, lang) for node in {node for node, *_ in arrived}}
        times = Counter(word for word, _ in senders)
        cards = Counter(word for word, _ in set(senders))
        for (node, edge, value), (word, card) in zip(arrived, senders, strict=True):
            about = [self._which(node, card, cards[word] > 1, lang) if times[word] > 1 else "", roles[node][edge]]
            note = separated(lang, filter(None, about))
            arrivals.append(Arrival(word, card, trace.value(value), note))
        return arrivals

    def _which(self, node: int, card: str, several: bool, lang: str) -> str:
        """Distinguish senders with the same word by round, or by line."""
        sender = self.cards.get(card)
        if sender is not None and sender.fold:
            which = next((i for i, nodes in enumerate(sender.fold.executions, 1) if node in nodes), 0)
            return say(lang, "inspect-from-round", kind=sender.fold.kind, round=which)
        return say(lang, "line", line=sender.line) if several and sender is not None and sender.line else ""

    def _sender(self, node: int) -> tuple[str, str]:
        sender = self.cards.get(self.card_of.get(node, ""))
        if sender is None or (sender.id == self.card.id and not self.card.fold):
            return self.passing.operands.word_of_node(node, self.card.main[0]), ""
        return shorten(sender.title, CELLS), sender.id

    def _kept(self, lang: str) -> list[Kept]:
        trace, saved, operands = self.trace, self.trace.saved, self.passing.operands
        freed = self.passing.freed
        values, seen = [], set()
        for node in self.nodes:
            words = self.passing.saved_words(node, lang)
            for row in operands.saved_rows(node):
                name, tensor = trace.strings[saved.name[row]], saved.tensor[row]
                if tensor >= 0 and (node, tensor, saved.version[row]) in seen:
                    continue  # x * x saves both factors, which are one tensor
                seen.add((node, tensor, saved.version[row]))
                constant = "" if tensor >= 0 or saved.value[row] >= 0 else trace.string(saved.constant[row]) or ""
                telling = constant in (PACKED, RECOMPUTED) or name in _TELLING
                if constant and (not telling or constant in _DEFAULTS.get(name, ())):
                    continue
                last = trace.versions_of(tensor)[-1] if tensor >= 0 else -1
                version = saved.version[row] if tensor >= 0 else -1
                now, gone = trace.versions.version[last] if last >= 0 else -1, node in freed and not constant
                values.append(Kept(name, words[row], trace.saved_value(row), constant, version, now, gone))
        return sorted(dict.fromkeys(values), key=lambda kept_value: ORDER.get(kept_value.name, 1))

    def _bytes(self) -> int:
        """Return the bytes saved for backward by this execution, without parameters."""
        trace, saved, sizes = self.trace, self.trace.saved, {}
        for node in self.nodes:
            for row in self.passing.operands.saved_rows(node):
                tensor, value = saved.tensor[row], saved.value[row]
                if tensor >= 0 and not trace.tensors.is_parameter[tensor]:
                    # under vmap: the stacked batch
                    content, dtype = trace.saved_value(row), trace.tensors.dtype[tensor]
                    shape = trace.shapes[trace.tensors.shape[tensor]] if content is None else content.shape
                    sizes["tensor", tensor] = math.prod(shape) * SIZES.get(trace.strings[dtype], 4)
                elif tensor < 0 and value >= 0:
                    content = trace.value(value)
                    sizes["value", value] = math.prod(content.shape) * SIZES.get(content.dtype, 4)
        return sum(sizes.values())

    def _module(self) -> str:
        if self.card.module:
            if self.card.module.shaping:
                return self.card.module.path.rpartition(".")[0]
            return self.card.module.members[max(self.round, 0) if len(self.card.module.members) > 1 else 0]
        for node in self.nodes:
            operation = self.trace.nodes.operation[node]
            if operation >= 0 and (module := self.trace.string(self.trace.operations.module[operation])):
                return module
        return ""

    def _parameters(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        if not self._module():
            return ()
        if self.card.module:  # parameters of one module in a closed card, in order of first use
            trace, variable = self.trace, self.trace.nodes.variable
            inside = dict.fromkeys(variable[node] for node in self.nodes if variable[node] >= 0)
            shapes = ((leaf, tuple(trace.shapes[trace.tensors.shape[leaf]])) for leaf in inside)
            return tuple((name_of(self.passing.run, leaf), shape) for leaf, shape in shapes)[:PARAMETERS]
        sources = [self.cards[edge.source] for edge in self.view.edges if edge.target == self.card.id]
        is_parameter = self.trace.tensors.is_parameter
        leaves = [card for card in sources if card.kind == "leaf" and card.tensors and is_parameter[card.tensors[0]]]
        return tuple(dict.fromkeys((card.name, card.shape) for card in leaves))


def card_of_node(view: GraphView) -> dict[int, str]:
    """Map nodes to their card, with all executions of folded cards."""
    cards: dict[int, str] = {}
    for card in view.cards:
        for nodes in card.executions:
            for node in nodes:
                cards.setdefault(node, card.id)
    return cards


def edge_gradients_of(trace: Trace, view: GraphView) -> EdgeGradients:
    """Return the edges of a view's backward with its words."""
    loops = [card for card in view.cards if card.fold and card.fold.kind == "loop"]
    key = ("passing", view.backward, root_word(view), tuple((card.id, card.fold.count) for card in loops))

    def made() -> EdgeGradients:
        rounds = {node: i for card in loops for i, nodes in enumerate(card.fold.executions, 1) for node in nodes}
        return EdgeGradients(trace, view.backward, root_word(view), rounds, _called(trace, view))

    return trace.index.memoize(key, made)


def _called(trace: Trace, view: GraphView) -> dict[int, str]:
    """Map operations to their card text where it differs from the program's."""
    run, operation = run_of(trace), trace.nodes.operation
    called = {
        operation[node]: card.expression
        for card in view.cards
        for nodes in card.executions
        for node in nodes
        if operation[node] >= 0 and card.kind != "leaf"
    }
    return {
        number: sentence for number, sentence in called.items() if sentence and sentence != one_line(run.text(number))
    }


def root_word(view: GraphView) -> str:
    """Return a word for the root in formulas, L if it has no name."""
    root = next((card for card in view.cards if card.id in view.roots), None)
    return view.of or (root.name if root else "") or "L"
