"""Programs as data: cells and positions out of .py, .md, .ipynb and pasted text, back into files, and the request.

Here belongs what splits bounded text into cells, mends what a web page did to it, writes it in another format, and
what travels to a child. Not here: parsing, compiling, magics and policy (they happen in the child: explorer.runtime),
and sentences (an Unusable and a mark hold an id and numbers).
"""

from explorer.program.cells import CellSource, Program, Unusable, decode_request, encode_request
from explorer.program.given import GivenFile, file_name, with_file
from explorer.program.marks import Mark, find_marks, mend, mend_all
from explorer.program.pasted import Cleaned, read_pasted
from explorer.program.reading import load_bytes, load_program, read_program, read_text
from explorer.program.writing import with_cell_replaced, with_imports, write_program

__all__ = [
    "CellSource",
    "Cleaned",
    "GivenFile",
    "Mark",
    "Program",
    "Unusable",
    "decode_request",
    "encode_request",
    "file_name",
    "find_marks",
    "load_bytes",
    "load_program",
    "mend",
    "mend_all",
    "read_pasted",
    "read_program",
    "read_text",
    "with_cell_replaced",
    "with_file",
    "with_imports",
    "write_program",
]
