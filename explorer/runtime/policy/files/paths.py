"""Which files the calls of a program may name, and their bytes."""

import builtins
import gzip
import io
import os
import re
from pathlib import PurePath

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")  # longer than the letter of a drive


def is_path(given: object) -> bool:
    """Whether a call was given the name of a file, and not an open one."""
    return isinstance(given, str | PurePath)


def last_part(name: str) -> str:
    """What stands behind the last slash of a path or an address, without a query.

    >>> last_part("https://example.org/data/iris.csv?raw=true")
    'iris.csv'
    """
    return re.split(r"[?#]", name, maxsplit=1)[0].rstrip("/").rpartition("/")[2]


def checked(guards, what: str, given: object) -> str:
    """The name of a file as a text. Refuses addresses, and places on the disk of the machine."""
    if not is_path(given):
        guards.refuse(what, "file")
    name = str(given)
    if _ADDRESS.match(name):
        guards.refuse(f"{what}({name!r:.100})", "network")
    absolute = name.startswith("/")
    if absolute and not os.path.exists(name) and not os.path.isdir(os.path.dirname(name)):
        guards.refuse(what, "file")
    return name


def from_files(guards, what: str, address: str) -> bytes | None:
    """The bytes of the given file that has the last name of an address; None when there is none. The run says so."""
    name = last_part(address)
    if name not in guards.files.given:
        return None
    with builtins.open(guards.files.given[name], "rb") as file:
        guards.skipped(f"{what}({address!r:.100})", "given", name)
        return file.read()


def content(guards, what: str, given: object) -> bytes:
    """The bytes behind a path, an address whose file was given, or an open file. Raises OSError."""
    if isinstance(given, io.IOBase):
        read = given.read()
        return read.encode() if isinstance(read, str) else bytes(read)
    if is_path(given) and _ADDRESS.match(str(given)):
        found = from_files(guards, what, str(given))
        if found is not None:
            return found
    with builtins.open(checked(guards, what, given), "rb") as file:
        return file.read()


def plain_content(guards, what: str, given: object) -> bytes:
    """The bytes behind a path or an open file, unpacked where its name ends in .gz. Raises OSError."""
    read = content(guards, what, given)
    return gzip.decompress(read) if is_path(given) and last_part(str(given)).endswith(".gz") else read


def put(guards, what: str, given: object, data: bytes, mode: str = "wb") -> None:
    """Write bytes to a path or into an open file. Raises OSError."""
    if isinstance(given, io.TextIOBase):
        given.write(data.decode())
    elif isinstance(given, io.IOBase):
        given.write(data)
    else:
        with builtins.open(checked(guards, what, given), mode) as file:
            file.write(data)
