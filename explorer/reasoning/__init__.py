"""Why a number is what it is: a derivation that unfolds step by step, and the line of life of a leaf (`tape`).

Belongs here: what was asked (`questions`), one step of an answer as plain data (`steps`, `arrivals`, `values`,
`stored`), many of them as a tree (`derivation`), and both in words (`words`). Every number is one that torch recorded,
and the parts of a step are told only where they give the whole. Does not belong here: the arithmetic of single
operations (tensors.operations, autograd), HTML (drawing).
"""

from explorer.reasoning.derivation import Derivation, derivation, unfolded
from explorer.reasoning.plain import answer_plain, tapes_plain
from explorer.reasoning.questions import NumberAsked, UnknownName, asked, asked_of, suggestions
from explorer.reasoning.tape import TapeEvent, tape
from explorer.reasoning.words import Why, answer, derivation_lines

__all__ = [
    "Derivation",
    "NumberAsked",
    "TapeEvent",
    "UnknownName",
    "Why",
    "answer",
    "answer_plain",
    "asked",
    "asked_of",
    "derivation",
    "derivation_lines",
    "suggestions",
    "tape",
    "tapes_plain",
    "unfolded",
]
