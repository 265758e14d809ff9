"""The command line, `python -m explorer`.

`main.py` parses the arguments. `commands` has one file for each longer command. `doctor.py` examines the machine.
"""
