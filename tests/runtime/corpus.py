"""The programs of this folder's text files: `=== name`, the program, and the facts about its Trace: `-> fact`.

A fact is an expression that holds, or a name for something. It may use `trace`, and what `explorer.trace`,
`tests/programs.py` and the module of the test define.
"""

import re
from pathlib import Path
from typing import Any

from explorer import trace as records
from tests import programs


def read(name: str) -> dict[str, str]:
    """The programs of a file beside this one, by name."""
    text = Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8")
    return dict(part.split("\n", 1) for part in re.split(r"(?m)^=== ", text)[1:])


def check_facts(program: str, names: dict[str, Any]) -> None:
    """Run a program and ask its Trace for the facts below it. Args: names: that facts may use."""
    source, *facts = program.split("\n-> ")
    names = {**vars(records), **vars(programs), **names, "trace": programs.traced(f"{source}\n")}
    assert facts
    for fact in facts:
        try:
            told = compile(fact, "fact", "eval")
        except SyntaxError:  # a name for something
            exec(fact, names)
        else:
            assert eval(told, names), fact


EVERYDAY = read("everyday")  # as tutorials and notebooks have them: training, modules, data, dtypes, NumPy, printing
RARE = read("rare")  # reach into autograd: hooks, custom functions, checkpoints, torch.func, graphs of gradients
TUTORIALS = read("tutorials")  # what tutorials write
