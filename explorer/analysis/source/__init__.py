"""A program's text: its pieces, the lines that give names their values, and the edits that make a repaired text.

Belongs here: reading an expression or a statement as the program writes it, and changing it. Does not belong here:
what its operations did (the Trace says it), and why a change is right. Python's grammar decides what an expression
consists of; what is not recognised with certainty is None.
"""

from explorer.analysis.source.assignments import Assignment, all_assignments, last_assignment, only_assignment
from explorer.analysis.source.code import Code, Repair, code_at, find_lines, lines_of, source_text
from explorer.analysis.source.edits import with_argument
from explorer.analysis.source.expressions import (
    Call,
    Pair,
    bracketed,
    items,
    parse_binary,
    parse_call,
    parse_subscript,
    shorten_code,
    with_suffix,
)
from explorer.analysis.source.words import near, rename, replace_word

__all__ = [
    "Assignment",
    "Call",
    "Code",
    "Pair",
    "Repair",
    "all_assignments",
    "bracketed",
    "code_at",
    "find_lines",
    "items",
    "last_assignment",
    "lines_of",
    "near",
    "only_assignment",
    "parse_binary",
    "parse_call",
    "parse_subscript",
    "rename",
    "replace_word",
    "shorten_code",
    "source_text",
    "with_argument",
    "with_suffix",
]
