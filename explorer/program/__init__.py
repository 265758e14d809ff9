"""Programs as data: read, split, write and encode .py, .md, .ipynb and pasted text.

Belongs here: splitting bounded text into cells, cleaning pasted text, writing another format, the request to a child.
Does not belong here: parsing, compiling and magics (explorer.runtime does that in the child), and sentences (an
Unusable holds an id and numbers).
"""

from explorer.program.cells import CellSource, Program, Unusable, decode_request, encode_request
from explorer.program.given_files import Folder, GivenFile, file_name, with_file
from explorer.program.needs import LAYOUT, LEAST, TABLES, Parts, needs
from explorer.program.reader import Cleaned, load_bytes, load_program, read_pasted, read_program, read_text
from explorer.program.writer import with_cell_replaced, with_imports, write_program
