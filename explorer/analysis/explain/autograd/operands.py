"""Operands of a node: inputs, results and constants, with numbers and the program's names."""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Literal

import numpy as np
from msgspec import Struct

from explorer.analysis.explain.autograd.graph_parts import results_of
from explorer.analysis.explain.autograd.node_formulas import Constant, Formula, atom, axes_of, constant, given_of
from explorer.analysis.explain.autograd.slopes import is_result
from explorer.analysis.run.model import Run, one_line
from explorer.analysis.run.names import name_of, result_of, word_of
from explorer.analysis.run.operations import operation_of_node, stem_of
from explorer.analysis.run.operations.formulas import OPTIONAL
from explorer.text import say
from explorer.text.numbers import number, shorten
from explorer.trace import Trace, Value


class Mention(Struct, frozen=True):
    """A value named in a sentence or equation.

    Attributes:
        word: name in the program.
        key: equal only for the same value.
        time: operation that created it, -1 for none. Orders the values.
        line: line of the operation, 0 if unknown.
        round: loop round that created it, from 1. 0 outside loops.
        outer: rounds of the enclosing loops, outermost first.
        how: written (overwritten under this name), read (an index expression, such as x[2]), inside (an unnamed
            step of the call `call`), otherwise "".
        call: program text of the call, for a step inside it.
    """

    word: str
    key: Hashable
    time: int = -1
    line: int = 0
    round: int = 0
    outer: tuple[int, ...] = ()
    how: Literal["", "written", "read", "inside"] = ""
    call: str = ""


def rounds_of(trace: Trace, operation: int) -> tuple[int, ...]:
    """Return the rounds of the loops around an operation, from 1, outermost first.

    Loops around the whole recording are left out, because earlier rounds were not counted.
    """
    once = trace.index.memoize(("loops once",), lambda: _loops_once(trace))
    return tuple(count + 1 for count in trace.operations.iteration[operation][once:])


def _loops_once(trace: Trace) -> int:
    """Return the number of loops around all operations with only one recorded round."""
    operations, depth = trace.operations, 0
    placed = [operations.iteration[at] for at, span in enumerate(operations.span) if span >= 0]
    while placed and all(counts[depth : depth + 1] == [0] for counts in placed):
        depth += 1
    return depth


def standalone_word(mention: Mention, lang: str) -> str:
    """Return a standalone word for a value, such as h of round 3."""
    word = mention.word
    if mention.how == "inside" and mention.call:
        word = say(lang, "apart.inside", word=word, call=mention.call)
    elif mention.how in ("written", "read") and mention.line:
        word = say(lang, f"apart.{mention.how}", word=word, line=mention.line)
    return _of_round(word, mention, lang) if mention.round else word


def _of_round(word: str, mention: Mention, lang: str) -> str:
    if not mention.outer:
        return say(lang, "apart.round", word=word, round=mention.round)
    return say(lang, "apart.round-within", word=word, round=mention.round, outer=".".join(map(str, mention.outer)))


def disambiguate(mentions: Sequence[Mention], lang: str, close: bool = True) -> list[str]:
    """Return distinct words for different values, such as x of line 4.

    Args:
        close: whether they belong to one operation, for which "old" and "new" suffice.

    >>> disambiguate([Mention("x", 2, 2), Mention("x", 1, 1), Mention("w", 0)], "en")
    ['new x', 'old x', 'w']
    """
    values: dict[str, dict[Hashable, Mention]] = {}
    for mention in mentions:
        values.setdefault(mention.word, {}).setdefault(mention.key, mention)
    words = {
        (word, key): text
        for word, same in values.items()
        for key, text in zip(same, _disambiguate_name(list(same.values()), lang, close), strict=True)
    }
    return [words[mention.word, mention.key] for mention in mentions]


def _disambiguate_name(same: list[Mention], lang: str, close: bool) -> list[str]:
    """Return distinct words for values with the same name in the program."""
    word = same[0].word
    if len(same) == 1 or not word:
        return [word] * len(same)
    first = min((mention.time for mention in same if mention.round), default=-1)
    in_turn = all(mention.round or mention.time < first for mention in same)
    if in_turn and len({(mention.outer, mention.round) for mention in same}) == len(same):
        return [
            _of_round(word, mention, lang) if mention.round else say(lang, "apart.outside", word=word)
            for mention in same
        ]
    if close and len(same) == 2 and same[0].time != same[1].time:
        earlier = min(mention.time for mention in same)
        return [say(lang, "apart.before" if mention.time == earlier else "apart.after", word=word) for mention in same]
    alone = [
        standalone_word(mention, lang)
        if mention.how or mention.round
        else say(lang, "apart.line", word=word, line=mention.line)
        for mention in same
    ]
    if not close and len(set(alone)) == len(same) and word not in alone:
        return alone
    if len({mention.line for mention in same} - {0}) == len(same):
        return [say(lang, "apart.line", word=word, line=mention.line) for mention in same]
    if len(set(alone)) == len(same):
        return alone
    order = sorted(same, key=lambda mention: (mention.time, _place(mention.key)))
    return [say(lang, "apart.place", word=word, place=order.index(mention) + 1) for mention in same]


def _place(key: Hashable) -> tuple[int, int]:
    """Return a mention's node and output, which order the steps inside one call."""
    return key if isinstance(key, tuple) and all(isinstance(part, int) for part in key) else (-1, -1)


def role(node: str, position: int, lang: str) -> str:
    """Return an input's role, such as first factor, denominator or second input.

    >>> role("MulBackward0", 1, "en"), role("CatBackward0", 1, "en")
    ('second factor', 'second input')
    """
    kinds = operation_of_node(node).roles
    return say(lang, f"role.{kinds[position] if position < len(kinds) else 'input'}", place=position + 1)


CELLS = 18  # characters of a word in a formula
_RESHAPED = {
    "T": "",
    "View": "view",
    "UnsafeView": "view",
    "Expand": "expand",
    "Unsqueeze": "unsqueeze",
    "ToCopy": "to",
}
_UNIFORM = 100_000  # entries of a tensor whose entries are all equal
_SUMMED = 2  # torch's number of reduction="sum"


class FormulaOperand(Struct, frozen=True):
    """A value named in a formula."""

    word: str
    value: Value | None = None
    mention: Mention | None = None


class Operands:
    """Operands of the nodes of one Trace.

    Args:
        rounds: execution of a folded loop, by node.
        called: word in the picture by operation, if not the program's text.
        until: operations begun when the backward ran. None: saved tensors keep their saved entries.
    """

    def __init__(
        self,
        trace: Trace,
        run: Run,
        rounds: Mapping[int, int] | None = None,
        called: Mapping[int, str] | None = None,
        until: int | None = None,
    ):
        self._until = until
        self._trace, self._run, self._rounds, self.called = trace, run, rounds or {}, called or {}
        self._saved = trace.index.saved

    def saved_rows(self, node: int) -> list[int]:
        """Return the rows of Trace.saved that belong to a node."""
        return self._saved.get(node, [])

    def of(self, node: int, formulas: list[Formula]) -> tuple[dict[str, FormulaOperand], dict[str, float]]:
        """Return a node's operands by torch's names, and which are constants of the call."""
        trace, nodes = self._trace, self._trace.nodes
        word = self.word_of_result(node)
        operands = {"result": FormulaOperand(word, self.output(node, 0), self.mention(node, 0, word))}
        constants: dict[str, float] = {}
        for formula, target, output in zip(formulas, nodes.edges[node], nodes.edge_inputs[node], strict=True):
            if target >= 0 and formula.input:
                operands[formula.input] = self.input(node, target, output)
        for row in self._saved.get(node, ()):
            name, given = trace.strings[trace.saved.name[row]], constant(trace, row)
            if name == "dim":
                continue  # not a scalar in the formula, but in `arrays`
            if isinstance(given, int | float):
                constants[name] = float(given)
            elif given is None and (value := self._read(row)) is not None:
                same = operands.get(name)  # the input that the node saved
                literal = number(value.entries[0]) if math.prod(value.shape) == 1 and value.entries else name
                label = self.saved_word(row, node) or (same.word if same else literal)
                is_inner = trace.saved.tensor[row] < 0
                mention = same.mention if same and is_inner else self.mention_of_saved(row, node, label)
                operands[name] = FormulaOperand(label, value, mention)
        return operands, constants | {
            name: value
            for name, value in self._implied(node, constants).items()
            if name not in constants and name not in operands
        }

    def _read(self, row: int) -> Value | None:
        """Return the saved tensor as backward read it, after unnoticed writes through `.data`."""
        trace, tensor = self._trace, self._trace.saved.tensor[row]
        if self._until is None or tensor < 0 or trace.saved.value[row] >= 0:
            return trace.saved_value(row)
        was, now = trace.saved_version(row), trace.index.before(tensor, self._until)
        unnoticed = now is not None and trace.versions.version[was] == trace.versions.version[now]
        return trace.value_at(now) if now is not None and unnoticed else trace.saved_value(row)

    def input(self, node: int, target: int, output: int) -> FormulaOperand:
        """Return the operand that a node read over an edge to another node's output."""
        word = self.word_of_output(target, output) or self.word_of_node(target, node)
        return FormulaOperand(word, self.output(target, output), self.mention(target, output, word))

    def mention(self, node: int, output: int, word: str) -> Mention:
        """Return a node's output, or an AccumulateGrad's leaf, as a Mention."""
        trace, leaf = self._trace, self._trace.nodes.variable[node]
        if leaf >= 0:
            return self._mention_of_tensor(leaf, ("leaf", leaf), trace.versions_of(leaf)[0], word)
        return self._mention((node, output), trace.nodes.operation[node], self._rounds.get(node, 0), word)

    def mention_of_saved(self, row: int, node: int, word: str) -> Mention:
        """Return a saved tensor at its saved version as a Mention."""
        trace, saved = self._trace, self._trace.saved
        tensor, operation = saved.tensor[row], trace.nodes.operation[node]
        if tensor < 0:
            return Mention(word, ("saved", row))
        made = operation >= 0 and tensor in trace.operations.outputs[operation]
        if made and (tensor not in trace.operations.inputs[operation] or trace.strings[saved.name[row]] == "result"):
            return self.mention(node, 0, word)
        version = trace.saved_version(row)
        maker = trace.versions.node[version]
        if maker >= 0:
            return self.mention(maker, max(trace.versions.output[version], 0), word)
        asks = trace.tensors.requires_grad[tensor]
        return self._mention_of_tensor(tensor, ("leaf", tensor) if asks else ("data", version), version, word)

    def _mention_of_tensor(self, tensor: int, key: Hashable, version: int, word: str) -> Mention:
        """Return a tensor without a node as a Mention."""
        operation = self._trace.versions.operation[version]
        mention = self._mention(key, operation, 0, word)
        span = next((binding.span for binding in self._trace.index.bindings.get(tensor, ()) if binding.span >= 0), -1)
        return mention if mention.line else Mention(word, key, operation, self._trace.line(span), mention.round)

    def _mention(self, key: Hashable, operation: int, round: int, word: str) -> Mention:
        if operation < 0:
            return Mention(word, key)
        operations = self._trace.operations
        loops = rounds_of(self._trace, operation)
        outer = () if round else loops[:-1]
        round = round or (loops[-1] if loops else 0)
        line, (how, call) = self._trace.line(operations.span[operation]), self._how(key, operation, word)
        return Mention(word, key, operation, line, round, outer, how, call)

    def _how(self, key: Hashable, operation: int, word: str) -> tuple[Literal["", "written", "read", "inside"], str]:
        """Return how a word names its tensor: written, read, or inside."""
        operations, text = self._trace.operations, one_line(self._run.text(operation))
        name = self._trace.strings[operations.name[operation]]
        node = key[0] if isinstance(key, tuple) and isinstance(key[0], int) else -1
        if node >= 0 and word == stem_of(self._trace.strings[self._trace.nodes.name[node]]):
            return "inside", shorten(text, CELLS)
        inputs = set(operations.inputs[operation])
        if name == "__setitem__" or (node >= 0 and not inputs.isdisjoint(operations.outputs[operation])):
            return "written", ""
        return ("read", "") if name == "__getitem__" and word == shorten(text, CELLS) else ("", "")

    def arrays(
        self, node: int, operands: dict[str, FormulaOperand], constants: dict[str, float]
    ) -> dict[str, np.ndarray | None]:
        """Return the arrays of fully recorded operands; None for missing arguments."""
        given = self.given(node)
        arrays: dict[str, np.ndarray | None] = {name: array_of(operand.value) for name, operand in operands.items()}
        arrays = {name: array for name, array in arrays.items() if array is not None}
        arrays |= {
            name: np.array(argument)
            for name, argument in given.items()
            if isinstance(argument, tuple) and name != "dim"
        }
        arrays |= {
            name: np.array(argument == "True") for name, argument in given.items() if argument in ("True", "False")
        }
        if axes := axes_of(given.get("dim")):  # no axes means all
            arrays["dim"] = np.array(axes)
        absent = {name: None for name in OPTIONAL if name not in operands and name not in given}
        return absent | arrays | {name: np.asarray(value) for name, value in constants.items()}

    def given(self, node: int) -> dict[str, Constant]:
        """Return the constants that a node saves, by torch's names; None for tensors."""
        return given_of(self._trace, node)

    def output(self, node: int, output: int) -> Value | None:
        """Return a node's output right after its operation."""
        values = self._trace.nodes.values[node]
        return self._trace.value(values[output]) if 0 <= output < len(values) else None

    def word_of_node(self, node: int, reader: int) -> str:
        """Return the program's name for a node's result, torch's inside an inspected call."""
        nodes = self._trace.nodes
        if nodes.variable[node] >= 0:
            operation = nodes.operation[reader] if reader >= 0 else -1
            name = name_of(self._run, nodes.variable[node], operation if operation >= 0 else None)
            return shorten(name or "·", CELLS)
        operation = nodes.operation[node]
        if (base := self._written_base(node)) >= 0 and (word := word_of(self._run, base, operation)):
            return shorten(word, CELLS)
        inner = reader >= 0 and (operation == nodes.operation[reader] or not is_result(self._trace, node))
        stem, below = stem_of(self._trace.strings[nodes.name[node]]), next(iter(nodes.edges[node]), -1)
        if inner and stem in _RESHAPED and below >= 0:
            if stem != "T":  # a step inside a call that the program did not write
                return shorten(f"{atom(self.word_of_node(below, reader))}.{_RESHAPED[stem]}(…)", CELLS)
            if nodes.variable[below] >= 0:
                return self.word_of_node(below, reader) + "ᵀ"
        text = "" if inner or operation < 0 else result_of(self._run, operation) or self._text(operation)
        return shorten(text, CELLS) if text else stem

    def word_of_step(self, node: int) -> str:
        """Return the word for a step inside a call: a transposed leaf, otherwise torch's."""
        nodes, stem = self._trace.nodes, stem_of(self._trace.strings[self._trace.nodes.name[node]])
        below = next(iter(nodes.edges[node]), -1)
        of_leaf = stem == "T" and below >= 0 and nodes.variable[below] >= 0
        return f"{self.word_of_node(below, node)}ᵀ" if of_leaf else stem

    def is_overwritten(self, node: int) -> bool:
        """Return whether a node belongs to a tensor that was partly overwritten."""
        return self._written_base(node) >= 0

    def _written_base(self, node: int) -> int:
        """Return the tensor partly overwritten by a node, or −1."""
        trace, operation = self._trace, self._trace.nodes.operation[node]
        written = trace.operations.inputs[operation][:1] if operation >= 0 else []
        if not written or stem_of(trace.strings[trace.nodes.name[node]]) != "CopySlices":
            return -1
        storage = trace.tensors.storage[written[0]]
        base = trace.index.in_storage[storage][0] if storage >= 0 else -1
        made = base >= 0 and any(trace.versions.node[row] == node for row in trace.versions_of(base))
        return base if made else -1

    def word_of_output(self, node: int, output: int) -> str:
        """Return the name of one of several results, or ""."""
        trace, operation = self._trace, self._trace.nodes.operation[node]
        given = trace.operations.outputs[operation] if operation >= 0 else []
        position = results_of(trace, operation).get((node, output), -1) if len(given) > 1 else -1
        return shorten(name_of(self._run, given[position]) or "", CELLS) if position >= 0 else ""

    def word_of_result(self, node: int) -> str:
        """Return the program's or torch's name for a node's result."""
        trace, operation = self._trace, self._trace.nodes.operation[node]
        outputs = trace.operations.outputs[operation] if operation >= 0 else []
        given = {trace.versions.node[row] for tensor in outputs for row in trace.versions_of(tensor)}
        return self.word_of_node(node, -1 if not outputs or node in given else node)

    def saved_word(self, row: int, node: int) -> str:
        """Return the program's name for a saved tensor, or ""."""
        tensor, operation = self._trace.saved.tensor[row], self._trace.nodes.operation[node]
        if tensor < 0:
            return ""
        if operation >= 0 and tensor in self._trace.operations.outputs[operation]:
            return shorten(result_of(self._run, operation), CELLS)
        name = name_of(self._run, tensor, operation if operation >= 0 else None)
        maker = self._trace.maker(tensor)
        spans = self._trace.operations.span
        inner = operation >= 0 and maker >= 0 and spans[maker] == spans[operation]
        made = "" if maker < 0 or inner else self.called.get(maker) or one_line(self._run.text(maker))
        return shorten(name or made, CELLS)

    def _text(self, operation: int) -> str:
        """Return the name of an overwritten tensor, the operation's word, or its text."""
        operations = self._trace.operations
        inputs = set(operations.inputs[operation])
        over = next((tensor for tensor in operations.outputs[operation] if tensor in inputs), -1)
        if over < 0 and inputs and self._trace.strings[operations.name[operation]] == "__setitem__":
            over = operations.inputs[operation][0]
        written = word_of(self._run, over, operation) if over >= 0 else ""
        return written or self.called.get(operation) or one_line(self._run.text(operation))

    def _implied(self, node: int, constants: dict[str, float]) -> dict[str, float]:
        """Return a call's default arguments, and n, the input entries for each result entry."""
        nodes = self._trace.nodes
        defaults = {"alpha": 1.0, "beta": 1.0, "value": 1.0, "correction": 1.0}
        stem = stem_of(self._trace.strings[nodes.name[node]])
        if stem == "Clamp":
            defaults |= {"min": -math.inf, "max": math.inf}
        if stem.startswith("BinaryCrossEntropy"):
            defaults["weight"] = 1.0
        result = self.output(node, 0)
        edge = next((i for i, below in enumerate(nodes.edges[node]) if below >= 0), -1)
        given = self.output(nodes.edges[node][edge], nodes.edge_inputs[node][edge]) if edge >= 0 else None
        if result is not None and given is not None and (size := math.prod(result.shape)):
            defaults["n"] = 1.0 if constants.get("reduction") == _SUMMED else max(1.0, math.prod(given.shape) / size)
        return defaults


def array_of(value: Value | None) -> np.ndarray | None:
    """Return all real entries in their shape, None if unknown."""
    if value is None or value.dtype.startswith("complex"):
        return None
    if value.data is None:
        least, known = value.minimum, not (value.nonfinite or value.sampled)
        equal = known and least is not None and least == value.maximum and math.prod(value.shape) <= _UNIFORM
        return np.broadcast_to(np.float64(least), value.shape) if equal else None
    kind = bool if value.dtype == "bool" else float
    return value.array(kind)
