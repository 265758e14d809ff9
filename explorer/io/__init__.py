"""Output files: a Trace as JSON (`export.py`), a program as a notebook (`notebook.py`)."""
