"""A saved run out of a file that somebody gave, or in one sentence why it is none."""

from explorer.program.cells import Unusable
from explorer.trace import MAX_BYTES, InvalidTrace, Trace, decode
from explorer.trace.misread import misread

ENDING = ".trace"


def is_run(name: str) -> bool:
    """Whether a file's name says that it holds a saved run.

    >>> is_run("net.trace"), is_run("net.py")
    (True, False)
    """
    return name.lower().endswith(ENDING)


def read_run(name: str, data: bytes, size: int = 0) -> Trace:
    """The checked Trace in a file, within the bounds of what a child sends; its program is not run.

    Args:
        size: of the file in bytes, where `data` is less.

    Raises Unusable that says what the file is instead.
    """
    size = max(size, len(data))
    found = "large" if size > MAX_BYTES else misread(data)
    if found:
        raise Unusable.of("not-a-run", name, found=found, size=size, most=MAX_BYTES, reason="")
    try:
        return decode(data)
    except InvalidTrace as problem:
        raise Unusable.of("not-a-run", name, found="wrong", size=size, most=MAX_BYTES, reason=str(problem)) from None
