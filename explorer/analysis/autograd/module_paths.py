"""The paths of modules: the one that a user means, and what the paths of a stack share."""

from difflib import get_close_matches

from explorer.analysis.autograd.rearrangements import is_row
from explorer.safe_regex import plain
from explorer.trace import Trace

DEPTH = 16  # levels of the module tree
SUGGESTED = 5  # suggested paths for an unknown one
_DIGITS = plain(r"\d+")

Path = tuple[str, ...]


class UnknownModule(LookupError):
    """Raised if a path names no module of a program, or several.

    Attributes:
        asked: the path.
        known: paths that may have been meant; for an ambiguous path all of them.
        several: whether the path is ambiguous.
    """

    def __init__(self, asked: str, known: list[str], several: bool = False):
        self.asked, self.known, self.several = asked, tuple(known[:SUGGESTED]), several
        paths = ", ".join(self.known)
        if several:
            super().__init__(f"{asked!r} is a module of several: {paths}")
        elif known:
            super().__init__(f"no module {asked!r} ran; there are {paths}")
        else:
            super().__init__(f"no module {asked!r}: no operation of this program ran inside of one")


def module_path(trace: Trace, asked: str) -> str:
    """The full path of a module in a Trace; the given one may begin within the model: blocks.0 for model.blocks.0.

    An open row of rearranging operations is in a module too: blocks.0.attn.view → transpose.

    Raises UnknownModule if no module has it, or several have.
    """
    head, _, row = asked.rpartition(".")
    if is_row(row):
        return f"{module_path(trace, head)}.{row}" if head else row
    known = {trace.strings[module] for module in set(trace.operations.module) if module >= 0}
    paths = {
        ".".join(parts[:end])
        for parts in (path.split(".", DEPTH - 1) for path in known)
        for end in range(1, len(parts) + 1)
    }
    paths |= {f"{head}.{pattern_of((tail,))}" for head, _, tail in (path.rpartition(".") for path in paths) if head}
    if asked in paths:
        return asked
    found = sorted(path for path in paths if path.endswith(f".{asked}"))
    if len(found) == 1:
        return found[0]
    if found:
        raise UnknownModule(asked, found, several=True)
    parts = asked.count(".") + 1
    ends = {".".join(path.split(".")[-parts:]): path for path in sorted(paths, reverse=True)}
    near = [ends[end] for end in get_close_matches(asked, sorted(ends), 3)] or get_close_matches(
        asked, sorted(paths), 3
    )
    raise UnknownModule(asked, near or sorted(paths, key=lambda path: (path.count("."), path)))


def last_number(path: str) -> str:
    """The number that distinguishes a module of a stack.

    >>> last_number("encoder.layer_11")
    '11'
    """
    return _DIGITS.findall(path.rsplit(".", 1)[-1])[-1]


def pattern_of(path: Path) -> str:
    """The last part of a module's path with * in place of its numbers.

    >>> pattern_of(("blocks", "11"))
    '*'
    """
    return _DIGITS.sub("*", path[-1])
