"""Files that running Python reads: its folders, and shared libraries of its extensions.

System folders with libraries hold thousands of other files, so only the libraries themselves are named.
"""

import contextlib
import glob
import mmap
import os
import struct
from collections.abc import Collection, Iterable

from explorer.paths import FONT_FOLDERS, library_folders, target_folders

# Libraries that wheels may expect in addition to the C library (PEP 600, without graphics).
_EXPECTED = """
    libc.so.6 libm.so.6 libmvec.so.1 libdl.so.2 libpthread.so.0 librt.so.1 libutil.so.1 libresolv.so.2
    libgcc_s.so.1 libstdc++.so.6 libz.so.1 libexpat.so.1 libgomp.so.1
"""
_NAMES = """
    /etc/resolv.conf /etc/hosts /etc/host.conf /etc/nsswitch.conf /etc/gai.conf /etc/services /etc/protocols
"""
_WHERE = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")

# elf.h, 64 bits, little endian
_ELF = b"\x7fELF\x02\x01"
_HEADER, _SEGMENT, _ENTRY = struct.Struct("<16sHHIQQQIHHH"), struct.Struct("<IIQQQQQQ"), struct.Struct("<qQ")
_LOADED, _DYNAMIC = 1, 2  # kinds of segments
_NEEDED, _STRINGS = 1, 5  # types of entries in the dynamic section


def places() -> list[str]:
    """Return a child's readable places: Python, packages, fonts, and single files.

    The files are those mapped now (Python's program, shared libraries, the locale's character table), and libraries
    that Python's extensions name or wheels expect.
    """
    inside = folders()
    loaded = {path for path in _mapped() if not any(path.startswith(folder + os.sep) for folder in inside)}
    where = list(dict.fromkeys([*map(os.path.dirname, sorted(loaded)), *_WHERE]))
    extensions = [path for folder in inside for path in glob.glob(f"{glob.escape(folder)}/lib-dynload/*.so")]
    names = set(_EXPECTED.split()).union(*map(needed, extensions))
    return sorted({*inside, *loaded, *_found(names, where), *FONT_FOLDERS, "/etc/ld.so.cache"})


def network_places() -> list[str]:
    """Return files for host name look-ups and certificates, readable only with network access."""
    import ssl

    defaults = ssl.get_default_verify_paths()
    certificates = [defaults.openssl_cafile, defaults.openssl_capath, "/usr/share/ca-certificates", "/etc/pki/tls"]
    certificates += ["/etc/pki/ca-trust", "/usr/local/share/ca-certificates", "/etc/ssl/certs", "/etc/ssl/openssl.cnf"]
    return [*_NAMES.split(), *certificates]


def folders() -> list[str]:
    """Return the folders of Python's modules, this package and other packages.

    A link is listed with its target folder.
    """
    packages = [package for packages in target_folders().values() for package in packages]
    named = {place for place in (*library_folders(), *packages) if os.path.exists(place)}
    return sorted({*named, *map(os.path.realpath, named)})


def needed(path: str) -> list[str]:
    """Return the names of the libraries that a shared library needs, none if unreadable."""
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _needed(data) if data[: len(_ELF)] == _ELF else []
    except (OSError, ValueError, struct.error, StopIteration):
        return []


def _needed(data: mmap.mmap) -> list[str]:
    head = _HEADER.unpack_from(data)
    first, size, count = head[5], head[9], head[10]
    segments = [_SEGMENT.unpack_from(data, first + i * size) for i in range(count)]
    entries = [
        _ENTRY.unpack_from(data, at)
        for kind, _, start, _, _, length, *_ in segments
        if kind == _DYNAMIC
        for at in range(start, start + length, _ENTRY.size)
    ]
    texts = next(value for tag, value in entries if tag == _STRINGS)
    place = next(
        texts - address + start
        for kind, _, start, address, _, length, *_ in segments
        if kind == _LOADED and address <= texts < address + length
    )
    names = [place + value for tag, value in entries if tag == _NEEDED]
    return [data[at : data.find(b"\0", at)].decode() for at in names]


def _found(names: Iterable[str], where: Collection[str]) -> set[str]:
    """Return the files with these names, and their dependencies."""
    paths: dict[str, str] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        path = next(filter(os.path.isfile, (os.path.join(place, name) for place in where)), None)
        if name not in paths and path is not None:
            paths[name] = path
            waiting += needed(path)
    return set(paths.values())


def _mapped() -> set[str]:
    """Return the files whose code is mapped in this process."""
    with contextlib.suppress(OSError), open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        fields = [line.split(maxsplit=5) for line in maps]
        return {parts[5].strip() for parts in fields if len(parts) == 6 and parts[5].startswith("/")} - {""}
    return set()
