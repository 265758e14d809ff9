"""Gradients passed over each edge, written with numbers: gradient × local derivative.

If user code changed a gradient, the recorded value is not a derivative.
"""

import ast
import copy
import math
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from explorer.analysis.explain.autograd.entry_texts import index_text, is_listed, listed
from explorer.analysis.explain.autograd.formula_values import (
    UNKNOWN,
    agrees,
    aligned,
    evaluated,
    local_of,
    without_value,
)
from explorer.analysis.explain.autograd.gradients import contributions, node_gradients
from explorer.analysis.explain.autograd.graph_parts import ORDER
from explorer.analysis.explain.autograd.node_formulas import (
    Formula,
    atom,
    axes_of,
    axis_words,
    factor,
    formulas_of,
    own_text,
    sentence_constants,
    simplified,
    written,
)
from explorer.analysis.explain.autograd.operands import (
    CELLS,
    FormulaOperand,
    Mention,
    Operands,
    array_of,
    disambiguate,
    role,
)
from explorer.analysis.explain.autograd.slopes import passed_on, products_of, slopes
from explorer.analysis.run import rounding
from explorer.analysis.run.model import run_of
from explorer.analysis.run.operations.formulas import computed, names_in, parsed
from explorer.safe_regex import stands_in
from explorer.text import say
from explorer.text.numbers import Equation, number, read, shape_text, shorten, written_equation, written_product
from explorer.trace import Number, Trace, Value, index_at

EXAMPLES = 2  # entries of a tensor written out in full
KEPT = 64  # nodes whose operands are cached
NAMED = 32  # from this many operands on, only the ends of an edge get distinct words, unless a formula names others
_UNWRITTEN = ("torch", "own")  # formulas not written with the program's names
_EACH = ("larger", "smaller")  # worded formulas that are multiplied entry by entry
_ORDERS = (*_EACH, "largest", "smallest", "median", "farthest", "nearest")  # worded formulas that compare entries
_HEADS = ("attention", "attention-value")
_SCALED = {"G", "alpha", "beta"}


class EdgeGradient(Struct, frozen=True):
    """The gradient passed on over one edge.

    Attributes:
        node, edge: the node, and the index of the edge.
        target: receiving node.
        sender, to: distinct words for the node's result and the receiver.
        role: receiver's role if the operation reads it repeatedly, such as "first factor", or "".
        formula: local derivative or whole passed gradient, with the kind of `formulas.Formula`.
        left: left side of the equation, "∂(a*b)/∂a", or "".
        equals: its successive right sides: in words, in numbers, a single number.
        multiplied: "−2 · (−3) = +6", None unless a single number.
        result: gradient that torch passed on, None if unknown.
        summed: summed axes of the arriving gradient, along which the receiver was broadcast.
        examples: written-out entries, "h[0, 4]: +0.25 · 1 = +0.25".
        shapes: shapes of a matrix product, "(4, 3) @ (3, 5)", or "".
        factors: factors of a whole formula, with entries.
        arrived: letter for the arriving gradient.
        conjugated: whether torch's factor is a conjugate derivative (complex numbers). `left` shows it.
    """

    node: int
    edge: int
    target: int
    to: str
    formula: Formula
    left: str
    equals: tuple[str, ...]
    sender: str = ""
    role: str = ""
    multiplied: Equation | None = None
    result: Value | None = None
    summed: tuple[int, ...] = ()
    examples: tuple[str, ...] = ()
    shapes: str = ""
    factors: tuple[FormulaOperand, ...] = ()
    arrived: str = "G"
    conjugated: bool = False

    @property
    def product(self) -> str:
        """−2 · (−3) = +6, "" if there is none."""
        return _product(self.multiplied) if self.multiplied is not None else ""


class EdgeGradients:
    """Edges of one backward of a Trace, in the program's words.

    Args:
        backward: index or None.
        of: word for the root.
        rounds: execution of a folded loop by node, from 1.
        called: word in the picture by operation, if not the program's text.
    """

    def __init__(
        self,
        trace: Trace,
        backward: int | None,
        of: str,
        rounds: Mapping[int, int] | None = None,
        called: Mapping[int, str] | None = None,
    ):
        self.trace, self.run, self.backward = trace, run_of(trace), backward
        self.gradients, self.passed = node_gradients(trace, backward), contributions(trace, backward)
        self.call = call = None if backward is None else trace.backwards[backward]
        self.operands = Operands(trace, self.run, rounds, called, call.operations if call else None)
        root = next((root for root in call.roots if root >= 0), -1) if call else -1
        self.root = self.operands.mention(root, 0, of) if root >= 0 else Mention(of, "root")
        self.step = {node: i for i, node in enumerate(call.order)} if call else {}
        self.freed = frozenset(call.freed) if call else frozenset()
        self._known: dict[int, tuple[list[Formula], tuple]] = {}

    @cached_property
    def letter(self) -> str:
        """Letter for the arriving gradient: G, unless the program uses G."""
        return "Ḡ" if any(stands_in(cell.source, "G") for cell in self.trace.cells) else "G"

    @cached_property
    def into(self) -> dict[tuple[int, int], list[tuple[int, int, int]]]:
        """Gradients that arrived at (node, output): sender, edge and value."""
        edges, inputs = self.trace.nodes.edges, self.trace.nodes.edge_inputs.items
        senders: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
        for (node, position), value in self.passed.items():
            at = edges.starts[node] + position
            senders.setdefault((edges.items[at], inputs[at]), []).append((node, position, value))
        return senders

    def arriving(self, node: int, output: int) -> list[Number] | None:
        """Sum the gradients passed to an output, before hooks, None if a part is unknown."""
        values = [self.trace.value(value) for _, _, value in self.into.get((node, output), ())]
        if self.call is not None:
            seeds = zip(self.call.roots, self.call.seeds, strict=False)
            values += [self.trace.value(seed) for root, seed in seeds if root == node]
        if not values or any(value is None or value.data is None for value in values):
            return None
        parts = [value.data for value in values if value is not None and value.data is not None]
        return [sum(entries) for entries in zip(*parts, strict=True)] if len({*map(len, parts)}) == 1 else None

    def of(self, node: int, lang: str) -> list[EdgeGradient]:
        """Return the gradients that a node passes on."""
        edges = self.trace.nodes.edges[node]
        formulas, facts = self.known(node)
        roles, operands = self.roles(node, lang), dict(facts[0])
        facts = operands, *facts[1:]
        # A tensor that is read twice has two roles in the formula: first factor and second factor.
        for position, formula in enumerate(formulas):
            if roles[position] and formula.input in operands:
                word = say(lang, "role.of", role=roles[position], word=operands[formula.input].word)
                operands[formula.input] = FormulaOperand(word, operands[formula.input].value)
        return [
            self._passed(node, position, formula, facts, roles[position], lang)
            for position, formula in enumerate(formulas)
            if edges[position] >= 0
        ]

    def contradicts(self, node: int, edge: int) -> bool:
        """Return whether the passed gradient contradicts torch's node, False if torch's result is unknown."""
        result, gradient = self.trace.value(self.passed.get((node, edge), -1)), self.by_torch(node, edge)
        if gradient is None or result is None or result.data is None:
            return False
        known, passed = np.isfinite(gradient), np.array(result.data).reshape(result.shape)  # 0 · ∞ is inconclusive
        if rounding.agrees(gradient[known], passed[known], result.dtype):
            return False
        # large products cancel, as in a layer norm
        products = products_of(self.trace, node, edge, self.gradients[node])
        values = [self.trace.value(value) for value in (*self.gradients[node], *self.trace.nodes.values[node])]
        dtypes = {result.dtype, *(value.dtype for value in values if value is not None)}
        parts = None if products is None else products.reshape(-1, *result.shape)[:, known]
        return parts is None or not any(rounding.adds_up(parts, passed[known], dtype) for dtype in dtypes)

    def fits(self, node: int, edge: int) -> bool:
        """Return whether the formula yields the passed gradient, or is unknown. False for 0/0."""
        result = self.trace.value(self.passed.get((node, edge), -1))
        formulas, (_, _, arrays, _) = self.known(node)
        if without_value(formulas[edge], arrays) or self._is_more(node, formulas[edge].words, result):
            return False
        gradient = None if result is None else evaluated(formulas[edge], arrays, result.shape, zeros=False)
        return gradient is None or array_of(result) is None or agrees(gradient, result)

    def _is_more(self, node: int, words: str, result: Value | None) -> bool:
        """Return whether a node did more than its rule, such as sharing a key."""
        if words == "pool":
            return self.operands.given(node).get("divisor_override", "None") != "None"
        gradient = self.gradient(node)
        shared = words in _HEADS and gradient is not None and result is not None
        return bool(shared and gradient.shape[:-2] != result.shape[:-2])

    def _slope(self, node: int, edge: int) -> Number | None:
        """Return torch's local derivative between two single numbers."""
        maps = slopes(self.trace, node, edge) or {}
        matrices = [
            matrix for (_, output), matrix in maps.items() if self.gradients[node][output : output + 1] != (-1,)
        ]
        return matrices[0].item() if len(matrices) == 1 and matrices[0].size == 1 else None

    def _diagonal(self, node: int, edge: int) -> np.ndarray | None:
        """Return the local derivative entry by entry in the receiver's shape, None if unknown."""
        result = self.trace.value(self.passed.get((node, edge), -1))
        formulas, (_, _, arrays, _) = self.known(node)
        formula = formulas[edge]
        if result is None or result.data is None or not (formula.is_entrywise or formula.kind == "torch"):
            return None
        maps = list((slopes(self.trace, node, edge) or {}).values())
        if len(maps) == 1:
            [matrix], size = maps, len(result.data)
            alone = len(matrix) == 1 or (len(matrix) == size and not matrix[np.eye(*matrix.shape) == 0].any())
            fits = alone and matrix.shape[1] == size and matrix.dtype.kind == "f"
            return matrix.sum(0).reshape(result.shape) if fits else None
        if not agrees(evaluated(formula, arrays, result.shape), result):
            return None
        with suppress(ValueError):
            return np.broadcast_to(np.asarray(local_of(formula, arrays), float), result.shape)
        return None

    def by_torch(self, node: int, edge: int) -> np.ndarray | None:
        """Return torch's own result for an edge, None if unknown."""
        result = self.trace.value(self.passed.get((node, edge), -1))
        gradient = passed_on(self.trace, node, edge, self.gradients[node])
        if gradient is None or result is None or result.data is None or gradient.size != len(result.data):
            return None
        return gradient.reshape(result.shape)

    def local(self, node: int, edge: int) -> np.ndarray | None:
        """Return each result entry's derivative by the input entry it was computed from.

        It is torch's own. If torch was not asked, for example about random numbers, it comes from the formula.
        None if unknown.
        """
        formulas, (_, _, arrays, _) = self.known(node)
        formula, maps = formulas[edge], list((slopes(self.trace, node, edge) or {}).values())
        if not formula.is_entrywise:
            return None
        try:
            shape = np.shape(arrays["result"])
            if len(maps) == 1 and maps[0].dtype.kind == "f" and ((maps[0] != 0).sum(1) <= 1).all():
                return maps[0].sum(1).reshape(shape)
            return np.broadcast_to(np.asarray(local_of(formula, arrays), float), shape)
        except UNKNOWN:
            return None

    def known(self, node: int) -> tuple[list[Formula], tuple]:
        """Return a node's formulas, operands, constants, arrays and gradient. Cached and read-only."""
        if node not in self._known:
            if len(self._known) >= KEPT:
                self._known.clear()
            formulas, gradient = formulas_of(self.trace, node), self.gradient(node)
            operands, constants = self.operands.of(node, formulas)
            arrays, entries = self.operands.arrays(node, operands, constants), array_of(gradient)
            arrays |= {} if entries is None else {"G": entries}
            self._known[node] = formulas, (operands, constants, aligned(arrays), gradient)
        return self._known[node]

    def roles(self, node: int, lang: str) -> list[str]:
        """Return the role of each input by edge, "" for inputs read once."""
        nodes = self.trace.nodes
        inputs = list(zip(nodes.edges[node], nodes.edge_inputs[node], strict=True))
        times, name = Counter(inputs), self.trace.strings[nodes.name[node]]
        return [role(name, i, lang) if edge[0] >= 0 and times[edge] > 1 else "" for i, edge in enumerate(inputs)]

    def gradient(self, node: int) -> Value | None:
        """Return the first gradient that arrived at a node's outputs."""
        return next((self.trace.value(value) for value in self.gradients[node] if value >= 0), None)

    def saved_words(self, node: int, lang: str) -> dict[int, str]:
        """Return words for a node's saved tensors, by row of Trace.saved."""
        names, saved = self.trace.strings, self.trace.saved
        ordered = sorted(self.operands.saved_rows(node), key=lambda row: ORDER.get(names[saved.name[row]], 1))
        rows = {row: self.operands.saved_word(row, node) for row in ordered}
        mentions = [self.operands.mention_of_saved(row, node, word) for row, word in rows.items()]
        result = self.operands.mention(node, 0, self.operands.word_of_result(node))
        return dict(zip(rows, disambiguate([result, *mentions], lang)[1:], strict=True))

    def _passed(self, node: int, edge: int, formula: Formula, facts: tuple, role: str, lang: str) -> EdgeGradient:
        operands, constants, arrays, gradient = facts
        result = self.trace.value(self.passed.get((node, edge), -1))
        formula = self._followed(node, edge, formula, operands, gradient, result)
        # Arguments at their defaults are omitted.
        tree = None if formula.kind in (*_UNWRITTEN, "words") else simplified(tree_of(formula, arrays), constants)
        shown = self._named(_Edge(node, edge, formula, tree, operands, arrays, gradient, result), role, lang)
        contradicted, by_torch = self.contradicts(node, edge), self.by_torch(node, edge)
        if contradicted and by_torch is not None and result is not None:
            made = replace(result, data=tuple(by_torch.reshape(-1).tolist()))
            text = say(lang, "formula-changed", amount=listed(made) if is_listed(made) else "none")
            return replace(shown.passed, equals=(text,))
        single = gradient is not None and bool(gradient.entries) and result is not None and bool(result.entries)
        slope = self._slope(node, edge) if single and not contradicted else None  # a nested tensor has no entries
        if formula.kind in _UNWRITTEN:
            return self._unwritten(shown, slope)
        return self._in_words(shown, lang) if formula.kind == "words" else self._written(shown, slope, lang)

    def _followed(
        self,
        node: int,
        edge: int,
        formula: Formula,
        operands: Mapping[str, FormulaOperand],
        gradient: Value | None,
        result: Value | None,
    ) -> Formula:
        """Return a rule if torch followed it, else torch's own."""
        turned = formula.kind != "own" and any(each is not None and is_complex(each) for each in (gradient, result))
        fits = self.fits(node, edge) and not _meets_nan(formula, operands["result"].value, gradient, result)
        if self.contradicts(node, edge) or turned or not fits:
            return own_text(formula, self.trace.strings[self.trace.nodes.name[node]], edge)
        return formula

    def _named(self, at: "_Edge", role: str, lang: str) -> "_NamedEdge":
        """Choose distinct words for both sides, the result and the operands."""
        nodes, operands, tree = self.trace.nodes, at.operands, at.tree
        target = nodes.edges[at.node][at.edge]
        above = self.root if at.formula.kind == "whole" else operands["result"].mention
        receiver = self.operands.input(at.node, target, nodes.edge_inputs[at.node][at.edge]).mention
        named = list(operands)[:NAMED] if tree is None else [name for name in names_in(tree) if name in operands]
        mentioned = [name for name in named if operands[name].mention is not None]
        mentions = [above, operands["result"].mention, receiver, *(operands[name].mention for name in mentioned)]
        left, sender, to, *texts = disambiguate(mentions, lang)
        words = {name: operands[name].word for name in named} | dict(zip(mentioned, texts, strict=True))
        summed = summed_axes(at.formula, tree, at.gradient, at.result)
        passed = EdgeGradient(
            at.node, at.edge, target, to, at.formula, "", (), sender, role, None, at.result, summed, arrived=self.letter
        )
        below = say(lang, "role.of", role=role, word=receiver.word) if role else to
        return _NamedEdge(at, passed, named, words, left, below)

    def _unwritten(self, shown: "_NamedEdge", slope: Number | None) -> EdgeGradient:
        """Write a derivative that only torch knows, as a number."""
        at, passed = shown.edge, shown.passed
        if slope is None or at.gradient is None or at.result is None:
            return replace(passed, **_examples(passed, self._diagonal(at.node, at.edge), at.gradient))
        partial = _partial(shown.left, shown.below)
        text, conjugated = _factor(partial, shown.below, slope, at.gradient, at.result)
        return replace(passed, left=text, conjugated=conjugated, **_number_alone(slope, at.gradient, at.result))

    def _in_words(self, shown: "_NamedEdge", lang: str) -> EdgeGradient:
        """Write a rule that is a sentence."""
        at, passed = shown.edge, shown.passed
        names = {name: shown.words.get(name, name) for name in ("self", "other", "result", "weight", "input")}
        given = self.operands.given(at.node)
        rule = say(lang, f"formula-{at.formula.words}", **names, to=shown.below, **sentence_constants(given, given))
        return replace(passed, equals=(rule,), **_examples(passed, self._diagonal(at.node, at.edge), at.gradient))

    def _written(self, shown: "_NamedEdge", slope: Number | None, lang: str) -> EdgeGradient:
        """Write a rule that is a formula, with its numbers."""
        at, left = shown.edge, _partial(shown.left, shown.below)
        passed = replace(shown.passed, left=left)
        words = shown.words | axis_words(axes_of(self.operands.given(at.node).get("dim")))
        text = written(at.tree, words | {"G": self.letter}, lang)
        if at.formula.kind == "whole":
            worded = {name: FormulaOperand(words[name], at.operands[name].value) for name in shown.named}
            arrived = FormulaOperand(self.letter, at.gradient)
            return replace(passed, equals=(text,), **_factors(at.tree, worded, arrived, at.result))
        numbers = _scalars(at.tree, at.formula, at.arrays, slope, at.gradient, at.result, lang)
        if numbers is None and slope is not None and at.gradient is not None and at.result is not None:
            return replace(passed, **_number_alone(slope, at.gradient, at.result))  # 0 for a formula of 0/0
        if numbers is None:
            examples = _examples(shown.passed, self._diagonal(at.node, at.edge), at.gradient)
            return replace(passed, equals=(text,), **examples)
        sides, product = numbers
        sides = [text, *sides] if any(map(str.isalpha, text)) else sides[-1:]  # a literal already is the number
        return replace(passed, equals=tuple(dict.fromkeys(sides)), multiplied=product)


@dataclass(frozen=True)
class _Edge:
    """An edge to be written. Attributes: tree: of its formula. arrays: its operands' entries. result: passed on."""

    node: int
    edge: int
    formula: Formula
    tree: Any
    operands: Mapping[str, FormulaOperand]
    arrays: dict[str, np.ndarray]
    gradient: Value | None
    result: Value | None


@dataclass(frozen=True)
class _NamedEdge:
    """An edge with its words."""

    edge: _Edge
    passed: EdgeGradient
    named: list[str]
    words: dict[str, str]
    left: str
    below: str


def tree_of(formula: Formula, arrays: Mapping[str, Any]) -> ast.expr:
    """Return a formula for display, with torch's 0 for entries where it is undefined."""
    unknown = without_value(formula, arrays) is None
    return parsed(f"where({formula.zero}, 0, {formula.expression})" if unknown else formula.expression)


def summed_axes(
    formula: Formula, tree: ast.expr | None, gradient: Value | None, result: Value | None
) -> tuple[int, ...]:
    """Return the axes along which a broadcast input's gradient is summed."""
    each = formula.kind == "local" or formula.words in _EACH or (tree is not None and set(names_in(tree)) <= _SCALED)
    if gradient is None or result is None or not each or len(gradient.shape) < len(result.shape):
        return ()
    front = len(gradient.shape) - len(result.shape)
    pairs = list(zip(gradient.shape[front:], result.shape, strict=True))
    if any(size not in (1, arrived) for arrived, size in pairs):
        return ()
    return (*range(front), *(front + i for i, (arrived, size) in enumerate(pairs) if arrived != size))


def _scalars(
    tree: ast.expr,
    formula: Formula,
    arrays: dict[str, np.ndarray],
    slope: Number | None,
    gradient: Value | None,
    result: Value | None,
    lang: str,
) -> tuple[list[str], Equation | None] | None:
    """Return the derivative and product as numbers, if torch's `slope` agrees."""
    if gradient is None or result is None or not gradient.entries or not result.entries:
        return None
    if math.prod(gradient.shape) != 1 or math.prod(result.shape) != 1:
        return None
    if any(arrays.get(name) is None or arrays[name].size != 1 for name in names_in(tree)):
        return None
    local = local_of(formula, arrays, zeros=False).item()
    if slope is None and not agrees(evaluated(formula, arrays, result.shape, zeros=False), result):
        return None
    if slope is not None and not rounding.agrees(local, slope, gradient.dtype):
        return None
    product = written_product((gradient.entries[0], local), result.entries[0], True)
    names = list(names_in(tree))
    if not names:
        return [product.operands[1]], product

    as_written = _with_written_constants(tree)

    def compute(numbers: list) -> float:
        return computed(as_written, {**arrays, **dict(zip(names, map(np.asarray, numbers), strict=True))}).item()

    equation = written_equation(compute, [arrays[name].item() for name in names], local, digits=product.digits)
    if not equation.sign:
        return [equation.result], product
    middle = written(tree, dict(zip(names, equation.operands, strict=True)), lang)
    return [middle, *([] if middle == equation.result else [f"{equation.about}{equation.result}"])], product


def _with_written_constants(tree: ast.expr) -> ast.expr:
    """Round a formula's constants as they are printed: 0.333 for 1/3."""

    class GradientWriter(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.Constant:
            if isinstance(node.value, float) and math.isfinite(node.value):
                return ast.Constant(read(number(node.value)))
            return node

    return GradientWriter().visit(copy.deepcopy(tree))


def factors_of(product: Equation) -> tuple[str, str]:
    """Write a gradient and a local derivative as factors: 2, (−3)."""
    gradient, local = product.operands
    return f"({gradient})" if gradient.endswith("j") else gradient, factor(local)


def _product(product: Equation) -> str:
    """Write 2 · (−3) = −6, "" if the numbers contradict it."""
    return f"{' · '.join(factors_of(product))} {product.sign} {product.result}" if product.sign else ""


def _meets_nan(formula: Formula, made: Value | None, gradient: Value | None, result: Value | None) -> bool:
    """Return whether a rule in words met NaN, which it does not cover."""
    if formula.kind != "words" or result is None:
        return False
    began = gradient is not None and gradient.nonfinite == 0 < result.nans
    return began or (formula.words in _ORDERS and made is not None and made.nans > 0)


def _number_alone(slope: Number, gradient: Value, result: Value) -> dict:
    """Return a local derivative known only as a number."""
    product = written_product((gradient.entries[0], slope), result.entries[0], True)
    return {"equals": (product.operands[1],), "multiplied": product}


def _partial(of: str, by: str) -> str:
    """Write ∂(a*b)/∂a."""
    return f"∂{atom(shorten(of, CELLS))}/∂{atom(shorten(by, CELLS))}"


def is_complex(value: Value) -> bool:
    """Return whether entries are complex, so that torch's factors are conjugate derivatives."""
    return value.dtype.startswith("complex")


def _factor(partial: str, by: str, slope: Number, gradient: Value, result: Value) -> tuple[str, bool]:
    """Return torch's factor, and whether it is conjugate: conj(∂c/∂a), or 2·∂r/∂conj(a) for real r."""
    if not is_complex(result):
        return partial, False
    if is_complex(gradient):
        return (f"conj({partial})", True) if isinstance(slope, complex) else (partial, False)
    return f"2·{partial.rpartition('/')[0]}/∂conj({shorten(by, CELLS)})", True


def _examples(passed: EdgeGradient, local: np.ndarray | None, gradient: Value | None) -> dict:
    """Write out up to EXAMPLES entries: the largest, and one whose gradient becomes 0."""
    result, arrived = passed.result, array_of(gradient)
    if local is None or result is None or arrived is None or not result.data:
        return {}
    try:
        g = np.broadcast_to(arrived, result.shape)
    except ValueError:
        return {}
    entries = array_of(result)
    largest = int(np.argmax(np.abs(np.where(np.isfinite(entries), entries, np.inf))))
    stopped = np.flatnonzero((local.ravel() == 0) & (g.ravel() != 0))
    picked = dict.fromkeys([largest, *stopped[:1].tolist()])
    lines = []
    for flat in list(picked)[:EXAMPLES]:
        index = index_at(flat, result.shape)
        gradient_there, slope, sent = (array.ravel()[flat].item() for array in (g, local, entries))
        product = _product(written_product((gradient_there, slope), sent, True))
        place = index_text(index)
        word = passed.to if passed.to.isidentifier() or not place else ""
        lines += [f"{word}{place}: {product}"] if product else []
    return {"examples": tuple(lines)}


def _factors(
    tree: ast.expr, operands: dict[str, FormulaOperand], arrived: FormulaOperand, result: Value | None
) -> dict:
    """Return the factors of a whole formula: shapes on one line, and entries."""
    names = [name for name in names_in(tree) if name == "G" or name in operands]
    factors = tuple(arrived if name == "G" else operands[name] for name in names)
    text = ast.unparse(tree)
    shapes = ""
    if "@" in text and result is not None and all(factor.value is not None for factor in factors):
        sides = [
            shape_text(operand.value.shape[-2:][:: -1 if f"T({name})" in text else 1])
            for operand, name in zip(factors, names, strict=True)
        ]
        shapes = f"{' @ '.join(sides)} → {shape_text(result.shape[-2:])}"
    return {"shapes": shapes, "factors": factors}
