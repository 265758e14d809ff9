"""Read a saved run from an untrusted file, or explain in one sentence why it is invalid."""

from explorer.program.cells import Unusable
from explorer.trace import MAX_BYTES, InvalidTrace, Trace, decode
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
    """The checked Trace in a file, within the bounds of a child's result; its program is not run.

    Args:
        size: of the file in bytes, if `data` is only its beginning.

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
