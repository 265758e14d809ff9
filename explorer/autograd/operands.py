"""What a node computed with: its inputs, results and constants, as numbers and in the program's words."""

import math
from collections.abc import Hashable, Mapping

import numpy as np
from msgspec import Struct

from explorer.autograd.apart import Mention
from explorer.autograd.formulas import Formula, stem_of
from explorer.autograd.titles import Titles
from explorer.patterns import plain
from explorer.text.numbers import number, shorten
from explorer.trace import Trace, Value

CELLS = 18  # of a word in a formula
_LONGEST = 200  # of a constant that is read as numbers
_NUMBERS = plain(r"-?(?:\d++(?:\.\d*+)?(?:e[+-]?\d++)?|inf|nan)|\((?:-?\d++,? ?)*+\)")
_WHOLE = plain(r"-?\d+")
_SUMMED = 2  # torch's number of reduction="sum"


class FormulaOperand(Struct, frozen=True):
    """One thing that a formula names.

    Attributes:
        word: as the program says it.
        value: its entries, or None.
        mention: which of the values with this word it is; None for what no tensor is.
    """

    word: str
    value: Value | None = None
    mention: Mention | None = None


class Operands:
    """The operands of the nodes of one Trace.

    Args:
        rounds: by node, which execution of a folded loop it belongs to.
        called: by operation what the picture calls it where that is not the program's own text.
    """

    def __init__(
        self,
        trace: Trace,
        titles: Titles,
        rounds: Mapping[int, int] | None = None,
        called: Mapping[int, str] | None = None,
    ):
        self._trace, self._titles, self._rounds, self._called = trace, titles, rounds or {}, called or {}
        self._saved = trace.index.saved

    def saved_rows(self, node: int) -> list[int]:
        """The rows of Trace.saved that belong to a node."""
        return self._saved.get(node, [])

    def of(self, node: int, formulas: list[Formula]) -> tuple[dict[str, FormulaOperand], dict[str, float]]:
        """The operands of a node by torch's names, and those of them that are constants of the call."""
        trace, nodes = self._trace, self._trace.nodes
        word = self.word_of_result(node)
        found = {"result": FormulaOperand(word, self.output(node, 0), self.mention(node, 0, word))}
        constants: dict[str, float] = {}
        for formula, target, output in zip(formulas, nodes.edges[node], nodes.edge_inputs[node], strict=True):
            if target >= 0 and formula.input:
                found[formula.input] = self.input(node, target, output)
        for row in self._saved.get(node, ()):
            name, constant = trace.strings[trace.saved.name[row]], self.constant(row)
            if name == "dim":
                continue  # not a number of the formula; `arrays` has it
            if isinstance(constant, int | float):
                constants[name] = float(constant)
            elif constant is None and (value := self._trace.saved_value(row)) is not None:
                known = self.saved_word(row, node) or (found[name].word if name in found else _literal(name, value))
                found[name] = FormulaOperand(known, value, self.mention_of_saved(row, node, known))
        return found, constants | {
            name: value
            for name, value in self._implied(node, constants).items()
            if name not in constants and name not in found
        }

    def input(self, node: int, target: int, output: int) -> FormulaOperand:
        """What a node read over an edge that leads to an output of another."""
        word = self._word_of_output(target, output) or self.word_of_node(target, node)
        return FormulaOperand(word, self.output(target, output), self.mention(target, output, word))

    def mention(self, node: int, output: int, word: str) -> Mention:
        """An output of a node as what a sentence names; of AccumulateGrad that is the leaf."""
        trace, leaf = self._trace, self._trace.nodes.variable[node]
        if leaf >= 0:
            return self._mention_of_tensor(leaf, ("leaf", leaf), trace.versions_of(leaf)[0], word)
        return self._mention((node, output), trace.nodes.operation[node], self._rounds.get(node, 0), word)

    def mention_of_saved(self, row: int, node: int, word: str) -> Mention:
        """A saved tensor, at the version that was saved, as what a sentence names."""
        trace, saved = self._trace, self._trace.saved
        tensor, operation = saved.tensor[row], trace.nodes.operation[node]
        if tensor < 0:
            return Mention(word, ("saved", row))
        made = operation >= 0 and tensor in trace.operations.outputs[operation]
        if made and (tensor not in trace.operations.inputs[operation] or self._name(row) == "result"):
            return self.mention(node, 0, word)
        version = trace.saved_version(row)
        maker = trace.versions.node[version]
        if maker >= 0:
            return self.mention(maker, max(trace.versions.output[version], 0), word)
        asks = trace.tensors.requires_grad[tensor]
        return self._mention_of_tensor(tensor, ("leaf", tensor) if asks else ("data", version), version, word)

    def _mention_of_tensor(self, tensor: int, key: Hashable, version: int, word: str) -> Mention:
        """A tensor that no node made; where nothing else says its line, its first assignment does."""
        operation = self._trace.versions.operation[version]
        mention = self._mention(key, operation, 0, word)
        span = next((one.span for one in self._trace.index.bindings.get(tensor, ()) if one.span >= 0), -1)
        return mention if mention.line else Mention(word, key, operation, self._trace.line(span), mention.round)

    def _mention(self, key: Hashable, operation: int, round: int, word: str) -> Mention:
        if operation < 0:
            return Mention(word, key)
        operations = self._trace.operations
        loops = operations.iteration[operation]
        round = round or (loops[-1] + 1 if loops else 0)
        return Mention(word, key, operation, self._trace.line(operations.span[operation]), round)

    def arrays(
        self, node: int, operands: dict[str, FormulaOperand], constants: dict[str, float]
    ) -> dict[str, np.ndarray]:
        """The numbers of those operands whose entries are all at hand."""
        found = {name: array_of(operand.value) for name, operand in operands.items()}
        dim = self.given(node).get("dim")
        if isinstance(dim, int | tuple) and dim != ():  # of no axes means all
            found["dim"] = np.array([_signed(one) for one in np.atleast_1d(np.array(dim, object))], int)
        return {name: array for name, array in found.items() if array is not None} | {
            name: np.asarray(value) for name, value in constants.items()
        }

    def given(self, node: int) -> dict[str, str | int | float | tuple[int, ...] | None]:
        """The constants that a node keeps, by torch's names; None for what is a tensor."""
        return {self._name(row): self.constant(row) for row in self._saved.get(node, ())}

    def output(self, node: int, output: int) -> Value | None:
        """What a node gave, right after its operation."""
        values = self._trace.nodes.values[node]
        return self._trace.value(values[output]) if output < len(values) else None

    def word_of_node(self, node: int, reader: int) -> str:
        """What the program calls the result of a node; a node of the reader's own call has torch's name."""
        nodes = self._trace.nodes
        if nodes.variable[node] >= 0:
            operation = nodes.operation[reader] if reader >= 0 else -1
            return shorten(self._titles.name(nodes.variable[node], operation if operation >= 0 else None) or "·", CELLS)
        operation = nodes.operation[node]
        inner = reader >= 0 and operation == nodes.operation[reader]
        if inner and stem_of(self._trace.strings[nodes.name[node]]) == "T" and nodes.edges[node][0] >= 0:
            below = nodes.edges[node][0]
            if nodes.variable[below] >= 0:
                return self.word_of_node(below, reader) + "ᵀ"
        said = "" if inner or operation < 0 else self._titles.result(operation) or self._text(operation)
        return shorten(said, CELLS) if said else stem_of(self._trace.strings[nodes.name[node]])

    def _word_of_output(self, node: int, output: int) -> str:
        """The name of one of several results of an operation, "" of a single one or without a name."""
        trace, operation = self._trace, self._trace.nodes.operation[node]
        given = trace.operations.outputs[operation] if operation >= 0 else []
        if len(given) < 2:
            return ""
        tensor = trace.index.once(("results", operation), lambda: self._results(operation)).get((node, output), -1)
        return shorten(self._titles.name(tensor) or "", CELLS) if tensor >= 0 else ""

    def _results(self, operation: int) -> dict[tuple[int, int], int]:
        """The tensors that an operation gave, by the node that made them and which of its outputs they are."""
        trace, found = self._trace, dict[tuple[int, int], int]()
        for tensor in trace.operations.outputs[operation]:
            for row in trace.versions_of(tensor):
                found.setdefault(self._made(row), tensor)
        return found

    def _made(self, version: int) -> tuple[int, int]:
        """The node that made a version of a tensor, and which of its outputs that is."""
        return self._trace.versions.node[version], max(self._trace.versions.output[version], 0)

    def word_of_result(self, node: int) -> str:
        """What the program calls what a node gave; torch's name for a step inside a call."""
        trace, operation = self._trace, self._trace.nodes.operation[node]
        outputs = trace.operations.outputs[operation] if operation >= 0 else []
        given = {trace.versions.node[row] for tensor in outputs for row in trace.versions_of(tensor)}
        return self.word_of_node(node, -1 if not outputs or node in given else node)

    def saved_word(self, row: int, node: int) -> str:
        """The program's word for a saved tensor, "" when it has none."""
        tensor, operation = self._trace.saved.tensor[row], self._trace.nodes.operation[node]
        if tensor < 0:
            return ""
        if operation >= 0 and tensor in self._trace.operations.outputs[operation]:
            return shorten(self._titles.result(operation), CELLS)
        known = self._titles.name(tensor, operation if operation >= 0 else None)
        maker = self._trace.maker(tensor)
        inner = operation >= 0 and maker >= 0 and self._same_place(maker, operation)
        made = "" if maker < 0 or inner else self._called.get(maker) or self._titles.text(maker)
        return shorten(known or made, CELLS)

    def _text(self, operation: int) -> str:
        """What the picture calls an operation; the name of a tensor that it writes to; otherwise its text."""
        if operation in self._called:
            return self._called[operation]
        operations = self._trace.operations
        inputs = set(operations.inputs[operation])
        over = next((tensor for tensor in operations.outputs[operation] if tensor in inputs), -1)
        return (self._titles.name(over, operation) if over >= 0 else "") or self._titles.text(operation)

    def constant(self, row: int) -> str | int | float | tuple[int, ...] | None:
        """A saved constant as a number or a tuple of integers, otherwise its text; None when it is a tensor."""
        text = self._trace.string(self._trace.saved.constant[row])
        if text is None or len(text) > _LONGEST or not _NUMBERS.fullmatch(text):
            return text
        if text[0] == "(":
            return tuple(map(int, _WHOLE.findall(text)))
        return int(text) if _WHOLE.fullmatch(text) else float(text)

    def _name(self, row: int) -> str:
        return self._trace.strings[self._trace.saved.name[row]]

    def _same_place(self, one: int, other: int) -> bool:
        return self._trace.operations.span[one] == self._trace.operations.span[other]

    def _implied(self, node: int, constants: dict[str, float]) -> dict[str, float]:
        """What a call leaves out; and n, how many entries of the input went into one of the result."""
        nodes = self._trace.nodes
        known = {"alpha": 1.0, "beta": 1.0, "value": 1.0, "correction": 1.0}
        if stem_of(self._trace.strings[nodes.name[node]]) == "Clamp":
            known |= {"min": -math.inf, "max": math.inf}
        result = self.output(node, 0)
        edge = next((i for i, below in enumerate(nodes.edges[node]) if below >= 0), -1)
        given = self.output(nodes.edges[node][edge], nodes.edge_inputs[node][edge]) if edge >= 0 else None
        if result is not None and given is not None and (size := math.prod(result.shape)):
            known["n"] = 1.0 if constants.get("reduction") == _SUMMED else max(1.0, math.prod(given.shape) / size)
        return known


def _signed(axis: int) -> int:
    """An axis as a program counts it: torch keeps −1 as 2⁶⁴ − 1."""
    return axis - 2**64 if axis >= 2**63 else axis


def array_of(value: Value | None) -> np.ndarray | None:
    """All entries of a real value in its shape, None when they are not all at hand."""
    if value is None or value.data is None or value.dtype.startswith("complex"):
        return None
    kind = bool if value.dtype == "bool" else float
    return value.array(kind)


def _literal(name: str, value: Value) -> str:
    """A word for what the program did not name: the number itself."""
    return number(value.entries[0]) if math.prod(value.shape) == 1 and value.entries else name
