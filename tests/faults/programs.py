"""The programs of `untold.txt`: `=== name`, and a program whose bugs stand at the lines that say `# <- kind`.

`=== sound name` has none, and neither has a program with the lines after `# or:` in place of those before it. Every
program may use copy, math, torch, nn and F.
"""

import re
from pathlib import Path
from typing import NamedTuple

HEAD = "import copy, math, torch; from torch import nn; from torch.nn import functional as F; torch.manual_seed(0)\n"
MARK = re.compile(r"\s*# <- (\w+)$", re.MULTILINE)
OTHER = re.compile(r"^(\s*)(.*?)\s*# or:(?: (.*))?$", re.MULTILINE)


class FaultyProgram(NamedTuple):
    """A program and the findings it should get, each a kind and a line. A sound program gets none."""

    source: str
    told: list[tuple[str, int]]


def _read() -> dict[str, FaultyProgram]:
    found = {}
    for part in re.split(r"(?m)^=== ", Path(__file__).with_name("untold.txt").read_text(encoding="utf-8"))[1:]:
        title, _, text = part.partition("\n")
        text, name = HEAD + text, title.removeprefix("sound ")
        if OTHER.search(text):
            found[f"{name}_or_sound"] = FaultyProgram(MARK.sub("", OTHER.sub(r"\1\3", text)), [])
            text = OTHER.sub(r"\1\2", text)
        marks = [(kind, at) for at, line in enumerate(text.split("\n"), 1) for kind in MARK.findall(line)]
        assert name not in found and bool(marks) is (name == title), title
        found[name] = FaultyProgram(MARK.sub("", text), marks)
    return found


PROGRAMS = _read()
