"""Programs as data: cells and their positions out of .py, .md and pasted text, and the request that carries one.

Here belongs what splits bounded text into cells and what travels to a child. Not here: parsing, compiling, magics and
policy (they happen in the child: explorer.runtime), and sentences (an Unusable holds an id and numbers).
"""

from explorer.program.cells import CellSource, Program, Unusable, decode_request, encode_request
from explorer.program.reading import load_program, read_program, read_text

__all__ = [
    "CellSource",
    "Program",
    "Unusable",
    "decode_request",
    "encode_request",
    "load_program",
    "read_program",
    "read_text",
]
