"""Write the backward player's steps in the engine's order."""

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from explorer.analysis.explain.autograd.altered_gradients import altered_outputs, hook_of
from explorer.analysis.explain.autograd.edge_gradients import EdgeGradient, factors_of
from explorer.analysis.explain.autograd.entry_texts import amount_text, entry_index, followed, is_listed, listed
from explorer.analysis.explain.autograd.gradient_questions import (
    Delivery,
    Leaf,
    Question,
    about_leaf,
    about_operation,
    worth_asking,
)
from explorer.analysis.explain.autograd.gradients import kept_rounds
from explorer.analysis.explain.autograd.inspection import card_of_node, edge_gradients_of
from explorer.analysis.explain.autograd.reasons import reason_message
from explorer.analysis.explain.autograd.sum_texts import leaf_text, shares
from explorer.analysis.explain.autograd.view_records import Card, DrawnEdge, GraphView
from explorer.analysis.run.operations import operation_of_node
from explorer.text import as_sentence, code, joined, say, separated
from explorer.text.numbers import axes_text, holds, number, read, shorten
from explorer.trace import Trace, Value, real
from explorer.trace.index import names_in

MAX_STEPS = 120  # above this number a folded card has one step for all its rounds


def backward_call(seed: Value | None) -> str:
    """Return the backward call a program would write. Non-scalar roots need `gradient`."""
    return "backward()" if seed is None or math.prod(seed.shape) == 1 else "backward(gradient)"


class Visit(Struct, frozen=True):
    """Consecutive nodes of one card in the engine's order. Attributes: rounds: number of executions."""

    card: str
    nodes: tuple[int, ...]
    rounds: int = 1


def card_visits(trace: Trace, view: GraphView) -> list[Visit]:
    """Return the engine's order, card by card."""
    card_of, size = card_of_node(view), {card.id: len(card.nodes) or 1 for card in view.cards}
    shown = [(card_of[node], node) for node in trace.backwards[view.backward].order if node in card_of]
    visits = []
    for card, group in groupby(shown, key=lambda pair: pair[0]):
        nodes = tuple(node for _, node in group)
        visits += [Visit(card, nodes[i : i + size[card]]) for i in range(0, len(nodes), size[card])]
    if len(visits) <= MAX_STEPS:
        return visits
    together: dict[str, list[int]] = {}
    for visit in visits:
        together.setdefault(visit.card, []).extend(visit.nodes)
    count = Counter(visit.card for visit in visits)
    return [Visit(card, tuple(nodes), count[card]) for card, nodes in together.items()][:MAX_STEPS]


_POWERS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
CELLS = 24  # longest word in a sentence
UNNAMED = "·"  # the word for a leaf without a name
NAMED = 3  # most receivers listed
MOST_LEAVING = 8  # most gradients written out for one visit
# Kinds whose local derivative is not stated.
_UNFACTORED = ("add", "same", "shape", "axes", "entries", "stretched", "sum", "mean", "inside")


# Kind of step → the rule that it states, with the end of the message's id.
RULES = {kind: kind for kind in ("add", "same", "sub", "mul", "sum", "mean", "stretched")}
RULES |= {"shape": "moved", "axes": "moved", "entries": "moved"}


class Step(Struct, frozen=True):
    """One step of the player.

    Attributes:
        card: card that it highlights.
        edges: ids of edges that carry a gradient now.
        arrived: ids of cards whose gradient is now complete.
        freed: whether it releases the card's saved tensors.
        leaf: whether it stores into a leaf.
        sentence: description, with program text in backticks.
        nodes: nodes that run.
        question: question of Predict before it, or None.
    """

    card: str
    edges: tuple[str, ...]
    arrived: tuple[str, ...]
    freed: bool
    leaf: bool
    sentence: str
    nodes: tuple[int, ...] = ()
    question: Question | None = None


class BackwardSteps(Struct, frozen=True):
    """All steps of one picture. Attributes: start: cards that have their gradient before the first step."""

    start: tuple[str, ...]
    steps: tuple[Step, ...]


def steps(trace: Trace, view: GraphView, lang: str) -> BackwardSteps:
    """Return the steps of a picture's backward, if any."""
    if view.backward is None or not view.cards:
        return BackwardSteps((), ())
    return _StepWriter(trace, view, lang).write()


class _StepWriter:
    """Writes the steps of one backward."""

    def __init__(self, trace: Trace, view: GraphView, lang: str):
        self.trace, self.view, self.lang = trace, view, lang
        self.call, self.call_index = trace.backwards[view.backward], view.backward
        self.passing = edge_gradients_of(trace, view)
        self.cards = {card.id: card for card in view.cards}
        self.card_of = card_of_node(view)
        self.freed = set(self.call.freed)
        self.altered = {node for node, _ in altered_outputs(trace, view.backward)}
        # (sender, receiver) of a gradient → its edges, against their direction
        self.drawn_edges = defaultdict(list)
        copies = defaultdict(list)
        for card in view.cards:
            if card.kind == "leaf" and card.nodes:
                copies[card.nodes].append(card.id)
        self.copies = {card: tuple(same) for same in copies.values() for card in same}
        for drawn in view.edges:
            if drawn.kind == "plain":
                self.drawn_edges[drawn.target, self._first_copy(drawn.source)].append(drawn)

    def write(self) -> BackwardSteps:
        visits = card_visits(self.trace, self.view)
        # Card → the step after which all its consumers have run.
        last_visit = {taker: i for i, visit in enumerate(visits) for taker in self._takers(visit)}
        last_visit |= {visit.card: i for i, visit in enumerate(visits) if self.cards[visit.card].kind == "leaf"}
        arrived: dict[int, list[str]] = defaultdict(list)
        for card, i in last_visit.items():
            arrived[i] += self.copies.get(card, (card,))
        steps = [self._step(i, visit, tuple(arrived[i])) for i, visit in enumerate(visits)]
        asked = worth_asking([(step.card, step.question) for step in steps])
        asking = tuple(replace(step, question=question) for step, question in zip(steps, asked, strict=True))
        late = {card for cards in arrived.values() for card in cards}
        start = tuple(c.id for c in self.view.cards if c.gradient is not None and c.id not in late)
        return BackwardSteps(start, asking)

    def _first_copy(self, card: str) -> str:
        return self.copies.get(card, (card,))[0]

    def _into(self, card: Card) -> list[DrawnEdge]:
        """Return the edges over which a leaf gets its gradient."""
        first = self._first_copy(card.id)
        return [edge for (_, taker), edges in self.drawn_edges.items() if taker == first for edge in edges]

    def _takers(self, visit: Visit) -> list[str]:
        """Return the non-leaf cards that receive and show a gradient from this visit."""
        edges, takers = self.trace.nodes.edges, []
        for node in visit.nodes:
            for position, target in enumerate(edges[node]):
                taker = self.card_of.get(target, visit.card)
                card = self.cards[taker]
                if (node, position) in self.passing.passed and target in card.nodes and target not in visit.nodes:
                    takers.append(taker)
        return takers

    def _step(self, i: int, visit: Visit, arrived: tuple[str, ...]) -> Step:
        card = self.cards[visit.card]
        if card.kind == "leaf":
            text, question = self._leaf(card)
            into = tuple(drawn.id for drawn in self._into(card))
            return Step(card.id, into, arrived, False, True, text, visit.nodes, question)
        inner, edges = set(visit.nodes), self.trace.nodes.edges
        last = [node for node in visit.nodes if any(target not in inner for target in edges[node])]
        outward = [
            passed
            for node in (last[:MOST_LEAVING] if visit.rounds < 2 else ())
            for passed in self.passing.of(node, self.lang)
            if passed.target not in inner
        ]
        takers = dict.fromkeys(self._first_copy(self.card_of[t]) for node in visit.nodes for t in self._targets(node))
        drawn_edges = tuple(w.id for taker in takers for w in self.drawn_edges[visit.card, taker])
        freed = not self.freed.isdisjoint(visit.nodes)
        word = code(outward[0].sender) if outward and len(visit.nodes) == 1 else _word(card)
        member = -1
        if card.module:
            member = self._execution(card, visit) if len(card.module.members) > 1 else -1  # index in a stack
            word = code(shorten(card.module.members[member], CELLS)) if member >= 0 else _word(card)
        hooked = not self.altered.isdisjoint(visit.nodes)
        begins = self._start() if i == 0 else self._has(word, visit)
        does = self._inside(card, member, takers) if card.module else self._operation(word, card, visit, outward)
        texts = [
            self._round(card, visit),
            self._hooked(visit.nodes) if hooked else "",
            begins,
            does,
            self._freed(card, visit, freed),
        ]
        asked = self._question(card, visit, outward)
        return Step(card.id, drawn_edges, arrived, freed, False, joined(self.lang, texts), visit.nodes, asked)

    @staticmethod
    def _execution(card: Card, visit: Visit) -> int:
        """Return which execution of a folded card runs, or -1."""
        runs = enumerate(card.fold.executions) if card.fold and visit.rounds < 2 else ()
        return next((i for i, nodes in runs if visit.nodes[0] in nodes), -1)

    def _inside(self, card: Card, member: int, takers: Iterable[str]) -> str:
        """Describe where a gradient goes after running through a closed module."""
        given = [_word(self.cards[taker]) for taker in takers if taker != card.id]
        if member > 0:
            given.insert(0, code(shorten(card.module.members[member - 1], CELLS)))
        to, several = separated(self.lang, given[:NAMED]), len(given[:NAMED])
        return say(self.lang, "step-module", to=to, given=several, parameters=card.module.gradients)

    def _targets(self, node: int) -> list[int]:
        edges = self.trace.nodes.edges[node]
        return [t for k, t in enumerate(edges) if (node, k) in self.passing.passed and t in self.card_of]

    def _start(self) -> str:
        """Describe the start of the backward."""
        text = " ".join(self.trace.text(self.call.span).split())
        seed = self.trace.value(self.call.seeds[0]) if self.call.seeds else None
        words = {"call": code(shorten(text or "backward()", 32)), "seed": code(_amount(seed))}
        if self.trace.options.of and self.call.kind == "implicit":
            return say(self.lang, "step-start-asked", seed=words["seed"])
        if self.call.kind == "implicit":
            return say(self.lang, "step-start-implicit", call=backward_call(seed), seed=words["seed"])
        return say(self.lang, "step-start", **words)

    def _round(self, card: Card, visit: Visit) -> str:
        """Describe the current round of a loop."""
        if not card.fold or visit.rounds > 1 or (card.module and card.fold.kind != "loop"):
            return ""
        at, count = max(self._execution(card, visit), 0), len(card.fold.executions)
        counted = {"kind": card.fold.kind, "round": at + 1, "count": count}
        return as_sentence(self.lang, say(self.lang, "inspect-round", **counted, kept=kept_rounds(self.trace)))

    def _hooked(self, nodes: tuple[int, ...]) -> str:
        """Describe how a hook changed the arriving gradient."""
        node, output = next(place for place in altered_outputs(self.trace, self.call_index) if place[0] in nodes)
        before = self.passing.arriving(node, output)
        after = self.trace.value(self.passing.gradients[node][output])
        if before is None or after is None or not is_listed(after) or len(before) != len(after.entries):
            return say(self.lang, "step-hooked")
        hook = hook_of(self.trace, node, self.call)
        amounts = {"before": code(listed(after, entries=before)), "after": code(listed(after))}
        return say(self.lang, "step-hooked-from", hook=code(shorten(hook, CELLS)) if hook else "none", **amounts)

    def _has(self, word: str, visit: Visit) -> str:
        """Describe the gradient to be multiplied, unless the next sentence does."""
        gradient = self.passing.gradient(visit.nodes[0])
        is_next = visit.rounds > 1 or self._kind(visit) not in ("mul", "other", "inside")
        if gradient is None or is_next or self._are_several(visit):
            return ""
        return say(self.lang, "step-has", card=word, gradient=code(_amount(gradient)))

    def _are_several(self, visit: Visit) -> bool:
        """Return whether gradients of several results arrived, as in `p, q = x`."""
        return sum(value >= 0 for value in self.passing.gradients[visit.nodes[0]]) > 1

    def _kind(self, visit: Visit) -> str:
        operation = operation_of_node(self.trace.strings[self.trace.nodes.name[visit.nodes[0]]])
        if operation.name == "nll_loss" and len(visit.nodes) == 2:
            return "entropy"
        if len(visit.nodes) > 1:  # gradients of its inner steps have no names
            return "inside"
        alpha = self.passing.operands.given(visit.nodes[0]).get("alpha", 1)
        gradient = self.passing.gradient(visit.nodes[0])
        conjugated = gradient is not None and gradient.dtype.startswith("complex")
        return operation.step if operation.step and alpha == 1 and not conjugated else "other"

    def _operation(self, word: str, card: Card, visit: Visit, sent: list[EdgeGradient]) -> str:
        if visit.rounds > 1:
            return say(self.lang, "step-rounds", card=_word(card), count=visit.rounds, kept=kept_rounds(self.trace))
        sent = [passed for passed in sent if passed.result is not None]
        if self.call.failed_node in visit.nodes:
            return say(self.lang, "why-failed-at", card=word)
        if not sent:
            return say(self.lang, "step-nothing", card=word)
        if (kind := self._kind(visit)) == "relu":
            return self._relu(card, sent[0])
        parts = [self._part(passed, kind) for passed in sent[:NAMED]]
        if len(sent) > NAMED:
            parts.append(say(self.lang, "step-more", count=len(sent) - NAMED))
        if sent[0].formula.kind == "own":
            return say(self.lang, "step-own", card=word, parts=separated(self.lang, parts))
        if kind == "matmul":
            return say(
                self.lang, "step-matmul", card=word, gradient=code(sent[0].arrived), parts=separated(self.lang, parts)
            )
        if kind == "other" and any(passed.conjugated for passed in sent):
            kind = "conjugated"
        sentence = separated(self.lang, parts)
        if kind in RULES:
            text = as_sentence(self.lang, say(self.lang, f"rule-{RULES[kind]}"), sentence)
        else:
            values = self._entropy(visit.nodes[0]) if kind == "entropy" else {}
            text = say(self.lang, f"step-{kind}", parts=sentence, card=word, **values)
        letters = dict.fromkeys(code(passed.arrived) for passed in sent[:NAMED] if self._shows_formula(passed, kind))
        return joined(self.lang, [text, *(say(self.lang, "step-upstream", gradient=letter) for letter in letters)])

    def _relu(self, card: Card, passed: EdgeGradient) -> str:
        value, name, to = card.value, _word(card), code(passed.to)
        rule, data = say(self.lang, "rule-relu", name=name), () if value is None or value.data is None else value.data
        if len(data) == 1:
            return say(self.lang, "step-relu-one", name=name, to=to, open="yes" if real(data[0]) > 0 else "no")
        if not data:
            return as_sentence(self.lang, rule)
        if passed.result is not None and is_listed(passed.result):
            return as_sentence(self.lang, rule, say(self.lang, "step-to", amount=code(_amount(passed.result)), to=to))
        through = sum(real(entry) > 0 for entry in data)
        return as_sentence(self.lang, rule, say(self.lang, "step-relu-count", to=to, open=through, count=len(data)))

    def _entropy(self, node: int) -> dict[str, str]:
        """Return the factor of cross entropy, (softmax − one-hot) / N."""
        _, constants, arrays, gradient = self.passing.known(node)[1]
        factor, total = "softmax − one-hot", arrays.get("total_weight")
        weighted = arrays.get("weight") is not None and "weight" not in constants
        mean = constants.get("reduction") == 1 and total is not None and total.size == 1 and total.item() != 1
        factor = f"({factor})" if weighted or mean else factor
        factor += " · weight[label]" if weighted else ""
        factor += f" / {number(total.item())}" if mean else ""
        if gradient is not None and len(gradient.entries) == 1 and gradient.entries[0] != 1:
            factor = f"{number(gradient.entries[0])} · {factor if factor[0] == '(' else f'({factor})'}"
        labels, ignored = arrays.get("target"), constants.get("ignore_index")
        skipped = labels is not None and ignored is not None and bool((labels == ignored).any())
        return {"factor": code(factor), "ignored": number(int(ignored)) if skipped else "no"}

    @staticmethod
    def _shows_formula(passed: EdgeGradient, kind: str) -> bool:
        """Return whether to show the whole formula, not a product."""
        unfactored = kind in _UNFACTORED or not passed.product
        return unfactored and passed.formula.kind == "whole" and kind not in ("entropy", "inside")

    def _part(self, passed: EdgeGradient, kind: str) -> str:
        """Write a result and receiver: `−2 · b = +6` to `a`."""
        amount, to = _amount(passed.result), code(passed.to)

        def written(amount: str) -> str:
            message = ("step-to-role", {"role": passed.role}) if passed.role else ("step-to", {})
            return say(self.lang, message[0], amount=code(amount), to=to, **message[1])

        text = passed.equals[0] if self._shows_formula(passed, kind) else amount
        if passed.summed:
            return say(self.lang, "step-to-summed", amount=code(text), to=to, axes=axes_text(passed.summed))
        if text is not amount or kind in _UNFACTORED or passed.multiplied is None or not passed.product:
            return written(text)
        sign, amount = passed.multiplied.sign, passed.multiplied.result
        gradient, local = factors_of(passed.multiplied)
        if len(passed.equals) > 1:
            factors = [gradient, *map(_factor, passed.equals[-2].split(" · "))]
            if sign == "=" and _multiply_to(factors, amount):
                return written(f"{' · '.join(factors)} = {amount}")
            local = passed.equals[0] if len(passed.equals[0]) <= 12 else local
        return written(f"{gradient} · {_factor(local)} {sign} {amount}")

    def _freed(self, card: Card, visit: Visit, freed: bool) -> str:
        if not freed or not card.saved:
            return ""
        saved = [pair for node in visit.nodes[:NAMED] for pair in self.passing.saved_words(node, self.lang).items()]
        tensors = (word for row, word in saved if word and self.trace.saved.tensor[row] >= 0)
        names = dict.fromkeys(code(shorten(word, CELLS)) for word in tensors)
        return say(self.lang, "step-freed", names=separated(self.lang, list(names))) if names else ""

    def _leaf(self, card: Card) -> tuple[str, Question | None]:
        hooked = not self.altered.isdisjoint(card.nodes)
        givers = [drawn for drawn in self._into(card) if drawn.contribution is not None]
        text = self._stored(card, () if hooked or self.call.failed_node >= 0 else givers)
        texts = self._hooked(card.nodes) if hooked else "", text
        return joined(self.lang, texts), self._leaf_question(card, givers)

    def _stored(self, card: Card, givers: Sequence[DrawnEdge]) -> str:
        """Write `w.grad` as a sum, in full or for one entry."""
        arrived, (before, after) = card.gradient, card.stored or (None, None)
        if arrived is None:
            reason = card.reason or "unknown"
            why = reason_message(reason, card.cut)
            return say(self.lang, "why-none", kind=reason, leaf=code(card.name), why=why)
        total, at = arrived if after is None else after, self.view.followed(card)
        parts = shares(givers, self.cards, arrived, _word, self.lang)
        if at is None and not is_listed(total):
            if before is not None:
                return say(self.lang, "step-leaf-added", total=code(_amount(arrived)), name=code(f"{card.name}.grad"))
            at = followed(total, [value for value, _ in parts]) if len(parts) > 1 else None
        text = leaf_text(card, card.name, card.name + entry_index(arrived, at), parts, at, self.lang, coded=True)
        return joined(self.lang, (text, say(self.lang, "step-leaf-kept") if after is None else ""))

    def _leaf_question(self, card: Card, givers: list[DrawnEdge]) -> Question | None:
        before, after = card.stored or (None, None)
        total = after if card.stored else card.gradient
        if total is None or card.fold or card.name == UNNAMED:
            return None
        parts, senders = tuple(drawn.contribution for drawn in givers), len({drawn.target for drawn in givers})
        complete = all(drawn.count == 1 for drawn in givers)
        asked = about_leaf(Leaf(card.name, card.stored is not None, total, before, parts, senders, complete), self.lang)
        return None if asked is None else replace(asked, edges=tuple(drawn.id for drawn in givers), card=card.id)

    def _question(self, card: Card, visit: Visit, outward: list[EdgeGradient]) -> Question | None:
        groups: dict[tuple, list[EdgeGradient]] = defaultdict(list)
        outputs: dict[int, set[int]] = defaultdict(set)
        for passed in outward:
            if passed.result is not None and passed.target in self.card_of and passed.to != UNNAMED:
                groups[passed.target, passed.result.shape].append(passed)
                outputs[passed.target].add(self.trace.nodes.edge_inputs[passed.node][passed.edge])
        arrived = None if self._are_several(visit) else self.passing.gradient(visit.nodes[0])
        choices = []
        for (target, _), edges in groups.items():
            if len(outputs[target]) > 1 or any(self.passing.contradicts(edge.node, edge.edge) for edge in edges):
                continue  # the word names several tensors, or the user can't compute it
            receiver = self._first_copy(self.card_of[target])
            drawn_edges = tuple(drawn.id for drawn in self.drawn_edges[visit.card, receiver])
            word, to = card.word, edges[0].to
            if card.expression and word in names_in(to):  # two tensors share a name, as in a loop
                word = card.expression
            inside = edges[0].node != visit.nodes[0]
            choices.append(Delivery(shorten(word, CELLS), to, arrived, tuple(edges), drawn_edges, receiver, inside))
        asked = about_operation(choices, self.lang)
        begun = self._round(card, visit)
        return replace(asked, text=joined(self.lang, (begun, asked.text))) if asked else None


def _amount(value: Value | None) -> str:
    return "·" if value is None else amount_text(value)


def _word(card: Card) -> str:
    return code(shorten(card.word, CELLS))


def _multiply_to(factors: Sequence[str], product: str) -> bool:
    """Return whether these printed factors multiply to this product."""
    try:
        total = math.prod(map(_number, factors))
    except ValueError:
        return False
    return holds(total, read(product))


def _number(factor: str) -> float:
    """Parse a printed factor: −2, (−2) or 10²."""
    base = factor.rstrip(_POWERS)
    power = unicodedata.normalize("NFKC", factor[len(base) :])
    return read(base.strip("()")) ** int(power or 1)


def _factor(text: str) -> str:
    return text if text.isidentifier() or not (" " in text or text[:1] in "−-") else f"({text})"
