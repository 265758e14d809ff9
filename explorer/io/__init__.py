"""Files that leave: a Trace as JSON (`export.py`), a program with its outputs as a notebook (`notebook.py`)."""
