"""Derivations of numbers, unfolded step by step, and histories of leaves (`tape`).

Belongs here: questions (`questions`), one step of an answer as plain data (`arrivals`, `derived_values`, `grad_steps`),
steps as a tree (`derivation`), both in words (`derivation_text`), and questions for a second run (`second_run`). Every
number was recorded, and the parts of a step are shown only if they add up to it. Does not belong here: the arithmetic
of single operations (explain.entries, explain.autograd), HTML (drawing).
"""

from explorer.analysis.explain.why.derivation import Derivation, derivation, unfolded
from explorer.analysis.explain.why.derivation_text import Why, answer, answer_plain, derivation_lines, tapes_plain
from explorer.analysis.explain.why.leaf_history import TapeEvent, tape
from explorer.analysis.explain.why.questions import NumberAsked, UnknownName, asked_of, suggestions
