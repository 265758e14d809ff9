"""The table conventions.txt: torch's behaviour where a good guess is wrong, one small program per row.

A section begins with `## Question` and lines shared by its rows. A line of a row is code, `> expression = value`
(torch's result), `! words of the exception`, or, last, `# meaning`. `> expression = value  [2.14: other]` has the value
from torch 2.14 on, `[2.8: other]` that of 2.8 and before. A value may be the name of an exception.
"""

import math
import re
from dataclasses import dataclass
from pathlib import Path

import torch

BASE = "2.13"  # torch version of table values without a version
TABLE = Path(__file__).with_name("conventions.txt")


@dataclass(frozen=True)
class Shown:
    """A line with torch's result.

    Attributes:
        expression: evaluated after the code above it.
        value: as Python writes it; torch's numbers are rounded to four decimals.
        others: differing values by version of torch: newer ones hold from it on, older ones up to it.
    """

    expression: str
    value: str
    others: dict[str, str]

    def value_in(self, version: str) -> str:
        """Return the value that a version of torch returns."""
        asked, base = number(version), number(BASE)
        reached = [each for each in self.others if base < number(each) <= asked or asked <= number(each) < base]
        nearest = min(reached, key=lambda each: abs(asked - number(each)), default="")
        return self.others.get(nearest, self.value)


@dataclass(frozen=True)
class Row:
    """A small program with torch's results.

    Attributes:
        question: the question of its section.
        setup: lines before its own.
        lines: its own, in order: code, results, or `!` and the words of an exception.
        meaning: the behaviour in words.
    """

    question: str
    setup: str
    lines: tuple[str | Shown, ...]
    meaning: str

    @property
    def code(self) -> str:
        """The row's code, without results."""
        return "\n".join(line for line in self.lines if isinstance(line, str) and not line.startswith("!"))

    @property
    def versions(self) -> set[str]:
        """Versions of torch with another result."""
        return {version for line in self.lines if isinstance(line, Shown) for version in line.others}


def rows(text: str | None = None) -> list[Row]:
    """Return every row of the table."""
    made = []
    for section in re.split(r"^## ", text if text is not None else TABLE.read_text("utf-8"), flags=re.M)[1:]:
        head, *blocks = re.split(r"\n\n+", section.strip())
        question, _, setup = head.partition("\n")
        for block in blocks:
            *lines, last = block.splitlines()
            made.append(Row(question, setup, tuple(map(_line, lines)), last.removeprefix("# ")))
    return made


def number(version: str) -> int:
    """2.14.1 as 2014."""
    major, minor, *_ = version.split(".")
    return 1000 * int(major) + int(minor)


def _line(line: str) -> str | Shown:
    if not line.startswith("> "):
        return line
    others = dict(re.findall(r"  \[(\d[\d.]*): (.*?)\](?=  \[|$)", line))
    expression, _, value = line[2:].partition("  [")[0].rpartition(" = ")
    return Shown(expression, value, others)


def differences(row: Row, version: str) -> list[str]:
    """Run the row; return one line per difference."""
    space: dict[str, object] = {"nan": math.nan, "inf": math.inf, "names": _names, "torch": torch}
    exec("import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n" + row.setup, space)
    wrong, code = [], []
    for line in row.lines:
        if isinstance(line, Shown):
            exec("\n".join(code), space)
            code = []
            value = line.value_in(version)
            try:
                seen = eval(line.expression, space)
                known = _equal(seen, eval(value, space))
            except Exception as raised:
                seen, known = raised, type(raised).__name__.lstrip("_") == value
            if not known:
                wrong.append(f"{line.expression} is {getattr(seen, 'tolist', lambda seen=seen: seen)()}, not {value}")
        elif line.startswith("! "):
            try:
                exec("\n".join(code), space)
                wrong.append(f"raises nothing: {line}")
            except Exception as raised:
                if line[2:] not in f"{type(raised).__name__}: {raised}":
                    wrong.append(f"{type(raised).__name__}: {raised}")
            code = []
        else:
            code.append(line)
    exec("\n".join(code), space)
    return wrong


def _equal(seen: object, value: object) -> bool:
    if not isinstance(seen, torch.Tensor):
        return seen == value
    wanted = torch.tensor(value, dtype=seen.dtype)
    return wanted.shape == seen.shape and torch.allclose(seen.detach(), wanted, rtol=1e-3, atol=1e-4, equal_nan=True)


def _names(node: object) -> list[str]:
    """Return the names of the nodes on the way down along the first edges."""
    found = []
    while node is not None:
        found.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    return [name for name in found if "AccumulateGrad" not in name]
