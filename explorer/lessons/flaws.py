"""Faults in a lesson's files, with file and line."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from explorer.safe_regex import plain

_PART = plain(r"\.([A-Za-z_]++)(?:\[(\d++)\])?+")


@dataclass(frozen=True)
class Flaw:
    """A fault in a lesson's file.

    Attributes:
        file: name in the lesson's folder. line: from 1, or 0.
        kind: end of the message id `lesson-flaw-<kind>`. values: of the message.
    """

    file: str
    line: int
    kind: str
    values: Mapping[str, str | int] = field(default_factory=dict)


def line_of(text: str, path: str) -> int:
    r"""Find the line of a TOML path by headers and keys, otherwise 1.

    Args:
        path: in msgspec's notation, such as `$.ask[1].check[0].equals`.

    >>> line_of('[[ask]]\nid = "a"\n[[ask]]\nid = "b"\ncheck = []', "$.ask[1].check[0]")
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
        sets = (at for at in range(begin, end) if "=" in lines[at])
        key = next((at for at in sets if lines[at].partition("=")[0].strip() == name), None)
        if key is None:
            break
        begin, best = key, key + 1
    return best
