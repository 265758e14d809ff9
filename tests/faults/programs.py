"""The programs of `untold.txt`: `=== name`, and a program with its bugs on lines marked `# <- kind`.

`=== sound name` has none, nor does a program with the text after `# or:` in place of those lines. With the text after
`# also:` it is another program with the same bugs. Every program may use copy, math, torch, nn and F.
"""

import re
from pathlib import Path
from typing import NamedTuple

HEAD = "import copy, math, torch; from torch import nn; from torch.nn import functional as F; torch.manual_seed(0)\n"
MARK = re.compile(r"\s*# <- (\w+)$", re.MULTILINE)
OTHER = re.compile(r"  # (also|or):(?: (.*?))?(?=  # (?:also|or):|$)")


class FaultyProgram(NamedTuple):
    """A program and its expected findings, each a kind and a line. A sound program has no findings."""

    source: str
    told: list[tuple[str, int]]


def _read() -> dict[str, FaultyProgram]:
    found = {}
    for part in re.split(r"(?m)^=== ", Path(__file__).with_name("untold.txt").read_text(encoding="utf-8"))[1:]:
        title, _, text = part.partition("\n")
        is_sound, name = title.startswith("sound "), title.removeprefix("sound ")
        for kind in ("", "_also", "_or"):
            if f"  # {kind[1:]}:" in text or not kind:
                assert f"{name}{kind}" not in found, title
                found[f"{name}{kind}"] = _program(text, kind[1:], is_sound or kind == "_or", title)
    return found


def _program(text: str, kind: str, is_sound: bool, title: str) -> FaultyProgram:
    lines = []
    for line in f"{HEAD}{text}".split("\n"):
        code, others = OTHER.sub("", line), dict(OTHER.findall(line))
        mark = MARK.search(code)
        indent = code[: len(code) - len(code.lstrip())]
        lines.append(indent + others[kind] + (mark[0] if mark else "") if kind in others else code)
    marks = [(kind, at) for at, line in enumerate(lines, 1) for kind in MARK.findall(line)]
    assert is_sound or marks, title
    return FaultyProgram(MARK.sub("", "\n".join(lines)), [] if is_sound else marks)


PROGRAMS = _read()
