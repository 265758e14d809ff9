"""The local derivative of every node with respect to every input.

What learners meet stands in the table of explorer.derivatives, as an expression or in words. Everything else has
torch's own formula, taken from its derivatives.yaml by tools/generate_formulas.py.
"""

import json
from collections.abc import Container, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from msgspec import Struct

from explorer.autograd.expressions import written
from explorer.derivatives.computing import parsed
from explorer.derivatives.table import COMMUTES, LOCAL, UNTOLD, VARIANTS, WHOLE, WORDS, ZERO
from explorer.patterns import plain
from explorer.text import say

_KIND = plain(r"Backward\d*$")


class Formula(Struct, frozen=True):
    """What a node passes on to one input.

    Attributes:
        input: torch's name of the input, "" when it is not known.
        kind: local (the expression is the local derivative: gradient × it, summed over what was stretched), whole (the
            expression is all that is passed on), words (told by the message formula-`words`), torch (torch's own text),
            own (the program's own backward).
        expression: of a local or whole formula, or torch's text; of a formula in words one to compute with, or "".
        words: the last part of a message's id, or "".
        zero: where nothing is passed on although the expression, taken at its word, has no value there, or "".
    """

    input: str
    kind: Literal["local", "whole", "words", "torch", "own"]
    expression: str = ""
    words: str = ""
    zero: str = ""


_SPELLED = {"CopyBackwards": "Copys"}  # names that do not end as the others do
_LIST_INPUTS = {"tensors"}  # every edge is one entry of the list


@cache
def generated() -> dict[str, list[tuple[str, str]]]:
    """Torch's own: per node its (input, formula) pairs in the order of its edges."""
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
        found.append(Formula(name, "own") if own else _formula(stem, name, torch))
    return found


@lru_cache(4096)
def formula_texts(node: str, edges: int, own: bool, lang: str) -> list[dict[str, str]]:
    """The formulas of a node as plain texts in torch's own names of the inputs, for files: input, kind, text."""
    return [{"input": one.input, "kind": one.kind, "text": _in_words(one, lang)} for one in formulas(node, edges, own)]


def _in_words(formula: Formula, lang: str) -> str:
    if formula.kind == "own":
        return say(lang, "formula-own")
    if formula.kind == "torch":
        return formula.expression
    names = {name: name for name in ("self", "other", "result", "weight", "input")}
    if formula.kind == "words":
        return say(lang, f"formula-{formula.words}", **names, to=formula.input)
    return written(parsed(formula.expression), {}, lang)


def variant(formula: Formula, node: str, edge: int, given: Mapping[str, object], saved: Container[str]) -> Formula:
    """The formula for what a call was given: that of a norm depends on its order.

    Args:
        given: the constants that the node keeps.
        saved: the names of the operands at hand.
    """
    if any(name in saved for name in UNTOLD.get(stem_of(node), ())):
        return own_text(formula, node, edge)
    name, known = VARIANTS.get((stem_of(node), formula.input), ("", {}))
    value = given.get(name)
    if not isinstance(value, int | float | str) or value not in known:
        return formula
    text = known[value]
    return Formula(formula.input, "local", text) if text else own_text(formula, node, edge)


def own_text(formula: Formula, node: str, edge: int) -> Formula:
    """The formula as torch itself has it, in place of ours."""
    inputs = generated().get(node, [])
    return Formula(formula.input, "torch", inputs[edge][1] if edge < len(inputs) else "")


def stem_of(node: str) -> str:
    """A node's name without "Backward" and its number: Mul of MulBackward0."""
    return _SPELLED.get(node) or _KIND.sub("", node)


def commutes(node: str) -> bool:
    """Whether the two operands of a node may change places.

    >>> commutes("MulBackward0"), commutes("SubBackward0")
    (True, False)
    """
    return stem_of(node) in COMMUTES


def _formula(stem: str, name: str, torch: str) -> Formula:
    if name in LOCAL.get(stem, ()):
        return Formula(name, "local", LOCAL[stem][name], zero=ZERO.get((stem, name), ""))
    if name in WHOLE.get(stem, ()):
        return Formula(name, "whole", WHOLE[stem][name])
    if name in WORDS.get(stem, ()):
        words, expression = WORDS[stem][name]
        return Formula(name, "words", expression, words)
    return Formula(name, "torch", torch)
