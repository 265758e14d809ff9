"""Read a saved run from an untrusted file, or explain in one sentence why it is invalid."""

from explorer.program.cells import Unusable
from explorer.trace import MAX_OPENED, InvalidTrace, TooLong, Trace, decode
from explorer.trace.foreign_files import misread

ENDING = ".trace"
OPENED = "EXPLORER_OPENED"  # variable with the path of the saved run that every session of this server opens


def is_run(name: str) -> bool:
    """Whether a file's name is that of a saved run.

    >>> is_run("net.trace"), is_run("net.py")
    (True, False)
    """
    return name.lower().endswith(ENDING)


def read_run(name: str, data: bytes, size: int = 0) -> Trace:
    """The checked Trace in a file, with no more rows than a child's result; its program is not run.

    Args:
        size: of the file in bytes, if `data` is only its beginning or was not sent.

    Raises Unusable that says what the file is instead.
    """
    size = max(size, len(data))
    found: str = "large" if size > MAX_OPENED else "dropped" if size > len(data) else misread(data)
    if found:
        raise Unusable.of("not-a-run", name, found=found, size=size, most=MAX_OPENED, reason="")
    try:
        return decode(data, MAX_OPENED)
    except InvalidTrace as problem:
        found = "long" if isinstance(problem, TooLong) else "wrong"
        raise Unusable.of("not-a-run", name, found=found, size=size, most=MAX_OPENED, reason=str(problem)) from None
