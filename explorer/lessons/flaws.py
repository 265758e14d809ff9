"""Faults in the files of a lesson, each with file and line, and the line of a key in a TOML text."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from explorer.safe_regex import plain

_PART = plain(r"\.([A-Za-z_]++)(?:\[(\d++)\])?+")


@dataclass(frozen=True)
class Flaw:
    """One thing that is wrong.

    Attributes:
        file: its name in the lesson's folder; line: from 1, 0 where no line is to blame.
        kind: the message `lesson-flaw-<kind>`; values: those of its sentence.
    """

    file: str
    line: int
    kind: str
    values: Mapping[str, str | int] = field(default_factory=dict)


def line_of(text: str, path: str) -> int:
    """The line on which something stands in a TOML text, as exactly as its headers and first words tell; 1 else.

    Args:
        path: as msgspec names it, such as `$.ask[1].check[0].equals`.

    >>> line_of('[[ask]]\\nid = "a"\\n[[ask]]\\nid = "b"\\ncheck = []', "$.ask[1].check[0]")
    5
    """
    lines = text.split("\n")
    begin, end, best = 0, len(lines), 1
    for name, number in _PART.findall(path):
        headers = [at for at in range(begin, end) if lines[at].strip().startswith((f"[[{name}]]", f"[{name}]"))]
        if headers and len(headers) > int(number or 0):
            begin = headers[int(number or 0)]
            later = [at for at in range(begin + 1, end) if lines[at].startswith("[")]
            end = later[0] if later else end
            best = begin + 1
            continue
        key = next((at for at in range(begin, end) if _key(lines[at]) == name), None)
        if key is None:
            break
        begin, best = key, key + 1
    return best


def _key(line: str) -> str:
    """The first word of a line that sets something."""
    return line.partition("=")[0].strip() if "=" in line else ""
