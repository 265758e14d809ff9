"""The local derivative of every node with respect to every input.

Common operations are in the table of explorer.analysis.operations, as an expression or in words. All others have
torch's own formula, which tools/generate_formulas.py took from derivatives.yaml.
"""

import json
from collections.abc import Container, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from msgspec import Struct

from explorer.analysis.autograd.expressions import simplified, written
from explorer.analysis.operations import Derivative, derivatives_of_node, operation_of_node, stem_of
from explorer.analysis.operations.formulas import names_in, parsed
from explorer.analysis.operations.record import ANY
from explorer.safe_regex import plain
from explorer.text import say
from explorer.trace import Trace


class Formula(Struct, frozen=True):
    """The gradient that a node passes on to one input.

    Attributes:
        input: torch's name of the input, "" if unknown.
        kind: local (the expression is the local derivative: gradient × it, summed over what was stretched), whole (the
            expression is all that is passed on), words (told by the message formula-`words`), torch (torch's own text),
            own (the program's own backward).
        expression: of a local or whole formula, or torch's text; of a formula in words one to compute with, or "": with
            G in it, it is all that is passed on.
        words: the last part of a message's id, or "".
        zero: condition under which nothing is passed on although the expression has no value there, or "".
    """

    input: str
    kind: Literal["local", "whole", "words", "torch", "own"]
    expression: str = ""
    words: str = ""
    zero: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether the expression is the whole passed gradient, not the local derivative."""
        return self.kind == "whole" or (self.kind == "words" and "G" in names_in(parsed(self.expression or "0")))


Constant = str | int | float | tuple[int, ...] | None
WORDED = ("reduction", "ignore_index", "padding_idx", "scale_grad_by_freq", "dim")  # what `said_of` reads
_REDUCTIONS = {0: "none", 1: "mean", 2: "sum"}  # as torch counts them
_LONGEST = 200  # of a constant that is parsed as numbers
_NUMBERS = plain(r"-?(?:\d++(?:\.\d*+)?(?:e[+-]?\d++)?|inf|nan)|\((?:-?\d++,? ?)*+\)")
_WHOLE_NUMBER = plain(r"-?\d+")
_LIST_INPUTS = {"tensors"}  # every edge is one entry of the list


@cache
def generated() -> dict[str, list[tuple[str, str]]]:
    """torch's own formulas: per node its (input, formula) pairs in the order of its edges."""
    text = (Path(__file__).parent / "formulas.json").read_text(encoding="utf-8")
    return {node: [(name, formula) for name, formula in inputs] for node, inputs in json.loads(text).items()}


def formulas(node: str, edges: int, own: bool = False) -> list[Formula]:
    """The formula for every edge of a node, in order.

    Args:
        node: torch's name, such as MulBackward0.
        edges: how many edges it has.
        own: whether it is the program's own autograd.Function.
    """
    inputs = generated().get(node, [])
    if inputs and inputs[0][0] in _LIST_INPUTS:
        inputs = inputs[:1] * edges
    stem = stem_of(node)
    if not inputs and stem in ("Copys", "CopySlices"):
        inputs = [(name, "") for name in (("self", "src") if stem == "Copys" else [""] * edges)]
    found = []
    for position in range(edges):
        name, torch = inputs[position] if position < len(inputs) else ("", "")
        found.append(Formula(name, "own") if own else _formula(node, name, torch))
    return found


def formulas_of(trace: Trace, node: int) -> list[Formula]:
    """The formula for every edge of a node of a Trace, chosen by the call's arguments."""
    nodes, name = trace.nodes, trace.strings[trace.nodes.name[node]]
    told = formulas(name, len(nodes.edges[node]), nodes.user_code[node])
    given = given_of(trace, node)
    return [_variant(formula, name, given) for formula in told]


def given_of(trace: Trace, node: int) -> dict[str, Constant]:
    """The constants that a node saves, by torch's names; None for a tensor."""
    saved = trace.saved
    return {trace.strings[saved.name[row]]: constant(trace, row) for row in trace.index.saved.get(node, ())}


def constant(trace: Trace, row: int) -> Constant:
    """A saved constant as a number or a tuple of integers, otherwise its text; None if it is a tensor."""
    text = trace.string(trace.saved.constant[row])
    if text is None or len(text) > _LONGEST or not _NUMBERS.fullmatch(text):
        return text
    if text[0] != "(" and not _WHOLE_NUMBER.fullmatch(text):
        return float(text)
    found = tuple(_signed(int(word)) for word in _WHOLE_NUMBER.findall(text))
    if not all(-(2**63) <= number < 2**63 for number in found):
        return text  # no number of torch's
    return found if text[0] == "(" else found[0]


def _signed(stored: int) -> int:
    """Undo torch's unsigned storage of negative integers: −1 is stored as 2⁶⁴ − 1."""
    return stored - 2**64 if stored >= 2**63 else stored


def _variant(formula: Formula, node: str, given: Mapping[str, Constant]) -> Formula:
    """The formula for the call's arguments: that of a norm depends on its order."""
    if formula.kind == "own":
        return formula
    for name, value, derivative in derivatives_of_node(node).get(formula.input, Derivative()).cases:
        if name in given and (value is ANY or given[name] == value):
            return _by_table(formula.input, derivative, formula.zero)
    return formula


def _by_table(name: str, derivative: Derivative, zero: str) -> Formula:
    whole: Literal["whole", "local"] = "whole" if derivative.is_whole else "local"
    return Formula(name, "words" if derivative.words else whole, derivative.formula, derivative.words, zero)


def formula_texts(trace: Trace, node: int, lang: str) -> list[dict[str, str]]:
    """The formulas of a node as plain texts with torch's names of the inputs, for files: input, kind, text."""
    given = given_of(trace, node)
    key = tuple((name, value) for name, value in given.items() if name in WORDED)
    return [
        {"input": formula.input, "kind": formula.kind, "text": _text(formula, key, frozenset(given), lang)}
        for formula in formulas_of(trace, node)
    ]


@lru_cache(4096)
def _text(formula: Formula, known: tuple[tuple[str, Constant], ...], given: frozenset[str], lang: str) -> str:
    if formula.kind == "own":
        return say(lang, "formula-own")
    if formula.kind == "torch":
        return formula.expression
    names = {name: name for name in ("self", "other", "result", "weight", "input")}
    if formula.kind == "words":
        return say(lang, f"formula-{formula.words}", **names, to=formula.input, **said_of(dict(known), given))
    tree = parsed(formula.expression)
    absent = {name: 1.0 for name in ("weight", "alpha", "beta", "value") if name not in given}
    return written(simplified(tree, absent), axis_words(axes_of(dict(known).get("dim"))), lang)


def axes_of(dim: Constant) -> tuple[int, ...]:
    """The axes of a saved dim; () for all of them."""
    return dim if isinstance(dim, tuple) else (dim,) if isinstance(dim, int) else ()


def axis_words(axes: tuple[int, ...]) -> dict[str, str]:
    """The axes of a reduction in a formula: dim=1; "" if it takes all."""
    return {"dim": f"dim={axes[0] if len(axes) == 1 else axes}"} if axes else {}


def said_of(given: Mapping[str, Constant], names: Container[str]) -> dict[str, str]:
    """The variables of a formula's sentence that depend on constants: reduction of a loss, axis, weights."""
    axes = axes_of(given.get("dim"))
    ignored = given.get("ignore_index", -100)
    return {
        "reduction": _REDUCTIONS.get(given.get("reduction"), "none"),  # type: ignore[arg-type]
        "weighted": "yes" if "weight" in names else "no",
        "ignored": str(ignored) if isinstance(ignored, int) and ignored >= 0 else "no",
        "padding": str(given.get("padding_idx", -1)),
        "counted": "yes" if given.get("scale_grad_by_freq") == "True" else "no",
        "axis": str(axes[0]) if len(axes) == 1 else "no",
    }


def own_text(formula: Formula, node: str, edge: int) -> Formula:
    """torch's own formula, as text."""
    inputs = generated().get(node, [])
    return Formula(formula.input, "torch", inputs[edge][1] if edge < len(inputs) else "")


def commutes(node: str) -> bool:
    """Whether the two operands of a node are interchangeable.

    >>> commutes("MulBackward0"), commutes("SubBackward0")
    (True, False)
    """
    return operation_of_node(node).commutes


def _formula(node: str, name: str, torch: str) -> Formula:
    derivative = derivatives_of_node(node).get(name)
    return Formula(name, "torch", torch) if derivative is None else _by_table(name, derivative, derivative.zero)
